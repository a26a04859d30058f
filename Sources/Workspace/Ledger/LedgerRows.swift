import Foundation
import GRDB
import MigrationEngine
import StoreFormats

/// A change as a ledger keeps it.
struct LedgerChange {
    let address: String
    let beforeState: String
    let beforeImage: Data?
    let beforeCause: String?
    let beforeExplanation: LedgerText?
    let afterImage: Data?
    let from: [String]
    let rule: String
    let notes: [String]
    let placeholders: [String]

    /// Writes the images; refuses a value that does not read back as exactly what it was.
    init(_ change: Change) throws(WorkspaceError) {
        address = change.address.description
        afterImage = try change.after.map { value throws(WorkspaceError) in
            try Self.image(of: value, at: change.address)
        }
        from = change.from.map(\.description)
        rule = change.rule
        notes = change.notes
        placeholders = change.placeholders.map(\.description)
        switch change.before {
        case .absent: (beforeState, beforeImage, beforeCause, beforeExplanation) = ("absent", nil, nil, nil)
        case .present(let value):
            beforeImage = try Self.image(of: value, at: change.address)
            (beforeState, beforeCause, beforeExplanation) = ("present", nil, nil)
        case .unreadable(let reason):
            (beforeState, beforeImage, beforeCause) = ("unreadable", nil, reason.cause.rawValue)
            beforeExplanation = LedgerText(reason.explanation)
        }
    }

    private static func image(of value: Value, at address: Address) throws(WorkspaceError) -> Data {
        do {
            let data = try BinaryPropertyList.write(value)
            if try BinaryPropertyList(data).value() == value { return data }
        } catch {
            throw .unstorable(address, reason: "\(error.problem)")
        }
        throw .unstorable(address, reason: "it reads back as another value")
    }
}

/// Reads the rows of a ledger, whose file may be damaged.
struct LedgerRows {
    let path: String

    init(_ path: String) { self.path = path }

    /// The entry that a row of the table `entry` is.
    func entry(_ row: Row, in db: Database) throws -> LedgerEntry {
        let id: Int64 = try field("id", of: row)
        let number: Int = try field("number", of: row)
        let takesBack: Int? = try optionalField("takes_back", of: row)
        let stamp = LedgerEntry.Stamp(
            date: Date(timeIntervalSinceReferenceDate: try field("date", of: row)),
            author: try text("author", of: row), toolVersion: try text("tool_version", of: row))
        let changes = try Row.fetchAll(
            db, sql: "SELECT * FROM change WHERE entry = ? ORDER BY position", arguments: [id])
        var facts = Facts()
        for row in try Row.fetchAll(db, sql: "SELECT * FROM fact WHERE entry = ?", arguments: [id]) {
            facts[FactName(rawValue: try text("name", of: row))] = Fact(
                try text("value", of: row), from: try text("source", of: row))
        }
        var digests: [String: String] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT * FROM digest WHERE entry = ?", arguments: [id]) {
            digests[try text("path", of: row)] = try text("digest", of: row)
        }
        return LedgerEntry(
            number: number, event: takesBack.map(LedgerEntry.Event.rolledBack) ?? .applied, stamp: stamp,
            migration: try text("migration", of: row), profile: try text("profile", of: row),
            step: try text("step", of: row), changes: try changes.map { try change($0, in: db) }, facts: facts,
            digests: digests)
    }

    private func change(_ row: Row, in db: Database) throws -> Change {
        let entry: Int64 = try field("entry", of: row)
        let position: Int = try field("position", of: row)
        let before: EntryState
        switch try field("before_state", of: row) as String {
        case "absent": before = .absent
        case "present": before = .present(try image(try field("before_image", of: row)))
        case "unreadable":
            guard let cause = Unreadable.Cause(rawValue: try field("before_cause", of: row)) else {
                throw damaged("an unknown cause in entry \(entry)")
            }
            before = .unreadable(Unreadable(cause, try text("before_explanation", of: row)))
        default: throw damaged("an unknown state in entry \(entry)")
        }
        let after: Data? = try optionalField("after_image", of: row)
        let texts = try Row.fetchAll(
            db, sql: "SELECT role, text FROM change_text WHERE entry = ? AND change = ? ORDER BY position",
            arguments: [entry, position])
        func all(_ role: String) throws -> [String] {
            try texts.filter { try text("role", of: $0) == role }.map { try text("text", of: $0) }
        }
        return Change(
            address: try address(try text("address", of: row)), before: before, after: try after.map(image),
            from: try all("from").map(address), rule: try text("rule", of: row), notes: try all("note"),
            placeholders: try placeholders(entry, position, in: db))
    }

    private func placeholders(_ entry: Int64, _ change: Int, in db: Database) throws -> [JSONPointer] {
        // A ledger of an older program that may only be read has no such table.
        guard try db.tableExists("placeholder") else { return [] }
        let rows = try Row.fetchAll(
            db, sql: "SELECT pointer FROM placeholder WHERE entry = ? AND change = ? ORDER BY position",
            arguments: [entry, change])
        return try rows.map { row in
            let pointer = try text("pointer", of: row)
            guard let pointer = JSONPointer(parsing: pointer) else {
                throw damaged("“\(pointer)” is not a JSON Pointer")
            }
            return pointer
        }
    }

    private func address(_ text: String) throws -> Address {
        do {
            return try Address(parsing: text)
        } catch {
            throw damaged("\(error)")
        }
    }

    private func image(_ data: Data) throws -> Value {
        do {
            return try BinaryPropertyList(data).value()
        } catch {
            throw damaged("an image is \(error)")
        }
    }

    private func text(_ column: String, of row: Row) throws -> String {
        (try field(column, of: row) as LedgerText).text
    }

    private func field<Field: DatabaseValueConvertible>(_ column: String, of row: Row) throws -> Field {
        guard let field: Field = try optionalField(column, of: row) else { throw damaged("\(column) is missing") }
        return field
    }

    private func optionalField<Field: DatabaseValueConvertible>(_ column: String, of row: Row) throws -> Field? {
        // GRDB stops the program over a column that is not there.
        guard row.hasColumn(column) else { throw damaged("there is no column \(column)") }
        let value: DatabaseValue = row[column]
        if value.isNull { return nil }
        guard let field = Field.fromDatabaseValue(value) else { throw damaged("\(column) has a wrong type") }
        return field
    }

    private func damaged(_ what: String) -> WorkspaceError { .ledger(path, .damaged(what)) }
}
