import Foundation
import Testing

/// Migrations from spec files, as a person uses them.
@Suite("Spec files on the command line")
struct SpecCommandTests: SpecCommands {
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

    @Test("What a starred row reads is told as its pattern")
    func patterns() throws {
        let scratch = try Scratch()
        let answer = try Answer(try Program.run(["migrations", "posthog", "--json"], in: scratch).output)
        let profile = (answer.objects("migrations").first?["profiles"] as? [[String: Any]])?.first
        let steps = profile?["steps"] as? [[String: Any]] ?? []
        #expect(!steps.isEmpty && steps.allSatisfy { ($0["sources"] as? [String])?.isEmpty == false }, "\(steps)")
        #expect(steps.contains { ($0["sources"] as? [String])?.contains { $0.hasSuffix("*") } ?? false }, "\(steps)")
    }
}
