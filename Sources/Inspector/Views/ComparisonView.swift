import MigrationEngine
import Reports

/// What was there, what should have come, and what came: a row for each entry that differs, and the one under the cursor in
/// full.
enum ComparisonView {
    /// Where the parts of the page are.
    struct Places {
        /// From this width on the columns stand beside each other.
        private static let wide = 100

        /// A line of counts, those of the values of each side, the line that names the columns, then the rows; empty where one row
        /// fills the page.
        let list: Rect
        /// How many lines stand above the rows.
        let head: Int
        /// A line with the address, then the row in full.
        let detail: Rect
        /// How many lines a row takes.
        let rowHeight: Int

        /// How many rows are shown.
        var rows: Int { max(0, (list.size.height - head) / rowHeight) }
        /// How many lines of the row in full are shown, and how wide they are.
        var lines: Int { max(0, detail.size.height - 1) }
        var width: Int { max(1, detail.size.width - 1) }

        init(_ comparison: ComparedDump, _ layout: Layout) {
            let body = layout.body
            rowHeight = body.size.width >= Self.wide ? 1 : 2
            head = 2 + (comparison.report?.valueCounts.count ?? 0)
            let wanted = head + max(1, comparison.count) * rowHeight
            let most = max(head + rowHeight, body.size.height * 11 / 20)
            (list, detail) = body.split(rows: comparison.isZoomed ? 0 : min(wanted, most))
        }
    }

    static func draw(_ model: Model, in layout: Layout, on frame: inout Frame) {
        guard let comparison = model.comparison else { return }
        guard let report = comparison.report else { return drawWaiting(comparison, model, layout, on: &frame) }
        let places = Places(comparison, layout)
        let columns = Columns(
            width: places.list.size.width, isStacked: places.rowHeight > 1, isPlanned: report.isPlanned)
        if !comparison.isZoomed {
            let y = places.list.origin.y, width = max(0, layout.body.size.width - 1)
            let filtered = filtered(comparison, model), counts = "  " + report.counts
            // The counts are what one looks for; the name loses its middle.
            let room = width - frame.glyphs.columns(filtered.map(\.text).joined() + counts)
            let name = frame.glyphs.withoutMiddle(comparison.name, to: max(12, room))
            frame.draw(filtered + [Run(name, .key), Run(counts)], at: 1, y, width: width)
            let side = report.valueCounts.map { frame.glyphs.columns($0.side) }.max() ?? 0
            for (index, counts) in report.valueCounts.enumerated() {
                let title = counts.side + String(repeating: " ", count: side - frame.glyphs.columns(counts.side))
                let isFitting = frame.glyphs.columns(title + "  " + counts.words, limit: width + 1) <= width
                let words =
                    isFitting
                    ? [Run(counts.words)]
                    : counts.counts.runs(
                        ValueCounts.stopped + ValueCounts.others, frame.glyphs, isInWords: false, after: "values: ")
                frame.draw([Run(title, .dim), Run("  ")] + words, at: 1, y + 1 + index, width: width)
            }
            columns.drawHead(report.titles, at: y + places.head - 1, width: places.list.size.width, on: &frame)
        }
        for line in 0..<places.rows {
            let position = comparison.top + line, y = places.list.origin.y + places.head + line * places.rowHeight
            let place = comparison.place(of: position)
            guard let row = report.row(at: place, frame.glyphs) else { break }
            let name = columns.draw(
                row, report.sign(at: place, frame.glyphs), at: y, places.list.size.width, on: &frame)
            if position == comparison.cursor { frame.select(y..<y + places.rowHeight, name: name) }
        }
        if comparison.count == 0, !comparison.isZoomed {
            let text = comparison.filter == nil ? report.emptiness.asSentence + "." : model.noRow
            frame.draw(text, at: 3, places.list.origin.y + places.head, role: .dim)
        }
        drawDetail(comparison, report, places, model, on: &frame)
    }

