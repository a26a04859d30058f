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
                expect "acme-notes-3:default  0 of 5 applied"
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
}
