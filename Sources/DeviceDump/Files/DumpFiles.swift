import Crypto
import Foundation
import StoreFormats

/// The files of a dump, whatever holds them: a folder, a lone file, a part of either, an archive, a backup.
///
/// Errors name paths below the root. Symbolic links are never followed, and nothing is ever written.
package protocol DumpFiles: Sendable {
    /// What is at a path, or `nil` where certainly nothing is.
    ///
    /// - Throws: where that cannot be known, or the path leads through a symbolic link.
    func item(at path: DumpPath) throws(DumpError) -> DumpItem?

    /// The items directly in a folder, names in the order of their bytes, at most `limit` of them.
    ///
    /// - Throws: where it is not a folder, or cannot be listed.
    func children(of folder: DumpPath, limit: Int) throws(DumpError) -> [DumpItem]

    /// The bytes of a file.
    ///
    /// - Throws: where there is no file, it is not a regular one, it exceeds the limit, or it cannot be read.
    func bytes(at path: DumpPath, limit: Int?) throws(DumpError) -> Data

    /// The bytes of a file, a part at a time, for one that may be larger than memory.
    ///
    /// - Throws: where there is no file, it is not a regular one, or it cannot be read.
    func stream(of path: DumpPath) throws(DumpError) -> any DumpStream

    /// Whether a file can be read, as far as that is known without reading it.
    func isReadable(_ path: DumpPath) -> Bool

    /// What tells this content of a file, or this very folder, from any other that may come to stand in its place.
    ///
    /// - Throws: as ``stream(of:)`` does.
    func version(of path: DumpPath) throws(DumpError) -> FileVersion

    /// The same files as they are now, with what was unlocked.
    func reopened() throws(DumpError) -> any DumpFiles

    /// Where a file is on the disk, for a library that reads files by itself; `nil` where it is not one there.
    func diskPath(of file: DumpPath) -> String?

    /// The bytes of a database, read where they are asked for; `nil` where it is to be read by its path, or copied.
    func pages(of file: DumpPath, _ control: OpeningControl) throws(DumpError) -> (any DatabasePages)?

    /// Why a folder may hold more than is listed of it; `nil` where it does not.
    func incompleteness(of folder: DumpPath) -> DumpWarning?

    /// What is not as it should be with what holds the items below a folder, such as a file that is listed and not there.
    func problems(below folder: DumpPath) -> [DumpWarning]

    /// These files, where changes of them can be put back into what holds them; `nil` where nothing does.
    var packed: (any PackedFiles)? { get }
}

/// The bytes of a file, one part after the other.
package protocol DumpStream {
    /// The next part; empty at the end.
    func next() throws(DumpError) -> Data
}

/// What tells one content of a file from another: its SHA-256 digest, or what stands for it where the dump has that.
package struct FileVersion: Hashable, Sendable {
    /// The version as text, as a ledger keeps it.
    package let text: String

    /// Makes a version of its text.
    package init(text: String) { self.text = text }

    /// The version that is a content's digest.
    init(ofContent data: Data) { self.init(digest: SHA256.hash(data: data)) }

    fileprivate init(digest: SHA256.Digest) { self.init(text: Hexadecimal.text(Data(digest))) }
}

extension DumpFiles {
    package func children(of folder: DumpPath = .root) throws(DumpError) -> [DumpItem] {
        try children(of: folder, limit: 200_000)
    }

    package func bytes(at path: DumpPath) throws(DumpError) -> Data { try bytes(at: path, limit: nil) }

    /// The parts of the file's stream, one behind the other.
    package func bytes(at path: DumpPath, limit: Int?) throws(DumpError) -> Data {
        let stream = try stream(of: path)
        var data = Data()
        while true {
            let part = try stream.next()
            if part.isEmpty { return data }
            data.append(part)
            if let limit, data.count > limit {
                let size = (try? item(at: path)?.size) ?? 0
                throw DumpError(path, .overLimit(bytes: max(size, data.count), limit: limit))
            }
        }
    }

