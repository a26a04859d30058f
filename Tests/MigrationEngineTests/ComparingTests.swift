import Foundation
import StoreFormats
import Synchronization
import Testing

@testable import MigrationEngine

@Suite("Stores before and after")
struct ComparingTests {
    private static let old = StoreID.defaults("com.acme.notes"), new = StoreID.defaults("com.acme.notes.v2")

    /// Three steps: one writes a text of a number, one moves a name, one waits for a fact.
    private struct Moves: Migration {
        let id = "moves", title = "Moves", summary = ""
        let profiles = [Profile(id: "default", summary: "")]
        let facts = [FactDefinition("key", "a key", form: .name, example: "k")]
        func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([old], [new]) }
        func steps(profile: Profile, facts: Facts) -> [Step] {
            [
                Step(id: "session", title: "", sources: [Address(store: old, key: "session")], rule: "text") {
                    transaction, _ throws(StepStop) in
                    guard case .integer(let number)? = transaction.read(Address(store: old, key: "session")).value
                    else { throw .skipped("absent", "there is none") }
                    try transaction.write(
                        .string("\(number)"), to: Address(store: new, key: "session"),
                        from: [Address(store: old, key: "session")], rule: "text")
                },
                Step(id: "name", title: "", sources: [Address(store: old, key: "name")], rule: "moved") {
                    transaction, _ throws(StepStop) in
                    let source = Address(store: old, key: "name")
                    guard let value = transaction.read(source).value else { throw .skipped("absent", "none") }
                    try transaction.write(value, to: Address(store: new, key: "name"), from: [source], rule: "moved")
                    transaction.remove(source, rule: "moved", effect: .carried)
                },
                Step(
                    id: "key", title: "", sources: [], target: Address(store: new, key: "key"), rule: "the key",
                    facts: ["key"]
                ) { _, facts throws(StepStop) in try facts.require("key") },
            ]
        }
    }

    private static func stores(_ old: [(Name, Value)], _ new: [(Name, Value)] = []) -> MemoryStores {
        func members(_ all: [(Name, Value)]) -> Members { Members(all.map { Member(key: $0.0, value: $0.1) }) }
        return MemoryStores([(Self.old, members(old)), (Self.new, members(new))].filter { !$0.1.isEmpty })
    }

    private static func verdicts(_ comparison: StoreComparison) -> [String: StoreComparison.Verdict?] {
        Dictionary(
            uniqueKeysWithValues: comparison.entries.map {
                ("\($0.address)".split(separator: "/").dropFirst().joined(separator: "/"), $0.verdict)
            })
    }

    @Test("An item without a time to read it differs from one with it, where the dump tells that of others")
    func access() {
        func item(_ code: Value?) -> Value {
            KeychainItem(text: "x", attributes: Members(code.map { [Member(key: "pdmn", value: $0)] } ?? [])).value
        }
        func marks(_ before: Members, _ after: Members) -> [StoreComparison.Mark] {
            let store = StoreID.keychain("svc")
            return StoreComparison(MemoryStores([(store, before)]), MemoryStores([(store, after)])).entries.map(\.mark)
        }
        let told = item(.string("ck")), untold = item(nil)
        #expect(marks(["a": told, "b": told], ["a": untold, "b": told]) == [.changed])
        #expect(marks(["a": untold, "b": told], ["a": told, "b": told]) == [.changed])
        #expect(marks(["a": told], ["a": untold]).isEmpty, "a form of export that does not tell it")
    }

    @Test("Without a migration: same, changed, added, removed, each by value")
    func marks() throws {
        let traits: Value = .dictionary([("a", .integer(1))])
        let comparison = StoreComparison(
            Self.stores([
                ("same", .integer(1)), ("changed", .integer(1)), ("removed", .integer(1)),
                ("json", .string(#"{"a":1}"#)), ("form", .data(try KeyedArchive.write(traits))),
            ]),
            Self.stores([
                ("same", .integer(1)), ("changed", .string("1")), ("json", .string(#"{ "a": 1 }"#)),
                ("form", .string(#"{"a":1}"#)), ("added", .bool(true)),
            ]))
        #expect(comparison.same.map(\.key) == ["same", "json"])
        let marks = comparison.entries.map { "\($0.address.key?.text ?? "") \($0.mark)" }
        #expect(marks == ["changed changed", "removed removed", "form same", "added added"])
        #expect(comparison.marks == [.same: 3, .changed: 1, .removed: 1, .added: 1])
        #expect(comparison.verdicts.isEmpty)
    }

    @Test("JSON with an integer where it had a real number is the same in another form; other white space is none")
    func numberForms() {
        let comparison = StoreComparison(
            Self.stores([("number", .string(#"{"a":1.0}"#)), ("space", .string("[2]"))]),
            Self.stores([("number", .string(#"{"a":1}"#)), ("space", .string("[ 2]"))]))
        #expect(comparison.entries.map(\.address.key) == ["number"] && comparison.same.map(\.key) == ["space"])
        #expect(comparison.marks == [.same: 2])
        #expect(
            comparison.entries.first?.forms
                == .otherForm("JSON in string with a real number", "JSON in string with an integer"))
    }

    @Test("With a migration: as planned, differs, missing, not planned, and why nothing was planned")
    func verdicts() throws {
        let before = Self.stores([("session", .integer(7)), ("name", .string("Ada")), ("theme", .integer(1))])
        func compare(_ old: [(Name, Value)], _ new: [(Name, Value)]) -> StoreComparison {
            StoreComparison(before, Self.stores(old, new), with: (Moves(), Moves().profiles[0]))
        }
        let session: (Name, Value) = ("session", .integer(7)), theme: (Name, Value) = ("theme", .integer(1))
        let asPlanned = compare([session, theme], [("session", .string("7")), ("name", .string("Ada"))])
        #expect(asPlanned.verdicts == [.asPlanned: 3])
        #expect(asPlanned.same.map(\.key) == ["session", "theme"])

        let wrong = compare(
            [session, ("name", .string("Ada")), ("theme", .integer(2))],
            [("session", .integer(7)), ("key", .string("k"))])
        #expect(
            wrong.entries.map { "\($0.address) \($0.verdict?.rawValue ?? "")" } == [
                "defaults://com.acme.notes.v2/session differs", "defaults://com.acme.notes.v2/name missing",
                "defaults://com.acme.notes/name differs", "defaults://com.acme.notes/theme not-planned",
                "defaults://com.acme.notes.v2/key not-planned",
            ])
        #expect(wrong.entries.last?.idle?.id == "key")
        #expect(wrong.entries.first?.planned?.sources.map(\.state) == [.present(.integer(7))])
    }

    @Test("What cannot be read is unknown, neither absent nor as planned; of a store as a whole it is said once")
    func unreadable() {
        let before = Self.stores([("session", .integer(7)), ("name", .string("Ada"))])
        let locked = Shut(stores: [Self.old, Self.new], keys: [:])
        let store = StoreComparison(before, locked, with: (Moves(), Moves().profiles[0]))
        #expect(store.verdicts == [.unknown: 3])
        #expect(store.unreadableStores.map(\.store) == [Self.old, Self.new])
        #expect(store.same.isEmpty && store.marks[.removed] == nil)

        let entry = StoreComparison(before, Shut(stores: [Self.old], keys: [Self.old: ["name", "session"]]))
        #expect(entry.marks == [.same: 0, .unknown: 2])
    }

    @Test("Where neither side lists all of its entries, they are not the same")
    func cutListings() {
        let cut = CutListing(stores: [Self.old])
        #expect(StoreComparison(cut, cut).unreadableStores.map(\.store) == [Self.old])
    }

    @Test("A fact that only the stores after tell is taken from them, and says so")
    func facts() throws {
        struct Told: Migration {
            let id = "told", title = "", summary = ""
            let profiles = [Profile(id: "default", summary: "")]
            let facts = [FactDefinition("key", "a key", form: .name, example: "k")]
            var clues: [FactClue] {
                [FactClue("key", in: "the new store") { _ in Address(store: ComparingTests.new, key: "key") }]
            }
            func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
            func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], []) }
            func steps(profile: Profile, facts: Facts) -> [Step] { [] }
        }
        let comparison = StoreComparison(
            Self.stores([("a", .integer(1))]), Self.stores([], [("key", .string("k-1"))]),
            with: (Told(), Told().profiles[0]))
        let fact = try #require(comparison.plan?.facts["key"])
        #expect(fact.value == "k-1")
        #expect("\(fact.source)".hasSuffix("key, after the update"))
    }

    @Test("Of a SQLite file whose rows are stores the rows are compared, not the bytes")
    func databases() {
        let table = SQLiteTable("items", of: "a.sqlite", in: "Library").store
        func stores(_ byte: UInt8, _ row: Value) -> MemoryStores {
            MemoryStores([
                (
                    .files("Library"),
                    Members([
                        Member(key: "a.sqlite", value: .data(Data([byte]))),
                        Member(key: "a.sqlite-wal", value: .data(Data([byte]))),
                    ])
                ),
                (table, Members([Member(key: "1", value: row)])),
            ])
        }
        #expect(StoreComparison(stores(1, .integer(1)), stores(2, .integer(1))).entries.isEmpty)
        #expect(StoreComparison(stores(1, .integer(1)), stores(2, .integer(2))).entries.map(\.address.store) == [table])
    }

    @Test("of two layers over the same stores only what one of them changes is read")
    func layers() {
        let stores = ReadKeys()
        var after = Overlay(stores)
        after.apply(
            Change(
                address: .defaults("app", "a"), before: .present(.integer(1)), after: .integer(2), rule: "", notes: []))
        let comparison = StoreComparison(of: Overlay(stores), and: after)
        #expect(comparison.entries.map(\.address) == [.defaults("app", "a")])
        #expect(Set(stores.read.withLock { $0 }) == [.defaults("app", "a")])
    }
}

/// Stores that are there and cannot be read: as a whole, or where keys are listed entry by entry.
private struct Shut: StoreReader {
    let stores: [StoreID]
    let keys: [StoreID: [Name]]
    private static let reason = Unreadable(.locked, "it is locked")

    func problem(with store: StoreID) -> Unreadable? {
        keys[store] == nil && stores.contains(store) ? Self.reason : nil
    }
    func keys(in store: StoreID) -> any KeyList { Keys(keys[store] ?? []) }
    func state(of key: Name, in store: StoreID) -> EntryState { .unreadable(Self.reason) }
}

/// Stores with one entry, behind which the list of entries is damaged.
private struct CutListing: StoreReader {
    private struct List: KeyList {
        let count = 1
        func key(at position: Int) -> Name { "a" }
        func positions(of key: Name) -> [Int] { key == "a" ? [0] : [] }
        func problem(under prefix: Name) -> Unreadable? { Unreadable(.corrupt, "the list is cut") }
    }

    let stores: [StoreID]

    func problem(with store: StoreID) -> Unreadable? { nil }
    func keys(in store: StoreID) -> any KeyList { List() }
    func state(of key: Name, in store: StoreID) -> EntryState { key == "a" ? .present(.integer(1)) : .absent }
}

/// A domain and a keychain service that note which entries are read.
private final class ReadKeys: StoreReader {
    let read = Mutex<[Address]>([])
    var stores: [StoreID] { [.defaults("app"), .keychain("com.acme")] }
    func problem(with store: StoreID) -> Unreadable? { nil }
    func keys(in store: StoreID) -> any KeyList { Keys(["a", "b"]) }
    func state(of key: Name, in store: StoreID) -> EntryState {
        read.withLock { $0.append(Address(store: store, key: key)) }
        return .present(.integer(1))
    }
}
