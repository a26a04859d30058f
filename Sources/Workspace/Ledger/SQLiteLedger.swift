import Crypto
import Foundation
import GRDB
import MigrationEngine
import StoreFormats

/// The ledger of one container, in the file of its dump.
package struct SQLiteLedger: Ledger {
    /// The file.
    package let file: LedgerFile
    /// The container: its path in the dump.
    package let container: Name

    /// Every entry of the container, in order.
    ///
    /// - Throws: ``WorkspaceError/ledger(_:_:)`` where the file or a row of it is damaged, or entries are gone.
    package func entries() throws(WorkspaceError) -> [LedgerEntry] {
        try file.read([]) { db in
            try Self.checkChain(db)
            let rows = try LedgerRows(of: container, in: db)
            for (index, row) in rows.entries.enumerated() {
                guard row.entry.number == index + 1 else {
                    throw LedgerDamage("entry \(index + 1) of \(container) is missing")
                }
                guard row.isWritten(in: container) else {
                    throw LedgerDamage("entry \(index + 1) of \(container) is not what was written")
                }
            }
            return rows.entries.map(\.entry.asRead)
        }
    }

    /// Adds an entry as one transaction.
    ///
    /// - Throws: ``WorkspaceError``; then nothing was added.
    package mutating func append(_ entry: LedgerEntry) throws(WorkspaceError) {
        // Everything that can fail without the file is done before the transaction.
        let entry = entry.asWritten
        let images = try entry.changes.map { change throws(WorkspaceError) in try LedgerImages(of: change) }
        let container = container, willAddRow = file.willAddRow
        try file.write { db in
            try LedgerRows.add(entry, images, of: container, to: db, willAddRow: willAddRow)
        }
    }

    /// Checks that the entries of all containers are those, and as many, as the last one left: none is gone or exchanged.
    private static func checkChain(_ db: Database) throws {
        var digest = emptyHead, count: Int64 = 0
        let rows = try Row.fetchCursor(db, sql: "SELECT id, content, container FROM entry ORDER BY id")
        while let row = try rows.next() {
            count += 1
            guard try row.field(0) as Int64 == count else {
                throw LedgerDamage("entry \(count) of the file is missing")
            }
            digest = chained(digest, try row.field(1), of: Name(try row.text(2)))
        }
        let head = try Row.fetchOne(db, sql: "SELECT entries, digest FROM head WHERE id = 1")
        guard let head else { throw LedgerDamage("it does not say how many entries it has") }
        let written: Int64 = try head.field(0)
        guard written == count else { throw LedgerDamage("\(written) entries were written, and \(count) are there") }
        guard try head.field(1) == digest else { throw LedgerDamage("its entries are not those that were written") }
    }

    /// The digest of a ledger without entries.
    static let emptyHead = Data(count: 32)

    /// The digest of a ledger with one more entry.
    static func chained(_ head: Data, _ content: Data, of container: Name) -> Data {
        Data(SHA256.hash(data: head + content + Data(container.utf8)))
    }

    /// Writes the digests of entries that have come from an earlier schema, and of the whole.
    static func seal(_ db: Database) throws {
        var digest = emptyHead
        var entries: [Int64: (content: Data, container: Name)] = [:]
        for container in try LedgerText.fetchAll(db, sql: "SELECT DISTINCT container FROM entry").map({ Name($0.text) })
        {
            for row in try LedgerRows(of: container, in: db, isOfThirdSchema: true).entries {
                // Their effects were not written, and are told anew each time.
                let content = row.entry.digest(in: container, row.images, withEffects: false)
                entries[row.id] = (content, container)
            }
        }
        // The numbers over all containers are without a gap from here on.
        let ids = try Int64.fetchAll(db, sql: "SELECT id FROM entry ORDER BY id")
        guard ids == Array(1...Int64(max(ids.count, 1))) || ids.isEmpty else {
            throw LedgerDamage("an entry is missing")
        }
        for id in ids {
            guard let entry = entries[id] else { throw LedgerDamage("entry \(id) of the file is missing") }
            try db.execute(sql: "UPDATE entry SET content = ? WHERE id = ?", arguments: [entry.content, id])
            digest = chained(digest, entry.content, of: entry.container)
        }
        try db.execute(sql: "INSERT INTO head VALUES (1, ?, ?)", arguments: [ids.count, digest])
    }
}

