import MigrationEngine
import Reports

extension PlannedStep {
    /// Whether what it loses or changes is told before all else: it is to be applied, or was done by nobody here.
    var showsLoss: Bool { loses || wasLostElsewhere }

    /// The sign before it in the list: that of what it loses or changes, unless it is applied.
    func listSign(_ glyphs: Glyphs) -> Run {
        guard showsLoss, let loss else { return sign(glyphs) }
        return loss.sign(glyphs)
    }

    /// The word beside that sign, as loud as what it says: of an applied step, whose sign is that, what it has lost or changed.
    var listWord: Run {
        guard loses || isDone, let loss else { return Run(word, listSign(.unicode).role) }
        let role = loss.sign(.unicode).role, dropped = EffectCounts(shownChanges)[.dropped]
        guard loss == .dropped else { return Run(isDone ? "changed" : "changes", role) }
        // The column has room for a number of one digit behind the longer word.
        let verb = isDone ? "dropped" : "drops", isCounted = dropped > 0 && (!isDone || dropped < 10)
        return Run(isCounted ? "\(verb) \(dropped)" : verb, role)
    }

    /// What is the matter with it, in a phrase behind its title; `nil` where nothing is.
    var attention: String? {
        if outcome.isPartial { return "fails in part" }
        switch outcome.kind {
        case .failed: return "failed"
        case .conflict: return "is in conflict"
        case .blocked:
            let facts = outcome.reason?.missingFacts.map(\.rawValue) ?? []
            return facts.isEmpty ? "waits" : "waits for \(facts.joined(separator: ", "))"
        case .migrates, .unchanged, .skipped: return lossPhrase
        }
    }
}

extension Plan {
    /// The steps that need attention, by their places: what failed or is in conflict first, then what would lose or change
    /// something, then what waits, and last what has lost or changed something.
    var urgency: [[Int]] {
        let kinds: [(PlannedStep) -> Bool] = [
            \.isStopped, \.loses, { $0.outcome.kind == .blocked }, \.hasLost,
        ]
        var told: Set<Int> = []
        return kinds.map { isSo in steps.indices.filter { isSo(steps[$0]) && told.insert($0).inserted } }
    }
}

extension OpenContainer {
    /// The steps that need attention, the most urgent first.
    var urgentSteps: [Int] { plan?.urgency.flatMap(\.self) ?? [] }

    /// The step that is applied where none is named: the one under the cursor, or where that is done the next one that has
    /// something to do; `nil` of a row of no step, from which nobody sees what that would be.
    var stepToApply: PlannedStep? {
        guard let steps = plan?.steps else { return nil }
        let pending = steps.indices.filter { steps[$0].outcome.kind == .migrates }
        guard case .step(let index)? = row, steps.indices.contains(index) else {
            return nil
        }
        if pending.contains(index) { return steps[index] }
        guard step?.outcome.kind == .unchanged else { return nil }
        return (pending.first { $0 > index } ?? pending.first).map { steps[$0] }
    }

    /// The steps that come before one, in their order: those that write what it reads, and theirs; of one that only takes away,
    /// all before it.
    func earlier(than step: PlannedStep) -> [PlannedStep] {
        let pending = plan?.pending ?? []
        guard let place = pending.firstIndex(where: { $0.id == step.id }) else { return [] }
        if step.changes.allSatisfy({ $0.after == nil }) { return Array(pending[..<place]) }
        var needed = [step]
        for other in pending[..<place].reversed() {
            let written = Set(other.changes.map(\.address.entry))
            let isNeeded = needed.contains { !written.isDisjoint(with: ($0.used + $0.step.sources).map(\.entry)) }
            if isNeeded { needed.insert(other, at: 0) }
        }
        return Array(needed.dropLast())
    }
}
