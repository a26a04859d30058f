/// A key of whatever type of value.
public struct AnyStorageKey: Sendable {
    /// The name.
    public let name: String
    /// Where the value is kept.
    public let domain: StorageDomain
    /// How its bytes are protected.
    public let security: StorageSecurity
    /// The name of its serializer.
    public let serializer: String
    /// Who keeps it.
    public let owner: String
    /// What it is, for people.
    public let description: String
    /// The name of its type of value.
    public let valueType: String
    /// Where the value was before, if anywhere.
    public let migration: AnyStorageMigration?
    private let base: any Sendable
    private let readValue: @Sendable (inout StorageTransaction) throws(StorageError) -> (any Sendable)?

    /// Takes the type from a key.
    public init<Value>(_ key: StorageKey<Value>) {
        name = key.name
        domain = key.domain
        security = key.security
        serializer = key.serializer.name
        owner = key.owner
        description = key.description
        valueType = "\(Value.self)"
        migration = key.migration
        base = key
        readValue = { transaction throws(StorageError) in try transaction.stored(key) }
    }

    /// Takes the type from a key.
    public static func key<Value>(_ key: StorageKey<Value>) -> AnyStorageKey { AnyStorageKey(key) }

    var identity: StorageKeyIdentity { StorageKeyIdentity(name: name, domain: domain) }

    /// The key with its type.
    ///
    /// - Throws: ``StorageError/typesDiffer(key:is:wanted:)``.
    func typed<Value>(_ type: Value.Type) throws(StorageError) -> StorageKey<Value> {
        guard let key = base as? StorageKey<Value> else {
            throw .typesDiffer(key: name, is: valueType, wanted: "\(type)")
        }
        return key
    }

    /// What is stored, or `nil` where nothing is.
    func stored(in transaction: inout StorageTransaction) throws(StorageError) -> (any Sendable)? {
        try readValue(&transaction)
    }
}
