import Foundation
import MigrationEngine
import Migrations
import Sealing
import StoreFormats

/// What the tests of LocalData share.
enum LocalDataFixture {
    static let old = Address.defaults("com.myapp", "old_key_name")
    static let new = Address(store: .keychain("com.myapp"), key: "modern_token")
    static let token = Data(#""tok""#.utf8)
    static let configuration = StorageConfiguration(
        suite: "com.myapp", service: "com.myapp", group: "group.com.myapp", subdirectory: "LocalData",
        keyMaterial: ["main": Data(repeating: 9, count: 32)])

    /// The guide's catalog as a migration, run by the code of the router.
    static let migration = CatalogMigration(
        id: "localdata-guide", title: "LocalData's guide", summary: "Moves its four keys.", catalog: LocalDataDemo(),
        configuration: LocalDataDemo.configuration)

    static func stores(_ entries: [(Address, Value)]) -> MemoryStores {
        var stores = MemoryStores()
        stores.commit(entries.map { Change(address: $0.0, before: .absent, after: $0.1, rule: "") })
        return stores
    }

    static func router(
        _ entries: [(Address, Value)] = [], _ keys: AnyStorageKey..., context: MigrationContext = MigrationContext()
    ) async throws -> StorageRouter {
        let router = StorageRouter(stores: stores(entries), configuration: configuration, context: context)
        try await router.registerCatalog(Catalog(allKeys: keys))
        return router
    }

    static func key<Value>(
        _ name: String, _ domain: StorageDomain = .userDefaults(suite: nil), security: StorageSecurity? = nil,
        serializer: StorageSerializer<Value> = .json, description: String = "A value of a test.",
        migration: (@Sendable (StorageKey<Value>) -> AnyStorageMigration?)? = nil
    ) -> StorageKey<Value> {
        StorageKey(
            name: name, domain: domain, security: security ?? .standard(for: domain), serializer: serializer,
            owner: "tests",
            description: description, migration: migration)
    }

    struct Catalog: StorageKeyCatalog {
        var allKeys: [AnyStorageKey]
    }
}

extension StorageRouter {
    /// What the stores hold at an address.
    func state(at address: Address) -> EntryState {
        (try? perform { transaction throws(StorageError) in transaction.entries.seen.state(at: address) }) ?? .absent
    }
}
