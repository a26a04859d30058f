/// Runs the steps of a migration one after the other, each on what the ones before it leave.
struct Planner {
    let steps: [Step]
    /// What was there before the migration's first step.
    let origin: any StoreReader
    let facts: Facts

    /// The outcome and the changes of each chosen step.
    ///
    /// - Parameters:
    ///   - chosen: The names of the steps to take; `nil` is all of them.
    ///   - stores: What is there now.
    func preview(_ chosen: Set<String>? = nil, on stores: any StoreReader) -> [Preview] {
        var current = Overlay(stores)
        var left: [String] = []
        var previews: [Preview] = []
        for step in steps {
            var (outcome, changes, reads) = step.preview(on: current, origin: origin, facts: facts)
            let isChosen = chosen?.contains(step.id) ?? true
            if isChosen, step.followsAll, !left.isEmpty, outcome.kind == .migrates {
                outcome = StepStop.blocked(
                    "earlier-steps-first",
                    "it removes what other steps read; apply first: \(left.joined(separator: ", "))"
                ).outcome
                changes = []
            }
            if isChosen {
                changes.forEach { current.apply($0) }
                previews.append(Preview(step: step, outcome: outcome, changes: changes, reads: reads))
            } else if outcome.kind == .migrates {
                left.append(step.id)
            }
        }
        return previews
    }

    /// What one step does.
    struct Preview {
        let step: Step
        let outcome: Outcome
        let changes: [Change]
        let reads: [Address]
    }
}
