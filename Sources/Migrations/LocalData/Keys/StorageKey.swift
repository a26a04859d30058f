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
    /// - Parameters:
    ///   - security: Where `nil`: in the keychain an item readable while the device is unlocked, in an encrypted file
    ///     system AES-256-GCM with HKDF, elsewhere none.
    ///   - migration: Where the value was before.
    public init(
        name: String, domain: StorageDomain, security: StorageSecurity? = nil,
        serializer: StorageSerializer<Value> = .json, owner: String, description: String,
        migration: (@Sendable (StorageKey<Value>) -> AnyStorageMigration?)? = nil
    ) {
        self.name = name
        self.domain = domain
        self.security = security ?? .standard(for: domain)
        self.serializer = serializer
        self.owner = owner
        self.description = description
        makeMigration = migration
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
