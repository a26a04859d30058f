import StoreFormats
import TestSupport
import Testing

@testable import MigrationEngine

@Suite("Sets of parts of a value")
struct PartSetTests {
    private static let names: [Name] = ["a", "b", "0"]

    /// A value of which all the leaves are at the same depth, so that a set can be told by its leaves.
    private static func value(_ depth: Int) -> Value {
        depth == 0 ? .integer(1) : .dictionary(Members(names.map { Member(key: $0, value: value(depth - 1)) }))
    }

    private static func leaves(_ depth: Int) -> Set<JSONPointer> {
        depth == 0 ? [JSONPointer()] : Set(leaves(depth - 1).flatMap { leaf in names.map { leaf.appending($0) } })
    }

    @Test("They hold the same leaves as lists of leaves would, whatever is put in and taken out", arguments: 0..<20)
    func law(seed: UInt64) {
        var random = SeededGenerator(seed: seed), set = PartSet(), known: Set<JSONPointer> = []
        func part() -> JSONPointer {
            JSONPointer(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in Self.names[Int.random(in: 0..<3, using: &random)]
                })
        }
        let all = Self.leaves(3), value = Self.value(3)
        for _ in 0..<60 {
            let one = part()
            if Bool.random(using: &random) {
                let others = (0..<Int.random(in: 0...2, using: &random)).map { _ in part() }
                set.formUnion(PartSet(one, without: others))
                known.formUnion(
                    all.filter { leaf in
                        leaf.isWithin(one) && !others.contains { $0.isWithin(one) && leaf.isWithin($0) }
                    })
            } else {
                set.subtract(one)
                known = known.filter { !$0.isWithin(one) }
            }
            let asked = part(), left = set.rest(of: asked, holding: value.standing(at: asked))
            let rest = all.filter { leaf in left.contains(where: leaf.isWithin) }
            #expect(rest == all.filter { $0.isWithin(asked) && !known.contains($0) }, "\(asked) of \(set)")
            #expect(set.overlaps(asked) == known.contains { $0.isWithin(asked) })
        }
    }

    @Test("What is left is told as deep as it must be, also in a text, and nothing that holds nothing")
    func rest() {
        let value = Value.string(#"{"a":{"x":1,"y":2},"b":[],"c":3}"#)
        var set = PartSet(JSONPointer(["a", "x"]))
        #expect(set.rest(of: JSONPointer(), holding: value).map(\.description) == ["/a/y", "/c"])
        set.formUnion(PartSet(JSONPointer(), without: [JSONPointer(["c"])]))
        #expect(set.rest(of: JSONPointer(), holding: value).map(\.description) == ["/c"])
    }

    @Test("Many parts, put in one by one, are told apart")
    func many() {
        let names = (0..<20_000).map { Name("k\($0)") }
        var set = PartSet()
        for name in names { set.formUnion(PartSet(JSONPointer([name]))) }
        for name in names.dropFirst() { set.subtract(JSONPointer([name])) }
        let value = Value.dictionary(Members(names.map { Member(key: $0, value: .integer(1)) }))
        #expect(set.rest(of: JSONPointer(), holding: value).count == names.count - 1)
    }
}
