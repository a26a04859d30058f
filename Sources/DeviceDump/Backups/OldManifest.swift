import Foundation
import StoreFormats

/// `Manifest.mbdb`, the list of a backup before iOS 10: a header of six bytes, then a record for each item.
///
/// A record has five texts, each after its length in two bytes (`FFFF` is none): domain, path, target of a link, digest
/// of the content, wrapped key; then numbers of a fixed size, and at its end named properties. All numbers have the most
/// significant byte first.
struct OldManifest {
    /// The first bytes.
    static let magic = Data("mbdb".utf8)
    /// The most bytes that are read; no real one has a tenth of that.
    static let limit = 512 << 20

    /// The version that is known, as the header has it.
    static let known = "5.0"

    /// The items of each domain.
    private(set) var trees: [DumpPath: BackupTree] = [:]
    /// Where it is damaged, in words; what comes before that is read, and nothing is known of what comes after it.
    private(set) var damage: String?
    /// The version that the header says.
    let version: String
    var isKnownVersion: Bool { version == Self.known }

    /// Reads it.
    init(_ data: Data, rows limit: Int) throws(Failure) {
        guard data.starts(with: Self.magic) else { throw .notAManifest }
        version = data.dropFirst(4).prefix(2).map(String.init).joined(separator: ".")
        guard data.count >= 6 else {
            damage = "it ends within its header"
            return
        }
        var reader = Reader(rest: data.dropFirst(6)), count = 0
        while !reader.rest.isEmpty {
            let offset = data.count - reader.rest.count
            guard let (domain, path, listed) = reader.record() else {
                damage = "its record \(count + 1), at byte \(offset), does not end"
                break
            }
            count += 1
            guard count <= limit else { throw .tooManyRows }
            guard let name = DumpPath(bytes: domain), name.parts.count == 1 else {
                damage = damage ?? "its record \(count), at byte \(offset), has a domain that is none"
                continue
            }
            var entry = listed
            entry.payload = PayloadName(of: domain, path)
            trees[name, default: BackupTree()].add(entry, at: path)
        }
        for domain in trees.keys { trees[domain]?.sort() }
    }

    enum Failure: Error { case notAManifest, tooManyRows }

    private struct Reader {
        var rest: Data

        mutating func record() -> (domain: Data, path: Data, entry: BackupEntry)? {
            guard let domain = text(), let path = text(), let target = text(), text() != nil, let key = text(),
                let mode = number(2), number(8) != nil, number(4) != nil, number(4) != nil,
                let modified = number(4), number(4) != nil, number(4) != nil, let size = number(8),
                let protection = number(1), let properties = number(1)
            else { return nil }
            for _ in 0..<properties { guard text() != nil, text() != nil else { return nil } }
            var record = BackupRecord()
            record.protectionClass = UInt32(protection)
            record.wrappedKey = key.count > 4 ? Data(key.dropFirst(4)) : nil
            record.target = Array(target)
            let kind: BackupEntry.Kind =
                switch mode & 0o170000 {
                case 0o100000: .file
                case 0o040000: .folder
                case 0o120000: .symbolicLink
                default: .other
                }
            let entry = BackupEntry(
                kind: kind, payload: nil, details: .known(record), size: Int(clamping: size),
                mode: UInt16(truncatingIfNeeded: mode), modified: Int(clamping: modified),
                keyClass: record.wrappedKey == nil ? nil : record.protectionClass)
            return (domain, path, entry)
        }

        private mutating func number(_ count: Int) -> UInt64? {
            guard rest.count >= count else { return nil }
            let value = rest.prefix(count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(count)
            return value
        }

        private mutating func text() -> Data? {
            guard let count = number(2) else { return nil }
            if count == 0xFFFF { return Data() }
            guard rest.count >= Int(count) else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return Data(rest.prefix(Int(count)))
        }
    }
}
