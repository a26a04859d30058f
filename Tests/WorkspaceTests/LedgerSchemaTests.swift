import Files
import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Workspace

@Suite("What a ledger file is")
struct LedgerSchemaTests {
    // MARK: Earlier schemas

    /// A ledger with three entries, as an earlier schema has it.
    private func makeOld(_ path: String, schema: String) throws {
        let database = try DatabaseQueue(path: path)
        try LedgerSchema.migrator.migrate(database, upTo: schema)
        let image = try BinaryPropertyList.write(.string("kept"))
        try database.write { db in
            for (id, container, number) in [(1, "app", 1), (2, "other", 1), (3, "app", 2)] {
                try db.execute(
                    sql: "INSERT INTO entry VALUES (?, ?, ?, NULL, 12.5, 'a', '0', 'm', 'p', 's')",
                    arguments: [id, container, number])
                try db.execute(
                    sql: "INSERT INTO change VALUES (?, 0, 'defaults://a/k', 'present', ?, NULL, NULL, ?, 'r')",
                    arguments: [id, image, image])
            }
            try db.execute(
                sql: """
                    INSERT INTO change_text VALUES (1, 0, 'from', 0, 'defaults://a/old');
                    INSERT INTO change_text VALUES (1, 0, 'note', 0, 'n');
                    INSERT INTO fact VALUES (1, 'now', '12', '--fact');
                    INSERT INTO fact VALUES (1, 'bundleIdentifier', 'com.a', 'Info.plist');
                    INSERT INTO digest VALUES (1, 'a.plist', '00ff');
                    """)
            if schema == "ledger-2" { try db.execute(sql: "INSERT INTO placeholder VALUES (1, 0, 0, '/x')") }
        }
        try database.close()
    }

    private func oldEntries(_ schema: String) -> [LedgerEntry] {
        let change = Change(
            address: .defaults("a", "k"), before: .present(.string("kept")), after: .string("kept"), rule: "r")
        let first = Change(
            address: change.address, before: change.before, after: change.after, from: [.defaults("a", "old")],
            rule: "r", notes: ["n"], placeholders: schema == "ledger-2" ? [JSONPointer(["x"])] : [])
        let stamp = LedgerEntry.Stamp(
            date: Date(timeIntervalSinceReferenceDate: 12.5), author: "a", toolVersion: "0")
        return [
            LedgerEntry(
                number: 1, event: .applied, stamp: stamp, migration: "m", profile: "p", step: "s", changes: [first],
                facts: Facts([
                    "now": Fact("12", from: "--fact"),
                    "bundleIdentifier": Fact("com.a", from: .metadata("Info.plist")),
                ]), digests: ["a.plist": "00ff"]),
            LedgerEntry(
                number: 2, event: .applied, stamp: stamp, migration: "m", profile: "p", step: "s", changes: [change],
                facts: Facts()),
        ]
    }

