/// What a migration did.
public struct MigrationResult: Hashable, Sendable {
    /// The kinds of result; ``StorageError/copiesDiffer(key:new:old:)`` is the one that is an error.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The value is at its new place, and no longer at the old one.
        case migrated
        /// Both places held the same value; the old copy is gone.
        case copiesEqual = "copies-equal"
        /// The value is at its new place, and there is no old one.
        case alreadyMigrated = "already-migrated"
        /// There is neither an old nor a new value.
        case nothingToMigrate = "nothing-to-migrate"
        /// The key has no migration.
        case noMigration = "no-migration"
        /// The migration does not apply now.
        case declined
        /// The migration itself does not say.
        case unspecified
    }

    /// Whether it did what it had to do.
    public var success: Bool
    /// What it did.
    public var kind: Kind
    /// What there is to say of it.
    public var message: String?

    /// Makes a result.
    public init(success: Bool, kind: Kind = .unspecified, message: String? = nil) {
        self.success = success
        self.kind = kind
        self.message = message
    }
}
