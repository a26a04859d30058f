import Reports

extension Model {
    /// Whether a comparison covers the panes.
    var isComparing: Bool { page?.subject == .comparison || page?.subject == .difference }

    /// Shows the other dump beside this one; another one is named, or asked for.
    mutating func compare(with path: String) -> [any Effect] {
        if !path.isEmpty { return [NamingOther(path: path.asPath)] }
        if otherDump == nil {
            prompt = Prompt(.command, text: "compare ")
            message = .done("name the dump made after the update")
        } else {
            show(.comparison)
        }
        return []
    }

    /// Asks for the comparison that is on the page, where it is of something else than what is in view now.
    ///
    /// The first view of an app begins with it.
    mutating func compareAnew() -> [any Effect] {
        guard !isLeaving, let opened, opened.isPlanned else { return [] }
        if page?.subject == .difference { return differAnew(opened) }
        guard busy == nil, let comparison = otherDump else { return [] }
        if !comparison.isOffered {
            otherDump?.isOffered = true
            if page == nil { page = Page(subject: .comparison) }
        }
        let purpose = ComparedDump.Purpose(
            container: opened.snapshot.path, revision: opened.revision, isRevealing: masking.isRevealing,
            other: comparison.name)
        guard page?.subject == .comparison, comparison.purpose != purpose else { return [] }
        otherDump?.begin(purpose)
        let choice = opened.migration.flatMap { migration in opened.profile.map { (migration, $0) } }
        return [Comparing(purpose: purpose, name: comparison.name, masking: masking, choice: choice)]
    }

    /// Brings the cursor of the comparison into its window, and asks for its row in full.
    mutating func settleComparison(_ layout: Layout) -> [any Effect] {
        guard isComparing, let comparison, let report = comparison.report, let of = comparison.purpose else {
            return []
        }
        let places = ComparisonView.Places(comparison, layout)
        self.comparison?.scroll(rows: places.rows, lines: places.lines)
        let row = comparison.place(of: comparison.cursor)
        let purpose = ComparedDump.Detail.Purpose(comparison: of, row: row, width: places.width)
        guard comparison.detail?.purpose != purpose, comparison.awaited != purpose, comparison.count > 0 else {
            return []
        }
        self.comparison?.awaited = purpose
        return [ComparisonWriting(purpose: purpose, report: report, glyphs: glyphs, settings: settings)]
    }

    /// The words that a filter of what is looked at takes.
    var filterWords: [String] { isComparing ? CompareFilter.words : RowFilter.words }

    /// Shows the rows of the comparison that a filter lets through; without one, all of them.
    mutating func filterComparison(by typed: String) -> [any Effect] {
        let filter = CompareFilter(typed)
        if filter == nil, comparison?.filter == nil {
            message = .done(allRowsAreShown)
            return []
        }
        comparison?.filter(by: filter)
        let isNone = filter != nil && comparison?.count == 0
        message = .done(
            filter == nil
                ? "all rows are shown"
                : (isNone ? "no row matches; " : "") + "\(key(.filter)) with nothing shows all rows")
        return []
    }

    /// Goes to the next row of the comparison that needs a person, or the one before.
    mutating func moveToComparedProblem(forward: Bool) -> [any Effect] {
        guard let row = comparison?.problem(forward: forward) else {
            let isPlanned = comparison?.report?.isPlanned ?? false
            message = .done(
                comparison?.filter != nil
                    ? "no row that the filter shows needs attention"
                    : isPlanned ? "all that was planned came" : "nothing differs")
            return []
        }
        comparison?.moveCursor(to: row)
        return []
    }

    /// Copies a part of the row of the comparison under the cursor.
    mutating func copyCompared(_ part: CopiedPart) -> [any Effect] {
        guard let comparison, let report = comparison.report else { return [] }
        let wanted: CompareReport.Part =
            switch part {
            case .value, .migratedAddress, .migratedKey: .before
            case .migratedValue: .after
            case .key: .key
            case .address: .address
            case .sentence: .sentence
            }
        return [
            ComparisonCopying(
                part: part, wanted: wanted, report: report, position: comparison.place(of: comparison.cursor))
        ]
    }
}
