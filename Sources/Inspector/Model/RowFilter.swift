import MigrationEngine

/// Which rows are to be shown.
enum RowFilter: Hashable, Sendable {
    /// Steps that need a person, and stores that cannot be read.
    case problems
    /// What stands on one side only.
    case oneSided
    /// Steps that do this to a value, or to a part of it.
    case effect(ValueEffect)
    /// Steps that do nothing, for this reason.
    case held(Outcome.Kind)
    /// Entries of the migration's stores that no step touches.
    case untouched
    /// What a search finds.
    case text(String)

    /// The words that stand for something else than a text.
    static let words =
        ["problems", "dropped", "changed", "untouched"] + held.map(\.word)
        + ["one-sided", "carried", "converted", "made-up"]
    private static let held: [(word: String, kind: Outcome.Kind)] = [
        ("failed", .failed), ("conflict", .conflict), ("waiting", .blocked), ("skipped", .skipped),
    ]

    /// Reads what a person types, `nil` where that is every row; a text in quotation marks is one whatever it says.
    init?(_ typed: String) {
        switch typed {
        case "", "all": return nil
        case "problems": self = .problems
        case "one-sided": self = .oneSided
        case "untouched": self = .untouched
        default:
            if let held = Self.held.first(where: { $0.word == typed }) {
                self = .held(held.kind)
            } else if let effect = ValueEffect(rawValue: typed) {
                self = .effect(effect)
            } else {
                self = .text(typed.unquoted)
            }
        }
    }

    /// What it is called.
    var words: String {
        switch self {
        case .problems: "problems"
        case .oneSided: "one-sided"
        case .effect(let effect): effect.word
        case .held(let kind): kind.valueWord
        case .untouched: "untouched"
        case .text(let text): "“\(text)”"
        }
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
        self.filtering = Filtering(filter: filtering.filter, folds: filtering.folds, anchor: row.map { ($0, top) })
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
    /// What a person types as a filter, without the quotation marks that make it a text whatever it says.
    var unquoted: String {
        count > 2 && first == "\"" && last == "\"" ? String(dropFirst().dropLast()) : self
    }
}
