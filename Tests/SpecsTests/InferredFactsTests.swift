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
}
