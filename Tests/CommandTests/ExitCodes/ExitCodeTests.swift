import Foundation
import Testing

@Suite("Exit codes")
struct ExitCodeTests: PackageFixtures {
    struct Case: CustomTestStringConvertible, Sendable {
        let code: Int32
        let arguments: [String]
        /// What the message says; where nothing is expected, there is no message.
        var says: [String] = []
        /// Whether there is an answer too.
        var answers = false

        var testDescription: String { "\(code): \(arguments.joined(separator: " "))" }
    }

    static let halfMigrated = "Fixtures/notes-half-migrated.xcappdata"
    static let hostile = "Fixtures/hostile.xcappdata"

    static let cases: [Case] = [
        // Done, nothing pending.
        Case(code: 0, arguments: ["plan", "Fixtures/notes-migrated.xcappdata"] + facts, answers: true),
        Case(code: 0, arguments: ["plan", "Fixtures/notes-empty.xcappdata"] + facts, answers: true),
        Case(code: 0, arguments: ["status", "Fixtures/notes-empty.xcappdata"] + facts, answers: true),
        Case(code: 0, arguments: ["inspect", hostile], answers: true),
        // Changes are pending.
        Case(code: 2, arguments: ["plan", legacy] + facts, answers: true),
        Case(code: 2, arguments: ["plan", legacy] + facts + migration, answers: true),
        Case(code: 2, arguments: ["status", legacy] + facts, answers: true),
        // It waits: nothing could be applied.
        Case(code: 2, arguments: ["apply", legacy, "--next"] + migration, answers: true),
        // Conflict.
        Case(code: 3, arguments: ["plan", halfMigrated] + facts, answers: true),
        Case(code: 3, arguments: ["plan", halfMigrated] + facts + migration, answers: true),
        Case(code: 3, arguments: ["status", halfMigrated] + facts, answers: true),
        Case(code: 3, arguments: ["apply", halfMigrated, "--step", "user-id"] + facts + migration, answers: true),
        Case(code: 3, arguments: ["apply", halfMigrated, "--all"] + facts + migration, answers: true),
        // A failed step too.
        Case(code: 3, arguments: ["plan", "Fixtures/notes-troubled.xcappdata"] + facts, answers: true),
        Case(code: 3, arguments: ["plan", "Fixtures/notes-troubled.xcappdata"] + facts + migration, answers: true),
        Case(code: 3, arguments: ["status", "Fixtures/notes-troubled.xcappdata"] + facts, answers: true),
        Case(
            code: 3, arguments: ["apply", "Fixtures/notes-troubled.xcappdata", "--all"] + facts + migration,
            answers: true),
        // Corrupt or unsupported.
        Case(
            code: 6,
            arguments: ["inspect", "Fixtures/hostile.xcappdata/AppData/Library/Preferences/com.acme.xpc.plist"],
            answers: true),
        Case(code: 6, arguments: ["show", hostile, "defaults://com.acme.truncated"], says: ["cannot be read"]),
        Case(code: 6, arguments: ["show", hostile, "defaults://com.acme.hostile/dangling"], answers: true),
        // Usage.
        Case(code: 64, arguments: [], says: ["<dump>"]),
        Case(code: 64, arguments: ["plan"], says: ["<dump>"]),
        Case(code: 64, arguments: ["plna", legacy], says: ["no subcommand “plna”", "did you mean plan?"]),
        Case(code: 64, arguments: ["help", "plna"], says: ["no subcommand “plna”", "did you mean plan?"]),
        Case(code: 64, arguments: ["specs", "lnt", "x"], says: ["no subcommand “lnt”", "did you mean lint?"]),
        Case(code: 64, arguments: ["help", "specs", "lnt"], says: ["did you mean lint?"]),
        Case(
            code: 64, arguments: ["plan", legacy, "-m", "person", "--migration=convert"],
            says: ["--migration is given twice"]),
        Case(code: 64, arguments: ["export", legacy, "--to", "a", "--to", "b"], says: ["--to is given twice"]),
        Case(code: 64, arguments: ["specs", "test", "x", "--junit", "-"], says: ["--junit names a file"]),
        Case(code: 64, arguments: ["exprt", legacy, "--to", "x"], says: ["did you mean export?"]),
        Case(code: 64, arguments: ["plan", legacy, "--nonsense"], says: ["--nonsense"]),
        Case(code: 64, arguments: ["plan", "nowhere"], says: ["There is nothing at", "nowhere"]),
        Case(code: 64, arguments: ["show", legacy], says: ["defaults://com.acme.notes", "vestige inspect"]),
        Case(code: 64, arguments: ["show", legacy, "nonsense"], says: ["nonsense", "defaults://"]),
        Case(
            code: 64, arguments: ["show", legacy, "defaults://com.acme.notes/nothing"],
            says: ["there is nothing at defaults://com.acme.notes/nothing"]),
        Case(
            code: 64, arguments: ["show", legacy, "defaults://com.acme.notes/nothing", "--json"],
            says: ["there is nothing at"], answers: true),
        Case(code: 64, arguments: ["show", legacy, "defaults://com.acme.nothing"], says: ["vestige inspect"]),
        Case(
            code: 64, arguments: ["plan", "Fixtures/simulator"],
            says: ["several apps", "--app", "com.acme.notes", "com.acme.timer"]),
        Case(
            code: 64, arguments: ["inspect", legacy, "--app", "com.acme.other"],
            says: ["com.acme.other", "com.acme.notes"]),
        Case(
            code: 64, arguments: ["plan", legacy, "-m", "nonsense"],
            says: ["no migration “nonsense”", "rudderstack-v2"]),
        Case(code: 64, arguments: ["migrations", "nonsense"], says: ["no migration “nonsense”", "rudderstack-v2"]),
        Case(
            code: 64, arguments: ["plan", legacy, "-m", "rudderstack-v2:nonsense"],
            says: ["no profile “nonsense”", "documented, sdk-1.1, sdk-1.2"]),
        Case(code: 64, arguments: ["plan", legacy, "-m", ":documented"], says: ["rudderstack-v2:sdk-1.2"]),
        Case(
            code: 64, arguments: ["apply", legacy, "--step", "nonsense"] + migration,
            says: ["no step “nonsense”", "anonymous-id", "app-build"]),
        Case(code: 64, arguments: ["apply", legacy] + migration, says: ["--next", "--all", "--step"]),
        Case(
            code: 64, arguments: ["apply", legacy, "--next", "--all"] + migration, says: ["--next", "--all", "--step"]),
        Case(code: 64, arguments: ["apply", legacy, "--all"], says: ["-m"]),
        Case(code: 2, arguments: ["apply", legacy, "--step", "app-build"] + migration, says: [], answers: true),
        // A ledger that was named and is not there is a mistake, not one in which nothing is applied.
        Case(
            code: 64, arguments: ["verify", legacy, "--workspace", "typo.ledger"], says: ["no ledger at typo.ledger"]),
        Case(
            code: 64, arguments: ["export", legacy, "--to", "copy", "--workspace", "typo.ledger"],
            says: ["no ledger at typo.ledger"]),
        Case(code: 64, arguments: ["log", legacy, "--workspace", "typo.ledger"], says: ["--workspace"]),
        Case(code: 5, arguments: ["verify", legacy], says: [], answers: true),
        Case(
            code: 64, arguments: ["verify", legacy, "--json", "--html"],
            says: ["one of --json, --markdown, --html and --ascii"]),
        Case(
            code: 64, arguments: ["plan", legacy, "--fact", "writeKey=a", "--fact", "writeKey=b"],
            says: ["--fact gives the fact writeKey a second time"]),
        Case(code: 2, arguments: ["plan", legacy, "--fact", "now=2030-01-01"], says: [], answers: true),
        Case(
            code: 64, arguments: ["plan", legacy, "--fact", "identifierForVendr=x"],
            says: ["no fact “identifierForVendr”", "Did you mean identifierForVendor?"]),
        Case(
            code: 64, arguments: ["plan", legacy, "-m", "rudderstak"],
            says: ["no migration “rudderstak”", "Did you mean rudderstack-v2?"]),
        Case(
            code: 64, arguments: ["plan", legacy, "-m", "rudderstack-v2:documentd"],
            says: ["no profile “documentd”", "Did you mean documented?"]),
        Case(code: 64, arguments: ["rollback", legacy], says: ["--last", "--all", "--to"]),
        Case(code: 64, arguments: ["rollback", legacy, "--to", "traits"], says: ["“traits” is not applied"]),
        Case(code: 64, arguments: ["export", legacy], says: ["--to"]),
        Case(code: 64, arguments: ["export", legacy, "--to", legacy + "/out"], says: ["inside the dump"]),
        Case(
            code: 64, arguments: ["plan", legacy, "--workspace", legacy + "/ledger"], says: ["inside the dump"]),
        Case(code: 64, arguments: ["run", "nowhere.script", legacy], says: ["nowhere.script", "cannot be read"]),
        Case(code: 64, arguments: ["run", "-", legacy, "--size", "big"], says: ["80x24"]),
    ]