/// What is damaged in a ledger, in words.
struct LedgerDamage: Error {
    let words: String
    init(_ words: String) { self.words = words }
}

/// The values of a change as the bytes that a ledger keeps.
struct LedgerImages {
    let before: Data?
    let after: Data?

    /// Writes the images; refuses a value that does not read back as exactly what it was.
    init(of change: Change) throws(WorkspaceError) {
        before = try Self.image(of: change.before.value, at: change.address)
        after = try Self.image(of: change.after, at: change.address)
    }

    private static func image(of value: Value?, at address: Address) throws(WorkspaceError) -> Data? {
        guard let value else { return nil }
        do {
            let data = try BinaryPropertyList.write(value)
            guard data.count <= LedgerSchema.imageLimit else {
                throw WorkspaceError.unstorable(address, reason: "it has more than \(LedgerSchema.imageLimit) bytes")
            }
            if try BinaryPropertyList(data).value() == value { return data }
        } catch let error as FormatError {
            throw .unstorable(address, reason: "\(error.problem)")
        } catch let error as WorkspaceError {
            throw error
        } catch {
            throw .unstorable(address, reason: "\(error)")
        }
        throw .unstorable(address, reason: "it reads back as another value")
    }
}

/// The entries of one container as rows: read with one query for each table, however many there are.
struct LedgerRows {
    /// An entry and what its row says of it besides.
    struct Entry {
        let id: Int64
        var entry: LedgerEntry
        /// The digest that was written with it.
        let content: Data
        /// The digests of the images of each change.
        var images: [(before: Data?, after: Data?)] = []

        /// Whether the digest is of what the entry says; earlier programs left out the effects of its changes.
        func isWritten(in container: Name) -> Bool {
            [true, false].contains { content == entry.digest(in: container, images, withEffects: $0) }
        }
    }

    private(set) var entries: [Entry] = []
    /// The changes that were written without an effect: the entry, and the place in it.
    private var withoutEffect: [(entry: Int, change: Int)] = []
    private var places: [Int64: Int] = [:]
    private var images: [Int64: (value: Value, digest: Data)] = [:]

    /// How many bytes the largest image has, and all of them together.
    private static func imageBytes(in db: Database) throws -> (largest: Int, all: Int) {
        let sql = "SELECT ifnull(max(length(bytes)), 0), ifnull(sum(length(bytes)), 0) FROM image"
        guard let row = try Row.fetchOne(db, sql: sql) else { return (0, 0) }
        return (try row.field(0), try row.field(1))
    }

    /// - Parameters:
    ///   - imagesLimit: How many bytes all images may have.
    ///   - isOfThirdSchema: Whether the database is on its way to the schema of today, and knows nothing yet of what steps
    ///     rest on.
    init(
        of container: Name, in db: Database, imagesLimit: Int = LedgerSchema.imagesLimit, isOfThirdSchema: Bool = false
    ) throws {
        let ids = "(SELECT id FROM entry WHERE container = ?)"
        func each(_ sql: String, _ take: (Row) throws -> Void) throws {
            let rows = try Row.fetchCursor(db, sql: sql, arguments: [LedgerText(container.text)])
            while let row = try rows.next() { try take(row) }
        }
        let images = try Self.imageBytes(in: db)
        guard images.largest <= LedgerSchema.imageLimit else { throw LedgerDamage("an image is too long") }
        guard images.all <= imagesLimit else { throw LedgerDamage("its images are too long together") }
        try each(
            """
            SELECT id, digest, bytes FROM image WHERE id IN (
                SELECT before_image FROM change WHERE entry IN \(ids)
                UNION SELECT after_image FROM change WHERE entry IN (SELECT id FROM entry WHERE container = ?1))
            """
        ) { try takeImage($0) }
        try each(
            """
            SELECT id, number, takes_back, date, author, tool_version, migration, profile, step, content
            FROM entry WHERE container = ? ORDER BY id
            """
        ) { try takeEntry($0) }
        try each(
            """
            SELECT entry, position, address, before_state, before_image, before_cause, before_explanation, after_image,
                effect, rule FROM change WHERE entry IN \(ids) ORDER BY entry, position
            """
        ) { try takeChange($0) }
        try each(
            """
            SELECT entry, change, role, text FROM change_text WHERE entry IN \(ids) ORDER BY entry, change, role, position
            """
        ) { try takeText($0) }
        try each("SELECT entry, name, value, kind, source FROM fact WHERE entry IN \(ids)") { try takeFact($0) }
        try each("SELECT entry, path, digest FROM digest WHERE entry IN \(ids)") { row in
            entries[try place(row)].entry.digests[Name(try row.text(1))] = try row.text(2)
        }
        if !isOfThirdSchema {
            try each("SELECT entry, on_entry FROM rest WHERE entry IN \(ids)") { row in
                entries[try place(row)].entry.restsOn.insert(try row.field(1))
            }
        }
        // What an effect is, where it was not written, is told from the sources, which are known only now.
        for (entry, change) in withoutEffect {
            let known = entries[entry].entry.changes[change]
            entries[entry].entry.changes[change].effect =
                Change(
                    address: known.address, before: known.before, after: known.after, from: known.from,
                    rule: known.rule
                ).effect
        }
    }

