import Foundation
import MigrationEngine
import StoreFormats

/// What a backup says of one item.
struct BackupRecord: Sendable {
    /// The size of the content, in bytes; real backups are at times wrong.
    var size = 0
    /// The mode with its type, as `stat` has it.
    var mode: UInt16 = 0
    /// When the content was last changed: seconds since 1970.
    var modified: Int?
    /// The class that the key of the content is wrapped with, where there is one.
    var protectionClass: UInt32 = 0
    /// The key of the content, wrapped.
    var wrappedKey: Data?
    /// Where a symbolic link points.
    var target: [UInt8] = []

    init() {}

    /// Reads an archived `MBFile`, as `Manifest.db` has one in each row.
    init(archive data: Data) throws(FormatError) {
        let limits = Limits(depth: 32, nodes: 10_000, bytes: 1 << 20)
        let archive = try BinaryPropertyList(data, limits: limits).value()
        let fields: Members
        switch try KeyedArchive.decode(archive, limits: limits) {
        case .object(let object): fields = object.fields
        case .dictionary(let members): fields = members
        default: throw FormatError(.keyedArchive, at: .offset(0), .invalid("it is not the description of a file"))
        }
        func number(_ key: Name) -> Int? {
            guard case .integer(let number)? = fields[key] else { return nil }
            return Int(exactly: number)
        }
        guard fields["Size"] != nil || fields["Mode"] != nil else {
            throw FormatError(.keyedArchive, at: .offset(0), .invalid("it is not the description of a file"))
        }
        size = max(0, number("Size") ?? 0)
        mode = UInt16(truncatingIfNeeded: number("Mode") ?? 0)
        modified = number("LastModified")
        protectionClass = number("ProtectionClass").flatMap { UInt32(exactly: $0) } ?? 0
        target = Array((fields["Target"]?.string ?? "").utf8)
        // Four bytes of the class, the least significant first, and the wrapped key.
        guard let key = fields["EncryptionKey"]?.data, key.count > 4 else { return }
        protectionClass = key.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        wrappedKey = Data(key.dropFirst(4))
    }
}

/// An item of a backup, as far as its manifest lists it.
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
        case known(BackupRecord)
        /// Nowhere: the folder is there because something is in it.
        case none
    }

    var kind: Kind
    /// The name of its payload: hexadecimal digits, or else it is nobody's.
    var fileID: [UInt8]
    var details: Details

    static let impliedFolder = BackupEntry(kind: .folder, fileID: [], details: .none)
}

/// The items of one domain of a backup.
struct BackupTree: Sendable {
    private(set) var entries: [DumpPath: BackupEntry] = [.root: .impliedFolder]
    private(set) var children: [DumpPath: [DumpPath]] = [:]
    /// Rows whose path leads out of the domain, or is none.
    private(set) var strayPaths = 0
    /// Rows whose path another row has too.
    private(set) var duplicates = 0

    /// Adds an item at a path as its row has it.
    mutating func add(_ entry: BackupEntry, at bytes: some Sequence<UInt8>) {
        guard let path = DumpPath(bytes: bytes) else { return strayPaths += 1 }
        if let known = entries[path], case .none = known.details {
            entries[path]?.details = entry.details
            // What has something in it is a folder, whatever its row says.
            if path.isRoot || children[path] != nil { return }
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
            if entries[parent] != nil { return }
            entries[parent] = .impliedFolder
            path = parent
        }
    }

    /// Puts the items of each folder in the order of their names.
    mutating func sort() {
        for folder in children.keys { children[folder]?.sort() }
    }
}