    @Test(
        "Each failure has its exit code and its message, and the answer is all that is on standard output",
        arguments: cases)
    func codes(test: Case) throws {
        let run = try Program.run(test.arguments, in: Scratch())
        #expect(run.code == test.code, "\(run.errors)\(run.text)")
        #expect(run.output.isEmpty != test.answers, "\(run.text)")
        #expect(run.errors.isEmpty == test.says.isEmpty, "\(run.errors)")
        for part in test.says { #expect(run.errors.contains(part), "\(run.errors)") }
        // Nothing prints a raw Swift error.
        for raw in ["Error Domain", "NSCocoa", "Optional(", "DumpError", "WorkspaceError", "Fatal error"] {
            #expect(!run.errors.contains(raw) && !run.text.contains(raw))
        }
    }

    @Test("A line break in an argument forges no line of a message")
    func forgery() throws {
        let forged = "x\nvestige: all is well"
        for arguments in [
            ["plan", Self.legacy, "--app", forged], ["plan", Self.legacy, "-m", forged], ["plan", forged],
            ["plan", Self.legacy, "-m", "rudderstack-v2:" + forged], ["plan", Self.legacy, "--fact=now=" + forged],
            ["apply", Self.legacy, "--step", forged] + Self.migration,
        ] {
            let errors = try Program.run(arguments, in: Scratch()).errors
            #expect(!errors.contains("\nvestige: all is well"), "\(arguments) \(errors)")
            #expect(errors.contains("x␊vestige"), "\(arguments) \(errors)")
        }
    }

    @Test("Of files that a star fits one that is damaged ends with 3, planned and applied, and the others are taken")
    func partOfStar() throws {
        let scratch = try Scratch(), dump = try scratch.copy("sdk-mixpanel.xcappdata")
        let file = "/AppData/Library/mixpanel-other-properties"
        try Data("no archive".utf8).write(to: URL(fileURLWithPath: dump + file))
        let left = "1 of 2 is left, and the others are taken: file://Library/mixpanel-other-properties#/distinctId"
        let plan = try Program.run(["plan", dump, "-m", "mixpanel"], in: scratch)
        #expect(plan.code == 3 && plan.text.contains(left), "\(plan.errors)\(plan.text)")
        #expect(!plan.text.contains("why   \(left)"), "it is told once, at the change")
        let json = try Program.run(["plan", dump, "-m", "mixpanel", "--json"], in: scratch).text
        #expect(json.contains("\"partly-failed\""))
        let applied = try Program.run(["apply", dump, "-m", "mixpanel", "--all"], in: scratch)
        #expect(applied.code == 3 && applied.text.contains(left), "\(applied.errors)\(applied.text)")
        #expect(applied.text.contains("defaults://Mixpanel/mixpanel-mixtoken1-MPDistinctID"))
        let status = try Program.run(["status", dump], in: scratch)
        #expect(
            status.code == 3 && status.text.contains("applied in part") && status.text.contains(left), "\(status.text)")
        #expect(status.text.contains(" applied: 2 skipped, 7 failed"), "\(status.text)")
        for command in [["plan", "-m", "mixpanel"], ["status"], ["apply", "-m", "mixpanel", "--all"]] {
            let again = try Program.run(command + [dump, "--json"], in: scratch), isApply = command[0] == "apply"
            #expect(again.code == 3 && again.text.contains("\"partly-failed\""), "\(command): \(again.text)")
            #expect(isApply || again.text.contains("\"failed\": 7"), "\(command): \(again.text)")
        }
    }

