import Foundation
import Testing

@testable import StoreFormats

@Suite("Keyed archives")
struct KeyedArchiveTests {
    /// An archive of these objects from number 1 on; each class that is named is put after them.
    private func archive(_ objects: [Value], top: [(Name, Value)] = [("root", .uid(1))]) -> Value {
        .dictionary([
            ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")), ("$top", .dictionary(top)),
            ("$objects", .array([.string("$null")] + objects)),
        ])
    }

    private func described(_ names: String...) -> Value {
        .dictionary([("$classname", .string(names[0])), ("$classes", .array(names.map { .string($0) }))])
    }

    /// An instance, the class of which is object 2.
    private func root(_ fields: [(Name, Value)], _ names: String..., others: [Value] = []) -> Value {
        let description: Value = .dictionary([
            ("$classname", .string(names[0])), ("$classes", .array(names.map { .string($0) })),
        ])
        return archive([.dictionary(fields + [("$class", .uid(2))]), description] + others)
    }

    @Test("An archive is told by $objects and $top, whatever its archiver")
    func recognition() {
        #expect(KeyedArchive.isKeyedArchive(archive([])))
        #expect(KeyedArchive.isKeyedArchive(.dictionary([("$objects", .array([])), ("$top", .dictionary([]))])))
        #expect(!KeyedArchive.isKeyedArchive(.dictionary([("$objects", .array([]))])))
        #expect(!KeyedArchive.isKeyedArchive(.dictionary([("$objects", .array([])), ("$top", .uid(1))])))
        #expect(!KeyedArchive.isKeyedArchive(.array([])))
    }

    @Test("Plain objects are themselves; number 0 is null; a bare root is legal")
    func plain() throws {
        for value: Value in [.bool(true), .integer(1), .real(1), .string("1"), .data(Data([1])), .integer(0)] {
            #expect(try KeyedArchive.decode(archive([value])) == value)
            #expect(try KeyedArchive.decode(archive([], top: [("root", value)])) == value)
        }
        #expect(try KeyedArchive.decode(archive([], top: [("root", .uid(0))])) == .null)
        #expect(try KeyedArchive.decode(archive([.string("$null")])) == .null)
    }

