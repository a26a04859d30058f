import DeviceDump
import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Workspace

@Suite("The ledger file")
struct LedgerTests {
    static func entry(_ number: Int, event: LedgerEntry.Event = .applied, changes: [Change] = []) -> LedgerEntry {
        LedgerEntry(
            number: number, event: event, stamp: .test, migration: "m", profile: "p", step: "s\(number)",
            changes: changes, facts: Facts(["now": Fact("1\0 2", from: .inferred("defaults://a/\0"))]),
            digests: ["a.plist": "00ff", "b\u{301}": "absent"])
    }

    static let everyState = [
        Change(
            address: .defaults("a", "k/1"), before: .absent,
            after: .dictionary([("n", .integer(Int128(UInt64.max) + 5))]),
            from: [.defaults("b", "c"), Address(store: .keychain("s"), key: "x")], rule: "why\0not",
            notes: ["one", "", "three"],
            placeholders: [JSONPointer(["n"]), JSONPointer(), JSONPointer(["a/b", "~c\0"])], effect: .changed,
            dropped: [.defaults("b", "c"), .defaults("b\0", "d")]),
        Change(address: .defaults("a", "gone"), before: .present(.real(-0.0)), after: nil, rule: ""),
        Change(
            address: .defaults("a", "locked"), before: .unreadable(Unreadable(.locked, "no key\0")),
            after: .date(Timestamp(secondsSinceReference: .nan)), rule: "r"),
        Change(address: .defaults("a", "empty"), before: .present(.data(Data())), after: .string(""), rule: "r"),
        Change(
            address: .defaults("a", "set"), before: .present(.set(SetElements([.uid(3), .null, .bool(true)]))),
            after: .real(Real(1.5, form: .single)), rule: "r"),
    ]

