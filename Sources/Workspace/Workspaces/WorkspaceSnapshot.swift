import DeviceDump
import MigrationEngine

/// Steps that stand in another container of the same ledger.
public struct StandingElsewhere: Hashable, Sendable {
    /// The container: its identifier, or where it is no part of the dump, the name that the ledger has for it.
    public var container: String
    /// How many steps stand.
    public var steps: Int
}

/// A workspace at one moment; it never changes, and costs nothing to keep or hand on.
public struct WorkspaceSnapshot: Sendable {
    /// The dump.
    public let dump: Dump
    /// The container that was chosen: its stores as they are in the dump.
    public let container: Container
    /// What has been applied and rolled back.
    public let history: History
    /// What is seen: the container's stores with every standing change.
    public let overlay: Overlay
    /// The facts, each from the best source: given, the ledger, the dump's metadata, or assumed.
    ///
    /// A plan adds those that its migration finds in the stores.
    public let facts: Facts
    /// Whether steps can be applied and rolled back.
    public let access: LedgerFile.Access
    /// The files that have changed since standing steps read them, of this container.
    public let drift: [Drift]
    /// Whether anybody has looked for drift since the dump was opened; where nobody has, there is none in ``drift``.
    public let driftIsKnown: Bool
    /// Where the ledger is, or will be once there is an entry.
    public let ledgerPath: String

    /// The container's stores as they are in the dump.
    public var stores: any StoreReader { container }

    /// What each step of a migration does now.
    public func plan(_ migration: any Migration, profile: Profile) -> Plan {
        Plan(of: migration, profile: profile, facts: facts, stores: container, history: history, check: {})
    }
}
