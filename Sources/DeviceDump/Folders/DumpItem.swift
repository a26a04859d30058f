import Foundation

/// A file, a folder or another item of a dump, as the file system describes it; a symbolic link is itself.
public struct DumpItem: Hashable, Sendable {
    /// What an item is.
    public enum Kind: Hashable, Sendable {
        /// A regular file.
        case file
        /// A folder.
        case folder
        /// A symbolic link, with where it points; it is never followed.
        case symbolicLink(target: String)
        /// A pipe, a socket or a device, in words; it is never opened.
        case other(String)
    }

    /// A point in time as file systems keep it.
    public struct Moment: Hashable, Sendable {
        /// Whole seconds since 1970-01-01T00:00:00Z.
        public let seconds: Int
        /// Nanoseconds after that, from 0 up to a billion.
        public let nanoseconds: Int
    }

    /// The path relative to the dump's root, with replacement characters where a name is not UTF-8.
    public let path: String
    /// What the item is.
    public let kind: Kind
    /// The size in bytes.
    public let size: Int
    /// The permission bits, such as 0o644.
    public let mode: UInt16
    /// When the content was last changed.
    public let modified: Moment
    /// Whether the path is the item's true name; `false` where a name is not UTF-8, and then it cannot be read.
    public let isNameExact: Bool

    /// The last part of the path.
    public var name: String { path.split(separator: "/").last.map(String.init) ?? "" }
}

/// The items below a folder of a dump, depth first, a folder before what is in it, names in the order of their bytes.
public struct DumpListing: Hashable, Sendable {
    /// How far a listing goes.
    public struct Limits: Hashable, Sendable {
        /// How many levels of folders are listed.
        public var depth: Int
        /// How many items are listed.
        public var count: Int

        /// Makes limits.
        public init(depth: Int = 64, count: Int = 200_000) {
            self.depth = depth
            self.count = count
        }
    }

    /// Why a listing is not complete.
    public enum Cut: Hashable, Sendable {
        /// It stops at this many levels.
        case depth(limit: Int)
        /// It stops at this many items.
        case count(limit: Int)
    }

    /// The items.
    public var items: [DumpItem] = []
    /// Folders that could not be listed, names that are not UTF-8, and where the listing was cut.
    public var warnings: [DumpWarning] = []
}

extension DumpItem {
    /// The item that the file system describes; `target` is asked only where it is a symbolic link.
    init(_ path: String, _ status: stat, isNameExact: Bool, target: () -> String) {
        self.path = path
        self.isNameExact = isNameExact
        size = Int(clamping: status.st_size)
        mode = UInt16(status.st_mode & 0o7777)
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        modified = Moment(seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .symbolicLink(target: target())
            case S_IFIFO: .other("a pipe")
            case S_IFSOCK: .other("a socket")
            case S_IFBLK, S_IFCHR: .other("a device")
            default: .other("not a file")
            }
    }
}
