import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Testing

@Suite("Person: what is a person, where it may be, and what the original does")
struct PersonTruthTests {
    private let migration = PersonMigration()

    private func applies(_ value: Value) -> Bool {
        migration.applies(
            to: MemoryStores([(StoredPerson.store, ["person": value])]), facts: StoredPerson.facts)
    }

    @Test(
        "any app's value named person is not taken for one; named explicitly the migration still runs",
        arguments: [
            Value.string("Peter"), .string("{}"), .string("[]"), .string(#"{"name":"Peter"}"#), .integer(5),
            .dictionary(["name": .string("Peter"), "age": .string("55")]), .data(Data([1, 2, 3])), .string("{broken"),
        ])
    func ordinary(value: Value) throws {
        #expect(!applies(value))
        let stores = MemoryStores([(StoredPerson.store, ["person": value])])
        #expect(try StoredPerson.plan(stores).outcome("0-1")?.hasPrefix("failed") ?? false)
    }

    @Test("two fields of a person are one, also where the text was cut short or the types are wrong")
    func evidence() {
        let texts =
            [StoredPerson.v0, StoredPerson.v1, StoredPerson.v2, StoredPerson.v3] + [
                #"{"name":"Peter","age":55}"#, #" {"name":"Peter","age":"5"#,
            ]
        for text in texts { #expect(applies(.string(text)), "\(text)") }
        #expect(applies(.data(Data(StoredPerson.v0.utf8))))
    }

    @Test("of two places the one with a person comes first, also where the other holds something else of that name")
    func certainPlace() throws {
        let stores = MemoryStores([
            (StoredPerson.store, ["person": .string("Peter")]),
            (.files("Documents"), ["person.json": .data(Data(StoredPerson.v0.utf8))]),
        ])
        let found = migration.factsKnown(in: stores, given: StoredPerson.facts)
        #expect(found[.personLocation]?.value == "file")
        #expect(try StoredPerson.plan(stores).outcome("0-1") == "migrates")
    }

    @Test("another person in another place stays behind, and the plan says so")
    func second() throws {
        let other = Address(store: .files("Documents"), key: "person.json")
        let stores = MemoryStores([
            (StoredPerson.store, ["person": .string(StoredPerson.v0)]),
            (other.store, ["person.json": .data(Data(StoredPerson.v1.utf8))]),
        ])
        let change = try #require(StoredPerson.plan(stores).step("0-1")?.changes.first)
        #expect(change.notes.contains("there is another person at \(other), which stays as it is"))
        let alone = try #require(
            StoredPerson.plan(StoredPerson.stores(StoredPerson.v0)).step("0-1")?.changes.first)
        #expect(!alone.notes.contains { $0.contains("another person") })
    }

    @Test("where no place holds a person, one that cannot be known is not said to be empty")
    func unknownPlace() throws {
        let keychain = StoreID.keychain(Name(StoredPerson.bundle))
        func plan(_ cause: Unreadable.Cause) throws -> Plan {
            try StoredPerson.plan(
                UnreadableStore(
                    base: StoredPerson.stores(nil), store: keychain, reason: Unreadable(cause, "a reason")))
        }
        #expect(try plan(.missing).outcome("0-1") == "blocked unreadable-not-in-dump")
        #expect(try plan(.locked).outcome("0-1") == "blocked unreadable-locked")
        #expect(try plan(.corrupt).outcome("0-1") == "failed unreadable-corrupt")
        #expect(try StoredPerson.plan(StoredPerson.stores(nil)).outcome("0-1") == "skipped absent")
    }

    @Test("a person behind a place that cannot be read is only inferred: there may be one there, which comes first")
    func unreadableFirstPlace() throws {
        let stores = MemoryStores([(.files("Documents"), ["person.json": .data(Data(StoredPerson.v0.utf8))])])
        let hidden = UnreadableStore(
            base: stores, store: StoredPerson.store, reason: Unreadable(.corrupt, "a reason"))
        let known = migration.factsKnown(in: stores, given: StoredPerson.facts)[.personLocation]
        let guessed = migration.factsKnown(in: hidden, given: StoredPerson.facts)[.personLocation]
        #expect(known?.value == "file" && guessed?.value == "file")
        #expect(known.map { if case .metadata = $0.source { true } else { false } } ?? false)
        #expect(guessed.map { if case .inferred = $0.source { true } else { false } } ?? false)
    }

    @Test("a person behind a place that is damaged is only inferred too, and steps read the other places")
    func damagedFirstPlace() throws {
        let item = KeychainItem(text: StoredPerson.v0).value, service = StoreID.keychain(Name(StoredPerson.bundle))
        let damaged = MemoryStores([
            (.files("Documents"), ["person.json": .data(Data(count: 4))]), (service, ["person": item]),
        ])
        let guessed = migration.factsKnown(in: damaged, given: StoredPerson.facts)[.personLocation]
        #expect(guessed?.value == "keychain")
        #expect(guessed.map { if case .inferred = $0.source { true } else { false } } ?? false)
        func applied(to stores: MemoryStores) throws -> [Outcome.Kind] {
            var session = try MigrationSession(stores: stores, ledger: MemoryLedger())
            let stamp = LedgerEntry.Stamp(date: Date(timeIntervalSince1970: 0), author: "me", toolVersion: "1")
            return try session.apply(
                .all, of: migration, profile: migration.profiles[0], facts: StoredPerson.facts, stamp: stamp,
                assuming: false
            ).map(\.outcome.kind)
        }
        for place: (StoreID, Name, Value) in [
            (StoredPerson.store, "person", .string("{\"name\": \"")),
            (.files("Documents"), "person.json", .data(Data("bplist00\0\u{1}garbage".utf8))),
        ] {
            let cut = MemoryStores([(place.0, [place.1: place.2]), (service, ["person": item])])
            #expect(try applied(to: cut).allSatisfy { $0 == .blocked }, "\(place)")
        }
        #expect(try applied(to: damaged).allSatisfy { $0 == .blocked }, "nobody has said where the person is")
        #expect(try applied(to: MemoryStores([(service, ["person": item])])).contains(.migrates))
        let stores = StoredPerson.stores(StoredPerson.v0)
        let facts = migration.factsKnown(in: stores, given: StoredPerson.facts)
        let step = try #require(migration.steps(profile: migration.profiles[0], facts: facts).first)
        let reads = step.preview(on: stores, origin: stores, facts: facts).reads
        #expect(reads.contains(Address(store: .files("Documents"), key: "person.json")), "\(reads)")
    }

    @Test("a person stored as data migrates, and the plan says that the app reads only a string")
    func data() throws {
        let stores = MemoryStores([(StoredPerson.store, ["person": .data(Data(StoredPerson.v0.utf8))])])
        let notes = try StoredPerson.plan(stores).step("0-1")?.changes.first?.notes ?? []
        #expect(notes.contains { $0.contains("reads only a string") })
        let text = try StoredPerson.plan(StoredPerson.stores(StoredPerson.v0)).step("0-1")?.changes.first?.notes ?? []
        #expect(!text.contains { $0.contains("reads only a string") })
        let file = MemoryStores([(.files("Documents"), ["person.json": .data(Data(StoredPerson.v0.utf8))])])
        let filed = try StoredPerson.plan(file).step("0-1")?.changes.first?.notes ?? []
        #expect(!filed.isEmpty && !filed.contains { $0.contains("reads only a string") })
    }

    @Test("the sentence of a version that is passed over speaks of that version")
    func alreadyNewer() throws {
        let sentence = try StoredPerson.plan(StoredPerson.stores(StoredPerson.v2)).step("0-1")?.outcome.reason?.sentence
        #expect(
            sentence == "the person is already version 2, by its shape; its fields are also those of version 3")
    }

