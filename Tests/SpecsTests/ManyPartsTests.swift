import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Specs

@Suite("Rows that drop most of one document")
struct ManyDroppedTests {
    private static let count = 10_000

    private static let rows: [(row: String, lost: Int)] = {
        let numbers = 1..<count
        let renamed = numbers.map { "k\($0): n\($0)" }.joined(separator: ", ")
        let removed = numbers.map { "n\($0)" }.joined(separator: ", ")
        let fields = numbers.map { "\"app/d#/k\($0)\"" }.joined(separator: ", ")
        return [
            ("from: app/d, do: [{pick: k1}], to: app/e, source: remove", count - 1),
            ("from: app/d, to: {k1: app/e}, source: remove", count - 1),
            ("from: app/t, type: json dictionary, do: [{pick: [k1, k2]}], to: app/e", count - 2),
            ("from: app/m, do: [{each: [{remove: [b]}]}], to: app/e, source: remove", count),
            ("from: app/d, do: [{rename: {\(renamed)}}, {remove: [\(removed)]}], to: app/e, source: remove", count - 1),
            ("remove: [\(fields)], unmigrated: remove", count - 1),
            // What it decodes itself has no places; that is said in words.
            ("from: app/t, type: string, do: [{decode: json}], to: {k1: app/e}, source: remove", 0),
            ("from: app/t, type: string, do: [{decode: json}, {each: [{wrap: w}]}], to: {k1: app/e}", 0),
        ]
    }()

    @Test(
        "What is dropped of a document with many members is told in time that grows with their number",
        .timeLimit(.minutes(3)), arguments: 0..<8)
    func told(number: Int) throws {
        let (row, lost) = Self.rows[number]
        let members = (0..<Self.count).map { Member(key: Name("k\($0)"), value: .string("v\($0)")) }
        let pairs = members.map { Member(key: $0.key, value: .dictionary(["a": $0.value, "b": .integer(1)])) }
        let text = String(decoding: try JSONDocument.write(.dictionary(Members(members))), as: UTF8.self)
        let tried = try Tried(
            Specs.spec("- {id: r, \(row)}", "stores: {app: defaults://app}"),
            [
                ("defaults://app/d", .dictionary(Members(members))), ("defaults://app/m", .dictionary(Members(pairs))),
                ("defaults://app/t", .string(text)),
            ])
        let step = try #require(try tried.plan().steps.first)
        #expect(step.outcome.kind == .migrates, "\(step.outcome)")
        #expect(Set(step.changes.flatMap(\.dropped)).count == lost)
    }

    @Test("Fields that go together leave what they leave one by one: members, items of lists and what is in them")
    func together() throws {
        let tried = try Tried(
            Specs.spec(
                "- {id: r, remove: [app/d#/a, app/d#/b, app/d#/l/0, app/d#/l/2, app/d#/in/x, app/d#/in/y, app/d#/w/x, app/d#/w], "
                    + "unmigrated: remove}", "stores: {app: defaults://app}"),
            [
                (
                    "defaults://app/d",
                    .dictionary([
                        "a": .integer(1), "b": .integer(2), "c": .integer(3),
                        "l": .array([.integer(4), .integer(5), .integer(6)]),
                        "in": .dictionary(["x": .integer(7), "y": .integer(8), "z": .integer(9)]),
                        "w": .dictionary(["x": .integer(10), "y": .integer(11)]),
                    ])
                )
            ])
        let changes = try #require(try tried.plan().steps.first).changes
        #expect(
            changes.map(\.after) == [
                .dictionary(["c": .integer(3), "l": .array([.integer(5)]), "in": .dictionary(["z": .integer(9)])])
            ])
        #expect(
            Set(changes.flatMap(\.dropped).map(\.pointer.description)).isSuperset(of: [
                "/a", "/b", "/l/0", "/l/2", "/in/x", "/in/y",
            ]), "\(changes)")
    }
}

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
        #expect(plan.changes.first?.from.map(\.key) == ["k1", "d", "k3"])
    }
}

