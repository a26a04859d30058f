import MigrationEngine
import StoreFormats
import Testing
import Workspace

@testable import Inspector

@Suite("The header and the footer")
struct HeaderAndFooterTests: DrawnScreens {
    @Test("what waits only for a name is counted by what will become of it, and is no more secret than with the name")
    func waitingForName() throws {
        let size = Size(width: 120, height: 40)
        let known = try Inspected(RudderStack.stores(), size: size)
        let waiting = try Inspected(RudderStack.stores(), facts: .notes.without(.writeKey), size: size)
        #expect(lines(waiting)[0] == lines(known)[0] && lines(known)[0].contains("1 dropped"))
        #expect(lines(waiting)[1].contains("blocked"))
        #expect(waiting.screen.contains("session_id  \"17"), "\(waiting.screen)")
    }

    @Test("the footer shows what can be done now, and nothing else")
    func footer() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.uptime))
        func footer() -> String { lines(inspected).last ?? "" }
        #expect(footer().contains("f fact") && !footer().contains("u roll back") && !footer().contains("s apply"))
        inspected.press("A")
        #expect(footer().contains("u roll back") && !footer().contains("a apply"))
        inspected.command("fact uptime=10000")
        inspected.go(to: "last-activity-time")
        inspected.press("<Space> g")
        #expect(
            !footer().contains("f fact") && footer().contains("a apply next")
                && footer().contains("s apply selected"))
        inspected.press(":")
        #expect(footer() == "Enter runs · Esc cancels · Tab completes")
    }

    @Test("what a person must know of the dump is in the header at 80 columns, however long its details are")
    func header() throws {
        var inspected = try Inspected(RudderStack.stores()) {
            $0.details = ["2.3.1", "xcappdata", "taken 2024-08-30 06:39.58.214 in a long story of its own"]
            $0.drift = [Drift("x", .changed)]
            $0.readOnlyReason = "another program has it"
        }
        inspected.press("v")
        let frame = inspected.model.render()
        #expect(frame.rows[0].contains("dump changed (w) · read-only · secrets shown"))
        #expect(frame.shows("dump changed", styled: "problem") && frame.shows("secrets shown", styled: "warning"))
    }

    @Test("steps that stand of a migration that nobody has given are told in the header and among the warnings")
    func foreign() throws {
        var given = try Inspected(RudderStack.stores())
        given.press("a a")
        let history = given.workspace.snapshot.history.entries
        var inspected = try Inspected(RudderStack.stores(), migrations: [], history: history)
        #expect(inspected.screen.contains("2 steps applied by a spec that is not given (w)"), "\(inspected.screen)")
        inspected.press("w")
        #expect(inspected.screen.contains("2 steps of the migration rudderstack-v2 are applied"), "\(inspected.screen)")
    }

    @Test("the counts name every kind of step, at 80 columns by its sign", arguments: [80, 120])
    func counts(width: Int) throws {
        let inspected = try Inspected(
            RudderStack.stores(migrated: ["user_id": .string("else"), "session_id": .string("1724990100")]),
            facts: .notes.without(.uptime), size: Size(width: width, height: 24))
        let line = inspected.model.render().rows[1]
        let said =
            width == 80
            ? "0 of 9 steps applied · 1! 1? 5→ 1="
            : "0 of 9 steps applied · 1 in conflict · 1 blocked · 5 to apply · 1 unchanged"
        #expect(line.contains(said), "\(line)")
    }

    @Test("a key of the footer stays in its column as the cursor moves from row to row", arguments: [120, 200])
    func stableFooter(width: Int) throws {
        var inspected = try Inspected(
            RudderStack.stores(), facts: .notes.without(.uptime), size: Size(width: width, height: 40))
        inspected.press("g")
        var columns: [String: Set<Int>] = [:], rows = 0
        while true {
            for x in 0..<width {
                let key = FooterView.key(at: x, inspected.model)
                guard let key, FooterView.key(at: x - 1, inspected.model) != key else { continue }
                columns[key.notation, default: []].insert(x)
            }
            let row = inspected.opened?.cursor
            inspected.press("j")
            rows += 1
            guard inspected.opened?.cursor != row else { break }
        }
        #expect(rows > 10 && columns["a"] != nil && columns["f"] != nil)
        for (key, places) in columns { #expect(places.count == 1, "\(key) stands in \(places.sorted())") }
    }

    @Test(
        "the header begins with what people call the app and its version, and its identifier stands behind the counts")
    func name() throws {
        let inspected = try Inspected(RudderStack.stores()) {
            $0.name = "Acme Notes 2.3.1"
            $0.details = ["xcappdata"]
        }
        let line = lines(inspected)[0]
        #expect(line == "Vestige  Acme Notes 2.3.1 · values: 2→ 3⇢ 3≠ 1⌫ · 2 untouched · com.acme.notes", "\(line)")
    }
}
