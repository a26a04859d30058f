import Foundation
import Testing

@Suite("What is made of secrets")
struct MadeOfSecretsTests: SecretSpecs {
    let scratch: Scratch, dump: String, spec: [String]

    @Test("A note on what a step replaces quotes nothing secret, and tells of what is none")
    func notes() throws {
        try Self(
            steps: """
                  - {id: a, from: app/account, type: dictionary, do: [{add: {password: none, pin: 0, theme: none}, exists: replace}], to: app/one}
                  - {id: b, from: app/account, type: dictionary, do: [{rename: {password: open, pin: mark}}, {add: {open: none, mark: 0}, exists: replace}], to: app/two}
                """
        ).check(shows: ["it was “seagreen”", "it was ‹masked"])
    }

    @Test("What a part of a document is made into says nothing of the parts beside it, and of itself on both sides")
    func besideParts() throws {
        let made = try Self(
            steps: """
                  - {id: theme, from: app/account#/theme, type: string, to: app/sessionToken}
                  - {id: pond, from: app/account#/pond, type: string, to: app/is_pond_session}
                  - {id: lake, from: app/account#/lake, type: string, do: [number], to: app/lakeToken}
                  - {id: nick, from: app/account#/nick, type: string, to: app/nick}
                """,
            entries: [
                "account": [
                    "password": "hunter2horse", "theme": "seagreen", "pond": "pool-07", "lake": "tarn-09",
                    "nick": "u7-of-them",
                ]
            ])
        for command in ["plan", "report", "apply", "report"] {
            let all = command == "apply" ? ["--all"] : ["-m", "made"]
            let text = try made.said([command, made.dump] + all + made.spec)
            #expect(!["seagreen", "pool-07", "tarn-09"].contains(where: text.contains), "\(text)")
            #expect(text.contains("u7-of-them") && text.contains("is not an integer"), "\(text)")
        }
        let report = try made.said(["report", made.dump, "-m", "made"] + made.spec, hasJSON: false)
        #expect(report.contains(/account#\/nick +"u7-of-them" +carried +nick +"u7-of-them"/), "\(report)")
    }

