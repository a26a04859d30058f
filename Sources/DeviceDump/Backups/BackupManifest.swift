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
    /// Whether payloads lie in folders named after the first two digits of their names.
    let hasPayloadFolders: Bool
    private let source: Source
    private let domainSet: Set<DumpPath>
    private let known = Mutex<[DumpPath: BackupTree]>([:])
    /// What was read of rows; a listing asks for each more than once.
    private let records = Mutex<[Int64: BackupRecord]>([:])
    private static let recordLimit = 500_000

    /// Whether there is a domain of that name.
    func isDomain(_ path: DumpPath) -> Bool { domainSet.contains(path) }

    /// Reads the domains of `Manifest.db`.
    init(
        _ database: DatabaseFile, _ file: DumpPath, limits: Limits = Limits(), _ control: OpeningControl
    ) throws(DumpError) {
        try database.requireTable("Files", columns: ["fileID", "domain", "relativePath", "flags", "file"])
        let rows = try database.read(isCancelled: control.isStopped) { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT CAST(domain AS BLOB) AS domain, count(*) AS count FROM Files
                    WHERE typeof(domain) = 'text' GROUP BY 1 ORDER BY 1 LIMIT ?
                    """, arguments: [limits.domains + 1]
            ).map { (domain: $0["domain"] as Data? ?? Data(), count: $0["count"] as Int? ?? 0) }
        }
        guard rows.count <= limits.domains else { throw DumpError(file, .tooManyRows(limit: limits.domains)) }
        guard rows.reduce(0, { $0 + $1.count }) <= limits.rows else {
            throw DumpError(file, .tooManyRows(limit: limits.rows))
        }
        var warnings = database.hasJournal ? [DumpWarning(file, .unfinishedDatabase)] : []
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
        self.warnings = warnings
        source = .database(database)
        hasPayloadFolders = true
    }

    /// Takes over what `Manifest.mbdb` lists.
    init(_ trees: [DumpPath: BackupTree], _ file: DumpPath, warnings: [DumpWarning]) {
        self.file = file
        self.warnings = warnings
        domains = trees.keys.sorted()
        domainSet = Set(domains)
        source = .trees(trees)
        hasPayloadFolders = false
    }

    /// The items of a domain, read on first use and kept.
    func tree(of domain: DumpPath) throws(DumpError) -> BackupTree {
        switch source {
        case .trees(let trees): return trees[domain] ?? BackupTree()
        case .database(let database):
            if let tree = known.withLock({ $0[domain] }) { return tree }
            let tree = try Self.tree(of: domain, in: database)
            known.withLock { $0[domain] = tree }
            return tree
        }
    }

    private static func tree(of domain: DumpPath, in database: DatabaseFile) throws(DumpError) -> BackupTree {
        try database.read { db in
            var tree = BackupTree()
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT rowid, CAST(fileID AS BLOB), CAST(relativePath AS BLOB), flags FROM Files
                    WHERE domain = CAST(? AS TEXT) AND relativePath IS NOT NULL
                    """, arguments: [Data(domain.bytes)])
            while let row = try rows.next() {
                let id = row[1] as Data? ?? Data(), path = row[2] as Data? ?? Data()
                let kind: BackupEntry.Kind =
                    switch row[3] as Int? {
                    // Some tools leave it at 0.
                    case 1, 0, nil: .file
                    case 2: .folder
                    case 4: .symbolicLink
                    default: .other
                    }
                tree.add(BackupEntry(kind: kind, fileID: Array(id), details: .row(row[0] as Int64? ?? 0)), at: path)
            }
            tree.sort()
            return tree
        }
    }

    /// What is known of an item besides its kind; `path` is where it is, for errors.
    func record(of entry: BackupEntry, at path: DumpPath) throws(DumpError) -> BackupRecord {
        switch entry.details {
        case .none: return BackupRecord()
        case .known(let record): return record
        case .row(let row):
            if let known = records.withLock({ $0[row] }) { return known }
            guard case .database(let database) = source else { return BackupRecord() }
            let archive = try database.read { db in
                try Data.fetchOne(db, sql: "SELECT CAST(file AS BLOB) FROM Files WHERE rowid = ?", arguments: [row])
            }
            do throws(FormatError) {
                let record = try BackupRecord(archive: archive ?? Data())
                records.withLock { if $0.count < Self.recordLimit { $0[row] = record } }
                return record
            } catch {
                throw DumpError(path, .brokenRecord("\(error)"))
            }
        }
    }

    /// Which of the names of payloads in a folder no row has, given the two digits that they begin with.
    func orphans(among names: [[UInt8]], beginningWith digits: [UInt8]) throws(DumpError) -> [[UInt8]] {
        switch source {
        case .trees(let trees):
            let known = Set(trees.values.flatMap { $0.entries.values.map(\.fileID) })
            return names.filter { !known.contains($0) }
        case .database(let database):
            let known = try database.read { db in
                var known: Set<[UInt8]> = []
                let rows = try Data.fetchCursor(
                    db,
                    sql:
                        "SELECT CAST(fileID AS BLOB) FROM Files WHERE fileID >= CAST(? AS TEXT) AND fileID < CAST(? AS TEXT)",
                    arguments: [Data(digits), Data(digits + [UInt8(ascii: "g")])])
                while let id = try rows.next() { known.insert(Array(id)) }
                return known
            }
            return names.filter { !known.contains($0) }
        }
    }
}
