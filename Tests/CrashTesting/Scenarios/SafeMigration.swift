import Foundation
import LiveStores
import MigrationEngine
import Migrations
import Sealing
import StoreFormats
import Systems

extension CrashScenario {
    /// The safe executor takes a user profile of version 1 to 3, with a backup.
    public static let safeMigration = CrashScenario(
        name: "safe-migration",
        prepare: { files, path in
            var storage = KeychainStore(try DirectoryStores(at: path, fileSystem: files), service: service)
            try storage.save([(key, old), (key + "_schema_version", Data("1".utf8)), ("other", Data("kept".utf8))])
        },
        operation: { files, path in try migrate(DirectoryStores(at: path, fileSystem: files)) },
        check: { files, path, moment in
            do {
                let stores = try DirectoryStores(at: path, fileSystem: files)
                let storage = KeychainStore(stores, service: service)
                let version = try storage.retrieve(Int.self, forKey: key + "_schema_version")
                let value = try storage.readRaw(forKey: key)
                let isNew = try version == 3 && value.map(isMigrated) ?? false
                guard isNew || (version == 1 && value == old && moment == .interrupted) else {
                    throw Wrong("version \(version ?? 0) stands beside another value, or what was done is gone")
                }
                guard try storage.readRaw(forKey: "other") == Data("kept".utf8) else {
                    throw Wrong("what nobody changed has changed")
                }
                if !isNew, let backup = try? backups(stores).read(forKey: key + "_backup_v1"), backup != old {
                    throw Wrong("the backup is not the old value")
                }
                try migrate(stores)
                guard try storage.readRaw(forKey: key).map(isMigrated) ?? false,
                    try storage.retrieve(Int.self, forKey: key + "_schema_version") == 3
                else { throw Wrong("trying again did not complete") }
            }
            guard try leftovers(in: path, files).isEmpty else { throw Wrong("something is left behind") }
        })

    private static let service = "com.klivvr.storage"
    private static let key = UserProfile.modelIdentifier
    private static let old = Data(#"{"userId":"usr_123","displayName":"Ahmed","email":"ahmed@example.com"}"#.utf8)

    private static func isMigrated(_ data: Data) throws -> Bool {
        let profile = try JSONDecoder().decode(UserProfile.self, from: data)
        return profile.userId == "usr_123" && profile.preferences.language == "ar"
            && !profile.notificationSettings.marketingOptIn
    }

    private static func backups(_ stores: DirectoryStores) throws -> EncryptedFileStore<DirectoryStores> {
        EncryptedFileStore(
            stores, sealer: try Sealer(material: Data(repeating: 7, count: 32), salt: .named("crash-probe")))
    }

    private static func migrate(_ stores: DirectoryStores) throws {
        let pipeline = MigrationPipeline()
        pipeline.registerUserProfile(locale: "ar_EG")
        var executor = SafeMigrationExecutor(
            storage: KeychainStore(stores, service: service), pipeline: pipeline, backupStore: try backups(stores))
        guard try executor.executeMigration(for: UserProfile.self, key: key) != nil else {
            throw Wrong("the profile is not there")
        }
    }
}
