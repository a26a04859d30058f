import Crypto
import Foundation
import StoreFormats

/// What a backup says of one item, in full.
struct BackupRecord: Sendable {
    /// The class that the key of the content is wrapped with, where there is one.
    var protectionClass: UInt32 = 0
    /// The key of the content, wrapped.
    var wrappedKey: Data?
    /// Where a symbolic link points.
    var target: [UInt8] = []
    /// The SHA-1 digest of what is stored, where there is one.
    var digest: Data?

    init() {}

    /// Reads an archived `MBFile`, as `Manifest.db` has one in each row.
    init(archive data: Data) throws(FormatError) {
        let fields = try Self.fields(data)
        protectionClass = try fields.integer("ProtectionClass").flatMap { UInt32(exactly: $0) } ?? 0
        digest = try fields.value(of: "Digest")?.data
        target = Array((try fields.value(of: "Target")?.string ?? "").utf8)
        // Four bytes of the class, the least significant first, and the wrapped key.
        guard let key = try fields.value(of: "EncryptionKey")?.data, key.count > 4 else { return }
        protectionClass = key.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        wrappedKey = Data(key.dropFirst(4))
    }

    /// The most bytes that a description may have; real ones have less than 2 kB.
    private static let limit = 1 << 20

    /// The fields of an archived `MBFile`.
    fileprivate static func fields(_ data: Data) throws(FormatError) -> KeyedArchiveRoot {
        guard data.count <= limit else {
            throw FormatError(.keyedArchive, at: .offset(0), .tooLarge(bytes: data.count, limit: limit))
        }
        let fields = try KeyedArchiveRoot(data)
        let hasSize = try fields.has("Size"), hasMode = try fields.has("Mode")
        guard hasSize || hasMode else {
            throw FormatError(.keyedArchive, at: .offset(0), .invalid("it is not the description of a file"))
        }
        return fields
    }
}

/// An item of a backup, as far as a listing asks for it.
struct BackupEntry: Sendable {
    /// What an item is.
    enum Kind: Sendable {
        case file, folder, symbolicLink
        /// Something that backups have no name for.
        case other
    }

    /// Where the rest of what is known of it is.
    enum Details: Sendable {
        /// In this row of `Manifest.db`.
        case row(Int64)
        /// Here.
        indirect case known(BackupRecord)
        /// Nowhere: the folder is there because something is in it.
        case none
    }

    var kind: Kind
    /// The name of its payload; `nil` where what the backup has for it can be none.
    var payload: PayloadName?
    var details: Details
    /// The size of the content, in bytes; real backups are at times wrong.
    var size = 0
    /// The mode with its type, as `stat` has it.
    var mode: UInt16 = 0
    /// When the content was last changed: seconds since 1970.
    var modified: Int?
    /// The class that the key of its content is wrapped with; `nil` where its content has none.
    var keyClass: UInt32?
    /// Whether what the backup says of it cannot be read.
    var isBroken = false
    /// Whether its content has another name than the digest of where it is; each of Apple's has that.
    var isNamedOtherwise = false
    /// Whether the backup has a digest of what is stored.
    var hasDigest = false

    static let impliedFolder = BackupEntry(kind: .folder, payload: nil, details: .none)

    /// Takes over what a listing asks for of an archived `MBFile`.
    mutating func read(_ archive: Data) {
        do throws(FormatError) {
            let fields = try BackupRecord.fields(archive)
            size = max(0, try fields.integer("Size") ?? 0)
            mode = UInt16(truncatingIfNeeded: try fields.integer("Mode") ?? 0)
            modified = try fields.integer("LastModified")
            hasDigest = try fields.has("Digest")
            if let key = try fields.value(of: "EncryptionKey")?.data, key.count > 4 {
                keyClass = key.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
            }
        } catch {
            // Reading the whole record says what is the matter.
            isBroken = true
        }
    }
}

/// The name that a backup stores a content under: a SHA-1 digest in hexadecimal digits.
///
/// Any other name could lead anywhere, and is none.
struct PayloadName: Hashable, Comparable, Sendable {
    private let high, middle: UInt64
    private let low: UInt32

