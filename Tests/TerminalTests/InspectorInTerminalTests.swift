import Foundation
import TestSupport
import Testing

/// The program itself in a real terminal, on a fixture; skipped where there is no tmux, unless
/// VESTIGE_REQUIRE_TERMINAL_TESTS is 1.
@Suite(
    "The inspector in a real terminal",
    .enabled(if: TmuxSession.isAvailable || TmuxSession.isRequired, "tmux is not installed"),
    .serialized, .timeLimit(.minutes(3)))
struct InspectorInTerminalTests {
    /// The inspector on a fixture, with a ledger of its own that is removed with the folder.
    private func inspector(
        _ fixture: String, in folder: TemporaryFolder, arguments: [String] = [], width: Int = 80, height: Int = 24,
        until shown: String = "of 9 steps applied"
    ) throws -> TmuxSession {
        let session = try TmuxSession(
            [
                product("vestige"), Places.fixture(fixture), "--facts", Places.facts,
                "--workspace", folder("ledger"),
            ] + arguments, width: width, height: height)
        try session.waitFor(shown)
        return session
    }

    @Test("steps are applied and rolled back by keys, and what was applied is there at the next start")
    func walk() throws {
        let folder = try TemporaryFolder()
        let session = try inspector("notes-legacy.xcappdata", in: folder)
        try session.waitFor("0 of 9 steps applied · 8 to apply")
        try session.press("a")
        try session.waitFor("applied Anonymous ID")
        try session.press("A")
        try session.waitFor("8 of 9 steps applied")
        try session.press("u")
        try session.waitFor("rolled back App build")
        try session.press("q")
        try session.waitFor("the end of the program") { try session.value("pane_dead") == "1" }
        try inspector("notes-legacy.xcappdata", in: folder).waitFor("7 of 9 steps applied · 1 to apply")
    }

    @Test("what another program has written over the screen is gone once it is drawn again")
    func redraw() throws {
        let folder = try TemporaryFolder()
        let session = try inspector("notes-legacy.xcappdata", in: folder)
        try session.waitFor("0 of 9 steps applied · 8 to apply")
        try Command.run(["sh", "-c", "printf '\\033[Hwritten by another' > \"$1\"", "sh", session.value("pane_tty")])
        try session.waitFor("written by another")
        try session.press("C-l")
        try session.waitFor("a screen without it") { try !session.screen().contains("written by another") }
        #expect(try session.screen().hasPrefix("Vestige"))
    }

    @Test(
        "what is done in a recorded session is a script that comes to the same, and one that is there is not replaced")
    func recording() throws {
        let folder = try TemporaryFolder()
        let dump = Places.fixture("notes-legacy.xcappdata"), script = folder("session.script")
        let session = try TmuxSession([
            "sh", "-c", "\"$@\"; echo ended with $?; cat", "sh", product("vestige"), "record", script, dump, "--facts",
            Places.facts,
        ])
        try session.waitFor("0 of 9 steps applied · 8 to apply")
        try session.press("a")
        try session.waitFor("applied Anonymous ID")
        try session.type(":apply traits")
        try session.press("Enter")
        try session.waitFor("2 of 9 steps applied")
        try session.press("u")
        try session.waitFor("rolled back Traits")
        try session.press("q")
        try session.waitFor("ended with 0")
        let text = try String(contentsOfFile: script, encoding: .utf8)
        for line in [":apply traits", "expect-step anonymous-id applied", "expect-step traits rolled-back"] {
            #expect(text.contains(line + "\n"), "\(text)")
        }
        try Command.run([product("vestige"), "run", script, dump, "--facts", Places.facts])
        let again = try Self.told([product("vestige"), "record", script, dump])
        #expect(again.contains("cannot be written") && again.contains("code 64"), "\(again)")
        #expect(try String(contentsOfFile: script, encoding: .utf8) == text)
    }

