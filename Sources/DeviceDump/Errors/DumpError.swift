import SystemPackage

/// Why a dump, or a part of it, could not be opened; the words are in `DumpError+Message.swift`.
public struct DumpError: Error, Hashable, Sendable {
    /// The file or folder: absolute where it is the dump itself, otherwise relative to the dump's root.
    public var path: String
    /// What is wrong with it.
    public var problem: Problem

    /// Makes an error.
    public init(_ path: String, _ problem: Problem) {
        self.path = path
        self.problem = problem
    }

    init(_ path: DumpPath, _ problem: Problem) { self.init(path.text, problem) }

    /// What can be wrong.
    public enum Problem: Hashable, Sendable {
        /// There is nothing at the path.
        case notFound
        /// What was opened is no longer there, or something else is.
        case gone
        /// The file was written to while it was read.
        case changing
        /// The file system refused, with its error number.
        case inaccessible(Errno)
        /// The path is, or leads through, a symbolic link inside of a dump.
        case symbolicLink(target: String)
        /// A file was expected and this is something else: what, in words.
        case notAFile(String)
        /// A folder was expected and this is something else.
        case notAFolder
        /// The file has more bytes than may be read.
        case overLimit(bytes: Int, limit: Int)
        /// The path has a NUL, or is not UTF-8.
        case badPath
        /// None of the known forms.
        case notRecognised
        /// A form that is recognised and not read: its name, and what to do about it.
        case refused(form: String, advice: String)
        /// The dump is encrypted, and a password opens it.
        case locked
        /// The folder holds several dumps: their paths.
        case severalDumps([String])
        /// The dump has no container of an app.
        case noContainers
        /// The dump has several containers that could be meant, and none was chosen: their identifiers, or their paths
        /// where they have one identifier.
        case severalApps([String])
        /// The dump has no container of that identifier or path; those that it has.
        case noSuchApp(String, available: [String])
        /// The file that was named as a keychain is not read as one.
        case notAKeychain(KeychainError)
        /// The person stopped it.
        case cancelled
    }
}
