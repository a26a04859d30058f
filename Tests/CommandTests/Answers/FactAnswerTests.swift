import Foundation
import Testing

@Suite("Facts on the command line")
struct FactAnswerTests: LegacyNotes {
    private func fact(_ name: String, of answer: Answer) -> [String: String]? {
        (answer.content["facts"] as? [String: Any])?[name] as? [String: String]
    }

    @Test("What is applied is shown as the ledger holds it, whatever facts are given since")
    func otherFacts() throws {
        let scratch = try Scratch(), given = ["--facts", Places.facts], ledger = ["--workspace", scratch("l")]
        let migration = ["-m", "rudderstack-v2"]
        _ = try Program.run(["apply", Self.legacy, "--all"] + migration + given + ledger, in: scratch)
        let plan = try Program.run(
            ["plan", Self.legacy, "--fact", "writeKey=other"] + migration + ledger, in: scratch
        ).text
        #expect(plan.contains(/session_id\n +from +[^\n]+\n +after +"1724990100"/), "\(plan)")
        let script = ":fact writeKey=other\nexpect \"/session_id  \\\"1724990100\\\"\"\n"
        let run = try Program.run(
            ["run", "-", Self.legacy, "--size", "120x40"] + migration + ledger, in: scratch, input: script)
        #expect(run.code == 0, "\(run.text) \(run.errors)")
    }

    @Test(
        "A write key that can be part of no file's name is refused where it is given",
        arguments: ["../../etc", "a/b", "x*128"])
    func badWriteKey(key: String) throws {
        let key = key == "x*128" ? String(repeating: "x", count: 129) : key
        let run = try Program.run(
            ["plan", Self.legacy, "-m", "rudderstack-v2", "--fact", "writeKey=\(key)"], in: Scratch())
        #expect(run.code == 64 && run.text.isEmpty && run.errors.contains("writeKey"), "\(run.errors)")
    }

    @Test(
        "A write key is seen where an address needs it, in the address and as its fact; the entry that keeps it is masked"
    )
    func writeKey() throws {
        let scratch = try Scratch(), stored = "defaults://com.acme.notes/rs_server_config#/source/_writeKey"
        func run(_ arguments: String...) throws -> String { try Program.run(arguments, in: scratch).text }
        let plan = try run("plan", Self.legacy, "-m", "rudderstack-v2")
        #expect(plan.contains("writeKey is wk-1a2b3c") && plan.contains(".wk-1a2b3c/"), "\(plan)")
        for text in [try run("show", Self.legacy, stored), try run("show", Self.legacy, stored, "--json")] {
            #expect(text.contains("masked") && !text.contains("wk-1a2b3c"), "\(text)")
        }
    }

