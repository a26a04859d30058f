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

@Suite("SQLite files are stores, a table each")
struct DatabaseStoreTests {
    private func table(_ name: Name?, _ file: Name = "notes.sqlite", _ folder: Name = "Documents") -> StoreID {
        SQLiteTable(name, of: file, in: folder).store
    }

    private func fixture() throws -> Container {
        try Dump.open(Places.fixture("notes-databases.xcappdata")).container(nil)
    }

    /// A container with a database that these statements make.
    private func made(_ name: String = "a.db", _ statements: String...) throws -> (TemporaryTree, DatabaseQueue) {
        let tree = try TemporaryTree()
        try tree.xcappdata()
        try tree.folder("notes.xcappdata/AppData/Documents")
        let queue = try DatabaseQueue(path: tree.at("notes.xcappdata/AppData/Documents/" + name))
        for statement in statements { try queue.writeWithoutTransaction { try $0.execute(sql: statement) } }
        return (tree, queue)
    }

    private func open(_ tree: TemporaryTree) throws -> Container {
        try Dump.open(tree.at("notes.xcappdata")).container(nil)
    }

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

    @Test("a row goes by its primary key, by the literals of several columns, else by its rowid")
    func keys() throws {
        let container = try fixture()
        #expect(container.keys(in: table("texts")).names == ["'de',1", "'en',1", "'en',2"])
        #expect(container.state(of: "'en',2", in: table("texts")).value?.members?["text"] == .string("two"))
        // A column of that name is not the rowid.
        let odd = table("odd \" name / é")
        #expect(container.keys(in: odd).names == ["1", "2"])
        let first = Value.dictionary([
            ("rowid", .string("x")), ("value", .integer(21)), ("doubled", .integer(42)),
        ])
        #expect(container.state(of: "1", in: odd) == .present(first))
        // Where the primary key is nothing the place names a row.
        #expect(container.keys(in: table("loose")).names.count == 3)
        #expect(container.state(of: "1", in: table("loose")) == .present(.dictionary([("id", .string("1"))])))
        let note = table("ZNOTE", "model/Model.sqlite", "AppSupport")
        #expect(container.state(of: "1", in: note).value?.members?["ZTITLE"] == .string("Einkauf"))
        #expect(container.state(of: "01", in: note) == .absent)
    }

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

    @Test("a damaged, cut or sealed file is a store that cannot be read, and a warning; it is not absent")
    func broken() throws {
        let container = try fixture()
        let reasons: [(StoreID, String)] = [
            (table(nil, "sealed.db"), "AppData/Documents/sealed.db: it is not a SQLite database, or it is encrypted"),
            (table("rows", "damaged.sqlite"), "the table rows of AppData/Documents/damaged.sqlite: it is damaged"),
            (table(nil, "cut.sqlite"), "AppData/Documents/cut.sqlite: it is damaged"),
        ]
        let warnings = container.storeWarnings()
        for (store, sentence) in reasons {
            let reason = Unreadable(.corrupt, sentence)
            #expect(container.problem(with: store) == reason)
            #expect(warnings.contains { $0.problem == .unreadable(reason) }, "\(store)")
        }
        guard case .unreadable = container.state(of: "device_id", in: table("store", "sealed.db")) else {
            Issue.record("what is sealed is not absent")
            return
        }
        #expect(container.state(of: "a", in: table("t", "not there.db")) == .absent)
        #expect(container.problem(with: table("t", "not there.db")) == nil)
    }

