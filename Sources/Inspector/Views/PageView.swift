import MigrationEngine
import Reports
import Workspace

/// A line of a page, and where it leads to.
struct PageLine: Sendable {
    var runs: [Run]
    var target: PageTarget?

    init(_ runs: [Run], to target: PageTarget? = nil) { (self.runs, self.target) = (runs, target) }
}

/// The lines of a page; those of a long one are written when they are looked at.
struct PageText {
    /// How many there are.
    let count: Int
    private let line: (Int) -> PageLine
    private let leads: (Int) -> Bool

    init(_ lines: [PageLine]) {
        (count, line, leads) = (lines.count, { lines[$0] }, { lines[$0].target != nil })
    }

    /// - Parameter leads: Whether a line leads somewhere, told without writing it.
    init(count: Int, leads: @escaping (Int) -> Bool, line: @escaping (Int) -> PageLine) {
        (self.count, self.line, self.leads) = (count, line, leads)
    }

    /// Lines behind others.
    static func + (first: PageText, second: PageText) -> PageText {
        let count = first.count
        return PageText(count: count + second.count) {
            $0 < count ? first.leads($0) : second.leads($0 - count)
        } line: {
            $0 < count ? first.line($0) : second.line($0 - count)
        }
    }

    /// A line; a blank one where there is none any more, as the page has become shorter.
    subscript(position: Int) -> PageLine { (0..<count).contains(position) ? line(position) : PageLine([]) }

    func isTarget(_ position: Int) -> Bool { (0..<count).contains(position) && leads(position) }

    var firstTarget: Int? { (0..<count).first(where: leads) }

    /// The line that leads somewhere so many such lines on, or back; as far as there are any.
    ///
    /// - Parameter orThere: Whether the line begun from is the first one that counts.
    func target(_ distance: Int, from start: Int, orThere: Bool = false) -> Int {
        if orThere, isTarget(start) { return start }
        var left = abs(distance), position = start, found = start
        while left > 0, (0..<count).contains(position + distance.signum()) {
            position += distance.signum()
            if leads(position) { (found, left) = (position, left - 1) }
        }
        return found
    }

    /// A line that leads somewhere, with the lines below that belong to it.
    func item(at position: Int) -> Range<Int> {
        var end = position + 1
        while end < count, !leads(end), !line(end).runs.isEmpty { end += 1 }
        return position..<end
    }
}

/// A page of text over the panes.
enum PageView {
    static func draw(_ page: Page, _ model: Model, in layout: Layout, on frame: inout Frame) {
        if model.isComparing { return ComparisonView.draw(model, in: layout, on: &frame) }
        let rect = layout.body
        frame.horizontalLine(at: rect.origin.x, rect.origin.y, width: rect.size.width, role: .borderFocused)
        frame.draw(" \(title(page)) ", at: 2, rect.origin.y, role: .title)
        let text = text(page, model), shown = page.top..<min(text.count, page.top + rect.size.height - 1)
        // What is to be selected stands by itself.
        let margin = page.subject == .copied ? 0 : 1
        for position in shown {
            let y = rect.origin.y + 1 + position - page.top
            frame.draw(text[position].runs, at: margin, y, width: rect.size.width - margin)
        }
        if let cursor = page.cursor, shown.contains(cursor) {
            let item = text.item(at: cursor).clamped(to: shown), y = rect.origin.y + 1 + item.lowerBound - page.top
            frame.select(Rect(x: 0, y: y, width: rect.size.width, height: item.count))
            frame.cursor = Position(x: 0, y: y)
        }
        if page.cursor == nil, let match = page.match, shown.contains(match) {
            let y = rect.origin.y + 1 + match - page.top
            frame.select(Rect(x: 0, y: y, width: rect.size.width, height: 1))
        }
        guard text.count > layout.bodyRows else { return }
        let counts = " \(min(text.count, page.top + layout.bodyRows))/\(text.count) "
        frame.draw(
            counts, at: rect.columns.upperBound - counts.count - 1, rect.origin.y, width: counts.count, role: .dim)
    }

    private static func title(_ page: Page) -> String {
        switch page.subject {
        case .help: "Help"
        case .warnings: "Warnings"
        case .report: "Report"
        case .verification: "Verification"
        case .copied: "Copied"
        case .comparison, .difference: "Comparison"
        case .facts: "Facts"
        case .history: "Timeline"
        case .palette: "Actions"
        }
    }

