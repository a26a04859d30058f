import Foundation
import MigrationEngine
import Sealing
import StoreFormats

/// What a router does, on a transaction of stores: nothing is written until somebody commits it.
///
/// This is the whole of the router. On live stores each call of ``StorageRouter`` runs it and commits its changes as one;
/// on a dump a step of ``CatalogMigration`` runs it and the changes are the plan.
public struct StorageTransaction: Sendable {
    /// The transaction of stores, with the changes so far.
    public internal(set) var entries: StoreTransaction
    /// What a migration may know of the device.
    public let context: MigrationContext
    let registry: StorageRegistry
    /// The keys whose migration is running: reading one of them does not start it again.
    let migrating: Set<StorageKeyIdentity>

    init(
        _ entries: StoreTransaction, registry: StorageRegistry, context: MigrationContext,
        migrating: Set<StorageKeyIdentity> = []
    ) {
        self.entries = entries
        self.registry = registry
        self.context = context
        self.migrating = migrating
    }

    /// The value of a key, migrated first where it is not there yet.
    ///
    /// - Throws: ``StorageError``; ``StorageError/notFound(key:advice:)`` where it is nowhere.
    public mutating func get<Value>(_ key: StorageKey<Value>) throws(StorageError) -> Value {
        try registry.check(key.identity)
        if let value = try stored(key) { return value }
        let result = try migrate(AnyStorageKey(key))
        guard let value = try stored(key) else { throw .notFound(key: key.name, advice: result.message) }
        return value
    }

    /// Gives a key a value, in place of what it has.
    public mutating func set<Value>(_ value: Value, for key: StorageKey<Value>) throws(StorageError) {
        try registry.check(key.identity)
        try write(value, to: key, rule: "\(key.name) is set")
    }

    /// Whether a key has a value at its own place; nothing is migrated, and the value need not open.
    ///
    /// - Throws: ``StorageError/unreadable(_:_:)``: locked is not absent.
    public mutating func exists<Value>(_ key: StorageKey<Value>) throws(StorageError) -> Bool {
        try registry.check(key.identity)
        let address = try registry.configuration.address(of: key.identity)
        switch entries.read(address) {
        case .absent: return false
        case .present: return true
        case .unreadable(let reason): throw .unreadable(address, reason)
        }
    }

    /// Takes the value of a key away from its own place; nothing happens where there is none.
    ///
    /// A copy at an old place stays, and the next ``get(_:)`` brings it back: migrate first.
    public mutating func remove<Value>(_ key: StorageKey<Value>) throws(StorageError) {
        try registry.check(key.identity)
        entries.remove(try registry.configuration.address(of: key.identity), rule: "\(key.name) is removed")
    }

    /// Migrates a key whether or not it has a value: an old copy that is equal is taken away.
    ///
    /// - Throws: ``StorageError``; ``StorageError/copiesDiffer(key:new:old:)`` where both places hold different values.
    public mutating func forceMigration<Value>(for key: StorageKey<Value>) throws(StorageError) -> MigrationResult {
        try forceMigration(for: AnyStorageKey(key))
    }

    mutating func forceMigration(for key: AnyStorageKey) throws(StorageError) -> MigrationResult {
        try registry.check(key.identity)
        return try migrate(key)
    }
}

extension StorageTransaction {
    /// What is stored at a key's own place, or `nil` where nothing is.
    mutating func stored<Value>(_ key: StorageKey<Value>) throws(StorageError) -> Value? {
        let address = try registry.configuration.address(of: key.identity)
        let value: StoreFormats.Value
        switch entries.read(address) {
        case .absent: return nil
        case .unreadable(let reason): throw .unreadable(address, reason)
        case .present(let present): value = present
        }
        let isItem = address.store.kind == .keychain
        guard var bytes = isItem ? KeychainItem(value)?.data : value.data else {
            throw .nativeValue(address, is: value.typePhrase)
        }
        if case .encrypted(let policy) = key.security {
            let sealer = try sealer(policy, for: address)
            do {
                bytes = try sealer.open(bytes, context: address.description)
            } catch {
                throw .sealed(address, error)
            }
        }
        do {
            return try key.serializer.decode(bytes)
        } catch {
            throw .cannotDecode(address, reason: MigrationFailure(error).description)
        }
    }

    /// Serializes a value, secures it and puts it at the key's own place.
    mutating func write<Value>(
        _ value: Value, to key: StorageKey<Value>, from: [Address] = [], rule: String, notes: [String] = [],
        policy: StoreTransaction.WritePolicy = .replaceExisting
    ) throws(StorageError) {
        let address = try registry.configuration.address(of: key.identity)
        var bytes = try serialized(value, by: key)
        if case .encrypted(let policy) = key.security {
            let sealer = try sealer(policy, for: address)
            do {
                bytes = try sealer.seal(bytes, context: address.description)
            } catch {
                throw .sealed(address, error)
            }
        }
        let before = entries.read(address)
        if case .unreadable(let reason) = before { throw .unreadable(address, reason) }
        var content = StoreFormats.Value.data(bytes)
        if address.store.kind == .keychain {
            var item = before.value.flatMap(KeychainItem.init) ?? KeychainItem(data: bytes)
            item.data = bytes
            if case .keychain(let accessibility, let control) = key.security {
                item.attributes["pdmn"] = .string(accessibility.rawValue)
                // What stands there and is the same stays: a device keeps a blob that is not ours to write.
                if let control { item.attributes["accc"] = .string(control.rawValue) }
            }
            content = item.value
        }
        do {
            try entries.write(content, to: address, from: from, rule: rule, notes: notes, policy: policy)
        } catch {
            throw .storeFailed(error.outcome.reason?.sentence ?? error.outcome.kind.rawValue)
        }
    }

    func serialized<Value>(_ value: Value, by key: StorageKey<Value>) throws(StorageError) -> Data {
        do {
            return try key.serializer.encode(value)
        } catch {
            throw .cannotEncode(key: key.name, reason: "\(key.serializer.name): \(StorageError.words(of: error))")
        }
    }

    private mutating func sealer(_ policy: EncryptionPolicy, for address: Address) throws(StorageError) -> Sealer {
        let material: Data
        switch policy.material {
        case .given(let name):
            guard let given = registry.configuration.keyMaterial[name] else {
                throw .keyMaterialMissing("none is given under the name \(name)")
            }
            material = given
        case .keychain(let service, let account):
            let identity = StorageKeyIdentity(name: account, domain: .keychain(service: service))
            let place = try registry.configuration.address(of: identity)
            switch entries.read(place) {
            case .absent: throw .keyMaterialMissing("nothing is stored at \(place)")
            case .unreadable(let reason): throw .unreadable(place, reason)
            case .present(let value):
                guard let item = KeychainItem(value) else { throw .nativeValue(place, is: value.typePhrase) }
                material = item.data
            }
        }
        do {
            return try registry.sealers.sealer(policy, material: material, salt: address.description)
        } catch {
            throw .sealed(address, error)
        }
    }
}
