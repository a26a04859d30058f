import Foundation
import StoreFormats
import TestSupport
import Testing

@Suite("Rewriting a binary property list")
struct BinaryPropertyListRewritingTests {
    private func keys(_ list: BinaryPropertyList) -> [Name] {
        list.topDictionary.map { top in (0..<top.count).map(top.key) } ?? []
    }

    @Test("Members are replaced in place, added at the end, and removed")
    func edits() throws {
        let before: Value = .dictionary([("a", .integer(1)), ("b", .string("two")), ("c", .real(3))])
        let list = try BinaryPropertyList(BinaryPropertyList.write(before))
        let data = try list.rewriting([("b", .array([.string("two"), .uid(9)])), ("d", .null), ("a", nil), ("x", nil)])
        let after: Value = .dictionary([("b", .array([.string("two"), .uid(9)])), ("c", .real(3)), ("d", .null)])
        #expect(try BinaryPropertyList(data).value() == after)
    }

    @Test("Of two edits of one key the later counts")
    func later() throws {
        let list = try BinaryPropertyList(BinaryPropertyList.write(.dictionary([("a", .integer(1))])))
        let data = try list.rewriting([("a", nil), ("b", .null), ("a", .integer(2)), ("b", nil)])
        #expect(try BinaryPropertyList(data).value() == .dictionary([("a", .integer(2))]))
    }

