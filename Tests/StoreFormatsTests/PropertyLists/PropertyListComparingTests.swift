import Foundation
import TestSupport
import Testing

@testable import StoreFormats

@Suite("Comparing a rewritten property list with what its edits should have made")
struct PropertyListComparingTests {
    private static let value: Value = .dictionary([
        ("a", .string("é")), ("b", .integer(1)), ("c", .array([.bool(true), .dictionary([("d", .real(1))])])),
        ("long", .string(String(repeating: "x", count: 100))),
    ])
    private static let writers: [@Sendable (Value) throws -> Data] = [
        { try BinaryPropertyList.write($0) }, { try XMLPropertyList.write($0) }, { try JSONDocument.write($0) },
    ]

    private static func difference(
        _ original: Value, _ written: Value, _ edits: [(key: Name, value: Value?)], _ write: (Value) throws -> Data
    ) throws -> PropertyListDifference? {
        try PropertyListFile(write(written)).difference(from: PropertyListFile(write(original)), after: edits)
    }

    private static func changed(_ change: (inout Members) -> Void) throws -> Value {
        var members = try #require(value.members)
        change(&members)
        return .dictionary(members)
    }

    @Test("What a rewriting makes is as it should be, in each format")
    func same() throws {
        let edits: [(key: Name, value: Value?)] = [
            ("b", .integer(7)), ("a", nil), ("new", .array([.string("n")])), ("gone", nil), ("b", .integer(2)),
        ]
        for write in Self.writers {
            let original = try PropertyListFile(write(Self.value))
            let written = try PropertyListFile(original.rewriting(edits))
            #expect(try written.difference(from: original, after: edits) == nil)
            #expect(try original.difference(from: original, after: []) == nil)
        }
    }

    @Test("Each way to be wrong is found, in each format")
    func different() throws {
        let inner = try Self.changed { $0["c"] = .array([.bool(true), .dictionary([("d", .real(2))])]) }
        let long = try Self.changed { $0["long"] = .string(String(repeating: "x", count: 99) + "y") }
        let order = try Self.changed { $0.all.swapAt(0, 1) }
        let edits: [(key: Name, value: Value?)] = [("a", .string("é")), ("z", nil)]
        for write in Self.writers {
            for (written, difference) in [
                (try Self.changed { $0["b"] = .integer(2) }, .value("b")), (inner, .value("c")), (long, .value("long")),
                (try Self.changed { $0["b"] = .string("1") }, .value("b")), (order, .missing("a")),
                (try Self.changed { $0["c"] = nil }, .missing("c")),
                (try Self.changed { $0["long"] = nil }, .missing("long")),
                (try Self.changed { $0["e"] = .bool(true) }, .extra("e")),
            ] as [(Value, PropertyListDifference)] {
                #expect(try Self.difference(Self.value, written, [], write) == difference)
            }
            // An edit that was not made, or made otherwise: names and texts that only look the same are others.
            #expect(try Self.difference(Self.value, Self.value, [("b", nil)], write) == .extra("b"))
            #expect(try Self.difference(Self.value, Self.value, [("x", .bool(true))], write) == .missing("x"))
            #expect(try Self.difference(Self.value, Self.value, [("b", .integer(2))], write) == .value("b"))
            let twin = try Self.changed { $0["a"] = .string("e\u{301}") }
            #expect(try Self.difference(Self.value, twin, edits, write) == .value("a"))
            #expect(try Self.difference(Self.value, twin, [], write) == .value("a"))
        }
    }

    @Test("Binary lists whose values cannot be decoded are compared all the same: cycles, and parts shared without end")
    func undecodable() throws {
        // {"a": [itself, top], "b": doubling at every level}
        let head: [[UInt8]] = [[0xD2, 1, 2, 3, 4], [0x51, 0x61], [0x51, 0x62], [0xA2, 3, 0]]
        var list = RawList(head + (4..<64).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] } + [[0x09]])
        let original = try PropertyListFile(list.data)
        #expect(throws: FormatError.self) { try original.value(at: 0) }
        let written = try PropertyListFile(original.rewriting([("c", .bool(true))]))
        #expect(try written.difference(from: original, after: [("c", .bool(true))]) == nil)
        list.objects[64] = [0x08]
        #expect(try PropertyListFile(list.data).difference(from: original, after: []) == .value("b"))
    }

    @Test("Random lists and edits: what was rewritten is as it should be, and a list of other values is not")
    func random() throws {
        var generator = SeededGenerator(seed: 61)
        for _ in 0..<300 {
            let members = (0..<Int.random(in: 0...8, using: &generator)).map {
                Member(key: "k\($0 % 6)", value: .random(depth: 2, using: &generator))
            }
            let original = try PropertyListFile(BinaryPropertyList.write(.dictionary(Members(members))))
            let edits: [(key: Name, value: Value?)] = (0..<3).map { _ in
                let value: Value? = Bool.random(using: &generator) ? nil : .random(depth: 2, using: &generator)
                return ("k\(Int.random(in: 0...8, using: &generator))", value)
            }
            let written = try PropertyListFile(original.rewriting(edits))
            #expect(try written.difference(from: original, after: edits) == nil)
            guard let kept = members.first(where: { member in !edits.contains { $0.key == member.key } }) else {
                continue
            }
            let other = try PropertyListFile(written.rewriting([(kept.key, .string("another"))]))
            #expect(try other.difference(from: original, after: edits) != nil)
        }
    }
}
