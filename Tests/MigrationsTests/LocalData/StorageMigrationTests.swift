import Foundation
import MigrationEngine
import Migrations
import Sealing
import StoreFormats
import Testing

private typealias Fixture = LocalDataFixture

@Suite("LocalData: migrations")
struct StorageMigrationTests {
    private static let source: StorageKey<String> = Fixture.key("source")
    private static let sourcePlace = Address.defaults("com.myapp", "source")
    private static let target: StorageKey<String> = Fixture.key("target") {
        AnyStorageMigration(Own(destinationKey: $0))
    }
    private static let targetPlace = Address.defaults("com.myapp", "target")

    /// A migration of one's own that does what its mode says.
    private struct Own: StorageMigration {
        let destinationKey: StorageKey<String>
        var mode = Mode.moves

        enum Mode: Sendable { case moves, seed, fails, waits, writesNothing }

        var sources: [AnyStorageKey] { [.key(source)] }

        func shouldMigrate(using router: StorageRouter, context: MigrationContext) async throws -> Bool {
            if mode == .seed { return try await router.exists(destinationKey) }
            return try await router.exists(source)
        }

        func migrate(using router: StorageRouter, context: MigrationContext) async throws -> MigrationResult {
            if mode == .writesNothing { return MigrationResult(success: true) }
            if mode == .waits { try await Task.sleep(for: .seconds(3600)) }
            try await router.set(router.get(source).uppercased(), for: destinationKey)
            try await router.remove(source)
            return MigrationResult(success: mode != .fails)
        }
    }

    private func key(_ mode: Own.Mode) -> StorageKey<String> {
        Fixture.key("target") { AnyStorageMigration(Own(destinationKey: $0, mode: mode)) }
    }

    @Test("a migration of one's own runs on get, and takes effect as a whole")
    func own() async throws {
        let router = try await Fixture.router([(Self.sourcePlace, .data(Fixture.token))], .key(Self.target))
        #expect(try await router.get(Self.target) == "TOK")
        #expect(await router.state(at: Self.sourcePlace) == .absent)
    }

    @Test("a migration of one's own that fails changes nothing, whatever it did before")
    func ownFails() async throws {
        let key = key(.fails)
        let router = try await Fixture.router([(Self.sourcePlace, .data(Fixture.token))], .key(key))
        await #expect(throws: StorageError.self) { try await router.get(key) }
        #expect(await router.state(at: Self.sourcePlace) == .present(.data(Fixture.token)))
        #expect(await router.state(at: Self.targetPlace) == .absent)
    }

    @Test("trap 1: a shouldMigrate that asks whether the destination exists never migrates, and that is said in words")
    func trap1() async throws {
        let key = key(.seed)
        let router = try await Fixture.router([(Self.sourcePlace, .data(Fixture.token))], .key(key))
        do {
            _ = try await router.get(key)
            Issue.record("it must not be found")
        } catch {
            #expect("\(error)".contains("the check is the wrong way round"))
        }
        let result = try await router.forceMigration(for: key)
        #expect(result.kind == .declined && result.message?.contains("never runs") ?? false)
        // A check that is right and says no is not accused.
        let right = try await Fixture.router([], .key(Self.target))
        #expect(try await right.forceMigration(for: Self.target).message == nil)
    }

    /// The guide's own sample, as it stands there.
    private struct MyMigration: StorageMigration {
        typealias Value = String
        let destinationKey = StorageKey.modernToken

        func shouldMigrate(using router: StorageRouter, context: MigrationContext) async throws -> Bool {
            try await router.exists(destinationKey)
        }

        func migrate(using router: StorageRouter, context: MigrationContext) async throws -> MigrationResult {
            MigrationResult(success: true)
        }
    }

    @Test("trap 1, with the guide's sample as it stands: the step says why it never migrates")
    func sample() throws {
        let key = StorageKey<String>(
            name: "modern_token", domain: .keychain(service: "com.myapp"), owner: "MigrationDemo",
            description: "Modern token stored in Keychain.", migration: { _ in AnyStorageMigration(MyMigration()) })
        let step = try session([], key)
        #expect(step.outcome.kind == .skipped && step.outcome.reason?.code == "condition-not-met")
        #expect(step.outcome.reason?.sentence.contains("the check is the wrong way round") ?? false)
    }

    /// Somebody else writes the destination through the same router while the migration is under way.
    private struct Raced: StorageMigration {
        let destinationKey: StorageKey<String>
        let others: StorageRouter

        func shouldMigrate(using router: StorageRouter, context: MigrationContext) async throws -> Bool { true }

        func migrate(using router: StorageRouter, context: MigrationContext) async throws -> MigrationResult {
            try await router.set("mine", for: destinationKey)
            try await others.set("theirs", for: destinationKey)
            return MigrationResult(success: true)
        }
    }

