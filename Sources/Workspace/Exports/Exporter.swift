import Crypto
import DeviceDump
import Files
import Foundation
import MigrationEngine
import StoreFormats
import SystemPackage

/// Writes a dump with edits anew, and compares what it has written with what it should have.
struct Exporter {
    let dump: Dump
    let edits: ExportEdits
    let writer: any DumpWriter
    let progress: (ExportProgress) -> Void
    let isCancelled: () -> Bool
    /// Runs after each file that is written; tests let it fail there.
    let didWrite: (Int) -> Errno?
    private(set) var summary: ExportSummary
    /// The files that are written: those that hold the dump's, where changes can be put back into them.
    private let files: any DumpFiles
    private let packed: (any PackedFiles)?
    /// What becomes of those that hold the dump's.
    private var packedChanges: [DumpPath: FileChange] = [:]
    /// The edits that are in that.
    private var packedEdits: [ExportEdits.FileEdit] = []
    /// The edit of the keychain's export that lies beside the dump in that, or in the dump's own folder, with its path there.
    private var keychainEdit: (edit: ExportEdits.FileEdit, isHeld: Bool)?

    /// A file that was written and is to be read back.
    private struct Written {
        let path: DumpPath
        /// What it should be, where it was copied.
        let version: FileVersion?
    }

    private var written: [Written] = []
    private var list = ExportList()
    private var links: [(item: DumpItem, target: [UInt8])] = []
    private var folders: Set<DumpPath> = []
    /// Folders that could not be made, as their names are too long for the file system.
    private var leftOut: Set<DumpPath> = []

    init(
        _ dump: Dump, edits: ExportEdits, to target: String, unpacked: Bool, writer: any DumpWriter,
        progress: @escaping (ExportProgress) -> Void, isCancelled: @escaping () -> Bool,
        didWrite: @escaping (Int) -> Errno?
    ) {
        self.dump = dump
        self.edits = edits
        self.writer = writer
        self.progress = progress
        self.isCancelled = isCancelled
        self.didWrite = didWrite
        packed = unpacked ? nil : dump.files.packedInAll
        files = packed?.holder ?? dump.files
        summary = ExportSummary(target: target, skipped: edits.withoutPlace, withoutFile: edits.withoutFile)
    }

    /// Does all of it; whatever goes wrong, nothing is left behind.
    mutating func run() throws(WorkspaceError) -> ExportSummary {
        do throws(WorkspaceError) {
            try build()
            try compare()
            try placing { () throws(Errno) in try writer.finish() }
            try checkCancelled()
            try reading { () throws(DumpError) in try dump.checkIsThere() }
            summary.leftover = try placing { () throws(Errno) in try writer.place(list, isCancelled: isCancelled) }
            return summary
        } catch {
            writer.discard()
            throw error
        }
    }

    // MARK: Writing

    private mutating func build() throws(WorkspaceError) {
        try reading { () throws(DumpError) in try dump.checkIsThere() }
        try pack()
        let listing = files.items(limits: DumpListing.Limits(depth: 256, count: 5_000_000))
        // Names that are not UTF-8 are copied; anything that is not listed would be lacking.
        for warning in listing.warnings where warning.problem != .nameNotUTF8 {
            throw .export(summary.target, .incompleteListing("\(warning)"))
        }
        try checkRoom(for: listing.items)
        let root = try reading { () throws(DumpError) in try files.item(at: .root) }
        try makeFolder(.root, root)
        for (index, item) in listing.items.enumerated() {
            try checkCancelled()
            try copy(item)
            progress(
                ExportProgress(phase: .writing, done: index + 1, total: listing.items.count, path: item.path.text))
        }
        let known = Set(listing.items.map(\.path))
        for edit in edits.files where isApart(edit) && !known.contains(edit.path) { try add(edit) }
        // Links come last, so that no file is ever written through one.
        for (item, target) in links {
            try at(item.path) { () throws(Errno) in try writer.makeLink(item, to: target) }
            list.add(link: item.path, to: target)
        }
    }

