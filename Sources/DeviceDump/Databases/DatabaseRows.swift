import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Synchronization

/// The rows of a table as entries: what they go by, and each as a dictionary of its columns.
///
/// No row but one is looked at before something is asked for, and then a part of the rows at a time, so that a table of millions opens at once. Counting them is a look at every page of the file that they lie on.
final class DatabaseRows: KeyList, Sendable {
    private static let page = 512
    /// How many parts are kept.
    private static let pagesKept = 64

    /// What a row goes by.
    private enum Form {
        /// The rowid, under a name that it can be asked for.
        case rowid
        /// The column of the primary key.
        case column(String)
        /// The SQL literals of the primary key.
        case literals
    }

    private let table: DatabaseTable
    private let form: Form
    /// Why the rows go by their rowid and not by the primary key: in words.
    private let keyNote: String?
    /// Whether what each row goes by is a secret by what its column is called.
    private let hidesKeys: Bool
    private let database: DatabaseSource
    private let known = Mutex(Known())

    private struct Known {
        /// Keys, by the number of their part.
        var keys: [Int: [Name]] = [:]
        /// Where parts end, from where the next is read.
        var ends: [Int: [SQLLiteral]] = [:]
        var count: Int?
        /// Why rows cannot be listed.
        var problem: Unreadable?
        /// Whether that is only that it was stopped: whoever asks is told once, and may ask again.
        var wasStopped = false
        /// Whether the indices are what the table holds; `nil` where nobody has looked.
        var areIndicesSound: Bool?
    }

    /// Finds what the rows go by.
    init(of table: DatabaseTable, in database: DatabaseSource) throws(DumpError) {
        self.table = table
        self.database = database
        try database.verify()
        let isSecret = table.primaryKey.contains { SecretWords.isSecret(column: $0, ofTable: table.name) }
        hidesKeys = isSecret && (table.rowid == nil || table.isRowidNamed)
        (form, keyNote) = try database.read { db in
            // Asked first, as it says by its name what is lacking of the order that a table is stored in.
            _ = try db.makeStatement(sql: "SELECT count(*) FROM \(table.source) NOT INDEXED")
            // A file in which not even that is found has no rows that could be told from none.
            _ = try Reading.rows(db, "SELECT 1 FROM \(table.source) NOT INDEXED LIMIT 1") { _ in true }
            let other: Form = table.rowid == nil ? .literals : .rowid
            let isNumbered = table.rowid != nil, count = table.primaryKey.count
            guard let key = table.primaryKey.first, count == 1, !table.isRowidNamed else {
                return (other, isNumbered && count > 1 ? "its key has \(count) columns" : nil)
            }
            let column = "t.\(DatabaseTable.quoted(key))"
            if isNumbered, isSecret { return (other, "what its key \(key) is called says that it is secret") }
            if table.hasKeyOfBytes { return (other, isNumbered ? "its key \(key) holds bytes" : nil) }
            do {
                _ = try db.makeStatement(sql: "SELECT 1 FROM \(table.source) ORDER BY \(column)")
                return (.column(column), nil)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                return (other, isNumbered ? "its key \(key) is sorted in a way that only its app knows" : nil)
            }
        }
    }

    // MARK: Which there are

    /// How many rows there are; of a table that is damaged, how many come before that.
    var count: Int {
        if let count = known.withLock(\.count) { return count }
        var count: Int
        do throws(DumpError) {
            count = try database.read { db in
                // Without an index, so that each page that rows lie on is looked at, and one that is damaged is found.
                try Reading.rows(db, "SELECT count(*) FROM \(table.source) NOT INDEXED") { Int($0.integer(at: 0)) }
                    .first ?? 0
            }
        } catch {
            note(error)
            count = 0
            while true {
                let part = keys(of: count / Self.page).count
                count += part
                if part < Self.page { break }
            }
            // Whoever stopped it may ask again.
            if error.problem == .cancelled { return count }
        }
        known.withLock { $0.count = count }
        return count
    }