    @Test("what somebody else wrote while a migration of one's own was waiting is not overwritten")
    func raced() async throws {
        let router = try await Fixture.router()
        let key: StorageKey<String> = Fixture.key("target") { key in
            AnyStorageMigration(Raced(destinationKey: key, others: router))
        }
        try await router.registerCatalog(Fixture.Catalog(allKeys: [.key(key)]))
        await #expect(throws: StorageError.self) { try await router.get(key) }
        #expect(try await router.get(key) == "theirs")
    }

    @Test("trap 2: a key without a security gets the stated default of its domain")
    func trap2() {
        #expect(StorageKey.modernToken.security == .keychain(accessibility: .whenUnlocked))
        #expect(StorageKey.legacyToken.security == StorageSecurity.none)
        let file: StorageKey<String> = Fixture.key("k", .encryptedFileSystem(directory: .caches))
        #expect(file.security == .encrypted(EncryptionPolicy(cipher: .aes256GCM, derivation: .hkdfSHA256)))
    }

    @Test(
        "trap 3: both copies present is an outcome of its own: equal drains the old one, different keeps both",
        arguments: [(#""tok""#, true), (#" "tok" "#, true), (#""new""#, false)])
    func trap3(stored: String, isEqual: Bool) async throws {
        let new = KeychainItem(text: stored).value
        let router = try await Fixture.router(
            [(Fixture.old, .data(Fixture.token)), (Fixture.new, new)], .key(StorageKey.modernToken))
        if isEqual {
            #expect(try await router.forceMigration(for: .modernToken).kind == .copiesEqual)
            #expect(await router.state(at: Fixture.old) == .absent)
        } else {
            let differ = StorageError.copiesDiffer(key: "modern_token", new: Fixture.new, old: [Fixture.old])
            await #expect(throws: differ) { try await router.forceMigration(for: .modernToken) }
            #expect(await router.state(at: Fixture.old) == .present(.data(Fixture.token)))
        }
        #expect(await router.state(at: Fixture.new) == .present(new))
    }

    @Test("trap 4: a single text is no property list and is refused in words; a list is one, and JSON takes both")
    func trap4() async throws {
        let scalar: StorageKey<String> = Fixture.key("scalar", serializer: .propertyList)
        let list: StorageKey<[String]> = Fixture.key("list", serializer: .propertyList)
        let number: StorageKey<Int> = Fixture.key("number")
        let router = try await Fixture.router([], .key(scalar), .key(list), .key(number))
        do {
            try await router.set("tok", for: scalar)
            Issue.record("it must be refused")
        } catch {
            #expect("\(error)".contains("property list"))
        }
        try await router.set(["tok"], for: list)
        #expect(try await router.get(list) == ["tok"])
        try await router.set(3, for: number)
        #expect(await router.state(at: .defaults("com.myapp", "number")) == .present(.data(Data("3".utf8))))
    }

    @Test("trap 5: the same name in another service is another item, and can be moved from there")
    func trap5() async throws {
        let old: StorageKey<String> = Fixture.key("token", .keychain(service: "old"))
        let new: StorageKey<String> = Fixture.key("token", .keychain(service: "new")) {
            AnyStorageMigration(SimpleLegacyMigration(destinationKey: $0, sourceKey: .key(old)))
        }
        let router = try await Fixture.router(
            [(Address(store: .keychain("old"), key: "token"), KeychainItem(data: Fixture.token).value)], .key(new))
        #expect(try await !router.exists(new))
        #expect(try await router.get(new) == "tok")
        #expect(try await !router.exists(old))
    }

    @Test("a value that other code wrote as text is told apart from LocalData's bytes, and stays")
    func nativeValue() async throws {
        let router = try await Fixture.router([(Fixture.old, .string("tok"))], .key(StorageKey.modernToken))
        await #expect(throws: StorageError.nativeValue(Fixture.old, is: "a string")) {
            try await router.get(.modernToken)
        }
        #expect(await router.state(at: Fixture.old) == .present(.string("tok")))
    }

    @Test("the same key names different bytes under another configuration, and none where a default is missing")
    func configuration() async throws {
        let key: StorageKey<String> = Fixture.key("k", .keychain(service: nil))
        var places: [Address] = []
        for service in ["one", "two"] {
            let router = StorageRouter(stores: MemoryStores(), configuration: StorageConfiguration(service: service))
            try await router.registerCatalog(Fixture.Catalog(allKeys: [.key(key)]))
            try await router.set("tok", for: key)
            places += [Address(store: .keychain(Name(service)), key: "k")]
            #expect(await router.state(at: places[places.count - 1]) != .absent)
        }
        let router = StorageRouter(stores: MemoryStores(), configuration: StorageConfiguration())
        try await router.registerCatalog(Fixture.Catalog(allKeys: [.key(key)]))
        await #expect(throws: StorageError.notConfigured(key: "k", fact: .keychainService)) {
            try await router.get(key)
        }
    }

    @Test("a move to the same place, which would lose the value, is refused at registration")
    func samePlace() async throws {
        let old: StorageKey<String> = Fixture.key("k", .userDefaults(suite: "com.myapp"))
        let new: StorageKey<String> = Fixture.key("k") {
            AnyStorageMigration(SimpleLegacyMigration(destinationKey: $0, sourceKey: .key(old)))
        }
        let place = Address.defaults("com.myapp", "k")
        await #expect(throws: StorageError.sourceIsDestination(key: "k", place)) {
            try await Fixture.router([], .key(new))
        }
    }

