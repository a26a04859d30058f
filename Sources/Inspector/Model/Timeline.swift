import MigrationEngine
import Workspace

/// A point of an app's timeline: what stands in its stores there.
enum Moment: Hashable, Sendable {
    /// After the entry of the ledger with this number; 0 is the dump with nothing applied.
    case after(entry: Int)
    /// As it is.
    case now
    /// Once what has something to do is applied, up to this step.
    case once(step: String)
}

/// The points that the stores have been at, by the ledger, and will be at, by the plan, in their order.
struct Timeline: Sendable {
    /// What brought the stores to a point.
    enum Cause: Sendable {
        /// Nothing: it is the dump as it was found.
        case found
        /// An entry of the ledger, and whether it stands.
        case entry(LedgerEntry, isStanding: Bool)
        /// A step that has something to do, or is kept from it: it leaves the stores as the one before did.
        case step(PlannedStep)

        /// The number of the ledger's last entry by then; 0 where there is none, `nil` of what is still to come.
        var entry: Int? {
            switch self {
            case .found: 0
            case .entry(let entry, _): entry.number
            case .step: nil
            }
        }
    }

    struct Point: Sendable {
        let moment: Moment
        let cause: Cause
    }

    private(set) var points = [Point(moment: .now, cause: .found)]
    /// The position of the point that is now.
    private(set) var present = 0

    init() {}

    init(_ history: History, _ plan: Plan?) {
        let standing = Set(history.standing.map(\.number))
        let causes = [.found] + history.entries.map { Cause.entry($0, isStanding: standing.contains($0.number)) }
        present = causes.count - 1
        points = causes.enumerated().map { position, cause in
            Point(moment: position == present ? .now : .after(entry: cause.entry ?? 0), cause: cause)
        }
        let ahead: [Outcome.Kind] = [.migrates, .blocked, .conflict, .failed]
        points += (plan?.steps ?? []).filter { ahead.contains($0.outcome.kind) }.map { planned in
            Point(moment: .once(step: planned.id), cause: .step(planned))
        }
    }

    func position(of moment: Moment) -> Int? {
        moment == .now || moment == last ? present : points.firstIndex { $0.moment == moment }
    }

    /// What is now by the number of its entry, so that it stays the same point once more is applied.
    private var last: Moment { .after(entry: points[present].cause.entry ?? 0) }

    /// A point as a mark on it is kept.
    func lasting(_ moment: Moment) -> Moment { moment == .now ? last : moment }

    /// What the points are called, the last first.
    var names: [String] { ["now", "dump", "end"] + points.reversed().filter { $0.moment != .now }.map(\.name) }

    /// What a person calls a point: `dump`, `now`, `end`, `#3`, or a step, the planned one before the one in the ledger.
    func moment(named name: String) -> Moment? {
        switch name {
        case "dump": return points.first?.moment
        case "now": return .now
        case "end": return points.last?.moment
        default: break
        }
        if let number = Int(name.hasPrefix("#") ? String(name.dropFirst()) : name) {
            return number > 0 ? points.first { $0.cause.entry == number }?.moment : nil
        }
        return points.last { $0.step == name }?.moment
    }
}

extension Timeline.Point {
    /// The name of the step that brought the stores here.
    var step: String? {
        switch cause {
        case .found: nil
        case .entry(let entry, _): entry.step
        case .step(let planned): planned.id
        }
    }

    /// What a person may call it.
    var name: String {
        switch (moment, cause) {
        case (.now, _): "now"
        case (_, .found): "dump"
        case (_, .entry(let entry, _)): "#\(entry.number)"
        case (_, .step(let planned)): planned.id
        }
    }
}

/// An app's stores at a point, and how they come to be so.
struct Situation {
    let history: History
    /// What became of the steps that were applied only to see.
    let steps: [AppliedStep]
}

extension ContainerSnapshot {
    /// What the stores hold at a point of the timeline: the ledger as far as it is told, with what applying would add to it.
    func situation(
        at moment: Moment, _ migration: (migration: any Migration, profile: Profile)?,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(WorkspaceError) -> Situation {
        switch moment {
        case .now: return Situation(history: history, steps: [])
        case .after(let number):
            return Situation(history: History(history.entries.filter { $0.number <= number }), steps: [])
        case .once(let last):
            guard let (migration, profile) = migration else { return Situation(history: history, steps: []) }
            let steps = try applying(migration, profile, facts, isCancelled)
            let end = steps.firstIndex { $0.step.id == last } ?? steps.count - 1
            return Situation(history: with(steps.prefix(end + 1)), steps: Array(steps.prefix(end + 1)))
        }
    }

    /// What the stores would hold once all that has something to do is applied.
    func outcome(
        of migration: any Migration, _ profile: Profile, facts: Facts, isCancelled: @escaping @Sendable () -> Bool
    ) throws(WorkspaceError) -> Situation {
        let steps = try applying(migration, profile, facts, isCancelled)
        return Situation(history: with(steps[...]), steps: steps)
    }

    /// The history with what was applied only to see; no ledger has these entries, and their numbers say so.
    private func with(_ steps: ArraySlice<AppliedStep>) -> History {
        let entries = steps.compactMap(\.entry).enumerated().map { position, entry in
            var entry = entry
            entry.number = -1 - position
            return entry
        }
        return History(history.entries + entries)
    }

    /// Applies every step to a ledger in memory, as it would be to the ledger.
    private func applying(
        _ migration: any Migration, _ profile: Profile, _ facts: Facts, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws(WorkspaceError) -> [AppliedStep] {
        let stamp = LedgerEntry.Stamp(date: history.entries.last?.date ?? .distantPast, author: "", toolVersion: "")
        do {
            var session = try MigrationSession(
                stores: StoppableStores(stores, isCancelled), ledger: MemoryLedger(history.entries))
            return try session.apply(
                .all, of: migration, profile: profile, facts: facts, stamp: stamp, isCancelled: isCancelled)
        } catch {
            // A ledger in memory fails at nothing: it was stopped.
            throw .cancelled
        }
    }

    /// The facts at a point: after an entry of the ledger those that it holds, with what the dump says of itself; else those
    /// of now.
    private func facts(at moment: Moment) -> Facts {
        guard case .after(let number) = moment, let entry = history.entries.last(where: { $0.number == number }) else {
            return facts
        }
        var known = Facts()
        for name in facts.names {
            if case .metadata? = facts[name]?.source { known[name] = facts[name] }
        }
        for name in entry.facts.names {
            guard let fact = entry.facts[name] else { continue }
            if case .metadata = fact.source { continue }
            known[name] = fact.recorded(in: number)
        }
        return known.completed(by: Facts.assumed(from: known))
    }

    /// The snapshot of another point: nothing can be applied there.
    func at(_ situation: Situation, _ moment: Moment) -> ContainerSnapshot {
        var snapshot = self
        snapshot.facts = facts(at: moment)
        snapshot.history = situation.history
        snapshot.readOnlyReason = Model.notNow
        return snapshot
    }
}
