import StoreFormats

/// What was planned, beside which a comparison with a migration puts what came.
extension StoreComparison {
    /// What stands behind the place of a fact that only the stores after tell.
    package static let afterUpdate = ", after the update"

    /// The facts: what the stores before tell, and where they tell nothing, those after; of those for which any new value will
    /// do what the update has drawn.
    static func facts(
        of migration: any Migration, _ profile: Profile, _ before: any StoreReader, _ after: any StoreReader,
        given: Facts
    ) -> Facts {
        var given = given
        given.draw = nil
        var known = migration.factsKnown(in: before, given: given)
        let told = migration.factsKnown(in: after, given: given)
        for name in told.names {
            guard let fact = told[name], case .inferred(let place) = fact.source else { continue }
            switch known[name]?.source {
            case nil where known.rivals[name] == nil, .assumed:
                known[name] = Fact(fact.value, from: .inferred(place + Self.afterUpdate))
            default: break
            }
        }
        let draw = FactDraw(for: Name(known[.bundleIdentifier]?.value ?? migration.id))
        var drawn: [FactName: String] = [:]
        for fact in migration.facts where fact.isFresh && known[fact.name] == nil && known.rivals[fact.name] == nil {
            known[fact.name] = draw.fact(fact.name)
            drawn[fact.name] = known[fact.name]?.value
        }
        guard !drawn.isEmpty else { return known }
        // Another draw than that of the update would only differ from it: where what came has one, that is it.
        let plan = Plan(
            of: migration, profile: profile, facts: known, stores: before, history: History(), check: {})
        let changes = plan.steps.filter { $0.outcome.kind == .migrates }.flatMap(\.changes)
        for (name, value) in drawn {
            guard let found = DrawnText(value).found(in: changes, before, after) else { continue }
            known[name] = Fact(found.text, from: .inferred("\(found.address)" + Self.afterUpdate))
        }
        return known
    }

    /// What the steps make of entries, by the last change of each, in the order of the first ones.
    static func planned(
        _ plan: Plan, _ before: any StoreReader
    ) -> (order: [Address], planned: [Address: Planned]) {
        var order: [Address] = [], planned: [Address: Planned] = [:]
        for step in plan.steps where step.outcome.kind == .migrates {
            for change in step.changes {
                let sources = change.from.filter { $0 != change.address }.map { ($0, before.state(at: $0)) }
                let earlier = planned[change.address]
                if earlier == nil { order.append(change.address) }
                planned[change.address] = Planned(
                    steps: (earlier?.steps ?? []) + [step.id], value: change.after,
                    sources: sources.isEmpty ? earlier?.sources ?? [] : sources, placeholders: change.placeholders,
                    guesses: plan.guesses(of: step))
            }
        }
        return (order, planned)
    }

    /// The steps that have looked into stores of which the ground takes for granted that nothing is there, and do something else
    /// without that, and those that wait for these, or have read what they write, or would.
    static func presumed(
        _ plan: Plan, of migration: any Migration, _ ground: any StoreReader, _ before: any StoreReader
    ) -> [PlannedStep] {
        let asked = plan.steps.map(\.storesAsked)
        let stores = asked.reduce(into: Set<StoreID>()) { $0.formUnion($1) }
            .filter { before.problem(with: $0) != nil && ground.problem(with: $0) == nil }
        if stores.isEmpty { return [] }
        // One that has only looked around there does the same.
        let without = Plan(
            of: migration, profile: plan.profile, facts: plan.facts, stores: before, history: History(), check: {})
        let unassumed = Dictionary(without.steps.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let made = Set(plan.steps.flatMap(\.changes).map(\.address))
        var written: Set<Address> = [], open: [Step] = [], names: Set<String> = []
        func isDoubtful(_ entry: Address) -> Bool {
            written.contains(entry) || open.contains { $0.mayWrite(entry, in: before, made: made) }
        }
        return zip(plan.steps, asked).filter { step, asked in
            let rests = !asked.isDisjoint(with: stores) && !(unassumed[step.id].map(step.doesSame) ?? false)
            let awaited = step.step.comesAfter.union(step.step.waitsFor ?? [])
            guard rests || !awaited.isDisjoint(with: names) || step.reads.contains(where: { isDoubtful($0.entry) })
            else { return false }
            names.insert(step.id)
            if step.step.others != nil { open.append(step.step) }
            written.formUnion(step.shownChanges.map(\.address.entry))
            written.formUnion([step.conflict?.address, step.step.target].compactMap { $0?.entry })
            if step.step.takesSources { written.formUnion(step.step.sources.map(\.entry)) }
            return true
        }.map(\.0)
    }

    /// The entries that steps would write which do nothing.
    static func idleTargets(_ plan: Plan) -> [Address: PlannedStep] {
        var targets: [Address: PlannedStep] = [:]
        for step in plan.steps where step.outcome.kind != .migrates && step.outcome.kind != .unchanged {
            guard let target = step.conflict?.address ?? step.step.target, targets[target.entry] == nil else {
                continue
            }
            targets[target.entry] = step
        }
        return targets
    }
}

extension Step {
    /// Whether it may write an entry that its plan does not say it writes, as it finds other things than the plan takes for
    /// granted.
    ///
    /// - Parameters:
    ///   - stores: The stores before the first step.
    ///   - made: What the steps of the plan change: the rest stands as it is there when this one comes to it.
    func mayWrite(_ entry: Address, in stores: any StoreReader, made: Set<Address>) -> Bool {
        guard let others, others(entry) else { return false }
        return !leavesOthers || made.contains(entry) || stores.state(at: entry) == .absent
    }
}
