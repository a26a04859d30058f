import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Synchronization

/// The rows of a table as entries: how many there are, what they go by, and each as a dictionary of its columns.
///
/// Counting them looks at every row once; after it a part of their keys is read at a time.
final class DatabaseRows: KeyList, Sendable {
    private static let page = 512
    /// How many parts are kept.
    private static let pagesKept = 64

    /// What keys are made of.
    private enum Form {
        /// A whole number: this column, or the rowid.
        case integer(String)
        /// Text or an expression that makes it.
        case text(String)

        var expression: String {
            switch self {
            case .integer(let expression), .text(let expression): expression
            }
        }
    }

    /// How many rows there are.
    let count: Int
    private let table: DatabaseTable
    private let form: Form
    private let database: DatabaseSource
    private let parts = Mutex<(keys: [Int: [Name]], lastRowids: [Int: Int64])>(([:], [:]))

    /// Counts the rows and finds what they go by.
    init(of table: DatabaseTable, in database: DatabaseSource) throws(DumpError) {
        let column = table.primaryKey.count == 1 ? "t.\(DatabaseTable.quoted(table.primaryKey[0]))" : nil
        let kind = "typeof(\(column ?? table.order.first ?? "NULL"))"
        // Every row is looked at, so that a damaged one shows here and not halfway through.
        let counted = "count(*), total(\(kind) = 'integer'), total(\(kind) = 'text')"
        let sql = "SELECT \(counted) FROM \(table.source) NOT INDEXED"
        let found: [(all: Int64, integers: Int64, texts: Int64)] = try database.read { db in
            try Reading.rows(db, sql) { ($0.integer(at: 0), $0.integer(at: 1), $0.integer(at: 2)) }
        }
        let counts = found.first ?? (0, 0, 0)
        count = Int(counts.all)
        self.table = table
        self.database = database
        if let column, !table.isRowidNamed, counts.all > 0, counts.integers == counts.all {
            form = .integer(column)
        } else if let column, !table.isRowidNamed, counts.all > 0, counts.texts == counts.all {
            form = .text(column)
        } else if let rowid = table.rowid {
            form = .integer("t.\(rowid)")
        } else {
            form = .text(table.order.map { "quote(\($0))" }.joined(separator: " || ',' || "))
        }
    }

    func key(at position: Int) -> Name {
        let page = position / Self.page, keys = keys(of: page), index = position - page * Self.page
        // What cannot be read has no name; state(of:) says why.
        return keys.indices.contains(index) ? keys[index] : "\u{FFFD}"
    }

    private func keys(of page: Int) -> [Name] {
        if let known = parts.withLock({ $0.keys[page] }) { return known }
        let found = (try? database.read { db in try read(page, db) }) ?? []
        parts.withLock { parts in
            if parts.keys.count >= Self.pagesKept { parts.keys.removeAll() }
            parts.keys[page] = found.map(\.key)
            if table.rowid != nil, let last = found.last?.rowid { parts.lastRowids[page] = last }
        }
        return found.map(\.key)
    }

    private func read(_ page: Int, _ db: Database) throws -> [(key: Name, rowid: Int64)] {
        let order = table.order.joined(separator: ", ")
        guard let rowid = table.rowid else {
            return try Reading.rows(
                db, "SELECT \(form.expression) FROM \(table.source) ORDER BY \(order) LIMIT ? OFFSET ?",
                [Self.page, page * Self.page]
            ) { ($0.key(at: 0), 0) }
        }
        // From the end of the nearest part before it that is known, so that reading on costs no more the further it gets.
        let known = parts.withLock { parts in
            stride(from: page - 1, through: max(0, page - 64), by: -1).lazy
                .compactMap { place in parts.lastRowids[place].map { (place: place, rowid: $0) } }.first
        }
        return try Reading.rows(
            db,
            """
            SELECT \(form.expression), t.\(rowid) FROM \(table.source) WHERE t.\(rowid) \(known == nil ? ">=" : ">") ?
            ORDER BY t.\(rowid) LIMIT ? OFFSET ?
            """,
            [known?.rowid ?? Int64.min, Self.page, (page - (known.map { $0.place + 1 } ?? 0)) * Self.page]
        ) { ($0.key(at: 0), $0.integer(at: 1)) }
    }

    /// The condition that a row has a key; `nil` where no row can have it.
    private func condition(_ key: Name) -> (sql: String, arguments: StatementArguments)? {
        switch form {
        case .integer(let expression):
            guard let number = Int64(key.text), Name("\(number)") == key else { return nil }
            return ("\(expression) = ?", [number])
        case .text(let expression): return ("\(expression) COLLATE BINARY = ?", [key.text])
        }
    }

    func position(of key: Name) -> Int? {
        guard let condition = condition(key), case .present = state(of: key) else { return nil }
        let order = table.order.joined(separator: ", ")
        let before = try? database.read { db in
            try Reading.rows(
                db,
                """
                SELECT count(*) FROM \(table.source)
                WHERE (\(order)) < (SELECT \(order) FROM \(table.source) WHERE \(condition.sql) LIMIT 1)
                """, condition.arguments
            ) { Int($0.integer(at: 0)) }
        }
        return before?.first
    }

    /// The row under a key, as a dictionary of its columns in their order.
    func state(of key: Name) -> EntryState {
        // It may stand for a key that is not UTF-8, or for a row that could not be listed.
        let isInexact = key.text.unicodeScalars.contains { $0 == "\u{FFFD}" || $0 == "\0" }
        let inexact = Unreadable(.unsupported, "\(table.name) in \(database.path) has a key that is not readable text")
        let absent = isInexact ? EntryState.unreadable(inexact) : .absent
        guard let condition = condition(key) else { return absent }
        do throws(DumpError) {
            let columns = table.columns.map { "t.\(DatabaseTable.quoted($0))" }.joined(separator: ", ")
            let found = try database.read { db in
                try Reading.rows(
                    db, "SELECT \(form.expression), \(columns) FROM \(table.source) WHERE \(condition.sql) LIMIT 1",
                    condition.arguments
                ) { row in row.key(at: 0) == key ? try value(row) : nil }
            }
            return found.first.flatMap(\.self).map(EntryState.present) ?? absent
        } catch {
            return .unreadable(Unreadable(error, ofDatabase: "a row of \(table.name) in \(database.path)"))
        }
    }

    private func value(_ row: Reading) throws -> Value {
        let places = table.columns.indices.map { Int32($0 + 1) }
        var size = 0
        for place in places { size += row.size(at: place) }
        guard size <= ContainerContents.fileLimit else {
            throw DumpError(
                "\(database.path) (a row of \(table.name))", .overLimit(bytes: size, limit: ContainerContents.fileLimit)
            )
        }
        return .dictionary(zip(table.columns, places).map { (Name($0), row.value(at: $1)) })
    }
}
