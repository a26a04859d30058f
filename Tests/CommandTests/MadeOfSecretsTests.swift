import Foundation
import StoreFormats
import TestSupport
import Testing

/// What a step makes of a secret, by a spec of a few steps, in every answer.
@Suite("What is made of secrets")
struct MadeOfSecretsTests {
    private let scratch: Scratch, dump: String, spec: [String]
    private static let secrets = ["hunter2horse", "739154", "tokaaa7bbb"]

    private init(steps: String, facts: String = "{}", entries: [String: Any] = [:]) throws {
        scratch = try Scratch()
        dump = try scratch.copy("notes-legacy.xcappdata")
        let account: [String: Any] = ["password": "hunter2horse", "pin": 739_154, "theme": "seagreen"]
        for (key, value) in entries.merging(["account": account], uniquingKeysWith: { own, _ in own }) {
            try scratch.set(key, to: value, in: dump)
        }
        let text = """
            vestige: migration/1
            id: made
            title: Made of secrets
            apps: [com.acme.notes]
            stores: {app: defaults://com.acme.notes}
            facts: \(facts)
            steps:
            \(steps)
            """
        try scratch.write("made.yaml", Data(text.utf8))
        spec = ["--spec", scratch("made.yaml")]
    }

    init() throws { try self.init(steps: "  []") }

    /// What a command says, after it is made sure that no secret is in it.
    @discardableResult
    private func said(
        _ arguments: [String], hasJSON: Bool = true, hasLedger: Bool = true, _ line: Int = #line
    ) throws -> String {
        var all = ""
        for form in hasJSON ? [[], ["--json"]] : [[]] {
            let run = try Program.run(arguments + (hasLedger ? ledger : []) + form, in: scratch),
                text = run.text + run.errors
            for secret in Self.secrets {
                #expect(!text.lowercased().contains(secret), "line \(line): \(arguments) \(text)")
            }
            all += text
        }
        return all
    }

