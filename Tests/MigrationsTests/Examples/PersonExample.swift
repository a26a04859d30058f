import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Systems
import Testing

@Suite("The example of the article on Person")
struct PersonExample {
    @Test("a person of version 0 is stepped to version 3 and back")
    func steps() throws {
        // example:begin
        let person = Address.defaults("com.acme.people", "person")
        let stored = #"{"name":"Peter","age":"55","city":"Ghent"}"#
        let stores = MemoryStores([(person.store, ["person": .string(stored)])])
        let facts = Facts([.bundleIdentifier: Fact("com.acme.people", from: "me")])
        let migration = PersonMigration(), profile = migration.profiles[0]

        // A version is told by the fields, and each step knows which of its values it made up.
        var session = try MigrationSession(stores: stores, ledger: MemoryLedger())
        let plan = session.plan(migration, profile: profile, facts: facts)
        for change in plan.steps.flatMap(\.changes) {
            print(change.rule, "made up:", change.placeholders.map(\.description))
        }

        // Taken and taken back; the stores themselves are never written.
        let stamp = LedgerEntry.Stamp(date: Date(), author: "me", toolVersion: "1")
        try session.apply(.all, of: migration, profile: profile, facts: facts, stamp: stamp)
        let migrated = session.overlay.state(at: person)
        try session.rollback(.all, stamp: stamp)
        let restored = session.overlay.state(at: person)

        // In an app: the whole way as one change of the stores.
        var manager = PersonMigrationManager(stores: stores, bundleIdentifier: "com.acme.people")
        try manager.applyMigration()
        let alias = manager.person()?.alias
        // example:end
        #expect(plan.steps.map(\.outcome) == [.migrates, .migrates, .migrates])
        #expect(plan.steps[0].changes.first?.placeholders.map(\.description) == ["/email"])
        #expect(migrated == .present(.string(#"{"alias":"Peter","city":"Ghent","email":"---"}"#)))
        #expect(restored == .present(.string(stored)))
        #expect(alias == "Peter" && manager.person()?.hasPlaceholderEmail == true && !manager.migrationFailed)
    }

    @Test("the article shows this code")
    func article() throws { try expectArticle("Person", showsExampleOf: #filePath) }
}
