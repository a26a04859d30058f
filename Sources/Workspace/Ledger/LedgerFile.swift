import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Synchronization

/// The SQLite file that holds the ledgers of a dump's containers.
///
/// - A file that is not there is made by the first entry, not before, with access for its owner only.
/// - An entry with all its rows is one transaction with `synchronous=EXTRA` (`FULL`, and the folder is flushed too), so
///   that it is there as a whole or not at all, whenever the program or the machine stops.
/// - Triggers refuse to change or remove a row.
/// - The first program to open it may write; every other reads.
public final class LedgerFile: Sendable {
    /// Whether entries may be added.
    public enum Access: Hashable, Sendable {
        /// Entries may be added.
        case readWrite
        /// Entries may only be read, and why.
        case readOnly(ReadOnlyReason)
    }

    /// The path of the file.
    public let path: String

    private struct State {
        var lock: LedgerLock?
        var database: DatabaseQueue?
        var access: Access
    }

    private let state: Mutex<State>
    /// Runs before each statement that adds a row; tests let it fail there.
    let willAddRow: (@Sendable () throws -> Void)?

    /// Opens the file, or notes that there is none yet.
    ///
    /// - Throws: ``WorkspaceError/ledger(_:_:)`` where the file is not a ledger, is damaged or is newer; then it is left
    ///   as it is.
    public convenience init(path: String) throws(WorkspaceError) {
        try self.init(path: path, willAddRow: nil)
    }

    init(path: String, willAddRow: (@Sendable () throws -> Void)?) throws(WorkspaceError) {
        self.path = path
        self.willAddRow = willAddRow
        state = Mutex(try Self.open(path))
    }

    /// Whether entries may be added.
    public var access: Access { state.withLock(\.access) }

    /// Whether the file is there.
    public var exists: Bool { state.withLock { $0.database != nil } }

    /// The ledger of one container.
    public func ledger(of container: String) -> SQLiteLedger { SQLiteLedger(file: self, container: container) }

    /// The containers that have entries, in the order of their first one.
    public func containers() throws(WorkspaceError) -> [String] {
        try read([]) { db in
            try LedgerText.fetchAll(db, sql: "SELECT container FROM entry GROUP BY container ORDER BY min(id)").map(
                \.text)
        }
    }

    /// What SQLite finds wrong with the file as a whole; nothing where it is sound.
    public func problems() throws(WorkspaceError) -> [String] {
        try read([]) { db in
            try String.fetchAll(db, sql: "PRAGMA integrity_check(20)").filter { $0 != "ok" }
        }
    }

    /// What a query finds, or a default where there is no file, or none with a schema, yet.
    func read<Result>(
        _ empty: Result, _ query: (Database) throws -> Result
    ) throws(WorkspaceError) -> Result {
        guard let database = state.withLock(\.database) else { return empty }
        do {
            return try database.read { db in try db.tableExists("entry") ? query(db) : empty }
        } catch {
            throw Self.problem(error, at: path)
        }
    }

    /// Makes additions as one transaction, and the file before it where there is none.
    func write(_ additions: (Database) throws -> Void) throws(WorkspaceError) {
        let database: DatabaseQueue
        do {
            database = try state.withLock { state in
                if case .readOnly(let reason) = state.access { throw WorkspaceError.readOnly(reason) }
                if let database = state.database { return database }
                try Self.create(path, &state)
                guard let database = state.database else { throw WorkspaceError.ledger(path, .changedByAnother) }
                return database
            }
            try database.write { db in try additions(db) }
        } catch {
            throw Self.problem(error, at: path)
        }
    }
}

extension LedgerFile {
    private static func open(_ path: String) throws(WorkspaceError) -> State {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .ledger(path, .inaccessible(SystemError(errno).sentence)) }
            return State(access: .readWrite)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .ledger(path, .notALedger("not a file")) }
        try LedgerHeader.check(path)
        var state = State(access: .readWrite)
        switch LedgerLock.take(forLedgerAt: path) {
        case .success(let lock): state.lock = lock
        case .failure(let refusal): state.access = .readOnly(refusal.reason)
        }
        if state.lock != nil, Foundation.access(path, W_OK) != 0 {
            state.access = .readOnly(.notWritable(SystemError(errno).sentence))
            state.lock = nil
        }
        if state.lock != nil { chmod(path, 0o600) }
        state.database = try database(at: path, readOnly: state.lock == nil)
        return state
    }

    /// Makes the file, in folders of its owner's, and takes its lock.
    private static func create(_ path: String, _ state: inout State) throws(WorkspaceError) {
        let folder = Substring(path).lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        do {
            try POSIXFile.makeFolders(folder, mode: 0o700)
        } catch {
            throw .ledger(path, .inaccessible("\(folder): \(error.sentence)"))
        }
        switch LedgerLock.take(forLedgerAt: path) {
        case .success(let lock): state.lock = lock
        case .failure(let refusal): throw .readOnly(refusal.reason)
        }
        do {
            _ = try POSIXFile.create(path, mode: 0o600)
            state.database = try database(at: path, readOnly: false)
        } catch {
            state.lock = nil
            switch error {
            case let error as WorkspaceError: throw error
            case let error as SystemError where error.number == EEXIST: throw .ledger(path, .changedByAnother)
            case let error as SystemError: throw .ledger(path, .inaccessible(error.sentence))
            default: throw problem(error, at: path)
            }
        }
    }

    private static func database(at path: String, readOnly: Bool) throws(WorkspaceError) -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "ledger"
        configuration.readonly = readOnly
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            // Replacing a row removes it without asking the triggers unless this is on.
            try db.execute(sql: "PRAGMA recursive_triggers = ON; PRAGMA cell_size_check = ON")
            if !readOnly { try db.execute(sql: "PRAGMA synchronous = EXTRA") }
        }
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            let migrator = LedgerSchema.migrator
            let applied = try database.read(migrator.appliedIdentifiers)
            if let newer = applied.subtracting(migrator.migrations).max() {
                throw WorkspaceError.ledger(path, .newer(schema: newer))
            }
            if !readOnly { try migrator.migrate(database) }
            return database
        } catch {
            throw problem(error, at: path)
        }
    }

    /// What an error means for the ledger.
    static func problem(_ error: any Error, at path: String) -> WorkspaceError {
        switch error {
        case let error as WorkspaceError: return error
        case let error as DatabaseError:
            let words = error.message ?? error.resultCode.description
            switch error.resultCode {
            case .SQLITE_NOTADB: return .ledger(path, .notALedger("not a SQLite file"))
            // SQLITE_ERROR is a table or a column that is not there.
            case .SQLITE_CORRUPT, .SQLITE_SCHEMA, .SQLITE_MISMATCH, .SQLITE_ERROR: return .ledger(path, .damaged(words))
            case .SQLITE_FULL: return .ledger(path, .full)
            case .SQLITE_CONSTRAINT where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE:
                return .ledger(path, .changedByAnother)
            default: return .ledger(path, .inaccessible(words))
            }
        case is RowDecodingError: return .ledger(path, .damaged("a row has a value of a wrong type"))
        default: return .ledger(path, .inaccessible("\(error)"))
        }
    }
}
