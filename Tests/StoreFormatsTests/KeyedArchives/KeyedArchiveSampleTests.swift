import Foundation
import Testing
import TestSupport

@testable import StoreFormats

@Suite("Keyed archives: samples and damage", .enabled(if: Places.hasSamples, "\(Places.samplesHint)"))
struct KeyedArchiveSampleTests {
    private func archive(_ path: String) throws -> Value {
        let data = try Samples.data("plists/\(path).plist")
        return StoreFormat.sniff(data) == .readable(.xmlPropertyList)
            ? try XMLPropertyList.parse(data) : try BinaryPropertyList(data).value()
    }

    private static func foo(_ fields: Members) -> Value {
        .object(ArchivedObject(className: "crap.Foo", fields: fields))
    }

    private static let url = ArchivedObject(
        className: "NSURL",
        fields: [
            "absoluteString": .string("https://www.example.com"), "NS.base": .null,
            "NS.relative": .string("https://www.example.com"),
        ])

    @Test(
        "Archives that others wrote are read",
        arguments: [
            ("bpylist2/circular_archive", foo(["recursive": .reference(1), "title": .string("hello")])),
            (
                "bpylist2/complex_archive",
                foo([
                    "metadata": .dictionary([("fruit", .string("kiwi")), ("veg", .string("asparagus"))]),
                    "title": .string("yo"), "count": .integer(42), "active": .bool(true),
                    "categories": .array([.string("banana"), .string("apple")]),
                ])
            ),
            ("bpylist2/data_archive", foo(["title": .string("yo"), "stamp": .data(Data())])),
            (
                "bpylist2/dataclass_archive",
                .object(
                    ArchivedObject(
                        className: "FooDataclass",
                        fields: [
                            "int_field": .integer(5), "str_field": .string("hello"), "float_field": .real(3.15),
                            "list_field": .array([.string("foo"), .string("bar"), .string("baz")]),
                        ]))
            ),
            (
                "bpylist2/date_archive",
                foo(["stamp": .date(Timestamp(secondsSinceReference: 509_523_358.684097)), "title": .string("hello")])
            ),
            ("bpylist2/empty_archive", foo([:])), ("bpylist2/invalid_type_archive", foo([:])),
            ("bpylist2/invalid_version_archive", foo([:])),
            (
                "bpylist2/no_root_archive",
                .dictionary([
                    ("rooty", .object(ArchivedObject(className: "crap.Foo", fields: ["title": .string("yo")])))
                ])
            ),
            ("bpylist2/nsmutabledata_archive", .data(Data("hello".utf8))),
            ("bpylist2/null_archive", foo(["title": .string("yo"), "empty": .null])),
            (
                "bpylist2/recursive_archive",
                foo([
                    "title": .string("hello"), "recursive": foo(["title": .string("yo"), "recursive": .null]),
                ])
            ),
            ("bpylist2/simple_archive", foo(["title": .string("yo"), "count": .integer(42), "active": .bool(true)])),
            (
                "corelibs/NSKeyedUnarchiver-ArrayTest",
                .array([.string("baa"), .string("baa"), .string("black"), .string("sheep")])
            ),
            (
                "corelibs/NSKeyedUnarchiver-ConcreteValueTest",
                .object(
                    ArchivedObject(
                        className: "NSValue",
                        fields: [
                            "$0": .string("[3i]"),
                            "$1": .object(
                                ArchivedObject(
                                    className: "_NSKeyedCoderOldStyleArray",
                                    fields: [
                                        "$0": .integer(1), "$1": .integer(2), "$2": .integer(3),
                                        "NS.count": .integer(3),
                                        "NS.size": .integer(4), "NS.type": .integer(105),
                                    ])),
                        ]))
            ),
            (
                "corelibs/NSKeyedUnarchiver-EdgeInsetsTest",
                .object(
                    ArchivedObject(
                        className: "NSValue",
                        fields: [
                            "NS.edgeval.bottom": .real(3), "NS.edgeval.left": .real(2), "NS.edgeval.right": .real(4),
                            "NS.edgeval.top": .real(1), "NS.special": .integer(12),
                        ]))
            ),
            (
                "corelibs/NSKeyedUnarchiver-NotificationTest",
                .object(
                    ArchivedObject(
                        className: "NSNotification",
                        fields: [
                            "NS.name": .string("notification-name"), "NS.object": .string("notification-object"),
                            "NS.userinfo": .dictionary([("notification-key", .string("notification-val"))]),
                        ]))
            ),
            (
                "corelibs/NSKeyedUnarchiver-OrderedSetTest",
                .set(SetElements([.string("valgeir"), .string("nico"), .string("puzzle")], isOrdered: true))
            ),
            (
                "corelibs/NSKeyedUnarchiver-RangeTest",
                .object(
                    ArchivedObject(
                        className: "NSValue",
                        fields: [
                            "NS.rangeval.length": .integer(98345), "NS.rangeval.location": .integer(97345),
                            "NS.special": .integer(4),
                        ]))
            ),
            (
                "corelibs/NSKeyedUnarchiver-RectTest",
                .object(
                    ArchivedObject(
                        className: "NSValue",
                        fields: ["NS.rectval": .string("{{400, 300}, {200, 300}}"), "NS.special": .integer(3)]))
            ),
            (
                "corelibs/NSKeyedUnarchiver-URLTest",
                .object(
                    ArchivedObject(
                        className: "NSURL",
                        fields: [
                            "absoluteString": .string("https://www.example.com/foo.xml"), "NS.base": .object(url),
                            "NS.relative": .string("foo.xml"),
                        ]))
            ),
            ("cpython/TESTDATA.KEYED_ARCHIVE", .string("KeyArchive UID Test")),
        ] as [(String, Value)])
    func read(path: String, value: Value) throws {
        #expect(try KeyedArchive.decode(archive(path)) == value)
    }

