import StoreFormats

/// Runs the steps of a migration one after the other, each on what the ones before it leave.
struct Planner {
    let steps: [Step]
    /// The changes of the steps that stand, by name.
    let standing: [String: [Change]]
    /// What the steps that stand have made of each entry, one on top of the other.
    let results: [Address: Value?]
    /// What was there before the migration's first step.
    let origin: any StoreReader
    let facts: Facts

    /// Makes ready to plan on stores with a history.
    init(_ migration: any Migration, profile: Profile, facts given: Facts, stores: any StoreReader, history: History) {
        facts = given.completed(by: migration.factsFound(in: stores, given: given))
        steps = migration.steps(profile: profile, facts: facts)
        let standing = history.standing.filter { $0.migration == migration.id && $0.profile == profile.id }
        self.standing = Dictionary(standing.map { ($0.step, $0.changes) }, uniquingKeysWith: { $1 })
        results = Dictionary(
            standing.flatMap(\.changes).map { ($0.address, $0.after) }, uniquingKeysWith: { $1 })
        origin = history.overlay(on: stores, without: migration.id)
    }

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
            var result = preview(step, on: current)
            let isChosen = chosen?.contains(step.id) ?? true
            if isChosen, step.followsAll, !left.isEmpty, result.outcome.kind == .migrates {
                let reason = "it removes what other steps read; apply first: \(left.joined(separator: ", "))"
                result = StepPreview(outcome: StepStop.blocked("earlier-steps-first", reason).outcome)
            }
            if isChosen {
                result.changes.forEach { current.apply($0) }
                previews.append(Preview(step: step, result: result))
            } else if result.outcome.kind == .migrates {
                left.append(step.id)
            }
        }
        return previews
    }

    /// A step that stands, and whose results are all still there or were taken further by a later step that stands, is
    /// not run again: it may have removed its own input.
    private func preview(_ step: Step, on stores: Overlay) -> StepPreview {
        if let changes = standing[step.id],
            changes.allSatisfy({ change in
                let value = stores.state(at: change.address).value
                return value == change.after || value == results[change.address] ?? change.after
            })
        {
            return StepPreview(outcome: .unchanged)
        }
        return step.preview(on: stores, origin: origin, facts: facts)
    }

    /// A step and what it does.
    struct Preview {
        let step: Step
        let result: StepPreview
    }
}
