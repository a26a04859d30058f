import Crypto
import DeviceDump
import Foundation
import StoreFormats

/// Writes a dump with edits as a new folder, and compares what it has written with what it should have.
struct Exporter {
    let dump: Dump
    let edits: ExportEdits
    let progress: (ExportProgress) -> Void
    let isCancelled: () -> Bool
    /// Runs after each file that is written; tests let it fail there.
    let didWrite: (Int) throws -> Void
    private let target: ExportTarget
    private(set) var summary: ExportSummary

    /// A file that was written and is to be read back.
    private struct Written {
        let path: String
        /// The digest of the bytes that it should have, where they were copied.
        let digest: String?
    }

    private var written: [Written] = []
    private var links: [(item: DumpItem, destination: String)] = []
    /// The folders that were made, those above before those below, with what to make of them at the end.
    private var folders: [(path: String, item: DumpItem?)] = []
    private var total = 0

    init(
        _ dump: Dump, edits: ExportEdits, to target: ExportTarget, progress: @escaping (ExportProgress) -> Void,
        isCancelled: @escaping () -> Bool, didWrite: @escaping (Int) throws -> Void
    ) {
        self.dump = dump
        self.edits = edits
        self.target = target
        self.progress = progress
        self.isCancelled = isCancelled
        self.didWrite = didWrite
        summary = ExportSummary(target: target.path, skipped: edits.withoutPlace, withoutFile: edits.withoutFile)
    }

    /// Does all of it; whatever goes wrong, nothing is left behind.
    mutating func run() throws(WorkspaceError) -> ExportSummary {
        do {
            try build()
            try compare()
            try finish()
            try checkCancelled()
            let replaced: String?
            do {
                replaced = try target.place()
            } catch {
                throw WorkspaceError.export(target.path, .notPlaced(error.sentence))
            }
            if let replaced, !Self.remove(replaced) { summary.leftover = replaced }
            return summary
        } catch {
            discard()
            switch error {
            case let error as WorkspaceError: throw error
            case let error as SystemError: throw .export(target.path, .notPlaced(error.sentence))
            default: throw .export(target.path, .notPlaced("\(error)"))
            }
        }
    }

    // MARK: Writing

    private mutating func build() throws {
        let listing = dump.root.items(limits: DumpListing.Limits(depth: 256, count: 5_000_000))
        try checkComplete(listing)
        total = listing.items.count
        try makeFolder("", dump.kind == .propertyList ? nil : try? dump.root.status(of: ""))
        for (index, item) in listing.items.enumerated() {
            try checkCancelled()
            try copy(item)
            progress(ExportProgress(phase: .writing, done: index + 1, total: total, path: item.path))
        }
        let known = Set(listing.items.map { Array($0.path.utf8) })
        for edit in edits.files where !known.contains(Array(edit.path.utf8)) { try add(edit) }
        // Links come last, so that no file is ever written through one.
        for link in links {
            try at(link.item.path) { () throws(SystemError) in
                guard symlink(link.destination, path(link.item.path)) == 0 else { throw SystemError(errno) }
                var times = [timespec(link.item), timespec(link.item)]
                utimensat(AT_FDCWD, path(link.item.path), &times, AT_SYMLINK_NOFOLLOW)
            }
        }
    }

    /// Names that are not UTF-8 cannot be copied and are skipped; anything else that is not listed is an error.
    private func checkComplete(_ listing: DumpListing) throws(WorkspaceError) {
        for warning in listing.warnings where warning.problem != .nameNotUTF8 {
            throw .export(target.path, .incompleteListing("\(warning)"))
        }
    }

    private mutating func copy(_ item: DumpItem) throws {
        guard item.isNameExact else {
            return summary.skipped.append(.init(path: item.path, reason: "its name is not UTF-8"))
        }
        switch item.kind {
        case .folder: try makeFolder(item.path, item)
        case .symbolicLink(let destination):
            if edits[item.path] != nil { throw WorkspaceError.export(target.path, .notAFilePath(item.path)) }
            links.append((item, destination))
        case .other(let what): summary.skipped.append(.init(path: item.path, reason: "it is \(what)"))
        case .file:
            let data = try read(item.path)
            guard let edit = edits[item.path] else {
                try write(data, to: item.path, mode: item.mode, item)
                summary.copiedFiles += 1
                summary.copiedBytes += data.count
                return written.append(Written(path: item.path, digest: SHA256Digest.hexadecimal(of: data)))
            }
            guard let edited = try apply(edit, to: data, at: item.path) else {
                return summary.removed.append(item.path)
            }
            try write(edited, to: item.path, mode: item.mode, nil)
            summary.rewritten.append(item.path)
            written.append(Written(path: item.path, digest: nil))
        }
    }

    /// Writes a file that the dump does not have, for its owner only, and the folders that it needs.
    private mutating func add(_ edit: ExportEdits.FileEdit) throws {
        guard let data = try apply(edit.edit, to: nil, at: edit.path) else { return }
        let parts = edit.path.split(separator: "/")
        for count in parts.indices.dropFirst() {
            let folder = parts[..<count].joined(separator: "/")
            let isMade = folders.contains { $0.path.utf8.elementsEqual(folder.utf8) }
            if !isMade {
                guard try item(folder) == nil else {
                    throw WorkspaceError.export(target.path, .notAFilePath(edit.path))
                }
                try makeFolder(folder, nil)
            }
        }
        try write(data, to: edit.path, mode: 0o600, nil)
        summary.added.append(edit.path)
        written.append(Written(path: edit.path, digest: nil))
    }

