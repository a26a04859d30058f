import Foundation
import TestSupport
import Testing

@testable import StoreFormats

@Suite("Recognition: formats within values")
struct RecognitionTests {
    private static let content: Value = .dictionary([("a", .array([.integer(1), .string("é")]))])
    private static let archive: Value = .dictionary([
        ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
        ("$top", .dictionary([("root", .uid(1))])),
        (
            "$objects",
            .array([
                .string("$null"), .dictionary([("NS.objects", .array([.uid(2), .uid(0)])), ("$class", .uid(3))]),
                .string("x"),
                .dictionary([("$classname", .string("NSArray")), ("$classes", .array([.string("NSArray")]))]),
            ])
        ),
    ])
    private static let unarchived: Value = .array([.string("x"), .null])

    private func base64(_ data: Data) -> Data { Data(data.base64EncodedString().utf8) }

    private func text(_ data: Data) -> Value { .string(String(decoding: data, as: UTF8.self)) }

    @Test("Data and text that hold another format are decoded one level deep")
    func decoded() throws {
        let json = try JSONDocument.write(Self.content)
        let xml = try XMLPropertyList.write(Self.content)
        let binary = try BinaryPropertyList.write(Self.content)
        let binaryArchive = try BinaryPropertyList.write(Self.archive),
            xmlArchive = try XMLPropertyList.write(Self.archive)
        let cases: [(Value, [StoreFormat], Value)] = [
            (.data(json), [.json], Self.content), (text(json), [.json], Self.content),
            (.data(xml), [.xmlPropertyList], Self.content), (text(xml), [.xmlPropertyList], Self.content),
            (.data(binary), [.binaryPropertyList], Self.content),
            (.data(binaryArchive), [.binaryPropertyList, .keyedArchive], Self.unarchived),
            (.data(xmlArchive), [.xmlPropertyList, .keyedArchive], Self.unarchived),
            (text(xmlArchive), [.xmlPropertyList, .keyedArchive], Self.unarchived),
            (Self.archive, [.keyedArchive], Self.unarchived),
            (text(base64(json)), [.base64, .json], Self.content),
            (text(base64(xml)), [.base64, .xmlPropertyList], Self.content),
            (text(base64(binary)), [.base64, .binaryPropertyList], Self.content),
            (text(base64(binaryArchive)), [.base64, .binaryPropertyList, .keyedArchive], Self.unarchived),
            (text(base64(base64(json))), [.base64, .base64, .json], Self.content),
            (
                .string(xml.base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn])),
                [.base64, .xmlPropertyList], Self.content
            ),
        ]
        for (value, formats, content) in cases {
            #expect(value.decoded() == DecodedValue(formats: formats, value: content), "\(formats)")
            #expect(value.recognition()?.problem == nil)
        }
    }

    @Test("Base64 within base64 is followed only so far")
    func nestedBase64() throws {
        var data = try JSONDocument.write(.dictionary([("key", .string("a longer text"))]))
        for level in 1...5 {
            data = base64(data)
            #expect((text(data).decoded()?.formats.count ?? 0) == (level <= 3 ? level + 1 : 0))
        }
    }

    @Test("What is found is not looked into, but can be asked again")
    func levels() throws {
        let inner = try JSONDocument.write(.array([.integer(1)]))
        let outer = try JSONDocument.write(.dictionary([(Name("k"), text(inner))]))
        let first = try #require(text(outer).decoded()?.value)
        #expect(first == .dictionary([(Name("k"), text(inner))]))
        #expect(first.members?["k"]?.decoded()?.value == .array([.integer(1)]))
    }

    @Test(
        "Plain values hold nothing else",
        arguments: [
            .null, .bool(true), .integer(1), .real(1), .string(""), .string("hello"), .string("true"), .string("123"),
            .string("\"quoted\""), .string("{draft}"), .string("[1] see below"), .string("{{0, 0}, {320, 480}}"),
            .string("ABCDEFGHIJKLMNOP"), .string("deadbeefdeadbeefdeadbeefdeadbeef"), .string("e30="), .data(Data()),
            .data(Data([0, 1, 2])), .array([]), .dictionary([("a", .integer(1))]),
            .uid(1),
            .string("71DC068E-3420-45FF-919E-3A267D55EC22"), .string("http://example.com/a?b=c"), .string("a = b"),
            .string("{ a = 1; }"), .data(Data("bplist16\0.......".utf8)),
        ] as [Value])
    func plain(value: Value) {
        #expect(value.recognition() == nil)
        #expect(value.decoded() == nil)
    }

    @Test("What looks like a format and is broken says why")
    func broken() throws {
        let binary = try BinaryPropertyList.write(Self.content)
        let cases: [(Value, StoreFormat)] = [
            (.data(binary.dropLast(3)), .binaryPropertyList), (.string("{\"a\": 1,}"), .json),
            (.string("<plist><dict></plist>"), .xmlPropertyList), (text(base64(Data("{\"a\": nope}".utf8))), .json),
        ]
        for (value, format) in cases {
            let recognition = try #require(value.recognition())
            #expect(recognition.decoded == nil)
            #expect(recognition.problem?.format == format)
        }
    }

    @Test(
        "Data that is text is text, and a scalar of JSON where it is one; NULs at its end are no part of it",
        arguments: [
            ("8C5A2F9E-0001", [.text], .string("8C5A2F9E-0001")), ("déjà\tvu\r\n", [.text], .string("déjà\tvu\r\n")),
            ("2", [.json], .integer(2)), (" -1.50 ", [.json], .real(Real(-1.5, form: .literal("-1.50")))),
            ("\"Ada\"", [.json], .string("Ada")), ("true", [.json], .bool(true)), ("null", [.json], .null),
            ("truth", [.text], .string("truth")), ("007", [.text], .string("007")), ("1 2", [.text], .string("1 2")),
            ("\"a\" b", [.text], .string("\"a\" b")), ("{ a = 1; }", [.text], .string("{ a = 1; }")),
            ("1111-2222\0", [.terminatedText], .string("1111-2222")), ("a\0\0\0", [.terminatedText], .string("a")),
            ("2\0", [.terminatedText, .json], .integer(2)),
            ("{\"a\":1}\0", [.terminatedText], .string("{\"a\":1}")),
        ] as [(String, [StoreFormat], Value)])
    func text(text: String, formats: [StoreFormat], value: Value) {
        let recognition = Value.data(Data(text.utf8)).recognition()
        #expect(recognition == Recognition(decoded: DecodedValue(formats: formats, value: value)))
    }

    @Test(
        "Data that holds other control characters than white space, or is not UTF-8, is not text",
        arguments: [
            [], [0], [0, 0], [0x41, 0, 0x42], [1], [0x41, 0x7F], [0x41, 0x1B, 0x5B], [0xC3], [0xFF], [0xC2, 0x9B],
            Array(repeating: 0x41, count: 100) + [7], Array(repeating: 0, count: 100) + [0x41],
        ] as [[UInt8]])
    func binary(bytes: [UInt8]) {
        #expect(Value.data(Data(bytes)).recognition() == nil)
    }

    @Test("Data that is broken in another format is shown as the text that it is, with the reason")
    func brokenText() throws {
        let recognition = try #require(Value.data(Data("[\"a\"".utf8)).recognition())
        #expect(recognition.decoded == DecodedValue(formats: [.text], value: .string("[\"a\"")))
        #expect(recognition.problem?.format == .json)
    }

    @Test("A broken archive is shown as the property list that it is, with the reason")
    func brokenArchive() throws {
        var members = try #require(Self.archive.members)
        members["$top"] = .dictionary([("root", .uid(99))])
        let broken = Value.dictionary(members)
        let problem = FormatError(.keyedArchive, at: .object(99), .outOfBounds("the root object"))
        #expect(broken.recognition() == Recognition(decoded: nil, problem: problem))
        let list = DecodedValue(formats: [.binaryPropertyList], value: broken)
        #expect(
            Value.data(try BinaryPropertyList.write(broken)).recognition()
                == Recognition(decoded: list, problem: problem))
    }

    @Test("A list that says that it is an archive is a broken one without its objects or its top")
    func brokenFrame() throws {
        for (key, value) in [("$objects", nil), ("$objects", .string("zz")), ("$top", .array([]))] as [(Name, Value?)] {
            var members = try #require(Self.archive.members)
            members[key] = value
            let broken = Value.dictionary(members)
            #expect(broken.recognition()?.problem?.format == .keyedArchive, "\(key)")
            #expect(throws: FormatError.self) { try broken.part(at: JSONPointer(["name"])) }
        }
        #expect(Value.dictionary([("$archiver", .string("tar")), ("a", .null)]).recognition() == nil)
    }

    @Test("Limits hold for what is inside")
    func limits() {
        let deep = Value.string(String(repeating: "[", count: 1000))
        #expect(deep.recognition()?.problem?.problem == .tooDeep(limit: 256))
        #expect(
            Value.string("[1,2,3]").recognition(within: DecodingBudget(Limits(bytes: 3)))?.problem?.problem
                == .tooLarge(bytes: 7, limit: 3))
    }

    @Test("Damaged values are never more than a value or a reason")
    func fuzz() throws {
        let seeds = [
            try BinaryPropertyList.write(Self.archive), try XMLPropertyList.write(Self.archive),
            try JSONDocument.write(Self.content),
            base64(try BinaryPropertyList.write(Self.archive)),
        ]
        var generator = SeededGenerator(seed: 10), read = 0, broken = 0
        for round in 0..<4000 {
            let damaged = generator.damaged(seeds[round % seeds.count])
            for value in [Value.data(damaged), .string(String(decoding: damaged, as: UTF8.self))] {
                guard let recognition = value.recognition(within: DecodingBudget(Limits(nodes: 10_000))) else {
                    continue
                }
                if recognition.decoded != nil { read += 1 }
                if recognition.problem != nil { broken += 1 }
                if recognition.decoded == nil { #expect(recognition.problem?.description.isEmpty == false) }
            }
        }
        #expect(read > 300)
        #expect(broken > 500)
    }
}
