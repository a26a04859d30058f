import Crypto
import Foundation
import MigrationEngine
import Synchronization

/// The files of a backup, a folder for each domain; what is stored encrypted is decrypted as it is read.
struct BackupFiles: DumpFiles {
    private let base: any DumpFiles
    let manifest: BackupManifest
    private let keys: BackupKeys?
    private let read: @Sendable (any DumpFiles) throws(DumpError) -> BackupManifest
    private let notes = Notes()

    /// What is only found out by reading a file.
    private final class Notes: Sendable {
        let withoutPadding = Mutex<Set<DumpPath>>([])
    }

    /// - Parameter read: Reads the manifest of the backup's folder, again when it is reopened.
    init(
        of base: any DumpFiles, keys: BackupKeys?,
        reading read: @escaping @Sendable (any DumpFiles) throws(DumpError) -> BackupManifest
    ) throws(DumpError) {
        self.base = base
        self.keys = keys
        self.read = read
        manifest = try read(base)
    }

    func reopened() throws(DumpError) -> any DumpFiles {
        try BackupFiles(of: try base.reopened(), keys: keys, reading: read)
    }

    func item(at path: DumpPath) throws(DumpError) -> DumpItem? {
        if path.isRoot {
            try checkIsThere()
            return DumpItem(path: .root, kind: .folder)
        }
        guard let entry = try entry(at: path) else {
            try checkIsThere()
            return nil
        }
        return try item(entry, path)
    }

    private func item(_ entry: BackupEntry, _ path: DumpPath) throws(DumpError) -> DumpItem {
        let record: BackupRecord
        do throws(DumpError) {
            record = try manifest.record(of: entry, at: path)
        } catch {
            // Reading the file says so; that it is there is certain.
            guard case .brokenRecord = error.problem, entry.kind != .symbolicLink else { throw error }
            record = BackupRecord()
        }
        let kind: DumpItem.Kind =
            switch entry.kind {
            case .file: .file
            case .folder: .folder
            case .symbolicLink: .symbolicLink(target: record.target)
            case .other: .other("something that backups have no name for")
            }
        return DumpItem(
            path: path, kind: kind, size: entry.kind == .file ? record.size : 0,
            mode: record.mode & 0o7777 == 0 ? nil : record.mode & 0o7777,
            modified: record.modified.map { .init(seconds: $0, nanoseconds: 0) })
    }

    func children(of folder: DumpPath, limit: Int) throws(DumpError) -> [DumpItem] {
        if folder.isRoot {
            try checkIsThere()
            return manifest.domains.prefix(limit).map { DumpItem(path: $0, kind: .folder) }
        }
        guard let entry = try entry(at: folder) else { throw DumpError(folder, .notFound) }
        guard entry.kind == .folder else { throw try refusal(of: entry, folder) ?? DumpError(folder, .notAFolder) }
        let (domain, place) = Self.parts(folder), tree = try manifest.tree(of: domain)
        var items: [DumpItem] = []
        for child in (tree.children[place] ?? []).prefix(limit) {
            guard let entry = tree.entries[child] else { continue }
            items.append(try item(entry, domain / child))
        }
        return items
    }

    func stream(of path: DumpPath) throws(DumpError) -> any DumpStream {
        guard let entry = try entry(at: path) else { throw DumpError(path, .notFound) }
        guard entry.kind == .file else {
            throw try refusal(of: entry, path) ?? DumpError(path, .notAFile("a folder"))
        }
        let record = try manifest.record(of: entry, at: path)
        let payload = try payload(of: entry, path)
        guard try base.item(at: payload) != nil else {
            throw DumpError(path, .noPayload(payload.text))
        }
        let stored: any DumpStream
        do throws(DumpError) { stored = try base.stream(of: payload) } catch {
            throw DumpError(path, error.problem)
        }
        // An empty file has no key, and one of a backup that is not encrypted has none.
        guard let keys, let wrapped = record.wrappedKey else { return stored }
        let key: SymmetricKey
        do throws(BackupKeys.Failure) {
            key = try keys.unwrap(wrapped, class: record.protectionClass)
        } catch {
            switch error {
            case .lockedToDevice: throw DumpError(path, .lockedToDevice(class: Int(record.protectionClass)))
            case .noClass:
                throw DumpError(path, .damagedPayload("the backup has no key of its class, \(record.protectionClass)"))
            case .damaged: throw DumpError(path, .damagedPayload("its key is damaged"))
            }
        }
        let notes = notes
        return DecryptingStream(stored, key: key, at: path, isPadded: true) {
            _ = notes.withoutPadding.withLock { $0.insert(path) }
        }
    }

    func version(of path: DumpPath) throws(DumpError) -> FileVersion {
        if path.isRoot { return try base.version(of: .root) }
        guard let entry = try entry(at: path), entry.kind == .folder else { return try digest(of: path) }
        return try base.version(of: .root)
    }

