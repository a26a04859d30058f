/// What a list of ledger entries amounts to: which steps stand, and what they make of the stores.
public struct History: Sendable {
    /// The entries, in order.
    public let entries: [LedgerEntry]
    /// The entries of steps that were applied and not taken back, in order.
    public let standing: [LedgerEntry]

    /// Reads a list of entries.
    public init(_ entries: [LedgerEntry]) {
        self.entries = entries
        var standing: [LedgerEntry] = []
        for entry in entries {
            switch entry.event {
            case .applied: standing.append(entry)
            case .rolledBack(let number): standing.removeAll { $0.number == number }
            }
        }
        self.standing = standing
    }

    /// Stores with every standing change laid over them, but for those of one migration where it is named.
    public func overlay(on stores: any StoreReader, without migration: String? = nil) -> Overlay {
        var overlay = Overlay(stores)
        for entry in standing where entry.migration != migration {
            entry.changes.forEach { overlay.apply($0) }
        }
        return overlay
    }

    /// Whether a step stands, was taken back, or was never taken.
    public func status(of step: String, in migration: String) -> PlannedStep.Status {
        if standingEntry(of: step, in: migration) != nil { return .applied }
        return entries.contains { $0.step == step && $0.migration == migration } ? .rolledBack : .pending
    }

    /// The entry of a step that stands.
    public func standingEntry(of step: String, in migration: String) -> LedgerEntry? {
        standing.last { $0.step == step && $0.migration == migration }
    }
}