    package func isReadable(_ path: DumpPath) -> Bool { (try? stream(of: path)) != nil }

    package func version(of path: DumpPath) throws(DumpError) -> FileVersion { try digest(of: path) }

    package func diskPath(of file: DumpPath) -> String? { nil }

    package func pages(
        of file: DumpPath, _ control: OpeningControl
    ) throws(DumpError) -> (any DatabasePages)? { nil }

    package func incompleteness(of folder: DumpPath) -> DumpWarning? { nil }

    package func problems(below folder: DumpPath) -> [DumpWarning] { [] }

    /// The digest of a file's content.
    ///
    /// Neither size nor time stands for the content: a file may be replaced by another with the same of both.
    package func digest(of path: DumpPath) throws(DumpError) -> FileVersion {
        let stream = try stream(of: path)
        var hash = SHA256()
        while true {
            let part = try stream.next()
            if part.isEmpty { return FileVersion(digest: hash.finalize()) }
            hash.update(data: part)
        }
    }

    /// What stands in place of a folder on the way to a path, so that nobody knows what was to lie there; `nil` where the way
    /// is of folders, as far as it goes.
    func obstacle(above path: DumpPath) -> DumpError? {
        var ways: [DumpPath] = [], folder = path
        while let parent = folder.parent, !parent.isRoot {
            ways.append(parent)
            folder = parent
        }
        for way in ways.reversed() {
            do throws(DumpError) {
                guard let item = try item(at: way) else { return nil }
                if item.kind != .folder { return DumpError(way, .notAFolder) }
            } catch {
                return error
            }
        }
        return nil
    }

    /// Whether there is something at a path, or that cannot be known.
    package func isThere(_ path: DumpPath) -> Bool { (try? item(at: path)) != .some(nil) }

    /// Whether there is a folder at a path; `false` also where that cannot be known.
    func hasFolder(_ path: DumpPath) -> Bool { (try? item(at: path))?.kind == .folder }

    /// Whether there is a file at a path; `false` also where that cannot be known.
    func hasFile(_ path: DumpPath) -> Bool { (try? item(at: path))?.kind == .file }

    /// Every item below a folder, depth first; what cannot be listed is a warning, and the rest goes on.
    ///
    /// - Parameter skipping: folders that are left out with all that is in them.
    package func items(
        below folder: DumpPath = .root, limits: DumpListing.Limits = .init(), skipping: Set<DumpPath> = []
    ) -> DumpListing {
        var listing = DumpListing()
        walk(folder, limits: limits, skipping: skipping, warnings: &listing.warnings) { item in
            listing.items.append(item)
            return true
        }
        return listing
    }

    /// Whether an item below a folder meets a condition; also `true` where that cannot be known.
    func contains(below folder: DumpPath, skipping: Set<DumpPath>, where condition: (DumpItem) -> Bool) -> Bool {
        var found = false, warnings: [DumpWarning] = []
        walk(folder, limits: .init(), skipping: skipping, warnings: &warnings) { item in
            found = condition(item)
            return !found
        }
        return found || warnings.contains { $0.problem != .nameNotUTF8 }
    }

    /// Visits every item below a folder until the visitor returns `false`.
    ///
    /// No folder stays open while what is in it is visited, so the depth of a tree costs no descriptors.
    private func walk(
        _ start: DumpPath, limits: DumpListing.Limits, skipping: Set<DumpPath>, warnings: inout [DumpWarning],
        visit: (DumpItem) -> Bool
    ) {
        var room = limits.count, wasTooDeep = false
        // What is left to visit on each level, last first.
        var levels: [[DumpItem]] = []
        func enter(_ folder: DumpPath) {
            do {
                levels.append(try children(of: folder, limit: room + 1).reversed())
            } catch {
                if error.problem != .notFound { warnings.append(DumpWarning(folder, .init(error))) }
            }
        }
        enter(start)
        if let warning = incompleteness(of: start), !warnings.contains(warning) { warnings.append(warning) }
        while let item = levels.last?.last {
            levels[levels.count - 1].removeLast()
            defer { while levels.last?.isEmpty == true { levels.removeLast() } }
            if item.kind == .folder, skipping.contains(item.path) { continue }
            guard room > 0 else {
                warnings.append(DumpWarning(start, .listingCut(.count(limit: limits.count))))
                return
            }
            room -= 1
            if String(validating: item.path.lastPart, as: UTF8.self) == nil {
                warnings.append(DumpWarning(item.path, .nameNotUTF8))
            }
            guard visit(item) else { return }
            guard item.kind == .folder else { continue }
            if levels.count < limits.depth {
                enter(item.path)
            } else if !wasTooDeep {
                wasTooDeep = true
                warnings.append(DumpWarning(start, .listingCut(.depth(limit: limits.depth))))
            }
        }
    }
}