    func problems(below folder: DumpPath) -> [DumpWarning] {
        if folder.isRoot { return manifest.domains.flatMap(problems(below:)) }
        let (domain, place) = Self.parts(folder), tree: BackupTree
        do throws(DumpError) { tree = try manifest.tree(of: domain) } catch {
            return [DumpWarning(folder, .init(error))]
        }
        var warnings: [DumpWarning] = [], missing: [DumpPath] = []
        if tree.strayPaths > 0 {
            warnings.append(DumpWarning(manifest.file, .strayRows(domain: domain.text, count: tree.strayPaths)))
        }
        if tree.duplicates > 0 {
            warnings.append(DumpWarning(manifest.file, .duplicateRows(domain: domain.text, count: tree.duplicates)))
        }
        var findings: [DumpWarning] = []
        for (below, entry) in tree.entries where entry.kind == .file && below.relative(to: place) != nil {
            let path = domain / below
            do throws(DumpError) {
                let record = try manifest.record(of: entry, at: path), payload = try payload(of: entry, path)
                guard let stored = try base.item(at: payload) else {
                    missing.append(path)
                    continue
                }
                guard stored.kind == .file else {
                    findings.append(DumpWarning(path, .init(DumpError(path, .noPayload(payload.text)))))
                    continue
                }
                let isEncrypted = keys != nil && record.wrappedKey != nil
                let expected = isEncrypted ? record.size / 16 * 16 + 16 : record.size
                if stored.size != expected {
                    findings.append(
                        DumpWarning(
                            path, .payloadSize(listed: record.size, stored: stored.size, isEncrypted: isEncrypted)))
                }
            } catch {
                findings.append(DumpWarning(path, .init(error)))
            }
        }
        findings += notes.withoutPadding.withLock { $0 }.filter { $0.relative(to: folder) != nil }
            .map { DumpWarning($0, .noPadding) }
        findings.sort { $0.path < $1.path }
        if let first = missing.min() { warnings.append(DumpWarning(first, .withoutPayload(count: missing.count))) }
        let shown = 100
        warnings += findings.prefix(shown)
        if findings.count > shown {
            warnings.append(DumpWarning(folder, .moreBackupFindings(findings.count - shown)))
        }
        return warnings
    }

    /// The payloads that no row names: how many, and one of them.
    func orphans(_ control: OpeningControl) throws(DumpError) -> (count: Int, first: DumpPath)? {
        var count = 0, first: DumpPath?
        func look(in folder: DumpPath, _ digits: [UInt8]) throws(DumpError) {
            guard
                let names = try? base.children(of: folder).filter({ $0.kind == .file }).map({ Array($0.path.lastPart) })
            else { return }
            let payloads = names.filter { $0.count == 40 && $0.allSatisfy(Self.isHexadecimal) }
            let orphans = try manifest.orphans(among: payloads, beginningWith: digits)
            count += orphans.count
            first = first ?? orphans.first.map { folder.appending(name: $0) }
        }
        if manifest.hasPayloadFolders {
            for item in try base.children() where item.kind == .folder && item.path.bytes.count == 2 {
                guard item.path.bytes.allSatisfy(Self.isHexadecimal) else { continue }
                try control.reach(.listing)
                try look(in: item.path, item.path.bytes)
            }
        } else {
            try look(in: .root, [])
        }
        return first.map { (count, $0) }
    }

    // MARK: Places

    private static func parts(_ path: DumpPath) -> (domain: DumpPath, below: DumpPath) {
        let domain = path.folders.first ?? path
        return (domain, path.relative(to: domain) ?? .root)
    }

    /// Refuses where the backup is not at its place any more: nothing is known of it then.
    private func checkIsThere() throws(DumpError) { _ = try base.children(of: .root, limit: 1) }

    /// The item at a path; `nil` where the backup has none.
    private func entry(at path: DumpPath) throws(DumpError) -> BackupEntry? {
        let (domain, below) = Self.parts(path)
        guard manifest.isDomain(domain) else { return nil }
        let tree = try manifest.tree(of: domain)
        for folder in below.folders {
            guard let entry = tree.entries[folder] else { return nil }
            if let refusal = try refusal(of: entry, domain / folder) { throw refusal }
            guard entry.kind == .folder else { return nil }
        }
        return tree.entries[below]
    }

    /// Why nothing is read through an item: it is a link.
    private func refusal(of entry: BackupEntry, _ path: DumpPath) throws(DumpError) -> DumpError? {
        guard entry.kind == .symbolicLink else { return nil }
        let target = try manifest.record(of: entry, at: path).target
        return DumpError(path, .symbolicLink(target: String(decoding: target, as: UTF8.self)))
    }

    /// Where the content of a file is stored.
    ///
    /// The name must be hexadecimal digits: any other could lead anywhere.
    private func payload(of entry: BackupEntry, _ path: DumpPath) throws(DumpError) -> DumpPath {
        let id = entry.fileID
        guard id.count == 40, id.allSatisfy(Self.isHexadecimal), let name = DumpPath(bytes: id) else {
            throw DumpError(path, .badPayloadName(String(decoding: id.prefix(100), as: UTF8.self)))
        }
        guard manifest.hasPayloadFolders, let folder = DumpPath(bytes: id.prefix(2)) else { return name }
        return folder / name
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}
