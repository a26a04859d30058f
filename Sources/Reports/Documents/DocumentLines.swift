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
        case .pair(let left, let mark, let right):
            ([Run("\(mark.sign) ")] + left + [Run(" ")] + right).map(\.text).joined()
        }
    }
}

/// Draws blocks as lines.
private struct LineDrawing {
    let width: Int?
    let glyphs: Glyphs
    let words: AdviceWords
    private(set) var lines: [Document.Line] = []

    /// Whether only words are written: as text in ASCII, which is read aloud.
    private var isWithoutSigns: Bool { glyphs == .ascii && width == nil }

    /// How wide a column of a table is filled up to.
    private static let tableLimit = 40
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
        case .line(let runs, let indent):
            guard runs.count == 2, Document.signs.contains(runs[0].text) else { return prose("", runs, indent) }
            let text = Run(String(runs[1].text.drop { $0 == " " }), runs[1].role)
            prose(isWithoutSigns ? "" : runs[0].text + " ", role: runs[0].role, [text], indent)
        case .field(let label, let least, let run, let indent):
            prose(glyphs.padded(label, to: max(least, glyphs.columns(label) + (width == nil ? 2 : 1))), [run], indent)
        case .facets(let label, let runs): facets(glyphs.padded(label, to: 6), runs)
        case .row(let columns, let last, let indent):
            let hasSign = isWithoutSigns && columns.first.map { Document.signs.contains($0.text) } ?? false
            row(hasSign ? Array(columns.dropFirst()) : columns, last, indent)
        case .table(let titles, let rows): table(titles, rows)
        case .step(let planned):
            let sign = planned.sign(glyphs), lead = isWithoutSigns ? "" : sign.text + " "
            let role = planned.lossPhrase == nil ? nil : planned.loss?.sign(glyphs).role
            prose(lead, role: sign.role, [Run(planned.headline, role ?? sign.role)], 0)
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
    private mutating func prose(_ lead: String, role: Role = .dim, _ runs: [Run], _ indent: Int) {
        let start = lead.isEmpty ? [] : [Run(lead, role)]
        guard let width, let run = runs.first, runs.count == 1 else { return line(start + runs, indent) }
        let room = width - indent - glyphs.columns(lead)
        for (index, part) in glyphs.proseLines(run.text, width: max(1, room)).enumerated() {
            let under = String(repeating: " ", count: glyphs.columns(lead))
            line((index == 0 ? start : [Run(under)]) + [Run(part, run.role)], indent)
        }
    }

    /// The same of several runs, whose blanks between words stay as they are.
    private mutating func facets(_ lead: String, _ runs: [Run]) {
        guard let width else { return line([Run(lead, .dim)] + runs) }
        let start = glyphs.columns(lead), under = String(repeating: " ", count: start)
        var parts = [Run(lead, .dim)], used = start, blanks = 0
        for run in runs {
            for word in run.text.split(separator: " ", omittingEmptySubsequences: false) {
                // Between two blanks there is an empty word.
                defer { blanks += 1 }
                guard !word.isEmpty else { continue }
                for text in glyphs.wrapped(glyphs.displayText(String(word)), to: width - start) {
                    let length = glyphs.columns(text)
                    if used > start, used + blanks + length > width {
                        line(parts)
                        (parts, used) = ([Run(under)], start)
                    }
                    if used == start { blanks = 0 }
                    parts.append(Run(String(repeating: " ", count: blanks) + text, run.role))
                    (used, blanks) = (used + blanks + length, 0)
                }
            }
            blanks -= 1
        }
        line(parts)
    }

    /// A table as rows whose columns are as wide as their widest cells, or as one row may have it.
    private mutating func table(_ titles: [String], _ rows: [[String]]) {
        let all = [titles] + rows
        let widths = titles.indices.map { column in
            all.map { glyphs.columns($0[column], limit: Self.tableLimit) }.max().map { min($0, Self.tableLimit) } ?? 0
        }
        for cells in all {
            row(zip(cells, widths).dropLast().map { ($0, $1) }, cells.last ?? "", 2)
        }
    }

    private mutating func row(_ columns: [(text: String, width: Int)], _ last: String, _ indent: Int) {
        let cells = columns.map { column in
            let width = glyphs.columns(column.text, limit: Self.cellLimit)
            return glyphs.padded(column.text, to: max(column.width, min(width, Self.cellLimit)))
        }
        let all = cells + [width == nil ? glyphs.truncated(last, to: 2 * Self.cellLimit) : last]
        guard let width else { return line([Run(all.joined(separator: "  ").trimmingEnd)], indent) }
        // What a pane has no room for goes on below, further in.
        var text = "", isFirst = true
        func end() {
            line([Run(text.trimmingEnd)], isFirst ? indent : indent + Self.rowIndent)
            (text, isFirst) = ("", false)
        }
        for cell in all {
            let room = width - (isFirst ? indent : indent + Self.rowIndent), bare = cell.trimmingEnd
            let used = text.isEmpty ? 0 : glyphs.columns(text) + 2
            if used + glyphs.columns(bare, limit: width) <= room {
                text += (text.isEmpty ? "" : "  ") + cell
                continue
            }
            if !text.isEmpty { end() }
            let parts = glyphs.proseLines(bare, width: max(1, width - indent - Self.rowIndent))
            for part in parts.dropLast() {
                text = part
                end()
            }
            text = parts.last ?? ""
        }
        if !text.trimmingEnd.isEmpty { end() }
    }

