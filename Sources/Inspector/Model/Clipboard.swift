import Reports

/// What of a row can be copied.
enum CopiedPart: String, Hashable, Sendable, CaseIterable {
    /// What the row is of; of a step, what it reads.
    case value, key, address
    /// What a step writes.
    case migratedValue = "migrated-value"
    case migratedKey = "migrated-key"
    case migratedAddress = "migrated-address"
    /// What a ticket says of the row.
    case sentence

    /// The letter after `y`; what a step writes has the capital.
    var letter: Character {
        switch self {
        case .value: "v"
        case .key: "k"
        case .address: "a"
        case .migratedValue: "V"
        case .migratedKey: "K"
        case .migratedAddress: "A"
        case .sentence: "s"
        }
    }

    /// What it is called.
    var words: String { rawValue.replacing("-", with: " ") }

    /// What it is called of a row that compares two dumps.
    var comparedWords: String {
        switch self {
        case .value: "value before"
        case .migratedValue: "value after"
        default: words
        }
    }
}

/// What was copied last, and how it reaches the person.
package struct Clipboard: Sendable {
    /// Whether the terminal may take a text; where it cannot, the text is shown.
    package var isReachable = true
    /// What was copied last.
    private(set) var copied: CopiedText?
    /// Whether the terminal is still to be given it.
    private var isUntaken = false
    /// Whether the next key says what to copy.
    var isChoosing = false
    /// The text as lines, for a page, and the columns that they have.
    private(set) var lines: [String] = []
    private var width = 0

    /// What the terminal is to be given, once.
    package mutating func take() -> String? {
        defer { isUntaken = false }
        return isUntaken ? copied?.text : nil
    }

    mutating func copy(_ text: CopiedText) {
        (copied, isUntaken, width) = (text, isReachable, 0)
    }

    /// Makes the lines for a width, where they are for another.
    mutating func write(width: Int, _ glyphs: Glyphs) {
        guard width != self.width, let copied else { return }
        self.width = width
        lines = Array(glyphs.wrapped(copied.text, to: width))
    }
}
