import DeviceDump
import Files
import Foundation
import MigrationEngine
import SystemPackage

/// Writes a dump anew, in the form it has; what it has written can be read back before it is put in its place.
///
/// Errors of the operating system are as they are. Until it is placed nobody else sees anything of it.
protocol DumpWriter: AnyObject {
    /// How many bytes more can be written.
    func freeBytes() throws(Errno) -> Int
    /// Makes a folder that is as one of the dump, or a new one for its owner only.
    func makeFolder(_ path: DumpPath, like item: DumpItem?) throws(Errno)
    /// Begins a file.
    func makeFile(_ path: DumpPath) throws(Errno) -> any FileSink
    /// Takes away a file that was begun and cannot be ended.
    func removeFile(_ path: DumpPath) throws(Errno)
    /// Makes a symbolic link as the dump has it.
    func makeLink(_ item: DumpItem, to target: [UInt8]) throws(Errno)
    /// What has been written, read anew.
    func written() throws(DumpError) -> any DumpFiles
    /// Makes it last; after this nothing more is written.
    func finish() throws(Errno)
    /// Puts it in its place in one step; returns where what it replaced is left, if that could not be removed.
    ///
    /// - Parameters:
    ///   - list: What was written.
    ///   - isCancelled: Asked while it waits for another export; then `ECANCELED` is thrown.
    func place(_ list: ExportList, isCancelled: () -> Bool) throws(Errno) -> String?
    /// Removes what was written.
    func discard()
}

/// A file that is being written.
protocol FileSink {
    /// Appends bytes.
    func write(_ data: Data) throws(Errno)
    /// Ends it, with permission bits, and with a time where it is as one of the dump.
    func finish(mode: UInt16, modified: DumpItem.Moment?) throws(Errno)
}

/// Writes a dump as a folder: built beside its place, on the same disk, and put there with one rename.
///
/// While it is built it is locked, so that it can be told from one that a program which was killed has left.
final class FolderWriter: DumpWriter {
    private let target: ExportTarget
    private let root: OpenFile
    private let lock: OpenFile?
    /// The folders that were made, those above before those below, with what to make of them at the end.
    private var folders: [(path: DumpPath, item: DumpItem?)] = []

    init(_ target: ExportTarget) throws(Errno) {
        self.target = target
        try target.parent.makeFolder(at: target.buildName.utf8, mode: 0o700)
        root = try target.parent.open(at: target.buildName.utf8, isFolder: true)
        lock = try root.locked()
        // After it is locked, so that what is marked and not locked was left behind. On a file system without attributes
        // that is not known of a folder, and it is not tidied away.
        target.mark.begin(on: root)
    }

    func freeBytes() throws(Errno) -> Int { try root.freeBytes() }

    func makeFolder(_ path: DumpPath, like item: DumpItem?) throws(Errno) {
        if !path.isRoot { try root.makeFolder(at: path.bytes, mode: 0o700) }
        folders.append((path, item))
    }

    func makeFile(_ path: DumpPath) throws(Errno) -> any FileSink {
        Sink(file: try root.create(at: path.bytes, mode: 0o600))
    }

    func removeFile(_ path: DumpPath) throws(Errno) { try root.removeFile(at: path.bytes) }

    private struct Sink: FileSink {
        let file: OpenFile

        func write(_ data: Data) throws(Errno) { try file.write(data) }

        func finish(mode: UInt16, modified: DumpItem.Moment?) throws(Errno) {
            // No set-user-ID and the like: what an app left must not become a right of the person who looks at it.
            try file.setMode(mode & 0o777)
            if let modified { try file.setModified(timespec(modified)) }
        }
    }

    func makeLink(_ item: DumpItem, to target: [UInt8]) throws(Errno) {
        try root.makeLink(at: item.path.bytes, to: target, modified: item.modified.map(timespec.init))
    }

    func written() throws(DumpError) -> any DumpFiles { try FolderFiles(opening: target.buildPath) }

    /// Gives the folders their times and modes, those below first, as each entry changes the time above, and flushes all.
    func finish() throws(Errno) {
        for (path, item) in folders.reversed() {
            let folder = path.isRoot ? root : try root.open(at: path.bytes, isFolder: true)
            if let modified = item?.modified { try folder.setModified(timespec(modified)) }
            if let mode = item?.mode { try folder.setMode(mode & 0o777) }
        }
        try root.flushFileSystem()
    }

    func place(_ list: ExportList, isCancelled: () -> Bool) throws(Errno) -> String? {
        // Another export to this place would take this one's list for its own: it waits until this is done.
        let lock = try target.lockedParent(isCancelled: isCancelled)
        defer { withExtendedLifetime(lock) {} }
        let earlier = target.earlier
        if let earlier {
            // What was looked at is what is replaced.
            let known = try earlier.status(), there = try OpenFile.status(at: target.path)
            guard known.inode == there.inode, known.deviceID == there.deviceID else { throw .fileExists }
        }
        let before = earlier.flatMap { target.mark.list(of: $0, in: target.parent) } ?? ExportList()
        // What cannot be listed is only not replaced later.
        let isListed =
            (try? target.mark.prepare(for: root, insteadOf: earlier, in: target.parent, target.parentPath, list)) != nil
        var replaced: String?
        do throws(Errno) {
            if earlier != nil {
                replaced = try OpenFile.exchange(target.buildPath, with: target.path)
            } else {
                try OpenFile.rename(target.buildPath, toFree: target.path)
            }
        } catch {
            if isListed { target.mark.discard(of: root, in: target.parent) }
            throw error
        }
        if isListed { try? target.mark.finish(in: target.parentPath) }
        try target.parent.flush()
        guard let replaced else { return nil }
        guard let name = replaced.split(separator: "/").last else { return replaced }
        do throws(Errno) {
            // What somebody has put there since it was looked at is not ours to remove.
            let folder = try target.parent.open(at: name.utf8, isFolder: true)
            guard try before.others(in: folder, isCancelled: { false }).isEmpty else { return replaced }
            try target.parent.removeTree(name.utf8)
            return nil
        } catch {
            return replaced
        }
    }

    func discard() { try? target.parent.removeTree(target.buildName.utf8) }
}

extension timespec {
    /// When an item's content was last changed.
    fileprivate init(_ moment: DumpItem.Moment) {
        self.init(tv_sec: moment.seconds, tv_nsec: moment.nanoseconds)
    }
}
