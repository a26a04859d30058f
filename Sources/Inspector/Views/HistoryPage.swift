import MigrationEngine
import Reports
import StoreFormats

/// The lines of the ledger, the newest entry first: what was done, when, by whom, and with which facts.
enum HistoryPage {
    /// Each entry takes a line for what was done, and one for how.
    private static let height = 2

    static func text(_ model: Model) -> PageText {
        guard let opened = model.opened else { return PageText([]) }
        let entries = opened.snapshot.history.entries, standing = Set(opened.snapshot.history.standing.map(\.number))
        guard !entries.isEmpty else {
            return PageText([PageLine([Run("Nothing has been applied; the ledger has no entries.", .dim)])])
        }
        return PageText(count: entries.count * height, leads: { $0.isMultiple(of: height) }) { position in
            let entry = entries[entries.count - 1 - position / height]
            return position.isMultiple(of: height)
                ? PageLine(
                    done(entry, isStanding: standing.contains(entry.number), opened, model), to: .step(entry.step))
                : PageLine([Run("      "), Run(how(entry, opened, model), .dim)])
        }
    }

    private static func done(
        _ entry: LedgerEntry, isStanding: Bool, _ opened: OpenContainer, _ model: Model
    ) -> [Run] {
        let what: Run
        switch entry.event {
        case .applied: what = isStanding ? Run("applied", .done) : Run("applied, taken back", .dim)
        case .rolledBack(let number): what = Run("rolled back #\(number)", .warning)
        }
        let date = Timestamp(secondsSinceReference: entry.date.timeIntervalSinceReferenceDate).iso8601 ?? ""
        let title = opened.plan?.steps.first { $0.id == entry.step && entry.migration == opened.migration?.id }?.step
            .title
        return [
            Run(model.glyphs.padded("#\(entry.number)", to: 6), .dim), Run(LogReport.toTheSecond(date)), Run("  "),
            what, Run("  "),
            Run(title ?? entry.step, .key),
        ]
    }

    private static func how(_ entry: LedgerEntry, _ opened: OpenContainer, _ model: Model) -> String {
        let facts = entry.facts.names.compactMap { name in
            entry.facts[name].map { "\(name) \(model.masking.fact(name, $0.recorded(in: entry.number)))" }
        }
        return
            ([
                "\(entry.migration):\(entry.profile)", "by \(model.masking.sentence(entry.author))",
                "Vestige \(entry.toolVersion)",
                entry.changes.count.counted("change"),
            ] + facts).joined(separator: " · ")
    }
}
