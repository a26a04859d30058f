import Files
import Foundation
import SystemPackage

/// A folder of the system's temporary ones, for its owner only, with what must be a file for a library to read it.
///
/// It is removed with the last reference. What a program left that was killed goes when the next such folder is made: one
/// that is in use is locked, and the system lets go of a lock however a program ends.
final class PrivateFolder: Sendable {
    /// Its absolute path.
    let path: String
    private let parent: OpenFile
    private let name: [UInt8]
    private let lock: OpenFile
    private static let start = "vestige-private-"

    /// Makes an empty one.
    init() throws(Errno) {
        let above = FileManager.default.temporaryDirectory.path
        parent = try OpenFile.folder(above)
        Self.removeLeftovers(in: parent)
        var made: (path: String, lock: OpenFile)?
        // One that is not locked yet may be taken for a leftover by another program.
        for _ in 0..<8 where made == nil {
            let path = "\(above)/\(Self.start)\(String(UInt64.random(in: .min ... .max), radix: 16))"
            guard mkdir(path, 0o700) == 0 else { throw .last }
            guard let lock = try? OpenFile.folder(path).locked(), access(path, F_OK) == 0 else { continue }
            made = (path, lock)
        }
        guard let made else { throw .resourceBusy }
        (path, lock) = made
        name = Array(path.utf8.suffix(from: path.utf8.index(path.utf8.startIndex, offsetBy: above.utf8.count + 1)))
    }

    deinit { try? parent.removeTree(name) }

    private static func removeLeftovers(in parent: OpenFile) {
        for name in (try? parent.names(limit: 10_000)) ?? [] where name.starts(with: start.utf8) {
            guard let status = try? parent.status(of: name), status.userID.rawValue == geteuid(),
                let folder = try? parent.open(at: name, isFolder: true), let lock = try? folder.locked()
            else { continue }
            withExtendedLifetime(lock) { try? parent.removeTree(name) }
        }
    }
}