    /// Makes sure that what is copied and what steps have made has room on the disk: a file with holes may say that it has more
    /// than there is anywhere.
    private func checkRoom(for items: [DumpItem]) throws(WorkspaceError) {
        let copied = items.lazy.filter { item in
            guard item.kind == .file else { return false }
            // What is packed with others takes the room of these as well.
            guard self.packed == nil, let edit = self.edits[item.path] else { return true }
            return edit.keepsRest
        }
        let needed = (copied.map(\.size) + edits.files.map(\.edit.size)).reduce(0) { sum, size in
            let more = sum.addingReportingOverflow(size)
            return more.overflow ? .max : more.partialValue
        }
        let free = try placing { () throws(Errno) in try writer.freeBytes() }
        guard needed > free else { return }
        throw .export(summary.target, .notPlaced("it has \(needed) bytes, and \(free) are free on the disk"))
    }

    /// Whether an edit is of a file that is written by itself, and not of one in what holds the dump's: an export of the
    /// keychain that lies elsewhere is put beside them.
    private func isApart(_ edit: ExportEdits.FileEdit) -> Bool {
        if packed == nil { return true }
        guard case .keychain = edit.edit, case .elsewhere(let path)? = dump.keychain?.source else { return false }
        return !path.utf8.starts(with: (dump.location.disk + "/").utf8)
    }

    /// Finds out what becomes of the files that hold the dump's.
    private mutating func pack() throws(WorkspaceError) {
        guard let packed else { return }
        var changes: [FileChange] = [], beside: [FileChange] = [], held: [FileChange] = []
        for edit in edits.files where !isApart(edit) {
            try checkCancelled()
            let path = edit.path
            if case .keychain = edit.edit, case .elsewhere(let place)? = dump.keychain?.source {
                let change = try keychainChange(edit, at: place, in: packed)
                if keychainEdit?.isHeld ?? false { held.append(change) } else { beside.append(change) }
                continue
            }
            let isThere = try reading { () throws(DumpError) in try dump.files.item(at: path) } != nil
            var content: Data?
            // What is removed need not be readable.
            if case .removal = edit.edit {
                guard isThere else { continue }
            } else {
                let original = isThere ? try reading { () throws(DumpError) in try dump.bytes(at: path) } : nil
                content = try apply(edit.edit, to: original, at: path)
                if content == nil, !isThere { continue }
            }
            changes.append(FileChange(path, to: content))
            packedEdits.append(edit)
            if content == nil {
                summary.removed.append(path.text)
            } else if isThere {
                summary.rewritten.append(path.text)
            } else {
                summary.added.append(path.text)
            }
        }
        let found = try reading { () throws(DumpError) in
            try packed.packing(changes, beside: beside, held: held, at: Int(Date().timeIntervalSince1970))
        }
        packedChanges = Dictionary(found.map { ($0.path, $0) }) { first, _ in first }
        if !(changes + beside + held).isEmpty { summary.archive = (files as? FileAlone)?.file.text }
    }

