import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import Reports
import TestSupport
import Testing
import Workspace

@testable import Inspector

/// Whole sessions on a dump of the disk, with the effects beside them as in a terminal: anything is pressed, typed, pasted and
/// clicked at any moment, also while something runs.
///
/// `VESTIGE_EVENTS` sets how many events there are, `VESTIGE_SEED` the first seed, which is printed with what went wrong.
@Suite("Random sessions")
struct RandomSessionTests {
    private static let dumps = [
        "notes-legacy.xcappdata", "shop-healthy.xcappdata", "notes-troubled.xcappdata", "sdk-segment.xcappdata",
        "simulator",
    ]

    private static let sizes = [(1, 1), (20, 5), (40, 10), (60, 14), (80, 24), (80, 24), (120, 40), (200, 50)]

    private static let keys: [Key] =
        Action.all.flatMap(\.keys) + Action.moving.flatMap(\.keys)
        + "0123456789 xyzé\u{301}\u{202E}👩:=".map(Key.character)
        + [.enter, .enter, .escape, .escape, .tab, .backspace, .control("w"), .control("u"), .up, .down]

    private static let commands = [
        "apply all", "apply", "rollback all", "rollback", "profile", "migration", "fact now=1725000000", "fact now=",
        "search e",
        "filter problems", "filter a", "filter", "export out", "export! out", "export --unpacked out2", "report out.md",
        "compare DUMP", "difference dump", "at dump", "at now", "what-if now=1", "reload", "app", "spec", "mark",
        "copy value",
        "divider 40", "view tree", "warnings", "history",
    ]

    /// One session.
    private struct Session {
        var model: Model
        let queue: EffectQueue

        init(_ dump: String, _ folder: TemporaryFolder, _ size: Size) throws {
            let inspection = Inspection(
                of: try Dump.open(dump),
                options: Inspection.Options(
                    migrations: BuiltIn.migrations, facts: Facts(), ledger: .file(folder("ledger")),
                    namingOther: { path in
                        Inspection.OtherDump(path) { _ throws(WorkspaceError) in
                            do throws(DumpError) { return try Dump.open(path) } catch { throw .dump(error) }
                        }
                    }, stamp: { .test }))
            queue = EffectQueue(inspection) {}
            model = try inspection.start(container: nil, size: size, glyphs: .unicode, masking: Masking())
            send(.terminal(.resize(size)))
            send(.started)
        }

        mutating func send(_ event: Event) {
            for effect in model.update(event) { queue.start(effect) }
        }

        /// Takes in what has been done so far, or all that is being done for the person.
        mutating func takeIn(all: Bool) {
            repeat {
                _ = queue.waitForEvents()
                for event in queue.take() where !model.hasQuit { send(event) }
                if all, model.busy != nil { sched_yield() }
            } while all && model.busy != nil && !model.hasQuit
        }

        mutating func press(_ key: Key) {
            // What is written is named with the folder of the test: any other name would be beside whoever runs it.
            let isNamed = model.prompt?.purpose != .command || model.prompt?.text.contains(" /") == true
            let writes = ["e", "r"].contains { model.prompt?.text.hasPrefix($0) == true }
            send(.terminal(.key(key == .enter && writes && !isNamed ? .escape : key)))
        }

        mutating func type(_ text: String) { for character in text { press(.character(character)) } }
    }

    @Test(
        "nothing traps, no row is wider or narrower than the screen, Esc reaches the first screen, and nothing is left behind"
    )
    func sessions() throws {
        let environment = ProcessInfo.processInfo.environment
        let total = environment["VESTIGE_EVENTS"].flatMap(Int.init) ?? 400
        var seed = environment["VESTIGE_SEED"].flatMap(UInt64.init) ?? 1, done = 0
        while done < total {
            let fixture = Self.dumps[Int(seed % UInt64(Self.dumps.count))]
            done += try run(seed, on: fixture, most: min(total - done, total > 1000 ? 500 : 80))
            if total > 1000 { print("seed \(seed), \(fixture): \(done) events") }
            seed += 1
        }
    }

    private func run(_ seed: UInt64, on fixture: String, most: Int) throws -> Int {
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder(), dump = try folder.copy(fixture), before = try Tree(dump)
        var session = try Session(dump, folder, Size(width: 80, height: 24)), events = 0
        while events < most, !session.model.hasQuit {
            events += 1
            switch Int.random(in: 0..<30, using: &random) {
            case 0:
                let (width, height) = Self.sizes.randomElement(using: &random) ?? (80, 24)
                session.send(.terminal(.resize(Size(width: width, height: height))))
            case 1, 2:
                let command = (Self.commands.randomElement(using: &random) ?? "")
                    .replacing("out", with: folder("out")).replacing("DUMP", with: dump)
                session.type(":" + command)
                session.press(.enter)
            case 3: session.send(.terminal(.paste("a\u{1B}[2Jq\n:quit\n")))
            case 4, 5:
                let size = session.model.size
                let place = Position(
                    x: Int.random(in: 0..<max(1, size.width), using: &random),
                    y: Int.random(in: 0..<max(1, size.height), using: &random))
                session.send(.terminal(.mouse(MouseAction.allCases.randomElement(using: &random) ?? .press, place)))
            case 6: session.takeIn(all: true)
            default: session.press(Self.keys.randomElement(using: &random) ?? .enter)
            }
            if Bool.random(using: &random) { session.takeIn(all: false) }
            if events % 3 == 0 { check(session.model, seed, events) }
            if events % 40 == 0 { escape(&session, seed, events) }
        }
        if !session.model.leavesAtOnce { session.queue.close() }
        // Who leaves at once does not wait; the test does.
        session.queue.close()
        // Anything may have been typed behind the name of a folder; what is being built has a hidden name that ends with a
        // number, and where a file system has no attributes a hidden file lists what an export has written.
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { name in
            name != fixture && !name.hasPrefix("ledger") && !name.hasPrefix("out")
                && !(name.hasPrefix(".out") && name.hasSuffix(".vestige-export"))
        }
        #expect(left == [], "seed \(seed)")
        #expect(try Tree(dump).differences(from: before) == [], "seed \(seed)")
        return events
    }

    /// Every row is as wide as the screen.
    private func check(_ model: Model, _ seed: UInt64, _ events: Int) {
        let frame = model.render()
        #expect(frame.size == model.size, "seed \(seed), event \(events)")
        for y in 0..<frame.size.height {
            let columns = (0..<frame.size.width).reduce(0) { $0 + Int(frame[$1, y]?.columns ?? 0) }
            if columns != frame.size.width {
                Issue.record("seed \(seed), event \(events): row \(y) has \(columns) columns")
            }
        }
    }

    /// Esc, pressed often enough, leads to where nothing is over the list and nothing is asked, filtered or unfolded.
    private func escape(_ session: inout Session, _ seed: UInt64, _ events: Int) {
        for _ in 0..<60 where !session.model.hasQuit {
            session.press(.escape)
            session.takeIn(all: true)
        }
        guard !session.model.hasQuit else { return }
        let model = session.model
        let isFirst =
            model.page == nil && model.prompt == nil && model.question == nil
            && (model.apps == nil
                ? model.opened?.focus == .sheet && model.opened?.filtering == nil : model.opened == nil)
        #expect(isFirst, "seed \(seed), event \(events): \(model.render().text)")
    }
}
