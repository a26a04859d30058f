import MigrationEngine
import Reports
import StoreFormats

/// The steps with what each reads on the left and writes on the right, then the entries that no step touches.
enum SheetView {
    static func draw(_ model: Model, in layout: Layout, on frame: inout Frame) {
        guard let opened = model.opened, layout.sheet.size.height > 0 else { return }
        let width = layout.sheet.size.width, isSideBySide = width >= Layout.sideBySide
        let columns = Columns(width, isStacked: !isSideBySide), stacked = Columns(width, isStacked: true)
        drawHead(opened, columns, layout, on: &frame)
        if opened.isPlanned, opened.sheet.count == 0, layout.sheetRows > 0 {
            let text =
                opened.filtering.map { $0.isComplete ? model.noRow : frame.glyphs.ellipsis }
                ?? "Nothing is here\(opened.snapshot.lack.map { ": \($0)." } ?? lack(opened, model))"
            let x = columns.title.x, width = layout.sheet.size.width - x
            frame.fill(Rect(x: 0, y: layout.sheet.origin.y + 1, width: layout.sheet.size.width, height: 1))
            frame.draw(text, at: x, layout.sheet.origin.y + 1, width: width, role: .dim)
        }
        // It is made anew each time that it is asked for.
        let masking = model.masking
        for line in 0..<layout.sheetRows {
            let position = opened.top + line
            guard let row = opened.sheet[position] else { break }
            let lines = layout.lines(of: position), y = lines.lowerBound
            let known = opened.cells.row(at: position, opened, masking)
            // What is folded behind a line stands to the right of it.
            let indent = opened.sheet.isNoise(at: position) ? 2 : 0
            // What does not stand beside the other side as a whole takes a line of its own.
            let isTall = lines.count > 1
            if isTall, isSideBySide { frame.fill(Rect(x: 0, y: y, width: width, height: lines.count)) }
            let name = drawRow(
                row, known, masking, opened, isTall ? stacked : columns, layout, at: y, indent: indent, on: &frame)
            if position == opened.cursor {
                frame.select(lines, name: name, opened.focus == .sheet ? .selected : .inactive)
            }
        }
    }

    /// Why there is no row, where the dump may hold files of the app: those that cannot be read are among the warnings.
    private static func lack(_ opened: OpenContainer, _ model: Model) -> String {
        opened.warnings.isEmpty
            ? ": the dump holds nothing of this app."
            : " that can be read; \(model.key(.warnings)) lists what cannot."
    }

    /// Where the names end that stand for what is folded: a few of many, as many on any wide screen.
    private static let namesEnd = 120

    /// The most columns that a row is measured to: more than any screen has.
    static let most = 1_024

    /// How many columns a row needs on a wide screen to be shown whole, its sides one over the other.
    static func room(for row: SheetRow, _ known: Cells.Row, _ masking: Masking, _ glyphs: Glyphs) -> Int {
        let columns = Columns(most, isStacked: true)
        switch (row, known) {
        case (.step, .step(let cells)):
            return room(
                for: (cells.legacy.columns(glyphs, limit: most), cells.migrated.columns(glyphs, limit: most)))
        case (.entry, .entry(let cell)): return columns.title.x + 4 + cell.columns(glyphs, limit: most)
        case (.store(let store), .store(let text)):
            return columns.title.x + 2 + glyphs.columns(masking.place(store) + text, limit: most)
        case (.unmapped, .store(let text)): return columns.title.x + glyphs.columns(text, limit: most)
        default: return 0
        }
    }

    /// The same of a step by what its sides need.
    static func room(for sides: (legacy: Int, migrated: Int)) -> Int {
        let columns = Columns(most, isStacked: true)
        return max(columns.legacy.x + sides.legacy, columns.migrated.x + sides.migrated)
    }

