import Foundation
import GRDB
import MigrationEngine
import StoreFormats

/// The ledger of one container, in the file of its dump.
public struct SQLiteLedger: Ledger {
    /// The file.
    public let file: LedgerFile
    /// The container: its path in the dump.
    public let container: String

    /// Every entry of the container, in order.
    ///
    /// - Throws: ``WorkspaceError/ledger(_:_:)`` where the file or a row of it is damaged.
    public func entries() throws(WorkspaceError) -> [LedgerEntry] {
        try file.read([]) { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM entry WHERE container = ? ORDER BY number",
                arguments: [LedgerText(container)])
            return try rows.enumerated().map { index, row in
                let entry = try LedgerRows(file.path).entry(row, in: db)
                guard entry.number == index + 1 else {
                    throw WorkspaceError.ledger(file.path, .damaged("entry \(index + 1) of \(container) is missing"))
                }
                return entry
            }
        }
    }

    /// Adds an entry as one transaction.
    ///
    /// - Throws: ``WorkspaceError``; then nothing was added.
    public mutating func append(_ entry: LedgerEntry) throws(WorkspaceError) {
        // Everything that can fail without the file is done before the transaction.
        let changes = try entry.changes.map { change throws(WorkspaceError) in try LedgerChange(change) }
        let container = container, willAddRow = file.willAddRow
        try file.write { db in
            func add(_ sql: String, _ arguments: StatementArguments) throws {
                try willAddRow?()
                try db.cachedStatement(sql: sql).execute(arguments: arguments)
            }
            let takesBack: Int? = if case .rolledBack(let number) = entry.event { number } else { nil }
            try add(
                """
                INSERT INTO entry (container, number, takes_back, date, author, tool_version, migration, profile, step)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    LedgerText(container), entry.number, takesBack, entry.date.timeIntervalSinceReferenceDate,
                    LedgerText(entry.author), LedgerText(entry.toolVersion), LedgerText(entry.migration),
                    LedgerText(entry.profile), LedgerText(entry.step),
                ])
            let id = db.lastInsertedRowID
            for (position, change) in changes.enumerated() {
                try add(
                    "INSERT INTO change VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [
                        id, position, LedgerText(change.address), change.beforeState, change.beforeImage,
                        change.beforeCause, change.beforeExplanation, change.afterImage, LedgerText(change.rule),
                    ])
                for (role, texts) in [("from", change.from), ("note", change.notes)] {
                    for (index, text) in texts.enumerated() {
                        try add(
                            "INSERT INTO change_text VALUES (?, ?, ?, ?, ?)",
                            [id, position, role, index, LedgerText(text)])
                    }
                }
                for (index, pointer) in change.placeholders.enumerated() {
                    try add(
                        "INSERT INTO placeholder VALUES (?, ?, ?, ?)", [id, position, index, LedgerText(pointer)])
                }
            }
            for name in entry.facts.names {
                guard let fact = entry.facts[name] else { continue }
                try add(
                    "INSERT INTO fact VALUES (?, ?, ?, ?)",
                    [id, LedgerText(name.rawValue), LedgerText(fact.value), LedgerText(fact.source)])
            }
            for (path, digest) in entry.digests.sorted(by: { $0.key < $1.key }) {
                try add("INSERT INTO digest VALUES (?, ?, ?)", [id, LedgerText(path), LedgerText(digest)])
            }
        }
    }
}

/// Text as a ledger keeps it: as text, or as UTF-8 bytes where it has a NUL, at which SQLite's text would end.
struct LedgerText: DatabaseValueConvertible {
    let text: String

    init(_ text: String) { self.text = text }

    var databaseValue: DatabaseValue {
        text.utf8.contains(0) ? Data(text.utf8).databaseValue : text.databaseValue
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> LedgerText? {
        switch value.storage {
        case .string(let text): LedgerText(text)
        case .blob(let data): String(validating: data, as: UTF8.self).map(LedgerText.init)
        default: nil
        }
    }
}
