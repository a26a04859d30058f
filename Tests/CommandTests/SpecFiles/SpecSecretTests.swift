import Foundation
import Testing

@Suite("Secrets and passwords where a spec is used")
struct SpecSecretTests {
    @Test("What a step made of a secret is masked where it stands now, also when it is shown by itself")
    func madeOfSecret() throws {
        let scratch = try Scratch()
        try scratch.write(
            "move.yaml",
            Data(
                """
                vestige: migration/1
                id: move
                title: Move
                apps: [com.acme.notes]
                stores: {app: defaults://com.acme.notes}
                steps:
                  - {id: a, from: app/password, type: string, to: app/display}
                  - {id: b, from: app/display, type: string, to: app/shown}
                """.utf8))
        let dump = try scratch.copy("notes-legacy.xcappdata")
        try scratch.set("password", to: "hunter2horse", in: dump)
        let applied = try Program.run(["apply", dump, "--all", "--spec", scratch("move.yaml")], in: scratch)
        #expect(applied.code == 0 && !applied.text.contains("hunter2horse"), "\(applied.text) \(applied.errors)")
        for key in ["display", "shown"] {
            for form in [[], ["--json"]] {
                let run = try Program.run(["show", dump, "defaults://com.acme.notes/\(key)"] + form, in: scratch)
                #expect(
                    run.code == 0 && !run.text.contains("hunter2horse") && run.text.contains("asked"), "\(run.text)")
            }
        }
    }

    @Test(
        "A secret within a value is masked wherever a step puts it, in every answer, on the screen, and after it is taken back"
    )
    func secretWithin() throws {
        let scratch = try Scratch()
        try scratch.write(
            "move.yaml",
            Data(
                """
                vestige: migration/1
                id: move
                title: Move
                apps: [com.acme.notes]
                stores: {app: defaults://com.acme.notes}
                steps:
                  - {id: a, from: app/account, type: dictionary, do: [{rename: {password: open, pin: mark}}], to: app/opened}
                  - {id: b, from: app/opened, type: dictionary, do: [{rename: {open: wide}}, {encode: json}], to: app/state}
                  - {id: c, from: app/opened#/mark, type: integer, do: [text], to: app/marked}
                  - {id: d, from: app/opened, type: dictionary, do: [{pick: open}, {case: upper}], to: app/loud}
                  - {id: f, from: app/account, type: dictionary, do: [{pick: password}, {table: {a: 1}}], to: app/failed}
                  - {id: g, from: app/account, type: dictionary, do: [{pick: pin}, {table: {1: 1}}], to: app/failed2}
                  - {id: e, from: app/loud, type: string, to: app/moved, source: remove}
                """.utf8))
        let dump = try scratch.copy("notes-legacy.xcappdata")
        let account: [String: Any] = ["password": "hunter2horse", "pin": 739_154, "theme": "seagreen"]
        try scratch.set("account", to: account, in: dump)
        let ledger = ["--spec", scratch("move.yaml")]
        func check(_ arguments: [String], shows: String? = "seagreen") throws {
            for form in [[], ["--json"]] {
                let run = try Program.run(arguments + form, in: scratch), text = run.text + run.errors
                #expect(!text.lowercased().contains("hunter2horse") && !text.contains("739154"), "\(arguments) \(text)")
                if let shows, form != [] { #expect(text.contains(shows), "\(arguments) \(text)") }
            }
        }
        try check(["plan", dump, "-m", "move"] + ledger)
        try check(["report", dump] + ledger)
        try check(["apply", dump, "--all"] + ledger, shows: nil)
        try check(["log", dump] + ledger)
        try check(["plan", dump, "-m", "move"] + ledger)
        for key in ["opened", "state"] { try check(["show", dump, "defaults://com.acme.notes/\(key)"] + ledger) }
        try check(["show", dump, "defaults://com.acme.notes/marked"] + ledger, shows: "\"masked\": true")
        let script = "expect \"masked\"\n:apply all\nscreen first\nkey j\nscreen second\n:rollback\nscreen third\n"
        try scratch.write("look.script", Data(script.utf8))
        let screens = try Program.run(["run", scratch("look.script"), dump] + ledger, in: scratch)
        #expect(
            screens.code == 0 && !screens.text.contains("hunter2") && !screens.text.contains("739154"),
            "\(screens.text) \(screens.errors)")
        try check(["rollback", dump, "--all"] + ledger, shows: nil)
        try check(["log", dump] + ledger)
        let shown = try Program.run(["show", dump, "defaults://com.acme.notes/account", "--reveal"], in: scratch)
        #expect(shown.text.contains("hunter2horse") && shown.text.contains("739154"))
    }

    @Test(
        "An empty text that goes to an item is told where the form of the export does not tell it from a locked one, and when the item can be read"
    )
    func emptySecret() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-empty.xcappdata", to: "d.xcappdata")
        try scratch.set("token", to: "", in: dump)
        let item =
            #"[{"service": "own", "account": "a", "dataHex": "6f", "entitlement_group": "ABCDE12345.com.acme.notes"}]"#
        try scratch.write("d.xcappdata/keychain.json", Data(item.utf8))
        try scratch.write(
            "s.yaml",
            Data(
                """
                vestige: migration/1
                id: s
                stores: {app: defaults://com.acme.notes}
                steps:
                - id: token
                  from: app/token
                  to: {at: keychain://com.acme.notes/token, accessible: after-first-unlock, device-only: true}
                  source: remove
                """.utf8))
        func run(_ arguments: String...) throws -> Program.Run {
            try Program.run(arguments + ["--spec", scratch("s.yaml")], in: scratch)
        }
        let told = "objection JSON does not tell an empty secret from one that was locked"
        let access = "the item can be read after the first unlock, on this device only (cku)"
        for command in [["plan"], ["apply", "--all"]] {
            let text = try Program.run(command + [dump, "--spec", scratch("s.yaml")], in: scratch).text
            #expect(text.contains("an export of this dump cannot say it: \(told)"), "\(text)")
            #expect(text.contains(access), "\(text)")
        }
        #expect(try run("verify", dump).code == 0)
        let export = try run("export", dump, "--to", scratch("out"))
        #expect(export.code == 0 && export.text.contains("keychain.json: \(told)"), "\(export.text)")
        #expect(!export.text.contains("left out"), "\(export.text)")
        let test = try Program.run(["specs", "test", scratch("s.yaml"), dump], in: scratch)
        #expect(test.code == 0, "\(test.text)\(test.errors)")
        let report = try run("report", dump)
        #expect(report.text.contains(access) && report.text.contains(told), "\(report.text)")
    }

    @Test("specs test quotes no secret of a dump: neither where it is, nor where a step has put it; --reveal shows it")
    func trialSecrets() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        try scratch.set("password", to: "hunter2horse", in: dump)
        try scratch.set("account", to: ["token": "seagreen4711"], in: dump)
        try scratch.write(
            "s.yaml",
            Data(
                """
                vestige: migration/1
                id: s
                stores: {app: defaults://com.acme.notes}
                steps:
                - {id: a, from: app/password, type: string, to: app/shown}
                - {id: b, from: app/password, type: string, do: [{table: {one: 1}}], to: app/number}
                - {id: c, from: app/account, type: dictionary, do: [{pick: token}], to: app/picked}
                - {id: d, from: app/account, type: dictionary, do: [{pick: token}, {table: {one: 1}}], to: app/numbered}
                expect:
                - name: x
                  fixture: notes-legacy.xcappdata/
                  gives: {app/shown: other, app/picked: other}
                  outcomes: {b: migrates, d: migrates}
                """.utf8))
        let arguments = ["specs", "test", scratch("s.yaml"), dump, "--junit", scratch("junit.xml")]
        let run = try Program.run(arguments, in: scratch)
        let junit = try String(contentsOfFile: scratch("junit.xml"), encoding: .utf8)
        #expect(run.code == 5 && run.text.contains("is expected, and there is"), "\(run.text)\(run.errors)")
        #expect(run.text.contains("is not in the table"), "\(run.text)")
        for secret in ["hunter2horse", "seagreen4711"] {
            #expect(!run.text.contains(secret) && !junit.contains(secret), "\(run.text)\(junit)")
        }
        let revealed = try Program.run(arguments + ["--reveal"], in: scratch)
        #expect(revealed.text.contains("there is “hunter2horse”"), "\(revealed.text)")
    }

    @Test("specs lint finds secrets by the names that they go by, as a person writes them")
    func lintSecrets() throws {
        let scratch = try Scratch()
        let text = """
            vestige: migration/1
            id: x
            stores: {app: defaults://com.acme.notes}
            steps:
            - {id: a, value: hunter2abcX9, to: app/password}
            - {id: b, value: {password: hunter2abcX9}, to: app/x}
            - {id: c, value: sepia, to: app/theme}
            expect:
            - name: first
              given: {app/password: hunter2abcX9, app/api_token: zz81kkd93mAAq, app/theme: white}
              gives: {app/password: hunter2abcX9, app/secret: absent}
            """
        try scratch.write("s.yaml", Data(text.utf8))
        let run = try Program.run(["specs", "lint", scratch("s.yaml")], in: scratch)
        let lines = run.text.split(separator: "\n").filter { $0.contains("V506") }
            .compactMap { $0.split(separator: ":").dropFirst().first }.map(String.init)
        #expect(run.code == 0 && lines == ["5", "6", "10", "10", "11"], "\(run.text)")
    }

    @Test(
        "One password on standard input opens both dumps of a pair; lint and test of a spec open what is encrypted too")
    func passwords() throws {
        let scratch = try Scratch(), backup = Places.fixture("backup-encrypted"), input = "test\n"
        try scratch.write(
            "s.yaml",
            Data(
                "vestige: migration/1\nid: x\nsteps: [{id: a, from: defaults://com.acme.notes/a, to: defaults://com.acme.notes/b}]\n"
                    .utf8))
        let options = ["--password-file", "-", "--app", "com.acme.notes"]
        for command in [
            ["specs", "infer", backup, backup], ["specs", "lint", scratch("s.yaml"), "--dump", backup],
        ] {
            let run = try Program.run(command + options, in: scratch, input: input)
            #expect(run.code == 0, "\(command) \(run.text)\(run.errors)")
        }
        let test = try Program.run(["specs", "test", scratch("s.yaml"), backup] + options, in: scratch, input: input)
        #expect(test.code == 5 && test.text.contains("something was tried"), "\(test.text)\(test.errors)")
    }
}
