import StoreFormats
import TestSupport
import Testing

@testable import MigrationEngine

@Suite("A dictionary whose members are written one by one")
struct EditedMembersTests {
    private static let names: [Name] = ["a", "b", "$c", "0", "1"]

    private static func value(_ depth: Int, _ generator: inout SeededGenerator) -> Value {
        let number = Value.integer(Int128(Int.random(in: 0..<3, using: &generator)))
        guard depth > 0, Bool.random(using: &generator) else { return number }
        if Int.random(in: 0..<3, using: &generator) == 0 {
            return .array((0..<Int.random(in: 0...2, using: &generator)).map { _ in value(depth - 1, &generator) })
        }
        let names = names.shuffled(using: &generator).prefix(Int.random(in: 0...3, using: &generator))
        return .dictionary(Members(names.map { Member(key: $0, value: value(depth - 1, &generator)) }))
    }

    private static func path(_ generator: inout SeededGenerator) -> JSONPointer {
        JSONPointer(
            (0...Int.random(in: 0..<3, using: &generator)).map { _ in names.randomElement(using: &generator) ?? "a" })
    }

    @Test(
        "It holds what a dictionary holds that is written anew each time, and what is taken back was never there",
        arguments: 0..<40)
    func random(round: Int) throws {
        var generator = SeededGenerator(seed: UInt64(round))
        for _ in 0..<50 {
            var value = Value.dictionary(Members())
            while value.members?.isEmpty ?? true { value = Self.value(4, &generator) }
            let before = value
            var edited = try #require(EditedMembers(value)), undos: [(undo: EditedMembers.Undo, value: Value)] = []
            for _ in 0..<Int.random(in: 1..<24, using: &generator) {
                let copy = edited
                if let last = undos.last, Int.random(in: 0..<4, using: &generator) == 0 {
                    edited.take(back: last.undo)
                    value = last.value
                    undos.removeLast()
                } else {
                    let path = Self.path(&generator)
                    let part: Value? = Int.random(in: 0..<3, using: &generator) == 0 ? nil : Self.value(2, &generator)
                    let holder = value[JSONPointer(path.tokens.dropLast())]
                    // What goes into a list, or out of it, is written with it.
                    let isItem = if case .array? = holder { true } else { false }
                    let expected = isItem ? nil : try? value.replacing(path, with: part)
                    let undo = edited.set(path.tokens[...], to: part)
                    #expect((undo != nil) == (expected != nil), "\(path) of \(value)")
                    if let expected, let undo {
                        undos.append((undo, value))
                        value = expected
                    }
                }
                #expect(edited.value == value)
                #expect(!edited.isUnedited || value == before)
                _ = copy.value
                let path = Self.path(&generator)
                let found = edited.holder(of: path.tokens[...]).flatMap { holder in
                    holder.value[JSONPointer(Array(path.tokens.dropFirst(holder.depth)))]
                }
                #expect(found == value[path], "\(path) of \(value)")
            }
            for undo in undos.reversed() { edited.take(back: undo.undo) }
            #expect(edited.value == before)
            #expect(edited.isUnedited)
        }
    }

    @Test("What may be read as an archive, a key that stands twice, and items of lists are not written by themselves")
    func refused() throws {
        #expect(EditedMembers(.string("x")) == nil)
        #expect(EditedMembers(.dictionary(["$archiver": .string("x")])) == nil)
        var edited = try #require(
            EditedMembers(
                .dictionary(
                    Members([
                        Member(key: "a", value: .integer(1)), Member(key: "a", value: .integer(2)),
                        Member(key: "l", value: .array([.integer(1)])),
                    ]))))
        for path in [["a"], ["$archiver"], ["l", "0"], ["l", "1", "x"], ["none", "x"]] as [[Name]] {
            #expect(edited.set(path[...], to: .integer(3)) == nil)
        }
        #expect(edited.isUnedited)
    }
}