    private func place(_ row: Row) throws -> Int {
        guard let place = places[try row.field(0)] else { throw LedgerDamage("a row belongs to no entry") }
        return place
    }

    private mutating func takeImage(_ row: Row) throws {
        let bytes: Data = try row.field(2), digest: Data = try row.field(1)
        guard Data(SHA256.hash(data: bytes)) == digest else { throw LedgerDamage("an image is not what was written") }
        do {
            images[try row.field(0)] = (try BinaryPropertyList(bytes).value(), digest)
        } catch let error as FormatError {
            throw LedgerDamage("an image is \(error)")
        }
    }

    private mutating func takeEntry(_ row: Row) throws {
        let id: Int64 = try row.field(0), takesBack: Int? = try row.optional(2)
        let stamp = LedgerEntry.Stamp(
            date: Date(timeIntervalSinceReferenceDate: try row.field(3)), author: try row.text(4),
            toolVersion: try row.text(5))
        let entry = LedgerEntry(
            number: try row.field(1), event: takesBack.map(LedgerEntry.Event.rolledBack) ?? .applied, stamp: stamp,
            migration: try row.text(6), profile: try row.text(7), step: try row.text(8), changes: [], facts: Facts())
        places[id] = entries.count
        entries.append(Entry(id: id, entry: entry, content: try row.field(9)))
    }

    private mutating func takeChange(_ row: Row) throws {
        let place = try place(row)
        guard try row.field(1) == entries[place].images.count else { throw LedgerDamage("a change is missing") }
        func image(_ column: Int) throws -> (value: Value, digest: Data)? {
            guard let id: Int64 = try row.optional(column) else { return nil }
            guard let image = images[id] else { throw LedgerDamage("an image is missing") }
            return image
        }
        let old = try image(4), new = try image(7), before: EntryState
        switch (try row.text(3), old) {
        case ("absent", nil): before = .absent
        case ("present", let image?): before = .present(image.value)
        case ("unreadable", nil):
            guard let cause = Unreadable.Cause(rawValue: try row.text(5)) else {
                throw LedgerDamage("an unknown cause")
            }
            before = .unreadable(Unreadable(cause, try row.text(6)))
        default: throw LedgerDamage("an unknown state")
        }
        let effect = try (row.optional(8) as String?).map { text in
            guard let effect = ValueEffect(rawValue: text) else { throw LedgerDamage("an unknown effect") }
            return effect
        }
        if effect == nil { withoutEffect.append((place, entries[place].images.count)) }
        entries[place].entry.changes.append(
            Change(
                address: try Self.address(row.text(2)), before: before, after: new?.value, rule: try row.text(9),
                effect: effect))
        entries[place].images.append((old?.digest, new?.digest))
    }

    private mutating func takeText(_ row: Row) throws {
        let place = try place(row), change: Int = try row.field(1), text = try row.text(3)
        guard entries[place].entry.changes.indices.contains(change) else {
            throw LedgerDamage("a text belongs to no change")
        }
        func add(_ add: (inout Change) throws -> Void) rethrows { try add(&entries[place].entry.changes[change]) }
        switch try row.text(2) {
        case "from": try add { $0.from.append(try Self.address(text)) }
        case "dropped": try add { $0.dropped.append(try Self.address(text)) }
        case "note": add { $0.notes.append(text) }
        case "placeholder":
            guard let pointer = JSONPointer(parsing: text) else {
                throw LedgerDamage("“\(text)” is not a JSON Pointer")
            }
            add { $0.placeholders.append(pointer) }
        default: throw LedgerDamage("a text of an unknown role")
        }
    }

