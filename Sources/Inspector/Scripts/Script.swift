/// A script for the inspector: keys and commands as a person types them, and what the screen must then show.
///
/// ```
/// # open the traits row, apply two steps, take one back
/// key j j <Enter>
/// :apply
/// type some text
/// expect "1 of 9 applied"
/// expect-not "failed"
/// expect-style selected "traits"
/// screen after-rollback
/// resize 120x40
/// ```
public struct Script: Sendable {
    /// One line of a script.
    public enum Command: Hashable, Sendable {
        /// Presses keys, one after the other.
        case keys([Key])
        /// The screen must show a text, or must not.
        case expect(String, isShown: Bool)
        /// A text must be shown in a style.
        case expectStyle(String, String)
        /// Writes the screen to a file of this name.
        case screen(String)
        /// Gives the screen another size.
        case resize(Size)
    }

    /// The commands with the number of their line, from 1.
    public let commands: [(line: Int, command: Command)]

    /// Reads a script; empty lines and lines that begin with `#` are left out.
    ///
    /// - Throws: ``ScriptError``, which names the line and what is wrong with it.
    public init(_ text: String) throws(ScriptError) {
        var commands: [(line: Int, command: Command)] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmingPrefix { $0 == " " || $0 == "\t" }
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            do throws(Problem) {
                commands.append((index + 1, try Self.command(String(line))))
            } catch {
                throw ScriptError(line: index + 1, problem: error.sentence)
            }
        }
        self.commands = commands
    }

    /// What is wrong with a line.
    private struct Problem: Error {
        let sentence: String
    }

    private static func command(_ line: String) throws(Problem) -> Command {
        if line.hasPrefix(":") { return .keys(line.map(Key.character) + [.enter]) }
        let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = parts.count > 1 ? parts[1] : ""
        switch parts[0] {
        case "key":
            var keys: [Key] = []
            for notation in rest.split(separator: " ") {
                guard let key = Key(notation: String(notation)) else {
                    throw Problem(sentence: "“\(notation)” is no key; keys are written j, <Enter>, <C-d>, <Space>")
                }
                keys.append(key)
            }
            return .keys(keys)
        case "type": return .keys(rest.map(Key.character))
        case "expect": return .expect(try quoted(rest), isShown: true)
        case "expect-not": return .expect(try quoted(rest), isShown: false)
        case "expect-style":
            let words = rest.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2, Style.isName(words[0]) else {
                throw Problem(sentence: "expect-style takes a style and a text: expect-style selected \"traits\"")
            }
            return .expectStyle(words[0], try quoted(words[1]))
        case "screen":
            guard !rest.isEmpty, !rest.contains("/") else {
                throw Problem(sentence: "screen takes the name of a file, without a folder")
            }
            return .screen(rest)
        case "resize":
            guard let size = Size(parsing: rest) else { throw Problem(sentence: "resize takes a size such as 80x24") }
            return .resize(size)
        default:
            throw Problem(
                sentence: """
                    “\(parts[0])” is no command; there are key, type, :COMMAND, expect, expect-not, expect-style, screen \
                    and resize
                    """)
        }
    }

    /// A text between quotation marks; `\"` and `\\` stand for themselves.
    private static func quoted(_ text: String) throws(Problem) -> String {
        let trimmed = text.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed()
        guard trimmed.count >= 2, trimmed.first == "\"", trimmed.last == "\"" else {
            throw Problem(sentence: "the text must stand between quotation marks")
        }
        var result = "", isEscaped = false
        for character in trimmed.dropFirst().dropLast() {
            if !isEscaped, character == "\\" {
                isEscaped = true
            } else {
                result.append(character)
                isEscaped = false
            }
        }
        return result
    }
}

/// Why a script cannot be run further, and where.
public struct ScriptError: Error, Hashable, Sendable {
    /// The number of the line, from 1.
    public var line: Int
    /// What is wrong, in a sentence.
    public var problem: String
    /// The screen at that moment, where an expectation was not met.
    public var screen: String?

    /// Makes an error.
    public init(line: Int, problem: String, screen: String? = nil) {
        self.line = line
        self.problem = problem
        self.screen = screen
    }
}