    /// What becomes of the keychain's export that lies beside the dump, in what holds both, or in the dump's own folder.
    private mutating func keychainChange(
        _ edit: ExportEdits.FileEdit, at place: String, in packed: any PackedFiles
    ) throws(WorkspaceError) -> FileChange {
        // A content of a backup is a part of it, with its size in the manifest.
        let own = Array((dump.path + "/").utf8), rest = Array(place.utf8.dropFirst(own.count))
        let isHeld = place.utf8.starts(with: own) && DumpPath(bytes: rest)?.parts.count == 1
        let isContent = rest.count == 40 && Hexadecimal.data(rest) != nil
        // Of one beside an archive in another nothing is written.
        let besideDump = dump.path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let isBeside = dump.keychain.map { Name(besideDump + "/" + $0.name) == Name(place) } ?? false
        guard isHeld || isBeside else {
            throw .dump(
                DumpError(
                    place,
                    .notPackable(
                        "the export of the keychain lies elsewhere in the archive than the dump, and is not written there; "
                            + "take it out of there, and give it with the dump")))
        }
        let isThere = try reading { () throws(DumpError) in
            let files = isHeld ? try packed.innerHolder(in: packed.holder) : packed.beside
            guard let path = dump.keychain.flatMap({ DumpPath($0.name) }) else { return false }
            return try files?.item(at: path)?.kind == .file
        }
        // With another one written beside it two would be there afterwards, of which the old one counts.
        guard let keychain = dump.keychain, let path = DumpPath(keychain.name), isThere, !(isHeld && isContent) else {
            throw .dump(
                DumpError(
                    place,
                    .notPackable(
                        "as an export of the keychain it lies among the parts of the dump, where a change of it would "
                            + "damage that; move it out of there, and give it with the dump")))
        }
        let original = try reading { () throws(DumpError) in try keychain.read() }
        keychainEdit = (ExportEdits.FileEdit(path: path, edit: edit.edit), isHeld)
        summary.rewritten.append(keychain.path)
        return FileChange(path, to: try apply(edit.edit, to: original, at: path))
    }

    private mutating func copy(_ item: DumpItem) throws(WorkspaceError) {
        guard try !leavesOut(item) else { return }
        switch item.kind {
        case .folder: try makeFolder(item.path, item)
        case .symbolicLink(let target):
            if edits[item.path] != nil { throw .export(summary.target, .notAFilePath(item.path.text)) }
            links.append((item, target))
        case .other(let what): summary.skipped.append(.init(path: item.path.text, reason: "it is \(what)"))
        case .file:
            if let change = packedChanges[item.path] {
                guard let content = change.content else { return }
                let stream = try reading { () throws(DumpError) in try content() }
                try write(stream, to: item, modified: nil)
                return
            }
            guard packed == nil, let edit = edits[item.path] else { return try copyFile(item) }
            // What is removed need not be readable.
            if case .removal = edit { return summary.removed.append(item.path.text) }
            let data = try reading { () throws(DumpError) in try dump.bytes(at: item.path) }
            guard let edited = try apply(edit, to: data, at: item.path) else {
                return summary.removed.append(item.path.text)
            }
            try write(edited, to: item.path, mode: item.mode ?? 0o600)
            summary.rewritten.append(item.path.text)
        }
    }

    /// Whether an item of the dump cannot be in the copy; it is named, and the rest goes on.
    ///
    /// What holds the files of a dump may hold names that no file system has. What a step has changed is never left out.
    private mutating func leavesOut(_ item: DumpItem) throws(WorkspaceError) -> Bool {
        let path = item.path
        if !leftOut.isEmpty, path.folders.contains(where: leftOut.contains) {
            return edits[path] == nil ? true : try tooLong(path)
        }
        if packed == nil, edits[path] == nil, let bond = dump.files.packed?.bond(of: path) {
            summary.skipped.append(.init(path: path.text, reason: bond))
            return true
        }
        guard path.lastPart.count > DumpPath.partLimit || path.bytes.count >= Int(PATH_MAX) else { return false }
        if edits[path] != nil { return try tooLong(path) }
        let isName = path.lastPart.count > DumpPath.partLimit
        let count = isName ? path.lastPart.count : path.bytes.count
        let words = isName ? "its name has \(count) bytes" : "its path has \(count) bytes"
        let limit = isName ? DumpPath.partLimit : Int(PATH_MAX) - 1
        let below = item.kind == .folder ? ", so that neither it nor what is in it is written" : ""
        summary.skipped.append(
            .init(path: path.text, reason: "\(words), and file systems allow \(limit)\(below)"))
        if item.kind == .folder { leftOut.insert(path) }
        return true
    }

    private func tooLong(_ path: DumpPath) throws(WorkspaceError) -> Bool {
        if case .removal? = edits[path] { return true }
        let longest = path.parts.map(\.count).max() ?? 0
        throw .export(summary.target, .fileNameTooLong(path.text, bytes: longest))
    }

