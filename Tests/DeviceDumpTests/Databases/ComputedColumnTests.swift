import MigrationEngine
import StoreFormats
import Testing

@testable import DeviceDump

@Suite("Columns that SQLite computes")
struct ComputedColumnTests: MadeDatabases {
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
}
