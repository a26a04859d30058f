/// The description of a stored value: where it is, in which form, how protected, whose, and where it was before.
public struct StorageKey<Value: Codable & Sendable>: Sendable {
    /// The name, unique among all registered keys.
    public let name: String
    /// Where the value is kept.
    public let domain: StorageDomain
    /// How its bytes are protected.
    public let security: StorageSecurity
    /// How it becomes bytes.
    public let serializer: StorageSerializer<Value>
    /// Who keeps it.
    public let owner: String
    /// What it is, for people; never empty on a registered key.
    public let description: String
    private let makeMigration: (@Sendable (StorageKey<Value>) -> AnyStorageMigration?)?

    /// Makes a key.
    ///
    /// - Parameter migration: Where the value was before.
    public init(
        name: String, domain: StorageDomain, security: StorageSecurity,
        serializer: StorageSerializer<Value> = .json, owner: String, description: String,
        migration: (@Sendable (StorageKey<Value>) -> AnyStorageMigration?)? = nil
    ) {
        self.name = name
        self.domain = domain
        self.security = security
        self.serializer = serializer
        self.owner = owner
        self.description = description
        makeMigration = migration
    }

    /// Makes a key with the security that is usual in its domain (``StorageSecurity/standard(for:)``).
    ///
    /// It is an initializer of its own because `.none` would otherwise be the `nil` of an optional security.
    public init(
        name: String, domain: StorageDomain, serializer: StorageSerializer<Value> = .json, owner: String,
        description: String, migration: (@Sendable (StorageKey<Value>) -> AnyStorageMigration?)? = nil
    ) {
        self.init(
            name: name, domain: domain, security: .standard(for: domain), serializer: serializer, owner: owner,
            description: description, migration: migration)
    }

    /// Where the value was before, if anywhere.
    public var migration: AnyStorageMigration? { makeMigration?(self) }

    var identity: StorageKeyIdentity { StorageKeyIdentity(name: name, domain: domain) }
}

/// What makes two keys the same: the same name in another service is another item.
struct StorageKeyIdentity: Hashable, Sendable {
    let name: String
    let domain: StorageDomain
}
