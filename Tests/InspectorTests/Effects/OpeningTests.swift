@testable import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import Reports
import Specs
import StoreFormats
import Synchronization
import TestSupport
import Testing
import Workspace

@testable import Inspector

/// A dump that is opened while the inspector is shown.
@Suite("Opening a dump")
struct OpeningTests {
    private static let password = "hunter2 p4ss"

    /// The inspector on a dump that comes of `opening`; nothing is done yet.
    private func start(
        _ opening: @escaping @Sendable (OpeningControl, Inspection.Contents) throws(WorkspaceError) -> Inspection.Opened
    ) throws -> (model: Model, inspection: Inspection) {
        let workspace = try MemoryWorkspace(RudderStack.stores(), facts: .notes, history: []) { _ in }
        let contents = Inspection.Contents(kind: "backup", containers: []) { _ in workspace }
        let inspection = Inspection(
            options: Inspection.Options(
                migrations: [RudderStack.migration], facts: .notes, ledger: .file("/nowhere"), stamp: { .test })
        ) { control throws(WorkspaceError) in try opening(control, contents) }
        let model = try inspection.start(
            container: nil, dump: "mail.zip", size: Size(width: 80, height: 24), glyphs: .unicode, masking: Masking())
        return (model, inspection)
    }

    /// One that only the password opens; it derives a key first.
    private func locked() throws -> ScriptRunner {
        let (model, inspection) = try start { _, contents in
            .locked(
                Inspection.Locked(kind: "encrypted backup") { password, control throws(WorkspaceError) in
                    do throws(DumpError) { try control.reach(.unlocking, 1, of: 4) } catch { throw .dump(error) }
                    guard password == Self.password else { throw .dump(DumpError("mail.zip", .locked)) }
                    return .open(contents)
                })
        }
        return ScriptRunner(model, on: inspection)
    }

    private func run(_ script: String, on runner: inout ScriptRunner) throws {
        try runner.run(try Script(script))
    }

    @Test("opening says what it is doing and how far it is, and Esc stops it")
    func progress() throws {
        var (model, inspection) = try start { control, contents throws(WorkspaceError) in
            do throws(DumpError) {
                try control.reach(.looking)
                try control.reach(.listing, 3, of: 12)
            } catch {
                throw .cancelled
            }
            return .open(contents)
        }
        let effect = try #require(model.update(.started).first)
        #expect(model.render().text.contains("opening mail.zip…  Esc stops it"))
        let events = ScriptRunner.events(of: effect, on: inspection)
        var shown: [String] = []
        for event in events.dropLast() {
            _ = model.update(event)
            shown.append(model.busy?.label ?? "")
        }
        #expect(shown == ["opening mail.zip: looking", "opening mail.zip: listing, 25 %"])
        #expect(model.update(.terminal(.key(.escape))).contains { $0 is Cancelling })
        var stopped = model
        _ = stopped.update(effect.run(on: inspection, EffectControl(isCancelled: { true })))
        #expect(
            stopped.hasQuit && stopped.failure == .cancelled, "without a dump there is nothing to show, which is said")
        for event in events.suffix(1) { #expect(model.update(event).contains { $0 is Planning }) }
        #expect(model.opened != nil && model.unopened == nil)
    }

    @Test("what is typed while a dump is opening may be a password, and is no key")
    func typedAhead() throws {
        var (model, _) = try start { _, contents in .open(contents) }
        _ = model.update(.started)
        for character in "q:export /x?5 " {
            #expect(model.update(.terminal(.key(.character(character)))).isEmpty)
            #expect(model.prompt == nil && model.page == nil && !model.hasQuit && model.count == nil, "\(character)")
            #expect(model.message?.text.contains("the dump is not open yet") == true)
        }
        _ = model.update(.terminal(.key(.control("c"))))
        #expect(model.hasQuit || model.isLeaving)
    }

    @Test(
        "what a key typed ahead was told, that the dump is not open yet, goes once it is", arguments: ["j", ":app x"])
    func hintOfTypedAhead(typed: String) throws {
        var (model, inspection) = try start { _, contents in .open(contents) }
        let effect = try #require(model.update(.started).first)
        if typed.count > 1 {
            _ = model.chooseApp("x")
        } else {
            _ = model.update(.terminal(.key(.character("j"))))
        }
        #expect(model.message?.text.contains("the dump is not open yet") == true)
        for event in ScriptRunner.events(of: effect, on: inspection) { _ = model.update(event) }
        #expect(model.opened != nil && model.message == nil)
    }