    /// All answers that tell of what the steps make: planned, applied, without the spec, and taken back.
    private func check(_ more: [String] = [], shows: [String] = []) throws {
        var text = try said(["plan", dump, "-m", "made"] + spec + more)
        text += try said(["report", dump] + spec + more)
        text += try said(["apply", dump, "--all", "--assume"] + spec + more)
        for arguments in [["log", dump], ["report", dump], ["log", dump] + spec] { text += try said(arguments) }
        text += try said(["rollback", dump, "--all"])
        text += try said(["log", dump])
        for word in shows { #expect(text.contains(word), "\(word) in \(text)") }
    }

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

    @Test("What a reason quotes is masked when its step is applied as it is in the plan")
    func besideInReasons() throws {
        let made = try Self(
            steps: """
                  - {id: theme, from: app/account#/theme, type: string, to: app/sessionToken}
                  - {id: all, from: app/account, type: string, do: [number], to: app/whole}
                """,
            entries: ["account": #"{"theme":"seagreen","nick":"u7-of-them"}"#])
        for command in ["plan", "report", "apply", "apply", "report"] {
            let all = command == "apply" ? ["--all"] : ["-m", "made"]
            let text = try made.said([command, made.dump] + all + made.spec)
            #expect(!text.contains("seagreen") && text.contains(/‹masked[^›]+› is not an integer/), "\(text)")
        }
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

    @Test("What a removal quotes of what a star has left is masked as it is there")
    func quotedByRemovals() throws {
        for removal in ["every source", "[app/password.*]"] {
            let made = try Self(
                steps: """
                      - {id: r, from: app/password.*, type: string, do: [number], to: app/one.*}
                      - {id: rm, remove: \(removal)}
                    """, entries: ["password.a": "hunter2horse", "password.b": "tokaaa7bbb"])
            try made.said(["status", made.dump] + made.spec)
            try made.check(shows: [
                "stays, as nothing has taken it on: ", "a: ‹masked string, 12 characters› is not an",
            ])
        }
    }

    @Test("What is lost that would have gone where a secret is stays masked once it is applied, and taken back")
    func lostOnTheWay() throws {
        for (source, target) in [("app/f.*", "app/password.*"), ("app/f.a", "app/password")] {
            let made = try Self(
                steps: """
                      - {id: r, from: \(source), type: string, do: [number], to: \(target)}
                      - {id: rm, remove: every source, unmigrated: remove}
                    """, entries: ["f.a": "hunter2horse"])
            let spec = ["-m", "made"] + made.spec
            for command in [
                ["plan", made.dump] + spec, ["report", made.dump] + spec, ["apply", made.dump, "--all"] + made.spec,
                ["plan", made.dump] + spec, ["report", made.dump] + spec, ["log", made.dump] + made.spec,
                ["status", made.dump] + made.spec, ["rollback", made.dump, "--all"] + made.spec,
                ["log", made.dump] + made.spec,
            ] {
                let said = try made.said(command)
                if command[0] == "log" { #expect(said.contains("‹masked string, 12 characters› is not an"), "\(said)") }
            }
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

    @Test("What a spec writes out is masked where it looks like a secret, in rules, notes and lists, and else shown")
    func literals() throws {
        let made = try Self(
            steps: """
                  - {id: a, value: hunter2horse, to: app/passphrase}
                  - {id: b, from: app/account, type: dictionary, do: [{pick: [theme]}, {add: {apiKey: tokaaa7bbb, email: "---"}}], to: app/two}
                  - {id: c, from: app/account, type: dictionary, do: [{pick: [theme]}, {add: {secretWord: hunter2horse}}], if: [app/none exists], to: app/three}
                """)
        try made.check(shows: ["always \"‹masked", "nobody entered ‹masked", "adds /email as \"---\", a placeholder"])
        for arguments in [["migrations", "made"], ["migrations", "made:default"], ["migrations"]] {
            try made.said(arguments + made.spec, hasLedger: false)
        }
        #expect(try made.said(["migrations", "made"] + made.spec, hasLedger: false).contains("adds /email as \"---\""))
    }

    @Test("The reason of a calculation that fails quotes no number that is secret")
    func numbers() throws {
        try Self(
            steps: """
                  - {id: a, from: app/account, type: dictionary, do: [{pick: pin}, {scale: {times: 170141183460469231731687303715884105727}}], to: app/one}
                """
        ).check(shows: ["is beyond 128 bits"])
    }

    @Test("A fact is as secret as its name, and as the entry that it was inferred from; so is what is made with it")
    func facts() throws {
        try Self(
            steps: """
                  - {id: a, from: fact/word, to: app/one}
                  - {id: b, from: fact/loud, to: app/two}
                  - {id: c, from: fact/apiPassword, do: [{fill: "k {value}"}], to: app/three}
                  - {id: d, from: app/account, type: dictionary, do: [{add: {extra: "{apiPassword}"}}], to: app/four}
                """,
            facts: """

                  word: {type: string, about: a word, example: eg, infer: "defaults://com.acme.notes/account#/password"}
                  loud: {type: string, about: it in capitals, example: eg, from: fact/word, do: [{case: upper}]}
                  apiPassword: {type: string, about: the word of the API, example: eg}
                """
        ).check(["--fact", "apiPassword=TokAaa7Bbb"], shows: ["apiPassword", "masked"])
    }

    @Test("A fact is as secret as what stands beside its entry, and as the texts and formats in it say; so is a reason")
    func inferredFacts() throws {
        try Self(
            steps: """
                  - {id: a, from: fact/word, to: app/one}
                  - {id: b, from: fact/blob, do: [{decode: json}, {pick: password}], to: app/two}
                  - {id: c, from: fact/line, do: [{strip: {prefix: "password="}}], to: app/three}
                  - {id: d, from: fact/pw, do: [number], to: app/four}
                """,
            facts: """

                  word: {type: string, about: a word, example: eg, infer: "defaults://com.acme.notes/row#/value"}
                  blob: {type: string, about: a text, example: eg, infer: "defaults://com.acme.notes/blob"}
                  line: {type: string, about: a line, example: eg, infer: "defaults://com.acme.notes/line"}
                  pw: {type: string, about: a word, example: eg, infer: "defaults://com.acme.notes/account#/password"}
                """,
            entries: [
                "row": ["name": "password", "value": "hunter2horse"], "line": "password=TokAaa7Bbb",
                "blob": #"{"password":"hunter2horse"}"#,
            ]
        ).check(shows: ["masked", "is not an integer"])
    }

    @Test("The reason of a step that fails on a secret fact quotes nothing of it, also where nothing else was done")
    func reasonsOfFacts() throws {
        let made = try Self(
            steps: "  - {id: a, from: fact/pw, do: [number], to: app/one}",
            facts: """

                  pw: {type: string, about: a word, example: eg, infer: "defaults://com.acme.notes/account#/password"}
                """)
        try made.check(shows: ["is not an integer"])
        let test = try Program.run(["specs", "test", made.scratch("made.yaml"), made.dump], in: made.scratch)
        #expect(
            !(test.text + test.errors).contains("hunter2") && test.text.contains("is not an integer"), "\(test.text)")
    }

    @Test("A fact that stores are named after is shown, and a secret number masks no other number")
    func harmlessFacts() throws {
        let made = try Self(
            steps: """
                  - {id: a, from: fact/apiKey, to: app/one}
                  - {id: b, from: fact/pin, to: app/two}
                  - {id: c, from: app/version, type: integer, to: app/version_two}
                """,
            facts: """

                  apiKey: {type: name, about: the key, example: eg}
                  pin: {type: integer, about: the number of the card, example: "12"}
                """, entries: ["version": 4321])
        let facts = ["--fact", "apiKey=acme-1a2b3c", "--fact", "pin=739154"]
        try made.check(facts, shows: ["acme-1a2b3c", "4321"])
    }

    @Test(
        "What steps were applied with, and what the inspector asks and says, quotes no secret fact, applied or given now"
    )
    func departures() throws {
        let made = try Self(
            steps: """
                  - {id: a, value: "{w1}", to: app/one}
                  - {id: b, value: "{w1}", to: app/two}
                  - {id: c, from: app/account, do: [{pick: password}, {table: {a: b}}], to: app/three}
                """,
            facts: """

                  w1: {type: string, about: a word, example: eg, infer: "defaults://com.acme.notes/account#/password"}
                """)
        let scratch = made.scratch
        // Asked about, put into the line to be changed, applied, and failed on.
        let script = """
            :migration made
            key a
            screen asked
            expect "it is only assumed that w1 is ‹masked string, 12 characters›"
            key f
            screen line
            key <Esc>
            :apply
            key y
            expect-step a applied
            :fact w1=seamist
            key a
            screen departed
            expect "applied with w1 ‹masked"
            fails :apply c
            screen failed
            expect "is not in the table"
            """
        try scratch.write("ask.script", Data(script.utf8))
        let size = ["--size", "200x50"]
        try made.said(["run", scratch("ask.script"), made.dump] + made.spec + size, hasJSON: false)
        try made.said(["apply", made.dump, "-m", "made", "--step", "a", "--assume"] + made.spec)
        let other = made.spec + ["--fact", "w1=seamist"]
        for command in [["plan", "-m", "made"], ["plan"], ["status"], ["report"], ["apply", "--all", "-m", "made"]] {
            let text = try made.said([command[0], made.dump] + command.dropFirst() + other)
            #expect(text.contains("applied with w1 ‹masked string, 12 characters›, which now is"), "\(text)")
        }
    }

    @Test(
        "What was made of a fact stays masked when the place that it was inferred from is another one or gone, as the fact does"
    )
    func outdatedFacts() throws {
        let row = [["name": "password", "value": "hunter2horse"], ["name": "pin", "value": "tokaaa7bbb"]]
        let made = try Self(
            steps: """
                  - {id: a, from: fact/w1, to: app/one}
                  - {id: b, from: fact/w1, do: [{case: upper}], to: app/two}
                """,
            facts: """

                  w1: {type: string, about: a word, example: eg, infer: "defaults://com.acme.notes/row#/0/value"}
                """, entries: ["row": row])
        let apply = ["apply", made.dump, "-m", "made", "--all"] + made.spec
        #expect(try made.said(apply).contains("w1 is ‹masked string, 12 characters›"), "it is asked about")
        try made.said(apply + ["--assume"])
        try made.scratch.write(
            "look.script", Data("screen first\nkey w\nscreen warnings\nkey <Esc> j <Enter>\nscreen more\n".utf8))
        let other = made.spec + ["--fact", "w1=seamist"]
        for row in [[["name": "seat", "value": "bow"]], nil] {
            try made.scratch.set("row", to: row, in: made.dump)
            for command in [["log"], ["report"], ["plan", "-m", "made"], ["status"]] {
                try made.said([command[0], made.dump] + command.dropFirst() + made.spec)
                if command != ["log"] { try made.said([command[0], made.dump] + command.dropFirst() + other) }
            }
            for key in ["one", "two"] { try made.said(["show", made.dump, "defaults://com.acme.notes/\(key)"]) }
            for spec in [made.spec, other] {
                try made.said(["run", made.scratch("look.script"), made.dump] + spec, hasJSON: false)
            }
        }
        try made.said(["rollback", made.dump, "--all"])
    }

    @Test("What specs test and its JUnit say of what a star has left is masked as in the plan")
    func triedWithStars() throws {
        for (source, target) in [("password.*", "one.*"), ("f.*", "password.*")] {
            let made = try Self(
                steps: "  - {id: r, from: app/\(source), type: string, do: [number], to: app/\(target)}",
                entries: [source.replacing("*", with: "a"): "hunter2horse"])
            let file = made.scratch("tests.xml")
            let arguments = ["specs", "test", made.spec[1], made.dump, "--junit", file]
            let said = try made.said(arguments, hasLedger: false),
                written = try String(contentsOfFile: file, encoding: .utf8)
            for text in [said, written] {
                #expect(text.contains("‹masked string, 12 characters› is not an integer"), "\(text)")
                #expect(!text.contains("hunter2"), "\(text)")
            }
        }
    }

    @Test(
        "What specs test says of copies of a secret that an expectation gives is masked, and why nothing is there is told"
    )
    func givenSecrets() throws {
        let made = try Self(
            steps: """
                  - {id: a, from: app/password, to: app/one}
                  - {id: b, from: app/password, do: [{fill: "is {value}"}], to: app/two}
                  - {id: c, from: app/n.*, type: integer, to: app/m.*}
                expect:
                  - {name: e, given: {app/password: hunter2horse, app/n.k: "no"}, gives: {app/one: x, app/two: x, app/m.k: 1}}
                """, entries: [:])
        let said = try made.said(["specs", "test", made.spec[1]], hasLedger: false)
        #expect(said.contains("m.k: “1” is expected, and there is nothing; c failed"), "\(said)")
        #expect(!said.contains("hunter2"), "\(said)")
    }

    @Test(
        "A list that is no property list, what specs test says of marked entries, and why compare misses one quote no secret"
    )
    func reasonsElsewhere() throws {
        let made = try Self(
            steps: """
                  - {id: a, from: app/account, do: [{pick: password}, number], to: app/one}
                  - {id: b, from: app/diary, do: [number], to: app/two, secret: true}
                """, entries: ["diary": "tokaaa7bbb"])
        let new = try made.scratch.copy("notes-legacy.xcappdata", to: "new.xcappdata")
        try made.scratch.set("one", to: 1, in: new)
        try made.scratch.set("two", to: 1, in: new)
        let compared = try made.said(["compare", made.dump, new, "-m", "made"] + made.spec, hasLedger: false)
        #expect(compared.contains("which would write here, is failed"), "\(compared)")
        let tested = try made.said(["specs", "test", made.spec[1], made.dump], hasLedger: false)
        #expect(tested.contains("is not an integer"), "\(tested)")
        let file = made.dump + "/AppData/Library/Preferences/com.acme.notes.plist"
        for content in [
            "<key>password</key><integer>hunter2horse</integer>", "<key>p</key><string>a&hunter2horse;b</string>",
            "<key>p</key><string>a&#hunter2horse;b</string>", "<key>p</key><string>a<hunter2horse",
            "<key>password</key><date>hunter2horse</date>", "<key>password</key><data>hunter2horse!</data>",
        ] {
            try Data("<?xml version=\"1.0\"?><plist><dict>\(content)</dict></plist>".utf8)
                .write(to: URL(fileURLWithPath: file))
            for command in [["inspect"], ["plan"], ["report"], ["show", "defaults://com.acme.notes"]] {
                let text = try made.said(
                    [command[0], made.dump] + command.dropFirst(), hasLedger: false)
                #expect(text.contains("property list"), "\(text)")
            }
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

    @Test("A rule quotes no secret that a spec writes out, also beneath the change that it is of")
    func rules() throws {
        let made = try Self(
            steps: """
                  - {id: a, value: sk_live_51H8tokaaa7bbbcdefgh, to: app/apiKey}
                  - {id: b, from: app/account#/theme, type: string, do: [{table: {seagreen: sk_live_51H8tokaaa7bbbcdefgh}}], to: app/k}
                """)
        let text = try made.said(["plan", made.dump, "-m", "made"] + made.spec)
        #expect(
            text.contains("rule  always \"‹masked string") && text.contains("rule  seagreen → \"‹masked"), "\(text)")
        // Nor does the detail, which names what nobody has entered.
        try made.scratch.write("detail.script", Data(":migration made\nkey g <Enter>\nscreen detail\n".utf8))
        let detail = try made.said(
            ["run", made.scratch("detail.script"), made.dump] + made.spec, hasJSON: false)
        #expect(detail.contains("placeholder") && detail.contains("‹masked string"), "\(detail)")
    }

    @Test("What a default makes up of a secret is masked in the detail as in the plan, a whole entry or a part of one")
    func madeUpSecrets() throws {
        let made = try Self(
            steps: """
                  - {id: a, from: app/none, default: tokaaa7bbb, to: app/api.token}
                  - {id: b, value: tokaaa7bbb, to: app/password}
                  - {id: c, from: app/account, do: [{add: {secretKey: tokaaa7bbb, note: "---"}}], to: app/more}
                """)
        try made.scratch.write(
            "detail.script",
            Data(
                """
                :migration made
                key g <Enter>
                expect "placeholder ‹masked string, 10 characters›"
                screen whole
                key <Esc> j <Enter>
                expect "placeholder ‹masked string, 10 characters›"
                key <Esc> j <Enter>
                expect "secretKey: placeholder ‹masked string, 10 characters›"
                expect "note: placeholder \"---\""
                screen part
                """.utf8))
        let run = ["run", made.scratch("detail.script"), made.dump, "--size", "160x45"]
        try #expect(!made.said(run + made.spec, hasJSON: false).contains("expect"))
        try made.check()
    }

    @Test("What one migration calls a name is shown only where no other calls it something else")
    func severalMeanings() throws {
        let made = try Self(
            steps: "  - {id: a, from: fact/apiKey, to: app/one}",
            facts: "{apiKey: {type: string, about: the key, example: eg}}")
        let more = made.spec + ["--fact", "apiKey=hunter2horse"]
        for command in [["plan", "-m", "made"], ["report"], ["apply", "--all", "-m", "made"], ["log"], ["status"]] {
            try made.said([command[0], made.dump] + command.dropFirst() + more)
        }
    }

    @Test("What a rule names that an entry may hold is as secret as that, and where it is none it is told")
    func namedByRules() throws {
        for (source, more) in [
            ("app/password", ""), ("app/plain", ", secret: true"), ("keychain://com.acme.notes/k", ""),
            ("app/plain", ""),
        ] {
            let isOpen = source == "app/plain" && more.isEmpty, secret = isOpen ? "seamist" : "hunter2horse"
            let made = try Self(
                steps: """
                      - {id: a, from: \(source), type: string, do: [{table: {\(secret): "tokaaa7bbb, x", "73 9154": 1}}], to: app/one\(more)}
                      - {id: b, from: \(source), if: [value is \(secret)], do: [{strip: {prefix: \(secret)}}], to: app/two\(more)}
                      - {id: c, from: \(source), type: integer, if: [value is above 739154], do: [{table: {739154: 5}}], to: app/three\(more)}
                    """.replacing("tokaaa7bbb", with: isOpen ? "palegreen" : "tokaaa7bbb")
                        .replacing("739154", with: isOpen ? "739155" : "739154"),
                entries: ["password": "hunter2horse", "plain": secret])
            let commands = [["plan", made.dump, "-m", "made"] + made.spec, ["migrations", "made"] + made.spec]
            for command in commands {
                let said = try made.said(command, hasLedger: command[0] == "plan")
                for word in isOpen ? ["seamist → ", "“seamist”", "palegreen", "is above 739155"] : ["‹masked"] {
                    #expect(said.contains(word), "\(word) in \(said)")
                }
            }
            guard !isOpen else { continue }
            try made.said(["apply", made.dump, "--all"] + made.spec)
            for command in ["log", "report"] { try made.said([command, made.dump] + made.spec) }
        }
    }

    @Test("A rule of several targets is as secret as the most secret of what it is about, beside each of them")
    func ruleOfSeveral() throws {
        let made = try Self(
            steps: """
                  - {id: r, from: {a: app/plain, p: app/password}, do: [{in: {p: [{table: {hunter2horse: hello}}]}}], to: {a: app/one, p: app/two}}
                """, entries: ["password": "hunter2horse", "plain": "Ada"])
        try made.check()
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

    /// The ledger that the commands share, also with a script.
    private var ledger: [String] { ["--workspace", scratch("ledger")] }
}
