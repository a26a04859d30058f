import MigrationEngine
import Reports
import StoreFormats

/// The points of the timeline, the last first: what is next, and the ledger: what was done, when, by whom, and with which
/// facts.
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
        return PageText(ahead(opened, model)) + done(opened, model) + PageText(found(opened, model))
    }

    /// The line of the point that is in view, to begin at.
    static func start(_ model: Model) -> Int? {
        guard let opened = model.opened else { return nil }
        if opened.moment == .now { return ahead(opened, model).count }
        let text = text(model), moment = opened.moment
        return (0..<text.count).first { text.isTarget($0) && text[$0].target == .moment(moment) }
    }

    /// What is next, the last first, each with why it does nothing where it does not.
    private static func ahead(_ opened: OpenContainer, _ model: Model) -> [PageLine] {
        opened.timeline.points.dropFirst(opened.timeline.present + 1).reversed().flatMap { point -> [PageLine] in
            guard case .step(let planned) = point.cause else { return [] }
            let sign = TimelineView.sign(point, model.glyphs)
            let head = PageLine(
                [
                    sign, Run("     "), Run(planned.step.title, .key),
                    Run("  \(planned.outcome.kind.phrase)", sign.role),
                ] + mark(at: point.moment, opened),
                to: .moment(point.moment))
            guard planned.outcome.kind != .migrates else { return [head] }
            return [head] + indented(planned.outcome.told(of: planned.quoted, model.masking), model)
        }
    }

    /// The dump, which nothing has led to.
    private static func found(_ opened: OpenContainer, _ model: Model) -> [PageLine] {
        guard let point = opened.timeline.points.first else { return [] }
        let sign = TimelineView.sign(point, model.glyphs)
        let here = opened.timeline.present == 0 ? "; nothing has been applied" : ""
        return [
            PageLine(
                [sign, Run("     the dump as it is\(here)")] + mark(at: point.moment, opened), to: .moment(point.moment)
            )
        ]
    }

    private static func mark(at moment: Moment, _ opened: OpenContainer) -> [Run] {
        opened.mark == opened.timeline.lasting(moment) ? [Run("  (marked)", .warning)] : []
    }

    private static func indented(_ text: String, _ model: Model) -> [PageLine] {
        model.glyphs.proseLines(text, width: max(10, model.size.width - 8)).map {
            PageLine([Run("      "), Run($0, .dim)])
        }
    }

    /// The entries of the ledger, the newest first.
    private static func done(_ opened: OpenContainer, _ model: Model) -> PageText {
        let points = opened.timeline.points.prefix(opened.timeline.present + 1).dropFirst().reversed()
        let entries = points.compactMap { point -> (entry: LedgerEntry, isStanding: Bool, moment: Moment)? in
            guard case .entry(let entry, let isStanding) = point.cause else { return nil }
            return (entry, isStanding, point.moment)
        }
        // Most entries are alike.
        var known: [Shape: Int] = [:], starts: [Int] = [], count = 0
        for (entry, _, _) in entries {
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
            let (entry, isStanding, moment) = entries[index], line = position - starts[index] - 1
            guard line >= 0 else {
                return PageLine(
                    done(entry, isStanding: isStanding, opened, model) + mark(at: moment, opened), to: .moment(moment))
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
        return [
            Run(model.glyphs.padded("#\(entry.number)", to: 6), .dim), Run(LogReport.toTheSecond(date)), Run("  "),
            what, Run("  "),
            Run(title(of: entry, opened), .key),
        ]
    }

    /// What the step of an entry is called, where its migration is in view.
    static func title(of entry: LedgerEntry, _ opened: OpenContainer) -> String {
        opened.plan?.steps.first { $0.id == entry.step && entry.migration == opened.migration?.id }?.step.title
            ?? entry.step
    }

    private static func how(_ entry: LedgerEntry, _ opened: OpenContainer, _ model: Model) -> [String] {
        // A file of facts may be for several migrations.
        let asked = opened.migrations.first { $0.id == entry.migration }.map { Set($0.facts.map(\.name)) }
        let facts = entry.facts.names.filter { asked?.contains($0) ?? true }.compactMap { name in
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
