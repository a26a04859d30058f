import CSQLite
import Files
import Foundation
import GRDB
import GRDBSQLite
import MigrationEngine
import StoreFormats
import Synchronization
import SystemPackage

/// A SQLite file of a dump, opened so that nothing is written to it or beside it, and nothing that it brings is run but what
/// harmless functions compute of a column.
///
/// It is read where it lies if it lies on the disk and nothing is beside it that belongs to it; one that is to have a log is
/// then said not to change, as SQLite makes a `-wal` of such a one even to read it. Of one that is stored encrypted the pages
/// are decrypted as they are read. Otherwise a private copy is read, in a file without a name, which goes with the
/// connection, however the program ends. What a `-wal` beside the file has is read in place of what it replaces, and so is
/// what a `-journal` of an unfinished change has, as the app would put that back; where that names a journal of several databases
/// which is not in the dump, the change was finished. SQLite is not asked: it may name any file of the disk for it to remove.
package final class DatabaseFile: Sendable {
    private let file: DumpPath
    private let database: DatabaseQueue
    /// Its bytes, where it is not read by its path.
    private let pages: (any DatabasePages)?
    private let watch: Watch
    /// Whether a `-journal` lies beside it, of a change that nothing says is finished.
    let hasJournal: Bool
    /// Why rows may be missing, or older than they are said to be: what lies beside it is damaged.
    let logDamage: DumpError?
    /// Whether it is to have a log, and none lies beside it.
    let lacksLog: Bool
    /// What SQLite says of the schema, of which it has taken in a part; `nil` where it has all of it.
    let schemaProblem: String?

    /// What is said of a file that does not begin as one does.
    static let isNone = "it is not a SQLite database"

    /// Where SQLite keeps what it has not yet written into a file.
    static func log(of file: DumpPath) -> DumpPath? { DumpPath(bytes: file.bytes + "-wal".utf8) }

    /// Where SQLite keeps what it has replaced in a file until a change is finished.
    static func journal(of file: DumpPath) -> DumpPath? { DumpPath(bytes: file.bytes + "-journal".utf8) }

    /// What the programs that have a file open share of its log.
    private static func index(of file: DumpPath) -> DumpPath? { DumpPath(bytes: file.bytes + "-shm".utf8) }

    /// Opens a file of a dump.
    ///
    /// - Parameters:
    ///   - copyLimit: The most bytes that are copied, where it must be.
    ///   - passingOver: Whether entries of the schema that SQLite does not read are passed over, and the rest is read.
    ///   - verifying: Whether it is made sure of at once that its bytes are those that were stored, as ``verify()`` does.
    convenience init(
        _ file: DumpPath, in files: any DumpFiles, copyLimit: Int = .max, passingOver: Bool = false,
        verifying: Bool = true, _ control: OpeningControl
    ) throws(DumpError) {
        let head = try files.stream(of: file).next()
        guard head.starts(with: SQLiteMagic.database), head.count >= 100 else {
            throw DumpError(file, .brokenDatabase(Self.isNone))
        }
        let beside = try Companions(of: file, in: files)
        let isLogged = head[head.startIndex + 18] == 2 || head[head.startIndex + 19] == 2
        let lacksLog = isLogged && !beside.hasLog
        if beside.isEmpty, let path = files.diskPath(of: file) {
            let escaped = path.utf8.map { String(format: "%%%02x", $0) }.joined()
            let place = isLogged ? "file:\(escaped)?immutable=1" : path
            self.init(
                file, try Self.opened(file, at: place, passingOver: passingOver), hasJournal: false,
                lacksLog: lacksLog)
        } else {
            let pages = try Self.pages(of: file, beside, in: files, copyLimit: copyLimit, control)
            if verifying { try pages.verify() }
            try self.init(
                file, pages, hasJournal: beside.isUnfinished, logDamage: beside.damage, lacksLog: lacksLog,
                passingOver: passingOver)
        }
    }

    /// What lies beside a file and counts for its rows.
    struct Companions {
        /// The journal of a change that was begun, where it is not finished, and the log.
        fileprivate private(set) var journal: (path: DumpPath, read: DatabaseLog)?
        fileprivate private(set) var log: (path: DumpPath, read: DatabaseLog)?
        /// Whether there is something under the log's name, if only without content.
        fileprivate private(set) var hasLog = false
        /// What says that the change of a journal is finished.
        fileprivate private(set) var finisher: String?
        /// Why some of that is not read, by the files that it is in.
        fileprivate private(set) var problems: [(path: DumpPath, error: DumpError)] = []

        /// Reads what has content; of what is no file only that is known.
        init(of file: DumpPath, in files: any DumpFiles) throws(DumpError) {
            for (path, isJournal) in [(DatabaseFile.journal(of: file), true), (DatabaseFile.log(of: file), false)] {
                guard let path else { continue }
                guard let item = try files.item(at: path) else {
                    if let stub = path.iCloudStub, try files.item(at: stub) != nil {
                        let words = "\(path) beside it has stayed in iCloud (\(stub)), and what is in that is missing"
                        problems.append((path, DumpError(file, .brokenDatabase(words))))
                    }
                    continue
                }
                if !isJournal { hasLog = true }
                var damage: String? = "it is not a file"
                if item.kind == .file {
                    guard item.size > 0 else { continue }
                    let stream = try files.stream(of: path)
                    let read = try isJournal ? DatabaseLog(journal: stream) : DatabaseLog(stream)
                    damage = read.damage
                    if isJournal {
                        finisher = DatabaseFile.finisher(of: read, beside: file, in: files)
                        if finisher == nil { journal = (path, read) } else { damage = nil }
                    } else {
                        log = (path, read)
                    }
                }
                guard let damage else { continue }
                let what = isJournal ? "journal" : "log",
                    end = isJournal ? "its last change may be half done" : "changes in it are missing"
                let words = "the \(what) \(path) beside it is damaged, as \(damage), and \(end)"
                problems.append((path, DumpError(file, .brokenDatabase(words))))
            }
            // SQLite removes both or neither.
            if !hasLog, problems.isEmpty, let log = DatabaseFile.log(of: file),
                let index = DatabaseFile.index(of: file),
                try files.item(at: index) != nil
            {
                let words =
                    "\(index) lies beside it, and \(log) did not come with it: what was written last may be missing"
                problems.append((log, DumpError(file, .brokenDatabase(words))))
            }
        }

        /// Whether the file alone has the rows.
        var isEmpty: Bool { journal == nil && finisher == nil && log == nil && problems.isEmpty }

        /// Whether a change was begun of which nothing says that it is finished.
        var isUnfinished: Bool { journal.map { $0.read.pageSize > 0 || $0.read.damage != nil } ?? false }

        /// Why rows may be missing, or older than they are said to be.
        var damage: DumpError? { problems.first?.error }
    }

    /// The bytes of a file where SQLite cannot read it by its path, with what lies beside it.
    ///
    /// - Parameter copyLimit: The most bytes that are copied, where it must be, with the log.
    static func pages(
        of file: DumpPath, _ beside: Companions, in files: any DumpFiles, copyLimit: Int = .max,
        _ control: OpeningControl
    ) throws(DumpError) -> any DatabasePages {
        var size = 0
        func pages(_ path: DumpPath) throws(DumpError) -> any DatabasePages {
            let pages = try files.pages(of: path, control)
            if let pages, !pages.isCopied { return pages }
            size += try files.item(at: path)?.size ?? 0
            guard size <= copyLimit else { throw DumpError(path, .overLimit(bytes: size, limit: copyLimit)) }
            if let pages { return pages }
            return try DatabaseCopy(path, of: try files.stream(of: path), control)
        }
        var base = try pages(file)
        if let (path, journal) = beside.journal, journal.pageSize > 0 {
            base = LoggedPages(base, journal, try pages(path))
        }
        if let (path, log) = beside.log, !log.pages.isEmpty { base = LoggedPages(base, log, try pages(path)) }
        return base
    }

    /// The journal of several databases that one names and that is not there, so that its change was finished; `nil` where it
    /// names none, or that may be there.
    private static func finisher(of journal: DatabaseLog, beside file: DumpPath, in files: any DumpFiles) -> String? {
        guard let name = journal.superJournal else { return nil }
        // It is a path on the device: any end of it may be one in a folder that the file is in.
        let parts = name.split(separator: UInt8(ascii: "/")).suffix(24)
        for folder in [.root] + file.folders {
            for count in 1...max(parts.count, 1) {
                guard let path = DumpPath(bytes: parts.suffix(count).joined(separator: [UInt8(ascii: "/")])) else {
                    continue
                }
                do throws(DumpError) { if try files.item(at: folder / path) == nil { continue } } catch {}
                return nil
            }
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Opens one that is not read by its path.
    convenience init(
        _ file: DumpPath, _ pages: any DatabasePages, hasJournal: Bool = false, logDamage: DumpError? = nil,
        lacksLog: Bool = false, passingOver: Bool = false
    ) throws(DumpError) {
        let opened: Opened
        do throws(DumpError) {
            opened = try pages.withURI { (uri) throws(DumpError) in
                try Self.opened(file, at: uri, isSecret: pages.isSecret, passingOver: passingOver)
            }
        } catch {
            throw Self.failure(of: pages, file) ?? error
        }
        self.init(file, opened, hasJournal: hasJournal, logDamage: logDamage, lacksLog: lacksLog, pages)
    }

    /// What is missing of a file, and what lies beside it, belongs to it, and is not read: rows may be older than those of its
    /// app, or cut.
    static func warnings(beside file: DumpPath, in files: any DumpFiles) -> [DumpWarning] {
        var warnings: [DumpWarning] = []
        if let size = (try? files.item(at: file))?.size, let head = try? files.stream(of: file).next(),
            head.count >= 100, head.starts(with: SQLiteMagic.database)
        {
            // SQLite takes zeros for what is not there of the last page. 65536 is written as 1.
            let stored = head.prefix(18).suffix(2).reduce(0) { $0 << 8 | Int($1) },
                page = stored == 1 ? 1 << 16 : stored
            if page > 0, !size.isMultiple(of: page) {
                let reason = "\(file) was cut: it ends within a page, and the rows in that may be empty or missing"
                warnings.append(DumpWarning(file, .unreadable(Unreadable(.corrupt, reason))))
            }
        }
        guard let beside = try? Companions(of: file, in: files) else { return warnings }
        if let finisher = beside.finisher {
            warnings.append(DumpWarning(file, .finishedDatabase(journal: finisher)))
        } else if beside.isUnfinished {
            warnings.append(DumpWarning(file, .unfinishedDatabase))
        }
        for (path, error) in beside.problems {
            warnings.append(DumpWarning(path, .unreadable(Unreadable(error, ofDatabase: file.text))))
        }
        return warnings
    }

    private init(
        _ file: DumpPath, _ opened: Opened, hasJournal: Bool, logDamage: DumpError? = nil, lacksLog: Bool,
        _ pages: (any DatabasePages)? = nil
    ) {
        self.file = file
        self.pages = pages
        (self.logDamage, self.lacksLog) = (logDamage, lacksLog)
        (database, watch, schemaProblem) = opened
        self.hasJournal = hasJournal
    }

    private typealias Opened = (DatabaseQueue, Watch, schemaProblem: String?)

    /// How much a connection makes of a schema.
    enum SchemaReading: CaseIterable {
        /// All of it, or nothing.
        case whole
        /// The same, where SQLite calls its own functions for JSON unsafe.
        case withJSON
        /// What it knows of it.
        case partly
    }

    /// Opens what is at a path or a URI.
    private static func opened(
        _ file: DumpPath, at path: String, isSecret: Bool = false, passingOver: Bool = false
    ) throws(DumpError) -> Opened {
        let watch = Watch()
        var problem: String?
        for reading in SchemaReading.allCases {
            do {
                let settings = configuration(watch, isSecret: isSecret, reading)
                let database = try DatabaseQueue(path: path, configuration: settings)
                // Opens the file itself, which SQLite does not before it must.
                _ = try database.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") }
                return (database, watch, reading == .partly ? problem : nil)
            } catch {
                guard passingOver, reading != .partly, let message = (error as? DatabaseError)?.message,
                    message.hasPrefix("malformed database schema")
                else { throw Self.problem(error, file, watch) }
                problem = message
            }
        }
        throw DumpError(file, .brokenDatabase("it is damaged"))
    }

    static func configuration(
        _ watch: Watch = Watch(), isSecret: Bool = false, _ reading: SchemaReading = .whole
    ) -> Configuration {
        var configuration = Configuration()
        configuration.label = "dump"
        configuration.readonly = true
        configuration.prepareDatabase { db in
            guard let connection = db.sqliteConnection else { return }
            cs_distrust(connection)
            cs_bound_texts(connection, watch.formats)
            if reading != .whole { cs_vouch_for_json(connection) }
            // A text or a blob of more than this is none that is read as one value.
            sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, 256 << 20)
            sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0)
            // Columns that are computed from others are written out in a statement each time, and may double each time.
            sqlite3_limit(connection, SQLITE_LIMIT_VDBE_OP, 250_000)
            watch.tick(connection, each: Watch.interval)
            if reading == .partly { cs_pass_over_broken_schema(connection) }
            try db.execute(sql: "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA query_only = ON")
            // What is sorted is not written to the disk either.
            if isSecret { try db.execute(sql: "PRAGMA temp_store = MEMORY") }
        }
        return configuration
    }

    /// Stops a query that is cancelled, or that does not come to an end.
    final class Watch: Sendable {
        static let interval: Int32 = 100_000
        /// How many steps of SQLite's machine a query may take.
        static let limit = 20_000_000_000
        private let state = Mutex<(left: Int, isCancelled: @Sendable () -> Bool, wasCancelled: Bool)>(
            (limit, { false }, false))
        /// How many bytes more formats may ask for; only what runs on the connection looks at it.
        nonisolated(unsafe) let formats: UnsafeMutablePointer<Int64>

        init() {
            formats = .allocate(capacity: 1)
            formats.initialize(to: Self.computing.formats)
        }

        deinit { formats.deallocate() }

        func begin(_ isCancelled: @escaping @Sendable () -> Bool) {
            state.withLock { $0 = (Self.limit, isCancelled, false) }
            formats.pointee = Self.computing.formats
        }

        /// Begins a column of a row, which takes from what the formats of all of the row may ask for.
        func beginColumn() { state.withLock { $0.left = Self.computing.steps } }

        var wasCancelled: Bool { state.withLock(\.wasCancelled) }

        /// Is asked each time that a connection has taken so many steps.
        func tick(_ connection: SQLiteConnection?, each interval: Int32) {
            let tick: @convention(c) (UnsafeMutableRawPointer?) -> Int32 =
                interval == Self.interval
                ? { Watch.goesOn($0, Watch.interval) } : { Watch.goesOn($0, Watch.computing.interval) }
            sqlite3_progress_handler(connection, interval, tick, Unmanaged.passUnretained(self).toOpaque())
        }

        /// Whether to stop: nonzero stops.
        private static func goesOn(_ context: UnsafeMutableRawPointer?, _ steps: Int32) -> Int32 {
            guard let context else { return 1 }
            return Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue().state.withLock { state in
                state.left -= Int(steps)
                state.wasCancelled = state.isCancelled()
                return state.wasCancelled || state.left < 0 ? 1 : 0
            }
        }

        /// How much a column may compute for one row, in steps of SQLite's machine, and how many bytes a value may have; how many
        /// all that is computed of a row may have, and how many its formats may ask for.
        ///
        /// Each step may go through all of a value.
        static let computing = (
            steps: 10_000, interval: Int32(100), bytes: Int32(1 << 22), row: 1 << 24, formats: Int64(1 << 18)
        )
    }

    /// Runs a query.
    ///
    /// - Throws: ``DumpError``; whatever `query` throws that is none says that the file is broken.
    func read<Result>(
        isCancelled: @escaping @Sendable () -> Bool = { false }, _ query: (Database) throws -> Result
    ) throws(DumpError) -> Result {
        do {
            return try database.read { db in
                watch.begin(isCancelled)
                return try query(db)
            }
        } catch {
            throw readingFailure(error) ?? Self.problem(error, file, watch)
        }
    }

    /// Why its bytes could not be read, where that is what SQLite says.
    private func readingFailure(_ error: any Error) -> DumpError? {
        (error as? DatabaseError)?.resultCode == .SQLITE_IOERR ? pages.flatMap { Self.failure(of: $0, file) } : nil
    }

    /// Why bytes of a file could not be read; what holds them may be larger than the dump, where the file has a longer path.
    private static func failure(of pages: any DatabasePages, _ file: DumpPath) -> DumpError? {
        pages.failure.map { $0.path.hasSuffix("/" + file.text) ? DumpError(file, $0.problem) : $0 }
    }

    /// Makes sure that what is read is what was stored, where only a look at all of the file shows that.
    func verify() throws(DumpError) {
        guard let pages else { return }
        do throws(DumpError) { try pages.verify() } catch { throw Self.failure(of: pages, file) ?? error }
    }

    /// What queries come to that compute what the file's schema says of one row, as far as a person waits for that: each by
    /// itself, as what goes wrong with one says nothing of the others.
    ///
    /// - Parameter run: Runs one; returns how many bytes it has come to as well.
    func compute<Query, Result>(
        _ queries: [Query], _ run: (Database, Query) throws -> (result: Result, size: Int)
    ) throws(DumpError) -> [Swift.Result<Result, DumpError>] {
        try read { db in
            let connection = db.sqliteConnection
            watch.tick(connection, each: Watch.computing.interval)
            let limit = sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Watch.computing.bytes)
            defer {
                sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, limit)
                watch.tick(connection, each: Watch.interval)
            }
            var room = Watch.computing.row
            return queries.map { query in
                watch.beginColumn()
                do {
                    if room < 0 { throw DatabaseError(resultCode: .SQLITE_TOOBIG) }
                    let (result, size) = try run(db, query)
                    room -= size
                    return .success(result)
                } catch {
                    return .failure(readingFailure(error) ?? Self.problem(error, file, watch))
                }
            }
        }
    }

    /// What SQLite says of a query that it does not understand.
    static func words(for message: String?) -> String {
        let message = message ?? "", last = { (prefix: String) in String(message.dropFirst(prefix.count).prefix(200)) }
        for (prefix, words) in [
            ("no such function: ", "a function that only its app has, "),
            ("unknown function: ", "a function that only its app has, "),
            ("no such collation sequence: ", "an order of texts that only its app knows, "),
            ("no such module: ", "a module that only its app has, "),
        ] where message.hasPrefix(prefix) {
            return "it needs " + words + last(prefix)
        }
        if message.hasPrefix("malformed database schema ("), let reason = message.range(of: ") - ") {
            return words(for: String(message[reason.upperBound...]))
        }
        if message.hasPrefix("unsafe use of ") { return "it calls \(last("unsafe use of ")), which no file may call" }
        return "SQLite \(sqliteVersion) says of it: \(last(""))"
    }

    private static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

    static func problem(_ error: any Error, _ file: DumpPath, _ watch: Watch = Watch()) -> DumpError {
        switch error {
        case let error as DumpError: return error
        case let error as DatabaseError:
            switch error.resultCode {
            case .SQLITE_INTERRUPT where watch.wasCancelled: return DumpError(file, .cancelled)
            case .SQLITE_INTERRUPT: return DumpError(file, .brokenDatabase("a look at it does not come to an end"))
            case .SQLITE_NOTADB: return DumpError(file, .brokenDatabase(isNone))
            case .SQLITE_CORRUPT: return DumpError(file, .brokenDatabase("it is damaged"))
            case .SQLITE_TOOBIG: return DumpError(file, .brokenDatabase("a value in it is too large"))
            case .SQLITE_NOMEM: return DumpError(file, .brokenDatabase("it needs more memory than there is"))
            case .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_FULL, .SQLITE_READONLY:
                return DumpError(file, .brokenDatabase("the system refuses to read it, or a copy of it"))
            default: return DumpError(file, .unreadDatabase(words(for: error.message)))
            }
        default: return DumpError(file, .brokenDatabase("it is damaged"))
        }
    }
}

