import Foundation
import Synchronization

/// Files that are made of others which hold them, and that can be put back there: those of a backup.
package protocol PackedFiles: DumpFiles {
    /// The files that hold these.
    var holder: any DumpFiles { get }

    /// What becomes of the holder's files where files of these get other contents, or are removed.
    ///
    /// - Parameter time: When they are changed, in seconds since 1970.
    /// - Throws: ``DumpError/Problem/notPackable(_:)`` where nobody knows how to write that safely.
    func packing(_ changes: [FileChange], at time: Int) throws(DumpError) -> [PackedChange]

    /// The same files as they are in another holder.
    func held(by holder: any DumpFiles) throws(DumpError) -> any DumpFiles
}

/// What becomes of one of a dump's files.
package struct FileChange: Sendable {
    /// The file.
    package let path: DumpPath
    /// Its content; `nil` where it is removed.
    package let content: Data?

    /// Makes a change.
    package init(_ path: DumpPath, to content: Data?) {
        self.path = path
        self.content = content
    }
}

/// What becomes of one of the files that hold a dump's.
package struct PackedChange: Sendable {
    /// The file.
    package let path: DumpPath
    /// Its content, a part at a time; `nil` where it is removed.
    package let content: (@Sendable () throws(DumpError) -> any DumpStream)?
}

/// Bytes in one part.
struct DataStream: DumpStream {
    private final class Rest: Sendable {
        let data: Mutex<Data>
        init(_ data: Data) { self.data = Mutex(data) }
    }

    private let rest: Rest

    init(_ data: Data) { rest = Rest(data) }

    func next() -> Data {
        rest.data.withLock { data in
            defer { data = Data() }
            return data
        }
    }
}
