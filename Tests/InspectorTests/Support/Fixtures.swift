import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import Workspace

@testable import Inspector

/// The dumps that `Fixtures/build.py` writes, and a folder of each test's own for their ledgers.
enum Fixtures {
    static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static let folder = package.appendingPathComponent("Fixtures")
    static let scripts = package.appendingPathComponent("Tests/Scripts")

    /// The inspection of a fixture, its ledger in a folder.
    static func inspection(of name: String, withFacts: Bool, ledger folder: TemporaryFolder) throws -> Inspection {
        Inspection(
            of: try Dump.open(Self.folder.appendingPathComponent(name).path),
            options: Inspection.Options(
                migrations: BuiltIn.migrations, facts: try facts(withFacts),
                ledger: .file(folder.path("state/ledger")),
                stamp: { .test }))
    }

    /// The workspace of a fixture, its ledger in a folder.
    static func workspace(
        of name: String, withFacts: Bool = true, ledger folder: TemporaryFolder
    ) throws -> Workspace {
        try Workspace.open(
            dump: Dump.open(Self.folder.appendingPathComponent(name).path), facts: facts(withFacts),
            ledger: .file(folder.path("state/ledger")))
    }

    private static func facts(_ areGiven: Bool) throws -> Facts {
        areGiven ? try GivenFacts.file(folder.appendingPathComponent("facts.json").path) : Facts()
    }
}

/// A folder for one test, removed with it.
final class TemporaryFolder {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("vestige-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
