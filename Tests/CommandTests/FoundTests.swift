import Foundation
import Testing

/// What a step finds lost, or changed in meaning, in every answer that tells of it.
@Suite("What a step has found lost or changed")
struct FoundTests {
    private static let dump = Places.fixture("notes-legacy.xcappdata")

    /// A spec whose steps find their targets made, one of them with another meaning, and only take their sources away.
    private static func spec(_ steps: String, in scratch: Scratch) throws -> [String] {
        let text = """
            vestige: migration/1
            id: made
            title: Made already
            apps: [com.acme.notes]
            stores:
              app: defaults://com.acme.notes
            steps:
            \(steps)
            """
        try text.write(toFile: scratch("made.yaml"), atomically: true, encoding: .utf8)
        return ["--spec", scratch("made.yaml")]
    }

    private static let inverted = """
          - {id: inv, title: Inv, from: app/rl_session_auto_track_status, type: bool, do: [not],
             to: app/rl_session_stopped_status, source: remove}
        """

    @Test("Plan, status, the report's problems and a comparison tell it, before the step is applied and after")
    func told() throws {
        let scratch = try Scratch(), spec = try Self.spec(Self.inverted, in: scratch)
        func run(_ arguments: String...) throws -> String {
            try Program.run(arguments + ["-m", "made"] + spec, in: scratch).text
        }
        let phrase = "has changed what 1 value means"
        for word in ["migrates", "applied"] {
            #expect(try run("plan", Self.dump).contains("Inv                   \(word), \(phrase)"), "\(word)")
            let status = try Program.run(["status", Self.dump] + spec, in: scratch).text
            #expect(status.contains("\(word), \(phrase)"), "\(status)")
            let report = try run("report", Self.dump)
            #expect(report.contains("≠ Inv (made, step inv) \(phrase): "), "\(report)")
            if word == "migrates" {
                #expect(try Program.run(["apply", Self.dump, "--all", "-m", "made"] + spec, in: scratch).code == 0)
            }
        }
        let json = try Program.run(["status", Self.dump, "--json"] + spec, in: scratch)
        let made = try #require(
            try Answer(json.output).objects("migrations").first { $0["migration"] as? String == "made" })
        let step = try #require((made["steps"] as? [[String: Any]])?.first)
        #expect((step["effects"] as? [String: Int])?["changed"] == 1, "\(step)")
        #expect(try Program.run(["export", Self.dump, "--to", scratch("out")] + spec, in: scratch).code == 0)
        let compared = try run("compare", Self.dump, scratch("out"))
        #expect(compared.contains("≠ Inv: \(phrase): "), "\(compared)")
    }

    @Test("The report says of the dump only what the dump has, and of what applied steps have made that they have")
    func whose() throws {
        let scratch = try Scratch()
        let own = try Self.spec(
            "  - {id: own, title: Own, from: app/rl_session_auto_track_status, type: bool, to: app/both}", in: scratch)
        let other = own[1].replacing("made.yaml", with: "other.yaml")
        try String(contentsOfFile: own[1], encoding: .utf8).replacing("id: made", with: "id: other")
            .replacing("id: own, title: Own,", with: "id: inv, title: Inv,")
            .replacing("to: app/both", with: "do: [not], to: app/both")
            .replacing("rl_session_auto_track_status", with: "rl_session_manual_track_status")
            .write(toFile: other, atomically: true, encoding: .utf8)
        let specs = own + ["--spec", other]
        #expect(try Program.run(["apply", Self.dump, "--all", "-m", "made"] + specs, in: scratch).code == 0)
        let report = try Program.run(["report", Self.dump, "-m", "other"] + specs, in: scratch).text
        #expect(report.contains("Inv (other, step inv) has changed what 1 value means"), "\(report)")
        #expect(report.contains("with what the applied steps have made"), "\(report)")
        #expect(!report.contains("when the dump was taken"), "\(report)")
        let fresh = try Scratch(), found = try Self.spec(Self.inverted, in: fresh)
        let ofDump = try Program.run(["report", Self.dump, "-m", "made"] + found, in: fresh).text
        #expect(ofDump.contains("That was so when the dump was taken"), "\(ofDump)")
        #expect(!ofDump.contains("the applied steps have made"), "\(ofDump)")
    }

    @Test("A key that a step only takes away has its row in the report, beside what stands in its place")
    func rows() throws {
        let scratch = try Scratch()
        let steps = "  - {id: theme, from: app/rl_session_auto_track_status, to: app/onboarding.done, source: remove}"
        let spec = try Self.spec(steps, in: scratch)
        for _ in 0..<2 {
            let report = try Program.run(["report", Self.dump, "-m", "made"] + spec, in: scratch).text
            #expect(
                report.contains(/rl_session_auto_track_status +true +there already +onboarding\.done +true/),
                "\(report)")
            #expect(report.contains("1 there already"))
            #expect(try Program.run(["apply", Self.dump, "--all", "-m", "made"] + spec, in: scratch).code == 0)
        }
    }

    @Test("Of several sources of a step in conflict that one counts whose value is kept out")
    func conflict() throws {
        let scratch = try Scratch()
        let steps = "  - {id: user, from: [app/rs_user_id, app/editor.theme], type: string, to: app/sessionToken}"
        let spec = try Self.spec(steps, in: scratch)
        let report = try Program.run(["report", Self.dump, "-m", "made"] + spec, in: scratch).text
        #expect(report.contains("values: 1 in conflict"), "\(report)")
    }

    /// The report on a copy of the dump with some more entries, after some commands.
    private func report(_ steps: String, _ entries: [String: Any], after commands: [String] = []) throws -> String {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        for (key, value) in entries { try scratch.set(key, to: value, in: dump) }
        let spec = try Self.spec(steps, in: scratch)
        for command in commands {
            _ = try Program.run([command, dump, "--all", "-m", "made"] + spec, in: scratch)
        }
        return try Program.run(["report", dump, "-m", "made"] + spec, in: scratch).text
    }

    @Test(
        "Of a star the report has a row for each value, also for one that is there already beside others that are not")
    func starRows() throws {
        let entries = ["f.a": "Alder", "g.a": "Alder", "f.b": "Birch", "g.b": "Beech", "f.c": "Cedar"]
        for commands in [[], ["apply"]] {
            let text = try report("  - {id: r, from: app/f.*, to: app/g.*}", entries, after: commands)
            #expect(text.contains(/f\.a +"Alder" +there already +g\.a +"Alder"/), "\(text)")
            #expect(text.contains(/f\.b +"Birch" +in conflict/), "\(text)")
            #expect(text.contains(/f\.c +"Cedar" +carried +g\.c +"Cedar"/), "\(text)")
        }
    }

    @Test("Rows that the report leaves out are counted, and not the values that they tell of")
    func rowsLeftOut() throws {
        let entries = Dictionary(uniqueKeysWithValues: (0..<150).flatMap { [("f.\($0)", "x"), ("h.\($0)", "y")] })
        let text = try report("  - {id: r, from: {a: app/f.*, b: app/h.*}, to: app/g.*}", entries)
        #expect(text.contains("and 100 more, which the steps tell"), "\(text.suffix(4000))")
    }

    @Test("What an applied removal has taken away was there already, as its rows say")
    func takenAway() throws {
        let text = try report(
            """
              - {id: r, from: app/a, to: app/t}
              - {id: rm, remove: every source}
            """, ["a": "Alder", "t": "Alder"], after: ["apply"])
        #expect(text.contains(/\ba +"Alder" +there already +t +"Alder"/), "\(text)")
        #expect(!text.contains(/\ba +"Alder" +skipped/), "\(text)")
    }

    @Test(
        "What a condition keeps a step from is skipped also once a removal has taken it away: nothing stands there already"
    )
    func skippedBeforeRemoval() throws {
        let text = try report(
            """
              - {id: r, from: app/a, if: [value is "Beech"], to: app/t}
              - {id: s, from: app/a, to: app/u}
              - {id: rm, remove: [app/a]}
            """, ["a": "Alder", "u": "Alder"], after: ["apply"])
        #expect(text.contains(/\ba +"Alder" +there already +u +"Alder"/), "\(text)")
        #expect(!text.contains(/\ba +"Alder" +there already *\n/) && text.contains(/\ba +"Alder" +skipped/), "\(text)")
        // Nor does something else that stands where it would have gone.
        let other = try report(
            """
              - {id: r, from: app/a, if: [value is "Beech"], to: app/t}
              - {id: s, from: app/a, to: app/u}
              - {id: rm, remove: [app/a], unmigrated: remove}
            """, ["a": "Alder", "u": "Alder", "t": "Oak"], after: ["apply"])
        #expect(other.contains(/\ba +"Alder" +skipped +t +"Oak"/), "\(other)")
    }

    @Test("What stands beside a secret is masked in a plan and in a report as on the screen")
    func masked() throws {
        let scratch = try Scratch()
        let steps = "  - {id: user, from: app/rl_session_id, type: integer, do: [text], to: app/sessionToken}"
        let spec = try Self.spec(steps, in: scratch)
        for command in ["plan", "report"] {
            let text = try Program.run([command, Self.dump, "-m", "made"] + spec, in: scratch).text
            #expect(text.contains("sessionToken") && !text.contains("1724990100"), "\(text)")
        }
    }
}
