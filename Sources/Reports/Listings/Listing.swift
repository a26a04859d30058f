import MigrationEngine
import StoreFormats
import Workspace

/// One of the program's answers as lines of text for a person; the stable form for programs is `Report`.
///
/// Every line is displayable: what a dump holds cannot act on a terminal.
public struct Listing: Sendable {
    /// The characters that may appear.
    public let glyphs: Glyphs
    /// Whether secrets are shown.
    public let masking: Masking
    /// The lines so far.
    public private(set) var lines: [String] = []

    /// Makes an empty listing.
    public init(glyphs: Glyphs = .unicode, masking: Masking = Masking()) {
        self.glyphs = glyphs
        self.masking = masking
    }

    /// The text, ending with a line feed where there is any.
    public var text: String { lines.map { $0 + "\n" }.joined() }

    /// Adds a line.
    mutating func line(_ text: String = "", indent: Int = 0) {
        let shown = glyphs.displayText(text)
        lines.append(shown.isEmpty ? "" : String(repeating: " ", count: indent) + shown)
    }

    /// The most columns of a cell; what is longer is shown whole by itself.
    private static let cellLimit = 160

    /// Adds a line of columns, each but the last filled up to a width; a longer one takes the room that it needs.
    mutating func row(_ columns: [(text: String, width: Int)], _ last: String = "", indent: Int = 0) {
        let cells = columns.map { column in
            let width = glyphs.columns(column.text, limit: Self.cellLimit)
            return glyphs.padded(column.text, to: max(column.width, min(width, Self.cellLimit)))
        }
        let text = (cells + [glyphs.truncated(last, to: 2 * Self.cellLimit)]).joined(separator: "  ")
        lines.append(String(repeating: " ", count: indent) + text.trimmedEnd)
    }

    /// Adds a value as a tree.
    mutating func tree(_ value: Value, at address: Address, indent: Int) {
        for treeLine in masking.treeLines(of: value, at: address) {
            line((treeLine.key.map { "\($0): " } ?? "") + treeLine.text, indent: indent + 2 * treeLine.depth)
        }
    }
}

extension String {
    /// The text without blanks at its end.
    fileprivate var trimmedEnd: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
