import Foundation
import MigrationEngine
import Reports
import StoreFormats

/// A script for the inspector: keys and commands as a person types them, and what the screen must then show.
///
/// ```
/// # open the traits row, apply two steps, take one back
/// key j j <Enter>
/// :apply
/// fails :apply nonsense
/// type some text
/// click 5 12
/// release 5 16
/// expect-step user-id applied
/// expect-value defaults://com.acme.notes.analytics.wk/user_id == "u-42"
/// :copy value
/// expect-copied "u-42"
/// expect "1 of 9 applied"
/// expect-not "failed"
/// expect-style selected "traits"
/// screen after-rollback
/// resize 120x40
/// ```
package struct Script: Sendable {
    /// One line of a script.
    package enum Command: Hashable, Sendable {
        /// Presses keys, one after the other.
        case keys([Key])
        /// Types a command; it must be done, or must be refused.
        case command(String, fails: Bool)
        /// Pastes a text.
        case paste(String)
        /// Does something with the mouse at a cell.
        case mouse(MouseAction, Position)
        /// A step must have this status or outcome.
        case expectStep(String, String)
        /// An entry, as it is seen, must be this JSON; `nil` is no entry at all.
        case expectValue(Address, Value?)
        /// The screen must show a text, or must not.
        case expect(String, isShown: Bool)
        /// This must be what was copied last.
        case expectCopied(String)
        /// A text must be shown in a style.
        case expectStyle(String, String)
        /// Writes the screen to a file of this name.
        case screen(String)
        /// Gives the screen another size.
        case resize(Size)
    }

    /// The commands with the number of their line, from 1.
    package let commands: [(line: Int, command: Command)]

    /// Reads a script; empty lines and lines that begin with `#` are left out.
    ///
    /// - Throws: ``ScriptError``, which names the line and what is wrong with it.
    package init(_ text: String) throws(ScriptError) {
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
        if line.hasPrefix(":") { return .command(String(line.dropFirst()), fails: false) }
        let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = parts.count > 1 ? parts[1] : ""
        if let action = MouseAction(rawValue: parts[0]) {
            let numbers = rest.split(separator: " ").map { Int($0) ?? 0 }
            guard numbers.count == 2, numbers.allSatisfy({ (1...Size.limit).contains($0) }) else {
                throw Problem(sentence: "\(parts[0]) takes a column and a row, from 1: \(parts[0]) 5 12")
            }
            return .mouse(action, Position(x: numbers[0] - 1, y: numbers[1] - 1))
        }
        switch parts[0] {
        case "key":
            var keys: [Key] = []
            for notation in rest.split(separator: " ") {
                guard let key = Key(notation: String(notation)) else {
                    throw Problem(sentence: "“\(notation)” is not a key; keys are written j, <Enter>, <C-d>, <Space>")
                }
                keys.append(key)
            }
            return .keys(keys)
        case "type": return .keys(rest.map(Key.character))
        case "paste": return .paste(rest)
        case "fails":
            guard rest.hasPrefix(":") else {
                throw Problem(sentence: "fails takes a command: fails :apply nonsense")
            }
            return .command(String(rest.dropFirst()), fails: true)
        case "expect-step":
            let words = rest.split(whereSeparator: \.isWhitespace).map(String.init)
            guard words.count == 2, stepStates.contains(words[1]) else {
                throw Problem(
                    sentence: "expect-step takes a step and its state: \(stepStates.joined(separator: ", "))")
            }
            return .expectStep(words[0], words[1])
        case "expect-value": return try expectedValue(rest)
        case "expect": return .expect(try quoted(rest), isShown: true)
        case "expect-not": return .expect(try quoted(rest), isShown: false)
        case "expect-copied": return .expectCopied(try quoted(rest))
        case "expect-style":
            let words = rest.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2, Style.isName(words[0]) else {
                throw Problem(sentence: "expect-style takes a style and a text: expect-style selected \"traits\"")
            }
            return .expectStyle(words[0], try quoted(words[1]))
        case "screen":
            guard !rest.isEmpty, !rest.contains("/"), rest != ".", rest != "..", !rest.utf8.contains(0) else {
                throw Problem(sentence: "screen takes the name of a file, without a folder")
            }
            return .screen(rest)
        case "resize":
            guard let size = Size(parsing: rest) else { throw Problem(sentence: "resize takes a size such as 80x24") }
            return .resize(size)
        default:
            throw Problem(
                sentence: """
                    “\(parts[0])” is not a command; there are key, type, paste, click, release, wheel-up, wheel-down, :COMMAND, fails, expect, expect-not, \
                    expect-style, expect-step, expect-value, expect-copied, screen and resize
                    """)
        }
    }

    /// What can be expected of a step.
    private static let stepStates =
        PlannedStep.Status.allCases.map(\.rawValue) + Outcome.Kind.allCases.map(\.rawValue)

    /// `ADDRESS == JSON`, or `ADDRESS == absent`.
    private static func expectedValue(_ text: String) throws(Problem) -> Command {
        guard let sign = text.range(of: " == ") else {
            throw Problem(
                sentence: "expect-value takes an address and a value: expect-value ADDRESS == \"u-42\", or == absent")
        }
        let address: Address
        do {
            address = try Address(parsing: text[..<sign.lowerBound].trimmingCharacters(in: .whitespaces))
        } catch {
            throw Problem(sentence: "\(error)")
        }
        let json = text[sign.upperBound...].trimmingCharacters(in: .whitespacesAndNewlines)
        if json == "absent" { return .expectValue(address, nil) }
        do {
            return .expectValue(address, try JSONDocument(Data(json.utf8)).value)
        } catch {
            throw Problem(sentence: "the value after == must be JSON, or absent: \(error)")
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
        guard !isEscaped else { throw Problem(sentence: "the text must stand between quotation marks") }
        return result
    }
}

/// Why a script cannot be run further, and where.
package struct ScriptError: Error, Hashable, Sendable {
    /// The number of the line, from 1.
    package var line: Int
    /// What is wrong, in a sentence.
    package var problem: String
    /// The screen at that moment, where an expectation was not met; the problem is then masked as the screen is.
    package var screen: String?

    /// Makes an error.
    package init(line: Int, problem: String, screen: String? = nil) {
        self.line = line
        self.problem = problem
        self.screen = screen
    }
}
