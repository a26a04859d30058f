import Foundation
import MigrationEngine
import Sealing

/// The catalog of the guide's demonstration: its token, the age and the full name of its reference, and a sealed file.
///
/// On a dump its first three keys are moved by the spec `localdata-demo`, which needs no Swift; what a spec never does, sealing,
/// is ``sealed``.
public struct LocalDataDemo: StorageKeyCatalog {
    /// Makes the catalog.
    public init() {}

    /// The keys.
    public var allKeys: [AnyStorageKey] {
        [.key(StorageKey.modernToken), .key(StorageKey.age), .key(StorageKey.fullName), .key(StorageKey.account)]
    }

    /// The key that becomes a sealed file, as a migration.
    public static let sealed = CatalogMigration(
        id: "localdata-sealed", title: "LocalData demonstration, the sealed file",
        summary: "Moves the account of LocalData’s guide from a plain file to one sealed by a key in the keychain.",
        catalog: Sealed(), configuration: configuration)

    /// The keys that become sealed files.
    private struct Sealed: StorageKeyCatalog {
        let allKeys: [AnyStorageKey] = [.key(StorageKey.account)]
    }

    /// The guide's configuration where facts say nothing else.
    @Sendable
    public static func configuration(_ facts: Facts) -> StorageConfiguration {
        var configuration = StorageConfiguration(facts: facts)
        configuration.service = configuration.service ?? "com.myapp"
        configuration.subdirectory = configuration.subdirectory ?? "LocalData"
        return configuration
    }
}

extension StorageKey where Value == String {
    /// The guide's token at its old place.
    public static let legacyToken = StorageKey(
        name: "old_key_name", domain: .userDefaults(suite: nil), security: .none, serializer: .json,
        owner: "MigrationDemo", description: "Legacy token stored in UserDefaults.")

    /// The guide's token at its new place.
    public static let modernToken = StorageKey(
        name: "modern_token", domain: .keychain(service: "com.myapp"), owner: "MigrationDemo",
        description: "Modern token stored in Keychain.",
        migration: { key in
            AnyStorageMigration(SimpleLegacyMigration(destinationKey: key, sourceKey: .key(StorageKey.legacyToken)))
        })

    static var legacyAge: StorageKey { legacy("legacy_age", "Age as text.") }
    static var firstName: StorageKey { legacy("first_name", "First name.") }
    static var lastName: StorageKey { legacy("last_name", "Last name.") }

    private static func legacy(_ name: String, _ description: String) -> StorageKey {
        StorageKey(
            name: name, domain: .userDefaults(suite: nil), owner: "MigrationDemo", description: description)
    }

    static var fullName: StorageKey {
        StorageKey(
            name: "full_name", domain: .userDefaults(suite: nil), owner: "MigrationDemo",
            description: "First and last name, joined by a space.",
            migration: { key in
                AnyStorageMigration(
                    DefaultAggregatingMigration(
                        destinationKey: key, sourceKeys: [.key(StorageKey.firstName), .key(StorageKey.lastName)]
                    ) { sources in
                        try "\(sources.require(.firstName)) \(sources.require(.lastName))"
                    })
            })
    }
}

extension StorageKey where Value == Int {
    static var age: StorageKey {
        StorageKey(
            name: "age_in_years", domain: .userDefaults(suite: nil), owner: "MigrationDemo",
            description: "Age as a number.",
            migration: { key in
                AnyStorageMigration(
                    DefaultTransformingMigration(destinationKey: key, sourceKey: StorageKey<String>.legacyAge) { text in
                        guard let age = Int(text) else { throw StorageError.transformationFailed("Invalid age") }
                        return age
                    })
            })
    }
}

/// The account of the demonstration.
struct DemoAccount: Codable, Hashable, Sendable {
    var id: String
    var plan: String
}

extension StorageKey where Value == DemoAccount {
    static var legacyAccount: StorageKey {
        StorageKey(
            name: "account.json", domain: .fileSystem(directory: .documents), owner: "MigrationDemo",
            description: "Account as a plain file.")
    }

    static var account: StorageKey {
        StorageKey(
            name: "account", domain: .encryptedFileSystem(directory: .applicationSupport),
            security: .encrypted(
                EncryptionPolicy(
                    cipher: .chaChaPoly, material: .keychain(service: "com.myapp", account: "master_key"))),
            owner: "MigrationDemo", description: "Account as a sealed file.",
            migration: { key in
                AnyStorageMigration(
                    SimpleLegacyMigration(destinationKey: key, sourceKey: .key(StorageKey.legacyAccount)))
            })
    }
}
