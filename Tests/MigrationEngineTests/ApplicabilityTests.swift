import Foundation
import MigrationEngine
import StoreFormats
import Testing

@Suite("Whether a migration applies")
struct ApplicabilityTests {
    /// Stores some of which cannot be read.
    private struct Damaged: StoreReader {
        let base: MemoryStores
        let unreadable: [StoreID: Unreadable]

        var stores: [StoreID] { base.stores }
        func problem(with store: StoreID) -> Unreadable? { unreadable[store] }
        func keys(in store: StoreID) -> any KeyList { base.keys(in: store) }
        func state(of key: Name, in store: StoreID) -> EntryState {
            unreadable[store].map(EntryState.unreadable) ?? base.state(of: key, in: store)
        }
    }

    /// Asks for an entry, which may be unreadable, or for any keychain item.
    private struct Asking: Migration {
        let id: String
        let title = "Asking"
        let summary = "For tests."
        let profiles = [Profile(id: "only", summary: "the only one")]
        let facts: [FactDefinition] = []
        var entry: Address?

        func applies(to stores: any StoreReader, facts: Facts) -> Bool {
            guard let entry else { return !stores.stores(of: .keychain).isEmpty }
            return stores.state(at: entry) != .absent
        }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], []) }
        func steps(profile: Profile, facts: Facts) -> [Step] { [] }
    }

    private static let damage = Unreadable(.corrupt, "the file is damaged")
    private static let none = Unreadable(.missing, "no keychain")
    private static let name = Address.defaults("old", "name")
    private static let named = Asking(id: "named", entry: name)
    private static let keychain = Asking(id: "keychain")

    @Test("What is there applies, and what is not there does not")
    func known() {
        let stores = MemoryStores([(.defaults("old"), Members([Member(key: "name", value: .string("n"))]))])
        #expect(Self.named.applicability(to: stores, facts: Facts()) == .applies)
        #expect(Self.named.applicability(to: MemoryStores(), facts: Facts()) == .findsNothing)
        #expect(Self.keychain.applicability(to: MemoryStores(), facts: Facts()) == .findsNothing)
    }

    @Test("A store that cannot be read is unknown: it neither applies nor finds nothing")
    func unreadable() {
        let stores = Damaged(base: MemoryStores(), unreadable: [.defaults("old"): Self.damage])
        #expect(
            Self.named.applicability(to: stores, facts: Facts())
                == .unknown([.init(.defaults("old"), Self.damage)]))
        let other = Asking(id: "other", entry: .defaults("else", "name"))
        #expect(other.applicability(to: stores, facts: Facts()) == .findsNothing, "it did not ask for that store")
    }

    /// A store that can be read, of which a part is never in a dump of the form.
    private struct InPart: StoreReader {
        let unknown: Unreadable
        var stores: [StoreID] { [.files("group")] }
        func problem(with store: StoreID) -> Unreadable? { nil }
        func keys(in store: StoreID) -> any KeyList { Keys(["listed"]) }
        func state(of key: Name, in store: StoreID) -> EntryState { .unreadable(unknown) }
    }

    /// Looks for a part of an entry.
    private struct Parts: Migration {
        let id = "parts", title = "Parts", summary = "For tests."
        let profiles = [Profile(id: "only", summary: "the only one")]
        let facts: [FactDefinition] = []
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], []) }
        func steps(profile: Profile, facts: Facts) -> [Step] { [] }
        func applies(to stores: any StoreReader, facts: Facts) -> Bool {
            // As a step asks, whose changes lie over the stores.
            var transaction = StoreTransaction(on: stores)
            let address = Address(store: .files("Documents"), key: "sdk.plist", pointer: JSONPointer(["id"]))
            return transaction.read(address).value != nil
        }
    }

    @Test(
        "Of a file that is there and damaged it is unknown whether it is for the migration; one without the part is not"
    )
    func damagedFile() {
        func asked(_ data: Data) -> Applicability {
            Parts().applicability(
                to: MemoryStores([(.files("Documents"), ["sdk.plist": .data(data)])]), facts: Facts())
        }
        guard case .unknown(let stores) = asked(Data(count: 4)) else {
            Issue.record("\(asked(Data(count: 4)))")
            return
        }
        #expect(stores.map(\.store) == [.files("Documents")] && stores.first?.reason.cause == .corrupt)
        #expect(asked(Data("{}".utf8)) == .findsNothing && asked(Data(#"{"id": 1}"#.utf8)) == .applies)
    }

    @Test("An entry that no dump of the form holds is unknown; one that is listed and cannot be read is there")
    func unheldEntry() {
        let store = StoreID.files("group")
        func asked(_ key: Name, _ cause: Unreadable.Cause) -> Applicability {
            Asking(id: "one", entry: Address(store: store, key: key))
                .applicability(to: InPart(unknown: Unreadable(cause, "never there")), facts: Facts())
        }
        #expect(asked("caches", .missing) == .unknown([.init(store, Unreadable(.missing, "never there"))]))
        #expect(asked("listed", .missing) == .applies && asked("caches", .corrupt) == .applies)
    }

    @Test("No keychain is unknown to a migration that looks for any service")
    func noKeychain() {
        let stores = Damaged(base: MemoryStores(), unreadable: [StoreID(.keychain, ""): Self.none])
        guard case .unknown(let found) = Self.keychain.applicability(to: stores, facts: Facts()) else {
            Issue.record("it is known")
            return
        }
        #expect(found.map(\.reason) == [Self.none])
    }

    @Test("A reason is named once, with all that it keeps from being told")
    func reasons() {
        let stores = Damaged(
            base: MemoryStores(), unreadable: [.defaults("old"): Self.damage, StoreID(.keychain, ""): Self.none])
        let found = ApplicableMigrations(
            among: [Self.named, Self.keychain, Asking(id: "again", entry: Self.name)], in: stores, facts: Facts())
        #expect(found.applying.isEmpty)
        #expect(found.unknownReasons.map(\.reason) == [Self.damage, Self.none])
        #expect(found.unknownReasons.map(\.isOfKeychain) == [false, true])
        #expect(found.unknownReasons.map { $0.migrations.map(\.id) } == [["named", "again"], ["keychain"]])
    }
}
