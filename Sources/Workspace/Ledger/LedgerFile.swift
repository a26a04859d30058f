import Files
import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Synchronization
import SystemPackage

/// The SQLite file that holds the ledgers of a dump's containers.
///
/// - A file that is not there is made by the first entry, not before, with access for its owner only. It is made beside its
///   place, with the entry, and put there by one rename: so at its place there is a whole ledger or none.
/// - An entry with all its rows is one transaction with `synchronous=EXTRA` (`FULL`, and the folder is flushed too), so
///   that it is there as a whole or not at all, whenever the program or the machine stops.
/// - Triggers refuse to change or remove a row; a digest over all entries shows where one is gone or is another.
/// - The first program to open it may write; every other reads, and follows with ``refresh()``. Where there is no file yet, that is
///   the first to ``keep()`` it, or else to write.
package final class LedgerFile: Sendable {
    /// Whether entries may be added.
    package enum Access: Hashable, Sendable {
        /// Entries may be added.
        case readWrite
        /// Entries may only be read, and why.
        case readOnly(ReadOnlyReason)
    }

    /// The path of the file.
    package let path: String
    /// Whether it lies where the program has those of all dumps, and not where a person has said.
    let isStandard: Bool

    private struct State {
        /// The right to write, as long as it is referred to.
        var lock: OpenFile?
        /// Whether that right is wanted before there is a file.
        var isKept = false
        var database: DatabaseQueue?
        /// Whether the database is a copy in memory of a file with an earlier schema, which the next entry rewrites.
        var isCopy = false
        var access: Access
        /// What the file was when it was last looked at.
        var version: Version?
        /// What SQLite then said of other programs' transactions; see ``LedgerFile/transactions(in:)``.
        var transactions: Int?
        /// Why what is at the place now cannot be used: until it can, nothing is read, and nothing is taken for empty.
        var failure: WorkspaceError?
    }

    /// What tells a file from another one at its place; two transactions within a tick of its time are told by SQLite.
    private struct Version: Equatable {
        let device, inode, size, seconds, nanoseconds: Int

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, inode, size) = (Int(status.st_dev), Int(status.st_ino), Int(status.st_size))
            #if canImport(Darwin)
            (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
            #else
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
            #endif
        }
    }

    private let state: Mutex<State>
    /// Runs before each statement that adds a row; tests let it fail there.
    let willAddRow: (@Sendable () throws -> Void)?

    /// Opens the file, or notes that there is none yet.
    ///
    /// - Throws: ``WorkspaceError/ledger(_:_:)`` where the file is not a ledger, is damaged or is newer; then it is left
    ///   as it is.
    package convenience init(path: String, isStandard: Bool = false) throws(WorkspaceError) {
        try self.init(path: path, isStandard: isStandard, willAddRow: nil)
    }

    init(
        path: String, isStandard: Bool = false, willAddRow: (@Sendable () throws -> Void)?
    ) throws(WorkspaceError) {
        (self.path, self.isStandard) = (path, isStandard)
        self.willAddRow = willAddRow
        state = Mutex(try Self.open(path))
    }

    /// Whether entries may be added.
    package var access: Access { state.withLock(\.access) }

    /// Whether the file is there.
    package var exists: Bool { state.withLock { $0.database != nil } }

    /// The ledger of one container.
    package func ledger(of container: Name) -> SQLiteLedger { SQLiteLedger(file: self, container: container) }

    /// The containers that have entries, in the order of their first one.
    package func containers() throws(WorkspaceError) -> [Name] {
        try read([]) { db in
            try LedgerText.fetchAll(db, sql: "SELECT container FROM entry GROUP BY container ORDER BY min(id)")
                .map { Name($0.text) }
        }
    }

    /// What SQLite finds wrong with the file as a whole; nothing where it is sound.
    package func problems() throws(WorkspaceError) -> [String] {
        try read([]) { db in
            // It gives several in one text, of which the first line is the name that the file has for SQLite.
            try String.fetchAll(db, sql: "PRAGMA integrity_check(20)").filter { $0 != "ok" }
                .flatMap { $0.split(separator: "\n") }.filter { !$0.hasPrefix("***") }.map(String.init)
        }
    }

    /// Takes the right to write before there is a file, for whoever looks at a dump for long: the next one is told at once.
    ///
    /// All that it makes is an empty file beside the place, on which the right lies, and ``letGo()`` removes it.
    package func keep() {
        state.withLock { state in
            state.isKept = true
            Self.keep(path, &state)
        }
    }

    private static func keep(_ path: String, _ state: inout State) {
        guard state.isKept, state.database == nil, state.lock == nil, state.failure == nil else { return }
        let folder = folder(of: path)
        guard (try? OpenFile.makeFolders(folder, mode: 0o700)) != nil else { return }
        let (lock, access) = lock(path)
        // That nothing can be written here is told when something is to be.
        if lock != nil || access == .readOnly(.inUse) { (state.lock, state.access) = (lock, access) }
    }

    /// Lets go of the right to write; nothing is left of it, which tells whoever watches the file.
    package func letGo() {
        state.withLock { state in
            // While the right is held nobody else has it, and whoever asks for it looks whether its file is still there.
            if state.lock != nil { try? Self.remove(path + ".lock") }
            (state.lock, state.isKept) = (nil, false)
        }
    }

    /// Whether the file has appeared, has grown or can be written to since it was last looked at; nothing is taken in.
    ///
    /// That costs a look at the file's time and its first page.
    package var hasChanged: Bool { state.withLock { Self.change(of: $0, at: path) != nil } }

    /// What is at the place now, and whether it is another content, where it is not as it was; `nil` where it is.
    private static func change(of state: State, at path: String) -> (
        isSame: Bool, version: Version?, transactions: Int?
    )? {
        let version = Version(path), transactions = transactions(in: state.database)
        let isSame = state.failure == nil && version == state.version && transactions == state.transactions
        // Another program lets go of its lock without a change of the file.
        if isSame, state.access != .readOnly(.inUse) || lock(path).access == .readOnly(.inUse) { return nil }
        return (isSame, version, transactions)
    }

    /// Takes in what the file is now, where it has appeared, has grown or can be written to since it was last looked at.
    ///
    /// - Returns: Whether anything may be different, so that entries and ``access`` are to be read again.
    /// - Throws: ``WorkspaceError/ledger(_:_:)`` where what is there now is not a ledger or is damaged; reading and writing
    ///   say the same until it is one again.
    package func refresh() throws(WorkspaceError) -> Bool {
        try state.withLock { state throws(WorkspaceError) in
            guard let (isSame, version, transactions) = Self.change(of: state, at: path) else { return false }
            if state.lock != nil, state.database != nil, version?.inode == state.version?.inode {
                (state.version, state.transactions) = (version, transactions)
                return true
            }
            let before = state.access, isKept = state.isKept
            // What is held of the file before is let go of first, its lock too.
            state = State(isKept: isKept, access: before)
            do throws(WorkspaceError) {
                state = try Self.open(path)
                state.isKept = isKept
                Self.keep(path, &state)
            } catch {
                state.failure = error
                throw error
            }
            return !isSame || state.access != before
        }
    }

    /// What a query finds, or a default where there is no file yet.
    func read<Result>(
        _ empty: Result, _ query: (Database) throws -> Result
    ) throws(WorkspaceError) -> Result {
        let (database, failure) = state.withLock { ($0.database, $0.failure) }
        if let failure { throw failure }
        guard let database else { return empty }
        do {
            return try database.read(query)
        } catch {
            throw Self.problem(error, at: path)
        }
    }

    /// Makes additions as one transaction, and the file with them where there is none.
    func write(_ additions: (Database) throws -> Void) throws(WorkspaceError) {
        try state.withLock { state throws(WorkspaceError) in
            if let failure = state.failure { throw failure }
            if case .readOnly(let reason) = state.access { throw .readOnly(reason) }
            do {
                if state.database == nil { return try Self.create(path, &state, additions) }
                if state.isCopy {
                    let database = try Self.connect(to: path)
                    try willAddRow?()
                    try LedgerSchema.migrator.migrate(database)
                    // Not before: where the disk is full, what was read stays what is seen.
                    (state.database, state.isCopy) = (database, false)
                }
                try state.database?.write(additions)
                state.version = Version(path)
            } catch {
                throw Self.problem(error, at: path)
            }
        }
    }
}

