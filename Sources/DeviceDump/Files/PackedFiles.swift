import Foundation
import Synchronization

/// Files that are made of others which hold them, and that can be put back there: those of a backup, or of an archive.
package protocol PackedFiles: DumpFiles {
    /// The files that hold these.
    var holder: any DumpFiles { get }

    /// What becomes of the holder's files where files of these get other contents, or are removed.
    ///
    /// - Parameter time: When they are changed, in seconds since 1970.
    /// - Throws: ``DumpError/Problem/notPackable(_:)`` where nobody knows how to write that safely.
    func packing(_ changes: [FileChange], at time: Int) throws(DumpError) -> [FileChange]

    /// The same, with what becomes of files that lie beside these, by their paths in ``beside``, and of files of what holds
    /// them that are none of its parts, as an export of the keychain in a backup's own folder.
    func packing(
        _ changes: [FileChange], beside: [FileChange], held: [FileChange], at time: Int
    ) throws(DumpError) -> [FileChange]

    /// The files of the folder that the folder of these lies in, or that a lone file does; `nil` where what holds these has
    /// no others.
    var beside: (any DumpFiles)? { get }

    /// The same files as they are in another holder.
    func held(by holder: any DumpFiles) throws(DumpError) -> any DumpFiles

    /// What holds these files, without what holds that.
    func innerHolder(in holder: any DumpFiles) throws(DumpError) -> any DumpFiles

    /// What lies beside them there.
    func besideHeld(by holder: any DumpFiles) throws(DumpError) -> (any DumpFiles)?

    /// Why a file is of no use without what holds it; `nil` where it is itself anywhere.
    func bond(of path: DumpPath) -> String?
}

extension PackedFiles {
    package func bond(of path: DumpPath) -> String? { nil }
    package var beside: (any DumpFiles)? { nil }
    package func besideHeld(by holder: any DumpFiles) throws(DumpError) -> (any DumpFiles)? { nil }

    package func innerHolder(in holder: any DumpFiles) throws(DumpError) -> any DumpFiles { holder }

    package func packing(
        _ changes: [FileChange], beside: [FileChange], held: [FileChange], at time: Int
    ) throws(DumpError) -> [FileChange] {
        if let first = beside.first { throw DumpError(first.path, .notPackable("nothing holds it beside the dump")) }
        return try packing(changes, at: time) + held
    }
}

/// What becomes of a file.
package struct FileChange: Sendable {
    /// The file.
    package let path: DumpPath
    /// Its content, a part at a time; `nil` where it is removed.
    package let content: (@Sendable () throws(DumpError) -> any DumpStream)?

    /// Makes a change to a content that is written a part at a time.
    init(_ path: DumpPath, content: (@Sendable () throws(DumpError) -> any DumpStream)?) {
        self.path = path
        self.content = content
    }

    /// Makes a change.
    package init(_ path: DumpPath, to content: Data?) {
        if let content { self.init(path) { DataStream(content) } } else { self.init(path, content: nil) }
    }

    /// All of its content; `nil` where it is removed.
    func bytes() throws(DumpError) -> Data? {
        guard let stream = try content?() else { return nil }
        var data = Data()
        while true {
            let part = try stream.next()
            if part.isEmpty { return data }
            data += part
        }
    }
}

extension DumpFiles {
    package var packed: (any PackedFiles)? { self as? any PackedFiles }

    /// The same, through everything that holds the files: those of a backup in a zip are put back into that.
    package var packedInAll: (any PackedFiles)? {
        guard let packed else { return nil }
        guard let outer = packed.holder.packedInAll else { return packed }
        return PackedInside(files: packed, outer: outer)
    }
}

/// Files whose holder is held by something itself.
private struct PackedInside: PackedFiles, ReadingThrough {
    let files: any PackedFiles
    let outer: any PackedFiles
    var base: any DumpFiles { files }
    var holder: any DumpFiles { outer.holder }

