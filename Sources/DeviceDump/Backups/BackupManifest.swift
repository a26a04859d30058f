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
        /// With the rows of each domain.
        case database(DatabaseFile, [DumpPath: [ClosedRange<Int64>]])
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
    /// Why what is not listed may yet be in the backup: that, or rows that do not say what they are of.
    let doubt: DumpError?
    /// Whether payloads lie in folders named after the first two digits of their names.
    let hasPayloadFolders: Bool
    private let source: Source
    private let keptLimit: Int
    /// The contents that may be another file's than the one whose row has them; `nil` until somebody asks.
    private let strange = Mutex<Set<PayloadName>?>(nil)
    private let kept = Mutex<(trees: [DumpPath: BackupTree], items: Int)>(([:], 0))

    /// Whether there is a domain of that name.
    func isDomain(_ path: DumpPath) -> Bool {
        switch source {
        case .trees(let trees): trees[path] != nil
        case .database(_, let rows): rows[path] != nil
        }
    }

    /// Reads the domains of `Manifest.db`.
    ///
    /// - Parameter unfinished: That what was not sent yet is not listed, where the backup was interrupted.
    init(
        _ database: DatabaseFile, _ file: DumpPath, unfinished: DumpError? = nil, limits: Limits = Limits(),
        _ control: OpeningControl
    ) throws(DumpError) {
        try database.requireTable("Files", columns: ["fileID", "domain", "relativePath", "flags", "file"])
        let places = try RowPlaces(in: database, file, limits, control)
        var warnings = database.hasJournal ? [DumpWarning(file, .unfinishedDatabase)] : []
        if places.withoutDomain > 0 {
            warnings.append(DumpWarning(file, .rowsWithoutDomain(count: places.withoutDomain)))
        }
        if places.isIndexTorn { warnings.append(DumpWarning(file, .tornIndex)) }
        var rows: [DumpPath: [ClosedRange<Int64>]] = [:]
        for (name, found) in places.domains.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            // A slash in it would make two folders of it.
            if let domain = DumpPath(bytes: name), domain.parts.count == 1 {
                rows[domain] = found.runs
            } else {
                let name = String(decoding: name, as: UTF8.self)
                warnings.append(DumpWarning(file, .strayRows(domain: name, count: found.count)))
            }
        }
        self.file = file
        domains = rows.keys.sorted()
        damage = database.logDamage ?? places.damage ?? unfinished
        doubt =
            damage ?? (places.withoutDomain > 0 ? DumpError(file, .rowsWithoutPlace(count: places.withoutDomain)) : nil)
        self.warnings =
            warnings
            + [database.logDamage, places.damage].compactMap(\.self).map {
                DumpWarning(file, .unreadable(Unreadable($0, ofDatabase: file.text)))
            } + Self.warnings(of: unfinished)
        source = .database(database, rows)
        keptLimit = limits.kept
        hasPayloadFolders = true
    }

    /// Takes over what `Manifest.mbdb` lists.
    init(_ old: OldManifest, _ file: DumpPath, unfinished: DumpError? = nil) {
        self.file = file
        let cut = old.damage.map { DumpError(file, .cutManifest($0)) }
        damage = cut ?? unfinished
        doubt = damage
        warnings =
            Self.warnings(of: cut) + Self.warnings(of: unfinished)
            + (old.isKnownVersion ? [] : [DumpWarning(file, .otherVersion(old.version, known: OldManifest.known))])
        domains = old.trees.keys.sorted()
        var trees = old.trees
        for domain in trees.keys { trees[domain]?.doubt = doubt }
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
        case .database(let database, let rows):
            if let tree = kept.withLock({ $0.trees[domain] }) { return tree }
            var tree = try Self.tree(of: domain, rows[domain] ?? [], in: database)
            let withoutPath = tree.withoutPath > 0 ? DumpError(file, .rowsWithoutPlace(count: tree.withoutPath)) : nil
            tree.doubt = tree.doubt ?? doubt ?? withoutPath
            kept.withLock { [tree] kept in
                if kept.items + tree.entries.count > keptLimit { kept = ([:], 0) }
                kept.trees[domain] = tree
                kept.items += tree.entries.count
            }
            return tree
        }
    }

    private static func tree(
        of domain: DumpPath, _ rows: [ClosedRange<Int64>], in database: DatabaseFile
    ) throws(DumpError) -> BackupTree {
        var tree = BackupTree()
        for run in rows {
            do throws(DumpError) {
                try database.read { db in
                    let query =
                        "SELECT rowid, fileID, relativePath, flags, file FROM Files WHERE rowid BETWEEN ? AND ?"
                    try Reading.forEach(
                        try db.cachedStatement(sql: query), [run.lowerBound, run.upperBound]
                    ) { add($0, of: domain, to: &tree) }
                }
            } catch {
                // What was read before a damaged page is there; whatever else is not found may be behind it.
                guard case .brokenDatabase = error.problem else { throw error }
                tree.doubt = error
            }
        }
        tree.sort()
        return tree
    }

    private static func add(_ row: Reading, of domain: DumpPath, to tree: inout BackupTree) {
        guard !row.isNull(at: 2) else { return tree.passOver() }
        let kind: BackupEntry.Kind =
            switch row.integer(at: 3) {
            // Some tools leave it at 0.
            case 1, 0: .file
            case 2: .folder
            case 4: .symbolicLink
            default: .other
            }
        var entry = BackupEntry(
            kind: kind, payload: row.withText(at: 1) { PayloadName($0) }, details: .row(row.integer(at: 0)))
        entry.read(row.data(at: 4))
        row.withText(at: 2) { path in
            if kind == .file { entry.isNamedOtherwise = entry.payload != PayloadName(of: domain.bytes, path) }
            tree.add(entry, at: path)
        }
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
        guard case .database(let database, _) = source else { return Data() }
        return try database.read { db in
            try db.cachedStatement(sql: "SELECT CAST(file AS BLOB) FROM Files WHERE rowid = ?").data(row)
        } ?? Data()
    }

    /// What the manifest has for the name of an item's payload where that is none, for the error.
    func badPayloadName(of entry: BackupEntry) throws(DumpError) -> String {
        guard case .row(let row) = entry.details, case .database(let database, _) = source else { return "" }
        let name = try database.read { db in
            try Reading.rows(db, "SELECT fileID FROM Files WHERE rowid = ?", [row]) { row in
                row.withText(at: 0) { String(decoding: $0.prefix(100), as: UTF8.self) }
            }
        }
        return name.first ?? ""
    }

    /// The names of payloads that rows have.
    func payloads(_ control: OpeningControl) throws(DumpError) -> Set<PayloadName> {
        switch source {
        case .trees(let trees): return Set(trees.values.flatMap { $0.entries.values.compactMap(\.payload) })
        case .database(let database, _):
            return try database.read(isCancelled: control.isStopped) { db in
                var known: Set<PayloadName> = []
                try Reading.forEach(db, "SELECT fileID FROM Files NOT INDEXED") { row in
                    if let name = row.withText(at: 0, { PayloadName($0) }) { known.insert(name) }
                }
                return known
            }
        }
    }

    /// Whether a content that is not named after its file may be another's: that is the name of another file's, or another row
    /// has it too.
    func isOfAnother(_ payload: PayloadName) throws(DumpError) -> Bool {
        guard case .database(let database, _) = source else { return false }
        if let known = strange.withLock(\.self) { return known.contains(payload) }
        let found = try database.read(isCancelled: OpeningControl.current.isStopped) { db in
            let sql = "SELECT fileID, domain, relativePath FROM Files NOT INDEXED WHERE flags IS NULL OR flags < 2"
            func forEach(_ body: (_ payload: PayloadName, _ own: PayloadName) -> Void) throws {
                try Reading.forEach(db, sql) { row in
                    guard let name = row.withText(at: 0, { PayloadName($0) }) else { return }
                    row.withText(at: 1) { domain in row.withText(at: 2) { body(name, PayloadName(of: domain, $0)) } }
                }
            }
            var others: Set<PayloadName> = [], taken: Set<PayloadName> = []
            try forEach { name, own in
                if name != own, !others.insert(name).inserted { taken.insert(name) }
            }
            try forEach { _, own in
                if others.contains(own) { taken.insert(own) }
            }
            return taken
        }
        strange.withLock { $0 = found }
        return found.contains(payload)
    }
}

