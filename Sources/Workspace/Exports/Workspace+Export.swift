import DeviceDump
import Files
import MigrationEngine
import StoreFormats
import SystemPackage

extension Workspace {
    /// Writes the dump with every standing step, of all its containers, as a new folder.
    ///
    /// It is built beside the target, read back and compared with what it should be, flushed to the disk, and put in
    /// place with one rename. Files without changes are copied byte for byte with their mode and time; symbolic links
    /// stay links. An error, stopping it, or a signal that asks the program to end leaves nothing behind. A program that
    /// is killed leaves a folder whose name begins with a dot and the target's name and ends with `.vestige-` and a
    /// number; the next export to that folder, under whichever name, removes it.
    ///
    /// - Parameters:
    ///   - target: The folder to make; the folder that it is in must be there.
    ///   - replacing: Whether an export that is there is replaced; any other folder is not, unless it is empty, and neither
    ///     is one in which something is not as the export has written it. An export is told by an extended attribute, or
    ///     where the file system has none by the hidden file beside it, which also lists what was written.
    ///   - unpacked: Whether files that others hold, as a backup's are, are written as themselves, and not put back.
    ///   - accepted: The drift, of any container, that the person has decided to go on in spite of; any other is refused.
    ///   - progress: Called after each file.
    ///   - isCancelled: Asked before each file whether to stop.
    /// - Throws: ``WorkspaceError``.
    @discardableResult
    package func export(
        to target: String, replacing: Bool = false, unpacked: Bool = false, accepting accepted: [Drift] = [],
        progress: @escaping (ExportProgress) -> Void = { _ in }, isCancelled: @escaping () -> Bool = { false }
    ) throws(WorkspaceError) -> ExportSummary {
        // Ended in the middle it would leave a copy of somebody's data.
        try Interruption.holding { () throws(WorkspaceError) in
            try export(
                to: target, replacing: replacing, unpacked: unpacked, accepting: accepted, progress: progress,
                isCancelled: { isCancelled() || Interruption.isRequested }, didWrite: { _ in nil })
        }
    }

    func export(
        to target: String, replacing: Bool = false, unpacked: Bool = false, accepting accepted: [Drift] = [],
        progress: @escaping (ExportProgress) -> Void = { _ in }, isCancelled: @escaping () -> Bool = { false },
        usingAttributes: Bool = true, didWrite: @escaping (Int) -> Errno?
    ) throws(WorkspaceError) -> ExportSummary {
        let seen = current.session.history.entries
        // What the person asked for is what they see.
        if try refresh(), current.session.history.entries != seen { throw .ledger(ledgerFile.path, .changedByAnother) }
        let place = try ExportTarget(
            target, for: dump, ledgerPath: ledgerFile.path, replacing: replacing, usingAttributes: usingAttributes,
            isCancelled: isCancelled)
        var edits = ExportEdits(to: place.path, keychainAt: dump.keychainPathInCopy), drift: [Drift] = []
        var digests = FileDigests(of: dump)
        var gone: [ExportSummary.Skipped] = []
        for (name, container, history) in try histories() {
            guard let container else {
                drift.append(Drift(name, .missing))
                gone.append(
                    .init(path: name.text, reason: "it is not in the dump any more, and so not what was applied to it"))
                continue
            }
            drift += try digests.drift(since: history, isCancelled: isCancelled)
            try edits.add(history.overlay(on: container), of: container)
        }
        if !edits.withoutKeychain.isEmpty { throw .export(place.path, .noKeychain(edits.withoutKeychain)) }
        try drift.refused(but: accepted)
        if edits.files.isEmpty, !edits.withoutFile.isEmpty { throw .export(place.path, .noPlace(edits.withoutFile)) }
        let leftovers = try place.removeLeftovers(isCancelled: isCancelled), writer: FolderWriter
        do throws(Errno) { writer = try FolderWriter(place) } catch {
            throw .export(place.path, .notPlaced("no folder can be made beside it: \(error.words)"))
        }
        var exporter = Exporter(
            dump, edits: edits, to: place.path, unpacked: unpacked, writer: writer, progress: progress,
            isCancelled: isCancelled, didWrite: didWrite)
        var summary = try exporter.run()
        summary.skipped += gone
        summary.removedLeftovers = leftovers.removed
        summary.keptLeftovers = leftovers.kept
        return summary
    }

    /// The containers that something is applied to, with their histories.
    ///
    /// They are in the order of the ledger, so that a copy is the same whichever of them is chosen. That of the chosen one is
    /// as it is seen; the container is `nil` where the dump does not have it any more.
    private func histories() throws(WorkspaceError) -> [(name: Name, container: Container?, history: History)] {
        let own = container.ledgerName, byName = dump.byLedgerName
        var histories: [(name: Name, container: Container?, history: History)] = []
        for name in try ledgerFile.containers() {
            if name == own {
                histories.append((own, container, current.session.history))
                continue
            }
            let history = History(try ledgerFile.ledger(of: name).entries())
            if history.standing.isEmpty { continue }
            histories.append((name, byName[name].map { dump.claiming(history, for: $0) }, history))
        }
        return histories
    }
}

extension Dump {
    /// Where a copy of the dump has the keychain's export.
    ///
    /// Where the dump has it, or else under its own name, or one after it where that is taken, or no copy that is opened would
    /// be known to have it. Beside a file by itself, or the archive that holds it, where others may come to lie, it is called after
    /// that.
    var keychainPathInCopy: DumpPath? {
        guard let keychain else { return nil }
        if case .inDump(let path) = keychain.source { return path }
        var name = keychain.name
        let holder = files.packedInAll?.holder ?? files
        func isFree(_ path: DumpPath) -> Bool {
            [files, holder].allSatisfy { !$0.isThere(path) }
        }
        while name.utf8.count < 240, !isFree(DumpPath(name) ?? .root) || !Dump.isCalledKeychain(name) {
            name = "keychain-" + name
        }
        if let file = loneFile {
            let holder =
                files.packedInAll == nil ? file.name : location.disk.split(separator: "/").last.map(String.init) ?? ""
            let owner = holder.lastIndex(of: ".").map { String(holder[..<$0]) } ?? holder
            if !name.lowercased().hasPrefix(owner.lowercased()) { name = "\(owner)-\(name)" }
        }
        return DumpPath(name)
    }
}
