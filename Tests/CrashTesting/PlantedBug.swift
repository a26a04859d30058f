import Foundation
import LiveStores
import Synchronization

/// A file system through which the code under test has a bug that it must not have, to show that the model finds it.
public struct PlantedBug: FileSystem {
    /// The bugs.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// Folders are never flushed.
        case foldersNotFlushed
        /// The folder of the journal is not flushed: the decision may be lost after it was acted upon.
        case journalFolderNotFlushed
        /// The folders of the files are not flushed before the record of the change is removed.
        case dataFoldersNotFlushed
        /// Files are not flushed before they are renamed into place.
        case filesNotFlushed
        /// The staged new content is itself renamed into place, across folders, instead of a copy of it.
        case stageUsedUp
    }

    private let kind: Kind
    private let files: MemoryFileSystem
    private let drafts = Drafts()

    /// Plants a bug.
    public init(_ kind: Kind, in files: MemoryFileSystem) {
        self.kind = kind
        self.files = files
    }

    /// What lies at a path.
    public func status(of path: String) throws(FileError) -> FileStatus? { try files.status(of: path) }
    /// The content of a file.
    public func contents(of path: String) throws(FileError) -> Data? { try files.contents(of: path) }
    /// The names in a folder.
    public func names(in folder: String) throws(FileError) -> [String] { try files.names(in: folder) }
    /// Makes a folder.
    public func makeFolder(_ path: String) throws(FileError) { try files.makeFolder(path) }
    /// Takes a file away.
    public func remove(_ path: String) throws(FileError) { try files.remove(path) }
    /// Takes the exclusive right to a file.
    public func lock(_ path: String) throws(FileError) -> (any FileLock)? { try files.lock(path) }

    /// Flushes the names in a folder.
    public func synchronizeFolder(_ path: String) throws(FileError) {
        let isJournal = path.contains("/.vestige-journal")
        switch kind {
        case .foldersNotFlushed: return
        case .journalFolderNotFlushed where isJournal: return
        case .dataFoldersNotFlushed where !isJournal: return
        default: try files.synchronizeFolder(path)
        }
    }

    /// Opens a file for writing, empty.
    public func create(_ path: String, mode: UInt16) throws(FileError) -> any OutputFile {
        if kind == .stageUsedUp, path.contains("/.vestige-"), !path.contains("/.vestige-journal") {
            return Draft(path: path, drafts: drafts)
        }
        let file = try files.create(path, mode: mode)
        return kind == .filesNotFlushed ? Unflushed(file: file) : file
    }

    /// Gives a file another name.
    public func rename(_ path: String, to newPath: String) throws(FileError) {
        guard let content = drafts.take(path) else { return try files.rename(path, to: newPath) }
        let root = "/" + (path.split(separator: "/").first ?? "")
        let stage = "\(root)/.vestige-journal/stage"
        for name in try files.names(in: stage) where try files.contents(of: "\(stage)/\(name)") == content {
            return try files.rename("\(stage)/\(name)", to: newPath)
        }
        throw FileError("rename", path, number: ENOENT)
    }

    private struct Unflushed: OutputFile {
        let file: any OutputFile
        func write(_ data: Data) throws(FileError) { try file.write(data) }
        func synchronize() {}
    }

    private struct Draft: OutputFile {
        let path: String
        let drafts: Drafts
        func write(_ data: Data) { drafts.append(data, to: path) }
        func synchronize() {}
    }

    private final class Drafts: Sendable {
        private let contents = Mutex<[String: Data]>([:])
        func append(_ data: Data, to path: String) { contents.withLock { $0[path, default: Data()] += data } }
        func take(_ path: String) -> Data? { contents.withLock { $0.removeValue(forKey: path) } }
    }
}
