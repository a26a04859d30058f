import DeviceDump
import MigrationEngine
import Migrations
import StoreFormats
import TestSupport
import Testing

@testable import Workspace

@Suite("Convert's fixtures: what each step makes of them")
struct ConvertFixtureTests {
    static let steps = [
        "visitor-keychain", "visitor-mirror", "decisions-place", "decisions-flat", "decisions-corrupt",
        "decisions-parts", "decisions-order", "queue-corrupt", "queue-upload", "config-corrupt", "config-names",
    ]

    @Test(
        "each step's outcome",
        arguments: [
            (
                "healthy",
                [
                    "unchanged", "unchanged", "unchanged", "unchanged", "unchanged", "unchanged", "unchanged",
                    "unchanged", "skipped absent", "unchanged", "unchanged",
                ]
            ),
            (
                "flat",
                [
                    "unchanged", "migrates", "unchanged", "migrates", "unchanged", "migrates", "unchanged",
                    "skipped absent", "skipped absent", "skipped absent", "skipped absent",
                ]
            ),
            (
                "old",
                [
                    "unchanged", "unchanged", "migrates", "unchanged", "unchanged", "migrates", "migrates",
                    "skipped absent", "skipped absent", "skipped absent", "skipped absent",
                ]
            ),
            (
                "half",
                [
                    "migrates", "unchanged", "skipped absent", "skipped absent", "skipped absent", "skipped absent",
                    "skipped absent", "unchanged", "skipped left", "skipped absent", "skipped absent",
                ]
            ),
            (
                "broken",
                [
                    "unchanged", "conflict target-differs", "unchanged", "unchanged", "migrates", "skipped absent",
                    "skipped absent", "migrates", "skipped absent", "migrates", "conflict colliding-names",
                ]
            ),
            (
                "no-keychain",
                ["blocked unreadable-not-in-dump", "blocked unreadable-not-in-dump"]
                    + Array(repeating: "skipped absent", count: 9)
            ),
        ])
    func outcomes(fixture: String, expected: [String]) throws {
        let folder = try TemporaryFolder()
        let workspace = try folder.workspace(of: "shop-\(fixture).xcappdata")
        let plan = workspace.plan(ConvertMigration(), profile: ConvertMigration().profiles[0])
        #expect(plan.steps.map(\.id) == Self.steps)
        for (step, outcome) in zip(plan.steps, expected) {
            let told = [step.outcome.kind.rawValue, step.outcome.reason?.code].compactMap(\.self)
            #expect(told.joined(separator: " ") == outcome, "\(step.id)")
        }
    }

    @Test("what an earlier step takes away is not merely said not to be there, as the dump has it")
    func takenAway() throws {
        let folder = try TemporaryFolder(), migration = ConvertMigration()
        let workspace = try folder.workspace(of: "shop-broken.xcappdata")
        func reason(_ step: String) throws -> String? {
            let plan = workspace.plan(migration, profile: migration.profiles[0])
            return try #require(plan.steps.first { $0.id == step }).outcome.reason?.sentence
        }
        let said = "there is no decision file: the step decisions-corrupt takes it away first"
        #expect(try reason("decisions-parts") == said)
        // What never was there is nobody's.
        #expect(try reason("queue-upload") == "no upload was under way")
    }
}