    /// Copies a file a part at a time, as it may be larger than memory.
    private mutating func copyFile(_ item: DumpItem) throws(WorkspaceError) {
        let stream: any DumpStream
        do throws(DumpError) { stream = try files.stream(of: item.path) } catch {
            // A backup lists files whose content is not in it, or that the device keeps for itself.
            guard error.isOfContent else { throw .dump(error) }
            return skip(item, error)
        }
        do throws(WorkspaceError) { summary.copiedBytes += try write(stream, to: item, modified: item.modified) } catch
        {
            // That one is damaged may show only at its end, behind what was written.
            guard case .dump(let reason) = error, reason.isOfContent else { throw error }
            try at(item.path) { () throws(Errno) in try writer.removeFile(item.path) }
            return skip(item, reason)
        }
        summary.copiedFiles += 1
    }

    private mutating func skip(_ item: DumpItem, _ reason: DumpError) {
        summary.skipped.append(.init(path: item.path.text, reason: Unreadable(reason).explanation))
    }

    /// Writes what comes in parts, and notes what it should be when it is read back; returns how many bytes it has.
    @discardableResult
    private mutating func write(
        _ stream: any DumpStream, to item: DumpItem, modified: DumpItem.Moment?
    ) throws(WorkspaceError) -> Int {
        let sink = try at(item.path) { () throws(Errno) in try writer.makeFile(item.path) }
        var hash = SHA256(), bytes = 0
        while true {
            let part = try reading { () throws(DumpError) in try stream.next() }
            if part.isEmpty { break }
            hash.update(data: part)
            try at(item.path) { () throws(Errno) in try sink.write(part) }
            bytes += part.count
            try checkCancelled()
        }
        try at(item.path) { () throws(Errno) in
            try sink.finish(mode: item.mode ?? 0o600, modified: modified)
            if let failure = didWrite(written.count + 1) { throw failure }
        }
        let digest = Hexadecimal.text(hash.finalize())
        written.append(Written(path: item.path, version: FileVersion(text: digest)))
        list.add(file: item.path, digest: digest)
        return bytes
    }

    /// Writes a file that the dump does not have, for its owner only, and the folders that it needs.
    private mutating func add(_ edit: ExportEdits.FileEdit) throws(WorkspaceError) {
        guard let data = try apply(edit.edit, to: nil, at: edit.path) else { return }
        if let part = edit.path.parts.first(where: { $0.count > DumpPath.partLimit }) {
            // One of several changes does not keep the others from the copy.
            guard edits.files.count > 1 else {
                throw .export(summary.target, .fileNameTooLong(edit.path.text, bytes: part.count))
            }
            let reason =
                "what was applied to it is not in the copy: its name has \(part.count) bytes, and file systems allow "
                + "\(DumpPath.partLimit)"
            return summary.skipped.append(.init(path: edit.path.text, reason: reason))
        }
        for folder in edit.path.folders where !folders.contains(folder) {
            let there = try reading { () throws(DumpError) in try files.item(at: folder) }
            guard there == nil else { throw .export(summary.target, .notAFilePath(edit.path.text)) }
            try makeFolder(folder, nil)
        }
        try write(data, to: edit.path, mode: 0o600)
        summary.added.append(edit.path.text)
    }

    private mutating func makeFolder(_ path: DumpPath, _ item: DumpItem?) throws(WorkspaceError) {
        try at(path) { () throws(Errno) in try writer.makeFolder(path, like: item) }
        folders.insert(path)
        list.add(folder: path)
    }

    private mutating func write(_ data: Data, to path: DumpPath, mode: UInt16) throws(WorkspaceError) {
        try at(path) { () throws(Errno) in
            let sink = try writer.makeFile(path)
            try sink.write(data)
            try sink.finish(mode: mode, modified: nil)
            if let failure = didWrite(written.count + 1) { throw failure }
        }
        written.append(Written(path: path, version: nil))
        list.add(file: path, digest: Hexadecimal.text(SHA256.hash(data: data)))
    }

