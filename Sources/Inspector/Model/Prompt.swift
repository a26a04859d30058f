import MigrationEngine

/// A line that the person types at the bottom of the screen.
struct Prompt: Hashable, Sendable {
    /// What the line is for.
    enum Purpose: Hashable, Sendable {
        /// A command, after `:`.
        case command
        /// A text to look for, after `/`.
        case search
        /// The value of a fact.
        case fact(FactName)
    }

    let purpose: Purpose
    private(set) var text: String
    /// The characters before the cursor.
    private(set) var cursor: Int
    /// Which command of the history is shown, counted from the newest; 0 is what the person typed.
    var historyPosition = 0

    init(_ purpose: Purpose, text: String = "") {
        self.purpose = purpose
        self.text = text
        cursor = text.count
    }

    /// What stands before the text.
    var label: String {
        switch purpose {
        case .command: ":"
        case .search: "/"
        case .fact(let name): "\(name) = "
        }
    }

    mutating func replace(with text: String) {
        self.text = text
        cursor = text.count
    }

    mutating func insert(_ character: Character) {
        guard text.count < 4096 else { return }
        text.insert(character, at: index(cursor))
        cursor += 1
    }

    mutating func deleteBackward() {
        guard cursor > 0 else { return }
        cursor -= 1
        text.remove(at: index(cursor))
    }

    mutating func deleteForward() {
        guard cursor < text.count else { return }
        text.remove(at: index(cursor))
    }

    mutating func deleteToStart() {
        text.removeSubrange(..<index(cursor))
        cursor = 0
    }

    mutating func deleteWord() {
        while cursor > 0, text[index(cursor - 1)] == " " { deleteBackward() }
        while cursor > 0, text[index(cursor - 1)] != " " { deleteBackward() }
    }

    mutating func move(by distance: Int) {
        cursor = min(max(0, cursor + distance), text.count)
    }

    private func index(_ offset: Int) -> String.Index {
        text.index(text.startIndex, offsetBy: offset)
    }
}
