import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Specs

@Suite("What a spec may make")
struct LimitTests {
    private static func times(_ count: Int, _ operations: String) -> String {
        Array(repeating: operations, count: count).joined(separator: ", ")
    }

    private func outcome(_ operations: String, on value: Value) throws -> Outcome {
        let spec = try Specs.spec(
            "- {id: row, from: app/a, do: [\(operations)], to: app/b}", "stores: {app: defaults://com.acme.notes}")
        return try #require(try Tried(spec, [("defaults://com.acme.notes/a", value)]).outcome("row"))
    }

    @Test(
        "A chain that makes more than a value may have fails, whatever its operations multiply, and makes no more",
        arguments: [
            (times(10, "{fill: \"" + String(repeating: "{value}", count: 10) + "\"}"), Value.string("abcdefgh")),
            (times(31, "{encode: utf8}, {encode: hex}"), .string("abcdefgh")),
            (times(26, "{wrap: a}, {copy: {a: b}}") + ", {encode: json}", .string("abcdefgh")),
            (times(21, "{wrap: a}, {copy: {a: b}}, {each: [list]}"), .string("abcdefgh")),
            (
                "{join: \"" + String(repeating: "-", count: 1 << 20) + "\"}",
                .array(Array(repeating: .string("x"), count: 2000))
            ),
            ("{split: \",\"}", .string(String(repeating: ",", count: 3 << 20))),
            (
                "{each: [{fill: \"" + String(repeating: "{value}", count: 1 << 14) + "\"}]}",
                .array(Array(repeating: .string(String(repeating: "x", count: 1 << 10)), count: 100))
            ),
        ])
    func chain(operations: String, value: Value) throws {
        let outcome = try outcome(operations, on: value)
        #expect(outcome.kind == .failed)
        #expect(outcome.reason?.code == "over-limit")
        #expect(outcome.reason?.sentence.contains("64 MiB, the limit of one value") == true, "\(outcome)")
    }

    @Test("What a row does is told in a few thousand characters, whatever the file writes out")
    func rule() throws {
        let spec = try Specs.spec(
            "- {id: row, from: app/a, do: [{join: \"" + String(repeating: "-", count: 1 << 20) + "\"}], to: app/b}",
            "stores: {app: defaults://com.acme.notes}")
        let steps = SpecMigration(spec).steps(profile: SpecMigration(spec).profiles[0], facts: Facts())
        #expect(!steps[0].rule.isEmpty && steps[0].rule.count < 4096)
    }

    @Test("What is made may be no deeper than what is read, also by rows that each go on with what the one before made")
    func depth() throws {
        let wraps = Self.times(64, "{wrap: a}")
        let rows = (0..<9).map { "- {id: r\($0), from: app/a, do: [\(wraps)]}" }.joined(separator: "\n")
        let tried = try Tried(
            Specs.spec(rows, "stores: {app: defaults://com.acme.notes}"),
            [("defaults://com.acme.notes/a", .integer(1))])
        let outcomes = try tried.plan().steps.map(\.outcome)
        #expect(outcomes.prefix(8).allSatisfy { $0.kind == .migrates })
        #expect(outcomes.last?.reason?.sentence.contains("deeper than 512 levels") == true)
        let path = String(repeating: "b/", count: 100) + "b"
        let move = "- {from: \"defaults://a/b\", do: [{move: {a: \(path)}}]}"
        #expect(Specs.problems(ofSteps: move).map(\.code) == [.overLimit])
    }

    @Test("All rows together have a limit too, and those after it say so")
    func together() throws {
        let piece = String(repeating: "{value}", count: 48)
        let rows = (0..<8).map { "- {id: r\($0), from: app/a, do: [{fill: \"\(piece)\"}], to: app/b\($0)}" }
        let tried = try Tried(
            Specs.spec(rows.joined(separator: "\n"), "stores: {app: defaults://com.acme.notes}"),
            [("defaults://com.acme.notes/a", .string(String(repeating: "x", count: 1 << 20)))])
        let steps = try tried.plan().steps
        #expect(
            steps.map(\.outcome.kind) == Array(repeating: .migrates, count: 5) + Array(repeating: .failed, count: 3))
        #expect(
            steps.last?.outcome.reason?.sentence.contains("256 MiB, the limit of all steps together") == true,
            "\(steps.last?.outcome)")
        #expect(try tried.plan().steps.map(\.outcome) == steps.map(\.outcome), "a plan is the same each time")
    }

    @Test("Facts have a limit in number, in a chain, and in what is made of one, and each is told with its line")
    func facts() throws {
        func facts(_ count: Int, _ text: (Int) -> String) -> String {
            "facts:\n" + (0..<count).map { "  f\($0): {\(text($0))}\n" }.joined()
        }
        let rows = "- {from: fact/f0, to: \"defaults://a/b\"}"
        let many = Specs.problems(ofSteps: rows, facts(1001) { _ in "type: string" })
        #expect(many.first?.code == .overLimit)
        #expect(many.first?.place.line == 4)
        let chain = Specs.problems(
            ofSteps: rows, facts(40) { $0 == 39 ? "type: name" : "type: name, from: fact/f\($0 + 1)" })
        #expect(chain.first?.code == .overLimit)
        #expect(chain.first?.sentence == "the fact f0 is made of more than 32 others, one of the other")
        let doubled = try Specs.spec(
            rows,
            facts(20) {
                $0 == 19 ? "type: string" : "type: string, from: fact/f\($0 + 1), do: [{fill: \"{value}{value}\"}]"
            })
        let tried = try Tried(doubled, [], facts: ["f19": "abcdefgh"])
        let outcome = try #require(try tried.plan().steps.first?.outcome)
        #expect(outcome.reason?.sentence.hasSuffix("64 KiB, the limit of a fact") == true, "\(outcome)")
    }

    @Test("A fact that is assumed of others that are is not known where it would be too long")
    func assumed() throws {
        let facts = (0..<40).map {
            "  f\($0): {type: string, assume: \($0 == 39 ? "abcdefgh" : "\"{f\($0 + 1)}{f\($0 + 1)}\"")}\n"
        }
        let spec = try Specs.spec("- {id: row, from: fact/f0, to: \"defaults://a/b\"}", "facts:\n" + facts.joined())
        #expect(try Tried(spec, []).outcome("row")?.reason?.code == "missing-fact")
    }

    @Test("A profile has a limit of removals, each of which runs every row once more")
    func removals() {
        let rows = (0..<65).map { "- {id: r\($0), remove: \"defaults://a/b\"}" }.joined(separator: "\n")
        #expect(Specs.problems(ofSteps: rows).map(\.code) == [.overLimit])
    }
}
