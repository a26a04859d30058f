import Foundation
import MigrationEngine
import Sealing
import Synchronization

/// Keys that belong together, as an app or a module of it declares them.
public protocol StorageKeyCatalog: Sendable {
    /// The name, for people.
    var name: String { get }
    /// The keys, in the order in which a sweep takes them.
    var allKeys: [AnyStorageKey] { get }
}

extension StorageKeyCatalog {
    /// The name of the type.
    public var name: String { "\(Self.self)" }
}

/// The registered catalogs with the configuration that their keys are read under.
struct StorageRegistry: Sendable {
    let configuration: StorageConfiguration
    /// The sealers that were made, so that a key is derived once.
    let sealers = SealerCache()
    private(set) var catalogs: [any StorageKeyCatalog] = []
    private(set) var keys: [AnyStorageKey] = []
    /// The keys that may be used: the registered ones and those they migrate from.
    private var usable: Set<StorageKeyIdentity> = []

    init(_ configuration: StorageConfiguration) { self.configuration = configuration }

    /// Adds a catalog as a whole, or nothing of it.
    mutating func register(_ catalog: any StorageKeyCatalog) throws(StorageError) {
        let added = catalog.allKeys
        var names = Set(keys.map(\.name)), allowed = usable
        for key in added {
            guard names.insert(key.name).inserted else { throw .duplicateKey(key.name) }
            guard key.description.contains(where: { !$0.isWhitespace }) else { throw .missingDescription(key.name) }
            allowed.insert(key.identity)
            try checkSecurity(of: key)
            guard let migration = key.migration else { continue }
            try checkMigration(migration.base, of: key)
            for source in migration.sources {
                try checkSecurity(of: source)
                allowed.insert(source.identity)
            }
        }
        keys += added
        usable = allowed
        catalogs.append(catalog)
    }

    /// Lets only keys through that may be used.
    func check(_ identity: StorageKeyIdentity) throws(StorageError) {
        guard usable.contains(identity) else { throw .unregisteredKey(identity.name) }
    }

    private func checkSecurity(of key: AnyStorageKey) throws(StorageError) {
        func refuse(_ reason: String) -> StorageError { .securityDoesNotFit(key: key.name, reason: reason) }
        switch (key.domain, key.security) {
        case (.keychain, .none): throw refuse("an item of the keychain has an accessibility")
        case (.encryptedFileSystem, .none), (.encryptedFileSystem, .keychain):
            throw refuse("a file of an encrypted file system is encrypted")
        case (.keychain, _), (_, .none), (_, .encrypted): break
        case (_, .keychain): throw refuse("only an item of the keychain has an accessibility")
        }
    }

    private func checkMigration(_ migration: any StorageMigration, of key: AnyStorageKey) throws(StorageError) {
        func destination<M: StorageMigration>(_ migration: M) -> StorageKeyIdentity {
            migration.destinationKey.identity
        }
        let written = destination(migration)
        guard written == key.identity else {
            throw .migrationFailed(key: key.name, reason: "it writes another key, \(written.name)")
        }
        let new = try? configuration.address(of: key.identity)
        for source in migration.sources where new != nil {
            // A default that is not given yet is told when the key is used.
            guard let new, let old = try? configuration.address(of: source.identity), old == new else { continue }
            throw .sourceIsDestination(key: key.name, new)
        }
        func checkType<M: StorageMigration>(_ migration: M) throws(StorageError) {
            guard let simple = migration as? SimpleLegacyMigration<M.Value> else { return }
            _ = try simple.sourceKey.typed(M.Value.self)
        }
        try checkType(migration)
    }
}

/// Sealers by what they are made of.
final class SealerCache: Sendable {
    private struct Parameters: Hashable {
        var material: Data
        var policy: EncryptionPolicy
        var salt: String
    }

    private let made = Mutex<[Parameters: Sealer]>([:])

    /// The sealer of some material for a policy, with a salt from a name.
    func sealer(_ policy: EncryptionPolicy, material: Data, salt: String) throws(SealError) -> Sealer {
        let parameters = Parameters(material: material, policy: policy, salt: salt)
        if let sealer = made.withLock({ $0[parameters] }) { return sealer }
        let sealer = try Sealer(
            material: material, cipher: policy.cipher, derivation: policy.derivation, salt: .named(salt))
        made.withLock { $0[parameters] = sealer }
        return sealer
    }
}