    private mutating func takeFact(_ row: Row) throws {
        guard let source = FactSource(kind: try row.text(3), text: try row.text(4)) else {
            throw LedgerDamage("a fact from an unknown kind of source")
        }
        entries[try place(row)].entry.facts[FactName(rawValue: try row.text(1))] = Fact(try row.text(2), from: source)
    }

    fileprivate static func address(_ text: String) throws -> Address {
        do {
            return try Address(parsing: text)
        } catch {
            throw LedgerDamage("\(error)")
        }
    }
}

extension LedgerEntry {
    /// As a ledger keeps it: what its step has found is a change that changes nothing.
    fileprivate var asWritten: LedgerEntry {
        var entry = self
        (entry.changes, entry.found) = (changes + found, [])
        return entry
    }

    /// The same, read again: what is found stands behind what was changed, and entries of earlier versions have none.
    fileprivate var asRead: LedgerEntry {
        guard let last = changes.lastIndex(where: { $0.action != .found }) else { return self }
        var entry = self
        (entry.changes, entry.found) = (Array(changes[...last]), Array(changes[(last + 1)...]))
        return entry
    }
}

// MARK: Adding

extension LedgerRows {
    /// Adds an entry with all its rows, and what the file then is as a whole.
    static func add(
        _ entry: LedgerEntry, _ images: [LedgerImages], of container: Name, to db: Database,
        imagesLimit: Int = LedgerSchema.imagesLimit, willAddRow: (@Sendable () throws -> Void)?
    ) throws {
        func run(_ sql: String, _ arguments: StatementArguments) throws {
            try willAddRow?()
            try db.cachedStatement(sql: sql).execute(arguments: arguments)
        }
        /// The row of an image: that of the same bytes where there is one.
        func row(of bytes: Data?) throws -> (id: Int64, digest: Data)? {
            guard let bytes else { return nil }
            let digest = Data(SHA256.hash(data: bytes))
            let known = try db.cachedStatement(sql: "SELECT id FROM image WHERE digest = ?")
            if let id = try Int64.fetchOne(known, arguments: [digest]) { return (id, digest) }
            try run("INSERT INTO image (digest, bytes) VALUES (?, ?)", [digest, bytes])
            return (db.lastInsertedRowID, digest)
        }
        guard let head = try Row.fetchOne(db, sql: "SELECT entries, digest FROM head WHERE id = 1") else {
            throw LedgerDamage("it does not say how many entries it has")
        }
        let id: Int64 = try head.field(0) + 1
        let rows = try images.map { (before: try row(of: $0.before), after: try row(of: $0.after)) }
        if try Self.imageBytes(in: db).all > imagesLimit, let address = entry.changes.first?.address {
            throw WorkspaceError.unstorable(
                address,
                reason: "the ledger would keep more than \(imagesLimit) bytes of what was there before and after")
        }
        let digests = rows.map { ($0.before?.digest, $0.after?.digest) }
        let content = entry.digest(in: container, digests, withEffects: true)
        let takesBack: Int? = if case .rolledBack(let number) = entry.event { number } else { nil }
        try run(
            "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                id, LedgerText(container.text), entry.number, takesBack, entry.date.timeIntervalSinceReferenceDate,
                LedgerText(entry.author), LedgerText(entry.toolVersion), LedgerText(entry.migration),
                LedgerText(entry.profile), LedgerText(entry.step), content,
            ])
        for (position, change) in entry.changes.enumerated() {
            let state = change.before.parts
            try run(
                "INSERT INTO change VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    id, position, LedgerText(change.address.description), state.name, rows[position].before?.id,
                    state.reason?.cause.rawValue, state.reason.map { LedgerText($0.explanation) },
                    rows[position].after?.id, change.effect.rawValue, LedgerText(change.rule),
                ])
            for (role, texts) in change.texts {
                for (index, text) in texts.enumerated() {
                    try run(
                        "INSERT INTO change_text VALUES (?, ?, ?, ?, ?)", [id, position, role, index, LedgerText(text)])
                }
            }
        }
        for name in entry.facts.names {
            guard let fact = entry.facts[name] else { continue }
            try run(
                "INSERT INTO fact VALUES (?, ?, ?, ?, ?)",
                [
                    id, LedgerText(name.rawValue), LedgerText(fact.value), fact.source.kind,
                    LedgerText(fact.source.text),
                ])
        }
        for (path, digest) in entry.digests {
            try run("INSERT INTO digest VALUES (?, ?, ?)", [id, LedgerText(path.text), LedgerText(digest)])
        }
        for other in entry.restsOn.sorted() { try run("INSERT INTO rest VALUES (?, ?)", [id, other]) }
        try run(
            "UPDATE head SET entries = ?, digest = ? WHERE id = 1",
            [id, SQLiteLedger.chained(try head.field(1), content, of: container)])
    }
}

