import Foundation
import MigrationEngine
import Reports

/// A line that the person types at the bottom of the screen.
struct Prompt: Hashable, Sendable {
    /// What the line is for.
    enum Purpose: Hashable, Sendable {
        /// A command, after `:`.
        case command
        /// A text to look for, after `/`.
        case search
        /// A text that the apps shown are to have, after `/`.
        case filter
        /// What the rows shown are to be, after `&`.
        case rows
        /// What is to be done or gone to, after Ctrl-P.
        case palette
        /// The value of a fact.
        case fact(FactName)
        /// The password of a locked dump; it is not shown.
        case password
    }

    let purpose: Purpose
    // Two parts, as characters that meet may join: a mark does with the letter before it.
    private var before: String
    private var after = ""
    /// Which command of the history is shown, counted from the newest; 0 is what the person typed.
    private(set) var historyPosition = 0
    /// What the person typed, while a command of the history is shown.
    private var draft = ""

    /// The command that the line was opened with, which is not deleted with what it takes.
    private let command: String?

    init(_ purpose: Purpose, text: String = "") {
        (self.purpose, command) = (purpose, nil)
        before = text
    }

    /// A line for what a command takes.
    init(command: String) {
        (purpose, self.command) = (.command, command + " ")
        before = command + " "
    }

    /// The line.
    var text: String { before + after }

    /// What is to be looked for: what is pasted has blanks around it, and a line's end.
    var sought: String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// What of the line may be seen, as a whole and before the cursor.
    func shown(_ glyphs: Glyphs) -> (text: String, beforeCursor: String) {
        guard purpose == .password else { return (text, before) }
        func masked(_ text: String) -> String { String(repeating: glyphs == .ascii ? "*" : "•", count: text.count) }
        return (masked(text), masked(before))
    }

    /// What stands before the text.
    var label: String {
        switch purpose {
        case .command: ":"
        case .search, .filter: "/"
        case .rows: "&"
        case .palette: "> "
        case .fact(let name): "\(name) = "
        case .password: "password: "
        }
    }

    mutating func replace(with text: String) {
        before = text
        after = ""
    }

    /// How many scalars a line takes.
    static let limit = 4096

    mutating func insert(_ character: Character) {
        guard before.unicodeScalars.count + after.unicodeScalars.count < Self.limit else { return }
        before.append(character)
    }

    mutating func deleteBackward() { _ = before.popLast() }

    mutating func deleteForward() {
        guard !after.isEmpty else { return }
        after.removeFirst()
    }

    /// Deletes what stands before the cursor; of a command first what it takes.
    mutating func deleteToStart() {
        if let command, before.hasPrefix(command) { return before = command }
        let words = before.split(separator: " ", maxSplits: 1)
        before = purpose == .command && words.count > 1 ? words[0] + " " : ""
    }

    mutating func deleteWord() {
        while before.last == " " { before.removeLast() }
        while let last = before.last, last != " " { before.removeLast() }
    }

    mutating func move(by distance: Int) {
        for _ in 0..<min(max(0, -distance), before.count) {
            if let character = before.popLast() { after.insert(character, at: after.startIndex) }
        }
        let moved = after.prefix(max(0, distance))
        before += moved
        after.removeFirst(moved.count)
    }

    mutating func moveToStart() { (before, after) = ("", text) }

    mutating func moveToEnd() { (before, after) = (text, "") }

    /// Shows another command of the history, or what the person typed.
    mutating func recall(_ direction: Int, in history: [String]) {
        let position = min(max(0, historyPosition + direction), history.count)
        guard position != historyPosition else { return }
        if historyPosition == 0 { draft = text }
        historyPosition = position
        replace(with: position == 0 ? draft : history[history.count - position])
    }
}