    // MARK: The original

    private func original(
        _ json: String, _ selection: StepSelection = .all
    ) throws -> (text: String?, codes: [String?]) {
        var session = try MigrationSession(stores: StoredPerson.stores(json), ledger: MemoryLedger())
        let profile = try #require(migration.profiles.first { $0.id == "original" })
        let codes = session.plan(migration, profile: profile, facts: StoredPerson.facts).steps
            .map { $0.outcome.reason?.code ?? $0.outcome.kind.rawValue }
        try session.apply(selection, of: migration, profile: profile, facts: StoredPerson.facts, stamp: .person)
        if selection == .next {
            while try session.apply(
                .next, of: migration, profile: profile, facts: StoredPerson.facts, stamp: .person
            ).contains(where: { $0.entry != nil }) {}
        }
        return (session.overlay.state(at: StoredPerson.address).value?.string, codes)
    }

    /// As measured of the article's code (facts §2).
    private static let originals: [(json: String, result: String?, codes: [String])] = [
        (StoredPerson.v0, #"{"alias":"Peter","email":"---"}"#, ["migrates", "migrates", "migrates"]),
        (StoredPerson.v1, #"{"alias":"Peter","email":"p@e"}"#, ["already-newer", "migrates", "migrates"]),
        (StoredPerson.v2, nil, ["not-pending", "not-pending", "not-pending"]),
        (StoredPerson.v3, nil, ["not-pending", "not-pending", "not-pending"]),
        (
            #"{"name":"P","alias":"Q","age":"5","email":"e"}"#, nil, ["not-pending", "not-pending", "not-pending"]
        ),
        (
            #"{"name":"Peter","age":"55","email":null}"#, #"{"alias":"Peter","email":"---"}"#,
            ["migrates", "migrates", "migrates"]
        ),
        (
            #"{"version":1,"name":"P","age":"5","x":[1]}"#, #"{"alias":"P","email":"---"}"#,
            ["migrates", "migrates", "migrates"]
        ),
        (#"{"name":"Peter","age":55}"#, nil, ["not-decodable", "not-decodable", "not-decodable"]),
        ("{}", nil, ["not-decodable", "not-decodable", "not-decodable"]),
        ("garbage", nil, ["not-decodable", "not-decodable", "not-decodable"]),
    ]

    @Test("the profile original does what the article's code does, all at once and one by one", arguments: originals)
    func asTheOriginal(json: String, result: String?, codes: [String]) throws {
        let (text, found) = try original(json)
        #expect(text == result ?? json)
        #expect(found == codes)
        #expect(try original(json, .next).text == text)
    }

    @Test("the original's losses are told: fields that no type names")
    func losses() throws {
        let plan = try StoredPerson.plan(
            StoredPerson.stores(#"{"version":1,"name":"P","age":"5","x":[1]}"#), profile: "original")
        #expect(plan.step("0-1")?.changes.first?.notes == ["lost, as its type does not name it: version, x"])
        #expect(plan.step("1-2")?.changes.first?.notes == [])
    }

    @Test("a later block of the original waits for the earlier ones")
    func originalTooEarly() throws {
        var session = try MigrationSession(stores: StoredPerson.stores(StoredPerson.v0), ledger: MemoryLedger())
        let profile = try #require(migration.profiles.first { $0.id == "original" })
        let applied = try session.apply(
            .steps(["2-3"]), of: migration, profile: profile, facts: StoredPerson.facts, stamp: .person)
        #expect(applied.map(\.outcome.reason?.code) == ["earlier-steps-first"])
    }
}
