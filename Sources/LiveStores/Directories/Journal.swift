import Foundation

/// A redo journal: changes several files of a folder as a whole or not at all, whenever the process or the power fails.
///
/// A change goes like this; each line is on the disk before the next begins.
/// 1. What the files become lies in `stage`, each under the SHA-256 digest of its content.
/// 2. `intent` says which files change from which digest to which. Renaming it into place is the one moment of decision.
/// 3. Each file is written beside its place and renamed into it: within one folder, since the two halves of a rename
///    across folders may reach the disk apart. What is staged is never used up.
/// 4. `intent` is removed, then the stage.
///
/// To recover is to go on from 3: a file that has its old content is written, one that has its new content is left, and
/// where one has neither nothing is touched at all. It may be interrupted any number of times.
struct Journal: Sendable {
    /// The folder of the journal in that of the stores.
    static let folder = ".vestige-journal"
    /// The record of a decided change.
    static let intent = "intent"

    let root: String
    let files: any FileSystem

    private var folder: String { "\(root)/\(Self.folder)" }
    private var stage: String { "\(folder)/stage" }
    private var intentFile: String { "\(folder)/\(Self.intent)" }
    private var intentDraft: String { "\(folder)/\(Self.intent).tmp" }

    // MARK: Opening

    /// Makes the folders and takes the right to change the files.
    func open() throws(LiveStoreError) -> any FileLock {
        try attempt { () throws(FileError) in
            let isNew = try files.status(of: root) == nil
            for path in [root, folder, stage] { try files.makeFolder(path) }
            let parent = root.split(separator: "/").dropLast().joined(separator: "/")
            if isNew { try files.synchronizeFolder("/" + parent) }
        }
        guard let lock = try attempt({ () throws(FileError) in try files.lock("\(folder)/lock") }) else {
            throw .inUse(root)
        }
        try attempt { () throws(FileError) in
            try files.synchronizeFolder(folder)
            try files.synchronizeFolder(root)
        }
        return lock
    }

    // MARK: Changing

    /// Changes files, all of them or none.
    ///
    /// - Throws: ``LiveStoreError/unfinished(_:)`` where the change was, or may have been, decided and
    ///   ``settle()`` must finish or drop it; after any other error nothing has changed.
    func commit(_ updates: [FileUpdate]) throws(LiveStoreError) {
        let intent = Intent(updates)
        let record = try intent.data()
        try attempt { () throws(FileError) in
            var staged: Set<String> = []
            for after in updates.lazy.compactMap(\.after) where staged.insert(after.digest).inserted {
                try write(after, to: "\(stage)/\(after.digest)", mode: 0o600)
            }
            try files.synchronizeFolder(stage)
            try write(record, to: intentDraft, mode: 0o600)
        }
        do {
            try files.rename(intentDraft, to: intentFile)
            try files.synchronizeFolder(folder)
        } catch {
            // Nobody knows what is on the disk: only what is certainly there may be acted upon.
            do {
                if try files.status(of: intentFile) != nil { try files.remove(intentFile) }
            } catch let second {
                throw .unfinished(second)
            }
            throw .file(error)
        }
        do {
            try finish(intent)
        } catch {
            if case .file(let error) = error { throw .unfinished(error) }
            throw error
        }
    }

    /// Finishes what was interrupted, or clears away what was never decided.
    func settle() throws(LiveStoreError) {
        let record = try attempt { () throws(FileError) in
            // What is seen may not be on the disk yet, and what follows relies on it.
            try files.synchronizeFolder(folder)
            return try files.contents(of: intentFile)
        }
        guard let record else {
            return try attempt { () throws(FileError) in
                if try files.status(of: intentDraft) != nil { try files.remove(intentDraft) }
                try clearStage()
            }
        }
        try finish(try Intent(reading: record))
    }

    // MARK: The decided part

    /// Does what is decided, from wherever it was interrupted.
    private func finish(_ intent: Intent) throws(LiveStoreError) {
        var pending: [(file: Intent.File, content: Data?, mode: UInt16)] = []
        var drift: [String] = []
        for file in intent.files {
            let found = try attempt { () throws(FileError) in try files.contents(of: path(file)) }?.digest
            switch found {
            case file.after:
                let draft = draft(of: file)
                try attempt { () throws(FileError) in
                    if try files.status(of: draft) != nil { try files.remove(draft) }
                }
            case file.before:
                let status = try attempt { () throws(FileError) in try files.status(of: path(file)) }
                pending.append((file, try staged(file), (status?.mode ?? 0o600) & 0o777))
            default: drift.append(file.path)
            }
        }
        guard drift.isEmpty else { throw .drift(drift) }
        try attempt { () throws(FileError) in
            for (file, content, mode) in pending {
                guard let content else {
                    try files.remove(path(file))
                    continue
                }
                for folder in StorePath.ancestors(of: file.path).reversed() where !folder.isEmpty {
                    try files.makeFolder("\(root)/\(folder)")
                }
                try write(content, to: draft(of: file), mode: mode)
                try files.rename(draft(of: file), to: path(file))
            }
            let touched = Set(intent.files.flatMap { StorePath.ancestors(of: $0.path) })
            // The longest names first, which are those further in, in the same order on every run.
            for folder in touched.sorted(by: { ($1.utf8.count, $0) < ($0.utf8.count, $1) }) {
                let path = folder.isEmpty ? root : "\(root)/\(folder)"
                if try files.status(of: path) != nil { try files.synchronizeFolder(path) }
            }
            try files.remove(intentFile)
            // Without this the intent could come back with an empty stage.
            try files.synchronizeFolder(folder)
            try clearStage()
        }
    }

    /// What a file becomes, from the stage.
    private func staged(_ file: Intent.File) throws(LiveStoreError) -> Data? {
        guard let digest = file.after else { return nil }
        let content = try attempt { () throws(FileError) in try files.contents(of: "\(stage)/\(digest)") }
        guard let content, content.digest == digest else {
            throw .damagedJournal("the new content of \(file.path) is \(content == nil ? "not there" : "damaged")")
        }
        return content
    }

    private func clearStage() throws(FileError) {
        for name in try files.names(in: stage) { try files.remove("\(stage)/\(name)") }
    }

    private func write(_ data: Data, to path: String, mode: UInt16) throws(FileError) {
        let file = try files.create(path, mode: mode)
        try file.write(data)
        try file.synchronize()
    }

    private func path(_ file: Intent.File) -> String { "\(root)/\(file.path)" }

    /// The name beside a file under which its new content is written.
    private func draft(of file: Intent.File) -> String {
        let folder = StorePath.ancestors(of: file.path).first ?? ""
        return "\(root)/\(folder)/\(StorePath.temporary)\(Data(file.path.utf8).digest.prefix(16)).tmp"
    }

    private func attempt<Result>(_ body: () throws(FileError) -> Result) throws(LiveStoreError) -> Result {
        do {
            return try body()
        } catch {
            throw .file(error)
        }
    }
}
