import Foundation
import MigrationEngine
import Migrations
import Sealing
import StoreFormats
import Testing

private typealias Fixture = LocalDataFixture

@Suite("LocalData: a source's policy, the data serializer, and what a migration may know")
struct StoragePolicyTests {
    private static let policy = StorageSecurity.encrypted(
        EncryptionPolicy(cipher: .chaChaPoly, material: .given("main")))

    @Test("a sealed source is opened with its own policy, and what it held is secured with the destination's")
    func sealedSource() async throws {
        let source: StorageKey<String> = Fixture.key(
            "old", .encryptedFileSystem(directory: .documents), security: Self.policy)
        let target: StorageKey<String> = Fixture.key("new", .keychain(service: nil)) { key in
            AnyStorageMigration(SimpleLegacyMigration(destinationKey: key, sourceKey: .key(source)))
        }
        let router = try await Fixture.router([], .key(source), .key(target))
        try await router.set("hello", for: source)
        let file = Address(store: .files("Documents"), key: "LocalData/old.sealed")
        let bytes = try #require(await router.state(at: file).value?.data)
        #expect(!bytes.contains(Data("hello".utf8)), "it is really sealed")
        #expect(try await router.get(target) == "hello")
        #expect(await router.state(at: file) == .absent)
        let item = try #require(
            await router.state(at: Address(store: .keychain("com.myapp"), key: "new")).value.flatMap(KeychainItem.init))
        #expect(item.text == #""hello""#)
    }

    @Test("the data serializer stores the bytes as they are")
    func dataSerializer() async throws {
        let key: StorageKey<Data> = Fixture.key("blob", serializer: .data)
        let router = try await Fixture.router([], .key(key))
        let bytes = Data([0, 255, 1, 128])
        try await router.set(bytes, for: key)
        #expect(await router.state(at: .defaults("com.myapp", "blob")) == .present(.data(bytes)))
        #expect(try await router.get(key) == bytes)
    }

    @Test("the context is the facts': app, device and system; what is not given is not known")
    func context() {
        let facts = Facts([
            .appVersion: Fact("2.3.1", from: "test"), .deviceModel: Fact("iPhone14,2", from: "test"),
            .systemVersion: Fact("17.5", from: "test"),
        ])
        #expect(
            MigrationContext(facts: facts)
                == MigrationContext(appVersion: "2.3.1", deviceModel: "iPhone14,2", systemVersion: "17.5"))
        #expect(MigrationContext(facts: Facts()) == MigrationContext())
    }
}