    @Test(
        "Archives that are broken at their root are refused with the reason",
        arguments: [
            ("invalid_uid", .object(10), .outOfBounds("the root object")),
            ("missing_uid", .object(1), .invalid("it has no $class")),
            ("no_class_meta", .object(1), .invalid("its $class, #3, does not describe a class")),
            ("no_class_name", .object(1), .invalid("its $class, #3, has no $classname")),
            ("no_objects", .offset(0), .invalid("it has no array $objects")),
            ("no_top", .offset(0), .invalid("it has no dictionary $top")),
        ] as [(String, FormatError.Position, FormatError.Problem)])
    func refused(name: String, position: FormatError.Position, problem: FormatError.Problem) throws {
        let archive = try archive("bpylist2/\(name)_archive")
        #expect(throws: FormatError(.keyedArchive, at: position, problem)) { try KeyedArchive.decode(archive) }
    }

    @Test("Every archive sample is among those above")
    func complete() throws {
        #expect(try Samples.files(in: "plists/bpylist2").filter { $0.hasSuffix("_archive.plist") }.count == 13 + 6)
        #expect(try Samples.files(in: "plists/corelibs").count == 10)
        let many = try KeyedArchive.decode(archive("corelibs/NSKeyedUnarchiver-ComplexTest"))
        #expect(many[JSONPointer(["array", "0"])] == .null)
        #expect(many[JSONPointer(["array", "3", "key"])] == .string("val"))
        #expect(many[JSONPointer(["url", "absoluteString"])] == .string("https://www.swift.org/index.xml"))
        #expect(many[JSONPointer(["uuid", "UUIDString"])] == .string("71DC068E-3420-45FF-919E-3A267D55EC22"))
        let uuid = try KeyedArchive.decode(archive("corelibs/NSKeyedUnarchiver-UUIDTest"))
        #expect(uuid[JSONPointer(["UUIDString"])] == .string("0AD863BA-7584-40CF-8896-BD87B3280C34"))
        let indexes = try KeyedArchive.decode(archive("rust-plist/binary_NSKeyedArchiver"))
        #expect(indexes[JSONPointer(["foundItems", "NSRangeCount"])] == .integer(42))
        #expect(indexes[JSONPointer(["foundItems", "NSRangeData"])]?.data?.count == 103)
    }

    @Test("A damaged archive is a value or an error")
    func fuzz() throws {
        let seeds = try [
            "corelibs/NSKeyedUnarchiver-ComplexTest", "bpylist2/complex_archive", "bpylist2/recursive_archive",
        ].map { [UInt8](try XMLPropertyList.write(archive($0))) }
        // In XML nearly every damage to a number leaves a list that can be read, so that the walker gets it.
        let numbers = seeds.map { seed in
            seed.indices.filter { (0x30...0x39).contains(seed[$0]) && seed[$0 - 1] == UInt8(ascii: ">") }
        }
        var generator = SeededGenerator(seed: 9), read = 0, refused = 0
        for round in 0..<900 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<3 {
                guard let place = numbers[round % seeds.count].randomElement(using: &generator) else { break }
                bytes[place] = UInt8.random(in: 0x30...0x39, using: &generator)
            }
            guard let list = try? XMLPropertyList.parse(Data(bytes)) else { continue }
            do throws(FormatError) {
                _ = try KeyedArchive.decode(list, limits: Limits(nodes: 10_000))
                read += 1
            } catch {
                refused += 1
            }
        }
        #expect(read > 300)
        #expect(refused > 50)
    }
}
