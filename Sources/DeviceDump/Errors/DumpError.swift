/// Why a dump, or a part of it, could not be opened; the words are in `DumpError+Message.swift`.
public struct DumpError: Error, Hashable, Sendable {
    /// The file or folder, as an absolute path where it has one.
    public var path: String
    /// What is wrong with it.
    public var problem: Problem

    /// Makes an error.
    public init(_ path: String, _ problem: Problem) {
        self.path = path
        self.problem = problem
    }

    /// What can be wrong.
    public enum Problem: Hashable, Sendable {
        /// There is nothing at the path.
        case notFound
        /// The file system refused, with its error number.
        case inaccessible(errno: Int32)
        /// The path is, or leads through, a symbolic link inside of a dump.
        case symbolicLink(target: String)
        /// A file was expected and this is something else: what, in words.
        case notAFile(String)
        /// A folder was expected and this is something else.
        case notAFolder
        /// The file has more bytes than may be read.
        case overLimit(bytes: Int, limit: Int)
        /// The relative path has a part that no file may have, such as `..`.
        case badPath
        /// None of the known forms.
        case notRecognised
        /// A form that is recognised and not read: its name.
        case unsupported(form: String)
        /// The folder holds several dumps: their paths.
        case severalDumps([String])
        /// The dump has no container of an app.
        case noContainers
        /// The dump has several apps and none was chosen: their identifiers.
        case severalApps([String])
        /// The dump has no container of that identifier; those that it has.
        case noSuchApp(String, available: [String])
        /// The file that was named as a keychain is not read as one.
        case notAKeychain(KeychainError)
    }
}