    @Test("Without a lone root the result is a dictionary of all top keys")
    func manyTopKeys() throws {
        let top: [(Name, Value)] = [("a", .uid(1)), ("b", .integer(2)), ("root", .uid(0)), ("c", .uid(9))]
        let expected: Value = .dictionary([("a", .string("x")), ("b", .integer(2)), ("root", .null), ("c", .uid(9))])
        #expect(try KeyedArchive.decode(archive([.string("x")], top: top)) == expected)
        #expect(
            try KeyedArchive.decode(archive([.string("x")], top: [("rooty", .uid(1))]))
                == .dictionary([("rooty", .string("x"))]))
        #expect(try KeyedArchive.decode(archive([], top: [])) == .dictionary([]))
    }

    @Test("Collections are what they hold, in both spellings, also as instances of subclasses")
    func collections() throws {
        let two: [Value] = [.string("a"), .integer(1)]
        let whole: [(Name, Value)] = [("NS.objects", .array([.uid(3), .uid(4)]))]
        let numbered: [(Name, Value)] = [("NS.object.1", .uid(4)), ("NS.object.0", .uid(3))]
        for fields in [whole, numbered] {
            for name in ["NSArray", "NSMutableArray"] {
                #expect(try KeyedArchive.decode(root(fields, name, "NSObject", others: two)) == .array(two))
            }
            #expect(try KeyedArchive.decode(root(fields, "My.List", "NSArray", "NSObject", others: two)) == .array(two))
            for name in ["NSSet", "NSMutableSet"] {
                #expect(try KeyedArchive.decode(root(fields, name, others: two)) == .set(SetElements(two)))
            }
            for name in ["NSOrderedSet", "NSMutableOrderedSet"] {
                #expect(
                    try KeyedArchive.decode(root(fields, name, others: two)) == .set(SetElements(two, isOrdered: true)))
            }
        }
        #expect(try KeyedArchive.decode(root([], "NSOrderedSet")) == .set(SetElements([], isOrdered: true)))
        #expect(try KeyedArchive.decode(root([("NS.objects", .array([]))], "NSArray")) == .array([]))
    }

    @Test("A dictionary with text for keys is one; any other keeps its keys beside its objects")
    func dictionaries() throws {
        let others: [Value] = [.string("k"), .integer(1), .integer(2)]
        let whole: [(Name, Value)] = [("NS.keys", .array([.uid(3)])), ("NS.objects", .array([.uid(4)]))]
        let numbered: [(Name, Value)] = [("NS.key.0", .uid(3)), ("NS.object.0", .uid(4))]
        for fields in [whole, numbered] {
            for name in ["NSDictionary", "NSMutableDictionary"] {
                #expect(
                    try KeyedArchive.decode(root(fields, name, others: others)) == .dictionary([("k", .integer(1))]))
            }
        }
        let numbers: [(Name, Value)] = [("NS.keys", .array([.uid(4)])), ("NS.objects", .array([.uid(5)]))]
        #expect(
            try KeyedArchive.decode(root(numbers, "NSMutableDictionary", others: others))
                == .object(
                    ArchivedObject(
                        className: "NSDictionary",
                        fields: ["NS.keys": .array([.integer(1)]), "NS.objects": .array([.integer(2)])])))
    }

    @Test("Text, data, dates, null and boxed numbers are what they are")
    func scalars() throws {
        let cases: [([(Name, Value)], String, Value)] = [
            ([("NS.string", .string("a"))], "NSString", .string("a")),
            ([("NS.string", .uid(3))], "NSMutableString", .string("other")),
            ([("NS.bytes", .data(Data("é".utf8)))], "NSString", .string("é")),
            ([("NS.data", .data(Data([1])))], "NSData", .data(Data([1]))),
            ([("NS.data", .uid(4))], "NSMutableData", .data(Data([2]))),
            ([("NS.bytes", .data(Data([3])))], "NSData", .data(Data([3]))),
            ([("NS.time", .real(1.5))], "NSDate", .date(Timestamp(secondsSinceReference: 1.5))),
            ([("NS.time", .integer(2))], "NSDate", .date(Timestamp(secondsSinceReference: 2))),
            ([], "NSNull", .null), ([("NS.boolval", .bool(true))], "NSNumber", .bool(true)),
            ([("NS.intval", .integer(7))], "NSNumber", .integer(7)), ([("NS.dblval", .real(7))], "NSNumber", .real(7)),
        ]
        for (fields, name, value) in cases {
            #expect(
                try KeyedArchive.decode(root(fields, name, "NSObject", others: [.string("other"), .data(Data([2]))]))
                    == value)
        }
    }

    @Test("A URL and a UUID stay objects, with their text first")
    func objectsWithText() throws {
        let bytes: Value = .data(Data(0x10..<0x20))
        #expect(
            try KeyedArchive.decode(root([("NS.uuidbytes", bytes)], "NSUUID"))
                == .object(
                    ArchivedObject(
                        className: "NSUUID",
                        fields: ["UUIDString": .string("10111213-1415-1617-1819-1A1B1C1D1E1F"), "NS.uuidbytes": bytes]))
        )
        let absolute = try KeyedArchive.decode(
            root([("NS.base", .uid(0)), ("NS.relative", .uid(3))], "NSURL", others: [.string("http://a.b/c")]))
        #expect(
            absolute
                == .object(
                    ArchivedObject(
                        className: "NSURL",
                        fields: [
                            "absoluteString": .string("http://a.b/c"), "NS.base": .null,
                            "NS.relative": .string("http://a.b/c"),
                        ])))
    }

    @Test(
        "A known class with other fields, and any other class, is an object with its fields",
        arguments: [
            ("NSArray", [("NS.objects", .integer(1))]), ("NSArray", [("x", .integer(1))]),
            ("NSArray", [("NS.object.1", .integer(1))]), ("NSArray", [("NS.object.x", .integer(1))]),
            ("NSDictionary", [("NS.keys", .array([.string("a")])), ("NS.objects", .array([]))]),
            ("NSString", [("NS.bytes", .data(Data([0xFF])))]), ("NSData", [("NS.data", .string("a"))]),
            ("NSDate", [("NS.time", .string("1"))]), ("NSUUID", [("NS.uuidbytes", .data(Data([1])))]),
            ("NSURL", [("NS.base", .integer(1)), ("NS.relative", .string("a"))]),
            ("NSDecimalNumber", [("NS.mantissa", .data(Data([1]))), ("NS.exponent", .integer(0))]),
            ("_TtC3App4Item", [("title", .string("a"))]), ("App.Item", []),
        ] as [(String, [(Name, Value)])])
    func object(name: String, fields: [(Name, Value)]) throws {
        let members = Members(fields.map { Member(key: $0.0, value: $0.1) })
        #expect(
            try KeyedArchive.decode(root(fields, name)) == .object(ArchivedObject(className: name, fields: members)))
    }

    // MARK: Broken archives

    @Test("A root whose class cannot be told, or that is not there, is refused with its number")
    func brokenRoot() throws {
        let cases: [(Value, FormatError.Position, FormatError.Problem)] = [
            (.null, .offset(0), .invalid("it is not a dictionary")),
            (.dictionary([("$top", .dictionary([]))]), .offset(0), .invalid("it has no array $objects")),
            (.dictionary([("$objects", .array([]))]), .offset(0), .invalid("it has no dictionary $top")),
            (archive([], top: [("root", .uid(7))]), .object(7), .outOfBounds("the root object")),
            (archive([], top: [("root", .uid(.max))]), .object(.max), .outOfBounds("the root object")),
            (archive([.dictionary([("a", .integer(1))])]), .object(1), .invalid("it has no $class")),
            (
                archive([.dictionary([("$class", .integer(1))])]), .object(1),
                .invalid("its $class is not the number of an object")
            ),
            (
                archive([.dictionary([("$class", .uid(9))])]), .object(1),
                .invalid("its $class is not the number of an object")
            ),
            (
                archive([.dictionary([("$class", .uid(2))]), .string("x")]), .object(1),
                .invalid("its $class, #2, does not describe a class")
            ),
            (
                archive([.dictionary([("$class", .uid(2))]), .dictionary([])]), .object(1),
                .invalid("its $class, #2, has no $classname")
            ),
        ]
        for (archive, position, problem) in cases {
            #expect(throws: FormatError(.keyedArchive, at: position, problem)) { try KeyedArchive.decode(archive) }
        }
    }

    @Test("Further in, what is broken is kept as it stands")
    func brokenInside() throws {
        let others: [Value] = [.dictionary([("a", .uid(0))]), .dictionary([("b", .uid(3)), ("$class", .uid(99))])]
        let value = try KeyedArchive.decode(
            root([("NS.objects", .array([.uid(3), .uid(4), .uid(50)]))], "NSArray", others: others))
        let lost = ArchivedObject(className: "", fields: ["b": .dictionary([("a", .null)]), "$class": .uid(99)])
        #expect(value == .array([.dictionary([("a", .null)]), .object(lost), .uid(50)]))
    }

    // MARK: Graphs

    @Test("An object that holds itself is a reference there, and only there")
    func cycles() throws {
        // 1 = [3, 4], 3 = [1, "x"], 4 = [3]: read from 1, and 3 again from 4.
        let others: [Value] = [
            .dictionary([("NS.objects", .array([.uid(1), .uid(5)])), ("$class", .uid(2))]),
            .dictionary([("NS.objects", .array([.uid(3)])), ("$class", .uid(2))]), .string("x"),
        ]
        let graph = root([("NS.objects", .array([.uid(3), .uid(4)]))], "NSArray", others: others)
        let three: Value = .array([.reference(1), .string("x")])
        #expect(try KeyedArchive.decode(graph) == .array([three, .array([three])]))
        // The same objects from 4: what was a reference to 1 is now 1.
        let fromFour = KeyedArchiveTests.replacingTop(graph, .uid(4))
        let one: Value = .array([.reference(3), .reference(4)])
        #expect(try KeyedArchive.decode(fromFour) == .array([.array([one, .string("x")])]))
        // A UID that stands for itself.
        #expect(try KeyedArchive.decode(archive([.uid(1)])) == .reference(1))
    }

    private static func replacingTop(_ archive: Value, _ root: Value) -> Value {
        var members = archive.members ?? Members()
        members["$top"] = .dictionary([(Name("root"), root)])
        return .dictionary(members)
    }

    @Test("Shared objects count each time they are used, and cost their size once")
    func sharing() throws {
        // Levels of [x, x]: 2^60 values.
        let levels: [Value] = (0..<60).map { level in
            .dictionary([
                ("NS.objects", .array([.uid(UInt64(level + 4)), .uid(UInt64(level + 4))])), ("$class", .uid(2)),
            ])
        }
        let bomb = archive([.uid(3), described("NSArray")] + levels + [.string("x")])
        #expect(throws: FormatError.self) { try KeyedArchive.decode(bomb) }
        let small = archive([.uid(3), described("NSArray")] + levels.prefix(10) + [.string("x")])
        var value = try KeyedArchive.decode(small)
        for _ in 0..<10 {
            guard case .array(let elements) = value, elements.count == 2, elements[0] == elements[1] else {
                Issue.record("not a pair: \(value)")
                return
            }
            value = elements[0]
        }
        #expect(value == .string("x"))
        // The same with a way back to the root, so that nothing can be remembered.
        let open = archive(
            [.dictionary([("NS.objects", .array([.uid(3)])), ("$class", .uid(2))]), described("NSArray")] + levels + [
                .uid(1)
            ])
        let error = try #require(throws: FormatError.self) {
            try KeyedArchive.decode(open, limits: Limits(nodes: 100_000))
        }
        #expect(error.problem == .tooManyNodes(limit: 100_000))
    }

    @Test("Depth is limited, also through objects that were read before")
    func depth() throws {
        let chain: [Value] = (0..<5000).map { level in
            .dictionary([("NS.objects", .array([.uid(UInt64(level + 4))])), ("$class", .uid(2))])
        }
        let deep = archive([.uid(3), described("NSArray")] + chain + [.string("x")])
        let error = try #require(throws: FormatError.self) { try KeyedArchive.decode(deep) }
        #expect(error.problem == .tooDeep(limit: 256))
        let references = archive((0..<5000).map { .uid(UInt64($0 + 2)) })
        #expect(throws: FormatError.self) { try KeyedArchive.decode(references) }
        // Object 3 is six containers high where it is read first; below three arrays it is nine.
        let short = [.uid(3), described("NSArray")] + chain.prefix(3) + [.string("x")]
        let nested: Value = .array([.array([.array([.uid(3)])])])
        let twice = archive(short, top: [("a", .uid(3)), ("b", nested)])
        #expect(throws: Never.self) { try KeyedArchive.decode(twice, limits: Limits(depth: 10)) }
        #expect(throws: FormatError.self) { try KeyedArchive.decode(twice, limits: Limits(depth: 9)) }
    }
}
