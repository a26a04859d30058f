import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Specs

@Suite("Rows that each write a part of one document")
struct ManyPartsTests {
    private static let documents: [(form: String, value: Value)] = {
        let first: Value = .dictionary([
            "first": .string("there"), "in": .dictionary(["x": .integer(1)]), "kept": .string("x"), "old": .string("y"),
        ])
        let json = (try? JSONDocument.write(first)) ?? Data()
        return [
            ("JSON", .data(json)), ("JSON in a text", .string(String(decoding: json, as: UTF8.self))),
            ("a binary property list", .data((try? BinaryPropertyList.write(first)) ?? Data())),
            ("an XML property list", .data((try? XMLPropertyList.write(first)) ?? Data())), ("a dictionary", first),
        ]
    }()

    /// The parts that the rows write and take away, in this order; what is in `kept` is in the way of one.
    private static let rows = """
        - {id: a, from: app/k1, to: "docs/d#/m1"}
        - {id: b, from: app/k2, to: "docs/d#/in/m2"}
        - {id: c, from: app/k3, to: "docs/d#/m3"}
        - {id: d, from: app/k1, to: "docs/d#/kept"}
        - {id: e, from: "docs/d#/first", to: app/first, source: remove}
        - {id: f, from: app/k*, to: "docs/d#/s*"}
        - {id: g, from: "docs/d#/in/x", to: "docs/d#/out", source: remove}
        - {id: h, from: app/k2, to: "docs/d#/old", exists: overwrite}
        """

    @Test("Each row makes one change, on what the one before has left, and all are rolled back", arguments: documents)
    func changes(form: String, document: Value) throws {
        let entries: [(String, Value)] = [
            ("defaults://app/k1", .string("v1")), ("defaults://app/k2", .string("v2")),
            ("defaults://app/k3", .string("v3")), ("defaults://docs/d", document),
        ]
        let head = "stores: {app: defaults://app, docs: defaults://docs}"
        var tried = try Tried(Specs.spec(Self.rows, head), entries)
        let plan = try tried.plan()
        #expect(
            plan.steps.map(\.outcome.kind) == [
                .migrates, .migrates, .migrates, .conflict, .migrates, .migrates, .migrates, .migrates,
            ], "\(form)")
        let d = try Address(parsing: "defaults://docs/d")
        let own = plan.changes.filter { $0.address == d && $0.after != nil }
        // What the one in conflict would make leads nowhere.
        var last: Value? = document
        for change in own where change.after?.standing(at: JSONPointer(["kept"])) != .string("v1") {
            #expect(change.before == EntryState(last))
            last = change.after
        }
        #expect(
            last?.decoded()?.value ?? last
                == .dictionary([
                    "in": .dictionary(["m2": .string("v2")]), "kept": .string("x"), "old": .string("v2"),
                    "m1": .string("v1"), "m3": .string("v3"),
                    "s1": .string("v1"), "s2": .string("v2"), "s3": .string("v3"), "out": .integer(1),
                ]))
        try tried.applyAll()
        #expect(tried["defaults://docs/d"] == last)
        try tried.rollback()
        #expect(tried["defaults://docs/d"] == document)
    }

    @Test("One row that its star takes several times writes them all in one change, without the one that fails")
    func star() throws {
        let entries: [(String, Value)] = [
            ("defaults://app/k1", .string("1")), ("defaults://app/k2", .string("x")),
            ("defaults://app/k3", .string("3")), ("defaults://docs/d", .string("{\n  \"a\": 1\n}")),
        ]
        let plan = try Tried(
            Specs.spec(
                "- {id: a, from: app/k*, type: string, do: [number], to: \"docs/d#/n*\"}",
                "stores: {app: defaults://app, docs: defaults://docs}"), entries
        ).plan()
        #expect(plan.changes.map(\.after) == [.string("{\n  \"a\": 1,\n  \"n1\": 1,\n  \"n3\": 3\n}")])
        #expect(plan.changes.first?.from.count == 2)
    }
}
