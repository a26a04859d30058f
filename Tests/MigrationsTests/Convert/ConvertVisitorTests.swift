import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Systems
import Testing

@Suite("Convert: the visitor's id, as the persistence layer resolves it")
struct ConvertVisitorTests {
    typealias Fixture = ConvertFixture

    @Test("an explicit id is taken verbatim, without any access to the stores; the empty one counts as absent")
    func explicit() async throws {
        let obstacle = Unreadable(.locked, "locked")
        let locked = Fixture(mirror: .string(Fixture.mirrored), obstacle: obstacle).store
        #expect(try await locked.visitorID(explicit: " me@acme.com ") == " me@acme.com ")
        #expect(await locked.stores.written == [])
        #expect(await locked.log == [], "the locked keychain was not asked")
        let kept = Fixture(keychain: Fixture.item(Fixture.kept)).store
        #expect(try await kept.visitorID(explicit: "") == Fixture.kept)
    }

    @Test("V3: the keychain's id is taken without a write, and never repairs a missing or stale mirror")
    func keychain() async throws {
        for mirror in [nil, Value.string(Fixture.mirrored), .string("")] {
            let store = Fixture(keychain: Fixture.item(Fixture.kept), mirror: mirror).store
            #expect(try await store.visitorID() == Fixture.kept)
            #expect(await store.stores.written == [])
        }
    }

    @Test("V4: a keychain miss takes the mirror's id and backfills it with one keychain write; “” is a miss")
    func mirror() async throws {
        for keychain in [nil, Fixture.item("")] {
            let store = Fixture(keychain: keychain, mirror: .string(Fixture.mirrored)).store
            #expect(try await store.visitorID() == Fixture.mirrored)
            #expect(await store.stores.written == [ConvertLocation.visitorID])
            #expect(await store.stores.state(at: ConvertLocation.visitorID).value == Fixture.item(Fixture.mirrored))
            #expect(try await store.visitorID() == Fixture.mirrored)
            #expect(await store.stores.written.count == 1, "backfilled once")
        }
    }

    @Test("a mirror that is a number is its text, as UserDefaults reads it")
    func numericMirror() async throws {
        #expect(try await Fixture(mirror: .integer(42)).store.visitorID() == "42")
    }

    @Test("neither store holds an id: a fresh one goes into both, and an INFO line says so; “” in both is neither")
    func fresh() async throws {
        for fixture in [Fixture(), Fixture(keychain: Fixture.item(""), mirror: .string(""))] {
            let store = fixture.store
            #expect(try await store.visitorID() == Fixture.fresh)
            #expect(await store.stores.text(ConvertLocation.visitorID) == Fixture.fresh)
            #expect(await store.stores.text(Fixture.mirror) == Fixture.fresh)
            #expect(await store.log == [.freshVisitorID])
            #expect(await store.log.first?.level == .info)
            #expect(try await store.visitorID() == Fixture.fresh)
        }
    }

    @Test("a keychain that cannot be read is a WARN and the mirror's id: the visitor stays, and nothing is written")
    func unreadable() async throws {
        let store = Fixture(mirror: .string(Fixture.mirrored), obstacle: Unreadable(.locked, "it is locked")).store
        #expect(try await store.visitorID() == Fixture.mirrored)
        #expect(await store.stores.text(Fixture.mirror) == Fixture.mirrored)
        #expect(await store.stores.written == [])
        let lines = await store.log.map(\.description)
        #expect(lines == ["[WARN] storage error: it is locked"])
    }

    @Test("without a mirror a fresh id goes into the mirror alone: what the keychain holds is not known")
    func unreadableWithoutMirror() async throws {
        let store = Fixture(obstacle: Unreadable(.locked, "it is locked")).store
        #expect(try await store.visitorID() == Fixture.fresh)
        #expect(await store.stores.written == [Fixture.mirror])
        #expect(try await store.visitorID() == Fixture.fresh, "the mirror keeps it")
        #expect(await store.stores.written.count == 1)
    }

    @Test("a mirror that cannot be read is not an empty one, with and without a keychain")
    func unreadableMirror() async throws {
        for obstacle in [nil, Unreadable(.locked, "it is locked")] {
            let store = Fixture(obstacle: obstacle, lockedFile: Fixture.mirror).store
            await #expect(throws: StepStop.self) { try await store.visitorID() }
            #expect(await store.stores.written == [])
        }
        let kept = Fixture(keychain: Fixture.item(Fixture.kept), lockedFile: Fixture.mirror).store
        #expect(try await kept.visitorID() == Fixture.kept)
    }

    @Test("an id that ends in NUL, as old exports write it, is the id")
    func trailingNUL() async throws {
        let fixture = Fixture(keychain: Fixture.item(Fixture.kept + "\0"), mirror: .string(Fixture.kept))
        #expect(try await fixture.store.visitorID() == Fixture.kept)
        #expect(fixture.plan().outcome("visitor-keychain") == "unchanged")
        #expect(fixture.plan().outcome("visitor-mirror") == "unchanged")
    }

    @Test("keychain bytes that are no UTF-8 count as a miss with a WARN; the attributes of the item stay")
    func notText() async throws {
        let item = KeychainItem(data: Data([0xFF, 0xFE]), attributes: ["pdmn": .string("ak"), "labl": .string("x")])
        let store = Fixture(keychain: item.value, mirror: .string(Fixture.mirrored)).store
        #expect(try await store.visitorID() == Fixture.mirrored)
        #expect(await store.log == [.keychainNotText])
        let expected = KeychainItem(text: Fixture.mirrored, attributes: item.attributes)
        #expect(await store.stores.state(at: ConvertLocation.visitorID).value == expected.value)
    }

    @Test("C2: the keychain account and the mirror's key are those of the SDK")
    func addresses() {
        #expect("\(ConvertLocation.visitorID)" == "keychain://com.convert.sdk/com.convert.sdk.visitorId")
        #expect("\(Fixture.mirror)" == "defaults://com.acme.shop/com.convert.sdk.visitorIdMirror")
    }
}
