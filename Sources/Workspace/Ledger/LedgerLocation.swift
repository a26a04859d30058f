import Crypto
import DeviceDump
import Files
import Foundation
import StoreFormats
import SystemPackage

/// Where the ledger of a dump is kept.
package enum LedgerLocation: Hashable, Sendable {
    /// A file that the person named.
    case file(String)
    /// One file for each dump, in the folder for the state of programs that these environment variables name.
    case standard(environment: [String: String])
}

extension LedgerLocation {
    /// The path of the ledger of a dump.
    ///
    /// The standard one is `$XDG_STATE_HOME/vestige/<name>-<digest>.ledger`, by default below `$HOME/.local/state`: the
    /// name is for people, the digest is of the dump's path.
    ///
    /// - Parameter dumpPath: The absolute path of the dump, without symbolic links.
    /// - Throws: ``WorkspaceError/noStateFolder``.
    package func path(forDumpAt dumpPath: String) throws(WorkspaceError) -> String {
        switch self {
        case .file(let path): return path
        case .standard(let environment):
            let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/state" : nil }
            // The specification of XDG says to ignore a path that is not absolute.
            let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
            guard let state else { throw .noStateFolder }
            return "\(state)/vestige/\(Self.readableName(of: dumpPath))-\(Self.digest(of: dumpPath)).ledger"
        }
    }

    /// The last part of a path with only letters, digits, dots, hyphens and underscores, at most 40 of them.
    private static func readableName(of path: String) -> String {
        let last = path.split(separator: "/").last ?? "dump"
        let kept = last.unicodeScalars.map { scalar -> Character in
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            return isPlain || "._-".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
        }
        return String(kept.prefix(40).drop { $0 == "." })
    }

    private static func digest(of path: String) -> String {
        String(SHA256Digest.hexadecimal(of: Data(path.utf8)).prefix(16))
    }
}

/// SHA-256 as text.
package enum SHA256Digest {
    /// The digest of bytes, as 64 hexadecimal digits in lower case.
    package static func hexadecimal(of data: Data) -> String { Hexadecimal.text(SHA256.hash(data: data)) }
}

/// The hidden names beside a place under which something is made for it: a new one each time, and nobody else's.
struct HiddenName {
    /// What marks a file as one that is being made, so that no other is ever removed; some file systems cannot keep it.
    static let attribute = "user.vestige.ledger"

    private let folder: String, start: String

    /// Makes names beside a path.
    init(besides path: String) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
        let first = slash ?? path.startIndex
        folder = String(path[..<first])
        start = Self.beginning(for: path[first...])
    }

    /// What hidden names begin with: they say whose they are, and are not longer than a name may be.
    static func beginning(for name: some StringProtocol) -> String {
        var start = name[...]
        while start.utf8.count > 200 { start.removeLast() }
        return ".\(start)\(ending)"
    }

    /// What such a beginning ends with.
    static let ending = ".vestige-"

    /// Whether what follows such a beginning is the number of a new name.
    static func isNumber(_ text: some Collection<UInt8>) -> Bool {
        (1...16).contains(text.count) && text.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    /// Another name.
    func another() -> String { folder + start + String(UInt64.random(in: 0...UInt64.max), radix: 16) }

    /// Removes what programs left that were stopped while making this ledger: a copy of somebody's data.
    ///
    /// Whoever makes a ledger has its lock, so none of them is being made.
    func removeLeftovers() {
        guard let parent = try? OpenFile.folder(folder.isEmpty ? "." : folder) else { return }
        for name in (try? parent.names()) ?? [] where name.starts(with: start.utf8) {
            guard Self.isNumber(name.dropFirst(start.utf8.count)), let file = try? parent.open(at: name),
                file.hasAttribute(Self.attribute)
            else { continue }
            try? parent.removeFile(at: name)
        }
    }
}
