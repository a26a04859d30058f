import Foundation
import MigrationEngine

/// Whether there is a keychain with a container: none is not the same as an empty one.
public enum KeychainState: Hashable, Sendable {
    /// The dump has no keychain, so nothing is known of any item.
    case none
    /// The items come from an export: its path, relative to the dump's root or, where it lies elsewhere, absolute.
    case items(from: String)
    /// There is an export, or several, and it is not read: why.
    case unreadable(Unreadable)

    /// Why keychain items cannot be read at all; `nil` where they can.
    public var problem: Unreadable? {
        switch self {
        case .none: Unreadable(.missing, "no keychain in this dump; name an export with --keychain")
        case .items: nil
        case .unreadable(let reason): reason
        }
    }
}

/// The file that a dump's keychain items come from.
public struct KeychainFile: Sendable {
    /// The absolute path.
    public let absolutePath: String
    /// The path relative to the dump's root, where it lies in its root folder.
    public let pathInDump: String?
    /// Whether a person named it, rather than it being found.
    public let isGiven: Bool
    /// What it holds.
    public let export: KeychainExport

    /// The path relative to the dump's root, or else the absolute one.
    public var path: String { pathInDump ?? absolutePath }

    /// The bytes of the file as they are now.
    public func read() throws(DumpError) -> Data { try DumpFolder.contents(ofFile: absolutePath) }
}

extension DumpFolder {
    /// The bytes of a keychain export anywhere, at an absolute path.
    ///
    /// - Throws: where there is no file, it is not a regular one, it exceeds the limit, or the system refuses.
    public static func contents(ofFile path: String) throws(DumpError) -> Data {
        let (folder, name) = try opening(file: path)
        return try folder.read(name, limit: KeychainExport.byteLimit)
    }

    /// The folder that a file is in, with that file only, and its name.
    static func opening(file path: String) throws(DumpError) -> (folder: DumpFolder, name: String) {
        let path = try canonicalPath(path)
        guard let name = path.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) else {
            throw DumpError(path, .notAFile("a folder"))
        }
        return (try DumpFolder(opening: String(path.dropLast(name.count)), onlyFile: name), name)
    }
}
