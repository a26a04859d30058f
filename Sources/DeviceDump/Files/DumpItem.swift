import Foundation
import SystemPackage

/// A file, a folder or another item of a dump, as the dump describes it; a symbolic link is itself.
package struct DumpItem: Hashable, Sendable {
    /// What an item is.
    package enum Kind: Hashable, Sendable {
        /// A regular file.
        case file
        /// A folder.
        case folder
        /// A symbolic link, with where it points; it is never followed.
        case symbolicLink(target: [UInt8])
        /// A pipe, a socket or a device, in words; it is never opened.
        case other(String)
    }

    /// A point in time as file systems keep it.
    package struct Moment: Hashable, Sendable {
        /// Whole seconds since 1970-01-01T00:00:00Z.
        package let seconds: Int
        /// Nanoseconds after that, from 0 up to a billion.
        package let nanoseconds: Int
    }

    /// The path.
    package let path: DumpPath
    /// What the item is.
    package let kind: Kind
    /// The size in bytes.
    package var size = 0
    /// The permission bits, such as 0o644, where the dump has them.
    package var mode: UInt16?
    /// When the content was last changed, where the dump says it.
    package var modified: Moment?

    /// The last part of the path.
    package var name: String { path.name }
}

extension DumpItem {
    /// The item that the file system describes; `target` is asked only where it is a symbolic link.
    init(_ path: DumpPath, _ status: Stat, target: () -> [UInt8]) {
        self.path = path
        size = Int(clamping: status.size)
        mode = UInt16(status.permissions.rawValue & 0o7777)
        modified = Moment(seconds: Int(status.st_mtim.tv_sec), nanoseconds: Int(status.st_mtim.tv_nsec))
        kind = Self.kind(status.type, target: target)
    }

    private static func kind(_ type: FileType, target: () -> [UInt8]) -> Kind {
        switch type {
        case .regular: .file
        case .directory: .folder
        case .symbolicLink: .symbolicLink(target: target())
        default: .other(words(type) ?? "not a file")
        }
    }

    /// What is neither a file nor a folder nor a link, in words.
    static func words(_ type: FileType) -> String? {
        switch type {
        case .fifo: "a pipe"
        case .socket: "a socket"
        case .blockSpecial, .characterSpecial: "a device"
        default: nil
        }
    }
}

extension DumpItem {
    /// Why nothing is read through it, where it is a symbolic link.
    var refusal: DumpError? {
        guard case .symbolicLink(let target) = kind else { return nil }
        return DumpError(path, .symbolicLink(target: String(decoding: target, as: UTF8.self)))
    }
}

/// The items below a folder of a dump, depth first, a folder before what is in it, names in the order of their bytes.
package struct DumpListing: Hashable, Sendable {
    /// How far a listing goes.
    package struct Limits: Hashable, Sendable {
        /// How many levels of folders are listed.
        package var depth: Int
        /// How many items are listed.
        package var count: Int

        /// Makes limits.
        package init(depth: Int = 64, count: Int = 200_000) {
            self.depth = depth
            self.count = count
        }
    }

    /// The items.
    package var items: [DumpItem] = []
    /// Folders that could not be listed, names that are not UTF-8, and where the listing was cut.
    package var warnings: [DumpWarning] = []
}
