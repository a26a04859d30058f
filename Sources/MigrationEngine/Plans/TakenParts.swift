import StoreFormats

/// What steps take on of what others drop: that is not lost.
///
/// What a step says it drops is that of its own value. Of it counts what has arrived elsewhere by a step before it that is done, and
/// what a step behind it still finds and puts elsewhere. That a step would read it says nothing: it may be skipped, fail, or keep
/// what its target holds.
struct TakenParts {
    /// What each step takes on, in their order.
    private var steps: [(index: Int, isDone: Bool, changes: [Change], settled: [Address])] = []
    /// The first step that takes on an entry or a part that is asked for, of those that are done, and the last of all.
    private var found: (first: [Address: Int], last: [Address: Int])?
    private var asked: Set<Address> = []

    /// Notes what a step does.
    ///
    /// - Parameter isDone: Whether the steps behind it run on that.
    mutating func note(_ result: StepPreview, of index: Int, isDone: Bool) {
        guard !result.changes.isEmpty || !result.settled.isEmpty else { return }
        steps.append((index, isDone, result.changes, result.settled))
        if isDone { asked.formUnion(result.changes.lazy.flatMap(\.dropped)) }
    }

    /// Leaves in a step's changes of what they drop only that which no other step takes on.
    ///
    /// - Parameter standing: The changes of the steps that stand.
    mutating func leave(in changes: inout [Change], of index: Int, _ standing: some Sequence<Change>) {
        guard !asked.isEmpty else { return }
        let found = found ?? takers(standing)
        self.found = found
        for number in changes.indices where !changes[number].dropped.isEmpty {
            let change = changes[number]
            changes[number].dropped.removeAll { lost in
                // A source of several that is left out counts as it is told, whoever else reads it.
                guard !lost.pointer.isRoot || lost == change.address else { return false }
                if let first = found.first[lost], first < index { return true }
                // Of what was changed where it stands the steps behind find no more than that.
                guard lost.entry != change.address, let last = found.last[lost] else { return false }
                return last > index
            }
        }
    }

    private func takers(_ standing: some Sequence<Change>) -> (first: [Address: Int], last: [Address: Int]) {
        var first: [Address: Int] = [:], last: [Address: Int] = [:]
        for change in standing {
            for source in change.from where asked.contains(source) && change.takesOn(source) { first[source] = -1 }
        }
        for step in steps {
            let taken = step.changes.lazy.flatMap { change in
                change.from.filter { asked.contains($0) && change.takesOn($0) }
            }
            for source in Array(taken) + step.settled where asked.contains(source) {
                if step.isDone, first[source] == nil { first[source] = step.index }
                last[source] = step.index
            }
        }
        return (first, last)
    }
}
