import Reports

/// Cells beside each other in one row that look the same.
package struct Span: Hashable, Sendable {
    /// Where it begins.
    package let position: Position
    /// The columns it takes.
    package let columns: Int
    /// What it shows.
    package let text: String
    /// How it is to look.
    package let style: Style
}

extension Frame {
    /// The rows as text, each without the blanks at its end: what `screen` writes.
    package var rows: [String] {
        (0..<size.height).map { y in
            var row = row(y).map(\.text).joined()
            while row.hasSuffix(" ") { row.removeLast() }
            return row
        }
    }

    /// The rows, one a line.
    package var text: String { rows.joined(separator: "\n") }

    /// The spans of a row, from left to right, blanks included; together they are as wide as the frame.
    package func spans(_ y: Int) -> [Span] {
        spans(y) { $0 }
    }

    /// Where the style is not that of ordinary text: a second layer beside `text` for tests.
    ///
    /// One span a line, with row and column from 1. Blanks at the ends of a span are left out, and so are blank spans,
    /// unless they are selected.
    package var roles: String {
        var lines: [String] = []
        for y in 0..<size.height {
            for span in spans(y) where span.style != Style() {
                let text = span.text.drop { $0 == " " }
                let shown = String(text.reversed().drop { $0 == " " }.reversed())
                guard !shown.isEmpty || span.style.selection != .none else { continue }
                let column = span.position.x + span.text.prefix { $0 == " " }.count
                let place = "\(y + 1):\((shown.isEmpty ? span.position.x : column) + 1)"
                lines.append("\(place) \(span.style) \"\(shown)\"")
            }
        }
        if let cursor { lines.append("\(cursor.y + 1):\(cursor.x + 1) cursor") }
        return lines.joined(separator: "\n")
    }

    /// Whether a row shows a text in cells that all have a named role or selection: what `expect-style` asks.
    ///
    /// Other parts of the styles may differ, so that a selected row with several roles is found as a whole.
    package func shows(_ text: String, styled name: String) -> Bool {
        (0..<size.height).contains { y in
            spans(y) { $0.isNamed(name) }.contains { span in
                span.style.isNamed(name) && (text.isEmpty || span.text.holds(text))
            }
        }
    }

    private func row(_ y: Int) -> ArraySlice<Cell> {
        cells[y * size.width..<(y + 1) * size.width]
    }

    /// The spans of a row by something that their styles have in common.
    private func spans(_ y: Int, by key: (Style) -> some Equatable) -> [Span] {
        guard (0..<size.height).contains(y) else { return [] }
        var spans: [Span] = [], start = 0, text = ""
        let row = Array(row(y))
        for (x, cell) in row.enumerated() {
            // The second half of a wide character belongs to the first.
            if x > 0, cell.columns > 0, key(cell.style) != key(row[start].style) {
                spans.append(
                    Span(position: Position(x: start, y: y), columns: x - start, text: text, style: row[start].style))
                (start, text) = (x, "")
            }
            text += cell.text
        }
        if !row.isEmpty {
            spans.append(
                Span(
                    position: Position(x: start, y: y), columns: row.count - start, text: text, style: row[start].style)
            )
        }
        return spans
    }
}

extension String {
    /// Whether the text occurs in this one, scalar by scalar.
    fileprivate func holds(_ text: String) -> Bool {
        let needle = Array(text.utf8), bytes = Array(utf8)
        guard needle.count <= bytes.count else { return false }
        return (0...bytes.count - needle.count).contains { bytes[$0..<$0 + needle.count].elementsEqual(needle) }
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

    /// Draws runs in the same way; the columns of the first ones, which are the name of what the others say something of.
    mutating func drawNamed(_ runs: [Run], _ count: Int, at x: Int, _ y: Int, width: Int) -> Range<Int> {
        draw(runs, at: x, y, width: width)
        let room = max(0, width)
        return x..<x + runs.prefix(count).reduce(0) { min(room, $0 + glyphs.columns($1.text, limit: room)) }
    }
}
