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
            // What an operation drops is told of the row with its advice and without it.
            LintTests.lint("- " + row, head).filter { !["V502", "V503"].contains($0.code.rawValue) }.map(\.fix)
        )
    }

    /// A row in place, as a test writes it.
    struct InPlace {
        var type: String?
        var conditions: [String] = []
        var operations: [String]
        var rest = "", behind = ""

        init(_ type: String?, _ operations: String...) { (self.type, self.operations) = (type, operations) }

        var text: String {
            let asked =
                (type.map { ", type: \($0)" } ?? "")
                + (conditions.isEmpty ? "" : ", if: [\(conditions.map { "'\($0)'" }.joined(separator: ", "))]")
            return "{id: a, from: app/a\(asked), do: [\(operations.joined(separator: ", "))]\(rest)}\(behind)"
        }

        /// The row as a fix of the linter says it.
        func advised(by fix: String) throws -> InPlace {
            var row = self
            if fix.contains("if: ["),
                let condition = fix.components(separatedBy: "if: [").last?.prefix(while: { $0 != "]" })
            {
                row.conditions.append(String(condition))
            }
            if fix.hasPrefix("Leave type out") {
                row.type = nil
                let decode = try #require(fix.components(separatedBy: "do: [").last?.prefix { $0 != "," })
                row.operations.insert(String(decode), at: 0)
            } else if fix.contains("error: {") {
                row.rest =
                    ", error: {" + (fix.components(separatedBy: "error: {").last?.prefix { $0 != "}" } ?? "") + "}"
            } else if let mark = fix.components(separatedBy: "leave that: ").dropFirst().first {
                row.behind = "\n- " + mark.dropLast()
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
            (InPlace("json dictionary", "{pick: a}"), [.string(#"{"a":5}"#), .string(#"{"a":"x"}"#)], "value: done"),
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
            (InPlace("dictionary", "{in: {a: [{scale: {times: 10}}]}}"), [.dictionary([("a", 1)])], "value: done"),
            (InPlace("array", "{each: [{fill: 'p{value}'}]}"), [.array([1, "x"])], "value: done"),
            (InPlace("array", "list"), [.array([1])], "value: done"),
            (InPlace("bool", "not"), [.bool(true), .bool(false)], "value: done"),
            (
                InPlace("string", "{strip: {prefix: 'x:'}}"), [.string("x:ada"), .string("x:x:ada")], "value: done"
            ),
            (
                InPlace("string", "{split: {at: ':', into: [p, q]}}", "{pick: q}"), [.string("a:b:c")],
                "value: done"
            ),
            (InPlace("string", "{table: {x: p, p: q}}"), [.string("x"), .string("p")], "value: done"),
            (InPlace("string", "{table: {x: p}}"), [.string("x")], "error: {not-in-table: skip}"),
            (InPlace("string", "{encode: utf8}"), [.string("x")], "value is string"),
            (InPlace("string", "{fill: 'p{value}'}"), [.string("x")], "value: done"),
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
            #expect(second.second.allSatisfy { [.unchanged, .skipped].contains($0) }, "\(mended.text): \(second)")
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
        #expect(LintTests.lint(swap).contains { $0.code == .cycle && $0.fix.contains("from: {a: …, b: …}") })
        let values: [(String, Value)] = [("a", 1), ("b", 2)]
        let plain = "{id: a, from: {a: app/a, b: app/b}, to: {a: app/b, b: app/a}, exists: overwrite"
        let first = try Self.repeated(plain + "}", values)
        let fix = try #require(first.lint.first)
        #expect(first.second == [.migrates] && fix.contains("if: [app/a-done is absent]"), "\(first)")
        let mark = try #require(fix.components(separatedBy: "leave that: ").last).dropLast()
        let mended = try Self.repeated(plain + ", if: [app/a-done is absent]}\n- \(mark)", values)
        #expect(mended.made == [2, 1] && mended.second == [.skipped, .unchanged] && mended.lint == [], "\(mended)")
    }

    @Test("The mark that V405 advises may be left where another row writes the same entry, and a star may ask for it")
    func marks() throws {
        let before = "{id: b, from: app/b, to: app/a, exists: keep}\n- "
        let plain = "{id: a, from: app/a, type: bool, do: [not]"
        let fix = try #require(try Self.repeated(before + plain + "}", [("a", .bool(true))]).lint.first)
        let mark = try #require(fix.components(separatedBy: "leave that: ").last).dropLast()
        let mended = try Self.repeated(
            "\(before)\(plain), if: [app/a-done is absent]}\n- \(mark)", [("a", .bool(true))])
        #expect(mended.lint == [] && mended.made == [.bool(false)], "\(mended)")
        let star = try Self.repeated("{id: s, from: app/s.*, type: bool, do: [not]}", [("s.x", .bool(true))])
        #expect(star.lint.first?.contains("if: [app/s-done is absent]") == true, "\(star)")
        let folder = try Self.repeated("{id: s, from: app/s/*/x, type: bool, do: [not]}", [("s/1/x", .bool(true))])
        #expect(folder.lint.first?.hasPrefix("Put the result elsewhere") == true, "\(folder)")
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
