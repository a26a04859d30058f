import StoreFormats

/// What steps that wait would do, shown before somebody gives the facts that they wait for.
extension Planner {
    /// The changes that steps which wait only for facts that are names would make, by the steps' names, with the name of each
    /// such fact in braces in place of its value.
    ///
    /// A name says where something goes and not what becomes of it, so that all else of the changes is as it will be.
    ///
    /// - Parameters:
    ///   - previews: What each step does as long as the facts are missing.
    ///   - given: The facts that were given.
    ///   - stores: What is there now.
    /// - Throws: what `check` throws.
    func sketches<Stop: Error>(
        of previews: [Preview], _ migration: any Migration, given: Facts, on stores: any StoreReader,
        check: () throws(Stop) -> Void
    ) throws(Stop) -> [String: [Change]] {
        let names = Set(migration.facts.lazy.filter { $0.form == .name }.map(\.name))
        var missing: Set<FactName> = [], waiting: Set<String> = []
        for preview in previews where preview.result.outcome.kind == .blocked {
            guard let lacking = preview.result.outcome.reason?.missingFacts, !lacking.isEmpty,
                names.isSuperset(of: lacking)
            else { continue }
            missing.formUnion(lacking)
            waiting.insert(preview.step.id)
        }
        guard !missing.isEmpty else { return [:] }
        let facts = given.sketching(missing)
        var sketches: [String: [Change]] = [:]
        for preview in try naming(migration, facts).preview(on: stores, check: check)
        where waiting.contains(preview.step.id) && preview.result.outcome.kind == .migrates {
            sketches[preview.step.id] = preview.result.changes
        }
        return sketches
    }
}

extension FactName {
    /// What stands in place of its value as long as nobody knows it.
    package var placeholder: String { "{\(self)}" }

    fileprivate var placeholderFact: Fact { Fact(placeholder, from: .assumed("a placeholder")) }
}

extension Migration {
    /// The facts with a placeholder for each that is a name and that nobody knows: what is said with them of entries holds of
    /// those of a sketch, too.
    package func sketching(_ facts: Facts) -> Facts {
        facts.sketching(names(unknownIn: [facts]))
    }

    /// Two sets of facts with a placeholder for each that is a name and that neither tells, so that what comes of them can be
    /// compared: what becomes of the values does not rest on a name.
    package func sketching(
        _ one: Facts, beside other: Facts, in stores: any StoreReader
    ) -> (one: Facts, other: Facts) {
        let names = names(unknownIn: [one, other].map { factsKnown(in: stores, given: $0) })
        return (one.sketching(names), other.sketching(names))
    }

    /// The names among its facts that none of these tells.
    private func names(unknownIn known: [Facts]) -> [FactName] {
        facts.lazy.filter { $0.form == .name }.map(\.name).filter { name in known.allSatisfy { $0[name] == nil } }
    }
}

extension Facts {
    /// The same with placeholders for some of them.
    fileprivate func sketching(_ names: some Sequence<FactName>) -> Facts {
        var sketched = self
        for name in names { sketched[name] = name.placeholderFact }
        return sketched
    }
}
