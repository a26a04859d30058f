import DeviceDump
import Files
import Foundation
import SystemPackage

/// The place of a folder that an export makes.
struct ExportTarget {
    /// The absolute path without symbolic links.
    let path: String
    /// The name of the folder in which it is built, beside it.
    let buildName: String
    /// The folder that it is in.
    let parent: OpenFile
    /// Whether there is a folder whose place it takes.
    let isReplacing: Bool
    private let parentPath: String
    private let buildStart: String

    /// The absolute path of the folder in which it is built.
    var buildPath: String { parentPath + buildName }

    /// Checks where a dump may be exported to.
    ///
    /// - Throws: ``WorkspaceError/export(_:_:)`` for a place that is taken, in the dump, or around the dump or its ledger.
    init(_ target: String, for dump: Dump, ledgerPath: String, replacing: Bool) throws(WorkspaceError) {
        let parts = target.split(separator: "/", omittingEmptySubsequences: true)
        guard let last = parts.last, last != ".", last != "..", !target.utf8.contains(0) else {
            throw .export(target, .notAName)
        }
        guard last.utf8.count <= DumpPath.partLimit else { throw .export(target, .nameTooLong(bytes: last.utf8.count)) }
        let above = (target.hasPrefix("/") ? "/" : "./") + parts.dropLast().joined(separator: "/")
        guard let folder = CanonicalPath.of(above) else { throw .export(target, .noParentFolder) }
        parentPath = folder == "/" ? "/" : folder + "/"
        path = parentPath + last
        buildStart = Self.buildStart(for: last)
        buildName = buildStart + String(UInt64.random(in: .min ... .max), radix: 16)
        if dump.protects(path) { throw .export(target, .insideDump) }
        var read = [dump.location.disk]
        if case .elsewhere(let path)? = dump.keychain?.source { read.append(path) }
        if read.contains(where: { [path] read in CanonicalPath.isSame(read, orInside: path) }) {
            throw .export(target, .holdsDump)
        }
        if CanonicalPath.isSame(CanonicalPath.ofPossibleFile(ledgerPath), orInside: path) {
            throw .export(target, .holdsLedger)
        }
        do throws(Errno) { parent = try OpenFile.folder(folder) } catch {
            throw .export(target, .notPlaced("\(folder): \(error.words)"))
        }
        guard let status = try? parent.status(of: last.utf8) else {
            isReplacing = false
            return
        }
        isReplacing = true
        guard replacing else { throw .export(target, .targetExists) }
        guard status.type == .directory else { throw .export(target, .targetNotAFolder) }
        guard Self.mayBeReplaced(last, in: parent) else { throw .export(target, .notAnExport) }
    }

    /// Whether a folder is one that an export has written, or of which nothing is lost.
    private static func mayBeReplaced(_ name: Substring, in parent: OpenFile) -> Bool {
        guard let folder = try? parent.open(at: name.utf8, isFolder: true) else { return false }
        return folder.hasAttribute(FolderWriter.mark) || (try? folder.names(limit: 1).isEmpty) ?? false
    }

    /// What the hidden names beside the target begin with in which it is built: they say whose they are, and are not longer
    /// than a name may be.
    private static func buildStart(for name: some StringProtocol) -> String {
        var start = name[...]
        while start.utf8.count > 200 { start.removeLast() }
        return ".\(start).vestige-"
    }

    /// Removes what exports to this target have left that were killed: a copy of somebody's data.
    ///
    /// Only a folder that an export has marked as its own is removed, and none that is still being built.
    ///
    /// - Returns: The folders that are gone, and those that could not be removed, by their absolute paths.
    func removeLeftovers() -> (removed: [String], kept: [String]) {
        var removed: [String] = [], kept: [String] = []
        for name in (try? parent.names()) ?? [] {
            guard let text = String(validating: name, as: UTF8.self), isBuildName(text),
                let folder = try? parent.open(at: name, isFolder: true), folder.hasAttribute(FolderWriter.mark)
            else { continue }
            do throws(Errno) {
                // One that is locked is being built.
                guard let lock = try folder.locked() else { continue }
                try withExtendedLifetime(lock) { () throws(Errno) in try parent.removeTree(name) }
                removed.append(parentPath + text)
            } catch {
                kept.append(parentPath + text)
            }
        }
        return (removed.sorted(), kept.sorted())
    }

    private func isBuildName(_ name: String) -> Bool {
        guard name.utf8.starts(with: buildStart.utf8) else { return false }
        var number = Substring(name.utf8.dropFirst(buildStart.utf8.count))
        if number.hasSuffix("-replaced") { number = number.dropLast(9) }
        return !number.isEmpty && number.count <= 16 && number.allSatisfy(\.isHexDigit)
    }
}