    @Test("A fact of --fact goes before one of --facts, that before one of the dump")
    func precedence() throws {
        let scratch = try Scratch()
        try scratch.write("given", Data("# facts\nnow=1725000000\nuptime = 10\nbundleIdentifier=com.acme.other\n".utf8))
        let plain = try plan([Self.legacy])
        #expect(fact("bundleIdentifier", of: plain) == ["value": "com.acme.notes", "from": "AppDataInfo.plist"])
        #expect(fact("now", of: plain)?["from"]?.hasPrefix("assumed: the dump was made then") == true)
        let address = "defaults://com.acme.notes/rs_server_config#/source/_writeKey"
        #expect(fact("writeKey", of: plain) == ["value": "wk-1a2b3c", "from": "inferred from \(address)"])
        let output = try Program.run(["plan", Self.legacy, "-m", "rudderstack-v2"], in: scratch).output
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.contains("\n  writeKey is wk-1a2b3c   inferred from \(address)\n"))
        #expect(!text.contains("bundleIdentifier is"), "what the dump says of itself is no guess")
        let file = try plan([Self.legacy, "--facts", scratch("given")])
        #expect(fact("bundleIdentifier", of: file) == ["value": "com.acme.other", "from": "given"])
        #expect(fact("uptime", of: file) == ["value": "10", "from": "given"])
        let both = try plan([Self.legacy, "--facts", scratch("given"), "--fact", "now=2"])
        #expect(fact("now", of: both) == ["value": "2", "from": "--fact"])
        #expect(fact("uptime", of: both) == ["value": "10", "from": "given"])
    }

    @Test(
        "A missing fact blocks the steps that need it, and no others",
        arguments: [
            ("uptime", ["last-activity-time"]), ("identifierForVendor", ["anonymous-id"]),
        ])
    func missing(name: String, blocked: [String]) throws {
        let facts = [
            "now=1725000000", "uptime=10000", "writeKey=wk", "identifierForVendor=9B574574-74A7-4EDF-969D-164CB151B6C3",
        ]
        let given = facts.filter { !$0.hasPrefix(name) }.flatMap { ["--fact", $0] }
        let steps = try plan([Self.legacy] + given).objects("steps").filter { $0["outcome"] as? String == "blocked" }
        #expect(steps.map { $0["id"] as? String } == blocked)
        #expect(steps.allSatisfy { ($0["reason"] as? [String: Any])?["missingFacts"] as? [String] == [name] })
        let text = try Program.run(["plan", Self.legacy] + given, in: Scratch()).text
        #expect(text.contains("--fact \(name)="), "it says how to give it")
    }

    @Test(
        "A fact that is none is refused, saying what would be right",
        arguments: [
            (["--fact", "now"], "NAME=VALUE"), (["--fact", "=1"], "NAME=VALUE"),
            (["--fact", "now=soon"], "a number of seconds"),
            (["--fact", "identifierForVendor=x"], "a UUID"), (["--fact", "writeKey="], "must be a name"),
            (["--facts", "nowhere"], "nowhere cannot be read"), (["--facts", "Fixtures"], "it is a folder"),
            (["--facts", "Fixtures/build.py"], "line 2"),
        ])
    func badFacts(options: [String], says: String) throws { try expectRefused(["plan"], options, says) }

    @Test(
        "It is refused by the other subcommands of an app's dump too",
        arguments: [
            ["inspect"], ["show"], ["apply", "--all", "-m", "rudderstack-v2"], ["rollback", "--all"], ["status"],
            ["log"], ["verify"], ["report"], ["export", "--to", "{scratch}/out"], ["open"], ["run", "-"],
        ])
    func badFact(command: [String]) throws {
        try expectRefused(command, ["--fact", "identifierForVendor=x"], "a UUID")
        try expectRefused(command, ["--facts", "nowhere"], "nowhere cannot be read")
    }

    private func expectRefused(_ command: [String], _ options: [String], _ says: String) throws {
        let scratch = try Scratch(), command = command.map { $0.replacing("{scratch}", with: scratch("")) }
        let run = try Program.run(command + [Self.legacy] + options, in: scratch)
        #expect(run.code == 64 && run.output.isEmpty && run.errors.contains(says), "\(command) \(run.errors)")
    }

    @Test("A file of facts may be a pipe that a shell makes, or standard input; one with a name is refused")
    func pipes() throws {
        let scratch = try Scratch(), program = try #require(Program.path)
        try scratch.write("facts", Data("writeKey = wk-piped\n".utf8))
        for facts in ["<(cat \"\(scratch("facts"))\")", "- < \"\(scratch("facts"))\""] {
            let line = "\"\(program)\" plan \"\(Self.legacy)\" -m rudderstack-v2 --facts \(facts)"
            let run = try Program.execute("/bin/bash", ["-c", line], in: scratch)
            #expect(run.text.contains("wk-piped"), "\(facts) \(run.errors)")
        }
        #expect(mkfifo(scratch("pipe"), 0o600) == 0)
        let run = try Program.run(["plan", Self.legacy, "--facts", scratch("pipe")], in: scratch)
        #expect(run.code == 64 && run.errors.contains("named pipe"), "\(run.errors)")
    }

    @Test("Times are given as people write them, on the command line and in a file of facts alike")
    func times() throws {
        let scratch = try Scratch()
        func facts(_ options: [String]) throws -> [String: [String: Any]] {
            let answer = try Answer(
                Program.run(["plan", Self.legacy, "--json", "-m", "rudderstack-v2"] + options, in: scratch).output)
            return answer.content["facts"] as? [String: [String: Any]] ?? [:]
        }
        try scratch.write("facts", Data("now = 3h after the dump\nuptime = since 2024-08-30 06:00\n".utf8))
        let file = try facts(["--facts", scratch("facts")])
        let line = try facts(["--fact", "now=3h after the dump", "--fact", "uptime=since 2024-08-30 06:00"])
        for name in ["now", "uptime"] {
            #expect(file[name]?["value"] as? String == line[name]?["value"] as? String && line[name] != nil)
        }
        #expect(line["now"]?["from"] as? String == "--fact: 3h after the dump")
        let bad = try Program.run(["plan", Self.legacy, "--fact", "now=2024-08-30x10:00"], in: scratch)
        #expect(bad.code == 64 && bad.errors.contains("3h after the dump") && bad.errors.contains("2024-08-30 10:00"))
    }
}