    @Test("a dump that cannot be opened ends the inspector, with the reason")
    func failing() throws {
        let (model, inspection) = try start { _, _ throws(WorkspaceError) in
            throw .dump(DumpError("mail.zip", .notFound))
        }
        let runner = ScriptRunner(model, on: inspection)
        #expect(runner.model.hasQuit && runner.model.failure == .dump(DumpError("mail.zip", .notFound)))
    }

    @Test("a locked dump asks for its password, shows none of it, and opens with the right one")
    func unlocking() throws {
        var runner = try locked()
        try run(
            """
            expect "This dump (encrypted backup) is encrypted."
            expect "password:"
            type wrong
            expect "password: •••••"
            key <Left> <Backspace>
            expect "password: ••••"
            key <Enter>
            expect "mail.zip"
            expect "password:"
            """, on: &runner)
        #expect(runner.model.message?.kind == .refused, "why is said, and the line is there again")
        #expect(runner.model.prompt?.text == "")
        try run("type \(Self.password)", on: &runner)
        #expect(!runner.model.render().text.contains("hunter2"))
        try run("key <Enter>\nexpect \"of 9 steps applied\"", on: &runner)
        #expect(runner.model.unopened == nil && runner.model.opened?.isPlanned == true)
    }

    @Test("Enter on the empty line says so and leaves it: what is typed behind it is no keys; a second one tries it")
    func nothingTyped() throws {
        var runner = try locked()
        try run("expect \"Type it below\"\nkey <Enter>\nexpect \"no password is typed\"", on: &runner)
        #expect(runner.model.prompt?.purpose == .password)
        try run("type \(Self.password)\nkey <Enter>\nexpect \"of 9 steps applied\"", on: &runner)
        var other = try locked()
        try run("key <Enter> <Enter>\nexpect \"mail.zip is encrypted\"", on: &other)
        #expect(other.model.prompt?.purpose == .password)
    }