    /// That not all rows are shown: which, and how many of how many.
    private static func filtered(_ comparison: ComparedDump, _ model: Model) -> [Run] {
        guard let filter = comparison.filter, let report = comparison.report else { return [] }
        let words = model.glyphs.truncated(model.masking.sentence(filter.words), to: 24)
        return [Run("& \(words): \(comparison.count) of \(report.rowCount.counted("row"))", .badge), Run("  ")]
    }

    private static func drawWaiting(
        _ comparison: ComparedDump, _ model: Model, _ layout: Layout, on frame: inout Frame
    ) {
        let rect = layout.body
        frame.horizontalLine(at: 0, rect.origin.y, width: rect.size.width, role: .borderFocused)
        frame.draw(
            model.page?.subject == .difference ? " What differs " : " Before and after ", at: 2, rect.origin.y,
            role: .title)
        let text =
            comparison.failure.map { failure in
                [model.masking.sentence(model.sentence(failure)), failure.advice].compactMap(\.self).joined(
                    separator: " ")
            } ?? frame.glyphs.ellipsis
        let lines = text.split(whereSeparator: \.isNewline).flatMap {
            frame.glyphs.proseLines(String($0), width: max(1, rect.size.width - 4))
        }
        for (index, line) in lines.prefix(max(0, rect.size.height - 1)).enumerated() {
            let role: Role = comparison.failure == nil ? .dim : .warning
            frame.draw(line, at: 2, rect.origin.y + 1 + index, width: max(0, rect.size.width - 2), role: role)
        }
    }

    private static func drawDetail(
        _ comparison: ComparedDump, _ report: CompareReport, _ places: Places, _ model: Model,
        on frame: inout Frame
    ) {
        let rect = places.detail
        guard rect.size.height > 0, let title = report.title(at: comparison.place(of: comparison.cursor))
        else { return }
        let border: Role = comparison.isZoomed ? .borderFocused : .border
        frame.horizontalLine(at: 0, rect.origin.y, width: rect.size.width, role: border)
        let room = max(0, rect.size.width - 14)
        let width = min(room, frame.glyphs.columns(title, limit: room) + 2)
        frame.draw(" " + title + " ", at: 1, rect.origin.y, width: width, role: .title)
        guard let detail = comparison.shownDetail else { return }
        let shown = detail.lines.dropFirst(comparison.detailTop).prefix(places.lines)
        for (index, line) in shown.enumerated() {
            line.draw(at: 1, rect.origin.y + 1 + index, width: places.width, on: &frame)
        }
        if detail.lines.count > places.lines {
            let end = comparison.detailTop + shown.count
            let more = " \(end)/\(detail.lines.count)\(comparison.isZoomed ? "" : "; \(model.key(.goIn))") "
            let columns = frame.glyphs.columns(more)
            frame.draw(more, at: rect.columns.upperBound - columns - 1, rect.origin.y, width: columns, role: .dim)
        }
        if comparison.isZoomed { frame.cursor = Position(x: 1, y: rect.origin.y + 1) }
    }

    /// The columns of a row; on a narrow screen what was there stands over the others.
    private struct Columns {
        private let before: (x: Int, width: Int)
        private let planned: (x: Int, width: Int)?
        private let after: (x: Int, width: Int)
        /// Where the sign between what was and what should be stands.
        private let between: Int
        private let isStacked: Bool

        init(width: Int, isStacked: Bool, isPlanned: Bool) {
            self.isStacked = isStacked
            let rest = max(0, width - 3)
            if isStacked {
                before = (3, rest)
                between = 3
                let half = max(0, rest - 5) / 2
                planned = isPlanned ? (5, half) : nil
                after = isPlanned ? (8 + half, max(0, width - 8 - half)) : (5, max(0, rest - 2))
            } else if isPlanned {
                let third = max(0, rest - 6) / 3
                (before, between) = ((3, third), 4 + third)
                planned = (6 + third, third)
                after = (9 + 2 * third, max(0, width - 9 - 2 * third))
            } else {
                let half = max(0, rest - 3) / 2
                (before, between, planned) = ((3, half), 4 + half, nil)
                after = (6 + half, max(0, width - 6 - half))
            }
        }

