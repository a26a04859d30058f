import GRDB
import MigrationEngine
import Synchronization

/// A SQLite file of a dump that is opened when it is asked, and need not stay open.
final class DatabaseSource: Sendable {
    /// The largest file that is copied so that it can be read, with what is beside it, in bytes.
    static let copyLimit = 2 << 30

    /// The file.
    let path: DumpPath
    private let files: any DumpFiles
    private let isAlone: Bool

    /// Takes a file.
    ///
    /// - Parameter isAlone: Whether it may have come without what lay beside it.
    init(_ path: DumpPath, in files: any DumpFiles, isAlone: Bool) {
        (self.path, self.files, self.isAlone) = (path, files, isAlone)
    }

    /// Runs a query.
    func read<Result>(_ query: (Database) throws -> Result) throws(DumpError) -> Result {
        try Self.open.database(of: self).read(query)
    }

    /// Makes sure that what is read is what was stored, where only a look at all of the file shows that.
    func verify() throws(DumpError) { try Self.open.database(of: self).verify() }

    /// Whether the file is to have a log, and none lies beside it: what was written last may have been in that.
    var lacksLog: Bool { (try? Self.open.database(of: self).lacksLog) ?? false }

    /// Why rows may be missing: the log beside the file is damaged, or did not come with it, or the file cannot be opened any more.
    var logDamage: Unreadable? {
        do throws(DumpError) {
            let database = try Self.open.database(of: self)
            if isAlone, database.lacksLog {
                return Unreadable(
                    .missing,
                    "\(path) is in WAL mode, and \(path)-wal did not come with it: what was written last may be missing, or "
                        + "older here")
            }
            return database.logDamage.map { Unreadable($0, ofDatabase: path.text) }
        } catch {
            return Unreadable(error, ofDatabase: path.text)
        }
    }

    /// What SQLite says of a schema of which it has taken in a part; `nil` where it has all of it.
    func schemaProblem() throws(DumpError) -> String? { try Self.open.database(of: self).schemaProblem }

    /// What queries come to that compute what the file's schema says of one row; see ``DatabaseFile/compute(_:_:)``.
    func compute<Query, Result>(
        _ queries: [Query], _ run: (Database, Query) throws -> (result: Result, size: Int)
    ) throws(DumpError) -> [Swift.Result<Result, DumpError>] {
        try Self.open.database(of: self).compute(queries, run)
    }

    fileprivate func opened() throws(DumpError) -> DatabaseFile {
        try DatabaseFile(path, in: files, copyLimit: Self.copyLimit, passingOver: true, verifying: false, .current)
    }

    private static let open = OpenDatabases()
}

/// The last few databases that were asked: each takes a descriptor, and maybe a copy on the disk.
private final class OpenDatabases: Sendable {
    private static let limit = 8

    private struct Open: Sendable {
        weak var source: DatabaseSource?
        let database: DatabaseFile
    }

    private let all = Mutex<[Open]>([])

    func database(of source: DatabaseSource) throws(DumpError) -> DatabaseFile {
        let known = all.withLock { all -> DatabaseFile? in
            guard let index = all.firstIndex(where: { $0.source === source }) else { return nil }
            all.append(all.remove(at: index))
            return all.last?.database
        }
        if let known { return known }
        let database = try source.opened()
        all.withLock { all in
            all.removeAll { $0.source == nil }
            if all.count >= Self.limit { all.removeFirst() }
            all.append(Open(source: source, database: database))
        }
        return database
    }
}