    private mutating func makeFolder(_ relativePath: String, _ item: DumpItem?) throws(WorkspaceError) {
        try at(relativePath) { () throws(SystemError) in
            guard mkdir(path(relativePath), 0o700) == 0 else { throw SystemError(errno) }
        }
        folders.append((relativePath, item))
    }

    private func write(_ data: Data, to relativePath: String, mode: UInt16, _ item: DumpItem?) throws {
        try at(relativePath) { () throws(SystemError) in
            let file = try POSIXFile.create(path(relativePath), mode: 0o600)
            try file.write(data)
            // No set-user-ID and the like: what an app left must not become a right of the person who looks at it.
            try file.setMode(mode_t(mode) & 0o777)
            if let item { try file.setModified(seconds: item.modified.seconds, nanoseconds: item.modified.nanoseconds) }
            try file.flush()
        }
        do {
            try didWrite(written.count + 1)
        } catch let error as SystemError {
            throw WorkspaceError.export(target.path, .file(relativePath, reason: error.sentence))
        }
    }

    // MARK: Comparing

    /// Reads back everything that was written.
    private func compare() throws {
        for (index, file) in written.enumerated() {
            try checkCancelled()
            if let digest = file.digest {
                let found = try at(file.path) { () throws(SystemError) in try digestOfFile(path(file.path)) }
                guard found == digest else { throw mismatch(file.path, "the bytes differ") }
            } else if let edit = edits[file.path] {
                let data = try at(file.path) { () throws(SystemError) in try contents(path(file.path)) }
                let original = try item(file.path) == nil ? nil : try read(file.path)
                let difference: String?
                do throws(FormatError) {
                    difference = try edit.difference(between: original, and: data)
                } catch {
                    difference = "\(error)"
                }
                if let difference { throw mismatch(file.path, difference) }
            }
            progress(ExportProgress(phase: .comparing, done: index + 1, total: written.count, path: file.path))
        }
    }

    private func digestOfFile(_ path: String) throws(SystemError) -> String {
        let file = try POSIXFile.open(path)
        var hash = SHA256()
        while true {
            let bytes = try file.read(upTo: 1 << 20)
            if bytes.isEmpty { return SHA256Digest.hexadecimal(hash.finalize()) }
            hash.update(data: bytes)
        }
    }

    private func contents(_ path: String) throws(SystemError) -> Data {
        let file = try POSIXFile.open(path)
        var data = Data()
        while true {
            let bytes = try file.read(upTo: 1 << 20)
            if bytes.isEmpty { return data }
            data.append(contentsOf: bytes)
        }
    }

    private func mismatch(_ path: String, _ what: String) -> WorkspaceError {
        .export(target.path, .mismatch(path, what: what))
    }

    // MARK: Finishing

    /// Gives the folders their times and modes and flushes them, those below first, as each entry changes the time above.
    private func finish() throws {
        for folder in folders.reversed() {
            try at(folder.path) { () throws(SystemError) in
                let file = try POSIXFile.open(path(folder.path))
                if let item = folder.item {
                    try file.setModified(seconds: item.modified.seconds, nanoseconds: item.modified.nanoseconds)
                    try file.setMode(mode_t(item.mode) & 0o777)
                }
                try file.flush()
            }
        }
    }

    private func discard() {
        // A folder that its owner may not write to cannot be emptied.
        for folder in folders { chmod(path(folder.path), 0o700) }
        _ = Self.remove(target.buildPath)
    }

    /// Removes a folder with all that is in it; links are removed, not followed.
    private static func remove(_ path: String) -> Bool {
        do {
            try FileManager.default.removeItem(atPath: path)
            return true
        } catch {
            return false
        }
    }

    // MARK: Helpers

    private func path(_ relativePath: String) -> String {
        relativePath.isEmpty ? target.buildPath : target.buildPath + "/" + relativePath
    }

    private func checkCancelled() throws(WorkspaceError) {
        if isCancelled() { throw .cancelled }
    }

    private func item(_ relativePath: String) throws(WorkspaceError) -> DumpItem? {
        do {
            return try dump.root.status(of: relativePath)
        } catch {
            throw .dump(error)
        }
    }

    private func read(_ relativePath: String) throws(WorkspaceError) -> Data {
        do {
            return try dump.root.read(relativePath)
        } catch {
            throw .dump(error)
        }
    }

    private func apply(
        _ edit: ExportEdits.Edit, to original: Data?, at relativePath: String
    ) throws(WorkspaceError) -> Data? {
        do {
            return try edit.applied(to: original)
        } catch {
            throw .export(target.path, .notRewritable(relativePath, reason: "\(error)"))
        }
    }

    /// Says which file an error is about.
    private func at<Result>(
        _ relativePath: String, _ body: () throws(SystemError) -> Result
    ) throws(WorkspaceError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .export(target.path, .file(relativePath, reason: error.sentence))
        }
    }
}

extension timespec {
    /// When an item's content was last changed.
    fileprivate init(_ item: DumpItem) {
        self.init(tv_sec: item.modified.seconds, tv_nsec: item.modified.nanoseconds)
    }
}
