import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import DeviceDump

@Suite("What a row of a table goes by")
struct DatabaseKeyTests: MadeDatabases {
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
}
