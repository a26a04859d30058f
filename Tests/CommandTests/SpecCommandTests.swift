import Foundation
import Testing

/// Migrations from spec files, as a person uses them.
@Suite("Spec files on the command line")
struct SpecCommandTests {
    /// The spec of the README and what it says that comes of it.
    private static func example() throws -> (spec: String, plan: String) {
        let readme = try String(contentsOfFile: Places.package + "/README.md", encoding: .utf8)
        let section = try #require(readme.components(separatedBy: "## A migration of your own\n").last)
        let parts = section.components(separatedBy: "```")
        try #require(parts.count > 4)
        return (String(parts[1].dropFirst("yaml\n".count)), String(parts[3].dropFirst(1)))
    }

    private static let dump = Places.fixture("notes-legacy.xcappdata")

    @Test("The spec of the README does what the README says")
    func readme() throws {
        let scratch = try Scratch(), (spec, plan) = try Self.example()
        try scratch.write("acme-notes.yaml", Data(spec.utf8))
        let run = try Program.run(["plan", Self.dump, "--spec", scratch("acme-notes.yaml")], in: scratch)
        #expect(run.code == 2)
        #expect(run.text == plan)
    }

    @Test("A spec goes through every command: apply, status, show, verify, export, roll back")
    func everyCommand() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example()
        try scratch.write("acme-notes.yaml", Data(spec.utf8))
        func run(_ arguments: String...) throws -> Program.Run {
            try Program.run(arguments + ["--spec", scratch("acme-notes.yaml")], in: scratch)
        }
        let applied = try run("apply", Self.dump, "--all", "--json")
        #expect(applied.code == 0, "\(applied.errors)")
        #expect(try run("plan", Self.dump).code == 0)
        #expect(try run("status", Self.dump).text.contains("acme-notes-3"))
        #expect(try run("show", Self.dump, "defaults://com.acme.notes/sync_cursor").text.contains("9007199254740993"))
        #expect(try run("verify", Self.dump).code == 0)
        let without = try Program.run(["verify", Self.dump], in: scratch)
        #expect(without.code == 5)
        #expect(without.text.contains("nor a spec file that was given"))
        #expect(without.text.contains("--spec FILE") && without.text.contains(": 0 steps run again"), "\(without.text)")
        #expect(try run("inspect", Self.dump).code == 0)
        #expect(try run("migrations").text.contains("Acme Notes 2 → 3"))
        #expect(try run("export", Self.dump, "--to", scratch("out")).code == 0)
        let exported = try Program.run(["show", scratch("out"), "defaults://com.acme.notes/theme"], in: scratch)
        #expect(exported.text.contains("1"))
        #expect(try run("rollback", Self.dump, "--all").code == 0)
        #expect(try run("plan", Self.dump).code == 2)
    }

    @Test("A spec that says that it is for another app is planned where it is named, and the plan says so")
    func anotherApp() throws {
        let scratch = try Scratch()
        try scratch.write(
            "other.yaml",
            Data(
                """
                vestige: migration/1
                id: other
                title: Other
                apps: [com.acme.other]
                stores: {app: "defaults://{bundleIdentifier}"}
                steps:
                  - {id: a, from: app/rs_user_id, to: app/user}
                """.utf8))
        for form in [[], ["--json"]] {
            let run = try Program.run(["plan", Self.dump, "--spec", scratch("other.yaml")] + form, in: scratch)
            #expect(run.text.contains("is for com.acme.other, and this is com.acme.notes"), "\(run.text)")
        }
    }

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

    @Test("The inspector shows a spec's steps and takes them, from a script")
    func script() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example()
        try scratch.write("acme-notes.yaml", Data(spec.utf8))
        try scratch.write(
            "take.script",
            Data(
                """
                expect "acme-notes-3:default  0 of 5 steps applied"
                expect-step theme migrates
                :apply all
                expect-step theme applied
                expect-value defaults://com.acme.notes/theme == 1
                :rollback
                """.utf8))
        let run = try Program.run(
            ["run", scratch("take.script"), Self.dump, "--spec", scratch("acme-notes.yaml")], in: scratch)
        #expect(run.code == 0, "\(run.errors)\(run.text)")
    }

    @Test(
        "A file that is no spec is refused with its line, its column and what to write, by every command",
        arguments: ["plan", "status", "verify", "inspect", "migrations", "apply"])
    func refused(command: String) throws {
        let scratch = try Scratch()
        try scratch.write(
            "bad.yaml", Data("vestige: migration/1\nid: x\nsteps:\n- {form: a/b, to: c/d}\n- {from: yes}\n".utf8))
        let arguments = [command] + (command == "migrations" ? [] : [Self.dump]) + ["--spec", scratch("bad.yaml")]
        let run = try Program.run(arguments + (command == "apply" ? ["--all"] : []), in: scratch)
        #expect(run.code == 64)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("bad.yaml:5:10: yes is true to some readers [V102] Write true"), "\(run.errors)")
        let missing = try Program.run(["plan", Self.dump, "--spec", scratch("none.yaml")], in: scratch)
        #expect(missing.code == 64)
        #expect(missing.errors.contains("cannot be read"))
    }

    @Test("Two specs of one name are refused; one with a built-in name stands in for it")
    func names() throws {
        let scratch = try Scratch()
        func spec(_ title: String) -> Data {
            Data(
                "vestige: migration/1\nid: person\ntitle: \(title)\nsteps: [{from: defaults://a/b, to: defaults://a/c}]"
                    .utf8)
        }
        try scratch.write("one.yaml", spec("My own"))
        try scratch.write("two.yaml", spec("Another"))
        let both = try Program.run(
            ["migrations", "--spec", scratch("one.yaml"), "--spec", scratch("two.yaml")], in: scratch)
        #expect(both.code == 64)
        #expect(both.errors.contains("are both called person"))
        let one = try Program.run(["migrations", "person", "--spec", scratch("one.yaml")], in: scratch)
        #expect(one.text.contains("My own"))
    }

    @Test("specs lint tells each finding with its place, and ends with 5 where a file cannot be used")
    func lint() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example()
        try scratch.write("good.yaml", Data(spec.utf8))
        try scratch.write("bad.yaml", Data("vestige: migration/1\nid: x\nsteps: [{form: a/b}]\n".utf8))
        let good = try Program.run(["specs", "lint", scratch("good.yaml")], in: scratch)
        #expect(good.code == 0)
        #expect(
            good.text.contains("good.yaml:1:1: note: no expectation shows the profile default [V603]"), "\(good.text)"
        )
        let both = try Program.run(["specs", "lint", scratch("good.yaml"), scratch("bad.yaml"), "--json"], in: scratch)
        #expect(both.code == 5)
        let answer = try Answer(both.output)
        #expect(answer.format == "vestige.specs-lint/1")
        #expect(answer.objects("files").count == 2)
        #expect(answer.content["errors"] as? Int == 2)
    }

    @Test("specs lint tells of two files of one name, in the second one, as nothing takes both")
    func namesakes() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example()
        try scratch.write("one.yaml", Data(spec.utf8))
        try scratch.write("two.yaml", Data(spec.utf8))
        let run = try Program.run(["specs", "lint", scratch("one.yaml"), scratch("two.yaml")], in: scratch)
        let lines = run.text.split(separator: "\n").filter { $0.contains("[V604]") }
        #expect(run.code == 0 && lines.count == 1, "\(run.text)")
        #expect(
            lines.first?.hasPrefix("\(scratch("two.yaml")):2:5: warning: \(scratch("one.yaml")) is called ") == true)
    }

    @Test("specs help lists everything that a spec can have, and says all of each; specs schema is JSON")
    func help() throws {
        let scratch = try Scratch()
        #expect(try Program.run(["specs", "help"], in: scratch).text.contains("rename"))
        let one = try Program.run(["specs", "help", "table"], in: scratch)
        #expect(one.text.contains("not-in-table"))
        let wrong = try Program.run(["specs", "help", "tabel"], in: scratch)
        #expect(wrong.code == 64 && wrong.errors.contains("Did you mean table?"), "\(wrong.errors)")
        func told(_ word: String, _ parts: String...) throws {
            let run = try Program.run(["specs", "help", word], in: scratch)
            #expect(run.code == 0 && parts.allSatisfy(run.text.contains), "\(word): \(run.text)\(run.errors)")
        }
        try told("from", "from of a row", "from of a fact", "example")
        try told("exists", "conflict (the default), keep, overwrite, larger")
        try told("error", "aside"); try told("after", "must be done"); try told("type", "keyed-archive", "of a fact")
        try told("conditions", "is at least", "was used", "fact/NAME", "any")
        try told("documents", "versions", "in-name"); try told("removal", "unmigrated")
        try told("remove", "of a removal", "an operation"); try told("profiles", "like");
        try told("facts", "infer", "uptime")
        try told("larger", "exists of a row"); try told("every source", "remove of a removal")
        try told("V401", "two steps that write one target"); try told("not-a-number", "number")
        try told("target-kept", "of a reason"); try told("not-keyed-archive", "decode")
        let missing = try Program.run(["specs", "lint", scratch("nowhere.yaml")], in: scratch)
        #expect(missing.code == 6 && missing.text.contains("cannot be read"), "\(missing.text)")
        try told("operations", "rename"); try told("row", "optional", "except")
        let answer = try Answer(try Program.run(["specs", "help", "--json"], in: scratch).output)
        #expect(
            answer.objects("keys").contains {
                $0["name"] as? String == "accessible" && $0["of"] as? String == "a target"
            })
        let schema = try Program.run(["specs", "schema"], in: scratch)
        #expect(try JSONSerialization.jsonObject(with: schema.output) as? [String: Any] != nil)
    }

    @Test("A spec that names one of the apps of a dump is taken with that one; of two that it names --app is asked for")
    func app() throws {
        let scratch = try Scratch(), simulator = Places.fixture("simulator")
        func spec(_ apps: String) throws -> String {
            try scratch.write(
                "s.yaml",
                Data(
                    """
                    vestige: migration/1
                    id: s
                    apps: [\(apps)]
                    steps: [{id: a, from: "defaults://{bundleIdentifier}/none", to: "defaults://{bundleIdentifier}/x"}]
                    """.utf8))
            return scratch("s.yaml")
        }
        let plain = try Program.run(["plan", simulator], in: scratch)
        try #require(plain.code == 64 && plain.errors.contains("--app"), "\(plain.errors)")
        let file = try spec("com.acme.notes")
        for arguments in [
            ["plan", simulator, "--spec", file], ["specs", "lint", file, "--dump", simulator],
            ["compare", simulator, simulator, "--spec", file],
        ] {
            let run = try Program.run(arguments, in: scratch)
            #expect(run.code == 0, "\(arguments[0]): \(run.text)\(run.errors)")
        }
        #expect(try Program.run(["specs", "test", file, simulator], in: scratch).text.contains("SKIP"))
        let several = try Program.run(["plan", simulator, "--spec", try spec("com.acme.*")], in: scratch)
        #expect(several.code == 64 && several.errors.contains("--app"), "\(several.errors)")
    }

    @Test("apply refuses steps whose rules were edited with words that fit, and the way on")
    func editedRules() throws {
        let scratch = try Scratch()
        func write(_ factor: Int) throws -> [String] {
            try scratch.write(
                "e.yaml",
                Data(
                    """
                    vestige: migration/1
                    id: e
                    steps:
                    - {id: zoom, from: "defaults://com.acme.notes.editor/zoom", type: number, do: [{scale: {times: \(factor)}}], \
                    to: "defaults://com.acme.notes/zoom"}
                    """.utf8))
            return ["apply", Self.dump, "--spec", scratch("e.yaml"), "--all"]
        }
        #expect(try Program.run(write(2), in: scratch).code == 0)
        let run = try Program.run(write(3), in: scratch)
        #expect(run.code == 64 && !run.errors.contains("elsewhere"), "\(run.errors)")
        #expect(
            run.errors.contains("what they made is not what they would make now. Nothing was applied; roll them back"))
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

    @Test("Where every step waits for a fact, specs test says that, and not that the dump is another app's")
    func onlyFacts() throws {
        let scratch = try Scratch()
        try scratch.write(
            "s.yaml",
            Data(
                """
                vestige: migration/1
                id: s
                facts: {suite: {type: name}}
                steps: [{id: a, from: "defaults://{suite}/a", to: "defaults://com.acme.notes/b"}]
                """.utf8))
        let run = try Program.run(["specs", "test", scratch("s.yaml"), Self.dump], in: scratch)
        #expect(run.code == 5 && run.text.contains("give it with --fact suite=VALUE"), "\(run.text)\(run.errors)")
    }

    @Test("What was a text in a document and becomes a dictionary is told with what it was")
    func replacedMembers() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-empty.xcappdata", to: "d.xcappdata")
        try scratch.set("doc", to: #"{"v":1,"owner":"Ada Lovelace"}"#, in: dump)
        try scratch.write(
            "s.yaml",
            Data(
                """
                vestige: migration/1
                id: s
                steps:
                - document: d
                  at: defaults://com.acme.notes/doc
                  version: {field: v}
                  versions:
                    1: {has: {owner: string}}
                    2: {has: {owner: dictionary}, made-by: [{in: {owner: [{split: {at: " ", into: [first, last]}}]}}]}
                """.utf8))
        let plan = try Program.run(["plan", dump, "--spec", scratch("s.yaml"), "--reveal"], in: scratch).text
        #expect(plan.contains("~  /owner  \"Ada Lovelace\" → ") && plan.contains("+  /owner/first"), "\(plan)")
    }

    @Test("A fact for which any new UUID will do is drawn by every command, and the ledger has it once a step has it")
    func drawn() throws {
        let scratch = try Scratch()
        try scratch.write(
            "fresh.yaml",
            Data(
                """
                vestige: migration/1
                id: fresh
                facts: {id: {type: uuid, fresh: true}}
                steps:
                - {id: a, from: fact/id, to: "defaults://com.acme.notes/uid"}
                - {id: b, from: fact/id, do: [{case: lower}], to: "defaults://com.acme.notes/uid2"}
                expect: [{name: drawn, given: {"defaults://com.acme.notes/x": 1}, outcomes: {a: migrates, b: migrates}}]
                """.utf8))
        let spec = ["--spec", scratch("fresh.yaml")]
        let plan = try Program.run(["plan", Self.dump] + spec, in: scratch)
        #expect(plan.code == 2 && plan.text.contains("2 to apply"), "\(plan.text)")
        let applied = try Program.run(["apply", Self.dump, "--step", "a"] + spec, in: scratch)
        #expect(applied.code == 0, "\(applied.text)\(applied.errors)")
        #expect(try Program.run(["apply", Self.dump, "--all"] + spec, in: scratch).code == 0)
        func shown(_ key: String) throws -> String {
            try Program.run(["show", Self.dump, "defaults://com.acme.notes/" + key] + spec, in: scratch).text
                .split(separator: "\n").last.map { String($0) } ?? ""
        }
        #expect(try shown("uid").lowercased() == shown("uid2"))
        #expect(try Program.run(["verify", Self.dump] + spec, in: scratch).code == 0)
        let test = try Program.run(["specs", "test", scratch("fresh.yaml"), Self.dump], in: scratch)
        #expect(test.code == 0, "\(test.text)\(test.errors)")
    }

    @Test("What a job of continuous integration runs says of a good spec and of a bad one what the server needs")
    func integration() throws {
        let scratch = try Scratch(), program = try #require(Program.path), folder = Places.package + "/Tests/Scripts/"
        let dumps = ["legacy", "migrated", "half-migrated", "traits-json", "empty"].map {
            Places.fixture("notes-\($0).xcappdata")
        }
        func job(_ spec: String) throws -> (run: Program.Run, tap: String, junit: String) {
            let run = try Program.execute(
                "/bin/sh", [folder + "ci.sh", program, spec, scratch("")] + dumps, in: scratch)
            return try (
                run, String(contentsOfFile: scratch("result.tap"), encoding: .utf8),
                String(contentsOfFile: scratch("junit.xml"), encoding: .utf8)
            )
        }
        let good = try job(folder + "notes-3.yaml")
        #expect(good.run.code == 0, "\(good.run.text)\(good.run.errors)")
        try Expected.expect(good.tap, is: "ci-notes.tap")
        #expect(good.junit.contains(#"tests="41" failures="0""#), "\(good.junit)")

        let text = try String(contentsOfFile: folder + "notes-3.yaml", encoding: .utf8)
        try scratch.write("bad.yaml", Data(text.replacingOccurrences(of: "white: 0, sepia: 1, ", with: "").utf8))
        let bad = try job(scratch("bad.yaml"))
        #expect(bad.run.code == 5, "\(bad.run.text)\(bad.run.errors)")
        #expect(
            bad.tap.contains("not ok 2 - notes-3: notes-legacy.xcappdata, default: no step fails or is in conflict"))
        #expect(bad.junit.contains("<failure") && !bad.junit.contains(#"failures="0""#), "\(bad.junit)")
    }

    @Test("What a starred row reads is told as its pattern")
    func patterns() throws {
        let scratch = try Scratch()
        let answer = try Answer(try Program.run(["migrations", "posthog", "--json"], in: scratch).output)
        let profile = (answer.objects("migrations").first?["profiles"] as? [[String: Any]])?.first
        let steps = profile?["steps"] as? [[String: Any]] ?? []
        #expect(!steps.isEmpty && steps.allSatisfy { ($0["sources"] as? [String])?.isEmpty == false }, "\(steps)")
        #expect(steps.contains { ($0["sources"] as? [String])?.contains { $0.hasSuffix("*") } ?? false }, "\(steps)")
    }

    @Test("specs test tries a spec on five dumps, for CI: TAP, JUnit, and 5 where something is not as it must be")
    func trial() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example()
        try scratch.write("spec.yaml", Data(spec.utf8))
        let dumps = ["legacy", "migrated", "half-migrated", "traits-json", "empty"].map {
            Places.fixture("notes-\($0).xcappdata")
        }
        let before = try Tree(Self.dump)
        let run = try Program.run(
            ["specs", "test", scratch("spec.yaml")] + dumps + ["--junit", scratch("junit.xml")], in: scratch)
        #expect(run.code == 0, "\(run.text)\(run.errors)")
        // Six checks, and two of exports, of each dump that has something for the spec.
        #expect(run.text.hasPrefix("TAP version 14\n1..\(5 * 8)\n"), "\(run.text)")
        #expect(
            run.text.contains("ok 1 - acme-notes-3: notes-legacy.xcappdata, default: no step fails or is in conflict"))
        let junit = try String(contentsOfFile: scratch("junit.xml"), encoding: .utf8)
        #expect(junit.contains(#"tests="40" failures="0""#))
        #expect(try Tree(Self.dump).differences(from: before) == [], "the dump is as it was")

        // Nothing but its name tells the form of a dump without that file.
        try FileManager.default.copyItem(
            atPath: Places.fixture("notes-legacy.xcappdata"), toPath: scratch("own.xcappdata"))
        try FileManager.default.removeItem(atPath: scratch("own.xcappdata/AppDataInfo.plist"))
        let bare = try Program.run(["specs", "test", scratch("spec.yaml"), scratch("own.xcappdata")], in: scratch)
        #expect(bare.code == 0, "\(bare.text)\(bare.errors)")

        let wrong = spec.replacingOccurrences(of: "sepia: 1, ", with: "")
        try scratch.write(
            "wrong.yaml", Data((wrong + "expect: [{name: it is, given: {app/a: 1}, gives: {app/a: 2}}]\n").utf8))
        let failed = try Program.run(["specs", "test", scratch("wrong.yaml"), Self.dump, "--json"], in: scratch)
        #expect(failed.code == 5)
        let failures = try Answer(failed.output).objects("cases").compactMap { $0["failure"] as? String }
        #expect(failures.count == 2, "\(failures)")
        #expect(failures.contains { $0.contains("“2” is expected, and there is “1”") })
        #expect(failures.contains { $0.contains("not in the table") })
    }

    @Test(
        "A dump that cannot be read keeps specs test from no other: it is named, and ends with 6 where all else is well"
    )
    func unreadableDumps() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example()
        // Two of the simulator's apps are meant by it.
        try #require(spec.contains("apps: [com.acme.notes]"))
        let both = spec.replacingOccurrences(of: "apps: [com.acme.notes]", with: "apps: [com.acme.*]")
        try scratch.write("spec.yaml", Data(both.utf8))
        try scratch.write("broken.zip", Data("PK\u{3}\u{4}".utf8))
        let dumps = [scratch("broken.zip"), scratch("none"), Places.fixture("simulator"), Self.dump]
        let run = try Program.run(
            ["specs", "test", scratch("spec.yaml")] + dumps + ["--junit", scratch("junit.xml")], in: scratch)
        #expect(run.code == 6, "\(run.text)\(run.errors)")
        #expect(run.text.hasPrefix("TAP version 14\n1..11\n"), "\(run.text)")
        for name in ["broken.zip", "none", "simulator"] {
            #expect(run.text.contains("- acme-notes-3: \(name): it can be tried\n"), "\(run.text)")
        }
        #expect(run.text.contains("\nok 4 - acme-notes-3: notes-legacy.xcappdata, default:"))
        #expect(try String(contentsOfFile: scratch("junit.xml"), encoding: .utf8).contains(#"tests="11" failures="3""#))
    }

    @Test(
        "specs test that has found nothing to try does not pass: usage without anything, 5 where no dump has anything")
    func nothingTried() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example()
        try scratch.write("spec.yaml", Data(spec.utf8))
        let bare = try Program.run(["specs", "test", scratch("spec.yaml")], in: scratch)
        #expect(bare.code == 64 && bare.errors.contains("there is nothing to try"), "\(bare.errors)")
        let empty = Places.fixture("person-v0.xcappdata")
        let none = try Program.run(["specs", "test", scratch("spec.yaml"), empty], in: scratch)
        #expect(
            none.text.contains(
                "person-v0.xcappdata, default: something is there to try # SKIP every step is skipped or waits"))
        #expect(none.code == 5 && none.text.contains("not ok 2 - acme-notes-3: something was tried"), "\(none.text)")
        try scratch.write("hollow.yaml", Data((spec + "expect: [{name: it is}]\n").utf8))
        let hollow = try Program.run(["specs", "test", scratch("hollow.yaml")], in: scratch)
        #expect(hollow.code == 5 && hollow.text.contains("it expects nothing"), "\(hollow.text)")
    }

    @Test("An expectation may begin with a dump beside the file")
    func fixtures() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example()
        _ = try scratch.copy("notes-legacy.xcappdata")
        let expected =
            "expect: [{name: legacy, fixture: NAME, gives: {app/theme: 1, app/sync_cursor: '9007199254740993'}}]\n"
        try scratch.write(
            "spec.yaml",
            Data((spec + expected.replacingOccurrences(of: "NAME", with: "notes-legacy.xcappdata")).utf8))
        let run = try Program.run(["specs", "test", scratch("spec.yaml")], in: scratch)
        #expect(
            run.code == 0 && run.text == "TAP version 14\n1..1\nok 1 - acme-notes-3: legacy\n",
            "\(run.text)\(run.errors)")
    }

    @Test("A fixture that cannot be used is one failed expectation, with its line and what to do; the others are tried")
    func missingFixture() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example(), line = spec.split(separator: "\n").count + 3
        let expected = """
            expect:
            - {name: before, given: {app/other: dark}, gives: {app/other: dark}}
            - {name: none, fixture: none.xcappdata, gives: {app/theme: 1}}
            - {name: text, fixture: notes.yaml, gives: {app/theme: 1}}
            - {name: after, given: {app/other: dark}, gives: {app/other: RESULT}}

            """
        for (result, code) in [("dark", Int32(6)), ("light", 5)] {
            let text = spec + expected.replacingOccurrences(of: "RESULT", with: result)
            try scratch.write("notes.yaml", Data(text.utf8))
            let arguments = ["specs", "test", scratch("notes.yaml"), "--junit", scratch("junit.xml")]
            let run = try Program.run(arguments, in: scratch)
            #expect(run.code == code, "\(run.text)\(run.errors)")
            let lines = run.text.split(separator: "\n").map(String.init)
            #expect(lines.dropFirst().first == "1..4" && lines.contains("ok 1 - acme-notes-3: before"), "\(run.text)")
            #expect(
                lines.contains {
                    $0.hasPrefix("  # \(scratch("notes.yaml")):\(line): its fixture cannot be used: ")
                        && $0.contains("none.xcappdata") && $0.contains("correct fixture:")
                }, "\(run.text)")
            #expect(lines.contains { $0.contains("notes.yaml:\(line + 1): its fixture cannot be used") }, "\(run.text)")
            #expect(lines.contains("not ok 2 - acme-notes-3: none"), "\(run.text)")
            #expect(lines.contains("\(result == "dark" ? "" : "not ")ok 4 - acme-notes-3: after"), "\(run.text)")
            let junit = try String(contentsOfFile: scratch("junit.xml"), encoding: .utf8)
            #expect(junit.contains(#"tests="4" failures="\#(result == "dark" ? 2 : 3)""#), "\(junit)")
        }
    }

    @Test("A fixture that is a link out of the folder of the file is not opened; one beside it is")
    func linkedFixture() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example()
        for (name, target) in [("out", Places.fixture("notes-legacy.xcappdata")), ("in", "notes.yaml")] {
            try FileManager.default.createSymbolicLink(
                atPath: scratch("\(name).xcappdata"), withDestinationPath: target)
            let expected = "expect: [{name: a, fixture: \(name).xcappdata, gives: {app/theme: 1}}]\n"
            try scratch.write("notes.yaml", Data((spec + expected).utf8))
            let run = try Program.run(["specs", "test", scratch("notes.yaml")], in: scratch)
            #expect(run.text.contains("is a link that leads out") == (name == "out"), "\(run.text)\(run.errors)")
            #expect(run.text.contains("its fixture cannot be used"), "\(run.text)")
        }
    }

    @Test("What a spec did is looked at in an export, and an export of what was rolled back is the dump byte for byte")
    func exports() throws {
        let scratch = try Scratch()
        try scratch.write(
            "spec.yaml",
            Data(
                """
                vestige: migration/1
                id: files
                steps:
                - {id: theme, from: defaults://com.acme.notes/editor.theme, type: string, to: file://Documents/theme, source: remove}
                """.utf8))
        let run = try Program.run(["specs", "test", scratch("spec.yaml"), Self.dump], in: scratch)
        #expect(run.code == 0, "\(run.text)\(run.errors)")
        for part in ["exported, the copy holds what was applied", "rolled back, an export is the dump byte for byte"] {
            #expect(run.text.contains("notes-legacy.xcappdata, default: \(part)"), "\(run.text)")
        }
        let profiles = "profiles: {one: first, two: second, three: third}\n"
        let spec = try String(contentsOfFile: scratch("spec.yaml"), encoding: .utf8)
        try scratch.write("three.yaml", Data(spec.replacingOccurrences(of: "steps:", with: profiles + "steps:").utf8))
        let three = try Program.run(["specs", "test", scratch("three.yaml"), Self.dump], in: scratch)
        #expect(three.code == 0, "\(three.text)\(three.errors)")
        func count(_ text: String) -> Int { three.text.components(separatedBy: text).count - 1 }
        #expect(count("the copy holds what was applied") == 3, "\(three.text)")
        #expect(count("an export is the dump byte for byte") == 1, "what is the same for all profiles is exported once")
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

    @Test("A draft lists the rows of tables, says what is not known of the keychain, and is in the canonical form")
    func draftsTables() throws {
        let scratch = try Scratch()
        let run = try Program.run(["specs", "new", Places.fixture("notes-databases.xcappdata")], in: scratch)
        #expect(run.code == 0 && run.text.contains("  # a row: "), "\(run.text)")
        try scratch.write("draft.yaml", run.output)
        #expect(try Program.run(["specs", "format", scratch("draft.yaml"), "--check"], in: scratch).code == 0)
        let locked = try Program.run(
            ["specs", "new", Places.fixture("backup"), "--app", "com.acme.notes"], in: scratch)
        #expect(locked.text.contains("# Of the keychain nothing is known: "), "\(locked.text)\(locked.errors)")
    }

    @Test(
        "A report names the applied steps whose spec is not given, and a spec that was left out; beside an export, too")
    func reportWithoutSpec() throws {
        let scratch = try Scratch(), environment = ["XDG_CONFIG_HOME": scratch("config")]
        let spec = """
            vestige: migration/1
            id: mine
            stores: {app: defaults://com.acme.notes}
            steps:
            - {id: look, from: app/rs_user_id, type: string, to: app/look}
            - {id: themes, remove: [app/rl_session_id], unmigrated: remove}
            """
        try scratch.write("config/vestige/specs/mine.yaml", Data(spec.utf8))
        let apply = ["apply", Self.dump, "-m", "mine", "--all"]
        #expect(try Program.run(apply, in: scratch, environment: environment).code == 0)
        let sentence = "2 steps are applied whose spec was not given, of mine (look, themes)"
        let given = try Program.run(["report", Self.dump], in: scratch, environment: environment)
        #expect(!given.text.contains("whose spec was not given"), "\(given.text)")
        try scratch.write("config/vestige/specs/mine.yaml", Data((spec + "\n  oops: 1").utf8))
        let leftOut = try Program.run(["report", Self.dump], in: scratch, environment: environment)
        #expect(leftOut.text.contains(sentence) && leftOut.text.contains("mine.yaml is left out: "), "\(leftOut.text)")
        _ = try Program.run(["export", Self.dump, "--to", scratch("out")], in: scratch)
        let beside = try String(contentsOfFile: scratch("out-report.md"), encoding: .utf8)
        #expect(beside.contains("whose spec was not given, of mine") && beside.contains("spec FILE"), "\(beside)")
    }

    @Test("A spec in the person's own folder is offered where it applies; a broken one is told of, and stops nothing")
    func folder() throws {
        let scratch = try Scratch(), (spec, _) = try Self.example()
        try scratch.write("config/vestige/specs/acme.yaml", Data(spec.utf8))
        try scratch.write("config/vestige/specs/broken.yaml", Data("vestige: nothing".utf8))
        try scratch.write("config/vestige/specs/notes.txt", Data("no spec".utf8))
        // One that nobody writes into would be waited for.
        #expect(mkfifo(scratch("config/vestige/specs/pipe.yaml"), 0o600) == 0)
        let environment = ["XDG_CONFIG_HOME": scratch("config")]
        let run = try Program.run(["plan", Self.dump], in: scratch, environment: environment)
        #expect(run.text.contains("acme-notes-3"))
        #expect(run.text.contains("rudderstack-v2"))
        #expect(run.errors.contains("broken.yaml is left out: 1:10"), "\(run.errors)")
        #expect(
            run.errors.contains("pipe.yaml is left out: 1:1: the file cannot be read: it is no file"), "\(run.errors)")
        #expect(!run.errors.contains("notes.txt"))
        try scratch.write("script", Data("key w\nexpect \"broken.yaml is left out: 1:10\"\n".utf8))
        let shown = try Program.run(
            ["run", scratch("script"), Self.dump], in: scratch, environment: environment)
        #expect(shown.code == 0, "the inspector warns of it: \(shown.errors)")
        let named = try Program.run(["plan", Self.dump, "-m", "acme-notes-3"], in: scratch, environment: environment)
        #expect(named.code == 2)
        let other = try Program.run(
            ["plan", Places.fixture("person-v0.xcappdata")], in: scratch, environment: environment)
        #expect(!other.text.contains("acme-notes-3"))
    }

    @Test(
        "specs new drafts a spec of every dump that lints without an error, with types and without secrets",
        arguments: Places.fixtures)
    func draft(fixture: String) throws {
        let scratch = try Scratch()
        let run = try Program.run(["specs", "new", Places.fixture(fixture)], in: scratch)
        // A dump of several apps asks for --app, one that cannot be read is told of.
        guard run.code == 0 else { return #expect([6, 64].contains(run.code), "\(run.errors)") }
        try scratch.write("draft.yaml", run.output)
        let lint = try Program.run(["specs", "lint", scratch("draft.yaml")], in: scratch)
        #expect(lint.code == 0, "\(lint.text)\(run.text)")
        let plan = try Program.run(
            ["plan", Places.fixture(fixture), "--spec", scratch("draft.yaml")], in: scratch)
        #expect(plan.code == 0, "\(plan.text)\(plan.errors)")
        if fixture == "notes-legacy.xcappdata" {
            #expect(run.text.contains("- app/editor.theme"))
            #expect(run.text.contains("# keyed-archive dictionary"))
            #expect(run.text.contains("# string, likely a secret"))
            #expect(!run.text.contains("u-42"))
        }
    }

    @Test("specs infer drafts the migration from a dump before and one after it; specs test proves the draft")
    func infer() throws {
        let scratch = try Scratch(), facts = ["--facts", Places.facts]
        let migration = ["-m", "rudderstack-v2:sdk-1.2"]
        #expect(try Program.run(["apply", Self.dump, "--all"] + facts + migration, in: scratch).code == 0)
        #expect(try Program.run(["export", Self.dump, "--to", scratch("new")], in: scratch).code == 0)
        let run = try Program.run(["specs", "infer", Self.dump, scratch("new")] + facts, in: scratch)
        #expect(run.code == 0, "\(run.errors)")
        try Expected.expect(run.text, is: "infer-notes.yaml")
        let equal = try Program.run(["specs", "infer", Self.dump, Self.dump] + facts, in: scratch)
        #expect(equal.text.contains("because: nothing differs"), "\(equal.text)")
        try scratch.write("draft.yaml", run.output)
        #expect(try Program.run(["specs", "lint", scratch("draft.yaml")], in: scratch).code == 0)
        let test = try Program.run(["specs", "test", scratch("draft.yaml"), Self.dump] + facts, in: scratch)
        #expect(test.code == 0, "\(test.text)")
        let compared = try Program.run(
            ["compare", Self.dump, scratch("new"), "--spec", scratch("draft.yaml"), "--json"] + facts, in: scratch)
        #expect(compared.code == 0)
        #expect(try Answer(compared.output).objects("entries").allSatisfy { $0["verdict"] as? String == "as-planned" })
    }

    @Test("specs format prints, checks and writes the canonical form, and leaves a file alone that is no spec")
    func format() throws {
        let scratch = try Scratch()
        let text = """
            vestige: migration/1   # the format
            steps:
            # why
            - {to: 'defaults://a/c', from: "defaults://a/b", id: one}
            id: "x"
            """
        let form = """
            vestige: migration/1  # the format
            id: x

            steps:
              # why
              - {id: one, from: defaults://a/b, to: defaults://a/c}

            """
        try scratch.write("a.yaml", Data(text.utf8))
        #expect(try Program.run(["specs", "format", scratch("a.yaml")], in: scratch).text == form)
        let check = try Program.run(["specs", "format", scratch("a.yaml"), "--check"], in: scratch)
        #expect(check.code == 5 && check.errors.contains("a.yaml is not in the canonical form"))
        #expect(try Program.run(["specs", "format", scratch("a.yaml"), "--write"], in: scratch).code == 0)
        #expect(try String(contentsOfFile: scratch("a.yaml"), encoding: .utf8) == form)
        #expect(try Program.run(["specs", "format", scratch("a.yaml"), "--check"], in: scratch).code == 0)
        try scratch.write("bad.yaml", Data("vestige: migration/1\nid: x\nsteps: [{form: a}]\n".utf8))
        let bad = try Program.run(["specs", "format", scratch("bad.yaml"), "--write"], in: scratch)
        #expect(bad.code == 64 && bad.errors.contains("Did you mean from by form?"), "\(bad.errors)")
        #expect(try Program.run(["specs", "format", scratch("a.yaml"), scratch("bad.yaml")], in: scratch).code == 64)
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch("")).filter { $0.contains(".yaml") }
        #expect(names.sorted() == ["a.yaml", "bad.yaml"], "nothing is left beside them")
    }
}