    /// How many rows there are, up to a number; of more, no more are looked at.
    func count(upTo limit: Int) -> Int {
        if let count = known.withLock(\.count) { return min(count, limit) }
        let found = try? database.read { db in
            // Without an index, as above.
            try Reading.rows(db, "SELECT count(*) FROM (SELECT 1 FROM \(table.source) NOT INDEXED LIMIT ?)", [limit]) {
                Int($0.integer(at: 0))
            }
        }
        guard let found = found?.first else { return min(count, limit) }
        if found < limit { known.withLock { $0.count = found } }
        return found
    }

    /// Why rows cannot be listed; none is told from another by its key.
    func problem(under prefix: Name) -> Unreadable? {
        _ = count
        return known.withLock { known in
            defer { if known.wasStopped { (known.problem, known.wasStopped) = (nil, false) } }
            return known.problem
        } ?? database.logDamage
    }

    private func note(_ error: DumpError) {
        known.withLock { known in
            known.wasStopped = error.problem == .cancelled && (known.problem == nil || known.wasStopped)
            known.problem =
                known.problem ?? Unreadable(error, ofDatabase: "the table \(table.name) of \(database.path)")
        }
    }

    func key(at position: Int) -> Name {
        let page = position / Self.page, keys = keys(of: page), index = position - page * Self.page
        // What cannot be read has no name; state(of:) says why.
        return keys.indices.contains(index) ? keys[index] : "\u{FFFD}"
    }

    private func keys(of page: Int) -> [Name] {
        if let known = known.withLock({ $0.keys[page] }) { return known }
        var found: [Found] = []
        do throws(DumpError) {
            try database.read { db in try read(page, db) { found.append($0) } }
        } catch {
            note(error)
            if error.problem == .cancelled { return names(of: found, in: page) }
        }
        let names = names(of: found, in: page)
        known.withLock { known in
            if known.keys.count >= Self.pagesKept { known.keys.removeAll() }
            known.keys[page] = names
            if found.count == Self.page { known.ends[page] = found.last?.place }
        }
        return names
    }

    /// What the rows of a part are listed as.
    private func names(of found: [Found], in page: Int) -> [Name] {
        found.indices.map { index in
            guard let key = found[index].key, !hides(key) else { return Self.name(ofRow: page * Self.page + index) }
            return key
        }
    }

    /// Whether a key is none, or a secret, by what its column is called, by its own shape or by a name in it.
    private func hides(_ key: Name?) -> Bool {
        guard !hidesKeys, let key else { return true }
        guard case .rowid = form else { return SecretTokens.isOne(in: key.utf8) || SecretWords.isNamed(in: key.text) }
        return false
    }

    /// What a row is listed as whose key is a secret, or nothing: the number of its place in the order of the table.
    private static func name(ofRow position: Int) -> Name { Name("‹row \(position + 1)›") }

    /// The place of a row that is listed so.
    private static func position(ofRow name: Name) -> Int? {
        let number = name.text.dropFirst(5).dropLast()
        guard let number = Int(number), number > 0, Self.name(ofRow: number - 1) == name else { return nil }
        return number - 1
    }

    /// The key of a row, where it has one, and its place in the order of the table.
    private typealias Found = (key: Name?, place: [SQLLiteral])

    /// The rows of a part, from the end of the nearest part before it that is known, or from the end of the table where that
    /// is nearer: reading on costs no more the further it gets.
    private func read(_ page: Int, _ db: Database, _ add: (Found) -> Void) throws {
        let (before, count) = known.withLock { known in
            let before = stride(from: page - 1, through: 0, by: -1).lazy
                .compactMap { place in known.ends[place].map { (page: place + 1, end: $0) } }.first
            return (before, known.count)
        }
        let distance = (page - (before?.page ?? 0)) * Self.page
        guard let count, count - page * Self.page < distance else {
            return try rows(from: before?.end, isBackward: false, Self.page, skipping: distance, db, add)
        }
        let end = min(count, (page + 1) * Self.page)
        var found: [Found] = []
        try rows(from: nil, isBackward: true, end - page * Self.page, skipping: count - end, db) { found.append($0) }
        found.reversed().forEach(add)
    }

