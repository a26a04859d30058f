import Foundation
import Testing

@Suite("The report for a ticket")
struct ReportCommandTests {
    @Test("-m reports on one migration, in the profile named, also where it is not the first that applies")
    func oneMigration() throws {
        let scratch = try Scratch(), legacy = Places.fixture("notes-legacy.xcappdata")
        func report(_ options: String...) throws -> Program.Run {
            try Program.run(["report", legacy, "--facts", Places.fixture("facts.json")] + options, in: scratch)
        }
        let all = try report(), one = try report("-m", "rudderstack-v2:sdk-1.2"), other = try report("-m", "person")
        #expect(all.text.contains("rudderstack-v2:documented"), "\(all.text)")
        #expect(one.text.contains("rudderstack-v2:sdk-1.2") && !one.text.contains("documented"), "\(one.text)")
        #expect(!other.text.contains("rudderstack-v2:"), "\(other.text)")
        #expect(try report("-m", "nothing").code == 64)
        #expect(try report("-m", "rudderstack-v2:nothing").errors.contains("sdk-1.1"))
    }

    @Test("What a step fails on and another one takes away is said to be so, and stands in one row")
    func takenAway() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-traits-json.xcappdata")
        let options = [
            "-m", "rudderstack-v2:sdk-1.1", "--workspace", scratch("ledger"), "--fact", "uptime=5000",
            "--fact", "identifierForVendor=9B574574-74A7-4EDF-969D-164CB151B6C3",
        ]
        for verb in ["takes", "has taken"] {
            let text = try Program.run(["report", dump] + options, in: scratch).text
            #expect(text.contains("The step remove-legacy \(verb) away what Traits fails on"), "\(text)")
            #expect(!text.contains("stays in the dump as it is"), "\(text)")
            let rows = text.split(separator: "\n").filter { $0.contains(/^ *rs_traits +JSON/) }
            #expect(rows.count == 1 && rows.allSatisfy { $0.contains("failed, dropped") }, "\(rows)")
            _ = try Program.run(["apply", dump, "--all", "--assume"] + options, in: scratch)
        }
    }

    /// The report on a spec of a few steps, of a dump with a few entries more, before its steps are applied or after.
    private func report(_ steps: String, _ entries: [String: Any], isApplied: Bool = false) throws -> String {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        for (key, value) in entries { try scratch.set(key, to: value, in: dump) }
        let text = """
            vestige: migration/1
            id: own
            title: Own
            apps: [com.acme.notes]
            stores: {app: defaults://com.acme.notes}
            steps:
            \(steps)
            """
        try scratch.write("own.yaml", Data(text.utf8))
        let options = [dump, "-m", "own", "--spec", scratch("own.yaml"), "--workspace", scratch("ledger")]
        if isApplied { #expect(try Program.run(["apply", "--all"] + options, in: scratch).code == 0) }
        return try Program.run(["report"] + options, in: scratch).text
    }

    private static let stays = "is not taken on, and stays in the dump as it is"

    @Test("Where a step fails on several sources, that which another one takes away is said to be a part of it")
    func partTakenAway() throws {
        let text = try report(
            """
              - {id: both, title: Both, from: {a: app/x, b: app/y}, do: [{in: {a: [number]}}], to: {a: app/p, b: app/q}}
              - {id: cut, title: Cut, remove: [app/y], unmigrated: remove}
            """, ["x": "seven", "y": "yy"])
        #expect(text.contains("The step cut takes away a part of what Both fails on"), "\(text)")
        #expect(text.contains("What else fails \(Self.stays)"), "\(text)")
    }

    @Test("What another step takes away of what fails is no more said to stay: a part of an entry, and each of a star")
    func partsTakenAway() throws {
        let part = try report(
            """
              - {id: nick, title: Nick, from: app/account#/nick, type: string, do: [number], to: app/nick}
              - {id: cut, title: Cut, remove: [app/account#/nick], unmigrated: remove}
            """, ["account": ["nick": "ninety", "theme": "sea"]])
        #expect(part.contains("The step cut takes away what Nick fails on") && !part.contains(Self.stays), "\(part)")
        let removed = "  - {id: cut, title: Cut, remove: [app/f.*], unmigrated: remove}"
        let star = "  - {id: stars, title: Stars, from: app/f.*, type: string, do: [number], to: app/g.*}\n"
        let all = try report(star + removed, ["f.a": "y", "f.b": "x"])
        #expect(all.contains("The step cut takes away what Stars fails on") && !all.contains(Self.stays), "\(all)")
        let one = try report(star + removed.replacing("f.*]", with: "f.a]"), ["f.a": "y", "f.b": "x"])
        #expect(one.contains("The step cut takes away a part of what Stars fails on"), "\(one)")
        #expect(one.contains("What else fails \(Self.stays)"), "\(one)")
    }

    /// The rows of the table of keys of an own spec.
    private func rows(_ steps: String, _ entries: [String: Any], isApplied: Bool = false) throws -> [String] {
        let lines = try report(steps, entries, isApplied: isApplied).components(separatedBy: "\n")
        let title = try #require(lines.firstIndex { $0.contains(/key +value +effect/) })
        return lines[(title + 1)...].prefix { !$0.isEmpty }.map {
            $0.split(separator: " ").joined(separator: " ")
        }
    }

    @Test("Each value has one row of the table, whatever leaves it and takes it away, and a title of a step has none")
    func oneRow() throws {
        let star = "  - {id: stars, title: Stars, from: app/f.*, type: string, do: [number], to: app/g.*}\n"
        let removed = "  - {id: cut, title: Cut, remove: [app/f.*], unmigrated: remove}"
        #expect(
            try rows(star + removed, ["f.a": "y", "f.b": "x"]) == [
                #"f.a "y" failed, dropped"#, #"f.b "x" failed, dropped"#,
            ])
        #expect(try rows(star, ["f.a": "y", "f.b": "x"]) == [#"f.a "y" failed"#, #"f.b "x" failed"#])
        let mixed = try rows(star + removed, ["f.a": "1", "f.b": "x"])
        #expect(mixed.count { $0.hasPrefix("f.b ") } == 1 && mixed.contains(#"f.b "x" failed, dropped"#), "\(mixed)")
        let part = try rows(
            """
              - {id: nick, title: Nick, from: app/account#/nick, type: string, do: [number], to: app/nick}
              - {id: cut, title: Cut, remove: [app/account#/nick], unmigrated: remove}
            """, ["account": ["nick": "ninety", "theme": "sea"]])
        #expect(part.contains(#"account#/nick "ninety" failed, dropped"#), "\(part)")
        #expect(!part.contains { $0.hasPrefix("account {") && $0.contains("failed") }, "\(part)")
    }

    @Test("Of a target that several sources make each has its row, whether it goes on or is in conflict")
    func severalSources() throws {
        let full = #"  - {id: full, from: {a: app/n1, b: app/n2}, do: [{fill: "{a} {b}"}], to: app/full}"#
        #expect(
            try rows(full, ["n1": "Ada", "n2": "King"]) == [
                #"n1 "Ada" converted full "Ada King""#, #"n2 "King" converted full "Ada King""#,
            ])
        #expect(
            try rows(full, ["n1": "Ada", "n2": "King", "full": "Ann"]) == [
                #"n1 "Ada" conflict full "Ada King" (holds "Ann")"#,
                #"n2 "King" conflict full "Ada King" (holds "Ann")"#,
            ])
    }

    @Test("Masked values that differ are told as different: what would be written, and what stands in its place")
    func anotherMasked() throws {
        let step = "  - {id: move, from: app/authToken, to: app/sessionToken}"
        #expect(
            try rows(step, ["authToken": "hunter2horse", "sessionToken": "grey5elephnt"]) == [
                "authToken ‹masked string, 12 characters› conflict sessionToken ‹masked string, 12 characters› "
                    + "(holds ‹another masked string, 12 characters›)"
            ])
    }

    @Test("What a step has written over, or changed where it stands, is told with what it was, also when it is applied")
    func formerValues() throws {
        for isApplied in [false, true] {
            let over = try rows(
                "  - {id: over, from: app/f, to: app/n, exists: overwrite}", ["f": "A", "n": "old"],
                isApplied: isApplied)
            #expect(over == [#"f "A" carried n "A""#, #"n "old" dropped"#])
            let own = try rows(
                "  - {id: own, from: app/n, type: string, do: [number]}", ["n": "7"], isApplied: isApplied)
            #expect(own == [#"n "7" converted n 7"#])
        }
    }
}
