import DeviceDump
import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Workspace

@Suite("Drift of what a step read from a database")
struct DatabaseDriftTests {
    /// Copies a value out of a row.
    private struct RowMigration: Migration {
        let id = "row"
        let title = "Row"
        let summary = "For tests."
        let profiles = [Profile(id: "plain", summary: "The only one.")]
        let facts: [FactDefinition] = []
        let source: Address

        func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([source.store], [.defaults("new")]) }

        func steps(profile: Profile, facts: Facts) -> [Step] {
            let target = Address.defaults("new", "a")
            return [
                Step(id: "a", title: "A", sources: [source], target: target, rule: "copied") {
                    (transaction, _) throws(StepStop) in
                    guard case .present(let value) = transaction.read(source) else { throw .skipped("none", "none") }
                    try transaction.write(value, to: target, from: [source], rule: "copied")
                }
            ]
        }
    }

    @Test("a row that comes to be in the log beside the file is named, although the file is the same")
    func log() throws {
        let folder = try TemporaryFolder()
        let dump = try folder.makeDump(), path = folder("dump/Documents/a.db")
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (7)")
        }
        try queue.close()
        let migration = RowMigration(source: try Address(parsing: "sqlite://Documents/a.db/t/1#/a"))
        let workspace = try folder.workspace()
        let applied = try workspace.apply(.all, of: migration, profile: migration.profiles[0], stamp: .test)
        #expect(applied.map(\.entry?.changes.first?.after) == [.integer(7)])
        #expect(try workspace.findDrift() == [])

        let writer = try DatabaseQueue(path: path)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        try writer.writeWithoutTransaction { try $0.execute(sql: "UPDATE t SET a = 8") }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before && dump == workspace.dump.path)
        #expect(try workspace.findDrift() == [Drift("Documents/a.db-wal", .appeared)])
        try writer.close()
    }

    @Test("a journal that comes to lie beside the file, or changes, is named, as it takes rows back")
    func journal() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let path = folder("dump/Documents/a.db")
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (7)") }
        try queue.close()
        let migration = RowMigration(source: try Address(parsing: "sqlite://Documents/a.db/t/1#/a"))
        let workspace = try folder.workspace()
        try workspace.apply(.all, of: migration, profile: migration.profiles[0], stamp: .test)
        #expect(try workspace.findDrift() == [])
        try folder.write("dump/Documents/a.db-journal", Data(count: 512))
        #expect(try workspace.findDrift() == [Drift("Documents/a.db-journal", .appeared)])
    }
}