    @Test("an aggregation never drops a value of another type, nor goes on without one that it needs")
    func aggregation() async throws {
        let number: StorageKey<Int> = Fixture.key("number"), text: StorageKey<String> = Fixture.key("number")
        let other: StorageKey<String> = Fixture.key("other")
        let sum: StorageKey<String> = Fixture.key("sum") {
            AnyStorageMigration(
                DefaultAggregatingMigration(destinationKey: $0, sourceKeys: [.key(number), .key(other)]) { sources in
                    try sources.require(text) + sources.require(other)
                })
        }
        let place = Address.defaults("com.myapp", "number")
        let router = try await Fixture.router([(place, .data(Data("1".utf8)))], .key(sum))
        await #expect(throws: StorageError.typesDiffer(key: "number", is: "Int", wanted: "String")) {
            try await router.get(sum)
        }
        let half = try await Fixture.router(
            [(.defaults("com.myapp", "first_name"), .data(Data(#""Ada""#.utf8)))], LocalDataDemo().allKeys[2])
        let reports = await half.migrateAll()
        #expect(throws: StorageError.sourceMissing("last_name")) { try reports[0].outcome.get() }
    }

    @Test(
        "a migration for some versions of the app compares number by number, and asks where the version is not known",
        arguments: [("1.9", true), ("1.10", false), ("1.10.0", false), ("0.9", false), ("1", true), (nil, false)])
    func versions(version: String?, applies: Bool) async throws {
        let key: StorageKey<String> = Fixture.key("target") {
            let simple = SimpleLegacyMigration(destinationKey: $0, sourceKey: .key(Self.source))
            return AnyStorageMigration(AppVersionConditionalMigration(simple, from: "1.0", before: "1.10"))
        }
        let router = try await Fixture.router(
            [(Self.sourcePlace, .data(Fixture.token))], .key(key), context: MigrationContext(appVersion: version))
        let result = try? await router.get(key)
        #expect(result == (applies ? "tok" : nil))
        if version == nil {
            await #expect(throws: StorageError.factMissing(.appVersion)) { try await router.get(key) }
        }
    }

    @Test("a migration of one's own is a step too: previewed, applied and rolled back like any other")
    func ownAsStep() async throws {
        let plan = try session([(Self.sourcePlace, .data(Fixture.token))], key(.moves))
        #expect(plan.outcome.kind == .migrates)
        #expect(plan.changes.map(\.address) == [Self.targetPlace, Self.sourcePlace])
        #expect(plan.changes[0].after == .data(Data(#""TOK""#.utf8)))
    }

    @Test(
        "a step whose code waits for something besides the router, fails, writes nothing or never runs says so",
        arguments: [
            ("waits", "it waits for something besides the router"), ("fails", "did not succeed"),
            ("writesNothing", "wrote nothing"), ("seed", "the check is the wrong way round"),
        ])
    func ownStepsThatDoNot(mode: String, sentence: String) async throws {
        let modes: [String: Own.Mode] = [
            "waits": .waits, "fails": .fails, "writesNothing": .writesNothing, "seed": .seed,
        ]
        let plan = try session([(Self.sourcePlace, .data(Fixture.token))], key(try #require(modes[mode])))
        #expect(plan.changes.isEmpty)
        #expect(plan.outcome.reason?.sentence.contains(sentence) ?? false, "\(plan.outcome)")
    }

    private func session(_ entries: [(Address, Value)], _ key: StorageKey<String>) throws -> PlannedStep {
        let migration = CatalogMigration(
            id: "own", title: "", summary: "", catalog: Fixture.Catalog(allKeys: [.key(key)]))
        let facts = Facts([.bundleIdentifier: Fact("com.myapp", from: "a test")])
        let session = try MigrationSession(stores: Fixture.stores(entries), ledger: MemoryLedger())
        return try #require(session.plan(migration, profile: migration.profiles[0], facts: facts).steps.first)
    }
}
