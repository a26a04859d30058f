import MigrationEngine
import StoreFormats
import Synchronization

/// The SQLite files of a container as stores, a table each; only ever read.
final class ContainerDatabases: Sendable {
    /// What the names of files end with that are listed as stores; any other is one where it is asked for.
    private static let endings = [".sqlite", ".sqlite3", ".sqlitedb", ".db", ".db3", ".storedata"]
    /// How many files of a container are looked into.
    static let limit = 1_000

    private let files: any DumpFiles
    /// Whether the dump is one file, which may have come without what lay beside it.
    private let isAlone: Bool
    private let contents = Mutex<[DumpPath: Result<Contents, Unreadable>]>([:])
    private let rows = Mutex<[StoreID: Result<DatabaseRows, Unreadable>]>([:])

    /// A file with its tables.
    private struct Contents: Sendable {
        /// The file; `nil` where there is none.
        let source: DatabaseSource?
        let tables: [DatabaseTable]
        /// What Core Data says of them, where it has made them.
        var model: CoreDataModel?
    }

    init(of files: any DumpFiles, isAlone: Bool) { (self.files, self.isAlone) = (files, isAlone) }

    /// Whether a file is listed as a database by its name; one without content has no tables.
    static func isNamed(_ item: DumpItem) -> Bool {
        item.kind == .file && item.size > 0 && item.path.isUTF8 && isNamed(item.name)
    }

    private static func isNamed(_ name: String) -> Bool {
        let name = name.lowercased()
        return endings.contains { name.hasSuffix($0) }
    }

    /// The stores of files, of which the container has these, with the store of files and the key of each.
    func stores(of found: [(path: DumpPath, folder: Name, key: Name)]) -> [StoreID] {
        for file in found.dropFirst(Self.limit) {
            let reason = "\(file.path) is not looked into: there are more than \(Self.limit) databases"
            contents.withLock { $0[file.path] = .failure(Unreadable(.overLimit, reason)) }
        }
        return found.flatMap { file -> [StoreID] in
            switch contents(of: file.path) {
            // All of its tables may be in the log that is damaged.
            case .success(let contents) where contents.tables.isEmpty && contents.source?.logDamage != nil:
                [SQLiteTable(nil, of: file.key, in: file.folder).store]
            case .success(let contents):
                contents.tables.map { SQLiteTable(Name($0.name), of: file.key, in: file.folder).store }
            case .failure: [SQLiteTable(nil, of: file.key, in: file.folder).store]
            }
        }
    }

    /// Why a table of a file, or with `nil` the file, cannot be read; `nil` where it can, or is not there.
    func problem(with table: Name?, of path: DumpPath, as store: StoreID) -> Unreadable? {
        if case .failure(let reason) = contents(of: path) { return reason }
        switch rows(of: table, in: path, as: store) {
        case .failure(let reason)?: return reason
        case .success?: return nil
        case nil:
            guard let table else { return logDamage(of: path) }
            return unread(table, of: path)
        }
    }

    /// Why what goes by the name of a table is not read: it is a view, or made up by a module.
    private func unread(_ table: Name, of path: DumpPath) -> Unreadable? {
        guard case .success(let contents) = contents(of: path), let source = contents.source, !contents.tables.isEmpty
        else { return nil }
        do throws(DumpError) {
            return try DatabaseTable.unread(table.text, of: source).map { what in
                Unreadable(.unsupported, "\(table) of \(path) is \(what)")
            }
        } catch {
            return Unreadable(error, ofDatabase: path.text)
        }
    }

    /// The tables of a file, found on first use; none where there is no such file.
    private func contents(of path: DumpPath) -> Result<Contents, Unreadable> {
        if let known = contents.withLock({ $0[path] }) { return known }
        let found: Result<Contents, Unreadable>, source = DatabaseSource(path, in: files, isAlone: isAlone)
        do throws(DumpError) {
            let tables = try DatabaseTable.all(of: source)
            found = .success(Contents(source: source, tables: tables, model: try CoreDataModel(of: source, tables)))
        } catch {
            switch error.problem {
            case .notFound:
                found =
                    files.doubt(aboutMissing: path).map(Result.failure)
                    ?? .success(Contents(source: nil, tables: []))
            // Who stopped it may ask again.
            case .cancelled: return .failure(Unreadable(error, ofDatabase: path.text))
            default: found = .failure(Unreadable(error, ofDatabase: path.text))
            }
        }
        contents.withLock { $0[path] = found }
        return found
    }

