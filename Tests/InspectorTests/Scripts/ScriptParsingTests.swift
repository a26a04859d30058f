import MigrationEngine
import Testing

@testable import Inspector

@Suite("Scripts")
struct ScriptParsingTests {
    @Test(
        "each line is read as what it says",
        arguments: [
            ("key j <Enter> <Space>", Script.Command.keys([.character("j"), .enter, .character(" ")])),
            (":top", .keys([.character(":"), .character("t"), .character("o"), .character("p"), .enter])),
            ("type a b", .keys([.character("a"), .character(" "), .character("b")])),
            ("expect \"a \\\"b\\\" \\\\\"  ", .expect("a \"b\" \\", isShown: true)),
            ("  expect-not \"x\"", .expect("x", isShown: false)),
            ("expect-style selected \"Traits\"", .expectStyle("selected", "Traits")),
            ("screen a.svg", .screen("a.svg")),
            ("resize 120x40", .resize(Size(width: 120, height: 40))), ("screen a\r\n", .screen("a")),
        ])
    func line(text: String, command: Script.Command) throws {
        #expect(try Script(text).commands.map(\.command) == [command])
    }

    @Test("empty lines and comments are left out, and lines keep their numbers")
    func comments() throws {
        #expect(try Script("# a\n\n  # b\nkey j\n\nkey k").commands.map(\.line) == [4, 6])
    }

    @Test(
        "a line that cannot be read is named with its number",
        arguments: [
            ("jump", "“jump” is no command"), ("key <Nope>", "“<Nope>” is no key"), ("key ab", "“ab” is no key"),
            ("expect a", "between quotation marks"), ("expect \"a", "between quotation marks"),
            ("expect", "between quotation"),
            ("expect-style loud \"a\"", "takes a style"), ("expect-style selected", "takes a style"),
            ("screen", "name of a file"), ("screen ../x", "without a folder"), ("resize 0x4", "such as 80x24"),
            ("resize 99999x4", "such as 80x24"),
        ])
    func refused(line: String, problem: String) {
        let error = #expect(throws: ScriptError.self) { try Script("key j\n" + line) }
        #expect(error?.line == 2)
        #expect(error?.problem.contains(problem) == true, "\(error?.problem ?? "")")
    }

    @Test(
        "an expectation that is not met fails with its line and the screen",
        arguments: [
            ("expect \"no such text\"", "does not show “no such text”"), ("expect-not \"Vestige\"", "shows “Vestige”"),
            ("expect-style selected \"Traits\"", "“Traits” is not shown as selected"),
        ])
    func unmet(line: String, problem: String) throws {
        var runner = ScriptRunner(try Inspected(RudderStack.stores()).model, perform: { _ in .cancelled })
        let script = try Script("expect \"Vestige\"\nexpect-style selected \"Anonymous ID\"\n\(line)")
        let error = #expect(throws: ScriptError.self) { try runner.run(script) }
        #expect(error?.line == 3)
        #expect(error?.problem.contains(problem) == true)
        #expect(error?.screen?.contains("Anonymous ID") == true)
    }

    @Test("after the inspector was left, a further line is an error")
    func left() throws {
        var runner = ScriptRunner(try Inspected(RudderStack.stores()).model, perform: { _ in .cancelled })
        let error = #expect(throws: ScriptError.self) { try runner.run(Script("key q j\nexpect \"Vestige\"")) }
        #expect(error?.line == 2)
        #expect(runner.model.hasQuit)
    }

    @Test("a screen that cannot be written is an error that names it")
    func unwritten() throws {
        struct Full: Error {}
        var runner = ScriptRunner(
            try Inspected(RudderStack.stores()).model, perform: { _ in .cancelled }, save: { _, _ in throw Full() })
        let error = #expect(throws: ScriptError.self) { try runner.run(Script("screen shot")) }
        #expect(error?.problem.contains("“shot” cannot be written") == true)
    }
}
