/// Makes a value of one of another type.
public struct DefaultTransformingMigration<Source: Codable & Sendable, Value: Codable & Sendable>: ValueMigration {
    /// The key to write.
    public let destinationKey: StorageKey<Value>
    /// The key to read.
    public let sourceKey: StorageKey<Source>
    private let transform: @Sendable (Source) throws -> Value

    /// Makes a migration; what the closure throws is why the old value makes no new one.
    public init(
        destinationKey: StorageKey<Value>, sourceKey: StorageKey<Source>,
        transform: @escaping @Sendable (Source) throws -> Value
    ) {
        self.destinationKey = destinationKey
        self.sourceKey = sourceKey
        self.transform = transform
    }

    /// The one key.
    public var sources: [AnyStorageKey] { [.key(sourceKey)] }
    /// From which type to which.
    public var rule: String { "\(sourceKey.name) → \(destinationKey.name), \(Source.self) → \(Value.self)" }

    /// The value made of that of the source.
    public func value(in transaction: inout StorageTransaction) throws(StorageError) -> Value? {
        guard let old = try transaction.stored(sourceKey) else { return nil }
        return try StorageError.transforming { try transform(old) }
    }
}

extension StorageError {
    /// Runs a closure of a migration's author.
    static func transforming<Value>(_ body: () throws -> Value) throws(StorageError) -> Value {
        do {
            return try body()
        } catch let error as StorageError {
            throw error
        } catch {
            throw .transformationFailed("\(error)")
        }
    }
}