    @Test(
        "SQLite's own functions for JSON, wherever a schema has them, keep nothing from being read",
        arguments: [
            "CREATE TABLE t (id INTEGER PRIMARY KEY, j TEXT, g AS (json_extract(j, '$.a')))",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, j TEXT, g AS (j ->> '$.a') STORED)",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, j TEXT CHECK (json_valid(j)))",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, j TEXT); CREATE INDEX i ON t (json_extract(j, '$.a'))",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, j TEXT); CREATE INDEX i ON t (j) WHERE json_type(j) = 'object'",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, j TEXT); CREATE VIEW v AS SELECT json_extract(j, '$.a') FROM t",
        ])
    func json(schema: String) throws {
        let (tree, _) = try made(
            "a.db", "CREATE TABLE plain (x); INSERT INTO plain VALUES ('sound')", schema,
            #"INSERT INTO t (id, j) VALUES (1, '{"a": [5]}')"#)
        let container = try open(tree)
        #expect(
            container.state(of: "1", in: table("plain", "a.db")) == .present(.dictionary([("x", .string("sound"))])))
        let row = container.state(of: "1", in: table("t", "a.db")).value?.members
        #expect(row?["j"] == .string(#"{"a": [5]}"#))
        #expect(row?["g"] == (schema.contains("g AS") ? .string("[5]") : nil))
        #expect(container.storeWarnings().isEmpty)
    }

    @Test("what only an app has, or no file may use, is named by table and column, and the rest is read")
    func foreign() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata()
        try tree.folder("notes.xcappdata/AppData/Documents")
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(function: DatabaseFunction("acme", argumentCount: 1, pure: true) { $0[0] })
            db.add(collation: DatabaseCollation("ACME") { $0.compare($1) })
        }
        let path = tree.at("notes.xcappdata/AppData/Documents/a.db")
        try DatabaseQueue(path: path, configuration: configuration).writeWithoutTransaction { db in
            for statement in [
                "CREATE TABLE kept (a TEXT COLLATE ACME PRIMARY KEY, s AS (acme(a)) STORED CHECK (acme(a) <> ''))",
                "CREATE TABLE left (a TEXT, g AS (acme(a)), h AS (a || '!'))", "CREATE INDEX i ON left (acme(a))",
                "CREATE INDEX p ON left (a COLLATE ACME) WHERE acme(a) > 'a'",
                "CREATE TABLE sorted (a TEXT COLLATE ACME PRIMARY KEY) WITHOUT ROWID",
                "INSERT INTO kept (a) VALUES ('b'), ('a')", "INSERT INTO left (a) VALUES ('x')",
                "INSERT INTO sorted VALUES ('x')", "CREATE VIRTUAL TABLE words USING fts5(a)",
                "INSERT INTO words VALUES ('hello')", "PRAGMA writable_schema = ON",
                "INSERT INTO sqlite_master VALUES ('table', 'mine', 'mine', 0, 'CREATE VIRTUAL TABLE mine USING acme(a)')",
                """
                INSERT INTO sqlite_master VALUES
                ('table', 'own', 'own', 0, 'CREATE VIRTUAL TABLE own USING fts5(a, tokenize = ''acme'')')
                """,
            ] { try db.execute(sql: statement) }
        }
        let container = try open(tree)
        #expect(container.state(of: "1", in: table("kept", "a.db")).value?.members?["a"] == .string("b"))
        #expect(container.state(of: "1", in: table("kept", "a.db")).value?.members?["s"] == .string("b"))
        let left = table("left", "a.db")
        #expect(
            container.state(of: "1", in: left)
                == .present(.dictionary([("a", .string("x")), ("h", .string("x!"))])))
        #expect(
            container.annotation(of: Address(store: left, key: "1"))
                == "without what is computed of g: it needs a function that only its app has, acme()")
        #expect(container.keys(in: table("words_content", "a.db")).names == ["1"])
        #expect(container.problem(with: table("mine", "a.db"))?.explanation.contains("a virtual table") == true)
        let file = "AppData/Documents/a.db"
        #expect(
            container.storeWarnings().map(\.problem) == [
                .unreadable(
                    Unreadable(
                        .unsupported,
                        "the rows of the table left of \(file) are shown without what is computed of g: it needs a "
                            + "function that only its app has, acme()")),
                .unreadable(
                    Unreadable(
                        .unsupported,
                        "the table sorted of \(file) is not read: it needs an order of texts that only its app knows, ACME"
                    )
                ),
            ])
    }

    @Test("what SQLite does not take in of a schema is passed over: a table is named, and all others are read")
    func passedOver() throws {
        let (tree, _) = try made(
            "a.db", "CREATE TABLE plain (x, g AS (x + 1)); INSERT INTO plain VALUES (1)", "CREATE TABLE bad (x)",
            "CREATE TABLE also (x)", "CREATE INDEX i ON also (x); CREATE VIEW v AS SELECT x FROM also",
            "INSERT INTO also VALUES (2)", "CREATE TABLE unsafe (x); INSERT INTO unsafe VALUES (3)",
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_master SET sql = 'CREATE TABLE unsafe (x, g AS (load_extension(x)))' WHERE name = 'unsafe'",
            "UPDATE sqlite_master SET sql = 'CREATE TABLE bad (x IN THE FUTURE)' WHERE name = 'bad'",
            "UPDATE sqlite_master SET sql = 'CREATE VIEW v AS SELECT x FROM also LIKE THIS' WHERE name = 'v'",
            "UPDATE sqlite_master SET sql = 'CREATE INDEX i ON also (load_extension(x))' WHERE name = 'i'")
        let container = try open(tree)
        #expect(container.stores.suffix(4) == ["plain", "bad", "also", "unsafe"].map { table($0, "a.db") })
        #expect(container.state(of: "1", in: table("also", "a.db")) == .present(.dictionary([("x", .integer(2))])))
        #expect(container.state(of: "1", in: table("plain", "a.db")).value?.members?["g"] == .integer(2))
        // SQLite makes NULL of a column that it has not taken in.
        let unsafe = container.state(of: "1", in: table("unsafe", "a.db"))
        #expect(unsafe == .present(.dictionary([("x", .integer(3))])))
        #expect(
            container.annotation(of: Address(store: table("unsafe", "a.db")))?
                .contains("without what is computed of g: ") == true)
        let reason = container.problem(with: table("bad", "a.db"))
        #expect(reason?.cause == .unsupported && reason?.explanation.contains("near \"IN\": syntax error") == true)
        #expect(container.storeWarnings().count == 2)
    }

    @Test("a computed column that goes wrong for a row, or without end, is left out of that row, which is read")
    func computed() throws {
        let doubling = (1...60).map { "d\($0) AS (d\($0 - 1) || d\($0 - 1))" }.joined(separator: ", ")
        let (tree, _) = try made(
            "a.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, n)",
            "INSERT INTO t (n) VALUES (-2), (CAST('-9223372036854775808' AS INTEGER)), (-3)",
            "ALTER TABLE t ADD COLUMN g AS (abs(n))",
            "CREATE TABLE deep (d0); INSERT INTO deep VALUES ('x')",
            "CREATE TABLE wide (a, b AS (hex(zeroblob(20000000)))); INSERT INTO wide (a) VALUES ('x')",
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_master SET sql = 'CREATE TABLE deep (d0, \(doubling))' WHERE name = 'deep'")
        let container = try open(tree), rows = table("t", "a.db")
        #expect(container.state(of: "1", in: rows).value?.members?["g"] == .integer(2))
        #expect(container.state(of: "2", in: rows).value?.members?.map(\.key) == ["id", "n"])
        #expect(container.state(of: "3", in: rows).value?.members?["g"] == .integer(3))
        #expect(
            container.annotation(of: Address(store: rows, key: "2"))?.contains("integer overflow") == true)
        #expect(container.annotation(of: Address(store: rows, key: "1")) == nil)
        // What is left out is not absent, and what the row never had is.
        guard
            case .unreadable(let reason) = container.state(
                at: Address(store: rows, key: "2", pointer: JSONPointer(["g"])))
        else {
            Issue.record("a column that cannot be computed reads as \(container.state(of: "2", in: rows))")
            return
        }
        #expect(reason.cause == .unsupported && reason.explanation.hasPrefix("g of t in AppData/Documents/a.db cannot"))
        #expect(
            Overlay(container).state(at: Address(store: rows, key: "2", pointer: JSONPointer(["g"])))
                == .unreadable(reason))
        #expect(
            container.state(at: Address(store: rows, key: "1", pointer: JSONPointer(["g"]))) == .present(.integer(2)))
        #expect(container.state(at: Address(store: rows, key: "2", pointer: JSONPointer(["h"]))) == .absent)
        let deep = container.state(of: "1", in: table("deep", "a.db")).value?.members
        #expect(deep?["d0"] == .string("x") && deep?["d3"] == .string("xxxxxxxx") && deep?["d60"] == nil)
        let wide = container.state(of: "1", in: table("wide", "a.db")).value?.members
        #expect(wide?["a"] == .string("x") && wide?["b"] == nil)
    }

    @Test("a file of another name is a store where it is asked for")
    func unnamed() throws {
        let state = try fixture().state(of: "1", in: table("Z_PRIMARYKEY", "unnamed"))
        #expect(state.value?.members?["Z_NAME"] == .string("Note"))
    }

    @Test("a damaged row makes its table unreadable, and leaves the other tables")
    func damagedTable() throws {
        let (tree, queue) = try made(
            "a.db", "PRAGMA page_size = 512", "CREATE TABLE good (a)", "INSERT INTO good VALUES (1)",
            "CREATE TABLE bad (a)", "INSERT INTO bad VALUES (zeroblob(100))")
        let root = try queue.read { try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'bad'") }
        try queue.close()
        let path = tree.at("notes.xcappdata/AppData/Documents/a.db")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let start = (try #require(root) - 1) * 512
        bytes.replaceSubrange(start..<start + 512, with: Data(repeating: 0xFF, count: 512))
        try bytes.write(to: URL(fileURLWithPath: path))
        let container = try open(tree)
        #expect(container.state(of: "1", in: table("good", "a.db")) == .present(.dictionary([("a", .integer(1))])))
        #expect(
            container.problem(with: table("bad", "a.db"))
                == Unreadable(.corrupt, "the table bad of AppData/Documents/a.db: it is damaged"))
        #expect(container.stores.contains(table("bad", "a.db")))
    }

    @Test("of a table that is damaged in the middle, what comes before is read, and that there is more is said")
    func damagedMiddle() throws {
        let (tree, queue) = try made(
            "a.db", "PRAGMA page_size = 512", "CREATE TABLE t (a)",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO t SELECT i FROM n"
        )
        try queue.close()
        let path = tree.at("notes.xcappdata/AppData/Documents/a.db")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let middle = bytes.count / 1024 * 512
        bytes.replaceSubrange(middle..<middle + 512, with: Data(repeating: 0xFF, count: 512))
        try bytes.write(to: URL(fileURLWithPath: path))
        let container = try open(tree), store = table("t", "a.db"), keys = container.keys(in: store)
        let reason = Unreadable(.corrupt, "the table t of AppData/Documents/a.db: it is damaged")
        #expect(container.problem(with: store) == nil, "nothing is looked at before it must be")
        #expect(keys.key(at: 0) == "1" && container.state(of: "1", in: store).value != nil)
        #expect((1000..<5000).contains(keys.count) && keys.problem(under: "") == reason)
        #expect(keys.key(at: keys.count - 1) == Name("\(keys.count)"))
        guard case .unreadable = container.state(of: "\u{FFFD}", in: store) else {
            Issue.record("what could not be listed is not absent")
            return
        }
        #expect(container.storeWarnings().contains { $0.problem == .unreadable(reason) })
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

    @Test("a table without rowids is read by its key, forward, from its end, and by any literal")
    func literals() throws {
        let (tree, _) = try made(
            "a.db", "CREATE TABLE t (a, b, c, PRIMARY KEY (a, b)) WITHOUT ROWID",
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999) INSERT INTO t SELECT i / 10, i % 10, i FROM n",
            "INSERT INTO t VALUES (-1.5, 'it''s, ' || char(0) || 'x', 'odd'), (x'0aff', CAST(x'fe' AS TEXT), 'blob')")
        let forward = try open(tree).keys(in: table("t", "a.db"))
        let expected = ["-1.5,'it''s, \0x'"] + (0..<3000).map { "\($0 / 10),\($0 % 10)" } + ["‹row 3002›"]
        #expect(forward.count == 3002 && forward.count(upTo: 10) == 10)
        #expect(forward.names.map(\.text) == expected)
        let container = try open(tree), backward = container.keys(in: table("t", "a.db"))
        _ = backward.count
        for position in [3001, 2600, 1500, 0, 512] {
            #expect(backward.key(at: position).text == expected[position])
            if position < 3001 { #expect(backward.position(of: backward.key(at: position)) == position) }
        }
        func third(_ key: Name) -> Value? { container.state(of: key, in: table("t", "a.db")).value?.members?["c"] }
        #expect(third("-1.5,'it''s, \0x'") == .string("odd") && third("123,4") == .integer(1234))
        #expect(third("123,'4'") == nil && third("1,2,3") == nil && third("1,") == nil)
        guard case .unreadable = container.state(of: "X'0AFF','\u{FFFD}'", in: table("t", "a.db")) else {
            Issue.record("the row is there")
            return
        }
    }

    @Test("what a row goes by says the schema, whatever the rows hold: a text, a number, bytes or nothing in the key")
    func kinds() throws {
        let (tree, _) = try made(
            "a.db", "CREATE TABLE n (k NUMERIC PRIMARY KEY)", "INSERT INTO n VALUES (3), (1), (1.5)",
            "CREATE TABLE m (k PRIMARY KEY, v)",
            "INSERT INTO m VALUES (7, 'a'), ('x', 'b'), ('7', 'c'), (NULL, 'd'), (NULL, 'e'), (x'01', 'f')",
            "INSERT INTO m VALUES ('''q''', 'g'), ('X''01''', 'h'), (2, 'i')", "CREATE TABLE b (k BLOB PRIMARY KEY)",
            "INSERT INTO b VALUES (x'01')", "CREATE TABLE c (k TEXT COLLATE NOCASE PRIMARY KEY)",
            "INSERT INTO c VALUES ('Key'), (NULL)", "CREATE TABLE d (k TEXT PRIMARY KEY)",
            "INSERT INTO d VALUES ('12')",
            "CREATE TABLE i (k INT PRIMARY KEY, v)", "INSERT INTO i VALUES (2, 'two'), (1, 'one')",
            "CREATE TABLE j (k INT PRIMARY KEY, v)", "CREATE TABLE s (k ANY PRIMARY KEY, v TEXT) STRICT",
            "INSERT INTO s VALUES (5, 'number'), ('5', 'text')",
            "INSERT INTO j VALUES (2, 'two'), (1, 'one'), (NULL, 'none'), ('t', 't')", "PRAGMA writable_schema = ON",
            "UPDATE sqlite_master SET sql = replace(sql, 'k TEXT P', 'k TEXT COLLATE own P') WHERE name = 'd'")
        let container = try open(tree)
        func names(_ name: Name) -> [Name] { container.keys(in: table(name, "a.db")).names }
        func value(_ key: Name, _ name: Name) -> String? {
            container.state(of: key, in: table(name, "a.db")).value?.members?["v"]?.string
        }
        func there(_ key: Name, _ name: Name) -> Bool { container.state(of: key, in: table(name, "a.db")).value != nil }
        #expect(names("n") == ["3", "1", "1.5"] && there("1.5", "n") && there("3", "n") && !there("1.50", "n"))
        #expect(names("m") == ["7", "x", "'7'", "‹row 4›", "‹row 5›", "X'01'", "'''q'''", "'X''01'''", "2"])
        #expect(names("m").compactMap { value($0, "m") } == ["a", "b", "c", "d", "e", "f", "g", "h", "i"])
        #expect(["'q'", "NULL", "3", "'x'", "X'02'", "‹row 1›"].allSatisfy { !there($0, "m") })
        // With a row of another kind, or without one, an address means the same row.
        #expect(names("s") == ["5", "'5'"] && value("5", "s") == "number" && value("'5'", "s") == "text")
        for name in ["i", "j"] as [Name] { #expect(value("2", name) == "two" && value("1", name) == "one", "\(name)") }
        #expect(names("j").last == "t" && value("‹row 3›", "j") == "none" && !there("3", "j"))
        #expect(names("b") == ["1"] && names("c") == ["Key", "‹row 2›"] && names("d") == ["1"])
        #expect(there("Key", "c") && !there("key", "c") && there("1", "d") && !there("12", "d"))
        let keys = container.keys(in: table("m", "a.db"))
        for (place, key) in names("m").enumerated() where !key.text.hasPrefix("‹") {
            #expect(keys.positions(of: key) == [place], "\(key)")
        }
        func note(_ name: Name) -> String? { container.annotation(of: Address(store: table(name, "a.db"))) }
        #expect(note("m") == nil && note("n") == nil && note("b") == "by rowid, as its key k holds bytes")
        #expect(note("d") == "by rowid, as its key k is sorted in a way that only its app knows")
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

    @Test("what is to have a log and has none is read where it lies, and nothing is written beside it")
    func unlogged() throws {
        let (tree, queue) = try made(
            "odd ?%41#.db", "PRAGMA journal_mode = WAL", "CREATE TABLE t (a)", "INSERT INTO t VALUES (7)")
        try queue.close()
        let before = try tree.inventory()
        let container = try open(tree), store = table("t", "odd ?%41#.db")
        #expect(container.state(of: "1", in: store) == .present(.dictionary([("a", .integer(7))])))
        #expect(try tree.inventory() == before && !before.contains("-wal"))
        let address = Address(store: store, key: "1")
        #expect(
            container.files(behind: address).map(\.description)
                == ["", "-wal", "-journal"].map { "AppData/Documents/odd ?%41#.db" + $0 })
    }

    @Test("a row whose key is a secret by the name of its column goes by its number, and not by that")
    func secretKeys() throws {
        let (tree, _) = try made(
            "a.db", "CREATE TABLE sessions (access_token TEXT PRIMARY KEY, x)",
            "INSERT INTO sessions VALUES ('hunter10', 5)",
            "CREATE TABLE token (value TEXT PRIMARY KEY)", "INSERT INTO token VALUES ('hunter11')",
            "CREATE TABLE store (value TEXT PRIMARY KEY)", "INSERT INTO store VALUES ('plain')",
            "CREATE TABLE bare (token TEXT PRIMARY KEY, x) WITHOUT ROWID",
            "INSERT INTO bare VALUES ('hunter12', 6), ('hunter11', 7)",
            "CREATE TABLE pairs (user TEXT, api_key TEXT, x, PRIMARY KEY (user, api_key)) WITHOUT ROWID",
            "INSERT INTO pairs VALUES ('ann', 'hunter13', 8)",
            "CREATE TABLE pins (pin INTEGER PRIMARY KEY, x)", "INSERT INTO pins VALUES (481516, 9), (12, 10)",
            "CREATE TABLE named (id TEXT PRIMARY KEY, x) WITHOUT ROWID",
            "INSERT INTO named VALUES ('token:hunter14', 1), ('https://a.b/?user=7&pin=4815', 2), ('session=ab12', 3)",
            "INSERT INTO named VALUES ('session:timeout', 4), ('token:expiry', 5), ('user:ann', 6), ('token', 7), ('a=b', 8)",
            "CREATE TABLE ids (id TEXT PRIMARY KEY, x)",
            "INSERT INTO ids VALUES ('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', 11), ('device_id', 12)")
        let container = try open(tree)
        func keys(_ name: Name) -> [Name] { container.keys(in: table(name, "a.db")).names }
        #expect(keys("sessions") == ["1"] && keys("token") == ["1"] && keys("store") == ["plain"])
        let row = container.state(of: "1", in: table("sessions", "a.db")).value?.members
        #expect(row?["access_token"] == .string("hunter10") && row?["x"] == .integer(5))
        #expect(container.state(of: "hunter10", in: table("sessions", "a.db")) == .absent)
        // Where nothing else tells the rows from one another, their order does.
        #expect(keys("bare") == ["‹row 1›", "‹row 2›"] && keys("pairs") == ["‹row 1›"])
        #expect(keys("pins") == ["‹row 1›", "‹row 2›"])
        func number(_ key: Name, _ name: Name) -> Value? {
            container.state(of: key, in: table(name, "a.db")).value?.members?["x"]
        }
        #expect(number("‹row 1›", "bare") == .integer(7) && number("‹row 2›", "bare") == .integer(6))
        #expect(number("‹row 1›", "pairs") == .integer(8))
        #expect(number("‹row 1›", "pins") == .integer(10) && number("‹row 2›", "pins") == .integer(9))
        #expect(container.keys(in: table("pins", "a.db")).positions(of: "‹row 2›") == [1])
        // Who knows it can name it; what there is not is absent.
        #expect(number("hunter12", "bare") == .integer(6) && number("12", "pins") == .integer(10))
        #expect(container.state(of: "‹row 3›", in: table("pins", "a.db")) == .absent)
        // A token is one in any column; what is beside it goes by its own name.
        #expect(Set(keys("ids")) == ["‹row 1›", "device_id"])
        #expect(number("‹row 1›", "ids") == .integer(11) && number("device_id", "ids") == .integer(12))
        #expect(container.state(of: "‹row 2›", in: table("ids", "a.db")) == .absent)
        // So is what names itself one, and not what only tells something of one.
        #expect(
            Set(keys("named")) == [
                "‹row 2›", "‹row 4›", "‹row 7›", "session:timeout", "token:expiry", "user:ann", "token", "a=b",
            ])
        #expect(number("token:hunter14", "named") == .integer(1))
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

    @Test("rows that are only in the log are read, and nothing is written beside the file")
    func log() throws {
        let (tree, queue) = try made(
            "a.db", "PRAGMA journal_mode = WAL", "CREATE TABLE t (a)", "INSERT INTO t VALUES (7)")
        let before = try tree.inventory()
        let container = try open(tree)
        #expect(container.state(of: "1", in: table("t", "a.db")) == .present(.dictionary([("a", .integer(7))])))
        #expect(try tree.inventory() == before)
        try queue.close()
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

    @Test(
        "a log that is none, or a link, is named, as is a journal that is not done with; what an app is done with is not"
    )
    func besideDatabase() throws {
        let (tree, queue) = try made("a.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (7)")
        try queue.close()
        let file = "notes.xcappdata/AppData/Documents/a.db", path = "AppData/Documents/a.db"
        try tree.file(file + "-journal", Data(count: 512))
        #expect(try open(tree).storeWarnings().isEmpty)
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        try tree.file(file + "-journal", Data(magic) + Data(count: 504))
        let found = try open(tree).storeWarnings()
        #expect(found.contains(DumpWarning(path, .unfinishedDatabase)), "\(found)")
        #expect(found.contains { "\($0)".contains("its head is damaged") }, "\(found)")
        try FileManager.default.removeItem(atPath: tree.at(file + "-journal"))
        try tree.file(file + "-wal", "junk")
        for _ in 0..<2 {
            let container = try open(tree), warnings = container.storeWarnings(), rows = table("t", "a.db")
            #expect(warnings.contains { "\($0)".contains("changes in it are missing") }, "\(warnings)")
            #expect(container.state(of: "1", in: rows).value != nil && container.doubt(about: rows) != nil)
            guard case .unreadable = container.state(of: "2", in: rows) else {
                Issue.record("it may be in the log"); return
            }
            try FileManager.default.removeItem(atPath: tree.at(file + "-wal"))
            try tree.link(file + "-wal", to: "/etc/hosts")
        }
    }

    @Test("a change that was not finished is taken back, as the app would; where its journal is damaged that is said")
    func journal() throws {
        let (tree, queue) = try made(
            "a.db", "CREATE TABLE t (a)",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) "
                + "INSERT INTO t SELECT printf('old%.*c', 600, 'x') FROM n")
        let folder = "notes.xcappdata/AppData/Documents/"
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA cache_size = 2; BEGIN; UPDATE t SET a = 'new' || a; CREATE TABLE u (a)")
            for end in ["", "-journal"] {
                try FileManager.default.copyItem(
                    atPath: tree.at(folder + "a.db" + end), toPath: tree.at(folder + "b.db" + end))
            }
            try db.execute(sql: "ROLLBACK")
        }
        try queue.close()
        func values() throws -> Set<String> {
            let container = try open(tree), store = table("t", "b.db")
            return Set(
                container.keys(in: store).names.map {
                    let value = container.state(of: $0, in: store).value?.members?["a"]?.string
                    return value.map { String($0.prefix(3)) } ?? "unknown"
                })
        }
        let before = try tree.inventory()
        #expect(try values() == ["old"])
        #expect(try open(tree).storeWarnings() == [DumpWarning("AppData/Documents/b.db", .unfinishedDatabase)])
        #expect(try tree.inventory() == before)
        var journal = try Data(contentsOf: URL(fileURLWithPath: tree.at(folder + "b.db-journal")))
        journal[512 + 4 + 4096 - 200] ^= 1
        try tree.file(folder + "b.db-journal", journal)
        guard case .unreadable = try open(tree).state(of: "9999", in: table("t", "b.db")) else {
            Issue.record("what may be half done is taken for what there is")
            return
        }
    }

    @Test("a column that fills a value without end is left out, and other formats are computed")
    func formats() throws {
        let (tree, _) = try made(
            "a.db",
            "CREATE TABLE t (n, a AS (printf('%04d', n)), b AS (printf('%.*c', 3000000, 'x')), c AS (printf('%3000000d', n)))",
            "INSERT INTO t (n) VALUES (7)")
        let container = try open(tree), store = table("t", "a.db")
        #expect(
            container.state(of: "1", in: store) == .present(.dictionary([("n", .integer(7)), ("a", .string("0007"))])))
        #expect(container.unread("b", of: "1", in: store) != nil && container.unread("c", of: "1", in: store) != nil)
    }

    @Test("a search for a long text in a long one is left out, and others are computed")
    func searches() throws {
        let (tree, _) = try made(
            "a.db",
            "CREATE TABLE t (v, w, a AS (instr(v, w)), b AS (instr(v, 'b')), c AS (instr(v, NULL)), "
                + "d AS (replace(v, w, '')), e AS (length(replace(v, 'a', 'aa'))), f AS (trim(v, w)), g AS (trim(v, 'a')))",
            "INSERT INTO t (v, w) VALUES (printf('%.*c', 200000, 'a') || 'b', printf('%.*c', 100000, 'a') || 'b')")
        let container = try open(tree), store = table("t", "a.db")
        let row = container.state(of: "1", in: store).value?.members
        #expect(row?["b"] == .integer(200_001) && row?["c"] == .null && row?["a"] == nil)
        #expect(row?["e"] == .integer(400_001) && row?["g"] == .string("b"))
        for name in ["a", "d", "f"] as [Name] { #expect(container.unread(name, of: "1", in: store) != nil, "\(name)") }
    }

    @Test("all formats of a row together fill no more than one may: what comes behind is left out, and is said")
    func formatsTogether() throws {
        let columns = (0..<400).map { "z\($0) AS (printf('%,30000d%030000d%30000.30000g%.30000e', 5, 6, 7, 8))" }
        let (tree, _) = try made(
            "a.db", "CREATE TABLE t (n, \(columns.joined(separator: ", ")), last AS (format('%02d', n)))",
            "CREATE TABLE h (n, \((0..<9).map { "b\($0) AS (hex(zeroblob(2000000)))" }.joined(separator: ", ")))",
            "INSERT INTO t (n) VALUES (7), (8)", "INSERT INTO h (n) VALUES (7)")
        let container = try open(tree), store = table("t", "a.db")
        for key: Name in ["1", "2"] {
            let row = try #require(container.state(of: key, in: store).value?.members)
            #expect(row["z0"] != nil && row["z1"] == nil && row["z399"] == nil)
            #expect(row["last"] == .string(key == "1" ? "07" : "08"))
            #expect(container.unread("z1", of: key, in: store)?.explanation.contains("too large") == true)
            let words = container.omissions(of: Address(store: store, key: key), isAlone: true)
            #expect(words == "without what is computed of z1, z2, z3, z4, z5 and 394 more: a value in it is too large")
        }
        let held = try #require(container.state(of: "1", in: table("h", "a.db")).value?.members)
        #expect(
            held["b0"] != nil && held["b8"] == nil && container.unread("b8", of: "1", in: table("h", "a.db")) != nil)
    }

    @Test(
        "of a format the widths count, and what arguments say of them: no other number, no text's precision",
        arguments: [
            ("'%.*s|%d', 3, 'abcdef', 1790000000", "abc|1790000000"),
            ("'%s costs 1234567 * %d', 'x', 5", "x costs 1234567 * 5"),
            ("'%d%% 2000000', 9999999", "9999999% 2000000"), ("'%.2000000s', 'abc'", "abc"),
            ("'%-*d|', 4, 2000000", "2000000|"), ("'%05.1f', 2.25", "002.3"), ("'%lld', 1790000000", "1790000000"),
            ("'%*d', 1000000, 1", nil), ("'%d%*d', 1, 1000000, 1", nil), ("'%.*c', 1000000, 'x'", nil),
            ("'%*d', -1000000, 1", nil), ("'%.1000000f', 1", nil), ("'%99999999999999999999d', 1", nil),
            ("replace(hex(zeroblob(20000)), '00', '%.999f'), 1.5", nil),
        ])
    func widths(format: String, text: String?) throws {
        let (tree, _) = try made(
            "a.db", "CREATE TABLE t (n, a AS (printf(\(format))))", "INSERT INTO t (n) VALUES (7)")
        let found = try open(tree).state(of: "1", in: table("t", "a.db")).value?.members?["a"]
        #expect(found == text.map(Value.string))
    }

    @Test("a journal that names one of several databases is put back only while that one is in the dump")
    func superJournal() throws {
        let (tree, queue) = try made(
            "a.db", "CREATE TABLE t (a)",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) "
                + "INSERT INTO t SELECT printf('old%.*c', 600, 'x') FROM n")
        let folder = "notes.xcappdata/AppData/Documents/", path = "AppData/Documents/b.db"
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA cache_size = 2; BEGIN; UPDATE t SET a = 'new' || a")
            for end in ["", "-journal"] {
                try FileManager.default.copyItem(
                    atPath: tree.at(folder + "a.db" + end), toPath: tree.at(folder + "b.db" + end))
            }
            try db.execute(sql: "ROLLBACK")
        }
        try queue.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: tree.at(folder + "b.db-journal")))
        func end(_ name: String, _ sum: UInt32) -> Data {
            let bytes = Data(name.utf8)
            func four(_ number: UInt32) -> Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }
            let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
            return four(0x4000_0000 / 4096 + 1) + bytes + four(UInt32(bytes.count)) + four(sum) + Data(magic)
        }
        func state(_ journal: Data) throws -> (String?, [DumpWarning]) {
            try tree.file(folder + "b.db-journal", journal)
            let container = try open(tree)
            let text = container.state(of: "1", in: table("t", "b.db")).value?.members?["a"]?.string
            return (text.map { String($0.prefix(3)) }, container.fileWarnings(of: Address(store: table("t", "b.db"))))
        }
        let name = "/var/mobile/Containers/Data/Application/1/Documents/a.db-mj0123"
        let sum = name.utf8.reduce(UInt32(0)) { $0 &+ UInt32($1) }
        let unfinished = [DumpWarning(path, .unfinishedDatabase)]
        #expect(try state(whole) == ("old", unfinished))
        let finished = try state(whole + end(name, sum))
        #expect(finished == ("new", [DumpWarning(path, .finishedDatabase(journal: name))]))
        #expect("\(finished.1[0])".contains("taken for finished"))
        // Only what SQLite takes for a name is one.
        for other in [end(name, sum &+ 1), end(name, sum).dropLast(), end("", 0)] {
            #expect(try state(whole + other) == ("old", unfinished))
        }
        try tree.file(folder + "a.db-mj0123", "x")
        #expect(try state(whole + end(name, sum)) == ("old", unfinished))
    }

    @Test(
        "of a log that is damaged or cut, what is not found is unknown, and it is named; an old end of it is none of it"
    )
    func damagedLog() throws {
        let (tree, queue) = try made(
            "a.db", "PRAGMA journal_mode = WAL", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)",
            "INSERT INTO t VALUES (2)")
        let file = "notes.xcappdata/AppData/Documents/a.db",
            whole = try Data(contentsOf: URL(fileURLWithPath: tree.at(file + "-wal")))
        let database = try Data(contentsOf: URL(fileURLWithPath: tree.at(file)))
        try queue.close()
        try tree.file(file, database)
        func state(_ log: Data, _ key: Name) throws -> (EntryState, [DumpWarning]) {
            try tree.file(file + "-wal", log)
            let container = try open(tree)
            return (container.state(of: key, in: table("t", "a.db")), container.storeWarnings())
        }
        #expect(try state(whole, "2").0.value != nil && state(whole, "2").1.isEmpty)
        #expect(try state(whole, "3").0 == .absent)
        var flipped = whole
        flipped[flipped.endIndex - 100] ^= 0xFF
        var salted = whole
        salted[32 + 8] ^= 0xFF
        var headless = whole
        headless[20] ^= 0xFF
        for (log, words) in [(flipped, "frame"), (whole.dropLast(100), "cut"), (salted, "damaged"), (headless, "head")]
        {
            let (found, warnings) = try state(Data(log), "2")
            guard case .unreadable(let reason) = found else {
                Issue.record("\(words): \(found)")
                continue
            }
            #expect(reason.cause == .corrupt && reason.explanation.contains(words), "\(reason)")
            #expect(warnings.contains { "\($0)".contains("a.db-wal") }, "\(warnings)")
        }
        // Frames of an earlier use have other salts.
        let page = 24 + 4096,
            old = Data(
                whole.suffix(page).enumerated().map { (8..<16).contains($0.offset) ? $0.element &+ 1 : $0.element })
        #expect(try state(whole + old, "3").0 == .absent && state(whole + old, "3").1.isEmpty)
        // A change that is still being made has sums that do not hold yet, and no frame that finishes it.
        let last = whole.suffix(page),
            begun = Data(last.enumerated().map { (4..<8).contains($0.offset) ? 0 : $0.offset > 100 ? 7 : $0.element })
        #expect(try state(whole + begun + begun, "3").0 == .absent && state(whole + begun, "3").1.isEmpty)
        #expect(try state(whole + begun, "2").0.value != nil)
        let lost = try state(whole + begun + last, "3")
        #expect(lost.1.contains { "\($0)".contains("is damaged") }, "\(lost)")
    }

    @Test("an index that is not what the table holds hides no row and names none as another")
    func tornIndex() throws {
        for isSwapped in [false, true] {
            let (tree, _) = try made(
                "a.db", "CREATE TABLE t (k TEXT PRIMARY KEY, v)", "CREATE TABLE u (k TEXT PRIMARY KEY, v)",
                "INSERT INTO t VALUES ('device_id', 'D'), ('user_id', 'U')",
                isSwapped ? "INSERT INTO u VALUES ('user_id', 'U'), ('device_id', 'D')" : "SELECT 1",
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_u_1')
                WHERE name = 'sqlite_autoindex_t_1';
                DELETE FROM sqlite_master WHERE tbl_name = 'u';
                """)
            let container = try open(tree), store = table("t", "a.db")
            #expect(container.state(of: "device_id", in: store).value?.members?["v"] == .string("D"), "\(isSwapped)")
            #expect(container.state(of: "user_id", in: store).value?.members?["v"] == .string("U"), "\(isSwapped)")
            #expect(container.state(of: "other", in: store) == .absent)
        }
    }

    @Test("text that is not UTF-8 is data, in a key it is not absent, and NUL does not cut it")
    func strangeText() throws {
        let (tree, _) = try made(
            "a.db", "CREATE TABLE t (k TEXT PRIMARY KEY, v)",
            "INSERT INTO t VALUES ('a', CAST(x'ff41' AS TEXT)), (CAST(x'fe' AS TEXT), 1), ('c', 'x' || char(0) || 'y')",
            "INSERT INTO t VALUES (CAST(x'efbfbd' AS TEXT), 2), (CAST(x'ff' AS TEXT), 3)")
        let container = try open(tree), store = table("t", "a.db")
        #expect(container.state(of: "a", in: store).value?.members?["v"] == .data(Data([0xFF, 0x41])))
        #expect(container.state(of: "c", in: store).value?.members?["v"] == .string("x\0y"))
        // Others that are no text look the same.
        #expect(container.keys(in: store).names == ["a", "‹row 2›", "c", "\u{FFFD}", "‹row 5›"])
        for (key, number) in [("‹row 2›", 1), ("\u{FFFD}", 2), ("‹row 5›", 3)] as [(Name, Int128)] {
            #expect(container.state(of: key, in: store).value?.members?["v"] == .integer(number), "\(key)")
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

    @Test("a name or a schema of a hostile file is not run as SQL")
    func hostile() throws {
        let (tree, _) = try made(
            "a.db", "CREATE TABLE \"t\"\"; DROP TABLE u; --\u{301}\" (\"a\"\", (SELECT 1)\" TEXT PRIMARY KEY)",
            "INSERT INTO \"t\"\"; DROP TABLE u; --\u{301}\" VALUES ('k')", "CREATE TABLE u (a)",
            "CREATE VIRTUAL TABLE f USING fts4(a)")
        let container = try open(tree), odd = table("t\"; DROP TABLE u; --\u{301}", "a.db")
        #expect(container.state(of: "k", in: odd) == .present(.dictionary([("a\", (SELECT 1)", .string("k"))])))
        #expect(container.stores.contains(table("u", "a.db")) && !container.stores.contains(table("f", "a.db")))
    }
}