extension DatabaseFile {
    /// Refuses where a table with these columns is not there: one that is a view or computes its columns is none.
    func requireTable(_ table: String, columns: [String]) throws(DumpError) {
        let found = try read { db in
            let kinds = try Row.fetchAll(
                db, sql: "SELECT type, sql FROM sqlite_master WHERE name = ? COLLATE NOCASE", arguments: [table])
            let columns = try Row.fetchAll(
                db, sql: "SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)", arguments: [table])
            // A column of that name is another name of a row's number only where it is the key and a whole number.
            let isNumbered = columns.allSatisfy {
                ($0["name"] as String?)?.lowercased() != "rowid"
                    || $0["pk"] == 1 && ($0["type"] as String?)?.uppercased() == "INTEGER"
            }
            return (
                kind: kinds.first?["type"] as String?, sql: kinds.first?["sql"] as String?, isNumbered: isNumbered,
                columns: columns.map { (name: $0["name"] as String? ?? "", isPlain: ($0["hidden"] as Int? ?? 0) == 0) }
            )
        }
        guard let kind = found.kind else { throw DumpError(file, .brokenDatabase("it has no table \(table)")) }
        guard kind == "table" else {
            throw DumpError(file, .brokenDatabase("\(table) is a \(kind) in it, not a table"))
        }
        let words = (found.sql ?? "").uppercased()
        guard !words.hasPrefix("CREATE VIRTUAL"), !words.contains("WITHOUT ROWID") else {
            throw DumpError(file, .brokenDatabase("\(table) is not a plain table in it"))
        }
        guard found.isNumbered else {
            throw DumpError(
                file, .brokenDatabase("its table \(table) has a column rowid that does not number its rows"))
        }
        for column in columns {
            guard let place = found.columns.first(where: { $0.name.lowercased() == column.lowercased() }) else {
                throw DumpError(file, .brokenDatabase("its table \(table) has no column \(column)"))
            }
            guard place.isPlain else {
                throw DumpError(file, .brokenDatabase("its column \(table).\(column) is computed"))
            }
        }
    }
}
