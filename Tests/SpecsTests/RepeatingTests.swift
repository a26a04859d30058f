import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Specs

@Suite("Rows that work on their own results")
struct RepeatingTests {
    /// What a row comes to, applied and planned again; and what the linter says of it.
    private static func repeated(
        _ row: String, _ values: [(String, Value)]
    ) throws -> (made: [Value?], second: [Outcome.Kind], lint: [String]) {
        let head = "stores: {app: defaults://com.acme.notes}"
        var tried = try Tried(
            try Specs.spec("- " + row, head), values.map { ("defaults://com.acme.notes/" + $0.0, $0.1) })
        try tried.applyAll()
        // Another session finds what this one has made.
        let found = values.map { ($0.0, tried["defaults://com.acme.notes/" + $0.0]) }
        var second = tried
        second.session = try MigrationSession(stores: tried.session.overlay, ledger: MemoryLedger())
        return (
            found.map(\.1), try second.plan().steps.map(\.outcome.kind),
            LintTests.lint("- " + row, head).filter { ["V403", "V405"].contains($0.code.rawValue) }.map(\.fix)
        )
    }

    /// A row in place, as a test writes it.
    struct InPlace {
        var type: String?
        var conditions: [String] = []
        var operations: [String]
        var rest = ""

        init(_ type: String?, _ operations: String...) { (self.type, self.operations) = (type, operations) }

        var text: String {
            let asked =
                (type.map { ", type: \($0)" } ?? "")
                + (conditions.isEmpty ? "" : ", if: [\(conditions.map { "'\($0)'" }.joined(separator: ", "))]")
            return "{id: a, from: app/a\(asked), do: [\(operations.joined(separator: ", "))]\(rest)}"
        }

        /// The row as a fix of the linter says it.
        func advised(by fix: String) throws -> InPlace {
            var row = self
            if fix.contains("if: ["),
                let condition = fix.components(separatedBy: "if: [").last?.prefix(while: { $0 != "]" })
            {
                row.conditions.append(String(condition).replacing("app/KEY", with: "app/done"))
            }
            if fix.hasPrefix("Leave type out") {
                row.type = nil
                let decode = try #require(fix.components(separatedBy: "do: [").last?.prefix { $0 != "," })
                row.operations.insert(String(decode), at: 0)
            } else if fix.contains("error: {") {
                row.rest =
                    ", error: {" + (fix.components(separatedBy: "error: {").last?.prefix { $0 != "}" } ?? "") + "}"
            } else if fix.contains("{wrap: value}") {
                row.operations += ["{wrap: value}", "{add: {done: true}}"]
                row.rest = ", to: {value: app/a, done: app/done}, exists: overwrite"
                #expect(fix.contains("to: {value: app/a, done: app/KEY}, exists: overwrite"), "\(fix)")
            } else {
                #expect(!row.conditions.isEmpty, "\(fix)")
            }
            return row
        }
    }

    private static let list = InferenceProofTests.propertyList(["a": "one"])

