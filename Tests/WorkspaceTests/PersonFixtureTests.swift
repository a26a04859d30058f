import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import Reports
import StoreFormats
import Testing
import TestSupport

@testable import Workspace

@Suite("The fixtures of a person")
struct PersonFixtureTests {
    private let migration = PersonMigration()

    private func workspace(_ fixture: String, _ folder: TemporaryFolder) throws -> Workspace {
        try Workspace.open(
            dump: Dump.open(Places.fixture("person-\(fixture).xcappdata")), facts: Facts(),
            ledger: .file(folder("ledger")))
    }

    private func profile(_ id: String) throws -> Profile {
        try #require(migration.profiles.first { $0.id == id })
    }

    @Test(
        "each shows the case that it is made for",
        arguments: [
            ("v0", "found", ["migrates", "migrates", "migrates"]),
            ("skipped", "found", ["skipped already-newer", "migrates", "migrates"]),
            ("half-migrated", "found", ["skipped already-newer", "skipped already-newer", "migrates"]),
            ("v3", "found", Array(repeating: "skipped already-newer", count: 3)),
            ("places", "found", ["skipped already-newer", "migrates", "migrates"]),
            ("places", "defaults", Array(repeating: "skipped absent", count: 3)),
            ("places", "keychain", ["skipped already-newer", "skipped already-newer", "migrates"]),
            ("broken", "found", Array(repeating: "failed version-unknown", count: 3)),
            ("broken", "file", Array(repeating: "failed version-unknown", count: 3)),
            ("broken", "keychain", Array(repeating: "failed document-corrupt", count: 3)),
            ("v0", "keychain", Array(repeating: "blocked unreadable-not-in-dump", count: 3)),
        ])
    func outcomes(fixture: String, profile: String, expected: [String]) throws {
        let workspace = try workspace(fixture, TemporaryFolder())
        let plan = workspace.plan(migration, profile: try self.profile(profile))
        let codes = plan.steps.map { [$0.outcome.kind.rawValue, $0.outcome.reason?.code].compactMap(\.self) }
        #expect(codes.map { $0.joined(separator: " ") } == expected)
        #expect(migration.applies(to: workspace.snapshot.overlay, facts: plan.facts))
    }

    @Test("the placeholder is marked in the ledger and in every report, and stays so when the ledger is read again")
    func placeholder() throws {
        let folder = try TemporaryFolder(), found = try profile("found")
        do {
            let workspace = try workspace("v0", folder)
            let applied = try workspace.apply(.all, of: migration, profile: found, stamp: .test)
            #expect(applied.compactMap(\.entry).map(\.step) == ["0-1", "1-2", "2-3"])
        }
        let workspace = try workspace("v0", folder)
        let marks = workspace.snapshot.history.entries.map { $0.changes.map(\.placeholders) }
        #expect(marks == [[[JSONPointer(["email"])]], [[]], [[]]])
        let plan = workspace.plan(migration, profile: found)
        #expect(plan.steps.map(\.outcome) == [.unchanged, .unchanged, .unchanged])
        let reports: [any Report] = [
            PlanReport(plan, of: migration, in: workspace.snapshot, Showing()),
            LogReport(workspace.snapshot, Showing()),
        ]
        for report in reports {
            #expect(try report.json.components(separatedBy: "\"/email\"").count == 2)
        }
        #expect(try workspace.verify(BuiltIn.migrations).findings == [])
    }

    @Test("a file is exported with only the bytes changed that a step names")
    func fileExport() throws {
        let folder = try TemporaryFolder()
        let workspace = try workspace("places", folder)
        try workspace.apply(.all, of: migration, profile: try profile("file"), stamp: .test)
        try workspace.export(to: folder("out"))
        let path = "/AppData/Documents/person.json"
        let before = try String(
            contentsOfFile: Places.fixture("person-places.xcappdata") + path, encoding: .utf8)
        let after = try String(contentsOfFile: folder("out") + path, encoding: .utf8)
        #expect(
            after
                == before.replacingOccurrences(of: "\"name\"", with: "\"alias\"").replacingOccurrences(
                    of: "  \"age\" : \"55\",\n", with: ""))
        #expect(after != before)
    }
}
