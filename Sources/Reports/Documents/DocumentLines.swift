import StoreFormats

/// A document as lines, for text of any length and for a pane of some columns.
///
/// Every line is displayable: what a dump holds cannot act on a terminal.
extension Document {
    /// A line: runs of text, or two sides with a sign between them.
    package enum Line: Hashable, Sendable {
        case runs([Run])
        case pair(left: [Run], mark: Comparison.Mark, right: [Run])
    }

    /// The lines of the document.
    ///
    /// - Parameters:
    ///   - width: The columns of a pane, in which sentences are broken between words and what was before stands beside what
    ///     is after where there is room; without one each block has a line of its own, however long.
    ///   - words: How the front end words advice.
    package func lines(width: Int?, _ glyphs: Glyphs = .unicode, _ words: AdviceWords = .plain) -> [Line] {
        var drawing = LineDrawing(width: width, glyphs: glyphs, words: words)
        blocks.forEach { drawing.draw($0) }
        return drawing.lines
    }

    /// The document as text, ending with a line feed where there is any.
    package func text(_ glyphs: Glyphs = .unicode, _ words: AdviceWords = .plain) -> String {
        var drawing = LineDrawing(width: nil, glyphs: glyphs, words: words), text = ""
        for block in blocks {
            drawing.draw(block)
            for line in drawing.taken() {
                text += line.text
                text += "\n"
            }
        }
        return text
    }
}

extension Document.Line {
    /// The line without its roles.
    package var text: String {
        switch self {
        case .runs(let runs): runs.map(\.text).joined()
        case .pair(let left, let mark, let right): (left + [Run(" \(mark.sign) ")] + right).map(\.text).joined()
        }
    }
}

/// Draws blocks as lines.
private struct LineDrawing {
    let width: Int?
    let glyphs: Glyphs
    let words: AdviceWords
    private(set) var lines: [Document.Line] = []

    /// From this width on, before and after stand beside each other.
    private static let sideBySide = 60
    /// The most lines of one part of a value in a pane; `show` has all of it.
    private static let partLimit = 200
    /// The most columns of a cell; what is longer is shown whole by itself.
    private static let cellLimit = 160

    init(width: Int?, glyphs: Glyphs, words: AdviceWords) {
        self.width = width
        self.glyphs = glyphs
        self.words = words
    }

    /// The lines so far, which are not kept.
    mutating func taken() -> [Document.Line] {
        defer { lines.removeAll(keepingCapacity: true) }
        return lines
    }

    mutating func draw(_ block: Document.Block) {
        switch block {
        case .heading(let text, let indent): prose("", [Run(text, .heading)], indent)
        case .line(let runs, let indent): prose("", runs, indent)
        case .field(let label, let least, let run, let indent):
            prose(glyphs.padded(label, to: max(least, glyphs.columns(label) + (width == nil ? 2 : 1))), [run], indent)
        case .row(let columns, let last, let indent): row(columns, last, indent)
        case .step(let planned):
            let sign = planned.sign(glyphs)
            prose("", [Run("\(sign.text) \(planned.wordAndStatus)", sign.role)], 0)
        case .value(let value, let role, let indent): tree(value, role, indent)
        case .comparison(let comparison): compare(comparison)
        case .advice(let label, let advice, let indent):
            // In a pane it stands among the fields.
            let lead = width == nil ? "" : glyphs.padded(label, to: 6)
            prose(lead, [Run(words(advice), width == nil ? .text : .warning)], indent)
        case .blank: lines.append(.runs([]))
        }
    }

    private mutating func line(_ runs: [Run], _ indent: Int = 0) {
        let shown = runs.map { Run(glyphs.displayText($0.text), $0.role) }.filter { !$0.text.isEmpty }
        let lead = indent > 0 && !shown.isEmpty ? [Run(String(repeating: " ", count: indent))] : []
        lines.append(.runs(lead + shown))
    }

    /// A sentence after a lead; in a pane broken between words, with its later lines under its first.
    private mutating func prose(_ lead: String, _ runs: [Run], _ indent: Int) {
        let start = lead.isEmpty ? [] : [Run(lead, .dim)]
        guard let width, let run = runs.first, runs.count == 1 else { return line(start + runs, indent) }
        let room = width - indent - glyphs.columns(lead)
        for (index, part) in glyphs.proseLines(run.text, width: max(1, room)).enumerated() {
            let under = String(repeating: " ", count: glyphs.columns(lead))
            line((index == 0 ? start : [Run(under)]) + [Run(part, run.role)], indent)
        }
    }