    @Test(
        "A row in place that is mended as V405 says does its work once, and nothing is said of it",
        arguments: [
            (InPlace("string", "number"), [Value.string("12345")], "value is string"),
            (InPlace("string", "{split: ','}"), [.string("red,green")], "value is string"),
            (InPlace(nil, "text"), [417, .real(1.5)], "value is number"),
            (InPlace("real", "{round: nearest}"), [.real(14.5)], "value is real"),
            (InPlace("json dictionary", "{remove: [b]}"), [.string(#"{"a":5,"b":6}"#)], "{decode: json}"),
            (InPlace("json dictionary", "{pick: a}"), [.string(#"{"a":5}"#), .string(#"{"a":"x"}"#)], "{wrap: value}"),
            (
                InPlace("json dictionary", "{add: {z: 1}}", "{encode: json}"), [.string(#"{"a":1}"#)],
                "value#/z is absent"
            ),
            (InPlace("json dictionary", "{wrap: x}", "{encode: json}"), [.string(#"{"a":1}"#)], "value#/x is absent"),
            (
                InPlace("property-list dictionary", "{rename: {a: b}}", "{encode: property-list}"), [.data(list)],
                "value#/a exists"
            ),
            (InPlace("dictionary", "{add: {z: 1}}"), [.dictionary([("a", 1)])], "value#/z is absent"),
            (InPlace("dictionary", "{rename: {a: b}}"), [.dictionary([("a", 1)])], "value#/a exists"),
            (InPlace("dictionary", "{move: {a: b/c}}"), [.dictionary([("a", 1)])], "value#/a exists"),
            (InPlace("dictionary", "{copy: {a: b}}"), [.dictionary([("a", 1)])], "value#/b is absent"),
            (InPlace("dictionary", "{wrap: x}"), [.dictionary([("a", 1)])], "value#/x is absent"),
            (InPlace("dictionary", "{in: {a: [text]}}"), [.dictionary([("a", 1)])], "value#/a is"),
            (InPlace("dictionary", "{in: {a: [{scale: {times: 10}}]}}"), [.dictionary([("a", 1)])], "{wrap: value}"),
            (InPlace("array", "{each: [{fill: 'p{value}'}]}"), [.array([1, "x"])], "{wrap: value}"),
            (InPlace("array", "list"), [.array([1])], "{wrap: value}"),
            (InPlace("bool", "not"), [.bool(true), .bool(false)], "{wrap: value}"),
            (
                InPlace("string", "{strip: {prefix: 'x:'}}"), [.string("x:ada"), .string("x:x:ada")], "{wrap: value}"
            ),
            (
                InPlace("string", "{split: {at: ':', into: [p, q]}}", "{pick: q}"), [.string("a:b:c")],
                "{wrap: value}"
            ),
            (InPlace("string", "{table: {x: p, p: q}}"), [.string("x"), .string("p")], "{wrap: value}"),
            (InPlace("string", "{table: {x: p}}"), [.string("x")], "error: {not-in-table: skip}"),
            (InPlace("string", "{encode: utf8}"), [.string("x")], "value is string"),
            (InPlace("string", "{fill: 'p{value}'}"), [.string("x")], "{wrap: value}"),
        ] as [(InPlace, [Value], String)])
    func mended(row: InPlace, values: [Value], advice: String) throws {
        let fixes = try Self.repeated(row.text, [("a", values[0])]).lint
        #expect(fixes.count == 1 && fixes.first?.contains(advice) == true, "\(fixes)")
        let mended = try row.advised(by: try #require(fixes.first))
        for value in values {
            // What it makes of the value the first time is what is meant.
            let first = try Self.repeated(row.text, [("a", value)])
            #expect(![[.unchanged], [.skipped]].contains(first.second), "\(value): \(first)")
            let second = try Self.repeated(mended.text, [("a", value)])
            #expect(second.made == first.made && second.lint == [], "\(mended.text): \(second)")
            #expect([[.unchanged], [.skipped]].contains(second.second), "\(mended.text): \(second)")
        }
    }

    @Test("A file of very many rows in place is looked through as far as the limit goes")
    func limited() {
        let rows = (0..<3000).map { "- {id: r\($0), from: app/k\($0), type: integer, do: [{scale: {times: 2}}]}" }
        let found = LintTests.lint(rows.joined(separator: "\n")).count { $0.code == .endless }
        #expect((50..<3000).contains(found), "\(found)")
    }

    @Test("Values that take each other's places, mended as V403 and V405 say, do so once")
    func exchanged() throws {
        let swap =
            "- {id: a, from: app/a, to: app/b, exists: overwrite}\n- {id: b, from: app/b, to: app/a, exists: overwrite}"
        let advice = "do: [{add: {done: true}}], to: {…, done: app/KEY}, if: [app/KEY is absent]"
        #expect(LintTests.lint(swap).contains { $0.code == .cycle && $0.fix.contains(advice) })
        let values: [(String, Value)] = [("a", 1), ("b", 2)]
        let plain = "{id: a, from: {a: app/a, b: app/b}, to: {a: app/b, b: app/a}, exists: overwrite}"
        let first = try Self.repeated(plain, values)
        #expect(first.second == [.migrates] && first.lint.contains { $0.contains(advice) }, "\(first)")
        let mended = try Self.repeated(
            "{id: a, from: {a: app/a, b: app/b}, do: [{add: {done: true}}], "
                + "to: {a: app/b, b: app/a, done: app/swapped}, if: [app/swapped is absent], exists: overwrite}", values
        )
        #expect(mended.made == [2, 1] && mended.second == [.skipped] && mended.lint == [], "\(mended)")
    }

    @Test("A star that fits its own target, mended as V405 says, takes nothing the second time")
    func starred() throws {
        let values: [(String, Value)] = [("x.a", "one"), ("x.y.a", "two")]
        let first = try Self.repeated("{id: a, from: app/x.*, to: app/z.*}", [("x.a", "one")])
        #expect(first.lint == [] && first.second == [.unchanged], "\(first)")
        let mended = try Self.repeated(
            "{id: a, from: app/x.*, to: app/x.y.*, source: remove, except: [app/x.y.*], exists: keep}", values)
        #expect(mended.lint == [] && mended.second.allSatisfy { $0 != .migrates }, "\(mended)")
        let dashes = try Self.repeated(
            "{id: r, from: app/*-*, to: app/*_*, except: ['app/*_*']}", [("a-b-c", "one"), ("d-e", "two")])
        #expect(dashes.second == [.unchanged], "\(dashes)")
    }
}
