import Foundation
import MigrationEngine
import StoreFormats
import Testing

@Suite("What is known of a part of an entry")
struct StoreReaderTests {
    private let store = StoreID.defaults("com.acme.notes")

    private func state(of value: Value, at tokens: [Name]) -> EntryState {
        MemoryStores([(store, ["state": value])])
            .state(at: Address(store: store, key: "state", pointer: JSONPointer(tokens)))
    }

    @Test(
        "Of what is there in a form that cannot have the part nobody knows whether it had it",
        arguments: [
            (.data(Data(count: 64)), "data"), (.data(Data()), "empty"), (.string(""), "empty"),
            (.string("not json at all"), "a string"), (.integer(3), "an integer"), (.bool(false), "a Boolean"),
            (.array([.string("a")]), "an array"), (.data(Data("[1, 2]".utf8)), "an array"),
            (.data(Data("plain text".utf8)), "a string"),
        ] as [(Value, String)])
    func obstacles(value: Value, phrase: String) {
        guard case .unreadable(let reason) = state(of: value, at: ["userId"]) else {
            Issue.record("\(state(of: value, at: ["userId"]))")
            return
        }
        #expect(reason.cause == .corrupt && reason.explanation.contains("state is \(phrase), and has no part"))
    }

    @Test(
        "What can have the part and has none is without it",
        arguments: [
            .dictionary([("other", .integer(1))]), .null, .data(Data("{}".utf8)), .string("{\"a\":1}"),
            .data(Data("null".utf8)),
        ] as [Value])
    func absent(value: Value) { #expect(state(of: value, at: ["userId"]) == .absent) }

    @Test("A list is without what lies behind its end, and further in an obstacle is one too")
    func further() {
        let list = Value.array([.dictionary([("a", .string("x"))])])
        #expect(state(of: list, at: ["1"]) == .absent && state(of: list, at: ["0", "b"]) == .absent)
        #expect(state(of: list, at: ["0", "a"]) == .present(.string("x")))
        guard case .unreadable(let reason) = state(of: list, at: ["0", "a", "b"]) else {
            Issue.record("it is read")
            return
        }
        #expect(reason.explanation.contains("#/0/a is a string"))
    }
}
