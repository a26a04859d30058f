import Foundation
import Testing

@testable import StoreFormats

@Suite("Property list files")
struct PropertyListFileTests {
    private static let value: Value = .dictionary([
        ("b", .integer(1)), ("a", .string("é")), ("c", .array([.bool(true)])),
    ])

    private static func files() throws -> [(StoreFormat, Data)] {
        [
            (.binaryPropertyList, try BinaryPropertyList.write(value)),
            (.xmlPropertyList, try XMLPropertyList.write(value)),
            (.json, try JSONDocument.write(value)),
        ]
    }

    @Test("A file is the same in each format")
    func reading() throws {
        for (format, data) in try Self.files() {
            let file = try PropertyListFile(data)
            #expect(file.format == format)
            #expect(file.count == 3)
            #expect(Set((0..<3).map(file.key(at:))) == ["a", "b", "c"])
            for key in ["a", "b", "c"] {
                let position = try #require(file.position(of: Name(key)))
                #expect(file.key(at: position) == Name(key))
                #expect(try file.value(at: position) == Self.value.members?[Name(key)])
            }
            #expect(file.position(of: "d") == nil)
        }
    }

    @Test(
        "What XML cannot hold makes of its file a binary property list, as UserDefaults write themselves",
        arguments: [
            Value.string("a\u{1}b"), .string("\u{FFFE}"), .string("\u{FFFF}"),
            .date(Timestamp(secondsSinceReference: 1_725_000_000_000)),
        ])
    func withoutXML(new: Value) throws {
        let file = try PropertyListFile(
            PropertyListFile(XMLPropertyList.write(Self.value)).rewriting([("new", new)]))
        #expect(file.format == .binaryPropertyList && file.count == 4)
        #expect(try file.position(of: "new").map { try file.value(at: $0) } == new)
    }

    @Test("Edits replace, add and remove, and the format stays")
    func rewriting() throws {
        for (format, data) in try Self.files() {
            let edits: [(key: Name, value: Value?)] = [
                ("a", .integer(2)), ("b", nil), ("a/b~", .string("new")), ("x", nil),
            ]
            let file = try PropertyListFile(PropertyListFile(data).rewriting(edits))
            #expect(file.format == format)
            let members = try (0..<file.count).map { (file.key(at: $0), try file.value(at: $0)) }
            #expect(
                Dictionary(uniqueKeysWithValues: members)
                    == ["a": .integer(2), "c": .array([.bool(true)]), "a/b~": .string("new")])
        }
    }

    @Test("JSON changes only where it must")
    func json() throws {
        let file = try PropertyListFile(Data("{ \"a\" : 1e2,\n \"b\":2 }\n".utf8))
        #expect(try file.rewriting([("b", .integer(3))]) == Data("{ \"a\" : 1e2,\n \"b\":3 }\n".utf8))
    }

    @Test("Of a key that stands twice both positions are found, and it is named")
    func duplicates() throws {
        for text in [
            "{\"a\":1,\"a\":2}", "<dict><key>a</key><integer>1</integer><key>a</key><integer>2</integer></dict>",
        ] {
            let file = try PropertyListFile(Data(text.utf8))
            #expect(file.count == 2)
            #expect(file.position(of: "a") == 0)
            #expect(file.positions(of: "a") == [0, 1])
            #expect(file.repeatedKeys == ["a"])
            #expect(try PropertyListFile(file.rewriting([("a", nil)])).count == 0)
        }
    }

    @Test(
        "What is no file of keys is refused for its reason",
        arguments: [
            ("", .tooShort(bytes: 0)), ("plain text", .badMagic),
            ("bplist16........", .unsupported("an XPC property list (bplist16)")),
            ("{ a = 1; }", .unsupported("an OpenStep property list")),
            ("[1]", .notADictionary("an array")),
            ("<array/>", .notADictionary("an array")),
            ("<dict><key>a</key></dict>", .invalid("the key “a” has no value")),
        ] as [(String, FormatError.Problem)])
    func refused(text: String, problem: FormatError.Problem) throws {
        let error = try #require(throws: FormatError.self) { try PropertyListFile(Data(text.utf8)) }
        #expect(error.problem == problem)
    }

    @Test("A binary list whose root is no dictionary, or that is broken, is refused")
    func refusedBinary() throws {
        let array = try BinaryPropertyList.write(.array([]))
        #expect(throws: FormatError(.binaryPropertyList, at: .offset(0), .notADictionary("an array"))) {
            try PropertyListFile(array)
        }
        #expect(throws: FormatError.self) { try PropertyListFile(array.dropLast()) }
    }

    @Test(
        "Of two edits of one key the later counts, also where one removes it, and a key that is kept twice stays twice")
    func laterEdit() throws {
        for text in [
            "{\"a\":1,\"b\":2,\"b\":3}",
            """
            <dict><key>a</key><integer>1</integer><key>b</key><integer>2</integer><key>b</key><integer>3</integer></dict>
            """,
        ] {
            let edits: [(key: Name, value: Value?)] = [
                ("a", nil), ("c", .integer(1)), ("a", .integer(5)), ("c", .integer(6)), ("d", .integer(1)), ("d", nil),
            ]
            let file = try PropertyListFile(PropertyListFile(Data(text.utf8)).rewriting(edits))
            let members = try (0..<file.count).map { Member(key: file.key(at: $0), value: try file.value(at: $0)) }
            #expect(Set(members.map(\.key)) == ["a", "b", "c"])
            #expect(members.filter { $0.key == "b" }.map(\.value) == [.integer(2), .integer(3)])
            #expect(members.first { $0.key == "a" }?.value == .integer(5))
            #expect(members.first { $0.key == "c" }?.value == .integer(6))
        }
    }

    @Test("What a format cannot hold is refused")
    func unwritable() throws {
        for (format, data) in try Self.files() where format != .binaryPropertyList {
            let file = try PropertyListFile(data)
            #expect(throws: FormatError.self) { try file.rewriting([("n", .set(SetElements([])))]) }
        }
    }
}