    /// Why tables of a file may be missing: the log beside it is damaged, or did not come with it.
    func logDamage(of path: DumpPath) -> Unreadable? {
        if case .success(let contents) = contents(of: path) { contents.source?.logDamage } else { nil }
    }

    /// Whether a file that is listed as a database has tables that are read.
    func hasTables(_ path: DumpPath) -> Bool {
        guard Self.isNamed(path.name), case .success(let contents) = contents(of: path) else { return false }
        return !contents.tables.isEmpty
    }

    /// What a table, or a row of it, is to the program that made the file, and how it is shown where that is another way than
    /// is usual.
    func annotation(of table: Name, row: Name?, in path: DumpPath, as store: StoreID) -> String? {
        guard case .success(let contents) = contents(of: path),
            case .success(let rows)? = rows(of: table, in: path, as: store)
        else { return nil }
        let words = contents.model.flatMap { model in
            row.map { rows.state(of: $0).value.flatMap(model.words(forRow:)) } ?? model.words(for: table.text)
        }
        let log = row == nil && contents.source?.lacksLog == true ? "in WAL mode, and without a -wal beside it" : nil
        let parts = [words, rows.omissions(of: row), row == nil ? rows.rowidNote : nil, log].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// That a row of a table, or with `nil` its rows, are shown without some of what is computed for them, and why.
    ///
    /// - Parameter isAlone: Whether that is not said of a row which is said of all of them.
    func omissions(
        of table: Name?, row: Name? = nil, isAlone: Bool = false, in path: DumpPath, as store: StoreID
    ) -> String? {
        guard let table, case .success(let rows)? = rows(of: table, in: path, as: store) else { return nil }
        return rows.omissions(of: row, isAlone: isAlone)
    }

    /// The rows of a table; `nil` where there is none.
    func rows(of table: Name?, in path: DumpPath, as store: StoreID) -> Result<DatabaseRows, Unreadable>? {
        if let known = rows.withLock({ $0[store] }) { return known }
        guard let table, case .success(let contents) = contents(of: path), let source = contents.source
        else { return nil }
        guard let schema = contents.tables.first(where: { Name($0.name) == table }) else {
            // That there is none can be said only of the bytes that were stored.
            do throws(DumpError) { try source.verify() } catch {
                return .failure(Unreadable(error, ofDatabase: path.text))
            }
            return nil
        }
        let found: Result<DatabaseRows, Unreadable>
        if schema.order.isEmpty {
            let reason =
                schema.problem.map { "the table \(table) of \(path) is not read: \($0)" }
                ?? "the table \(table) of \(path) has no primary key, and its columns take all names of the rowid (rowid, oid, "
                + "_rowid_), so that SQLite tells none of its rows from another"
            rows.withLock { $0[store] = .failure(Unreadable(.unsupported, reason)) }
            return .failure(Unreadable(.unsupported, reason))
        }
        do throws(DumpError) {
            found = .success(try DatabaseRows(of: schema, in: source))
        } catch {
            found = .failure(Unreadable(error, ofDatabase: "the table \(table) of \(path)"))
            if error.problem == .cancelled { return found }
        }
        rows.withLock { $0[store] = found }
        return found
    }
}

extension Unreadable {
    /// The reason that an error in a database, or a part of one, is.
    init(_ error: DumpError, ofDatabase what: String) {
        switch error.problem {
        case .brokenDatabase(DatabaseFile.isNone):
            self.init(.corrupt, "\(what): \(DatabaseFile.isNone), or it is encrypted")
        case .brokenDatabase(let reason): self.init(.corrupt, "\(what): \(reason)")
        case .unreadDatabase(let reason): self.init(.unsupported, "\(what) is not read: \(reason)")
        case .tooManyRows(let limit): self.init(.overLimit, "\(what) has more than the \(limit) tables that are read")
        default: self.init(error)
        }
    }
}
