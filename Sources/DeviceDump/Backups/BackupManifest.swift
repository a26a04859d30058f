import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Synchronization

/// The list of what is in a backup, by domain: `Manifest.db`, or before iOS 10 `Manifest.mbdb`.
final class BackupManifest: Sendable {
    /// How much of a manifest is read.
    struct Limits: Sendable {
        /// How many rows all of it may have.
        var rows = 5_000_000
        /// How many domains it may have.
        var domains = 50_000
        /// How many items are kept in memory, unless one domain has more.
        var kept = 300_000
    }

    private enum Source: Sendable {
        case database(DatabaseFile)
        case trees([DumpPath: BackupTree])
    }

    /// The file.
    let file: DumpPath
    /// The domains, in the order of their bytes.
    let domains: [DumpPath]
    /// What is not as it should be with the list itself.
    let warnings: [DumpWarning]
    /// Why there may be more domains, and more in each, than are known: the list is damaged.
    let damage: DumpError?
    /// Whether payloads lie in folders named after the first two digits of their names.
    let hasPayloadFolders: Bool
    private let source: Source
    private let domainSet: Set<DumpPath>
    private let keptLimit: Int
    private let kept = Mutex<(trees: [DumpPath: BackupTree], items: Int)>(([:], 0))

    /// Whether there is a domain of that name.
    func isDomain(_ path: DumpPath) -> Bool { domainSet.contains(path) }