    private func rows(
        from end: [SQLLiteral]?, isBackward: Bool, _ number: Int, skipping skipped: Int, _ db: Database,
        _ add: (Found) -> Void
    ) throws {
        let places = names.count..<names.count + table.order.count
        try Reading.forEach(
            db,
            "SELECT \((names + table.order).joined(separator: ", ")) FROM \(table.source)"
                + clauses(from: end, isBackward: isBackward) + " LIMIT ? OFFSET ?",
            arguments(end ?? []) + [number, skipped]
        ) { row in
            add((key(in: row, at: 0), places.map { row.literal(at: Int32($0)) }))
        }
    }

    /// Which rows come after a place, in the order of the table.
    private func clauses(from end: [SQLLiteral]?, isBackward: Bool) -> String {
        let order = table.order.map { $0 + (isBackward ? " DESC" : "") }.joined(separator: ", ")
        let places = (end ?? []).map(\.sql).joined(separator: ", ")
        let condition = end == nil ? "" : " WHERE (\(table.order.joined(separator: ", "))) > (\(places))"
        return "\(condition) ORDER BY \(order)"
    }

    private func arguments(_ literals: [SQLLiteral]) -> StatementArguments { StatementArguments(literals.map(\.value)) }

    // MARK: What they go by

    /// The columns that a key is made of.
    private var names: [String] {
        switch form {
        case .rowid: [table.rowid.map { "t.\($0)" } ?? "NULL"]
        case .column(let column): [column]
        case .literals: table.primaryKey.map { "t.\(DatabaseTable.quoted($0))" }
        }
    }

    private func key(in row: Reading, at start: Int32) -> Name? {
        switch form {
        case .rowid: return Name(row.literal(at: start).text)
        case .column:
            let literal = row.literal(at: start)
            return switch literal {
            // Several rows may have it, or look as if they had.
            case .null: nil
            case _ where !literal.isReadable: nil
            case .text where readsOtherwise(literal.text): Name(literal.description)
            default: Name(literal.text)
            }
        case .literals:
            let literals = table.primaryKey.indices.map { row.literal(at: start + Int32($0)) }
            return literals.allSatisfy(\.isReadable) ? Name(literals.map(\.description).joined(separator: ",")) : nil
        }
    }

    /// Whether a text in the column of the key would be read as something else that may stand there.
    ///
    /// What is declared to be a text, or a number, is stored as that wherever it can be.
    private func readsOtherwise(_ text: String) -> Bool {
        Self.isLiteral(text) || table.mayMixKeys && SQLLiteral(number: text) != nil
    }

    private static func isLiteral(_ text: String) -> Bool { ["'", "X'"].contains(where: text.hasPrefix) }

    /// The values of the columns that make up a key, for an index to find; `nil` where no row can have it.
    private func literals(of key: Name) -> [SQLLiteral]? {
        switch form {
        case .rowid:
            guard let number = Int64(key.text), Name("\(number)") == key else { return nil }
            return [.integer(number)]
        case .column:
            guard Self.isLiteral(key.text) else { return [SQLLiteral(number: key.text) ?? .text(Data(key.utf8))] }
            let literals = SQLLiteral.list(key.text)
            return literals?.count == 1 ? literals : nil
        case .literals:
            let literals = SQLLiteral.list(key.text)
            return literals?.count == table.primaryKey.count ? literals : nil
        }
    }

    /// The first row that has a key, with some columns of it behind those that the key is made of.
    private func row<Result>(
        of key: Name, _ columns: [String], read: (Reading) throws -> Result
    ) throws(DumpError) -> Result? {
        try database.read { db in try row(of: key, columns, in: db, read: read) }
    }

