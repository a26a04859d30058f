import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Testing

@testable import Workspace

/// The laws, with every built-in migration in every profile, over every fixture.
@Suite("Every fixture and every migration")
struct FixtureTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let fixture: String
        let app: String?
        let migration: any Migration
        let profile: Profile

        var testDescription: String { "\(fixture) \(app ?? "") \(migration.id):\(profile.id)" }
    }

    static let fixtures: String = {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.appendingPathComponent("Fixtures").path
    }()

    static let cases: [Case] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: fixtures)) ?? []
        return names.sorted().flatMap { name -> [Case] in
            guard let dump = try? Dump.open(fixtures + "/" + name), dump.kind != .propertyList else { return [] }
            return dump.containers.flatMap { container in
                BuiltIn.migrations.flatMap { migration in
                    migration.profiles.map { profile in
                        Case(
                            fixture: name, app: dump.containers.count > 1 ? container.identifier : nil,
                            migration: migration, profile: profile)
                    }
                }
            }
        }
    }()

    static func workspace(_ test: Case, ledger: String) throws -> Workspace {
        try Workspace.open(
            dump: Dump.open(fixtures + "/" + test.fixture), container: test.app,
            facts: GivenFacts.file(fixtures + "/facts.json"), ledger: .file(ledger))
    }

    @Test("There are fixtures")
    func fixturesAreThere() { #expect(Self.cases.count > 5) }

    @Test(
        "Step by step is all at once, a sound ledger verifies, and rolled back the export is the dump", arguments: cases
    )
    func laws(test: Case) throws {
        let folder = try TestFolder()
        let all = try Self.workspace(test, ledger: folder("a"))
        let planned = all.plan(test.migration, profile: test.profile).steps.filter { $0.outcome.kind == .migrates }
        let applied = try all.apply(.all, of: test.migration, profile: test.profile, stamp: .test)
        #expect(applied.compactMap(\.entry).map(\.changes) == planned.map(\.changes))
        #expect(try all.verify(BuiltIn.migrations).findings == [])
        #expect(all.plan(test.migration, profile: test.profile).pending.isEmpty, "applied twice is applied once")

        let one = try Self.workspace(test, ledger: folder("b"))
        while try one.apply(.next, of: test.migration, profile: test.profile, stamp: .test).contains(where: {
            $0.entry != nil
        }) {}
        #expect(one.snapshot.history.standing.map(\.step) == all.snapshot.history.standing.map(\.step))
        #expect(one.snapshot.history.standing.map(\.changes) == all.snapshot.history.standing.map(\.changes))
        do {
            try all.export(to: folder("all"))
            try one.export(to: folder("one"))
            #expect(try folder.tree("one") == folder.tree("all"))
        } catch WorkspaceError.export(_, .notRewritable(let file, _)) {
            // What cannot be read cannot be kept, so the file is refused.
            #expect(file == "AppData/Library/Preferences/com.acme.hostile.plist")
        }

        try all.rollback(.all, stamp: .test)
        try all.export(to: folder("back"))
        try FileManager.default.createSymbolicLink(
            atPath: folder("original"), withDestinationPath: Self.fixtures + "/" + test.fixture)
        #expect(try folder.tree("back") == folder.tree("original/."))
    }
}