    // MARK: Comparing

    /// Reads back everything that was written.
    private func compare() throws(WorkspaceError) {
        let found = try reading { () throws(DumpError) in try writer.written() }
        for (index, file) in written.enumerated() {
            try checkCancelled()
            if let difference = try difference(of: file, in: found) {
                throw .export(summary.target, .mismatch(file.path.text, what: difference))
            }
            progress(ExportProgress(phase: .comparing, done: index + 1, total: written.count, path: file.path.text))
        }
        guard let packed, !packedEdits.isEmpty || keychainEdit != nil else { return }
        let unpacked = try reading { () throws(DumpError) in try packed.held(by: found) }
        if let (edit, isHeld) = keychainEdit, let keychain = dump.keychain {
            let difference = try reading { () throws(DumpError) in
                let files = isHeld ? try packed.innerHolder(in: found) : try packed.besideHeld(by: found)
                let data = try files?.bytes(at: edit.path) ?? Data()
                let original = try keychain.read()
                do throws(FormatError) { return try edit.edit.difference(between: original, and: data) } catch {
                    return "\(error)"
                }
            }
            if let difference { throw .export(summary.target, .mismatch(keychain.path, what: difference)) }
        }
        for edit in packedEdits {
            try checkCancelled()
            let problem = unpacked.problems(below: edit.path).first { $0.path == edit.path.text }
            let difference = try difference(of: edit, in: unpacked) ?? problem.map { "\($0)" }
            if let difference { throw .export(summary.target, .mismatch(edit.path.text, what: difference)) }
        }
    }

    private func difference(of file: Written, in found: any DumpFiles) throws(WorkspaceError) -> String? {
        if let version = file.version {
            return try reading { () throws(DumpError) in try found.version(of: file.path) } == version
                ? nil : "the bytes differ"
        }
        guard let edit = edits[file.path] else { return nil }
        return try difference(of: ExportEdits.FileEdit(path: file.path, edit: edit), in: found)
    }

    /// What is wrong with a file that an edit was of, as it is found.
    private func difference(
        of edit: ExportEdits.FileEdit, in found: any DumpFiles
    ) throws(WorkspaceError) -> String? {
        do throws(DumpError) {
            if case .removal = edit.edit { return try found.item(at: edit.path) == nil ? nil : "it is still there" }
            let data = try found.bytes(at: edit.path)
            let original = try dump.files.item(at: edit.path) == nil ? nil : try dump.bytes(at: edit.path)
            do throws(FormatError) { return try edit.edit.difference(between: original, and: data) } catch {
                return "\(error)"
            }
        } catch {
            throw .dump(error)
        }
    }

    // MARK: Errors

    private func checkCancelled() throws(WorkspaceError) {
        if isCancelled() { throw .cancelled }
    }

    private func reading<Result>(_ body: () throws(DumpError) -> Result) throws(WorkspaceError) -> Result {
        do throws(DumpError) { return try body() } catch { throw .dump(error) }
    }

    private func placing<Result>(_ body: () throws(Errno) -> Result) throws(WorkspaceError) -> Result {
        do throws(Errno) { return try body() } catch {
            if error == .canceled { throw .cancelled }
            throw .export(summary.target, error == .fileExists ? .takenMeanwhile : .notPlaced(error.words))
        }
    }

    private func apply(
        _ edit: ExportEdits.Edit, to original: Data?, at path: DumpPath
    ) throws(WorkspaceError) -> Data? {
        do throws(FormatError) {
            return try edit.applied(to: original)
        } catch {
            throw .export(summary.target, .notRewritable(path.text, reason: "\(error)"))
        }
    }

    /// Says which file an error is about.
    private func at<Result>(
        _ path: DumpPath, _ body: () throws(Errno) -> Result
    ) throws(WorkspaceError) -> Result {
        do throws(Errno) { return try body() } catch {
            throw .export(summary.target, path.isRoot ? .notPlaced(error.words) : .file(path.text, reason: error.words))
        }
    }
}
