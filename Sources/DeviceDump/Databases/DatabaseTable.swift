import Foundation
import GRDB
import GRDBSQLite
import StoreFormats

/// A table of a SQLite file, whose rows are entries.
///
/// A row goes by its primary key where that is one column, else by its rowid; a table that has no rowid goes by the SQL literals
/// of its primary key: `'en',3`. Which of these it is says the schema alone, whatever the rows hold, so that an address means one
/// row. A key that is a text or a number stands as it is; bytes, and a text that would be read as bytes, or as a number where the
/// column may hold both, as the SQL literal. One that is declared to hold bytes, or is sorted as only the app can, is none.
///
/// What a row goes by stands in its address, most of which is never masked. So one whose key is a secret by what its column is called
/// goes by its rowid; where the key is that, or there is none, or only this key is nothing (NULL), no UTF-8, a token by its shape or names itself a secret,
/// as `token:…` does, the row is listed by its place in the order of the table: `‹row 3›`. Who knows the key can name the row by it.
struct DatabaseTable: Sendable {
    /// The most tables that are read of a file.
    static let limit = 2_000

    /// The name.
    let name: String
    /// The columns, without those that are left out.
    let columns: [String]
    /// Those of them that hold nothing, and are computed for each row.
    var computed: Set<Name> = []
    /// The computed ones that are left out, with what they need.
    var leftOut: [(name: String, reason: String)] = []
    /// The names of the columns of the primary key.
    let primaryKey: [String]
    /// What the first column of the primary key is declared to hold, in capitals.
    var keyType = ""
    /// The name under which the rowid can be asked for; `nil` where the table has none.
    let rowid: String?
    /// Whether the primary key is another name of the rowid.
    let isRowidNamed: Bool
    /// Why none of its rows is read; `nil` where they are.
    var problem: String?

    /// The tables of a file in the order in which they were made; views and virtual tables are none.
    static func all(of database: DatabaseSource) throws(DumpError) -> [DatabaseTable] {
        let names = try database.read { db in
            try Reading.rows(
                db,
                """
                SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0
                AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL %'
                ORDER BY rowid LIMIT \(limit + 1)
                """
            ) { try $0.name(at: 0) }
        }
        guard names.count <= limit else { throw DumpError(database.path, .tooManyRows(limit: limit)) }
        let schemaProblem = try database.schemaProblem()
        var tables: [DatabaseTable] = []
        for name in names {
            tables.append(try database.read { db in try table(name, in: db, schemaProblem) })
        }
        return tables
    }

    /// What something in a file that is no table, and so not read, is; `nil` where there is nothing of that name.
    static func unread(_ name: String, of database: DatabaseSource) throws(DumpError) -> String? {
        let found = try database.read { db in
            try Reading.rows(
                db,
                "SELECT type, sql LIKE 'CREATE VIRTUAL %' FROM sqlite_master WHERE name = ? AND type IN ('view', 'table')",
                [name]
            ) { (isView: try $0.name(at: 0) == "view", isVirtual: $0.integer(at: 1) == 1) }
        }
        guard let first = found.first else { return nil }
        if first.isView {
            return "a view: a query of the app's own, which is not run; the tables that it asks are listed"
        }
        return first.isVirtual
            ? "a virtual table, which a module of SQLite makes up, and is not run; where it keeps its rows in tables, these are listed"
            : "a table of SQLite's own"
    }

    /// - Parameter schemaProblem: What SQLite says of the schema, where it has not taken in all of it.
    private static func table(_ name: String, in db: Database, _ schemaProblem: String?) throws -> DatabaseTable {
        var columns = try Reading.rows(
            db, "SELECT name, pk, hidden, upper(type) FROM pragma_table_xinfo(?) ORDER BY cid", [name]
        ) {
            (
                name: try $0.name(at: 0), place: $0.integer(at: 1), isComputed: $0.integer(at: 2) == 2,
                type: $0.literal(at: 3).text
            )
        }
        // Of what SQLite has not taken in of a table it makes NULL.
        let flaw = schemaProblem == nil ? nil : try Self.flaw(of: name, in: db)
        guard !columns.isEmpty else {
            return DatabaseTable(
                name: name, columns: [], primaryKey: [], rowid: nil, isRowidNamed: false,
                problem: DatabaseFile.words(for: flaw ?? schemaProblem))
        }
        let taken = Set(columns.map { $0.name.lowercased() })
        let alias = ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
        let hasOwnIndex =
            try Reading.rows(
                db, "SELECT 1 FROM pragma_index_list(?) WHERE origin = 'pk'", [name]
            ) { _ in true }.isEmpty == false
        let rowid = alias.flatMap { alias in
            // A table without one has no such column.
            (try? db.makeStatement(sql: "SELECT t.\(alias) FROM \(quoted(name)) AS t")).map { _ in alias }
        }
        var leftOut: [(name: String, reason: String)] = []
        for column in columns where column.isComputed {
            do {
                if let flaw { throw DatabaseError(message: flaw) }
                _ = try db.makeStatement(sql: "SELECT t.\(quoted(column.name)) FROM \(quoted(name)) AS t")
            } catch let error as DatabaseError {
                leftOut.append((column.name, DatabaseFile.words(for: error.message)))
            }
        }
        columns.removeAll { column in leftOut.contains { Name($0.name) == Name(column.name) } }
        let primaryKey = columns.filter { $0.place > 0 }.sorted { $0.place < $1.place }.map(\.name)
        return DatabaseTable(
            name: name, columns: columns.map(\.name), computed: Set(columns.filter(\.isComputed).map { Name($0.name) }),
            leftOut: leftOut, primaryKey: primaryKey, keyType: columns.first { $0.place == 1 }?.type ?? "",
            rowid: rowid,
            isRowidNamed: rowid != nil && primaryKey.count == 1 && !hasOwnIndex)
    }

