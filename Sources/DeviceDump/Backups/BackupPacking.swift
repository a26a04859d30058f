import Crypto
import CryptoExtras
import Foundation
import GRDB
import MigrationEngine
import StoreFormats

/// Puts changed contents back into a backup.
///
/// Of a file that is changed its payload is written, encrypted with the key that it has, and in its row of the manifest
/// the size, the time of the change, and the digest where there is one: files of apps have none. Of one that is removed
/// the row and the payload go. No row is added, as no tool has ever added one and had it restored; and `Manifest.mbdb` and
/// the items of an encrypted keychain are not written at all.
extension BackupFiles: PackedFiles {
    package var holder: any DumpFiles { base }

    package func held(by holder: any DumpFiles) throws(DumpError) -> any DumpFiles {
        try BackupFiles(of: holder, keys: keys, listedIn: manifestFile, OpeningControl.current)
    }

    package func bond(of path: DumpPath) -> String? {
        keys != nil && path == BackupKeychain.file ? BackupKeychain.useOutside : nil
    }

    package func packing(_ changes: [FileChange], at time: Int) throws(DumpError) -> [FileChange] {
        guard !changes.isEmpty else { return [] }
        if let damage = manifest.damage { throw damage }
        var packed: [FileChange] = [], rows: [BackupManifest.RowChange] = []
        for change in changes {
            let path = change.path
            guard let entry = try entry(at: path) else {
                throw DumpError(
                    path, .notPackable("the backup has no row for it, and iOS may refuse a backup with one added"))
            }
            guard case .row(let row) = entry.details else {
                throw DumpError(
                    path, .notPackable("\(manifest.file), the manifest of iOS 9 and before, is not written"))
            }
            guard entry.kind == .file else { throw DumpError(path, .notPackable("it is not a file in the backup")) }
            let place = try payload(of: entry, path)
            guard let content = try change.bytes() else {
                packed.append(FileChange(place, to: nil))
                rows.append(.init(row: row, path: path, archive: nil))
                continue
            }
            let stored = try sealed(content, of: entry, path)
            packed.append(FileChange(place, to: stored))
            let archive = try manifest.archive(ofRow: row)
            do throws(FormatError) {
                rows.append(
                    .init(
                        row: row, path: path,
                        archive: try BackupRecord.rewritten(archive, size: content.count, time: time, stored: stored)))
            } catch {
                throw DumpError(path, .brokenRecord("\(error)"))
            }
        }
        return packed + (try manifestChanges(rows))
    }

    /// A content as the backup stores it.
    private func sealed(_ content: Data, of entry: BackupEntry, _ path: DumpPath) throws(DumpError) -> Data {
        guard keys != nil else { return content }
        let record = try manifest.record(of: entry, at: path)
        guard let key = try key(of: record, path) else {
            // An empty one has no key.
            if content.isEmpty { return content }
            throw DumpError(path, .notPackable("it was empty, so that the backup has no key for its content"))
        }
        do {
            return try AES._CBC.encrypt(content, using: key, iv: AES._CBC.IV(ivBytes: [UInt8](repeating: 0, count: 16)))
        } catch {
            throw DumpError(path, .notPackable("it cannot be encrypted with its key"))
        }
    }

    /// The manifest with changed rows; the log beside it, which is in it then, goes.
    private func manifestChanges(_ rows: [BackupManifest.RowChange]) throws(DumpError) -> [FileChange] {
        let file = manifest.file
        let copy = try manifestFile.copy(in: base, OpeningControl.current)
        try copy.change(file) { db in
            for change in rows {
                if let archive = change.archive {
                    try db.execute(
                        sql: "UPDATE Files SET file = ? WHERE rowid = ?", arguments: [archive, change.row])
                } else {
                    try db.execute(sql: "DELETE FROM Files WHERE rowid = ?", arguments: [change.row])
                }
                guard db.changesCount == 1 else {
                    throw DumpError(file, .notPackable("its row for \(change.path) cannot be changed"))
                }
            }
        }
        let key = try manifestFile.key(), isPadded = try manifestFile.isPadded(in: base)
        guard copy.count.isMultiple(of: 512) else {
            throw DumpError(file, .notPackable("its size is not that of a database"))
        }
        var changes = [
            FileChange(file) { () throws(DumpError) in
                let plain = copy.stream(file)
                return key.map { EncryptingStream(plain, key: $0, at: file, isPadded: isPadded) } ?? plain
            }
        ]
        for ending in ["-wal", "-shm"] {
            guard let beside = DumpPath(bytes: file.bytes + ending.utf8), try base.item(at: beside) != nil else {
                continue
            }
            changes.append(FileChange(beside, to: nil))
        }
        return changes
    }
}

