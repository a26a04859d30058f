import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Testing

@testable import Workspace

@Suite("A ledger of an older program")
struct LedgerSchemaTests {
    /// A ledger with one entry, as the first schema has it.
    private func makeFirst(_ path: String) throws {
        let database = try DatabaseQueue(path: path)
        try LedgerSchema.migrator.migrate(database, upTo: "ledger-1")
        try database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO entry VALUES (1, 'app', 1, NULL, 0, 'a', '0', 'm', 'p', 's1');
                    INSERT INTO change VALUES (1, 0, 'defaults://a/k', 'absent', NULL, NULL, NULL, NULL, 'r');
                    """)
        }
        try database.close()
    }

    @Test("is read as it is, without placeholders, and where it may be written it gets the table for them")
    func older() throws {
        let folder = try TestFolder()
        try makeFirst(folder("l"))
        let writer = try LedgerFile(path: folder("l"))
        var ledger = writer.ledger(of: "app")
        #expect(try ledger.entries().map(\.changes.count) == [1])
        #expect(try ledger.entries()[0].changes[0].placeholders == [])
        try ledger.append(LedgerTests.entry(2, changes: LedgerTests.everyState))
        #expect(try ledger.entries()[1].changes == LedgerTests.everyState)
    }

    @Test("is read also where it may not be written, and so has no such table")
    func readOnly() throws {
        let folder = try TestFolder()
        try makeFirst(folder("l"))
        let database = try DatabaseQueue(path: folder("l"))
        let entry = try database.read { db in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM entry"))
            return try LedgerRows(folder("l")).entry(row, in: db)
        }
        #expect(entry.changes.map(\.placeholders) == [[]])
    }

    @Test("a placeholder, too, is never changed or removed")
    func onlyGrows() throws {
        let folder = try TestFolder()
        do {
            var ledger = try LedgerFile(path: folder("l")).ledger(of: "app")
            try ledger.append(LedgerTests.entry(1, changes: LedgerTests.everyState))
        }
        let database = try DatabaseQueue(path: folder("l"))
        for statement in ["UPDATE placeholder SET pointer = ''", "DELETE FROM placeholder"] {
            #expect(throws: DatabaseError.self) { try database.write { try $0.execute(sql: statement) } }
        }
    }
}
