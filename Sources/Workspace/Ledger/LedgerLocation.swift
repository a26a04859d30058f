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
    /// Whether the ledgers of other dumps lie beside it.
    var isStandard: Bool { if case .standard = self { true } else { false } }

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
            guard let folder = OwnFolder.path(.state, in: environment) else { throw .noStateFolder }
            return "\(folder)/\(Self.readableName(of: dumpPath))-\(Self.digest(of: dumpPath)).ledger"
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
