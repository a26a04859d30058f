import DeviceDump
import Foundation

/// The folder that an export makes: built beside its place, and put there with one rename.
struct ExportTarget {
    /// The absolute path without symbolic links.
    let path: String
    /// The folder in which the new one is built, on the same disk.
    let buildPath: String
    private let parent: String
    private let replaces: Bool

    /// Checks where a dump may be exported to.
    ///
    /// - Throws: ``WorkspaceError/export(_:_:)`` for a place that is taken, in the dump, or around the dump or its ledger.
    init(_ target: String, for dump: Dump, ledgerPath: String, replacing: Bool) throws(WorkspaceError) {
        let parts = target.split(separator: "/", omittingEmptySubsequences: true)
        guard let last = parts.last, last != ".", last != ".." else { throw .export(target, .targetExists) }
        let above = (target.hasPrefix("/") ? "/" : "./") + parts.dropLast().joined(separator: "/")
        guard let parent = CanonicalPath.of(above) else { throw .export(target, .noParentFolder) }
        let start = parent == "/" ? "/" : parent + "/"
        self.parent = parent
        path = start + last
        buildPath = "\(start).\(last).vestige-\(String(UInt64.random(in: .min ... .max), radix: 16))"
        if dump.protects(path) { throw .export(target, .insideDump) }
        for read in [dump.canonicalPath, dump.keychain?.absolutePath ?? dump.canonicalPath] {
            if CanonicalPath.isSame(read, orInside: path) { throw .export(target, .holdsDump) }
        }
        if CanonicalPath.isSame(CanonicalPath.ofPossibleFile(ledgerPath), orInside: path) {
            throw .export(target, .holdsLedger)
        }
        var status = stat()
        let isTaken = lstat(path, &status) == 0
        if isTaken, !replacing { throw .export(target, .targetExists) }
        if isTaken, status.st_mode & S_IFMT != S_IFDIR { throw .export(target, .targetNotAFolder) }
        replaces = isTaken
    }

    /// Puts the folder in its place, in one step; where there was one before, returns where that is now.
    func place() throws(SystemError) -> String? {
        let replaced = replaces ? try exchange() : nil
        if !replaces { try placeNew() }
        try POSIXFile.open(parent).flush()
        return replaced
    }

    private func placeNew() throws(SystemError) {
        guard Self.rename(buildPath, path, exclusively: true) != 0 else { return }
        guard Self.isUnsupported(errno) else { throw SystemError(errno) }
        // A file system without that flag; there a folder never replaces anything but an empty folder.
        guard Foundation.access(path, F_OK) != 0 else { throw SystemError(EEXIST) }
        guard Foundation.rename(buildPath, path) == 0 else { throw SystemError(errno) }
    }

    private func exchange() throws(SystemError) -> String {
        if Self.rename(buildPath, path, exclusively: false) == 0 { return buildPath }
        guard Self.isUnsupported(errno) else { throw SystemError(errno) }
        let aside = buildPath + "-replaced"
        guard Foundation.rename(path, aside) == 0 else { throw SystemError(errno) }
        guard Foundation.rename(buildPath, path) == 0 else {
            let failure = errno
            _ = Foundation.rename(aside, path)
            throw SystemError(failure)
        }
        return aside
    }

    private static func isUnsupported(_ number: Int32) -> Bool {
        number == EINVAL || number == ENOSYS || number == ENOTSUP
    }

    /// Renames to a place that must be free, or exchanges two.
    private static func rename(_ from: String, _ to: String, exclusively: Bool) -> Int32 {
        #if canImport(Darwin)
        return renamex_np(from, to, UInt32(exclusively ? RENAME_EXCL : RENAME_SWAP))
        #else
        // glibc declares it for GNU sources only, and Swift imports glibc without; so it is looked up by name.
        guard let symbol = dlsym(nil, "renameat2") else {
            errno = ENOSYS
            return -1
        }
        typealias Function = @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
        let noReplace: UInt32 = 1, exchange: UInt32 = 2  // linux/fs.h
        return unsafeBitCast(symbol, to: Function.self)(
            AT_FDCWD, from, AT_FDCWD, to, exclusively ? noReplace : exchange)
        #endif
    }
}