    @Test("nothing keeps a password: no history, no message, no part of the model once it was given")
    func keepsNothing() throws {
        var runner = try locked()
        try run("type \(Self.password)\nkey <Enter>", on: &runner)
        var text = ""
        dump(runner.model.prompt, to: &text)
        dump(runner.model.message, to: &text)
        dump(runner.model.commandHistory, to: &text)
        dump(runner.model.unopened?.name, to: &text)
        #expect(!text.contains("hunter2"))
        try run("key : <Up> <Up>", on: &runner)
        #expect(runner.model.prompt?.text == "")
        var other = try locked()
        try run("key <Esc>", on: &other)
        #expect(other.model.prompt == nil)
        #expect(
            Unlocking(
                dump: UnopenedDump(name: "x", container: nil), locked: try #require(other.model.unopened?.locked),
                password: Self.password
            ).label == "unlocking x")
    }

    @Test("once the password line is closed no letter is a key, and the screen says what opens it again")
    func closedLine() throws {
        var runner = try locked()
        try run("type te\nkey <Esc>\nexpect \"Enter opens it again\"\nexpect \"Ctrl-C leaves\"", on: &runner)
        // Each of these asks for a text, opens a page or leaves, elsewhere.
        for text in ["e", "q", ":export x", "/st", "&", "?", "T", "w", "f", "M", "5", " "] {
            try run("key \(text.map { $0 == " " ? "<Space>" : "\($0)" }.joined(separator: " "))", on: &runner)
            #expect(runner.model.prompt == nil && runner.model.page == nil && !runner.model.hasQuit, "\(text)")
            #expect(!runner.model.render().text.contains(":export"))
        }
        try run("expect \"the dump is locked; Enter asks for its password\"", on: &runner)
        try run("type \(Self.password)", on: &runner)
        #expect(!runner.model.render().text.contains("hunter2"))
        try run("key <Left>\nexpect \"Enter asks for its password, Ctrl-C leaves\"", on: &runner)
        try run("key <Enter>\ntype \(Self.password)\nkey <Enter>\nexpect \"of 9 steps applied\"", on: &runner)
        var left = try locked()
        try run("key <Esc> <C-c>", on: &left)
        #expect(left.model.hasQuit && left.model.failure == nil)
    }

    @Test("one Backspace too many does not close the password line")
    func backspace() throws {
        var runner = try locked()
        try run("type x\nkey <Backspace> <Backspace>\ntype \(Self.password)\nkey <Enter>", on: &runner)
        #expect(runner.model.opened != nil)
    }

    @Test("while a password is tried Enter opens no line for another, and says what is going on")
    func enterWhileUnlocking() throws {
        var model = try locked().model
        for character in Self.password { _ = model.update(.terminal(.key(.character(character)))) }
        #expect(model.update(.terminal(.key(.enter))).contains { $0 is Unlocking })
        #expect(model.update(.terminal(.key(.enter))).isEmpty && model.prompt == nil)
        #expect(model.message?.text == "still unlocking mail.zip; Esc stops it")
    }

    // MARK: Files that have changed, apps

    @Test("files that have changed are shown soon after opening, by what runs beside the screen")
    func drift() throws {
        let folder = try TemporaryFolder()
        let dump = try folder.copy("notes-legacy.xcappdata"), ledger = folder("state/ledger")
        func inspection() throws -> Inspection {
            Inspection(
                of: try Dump.open(dump),
                options: Inspection.Options(
                    migrations: [RudderStack.migration], facts: .notes, ledger: .file(ledger), stamp: { .test }))
        }
        func start(_ inspection: Inspection) throws -> Model {
            try inspection.start(
                container: nil, size: Size(width: 120, height: 24), glyphs: .unicode, masking: Masking())
        }
        do {
            let inspection = try inspection()
            var runner = ScriptRunner(try start(inspection), on: inspection)
            try run(":apply user-id", on: &runner)
        }
        let plist = dump + "/AppData/Library/Preferences/com.acme.notes.plist"
        let members: Members = ["rs_user_id": .string("u-42"), "rl_session_id": .integer(1_724_990_100)]
        try BinaryPropertyList.write(.dictionary(members)).write(to: URL(fileURLWithPath: plist))
        let again = try inspection()
        let model = try start(again)
        #expect(model.opened?.drift == [] && model.opened?.snapshot.drift == nil, "opening reads no file for it")
        var runner = ScriptRunner(model, on: again)
        try run("expect \"the dump has changed (w)\"\nfails :apply", on: &runner)
        #expect(
            runner.model.message?.text.split(separator: ": ", maxSplits: 1).last.map(String.init)
                == """
                the dump has changed since steps were applied: AppData/Library/Preferences/com.acme.notes.plist has \
                changed. y applies all the same
                """)
        try run("key <Esc>\nfails :export \(folder("out"))", on: &runner)
        #expect(runner.model.message?.text.hasSuffix("has changed. y exports all the same") == true)
        try run("key y", on: &runner)
        #expect(runner.model.message?.text.hasPrefix("exported to") == true, "\(runner.model.message?.text ?? "")")
    }

    @Test(
        "what is drawn because any new value will do is drawn once, also for a spec that asks for it only as it is reloaded"
    )
    func drawnOnce() throws {
        let folder = try TemporaryFolder(), dump = try folder.copy("notes-legacy.xcappdata")
        func spec(_ steps: String) throws -> SpecMigration {
            SpecMigration(
                try Spec(
                    Data(
                        "vestige: migration/1\nid: own\nfacts: {id: {type: uuid, fresh: true}}\nsteps: [\(steps)]\n"
                            .utf8)))
        }
        let address = "defaults://com.acme.notes/"
        let plain = try spec("{id: b, from: \(address)editor.theme, to: \(address)y}")
        let drawing = try spec("{id: a, from: fact/id, to: \(address)x}, {id: b, from: fact/id, to: \(address)y}")
        let inspection = Inspection(
            of: try Dump.open(dump),
            options: Inspection.Options(
                migrations: [plain], facts: Facts(), ledger: .file(folder("ledger")),
                rereading: { Inspection.Reread(migrations: [drawing], changed: ["own.yaml"], problems: []) },
                stamp: { .test }))
        let start = try inspection.start(
            container: nil, size: Size(width: 120, height: 24), glyphs: .unicode, masking: Masking())
        var runner = ScriptRunner(start, on: inspection)
        try run(":reload\nexpect-step a migrates\n:apply a\nexpect-step a applied\n:apply b", on: &runner)
        let made = runner.model.opened?.snapshot.history.standing.flatMap(\.changes).map { $0.after?.string }
        #expect(made?.count == 2 && made?[0] != nil && made?[0] == made?[1], "\(made ?? [])")
        #expect(runner.model.opened?.snapshot.facts["id"]?.source.kind == "ledger")
    }

    @Test(
        "that a file of a migration cannot be used is a warning, also once it is read again, and part of what :spec says"
    )
    func unusable() throws {
        let folder = try TemporaryFolder()
        let wrong = Inspection.UnusableSpec("own.yaml", "11:59: no such type", isKept: false)
        var options = Inspection.Options(
            migrations: [], facts: .notes, ledger: .file(folder("ledger")),
            rereading: { Inspection.Reread(migrations: [], changed: [], problems: [wrong]) }, stamp: { .test })
        options.unusable = [wrong]
        let inspection = Inspection(of: try Dump.open(Places.fixture("notes-legacy.xcappdata")), options: options)
        let start = try inspection.start(
            container: nil, size: Size(width: 120, height: 24), glyphs: .unicode, masking: Masking())
        var runner = ScriptRunner(start, on: inspection)
        try run(
            """
            expect "1 warning (w)"
            key w
            expect "own.yaml is left out: 11:59: no such type."
            key <Esc>
            :spec
            expect "own.yaml is left out: 11:59: no such type."
            key <Esc>
            fails :reload
            expect "own.yaml is left out: 11:59: no such type."
            expect-not "stays"
            expect "1 warning (w)"
            """, on: &runner)
    }

    @Test(
        "what steps take to be absent, as it did not come with the dump, is a warning, and stands in the rows that look there"
    )
    func assumption() throws {
        let folder = try TemporaryFolder(), dump = try folder.copy("notes-legacy.xcappdata")
        try FileManager.default.removeItem(atPath: dump + "/AppData/Documents")
        let text = """
            vestige: migration/1
            id: own
            steps:
              - {id: a, from: defaults://com.acme.notes/editor.theme, type: string, do: [{encode: json}], to: file://Documents/a.json}
              - {id: b, from: defaults://com.acme.notes/editor.theme, to: defaults://com.acme.notes/y}
            """
        let inspection = Inspection(
            of: try Dump.open(dump),
            options: Inspection.Options(
                migrations: [SpecMigration(try Spec(Data(text.utf8)))], facts: .notes, ledger: .file(folder("ledger")),
                stamp: { .test }))
        let start = try inspection.start(
            container: nil, size: Size(width: 120, height: 40), glyphs: .unicode, masking: Masking())
        var runner = ScriptRunner(start, on: inspection)
        try run(
            """
            expect "1 warning (w)"
            expect "The dump lacks AppData/Documents: what steps look for there is taken to be absent"
            key j
            expect-not "The dump lacks"
            key w
            expect "The dump lacks AppData/Documents: what steps look for there is taken to be absent"
            """, on: &runner)
    }

    @Test("a dump that has changed since it was opened is said to have, and Ctrl-R reads it anew")
    func readAnew() throws {
        let folder = try TemporaryFolder()
        let dump = try folder.copy("notes-legacy.xcappdata")
        let inspection = Inspection(
            of: try Dump.open(dump),
            options: Inspection.Options(
                migrations: [RudderStack.migration], facts: .notes, ledger: .file(folder("ledger")), stamp: { .test }))
        let start = try inspection.start(
            container: nil, size: Size(width: 120, height: 30), glyphs: .unicode, masking: Masking())
        var runner = ScriptRunner(start, on: inspection)
        let plist = URL(fileURLWithPath: dump + "/AppData/Library/Preferences/com.acme.notes.plist")
        let members: Members = ["rs_user_id": .string("u-99")]
        try BinaryPropertyList.write(.dictionary(members)).write(to: plist)
        try run(
            """
            expect-value defaults://com.acme.notes/rs_user_id == "u-42"
            fails :apply user-id
            expect "The dump has changed since it was opened"
            expect-not "␊"
            key <C-r>
            expect-value defaults://com.acme.notes/rs_user_id == "u-99"
            :apply user-id
            expect-value defaults://com.acme.notes.analytics.wk/user_id == "u-99"
            """, on: &runner)
        try FileManager.default.removeItem(atPath: dump)
        try run("fails :reload\nexpect \"There is nothing at\"", on: &runner)
        // Nor is another plan made of what happens to be in memory of it.
        try run("key j\nfails :profile sdk-1.1\nexpect \"There is nothing at\"", on: &runner)
        #expect(runner.model.opened?.profile?.id == "documented")
        // Nor is a fact taken.
        let before = runner.model.opened?.snapshot.facts[.uptime]
        try run("fails :fact uptime=5000\nexpect \"There is nothing at\"", on: &runner)
        #expect(runner.model.opened?.snapshot.facts[.uptime] == before && before?.value != "5000")
        #expect(!FileManager.default.fileExists(atPath: folder("ledger.facts")))
    }

    @Test("who leaves is told once of a fact that could not be remembered; one that can be takes it along")
    func leavingWithFacts() throws {
        let folder = try TemporaryFolder()
        let inspection = try Fixtures.inspection(of: "notes-legacy.xcappdata", withFacts: false, ledger: folder)
        let start = try inspection.start(
            container: nil, size: Size(width: 80, height: 24), glyphs: .unicode, masking: Masking())
        var runner = ScriptRunner(start, on: inspection)
        let place = folder("state/ledger.facts")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try run("fails :fact uptime=5000\nexpect \"counts until the inspector is closed\"\nkey q", on: &runner)
        #expect(!runner.model.hasQuit && runner.model.message?.text.contains("not remembered: uptime; q again") == true)
        try FileManager.default.removeItem(atPath: place)
        try run("fails :fact uptime=x\n:fact uptime=6000", on: &runner)
        #expect(try String(contentsOfFile: place, encoding: .utf8).contains("6000"))
        try run("key q", on: &runner)
        #expect(runner.model.hasQuit)
    }

    @Test("Esc while another app is opened leaves the one on screen as it was; what is applied then is applied to it")
    func stoppedOpening() throws {
        func workspace(_ name: String) throws -> MemoryWorkspace {
            try MemoryWorkspace(RudderStack.stores(), facts: .notes, history: []) { ($0.title, $0.path) = (name, name) }
        }
        let first = try workspace("first"), second = try workspace("second")
        let inspection = Inspection(
            options: Inspection.Options(
                migrations: [RudderStack.migration], facts: .notes, ledger: .file("/nowhere"), stamp: { .test })
        ) { path in path == "second" ? second : first }
        var model = try inspection.start(
            container: "first", size: Size(width: 80, height: 24), glyphs: .unicode, masking: Masking())
        func send(_ event: Event) {
            for effect in model.update(event) { ScriptRunner.events(of: effect, on: inspection).forEach(send) }
        }
        send(.started)
        let opening = Opening(path: "second", name: "second")
        for moment in 1...4 {
            let asked = Mutex(0)
            let control = EffectControl(isCancelled: {
                asked.withLock {
                    $0 += 1
                    return $0 >= moment
                }
            })
            send(opening.run(on: inspection, control))
            #expect(asked.withLock { $0 } >= moment && model.opened?.snapshot.title == "first")
        }
        send(.terminal(.key(.character("a"))))
        #expect(model.opened?.snapshot.title == "first" && model.opened?.plan?.appliedCount == 1)
        #expect(first.snapshot.history.standing.count == 1 && second.snapshot.history.standing.isEmpty)
        send(opening.run(on: inspection))
        send(.terminal(.key(.character("A"))))
        #expect(model.opened?.snapshot.title == "second")
        #expect(first.snapshot.history.standing.count == 1 && second.snapshot.history.standing.count > 1)
    }

    @Test("two containers of one identifier are listed by their paths, open by them, and the header says which")
    func twins() throws {
        let folder = try TemporaryFolder()
        let device = try folder.copy("simulator"), apps = device + "/data/Containers/Data/Application/"
        let first = "4F1D2C3B-0A59-4C6E-8B7D-1E2F3A4B5C6D", second = "00000000-0A59-4C6E-8B7D-1E2F3A4B5C6D"
        try FileManager.default.copyItem(atPath: apps + first, toPath: apps + second)
        let dump = try Dump.open(device)
        let identifier = try #require(dump.containers.first { $0.path.text.hasSuffix(first) }?.identifier)
        let inspection = Inspection(
            of: dump,
            options: Inspection.Options(
                migrations: [RudderStack.migration], facts: Facts(), ledger: .file(folder("ledger")), stamp: { .test }))
        let start = try inspection.start(
            container: nil, size: Size(width: 160, height: 24), glyphs: .unicode, masking: Masking())
        var runner = ScriptRunner(start, on: inspection)
        let place = "data/Containers/Data/Application/"
        try run(
            """
            expect "\(place + second)"
            key j
            expect "\(place + first)"
            fails :app \(identifier)
            expect "several containers are called “\(identifier)”"
            :app \(place + second)
            expect "Vestige  \(place + second)"
            key <Esc>
            :app \(place + first)
            expect "Vestige  \(place + first)"
            """, on: &runner)
    }

    @Test("a dump that was found below what was named says where, above its apps and in one of them")
    func foundBelow() throws {
        let folder = try TemporaryFolder(), state = try TemporaryFolder()
        _ = try folder.copy("simulator")
        let dump = try Dump.open(folder("")), app = try #require(dump.containers.first { $0.kind == .app })
        let inspection = Inspection(
            of: dump,
            options: Inspection.Options(
                migrations: [], facts: Facts(), ledger: .file(state("ledger")), stamp: { .test }))
        let start = try inspection.start(
            container: nil, size: Size(width: 160, height: 24), glyphs: .unicode, masking: Masking())
        var runner = ScriptRunner(start, on: inspection)
        try run(
            """
            expect "simulator at simulator"
            :app \(app.identifier)
            expect "Vestige  \(app.identifier)"
            expect "simulator at simulator"
            """, on: &runner)
    }
}
