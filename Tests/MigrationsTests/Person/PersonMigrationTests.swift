import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Testing

@Suite("Person: the migration")
struct PersonMigrationTests {
    private func session(_ json: String?) throws -> MigrationSession<MemoryLedger> {
        try MigrationSession(stores: StoredPerson.stores(json), ledger: MemoryLedger())
    }

    private let migration = PersonMigration()

    private func apply(
        _ selection: StepSelection, _ session: inout MigrationSession<MemoryLedger>
    ) throws -> [AppliedStep] {
        try session.apply(
            selection, of: migration, profile: migration.profiles[0], facts: StoredPerson.facts, stamp: .person)
    }

    private func text(_ stores: any StoreReader) -> String? { stores.state(at: StoredPerson.address).value?.string }

    @Test("every version comes to version 3, also where versions were skipped", arguments: StoredPerson.all)
    func all(row: StoredPerson) throws {
        var session = try session(row.json)
        let applied = try apply(.all, &session)
        #expect(text(session.overlay) == row.migrated ?? row.json)
        #expect(applied.compactMap(\.entry).isEmpty == (row.migrated == nil))
        #expect(session.overlay.state(of: "theme", in: StoredPerson.store) == .present(.string("dark")))
    }

    @Test(
        "each step alone, on the version that it starts from",
        arguments: [
            (StoredPerson.v0, "0-1", #"{"age":"55","name":"Peter","email":"---"}"#),
            (StoredPerson.v1, "1-2", #"{"age":"55","email":"p@e","alias":"Peter"}"#),
            (StoredPerson.v2, "2-3", #"{"alias":"Peter","email":"p@e"}"#),
        ])
    func alone(json: String, step: String, expected: String) throws {
        var session = try session(json)
        let applied = try apply(.steps([step]), &session)
        #expect(applied.map(\.outcome) == [.migrates])
        #expect(text(session.overlay) == expected)
    }

    @Test(
        "a step of another version than the stored one is left, with the reason",
        arguments: [
            (StoredPerson.v0, ["migrates", "migrates", "migrates"]),
            (StoredPerson.v1, ["skipped already-newer", "migrates", "migrates"]),
            (StoredPerson.v2, ["skipped already-newer", "skipped already-newer", "migrates"]),
            (StoredPerson.v3, Array(repeating: "skipped already-newer", count: 3)),
        ])
    func outcomes(json: String, expected: [String]) throws {
        let plan = try StoredPerson.plan(StoredPerson.stores(json))
        #expect(plan.steps.map(\.id) == ["0-1", "1-2", "2-3"])
        #expect(["0-1", "1-2", "2-3"].map { plan.outcome($0) } == expected)
        if expected[0] == "skipped already-newer" {
            let sentence = plan.step("0-1")?.outcome.reason?.sentence
            #expect(sentence?.contains("already") ?? false)
        }
    }

    @Test("a later step taken alone waits for the earlier ones and names them")
    func tooEarly() throws {
        var session = try session(StoredPerson.v0)
        let applied = try apply(.steps(["2-3"]), &session)
        #expect(applied.map(\.outcome.reason?.code) == ["earlier-steps-first"])
        #expect(applied[0].outcome.reason?.sentence.contains("0-1, 1-2") ?? false)
        #expect(session.history.entries.isEmpty)
    }

    @Test("one step after the other, forward and back: what is seen is each version in turn, and the end is the start")
    func forwardAndBack() throws {
        var session = try session(StoredPerson.v0)
        var seen = [text(session.overlay)]
        for step in ["0-1", "1-2", "2-3"] {
            #expect(try apply(.next, &session).map(\.step.id) == [step])
            seen.append(text(session.overlay))
            let plan = session.plan(migration, profile: migration.profiles[0], facts: StoredPerson.facts)
            let applied = plan.steps.filter { $0.status == .applied }
            #expect(applied.allSatisfy { $0.outcome == .unchanged }, "a step that later ones built on is not undone")
            #expect(plan.pending.count == 3 - applied.count)
        }
        #expect(try apply(.next, &session).isEmpty)
        for expected in seen.reversed().dropFirst() {
            try session.rollback(.last, stamp: .person)
            #expect(text(session.overlay) == expected)
        }
        #expect(session.overlay.editedStores.isEmpty, "byte for byte what it was")
    }

    @Test("law: all at once in memory is step by step", arguments: StoredPerson.all.filter { $0.migrated != nil })
    func composed(row: StoredPerson) throws {
        let document = PersonDocument.document(at: StoredPerson.address)
        let before = try JSONDocument(Data(row.json.utf8))
        let from = try #require(row.version.number)
        let draft = try document.migrate(before, from: from, to: 3)
        #expect(String(decoding: draft.document.data, as: UTF8.self) == row.migrated)
        let undone = try document.undo(draft.document, from: 3, to: from, before: before)
        #expect(undone.document.value.isEquivalentJSON(to: before.value))
    }

    @Test("the made-up e-mail is a placeholder in the plan, by a mark and in words; nothing else is")
    func placeholder() throws {
        let plan = try StoredPerson.plan(StoredPerson.stores(StoredPerson.v0))
        #expect(plan.step("0-1")?.changes.first?.placeholders == [JSONPointer(["email"])])
        #expect(plan.step("0-1")?.changes.first?.notes.contains { $0.contains("placeholder") } ?? false)
        #expect(plan.step("1-2")?.changes.first?.placeholders == [])
        #expect(
            try StoredPerson.plan(StoredPerson.stores(StoredPerson.v1)).steps.flatMap(\.changes).allSatisfy {
                $0.placeholders.isEmpty
            })
    }

    @Test("what a step is undone from: its result, its result, what it set aside")
    func reversibility() {
        let steps = migration.steps(profile: migration.profiles[0], facts: StoredPerson.facts)
        #expect(steps.map(\.reversibility) == [.exact, .exact, .complement])
        #expect(
            steps.map(\.rule) == [
                #"adds /email as "---", a placeholder"#, "renames /name to alias", "removes /age",
            ])
    }

    @Test("the rules as tables are those of the definitions that run")
    func tables() {
        let tables = migration.tables(profile: migration.profiles[0])
        #expect(tables.map(\.columns) == [["version", "fields", "and none of"], ["versions", "rule", "undone from"]])
        #expect(
            tables.map(\.rows) == [
                [
                    ["0", "name (string), age (string)", "email, alias"],
                    ["1", "name (string), age (string), email (string)", "alias"],
                    ["2", "alias (string), age (string), email (string)", "name"],
                    ["3", "alias (string), email (string)", "name, age"],
                ],
                [
                    ["0 → 1", #"adds /email as "---", a placeholder"#, "its result alone"],
                    ["1 → 2", "renames /name to alias", "its result alone"],
                    ["2 → 3", "removes /age", "what it set aside"],
                ],
            ])
    }

    @Test("without a bundle identifier the steps are blocked, and say what they would do")
    func noBundle() {
        let steps = migration.steps(profile: migration.profiles[0], facts: Facts())
        let known = migration.steps(profile: migration.profiles[1], facts: StoredPerson.facts)
        #expect(steps.map(\.rule) == known.map(\.rule))
        let preview = steps[0].preview(
            on: StoredPerson.stores(StoredPerson.v0), origin: StoredPerson.stores(nil), facts: Facts())
        #expect(preview.outcome.reason?.missingFacts == [.bundleIdentifier])
        // What is there is seen; whose it is must be said.
        #expect(migration.applies(to: StoredPerson.stores(StoredPerson.v0), facts: Facts()))
        #expect(!migration.applies(to: StoredPerson.stores(nil), facts: Facts()))
    }

    // MARK: Places

    private static let places: [(PersonLocation, Value, Value)] = [
        (.defaults, .string(StoredPerson.v2), .string(#"{"alias":"Peter","email":"p@e"}"#)),
        (.defaults, .data(Data(StoredPerson.v2.utf8)), .data(Data(#"{"alias":"Peter","email":"p@e"}"#.utf8))),
        (.file, .data(Data(StoredPerson.v2.utf8)), .data(Data(#"{"alias":"Peter","email":"p@e"}"#.utf8))),
        (
            .keychain, KeychainItem(text: StoredPerson.v2, attributes: ["pdmn": .string("ck")]).value,
            KeychainItem(text: #"{"alias":"Peter","email":"p@e"}"#, attributes: ["pdmn": .string("ck")]).value
        ),
    ]

    @Test("the same pipeline on UserDefaults, a file and a keychain item, found by itself or named", arguments: 0..<4)
    func places(index: Int) throws {
        let (location, before, after) = Self.places[index]
        let address = location.address(bundleIdentifier: StoredPerson.bundle)
        var stores = MemoryStores([(StoredPerson.store, ["theme": .string("dark")])])
        var members = stores[address.store] ?? Members()
        members[try #require(address.key)] = before
        stores[address.store] = members
        #expect(migration.applies(to: stores, facts: StoredPerson.facts))
        for profile in ["found", location.rawValue] {
            let plan = try StoredPerson.plan(stores, profile: profile)
            #expect(plan.pending.map(\.id) == ["2-3"])
            let change = try #require(plan.step("2-3")?.changes.first)
            #expect(change.address == address)
            #expect(change.after == after)
        }
        for other in PersonLocation.allCases where other != location {
            #expect(try StoredPerson.plan(stores, profile: other.rawValue).outcome("2-3") == "skipped absent")
        }
    }

    @Test("a place that is given and is none blocks the steps, but where the profile names the place")
    func unknownPlace() throws {
        var facts = StoredPerson.facts
        facts[.personLocation] = Fact("cloud", from: "--fact")
        let stores = StoredPerson.stores(StoredPerson.v0)
        for (profile, code) in [("found", "blocked malformed-fact"), ("defaults", "migrates")] {
            let profile = try #require(migration.profiles.first { $0.id == profile })
            let plan = Plan(
                of: migration, profile: profile, facts: facts, stores: stores, history: History([]), check: {})
            #expect(plan.outcome("0-1") == code)
        }
    }

    @Test("nowhere a person: it does not apply")
    func nowhere() {
        #expect(!migration.applies(to: StoredPerson.stores(nil), facts: StoredPerson.facts))
    }
}
