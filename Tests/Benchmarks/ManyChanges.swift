import Foundation
import MigrationEngine
import Specs
import StoreFormats

/// How long the engine takes to plan a step that moves many entries from one store to another, in Swift and by a spec.
///
/// Writes `COUNT MEDIAN MEDIAN-BY-SPEC` with the times in microseconds.
enum ManyChanges {
    private static let runs = 5

    private static let spec = """
        vestige: migration/1
        id: moving
        steps: [{id: all, from: defaults://old/key.*, to: defaults://new/key.*, source: remove}]
        """

    static func measure(_ count: Int) throws {
        let members = Members((0..<count).map { Member(key: "key.\($0)", value: .integer(Int128($0))) })
        let stores = MemoryStores([(Moving.old, members)])
        let migrations: [any Migration] = [Moving(), SpecMigration(try Spec(Data(spec.utf8)))]
        var times: [[Duration]] = [[], []]
        for _ in 0..<runs {
            // In turn, as a machine may become slower meanwhile.
            for (number, migration) in migrations.enumerated() {
                var plan: Plan?
                times[number].append(
                    ContinuousClock().measure {
                        plan = Plan(
                            of: migration, profile: migration.profiles[0], facts: Facts(), stores: stores,
                            history: History(), check: {})
                    })
                precondition(plan?.steps.first?.changes.count == 2 * count, "every entry is written and removed")
            }
        }
        print(count, times[0].sorted()[runs / 2].microseconds, times[1].sorted()[runs / 2].microseconds)
    }

    /// Moves every entry: a change that writes and one that removes.
    private struct Moving: Migration {
        static let old = StoreID.defaults("old"), new = StoreID.defaults("new")
        let id = "moving"
        let title = "Moving"
        let summary = "Moves every entry."
        let profiles = [Profile(id: "only", summary: "the only one")]
        let facts: [FactDefinition] = []

        func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([Self.old], [Self.new]) }

        func steps(profile: Profile, facts: Facts) -> [Step] {
            [
                Step(id: "all", title: "All", sources: [], rule: "moved") { transaction, _ throws(StepStop) in
                    let keys = transaction.keys(in: Self.old)
                    for position in 0..<keys.count {
                        let from = Address(store: Self.old, key: keys.key(at: position))
                        guard case .present(let value) = transaction.read(from) else { continue }
                        try transaction.write(
                            value, to: Address(store: Self.new, key: keys.key(at: position)), from: [from],
                            rule: "moved")
                        transaction.remove(from, rule: "moved")
                    }
                }
            ]
        }
    }
}