    private func row<Result>(
        of key: Name, _ columns: [String], in db: Database, read: (Reading) throws -> Result
    ) throws -> Result? {
        let selection = "SELECT \((names + columns).joined(separator: ", ")) FROM \(table.source) "
        if let position = Self.position(ofRow: key) {
            let sql = selection + "ORDER BY \(table.order.joined(separator: ", ")) LIMIT 1 OFFSET ?"
            let found = try Reading.rows(db, sql, [position]) { row in
                hides(self.key(in: row, at: 0)) ? try read(row) : nil
            }
            if let row = found.first ?? nil { return row }
        }
        guard let literals = literals(of: key) else { return nil }
        // In a column of texts a number is one; each is looked for as what it may be.
        let candidates = names.count == 1 ? [literals, [.text(Data(key.utf8))]] : [literals]
        for values in candidates {
            let condition = "(\(names.joined(separator: ", "))) = (\(values.map(\.sql).joined(separator: ", ")))"
            func found(_ clauses: String) throws -> Result? {
                try Reading.rows(db, selection + clauses, arguments(values)) { row in
                    self.key(in: row, at: 0) == key ? try read(row) : nil
                }.compactMap(\.self).first
            }
            guard let rowid = indexedRowid else {
                if let row = try found("WHERE " + condition) { return row }
                continue
            }
            // An index that was torn leads to another row, or to none: what the table holds counts.
            let indexed = "SELECT \(rowid) FROM \(table.source) WHERE \(condition)"
            if let row = try found("WHERE \(rowid) IN (\(indexed))") { return row }
            if try !areIndicesSound(db), let row = try found("NOT INDEXED WHERE " + condition) { return row }
        }
        return nil
    }

    /// The rowid, where an index apart from the table leads from what a row goes by to it.
    private var indexedRowid: String? {
        if case .rowid = form { return nil }
        return table.rowid.map { "t.\($0)" }
    }

    /// Whether what an index does not have is not in the table either; looked at once.
    private func areIndicesSound(_ db: Database) throws -> Bool {
        if let known = known.withLock(\.areIndicesSound) { return known }
        let said = try Reading.rows(db, "PRAGMA integrity_check(\(DatabaseTable.quoted(table.name)))") { row in
            try row.name(at: 0)
        }
        known.withLock { $0.areIndicesSound = said == ["ok"] }
        return said == ["ok"]
    }

    func positions(of key: Name) -> [Int] { [position(of: key)].compactMap(\.self) }

    func position(of key: Name) -> Int? {
        let near = known.withLock { known in
            known.keys.lazy.compactMap { page, keys in keys.firstIndex(of: key).map { page * Self.page + $0 } }.first
        }
        if let near { return near }
        let places = names.count
        let place = try? row(of: key, table.order) { row in
            table.order.indices.map { row.literal(at: Int32(places + $0)) }
        }
        guard let place else { return nil }
        let before = try? database.read { db in
            let values = place.map(\.sql).joined(separator: ", ")
            return try Reading.rows(
                db,
                "SELECT count(*) FROM \(table.source) WHERE (\(table.order.joined(separator: ", "))) < (\(values))",
                arguments(place)
            ) { Int($0.integer(at: 0)) }
        }
        return before?.first
    }

    // MARK: What they hold

