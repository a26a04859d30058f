import Reports
import Workspace

/// Two sides of an app and what differs, as a page over the panes shows it: another dump, or another moment or set of facts.
struct ComparedDump: Sendable {
    /// What is compared.
    enum Sides: Hashable, Sendable {
        /// The dump, and the one that was named.
        case dumps
        /// Two points of the timeline.
        case moments(from: Moment, to: Moment)
        /// What comes of all steps as it is, and with other facts or another profile.
        case proposal(Proposal)

        /// Whether both are of one kind, so that the one is shown as the other was.
        func isLike(_ other: Sides) -> Bool {
            switch (self, other) {
            case (.dumps, .dumps), (.moments, .moments), (.proposal, .proposal): true
            default: false
            }
        }
    }

    /// What a comparison was made for.
    struct Purpose: Hashable, Sendable {
        /// The container's path.
        let container: String
        /// The view of it: its migration, its profile and its facts.
        let revision: Int
        let isRevealing: Bool
        /// The dump that it is compared with, as it was named; empty where it is none.
        var other = ""
        var sides = Sides.dumps
    }

    /// The lines of one row in full, and what they were written for.
    struct Detail: Sendable {
        struct Purpose: Hashable, Sendable {
            let comparison: ComparedDump.Purpose
            let row: Int
            let width: Int
        }

        let purpose: Purpose
        let lines: [Document.Line]
    }

    /// What to call it.
    var name: String
    /// What is to be compared.
    var sides = Sides.dumps
    /// Whether the page was shown, which the first view of an app begins with.
    var isOffered = false
    /// What the comparison is for that was made or is being made.
    private(set) var purpose: Purpose?
    /// What came of it; `nil` while it is being made.
    private(set) var report: CompareReport?
    /// Why there is none.
    private(set) var failure: Failure?
    /// Which rows are shown, where not all are, and those that are so.
    var filter: CompareFilter?
    var shown: [Int]?
    /// The row under the cursor, of those that are shown, and the first on the screen.
    private(set) var cursor = 0
    var top = 0
    /// Whether that row fills the page, and its first line that is shown.
    var isZoomed = false
    var detailTop = 0
    /// The line that a search in it has found last.
    var detailMatch: Int?
    /// That row in full, as it was last written.
    var detail: Detail?
    /// What of it was asked for and has not come.
    var awaited: Detail.Purpose?

    init(named name: String) { self.name = name }

    /// How many rows are shown.
    var count: Int { shown?.count ?? report?.rowCount ?? 0 }

    /// Which row of the report stands in a row of the list.
    func place(of row: Int) -> Int {
        guard let shown else { return row }
        return shown.indices.contains(row) ? shown[row] : -1
    }

    /// Begins anew; the cursor stays where the same app is compared once more.
    mutating func begin(_ purpose: Purpose) {
        if self.purpose?.container != purpose.container { (cursor, top, filter) = (0, 0, nil) }
        (self.purpose, report, failure, isZoomed, shown) = (purpose, nil, nil, false, nil)
    }

    mutating func end(_ result: Result<CompareReport, Failure>) {
        switch result {
        case .success(let report): (self.report, failure) = (report, nil)
        case .failure(let failure): self.failure = failure
        }
        let row = cursor
        if filter != nil { filter(by: filter) }
        moveCursor(to: row)
    }

    /// Why there is no comparison.
    struct Failure: Error {
        let error: WorkspaceError
        /// What the person can do, in the program's own words.
        var advice: String?
    }

    mutating func moveCursor(to row: Int) {
        let clamped = min(max(0, row), max(0, count - 1))
        if clamped != cursor { (detailTop, detailMatch) = (0, nil) }
        cursor = clamped
    }

    /// Keeps the cursor in the window, and the row in full within its lines.
    mutating func scroll(rows: Int, lines: Int) {
        if cursor < top { top = cursor }
        if rows > 0, cursor >= top + rows { top = cursor - rows + 1 }
        top = max(0, min(top, count - max(1, rows)))
        if let detail { detailTop = min(max(0, detailTop), max(0, detail.lines.count - lines)) }
    }

    /// The row under the cursor in full, where what was written last is that.
    var shownDetail: Detail? {
        guard let detail, detail.purpose.row == place(of: cursor), detail.purpose.comparison == purpose else {
            return nil
        }
        return detail
    }

    /// Where a row that fills the page has a text, from its first line on the screen on, round its end, and which of how many lines
    /// with it that is; `nil` where it has none, or the list is shown.
    func line(with matcher: Matcher, forward: Bool) -> (line: Int, place: Int, of: Int)? {
        guard isZoomed, let detail = shownDetail else { return nil }
        let matching = detail.lines.indices.filter { matcher.matches(detail.lines[$0].text) }
        let start = detailMatch ?? (forward ? detailTop - 1 : detailTop)
        return matching.next(from: start, forward: forward).map { next in
            (next, (matching.firstIndex(of: next) ?? 0) + 1, matching.count)
        }
    }

    /// A row as one text, for the search.
    func text(of row: Int) -> String { text(ofPlace: place(of: row)) }

    /// A row of the report as one text.
    func text(ofPlace row: Int) -> String {
        let title = report?.title(at: row) ?? ""
        switch report?.row(at: row, .unicode) {
        case .entry(let before, _, let planned, let after, let note, _)?:
            let cells = [before, planned, after].compactMap(\.self).map { "\($0.key) \($0.words)" }
            return ([title] + cells + [note].compactMap(\.self)).joined(separator: " ")
        case .line(let text)?: return title + " " + text
        case nil: return title
        }
    }
}