    @Test("Ended by a signal, a recorded session is written, leaves nothing of its own ledger, and ends by the signal")
    func interruptedRecording() throws {
        let folder = try TemporaryFolder(), script = folder("session.script")
        func ledgers() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder("")).filter { $0.hasPrefix("vestige-script-") }
        }
        let session = try TmuxSession(
            [
                "sh", "-c", "sh -c 'echo $$ > \"$0\"; exec \"$@\"' \"$@\"; echo ended with $?; cat", "sh",
                folder("pid"),
                product("vestige"), "record", script, Places.fixture("notes-legacy.xcappdata"), "--facts", Places.facts,
            ], environment: ["TMPDIR": folder("")])
        try session.waitFor("0 of 9 steps applied · 8 to apply")
        try session.press("a")
        try session.waitFor("applied Anonymous ID")
        #expect(try ledgers().count == 1)
        let text = try String(contentsOfFile: folder("pid"), encoding: .utf8)
        kill(try #require(Int32(text.trimmingCharacters(in: .newlines))), SIGTERM)
        try session.waitFor("ended with \(128 + SIGTERM)")
        try session.waitForGivenBack()
        #expect(try ledgers() == [])
        let recorded = try String(contentsOfFile: script, encoding: .utf8)
        #expect(recorded.contains("expect-step anonymous-id applied\n"), "\(recorded)")
    }

    @Test("the settings of a person's own folder count; a mistake in them is told with its line, and nothing is opened")
    func settings() throws {
        let folder = try TemporaryFolder()
        try folder.write("vestige/config", Data("key facts = z\nmouse = off\n".utf8))
        let command = try ["env", "XDG_CONFIG_HOME=" + folder(""), product("vestige")]
        let dump = [Places.fixture("notes-legacy.xcappdata"), "--facts", Places.facts, "--workspace", folder("ledger")]
        let session = try TmuxSession(command + dump)
        try session.waitFor("of 9 steps applied")
        try session.press("z")
        try session.waitFor("─ Facts ")
        try folder.write("vestige/config", Data("# mine\nkey fcts = z\n".utf8))
        let told = try Self.told(command + dump)
        #expect(told.contains("/config:2: there is no action “fcts”; did you mean facts?"), "\(told)")
        #expect(told.contains("code 64"))
    }

    /// What a command says, on either stream, and how it ends.
    private static func told(_ arguments: [String]) throws -> String {
        try Command.run(["sh", "-c", "\"$@\" 2>&1; echo code $?", "sh"] + arguments)
    }

    @Test("who quits while an export runs leaves no half-written folder behind")
    func quitWhileExporting() throws {
        let folder = try TemporaryFolder()
        let dump = try folder.copy("notes-legacy.xcappdata")
        for number in 0..<4000 {
            try folder.write("notes-legacy.xcappdata/AppData/Documents/many/\(number)", Data("\(number)".utf8))
        }
        try folder.write("out/keep", Data())
        // The shell tells the status: tmux loses that of a program whose terminal closes a moment before it ends.
        let session = try TmuxSession(
            ["sh", "-c", "\"$@\"; echo ended with $?; cat", "sh"]
                + [product("vestige"), dump, "--facts", Places.facts, "--workspace", folder("ledger")])
        try session.waitFor("of 9 steps applied")
        try session.type(":export " + folder("out/x"))
        try session.press("Enter")
        try session.waitFor("writing")
        try session.press("q")
        try session.waitFor("stopped; nothing was exported")
        try session.press("q")
        try session.waitFor("ended with 0")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("out")) == ["keep"])
    }

    @Test("pasted text is not taken for keys")
    func paste() throws {
        let folder = try TemporaryFolder()
        let session = try inspector("notes-legacy.xcappdata", in: folder)
        try session.paste("Alice asked: quit?")
        try session.waitFor("pasted text is taken only into a line")
        try session.press(":")
        try session.paste("apply all")
        try session.waitFor(":apply all")
        try session.press("Enter")
        try session.waitFor("8 of 9 steps applied")
    }

    @Test("what is copied comes to the terminal's clipboard; where there is none, it is shown")
    func copying() throws {
        let folder = try TemporaryFolder()
        let session = try inspector("notes-legacy.xcappdata", in: folder)
        try session.takeCopies()
        for (key, text) in [("v", "x"), ("A", "defaults://com.acme.notes.analytics.wk-1a2b3c/user_id")] {
            try session.press("g", "j", "y")
            try session.waitFor("copy: v value")
            try session.press(key)
            try session.waitFor("the clipboard to be \(text)") { try session.buffer() == text }
        }
        let console = try TmuxSession(
            [
                product("vestige"), Places.fixture("notes-legacy.xcappdata"), "--facts", Places.facts, "--workspace",
                folder("other"),
            ], environment: ["TERM": "linux"])
        try console.waitFor("of 9 steps applied")
        try console.takeCopies()
        try console.press("g", "j", "y", "K")
        try console.waitForRows("this terminal cannot copy") { $0.contains("user_id") }
        #expect(try console.buffer() == "")
        try console.press("Escape")
        try console.waitFor("0 of 9 steps applied · 8 to apply")
    }

    @Test("a second program on the same workspace says that it can only look")
    func secondProgram() throws {
        let folder = try TemporaryFolder()
        let first = try inspector("notes-legacy.xcappdata", in: folder)
        try first.press("a")
        try first.waitFor("1 of 9 steps applied")
        let second = try inspector("notes-legacy.xcappdata", in: folder)
        try second.waitFor("read-only")
        try second.press("a")
        try second.waitFor("another program has it open")
    }

    @Test("a second program may apply once the first is closed, which it sees without a key")
    func takingOver() throws {
        let folder = try TemporaryFolder()
        let first = try inspector("notes-legacy.xcappdata", in: folder)
        try first.press("a")
        try first.waitFor("1 of 9 steps applied")
        let second = try inspector("notes-legacy.xcappdata", in: folder)
        try second.waitFor("read-only")
        try first.press("q")
        try second.waitFor("has closed the ledger")
        try second.press("a")
        try second.waitFor("2 of 9 steps applied")
    }

    @Test("a second program that was opened before the first step follows at the next key, whatever that is")
    func following() throws {
        let folder = try TemporaryFolder()
        let first = try inspector("notes-legacy.xcappdata", in: folder)
        let second = try inspector("notes-legacy.xcappdata", in: folder)
        try first.press("a")
        try first.waitFor("1 of 9 steps applied")
        try second.press("j")
        try second.waitFor("1 of 9 steps applied")
        try second.waitFor("read-only")
        try first.press("a")
        try first.waitFor("2 of 9 steps applied")
        try second.press("k")
        try second.waitFor("2 of 9 steps applied")
    }

    @Test("a second program is told at once that the first has written, without a key")
    func followingAtOnce() throws {
        let folder = try TemporaryFolder()
        let first = try inspector("notes-legacy.xcappdata", in: folder)
        try first.press("a")
        try first.waitFor("1 of 9 steps applied")
        let second = try inspector("notes-legacy.xcappdata", in: folder)
        try second.waitFor("1 of 9 steps applied")
        try first.press("a")
        try first.waitFor("2 of 9 steps applied")
        try second.waitFor("2 of 9 steps applied")
        try second.waitFor("another program has changed the ledger")
    }

    @Test("it is told so too where the folder of the ledger was not there when both began")
    func followingFromNothing() throws {
        let folder = try TemporaryFolder(), state = ["env", "XDG_STATE_HOME=" + folder("state/not/there")]
        let command =
            try state + [product("vestige"), Places.fixture("notes-legacy.xcappdata"), "--facts", Places.facts]
        let sessions = try [TmuxSession(command), TmuxSession(command)]
        for session in sessions { try session.waitFor("0 of 9 steps applied") }
        // Either may have come first.
        let isTurned = try sessions[0].screen().contains("read-only")
        let (first, second) = (sessions[isTurned ? 1 : 0], sessions[isTurned ? 0 : 1])
        try first.press("a")
        try first.waitFor("1 of 9 steps applied")
        try second.waitFor("1 of 9 steps applied")
        try second.waitFor("another program has changed the ledger")
    }

    @Test("a spec that is edited beside it is read again by a key, in its place; a mistake is told with its line")
    func reloadingSpecs() throws {
        let folder = try TemporaryFolder()
        func write(_ target: String, _ more: String = "") throws {
            let text = """
                vestige: migration/1
                id: s
                stores: {app: defaults://com.acme.notes}
                steps:
                - {id: first, from: app/editor.theme, type: string, to: app/first}
                - {id: second, from: app/editor.theme, type: string, to: app/\(target)}
                \(more)
                """
            try folder.write("s.yaml", Data(text.utf8))
        }
        try write("before")
        let session = try inspector(
            "notes-legacy.xcappdata", in: folder, arguments: ["--spec", folder("s.yaml")], until: "0 of 2 steps applied"
        )
        try session.press("g")
        try session.press("j")
        try session.waitFor("── Second")
        try session.waitFor("→ before")
        try write("afterwards")
        try session.press("C-r")
        // The second row is the one that is shown in full, as before.
        try session.waitFor("→ afterwards")
        try session.waitFor("── Second")
        try session.waitFor("s.yaml read again")
        try write("later", "- {form: app/editor.theme}")
        try session.press("C-r")
        try session.waitFor("s.yaml is as it was read before: 7:3: ")
        try session.waitFor("→ afterwards")
        try write("later")
        try session.press("C-r")
        try session.waitFor("→ later")
    }

    @Test("the screen follows the window from wide to narrow to too small, and back")
    func resize() throws {
        let folder = try TemporaryFolder()
        let session = try inspector("notes-legacy.xcappdata", in: folder)
        try session.resize(width: 60, height: 20)
        try session.waitFor("Legacy, → Migrated")
        try session.resize(width: 30, height: 8)
        try session.waitFor("needs 40x10")
        try session.resize(width: 160, height: 40)
        try session.waitFor("Migrated  com.acme.notes")
    }

    @Test("NO_COLOR and --ascii leave neither colours nor characters beyond ASCII on the screen")
    func plain() throws {
        let folder = try TemporaryFolder()
        let session = try TmuxSession(
            [
                product("vestige"), Places.fixture("hostile.xcappdata"), "--ascii", "--facts",
                Places.facts, "--workspace", folder("ledger"),
            ], environment: ["NO_COLOR": "1"])
        let screen = try session.waitFor("of 9 steps applied")
        #expect(screen.unicodeScalars.allSatisfy { $0.isASCII })
        let coloured = try session.screen(escapes: true)
        #expect(coloured.firstRange(of: try Regex(#"\x1b\[[0-9;]*[34][0-7]m"#)) == nil)
    }

    @Test("without a terminal it says what else there is, and fails")
    func noTerminal() throws {
        let output = try Command.run([
            "sh", "-c",
            "setsid \(try product("vestige")) \(Places.fixture("notes-legacy.xcappdata")) 2>&1 </dev/null; echo code $?",
        ])
        #expect(output.contains("the other subcommands need none"))
        #expect(output.contains("code 64"))
    }
}
