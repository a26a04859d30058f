import MigrationEngine
import Migrations
import StoreFormats
import Systems
import Testing

@Suite("PersistentMigratorFromV2, as the seed shows it")
struct PersistentMigratorTests {
    private func migrator(profile: RudderStackRules) throws -> PersistentMigratorFromV2<MemoryStores> {
        let fixture = try LegacyFixture.complete()
        return PersistentMigratorFromV2(
            writeKey: "wk", bundleIdentifier: LegacyFixture.bundle, stores: fixture.stores, facts: fixture.facts,
            profile: profile)
    }

    @Test("readPersistence shows what would be migrated, in the types of the SDK, and changes nothing")
    func read() throws {
        let migrator = try migrator(profile: .sdk1_1)
        let found = migrator.readPersistence()
        #expect(
            found.map(\.key) == [
                "anonymousId", "userId", "traits", "sessionId", "isManualSession", "lastActivityTime",
                "applicationVersion", "applicationBuild",
            ])
        #expect(found["sessionId"] == .integer(1_724_990_100))
        #expect(found["lastActivityTime"] == .integer(5_000_000))
        #expect(found["applicationBuild"] == .string("417"))
        #expect(found["traits"]?.members?["anonymousId"] == .string("y"), "the traits are as stored")
        #expect(migrator.stores[LegacyFixture.suite] == nil)
    }

    @Test("restorePersistence writes what the plan shows, and once more does nothing")
    func restore() throws {
        var migrator = try migrator(profile: .documented)
        let plan = try migrator.restorePersistence()
        #expect(migrator.stores[LegacyFixture.suite] == plan.written)
        #expect(migrator.stores[LegacyFixture.domain]?.count == 8, "the guide keeps the legacy keys")
        let after = migrator.stores[LegacyFixture.suite]
        #expect(try migrator.restorePersistence().summary == [.unchanged: 8, .skipped: 1])
        #expect(migrator.stores[LegacyFixture.suite] == after)
    }

    @Test("as the SDK does it the seven legacy keys are gone afterwards, and a second run finds the suite")
    func restoreAsSDK() throws {
        var migrator = try migrator(profile: .sdk1_2)
        try migrator.restorePersistence()
        #expect(migrator.stores[LegacyFixture.domain] == ["theme": .string("dark")])
        #expect(try migrator.restorePersistence().outcome("user-id") == "skipped target-exists")
        #expect(migrator.readPersistence().isEmpty)
    }
}