    /// The lines of a page that is a text.
    static func text(_ page: Page, _ model: Model) -> PageText {
        switch page.subject {
        case .help: PageText(HelpPage.lines(model).map { PageLine($0) })
        case .warnings: PageText(warnings(model))
        case .report, .verification: PageText(model.reports[page.subject]?.lines.map { PageLine($0.runs) } ?? [])
        case .copied: PageText(model.clipboard.lines.map { PageLine([Run($0)]) })
        case .facts: PageText(FactsPage.lines(model))
        case .history: HistoryPage.text(model)
        case .palette(let typed): PageText(PalettePage.lines(typed, model))
        case .comparison, .difference: PageText([])
        }
    }

    /// How steps were applied otherwise, how the dump has changed, and what is missing from it or cannot be read; and, as it
    /// is the way of most dumps, without the sign of a warning what is not known of migrations.
    private static func warnings(_ model: Model) -> [PageLine] {
        let (warnings, unknown, help) = matters(model)
        // Where one leads somewhere, the cursor goes from one to the next of all.
        let hasSubjects = warnings.contains { $0.subject != nil }
        func lines(_ warning: Warning, _ sign: String, _ role: Role) -> [PageLine] {
            model.glyphs.proseLines(warning.text, width: max(1, model.size.width - 3)).enumerated().map { index, line in
                PageLine(
                    [Run(index == 0 ? sign : "  ", role), Run(line)],
                    to: index == 0 && hasSubjects ? .subject(warning.subject) : nil)
            }
        }
        let all =
            warnings.flatMap { lines($0, "! ", .warning) }
            + unknown.flatMap { lines(Warning(text: $0), "? ", .dim) }
            + help.flatMap { lines(Warning(text: $0), "  ", .text) }
        return all.isEmpty
            ? [PageLine([Run("Nothing is missing, and everything that was looked at can be read.", .dim)])] : all
    }

    /// The same as sentences: of the dump and the ledger, of migrations, and what a person can do.
    static func matters(_ model: Model) -> (warnings: [Warning], unknown: [String], help: [String]) {
        let words = AdviceWords.keys(model.settings)
        let drift = (model.opened?.drift ?? []).map { Warning(text: $0.told(words), subject: .file($0.path)) }
        let others = model.opened?.allWarnings ?? (model.apps?.allWarnings ?? []).map { Warning(text: $0) }
        let quoting = (drift + others).map { $0.told(model.masking) }
        // A departure knows which of its facts are secret.
        let departures = model.opened?.plan.map { plan in
            plan.departures.map { Warning(text: $0.told(model.masking, isLast: plan.isAtEnd)) }
        }
        let unknown = (model.opened?.view.unknown ?? []).map { model.masking.sentence($0.told(words)) }
        let foreign = (model.opened?.isPlanned == true ? model.opened?.foreign ?? [:] : [:]).sorted { $0.key < $1.key }
            .map { name, count in
                Warning(
                    text:
                        "\(count.counted("step")) of the migration \(name) \(count == 1 ? "is" : "are") applied, which nobody has "
                        + "given: what is shown is as after \(count == 1 ? "it" : "them"). To fix it: \(words(.giveSpec))."
                )
            }
        return (foreign + (departures ?? []) + quoting, unknown, help(model))
    }
}

extension PageView {
    /// What a person can do where no migration applies.
    private static func help(_ model: Model) -> [String] {
        guard let opened = model.opened, opened.isPlanned, opened.plan == nil else { return [] }
        return [
            "No migration is known to apply to this app. To write one: \(AdviceWords.keys(model.settings)(.writeSpec))."
        ]
    }
}

extension ApplicableMigrations.UnknownReason {
    /// What is not known, why, and what the person can do about it here.
    fileprivate func told(_ words: AdviceWords) -> String {
        let list = migrations.map(\.id).joined(separator: ", ")
        guard let lack else { return "Unknown of \(list): \(reason.explanation)." }
        let why = reason.cause == .missing ? "" : " (\(reason.explanation))"
        return "Not known \(lack): \(list)\(why). "
            + "To fix it: \(words(.giveKeychain))."
    }
}

extension Drift {
    /// What is the matter, and what the person can do about it here.
    fileprivate func told(_ words: AdviceWords) -> String {
        let advice = kind == .keychainNotGiven ? " To fix it: \(words(.giveKeychain))." : ""
        return sentence.asSentence + "." + advice
    }
}
