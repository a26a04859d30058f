import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Testing

@testable import DeviceDump

@Suite("The log and the journal beside a database")
struct DatabaseLogTests: MadeDatabases {
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
}
