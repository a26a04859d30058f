import Foundation
import Testing

@Suite("Which specs are taken, and for which app")
struct SpecChoiceTests: SpecCommands {
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

    @Test("What is wrong with other arguments is said once, and also where a spec comes through a pipe")
    func piped() throws {
        let spec = "vestige: migration/1\nid: x\ntitle: X\nsteps: [{from: defaults://a/b, to: defaults://a/c}]"
        let arguments = ["apply", Self.dump, "--spec", "-", "--next", "--all"]
        let run = try Program.run(arguments, in: Scratch(), input: spec)
        #expect(run.code == 64 && run.output.isEmpty)
        #expect(run.errors.components(separatedBy: "--next, --all and --step").count == 2, "\(run.errors)")
        let twice = try Program.run(["plan", Self.dump, "--spec", "-", "--spec", "-"], in: Scratch(), input: spec)
        #expect(twice.code == 64 && twice.errors.contains("once only"), "\(twice.errors)")
        let script = try Program.run(["run", "-", Self.dump, "--spec=-"], in: Scratch(), input: spec)
        #expect(script.code == 64 && script.errors.contains("once only"), "\(script.errors)")
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
}