    /// Reads 40 digits, the letters small.
    init?(_ digits: some Sequence<UInt8>) {
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0), count = 0
        for digit in digits {
            let value: UInt64
            switch digit {
            case 0x30...0x39: value = UInt64(digit - 0x30)
            case 0x61...0x66: value = UInt64(digit - 0x61 + 10)
            default: return nil
            }
            switch count {
            case 0..<16: words.0 = words.0 << 4 | value
            case 16..<32: words.1 = words.1 << 4 | value
            case 32..<40: words.2 = words.2 << 4 | value
            default: return nil
            }
            count += 1
        }
        guard count == 40 else { return nil }
        (high, middle, low) = (words.0, words.1, UInt32(words.2))
    }

    /// The name that a backup stores the content of a file under: the SHA-1 digest of its domain and path.
    init(of domain: some Collection<UInt8>, _ path: some Collection<UInt8>) {
        var bytes = [UInt8]()
        bytes.reserveCapacity(domain.count + 1 + path.count)
        bytes += domain
        bytes.append(UInt8(ascii: "-"))
        bytes += path
        func word(_ part: some Sequence<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
        let digest = Array(Insecure.SHA1.hash(data: bytes))
        (high, middle, low) = (word(digest[0..<8]), word(digest[8..<16]), UInt32(word(digest[16...])))
    }

    /// The digits.
    var digits: [UInt8] {
        (0..<40).map { position in
            let word = position < 16 ? high : position < 32 ? middle : UInt64(low)
            let shift = position < 32 ? 60 - 4 * (position % 16) : 28 - 4 * (position - 32)
            let value = UInt8(word >> UInt64(shift) & 0xF)
            return value < 10 ? 0x30 + value : 0x61 + value - 10
        }
    }

    static func < (left: PayloadName, right: PayloadName) -> Bool {
        (left.high, left.middle, left.low) < (right.high, right.middle, right.low)
    }
}

/// The items of one domain of a backup.
struct BackupTree: Sendable {
    private(set) var entries: [DumpPath: BackupEntry] = [.root: .impliedFolder]
    private(set) var children: [DumpPath: [DumpPath]] = [:]
    /// Rows whose path leads out of the domain, or is none.
    private(set) var strayPaths = 0
    /// How many of them have none.
    private(set) var withoutPath = 0
    /// Rows whose path another row has too.
    private(set) var duplicates = 0
    /// Whether an item lies below one that is no folder, so that it is not to be reached.
    private(set) var hasHidden = false
    /// Rows that lie below what another row says is no folder: how many, the first, and what it lies below.
    private(set) var hidden: (count: Int, first: DumpPath, below: DumpPath)?
    /// Rows that are said to be no folders and have others below them, so that they are taken for folders.
    private(set) var filled: (count: Int, first: DumpPath)?
    /// Why there may be more items than are known: the list is damaged, or rows of it do not say what they are of.
    var doubt: DumpError?

    /// Counts a row that says of no path.
    mutating func passOver() {
        strayPaths += 1
        withoutPath += 1
    }

    /// Adds an item at a path as its row has it.
    mutating func add(_ entry: BackupEntry, at bytes: some Sequence<UInt8>) {
        guard let path = DumpPath(bytes: bytes) else { return strayPaths += 1 }
        if let known = entries[path], case .none = known.details {
            // What has something in it is a folder, whatever its row says.
            var entry = entry
            if path.isRoot || children[path] != nil {
                if entry.kind != .folder { filled = ((filled?.count ?? 0) + 1, min(filled?.first ?? path, path)) }
                entry.kind = .folder
            }
            entries[path] = entry
        } else if entries[path] != nil {
            duplicates += 1
        } else {
            entries[path] = entry
            link(path)
        }
    }

    /// Makes the folders above a path known, as far as they have no row of their own yet.
    private mutating func link(_ path: DumpPath) {
        var path = path
        while let parent = path.parent {
            children[parent, default: []].append(path)
            if let known = entries[parent] {
                if known.kind != .folder { hasHidden = true }
                return
            }
            entries[parent] = .impliedFolder
            path = parent
        }
    }

    /// Puts the items of each folder in the order of their names.
    mutating func sort() {
        for folder in children.keys { children[folder]?.sort() }
        guard hasHidden else { return }
        for (path, entry) in entries {
            if case .none = entry.details { continue }
            let above = path.folders.first { folder in entries[folder].map { $0.kind != .folder } ?? false }
            guard let above else { continue }
            let isFirst = hidden.map { path < $0.first } ?? true
            hidden = (
                (hidden?.count ?? 0) + 1, isFirst ? path : hidden?.first ?? path,
                isFirst ? above : hidden?.below ?? above
            )
        }
    }
}
