import Foundation
import Testing

@Suite("What a spec writes out is masked where it is a secret")
struct SecretRuleTests: SecretSpecs {
    let scratch: Scratch, dump: String, spec: [String]

    @Test("What a row with stars says is secret is masked, planned, applied and taken back")
    func starredSecrets() throws {
        let made = try Self(
            steps: "  - {id: s, from: app/nick.*, to: app/shown.*, secret: true}",
            entries: ["nick.a": "hunter2horse", "nick.b": "Hunter2horse too"])
        // Without the spec nothing says so.
        for command in ["plan", "report", "apply", "log", "report", "rollback", "log"] {
            let more = ["plan": ["-m", "made"], "apply": ["--all"], "rollback": ["--all"]][command] ?? []
            let text = try made.said([command, made.dump] + more + made.spec)
            #expect(text.contains("nick.a") || command == "rollback", "\(text)")
        }
        try made.said(["inspect", made.dump] + made.spec, hasLedger: false)
        try made.said(["show", made.dump, "defaults://com.acme.notes/nick.b"] + made.spec)
    }

    @Test("What a spec says is secret is so where a name in its address is unknown, and where the spec does not apply")
    func unknownSecrets() throws {
        let made = try Self(
            steps: "  - {id: s, from: \"app/nick.{who}\", to: app/shown, secret: true}",
            facts: "{who: {type: name, about: who}}", entries: ["nick.me": "hunter2horse"])
        for command in [["inspect", made.dump], ["show", made.dump, "defaults://com.acme.notes/nick.me"]] {
            try made.said(command + made.spec, hasLedger: false)
        }
        let idle = try Self(
            steps: "  - {id: s, from: app/nick, to: app/shown, secret: true}", entries: ["nick": "hunter2horse"],
            applies: "[app/none exists]")
        for command in [["inspect"], ["plan", "-m", "made"], ["report", "-m", "made"]] {
            try idle.said([command[0], idle.dump] + command.dropFirst() + idle.spec, hasLedger: false)
        }
    }

    @Test("What a spec says is no secret is none, also with a star; a word of a secret row is no part of an address")
    func openRows() throws {
        let made = try Self(
            steps: """
                  - {id: a, from: app/password.*, to: app/shown.*, secret: false}
                  - {id: d, from: app/passp*, to: app/other*, secret: false, except: [app/passphrase]}
                  - {id: b, from: app/answer, do: [{table: {green: 1, blue: 2}}], to: app/answer2, secret: true}
                  - {id: c, from: app/count.green, to: app/n}
                """,
            entries: [
                "password.a": "openhorse", "passphrase": "hunter2horse", "count.green": "7", "answer": "blue",
            ])
        let text = try made.said(["inspect", made.dump] + made.spec, hasLedger: false)
        #expect(text.contains("openhorse"), "\(text)")
        let plan = try made.said(["plan", made.dump, "-m", "made"] + made.spec)
        #expect(plan.contains("openhorse") && !plan.contains("‹masked string, 1 character›"), "\(plan)")
        let report = try made.said(["report", made.dump, "-m", "made"] + made.spec)
        #expect(report.contains("count.green"), "\(report)")
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
}
