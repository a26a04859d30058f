import Foundation
import Testing

@Suite("What helps to write a spec")
struct SpecWritingTests: SpecCommands {
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

    @Test("A list of a group among an app's own preferences is named in a draft, which reads without an error")
    func listOfGroup() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-legacy.xcappdata")
        let lists = dump + "/AppData/Library/Preferences/"
        try FileManager.default.copyItem(
            atPath: lists + "com.acme.notes.plist", toPath: lists + "group.com.acme.notes.plist")
        let run = try Program.run(["specs", "new", dump], in: scratch)
        #expect(run.text.contains("Preferences/group.com.acme.notes.plist"), "\(run.text)\(run.errors)")
        try scratch.write("draft.yaml", run.output)
        let lint = try Program.run(["specs", "lint", scratch("draft.yaml")], in: scratch)
        #expect(lint.code == 0 && !lint.text.contains("error"), "\(lint.text)")
    }

    @Test("What a spec cannot name is a remark of a draft, which reads without an error")
    func unnameable() throws {
        let scratch = try Scratch(), star = String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self)
        let keys = ["user", "user\(star)"].map { "<key>\($0)</key><string>x</string>" }.joined()
        try scratch.write("com.acme.notes.plist", Data("<plist><dict>\(keys)</dict></plist>".utf8))
        let run = try Program.run(["specs", "new", scratch("com.acme.notes.plist")], in: scratch)
        #expect(run.text.contains("# 1 entry of app cannot be named in a spec"), "\(run.text)\(run.errors)")
        try scratch.write("draft.yaml", run.output)
        let lint = try Program.run(["specs", "lint", scratch("draft.yaml")], in: scratch)
        #expect(lint.code == 0 && !lint.text.contains("error"), "\(lint.text)")
    }
}