extension LedgerFile {
    private static func open(_ path: String) throws(WorkspaceError) -> State {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .ledger(path, .inaccessible(Errno(rawValue: errno).words)) }
            // A ledger is put at its place by a rename, which would take the place of the link.
            if lstat(path, &status) == 0 { throw .ledger(path, .danglingLink) }
            return State(access: .readWrite)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .ledger(path, .notALedger("not a file")) }
        var state = State(access: .readWrite, version: Version(path))
        guard try LedgerSchema.finding(at: path) == .ledger else { return state }
        (state.lock, state.access) = lock(path)
        if state.lock != nil, Foundation.access(path, W_OK) != 0 {
            state.access = .readOnly(.notWritable(Errno(rawValue: errno).words))
            state.lock = nil
        }
        if state.lock != nil { chmod(path, 0o600) }
        do {
            let database = try connect(to: path, readOnly: state.lock == nil)
            state.transactions = Self.transactions(in: database)
            let version = try database.read { db in try LedgerSchema.version(of: db, at: path) }
            if version == LedgerSchema.current {
                state.database = database
            } else if version != nil {
                // Looking changes nothing: what is of an earlier schema is brought to this one in memory.
                let copy = try DatabaseQueue()
                try database.backup(to: copy)
                try LedgerSchema.migrator.migrate(copy)
                (state.database, state.isCopy) = (copy, true)
            }
            return state
        } catch {
            throw problem(error, at: path)
        }
    }

    /// A number that is another once another program has made a transaction; its own transactions leave it.
    ///
    /// https://www.sqlite.org/pragma.html#pragma_data_version
    private static func transactions(in database: DatabaseQueue?) -> Int? {
        try? database?.read { db in try Int.fetchOne(db, sql: "PRAGMA data_version") }
    }

    /// Takes the right to write to a ledger: an exclusive lock on a file beside it, or says why it cannot be had.
    ///
    /// The system lets go of it when the process ends, however it ends, so it is never stale. It lies on a file of its
    /// own, because closing any descriptor of the ledger itself would undo SQLite's locks. That file goes only with whoever has
    /// it, so whoever gets it looks whether it is still the one at its place.
    private static func lock(_ path: String) -> (lock: OpenFile?, access: Access) {
        do {
            guard let lock = try OpenFile.lock(path + ".lock", mode: 0o600) else { return (nil, .readOnly(.inUse)) }
            return (lock, .readWrite)
        } catch {
            return (nil, .readOnly(.notWritable(error.words)))
        }
    }

    private static func folder(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
    }

    /// Removes a file, where there is one.
    private static func remove(_ path: String) throws(Errno) {
        do { try OpenFile.remove(path) } catch { if error != .noSuchFileOrDirectory { throw error } }
    }

    /// Makes the file with its first entry, in folders of its owner's, and takes its lock.
    private static func create(
        _ path: String, _ state: inout State, _ additions: (Database) throws -> Void
    ) throws {
        let folder = folder(of: path)
        do {
            try OpenFile.makeFolders(folder, mode: 0o700)
        } catch {
            throw WorkspaceError.ledger(path, .inaccessible("\(folder): \(error.words)"))
        }
        let (lock, access) = state.lock.map { ($0, .readWrite) } ?? lock(path)
        if case .readOnly(let reason) = access { throw WorkspaceError.readOnly(reason) }
        // Nobody else makes or changes a ledger here now, but somebody may have since this one was opened.
        let isThere = Version(path) != nil
        if isThere, try LedgerSchema.finding(at: path) == .ledger {
            throw WorkspaceError.ledger(path, .changedByAnother)
        }
        try checkNeighbours(of: path, isThere: isThere)
        let names = HiddenName(besides: path)
        names.removeLeftovers()
        let new = names.another()
        let file = try OpenFile.create(new, mode: 0o600)
        do {
            try? file.setAttribute(HiddenName.attribute, to: "1")
            let whole = try DatabaseQueue()
            try LedgerSchema.migrator.migrate(whole)
            try whole.write(additions)
            let database = try connect(to: new, isPrivate: true)
            try whole.backup(to: database)
            try database.close()
            try file.flush()
            // A journal at the place would be played back into the new file, so it goes first, with what it belonged to.
            if isThere { try remove(path) }
            try remove(path + "-journal")
            try OpenFile.rename(new, toFree: path)
        } catch {
            try? remove(new)
            throw error
        }
        do {
            try OpenFile.folder(folder).flush()
            state.database = try connect(to: path)
        } catch {
            // What is told as an error has not happened.
            try? remove(path)
            throw error
        }
        state.lock = lock
        (state.version, state.transactions) = (Version(path), transactions(in: state.database))
    }

    /// Refuses a place beside which lies what SQLite would take for a part of the ledger, and change or remove.
    ///
    /// Only a journal that belongs to what an earlier version left is nobody's: it has gone with that.
    private static func checkNeighbours(of path: String, isThere: Bool) throws(WorkspaceError) {
        var status = stat()
        for ending in ["-journal", "-wal", "-shm"] where lstat(path + ending, &status) == 0 {
            let head = (try? OpenFile.open(path + ending).read(upTo: 8)) ?? [0]
            // https://www.sqlite.org/fileformat.html, section 3; a journal that is over has zeros there.
            let isJournal = [[], Array(repeating: 0, count: 8), [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]]
                .contains(head)
            if isThere, ending == "-journal", isJournal { continue }
            throw .ledger(path, .besideAnother(path + ending))
        }
    }

    /// Opens the database of a file.
    ///
    /// - Parameter isPrivate: Nobody will look at the file before it has been flushed as a whole.
    private static func connect(
        to path: String, readOnly: Bool = false, isPrivate: Bool = false
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "ledger"
        configuration.readonly = readOnly
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            // Replacing a row removes it without asking the triggers unless this is on.
            try db.execute(
                sql: """
                    PRAGMA recursive_triggers = ON; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;
                    """)
            if isPrivate { try db.execute(sql: "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF") }
            if !readOnly, !isPrivate { try db.execute(sql: "PRAGMA synchronous = EXTRA") }
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// What an error means for the ledger.
    static func problem(_ error: any Error, at path: String) -> WorkspaceError {
        switch error {
        case let error as WorkspaceError: return error
        case let damage as LedgerDamage: return .ledger(path, .damaged(damage.words))
        case let error as Errno:
            let isFull = [.noSpace, .diskQuotaExceeded].contains(error)
            return .ledger(path, isFull ? .full : .inaccessible(error.words))
        case let error as DatabaseError:
            // SQLite may have forgotten what went wrong, and says that nothing did.
            let words = error.message.flatMap { $0 == "not an error" ? nil : $0 } ?? error.resultCode.description
            switch error.resultCode {
            case .SQLITE_NOTADB: return .ledger(path, .notALedger("not a SQLite file"))
            // SQLITE_ERROR is a table or a column that is not there.
            case .SQLITE_CORRUPT, .SQLITE_SCHEMA, .SQLITE_MISMATCH, .SQLITE_ERROR: return .ledger(path, .damaged(words))
            case .SQLITE_FULL: return .ledger(path, .full)
            case .SQLITE_IOERR:
                let words = "it cannot be read or written to its end (disk, quota or file size limit)"
                return .ledger(path, .inaccessible(words))
            case .SQLITE_CONSTRAINT where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE,
                .SQLITE_READONLY where error.extendedResultCode == .SQLITE_READONLY_DBMOVED:
                return .ledger(path, .changedByAnother)
            default: return .ledger(path, .inaccessible(words))
            }
        default: return .ledger(path, .inaccessible("an error of SQLite that this version does not know"))
        }
    }
}