@Suite("Rows that write many members of one dictionary")
struct ManyMembersTests {
    private static let count = 3_000

    private static let rows: [(row: String, outcome: Outcome.Kind, written: [String: Int?])] = {
        let targets = (0..<count).map { "k\($0): \"app/d#/m\($0)\"" }.joined(separator: ", ")
        func list(_ key: String) -> String { (0..<count).map { "k\($0): \"app/\(key)\($0)\"" }.joined(separator: ", ") }
        return [
            ("from: app/f.*, to: \"app/d#/*\", source: remove", .migrates, ["d": count + 1]),
            ("from: app/f.*, to: \"app/d#/in/*\"", .migrates, ["d": 1]),
            ("from: app/f.*, to: \"app/l#/l/0/*\"", .migrates, ["l": 2]),
            ("from: app/f.*, to: \"app/items#/1/*\", source: remove", .migrates, ["items": nil]),
            ("from: app/s, to: {\(targets)}", .migrates, ["d": count + 1]),
            ("from: app/f.*, to: \"app/full#/*\", exists: overwrite", .migrates, ["full": count]),
            ("from: app/f.*, to: \"app/full#/*\"", .conflict, [:]),
            ("from: app/f.*, to: \"app/full#/*\", exists: keep", .skipped, [:]),
            ("from: app/f.*, to: \"app/inner#/in/*\"", .unchanged, [:]),
            ("from: app/f.*, to: \"app/inner#/other/*\", exists: keep", .skipped, [:]),
            ("from: app/f.*, to: \"app/same#/*\"", .unchanged, [:]),
            ("from: {\(list("f.k"))}, to: {\(list("d#/k"))}, source: remove", .migrates, ["d": count + 1]),
            ("from: {\(list("f.k"))}, to: {\(list("n"))}, source: remove", .migrates, ["n1": 0]),
            ("from: {\(list("f.k"))}, to: {\(list("same#/k"))}", .unchanged, [:]),
            ("from: {\(list("full#/k"))}, to: {\(list("n"))}, source: remove", .migrates, ["n1": 0]),
        ]
    }()

    @Test(
        "They take time that grows with their number, and make one change of the dictionary",
        .timeLimit(.minutes(1)),
        arguments: rows.indices)
    func written(number: Int) throws {
        let (row, outcome, written) = Self.rows[number]
        func members(_ prefix: String, _ value: String) -> [Member] {
            (0..<Self.count).map { Member(key: Name("\(prefix)\($0)"), value: .string("\(value)\($0)")) }
        }
        let documents = [
            Member(key: "d", value: .dictionary(["in": .dictionary(["x": .integer(1)])])),
            Member(key: "l", value: .dictionary(["$x": .integer(1), "l": .array([.dictionary([])])])),
            Member(key: "items", value: .array([.integer(1), .dictionary(["$y": .integer(1)])])),
            Member(key: "s", value: .dictionary(Members(members("k", "v")))),
            Member(key: "full", value: .dictionary(Members(members("k", "w")))),
            Member(key: "same", value: .dictionary(Members(members("k", "v")))),
            Member(
                key: "inner",
                value: .dictionary([
                    "in": .dictionary(Members(members("k", "v"))), "other": .dictionary(Members(members("k", "w"))),
                ])),
        ]
        let migration = SpecMigration(try Specs.spec("- {id: r, \(row)}", "stores: {app: defaults://app}"))
        let plan = Plan(
            of: migration, profile: try migration.profile(named: nil), facts: Facts(),
            stores: MemoryStores([(.defaults("app"), Members(members("f.k", "v") + documents))]), history: History(),
            check: {})
        let step = try #require(plan.steps.first)
        #expect(step.outcome.kind == outcome, "\(step.outcome)")
        for (key, count) in written {
            let changes = step.changes.filter { $0.address.key?.text == key }
            #expect(changes.count == 1)
            #expect(changes.first?.after?.members?.count == (count == 0 ? nil : count))
            if count == 0 { #expect(changes.first?.from.count == 1) }
        }
    }
}
