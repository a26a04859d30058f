import MigrationEngine
import StoreFormats
import Testing

@Suite("Facts that the stores tell")
struct FactClueTests {
    @Test("A guess that was agreed to earlier is recorded as the guess that it was, and only where a step rests on it")
    func agreedEarlier() throws {
        var session = try MigrationSession(
            stores: MemoryStores([(SampleMigration.old, ["name": .string("Peter")])]), ledger: MemoryLedger())
        let migration = SampleMigration()
        let facts = Facts(["greeting": Fact("hello", from: .ledger(entry: 7, guessed: .assumed("it is usual")))])
        #expect(facts["greeting"]?.source.isGuess == false, "nobody is asked again")
        let entries = try session.apply(
            .all, of: migration, profile: migration.profiles[0], facts: facts, stamp: .test, assuming: false
        ).compactMap(\.entry)
        #expect(entries.map(\.step) == ["name", "greeting", "clean-up"])
        #expect(entries.map { $0.facts["greeting"]?.source } == [nil, .assumed("it is usual"), nil])
    }

    /// A migration that looks for a UUID in two places, the second named by another fact.
    private struct Looking: Migration {
        let id = "looking"
        let title = "Looking"
        let summary = "Looks for facts."
        let profiles = [Profile(id: "only", summary: "the only one")]
        let facts = [FactDefinition("device", "the device", form: .uuid, example: FactClueTests.one)]
        let clues = [
            FactClue("place", in: "the first store") { stores, _ in
                stores.stores.prefix(1).map { Fact($0.name.text, inferredFrom: Address(store: $0)) }
            },
            FactClue("device", in: "the entry id") { known in
                known["place"].map { Address(store: .defaults(Name($0.value)), key: "id") }
            },
            FactClue("device", in: "the entry old") { known in
                known["place"].map {
                    Address(store: .defaults(Name($0.value)), key: "old", pointer: JSONPointer(["id"]))
                }
            },
        ]

        func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], []) }
        func steps(profile: Profile, facts: Facts) -> [Step] { [] }
    }

    static let one = "9B574574-74A7-4EDF-969D-164CB151B6C3"
    private static let two = "00000000-74A7-4EDF-969D-164CB151B6C3"

    private func known(_ members: Members, given: Facts = Facts()) -> Facts {
        Looking().factsKnown(in: MemoryStores([(.defaults("app"), members)]), given: given)
    }

    @Test("a fact is inferred with its address, and may say where the next one stands")
    func inferred() {
        let known = known(["old": .string(#"{"id":"\#(Self.one)"}"#)])
        #expect(known["place"] == Fact("app", from: .inferred("defaults://app")))
        #expect(known["device"] == Fact(Self.one, from: .inferred("defaults://app/old#/id")))
    }

    @Test("what has not the form of the fact tells nothing")
    func form() {
        let known = known(["id": .string("none"), "old": .dictionary(["id": .string(Self.one)])])
        #expect(known["device"]?.value == Self.one)
        #expect(self.known(["id": .integer(4)])["device"] == nil)
    }

    @Test("of two values neither is taken, and what needs the fact names both; an assumed value goes on")
    func rivals() {
        let both: Members = ["id": .string(Self.one), "old": .dictionary(["id": .string(Self.two)])]
        let known = known(both)
        #expect(known["device"] == nil)
        let stop = #expect(throws: StepStop.self) { try known.require("device") }
        #expect(stop?.outcome.reason?.missingFacts == ["device"])
        for text in [Self.one, Self.two, "defaults://app/id", "defaults://app/old#/id"] {
            #expect(stop?.outcome.reason?.sentence.contains(text) == true, "\(text)")
        }
        #expect(self.known(["id": .string(Self.one), "old": .dictionary(["id": .string(Self.one)])]).rivals.isEmpty)
    }

    @Test("what was given, or the dump says of itself, goes before; what is only assumed does not")
    func precedence() {
        let members: Members = ["id": .string(Self.one)]
        for source in [FactSource.given("--fact"), .ledger(entry: 1), .metadata("Info.plist")] {
            let known = known(members, given: Facts(["device": Fact(Self.two, from: source)]))
            #expect(known["device"] == Fact(Self.two, from: source))
        }
        let known = known(members, given: Facts(["device": Fact(Self.two, from: .assumed("it is likely"))]))
        #expect(known["device"]?.value == Self.one)
    }
}
