import Files
import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import DeviceDump

@Suite("A database is read a part at a time")
struct DatabaseReadingTests: MadeDatabases {
    @Test("keys are read a part at a time, from anywhere, and each leads back to its place")
    func paged() throws {
        let expected = (0...1167).map { Name("\($0 * 3 + 1)") }
        let container = try fixture(), forward = container.keys(in: table("rows"))
        #expect(forward.names == expected)
        let backward = try fixture().keys(in: table("rows"))
        for position in [1167, 600, 511, 512, 0, 1023, 1024] {
            #expect(backward.key(at: position) == expected[position])
            #expect(backward.position(of: expected[position]) == position)
        }
        #expect(backward.position(of: "2") == nil && backward.position(of: "x") == nil)
        let texts = container.keys(in: table("texts"))
        #expect(texts.names.indices.map { texts.position(of: texts.key(at: $0)) } == [0, 1, 2])
    }

    /// The files of a folder, of whose databases it is counted how much is read.
    private final class CountedFiles: DumpFiles {
        /// The bytes of a database, with how many of them were read.
        final class Counted: DatabasePages {
            private let file: OpenFile
            let read = Mutex(0)
            let count: Int

            init(_ path: String) throws(Errno) {
                file = try OpenFile.open(path)
                count = Int(try file.status().size)
            }

            func read(at offset: Int, upTo count: Int) throws(Errno) -> Data {
                read.withLock { $0 += count }
                return Data(try PackedBytes(file: file, range: 0..<self.count).read(at: offset, upTo: count))
            }
        }

        private let base: FolderFiles
        let pages: Counted

        init(_ folder: String, _ file: String) throws {
            base = try FolderFiles(opening: folder)
            pages = try Counted(folder + "/" + file)
        }

        func item(at path: DumpPath) throws(DumpError) -> DumpItem? { try base.item(at: path) }
        func children(of folder: DumpPath, limit: Int) throws(DumpError) -> [DumpItem] {
            try base.children(of: folder, limit: limit)
        }
        func stream(of path: DumpPath) throws(DumpError) -> any DeviceDump.DumpStream { try base.stream(of: path) }
        func reopened() throws(DumpError) -> any DumpFiles { self }
        func pages(of file: DumpPath, _ control: OpeningControl) throws(DumpError) -> (any DatabasePages)? { pages }
    }