    @Test("An entry that a step removed is answered with the step")
    func removedByStep() throws {
        let scratch = try Scratch()
        let key = "defaults://com.acme.notes/rs_user_id"
        let applied = try Program.run(
            ["apply", Self.legacy, "-m", "rudderstack-v2:sdk-1.2", "--all"] + Self.facts, in: scratch)
        #expect(applied.code == 0, "\(applied.errors)\(applied.text)")
        let run = try Program.run(["show", Self.legacy, key], in: scratch)
        #expect(run.code == 64 && run.errors.contains("removed it") && run.errors.contains("entry"), "\(run.errors)")
    }

    @Test("The inspector without a terminal says so and names no raw error")
    func noTerminal() throws {
        // In a session of its own the program has no terminal, wherever the tests run.
        let scratch = try Scratch()
        let setsid = try #require(Places.tool("setsid")), program = try #require(Program.path)
        let run = try Program.execute(
            setsid, ["--wait", program, Self.legacy], in: scratch, environment: ["TERM": "xterm"])
        #expect(run.code == 64, "another try finds none either: \(run.errors)")
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("terminal") && run.errors.contains("there is no such device"), "\(run.errors)")
    }

    @Test("Where steps that stand were applied in another way, apply says so and asks for a flag")
    func departures() throws {
        let scratch = try Scratch(), dump = Places.fixture("notes-legacy.xcappdata")
        func run(_ command: String, _ profile: String, _ key: String, _ more: [String]) throws -> Program.Run {
            try Program.run(
                [
                    command, dump, "-m", "rudderstack-v2:\(profile)", "--facts", Places.facts, "--fact",
                    "writeKey=\(key)",
                ]
                    + more, in: scratch)
        }
        #expect(try run("apply", "documented", "wk-1a2b3c", ["--next"]).code == 0)
        #expect(try run("apply", "documented", "wk-1a2b3c", ["--next"]).code == 0, "the same way again")
        let refused = try run("apply", "sdk-1.2", "wk-of-another", ["--next"])
        #expect(refused.code == 64 && refused.text.isEmpty)
        for part in [
            "with the profile documented, and the next ones would be made with the profile sdk-1.2",
            "with writeKey wk-1a2b3c", "--accept-departures",
        ] {
            #expect(refused.errors.contains(part), "\(refused.errors)")
        }
        let plan = try run("plan", "sdk-1.2", "wk-of-another", ["--json"])
        #expect(
            try Answer(plan.output).objects("departures").map { $0["applied"] as? String } == [
                "documented", "wk-1a2b3c",
            ])
        #expect(
            try run("plan", "sdk-1.2", "wk-of-another", []).text.contains("steps were applied with writeKey wk-1a2b3c"))
        #expect(try run("apply", "sdk-1.2", "wk-of-another", ["--next", "--accept-departures"]).code == 0)
        // The steps of the other profile are not forgotten.
        let status = try Program.run(["status", dump, "--facts", Places.facts], in: scratch)
        #expect(status.text.contains("rudderstack-v2:documented  2 steps applied"))
        let others = try Answer(Program.run(["status", dump, "--json"], in: scratch).output).objects("others")
        #expect(others.map { $0["profile"] as? String } == ["documented"])
    }

    @Test("A path that the person typed is in the message whole, whatever its names look like")
    func typedPaths() throws {
        let scratch = try Scratch()
        for name in [
            "6A1F2B3C-74A7-4EDF-969D-164CB151B6C3/tmpQ8xZr41LkPwUj77TsVbNm2",
            "0123456789abcdef0123456789abcdef01234567",
            "jane@example.com",
        ] {
            let path = scratch(name)
            let run = try Program.run(["inspect", path], in: scratch)
            #expect(run.code == 64 && run.errors.contains(path), "\(run.errors)")
        }
    }
}
