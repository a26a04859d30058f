import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Testing

@testable import DeviceDump

@Suite("Tables are read, whatever their schema has")
struct DatabaseSchemaTests: MadeDatabases {
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