    @Test("An entry comes back exactly as it was, with every state that an entry of a store can be in")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let entries = [Self.entry(1, changes: Self.everyState), Self.entry(2, event: .rolledBack(1)), Self.entry(3)]
        do {
            var ledger = try LedgerFile(path: folder("l")).ledger(of: "app")
            for entry in entries { try ledger.append(entry) }
            #expect(try ledger.entries() == entries)
        }
        #expect(try LedgerFile(path: folder("l")).ledger(of: "app").entries() == entries)
    }

    @Test("What a step has found comes back apart from its changes, and the digest of the entry holds it too")
    func found() throws {
        let folder = try TemporaryFolder(), value = Value.bool(false)
        let found = Change(
            address: .defaults("a", "there"), before: .present(value), after: value, from: [.defaults("b", "c")],
            rule: "r", notes: ["n"], effect: .changed, dropped: [.defaults("b", "d")])
        var entry = Self.entry(1, changes: Self.everyState)
        entry.found = [found]
        var ledger = try LedgerFile(path: folder("l")).ledger(of: "app")
        try ledger.append(entry)
        #expect(try LedgerFile(path: folder("l")).ledger(of: "app").entries() == [entry])
        try DatabaseQueue(path: folder("l")).write { db in
            try db.execute(sql: "DROP TRIGGER change_keeps_every_row_on_update")
            try db.execute(sql: "UPDATE change SET rule = 'other' WHERE before_image = after_image")
        }
        #expect(throws: WorkspaceError.self) { try ledger.entries() }
    }

    @Test("Containers have ledgers of their own in one file")
    func containers() throws {
        let folder = try TemporaryFolder()
        let file = try LedgerFile(path: folder("l"))
        var first = file.ledger(of: "b"), second = file.ledger(of: "a")
        try first.append(Self.entry(1))
        try second.append(Self.entry(1))
        try first.append(Self.entry(2))
        #expect(try file.containers() == ["b", "a"])
        #expect(try file.standing().map { $0.container } == ["b", "a"])
        #expect(try file.standing().map { $0.steps } == [2, 1])
        try second.append(Self.entry(2, event: .rolledBack(1)))
        #expect(try file.standing().map { $0.container } == ["b"], "nothing stands in the other")
        #expect(try first.entries().map(\.number) == [1, 2])
        #expect(try second.entries().map(\.number) == [1, 2])
    }

    @Test("All images of a ledger have a limit together, when they are read and when one is added")
    func images() throws {
        let folder = try TemporaryFolder()
        let change = Change(address: .defaults("a", "k"), before: .absent, after: .string("0123456789"), rule: "r")
        var ledger = try LedgerFile(path: folder("l")).ledger(of: "app")
        try ledger.append(Self.entry(1, changes: [change]))
        let database = try DatabaseQueue(path: folder("l"))
        try database.read { db in
            let count = try LedgerRows(of: "app", in: db).entries.count
            #expect(count == 1)
            #expect(throws: LedgerDamage.self) { try LedgerRows(of: "app", in: db, imagesLimit: 10) }
        }
        let next = Self.entry(2, changes: [change])
        #expect(throws: WorkspaceError.self) {
            try database.write { db in
                try LedgerRows.add(
                    next, [LedgerImages(of: change)], of: "app", to: db, imagesLimit: 10, willAddRow: nil)
            }
        }
    }

    @Test("A value that a property list cannot hold exactly is refused, and nothing is added")
    func unstorable() throws {
        let folder = try TemporaryFolder()
        var ledger = try LedgerFile(path: folder("l")).ledger(of: "app")
        let change = Change(
            address: .defaults("a", "k"), before: .absent, after: .real(Real(100, form: .literal("1e2"))), rule: "r")
        let error = #expect(throws: WorkspaceError.self) { try ledger.append(Self.entry(1, changes: [change])) }
        #expect(error?.exitCode == 6)
        #expect(!FileManager.default.fileExists(atPath: folder("l")))
    }

    @Test("An entry is there as a whole or not at all, whichever of its rows fails", arguments: 1...40)
    func failingRow(row: Int) throws {
        let folder = try TemporaryFolder()
        let count = Mutex(0), failing = Mutex(Int?.none)
        let fails: @Sendable () throws -> Void = {
            let number = count.withLock {
                $0 += 1; return $0
            }
            if number == failing.withLock({ $0 }) { throw Errno.ioError }
        }
        let first = Self.entry(1, changes: Self.everyState), second = Self.entry(2, changes: Self.everyState)
        do {
            var ledger = try LedgerFile(path: folder("l"), willAddRow: fails).ledger(of: "app")
            try ledger.append(first)
            var twin = try LedgerFile(path: folder("twin"), willAddRow: fails).ledger(of: "app")
            try twin.append(first)
            count.withLock { $0 = 0 }
            try twin.append(second)
            let rows = count.withLock { $0 }
            count.withLock { $0 = 0 }
            failing.withLock { $0 = row }
            let appended = Result { try ledger.append(second) }
            let failed = if case .failure = appended { true } else { false }
            #expect(failed == (row <= rows))
            #expect(try ledger.entries() == (failed ? [first] : [first, second]))
            // What failed once can be done again.
            failing.withLock { $0 = nil }
            if failed { try ledger.append(second) }
        }
        #expect(try LedgerFile(path: folder("l")).ledger(of: "app").entries() == [first, second])
    }

    @Test(
        "A program that is killed before any row of an entry leaves only whole ones",
        arguments: [1, 2, 60, 61, 97, 400])
    func killed(beforeRow row: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder("l")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, row = row as Int] in
            let rows = Atomic(0)
            let kills: @Sendable () throws -> Void = {
                if rows.add(1, ordering: .relaxed).newValue == row { kill(getpid(), SIGKILL) }
            }
            var ledger = try LedgerFile(path: path, willAddRow: kills).ledger(of: "app")
            for number in 1...row { try ledger.append(LedgerTests.entry(number, changes: LedgerTests.everyState)) }
        }
        let file = try LedgerFile(path: path)
        #expect(file.access == .readWrite, "the lock went with the program")
        let found = try file.ledger(of: "app").entries()
        let rows = try Self.rows()
        #expect(found.count == (row - 1 < rows.first ? 0 : 1 + (row - 1 - rows.first) / rows.next))
        for entry in found { #expect(entry == Self.entry(entry.number, changes: Self.everyState)) }
        #expect(try file.problems().isEmpty)
    }

    /// How many rows the first entry and each after it have; the images are there only once.
    private static func rows() throws -> (first: Int, next: Int) {
        let folder = try TemporaryFolder()
        let count = Mutex(0)
        var ledger = try LedgerFile(path: folder("l"), willAddRow: { count.withLock { $0 += 1 } }).ledger(of: "app")
        try ledger.append(entry(1, changes: everyState))
        let first = count.withLock { $0 }
        try ledger.append(entry(2, changes: everyState))
        return (first, count.withLock { $0 } - first)
    }

    @Test("A fact of a step that was rolled back is not one of the ledger any more")
    func factsOfStandingSteps() {
        #expect(History([Self.entry(1)]).facts.names == ["now"])
        #expect(History([Self.entry(1), Self.entry(2, event: .rolledBack(1))]).facts.names == [])
    }

    @Test("Files whose names are normalization twins have digests of their own")
    func twins() throws {
        let folder = try TemporaryFolder()
        var entry = Self.entry(1)
        entry.digests = ["\u{e9}.plist": "01", "e\u{301}.plist": "02"]
        var ledger = try LedgerFile(path: folder("l")).ledger(of: "\u{e9}"), twin = ledger.file.ledger(of: "e\u{301}")
        try ledger.append(entry)
        try twin.append(Self.entry(1))
        let read = try LedgerFile(path: folder("l"))
        #expect(try read.containers() == ["\u{e9}", "e\u{301}"])
        #expect(try read.ledger(of: "\u{e9}").entries() == [entry])
    }

    @Test(
        "A ledger only grows: SQL that changes or removes a row is refused",
        arguments: [
            "UPDATE entry SET step = 'x'", "DELETE FROM entry", "DELETE FROM change", "UPDATE fact SET value = 'x'",
            "DELETE FROM digest", "UPDATE change_text SET text = ''", "UPDATE image SET bytes = x''",
            "DELETE FROM image",
            "DELETE FROM head", "UPDATE head SET entries = 0", "UPDATE head SET digest = x''",
            "INSERT OR REPLACE INTO digest SELECT entry, path, 'x' FROM digest",
        ])
    func appendOnly(sql: String) throws {
        let folder = try TemporaryFolder()
        let file = try LedgerFile(path: folder("l"))
        var ledger = file.ledger(of: "app")
        try ledger.append(Self.entry(1, changes: Self.everyState))
        let error = #expect(throws: WorkspaceError.self) { try file.write { try $0.execute(sql: sql) } }
        #expect("\(try #require(error))".contains("only grows"))
    }

    @Test("The file, its lock and its journal are for their owner only, also where the umask is loose")
    func modes() throws {
        let folder = try TemporaryFolder()
        let old = umask(0)
        defer { umask(old) }
        let file = try LedgerFile(path: folder("state/vestige/l"))
        var ledger = file.ledger(of: "app")
        try ledger.append(Self.entry(1))
        #expect(folder.status("state")?.permissions == 0o700)
        #expect(folder.status("state/vestige")?.permissions == 0o700)
        #expect(folder.status("state/vestige/l")?.permissions == 0o600)
        #expect(folder.status("state/vestige/l.lock")?.permissions == 0o600)
        try file.write { db in
            try db.execute(sql: "INSERT INTO fact VALUES (1, 'n', 'v', 'given', 's')")
            #expect(folder.status("state/vestige/l-journal")?.permissions == 0o600)
        }
    }

    @Test("A ledger that others may read is made private when it is opened")
    func loosened() throws {
        let folder = try TemporaryFolder()
        do {
            var ledger = try LedgerFile(path: folder("l")).ledger(of: "app")
            try ledger.append(Self.entry(1))
        }
        chmod(folder("l"), 0o644)
        _ = try LedgerFile(path: folder("l"))
        #expect(folder.status("l")?.permissions == 0o600)
    }

    @Test("Every entry is flushed to the disk before it counts")
    func synchronous() throws {
        let folder = try TemporaryFolder()
        let file = try LedgerFile(path: folder("l"))
        var ledger = file.ledger(of: "app")
        try ledger.append(Self.entry(1))
        #expect(try file.read(0) { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 3)
    }

    @Test("The second program to open a ledger reads it, and says why it may not write")
    func secondOpener() throws {
        let folder = try TemporaryFolder()
        var first: LedgerFile? = try LedgerFile(path: folder("l"))
        var ledger = first?.ledger(of: "app")
        try ledger?.append(Self.entry(1))
        let second = try LedgerFile(path: folder("l"))
        #expect(second.access == .readOnly(.inUse))
        #expect(try second.ledger(of: "app").entries().count == 1)
        var other = second.ledger(of: "app")
        #expect(throws: WorkspaceError.readOnly(.inUse)) { try other.append(Self.entry(2)) }
        (first, ledger) = (nil, nil)
        #expect(try LedgerFile(path: folder("l")).access == .readWrite)
    }

    @Test("Of two programs that found no ledger, the second to write is refused, whether or not the first still runs")
    func bothCreate() throws {
        let folder = try TemporaryFolder()
        let late = try LedgerFile(path: folder("l"))
        var lateLedger = late.ledger(of: "app")
        do {
            var ledger = try LedgerFile(path: folder("l")).ledger(of: "app")
            try ledger.append(Self.entry(1))
            #expect(throws: WorkspaceError.readOnly(.inUse)) { try lateLedger.append(Self.entry(1)) }
        }
        #expect(throws: WorkspaceError.ledger(folder("l"), .changedByAnother)) {
            try lateLedger.append(Self.entry(1))
        }
        #expect(try LedgerFile(path: folder("l")).ledger(of: "app").entries().count == 1)
    }

    @Test(
        "A file that is not a ledger is named as such and left as it is",
        arguments: [
            Data("hello, this is text".utf8), Data("SQLite format 3\0".utf8),
            Data("SQLite format 3\0".utf8) + Data(repeating: 7, count: 200), Data([0]),
        ])
    func notALedger(content: Data) throws {
        let folder = try TemporaryFolder()
        try folder.write("l", content)
        let error = #expect(throws: WorkspaceError.self) { try LedgerFile(path: folder("l")) }
        guard case .ledger(folder("l"), .notALedger) = error else {
            Issue.record("\(String(describing: error))"); return
        }
        #expect(error?.exitCode == 6)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder("l"))) == content)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["l"])
    }

    @Test("A damaged ledger is named as such, never read as a shorter one, and left as it is")
    func damaged() throws {
        let folder = try TemporaryFolder()
        do {
            var ledger = try LedgerFile(path: folder("l")).ledger(of: "app")
            for number in 1...30 { try ledger.append(Self.entry(number, changes: Self.everyState)) }
        }
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder("l")))
        let original = try LedgerFile(path: folder("l")).ledger(of: "app").entries()
        var named = 0
        for page in 0..<(whole.count / 4096) {
            var bytes = whole
            bytes.replaceSubrange(
                page * 4096 + (page == 0 ? 100 : 0)..<page * 4096 + 2000,
                with: Data(repeating: 0x5A, count: page == 0 ? 1900 : 2000))
            try bytes.write(to: URL(fileURLWithPath: folder("l")))
            let entries = Result { try LedgerFile(path: folder("l")).ledger(of: "app").entries() }
            switch entries {
            case .success(let entries): #expect(entries == original, "page \(page) is free or of an index")
            case .failure(let error):
                named += 1
                #expect((error as? WorkspaceError)?.exitCode == 6, "\(error)")
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder("l"))) == bytes)
        }
        #expect(named > 5)
    }

    @Test(
        "A file that claims to be a ledger and has other tables is damaged, and nothing stops the program",
        arguments: [
            "CREATE TABLE entry (id, container, number)",
            "CREATE TABLE entry (x)",
            """
            CREATE TABLE entry (
                id, container, number, takes_back, date, author, tool_version, migration, profile, step);
            INSERT INTO entry VALUES (1, 'app', 1, NULL, 'noon', 1, 2, 3, 4, 5)
            """,
            """
            CREATE TABLE entry (
                id, container, number, takes_back, date, author, tool_version, migration, profile, step);
            INSERT INTO entry VALUES (1, 'app', 1, NULL, 1.0, 'a', 't', 'm', 'p', 's');
            CREATE TABLE change (entry, position, address, before_state, before_image, after_image, rule);
            INSERT INTO change VALUES (1, 0, 'defaults://a/b', 'present', x'00', NULL, 'r')
            """,
            """
            CREATE TABLE entry (
                id, container, number, takes_back, date, author, tool_version, migration, profile, step);
            INSERT INTO entry VALUES (1, 'app', 9223372036854775807, 1, 9e999, 'a', 't', 'm', 'p', 's');
            INSERT INTO entry VALUES ('x', NULL, 'y', 1, 9e999, 'a', 't', 'm', 'p', 's')
            """,
        ])
    func otherTables(sql: String) throws {
        let folder = try TemporaryFolder()
        try DatabaseQueue(path: folder("l")).writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA application_id = \(LedgerSchema.applicationID);
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('ledger-1');
                    """)
            try db.execute(sql: sql)
        }
        let read = Result {
            let file = try LedgerFile(path: folder("l"))
            return try (file.ledger(of: "app").entries(), file.containers())
        }
        guard case .failure(let error as WorkspaceError) = read, case .ledger(_, .damaged) = error else {
            Issue.record("\(read)"); return
        }
        #expect(error.exitCode == 6)
    }

    @Test("A ledger with a newer schema is refused, and the schema is named")
    func newer() throws {
        let folder = try TemporaryFolder()
        do {
            let file = try LedgerFile(path: folder("l"))
            var ledger = file.ledger(of: "app")
            try ledger.append(Self.entry(1))
            try file.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('ledger-9')") }
        }
        #expect(throws: WorkspaceError.ledger(folder("l"), .newer(schema: "ledger-9"))) {
            try LedgerFile(path: folder("l"))
        }
    }

    @Test(
        "The standard place is below the folder that the environment names, and tells dumps apart by their paths",
        arguments: [
            (["HOME": "/h"], "/h/.local/state/vestige/My_App.xcappdata-"),
            (["HOME": "/h", "XDG_STATE_HOME": "/s"], "/s/vestige/My_App.xcappdata-"),
            (["HOME": "/h", "XDG_STATE_HOME": "relative"], "/h/.local/state/vestige/My_App.xcappdata-"),
        ])
    func location(environment: [String: String], start: String) throws {
        let location = LedgerLocation.standard(environment: environment)
        let path = try location.path(forDumpAt: "/dumps/My App.xcappdata")
        #expect(path.hasPrefix(start) && path.hasSuffix(".ledger"))
        #expect(try path == location.path(forDumpAt: "/dumps/My App.xcappdata"))
        #expect(try path != location.path(forDumpAt: "/other/My App.xcappdata"))
    }

    @Test("Without a home there is no standard place")
    func noHome() {
        #expect(throws: WorkspaceError.noStateFolder) {
            try LedgerLocation.standard(environment: ["HOME": ""]).path(forDumpAt: "/d")
        }
    }
}
