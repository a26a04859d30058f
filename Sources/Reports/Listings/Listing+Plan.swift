import MigrationEngine
import StoreFormats
import Workspace

extension Listing {
    /// A migration's steps on a dump: what each does, with before, after and why.
    public mutating func plan(_ plan: Plan, of migration: any Migration, in snapshot: WorkspaceSnapshot) {
        line(
            "\(plan.migration):\(plan.profile.id) on \(snapshot.container.identifier) (\(snapshot.dump.kind.rawValue))")
        line(counts(plan))
        for planned in plan.steps {
            line()
            step(planned)
        }
        missingFacts(plan, of: migration)
    }

    /// Every migration that applies to a dump, a line each.
    public mutating func plans(_ plans: [(migration: any Migration, plan: Plan)], in snapshot: WorkspaceSnapshot) {
        guard !plans.isEmpty else {
            return line("No built-in migration finds anything in \(snapshot.container.identifier).")
        }
        for (migration, plan) in plans {
            line("\(plan.migration):\(plan.profile.id)  \(migration.title)")
            line(counts(plan), indent: 2)
            missingFacts(plan, of: migration)
        }
        for collision in Plan.collisions(among: plans.map(\.plan)) {
            line()
            line(
                "\(collision.migrations.joined(separator: " and ")) would each make something else of \(collision.address)"
            )
        }
    }

    /// What has just been applied.
    public mutating func applied(_ steps: [AppliedStep]) {
        for applied in steps {
            let word = applied.entry == nil ? applied.outcome.kind.rawValue : "applied"
            row([(word, 9), (applied.step.id, 20)], applied.outcome.reason.map { masking.sentence($0.sentence) } ?? "")
            for change in applied.entry?.changes ?? [] { self.change(change) }
        }
        if steps.isEmpty { line("No step has anything to do.") }
    }

    /// What has just been taken back.
    public mutating func rolledBack(_ entries: [LedgerEntry]) {
        for entry in entries { row([("rolled back", 11), (entry.step, 20)], "\(entry.migration):\(entry.profile)") }
        if entries.isEmpty { line("Nothing is applied.") }
    }

    /// How many steps do what, and how many are applied.
    func counts(_ plan: Plan) -> String {
        let applied = plan.steps.count { $0.status == .applied }
        let kinds = Outcome.Kind.allCases.compactMap { kind in plan.summary[kind].map { "\($0) \(kind.phrase)" } }
        return "\(applied) of \(plan.steps.count) applied: " + kinds.joined(separator: ", ")
    }

    private mutating func step(_ planned: PlannedStep) {
        row([(planned.sign(glyphs).text, 1), (planned.id, 20), (planned.step.title, 20)], planned.word)
        if let reason = planned.outcome.reason { line("why   \(masking.sentence(reason.sentence))", indent: 4) }
        for change in planned.changes { self.change(change) }
        if let conflict = planned.conflict {
            line("would write", indent: 4)
            change(conflict)
        }
        line("rule  \(planned.step.rule)", indent: 4)
        if let disagreement = planned.step.disagreement { line("note  \(disagreement)", indent: 4) }
    }

    mutating func change(_ change: Change) {
        line("\(change.action.rawValue)  \(change.address)", indent: 4)
        for source in change.from { line("from    \(source)", indent: 6) }
        switch change.before {
        case .absent: break
        case .present(let value): line("before  \(masking.summary(of: value, at: change.address))", indent: 6)
        case .unreadable(let reason): line("before  unreadable: \(reason.explanation)", indent: 6)
        }
        if let after = change.after {
            line("after   \(masking.summary(of: after, at: change.address, from: change.from))", indent: 6)
        }
        for pointer in change.placeholders { line("placeholder  \(pointer)", indent: 6) }
        for note in change.notes { line("note    \(masking.sentence(note))", indent: 6) }
    }

    /// The facts that steps lack, with how to give them.
    private mutating func missingFacts(_ plan: Plan, of migration: any Migration) {
        let missing = Set(plan.steps.flatMap { $0.outcome.reason?.missingFacts ?? [] })
        guard !missing.isEmpty else { return }
        line()
        line("Facts that are missing:")
        for fact in migration.facts where missing.contains(fact.name) {
            line("--fact \(fact.name)=\(fact.example)   \(fact.meaning)", indent: 2)
        }
    }
}
