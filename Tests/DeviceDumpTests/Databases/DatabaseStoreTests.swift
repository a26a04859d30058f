import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import DeviceDump

@Suite("SQLite files are stores, a table each")
struct DatabaseStoreTests: MadeDatabases {
    @Test(
        "tables are listed after the folders, and a file that is none by itself; views, triggers and the empty are not")
    func listed() throws {
        let container = try fixture(), tables: [Name] = ["store", "texts", "odd \" name / é", "loose", "rows"]
        var expected: [StoreID] = [.defaults("com.acme.notes"), .files("AppSupport"), .files("Documents")]
        expected.append(table("ZNOTE", "model/Model.sqlite", "AppSupport"))
        expected.append(table("Z_PRIMARYKEY", "model/Model.sqlite", "AppSupport"))
        expected.append(table(nil, "cut.sqlite"))
        for file: Name in ["damaged.sqlite", "notes.sqlite"] { expected += tables.map { table($0, file) } }
        expected.append(table(nil, "sealed.db"))
        #expect(container.stores == expected)
        #expect(container.problem(with: table("none")) == nil && container.keys(in: table("none")).count == 0)
        #expect(container.state(of: "x", in: table("none")) == .absent)
        // Each file is an entry of its folder as well.
        #expect(container.keys(in: .files("Documents")).names.contains("notes.sqlite"))
    }

    @Test("columns whose names are normalization twins are two, each with its own value, as SQLite has them")
    func columnTwins() throws {
        let twins = ["caf\u{E9}", "cafe\u{301}", "\u{212B}", "A\u{30A}"]
        let columns = twins.map { "\"\($0)\" TEXT" }.joined(separator: ", ")
        let (tree, _) = try made(
            "a.db", "CREATE TABLE t (k TEXT PRIMARY KEY, \(columns))", "INSERT INTO t VALUES ('r', '1', '2', '3', '4')")
        let row = try #require(try open(tree).state(of: "r", in: table("t", "a.db")).value?.members)
        #expect(twins.map { row[Name($0)] } == ["1", "2", "3", "4"].map { .string($0) })
    }

    @Test("what is no table, or has rows that nothing tells apart, says what it is and is not absent")
    func unread() throws {
        let (tree, _) = try made(
            "a.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)", "CREATE VIEW v AS SELECT a FROM t",
            "CREATE VIRTUAL TABLE f USING fts5(x)", "CREATE TABLE odd (rowid, oid, _rowid_)",
            "INSERT INTO odd VALUES (1, 2, 3)")
        let container = try open(tree)
        for (name, words) in [("v", "a view"), ("f", "a virtual table"), ("odd", "no primary key")] as [(Name, String)]
        {
            let store = table(name, "a.db"), reason = container.problem(with: store)
            #expect(
                reason?.cause == .unsupported && reason?.explanation.contains(words) == true,
                "\(name): \(reason as Any)")
            #expect(reason.map { container.state(of: "1", in: store) == .unreadable($0) } == true)
        }
        #expect(
            container.problem(with: table("t", "a.db")) == nil && container.problem(with: table("w", "a.db")) == nil)
    }

    @Test("a row is a dictionary of its columns, whose values are as they are stored")
    func rows() throws {
        let container = try fixture(), store = table("store")
        #expect(
            container.keys(in: store).names == ["device_id", "profile", "launches", "rate", "a/b", "password"])
        func value(_ key: Name) -> Value? { container.state(of: key, in: store).value?.members?["value"] }
        #expect(value("device_id") == .string("7f3c") && value("launches") == .integer(12))
        #expect(value("rate") == .real(0.5) && value("a/b") == .null)
        #expect(container.state(of: "device_id", in: store).value?.members?.map(\.key) == ["key", "value"])
        #expect(container.state(of: "none", in: store) == .absent)
        let address = try Address(parsing: "sqlite://Documents/notes.sqlite/store/device_id#/value")
        #expect(container.state(at: address) == .present(.string("7f3c")))
        // What is in a blob is read as deep as elsewhere.
        let email = try Address(parsing: "sqlite://Documents/notes.sqlite/store/profile#/value/email")
        #expect(container.state(at: email).value?.string?.contains("@") == true)
        #expect(container.file(of: address) == .inDump("AppData/Documents/notes.sqlite"))
    }

    @Test("a file of another name is a store where it is asked for")
    func unnamed() throws {
        let state = try fixture().state(of: "1", in: table("Z_PRIMARYKEY", "unnamed"))
        #expect(state.value?.members?["Z_NAME"] == .string("Note"))
    }

    @Test("tables and rows of Core Data have the names of their entities")
    func coreData() throws {
        let (tree, _) = try made(
            "Model.sqlite", "CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
            "INSERT INTO ZTHING VALUES (1, 2, 1), (2, 9, 1)",
            "CREATE TABLE Z_2TAGS (Z_2THINGS INTEGER, Z_3TAGS INTEGER)",
            "CREATE TABLE ZOTHER (Z_PK INTEGER PRIMARY KEY)",
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Thing', 0, 2), (2, 'Book', 1, 0), (3, 'Loop', 3, 0), (4, x'00', 0, 0)",
            "CREATE TABLE ZLOOP (a)")
        let container = try open(tree)
        func words(_ name: Name, _ key: Name? = nil) -> String? {
            container.annotation(of: Address(store: table(name, "Model.sqlite"), key: key))
        }
        #expect(words("ZTHING") == "Core Data entity Thing, with Book")
        #expect(words("ZTHING", "1") == "Core Data entity Book" && words("ZTHING", "2") == nil)
        #expect(words("Z_2TAGS") == "Core Data relationship TAGS of Book" && words("Z_PRIMARYKEY") == "Core Data's own")
        #expect(words("ZOTHER") == nil && words("ZLOOP") == "Core Data entity Loop")
        #expect(try fixture().annotation(of: Address(store: table("store"))) == nil)
    }

    @Test(
        "a database by itself is a dump of its tables, whatever its name, with what its log has; cut it is unreadable")
    func alone() throws {
        let tree = try TemporaryTree()
        try tree.folder("mail")
        let path = tree.at("mail/notes.bak")
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (7)")
        }
        let before = try tree.inventory(), store = table("t", "notes.bak", "Files")
        for named in [path, tree.at("mail")] {
            let dump = try Dump.open(named), container = try dump.container(nil)
            #expect(dump.kind == .database && dump.path == path && dump.problem == nil)
            #expect(container.stores == [.files("Files"), store])
            #expect(container.state(of: "1", in: store) == .present(.dictionary([("a", .integer(7))])))
            #expect(container.storeWarnings().isEmpty)
            #expect(try dump.reopened().container(nil).stores == container.stores)
        }
        #expect(try tree.inventory() == before)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try queue.close()
        try tree.file("cut.sqlite", try Data(contentsOf: URL(fileURLWithPath: path)).prefix(5000))
        #expect(try !Dump.open(tree.at("cut.sqlite")).container(nil).storeWarnings().isEmpty)
        try tree.file("none.sqlite", "SQLite format 3\0")
        #expect(try Dump.open(tree.at("none.sqlite")).problem?.cause == .corrupt)
        try Archives.write("tar.bz2", to: tree.at("mail.tar.bz2"), of: path)
        #expect(try Dump.open(tree.at("mail.tar.bz2")).kind == .database)
    }
}
