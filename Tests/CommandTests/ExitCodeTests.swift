import Foundation
import Testing

@Suite("Exit codes")
struct ExitCodeTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let code: Int32
        let arguments: [String]
        /// What the message says; where nothing is expected, there is no message.
        var says: [String] = []
        /// Whether there is an answer too.
        var answers = false

        var testDescription: String { "\(code): \(arguments.joined(separator: " "))" }
    }

    static let facts = ["--facts", "Fixtures/facts.json"]
    static let migration = ["-m", "rudderstack-v2"]
    static let legacy = "Fixtures/notes-legacy.xcappdata"
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

    @Test("Nothing to roll back after a step, and nothing to verify, are told as that")
    func nothing() throws {
        let scratch = try Scratch()
        let nothing = try Program.run(["verify", Self.legacy], in: scratch).text
        #expect(
            nothing.contains("nothing to verify") && nothing.contains("--workspace FILE"), "it may be a colleague's")
        let apply = ["apply", Self.legacy, "--step", "user-id"] + Self.facts + Self.migration
        #expect(try Program.run(apply, in: scratch).code == 0)
        let run = try Program.run(["rollback", Self.legacy, "--to", "user-id"], in: scratch)
        #expect(run.code == 0 && run.text == "Nothing was applied after “user-id”.\n")
        let log = try Program.run(["log", Self.legacy], in: scratch).text
        #expect(log.contains(#/:\d\d:\d\dZ /#), "\(log)")
    }

    @Test("A dump that has changed is drift, 4, until the person accepts it; the steps can be taken back all the same")
    func drift() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let apply = ["apply", dump] + ["--facts", Places.facts] + Self.migration
        for step in ["user-id", "app-version"] {
            #expect(try Program.run(apply + ["--step", step], in: scratch).code == 0)
        }
        try scratch.set(in: dump)
        for arguments in [["status", dump], ["verify", dump], ["plan", dump], ["plan", dump] + Self.migration] {
            let run = try Program.run(arguments, in: scratch)
            #expect(run.code == 4, "\(arguments)")
            #expect(run.text.contains("com.acme.notes.plist"))
        }
        // What only looks at the dump names it too.
        for arguments in [["inspect", dump], ["log", dump], ["show", dump, "defaults://com.acme.notes"]] {
            #expect(
                try Program.run(arguments, in: scratch).text.contains("com.acme.notes.plist has changed"),
                "\(arguments)")
        }
        let inspected = try Answer(Program.run(["inspect", dump, "--json"], in: scratch).output)
        #expect(inspected.objects("drift").map { $0["kind"] as? String } == ["changed"])
        for arguments in [apply + ["--all"], ["export", dump, "--to", scratch("out")]] {
            let run = try Program.run(arguments, in: scratch)
            #expect(run.code == 4, "\(arguments)")
            #expect(run.output.isEmpty)
            #expect(run.errors.contains("com.acme.notes.plist") && run.errors.contains("--accept-drift"))
        }
        #expect(try Program.run(["export", dump, "--to", scratch("out"), "--accept-drift"], in: scratch).code == 0)
        let last = try Program.run(["rollback", dump, "--last"], in: scratch)
        #expect(last.code == 0 && last.text.contains("com.acme.notes.plist has changed"), "\(last.text)")
        let all = try Program.run(["rollback", dump, "--all", "--json"], in: scratch)
        #expect(all.code == 0)
        #expect(try Answer(all.output).objects("drift").map { $0["kind"] as? String } == ["changed"])
        #expect(try Program.run(["status", dump], in: scratch).code != 4)
        #expect(try Program.run(apply + ["--all"], in: scratch).code == 0)
    }

    @Test("Steps that would do something else now fail verification, 5")
    func verification() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let apply = ["apply", dump, "--step", "app-version", "--facts", Places.facts] + Self.migration
        #expect(try Program.run(apply, in: scratch).code == 0)
        try scratch.set("rs_application_version_key", in: dump)
        let run = try Program.run(["verify", dump, "--json"], in: scratch)
        #expect(run.code == 5)
        #expect(try Answer(run.output).content["passed"] as? Bool == false)
        #expect(
            try Answer(run.output).objects("findings").map { $0["kind"] as? String } == ["drift", "different-changes"])
        #expect(run.errors.isEmpty)
        let text = try Program.run(["verify", dump], in: scratch).text
        #expect(
            text.contains("makes other changes now: rudderstack-v2") && !text.contains("different-changes"), "\(text)")
    }

    @Test("While another program holds the ledger, looking works and changing is to be tried again, 75")
    func secondWriter() throws {
        let scratch = try Scratch(), ledger = scratch("ledger")
        let options = ["--workspace", ledger] + Self.facts
        let apply = ["apply", Self.legacy, "--next"] + Self.migration + options
        #expect(try Program.run(apply, in: scratch).code == 0)
        let descriptor = open(ledger + ".lock", O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        for arguments in [apply, ["rollback", Self.legacy, "--last"] + options] {
            let run = try Program.run(arguments, in: scratch)
            #expect(run.code == 75)
            #expect(run.output.isEmpty)
            #expect(run.errors.contains("another program has it open"))
        }
        let status = try Program.run(["status", Self.legacy, "--json"] + options, in: scratch)
        #expect(status.code == 2)
        let ledgerPart = try Answer(status.output).content["ledger"] as? [String: Any]
        #expect(ledgerPart?["access"] as? String == "read-only")
        #expect(ledgerPart?["standing"] as? Int == 1)
        close(descriptor)
        #expect(try Program.run(apply, in: scratch).code == 0)
    }

    @Test("What cannot be read has not changed, and was not removed: status and verify say so, 6")
    func unreadable() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let apply = ["apply", dump, "--step", "app-version", "--facts", Places.facts] + Self.migration
        #expect(try Program.run(apply, in: scratch).code == 0)
        let plist = dump + "/AppData/Library/Preferences/com.acme.notes.plist"
        try FileManager.default.removeItem(atPath: plist)
        try FileManager.default.createSymbolicLink(atPath: plist, withDestinationPath: "/nowhere")
        let status = try Program.run(["status", dump], in: scratch)
        #expect(status.code == 6 && status.text.contains("cannot be compared, because it cannot be read"))
        #expect(!status.text.contains("No built-in migration finds anything here"), "\(status.text)")
        let run = try Program.run(["verify", dump, "--json"], in: scratch)
        #expect(run.code == 6, "\(run.text)")
        #expect(
            try Set(Answer(run.output).objects("findings").compactMap { $0["kind"] as? String }) == ["unreadable"],
            "\(run.text)")
    }

    @Test("The ledger of another dump is named as such by every subcommand, and nothing is done with it, 64")
    func otherLedger() throws {
        let scratch = try Scratch(), ledger = scratch("notes.ledger"), other = "Fixtures/shop-healthy.xcappdata"
        let options = ["--workspace", ledger]
        let apply = ["apply", Self.legacy, "--step", "user-id"] + Self.migration + Self.facts + options
        #expect(try Program.run(apply, in: scratch).code == 0)
        let before = try Data(contentsOf: URL(fileURLWithPath: ledger))
        for command in [
            ["status"], ["log"], ["verify"], ["rollback", "--all"], ["plan"], ["export", "--to", scratch("out")],
            ["apply", "--all", "--accept-drift", "-m", "person"],
        ] {
            let run = try Program.run(command + [other] + options, in: scratch)
            #expect(run.code == 64 && run.output.isEmpty, "\(command) \(run.errors)")
            #expect(run.errors.contains("it is of com.acme.notes, and this is com.acme.shop"), "\(run.errors)")
        }
        #expect(try Program.run(["inspect", other] + options, in: scratch).text.contains("it is of com.acme.notes"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: ledger)) == before)
        let elsewhere = try Program.run(
            ["status", "Fixtures/simulator", "--app", "com.acme.timer"] + options, in: scratch)
        #expect(elsewhere.code == 64)
        #expect(elsewhere.errors.contains("it is of com.acme.notes, and this is com.acme.timer"), "\(elsewhere.errors)")
    }

    @Test("A dump under another name has another ledger: what finds nothing applied says which it looked at")
    func renamed() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let apply = ["apply", dump, "--step", "user-id"] + Self.migration + Self.facts
        #expect(try Program.run(apply, in: scratch).code == 0)
        let renamed = scratch("renamed.xcappdata")
        try FileManager.default.moveItem(atPath: dump, toPath: renamed)
        for (arguments, code) in [(["log"], 0), (["verify"], 5), (["export", "--to", scratch("out")], 0)] {
            let run = try Program.run(arguments + [renamed], in: scratch)
            #expect(run.code == code, "\(arguments)")
            #expect(run.text.contains("ledger  ") && run.text.contains("/vestige/renamed.xcappdata-"), "\(run.text)")
            if arguments[0] == "export" { #expect(run.text.contains("nothing was applied: this is a plain copy")) }
        }
        let answer = try Answer(Program.run(["verify", renamed, "--json"], in: scratch).output).content
        #expect(answer["result"] as? String == "nothing-applied" && answer["passed"] as? Bool == false)
    }

    @Test("An export that is verified in place of its dump is said to be one")
    func verifiedExport() throws {
        let scratch = try Scratch(), options = ["--workspace", scratch("l.ledger")]
        let apply = ["apply", Self.legacy, "--step", "user-id"] + Self.migration + Self.facts + options
        #expect(try Program.run(apply, in: scratch).code == 0)
        #expect(try Program.run(["export", Self.legacy, "--to", scratch("out")] + options, in: scratch).code == 0)
        let run = try Program.run(["verify", scratch("out")] + options, in: scratch)
        #expect(run.text.contains("This looks like an export"), "\(run.text)\(run.errors)")
        #expect(try !Program.run(["verify", Self.legacy] + options, in: scratch).text.contains("export"))
    }

    @Test(
        "The help and the version that cannot be written are to be tried again, 75", arguments: ["--help", "--version"])
    func unwrittenHelp(option: String) throws {
        let scratch = try Scratch(), path = try #require(Program.path)
        let run = try Program.execute("/bin/sh", ["-c", "'\(path)' \(option) > /dev/full"], in: scratch)
        #expect(run.code == 75 && run.errors.contains("could not be written"), "\(run.errors)")
        #expect(try Program.run([option], in: scratch).code == 0)
        let export = "'\(path)' export '\(Self.legacy)' --to '\(scratch("out"))' > /dev/full"
        let exported = try Program.execute(
            "/bin/sh", ["-c", export], in: scratch, environment: ["XDG_STATE_HOME": scratch("state")])
        #expect(exported.code == 75 && exported.errors.contains("not to be done again"), "\(exported.errors)")
    }

    @Test("A file that is no ledger is left as it is, 6")
    func foreignLedger() throws {
        let scratch = try Scratch()
        try scratch.write("notes.txt", Data("my notes\n".utf8))
        let run = try Program.run(["status", Self.legacy, "--workspace", scratch("notes.txt")], in: scratch)
        #expect(run.code == 6)
        #expect(run.errors.contains("is not a ledger"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch("notes.txt"))) == Data("my notes\n".utf8))
    }

    @Test("Where the environment names no folder for ledgers, the message names --workspace, 64")
    func noStateFolder() throws {
        let run = try Program.run(
            ["status", Self.legacy], in: Scratch(), environment: ["XDG_STATE_HOME": "", "HOME": ""])
        #expect(run.code == 64)
        #expect(run.errors.contains("--workspace"))
    }

    @Test("A store that cannot be read makes its migrations unknown: they are named, and nothing else is offered, 6")
    func damagedStore() throws {
        let scratch = try Scratch()
        let domain = "Library/Preferences/com.acme.notes.plist"
        let whole = try Data(
            contentsOf: URL(fileURLWithPath: Places.fixture("notes-legacy.xcappdata/AppData/" + domain)))
        try scratch.write("cut/" + domain, whole.prefix(900))
        for command in ["plan", "status"] {
            let run = try Program.run(
                [command, scratch("cut"), "--fact", "bundleIdentifier=com.acme.notes"], in: scratch)
            #expect(run.code == 6, "\(run.errors)\(run.text)")
            #expect(run.text.contains("Unknown of rudderstack-v2") && run.text.contains(domain), "\(run.text)")
            #expect(!run.text.contains("localdata-sealed:default"), "\(run.text)")
            #expect(!run.text.contains("No built-in migration finds anything"), "\(run.text)")
        }
    }

    @Test("A store that a backup lists without its content is unreadable, 6, and not absent")
    func withoutContent() throws {
        let scratch = try Scratch(), backup = scratch("backup")
        try FileManager.default.copyItem(atPath: Places.fixture("backup"), toPath: backup)
        // The SHA-1 digest of the domain, a dash and the path of com.acme.notes.plist.
        try FileManager.default.removeItem(atPath: backup + "/d9/d961a1af25a284adb5ba6c72026997c46a6eea00")
        let dump = [backup, "--app", "com.acme.notes"]
        for command in ["plan", "status", "report"] {
            let run = try Program.run([command] + dump, in: scratch)
            #expect(run.code == 6, "\(command): \(run.errors)\(run.text)")
            #expect(run.text.contains("com.acme.notes.plist, and its content"), "\(command): \(run.text)")
        }
        let shown = try Program.run(["show"] + dump + ["defaults://com.acme.notes/rs_user_id"], in: scratch)
        #expect(shown.code == 6, "\(shown.errors)\(shown.text)")
    }

    @Test(
        "What did not come with a lone file is unknown to show, compare and plan, and steps can be previewed all the same"
    )
    func besideLoneFile() throws {
        let scratch = try Scratch(), whole = "Fixtures/notes-half-migrated.xcappdata"
        let file = whole + "/AppData/Library/Preferences/com.acme.notes.plist"
        let shown = try Program.run(["show", file, "defaults://com.acme.notes.editor/zoom"], in: scratch)
        #expect(shown.code == 6 && shown.text.contains("comes without the app's other UserDefaults"), "\(shown.text)")
        let plan = try Program.run(["plan", file] + Self.facts + Self.migration, in: scratch)
        #expect(
            plan.code == 2 && plan.text.contains("taken to be absent, and may be there on the device"), "\(plan.text)")
        let compared = try Program.run(["compare", whole, file], in: scratch)
        #expect(!compared.text.contains("removed"), "\(compared.text)")
    }

    @Test(
        "What would be in Documents, where that is missing, is taken to be absent, and a plan that only writes or asks there says so",
        arguments: [
            "from: app/rs_user_id, do: [{encode: json}], to: docs/u.json",
            "from: app/rs_user_id, if: [docs/flag.json is absent], to: app/u",
            "from: app/rs_user_id, if: [docs/flag.json exists], to: app/u",
            "from: docs/*.json, type: string, to: app/s.*", "remove: [docs/*.tmp]",
            "from: \"db/*#/value\", type: string, to: \"app/x.*\"",
        ])
    func missingDocuments(row: String) throws {
        let scratch = try Scratch(), dump = scratch("dump.xcappdata")
        try FileManager.default.copyItem(atPath: Places.fixture("notes-legacy.xcappdata"), toPath: dump)
        try FileManager.default.removeItem(atPath: dump + "/AppData/Documents")
        try scratch.write(
            "spec.yaml",
            Data(
                ("vestige: migration/1\nid: d\nstores: {app: defaults://com.acme.notes, docs: file://Documents, "
                    + "db: sqlite://Documents/n.sqlite/store}\nsteps:\n- {id: r, \(row)}\n").utf8))
        let plan = try Program.run(["plan", dump, "--spec", scratch("spec.yaml"), "-m", "d"], in: scratch)
        #expect(
            plan.text.contains("lacks AppData/Documents: what steps look for there is taken to be absent"),
            "\(plan.text)")
    }

    @Test("A lone file that steps were applied to as an app's is not taken for another's: it is asked for, 64")
    func loneFile() throws {
        let scratch = try Scratch(), file = scratch("support mail.plist")
        try FileManager.default.copyItem(
            atPath: Places.fixture("notes-legacy.xcappdata/AppData/Library/Preferences/com.acme.notes.plist"),
            toPath: file)
        let named = ["--fact", "bundleIdentifier=com.acme.notes"]
        let seen = try Program.run(["plan", file], in: scratch)
        #expect(seen.code == 2 && seen.text.contains("--fact bundleIdentifier="), "\(seen.text)")
        #expect(!seen.text.contains("No built-in migration finds anything"), "\(seen.text)")
        let apply = ["apply", file, "--step", "user-id"] + Self.migration + Self.facts + named
        #expect(try Program.run(apply, in: scratch).code == 0)
        for command in [
            ["plan", file], ["status", file], ["verify", file], ["export", file, "--to", scratch("out")],
        ] {
            let run = try Program.run(command, in: scratch)
            #expect(run.code == 64 && run.errors.contains("as that of com.acme.notes"), "\(command): \(run.errors)")
            #expect(run.errors.contains("--fact bundleIdentifier="), "\(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: scratch("out")))
        #expect(try Program.run(["verify", file] + named, in: scratch).code == 0)
        #expect(try Program.run(["export", file, "--to", scratch("out")] + named, in: scratch).code == 0)
    }

    @Test("Without its keychain a dump does not count as one in which nothing is found")
    func noKeychain() throws {
        let scratch = try Scratch()
        let source = URL(fileURLWithPath: Places.fixture("klivvr-v1.xcappdata"))
        try FileManager.default.copyItem(at: source, to: URL(fileURLWithPath: scratch("k.xcappdata")))
        try FileManager.default.removeItem(atPath: scratch("k.xcappdata/keychain.json"))
        let run = try Program.run(["plan", scratch("k.xcappdata")], in: scratch)
        #expect(run.text.contains("klivvr-user-profile") && run.text.contains("--keychain"), "\(run.text)")
    }

    @Test("That a dump has changed is told as that of a spec too, and not as other rules; edited, it is told as both")
    func driftOfSpec() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        func write(_ operation: String) throws {
            let spec = """
                vestige: migration/1
                id: one
                stores: {app: defaults://com.acme.notes}
                steps:
                  - {id: size, from: app/editor.fontSize, \(operation)to: app/size}
                """
            try scratch.write("one.yaml", Data(spec.utf8))
        }
        let spec = ["--spec", scratch("one.yaml"), "-m", "one"]
        try write("")
        #expect(try Program.run(["apply", dump, "--all"] + spec, in: scratch).code == 0)
        try scratch.set("editor.fontSize", to: 15.5, in: dump)
        let plan = try Program.run(["plan", dump] + spec, in: scratch)
        #expect(plan.text.contains("com.acme.notes.plist has changed"), "\(plan.text)\(plan.errors)")
        #expect(!plan.text.contains("other rules"), "\(plan.text)")
        let accepted = try Program.run(["apply", dump, "--all", "--accept-drift"] + spec, in: scratch)
        #expect(!accepted.errors.contains("other rules"), "\(accepted.errors)")
        try write("type: number, do: [{round: down}], ")
        let edited = try Program.run(["plan", dump] + spec, in: scratch)
        #expect(edited.text.contains("by other rules than the migration has now: size"), "\(edited.text)")
    }

    @Test("A domain that comes to fit the pattern of an applied step is drift")
    func driftOfDomains() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let spec = """
            vestige: migration/1
            id: one
            steps:
              - {id: all, from: "defaults://com.acme.*/editor.fontSize", to: "defaults://com.acme.*/size"}
            """
        try scratch.write("one.yaml", Data(spec.utf8))
        let options = ["--spec", scratch("one.yaml"), "-m", "one"]
        #expect(try Program.run(["apply", dump, "--all"] + options, in: scratch).code == 0)
        // What other migrations have to do is pending.
        #expect(try Program.run(["status", dump] + options.prefix(2), in: scratch).code == 2)
        let preferences = dump + "/AppData/Library/Preferences/"
        try FileManager.default.copyItem(
            atPath: preferences + "com.acme.notes.plist", toPath: preferences + "com.acme.second.plist")
        let run = try Program.run(["status", dump] + options.prefix(2), in: scratch)
        #expect(run.code == 4 && run.text.contains("com.acme.second.plist was not there before"), "\(run.text)")
        #expect(!run.text.contains("other rules") && !run.text.contains("editor.plist"), "\(run.text)")
    }

    @Test("A file whose name has the sign of a pattern in it is a file")
    func driftOfSign() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let name = "Documents/a\(String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self)).note",
            file = "\(dump)/AppData/\(name)"
        let spec = """
            vestige: migration/1
            id: one
            steps: [{id: all, type: data, from: "file://Documents/*.note", to: "file://Documents/*.text"}]
            """
        try scratch.write("one.yaml", Data(spec.utf8))
        try FileManager.default.createDirectory(
            atPath: dump + "/AppData/Documents", withIntermediateDirectories: true)
        try Data("old".utf8).write(to: URL(fileURLWithPath: file))
        let options = ["--spec", scratch("one.yaml"), "-m", "one"]
        #expect(try Program.run(["apply", dump, "--all"] + options, in: scratch).code == 0)
        try Data("new".utf8).write(to: URL(fileURLWithPath: file))
        let run = try Program.run(["status", dump] + options.prefix(2), in: scratch)
        #expect(run.code == 4 && run.text.contains("has changed"), "\(run.text)\(run.errors)")
    }

    @Test("A folder that a pattern has left is drift where it becomes a file, and not where something else comes")
    func driftOfFolders() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let documents = dump + "/AppData/Documents/", left = documents + "left"
        let spec = """
            vestige: migration/1
            id: one
            steps: [{id: all, type: text, from: "file://Documents/*", to: "defaults://com.acme.other/a.*"}]
            """
        try scratch.write("one.yaml", Data(spec.utf8))
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
        try Data("1".utf8).write(to: URL(fileURLWithPath: documents + "one"))
        let options = ["--spec", scratch("one.yaml")]
        func status(_ code: Int32) throws -> String {
            let run = try Program.run(["status", dump] + options, in: scratch)
            #expect((run.code == 4) == (code == 4), "\(run.code) \(run.text)\(run.errors)")
            return run.text
        }
        #expect(try Program.run(["apply", dump, "-m", "one", "--all"] + options, in: scratch).code == 0)
        _ = try status(2)
        try Data("2".utf8).write(to: URL(fileURLWithPath: documents + "two"))
        let come = try status(4)
        #expect(come.contains("two was not there before") && !come.contains("left was not"), "\(come)")
        try FileManager.default.removeItem(atPath: documents + "two")
        try FileManager.default.removeItem(atPath: left)
        #expect(try status(4).contains("Documents/* has changed"))
        try Data("3".utf8).write(to: URL(fileURLWithPath: left))
        #expect(try status(4).contains("left was not there before"))
    }

    @Test("A file that comes to fit the pattern of an applied step is drift, and not other rules")
    func driftOfPattern() throws {
        let scratch = try Scratch(), dump = try scratch.copy("sdk-mixpanel.xcappdata")
        #expect(try Program.run(["apply", dump, "-m", "mixpanel", "--all"], in: scratch).code == 0)
        #expect(try Program.run(["status", dump], in: scratch).code == 0)
        let library = "AppData/Library/",
            files = try FileManager.default.contentsOfDirectory(atPath: dump + "/" + library)
        let old = try #require(files.first { $0.hasPrefix("mixpanel-") && $0.hasSuffix("-properties") })
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(dump)/\(library)\(old)"))
        try data.write(to: URL(fileURLWithPath: "\(dump)/\(library)mixpanel-second-properties"))
        for command in ["status", "plan"] {
            let run = try Program.run([command, dump], in: scratch)
            #expect(run.text.contains("mixpanel-second-properties was not there before"), "\(run.text)\(run.errors)")
            #expect(run.code == 4 && !run.text.contains("other rules"), "\(run.text)")
        }
        let log = try Program.run(["log", dump, "--json"], in: scratch).text
        #expect(log.contains("/mixpanel-*-properties\""), "the names that were looked through are recorded")
        // What was accepted has to be done anew: rolled back and applied, both projects have moved.
        #expect(try Program.run(["rollback", dump, "--all"], in: scratch).code == 0)
        let again = try Program.run(["apply", dump, "-m", "mixpanel", "--all", "--accept-drift"], in: scratch)
        #expect(again.code == 0 && again.text.contains("mixpanel-second-"), "\(again.errors)\(again.text)")
        #expect(try Program.run(["status", dump], in: scratch).code == 0)
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

    @Test("A keychain that only the device opens is told as one that does not tell, and not as one that is not there")
    func lockedKeychain() throws {
        for command in ["plan", "status"] {
            let run = try Program.run(
                [command, Places.fixture("backup"), "--app", "com.acme.timer"], in: Scratch())
            #expect(run.code == 0, "\(run.errors)\(run.text)")
            #expect(run.text.contains("Not known from this keychain: convert") && run.text.contains("--keychain"))
            #expect(run.text.contains("ask for an encrypted backup"), "\(run.text)")
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

    @Test("A screen that cannot be written ends the script's run with 75")
    func fullScreens() throws {
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        let scratch = try Scratch()
        try scratch.write("s.script", Data("screen now\n".utf8))
        let program = try #require(Program.path)
        let run = try Program.execute(
            "/bin/sh", ["-c", "\"$0\" run \"$1\" \"$2\" >/dev/full", program, scratch("s.script"), Self.legacy],
            in: scratch)
        #expect(run.code == 75, "\(run.errors)")
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

    @Test(
        "With standard descriptors that are closed nothing lands in another file: 75, or the answer's own code",
        arguments: [("<&- >&-", 75), (">&-", 75), ("2>&-", 0), ("<&- >&- 2>&-", 75), ("<&-", 0)])
    func closedDescriptors(closed: String, code: Int32) throws {
        let scratch = try Scratch(), program = try #require(Program.path)
        let run = try Program.execute(
            "/bin/sh",
            ["-c", "\"$0\" \"$@\" \(closed)", program, "apply", Self.legacy, "--next", "--facts", Places.facts]
                + Self.migration, in: scratch)
        #expect(run.code == code, "\(run.errors)")
        // The first file that is opened is given the number of one that is closed.
        let verified = try Program.run(["verify", Self.legacy], in: scratch)
        #expect(verified.code == 0 && verified.text.contains("1 step"), "\(verified.text)")
        for path in try FileManager.default.subpathsOfDirectory(atPath: scratch("")) where path.hasSuffix(".lock") {
            #expect(try Data(contentsOf: URL(fileURLWithPath: scratch(path))).isEmpty, "\(path)")
        }
    }

    @Test("A file that would be larger than the shell allows is refused as on a full disk, and nothing of it is left")
    func sizeLimit() throws {
        let scratch = try Scratch(), program = try #require(Program.path)
        func run(_ limit: Int, _ arguments: [String]) throws -> Program.Run {
            try Program.execute(
                "/bin/sh", ["-c", "ulimit -f \(limit); \"$0\" \"$@\"", program] + arguments, in: scratch)
        }
        let apply = ["apply", Self.legacy, "--next", "--facts", Places.facts] + Self.migration
        for limit in [1, 16] {
            let refused = try run(limit, apply)
            #expect(refused.code == 75 && refused.errors.hasPrefix("vestige: "), "\(limit): \(refused.errors)")
            #expect(!refused.errors.contains("10 ("), "\(limit): \(refused.errors)")
        }
        #expect(try Program.run(apply, in: scratch).code == 0)
        let export = try run(1, ["export", Self.legacy, "--to", scratch("out")])
        #expect(export.code == 75 && !export.errors.isEmpty, "\(export.code) \(export.errors)")
        #expect(!(try FileManager.default.contentsOfDirectory(atPath: scratch(""))).contains { $0.contains("out") })
    }

    @Test("Where only the answer could not be written, the message says what was done")
    func doneUnsaid() throws {
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        let scratch = try Scratch(), program = try #require(Program.path)
        func run(_ arguments: [String]) throws -> Program.Run {
            try Program.execute(
                "/bin/sh", ["-c", "\"$0\" \"$@\" >/dev/full", program] + arguments, in: scratch)
        }
        let applied = try run(["apply", Self.legacy, "--next", "--facts", Places.facts] + Self.migration)
        #expect(applied.code == 75 && applied.errors.contains("1 step applied; only the answer could not be written"))
        let rolledBack = try run(["rollback", Self.legacy, "--last"])
        #expect(rolledBack.code == 75 && rolledBack.errors.contains("1 step rolled back; only the answer"))
        let exported = try run(["export", Self.legacy, "--to", scratch("out")])
        #expect(exported.code == 75 && exported.errors.contains("exported to "))
        let looked = try run(["inspect", Self.legacy])
        #expect(looked.code == 75 && !looked.errors.contains("only"))
    }
}
