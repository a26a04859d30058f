import MigrationEngine
import StoreFormats

/// A run of text in one role.
struct Run: Hashable, Sendable {
    var text: String
    var role: Role = .text

    init(_ text: String, _ role: Role = .text) {
        self.text = text
        self.role = role
    }
}

extension Run {
    /// A value in a few words, masked where it is a secret.
    init(_ value: Value, at address: Address, from sources: [Address] = [], _ masking: Masking) {
        if let placeholder = masking.placeholder(for: value, at: address, from: sources) {
            self.init(placeholder, .masked)
        } else {
            self.init(value.summary)
        }
    }
}

extension Frame {
    /// Draws runs of text one after the other within a width, cut with an ellipsis at its end.
    mutating func draw(_ runs: [Run], at x: Int, _ y: Int, width: Int) {
        let end = x + width
        var column = x
        for (index, run) in runs.enumerated() where column < end {
            let isLast = index == runs.count - 1
            let needed = glyphs.columns(run.text, limit: end - column)
            // A run that fits but is followed by others keeps its own width; the last one is cut where the room ends.
            let room = isLast || needed > end - column ? end - column : needed
            draw(run.text, at: column, y, width: room, role: run.role)
            column += min(needed, room)
        }
    }
}
