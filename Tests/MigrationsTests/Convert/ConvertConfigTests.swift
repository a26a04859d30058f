import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Systems
import Testing

@Suite("Convert: the configuration cache")
struct ConvertConfigTests {
    typealias Fixture = ConvertFixture

    @Test("V1, C4: of an SDK key only “/” becomes “_”; everything else passes through, so two keys may share a file")
    func names() {
        let cases = [
            "sk_with/slash": "config-sk_with_slash.json", "a/b": "config-a_b.json", "a_b": "config-a_b.json",
            "..": "config-...json", "a:b": "config-a:b.json", "": "config-.json", "/": "config-_.json",
            "../../x": "config-.._.._x.json", "é/ü": "config-é_ü.json",
        ]
        for (key, name) in cases {
            #expect(ConvertLocation.config(sdkKey: key).key?.text == Fixture.folder + name)
        }
    }

    @Test("the bytes are kept verbatim, also white space, order, and what the SDK does not know")
    func verbatim() async throws {
        let text = " {\"account_id\" : \"1\",\n\"_s_t\":1e3, \"x\":{}, \"is_debug\":false }\n"
        let store = Fixture().store
        try await store.saveConfig(Data(text.utf8), for: "k/1")
        #expect(await store.stores.text(ConvertLocation.config(sdkKey: "k/1")) == text)
        let config = try #require(await store.config(for: "k/1"))
        #expect(config.document.data == Data(text.utf8))
        #expect(config.accountID == "1")
    }

    @Test("no file is no configuration, silently")
    func missing() async throws {
        let store = Fixture().store
        #expect(try await store.config(for: "k") == nil)
        #expect(await store.log == [])
    }

    @Test("{} is a configuration, and a bad part spoils no other")
    func degraded() throws {
        #expect(try ConvertConfig(Data("{}".utf8)).accountID == nil)
        let text = #"{"account_id":7,"project":{"id":"p"},"goals":"none","experiences":[{"id":"e"}],"audiences":null}"#
        let config = try ConvertConfig(Data(text.utf8))
        #expect(config.accountID == nil)
        #expect(config.projectID == "p")
        #expect(ConvertConfig.Part.allCases.filter { config[$0] != nil } == [.project, .experiences])
    }

    @Test(
        "C3: a corrupt cache is a WARN, and its file is deleted",
        arguments: ["", "{", "[]", "null", "\"x\"", "{\"a\":}"])
    func corrupt(text: String) async throws {
        let store = Fixture.file(Fixture.folder + "config-k.json", text).store
        #expect(try await store.config(for: "k") == nil)
        #expect(await store.stores.state(at: ConvertLocation.config(sdkKey: "k")) == .absent)
        let log = await store.log.map(\.description)
        #expect(log.count == 1)
        #expect(log.first?.hasPrefix("[WARN] corrupt cache discarded") ?? false)
    }

    @Test("with a debug token the cache is neither read nor written, also a corrupt one")
    func debugToken() async throws {
        let store = Fixture.file(Fixture.folder + "config-k.json", "broken").store
        #expect(try await store.config(for: "k", debugToken: "t") == nil)
        try await store.saveConfig(Data("{}".utf8), for: "k", debugToken: "t")
        #expect(await store.stores.text(ConvertLocation.config(sdkKey: "k")) == "broken")
        #expect(await store.stores.written == [])
        #expect(await store.log == [])
    }

    @Test("a folder that cannot be read is not one without configurations")
    func unreadableFolder() throws {
        let stores = UnreadableStore(base: MemoryStores(), store: .files("AppSupport"))
        let migration = ConvertMigration()
        let plan = Plan(
            of: migration, profile: migration.profiles[0], facts: ConvertFixture().facts, stores: stores,
            history: History([]), check: {})
        #expect(plan.outcome("config-corrupt") == "failed unreadable-corrupt")
        #expect(plan.outcome("config-names") == "failed unreadable-corrupt")
    }
}
