import MigrationEngine
import StoreFormats
import Synchronization
import Testing

@testable import Specs

@Suite("Facts that a spec infers")
struct InferredFactsTests {
    /// Stores that count how often an entry is asked for.
    private struct Counting: StoreReader {
        let base: MemoryStores
        let reads: Reads

        final class Reads: Sendable {
            let count = Mutex(0)
        }

        var stores: [StoreID] { base.stores }
        func problem(with store: StoreID) -> Unreadable? { nil }
        func keys(in store: StoreID) -> any KeyList { base.keys(in: store) }
        func state(of key: Name, in store: StoreID) -> EntryState {
            reads.count.withLock { $0 += 1 }
            return base.state(of: key, in: store)
        }
    }

    @Test("Parts of one dictionary are facts for one reading of it, however many they are", arguments: [50, 200, 800])
    func parts(count: Int) throws {
        let facts = (0..<count).map { "  f\($0): {type: string, infer: \"defaults://a/state#/deep/p\($0)\"}\n" }
        let spec = try Specs.spec("- {from: fact/f0, to: \"defaults://a/b\"}", "facts:\n" + facts.joined())
        let parts = (0..<count).map { "\"p\($0)\": \"v\($0)\"" }.joined(separator: ", ")
        let stores = Counting(
            base: MemoryStores([(.defaults("a"), ["state": .string("{\"deep\": {\(parts)}}")])]), reads: .init())
        let known = SpecMigration(spec).factsKnown(in: stores, given: Facts())
        #expect((0..<count).allSatisfy { known[FactName(rawValue: "f\($0)")]?.value == "v\($0)" })
        #expect(stores.reads.count.withLock { $0 } == 1)
    }

    @Test("What lies on the way to parts is decoded and looked through once, and says the same as each part by itself")
    func memo() throws {
        let text = #"{"a": {"b": "[1, {\"c\": 2}]", "x": 1, "x": 2}, "n": null, "t": "no"}"#
        let value = Value.string(text), memo = PartMemo()
        let ways: [[Name]] = [
            ["a", "b", "1", "c"], ["a", "b", "0"], ["a", "x"], ["a", "y"], ["t", "u"], ["n", "u"], ["a", "b", "7"], [],
        ]
        for way in ways + ways {
            let pointer = JSONPointer(way)
            let alone = try value.following(pointer), kept = try value.following(pointer, remembering: memo)
            #expect(alone.part == kept.part && alone.repeated == kept.repeated, "\(pointer)")
            #expect(alone.obstacle?.place == kept.obstacle?.place && alone.obstacle?.value == kept.obstacle?.value)
        }
        // The whole, a, a/b, a/b/1, t and n.
        #expect(memo.count == 6)
    }

    @Test(
        "What an update has drawn is told by what came, wherever that stands; what did not come is missing",
        arguments: [
            ("- {id: a, from: fact/id, to: app/uid}", ["uid": "9B574574-74A7-4EDF-969D-164CB151B6C3"]),
            (
                "- {id: a, from: fact/id, do: [{case: lower}], to: app/uid}",
                ["uid": "9b574574-74a7-4edf-969d-164cb151b6c3"]
            ),
            ("- {id: a, from: app/x, to: 'app/k.{id}'}", ["k.9B574574-74A7-4EDF-969D-164CB151B6C3": "one"]),
            (
                "- {id: a, from: {b: app/x, a: fact/id}, do: [{encode: json}], to: app/j}",
                ["j": #"{"a":"9B574574-74A7-4EDF-969D-164CB151B6C3","b":"one"}"#]
            ),
            (
                "- {id: a, from: fact/id, do: [{fill: 'user-{value}'}], to: app/uid}",
                [
                    "uid": "user-9b574574-74a7-4edf-969d-164cb151b6c3"
                ]
            ),
        ])
    func drawnByUpdate(row: String, came: [String: String]) throws {
        let spec = try Specs.spec(
            row + "\n- {id: z, from: fact/id, to: app/other}",
            "stores: {app: defaults://com.acme.notes}\nfacts: {id: {type: uuid, fresh: true}}")
        let migration = SpecMigration(spec)
        func stores(_ more: [String: String]) -> MemoryStores {
            let all = more.merging(["x": "one"]) { one, _ in one }.sorted { $0.key < $1.key }
            return MemoryStores([
                (
                    .defaults("com.acme.notes"),
                    Members(all.map { Member(key: Name($0.key), value: .string($0.value)) })
                )
            ])
        }
        func verdicts(_ after: MemoryStores) -> [StoreComparison.Verdict: Int] {
            StoreComparison(stores([:]), after, with: (migration, migration.profiles[0])).verdicts
        }
        let uuid = try #require(came.map { $0.key + $0.value }.first).suffix(36)
        let told = came.merging(["other": "9B574574-74A7-4EDF-969D-164CB151B6C3"]) { one, _ in one }
        let found = verdicts(stores(row.contains("user-") ? came.merging(["other": String(uuid)]) { $1 } : told))
        #expect(found == [.asPlanned: 2], "\(found)")
        #expect(verdicts(stores(came)) == [.asPlanned: 1, .missing: 1])
        #expect(verdicts(stores([:])) == [.missing: 2])
        // Two that should be one are not: what stands as a value counts, and not a name.
        guard !row.contains("app/k.") else { return }
        let other = came.merging(["other": "00000000-0000-4000-8000-000000000000"]) { one, _ in one }
        #expect(verdicts(stores(other)) == [.asPlanned: 1, .differs: 1])
    }
}
