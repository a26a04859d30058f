import Foundation

/// A program in a real terminal of its own: a private tmux server with one window.
///
/// Nothing here sleeps for a fixed time: `waitFor` looks again and again until what is awaited is there or time is up.
final class TmuxSession {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Whether there is a tmux to run; tests are skipped without one.
    static let isAvailable = (try? run(["-V"])) != nil

    /// Whether a missing tmux is a failure, as on the build servers.
    static let isRequired = ProcessInfo.processInfo.environment["VESTIGE_REQUIRE_TERMINAL_TESTS"] == "1"

    private static let lock = NSLock()
    nonisolated(unsafe) private static var count = 0  // Only touched while `lock` is held.

    private let name: String

    /// Starts a program.
    ///
    /// Its environment is that of the tests, without what would change how it draws, and with
    /// `environment`. The window stays when the program has ended.
    init(_ command: [String], width: Int = 80, height: Int = 24, environment: [String: String] = [:]) throws {
        let number = Self.lock.withLock {
            Self.count += 1
            return Self.count
        }
        name = "vestige-\(ProcessInfo.processInfo.processIdentifier)-\(number)"
        let unset = ["NO_COLOR", "TMUX", "TMUX_PANE", "LINES", "COLUMNS", "ESCDELAY"].flatMap { ["-u", $0] }
        let values = ["TERM": "screen-256color", "LC_ALL": "C.UTF-8", "PS1": "$ "].merging(environment) { $1 }
        let assignments = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        try tmux(
            ["-f", "/dev/null", "start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";"]
                + ["set-option", "-s", "escape-time", "0", ";"]
                + ["new-session", "-d", "-x", "\(width)", "-y", "\(height)"]
                + ["--", "env"] + unset + assignments + command)
    }

    deinit {
        _ = try? tmux(["kill-server"])
    }

    /// Presses keys by tmux's names: `j`, `Enter`, `Escape`, `C-z`, `BTab`, `F1`.
    func press(_ keys: String...) throws {
        try tmux(["send-keys"] + keys)
    }

    /// Types a text as it is.
    func type(_ text: String) throws {
        try tmux(["send-keys", "-l", text])
    }

    /// Changes the size of the window.
    func resize(width: Int, height: Int) throws {
        try tmux(["resize-window", "-x", "\(width)", "-y", "\(height)"])
    }

    /// What the window shows, with the blanks at the ends of rows cut; with `escapes`, also how it looks.
    func screen(escapes: Bool = false) throws -> String {
        try tmux(["capture-pane", "-p"] + (escapes ? ["-e"] : []))
    }

    /// What the window shows, and what has moved out of it at the top.
    func history() throws -> String {
        try tmux(["capture-pane", "-p", "-J", "-S", "-"])
    }

    /// One of tmux's variables, such as `alternate_on`, `cursor_flag` and `pane_width`.
    func value(_ name: String) throws -> String {
        try tmux(["display-message", "-p", "#{\(name)}"]).trimmingCharacters(in: .newlines)
    }

    /// Looks until the window shows a text, and returns what it shows.
    @discardableResult
    func waitFor(_ text: String, seconds: Double = 60) throws -> String {
        try waitFor("the text \"\(text)\"", seconds: seconds) { try self.screen().contains(text) }
        return try screen()
    }

    /// Looks until the terminal is as a shell wants it: the main screen, with a cursor.
    func waitForGivenBack() throws {
        try waitFor("the terminal to be given back") {
            try value("alternate_on") == "0" && value("cursor_flag") == "1"
        }
    }

    /// Looks until the rows of a screen that shows a text are as they should be.
    func waitForRows(_ text: String, _ hold: ([Substring]) -> Bool) throws {
        try waitFor("the rows of \"\(text)\"") {
            let screen = try self.screen()
            return screen.contains(text) && hold(screen.split(separator: "\n"))
        }
    }

    /// Looks until the window shows a text with the escapes that say how it looks.
    func waitForLook(_ text: String) throws {
        try waitFor("the look \(text.debugDescription)") { try self.screen(escapes: true).contains(text) }
    }

    /// Pastes a text, as a terminal does whose program has asked for its beginning and end.
    func paste(_ text: String) throws {
        try tmux(["set-buffer", text])
        try tmux(["paste-buffer", "-p"])
    }

    /// Has the terminal take what programs copy.
    func takeCopies() throws { try tmux(["set-option", "-s", "set-clipboard", "on"]) }

    /// What was copied last; empty where nothing was.
    func buffer() throws -> String { (try? tmux(["show-buffer"])) ?? "" }

    /// Looks until something holds; each look starts tmux, which leaves the program time enough.
    func waitFor(_ what: String, seconds: Double = 60, _ holds: () throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while try !holds() {
            guard Date() < deadline else {
                throw Failure(description: "waited \(seconds) s for \(what); the screen shows:\n\(try screen())")
            }
        }
    }

    @discardableResult
    private func tmux(_ arguments: [String]) throws -> String {
        try Self.run(["-L", name] + arguments)
    }

    private static func run(_ arguments: [String]) throws -> String {
        try Command.run(["tmux"] + arguments)
    }
}
