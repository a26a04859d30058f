import Foundation
import StoreFormats
import Testing

@Suite("How alike two values are")
struct LikenessTests {
    private static func archive(_ value: Value) throws -> Value { .data(try KeyedArchive.write(value)) }
    private static func json(_ text: String) -> Value { .data(Data(text.utf8)) }

    private static let traits: Value = .dictionary([
        ("email", .string("ada@example.com")), ("age", .integer(36)), ("vip", .bool(true)),
    ])

    @Test(
        "JSON is the same whatever its white space, the order of its keys and the writing of a number",
        arguments: [
            (#"{"a":1,"b":[2,3]}"#, #"{ "b": [2, 3], "a": 1 }"#), (#"{"a":1.50}"#, #"{"a":1.5}"#), ("[1]", " [ 1 ]"),
            ("[800]", "[800.0]"), ("[800]", "[8e2]"),
        ])
    func sameJSON(left: String, right: String) {
        #expect(Self.json(left).likeness(to: Self.json(right)) == .same)
        #expect(Value.string(left).likeness(to: .string(right)) == .same)
    }

    @Test(
        "What a store tells apart is different",
        arguments: [
            (.integer(1), .string("1")), (.integer(1), .real(1)), (.bool(true), .integer(1)), (.null, .string("")),
            (.string("e\u{301}"), .string("é")), (.data(Data([0])), .data(Data([1]))), (.string("a"), .string("b")),
            (json(#"{"a":1}"#), json(#"{"a":"1"}"#)), (json(#"{"a":1,"a":1}"#), json(#"{"a":1, "a":1}"#)),
            (json("[1,2]"), json("[2,1]")), (json("[1]"), json("[1.1]")), (.array([.integer(1)]), .array([.real(1)])),
            (json(#"{"a":"{\"b\":1}"}"#), json(#"{"a":"{\"b\":2}"}"#)),
        ] as [(Value, Value)])
    func different(left: Value, right: Value) {
        #expect(left.likeness(to: right) == .different)
        #expect(right.likeness(to: left) == .different)
    }

    @Test("A keyed archive, JSON in a text and a dictionary of the same members are the same in another form")
    func otherForm() throws {
        let text = #"{"vip":true,"age":36,"email":"ada@example.com"}"#
        let archive = try Self.archive(Self.traits)
        #expect(archive.likeness(to: .string(text)) == .otherForm("keyed archive in data", "JSON in string"))
        #expect(Value.string(text).likeness(to: Self.traits) == .otherForm("JSON in string", "dictionary"))
        #expect(Value.string(text).likeness(to: Self.json(text)) == .otherForm("JSON in string", "JSON in data"))
        #expect(Value.string("u-42").likeness(to: Self.json("u-42")) == .otherForm("string", "data"))
        #expect(archive.likeness(to: .string(#"{"vip":true,"age":37,"email":"ada@example.com"}"#)) == .different)
    }

    @Test("however deep the number lies, each part is looked at once", .timeLimit(.minutes(1)))
    func deepNumber() {
        let texts = ["1.0", "1"].map { number in
            Value.string(String(repeating: #"{"a":["#, count: 60) + number + String(repeating: "]}", count: 60))
        }
        #expect(texts[0].numberForms(beside: texts[1]) != nil)
    }

    @Test("An integer and a real number are one number in JSON, and it is told which is which, however deep")
    func numberForms() {
        let real = "JSON in string with a real number", integer = "JSON in string with an integer"
        for (left, right, forms) in [
            (#"{"a":1.0}"#, #"{"a":1}"#, Likeness.otherForm(real, integer)),
            (#"[{"b":8e2}]"#, #"[{"b":800}]"#, .otherForm(real, integer)),
            (#"{"a":1,"b":"{\"c\":2}"}"#, #"{"b":"{\"c\":2.0}", "a":1}"#, .otherForm(integer, real)),
            (#"{"a":1.50}"#, #"{"a":1.5}"#, nil), (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, nil), ("1.0", "1", nil),
        ] as [(String, String, Likeness?)] {
            let left = Value.string(left), right = Value.string(right)
            #expect(left.numberForms(beside: right) == forms)
            #expect(left.numberForms(beside: left) == nil)
        }
        let texts = ["[1.0]", "[1]"].map { Value.dictionary([("x", .string($0))]) }
        #expect(
            texts[0].numberForms(beside: texts[1])
                == .otherForm("dictionary with a real number", "dictionary with an integer"))
    }

    @Test("JSON within JSON is compared by its value too")
    func nested() {
        let left = Self.json(#"{"a":"{\"b\":1,\"c\":2}"}"#), right = Self.json(#"{"a":"{\"c\":2,\"b\":1}"}"#)
        #expect(left.likeness(to: right) == .same)
    }

    @Test("What is over the limits of one answer is unknown, not different")
    func overBudget() {
        let left = Self.json("[" + String(repeating: "1,", count: 100) + "1]")
        let right = Self.json("[ " + String(repeating: "1,", count: 100) + "1]")
        #expect(left.likeness(to: right) == .same)
        let budget = DecodingBudget(Limits(bytes: 300))
        #expect(left.likeness(to: right, within: budget) == .unknown)
    }

    @Test("JSON within JSON that is over the limits of one answer is unknown too, unless something else differs")
    func overBudgetWithin() {
        func outer(_ inner: String, _ more: String) -> Value { Self.json(#"{"a":"\#(inner)","b":"\#(more)"}"#) }
        let inner = "[" + String(repeating: "1,", count: 100), left = outer(inner + "1]", "x")
        #expect(left.likeness(to: outer(inner + " 1]", "x")) == .same)
        // The outer ones fit; of what is within a quarter may be looked at.
        let limits = Limits(bytes: 700)
        #expect(left.likeness(to: outer(inner + " 1]", "x"), within: DecodingBudget(limits)) == .unknown)
        #expect(left.likeness(to: outer(inner + " 1]", "y"), within: DecodingBudget(limits)) == .different)
        let (list, other) = (Value.array([left, .integer(1)]), Value.array([outer(inner + " 1]", "x"), .integer(2)]))
        #expect(list.likeness(to: other, within: DecodingBudget(limits)) == .different)
    }
}