    @Test("of a table of very many rows the pages are read on which lies what is looked at, and no others")
    func manyRows() throws {
        let tree = try TemporaryTree(), queue = try DatabaseQueue(path: tree.at("a.db")), rows = 200_000
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)")
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                    INSERT INTO t SELECT i, printf('the name of row %d', i) FROM n
                    """)
        }
        try queue.close()
        let files = try CountedFiles(tree.path, "a.db"), source = DatabaseSource("a.db", in: files, isAlone: false)
        // Read where it is, and not by its path.
        #expect(files.diskPath(of: "a.db") == nil && files.pages.count > 5 << 20)
        let table = try #require(try DatabaseTable.all(of: source).first)
        let found = try DatabaseRows(of: table, in: source)
        #expect(found.count(upTo: 1000) == 1000 && found.key(at: 511) == "512")
        for key: Name in ["1", "777", "199999", "200000"] {
            #expect(found.state(of: key).value?.members?["name"] == .string("the name of row \(key)"))
        }
        #expect(found.state(of: "200001") == .absent)
        #expect(files.pages.read.withLock(\.self) < files.pages.count / 50)
        // Counting looks at each page, once; then the end is as near as the beginning.
        #expect(found.count == rows)
        let counted = files.pages.read.withLock(\.self)
        #expect(counted < files.pages.count * 3 / 2)
        #expect(found.key(at: rows - 1) == "200000" && found.key(at: rows - 600) == "199401")
        #expect(files.pages.read.withLock(\.self) - counted < files.pages.count / 50)
    }

    @Test("a copy that is stopped is no finding: it is made when it is asked for again")
    func stoppedCopy() throws {
        let (tree, queue) = try made(
            "a.db", "PRAGMA journal_mode = WAL", "CREATE TABLE t (a)", "INSERT INTO t VALUES (7)")
        let container = try open(tree), store = table("t", "a.db")
        OpeningControl.$current.withValue(OpeningControl(isCancelled: { true })) {
            #expect(!container.stores.contains(store) && container.state(of: "1", in: store).value == nil)
        }
        #expect(container.stores.contains(store))
        #expect(container.state(of: "1", in: store) == .present(.dictionary([("a", .integer(7))])))
        try queue.close()
    }

    @Test(
        "who stops the reading of a database in an archive is told all of it when asking again",
        .timeLimit(.minutes(10)))
    func stopped() throws {
        let (tree, queue) = try made(
            "Model.sqlite", "CREATE TABLE ZFILLER (Z_PK INTEGER PRIMARY KEY, ZDATA BLOB)",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12) "
                + "INSERT INTO ZFILLER SELECT i, randomblob(50000) FROM n",
            "CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER)", "INSERT INTO ZTHING VALUES (1, 1)",
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Thing', 0, 1)")
        try queue.close()
        let zip = tree.at("mail.zip"), thing = table("ZTHING", "Model.sqlite")
        try Archives.write("zip", to: zip, of: tree.at("notes.xcappdata"))
        // At each point at which it can be stopped.
        for point in 0..<200 {
            let container = try Dump.open(zip).container(nil), asked = Mutex(0)
            func look() -> [String?] {
                [
                    container.annotation(of: Address(store: thing)),
                    "\(container.state(of: "1", in: thing).value != nil)",
                    "\(container.keys(in: thing).count)", "\(container.stores.contains(thing))",
                    container.keys(in: thing).problem(under: "").map { "\($0)" },
                ]
            }
            let control = OpeningControl(isCancelled: {
                asked.withLock { asked in
                    asked += 1
                    return asked > point
                }
            })
            OpeningControl.$current.withValue(control) { _ = look() }
            #expect(look() == ["Core Data entity Thing", "true", "1", "true", nil], "\(point)")
            if asked.withLock({ $0 }) <= point { return }
        }
        Issue.record("it can be stopped at more points")
    }

    @Test("pages that stand in an archive as they are have changed with it, and are not damaged")
    func overwritten() throws {
        let tree = try TemporaryTree(), path = tree.at("mail.tar")
        try Archives.write("tar", to: path, of: Places.fixture("notes-databases.xcappdata"))
        let database = try DatabaseFile("AppData/Documents/notes.sqlite", in: try Dump.open(path).files, .current)
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.truncate(atOffset: 1000)
        try file.close()
        #expect(throws: DumpError("mail.tar", .overwritten)) {
            try database.read { db in try Row.fetchAll(db, sql: "SELECT * FROM texts") }
        }
    }

    @Test("more databases than are open at once, and more tables than are read")
    func many() throws {
        let (tree, queue) = try made("0.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (0)")
        for number in 1...20 {
            try FileManager.default.copyItem(
                atPath: tree.at("notes.xcappdata/AppData/Documents/0.db"),
                toPath: tree.at("notes.xcappdata/AppData/Documents/\(number).db"))
        }
        let container = try open(tree), tables = container.stores.filter { $0.kind == .sqlite }
        #expect(tables.count == 21)
        for _ in 0..<2 {
            for store in tables { #expect(container.state(of: "1", in: store).value != nil, "\(store)") }
        }
        try queue.write { db in
            for number in 0..<DatabaseTable.limit { try db.execute(sql: "CREATE TABLE t\(number) (a)") }
        }
        let reason = Unreadable(.overLimit, "AppData/Documents/0.db has more than the 2000 tables that are read")
        #expect(try open(tree).problem(with: table(nil, "0.db")) == reason)
    }
}
