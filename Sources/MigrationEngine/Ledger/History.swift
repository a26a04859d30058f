/// What a list of ledger entries amounts to: which steps stand, and what they make of the stores.
public struct History: Sendable {
    /// A step of a migration in one profile; steps of different profiles are different steps.
    private struct StepKey: Hashable, Sendable {
        let migration: String
        let profile: String
        let step: String

        init(_ entry: LedgerEntry) { (migration, profile, step) = (entry.migration, entry.profile, entry.step) }

        init(_ step: String, _ migration: String, _ profile: Profile) {
            (self.migration, self.profile, self.step) = (migration, profile.id, step)
        }
    }

    /// The entries, in order.
    public private(set) var entries: [LedgerEntry] = []
    /// The number of the entry that comes next.
    var nextNumber: Int { (entries.last?.number ?? 0) + 1 }
    /// The entries of steps that were applied and not rolled back, in order.
    public private(set) var standing: [LedgerEntry] = []
    /// The standing entries of each step, the last one last.
    private var standingOfStep: [StepKey: [LedgerEntry]] = [:]
    private var known: Set<StepKey> = []

    /// Reads a list of entries.
    public init(_ entries: [LedgerEntry] = []) {
        entries.forEach { append($0) }
    }

    /// The standing entries of other migrations than these, in order: nobody has given those.
    package func standing(besides migrations: some Sequence<String>) -> [LedgerEntry] {
        let given = Set(migrations)
        return standing.filter { !given.contains($0.migration) }
    }

    /// Adds an entry; one that rolls back the last standing step, as all do, takes constant time.
    public mutating func append(_ entry: LedgerEntry) {
        entries.append(entry)
        let key = StepKey(entry)
        known.insert(key)
        switch entry.event {
        case .applied:
            standing.append(entry)
            standingOfStep[key, default: []].append(entry)
        case .rolledBack(let number):
            guard let index = standing.lastIndex(where: { $0.number == number }) else { return }
            let key = StepKey(standing.remove(at: index))
            standingOfStep[key]?.removeAll { $0.number == number }
        }
    }

    /// Stores with every standing change laid over them.
    public func overlay(on stores: any StoreReader) -> Overlay { overlay(of: standing[...], on: stores) }

    /// Stores with what stood before the first standing step of a migration; with all that stands where none of it does.
    package func origin(of migration: String, on stores: any StoreReader) -> Overlay {
        overlay(of: standing.prefix { $0.migration != migration }, on: stores)
    }

    private func overlay(of entries: ArraySlice<LedgerEntry>, on stores: any StoreReader) -> Overlay {
        var overlay = Overlay(stores)
        for entry in entries { entry.changes.forEach { overlay.apply($0) } }
        return overlay
    }

    /// Whether a step stands, was rolled back, or was never applied, in a profile.
    public func status(of step: String, in migration: String, profile: Profile) -> PlannedStep.Status {
        if standingEntry(of: step, in: migration, profile: profile) != nil { return .applied }
        return known.contains(StepKey(step, migration, profile)) ? .rolledBack : .notApplied
    }

    /// The entry of a step that stands in a profile; the last one where it was applied more than once.
    public func standingEntry(of step: String, in migration: String, profile: Profile) -> LedgerEntry? {
        standingOfStep[StepKey(step, migration, profile)]?.last
    }

    /// The standing entries of a migration's steps in other profiles than one, the last of each step.
    func standingEntries(of migration: String, besides profile: Profile) -> [String: LedgerEntry] {
        Dictionary(
            standing.lazy.filter { $0.migration == migration && $0.profile != profile.id }.map { ($0.step, $0) },
            uniquingKeysWith: { $1 })
    }

    /// The first standing entry of a migration, in any profile.
    package func firstStanding(of migration: String) -> LedgerEntry? {
        standing.first { $0.migration == migration }
    }

    /// The last standing entry of a migration, in any profile.
    public func lastStanding(of migration: String) -> LedgerEntry? {
        standing.last { $0.migration == migration }
    }
}
