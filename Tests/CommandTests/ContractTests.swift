import Foundation
import Testing

@Suite("The contract of the command line")
struct ContractTests {
    static let legacy = Places.fixture("notes-legacy.xcappdata")
    static let facts = ["--facts", Places.facts]
    static let migration = ["-m", "rudderstack-v2"]

    /// A day in the life of a workspace: what is typed, the exit code, and the format of the JSON form.
    static let day: [(arguments: [String], code: Int32, format: String)] = [
        (["inspect", legacy], 0, "inspect"),
        (["show", legacy, "defaults://com.acme.notes"], 0, "show"),
        (["show", legacy, "defaults://com.acme.notes/rs_traits#/age"], 0, "show"),
        (["migrations"], 0, "migrations"),
        (["migrations", "rudderstack-v2:sdk-1.2"], 0, "migrations"),
        (["plan", legacy] + facts, 2, "plans"),
        (["plan", legacy] + facts + migration, 2, "plan"),
        (["status", legacy] + facts, 2, "status"),
        (["log", legacy], 0, "log"),
        (["report", legacy] + facts, 2, "report"),
        (["rollback", legacy, "--all"], 0, "rollback"),
        (["apply", legacy, "--next"] + facts + migration, 0, "apply"),
        (["apply", legacy, "--step", "traits", "--step", "app-build"] + facts + migration, 0, "apply"),
        (["status", legacy] + facts, 2, "status"),
        (["rollback", legacy, "--last"], 0, "rollback"),
        (["apply", legacy, "--all"] + facts + migration, 0, "apply"),
        (["plan", legacy] + facts, 0, "plans"),
        (["plan", legacy] + facts + migration, 0, "plan"),
        (["status", legacy] + facts, 0, "status"),
        (["apply", legacy, "--all"] + facts + migration, 0, "apply"),
        (["rollback", legacy, "--to", "user-id"], 0, "rollback"),
        (["log", legacy], 0, "log"),
        (["verify", legacy], 0, "verify"),
        (["export", legacy, "--to", "OUT"], 0, "export"),
        (["compare", legacy, "OUT"], 0, "compare"),
    ]

    @Test("With --json every subcommand answers with one JSON object of its format, and says nothing else")
    func json() throws {
        let scratch = try Scratch()
        for step in Self.day {
            let arguments = step.arguments.map { $0 == "OUT" ? scratch("out") : $0 }
            let run = try Program.run(arguments + ["--json"], in: scratch)
            #expect(run.code == step.code, "\(arguments) \(run.errors)")
            #expect(run.errors == "", "\(arguments)")
            #expect(try Answer(run.output).format == "vestige.\(step.format)/1", "\(arguments)")
            #expect(run.text.hasSuffix("\n}\n") && run.text.hasPrefix("{\n"), "\(arguments)")
        }
    }

    @Test("Without --json the same exit codes, text on standard output, and nothing on standard error")
    func text() throws {
        let scratch = try Scratch()
        for step in Self.day {
            let arguments = step.arguments.map { $0 == "OUT" ? scratch("out") : $0 }
            let run = try Program.run(arguments, in: scratch)
            #expect(run.code == step.code, "\(arguments) \(run.errors)")
            #expect(run.errors == "", "\(arguments)")
            #expect(run.text.hasSuffix("\n") && !run.text.hasPrefix("{"), "\(arguments)")
        }
    }

    @Test("A plan has the form of the contract, field for field")
    func plan() throws {
        let scratch = try Scratch()
        let run = try Program.run(["plan", Self.legacy, "--json"] + Self.facts + Self.migration, in: scratch)
        try Expected.expect(run.text, is: "plan-notes-legacy.json")
        let plan = try Answer(run.output)
        #expect(
            plan.content.keys.sorted() == [
                "departures", "drift", "dump", "effects", "facts", "fingerprint", "format", "migration", "profile",
                "steps",
                "summary",
            ])
        #expect(plan.objects("steps").count == 9)
        // `conflict` and `placeholders` are more than the design's example has; fields may be added.
        let fields = ["changes", "conflict", "id", "outcome", "reason", "reversible", "status", "title"]
        for step in plan.objects("steps") {
            #expect(step.keys.sorted() == fields)
            for change in step["changes"] as? [[String: Any]] ?? [] {
                #expect(
                    change.keys.sorted() == [
                        "action", "address", "after", "before", "dropped", "effect", "from", "notes", "placeholders",
                        "rule",
                    ])
            }
        }
    }

    @Test("The plan as text says for every step what, why and from where")
    func planText() throws {
        let scratch = try Scratch()
        for fixture in ["notes-legacy", "notes-troubled", "notes-half-migrated"] {
            let dump = Places.fixture(fixture + ".xcappdata")
            let run = try Program.run(["plan", dump] + Self.facts + Self.migration, in: scratch)
            try Expected.expect(run.text, is: "plan-\(fixture).txt")
        }
    }

    @Test("A step that has been applied says so in the plan, and one that was taken back too")
    func statuses() throws {
        let scratch = try Scratch()
        let plan = ["plan", Self.legacy, "--json"] + Self.facts + Self.migration
        _ = try Program.run(["apply", Self.legacy, "--all"] + Self.facts + Self.migration, in: scratch)
        _ = try Program.run(["rollback", Self.legacy, "--last"], in: scratch)
        let steps = try Answer(Program.run(plan, in: scratch).output).objects("steps")
        let statuses = steps.map { "\($0["id"] ?? "") \($0["status"] ?? "") \($0["outcome"] ?? "")" }
        #expect(
            statuses == [
                "anonymous-id applied unchanged", "user-id applied unchanged", "traits applied unchanged",
                "session-id applied unchanged", "manual-session applied unchanged",
                "last-activity-time applied unchanged", "external-id not-applied skipped",
                "app-version applied unchanged", "app-build rolled-back migrates",
            ])
    }
}
