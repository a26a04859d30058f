import Foundation
import Testing

@Suite("The ledger that a command finds")
struct LedgerAnswerTests: PackageFixtures {
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
}
