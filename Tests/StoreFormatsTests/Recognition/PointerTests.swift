import Foundation
import Testing

@testable import StoreFormats

@Suite("Pointers through formats within values")
struct PointerTests {
    private static let profile = #"{"preferences":{"theme":"dark","list":[1,2]}}"#
    private static let item = Value.dictionary([
        ("v_Data", .data(Data(profile.utf8))), ("acct", .string("profile")),
        ("terminated", .data(Data((profile + "\0").utf8))), ("text", .string("plain")),
        ("broken", .data(Data(#"{"a": 1,}"#.utf8))), ("binary", .data(Data([0, 1]))),
    ])

    private static func part(_ pointer: String, of value: Value = item) throws -> Value? {
        try value.part(at: #require(JSONPointer(parsing: pointer)))
    }

    @Test(
        "Numbers of JSON are the same by their value, of whatever size, and not by 64 bits of it",
        arguments: [
            ("1", "1.0", true), ("1.50", "15e-1", true), ("0", "-0.0", true), ("1e400", "1e500", false),
            ("1e400", "10e399", true), ("9007199254740993", "9007199254740992.0", false), ("[1]", "[1.0]", true),
        ])
    func numbers(left: String, right: String, isSame: Bool) throws {
        let values = try [left, right].map { try JSONDocument(Data("[\($0)]".utf8)).value }
        #expect(values[0].isEquivalentJSON(to: values[1]) == isSame)
        let one = Value.array([.integer(1)])
        #expect(!one.isEquivalentJSON(to: .array([.real(Real(1))]), tellingIntegersFromReals: true))
        #expect(one.isEquivalentJSON(to: one, tellingIntegersFromReals: true))
    }

    @Test(
        "A pointer leads through every format on its way",
        arguments: [
            ("", item), ("/acct", .string("profile")), ("/v_Data/preferences/theme", .string("dark")),
            ("/v_Data/preferences/list/1", .integer(2)), ("/terminated/preferences/theme", .string("dark")),
            ("/v_Data", .data(Data(profile.utf8))), ("/v_Data/other", nil), ("/text/a", nil), ("/binary/a", nil),
            ("/acct/0", nil),
        ] as [(String, Value?)])
    func parts(pointer: String, part: Value?) throws {
        #expect(try Self.part(pointer) == part)
    }

    @Test("It leads through formats inside formats, each decoded when it comes there")
    func nested() throws {
        let inner = Data(try BinaryPropertyList.write(Self.item).base64EncodedString().utf8)
        let outer = Value.string(
            String(
                decoding: try JSONDocument.write(
                    .dictionary([
                        ("blob", .string(String(decoding: inner, as: UTF8.self)))
                    ])), as: UTF8.self))
        #expect(try Self.part("/blob/v_Data/preferences/list/0", of: outer) == .integer(1))
    }

    @Test(
        "Where the way leads through something broken or over the budget, nothing is known, rather than nothing there")
    func broken() throws {
        #expect(throws: FormatError.self) { try Self.part("/broken/a") }
        let budget = DecodingBudget(Limits(nodes: 2))
        _ = Value.string("[1]").decoded(within: budget)
        #expect(throws: FormatError(.json, at: .offset(0), .overBudget)) {
            try Self.item.part(at: JSONPointer(["v_Data", "preferences"]), within: budget)
        }
    }
}
