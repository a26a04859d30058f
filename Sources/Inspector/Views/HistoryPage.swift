import MigrationEngine
import Reports
import StoreFormats

/// The lines of the ledger, the newest entry first: what was done, when, by whom, and with which facts.
enum HistoryPage {
    /// What decides how many lines an entry takes.
    private struct Shape: Hashable {
        let migration, profile, author, toolVersion: String
        let changes: Int
        let facts: Facts
    }

    /// Each entry takes a line for what was done, and as many as it needs for how.
    static func text(_ model: Model) -> PageText {
        guard let opened = model.opened else { return PageText([]) }
        let entries = Array(opened.snapshot.history.entries.reversed())
        let standing = Set(opened.snapshot.history.standing.map(\.number))
        guard !entries.isEmpty else {
            return PageText([PageLine([Run("Nothing has been applied; the ledger has no entries.", .dim)])])
        }
        // Most entries are alike.
        var known: [Shape: Int] = [:], starts: [Int] = [], count = 0
        for entry in entries {
            starts.append(count)
            let shape = Shape(
                migration: entry.migration, profile: entry.profile, author: entry.author,
                toolVersion: entry.toolVersion, changes: entry.changes.count, facts: entry.facts)
            let lines = known[shape] ?? how(entry, opened, model).count
            known[shape] = lines
            count += 1 + lines
        }
        let beginnings = Set(starts)
        return PageText(count: count, leads: beginnings.contains) { [starts] position in
            let index = starts.lastPosition { $0 <= position } ?? 0
            let entry = entries[index], line = position - starts[index] - 1
            guard line >= 0 else {
                return PageLine(
                    done(entry, isStanding: standing.contains(entry.number), opened, model), to: .step(entry.step))
            }
            let lines = how(entry, opened, model)
            return PageLine([Run("      "), Run(lines.indices.contains(line) ? lines[line] : "", .dim)])
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

    private static func how(_ entry: LedgerEntry, _ opened: OpenContainer, _ model: Model) -> [String] {
        let facts = entry.facts.names.compactMap { name in
            entry.facts[name].map { "\(name) \(model.masking.fact(name, $0.recorded(in: entry.number)))" }
        }
        let parts =
            [
                "\(entry.migration):\(entry.profile)", "by \(model.masking.sentence(entry.author))",
                "Vestige \(entry.toolVersion)",
                entry.changes.count.counted("change"),
            ] + facts
        return model.glyphs.proseLines(parts.joined(separator: " · "), width: max(10, model.size.width - 8))
    }
}
