/// Moves a value from one key to another as it is.
public struct SimpleLegacyMigration<Value: Codable & Sendable>: ValueMigration {
    /// The key to move to.
    public let destinationKey: StorageKey<Value>
    /// The key to move from.
    public let sourceKey: AnyStorageKey

    /// Makes a migration; the keys must be of the same type, which is checked at registration.
    public init(destinationKey: StorageKey<Value>, sourceKey: AnyStorageKey) {
        self.destinationKey = destinationKey
        self.sourceKey = sourceKey
    }

    /// The one key.
    public var sources: [AnyStorageKey] { [sourceKey] }
    /// That it moves the value.
    public var rule: String { "\(sourceKey.name) → \(destinationKey.name), the same value" }

    /// The value of the source.
    public func value(in transaction: inout StorageTransaction) throws(StorageError) -> Value? {
        try transaction.stored(sourceKey.typed(Value.self))
    }
}
