import Foundation
import TestSupport
import Testing

@testable import StoreFormats

@Suite("JSON: reading and writing")
struct JSONReadingTests {
    private func read(_ text: String, limits: Limits = .standard) throws -> Value {
        try JSONDocument(Data(text.utf8), limits: limits).value
    }

    @Test(
        "A number keeps its text: an integer, a shortest Double, or the text itself",
        arguments: [
            ("0", .integer(0)), ("-1", .integer(-1)), ("9007199254740993", .integer(9_007_199_254_740_993)),
            ("170141183460469231731687303715884105727", .integer(.max)),
            ("-170141183460469231731687303715884105728", .integer(.min)),
            ("170141183460469231731687303715884105728", literal("170141183460469231731687303715884105728", 0x1p127)),
            ("-0", literal("-0", -0.0)), ("-0.0", .real(-0.0)), ("1.0", .real(1)), ("1.5", .real(1.5)),
            ("3.10", literal("3.10", 3.1)), ("1e2", literal("1e2", 100)), ("1E+2", literal("1E+2", 100)),
            ("1e+20", .real(1e20)), ("1e400", literal("1e400", .infinity)), ("5e-324", .real(.leastNonzeroMagnitude)),
        ] as [(String, Value)])
    func number(text: String, value: Value) throws {
        #expect(try read(text) == value)
        #expect(try JSONDocument.write(value) == Data(text.utf8))
    }

    private static func literal(_ text: String, _ value: Double) -> Value { .real(Real(value, form: .literal(text))) }

    @Test(
        "A string is its characters with the escapes resolved; half a pair is U+FFFD",
        arguments: [
            (#""""#, ""), (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\u20AC""#, "é€"),
            (#""\ud83d\ude00""#, "😀"), (#""\ud800""#, "\u{FFFD}"), (#""\udc00x""#, "\u{FFFD}x"),
            (#""\ud800\u0041""#, "\u{FFFD}A"), (#""\ud800\ud83d\ude00""#, "\u{FFFD}😀"), (#""\u0000""#, "\0"),
            ("\"é\u{7F}\u{2028}\"", "é\u{7F}\u{2028}"),
        ])
    func string(text: String, expected: String) throws {
        let value = try read(text)
        #expect(value.string.map { Array($0.utf8) } == Array(expected.utf8))
    }

    @Test("Keys keep their order, and keys that stand twice are kept and named")
    func members() throws {
        let value = try read(#"{"b":1,"a":[true,false,null,{}],"b":2}"#)
        let expected: Value = .dictionary([
            ("b", .integer(1)), ("a", .array([.bool(true), .bool(false), .null, .dictionary(Members())])),
            ("b", .integer(2)),
        ])
        #expect(value == expected)
        #expect(value.members?.duplicateKeys == ["b"])
        #expect(try JSONDocument.write(value) == Data(#"{"b":1,"a":[true,false,null,{}],"b":2}"#.utf8))
    }

    @Test(
        "What RFC 8259 does not allow is refused at its line and column",
        arguments: [
            ("", 1, 1), ("  ", 1, 3), ("{\n  \"a\": 1,\n}", 3, 1), ("[1,]", 1, 4), ("[1 2]", 1, 4), ("// x\n1", 1, 1),
            ("[NaN]", 1, 2), ("[01]", 1, 2), ("[+1]", 1, 2), ("[.5]", 1, 2), ("[1.]", 1, 2), ("[1e]", 1, 2),
            ("[-]", 1, 2), ("[tru]", 1, 2), ("['a']", 1, 2), ("[\"a\nb\"]", 1, 4), (#"["\x"]"#, 1, 3),
            (#"["\u12g4"]"#, 1, 3), (#"["\u12"#, 1, 3), ("[\"é\\q\"]", 1, 4), (#"{"a"}"#, 1, 5), ("{a:1}", 1, 2),
            ("[1}", 1, 3), ("{\"a\":1]", 1, 7), ("[1]x", 1, 4), ("[", 1, 2), ("\r\n\r[}", 3, 2), ("{\"a\":}", 1, 6),
        ])
    func refusal(text: String, line: Int, column: Int) throws {
        let error = try #require(throws: FormatError.self) { try read(text) }
        #expect(error.format == .json)
        guard case .line(line, column: column, offset: _) = error.position else {
            Issue.record("“\(text)” is refused at \(error.position), not at line \(line), column \(column)")
            return
        }
    }

    @Test("Bytes that are not UTF-8 are refused where they are, and UTF-16 by name")
    func encoding() {
        #expect(throws: FormatError(.json, at: .line(1, column: 4, offset: 3), .invalid("this is not UTF-8"))) {
            try JSONDocument(Data([0x5B, 0x22, 0x61, 0xFF, 0x22, 0x5D]))
        }
        #expect(throws: FormatError(.json, at: .line(1, column: 1, offset: 0), .unsupported("JSON in UTF-16"))) {
            try JSONDocument(Data([0xFF, 0xFE, 0x5B, 0, 0x5D, 0]))
        }
    }

    @Test("A byte order mark is accepted and kept")
    func byteOrderMark() throws {
        let document = try JSONDocument(Data("\u{FEFF}[1]".utf8))
        #expect(document.value == .array([.integer(1)]))
        #expect(try document.replacing(JSONPointer(["0"]), with: .integer(2)).data == Data("\u{FEFF}[2]".utf8))
    }

    @Test("Depth, number of values and size are limited")
    func limits() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(problem { try read(deep) } == .tooDeep(limit: 256))
        #expect(problem { try read("[[[]]]", limits: Limits(depth: 2)) } == .tooDeep(limit: 2))
        #expect(problem { try read("[[[]]]", limits: Limits(depth: 3)) } == nil)
        #expect(problem { try read("[1,2,3]", limits: Limits(nodes: 3)) } == .tooManyNodes(limit: 3))
        #expect(problem { try read("[1,2,3]", limits: Limits(bytes: 6)) } == .tooLarge(bytes: 7, limit: 6))
    }

    private func problem(_ body: () throws -> Value) -> FormatError.Problem? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? FormatError)?.problem
        }
    }