    /// The row under a key, as a dictionary of its columns in their order; without those that cannot be computed.
    func state(of key: Name) -> EntryState {
        do throws(DumpError) {
            let first = Int32(names.count), held = table.columns.filter { !table.computed.contains(Name($0)) }
            let columns = held.map { "t.\(DatabaseTable.quoted($0))" }
            let found = try row(of: key, columns) { row in try values(row, columns.indices.map { first + Int32($0) }) }
            if let found {
                var values = Dictionary(zip(held.map { Name($0) }, found)) { first, _ in first }
                if !table.computed.isEmpty {
                    for (name, value) in computed(key) { values[Name(name)] = try? value.get() }
                }
                return .present(
                    .dictionary(
                        table.columns.lazy.map { Name($0) }.compactMap { name in values[name].map { (name, $0) } }))
            }
        } catch {
            return .unreadable(Unreadable(error, ofDatabase: "a row of \(table.name) in \(database.path)"))
        }
        // It may stand for a key that is not UTF-8, or for a row that could not be listed.
        guard key.text.unicodeScalars.contains(where: { $0 == "\u{FFFD}" }) else {
            return database.logDamage.map(EntryState.unreadable) ?? .absent
        }
        let reason = known.withLock(\.problem)
        return .unreadable(
            reason
                ?? Unreadable(.unsupported, "\(table.name) in \(database.path) has a key that is not readable text"))
    }

    /// What is computed for a row; each by itself, as what goes wrong with one says nothing of the others.
    private func computed(_ key: Name) -> [(name: String, value: Result<Value, DumpError>)] {
        let columns = table.columns.filter { table.computed.contains(Name($0)) }, place = Int32(names.count)
        do throws(DumpError) {
            let found = try database.compute(columns) { db, name in
                let found = try row(of: key, ["t.\(DatabaseTable.quoted(name))"], in: db) { row in
                    (result: try values(row, [place])[0], size: row.size(at: place))
                }
                guard let found else { throw DumpError(database.path, .notFound) }
                return found
            }
            return zip(columns, found).map { ($0, $1) }
        } catch {
            return columns.map { ($0, .failure(error)) }
        }
    }

    /// The columns that a row, or with `nil` every row, is shown without, and why.
    private func leftOut(of key: Name?) -> [(name: String, reason: String)] {
        guard let key, !table.computed.isEmpty else { return table.leftOut }
        return table.leftOut
            + computed(key).compactMap { name, value in
                guard case .failure(let error) = value else { return nil }
                switch error.problem {
                case .unreadDatabase(let reason), .brokenDatabase(let reason): return (name, reason)
                default: return (name, "\(error)")
                }
            }
    }

    /// The same in words; `nil` where there are none.
    ///
    /// - Parameter isAlone: Whether those are not said that every row is shown without.
    func omissions(of key: Name?, isAlone: Bool = false) -> String? {
        if isAlone, table.computed.isEmpty { return nil }
        var reasons: [String] = [], columns: [String: [String]] = [:]
        for (name, reason) in leftOut(of: key).dropFirst(isAlone ? table.leftOut.count : 0) {
            if columns[reason] == nil { reasons.append(reason) }
            columns[reason, default: []].append(name)
        }
        let words = reasons.map { reason in
            let names = columns[reason] ?? [], shown = 5
            let more = names.count > shown ? " and \(names.count - shown) more" : ""
            return "\(names.prefix(shown).joined(separator: ", "))\(more): \(reason)"
        }
        return words.isEmpty ? nil : "without what is computed of " + words.joined(separator: "; ")
    }

    /// That the rows go by their rowid although there is a primary key that might tell them, and why, in a phrase.
    var rowidNote: String? { keyNote.map { "by rowid, as \($0)" } }

    /// Why a row is without a column that it has; `nil` where it has no such column.
    func unread(_ column: Name, of key: Name) -> Unreadable? {
        leftOut(of: key).first { Name($0.name) == column }.map { name, reason in
            Unreadable(.unsupported, "\(name) of \(table.name) in \(database.path) cannot be computed: \(reason)")
        }
    }

    private func values(_ row: Reading, _ places: [Int32]) throws -> [Value] {
        var size = 0
        for place in places { size += row.size(at: place) }
        guard size <= ContainerContents.fileLimit else {
            throw DumpError(
                "\(database.path) (a row of \(table.name))", .overLimit(bytes: size, limit: ContainerContents.fileLimit)
            )
        }
        return places.map { row.value(at: $0) }
    }
}