/// The part of other files that lies below a folder.
package struct Subtree: DumpFiles {
    private let base: any DumpFiles
    private let folder: DumpPath

    package init(_ base: any DumpFiles, below folder: DumpPath) {
        self.base = base
        self.folder = folder
    }

    package func item(at path: DumpPath) throws(DumpError) -> DumpItem? {
        try own { () throws(DumpError) in try base.item(at: folder / path).map(own) }
    }

    package func children(of path: DumpPath, limit: Int) throws(DumpError) -> [DumpItem] {
        try own { () throws(DumpError) in try base.children(of: folder / path, limit: limit).map(own) }
    }

    package func bytes(at path: DumpPath, limit: Int?) throws(DumpError) -> Data {
        try own { () throws(DumpError) in try base.bytes(at: folder / path, limit: limit) }
    }

    package func stream(of path: DumpPath) throws(DumpError) -> any DumpStream {
        OwnStream(base: try own { () throws(DumpError) in try base.stream(of: folder / path) }, files: self)
    }

    /// A content whose errors name it below the folder too.
    private struct OwnStream: DumpStream {
        let base: any DumpStream
        let files: Subtree

        func next() throws(DumpError) -> Data { try files.own { () throws(DumpError) in try base.next() } }
    }

    package func isReadable(_ path: DumpPath) -> Bool { base.isReadable(folder / path) }

    package func version(of path: DumpPath) throws(DumpError) -> FileVersion {
        try own { () throws(DumpError) in try base.version(of: folder / path) }
    }

    package func reopened() throws(DumpError) -> any DumpFiles { Subtree(try base.reopened(), below: folder) }

    package func diskPath(of file: DumpPath) -> String? { base.diskPath(of: folder / file) }

    package func pages(
        of file: DumpPath, _ control: OpeningControl
    ) throws(DumpError) -> (any DatabasePages)? {
        try own { () throws(DumpError) in try base.pages(of: folder / file, control) }
    }

    package var packed: (any PackedFiles)? {
        let folder = folder
        return base.packed.map { PackedPart(base: self, whole: $0, folder: folder) { Subtree($0, below: folder) } }
    }

    package func incompleteness(of path: DumpPath) -> DumpWarning? { base.incompleteness(of: folder / path) }

    package func problems(below path: DumpPath) -> [DumpWarning] {
        base.problems(below: folder / path).map { warning in
            DumpWarning(DumpPath(warning.path)?.relative(to: folder)?.text ?? warning.path, warning.problem)
        }
    }

    private func own(_ item: DumpItem) -> DumpItem {
        DumpItem(
            path: item.path.relative(to: folder) ?? item.path, kind: item.kind, size: item.size, mode: item.mode,
            modified: item.modified)
    }

    private func own<Result>(_ body: () throws(DumpError) -> Result) throws(DumpError) -> Result {
        do throws(DumpError) {
            return try body()
        } catch {
            guard let path = DumpPath(error.path)?.relative(to: folder) else { throw error }
            throw DumpError(path.text, error.problem)
        }
    }
}