    @Test(
        "A ledger of an earlier schema is read as it is and left as it is; the next entry brings it to the schema of today",
        arguments: ["ledger-1", "ledger-2"])
    func older(schema: String) throws {
        let folder = try TemporaryFolder()
        try makeOld(folder("l"), schema: schema)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder("l")))
        let file = try LedgerFile(path: folder("l"))
        #expect(file.access == .readWrite)
        #expect(try file.ledger(of: "app").entries() == oldEntries(schema))
        #expect(try LedgerFile(path: folder("l")).ledger(of: "app").entries() == oldEntries(schema), "a reader's look")
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder("l"))) == bytes)
        var ledger = file.ledger(of: "app")
        let third = LedgerTests.entry(3, changes: LedgerTests.everyState)
        try ledger.append(third)
        let again = try LedgerFile(path: folder("l"))
        #expect(try again.ledger(of: "app").entries() == oldEntries(schema) + [third])
        #expect(try again.ledger(of: "other").entries().count == 1)
        #expect(try again.containers() == ["app", "other"])
        #expect(try again.problems().isEmpty)
        #expect(try again.read(0) { try Int.fetchOne($0, sql: "SELECT count(*) FROM image WHERE id = 1") } == 1)
    }

    @Test("A ledger whose schema said nothing of what steps rest on is read, and the next entry says it")
    func third() throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseQueue(path: folder("l"))
        try LedgerSchema.migrator.migrate(database, upTo: "ledger-3")
        try database.write { db in
            try LedgerRows.add(LedgerTests.entry(1), [], of: "app", to: db, willAddRow: nil)
        }
        try database.close()
        var ledger = try LedgerFile(path: folder("l")).ledger(of: "other")
        #expect(try ledger.file.ledger(of: "app").entries() == [LedgerTests.entry(1)])
        var next = LedgerTests.entry(1)
        next.restsOn = [1]
        try ledger.append(next)
        let again = try LedgerFile(path: folder("l"))
        #expect(try again.ledger(of: "other").entries() == [next])
        #expect(try again.ledger(of: "app").entries() == [LedgerTests.entry(1)])
        #expect(try again.problems().isEmpty)
    }

    @Test("An upgrade that fails leaves what was read, and can be tried again", arguments: ["ledger-1", "ledger-2"])
    func failingUpgrade(schema: String) throws {
        let folder = try TemporaryFolder()
        try makeOld(folder("l"), schema: schema)
        let isFull = Mutex(true)
        let file = try LedgerFile(path: folder("l")) { if isFull.withLock({ $0 }) { throw Errno.noSpace } }
        var ledger = file.ledger(of: "app")
        let third = LedgerTests.entry(3)
        #expect(throws: WorkspaceError.ledger(folder("l"), .full)) { try ledger.append(third) }
        #expect(try ledger.entries() == oldEntries(schema))
        isFull.withLock { $0 = false }
        try ledger.append(third)
        #expect(try LedgerFile(path: folder("l")).ledger(of: "app").entries() == oldEntries(schema) + [third])
    }

    // MARK: What is kept once

    @Test("A content is kept once, however many steps and entries have it")
    func imagesOnce() throws {
        let folder = try TemporaryFolder()
        let file = try LedgerFile(path: folder("l"))
        var ledger = file.ledger(of: "app")
        let contents = (0...4).map { Value.data(Data(repeating: UInt8($0), count: 1 << 20)) }
        for number in 1...4 {
            let change = Change(
                address: .defaults("a", "k"), before: .present(contents[number - 1]), after: contents[number], rule: "")
            try ledger.append(LedgerTests.entry(number, changes: [change]))
        }
        let back = Change(
            address: .defaults("a", "k"), before: .present(contents[4]), after: contents[3], rule: "")
        try ledger.append(LedgerTests.entry(5, event: .rolledBack(4), changes: [back]))
        #expect(try file.read(0) { try Int.fetchOne($0, sql: "SELECT count(*) FROM image") ?? 0 } == 5)
        #expect(try #require(folder.status("l")).st_size < 6 << 20)
        let read = try LedgerFile(path: folder("l")).ledger(of: "app").entries()
        #expect(read.map { $0.changes.first?.after } == [1, 2, 3, 4, 3].map { contents[$0] })
    }

    @Test("However many entries and changes there are, they are read with the same number of queries")
    func queries() throws {
        let folder = try TemporaryFolder()
        let file = try LedgerFile(path: folder("l"))
        var counts: [Int] = []
        var ledger = file.ledger(of: "app")
        for number in 1...12 {
            try ledger.append(LedgerTests.entry(number, changes: LedgerTests.everyState))
            guard number == 1 || number == 12 else { continue }
            counts.append(
                try file.read(0) { db in
                    var count = 0
                    db.trace { _ in count += 1 }
                    _ = try LedgerRows(of: "app", in: db)
                    db.trace(options: [])
                    return count
                })
        }
        #expect(counts.count == 2 && counts[0] == counts[1] && counts[0] < 12, "\(counts)")
    }

    // MARK: Damage

    /// A ledger with three entries, changed by a program that does not ask its triggers.
    private func damaged(_ folder: TemporaryFolder, by sql: String) throws -> WorkspaceError? {
        do {
            let file = try LedgerFile(path: folder("l"))
            var ledger = file.ledger(of: "app"), other = file.ledger(of: "other")
            try ledger.append(LedgerTests.entry(1, changes: LedgerTests.everyState))
            try other.append(LedgerTests.entry(1, changes: LedgerTests.everyState))
            try ledger.append(LedgerTests.entry(2, changes: LedgerTests.everyState))
        }
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let database = try DatabaseQueue(path: folder("l"), configuration: configuration)
        try database.writeWithoutTransaction { db in
            let triggers = try Row.fetchAll(db, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            for row in triggers { try db.execute(sql: "DROP TRIGGER \(row[0] as String)") }
            try db.execute(sql: sql)
            for row in triggers { try? db.execute(sql: row[1] as String) }
        }
        try database.close()
        do {
            _ = try LedgerFile(path: folder("l")).ledger(of: "app").entries()
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A ledger whose last entries, rows or tables are gone or are others is damaged, and never read as a shorter one",
        arguments: [
            "DELETE FROM entry WHERE id = 3", "DELETE FROM entry", "DELETE FROM entry WHERE container = 'app'",
            "DELETE FROM entry WHERE id = 2", "DELETE FROM head", "DELETE FROM change", "DELETE FROM fact",
            "DELETE FROM change_text WHERE role = 'note'", "DELETE FROM digest WHERE entry = 1", "DELETE FROM image",
            "UPDATE entry SET step = 'x' WHERE id = 3", "UPDATE entry SET date = date + 1",
            "UPDATE entry SET container = 'other2' WHERE id = 2", "UPDATE image SET bytes = x'00'",
            "UPDATE change SET after_image = before_image WHERE before_image IS NOT NULL",
            "UPDATE change SET effect = CASE effect WHEN 'dropped' THEN 'carried' ELSE 'dropped' END",
            "UPDATE head SET entries = 2; DELETE FROM entry WHERE id = 3",
            "DROP TABLE change_text", "DROP TABLE fact", "DROP TABLE head",
            "DROP TABLE entry; CREATE TABLE entry (id, container, number)",
        ])
    func lostRows(sql: String) throws {
        let error = try damaged(TemporaryFolder(), by: sql)
        guard case .ledger(_, .damaged) = error else {
            Issue.record("\(String(describing: error))"); return
        }
        #expect(error?.exitCode == 6)
    }

    @Test(
        "What is no plain table of the schema is refused before anything is asked of it, so that nothing is endless",
        arguments: [
            """
            DROP TABLE entry; CREATE VIEW entry AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
            SELECT i AS id, 'app' AS container FROM n
            """,
            """
            CREATE TRIGGER endless AFTER INSERT ON entry BEGIN INSERT INTO fact
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 1, 1, 1, 1 FROM n; END
            """,
            "CREATE TABLE more (x)", "CREATE INDEX more ON entry (step)", "ALTER TABLE fact ADD COLUMN more",
            "DROP TABLE grdb_migrations; CREATE VIEW grdb_migrations AS SELECT 'ledger-3' AS identifier",
            "DELETE FROM grdb_migrations WHERE identifier = 'ledger-2'",
        ])
    func otherObjects(sql: String) throws {
        let error = try damaged(TemporaryFolder(), by: sql)
        guard case .ledger(_, .damaged) = error else {
            Issue.record("\(String(describing: error))"); return
        }
    }

    // MARK: What is not a ledger, and what is left over

    @Test(
        "Another program's SQLite file is refused and left as it is, with or without a journal beside it",
        arguments: ["delete", "persist", "wal"])
    func anothers(journal: String) throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseQueue(path: folder("l"))
        try database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = \(journal); CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        }
        try database.close()
        if journal == "wal" { try folder.write("l-journal", Data(repeating: 0, count: 512)) }
        let before = try folder.tree("")
        let error = #expect(throws: WorkspaceError.self) {
            var ledger = try LedgerFile(path: folder("l")).ledger(of: "app")
            try ledger.append(LedgerTests.entry(1))
        }
        #expect(error == .ledger(folder("l"), .notALedger("another program's SQLite file")))
        #expect(try folder.tree("") == before)
    }

    @Test("Files beside a new ledger that are not the program's own are never removed, whatever they are called")
    func neighbours() throws {
        let folder = try TemporaryFolder()
        for name in ["l.new", "l.new-journal", ".l.vestige-0", ".l.vestige-notes"] {
            try folder.write(name, Data(name.utf8))
        }
        var ledger = try LedgerFile(path: folder("l")).ledger(of: "app")
        try ledger.append(LedgerTests.entry(1))
        for name in ["l.new", "l.new-journal", ".l.vestige-0", ".l.vestige-notes"] {
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder(name))) == Data(name.utf8))
        }
        #expect(try folder.tree("").keys.filter { $0.contains("vestige-") }.count == 2, "nothing of its own is left")
    }

    @Test(
        "A ledger is not made beside a file that SQLite would take for a part of it",
        arguments: ["-journal", "-wal", "-shm"], [true, false])
    func partsOfAnother(ending: String, isLeftoverThere: Bool) throws {
        let folder = try TemporaryFolder()
        if isLeftoverThere {
            let database = try DatabaseQueue(path: folder("l"))
            try database.write { db in
                try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            }
            try database.close()
        }
        try folder.write("l" + ending, Data("my own words".utf8))
        var ledger = try LedgerFile(path: folder("l")).ledger(of: "app")
        #expect(throws: WorkspaceError.ledger(folder("l"), .besideAnother(folder("l" + ending)))) {
            try ledger.append(LedgerTests.entry(1))
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder("l" + ending))) == Data("my own words".utf8))
        try FileManager.default.removeItem(atPath: folder("l" + ending))
        try ledger.append(LedgerTests.entry(1))
    }

    @Test("A database that another program has just begun is that program's, though all of it is in its log as yet")
    func begunByAnother() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.journalMode = .wal
        let database = try DatabaseQueue(path: folder("l"), configuration: configuration)
        try database.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let before = try folder.tree("")
        #expect(throws: WorkspaceError.ledger(folder("l"), .notALedger("another program's SQLite file"))) {
            try LedgerFile(path: folder("l"))
        }
        #expect(try folder.tree("").filter { $0.key != "l.lock" } == before)
        try database.close()
    }

    @Test("A ledger that was cut to nothing is damaged, and not one in which nothing is applied")
    func emptied() throws {
        let folder = try TemporaryFolder()
        do {
            var ledger = try LedgerFile(path: folder("l")).ledger(of: "app")
            try ledger.append(LedgerTests.entry(1))
        }
        truncate(folder("l"), 0)
        let error = #expect(throws: WorkspaceError.self) { try LedgerFile(path: folder("l")) }
        #expect(error?.exitCode == 6 && error?.description.contains("it is empty, as no ledger ever is") == true)
    }

    @Test("What was left of a ledger that was being made goes when the next one is made")
    func leftoverOfOwn() throws {
        let folder = try TemporaryFolder()
        let left = HiddenName(besides: folder("l")).another()
        let file = try OpenFile.create(left, mode: 0o600)
        guard (try? file.setAttribute(HiddenName.attribute, to: "1")) != nil else { return }
        var ledger = try LedgerFile(path: folder("l")).ledger(of: "app")
        try ledger.append(LedgerTests.entry(1))
        #expect(!FileManager.default.fileExists(atPath: left))
    }

    @Test("A link to nothing at the place of a ledger is refused in words")
    func danglingLink() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(atPath: folder("l"), withDestinationPath: folder("gone"))
        let error = #expect(throws: WorkspaceError.self) { try LedgerFile(path: folder("l")) }
        #expect(error == .ledger(folder("l"), .danglingLink))
        #expect(error.map { "\($0)".contains("Remove the link, or name the file itself.") } ?? false)
    }

    @Test(
        "What a version was making when it was stopped counts as no ledger, and the next entry makes one",
        arguments: ["list of schemas", "journal", "half a new one"])
    func leftover(what: String) throws {
        let folder = try TemporaryFolder()
        switch what {
        case "half a new one":
            try folder.write(".l.vestige-0123456789abcdef", Data("SQLite format 3\0 and then nothing".utf8))
        default:
            let database = try DatabaseQueue(path: folder("l"))
            try database.writeWithoutTransaction { db in
                try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
                if what == "list of schemas" { return }
                // The mark has been written and the journal that takes it back is still there.
                try db.execute(
                    sql: "PRAGMA cache_spill = 1; BEGIN IMMEDIATE; PRAGMA application_id = 7; CREATE TABLE x (y)")
                try db.execute(sql: "INSERT INTO x VALUES (zeroblob(10000)); PRAGMA cache_size = 1")
                for suffix in ["", "-journal"] where FileManager.default.fileExists(atPath: folder("l" + suffix)) {
                    try FileManager.default.copyItem(atPath: folder("l" + suffix), toPath: folder("copy" + suffix))
                }
                try db.execute(sql: "ROLLBACK")
            }
            try database.close()
            if what == "journal" {
                for suffix in ["", "-journal"] where FileManager.default.fileExists(atPath: folder("copy" + suffix)) {
                    try? FileManager.default.removeItem(atPath: folder("l" + suffix))
                    try FileManager.default.moveItem(atPath: folder("copy" + suffix), toPath: folder("l" + suffix))
                }
            }
        }
        let file = try LedgerFile(path: folder("l"))
        var ledger = file.ledger(of: "app")
        #expect(try ledger.entries().isEmpty)
        try ledger.append(LedgerTests.entry(1))
        try ledger.append(LedgerTests.entry(2))
        #expect(try LedgerFile(path: folder("l")).ledger(of: "app").entries().count == 2)
    }

    // MARK: Following

    @Test(
        "A program that found no ledger sees the one that another made, follows it, and may write once that one has ended"
    )
    func follows() throws {
        let folder = try TemporaryFolder()
        let late = try LedgerFile(path: folder("l"))
        #expect(try !late.refresh())
        var first: LedgerFile? = try LedgerFile(path: folder("l"))
        var ledger = first?.ledger(of: "app")
        try ledger?.append(LedgerTests.entry(1))
        #expect(try late.refresh())
        #expect(late.access == .readOnly(.inUse))
        #expect(try late.ledger(of: "app").entries().count == 1)
        #expect(try !late.refresh(), "nothing has happened since")
        try ledger?.append(LedgerTests.entry(2))
        #expect(try late.refresh())
        #expect(try late.ledger(of: "app").entries().count == 2)
        (first, ledger) = (nil, nil)
        #expect(try late.refresh())
        #expect(late.access == .readWrite)
        var lateLedger = late.ledger(of: "app")
        try lateLedger.append(LedgerTests.entry(3))
        #expect(try !late.refresh(), "one's own entries are no news")
        #expect(try late.ledger(of: "app").entries().count == 3)
    }
}
