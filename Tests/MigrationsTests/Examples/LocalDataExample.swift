import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Testing

@Suite("The example of the article on LocalData")
struct LocalDataExample {
    @Test("a catalog moves a token to the keychain: live by the router, and previewed as a migration")
    func moves() async throws {
        // example:begin
        let old = StorageKey<String>(
            name: "session", domain: .userDefaults(suite: nil), owner: "Notes", description: "Token in UserDefaults.")
        let new = StorageKey<String>(
            name: "session", domain: .keychain(service: nil), owner: "Notes", description: "Token in the keychain.",
            migration: { AnyStorageMigration(SimpleLegacyMigration(destinationKey: $0, sourceKey: .key(old))) })
        struct NotesCatalog: StorageKeyCatalog { let allKeys: [AnyStorageKey] }
        let catalog = NotesCatalog(allKeys: [.key(new)])
        let stores = MemoryStores([(.defaults("com.acme.notes"), ["session": .data(Data(#""tok-1""#.utf8))])])

        // On a dump: the catalog is a migration like any other, and nothing is written.
        let migration = CatalogMigration(
            id: "notes-keys", title: "Keys of Notes", summary: "Moves the token to the keychain.", catalog: catalog)
        let facts = Facts([
            .bundleIdentifier: Fact("com.acme.notes", from: "me"), .keychainService: Fact("notes", from: "me"),
        ])
        let plan = try MigrationSession(stores: stores, ledger: MemoryLedger())
            .plan(migration, profile: migration.profiles[0], facts: facts)
        for change in plan.steps.flatMap(\.changes) { print(change.address, change.rule) }

        // In an app: the same catalog, swept at launch; a key that is not swept moves when it is first asked for.
        let router = StorageRouter(
            stores: stores, configuration: StorageConfiguration(suite: "com.acme.notes", service: "notes"))
        let reports = try await router.registerCatalog(catalog, migrateImmediately: true)
        let token = try await router.get(new)
        // example:end
        #expect(plan.steps.map(\.outcome) == [.migrates])
        let item = plan.steps[0].changes.first { $0.address == Address(store: .keychain("notes"), key: "session") }
        #expect(item?.after.flatMap { KeychainItem($0) }?.text == #""tok-1""#)
        #expect(
            plan.steps[0].changes.contains { $0.address == .defaults("com.acme.notes", "session") && $0.after == nil })
        #expect(try reports.map { try $0.outcome.get().kind } == [.migrated])
        #expect(token == "tok-1")
    }

    @Test("the article shows this code")
    func article() throws { try expectArticle("LocalData", showsExampleOf: #filePath) }
}
