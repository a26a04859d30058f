import Files
import SystemPackage

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
