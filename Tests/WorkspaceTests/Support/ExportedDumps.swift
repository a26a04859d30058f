import TestSupport

@testable import Workspace

/// Exports of a dump with what a migration has made of it.
protocol ExportedDumps {}

extension ExportedDumps {
    static var migration: TestMigration { TestMigration() }

    /// A dump with its workspace, and everything applied where asked.
    static func setUp(applied: Bool = true) throws -> (folder: TemporaryFolder, workspace: Workspace) {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace(facts: WorkspaceTests.now)
        if applied { try workspace.apply(.all, of: migration, profile: migration.plain, stamp: .test) }
        return (folder, workspace)
    }
}
