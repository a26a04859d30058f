import Foundation

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
    public var description: String { "cannot \(operation) \(path): \(cause)" }

    /// The system's own words would depend on the host's language.
    private var cause: String {
        switch number {
        case EACCES, EPERM: "permission is denied"
        case EROFS: "the disk is read-only"
        case ENOSPC, EDQUOT: "there is no space left"
        case ENOENT: "it is not there"
        case EEXIST, ENOTEMPTY: "there is something already"
        case ENOTDIR: "a part of the path is not a folder"
        case EISDIR: "it is a folder"
        case ELOOP: "a symbolic link is in the way"
        case EIO: "the disk reports an error"
        case ENAMETOOLONG: "a name is too long"
        case EFBIG: "it is too large"
        default: "the system reports error \(number)"
        }
    }
}