/// One file of a folder, as if it were alone in it; what SQLite keeps of it in files beside it goes with it.
package struct FileAlone: DumpFiles {
    private let base: any DumpFiles
    /// The file.
    package let file: DumpPath
    /// Where a database has what is not yet, or no longer, in it.
    private let companions: [DumpPath]

    package init(_ file: DumpPath, of base: any DumpFiles) {
        self.base = base
        self.file = file
        companions = ["-journal", "-wal"].compactMap { DumpPath(bytes: file.bytes + $0.utf8) }
    }

    /// The root is a folder without mode or time: that of the file's neighbours is nobody's business.
    package func item(at path: DumpPath) throws(DumpError) -> DumpItem? {
        if path.isRoot { return DumpItem(path: .root, kind: .folder) }
        return isIts(path) ? try base.item(at: path) : nil
    }

    package func children(of folder: DumpPath, limit: Int) throws(DumpError) -> [DumpItem] {
        guard folder.isRoot else { throw DumpError(folder.text, folder == file ? .notAFolder : .notFound) }
        var items: [DumpItem] = []
        for path in [file] + companions {
            if let item = try base.item(at: path), path == file || item.kind == .file { items.append(item) }
        }
        return items
    }

    package func bytes(at path: DumpPath, limit: Int?) throws(DumpError) -> Data {
        try base.bytes(at: try checked(path), limit: limit)
    }

    package func stream(of path: DumpPath) throws(DumpError) -> any DumpStream {
        try base.stream(of: try checked(path))
    }

    /// The root is the same as long as the folder of the file is, and the file is in it.
    package func version(of path: DumpPath) throws(DumpError) -> FileVersion {
        if path.isRoot, try base.item(at: file) == nil { throw DumpError(file.text, .notFound) }
        return try base.version(of: path.isRoot ? path : try checked(path))
    }

    package func reopened() throws(DumpError) -> any DumpFiles { FileAlone(file, of: try base.reopened()) }

    package func diskPath(of path: DumpPath) -> String? { isIts(path) ? base.diskPath(of: path) : nil }

    package func pages(
        of path: DumpPath, _ control: OpeningControl
    ) throws(DumpError) -> (any DatabasePages)? {
        try base.pages(of: try checked(path), control)
    }

    package var packed: (any PackedFiles)? {
        base.packed.map { PackedAlone(base: self, whole: $0) }
    }

    /// The same in what holds the file with others, to which files may be added.
    private struct PackedAlone: PackedFiles, ReadingThrough {
        let base: any DumpFiles
        let whole: any PackedFiles
        var holder: any DumpFiles { whole.holder }

        var beside: (any DumpFiles)? { whole }
        func besideHeld(by holder: any DumpFiles) throws(DumpError) -> (any DumpFiles)? { try held(by: holder) }

        func packing(_ changes: [FileChange], at time: Int) throws(DumpError) -> [FileChange] {
            try packing(changes, beside: [], held: [], at: time)
        }

        func packing(
            _ changes: [FileChange], beside: [FileChange], held: [FileChange], at time: Int
        ) throws(DumpError) -> [FileChange] {
            for change in changes where try base.item(at: change.path) == nil {
                // What is not a part of the dump is not written over.
                guard try whole.item(at: change.path) == nil else {
                    throw DumpError(change.path, .notPackable("another file of that name is in it already"))
                }
            }
            return try whole.packing(changes + beside, beside: [], held: held, at: time)
        }

        func innerHolder(in holder: any DumpFiles) throws(DumpError) -> any DumpFiles {
            try whole.innerHolder(in: holder)
        }

        // With what was added.
        func held(by holder: any DumpFiles) throws(DumpError) -> any DumpFiles { try whole.held(by: holder) }
        func bond(of path: DumpPath) -> String? { whole.bond(of: path) }
    }

    private func isIts(_ path: DumpPath) -> Bool { path == file || companions.contains(path) }

    private func checked(_ path: DumpPath) throws(DumpError) -> DumpPath {
        guard !isIts(path) else { return path }
        throw DumpError(path.text, path.isRoot ? .notAFile("a folder") : .notFound)
    }
}