    @Test("No edits change nothing in a list of the smallest form")
    func identity() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20 {
            let members = (0..<10).map { (Name("k\($0)"), Value.random(depth: 3, using: &generator)) }
            let data = try BinaryPropertyList.write(.dictionary(members))
            #expect(try BinaryPropertyList(data).rewriting([]) == data)
        }
    }

    @Test("An edit and its inverse give the same values")
    func inverse() throws {
        var generator = SeededGenerator(seed: 2)
        for number in 0..<40 {
            let value: Value = .dictionary((0..<10).map { (Name("k\($0)"), Value.random(depth: 2, using: &generator)) })
            let list = try BinaryPropertyList(BinaryPropertyList.write(value))
            let key = "k\(number % 10)"
            let edited = try BinaryPropertyList(
                list.rewriting([(Name(key), .random(depth: 3, using: &generator)), ("new", .integer(1))]))
            let back = try BinaryPropertyList(edited.rewriting([(Name(key), value.members?[Name(key)]), ("new", nil)]))
            #expect(try back.value() == value)
        }
    }

    @Test("The objects that are kept are the same bytes, whatever their form")
    func bytes() throws {
        let odd: [[UInt8]] = [
            [0x13, 0, 0, 0, 0, 0, 0, 0, 5], [0x5F, 0x12, 0, 0, 0, 1, 0x61], [0x61, 0, 0x61], [0x22, 0x7F, 0x80, 0, 1],
            [0x83, 0, 0, 0, 1], [0x51, 0xFF], [0x61, 0xD8, 0x00], [0x0F], [0x14] + [UInt8](repeating: 0, count: 16),
        ]
        let count = UInt8(odd.count)
        let top: [UInt8] = [0xD2, 1, 2, 3, 4]
        let array: [UInt8] = [0xA0 | count] + (0..<count).map { $0 + 5 }
        let keys = [RawList.ascii("keep"), RawList.ascii("edit")]
        let list = RawList([top] + keys + [array, [0x09]] + odd, offsetSize: 3)
        let data = try BinaryPropertyList(list.data).rewriting([("edit", .bool(false))])
        var expected = RawList([top] + keys + [array] + odd + [[0x08]])
        expected.objects[0] = [0xD2, 1, 2, 3, UInt8(4 + odd.count)]
        expected.objects[3] = [0xA0 | count] + (0..<count).map { $0 + 4 }
        #expect(data == expected.data)
    }

    @Test("What is removed or replaced is not in the file any more, unless another member uses it")
    func secrets() throws {
        let value: Value = .dictionary([
            ("token", .string("s3cret-one")), ("nested", .array([.data(Data("s3cret-two".utf8)), .string("shared")])),
            ("kept", .string("shared")),
        ])
        let list = try BinaryPropertyList(BinaryPropertyList.write(value))
        let data = try list.rewriting([("token", nil), ("nested", .null)])
        for gone in ["token", "s3cret-one", "s3cret-two"] { #expect(data.range(of: Data(gone.utf8)) == nil) }
        #expect(data.range(of: Data("shared".utf8)) != nil)
        // Bytes that no object covers are not copied either.
        let hidden = RawList([[0xD1, 1, 2], RawList.ascii("k"), [0x09], RawList.ascii("s3cret-three")])
        #expect(try BinaryPropertyList(hidden.data).rewriting([]).range(of: Data("s3cret".utf8)) == nil)
    }

    @Test("Values that cannot be read survive an edit beside them")
    func hostile() throws {
        let doubling: [[UInt8]] = (8..<104).map { (next: UInt8) in [0xA2, next, next] } + [[0x09]]
        // 0 top; 1, 2, 3 keys; 4 an array in a cycle with 5, which also refers to the top; 6 the value that is edited.
        let objects: [[UInt8]] =
            [[0xD3, 1, 2, 3, 4, 6, 7], RawList.ascii("cycle"), RawList.ascii("edit"), RawList.ascii("double")]
            + [[0xA1, 5], [0xA2, 4, 0], [0x10, 1]] + doubling
        let list = try BinaryPropertyList(RawList(objects, offsetSize: 2).data)
        let edited = try BinaryPropertyList(list.rewriting([("edit", .integer(2))]))
        #expect(keys(edited) == ["cycle", "edit", "double"])
        let top = try #require(edited.topDictionary)
        #expect(try top["edit"] == .integer(2))
        #expect(edited.objectCount == objects.count)
        let cycle = #expect(throws: FormatError.self) { try top["cycle"] }
        #expect(cycle?.problem == .cycle)
        let doubled = #expect(throws: FormatError.self) { try top["double"] }
        #expect(doubled?.problem == .tooManyNodes(limit: Limits.standard.nodes))
        // And back again: the same bytes but for the place of the edited object, which is now the last.
        let back = try edited.rewriting([("edit", .integer(1))])
        #expect(try BinaryPropertyList(back).rewriting([]) == back)
        #expect(back.count == RawList(objects, offsetSize: 2).data.count)
    }

    @Test("Every entry of a key is replaced or removed")
    func duplicates() throws {
        let list = try BinaryPropertyList(
            BinaryPropertyList.write(.dictionary([("k", .integer(1)), ("x", .integer(2)), ("k", .integer(3))])))
        let removed = try BinaryPropertyList(list.rewriting([("k", nil)]))
        #expect(try removed.value() == .dictionary([("x", .integer(2))]))
        let replaced = try BinaryPropertyList(list.rewriting([("k", .null)]))
        #expect(try replaced.value() == .dictionary([("k", .null), ("x", .integer(2)), ("k", .null)]))
    }

    @Test("Keys that are not text are kept byte for byte")
    func lossyKeys() throws {
        let bad: [[UInt8]] = [[0x51, 0xE9], [0x61, 0xD8, 0x00], [0x10, 7]]
        let list = RawList([[0xD4, 1, 2, 3, 4, 5, 5, 5, 5]] + bad + [RawList.ascii("k"), [0x09]])
        let data = try BinaryPropertyList(list.data).rewriting([("k", .bool(false))])
        let expected = RawList([[0xD4, 1, 2, 3, 4, 5, 5, 5, 6]] + bad + [RawList.ascii("k"), [0x09], [0x08]])
        #expect(data == expected.data)
    }

    @Test("References become wider where the list grows past 255 objects")
    func growth() throws {
        let members = (0..<120).map { (Name("k\($0)"), Value.array([.integer(Int128(1000 + $0)), .string("s")])) }
        let list = try BinaryPropertyList(BinaryPropertyList.write(.dictionary(Array(members.prefix(80)))))
        let data = try list.rewriting(members.dropFirst(80).map { ($0.0, $0.1) })
        #expect(try BinaryPropertyList(data).value() == .dictionary(members))
    }

    @Test("A list whose top is not a dictionary, or that lacks an object, is not rewritten")
    func refused() throws {
        #expect(throws: FormatError.self) { try BinaryPropertyList(RawList([[0xA0]]).data).rewriting([]) }
        #expect(throws: FormatError.self) {
            try BinaryPropertyList(RawList([[0xD1, 1, 9], [0x51, 0x61]]).data).rewriting([])
        }
        #expect(throws: FormatError.self) {
            try BinaryPropertyList(RawList([[0xD0]]).data).rewriting([("a", .reference(1))])
        }
    }
}
