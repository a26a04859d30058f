import MigrationEngine
import Reports
import StoreFormats
import Workspace

/// What is in the rows of the window, as it was last looked at.
struct Cells: Sendable {
    /// What rows were looked at for.
    struct Purpose: Hashable, Sendable {
        let revision: Int
        /// The number of the filter, which decides what row is where.
        let filter: Int
        /// Whether secrets are shown; what is one is the same for all of a view.
        let isRevealing: Bool
        let rows: Range<Int>

        /// Whether rows that were looked at for this may be shown for another purpose.
        func serves(_ other: Purpose) -> Bool {
            isOfSameView(as: other) && rows.lowerBound <= other.rows.lowerBound
                && other.rows.upperBound <= rows.upperBound
        }

        func isOfSameView(as other: Purpose) -> Bool {
            revision == other.revision && filter == other.filter && isRevealing == other.isRevealing
        }
    }

    /// What there is to say of a row beyond what the plan says.
    enum Row: Sendable {
        case step(StepCells)
        case entry(EntryCell)
        /// A store: how many entries it has, or why it cannot be read.
        case store(String)
    }

    fileprivate(set) var purpose: Purpose?
    fileprivate var rows: [Int: Row] = [:]
    /// How many columns the longest of the rows needs that were looked at for this.
    fileprivate var widest = 0

    /// What is known of the row at a position, with this masking.
    func row(at position: Int, _ opened: OpenContainer, _ masking: Masking) -> Row? {
        guard let purpose, purpose.revision == opened.revision, purpose.filter == opened.filterNumber,
            purpose.isRevealing == masking.isRevealing
        else { return nil }
        return rows[position]
    }
}

/// Looks at the rows in and around the window: what they hold, and what that is to a migration.
struct RowLooking: Effect {
    let purpose: Cells.Purpose
    let model: Model
    let opened: OpenContainer
    var lane: Lane { .rows }
    var label: String { "looking at the rows" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> Cells {
        var cells = Cells()
        cells.purpose = purpose
        let known = opened.cells.purpose?.isOfSameView(as: purpose) ?? false ? opened.cells.rows : [:]
        let model = model.withinOneBudget, masking = model.masking
        for position in purpose.rows {
            try control.goOn()
            let looked = known[position] ?? look(at: position, masking, model.glyphs)
            cells.rows[position] = looked
            guard known[position] == nil, let looked, let row = opened.sheet[position] else { continue }
            cells.widest = max(cells.widest, SheetView.room(for: row, looked, masking, model.glyphs))
        }
        return cells
    }

    func finish(_ cells: Cells, in model: inout Model) -> [any Effect] {
        if model.opened?.revision == cells.purpose?.revision, model.opened?.filterNumber == cells.purpose?.filter {
            model.opened?.cells = cells
            model.opened?.widen(to: cells.widest)
        }
        return []
    }

    private func look(at position: Int, _ masking: Masking, _ glyphs: Glyphs) -> Cells.Row? {
        guard let row = opened.sheet[position] else { return nil }
        switch row {
        case .step(let index):
            let isFound = !masking.isRevealing && glyphs == .unicode
            if isFound, let cells = opened.view.cells(ofStep: index) { return .step(cells) }
            return opened.plan.map { .step(StepCells($0.steps[index], masking, glyphs, opened.view)) }
        case .entry(let store, let key):
            return .entry(EntryCell(key, in: store, masking, glyphs, opened))
        case .unmapped, .store, .noise:
            return opened.line(of: row, masking, glyphs).map(Cells.Row.store)
        }
    }
}

extension OpenContainer {
    /// How many entries a line names that they are folded behind.
    private static let named = 12

    /// What the list says of a store, or of what is folded behind a row; `nil` of the others.
    func line(of row: SheetRow, _ masking: Masking, _ glyphs: Glyphs) -> String? {
        switch row {
        case .unmapped(let store, let count):
            return problem(store, masking)
                ?? "\(masking.place(store)): \(count.counted("entry", "entries")) that no step touches"
        case .store(let store):
            let annotation = stores.annotation(of: Address(store: store)).map(masking.sentence)
            return [annotation, problem(store, masking) ?? count(stores.keys(in: store), masking)]
                .compactMap(\.self).joined(separator: " · ")
        case .noise(let store, _):
            return view.sheet.noise(in: store).map { keys in
                let names = (0..<min(keys.count, Self.named)).map { masking.name(keys.key(at: $0)) }
                return names.joined(separator: ", ") + (keys.count > Self.named ? ", \(glyphs.ellipsis)" : "")
            }
        case .step, .entry: return nil
        }
    }