extension BackupManifest {
    /// What becomes of one row.
    struct RowChange {
        let row: Int64
        let path: DumpPath
        /// Its archived description; `nil` where the row goes.
        let archive: Data?
    }
}

extension BackupRecord {
    /// An archived `MBFile` with another size, time and, where it has one, digest; all else stays.
    static func rewritten(_ data: Data, size: Int, time: Int, stored: Data) throws(FormatError) -> Data {
        let limits = Limits(depth: 32, nodes: 10_000, bytes: 1 << 20)
        guard case .dictionary(var archive) = try BinaryPropertyList(data, limits: limits).value(),
            case .array(var objects)? = archive["$objects"], case .uid(let number)? = archive["$top"]?.members?["root"],
            let root = Int(exactly: number), objects.indices.contains(root), var fields = objects[root].members
        else { throw FormatError(.keyedArchive, at: .offset(0), .invalid("it is not the description of a file")) }
        for (name, value) in [("Size", size), ("LastModified", time)] as [(Name, Int)] {
            switch fields[name] {
            case .integer?: fields[name] = .integer(Int128(value))
            case nil where name == "LastModified": continue
            default: throw FormatError(.keyedArchive, at: .offset(0), .invalid("its \(name) is no number"))
            }
        }
        func digest(like old: Data) throws(FormatError) -> Value {
            switch old.count {
            case 20: return .data(Data(Insecure.SHA1.hash(data: stored)))
            case 32: return .data(Data(SHA256.hash(data: stored)))
            default:
                let words = "its Digest has \(old.count) bytes, as neither SHA-1 nor SHA-256 has"
                throw FormatError(.keyedArchive, at: .offset(0), .invalid(words))
            }
        }
        switch fields["Digest"] {
        case nil: break
        case .data(let old)?: fields["Digest"] = try digest(like: old)
        case .uid(let number)?:
            guard let place = Int(exactly: number), objects.indices.contains(place), place != root else {
                throw FormatError(.keyedArchive, at: .offset(0), .invalid("its Digest is no object"))
            }
            switch objects[place] {
            case .data(let old): objects[place] = try digest(like: old)
            case .dictionary(var members):
                guard let old = members["NS.data"]?.data else {
                    throw FormatError(.keyedArchive, at: .offset(0), .invalid("its Digest is no data"))
                }
                members["NS.data"] = try digest(like: old)
                objects[place] = .dictionary(members)
            case .string("$null"): break
            default: throw FormatError(.keyedArchive, at: .offset(0), .invalid("its Digest is no data"))
            }
        default: throw FormatError(.keyedArchive, at: .offset(0), .invalid("its Digest is no data"))
        }
        objects[root] = .dictionary(fields)
        archive["$objects"] = .array(objects)
        return try BinaryPropertyList.write(.dictionary(archive))
    }
}

/// Encrypts bytes that come in parts with AES-CBC and a zero first vector, as backups have it; their number is a multiple
/// of 16.
final class EncryptingStream: DumpStream {
    private let base: any DumpStream
    private let key: SymmetricKey
    private let path: DumpPath
    private var vector = [UInt8](repeating: 0, count: 16)
    private var pending = Data()
    private var isPadded: Bool

    init(_ base: any DumpStream, key: SymmetricKey, at path: DumpPath, isPadded: Bool) {
        self.isPadded = isPadded
        self.base = base
        self.key = key
        self.path = path
    }

    func next() throws(DumpError) -> Data {
        while true {
            let part = try base.next()
            pending.append(part)
            if part.isEmpty, isPadded {
                pending.append(contentsOf: [UInt8](repeating: 16, count: 16))
                isPadded = false
            }
            let count = pending.count / 16 * 16
            guard count > 0 else {
                guard part.isEmpty else { continue }
                guard pending.isEmpty else {
                    throw DumpError(path, .notPackable("its size is no multiple of 16 bytes"))
                }
                return Data()
            }
            do {
                let cipher = try AES._CBC.encrypt(
                    pending.prefix(count), using: key, iv: AES._CBC.IV(ivBytes: vector), noPadding: true)
                vector = Array(cipher.suffix(16))
                pending = Data(pending.dropFirst(count))
                return cipher
            } catch {
                throw DumpError(path, .notPackable("it cannot be encrypted with its key"))
            }
        }
    }
}
