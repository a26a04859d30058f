import DeviceDump
import Files
import Foundation
import MigrationEngine
import StoreFormats

extension Dump {
    /// The container of an identifier, or the only one.
    func chosenContainer(_ identifier: String?) throws(WorkspaceError) -> Container {
        do {
            return try container(identifier)
        } catch {
            throw .dump(error)
        }
    }

    /// The containers by the names that a ledger has for them.
    var byLedgerName: [Name: Container] { Dictionary(containers.map { ($0.ledgerName, $0) }) { first, _ in first } }

    /// A container with the groups that its steps were applied with: what a person has said to be its is so for whoever looks.
    func claiming(_ history: History, for container: Container) -> Container {
        claiming(GroupClaims(history.facts), for: container).1
    }

    /// Whether nothing may be written at a path, because it is the dump, its keychain or the log of a database by itself, or lies in
    /// it; of a file of an .xcappdata also in that.
    package func protects(_ path: String) -> Bool {
        var read = ownPaths + ["-wal", "-shm", "-journal"].map { location.disk + $0 }
        if let end = location.disk.firstRange(of: ".xcappdata/")?.upperBound {
            read.append(String(location.disk[..<end]))
        }
        return read.contains { CanonicalPath.isSame(path, asNamed: $0) }
    }

    /// Where it lies on the disk, and its keychain where that lies elsewhere.
    var ownPaths: [String] {
        if case .elsewhere(let path)? = keychain?.source { [location.disk, path] } else { [location.disk] }
    }
}

extension Container {
    /// The name under which a ledger keeps a container: its path in the dump, `.` for the dump's own folder.
    ///
    /// Its identifier may come from the content or the name of a file, and change or go with it.
    var ledgerName: Name { path.isRoot ? "." : Name(path.text) }
}

/// Paths without symbolic links.
package enum CanonicalPath {
    /// The absolute path of something that is there, or `nil`.
    static func of(_ path: String) -> String? {
        guard !path.utf8.contains(0), let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }

    /// The absolute path of something that need not be there: the nearest folder above it that is, and the rest.
    package static func ofPossibleFile(_ path: String) -> String {
        if let known = of(path) { return known }
        var parts = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        var rest: [String] = []
        while let last = parts.popLast() {
            rest.insert(last, at: 0)
            let above = (path.hasPrefix("/") ? "/" : "./") + parts.joined(separator: "/")
            if let known = of(above) { return (known == "/" ? "" : known) + "/" + rest.joined(separator: "/") }
        }
        return path
    }

    /// Whether what is at a path, or would be, is what a person has named, or lies in it: of what lies in an archive the archive.
    package static func isSame(_ path: String, asNamed named: String) -> Bool {
        if ofPossibleFile(path) == ofPossibleFile(named) { return true }
        var named = named
        while true {
            if let place = of(named) { return isSame(ofPossibleFile(path), orInside: place) }
            guard let above = above(named) else { return false }
            if let place = of(above), (try? OpenFile.status(at: place))?.type != .regular { return false }
            named = above
        }
    }

    /// The path of the folder that one names before its last part; `nil` where it names none.
    ///
    /// Foundation's own traps on a name of one character.
    private static func above(_ path: String) -> String? {
        let parts = path.split(separator: "/").dropLast(), isAbsolute = path.hasPrefix("/")
        guard !parts.isEmpty || isAbsolute && path.contains(where: { $0 != "/" }) else { return nil }
        return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
    }

    /// Whether a path is another one or lies below it; compared by bytes.
    static func isSame(_ path: String, orInside folder: String) -> Bool {
        let path = Array(path.utf8), folder = Array(folder.utf8)
        if path == folder || folder == [UInt8(ascii: "/")] { return true }
        return path.starts(with: folder + [UInt8(ascii: "/")])
    }
}
