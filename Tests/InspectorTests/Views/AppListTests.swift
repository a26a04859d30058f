import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import Reports
import StoreFormats
import Synchronization
import TestSupport
import Testing
import Workspace

@testable import Inspector

@Suite("The list of apps of a dump")
struct AppListTests {
    /// What each app of a made-up dump holds; one that is not here cannot be looked at.
    private static let stores: [String: any StoreReader] = [
        "calm": MemoryStores([(.defaults("calm"), ["a": .bool(true)])]),
        "work": RudderStack.stores(),
        "broken": RudderStack.stores(["rs_traits": .data(Data("bplist00 not a list".utf8))]),
        "empty": MemoryStores(),
    ]

    /// The inspector at the list of some apps, with nothing done yet, and what was looked at.
    private func list(
        _ names: [String], size: Size = Size(width: 120, height: 24)
    ) throws -> (model: Model, inspection: Inspection, looked: Journal) {
        let looked = Journal()
        let inspection = Inspection(
            options: Inspection.Options(
                migrations: [RudderStack.migration], facts: .notes, ledger: .file("/nowhere"), stamp: { .test })
        ) { path throws(WorkspaceError) in
            looked.note(path ?? "")
            guard let stores = Self.stores[path ?? ""] else { throw .notApplied("x") }
            do {
                return try MemoryWorkspace(stores, facts: .notes, history: []) { $0.path = path ?? "" }
            } catch {
                throw .notApplied("x")
            }
        }
        let apps = names.map { AppList.App(path: $0, identifier: "com.acme.\($0)", kind: "app", name: $0.capitalized) }
        return (Model(size: size, apps: AppList(title: "a device", apps: apps)), inspection, looked)
    }

    private final class Journal: Sendable {
        private let paths = Mutex<[String]>([])
        var all: [String] { paths.withLock { $0 } }
        func note(_ path: String) { paths.withLock { $0.append(path) } }
    }

    @Test("w shows what is the matter with the dump, and a detail that is cut says so")
    func warnings() throws {
        var (model, _, _) = try list(["work"], size: Size(width: 80, height: 12))
        model.apps?.warnings = ["Something is missing."]
        _ = model.update(.terminal(.key(.character("w"))))
        #expect(model.page != nil && model.render().text.contains("! Something is missing."))
        _ = model.update(.terminal(.key(.escape)))
        var long = AppList.App(path: "work", identifier: "com.acme.work", kind: "app")
        long.companions = (0..<40).map { .init(kind: "group", identifier: "group.com.acme.number\($0)") }
        let cut = Model(size: Size(width: 80, height: 24), apps: AppList(title: "a device", apps: [long]))
        #expect(cut.render().text.contains("; Enter opens it"), "\(cut.render().text)")
        let short = Model(
            size: Size(width: 80, height: 24),
            apps: AppList(
                title: "a device",
                apps: [
                    AppList.App(path: "work", identifier: "com.acme.work", kind: "app")
                ]))
        #expect(!short.render().text.contains("; Enter opens it"))
    }

    @Test("a spec that was left out is a warning above the apps, as it is above the steps of one")
    func leftOut() throws {
        var options = Inspection.Options(
            migrations: [RudderStack.migration], facts: .notes, ledger: .file("/nowhere"), stamp: { .test })
        options.unusable = [Inspection.UnusableSpec("mine.yaml", "line 9: boool is no type", isKept: false)]
        var model = try Inspection(of: try Dump.open(Places.fixture("simulator")), options: options).start(
            container: nil, size: Size(width: 80, height: 24), glyphs: .unicode, masking: Masking())
        #expect(model.render().text.contains(/[0-9]+ warnings? \(w\)/), "\(model.render().text)")
        _ = model.update(.terminal(.key(.character("w"))))
        #expect(model.render().text.contains("mine.yaml is left out"), "\(model.render().text)")
    }

    @Test("a container of which it is not known what applies says so, and not that nothing does")
    func unknown() throws {
        for (fixture, words) in [
            ("notes-empty.xcappdata", "Not known without a keychain:"), ("cut", "Unknown of rudderstack-v2"),
        ] {
            var path = Places.fixture(fixture)
            let folder = try TemporaryFolder()
            if fixture == "cut" {
                path = folder("cut.xcappdata")
                try FileManager.default.copyItem(atPath: Places.fixture("notes-legacy.xcappdata"), toPath: path)
                let file = URL(fileURLWithPath: path + "/AppData/Library/Preferences/com.acme.notes.plist")
                try Data(contentsOf: file).prefix(900).write(to: file)
            }
            let inspection = Inspection(
                of: try Dump.open(path),
                options: Inspection.Options(
                    migrations: BuiltIn.migrations, facts: Facts(), ledger: .file(folder("ledger")), stamp: { .test }))
            var model = try inspection.start(
                container: nil, size: Size(width: 120, height: 30), glyphs: .unicode, masking: Masking())
            var events: [Event] = [.started, .terminal(.key(.character("w")))]
            var header = ""
            while !events.isEmpty {
                for effect in model.update(events.removeFirst()) {
                    events += ScriptRunner.events(of: effect, on: inspection)
                }
                if events.count == 1 { header = model.render().text }
            }
            #expect(header.contains("unknown whether a migration applies here"), "\(header)")
            #expect(model.render().text.contains(words), "\(model.render().text)")
            #expect(!model.render().text.contains("Nothing is missing"))
        }
    }