        func drawHead(_ titles: (before: String, after: String), at y: Int, width: Int, on frame: inout Frame) {
            frame.horizontalLine(at: 0, y, width: width, role: .borderFocused)
            func title(_ text: String, at x: Int) {
                frame.draw(text, at: x - 1, y, width: min(text.count, max(0, width - x + 1)), role: .title)
            }
            guard isStacked else {
                title(" \(titles.before.asSentence) ", at: before.x)
                if let planned { title(" Planned ", at: planned.x) }
                title(" \(titles.after.asSentence) ", at: after.x)
                return
            }
            title(" \(titles.before.asSentence), \(planned == nil ? titles.after : "planned") ", at: before.x)
            if planned != nil { title(" \(titles.after.asSentence) ", at: after.x) }
        }

        /// - Returns: The columns of the row's name in its first line: the first key there.
        func draw(
            _ row: CompareReport.Row, _ sign: Run?, at y: Int, _ width: Int, on frame: inout Frame
        ) -> Range<Int> {
            frame.draw([sign].compactMap(\.self), at: 1, y, width: 1)
            guard case .entry(let old, let effect, let wanted, let new, let note, let shorter) = row else {
                guard case .line(let text) = row else { return 0..<0 }
                return draw(text, at: y, max(0, width - 3), on: &frame)
            }
            // What differs is marked in what should be there, or was, and in what is.
            let difference = CompareReport.difference(wanted ?? old, new)
            var names = [draw(old, nil, [], wanted == nil ? difference.left : [], in: before, at: y, on: &frame)]
            let below = isStacked ? y + 1 : y
            if let planned {
                if wanted != nil, let effect { frame.draw([effect.sign(frame.glyphs)], at: between, below, width: 1) }
                names.append(draw(wanted, nil, [], difference.left, in: planned, at: below, on: &frame))
            }
            names.append(draw(new, note, shorter, difference.right, in: after, at: below, on: &frame))
            // Below it stands what has a line of its own.
            return names.prefix(isStacked ? 1 : names.count).first { !$0.isEmpty } ?? 0..<0
        }

        /// A line of words, where there are two lines broken between words; the row in full has what does not fit.
        private func draw(_ text: String, at y: Int, _ width: Int, on frame: inout Frame) -> Range<Int> {
            // Of a text of the dump no more is looked at than two lines can show.
            let shown = String(text.unicodeScalars.prefix(16 * max(1, width)))
            let lines = isStacked ? frame.glyphs.proseLines(shown, width: max(1, width)) : [shown]
            let name = frame.drawNamed([Run(lines.first ?? "", .warning)], 1, at: 3, y, width: width)
            guard lines.count > 1 else { return name }
            let rest = frame.glyphs.truncated(lines.dropFirst().joined(separator: " "), to: width)
            frame.draw(rest, at: 3, y + 1, width: width, role: .warning)
            return name
        }

        private func draw(
            _ cell: CompareReport.Cell?, _ note: String?, _ shorter: [String], _ stretches: [Run],
            in column: (x: Int, width: Int),
            at y: Int, on frame: inout Frame
        ) -> Range<Int> {
            guard let cell else { return 0..<0 }
            let nothing = Run(frame.glyphs.choose("—", ascii: "-"), .dim)
            var drawn = EntryCell(
                cell.key, cell.isAbsent ? .dim : .key, value: cell.isAbsent ? nothing : Run(cell.words))
            drawn.note = note.map { Run($0, .dim) }
            drawn.shorterNotes = shorter
            drawn.stretches = stretches
            return drawn.draw(at: column.x, y, width: column.width, on: &frame)
        }
    }
}
