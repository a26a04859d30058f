extension SpecProfile {
    /// Rows that overwrite what a later row reads, so that this takes the new value and the old one is gone.
    ///
    /// A row in place is meant to work on what those before it made; so is one that reads what a row without
    /// `exists: overwrite` wrote, as that loses nothing.
    func overwrittenEarly() -> [SpecProblem] {
        let overwrites = steps.contains { if case .row(let row) = $0.work { row.exists == .overwrite } else { false } }
        guard overwrites else { return [] }
        var found: [SpecProblem] = [], writers: [AddressTemplate: Int] = [:], reads: [Int: Set<AddressTemplate>] = [:]
        for (index, step) in steps.enumerated() {
            guard case .row(let row) = step.work else { continue }
            let sources = Set(row.addresses.flatMap(\.templates))
            let targets = row.to.targets.flatMap(\.address.templates)
            // Once for each row that reads, of the first that overwrote.
            if let early = sources.compactMap({ writers[$0] }).min(), !targets.isEmpty {
                let first = steps[early], own = Set(targets)
                let isCycle = !(reads[early] ?? []).isDisjoint(with: own)
                found.append(
                    SpecProblem(
                        .removedEarly, at: first.place,
                        isCycle
                            ? "\(step.id) reads what this row overwrites, and writes what this row reads: in no order does "
                                + "each get the old value of the other"
                            : "\(step.id) reads what this row overwrites: it gets the new value, and the old one is gone",
                        fix: isCycle
                            ? "Make one row of both, with from: {a: …, b: …} and to: {a: …, b: …}, and an if without "
                                + "which it would change them back."
                            : "Put \(step.id) before it."))
            }
            guard row.exists == .overwrite else { continue }
            reads[index] = sources
            for target in targets where writers[target] == nil { writers[target] = index }
        }
        return found
    }
}
