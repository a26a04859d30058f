import Files
import Foundation
import SystemPackage

/// The few operations on files that live stores are made of; each changing one is one system call.
///
/// Paths are absolute. The last part of a path is never followed where it is a symbolic link. What the protocol promises
/// is what POSIX promises: a name is on the disk once its folder has been flushed, content once its file has been.
public protocol FileSystem: Sendable {
    /// What lies at a path, or `nil` where nothing does.
    func status(of path: String) throws(FileError) -> FileStatus?
    /// The content of a file, or `nil` where nothing is there.
    func contents(of path: String) throws(FileError) -> Data?
    /// The names in a folder in no order; none where it is not there.
    func names(in folder: String) throws(FileError) -> [String]
    /// Makes a folder that only its owner can use; nothing happens where there is one.
    func makeFolder(_ path: String) throws(FileError)
    /// Opens a file for writing, empty: a new one, or the one that is there with its content gone.
    ///
    /// - Parameter mode: The permission bits of a new file.
    func create(_ path: String, mode: UInt16) throws(FileError) -> any OutputFile
    /// Gives a file another name in the same folder, in place of one that has that name already.
    func rename(_ path: String, to newPath: String) throws(FileError)
    /// Takes a file away.
    func remove(_ path: String) throws(FileError)
    /// Flushes the names in a folder to the disk.
    func synchronizeFolder(_ path: String) throws(FileError)
    /// Takes the exclusive right to a file, made where it is not there; `nil` where another process has it.
    ///
    /// The right ends with the last reference to what is returned, and with the process however that ends.
    func lock(_ path: String) throws(FileError) -> (any FileLock)?
}

/// A file open for writing; closed with its last reference.
public protocol OutputFile: Sendable {
    /// Appends all of the bytes.
    func write(_ data: Data) throws(FileError)
    /// Flushes the content to the disk.
    func synchronize() throws(FileError)
}

/// The exclusive right to a file.
public protocol FileLock: Sendable {}

/// What lies at a path.
public struct FileStatus: Hashable, Sendable {
    /// What kinds of thing there are.
    public enum Kind: Hashable, Sendable {
        /// A regular file.
        case file
        /// A folder.
        case folder
        /// A symbolic link, a pipe, a device.
        case other
    }

    /// What it is.
    public var kind: Kind
    /// Its permission bits.
    public var mode: UInt16

    /// Makes a status.
    public init(_ kind: Kind, mode: UInt16) {
        self.kind = kind
        self.mode = mode
    }
}

/// An operation on a file that the operating system refused.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was to be done, as a verb.
    public var operation: String
    /// The path.
    public var path: String
    /// The error number of the operating system.
    public var number: Int32

    /// Makes an error.
    public init(_ operation: String, _ path: String, number: Int32) {
        self.operation = operation
        self.path = path
        self.number = number
    }

    /// What happened, where and why, in a sentence without a full stop.
    public var description: String { "cannot \(operation) \(path): \(Errno(rawValue: number).words)" }
}
