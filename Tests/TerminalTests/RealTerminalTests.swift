import Foundation
import Testing

@testable import Terminal

/// The probe in a real terminal; skipped where there is no tmux, unless VESTIGE_REQUIRE_TERMINAL_TESTS is 1.
@Suite(
    "In a real terminal",
    .enabled(if: TmuxSession.isAvailable || TmuxSession.isRequired, "tmux is not installed"),
    .serialized, .timeLimit(.minutes(3)))
struct RealTerminalTests {
    /// A shell with job control that runs the probe and then says whether the terminal's settings are the same.
    private func shell(_ environment: [String: String] = [:]) throws -> TmuxSession {
        let probe = try product("terminal-probe")
        let session = try TmuxSession(
            ["bash", "--norc", "--noprofile"], environment: ["PROBE": probe].merging(environment) { $1 })
        try session.waitFor("$")
        try session.type(#"s=$(stty -g); "$PROBE"; c=$?; [ "$s" = "$(stty -g)" ] && echo settings the same, code $c"#)
        try session.press("Enter")
        try session.waitFor("terminal-probe 80x24")
        return session
    }

    private func probe(_ environment: [String: String] = [:]) throws -> TmuxSession {
        let session = try TmuxSession([product("terminal-probe")], environment: environment)
        try session.waitFor("terminal-probe 80x24")
        return session
    }

    @Test("quitting gives the terminal back as it was")
    func quit() throws {
        let session = try shell()
        try session.waitFor("a screen of its own without a cursor") {
            try session.value("alternate_on") == "1" && session.value("cursor_flag") == "0"
        }
        try session.press("q")
        let screen = try session.waitFor("settings the same, code 0")
        #expect(screen.contains("ended"))
        #expect(!screen.contains("terminal-probe 80x24"))
        try session.waitForGivenBack()
    }

    @Test("exit() in the middle gives the terminal back as it was")
    func exit() throws {
        let session = try shell()
        try session.press("x")
        try session.waitFor("settings the same, code 3")
        try session.waitForGivenBack()
    }

    @Test(
        "a signal that ends the program gives the terminal back first",
        arguments: [
            "TERM", "HUP", "INT", "QUIT", "USR1", "USR2", "PIPE", "ALRM", "VTALRM", "PROF", "XCPU", "POLL", "34",
        ])
    func ended(by signal: String) throws {
        // Swift's backtrace would take the screen after a SIGQUIT.
        let session = try shell(["SWIFT_BACKTRACE": "enable=no"])
        try Command.run(["pkill", "-\(signal)", "-P", session.value("pane_pid")])
        // The shell may take this end of its program for a wish to drop the rest of the line.
        try session.waitForGivenBack()
        try session.type("stty -a | grep -o ' icanon'; echo said $?")
        try session.press("Enter")
        try session.waitFor("said 0")
    }

    @Test("a crash gives the terminal back, and Swift's message and backtrace are there to read")
    func crash() throws {
        let session = try shell(["SWIFT_BACKTRACE": "enable=yes"])
        try session.press("!")
        try session.waitFor("the backtrace", seconds: 90) { try session.history().contains("Backtrace took") }
        try session.waitFor("the message") {
            let history = try session.history()
            return history.contains("Fatal error") && history.contains("Program crashed")
                && !history.contains("terminal-probe 80x24")
        }
        try session.waitForGivenBack()
    }

    @Test("the screen follows the window's size, whatever LINES and COLUMNS say")
    func resize() throws {
        let session = try probe(["LINES": "10", "COLUMNS": "30"])
        try session.resize(width: 50, height: 12)
        try session.waitFor("resize 50x12")
        try session.waitForRows("terminal-probe 50x12") { $0.count == 12 && $0.first?.count == 50 }
        try session.resize(width: 120, height: 40)
        try session.waitFor("resize 120x40")
        try session.waitForRows("terminal-probe 120x40") { $0.count == 40 }
    }

    @Test("a window of one cell, and large again, does no harm")
    func tiny() throws {
        let session = try probe()
        try session.resize(width: 1, height: 1)
        try session.waitFor("the new size") { try session.value("pane_width") == "1" }
        try session.press("j")
        try session.resize(width: 80, height: 24)
        try session.waitFor("resize 80x24")
        try session.waitFor("key j")
    }

    @Test("Ctrl-Z gives the terminal to the shell, and fg takes it again and repaints")
    func suspend() throws {
        let session = try shell()
        try session.press("j")
        try session.waitFor("key j")
        try session.press("C-z")
        try session.waitFor("Stopped")
        try session.waitForGivenBack()
        try session.waitFor("the shell's own screen") { try !session.screen().contains("key j") }
        try session.resize(width: 60, height: 20)
        try session.type("fg")
        try session.press("Enter")
        try session.waitFor("resize 60x20")
        let screen = try session.waitFor("terminal-probe 60x20")
        #expect(screen.contains("key j"))
        try session.waitFor("a screen of its own") { try session.value("alternate_on") == "1" }
        try session.press("q")
        try session.waitFor("ended")
        try session.waitForGivenBack()
    }

    @Test(
        "a signal to stop gives the terminal back as Ctrl-Z does, and going on repaints; so does going on after a stop by force"
    )
    func stoppedFromOutside() throws {
        let session = try shell()
        try session.press("j")
        try session.waitFor("key j")
        let process = try Command.run(["pgrep", "-n", "-P", session.value("pane_pid"), "terminal-probe"])
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try Command.run(["kill", "-TSTP", process])
        try session.waitFor("Stopped")
        try session.waitForGivenBack()
        try session.type("fg")
        try session.press("Enter")
        try session.waitFor("key j")
        try session.waitFor("a screen of its own") { try session.value("alternate_on") == "1" }
        try Command.run(["kill", "-STOP", process])
        try session.waitFor("Stopped")
        try session.type("fg")
        try session.press("Enter")
        try session.press("k")
        try session.waitFor("key k")
        #expect(try !session.screen().contains("Stopped"))
        try session.press("q")
        try session.waitFor("ended")
        try session.waitForGivenBack()
    }

    @Test("Escape alone is a key, and with what begins like one right behind it too")
    func escape() throws {
        let session = try probe()
        try session.press("Escape")
        try session.waitFor("key <Esc>")
        try session.press("j")
        try session.waitFor("key j")
        // The time that tells the two apart is set in the program: the default of curses, a second, would be felt.
        #expect(CursesTerminal.escapeDelay <= 50)
    }

    @Test("a text that is pasted arrives as one text, not as keys")
    func paste() throws {
        let session = try probe()
        try session.paste("quit? ja 作")
        try session.waitFor("paste quit? ja 作")
        try session.press("j")
        try session.waitFor("key j")
    }

    @Test("keys arrive as themselves")
    func keys() throws {
        let session = try probe()
        let keys = [
            ("F1", "<F1>"), ("F12", "<F12>"), ("Up", "<Up>"), ("Home", "<Home>"), ("End", "<End>"),
            ("PPage", "<PageUp>"), ("DC", "<Delete>"), ("BTab", "<S-Tab>"), ("Tab", "<Tab>"), ("Enter", "<Enter>"),
            ("BSpace", "<Backspace>"), ("C-d", "<C-d>"), ("C-c", "<C-c>"), ("C-q", "<C-q>"), ("Space", "<Space>"),
            ("<", "<LT>"), ("é", "é"), ("作", "作"), ("🙂", "🙂"),
        ]
        for (name, notation) in keys {
            try session.press(name)
            try session.waitFor("key \(notation)")
        }
    }

    @Test("another thread can interrupt the wait for a key")
    func wakeup() throws {
        let session = try probe()
        try session.press("w")
        try session.waitFor("woken")
    }

    @Test("what is written to standard error does not touch the screen and appears after it")
    func standardError() throws {
        let session = try shell()
        try session.press("e")
        #expect(try !session.waitFor("wrote").contains("to standard error"))
        try session.press("q")
        #expect(try session.waitFor("settings the same").contains("to standard error"))
    }

    @Test("keys come from the terminal where standard input is data")
    func standardInput() throws {
        let probe = try product("terminal-probe")
        let session = try TmuxSession(["sh", "-c", "printf 'qqq' | '\(probe)'"])
        try session.waitFor("terminal-probe 80x24")
        try session.press("j")
        try session.waitFor("key j")
    }

    @Test("roles have colours, and none with NO_COLOR, where attributes tell them apart")
    func colours() throws {
        // What stands before it may have another colour, which tmux tells first.
        func waitForGreen(_ session: TmuxSession) throws {
            try session.waitFor("green") {
                try session.screen(escapes: true).firstMatch(of: #/(32|38;5;29)m(\x1B\[49m)?added/#) != nil
            }
        }
        try waitForGreen(probe())
        let plain = try probe(["NO_COLOR": "1"])
        // What stands before it may be bold, which tmux ends first.
        try plain.waitFor("reverse video") {
            try plain.screen(escapes: true).firstMatch(of: /\x1B\[(0;)?7m(\x1B\[[34]9m)*selected/) != nil
        }
        try plain.waitFor("q quits")
        #expect(
            try plain.screen(escapes: true).firstMatch(of: /\x1B\[[0-9;]*\b(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]/) == nil)
        try waitForGreen(probe(["NO_COLOR": ""]))
    }

    @Test("wide characters and marks take the columns that the frame gave them, also in the C locale")
    func wide() throws {
        let session = try probe(["LC_ALL": "C"])
        // tmux's own count: the right border of the row is in the last column.
        try session.waitForRows("q quits") { rows in
            rows.count > 3 && rows[2].hasPrefix("│ wide: 作作 x\u{301} |") && rows[3].hasPrefix("│ 13 is: |")
                && rows[2].hasSuffix("│") && rows[2].count == 78
        }
    }

    @Test("hostile text reaches the terminal in visible forms alone")
    func hostile() throws {
        try probe().waitForLook("hostile: ␛[31m␊‹202E›‹009B›31m")
    }

    @Test("the cursor is shown only where the frame has one")
    func cursor() throws {
        let session = try probe()
        try session.waitFor("no cursor") { try session.value("cursor_flag") == "0" }
        try session.press("c")
        try session.waitFor("the cursor") { try session.value("cursor_flag") == "1" }
        try session.waitFor("the cursor in its place") {
            try session.value("cursor_x") == "3" && session.value("cursor_y") == "2"
        }
        try session.press("j")
        try session.waitFor("no cursor") { try session.value("cursor_flag") == "0" }
    }

    @Test("an unknown TERM is an error that names it", arguments: ["no-such-terminal", "dumb", ""])
    func unknown(type: String) throws {
        let probe = try product("terminal-probe")
        let session = try TmuxSession(["sh", "-c", "'\(probe)'; echo code $?; cat"], environment: ["TERM": type])
        try session.waitFor("code 75")
        try session.waitFor("the name") {
            try session.history().contains(type.isEmpty ? "TERM is not set" : "TERM=\(type)")
        }
    }
}
