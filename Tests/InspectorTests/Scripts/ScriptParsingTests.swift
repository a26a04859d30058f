import MigrationEngine
import Testing

@testable import Inspector

@Suite("Scripts")
struct ScriptParsingTests {
    private func runner(save: @escaping (String, Frame) throws -> Void = { _, _ in }) throws -> ScriptRunner {
        let inspected = try Inspected(RudderStack.stores())
        return ScriptRunner(inspected.model, on: inspected.inspection, save: save)
    }

    @Test(
        "each line is read as what it says",
        arguments: [
            ("key j <Enter> <Space>", Script.Command.keys([.character("j"), .enter, .character(" ")])),
            (":top", .command("top", fails: false)), ("fails :apply x y", .command("apply x y", fails: true)),
            ("click 5 12", .mouse(.press, Position(x: 4, y: 11))),
            ("wheel-down 1 1", .mouse(.wheelDown, Position(x: 0, y: 0))), ("paste a b", .paste("a b")),
            ("expect-step user-id rolled-back", .expectStep("user-id", "rolled-back")),
            ("type a b", .keys([.character("a"), .character(" "), .character("b")])),
            ("expect \"a \\\"b\\\" \\\\\"  ", .expect("a \"b\" \\", isShown: true)),
            ("expect-copied \"x y\"", .expectCopied("x y")),
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
            ("jump", "“jump” is not a command"), ("key <Nope>", "“<Nope>” is not a key"),
            ("key ab", "“ab” is not a key"),
            ("expect a", "between quotation marks"), ("expect \"a", "between quotation marks"),
            ("expect", "between quotation"),
            ("expect-style loud \"a\"", "takes a style"), ("expect-style selected", "takes a style"),
            ("expect-copied a", "between quotation marks"), ("screen", "name of a file"),
            ("screen ../x", "without a folder"), ("screen .", "without a folder"),
            ("screen ..", "without a folder"),
            ("fails key j", "fails takes a command"), ("expect-step a", "takes a step and its state"),
            ("expect-step a done", "rolled-back"), ("expect-value defaults://a/b \"x\"", "an address and a value"),
            ("click 5", "a column and a row"), ("click 0 1", "from 1"), ("wheel-up a 1", "a column and a row"),
            ("expect-value nonsense == 1", "nonsense"), ("expect-value defaults://a/b == {", "must be JSON"),
            ("resize 0x4", "such as 80x24"), (#"expect "a\""#, "between quotation marks"),
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
        var runner = try runner()
        let script = try Script("expect \"Vestige\"\nexpect-style selected \"Anonymous ID\"\n\(line)")
        let error = #expect(throws: ScriptError.self) { try runner.run(script) }
        #expect(error?.line == 3)
        #expect(error?.problem.contains(problem) == true)
        #expect(error?.screen?.contains("Anonymous ID") == true)
    }

    @Test("after the inspector was left, a further line is an error")
    func left() throws {
        var runner = try runner()
        let error = #expect(throws: ScriptError.self) { try runner.run(Script("key q j\nexpect \"Vestige\"")) }
        #expect(error?.line == 2)
        #expect(runner.model.hasQuit)
    }

    @Test("a screen that cannot be written is an error that names it")
    func unwritten() throws {
        struct Full: Error {}
        var runner = try runner { _, _ in throw Full() }
        let error = #expect(throws: ScriptError.self) { try runner.run(Script("screen shot")) }
        #expect(error?.problem.contains("“shot” cannot be written") == true)
    }

    @Test(
        "a command that fails, or does not where it is to, ends the script with its line and why",
        arguments: [
            (":aply all", "there is no command “aply”"), (":fact uptime=abc", "uptime is a number of seconds"),
            (":rollback", "nothing is applied"), (":search nowhere at all", "is nowhere in keys"),
            ("fails :apply", "was to fail and did not"),
            ("expect-step user-id applied", "the step user-id is not-applied and migrates, not applied"),
            ("expect-step nothing applied", "there is no step “nothing”"),
            ("expect-value defaults://com.acme.notes/theme == \"light\"", "is \"dark\" (string)"),
            ("expect-value defaults://com.acme.notes/launches == \"3\"", "is 3 (integer)"),
            ("expect-value defaults://com.acme.notes/launches == 3.0", "is 3 (integer)"),
            ("expect-value defaults://com.acme.notes/theme == absent", "is \"dark\""),
            ("expect-value defaults://com.acme.notes/none == 1", "is absent"),
            ("expect-copied \"x\"", "nothing was copied"),
            (":copy migrated-key\nexpect-copied \"user_id \"", "“user_id” was copied, not “user_id ”"),
            (":copy nonsense", "copy takes value, key, address, migrated-value"),
            (":copy page", "nothing has been copied"),
            ("key :\n:apply", "another line"),
        ])
    func failing(line: String, problem: String) throws {
        var runner = try runner()
        let error = #expect(throws: ScriptError.self) { try runner.run(Script("key j\n" + line)) }
        #expect(error?.problem.contains(problem) == true, "\(error?.problem ?? "")")
        #expect(error?.screen?.contains("Vestige") == true)
    }

    @Test("expectations on steps and values are of what is seen, whatever the layout shows")
    func met() throws {
        var runner = try runner()
        try runner.run(
            Script(
                """
                resize 40x10
                expect-step user-id migrates
                expect-value defaults://com.acme.notes.analytics.wk/user_id == absent
                fails :apply nonsense
                :apply user-id
                expect-step user-id applied
                expect-value defaults://com.acme.notes.analytics.wk/user_id == "u-77"
                expect-value defaults://com.acme.notes/launches == 3
                expect-value defaults://com.acme.notes/rl_session_manual_track_status == false
                :rollback
                expect-step user-id rolled-back
                """))
    }
}