    @Test(
        "What JSON has no form for is not written",
        arguments: [
            .data(Data()), .date(Timestamp(secondsSinceReference: 0)), .uid(1), .set(SetElements([])), .real(.nan),
            .real(-.infinity), .object(ArchivedObject(className: "A", fields: [:])), .reference(1),
            .array([.real(Real(1, form: .literal("1,5")))]),
        ] as [Value])
    func unwritable(value: Value) throws {
        let error = try #require(throws: FormatError.self) { try JSONDocument.write(value) }
        guard case .unwritable = error.problem else {
            Issue.record("\(value) is refused as \(error)")
            return
        }
    }

    @Test("A string is written with no escape that is not needed")
    func writtenString() throws {
        let expected = "\"/é\u{2028}\\u001f\\\"\\\\\\n\u{7F}\""
        #expect(try JSONDocument.write(.string("/é\u{2028}\u{1F}\"\\\n\u{7F}")) == Data(expected.utf8))
    }

    @Test("What is written reads back as it was")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<300 {
            let value = generator.value()
            let data = try JSONDocument.write(value)
            #expect(try JSONDocument(data).value == value)
        }
    }

    @Test("Damaged text is a value or an error, and what is accepted is written back and accepted by others")
    func fuzz() throws {
        let seed = Data(#"{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00\\",null,true],"b":{"c":{},"d":[[]]}, "e" : "é"}"#.utf8)
        var generator = SeededGenerator(seed: 2), accepted = 0
        for _ in 0..<5000 {
            let damaged = generator.damaged(seed)
            guard let value = try? JSONDocument(damaged).value else { continue }
            accepted += 1
            #expect(try JSONDocument(JSONDocument.write(value)).value == value)
            // Foundation refuses duplicates of nothing, so that it accepts whatever is strictly JSON, but for half pairs.
            if !damaged.containsHalfPair {
                #expect(throws: Never.self) {
                    try JSONSerialization.jsonObject(with: damaged, options: .fragmentsAllowed)
                }
            }
        }
        #expect(accepted > 100)
    }
}

extension Data {
    /// Whether an escape of a surrogate stands in this text, perhaps without its other half.
    fileprivate var containsHalfPair: Bool {
        String(decoding: self, as: UTF8.self).lowercased().contains("\\ud")
    }
}
