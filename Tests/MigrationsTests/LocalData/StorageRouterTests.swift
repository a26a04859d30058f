import Foundation
import MigrationEngine
import Migrations
import Sealing
import StoreFormats
import Testing

private typealias Fixture = LocalDataFixture

@Suite("LocalData: the router")
struct StorageRouterTests {
    private static let sealed = StorageSecurity.encrypted(
        EncryptionPolicy(cipher: .aes256GCM, derivation: .none, material: .given("main")))

    static let places: [(StorageDomain, StorageSecurity?)] = [
        (.userDefaults(suite: nil), nil), (.userDefaults(suite: "other"), sealed), (.appGroupUserDefaults(), nil),
        (.keychain(service: "a"), nil), (.keychain(service: nil), sealed), (.fileSystem(directory: .caches), nil),
        (.encryptedFileSystem(directory: .documents), sealed), (.appGroupFileSystem(directory: .documents), nil),
    ]

    @Test("in every domain: set, get, exists, remove, and get again finds nothing", arguments: places)
    func roundTrip(domain: StorageDomain, security: StorageSecurity?) async throws {
        let key: StorageKey<String> = Fixture.key("k", domain, security: security)
        let router = try await Fixture.router([], .key(key))
        #expect(try await !router.exists(key))
        try await router.set("tok", for: key)
        #expect(try await router.get(key) == "tok")
        #expect(try await router.exists(key))
        try await router.remove(key)
        await #expect(throws: StorageError.notFound(key: "k", advice: nil)) { try await router.get(key) }
    }

