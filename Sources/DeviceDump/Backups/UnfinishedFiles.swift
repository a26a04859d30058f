import Foundation
import MigrationEngine

/// The files of an interrupted backup that lie in folders under their own names, where nothing lists what was to come: what is
/// not there is unknown.
struct UnfinishedFiles: DumpFiles {
    let base: any DumpFiles
    /// That it was interrupted.
    let damage: DumpError

    func item(at path: DumpPath) throws(DumpError) -> DumpItem? {
        guard let item = try base.item(at: path) else { throw damage }
        return item
    }

    func children(of folder: DumpPath, limit: Int) throws(DumpError) -> [DumpItem] {
        try known { () throws(DumpError) in try base.children(of: folder, limit: limit) }
    }

    func bytes(at path: DumpPath, limit: Int?) throws(DumpError) -> Data {
        try known { () throws(DumpError) in try base.bytes(at: path, limit: limit) }
    }

    func stream(of path: DumpPath) throws(DumpError) -> any DumpStream {
        try known { () throws(DumpError) in try base.stream(of: path) }
    }

    func isReadable(_ path: DumpPath) -> Bool { base.isReadable(path) }

    func version(of path: DumpPath) throws(DumpError) -> FileVersion { try base.version(of: path) }

    func reopened() throws(DumpError) -> any DumpFiles { UnfinishedFiles(base: try base.reopened(), damage: damage) }

    func diskPath(of file: DumpPath) -> String? { base.diskPath(of: file) }

    func pages(of file: DumpPath, _ control: OpeningControl) throws(DumpError) -> (any DatabasePages)? {
        try base.pages(of: file, control)
    }

    func incompleteness(of folder: DumpPath) -> DumpWarning? {
        DumpWarning(damage.path, .unreadable(Unreadable(damage)))
    }

    func problems(below folder: DumpPath) -> [DumpWarning] { base.problems(below: folder) }

    var packed: (any PackedFiles)? { base.packed }

    private func known<Result>(_ body: () throws(DumpError) -> Result) throws(DumpError) -> Result {
        do throws(DumpError) { return try body() } catch { throw error.problem == .notFound ? damage : error }
    }
}
