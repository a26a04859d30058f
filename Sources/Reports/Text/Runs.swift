import MigrationEngine
import StoreFormats

/// The lines of a text at a width, made on demand: taking ten lines of a large text reads ten lines of it.
package struct WrappedLines: Sequence, IteratorProtocol, Sendable {
    private let width: Int
    private let glyphs: Glyphs
    private var pieces: DisplayPieces
    private var pending: [DisplayPiece] = []
    private var isFinished = false
    private var hasLines = false

    init(_ text: String, width: Int, glyphs: Glyphs) {
        self.width = width
        self.glyphs = glyphs
        pieces = DisplayPieces(text, glyphs: glyphs)
    }

    /// The next line, of at most the width's columns.
    package mutating func next() -> String? {
        guard !isFinished else { return nil }
        var line = "", used = 0
        while let piece = nextPiece() {
            guard piece.columns <= width - used else {
                pending.append(piece)
                hasLines = true
                return line
            }
            line += piece.text
            used += piece.columns
        }
        isFinished = true
        return line.isEmpty && hasLines ? nil : line
    }

    /// The next piece, made to fit a line: a visible form may be longer than a narrow line, a wide character wider.
    private mutating func nextPiece() -> DisplayPiece? {
        guard let piece = pending.popLast() ?? pieces.next() else { return nil }
        guard piece.columns > width else { return piece }
        guard piece.isForm else { return DisplayPiece(text: glyphs.ellipsis, columns: 1, isForm: false) }
        pending.append(contentsOf: piece.text.reversed().map { .init(text: String($0), columns: 1, isForm: true) })
        return pending.popLast()
    }
}

/// A run of text in one role.
package struct Run: Hashable, Sendable {
    package var text: String
    package var role: Role = .text

    package init(_ text: String, _ role: Role = .text) {
        self.text = text
        self.role = role
    }
}

extension Run {
    /// A value in a few words, masked where it is a secret.
    package init(_ value: Value, at address: Address, from sources: [Address] = [], _ masking: Masking) {
        let shown = masking.shown(value, at: address, from: sources)
        self.init(shown.text, shown.isMasked ? .masked : .text)
    }
}

/// What a piece of a screen is for; the theme says how that looks.
package enum Role: String, Hashable, Sendable, CaseIterable {
    /// Ordinary text.
    case text
    /// What matters less: counts, hints, unchanged values, a reason why something is off.
    case dim
    /// The name of the program and of what is open, at the top of the screen or of a box.
    case title
    /// A heading within a pane.
    case heading
    /// The name of an entry.
    case key
    /// A change that adds, removes, or replaces.
    case added, removed, changed
    /// What has been done, what deserves attention, what is wrong.
    case done, warning, problem
    /// What a search found.
    case match
    /// A secret that is not shown.
    case masked
    /// A short word on a coloured ground.
    case badge
    /// Lines around panes, and around the pane that has the keys.
    case border
    case borderFocused = "border-focused"
    /// The last row, and the keys in it.
    case footer
    case footerKey = "footer-key"
    /// Where the person types.
    case prompt
}

extension Glyphs {
    /// The lines of a sentence at a width, broken between words where that is possible.
    package func proseLines(_ text: String, width: Int) -> [String] {
        guard width > 0 else { return [] }
        var lines: [String] = [], line = "", used = 0
        for word in text.split(separator: " ", omittingEmptySubsequences: true) {
            let word = displayText(String(word)), length = columns(word)
            if used > 0, used + 1 + length <= width {
                line += " " + word
                used += 1 + length
                continue
            }
            if used > 0 { lines.append(line) }
            var pieces = length <= width ? [word] : Array(wrapped(word, to: width))
            line = pieces.popLast() ?? ""
            lines += pieces
            used = columns(line)
        }
        return used > 0 || lines.isEmpty ? lines + [line] : lines
    }
}

extension Glyphs {
    /// What stands before a line that goes on from the one above, where the text has no line break.
    var goesOn: String { choose("↪ ", ascii: "> ") }

    /// Runs as lines of at most so many columns: a line break of the text ends one, and what else is broken goes on behind a sign.
    ///
    /// - Parameter most: How many lines at most; the last one says that there is more.
    func broken(_ runs: [Run], to width: Int, most: Int) -> [[Run]] {
        let sign = Run(goesOn, .dim), width = max(4, width)
        var lines: [[Run]] = [[]], used = 0
        for run in runs {
            for piece in DisplayPieces(run.text, glyphs: self) {
                if used + piece.columns > width {
                    guard lines.count < most else { return (lines + [[Run(ellipsis, .dim)]]).map(Self.joined) }
                    let taken = takeBrokenWord(ofMaskIn: &lines[lines.count - 1], most: width - 2 - piece.columns)
                    lines.append([sign] + taken)
                    used = 2 + taken.count
                }
                lines[lines.count - 1].append(Run(piece.text, run.role))
                used += piece.columns
                if piece.isForm, piece.text == choose("␊", ascii: "\\n"), lines.count < most {
                    lines.append([])
                    used = 0
                }
            }
        }
        if lines.count > 1, lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map(Self.joined)
    }

    /// Takes from the end of a line, in pieces, the word that it breaks off in within what stands in place of a secret; of that each
    /// piece is a column.
    private func takeBrokenWord(ofMaskIn line: inout [Run], most: Int) -> [Run] {
        let open = choose("‹", ascii: "<"), close = choose("›", ascii: ">")
        guard let start = line.lastIndex(where: { $0.text == open }),
            let blank = line.lastIndex(where: { $0.text == " " }), blank > start,
            !line[start...].contains(where: { $0.text == close })
        else { return [] }
        let words = line[start...blank].dropFirst().map(\.text).joined()
        let isMask = Secrets.marks.contains { mark in
            words.hasPrefix(mark.dropFirst()) || mark.dropFirst().hasPrefix(words)
        }
        let word = Array(line[(blank + 1)...])
        guard isMask, word.count <= most else { return [] }
        line.removeSubrange((blank + 1)...)
        return word
    }

    /// The same with neighbours of one role as one.
    private static func joined(_ runs: [Run]) -> [Run] {
        runs.reduce(into: []) { joined, run in
            if joined.last?.role == run.role { joined[joined.count - 1].text += run.text } else { joined.append(run) }
        }
    }
}

extension Int {
    /// The number with its noun: `1 byte`, `2 bytes`, `3 entries`.
    package func counted(_ noun: String, _ plural: String? = nil) -> String {
        "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
    }
}
