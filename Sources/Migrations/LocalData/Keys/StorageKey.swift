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

/// Where the value of a key is kept.
public enum StorageDomain: Hashable, Sendable {
    /// A UserDefaults domain: a suite, or the app's own.
    case userDefaults(suite: String?)
    /// The UserDefaults domain of an app group, or of the configuration's.
    case appGroupUserDefaults(group: String? = nil)
    /// The items of a keychain service, or of the configuration's, with the name as the account.
    case keychain(service: String?)
    /// A file in a directory.
    case fileSystem(directory: FileDirectory)
    /// A sealed file in a directory.
    case encryptedFileSystem(directory: FileDirectory)
    /// A file in a directory of an app group, or of the configuration's.
    case appGroupFileSystem(group: String? = nil, directory: FileDirectory)
}

/// A directory of a container.
public enum FileDirectory: Hashable, Sendable {
    /// `Documents`.
    case documents
    /// `Library/Caches`.
    case caches
    /// `Library/Application Support`.
    case applicationSupport

    /// The name of the store.
    var store: String {
        switch self {
        case .documents: "Documents"
        case .caches: "Caches"
        case .applicationSupport: "AppSupport"
        }
    }
}