    /// What both sides of a step have beside each other.
    static func sides(width: Int) -> (legacy: Int, migrated: Int) {
        let columns = Columns(width, isStacked: false)
        return (columns.legacy.width, columns.migrated.width)
    }

    /// The columns of the sheet; on a narrow screen both sides of a row stand one over the other.
    private struct Columns {
        let title: (x: Int, width: Int)
        let word: (x: Int, width: Int)
        let legacy: (x: Int, width: Int)
        let migrated: (x: Int, width: Int)
        let isStacked: Bool

        init(_ width: Int, isStacked: Bool) {
            self.isStacked = isStacked
            title = (3, min(20, width / 3))
            word = (title.x + title.width + 1, 9)
            if isStacked {
                // It comes to where it stands on a wide screen one column after the other, so that none shows less.
                let x = word.x + word.width + 1 + min(2, max(0, width - 99))
                legacy = (x, max(0, width - x))
                migrated = (5, max(0, width - 5))
            } else {
                let rest = width - word.x - word.width - 6
                legacy = (word.x + word.width + 3, rest / 2)
                migrated = (legacy.x + legacy.width + 3, rest - rest / 2)
            }
        }
    }

    private static func drawHead(_ opened: OpenContainer, _ columns: Columns, _ layout: Layout, on frame: inout Frame) {
        let y = layout.sheet.origin.y
        frame.horizontalLine(at: 0, y, width: layout.sheet.size.width, role: border(opened, .sheet))
        // The store that a fact still has to name is shown with the fact's name.
        let sides = opened.sides, sketched = opened.plan?.steps.lazy.compactMap(\.sketch.first?.address.store).first
        guard opened.plan != nil else {
            frame.draw(" Stores ", at: 2, y, role: .title)
            return
        }
        frame.draw(" Step ", at: columns.title.x - 1, y, width: 6, role: .title)
        if columns.isStacked {
            frame.draw(" Legacy, → Migrated ", at: columns.legacy.x - 1, y, role: .title)
            return
        }
        for (label, store, column) in [
            ("Legacy", sides.legacy.first, columns.legacy),
            ("Migrated", sides.migrated.first ?? sketched, columns.migrated),
        ] {
            let room = max(0, column.width + 1), label = " \(label) "
            // What names of one program differ in stands at their ends, and a fact that one waits for, too.
            let name = store.map { frame.glyphs.withoutMiddle("\($0.name)", to: room - label.utf8.count - 2) }
            let head = label + (name.map { " \($0) " } ?? "")
            let width = min(frame.glyphs.columns(head, limit: room), room)
            frame.draw(head, at: column.x - 1, y, width: width, role: .title)
            frame.verticalLine(at: column.x - 2, y, height: layout.sheet.size.height, role: .border)
        }
    }

    static func border(_ opened: OpenContainer, _ pane: OpenContainer.Pane) -> Role {
        opened.focus == pane ? .borderFocused : .border
    }

