import MigrationEngine
import StoreFormats
import Testing

@Suite("Migrations that apply to one dump and disagree")
struct CollisionTests {
    /// Writes one value to one entry.
    private struct Writer: Migration {
        let id: String
        let value: Value
        let title = "Writer", summary = "Writes."
        let profiles = [Profile(id: "only", summary: "the only variant")]
        let facts: [FactDefinition] = []

        static let target = Address.defaults("a", "k")

        func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], [.defaults("a")]) }

        func steps(profile: Profile, facts: Facts) -> [Step] {
            [
                Step(id: "write", title: "Write", sources: [], target: Self.target, rule: "it is written") {
                    [value] transaction, _ throws(StepStop) in
                    try transaction.write(value, to: Self.target, rule: "it is written")
                }
            ]
        }
    }

    private func plan(_ id: String, _ value: Value) -> Plan {
        let migration = Writer(id: id, value: value)
        return Plan(
            of: migration, profile: migration.profiles[0], facts: Facts(), stores: MemoryStores(), history: History([]),
            check: {})
    }

    @Test("an entry that two of them would leave in different states is told, with both names")
    func different() {
        let collisions = Plan.collisions(among: [plan("one", .integer(1)), plan("two", .integer(2))])
        #expect(collisions.map(\.address) == [Writer.target])
        #expect(collisions.map(\.migrations) == [["one", "two"]])
    }

    @Test("two that would write the same do not collide, nor does one alone")
    func same() {
        #expect(Plan.collisions(among: [plan("one", .integer(1)), plan("two", .integer(1))]).isEmpty)
        #expect(Plan.collisions(among: [plan("one", .integer(1))]).isEmpty)
    }
}
