import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Testing

@testable import DeviceDump

@Suite("What is damaged in a database is not absent")
struct DatabaseDamageTests: MadeDatabases {
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
}