    /// What SQLite says of how a table was made, elsewhere, where nothing is made of it; `nil` where it understands all of it.
    private static func flaw(of name: String, in db: Database) throws -> String? {
        let made = try Reading.rows(
            db, "SELECT sql FROM sqlite_master WHERE name = ? AND type = 'table'", [name]
        ) { $0.literal(at: 0).text }
        let elsewhere = try DatabaseQueue(configuration: DatabaseFile.configuration(.init(), .withJSON))
        do {
            _ = try elsewhere.read { db in try db.makeStatement(sql: made.first ?? "") }
            return nil
        } catch let error as DatabaseError {
            return error.message
        }
    }

    /// A name as SQL has it.
    static func quoted(_ name: String) -> String {
        // By bytes: to Swift a quotation mark with an accent is no quotation mark.
        let mark = UInt8(ascii: "\"")
        let escaped = name.utf8.flatMap { $0 == mark ? [mark, mark] : [$0] }
        return "\"\(String(decoding: escaped, as: UTF8.self))\""
    }

    /// Whether a number and a text that reads as it may both be keys: nothing is declared, or anything where that is strict; where it
    /// is not, SQLite takes ANY for a number.
    var mayMixKeys: Bool { keyType.isEmpty || keyType == "ANY" }

    /// Whether the key is declared to hold bytes, by the words that SQLite looks for (sqlite.org/datatype3.html, 3.1).
    var hasKeyOfBytes: Bool {
        keyType.contains("BLOB") && !["INT", "CHAR", "CLOB", "TEXT"].contains(where: keyType.contains)
    }

    /// The table in a query, where it goes by `t`.
    var source: String { "\(Self.quoted(name)) AS t" }

    /// What the rows are in the order of.
    var order: [String] { rowid.map { ["t.\($0)"] } ?? primaryKey.map { "t.\(Self.quoted($0))" } }
}

/// Reads the columns of rows as SQLite has them: text that is not UTF-8, or has NUL in it, is not cut or mended.
struct Reading {
    private let statement: SQLiteStatement

    /// What `read` makes of each row of a query.
    static func rows<Result>(
        _ db: Database, _ sql: String, _ arguments: StatementArguments = StatementArguments(),
        read: (Reading) throws -> Result
    ) throws -> [Result] {
        var results: [Result] = []
        try forEach(db, sql, arguments) { results.append(try read($0)) }
        return results
    }

    /// Reads each row of a query.
    static func forEach(
        _ db: Database, _ sql: String, _ arguments: StatementArguments = StatementArguments(),
        read: (Reading) throws -> Void
    ) throws {
        try forEach(try db.makeStatement(sql: sql), arguments, read: read)
    }

    /// Reads each row that a query comes to.
    static func forEach(
        _ statement: Statement, _ arguments: StatementArguments, read: (Reading) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        while try rows.next() != nil { try read(Reading(statement: statement.sqliteStatement)) }
    }

    /// A whole number.
    func integer(at column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func isNull(at column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    func isText(at column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_TEXT }

    /// The bytes of a value as text, in UTF-8 whatever encoding the file has, without a copy; none where it is null.
    func withText<Result>(at column: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        let start = sqlite3_column_text(statement, column)
        return try body(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }

    /// The bytes of a blob.
    func data(at column: Int32) -> Data { bytes(at: column, isText: false) }

    /// The bytes of a text, of a blob, or of a number as text.
    private func bytes(at column: Int32, isText: Bool) -> Data {
        // The call that converts comes before the one that counts.
        let start =
            isText ? UnsafeRawPointer(sqlite3_column_text(statement, column)) : sqlite3_column_blob(statement, column)
        return start.map { Data(bytes: $0, count: Int(sqlite3_column_bytes(statement, column))) } ?? Data()
    }

    /// A name of something in the schema.
    ///
    /// - Throws: where it is not UTF-8.
    func name(at column: Int32) throws -> String {
        let bytes = bytes(at: column, isText: true)
        guard let name = String(validating: bytes, as: UTF8.self), !name.utf8.contains(0) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        return name
    }

    /// A value as SQL has it.
    func literal(at column: Int32) -> SQLLiteral {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: .integer(integer(at: column))
        case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT: .text(bytes(at: column, isText: true))
        case SQLITE_BLOB: .blob(bytes(at: column, isText: false))
        default: .null
        }
    }

    /// How many bytes a column has.
    func size(at column: Int32) -> Int { Int(sqlite3_column_bytes(statement, column)) }

    /// A value as it is stored; text that is not UTF-8 is data.
    func value(at column: Int32) -> Value {
        switch literal(at: column) {
        case .null: .null
        case .integer(let number): .integer(Int128(number))
        case .real(let number): .real(number)
        case .text(let bytes): String(validating: bytes, as: UTF8.self).map(Value.string) ?? .data(bytes)
        case .blob(let bytes): .data(bytes)
        }
    }
}