/// Where the rows of each domain lie in the table of a manifest.
///
/// No index is asked: in a file that was copied while it was written, one may lack rows that are there.
private struct RowPlaces {
    /// The runs of rows of each domain, and how many rows that are.
    private(set) var domains: [[UInt8]: (runs: [ClosedRange<Int64>], count: Int)] = [:]
    /// How many rows have no text as domain.
    private(set) var withoutDomain = 0
    /// Why there may be more.
    private(set) var damage: DumpError?
    /// Whether an index of the domains has another number of rows.
    private(set) var isIndexTorn = false
    private var count = 0
    /// The run that rows are added to.
    private var run: (domain: [UInt8], rows: ClosedRange<Int64>, count: Int)?

    init(
        in database: DatabaseFile, _ file: DumpPath, _ limits: BackupManifest.Limits, _ control: OpeningControl
    ) throws(DumpError) {
        func note(_ row: Reading, isNext: (_ last: Int64, _ row: Int64) -> Bool) throws {
            add(row, isNext: isNext)
            guard count <= limits.rows else { throw DumpError(file, .tooManyRows(limit: limits.rows)) }
            guard domains.count <= limits.domains else { throw DumpError(file, .tooManyRows(limit: limits.domains)) }
        }
        do throws(DumpError) {
            try database.read(isCancelled: control.isStopped) { db in
                try Reading.forEach(db, "SELECT rowid, domain FROM Files NOT INDEXED ORDER BY rowid") { row in
                    try note(row) { _, _ in true }
                }
            }
        } catch {
            guard case .brokenDatabase = error.problem else { throw error }
            damage = error
        }
        // An index may know of rows behind a damaged page.
        if damage != nil {
            let last = run?.rows.upperBound ?? .min
            do throws(DumpError) {
                try database.read(isCancelled: control.isStopped) { db in
                    try Reading.forEach(db, "SELECT rowid, domain FROM Files ORDER BY domain") { row in
                        guard row.integer(at: 0) > last else { return }
                        try note(row) { last, row in row == last &+ 1 }
                    }
                }
                damage = nil
            } catch {
                guard case .brokenDatabase = error.problem else { throw error }
            }
        } else {
            let sql = "SELECT count(*) FROM Files WHERE domain >= '' AND domain < X''"
            let indexed = try? database.read(isCancelled: control.isStopped) { try Int.fetchOne($0, sql: sql) }
            isIndexTorn = indexed != count - withoutDomain
        }
        endRun()
        if damage != nil, domains.isEmpty { throw damage ?? DumpError(file, .brokenDatabase("it is damaged")) }
    }

    private mutating func add(_ row: Reading, isNext: (_ last: Int64, _ row: Int64) -> Bool) {
        let number = row.integer(at: 0)
        count += 1
        guard row.isText(at: 1) else {
            endRun()
            return withoutDomain += 1
        }
        row.withText(at: 1) { domain in
            if let run, number > run.rows.upperBound, isNext(run.rows.upperBound, number),
                domain.count == run.domain.count, domain.elementsEqual(run.domain)
            {
                self.run = (run.domain, run.rows.lowerBound...number, run.count + 1)
            } else {
                endRun()
                run = (Array(domain), number...number, 1)
            }
        }
    }

    private mutating func endRun() {
        guard let run else { return }
        var known = domains[run.domain] ?? ([], 0)
        known.runs.append(run.rows)
        known.count += run.count
        domains[run.domain] = known
        self.run = nil
    }
}

extension Statement {
    /// The bytes in the first column of the only row, given the number that is asked for.
    fileprivate func data(_ row: Int64) throws -> Data? { try Data.fetchOne(self, arguments: [row]) }
}