    @Test("apps whose names are the same in two normalizations are two")
    func twins() {
        let names = ["caf\u{e9}", "cafe\u{301}"]
        let apps = names.map { AppList.App(path: $0, identifier: $0, kind: "app") }
        var list = AppList(title: "a device", apps: apps)
        #expect(list.next(5, window: 0..<2).map { Array($0.utf8) } == names.map { Array($0.utf8) })
        let finding = AppList.Finding(answer: AppFinding(failure: "locked"), measure: nil)
        list.take([(names[0], finding)], of: list.generation)
        #expect(list.found.count == 1 && apps.map { list.finding(of: $0) == nil } == [false, true])
        #expect(list.named(names[1]).map { Array($0.path.utf8) } == [Array(names[1].utf8)])
    }

    /// Sends an event, and performs what it asks for to the end.
    private func send(_ event: Event, to model: inout Model, on inspection: Inspection) {
        var events = [event]
        while !events.isEmpty {
            for effect in model.update(events.removeFirst()) {
                events += ScriptRunner.events(of: effect, on: inspection)
            }
        }
    }

    private func press(_ keys: String, _ model: inout Model, on inspection: Inspection) {
        for key in keys.split(separator: " ").compactMap({ Key(notation: String($0)) }) {
            send(.terminal(.key(key)), to: &model, on: inspection)
        }
    }

    private func rows(_ model: Model) -> [String] {
        let apps = model.apps
        return (0..<(apps?.count ?? 0)).compactMap { apps?[$0]?.path }
    }

    private func line(_ text: String, _ model: Model) -> String {
        model.render().text.split(separator: "\n").map(String.init).first { $0.contains(text) } ?? ""
    }

    @Test("is shown before any app was looked at")
    func atOnce() throws {
        var (model, _, looked) = try list((0..<1200).map { "a\($0)" })
        let effects = model.update(.started)
        #expect(effects.contains { $0 is AppExamination } && looked.all.isEmpty)
        #expect(line("com.acme.a0", model).contains("not looked at yet"))
        #expect(model.render().text.contains("1200 apps · looking: 0 of 1200…"))
    }