    /// How much further in the later lines of a row stand.
    private static let rowIndent = 4

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
            let room = width - depth - keyColumns, under = [Run(String(repeating: " ", count: keyColumns))]
            guard room > 8 else {
                line(key + [Run(part.text, role)], depth)
                continue
            }
            for (index, piece) in glyphs.broken([Run(part.text, role)], to: room, most: Self.partLimit).enumerated() {
                line((index == 0 ? key : under) + piece, depth)
            }
        }
    }

    private mutating func compare(_ comparison: ShownComparison) {
        let (before, after) = comparison.titles, isBeside = width.map { $0 >= Self.sideBySide } ?? false
        if isBeside {
            lines.append(.pair(left: [Run(before, .heading)], mark: .same, right: [Run(after, .heading)]))
        } else {
            let title = before.isEmpty ? after : "\(before) \(glyphs.choose("→", ascii: "->")) \(after)"
            line([Run(title, .heading)])
        }
        var budget = TextDifference.Budget()
        let rows = Self.folded(comparison.comparison.rows)
        for (index, row) in rows.enumerated() {
            let sides = row.runs(comparison.placeholders, within: &budget)
            // What its parts say again behind it needs no second line.
            let isWhole = rows.indices.contains(index + 1) && rows[index + 1].depth > row.depth
            guard isBeside, let width else {
                if row.mark != .added {
                    unified(row.mark == .same ? Run("  ") : Run("- ", .removed), sides.left, isWhole)
                }
                if row.mark == .added || row.mark == .changed { unified(Run("+ ", .added), sides.right, isWhole) }
                continue
            }
            let half = (width - 3) / 2
            let (left, right) = (
                isWhole ? [sides.left] : glyphs.broken(sides.left, to: half, most: Self.partLimit),
                isWhole ? [sides.right] : glyphs.broken(sides.right, to: width - half - 3, most: Self.partLimit)
            )
            for index in 0..<max(1, left.count, right.count) {
                lines.append(
                    .pair(
                        left: left.indices.contains(index) ? left[index] : [], mark: index == 0 ? row.mark : .same,
                        right: right.indices.contains(index) ? right[index] : []))
            }
        }
    }

    private mutating func unified(_ sign: Run, _ runs: [Run], _ isWhole: Bool) {
        guard let width, !isWhole else { return line([sign] + runs) }
        for (index, part) in glyphs.broken(runs, to: width - 2, most: Self.partLimit).enumerated() {
            line([index == 0 ? sign : Run("  ")] + part)
        }
    }

    /// How many rows in a row that are the same on both sides are shown before they are counted instead.
    private static let sameLimit = 10
    private static let sameAround = 3

    /// The rows, of which long runs of what is the same are one that counts them.
    private static func folded(_ rows: [Comparison.Row]) -> [Comparison.Row] {
        guard rows.contains(where: { $0.mark != .same }) else { return rows }
        var folded: [Comparison.Row] = [], start = 0
        while start < rows.count {
            let end = rows[start...].firstIndex { $0.mark != .same } ?? rows.count
            let same = rows[start..<end]
            if same.count > sameLimit {
                let (first, last) = (same.prefix(sameAround), same.suffix(end < rows.count ? sameAround : 0))
                let left = same.count - first.count - last.count
                folded += first
                folded.append(.words("… \(left) that are the same", depth: same[start].depth))
                folded += last
            } else {
                folded += same
            }
            if end < rows.count { folded.append(rows[end]) }
            start = end + 1
        }
        return folded
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
    /// Both sides with the words in which they differ marked, and what a default made up.
    fileprivate func runs(
        _ placeholders: [JSONPointer], within budget: inout TextDifference.Budget
    ) -> (left: [Run], right: [Run]) {
        let lead = [Run(String(repeating: "  ", count: depth))] + (key.map { [Run("\($0): ", .key)] } ?? [])
        let made = placeholders.contains(pointer) ? [Run("placeholder ", .warning)] : []
        guard mark != .same, let left, let right else {
            return (
                left.map { lead + [Run($0, mark == .same ? .text : .removed)] } ?? [],
                right.map { lead + made + [Run($0, mark == .same ? .text : .added)] } ?? []
            )
        }
        let difference = TextDifference(left, right, within: &budget)
        func runs(_ side: Comparison.Side, _ role: Role) -> [Run] {
            difference.stretches(of: side).map { Run($0.text, $0.isChanged ? role : .text) }
        }
        return (lead + runs(.left, .removed), lead + made + runs(.right, .added))
    }
}

extension String {
    /// It without blanks at its end.
    fileprivate var trimmingEnd: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
