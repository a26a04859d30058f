import MigrationEngine
import Reports

/// Which rows are to be shown.
enum RowFilter: Hashable, Sendable {
    /// Steps that need a person, and stores that cannot be read.
    case problems
    /// What stands on one side only.
    case oneSided
    /// What has values that meet a fate, as the header counts them.
    case fate(ValueCounts.Fate)
    /// Steps that have something to do.
    case pending
    /// Steps that stand, in whatever profile.
    case applied
    /// What a search finds.
    case text(String)

    /// What each that is no text is called, the header's own word first: the one table for the header, the filter, the
    /// palette and the search.
    static let names: [(filter: RowFilter, words: [String])] = {
        var names: [(filter: RowFilter, words: [String])] = [(.problems, ["problems"])]
        let fates = ValueCounts.stopped + ValueCounts.others
        for fate in loudest + fates.filter({ !loudest.contains($0) }) { names.append((.fate(fate), fate.words)) }
        return names + [(.pending, ["to apply"]), (.applied, ["applied"]), (.oneSided, ["one-sided"])]
    }()
    /// Those that are asked for most.
    private static let loudest: [ValueCounts.Fate] = [.effect(.dropped), .effect(.changed), .untouched]

    /// The words that stand for something else than a text.
    static let words = names.map { $0.words[0] }

    /// Reads what a person types, `nil` where that is every row; a text in quotation marks is one whatever it says.
    init?(_ typed: String) {
        let word = typed.lowercased()
        if word.isEmpty || word == "all" { return nil }
        self = Self.names.first { $0.words.contains(word) }?.filter ?? .text(typed.unquoted)
    }

    /// What it is called.
    var words: String {
        if case .text(let text) = self { return "“\(text)”" }
        return Self.names.first { $0.filter == self }?.words[0] ?? ""
    }
}

extension OpenContainer {
    /// A filter with the rows that it has let through so far.
    struct Filtering: Sendable {
        /// What rows are looked for: for a view and a filter of it.
        struct Purpose: Hashable, Sendable {
            let filter: RowFilter
            let revision: Int
            let number: Int
        }

        let filter: RowFilter
        var rows = RowRanges()
        /// What the rows are being looked for; `nil` where nobody has begun for what is seen now.
        var purpose: Purpose?
        /// Whether every row has been looked at.
        var isComplete = false
        /// What was unfolded before the filter unfolded what it has found; `nil` where it has not.
        var folds: ContainerView.Folds?
        /// The rows that entries are folded behind that have the text, until they are unfolded.
        var found: [SheetRow] = []
        /// The stores that the person has folded meanwhile, which stay so.
        var shut: Set<StoreID> = []
        /// The row to come back to once it is among them, and the first that was shown then.
        var anchor: (row: SheetRow, top: Int)?
    }

    /// Shows only what a filter lets through, or again all rows.
    mutating func filter(by filter: RowFilter?) {
        let row = row
        filterNumber += 1
        filtering = filter.map { Filtering(filter: $0, anchor: row.map { ($0, top) }) }
        if filter == nil { moveCursor(to: row.flatMap(sheet.position) ?? 0) }
    }

    /// Begins to look for the rows of the filter anew, as the view is another; the cursor comes back to its row.
    mutating func filterAnew(to row: SheetRow?) {
        guard let filtering else { return }
        filterNumber += 1
        self.filtering = Filtering(
            filter: filtering.filter, folds: filtering.folds, shut: filtering.shut, anchor: row.map { ($0, top) })
    }

    /// What is to be looked for, where nobody has begun; it is then taken for begun.
    mutating func beginFiltering() -> Filtering.Purpose? {
        guard isPlanned, let filtering, filtering.purpose == nil else { return nil }
        let purpose = Filtering.Purpose(filter: filtering.filter, revision: revision, number: filterNumber)
        self.filtering?.purpose = purpose
        return purpose
    }

    /// Takes in the rows that were found; whether they are those that are waited for.
    mutating func take(_ rows: RowRanges, isComplete: Bool, for purpose: Filtering.Purpose) -> Bool {
        guard let filtering, filtering.purpose == purpose else { return false }
        let row = row, anchor = filtering.anchor
        self.filtering?.rows = rows
        self.filtering?.isComplete = isComplete
        let wanted = anchor.flatMap { view.sheet.position(of: $0.row) }
        if let wanted, let index = rows.index(of: wanted) {
            top = anchor?.top ?? top
            moveCursor(to: index)
        } else if isComplete {
            moveCursor(to: wanted.map(rows.index(atOrAfter:)) ?? cursor)
        }
        if self.row != row { forgetDetailPlace() }
        return true
    }
}

extension String {
    /// What a person types without the quotation marks around it, which make a filter a text whatever it says.
    var unquoted: String {
        count > 2 && first == "\"" && last == "\"" ? String(dropFirst().dropLast()) : self
    }
}
