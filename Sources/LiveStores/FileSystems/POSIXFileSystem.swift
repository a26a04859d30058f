import Files
import Foundation
import SystemPackage

/// The files of the machine.
public struct POSIXFileSystem: FileSystem {
    /// The most bytes that a file may have to be read.
    public static let sizeLimit = 256 << 20

    /// Makes the file system.
    public init() {}

    /// What lies at a path, or `nil` where nothing does.
    public func status(of path: String) throws(FileError) -> FileStatus? {
        try found("look at", path) { () throws(Errno) in
            let status = try OpenFile.status(at: path)
            let kind: FileStatus.Kind =
                switch status.type {
                case .regular: .file
                case .directory: .folder
                default: .other
                }
            return FileStatus(kind, mode: UInt16(truncatingIfNeeded: status.permissions.rawValue))
        }
    }

    /// The content of a file, or `nil` where nothing is there.
    public func contents(of path: String) throws(FileError) -> Data? {
        try found("read", path) { () throws(Errno) in try OpenFile.open(path).contents(limit: Self.sizeLimit) }
    }

    /// The names in a folder in no order; none where it is not there.
    public func names(in folder: String) throws(FileError) -> [String] {
        do {
            return try OpenFile.folder(folder).names().map { String(decoding: $0, as: UTF8.self) }
        } catch .noSuchFileOrDirectory {
            return []
        } catch {
            throw FileError("list", folder, number: error.rawValue)
        }
    }

    /// Makes a folder that only its owner can use; nothing happens where there is one.
    public func makeFolder(_ path: String) throws(FileError) {
        do {
            try OpenFile.makeFolder(path, mode: 0o700)
        } catch {
            if error == .fileExists, try status(of: path)?.kind == .folder { return }
            throw FileError("make the folder", path, number: error.rawValue)
        }
    }

    /// Opens a file for writing, empty.
    public func create(_ path: String, mode: UInt16) throws(FileError) -> any OutputFile {
        try attempt("write", path) { () throws(Errno) in
            Output(file: try OpenFile.overwrite(path, mode: mode), path: path)
        }
    }

    /// Gives a file another name in the same folder.
    public func rename(_ path: String, to newPath: String) throws(FileError) {
        try attempt("rename", path) { () throws(Errno) in try OpenFile.rename(path, replacing: newPath) }
    }

    /// Takes a file away.
    public func remove(_ path: String) throws(FileError) {
        try attempt("remove", path) { () throws(Errno) in try OpenFile.remove(path) }
    }

    /// Flushes the names in a folder to the disk.
    public func synchronizeFolder(_ path: String) throws(FileError) {
        try attempt("flush", path) { () throws(Errno) in try OpenFile.folder(path).flush() }
    }

    /// Takes the exclusive right to a file.
    public func lock(_ path: String) throws(FileError) -> (any FileLock)? {
        try attempt("lock", path) { () throws(Errno) in try OpenFile.lock(path, mode: 0o600).map(Lock.init) }
    }

    private struct Lock: FileLock {
        let file: OpenFile
    }

    private struct Output: OutputFile {
        let file: OpenFile
        let path: String

        func write(_ data: Data) throws(FileError) {
            try attempt("write", path) { () throws(Errno) in try file.write(data) }
        }

        func synchronize() throws(FileError) { try attempt("flush", path) { () throws(Errno) in try file.flush() } }
    }
}

/// Says of an error what was to be done, and where.
private func attempt<Result>(
    _ operation: String, _ path: String, _ body: () throws(Errno) -> Result
) throws(FileError) -> Result {
    do { return try body() } catch { throw FileError(operation, path, number: error.rawValue) }
}

/// The same, and `nil` where nothing lies at the path.
private func found<Result>(
    _ operation: String, _ path: String, _ body: () throws(Errno) -> Result
) throws(FileError) -> Result? {
    do { return try body() } catch {
        if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
        throw FileError(operation, path, number: error.rawValue)
    }
}