    func packing(_ changes: [FileChange], at time: Int) throws(DumpError) -> [FileChange] {
        try outer.packing(try files.packing(changes, at: time), at: time)
    }

    var beside: (any DumpFiles)? { files.beside ?? outer.beside }

    func besideHeld(by holder: any DumpFiles) throws(DumpError) -> (any DumpFiles)? {
        files.beside == nil
            ? try outer.besideHeld(by: holder) : try files.besideHeld(by: try outer.held(by: holder))
    }

    func innerHolder(in holder: any DumpFiles) throws(DumpError) -> any DumpFiles {
        try files.innerHolder(in: try outer.held(by: holder))
    }

    func packing(
        _ changes: [FileChange], beside: [FileChange], held: [FileChange], at time: Int
    ) throws(DumpError) -> [FileChange] {
        let isInner = files.beside != nil
        let inner = try files.packing(changes, beside: isInner ? beside : [], held: held, at: time)
        return try outer.packing(inner, beside: isInner ? [] : beside, held: [], at: time)
    }

    func held(by holder: any DumpFiles) throws(DumpError) -> any DumpFiles {
        try files.held(by: try outer.held(by: holder))
    }

    func bond(of path: DumpPath) -> String? { files.bond(of: path) }
}

/// A part of files that are packed.
struct PackedPart: PackedFiles, ReadingThrough {
    /// The part.
    let base: any DumpFiles
    let whole: any PackedFiles
    /// Where the part is.
    let folder: DumpPath
    /// The same part of other files.
    let part: @Sendable (any DumpFiles) -> any DumpFiles
    var holder: any DumpFiles { whole.holder }

    func packing(_ changes: [FileChange], at time: Int) throws(DumpError) -> [FileChange] {
        try packing(changes, beside: [], held: [], at: time)
    }

    func innerHolder(in holder: any DumpFiles) throws(DumpError) -> any DumpFiles { try whole.innerHolder(in: holder) }

    private var above: DumpPath { folder.parent ?? .root }
    var beside: (any DumpFiles)? { Subtree(whole, below: above) }

    func besideHeld(by holder: any DumpFiles) throws(DumpError) -> (any DumpFiles)? {
        Subtree(try whole.held(by: holder), below: above)
    }

    func packing(
        _ changes: [FileChange], beside: [FileChange], held: [FileChange], at time: Int
    ) throws(DumpError) -> [FileChange] {
        try whole.packing(
            changes.map { FileChange(folder / $0.path, content: $0.content) }
                + beside.map { FileChange(above / $0.path, content: $0.content) }, beside: [], held: held, at: time)
    }

    func held(by holder: any DumpFiles) throws(DumpError) -> any DumpFiles { part(try whole.held(by: holder)) }
    func bond(of path: DumpPath) -> String? { whole.bond(of: folder / path) }
}

/// Files that are read as others.
protocol ReadingThrough: DumpFiles {
    var base: any DumpFiles { get }
}

extension ReadingThrough {
    package func item(at path: DumpPath) throws(DumpError) -> DumpItem? { try base.item(at: path) }

    package func children(of folder: DumpPath, limit: Int) throws(DumpError) -> [DumpItem] {
        try base.children(of: folder, limit: limit)
    }

    package func stream(of path: DumpPath) throws(DumpError) -> any DumpStream { try base.stream(of: path) }
    package func version(of path: DumpPath) throws(DumpError) -> FileVersion { try base.version(of: path) }
    package func reopened() throws(DumpError) -> any DumpFiles { try base.reopened() }
    package func diskPath(of file: DumpPath) -> String? { base.diskPath(of: file) }

    package func pages(
        of file: DumpPath, _ control: OpeningControl
    ) throws(DumpError) -> (any DatabasePages)? { try base.pages(of: file, control) }

    package func problems(below folder: DumpPath) -> [DumpWarning] { base.problems(below: folder) }
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