    /// - Returns: The columns of the row's name in its first line.
    private static func drawRow(
        _ row: SheetRow, _ known: Cells.Row?, _ masking: Masking, _ opened: OpenContainer, _ columns: Columns,
        _ layout: Layout, at y: Int, indent: Int, on frame: inout Frame
    ) -> Range<Int> {
        let full = layout.sheet.size.width
        switch row {
        case .step(let index):
            guard let planned = opened.plan?.steps[index] else { return 0..<0 }
            if opened.selected.contains(planned.id) {
                frame.draw(frame.glyphs.choose("●", ascii: "#"), at: 0, y, width: 1, role: .badge)
            }
            frame.draw([planned.listSign(frame.glyphs)], at: 1, y, width: 1)
            let name = frame.drawNamed(
                [Run(planned.step.title)], 1, at: columns.title.x, y, width: columns.title.width)
            frame.draw([planned.listWord], at: columns.word.x, y, width: columns.word.width)
            drawCells(known, planned.mainSign(frame.glyphs), columns, at: y, on: &frame)
            return name
        case .unmapped:
            erase(full, y, on: &frame)
            return frame.drawNamed(
                [Run(text(known, frame), .dim)], 1, at: columns.title.x, y, width: full - columns.title.x)
        case .store(let store):
            erase(full, y, on: &frame)
            let mark = fold(opened.unfolded.contains(store), frame.glyphs)
            return frame.drawNamed(
                [Run(mark + " "), Run(masking.place(store), .key), Run("  " + text(known, frame), .dim)], 2,
                at: 1, y, width: full - 1)
        case .noise(let store, let count):
            erase(full, y, on: &frame)
            let isUnfolded = opened.view.noisy.contains(store)
            // Unfolded, they stand below.
            let names = isUnfolded ? "" : "  " + text(known, frame)
            return frame.drawNamed(
                [
                    Run(fold(isUnfolded, frame.glyphs) + " "), Run(noise(count)),
                    Run(names, .dim),
                ], 2, at: columns.title.x, y, width: min(full, namesEnd) - columns.title.x)
        case .entry(let store, let key):
            let isMigrated = opened.sides.migrated.contains(store), isLegacy = opened.sides.legacy.contains(store)
            var cell = EntryCell(masking.name(key), value: Run(frame.glyphs.ellipsis, .dim))
            if case .entry(let looked)? = known { cell = looked }
            if !isMigrated && !isLegacy {
                erase(full, y, on: &frame)
                let x = columns.title.x + 2 + indent
                return cell.draw(at: x, y, width: full - x, on: &frame)
            }
            // It has no other side: that it is shown whole counts more than its column.
            let column = isLegacy ? columns.legacy : columns.migrated
            if columns.isStacked || cell.columns(frame.glyphs, limit: full) > column.width - indent {
                erase(full, y, on: &frame)
                let x = columns.title.x + indent
                return cell.draw(at: x, y, width: full - x, on: &frame)
            }
            return cell.draw(at: column.x + indent, y, width: column.width - indent, on: &frame)
        }
    }

    /// What a step reads and writes; an ellipsis in place of what has not been looked at yet.
    private static func drawCells(
        _ known: Cells.Row?, _ sign: Run?, _ columns: Columns, at y: Int, on frame: inout Frame
    ) {
        let waiting = EntryCell(frame.glyphs.ellipsis, .dim)
        var cells = (legacy: waiting, migrated: waiting), sign = sign
        if case .step(let looked)? = known {
            cells = (looked.legacy, looked.migrated)
            if looked.isThereAlready { sign = Outcome.Kind.unchanged.sign(frame.glyphs) }
        }
        cells.legacy.draw(at: columns.legacy.x, y, width: columns.legacy.width, on: &frame)
        let migratedRow = columns.isStacked ? y + 1 : y
        // Between the sides stands what becomes of the value.
        let place = columns.isStacked ? 3 : columns.migrated.x - 2
        if let sign { frame.draw([sign], at: place, migratedRow, width: 1) }
        cells.migrated.draw(at: columns.migrated.x, migratedRow, width: columns.migrated.width, on: &frame)
    }

    /// What stands for entries that are not the app's own.
    static func noise(_ count: Int) -> String { "\(count) of the system and of SDKs" }

    /// Whether what stands behind a line is shown.
    private static func fold(_ isUnfolded: Bool, _ glyphs: Glyphs) -> String {
        isUnfolded ? glyphs.choose("▾", ascii: "v") : glyphs.choose("▸", ascii: ">")
    }

    /// What there is to say of a store.
    private static func text(_ known: Cells.Row?, _ frame: Frame) -> String {
        if case .store(let text)? = known { text } else { frame.glyphs.ellipsis }
    }

    /// Blanks a row that runs across the columns, the lines between them too.
    private static func erase(_ width: Int, _ y: Int, on frame: inout Frame) {
        frame.fill(Rect(x: 0, y: y, width: width, height: 1))
    }
}
