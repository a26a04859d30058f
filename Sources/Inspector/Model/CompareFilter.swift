import Reports

/// Which rows of a comparison are to be shown.
enum CompareFilter: Hashable, Sendable {
    /// Those that need a person.
    case problems
    /// Those that are called so: what came of the plan, or how the sides differ.
    case kind(String)
    /// Those that have a text.
    case text(String)

    /// The words that stand for something else than a text.
    static let words = ["problems"] + CompareReport.kinds

    /// Reads what a person types, `nil` where that is every row; a text in quotation marks is one whatever it says.
    init?(_ typed: String) {
        // The page says “not planned”, the report's field not-planned.
        var word = typed.lowercased().replacing(" ", with: "-")
        // Stores are counted as such.
        for counted in ["store-", "stores-"] where word.hasPrefix(counted) {
            let kind = String(word.dropFirst(counted.count))
            if CompareReport.kinds.contains(kind) { word = kind }
        }
        switch word {
        case "", "all": return nil
        case "problems": self = .problems
        // The count of several says it so.
        case "differ": self = .kind("differs")
        case _ where Self.words.contains(word): self = .kind(word)
        default: self = .text(typed.unquoted)
        }
    }

    /// What it is called.
    var words: String {
        switch self {
        case .problems: "problems"
        case .kind(let kind): kind.replacing("-", with: " ")
        case .text(let text): "“\(text)”"
        }
    }
}

extension ComparedDump {
    /// Shows only what a filter lets through, or again all rows; the cursor stays on its row where that is among them.
    mutating func filter(by filter: CompareFilter?) {
        let row = shown == nil ? cursor : place(of: cursor)
        self.filter = filter
        guard let report, let filter else {
            shown = nil
            return moveCursor(to: row)
        }
        let matcher: Matcher? = if case .text(let text) = filter { Matcher(text) } else { nil }
        let rows = (0..<report.rowCount).filter { position in
            switch filter {
            case .problems: report.isProblem(at: position)
            case .kind(let kind): report.kinds(at: position).contains(kind)
            case .text: matcher?.matches(text(ofPlace: position)) ?? false
            }
        }
        shown = rows
        isZoomed = false
        moveCursor(to: rows.firstIndex { $0 >= row } ?? 0)
    }

    /// The row that needs a person after the cursor, or before it, the rows taken as a ring.
    func problem(forward: Bool) -> Int? {
        guard let report else { return nil }
        return (0..<count).filter { report.isProblem(at: place(of: $0)) }.next(from: cursor, forward: forward)
    }
}
