import MigrationEngine

/// What is known of a container at one moment, as the inspector needs it; it never changes.
public struct ContainerSnapshot: Sendable {
    /// The app.
    public var title: String
    /// What else to say of it in the header: its version, the kind of dump.
    public var details: [String]
    /// The stores as the dump has them.
    public var stores: any StoreReader
    /// What has been applied and rolled back.
    public var history: History
    /// The facts that were given and those of the dump's metadata.
    public var facts: Facts
    /// Why nothing can be applied here, or `nil`.
    public var readOnlyReason: String?
    /// The files of the dump that have changed since steps were applied, each in a sentence.
    public var drift: [String]
    /// What is missing from the dump or cannot be read, in sentences.
    public var warnings: [String]

    /// Makes a snapshot.
    public init(
        title: String, details: [String], stores: any StoreReader, history: History, facts: Facts,
        readOnlyReason: String? = nil, drift: [String] = [], warnings: [String] = []
    ) {
        self.title = title
        self.details = details
        self.stores = stores
        self.history = history
        self.facts = facts
        self.readOnlyReason = readOnlyReason
        self.drift = drift
        self.warnings = warnings
    }
}
