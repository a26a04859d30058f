import Reports

extension Model {
    /// Whether the comparison covers the panes.
    var isComparing: Bool { page?.subject == .comparison }

    var reasonNothingToCompare: String? {
        reasonNotPlanned
            ?? (comparison == nil
                ? "there is no other dump; --compare DUMP names one when the inspector is started" : nil)
    }

    /// Asks for the comparison that is on the page, where it is of something else than what is in view now.
    ///
    /// The first view of an app begins with it.
    mutating func compareAnew() -> [any Effect] {
        guard busy == nil, !isLeaving, let opened, opened.isPlanned, let comparison else { return [] }
        if !comparison.isOffered {
            self.comparison?.isOffered = true
            if page == nil { page = Page(subject: .comparison) }
        }
        let purpose = ComparedDump.Purpose(
            container: opened.snapshot.path, revision: opened.revision, isRevealing: masking.isRevealing)
        guard isComparing, comparison.purpose != purpose else { return [] }
        self.comparison?.begin(purpose)
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
        let purpose = ComparedDump.Detail.Purpose(comparison: of, row: comparison.cursor, width: places.width)
        guard comparison.detail?.purpose != purpose, comparison.awaited != purpose, comparison.count > 0 else {
            return []
        }
        self.comparison?.awaited = purpose
        return [ComparisonWriting(purpose: purpose, report: report, glyphs: glyphs)]
    }
}
