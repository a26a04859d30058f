import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import Sealing
import StoreFormats
import Testing

private typealias Fixture = LocalDataFixture

@Suite("LocalData: the demonstration on its fixture dumps")
struct LocalDataDemoTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures").path
    private let migration = Fixture.migration
    private let facts = Facts([.bundleIdentifier: Fact("com.myapp", from: "a test")])

    private func container(_ name: String) throws -> Container {
        try #require(try Dump.open("\(Self.folder)/\(name).xcappdata").containers.first)
    }

    private func codes(_ plan: Plan) -> [String] {
        plan.steps.map {
            [$0.outcome.kind.rawValue, $0.outcome.reason?.code].compactMap(\.self).joined(separator: " ")
        }
    }

    @Test(
        "each shows the case that it is made for",
        arguments: [
            ("localdata-healthy", ["migrates", "migrates", "migrates", "migrates"]),
            ("localdata-half-equal", ["migrates", "migrates", "migrates", "migrates"]),
            (
                "localdata-half-different",
                ["conflict target-differs", "conflict target-differs", "conflict target-differs", "migrates"]
            ),
            (
                "localdata-broken",
                [
                    "failed wrong-type", "failed transformation-failed", "failed field-missing",
                    "failed sealed-wrong-key",
                ]
            ),
            ("localdata-migrated", Array(repeating: "skipped absent", count: 4)),
            (
                "localdata-no-keychain",
                ["blocked unreadable-not-in-dump", "migrates", "migrates", "blocked unreadable-not-in-dump"]
            ),
            ("notes-legacy", []),
        ])
    func outcomes(name: String, expected: [String]) throws {
        let container = try container(name)
        #expect(migration.applies(to: container, facts: facts) == !expected.isEmpty)
        guard !expected.isEmpty else { return }
        let session = try MigrationSession(stores: container, ledger: MemoryLedger())
        #expect(codes(session.plan(migration, profile: migration.profiles[0], facts: facts)) == expected)
    }

    @Test("an old copy that is equal to the new one is carried when it is taken away: nothing is lost")
    func equalCopy() throws {
        let session = try MigrationSession(stores: try container("localdata-half-equal"), ledger: MemoryLedger())
        let plan = session.plan(migration, profile: migration.profiles[0], facts: facts)
        let removals = try #require(plan.steps.first).changes.filter { $0.action == .remove }
        #expect(!removals.isEmpty)
        #expect(removals.allSatisfy { $0.effect == .carried })
    }

    @Test("a text named first_name is any app's; named explicitly the migration still runs")
    func ordinary() throws {
        let stores = MemoryStores([(.defaults("com.myapp"), ["first_name": .string("Ada"), "last_name": .string("L")])])
        #expect(!migration.applies(to: stores, facts: facts))
        let session = try MigrationSession(stores: stores, ledger: MemoryLedger())
        #expect(
            codes(session.plan(migration, profile: migration.profiles[0], facts: facts)).contains(
                "failed wrong-type"))
        let own = MemoryStores([(.defaults("com.myapp"), ["first_name": .data(Data(#""Ada""#.utf8))])])
        #expect(migration.applies(to: own, facts: facts))
    }

    @Test("what is applied is what the live router does, and rolling back brings every entry back")
    func appliedAndTakenBack() async throws {
        let container = try container("localdata-healthy")
        var session = try MigrationSession(stores: container, ledger: MemoryLedger())
        let stamp = LedgerEntry.Stamp(date: Date(timeIntervalSince1970: 0), author: "t", toolVersion: "0")
        try session.apply(.all, of: migration, profile: migration.profiles[0], facts: facts, stamp: stamp)
        let plan = session.plan(migration, profile: migration.profiles[0], facts: facts)
        #expect(plan.steps.map(\.outcome) == Array(repeating: .unchanged, count: 4))

        let live = StorageRouter(
            stores: MemoryStores(
                container.stores.map { store in
                    let keys = container.keys(in: store)
                    return (
                        store,
                        Members(
                            (0..<keys.count).compactMap { position in
                                let key = keys.key(at: position)
                                return container.state(of: key, in: store).value.map { Member(key: key, value: $0) }
                            })
                    )
                }), configuration: Fixture.configuration)
        try await live.registerCatalog(LocalDataDemo(), migrateImmediately: true)
        for change in plan.steps.flatMap(\.changes) {
            #expect(await live.state(at: change.address) == change.after.map(EntryState.present) ?? .absent)
        }
        // Sealed by our own writer exactly as the fixture of the migrated app was by another.
        let file = Address(store: .files("AppSupport"), key: "LocalData/account.sealed")
        #expect(try session.overlay.state(at: file) == self.container("localdata-migrated").state(at: file))

        try session.rollback(.all, stamp: stamp)
        for change in plan.steps.flatMap(\.changes) {
            #expect(session.overlay.state(at: change.address) == container.state(at: change.address))
        }
    }

    @Test("a conflict shows the other side")
    func otherSide() throws {
        let session = try MigrationSession(stores: container("localdata-half-different"), ledger: MemoryLedger())
        let plan = session.plan(migration, profile: migration.profiles[0], facts: facts)
        #expect(plan.steps[1].conflict?.after == .data(Data("42".utf8)))
        #expect(plan.steps[1].conflict?.before == .present(.data(Data("43".utf8))))
    }

    @Test("an entry is shown with its key, and the rules are a table of the same keys")
    func annotations() throws {
        let container = try container("localdata-healthy")
        #expect(
            migration.annotation(of: Fixture.old, in: container)?.contains("the old place of modern_token") ?? false)
        #expect(migration.annotation(of: Fixture.new, in: container)?.contains("Modern token stored") ?? false)
        #expect(migration.annotation(of: .defaults("com.myapp", "onboarding.done"), in: container) == nil)
        let broken = try self.container("localdata-broken")
        #expect(migration.annotation(of: Fixture.old, in: broken) == nil, "a text is not LocalData's")
        let rows = try #require(migration.tables(profile: migration.profiles[0]).first).rows
        #expect(rows.count == 9 && rows.allSatisfy { $0.count == 8 })
    }

    @Test("of the migrations that come with the program one seals the account, and does no more")
    func builtIn() throws {
        let sealed = try #require(BuiltIn.migrations.first { $0.id == "localdata-sealed" })
        let container = try container("localdata-healthy")
        #expect(sealed.applies(to: container, facts: facts))
        let plan = try MigrationSession(stores: container, ledger: MemoryLedger()).plan(
            sealed, profile: sealed.profiles[0], facts: facts)
        #expect(plan.steps.map(\.id) == ["account"] && codes(plan) == ["migrates"])
        let own = MemoryStores([(.defaults("com.myapp"), ["first_name": .data(Data(#""Ada""#.utf8))])])
        #expect(!sealed.applies(to: own, facts: facts))
    }
}
