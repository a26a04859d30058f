import Foundation
import MigrationEngine

/// Whether there is a keychain with a container: none is not the same as an empty one.
package enum KeychainState: Hashable, Sendable {
    /// The dump has no keychain, so nothing is known of any item.
    case none
    /// The items come from an export: its path, relative to the dump's root or, where it lies elsewhere, absolute.
    case items(from: String)
    /// There is an export, or several, and it is not read: why.
    case unreadable(Unreadable)

    /// Why keychain items cannot be read at all; `nil` where they can.
    package var problem: Unreadable? {
        switch self {
        case .none: Unreadable(.missing, "no keychain in this dump")
        case .items: nil
        case .unreadable(let reason): reason
        }
    }
}

/// The file that a dump's keychain items come from.
package struct KeychainFile: Sendable {
    /// Which file it is.
    package let source: SourceFile
    /// Whether a person named it, rather than it being found.
    package let isGiven: Bool
    /// What it holds.
    package let export: KeychainExport
    /// Where the items are of which nothing but their class is known.
    let nameless: [Int]
    private let files: any DumpFiles
    private let file: DumpPath

    init(
        _ source: SourceFile, isGiven: Bool, export: KeychainExport, file: DumpPath, of files: any DumpFiles
    ) {
        self.source = source
        self.isGiven = isGiven
        self.export = export
        nameless = export.items.indices.filter { export.items[$0].isNameless }
        self.file = file
        self.files = files
    }

    /// The path, relative to the dump's root or absolute.
    package var path: String { source.description }

    /// The last part of the path.
    package var name: String { file.name }

    /// What tells the content of the file as it is now from any other.
    func version() throws(DumpError) -> FileVersion {
        do throws(DumpError) { return try files.version(of: file) } catch { throw DumpError(path, error.problem) }
    }

    /// The same file as it is now.
    func reopened() throws(DumpError) -> (files: any DumpFiles, file: DumpPath) {
        do throws(DumpError) { return (try files.reopened(), file) } catch { throw DumpError(path, error.problem) }
    }

    /// The bytes of the file as they are now.
    package func read() throws(DumpError) -> Data { try files.bytes(at: file, limit: KeychainExport.byteLimit) }
}
