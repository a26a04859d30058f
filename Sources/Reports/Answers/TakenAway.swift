import MigrationEngine
import StoreFormats

/// What the steps of a plan take away so that nothing takes it on: whole entries, and parts of them.
struct TakenAway {
    /// By each place that goes, the steps that take it away, and by each in which something goes those that take that.
    private var whole: [Address: Set<Int>] = [:], inPart: [Address: Set<Int>] = [:]
    private let steps: [PlannedStep]
    private let dump: any StoreReader

    /// - Parameter dump: The stores as the dump has them.
    init(_ plan: Plan, in dump: any StoreReader) {
        (steps, self.dump) = (plan.steps, dump)
        for (index, step) in plan.steps.enumerated() {
            for change in step.changes {
                // Of what a new value is made from the rest stays where it is, unless that is its own entry.
                let parts = change.after == nil ? change.dropped : change.dropped.filter { $0.entry == change.address }
                for place in parts + (change.action == .remove && change.effect == .dropped ? [change.address] : []) {
                    whole[place, default: []].insert(index)
                    for around in place.around { inPart[around, default: []].insert(index) }
                }
            }
        }
    }

    /// The steps that take away what a step fails on, each with whether that is all of it, and whether any of that stays.
    func removers(of failing: PlannedStep) -> (steps: [(step: PlannedStep, takesAll: Bool)], leavesAny: Bool) {
        let places = failing.failing.filter { dump.state(at: $0) != .absent }
        var counts: [Int: (whole: Int, inPart: Int)] = [:], kept = 0
        for place in places {
            let all = ([place] + place.around).reduce(into: Set<Int>()) { $0.formUnion(whole[$1] ?? []) }
            if all.isEmpty { kept += 1 }
            for index in all { counts[index, default: (0, 0)].whole += 1 }
            for index in (inPart[place] ?? []).subtracting(all) { counts[index, default: (0, 0)].inPart += 1 }
        }
        let removers = counts.sorted { $0.key < $1.key }.map { index, count in
            (step: steps[index], takesAll: count.whole == places.count)
        }
        return (removers, kept > 0 || removers.isEmpty)
    }
}

extension PlannedStep {
    /// Where that is which it fails on: of several sources those that do, of a star each; else all that it reads.
    fileprivate var failing: [Address] {
        let failed = Set(left.lazy.filter { $0.kind == .failed }.map(\.place))
        return failed.isEmpty ? step.places : Array(failed)
    }
}