    private func count(_ keys: any KeyList, _ masking: Masking) -> String {
        keys.countWords + (keys.unlisted.map { "; \(masking.sentence($0))" } ?? "")
    }

    private func problem(_ store: StoreID, _ masking: Masking) -> String? {
        stores.problem(with: store).map { "cannot be read: \(masking.sentence($0.explanation))" }
    }
}

/// Finds out what of the list a file of the dump is, and goes there.
struct Locating: Effect {
    let path: Name
    let container: String
    var label: String { "looking for \(path)" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> Address? {
        try inspection.workspace(of: container).address(ofFile: path)
    }

    func finish(_ address: Address?, in model: inout Model) -> [any Effect] {
        if let address { return model.go(to: address) }
        model.message = .refused("\(path) is in no store of this app")
        return []
    }
}

/// The lines of the detail in and around the window, as they were last written.
struct WrittenDetail: Sendable {
    /// What lines were written for.
    struct Purpose: Hashable, Sendable {
        private let row: SheetRow?
        private let revision: Int
        private let isRevealing: Bool
        let options: ValuePages.Options
        /// The first column of a table.
        let left: Int
        private let side: OpenContainer.Side

        init(_ opened: OpenContainer, _ masking: Masking, width: Int) {
            row = opened.row
            revision = opened.revision
            isRevealing = masking.isRevealing
            options = ValuePages.Options(opened.form, width: width, tree: opened.tree)
            (left, side) = (opened.tableLeft, opened.side)
        }
    }

    /// What was asked for: some lines, for a purpose.
    struct Asked: Hashable, Sendable {
        let purpose: Purpose
        let window: Range<Int>
    }

    let purpose: Purpose
    let pages: ValuePages
    /// Which lines are written.
    let range: Range<Int>
    /// What stands over the lines, however far one has scrolled.
    let head: Document.Line?
    /// Which side of a step is looked at in another form than in detail, and whether there is something on both.
    let viewed: (side: OpenContainer.Side, hasBoth: Bool)
    private let lines: [Document.Line]

    init(
        _ pages: ValuePages, _ asked: Asked, _ glyphs: Glyphs, _ viewed: (side: OpenContainer.Side, hasBoth: Bool)
    ) {
        (self.pages, purpose, self.viewed) = (pages, asked.purpose, viewed)
        range = (pages.isWritten ? 0..<pages.count : asked.window).clamped(to: 0..<pages.count)
        (head, lines) = pages.lines(range, purpose.options, glyphs, left: purpose.left)
    }

    /// How many lines there are.
    var total: Int { pages.count }

    /// A line; `nil` where it is not written.
    func line(at position: Int) -> Document.Line? {
        range.contains(position) ? lines[position - range.lowerBound] : nil
    }

    /// Whether what can be seen in a window is written.
    func serves(_ window: Range<Int>) -> Bool {
        let seen = window.clamped(to: 0..<total)
        return seen.isEmpty || range.lowerBound <= seen.lowerBound && seen.upperBound <= range.upperBound
    }
}

/// Writes the row under the cursor in full; large values take long.
struct DetailWriting: Effect {
    let asked: WrittenDetail.Asked
    let model: Model
    let opened: OpenContainer
    var lane: Lane { .detail }
    var label: String { "looking at the row" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> WrittenDetail {
        try control.goOn()
        let known = opened.detail.flatMap { $0.purpose == asked.purpose ? $0.pages : nil }
        let pages = known ?? DetailView.pages(model.withinOneBudget, opened, asked.purpose.options)
        return WrittenDetail(pages, asked, model.glyphs, opened.lookUpSides())
    }

    func finish(_ detail: WrittenDetail, in model: inout Model) -> [any Effect] {
        guard model.opened?.awaitedDetail?.purpose == detail.purpose else { return [] }
        model.opened?.awaitedDetail = nil
        model.opened?.detail = detail
        return []
    }
}