    @Test("Of several sources each target is as secret as those that it is made of, and they are as it is")
    func severalSources() throws {
        let made = try Self(
            steps: "  - {id: both, from: {a: app/nick, b: app/password}, to: {a: app/one, b: app/two}}",
            entries: ["nick": "u7-of-them", "password": "hunter2horse"])
        let rows = [/nick +"u7-of-them" +\w+ +one +"u7-of-them"/, /password +‹masked[^›]+› +\w+ +two +‹masked/]
        for command in ["report", "apply", "report"] {
            let all = command == "apply" ? ["--all"] : ["-m", "made"]
            let text = try made.said([command, made.dump] + all + made.spec, hasJSON: false)
            for row in command == "report" ? rows : [] { #expect(text.contains(row), "\(text)") }
        }
    }

    @Test("What a star leaves is masked with what it is for, also where a reason quotes it")
    func leftOfStar() throws {
        for (entries, operation) in [
            (["f.a": "greenlake", "f.b": "poolside", "sessionToken.b": "tarnwater"], ""),
            (["f.b": "poolside", "f.c": "greenlake"], ", do: [number]"), (["f.b": "poolside"], ", do: [number]"),
        ] {
            let made = try Self(
                steps: "  - {id: s, from: app/f.*, type: string\(operation), to: app/sessionToken.*}", entries: entries)
            for command in ["plan", "report", "status", "apply", "report", "status"] {
                let chosen = command == "apply" ? ["--all"] : command == "status" ? [] : ["-m", "made"]
                let text = try made.said([command, made.dump] + chosen + made.spec)
                #expect(!["greenlake", "poolside", "tarnwater"].contains(where: text.contains), "\(command): \(text)")
            }
            let report = try made.said(["report", made.dump, "-m", "made"] + made.spec, hasJSON: false)
            #expect(report.contains("‹masked string"), "\(report)")
        }
    }

    @Test("A source and what is made of it are both shown or both masked, where a file holds many")
    func bothSides() throws {
        let scratch = try Scratch(), dump = Places.fixture("sdk-rudderstack-v1.xcappdata")
        for more in [[], ["--fact", "writeKey=wk"]] {
            let report = try Program.run(["report", dump, "-m", "rudderstack-v1"] + more, in: scratch).text
            #expect(
                report.contains(/rl_anonymous_id +"4f8e6a3e-anon" +carried.* +anonymous_id +"4f8e6a3e-anon"/),
                "\(report)")
            let plan = try Program.run(["plan", dump, "-m", "rudderstack-v1", "--json"] + more, in: scratch).text
            // So is the part in the whole, which the last step takes away.
            let part = /"rl_anonymous_id": \{\s+"type": "string",\s+"value": "4f8e6a3e-anon"/
            #expect(plan.contains(part), "\(plan)")
        }
    }

    @Test(
        "A part of a value is as masked as it is in the whole, also where only what stands beside it says that it is secret"
    )
    func parts() throws {
        let row = [["name": "password", "value": "hunter2horse"], ["name": "theme", "value": "seagreen"]]
        let made = try Self(
            steps: "  - {id: a, from: \"app/row#/0/value\", to: app/one}",
            entries: ["row": row, "flags": ["--token", "tokaaa7bbb"]])
        for (part, isSecret) in [("row#/0/value", true), ("row#/1/value", false), ("flags#/1", true)] {
            let shown = try made.said(["show", made.dump, "defaults://com.acme.notes/" + part], hasLedger: false)
            #expect(shown.contains("masked string") == isSecret && shown.contains("seagreen") != isSecret, "\(shown)")
        }
        let script =
            ":migration made\nkey y v\nexpect \"copied\"\nkey y p\nscreen copied\nkey <Esc> <Enter>\nscreen more\nkey t\nscreen text\nkey t\nscreen hex\n"
        try made.scratch.write("copy.script", Data(script.utf8))
        try made.said(["run", made.scratch("copy.script"), made.dump] + made.spec, hasJSON: false)
    }

    @Test("What a spec calls secret is, and of a part that it calls none the rest is not opened")
    func marked() throws {
        let made = try Self(
            steps: """
                  - {id: a, from: app/diary, type: string, to: app/journal, secret: true}
                  - {id: b, from: app/session#/session_token_number, type: integer, to: app/token_count, secret: false}
                """,
            entries: [
                "diary": "hunter2horse", "session": ["session_token_number": 12_345, "token": "TokAaa7Bbb"],
            ])
        for command in [["plan", "-m", "made"], ["report"], ["apply", "--all"], ["log"], ["report"]] {
            try made.said([command[0], made.dump] + command.dropFirst() + made.spec)
        }
        for entry in ["diary", "journal"] {
            try made.said(["show", made.dump, "defaults://com.acme.notes/\(entry)"] + made.spec)
        }
        let session = try made.said(["show", made.dump, "defaults://com.acme.notes/session"] + made.spec)
        #expect(session.contains("12345") && session.contains("masked"), "\(session)")
    }

    @Test("Once the dump has changed, what was made of what nobody knows any more is masked, and shown when it is back")
    func outdated() throws {
        let made = try Self(
            steps: """
                  - {id: a, from: app/account, type: dictionary, do: [{rename: {password: open, pin: mark}}], to: app/one}
                  - {id: b, from: app/account, type: dictionary, do: [{pick: password}], to: app/two}
                """)
        #expect(try made.said(["plan", made.dump, "-m", "made"] + made.spec).contains("seagreen"))
        try made.said(["apply", made.dump, "--all"] + made.spec)
        let script = "screen first\nkey j\nscreen second\n"
        try made.scratch.write("look.script", Data(script.utf8))
        let file = URL(fileURLWithPath: made.dump + "/AppData/Library/Preferences/com.acme.notes.plist")
        let original = try Data(contentsOf: file)
        for other in [["password": "another", "pin": 1, "theme": "sea"] as [String: Any]?, nil] {
            try made.scratch.set("account", to: other, in: made.dump)
            for arguments in [["log"], ["report"], ["plan", "-m", "made"] + made.spec] {
                try made.said([arguments[0], made.dump] + arguments.dropFirst())
            }
            for key in ["one", "two"] {
                let shown = try made.said(["show", made.dump, "defaults://com.acme.notes/\(key)"])
                #expect(!shown.contains("seagreen"), "\(shown)")
            }
            let screens = try Program.run(
                ["run", made.scratch("look.script"), made.dump] + made.spec + made.ledger, in: made.scratch)
            #expect(
                screens.code == 0 && !screens.text.contains("hunter2") && screens.text.contains("masked"),
                "\(screens.text) \(screens.errors)")
        }
        try original.write(to: file)
        #expect(try made.said(["log", made.dump]).contains("seagreen"))
        try made.scratch.set("account", to: nil, in: made.dump)
        try made.said(["rollback", made.dump, "--all"])
        try made.said(["log", made.dump])
    }
}