// MARK: Columns

/// Text as a ledger keeps it: as text, or as UTF-8 bytes where it has a NUL, at which SQLite's text would end.
struct LedgerText: DatabaseValueConvertible {
    /// The longest text, in UTF-8 bytes.
    static let limit = 16 << 20

    let text: String

    init(_ text: String) { self.text = text }

    var databaseValue: DatabaseValue {
        text.utf8.contains(0) ? Data(text.utf8).databaseValue : text.databaseValue
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> LedgerText? {
        switch value.storage {
        case .string(let text): text.utf8.count > limit ? nil : LedgerText(text)
        case .blob(let data): data.count > limit ? nil : String(validating: data, as: UTF8.self).map(LedgerText.init)
        default: nil
        }
    }
}

extension LedgerFile {
    /// How many steps stand in each container that has any, in the order of their first entry.
    package func standing() throws(WorkspaceError) -> [(container: Name, steps: Int)] {
        try read([]) { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT container, sum(CASE WHEN takes_back IS NULL THEN 1 ELSE -1 END) AS steps
                    FROM entry GROUP BY container HAVING steps > 0 ORDER BY min(id)
                    """)
            var standing: [(Name, Int)] = []
            while let row = try rows.next() { standing.append((Name(try row.text(0)), try row.field(1))) }
            return standing
        }
    }

    /// The places of the entries of some containers among all of the file, from 1, in order.
    func places(of containers: Set<Name>) throws(WorkspaceError) -> [Name: [Int]] {
        try read([:]) { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT container, id FROM entry ORDER BY id")
            var places: [Name: [Int]] = [:]
            while let row = try rows.next() {
                let container = Name(try row.text(0))
                if containers.contains(container) { places[container, default: []].append(try row.field(1)) }
            }
            return places
        }
    }

    /// The containers of which a step has rested on one of a container.
    func containersResting(on container: Name) throws(WorkspaceError) -> Set<Name> {
        try read([]) { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT DISTINCT entry.container FROM rest JOIN entry ON rest.entry = entry.id
                    JOIN entry AS other ON rest.on_entry = other.id WHERE other.container = ?
                    """, arguments: [LedgerText(container.text)])
            var containers: Set<Name> = []
            while let row = try rows.next() { containers.insert(Name(try row.text(0))) }
            return containers
        }
    }

    /// The entries that steps of each container have ever changed or made something from, without what they held.
    func touchedAddresses() throws(WorkspaceError) -> [(container: Name, addresses: [Address])] {
        try read([]) { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT container, address FROM entry JOIN change ON change.entry = entry.id
                    UNION SELECT container, text FROM entry JOIN change_text ON change_text.entry = entry.id
                    WHERE role = 'from' ORDER BY container
                    """)
            var changed: [(container: Name, addresses: [Address])] = []
            while let row = try rows.next() {
                let container = Name(try row.text(0)), address = try LedgerRows.address(row.text(1))
                if changed.last?.container != container { changed.append((container, [])) }
                changed[changed.count - 1].addresses.append(address)
            }
            return changed
        }
    }
}

extension Row {
    fileprivate func text(_ column: Int) throws -> String { (try field(column) as LedgerText).text }

    fileprivate func field<Field: DatabaseValueConvertible>(_ column: Int) throws -> Field {
        guard let field: Field = try optional(column) else { throw LedgerDamage("a value is missing") }
        return field
    }

    fileprivate func optional<Field: DatabaseValueConvertible>(_ column: Int) throws -> Field? {
        let value: DatabaseValue = self[column]
        if value.isNull { return nil }
        guard let field = Field.fromDatabaseValue(value) else { throw LedgerDamage("a value has a wrong type") }
        return field
    }
}
