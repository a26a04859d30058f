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
        let found = try migrator.readPersistence()
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
        #expect(try migrator.restorePersistence().outcome("user-id") == "skipped requirement-not-met")
        #expect(try migrator.readPersistence().isEmpty)
    }

    @Test("as the SDK does it, but with facts that are missing, no key is gone that a blocked step reads")
    func missingFacts() throws {
        let stores = try LegacyFixture.complete().stores
        var migrator = PersistentMigratorFromV2(
            writeKey: "wk", bundleIdentifier: LegacyFixture.bundle, stores: stores, profile: .sdk1_2)
        let plan = try migrator.restorePersistence()
        #expect(plan.summary[.blocked] != nil)
        #expect(migrator.stores[LegacyFixture.domain] == stores[LegacyFixture.domain])
    }

    @Test("what cannot be read is not taken for a device without the old SDK", arguments: [true, false])
    func unreadable(isWholeStore: Bool) throws {
        let fixture = try LegacyFixture.complete()
        let migrator = PersistentMigratorFromV2(
            writeKey: "wk", bundleIdentifier: LegacyFixture.bundle,
            stores: PartlyLockedStores(
                fixture.stores, locked: LegacyFixture.domain, key: isWholeStore ? nil : "rs_traits"))
        #expect(throws: PartlyLockedStores.reason) { try migrator.readPersistence() }
    }

    @Test("a write key is not told from the one suite that is listed where others may be there")
    func incompleteList() throws {
        var stores = try LegacyFixture.complete().stores
        stores[LegacyFixture.suite] = ["user_id": .string("u")]
        let facts = Facts([.bundleIdentifier: Fact(LegacyFixture.bundle, from: "a test")])
        #expect(RudderStackV2().factsKnown(in: stores, given: facts)[.writeKey]?.value == "wk")
        let locked = PartlyLockedStores(stores, locked: .keychain("k"), key: nil)
        #expect(RudderStackV2().factsKnown(in: locked, given: facts)[.writeKey] == nil)
    }
}

/// Stores of which one, or one entry, cannot be read.
private struct PartlyLockedStores: StoreWriter {
    static let reason = Unreadable(.locked, "no key")
    private var base: MemoryStores
    private let locked: StoreID
    private let key: Name?

    init(_ base: MemoryStores, locked: StoreID, key: Name?) { (self.base, self.locked, self.key) = (base, locked, key) }

    var stores: [StoreID] { base.stores.filter { key != nil || $0 != locked } }
    var problem: Unreadable? { key == nil ? Self.reason : nil }
    func problem(with store: StoreID) -> Unreadable? { key == nil && store == locked ? Self.reason : nil }
    func keys(in store: StoreID) -> any KeyList { problem(with: store) == nil ? base.keys(in: store) : Keys([]) }
    func state(of key: Name, in store: StoreID) -> EntryState {
        store == locked && (self.key ?? key) == key ? .unreadable(Self.reason) : base.state(of: key, in: store)
    }
    mutating func commit(_ changes: [Change]) { base.commit(changes) }
}
