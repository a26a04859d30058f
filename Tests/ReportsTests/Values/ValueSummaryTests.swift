import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Reports

@Suite("Values in words")
struct ValueSummaryTests {
    @Test(
        "values of different types never look the same",
        arguments: [
            (Value.null, "null"), (.bool(true), "true"), (.string("true"), "\"true\""), (.integer(1), "1"),
            (.real(1), "1.0"), (.string("1"), "\"1\""), (.real(Real(1, form: .literal("1e0"))), "1e0"),
            (.real(Real(0.1, form: .single)), "0.1"), (.real(0.1), "0.1"), (.real(-0.0), "-0.0"), (.real(.nan), "nan"),
            (.integer(.max), "170141183460469231731687303715884105727"), (.data(Data([1])), "data, 1 byte"),
            (.data(Data([1, 2])), "data, 2 bytes"), (.array([]), "[0 items]"), (.array([.null]), "[1 item]"),
            (.dictionary([]), "{}"), (.dictionary([("a", .null), ("b", .null)]), "{a, b}"), (.uid(7), "UID 7"),
            (.set(SetElements([.null])), "set [1 item]"),
            (.set(SetElements([], isOrdered: true)), "ordered set [0 items]"),
            (.object(ArchivedObject(className: "Acme.Badge", fields: ["level": .integer(3)])), "Acme.Badge {level}"),
            (.reference(4), "↺ #4"), (.date(Timestamp(secondsSinceReference: 0)), "2001-01-01T00:00:00Z"),
            (.string(#"{"a": 1}"#), "JSON {a}"), (.string(""), "\"\""),
        ])
    func summary(value: Value, text: String) {
        #expect(value.summary == text)
    }

    @Test("a date beyond the calendar is a number of seconds")
    func strangeDates() {
        for seconds in [Double.infinity, -.infinity, .nan, 1e300] {
            #expect(Value.date(Timestamp(secondsSinceReference: seconds)).summary.hasSuffix(" s after 2001"))
        }
    }

    @Test("of a long value only the beginning is told")
    func long() {
        #expect(Value.string(String(repeating: "x", count: 400)).summary.count == 402)
        #expect(
            Value.string(String(repeating: "x", count: 401)).summary == "\"\(String(repeating: "x", count: 400))…\"")
        let many = Value.dictionary((0..<9).map { ("k\($0)", .null) })
        #expect(many.summary == "{k0, k1, k2, k3, k4, k5, k6, k7, … 9 keys}")
        let longKey = Value.dictionary([(Name(String(repeating: "k", count: 100)), .null)])
        #expect(longKey.summary.count == 43)
    }

    @Test("a value is laid out depth first, into what other formats hold")
    func tree() {
        let value = Value.dictionary([
            ("a", .array([.integer(1), .bool(false)])), ("b", .string(#"{"c":[null]}"#)), ("d", .string("x")),
        ])
        #expect(
            value.treeLines().map { "\($0.depth) \($0.key ?? "-") \($0.text)" } == [
                "0 - {a, b, d}", "1 a [2 items]", "2 0 1", "2 1 false", "1 b JSON {c}", "2 c [1 item]", "3 0 null",
                "1 d \"x\"",
            ])
    }

    @Test("what is displayed otherwise is not looked into, and its path is that of the part")
    func hidden() {
        let value = Value.dictionary([("a", .dictionary([("b", .array([.integer(1)]))]))])
        let lines = value.treeLines { pointer, _ in pointer.tokens == ["a", "b"] ? "hidden" : nil }
        #expect(lines.map(\.text) == ["{a}", "{b}", "hidden"])
    }

    @Test("a value of many parts or levels ends with a line that says so")
    func bounds() {
        let wide = Value.array(Array(repeating: .null, count: 5000)).treeLines(limit: 100)
        #expect(wide.count == 101)
        #expect(wide.last?.text == "… cut after 100 lines")
        #expect(Value.array(Array(repeating: .null, count: 99)).treeLines(limit: 100).count == 100)
        var deep = Value.null
        for _ in 0..<400 { deep = .array([deep, deep]) }
        #expect(deep.treeLines(limit: 1000).count == 1001)
    }

    @Test("a key that is cut says so")
    func cutKeys() {
        let long = String(repeating: "k", count: 41), fits = String(repeating: "k", count: 40)
        #expect(Value.dictionary([(Name(long), .null)]).summary == "{\(fits)…}")
        #expect(Value.dictionary([(Name(fits), .null)]).summary == "{\(fits)}")
    }
}
