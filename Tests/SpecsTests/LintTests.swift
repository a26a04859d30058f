import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Specs

@Suite("The linter")
struct LintTests {
    static func lint(
        _ steps: String, _ head: String = "stores: {app: defaults://com.acme.notes, safe: keychain://com.acme}"
    ) -> [SpecProblem] {
        Spec.lint(Data("vestige: migration/1\nid: test\n\(head)\nsteps:\n\(steps)\nexpect: [{name: x}]\n".utf8))
    }

    @Test(
        "What is doubtful in a spec is told with its line",
        arguments: [
            ("- {id: a, from: safe/a, to: safe/b}", "V202", 3, "alias app"),
            ("- {from: app/a, to: safe/b}", "V601", 5, "made of the target"),
            ("- {id: a, from: app/a, to: safe/b, source: discard}", "V502", 5, "did not arrive"),
            ("- {id: a, from: app/a, to: safe/b, exists: overwrite}", "V502", 5, "overwritten"),
            ("- {id: a, from: safe/a, to: app/b}", "V501", 5, "secret goes to app/b"),
            ("- {id: a, from: app/a, to: safe/b, default: x}", "V503", 5, "made up"),
            ("- {id: a, from: app/a, to: safe/b, do: [{table: {x: 1, z: 1}}]}", "V304", 5, "one value of several"),
            (
                "- {id: a, from: app/a, to: safe/b, do: [{time: {from: milliseconds, to: seconds}}, text]}", "V303", 5,
                "coarser"
            ),
            (
                "- {id: a, from: app/a, to: safe/b, source: remove}\n- {id: b, from: app/a, to: app/c}", "V402", 5,
                "b reads the source"
            ),
            (
                "- {id: a, from: app/a, to: safe/b}\n- {id: z, remove: every source, unmigrated: remove}", "V505", 6,
                "lost"
            ),
        ])
    func findings(steps: String, code: String, line: Int, says: String) {
        let found = Self.lint(steps).filter { $0.code.rawValue == code }
        #expect(found.count == 1, "\(Self.lint(steps))")
        #expect(found.first?.place.line == line)
        #expect(found.first?.sentence.contains(says) == true, "\(found)")
        #expect(found.first.map { $0.code.severity } != .error)
    }

    @Test(
        "A row in place that would change its own result again is told; one that says for what it is, or may repeat, is not",
        arguments: [
            ("{from: app/a, do: [not]}", 1), ("{from: app/a, do: [text]}", 1), ("{from: app/a, do: [trim]}", 0),
            ("{from: app/a, do: [text], if: value is integer}", 0), ("{from: app/a, do: [text], to: app/b}", 0),
            ("{from: app/a, do: [{table: {x: y}}], error: {not-in-table: skip}}", 0),
            ("{from: app/a, do: [{add: {f: 1}}]}", 1), ("{from: app/a, do: [{add: {f: 1}, exists: keep}]}", 0),
        ])
    func endless(row: String, count: Int) {
        #expect(Self.lint("- " + row).count { $0.code.rawValue == "V405" } == count, "\(Self.lint("- " + row))")
    }

    @Test("A literal that looks like a secret is told with its line; an address or a sentence that does is not")
    func literalSecrets() {
        let text = """
            vestige: migration/1
            id: test
            stores: {app: defaults://com.acme.notes}
            steps:
            - {id: a, value: s3cret, to: app/b, rule: s3cret}
            - {id: b, from: app/s3cret, to: app/c, do: [{add: {token: plain, other: [s3cret]}}, {encode: json}]}
            """
        let found = Spec.lint(Data(text.utf8)) { name, value in value == .string("s3cret") || name == "token" }
        #expect(found.filter { $0.code.rawValue == "V506" }.map(\.place.line) == [5, 6, 6])
    }

    @Test("With a dump, a source that nothing has and a type that is not there are told")
    func notInDump() {
        let stores = MemoryStores([
            (.defaults("com.acme.notes"), Members([Member(key: "a", value: .integer(1))]))
        ])
        let text = """
            vestige: migration/1
            id: test
            stores: {app: defaults://com.acme.notes}
            steps:
            - {id: a, from: app/a, type: integer, to: app/x}
            - {id: b, from: app/b, type: integer, to: app/y}
            - {id: c, from: app/a, type: string, to: app/z}
            """
        let found = Spec.lint(Data(text.utf8), on: (stores, Facts())).filter { $0.code.rawValue == "V602" }
        #expect(found.map(\.place.line) == [6, 7], "\(found)")
        #expect(!Spec.lint(Data(text.utf8)).contains { $0.code.rawValue == "V602" })
    }

    @Test("A spec in which nothing is doubtful has no findings; a profile without an expectation has one")
    func none() {
        #expect(Self.lint("- {id: a, from: app/a, to: app/b}", "stores: {app: defaults://com.acme.notes}") == [])
        let profiles = "stores: {app: defaults://com.acme.notes}\nprofiles: {one: first, two: second}"
        #expect(Self.lint("- {id: a, from: app/a, to: app/b}", profiles).map(\.code) == [.unproven])
    }

    @Test("A file that cannot be used has its errors and nothing else")
    func errors() {
        let found = Self.lint("- {form: a, to: safe/b}")
        #expect(found.map(\.code.severity) == [.error])
    }

    @Test("The schema is made of the tables: it names every key that the reader knows, and every operation")
    func schema() throws {
        let schema = try JSONDocument(Data(try SpecSchema.schema().utf8)).value
        for key in SpecReader.keys { #expect(schema[JSONPointer(["properties", Name(key)])] != nil, "\(key)") }
        let text = try SpecSchema.schema()
        for key in SpecReader.kinds.flatMap(\.keys) + OperationTable.all.map(\.name) {
            #expect(text.contains("\"\(key)\":"), "\(key)")
        }
    }

    @Test("A spec of 10,000 rows is read and linted in a time that grows with it")
    func many() throws {
        let rows = (0..<10_000).map { "- {id: r\($0), from: app/a\($0), type: string, do: [trim], to: app/b\($0)}" }
        let found = Self.lint(rows.joined(separator: "\n"), "stores: {app: defaults://com.acme.notes}")
        #expect(found == [])
    }
}
