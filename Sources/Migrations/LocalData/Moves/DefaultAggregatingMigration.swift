/// Makes one value of several.
public struct DefaultAggregatingMigration<Value: Codable & Sendable>: ValueMigration {
    /// The key to write.
    public let destinationKey: StorageKey<Value>
    /// The keys to read.
    public let sources: [AnyStorageKey]
    private let aggregate: @Sendable (AggregatedSources) throws -> Value

    /// Makes a migration; what the closure throws is why the old values make no new one.
    public init(
        destinationKey: StorageKey<Value>, sourceKeys: [AnyStorageKey],
        aggregate: @escaping @Sendable (AggregatedSources) throws -> Value
    ) {
        self.destinationKey = destinationKey
        sources = sourceKeys
        self.aggregate = aggregate
    }

    /// Which keys become which.
    public var rule: String { "\(sources.map(\.name).joined(separator: " + ")) → \(destinationKey.name)" }

    /// The value made of those of the sources that are there, where any is.
    public func value(in transaction: inout StorageTransaction) throws(StorageError) -> Value? {
        var found = AggregatedSources()
        for source in sources {
            if let value = try source.stored(in: &transaction) { found.values[source.identity] = value }
        }
        guard !found.values.isEmpty else { return nil }
        return try StorageError.transforming { try aggregate(found) }
    }
}

/// The values of several keys, as far as they are there.
public struct AggregatedSources: Sendable {
    var values: [StorageKeyIdentity: any Sendable] = [:]

    /// The value of a key, or `nil` where it is not there.
    ///
    /// - Throws: ``StorageError/typesDiffer(key:is:wanted:)``: a value of another type is never dropped.
    public func value<Value>(of key: StorageKey<Value>) throws(StorageError) -> Value? {
        guard let value = values[key.identity] else { return nil }
        guard let typed = value as? Value else {
            throw .typesDiffer(key: key.name, is: "\(type(of: value))", wanted: "\(Value.self)")
        }
        return typed
    }

    /// The value of a key that the result cannot be made without.
    ///
    /// - Throws: ``StorageError/sourceMissing(_:)``, ``StorageError/typesDiffer(key:is:wanted:)``.
    public func require<Value>(_ key: StorageKey<Value>) throws(StorageError) -> Value {
        guard let value = try value(of: key) else { throw .sourceMissing(key.name) }
        return value
    }
}