    @Test(
        "each cipher with each derivation seals and opens, and what lies there is not the value",
        arguments: Cipher.allCases, [KeyDerivation.none, .hkdfSHA256, .pbkdf2SHA256(iterations: 3)])
    func ciphers(cipher: Cipher, derivation: KeyDerivation) async throws {
        let policy = EncryptionPolicy(cipher: cipher, derivation: derivation, material: .given("main"))
        let key: StorageKey<String> = Fixture.key(
            "k", .encryptedFileSystem(directory: .documents), security: .encrypted(policy))
        let router = try await Fixture.router([], .key(key))
        try await router.set("tok", for: key)
        #expect(try await router.get(key) == "tok")
        let bytes = try #require(
            await router.state(at: Address(store: .files("Documents"), key: "LocalData/k.sealed")).value?.data)
        let header = try SealHeader(reading: bytes)
        #expect(header.cipher == cipher && header.derivation == derivation)
        #expect(bytes.range(of: Data("tok".utf8)) == nil)
    }

    @Test("wrong key, damaged, not sealed, no key and absent are five answers")
    func sealedAnswers() async throws {
        let key: StorageKey<String> = Fixture.key(
            "k", .fileSystem(directory: .documents),
            security: .encrypted(EncryptionPolicy(material: .keychain(service: nil, account: "master"))))
        let file = Address(store: .files("Documents"), key: "LocalData/k")
        let master = Address(store: .keychain("com.myapp"), key: "master")
        let right = KeychainItem(data: Data(repeating: 1, count: 32)).value
        let router = try await Fixture.router([(master, right)], .key(key))
        try await router.set("tok", for: key)
        let bytes = try #require(await router.state(at: file).value?.data)
        var damaged = bytes
        damaged[bytes.count / 2] ^= 1
        func answer(_ content: Data?, _ material: Value?) async throws -> StorageError? {
            let entries = [content.map { (file, Value.data($0)) }, material.map { (master, $0) }].compactMap(\.self)
            let router = try await Fixture.router(entries, .key(key))
            do throws(StorageError) {
                _ = try await router.get(key)
                return nil
            } catch {
                return error
            }
        }
        #expect(try await answer(bytes, right) == nil)
        let other = KeychainItem(data: Data(repeating: 2, count: 32)).value
        #expect(try await answer(bytes, other) == .sealed(file, .wrongKey))
        guard case .sealed(file, .damaged)? = try await answer(damaged, right) else {
            Issue.record("damaged bytes are not told")
            return
        }
        #expect(try await answer(Data("tok".utf8), right) == .sealed(file, .notSealed))
        #expect(try await answer(bytes, nil) == .keyMaterialMissing("nothing is stored at \(master)"))
        #expect(try await answer(nil, right) == .notFound(key: "k", advice: nil))
    }

    @Test("every accessibility and access control is in the item", arguments: KeychainAccessibility.allCases)
    func attributes(accessibility: KeychainAccessibility) async throws {
        #expect(KeychainAccessibility.allCases.count == 7 && KeychainAccessControl.allCases.count == 6)
        for control in [nil] + KeychainAccessControl.allCases.map(Optional.some) {
            let key: StorageKey<String> = Fixture.key(
                "k", .keychain(service: "s"), security: .keychain(accessibility: accessibility, accessControl: control))
            let router = try await Fixture.router([], .key(key))
            try await router.set("tok", for: key)
            let item = await router.state(at: Address(store: .keychain("s"), key: "k")).value.flatMap(KeychainItem.init)
            #expect(item?.data == Fixture.token)
            #expect(item?.attributes["pdmn"] == .string(accessibility.rawValue))
            #expect(item?.attributes["accc"] == control.map { .string($0.rawValue) })
        }
    }

    @Test("a custom serializer has a name, and does its own bytes")
    func customSerializer() async throws {
        let serializer = StorageSerializer<Int>.custom(name: "decimal") {
            Data(String($0).utf8)
        } decode: {
            Int(String(decoding: $0, as: UTF8.self)) ?? 0
        }
        let key = Fixture.key("k", serializer: serializer)
        let router = try await Fixture.router([], .key(key))
        try await router.set(42, for: key)
        #expect(await router.state(at: .defaults("com.myapp", "k")) == .present(.data(Data("42".utf8))))
        #expect(await router.registeredKeys.map(\.serializer) == ["decimal"])
        #expect(try await router.get(key) == 42)
    }

    @Test("get moves a legacy value: secured anew, stored, taken from the old place, returned, in one commit")
    func lazyMigration() async throws {
        let router = StorageRouter(
            stores: CountingStores(Fixture.stores([(Fixture.old, .data(Fixture.token))])),
            configuration: Fixture.configuration)
        try await router.registerCatalog(LocalDataDemo())
        #expect(try await router.get(.modernToken) == "tok")
        #expect(await router.state(at: Fixture.old) == .absent)
        let item = await router.state(at: Fixture.new).value.flatMap(KeychainItem.init)
        #expect(item?.data == Fixture.token && item?.attributes["pdmn"] == .string("ak"))
        #expect(CountingStores.commits.withLock { $0 } == 1)
    }

    @Test("the primary place wins, and the old copy is not looked at on get")
    func primaryFirst() async throws {
        let router = try await Fixture.router(
            [(Fixture.old, .data(Fixture.token)), (Fixture.new, KeychainItem(text: #""new""#).value)],
            .key(StorageKey.modernToken))
        #expect(try await router.get(.modernToken) == "new")
        #expect(await router.state(at: Fixture.old) == .present(.data(Fixture.token)))
    }

    @Test("a locked source is not an empty one, and nothing changes")
    func locked() async throws {
        let key: StorageKey<String> = Fixture.key("k") { key in
            AnyStorageMigration(
                SimpleLegacyMigration(
                    destinationKey: key,
                    sourceKey: .key(Fixture.key("item", .keychain(service: "s")) as StorageKey<String>)))
        }
        let router = StorageRouter(stores: LockedStores(), configuration: Fixture.configuration)
        try await router.registerCatalog(Fixture.Catalog(allKeys: [.key(key)]))
        let place = Address(store: .keychain("s"), key: "item")
        await #expect(throws: StorageError.unreadable(place, LockedStores.reason)) { try await router.get(key) }
    }

    @Test("a sweep reports every key and goes on past a failure")
    func sweep() async throws {
        let router = StorageRouter(
            stores: Fixture.stores([
                (Fixture.old, .data(Fixture.token)), (.defaults("com.myapp", "legacy_age"), .data(Data(#""x""#.utf8))),
                (.defaults("com.myapp", "first_name"), .data(Data(#""Ada""#.utf8))),
                (.defaults("com.myapp", "last_name"), .data(Data(#""Lovelace""#.utf8))),
            ]), configuration: Fixture.configuration)
        let reports = try await router.registerCatalog(LocalDataDemo(), migrateImmediately: true)
        #expect(reports.map(\.key) == ["modern_token", "age_in_years", "full_name", "account"])
        #expect(try reports[0].outcome.get().kind == .migrated)
        #expect(throws: StorageError.transformationFailed("Invalid age")) { try reports[1].outcome.get() }
        #expect(try reports[2].outcome.get().kind == .migrated)
        #expect(try reports[3].outcome.get().kind == .nothingToMigrate)
        #expect(
            await router.state(at: .defaults("com.myapp", "full_name")).value == .data(Data(#""Ada Lovelace""#.utf8)))
        #expect(await router.state(at: .defaults("com.myapp", "legacy_age")) != .absent)
    }

    @Test(
        "several catalogs add up; a taken name, in whichever catalog, and a missing description are refused as a whole")
    func registration() async throws {
        let a: StorageKey<String> = Fixture.key("a"), b: StorageKey<String> = Fixture.key("b")
        let router = try await Fixture.router([], .key(a))
        try await router.registerCatalog(Fixture.Catalog(allKeys: [.key(b)]))
        let twin: StorageKey<Int> = Fixture.key("a", .keychain(service: "s"))
        let c: StorageKey<String> = Fixture.key("c")
        await #expect(throws: StorageError.duplicateKey("a")) {
            try await router.registerCatalog(Fixture.Catalog(allKeys: [.key(c), .key(twin)]))
        }
        let silent: StorageKey<Int> = Fixture.key("d", description: " ")
        await #expect(throws: StorageError.missingDescription("d")) {
            try await router.registerCatalog(Fixture.Catalog(allKeys: [.key(silent)]))
        }
        #expect(await router.registeredKeys.map(\.name) == ["a", "b"])
        await #expect(throws: StorageError.unregisteredKey("c")) { try await router.get(c) }
        await #expect(throws: StorageError.unregisteredKey("c")) { try await router.set("", for: c) }
    }

    @Test("a security that does not fit its domain is refused")
    func security() async throws {
        let keys: [StorageKey<String>] = [
            Fixture.key("k", security: .keychain(accessibility: .always)),
            Fixture.key("k", .keychain(service: "s"), security: StorageSecurity.none),
            Fixture.key("k", .encryptedFileSystem(directory: .caches), security: StorageSecurity.none),
        ]
        for key in keys {
            await #expect(throws: StorageError.self) { try await Fixture.router([], .key(key)) }
        }
    }

    @Test("no name of a file leads out of its directory", arguments: ["../x", "a/../../x", "/etc/x", "", "a//b", "."])
    func names(name: String) async throws {
        let key: StorageKey<String> = Fixture.key(name, .fileSystem(directory: .documents))
        let router = try await Fixture.router([], .key(key))
        await #expect(throws: StorageError.self) { try await router.set("x", for: key) }
    }
}