    /// Reads the domains of `Manifest.db`.
    ///
    /// - Parameter unfinished: That what was not sent yet is not listed, where the backup was interrupted.
    init(
        _ database: DatabaseFile, _ file: DumpPath, unfinished: DumpError? = nil, limits: Limits = Limits(),
        _ control: OpeningControl
    ) throws(DumpError) {
        try database.requireTable("Files", columns: ["fileID", "domain", "relativePath", "flags", "file"])
        // By bytes, whatever order a hostile schema has for its texts; with the usual one the index alone answers.
        let rows = try database.read(isCancelled: control.isStopped) { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT CAST(domain AS BLOB) AS domain, count(*) AS count FROM Files
                    WHERE typeof(domain) = 'text' GROUP BY domain COLLATE BINARY ORDER BY 1 LIMIT ?
                    """, arguments: [limits.domains + 1]
            ).map { (domain: $0["domain"] as Data? ?? Data(), count: $0["count"] as Int? ?? 0) }
        }
        let others = try database.read(isCancelled: control.isStopped) { db in
            try Int.fetchOne(
                db, sql: "SELECT count(*) FROM Files WHERE domain IS NULL OR domain < '' OR domain >= X''")
        }
        guard rows.count <= limits.domains else { throw DumpError(file, .tooManyRows(limit: limits.domains)) }
        guard rows.reduce(0, { $0 + $1.count }) <= limits.rows else {
            throw DumpError(file, .tooManyRows(limit: limits.rows))
        }
        var warnings = database.hasJournal ? [DumpWarning(file, .unfinishedDatabase)] : []
        if let others, others > 0 { warnings.append(DumpWarning(file, .rowsWithoutDomain(count: others))) }
        var domains: [DumpPath] = []
        for row in rows {
            // A slash in it would make two folders of it.
            if let domain = DumpPath(bytes: row.domain), domain.parts.count == 1 {
                domains.append(domain)
            } else {
                let name = String(decoding: row.domain, as: UTF8.self)
                warnings.append(DumpWarning(file, .strayRows(domain: name, count: row.count)))
            }
        }
        self.file = file
        self.domains = domains
        domainSet = Set(domains)
        damage = database.logDamage ?? unfinished
        self.warnings =
            warnings
            + (database.logDamage.map { [DumpWarning(file, .unreadable(Unreadable($0, ofDatabase: file.text)))] } ?? [])
            + Self.warnings(of: unfinished)
        source = .database(database)
        keptLimit = limits.kept
        hasPayloadFolders = true
    }

    /// Takes over what `Manifest.mbdb` lists.
    init(_ old: OldManifest, _ file: DumpPath, unfinished: DumpError? = nil) {
        self.file = file
        let cut = old.damage.map { DumpError(file, .cutManifest($0)) }
        damage = cut ?? unfinished
        warnings =
            Self.warnings(of: cut) + Self.warnings(of: unfinished)
            + (old.isKnownVersion ? [] : [DumpWarning(file, .otherVersion(old.version, known: OldManifest.known))])
        domains = old.trees.keys.sorted()
        domainSet = Set(domains)
        var trees = old.trees
        for domain in trees.keys { trees[domain]?.damage = damage }
        source = .trees(trees)
        keptLimit = 0
        hasPayloadFolders = false
    }

    private static func warnings(of damage: DumpError?) -> [DumpWarning] {
        damage.map { [DumpWarning($0.path, .unreadable(Unreadable($0)))] } ?? []
    }

    /// The items of a domain; those of a database are read on first use, and kept while there is room.
    func tree(of domain: DumpPath) throws(DumpError) -> BackupTree {
        switch source {
        case .trees(let trees): return trees[domain] ?? BackupTree()
        case .database(let database):
            if let tree = kept.withLock({ $0.trees[domain] }) { return tree }
            var tree = try Self.tree(of: domain, in: database)
            tree.damage = tree.damage ?? damage
            kept.withLock { [tree] kept in
                if kept.items + tree.entries.count > keptLimit { kept = ([:], 0) }
                kept.trees[domain] = tree
                kept.items += tree.entries.count
            }
            return tree
        }
    }

    private static func tree(of domain: DumpPath, in database: DatabaseFile) throws(DumpError) -> BackupTree {
        var tree = BackupTree()
        do throws(DumpError) {
            try database.read { db in
                let rows = try Row.fetchCursor(
                    db,
                    sql: """
                        SELECT rowid, CAST(fileID AS BLOB), CAST(relativePath AS BLOB), flags, CAST(file AS BLOB) FROM Files
                        WHERE domain = CAST(? AS TEXT) COLLATE BINARY AND relativePath IS NOT NULL
                        """, arguments: [Data(domain.bytes)])
                while let row = try rows.next() { add(row, to: &tree) }
            }
        } catch {
            // What was read before a damaged page is there; whatever else is not found may be behind it.
            guard case .brokenDatabase = error.problem else { throw error }
            tree.damage = error
        }
        tree.sort()
        return tree
    }

    private static func add(_ row: Row, to tree: inout BackupTree) {
        let kind: BackupEntry.Kind =
            switch row[3] as Int? {
            // Some tools leave it at 0.
            case 1, 0, nil: .file
            case 2: .folder
            case 4: .symbolicLink
            default: .other
            }
        var entry = BackupEntry(
            kind: kind, payload: row.withUnsafeBytes(at: 1) { $0.withUnsafeBytes { PayloadName($0) } },
            details: .row(row[0] as Int64? ?? 0))
        (try? row.withUnsafeData(atIndex: 4) { entry.read($0 ?? Data()) }) ?? ()
        row.withUnsafeBytes(at: 2) { tree.add(entry, at: $0) }
    }

    /// All that is known of an item; `path` is where it is, for errors.
    func record(of entry: BackupEntry, at path: DumpPath) throws(DumpError) -> BackupRecord {
        switch entry.details {
        case .none: return BackupRecord()
        case .known(let record): return record
        case .row(let row):
            let archive = try archive(ofRow: row)
            do throws(FormatError) { return try BackupRecord(archive: archive) } catch {
                throw DumpError(path, .brokenRecord("\(error)"))
            }
        }
    }

    /// The archived description in a row; empty where there is none.
    func archive(ofRow row: Int64) throws(DumpError) -> Data {
        guard case .database(let database) = source else { return Data() }
        return try database.read { db in
            try db.cachedStatement(sql: "SELECT CAST(file AS BLOB) FROM Files WHERE rowid = ?").data(row)
        } ?? Data()
    }

    /// What the manifest has for the name of an item's payload where that is none, for the error.
    func badPayloadName(of entry: BackupEntry) throws(DumpError) -> String {
        guard case .row(let row) = entry.details, case .database(let database) = source else { return "" }
        let name = try database.read { db in
            try db.cachedStatement(sql: "SELECT CAST(fileID AS BLOB) FROM Files WHERE rowid = ?").data(row)
        }
        return String(decoding: (name ?? Data()).prefix(100), as: UTF8.self)
    }

    /// The names of payloads that rows have.
    func payloads(_ control: OpeningControl) throws(DumpError) -> Set<PayloadName> {
        switch source {
        case .trees(let trees): return Set(trees.values.flatMap { $0.entries.values.compactMap(\.payload) })
        case .database(let database):
            return try database.read(isCancelled: control.isStopped) { db in
                var known: Set<PayloadName> = []
                let rows = try Row.fetchCursor(db, sql: "SELECT CAST(fileID AS BLOB) FROM Files")
                while let row = try rows.next() {
                    if let name = row.withUnsafeBytes(at: 0, { $0.withUnsafeBytes { PayloadName($0) } }) {
                        known.insert(name)
                    }
                }
                return known
            }
        }
    }
}

extension Row {
    /// The bytes of a column, without a copy; none where it is null.
    fileprivate func withUnsafeBytes<Result>(at column: Int, _ body: (Data) -> Result) -> Result {
        (try? withUnsafeData(atIndex: column) { body($0 ?? Data()) }) ?? body(Data())
    }
}

extension Statement {
    /// The bytes in the first column of the only row, given the number that is asked for.
    fileprivate func data(_ row: Int64) throws -> Data? { try Data.fetchOne(self, arguments: [row]) }
}