    @Test("has what needs a person first, with its state in words that the plan has")
    func states() throws {
        var (model, inspection, _) = try list(["calm", "empty", "work", "broken", "gone"])
        send(.started, to: &model, on: inspection)
        #expect(rows(model) == ["broken", "gone", "work", "calm", "empty"])
        #expect(line("com.acme.broken", model).contains("✗ Broken"))
        #expect(line("com.acme.broken", model).contains("rudderstack-v2: 1 failed, "))
        #expect(line("com.acme.work", model).contains("→ Work"))
        #expect(line("com.acme.work", model).contains("rudderstack-v2: 8 to apply"))
        #expect(
            line("com.acme.calm", model).contains("· Calm")
                && line("com.acme.calm", model).contains("nothing to migrate"))
        #expect(line("com.acme.empty", model).contains("nothing in it"))
        #expect(line("com.acme.gone", model).contains("cannot be looked at: "))
        #expect(model.render().text.contains("5 apps · 2 with problems · 1 to migrate"))
        press("<C-r>", &model, on: inspection)
        #expect(model.render().text.contains("5 apps · 2 with problems · 1 to migrate\n"), "each is counted once")
    }

    @Test("does not move under a person who has begun to look around, until it is asked to")
    func unmoved() throws {
        var (model, inspection, _) = try list(["calm", "work", "broken"])
        let effects = model.update(.started)
        _ = model.update(.terminal(.key(.character("j"))))
        for effect in effects {
            ScriptRunner.events(of: effect, on: inspection).forEach { send($0, to: &model, on: inspection) }
        }
        #expect(rows(model) == ["calm", "work", "broken"] && model.apps?.selected?.path == "work")
        #expect(line("com.acme.work", model).contains("8 to apply"))
        press("<C-r>", &model, on: inspection)
        #expect(rows(model) == ["broken", "work", "calm"])
    }

    @Test("looks at the app under the cursor first, then at those in the window")
    func order() throws {
        var apps = AppList(title: "", apps: (0..<100).map { .init(path: "\($0)", identifier: "\($0)", kind: "app") })
        apps.moveCursor(to: 50)
        #expect(apps.next(4, window: 45..<60) == ["50", "45", "46", "47"])
        apps.take([("50", AppList.Finding(answer: AppFinding(failure: ""), measure: nil))], of: apps.generation)
        #expect(apps.next(17, window: 45..<60).suffix(3) == ["0", "1", "2"])
    }

    @Test("Esc stops looking, and Ctrl-R goes on")
    func stopped() throws {
        var (model, inspection, looked) = try list(["calm", "work", "broken"])
        let effects = model.update(.started)
        let asked = model.update(.terminal(.key(.escape)))
        #expect(asked.contains { $0.isCancelling && $0.lane == .apps })
        for effect in effects {
            let end = effect.run(on: inspection, EffectControl(isCancelled: { true }))
            send(end, to: &model, on: inspection)
        }
        #expect(model.render().text.contains("3 apps · 3 not looked at") && looked.all.count == 1)
        press("<C-r>", &model, on: inspection)
        #expect(rows(model) == ["broken", "work", "calm"])
        press("<Esc>", &model, on: inspection)
        #expect(model.message?.text == "this is the outermost level; q quits")
    }

    @Test("shows what was done in an app that was left, and takes nothing that was found before it")
    func afresh() throws {
        var (model, inspection, looked) = try list(["work"])
        send(.started, to: &model, on: inspection)
        let old = try inspection.examine("work", EffectControl()), before = try #require(model.apps).generation
        let count = looked.all.count
        press("<Enter> <Esc>", &model, on: inspection)
        #expect(model.opened == nil && looked.all.count == count + 2, "opened, and looked at again")
        let generation = try #require(model.apps).generation
        #expect(generation > before)
        model.apps?.forget("work")
        model.apps?.take([("work", old)], of: before)
        #expect(model.apps?.next(1, window: 0..<0) == ["work"], "what was found before does not count")
    }

    @Test("after a step was applied every app is looked at again, as others may share what it changed")
    func shared() throws {
        var (model, inspection, looked) = try list(["calm", "work", "broken"])
        send(.started, to: &model, on: inspection)
        for key in ":app work" { send(.terminal(.key(.character(key))), to: &model, on: inspection) }
        press("<Enter>", &model, on: inspection)
        let count = looked.all.count
        press("a", &model, on: inspection)
        press("<Esc>", &model, on: inspection)
        #expect(model.opened == nil && Set(looked.all.dropFirst(count)) == ["calm", "work", "broken"])
        #expect(model.apps?.isExamining == false)
    }

    @Test("/ shows the apps that have a text, as it is typed")
    func filter() throws {
        var (model, inspection, _) = try list(["calm", "work", "broken", "empty"])
        send(.started, to: &model, on: inspection)
        press("/ w o", &model, on: inspection)
        #expect(rows(model) == ["work"] && model.render().text.contains("4 apps · 1 with “wo”"))
        #expect(model.render().text.contains("type to filter · <Up> <Down> move"))
        press("<Enter>", &model, on: inspection)
        #expect(rows(model) == ["work"] && model.prompt == nil)
        press("<Esc>", &model, on: inspection)
        #expect(rows(model).count == 4)
        press("/ f a i l e d", &model, on: inspection)
        #expect(rows(model) == ["broken"], "the state is among what it looks at")
        press("<C-u> C a l m <Down>", &model, on: inspection)
        #expect(rows(model) == ["calm"], "a capital letter makes case matter")
        press("x", &model, on: inspection)
        #expect(rows(model).isEmpty && model.render().text.contains("No app has that in its name"))
        press("<Enter> <Enter>", &model, on: inspection)
        #expect(model.opened == nil)
        press("<Esc>", &model, on: inspection)
        #expect(rows(model).count == 4)
    }

    @Test("an app stands with the containers of its groups and extensions, which open by name")
    func companions() throws {
        let folder = try TemporaryFolder()
        let dump = try Dump.open(Places.fixture("simulator"))
        let inspection = Inspection(
            of: dump,
            options: Inspection.Options(
                migrations: [RudderStack.migration], facts: Facts(), ledger: .file(folder("ledger")), stamp: { .test }))
        var model = try inspection.start(
            container: nil, size: Size(width: 120, height: 30), glyphs: .unicode, masking: Masking())
        send(.started, to: &model, on: inspection)
        let apps = try #require(model.apps)
        #expect(apps.total == 2 && apps.selected?.identifier == "com.acme.notes")
        #expect(apps.selected?.companions.map(\.identifier) == ["group.com.acme.notes"])
        #expect(line("with ", model).contains("group group.com.acme.notes"))
        #expect(line("com.acme.notes", model).contains("2 containers"))
        #expect(line("size", model).contains(" kB in ") && line("size", model).contains("stores"))
        for key in ":app group.com.acme.notes" { send(.terminal(.key(.character(key))), to: &model, on: inspection) }
        press("<Enter>", &model, on: inspection)
        #expect(model.opened?.snapshot.title == "group.com.acme.notes")
        press("<Esc>", &model, on: inspection)
        #expect(model.opened == nil && model.apps?.total == 2)
    }

    @Test("leaving does not wait for what looks at the apps")
    func quitting() throws {
        let queue = EffectQueue(try Inspected(MemoryStores()).inspection, notify: {})
        let journal = Waiting.Journal()
        let looking = Waiting(name: "apps", lane: .apps, journal: journal, ignoresStopping: true)
        queue.start(looking)
        journal.wait(for: 1)
        queue.close()
        #expect(journal.all == ["apps began"])
        looking.release()
    }
}
