import Foundation
import MigrationEngine
import Migrations
import Sealing
import StoreFormats
import Systems
import Testing

@Suite("The example of the article on Klivvr")
struct KlivvrExample {
    @Test("a profile of version 1 is migrated with its version, and the backup is gone afterwards")
    func migrates() throws {
        // example:begin
        let stored = #"{"userId":"usr_123","displayName":"Ahmed","email":"ahmed@example.com"}"#
        let stores = MemoryStores([
            (
                .keychain("com.klivvr.storage"),
                [
                    "user_profile": KeychainItem(text: stored).value,
                    "user_profile_schema_version": KeychainItem(text: "1").value,
                ]
            )
        ])
        let pipeline = MigrationPipeline()
        pipeline.registerUserProfile(locale: "ar_EG")
        let sealer = try Sealer(material: Data(repeating: 7, count: 32), salt: .named("backups"))

        var executor = SafeMigrationExecutor(
            storage: KeychainStore(stores, service: "com.klivvr.storage"), pipeline: pipeline,
            backupStore: EncryptedFileStore(MemoryStores(), sealer: sealer))
        let profile = try executor.executeMigration(for: UserProfile.self, key: "user_profile")
        let version = try executor.storage.retrieve(Int.self, forKey: "user_profile_schema_version")

        // A current profile whose version was lost is not written over: somebody has to say which one it is.
        var storage = executor.storage
        try storage.delete(forKey: "user_profile_schema_version")
        var unsure = SafeMigrationExecutor(
            storage: storage, pipeline: pipeline, backupStore: executor.backupStore)
        let answer = Result { try unsure.executeMigration(for: UserProfile.self, key: "user_profile") }
        // example:end
        #expect(profile?.preferences.language == "ar")
        #expect(profile?.displayName == "Ahmed" && profile?.notificationSettings.marketingOptIn == false)
        #expect(version == 3)
        #expect(executor.backupStore.stores.stores.isEmpty, "no backup is left")
        guard case .failure(let error as MigrationError) = answer, case .versionUnclear(_, nil, 3) = error else {
            Issue.record("\(answer)")
            return
        }
    }

    @Test("the article shows this code")
    func article() throws { try expectArticle("Klivvr", showsExampleOf: #filePath) }
}
