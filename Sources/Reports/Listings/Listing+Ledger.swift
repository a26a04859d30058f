import Foundation
import MigrationEngine
import StoreFormats
import Workspace

extension Listing {
    /// What has been applied, and what could be.
    public mutating func status(_ snapshot: WorkspaceSnapshot, plans: [Plan]) {
        line("\(snapshot.container.identifier) (\(snapshot.dump.kind.rawValue))")
        let entries = snapshot.history.entries.count.counted("entry", "entries")
        line(
            "ledger  \(snapshot.ledgerPath)  \(snapshot.history.entries.isEmpty ? "nothing applied yet" : entries)",
            indent: 2)
        if case .readOnly(let reason) = snapshot.access { line("open for reading only: \(reason)", indent: 2) }
        for drift in snapshot.drift { line("the dump has changed: \(drift)", indent: 2) }
        for plan in plans {
            line()
            line("\(plan.migration):\(plan.profile.id)  \(counts(plan))")
            for planned in plan.steps {
                let status = planned.status == .rolledBack ? "rolled back; now " : ""
                row([(planned.sign(glyphs).text, 1), (planned.id, 20)], status + planned.word, indent: 2)
            }
        }
        if plans.isEmpty { line("No built-in migration finds anything here.", indent: 2) }
    }

    /// Every entry of the ledger.
    public mutating func log(_ history: History) {
        if history.entries.isEmpty { line("Nothing has been applied.") }
        for entry in history.entries {
            let date = Timestamp(secondsSinceReference: entry.date.timeIntervalSinceReferenceDate).text
            let event: String
            switch entry.event {
            case .applied: event = "applied"
            case .rolledBack(let number): event = "rolled back #\(number)"
            }
            row(
                [("#\(entry.number)", 4), (date, 20), (entry.author, 10), (event, 14), (entry.step, 20)],
                "\(entry.migration):\(entry.profile)")
            for change in entry.changes { self.change(change) }
        }
    }

    /// What is not as the ledger says.
    public mutating func verify(_ verification: Verification) {
        for finding in verification.findings {
            line("\(finding.kind.rawValue)  \(finding.subject)")
            line(finding.sentence, indent: 2)
        }
        let checked =
            "\(verification.steps.counted("step")) run again, \(verification.entries.counted("entry", "entries")) and "
            + "\(verification.files.counted("file")) compared"
        line(
            verification.findings.isEmpty
                ? "verified: \(checked)" : "\(verification.findings.count.counted("finding")): \(checked)")
    }

    /// What has been exported.
    public mutating func export(_ summary: ExportSummary) {
        line("exported to \(summary.target), read back and compared")
        line("\(summary.copiedFiles.counted("file")) copied byte for byte", indent: 2)
        for (word, paths) in [
            ("rewritten", summary.rewritten), ("added", summary.added), ("left out", summary.removed),
        ] {
            for path in paths { row([(word, 9)], path, indent: 2) }
        }
        for skipped in summary.skipped { row([("skipped", 9)], "\(skipped.path): \(skipped.reason)", indent: 2) }
        for address in summary.withoutFile { line("no file in this form of dump holds \(address)", indent: 2) }
        if let leftover = summary.leftover { line("the folder that was replaced is still at \(leftover)", indent: 2) }
    }

    /// What is built in, a line each.
    public mutating func migrations(_ migrations: [any Migration]) {
        for migration in migrations {
            line("\(migration.id)  \(migration.title)")
            for profile in migration.profiles { row([(profile.id, 12)], profile.summary, indent: 2) }
        }
    }

    /// A table with a width for each column that its cells fit, but for the last.
    private mutating func table(_ table: RuleTable) {
        line()
        line(table.title, indent: 2)
        let rows = [table.columns] + table.rows
        let widths = table.columns.indices.map { column in
            rows.map { column < $0.count ? glyphs.columns($0[column]) : 0 }.max() ?? 0
        }
        for cells in rows {
            row(Array(zip(cells, widths).dropLast()), cells.last ?? "", indent: 4)
        }
    }

    /// One migration: its facts, and the steps of each variant with their rules.
    public mutating func migration(_ migration: any Migration, profiles: [Profile]) {
        line("\(migration.id)  \(migration.title)")
        line(migration.summary)
        line()
        line("Facts")
        for fact in migration.facts {
            row([(fact.name.rawValue, 20), (fact.form.description, 20)], fact.meaning, indent: 2)
        }
        var shown: [RuleTable] = []
        for profile in profiles {
            line()
            line("\(profile.id)  \(profile.summary)")
            let tables = migration.tables(profile: profile)
            if tables != shown { tables.forEach { table($0) } }
            shown = tables
            for step in migration.describedSteps(profile: profile) {
                line()
                row([(step.id, 20)], step.title, indent: 2)
                for source in step.sources { line("reads   \(source.key ?? "\(source)")", indent: 4) }
                if let key = step.targetKey { line("writes  \(key)", indent: 4) }
                line("rule    \(step.rule)", indent: 4)
                if let disagreement = step.disagreement { line("note    \(disagreement)", indent: 4) }
            }
        }
    }
}

extension FactDefinition.Form {
    /// The form in words.
    package var description: String {
        switch self {
        case .text: "a text"
        case .seconds: "a number of seconds"
        case .uuid: "a UUID"
        }
    }
}
