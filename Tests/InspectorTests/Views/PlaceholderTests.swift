import Foundation
import Inspector
import MigrationEngine
import Migrations
import StoreFormats
import Testing

@Suite("A value that a default made up, on the screen")
struct PlaceholderTests {
    private func runner(_ person: String, _ size: Size) throws -> ScriptRunner {
        let stores = MemoryStores([(.defaults("com.acme.people"), ["person": .string(person)])])
        let facts = Facts([.bundleIdentifier: Fact("com.acme.people", from: "test")])
        let inspected = try Inspected(stores, facts: facts, migrations: [PersonMigration()], size: size)
        return ScriptRunner(inspected.model, on: inspected.inspection)
    }

    @Test(
        "is marked in its row and beside its value, at every size that shows them",
        arguments: [(80, 24), (120, 40), (40, 30)])
    func marked(width: Int, height: Int) throws {
        var runner = try runner(#"{"name":"Peter","age":"55"}"#, Size(width: width, height: height))
        try runner.run(
            Script(
                """
                expect "email: placeholder"
                expect-style warning "placeholder"
                expect "is a placeholder: nobody"
                """))
        if width >= 80 { try runner.run(Script("expect \"person  placeholder\"")) }
    }

    @Test("is not claimed of a value that was there")
    func unmarked() throws {
        var runner = try runner(#"{"name":"Peter","age":"55","email":"p@e"}"#, Size(width: 120, height: 40))
        try runner.run(
            Script(
                """
                key j
                expect "alias"
                expect-not "placeholder"
                """))
    }

    @Test("what a step edits in place is shown as it was before and as it is after")
    func beforeAndAfter() throws {
        var runner = try runner(#"{"alias":"Peter","age":"55","email":"p@e"}"#, Size(width: 120, height: 40))
        try runner.run(
            Script(
                """
                expect "before"
                expect-style removed "55"
                expect "JSON {alias, email}"
                """))
    }
}