    private mutating func row(_ columns: [(text: String, width: Int)], _ last: String, _ indent: Int) {
        let cells = columns.map { column in
            let width = glyphs.columns(column.text, limit: Self.cellLimit)
            return glyphs.padded(column.text, to: max(column.width, min(width, Self.cellLimit)))
        }
        var text = (cells + [glyphs.truncated(last, to: 2 * Self.cellLimit)]).joined(separator: "  ")[...]
        while text.last == " " { text.removeLast() }
        line([Run(String(text))], indent)
    }

    /// A value as a tree: a line for each part, of which in a pane a long one takes several.
    private mutating func tree(_ value: ShownValue, _ role: Role, _ indent: Int) {
        for part in value.treeLines(withBytes: width == nil) {
            let depth = indent + 2 * part.depth
            let key = part.key.map { [Run("\($0): ", .key)] } ?? []
            guard let width else {
                line(key + [Run(part.text, role)], depth)
                continue
            }
            let keyColumns = key.first.map { glyphs.columns($0.text, limit: width) } ?? 0
            let room = width - depth - keyColumns
            guard room > 8, glyphs.columns(part.text, limit: room) > room else {
                line(key + [Run(part.text, role)], depth)
                continue
            }
            var isFirst = true, left = Self.partLimit
            for piece in glyphs.wrapped(part.text, to: room) {
                line((isFirst ? key : [Run(String(repeating: " ", count: keyColumns))]) + [Run(piece, role)], depth)
                (isFirst, left) = (false, left - 1)
                guard left > 0 else {
                    line([Run(glyphs.ellipsis, .dim)], depth)
                    break
                }
            }
        }
    }

    private mutating func compare(_ comparison: ShownComparison) {
        let (before, after) = comparison.titles, rows = comparison.comparison.rows
        if let width, width >= Self.sideBySide {
            lines.append(.pair(left: [Run(before, .heading)], mark: .same, right: [Run(after, .heading)]))
            for row in rows {
                lines.append(.pair(left: row.leftRuns, mark: row.mark, right: row.rightRuns(comparison.placeholders)))
            }
            return
        }
        let title = before.isEmpty ? after : "\(before) \(glyphs.choose("→", ascii: "->")) \(after)"
        line([Run(title, .heading)])
        for row in rows {
            let added = [Run("+ ", .added)] + row.rightRuns(comparison.placeholders)
            switch row.mark {
            case .same: line([Run("  ")] + row.leftRuns)
            case .changed:
                line([Run("- ", .removed)] + row.leftRuns)
                line(added)
            case .removed: line([Run("- ", .removed)] + row.leftRuns)
            case .added: line(added)
            }
        }
    }
}

extension Comparison.Mark {
    /// How the sign and what differs look.
    package var role: Role {
        switch self {
        case .same: .dim
        case .changed: .changed
        case .removed: .removed
        case .added: .added
        }
    }
}

extension Comparison.Row {
    /// The left side with what differs in it marked.
    fileprivate var leftRuns: [Run] { runs(left, other: right, role: .removed) }

    /// The right side with what differs in it marked, and what a default made up.
    fileprivate func rightRuns(_ placeholders: [JSONPointer]) -> [Run] {
        let isPlaceholder = placeholders.contains(pointer)
        return runs(right, other: left, role: .added, sign: isPlaceholder ? [Run("placeholder ", .warning)] : [])
    }

    private func runs(_ text: String?, other: String?, role: Role, sign: [Run] = []) -> [Run] {
        guard let text else { return [] }
        let lead = [Run(String(repeating: "  ", count: depth))] + (key.map { [Run("\($0): ", .key)] } ?? []) + sign
        guard mark != .same else { return lead + [Run(text)] }
        guard let other else { return lead + [Run(text, role)] }
        let (prefix, suffix) = Comparison.changedSpan(text, other)
        let middle = text.dropFirst(prefix).dropLast(suffix)
        let parts = [
            Run(String(text.prefix(prefix))), Run(String(middle), role), Run(String(text.suffix(suffix))),
        ]
        return lead + parts.filter { !$0.text.isEmpty }
    }
}
