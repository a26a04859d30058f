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
    /// The folder whose place it takes, where there is one; open, so that no other is ever taken for it.
    let earlier: OpenFile?
    /// What tells later that an export has written it.
    let mark: ExportMark
    /// The path of the folder that it is in, with a slash behind it.
    let parentPath: String
    private let buildStart: String

    /// The absolute path of the folder in which it is built.
    var buildPath: String { parentPath + buildName }

    /// Checks where a dump may be exported to.
    ///
    /// - Throws: ``WorkspaceError/export(_:_:)`` for a place that is taken, in the dump, or around the dump or its ledger.
    init(
        _ target: String, for dump: Dump, ledgerPath: String, replacing: Bool, usingAttributes: Bool = true,
        isCancelled: () -> Bool = { false }
    ) throws(WorkspaceError) {
        let parts = target.split(separator: "/", omittingEmptySubsequences: true)
        guard let last = parts.last, last != ".", last != "..", !target.utf8.contains(0) else {
            throw .export(target, .notAName)
        }
        guard last.utf8.count <= DumpPath.partLimit else { throw .export(target, .nameTooLong(bytes: last.utf8.count)) }
        let above = (target.hasPrefix("/") ? "/" : "./") + parts.dropLast().joined(separator: "/")
        guard let folder = CanonicalPath.of(above) else { throw .export(target, .noParentFolder) }
        parentPath = folder == "/" ? "/" : folder + "/"
        path = parentPath + last
        buildStart = HiddenName.beginning(for: last)
        buildName = buildStart + String(UInt64.random(in: .min ... .max), radix: 16)
        mark = ExportMark(of: last, from: dump, usingAttributes: usingAttributes)
        if dump.protects(path) { throw .export(target, .insideDump) }
        if dump.ownPaths.contains(where: { [path] read in CanonicalPath.isSame(read, orInside: path) }) {
            throw .export(target, .holdsDump)
        }
        if CanonicalPath.isSame(CanonicalPath.ofPossibleFile(ledgerPath), orInside: path) {
            throw .export(target, .holdsLedger)
        }
        do throws(Errno) { parent = try OpenFile.folder(folder) } catch {
            throw .export(target, .notPlaced("\(folder): \(error.words)"))
        }
        if let name = mark.taken(in: parent) { throw .export(target, .listTaken(parentPath + name)) }
        guard let status = try? parent.status(of: last.utf8) else {
            earlier = nil
            return
        }
        guard replacing else { throw .export(target, .targetExists) }
        guard status.type == .directory else { throw .export(target, .targetNotAFolder) }
        guard let folder = try? parent.open(at: last.utf8, isFolder: true) else { throw .export(target, .notAnExport) }
        earlier = folder
        if (try? folder.names(limit: 1).isEmpty) ?? false { return }
        guard mark.isSet(on: folder, in: parent) else { throw .export(target, .notAnExport) }
        guard let list = mark.list(of: folder, in: parent) else { throw .export(target, .withoutList) }
        let others: [DumpPath]
        do throws(Errno) { others = try list.others(in: folder, isCancelled: isCancelled) } catch {
            throw .export(target, .notPlaced("what is there cannot be read: \(error.words)"))
        }
        if isCancelled() { throw .cancelled }
        guard others.isEmpty else { throw .export(target, .changedSince(others.map(\.text))) }
    }

    /// Removes what exports to this target have left that were killed: a copy of somebody's data.
    ///
    /// Only a folder that an export has marked as its own is removed, and none that is still being built.
    ///
    /// - Returns: The folders that are gone, and those that could not be removed, by their absolute paths.
    func removeLeftovers(isCancelled: () -> Bool) throws(WorkspaceError) -> (removed: [String], kept: [String]) {
        var removed: [String] = [], kept: [String] = []
        // Another export that has just taken its place removes by itself what it has replaced, and has this lock meanwhile.
        let lock: OpenFile?
        do throws(Errno) { lock = try lockedParent(isCancelled: isCancelled) } catch { throw .cancelled }
        defer { withExtendedLifetime(lock) {} }
        for name in (try? parent.names()) ?? [] {
            guard let text = String(validating: name, as: UTF8.self), isBuildName(text),
                let folder = try? parent.open(at: name, isFolder: true), folder.hasAttribute(ExportMark.attribute)
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

    /// The right to be the only export into the folder, which is waited for; `nil` on a file system without locks, which has one
    /// export at a time.
    ///
    /// - Throws: `ECANCELED` where the person stops it meanwhile.
    func lockedParent(isCancelled: () -> Bool) throws(Errno) -> OpenFile? {
        do throws(Errno) { return try parent.lockedWhenFree(isCancelled: isCancelled) } catch {
            guard error != .canceled else { throw error }
            return nil
        }
    }

    /// Whether an export, to whichever target, may have made a folder of this name.
    private func isBuildName(_ name: String) -> Bool {
        var number = name.utf8[...]
        if name.hasSuffix("-replaced") { number = number.dropLast(9) }
        guard let dash = number.lastIndex(of: UInt8(ascii: "-")) else { return false }
        let start = number[...dash]
        return start.first == UInt8(ascii: ".") && start.count > HiddenName.ending.utf8.count
            && start.reversed().starts(with: HiddenName.ending.utf8.reversed())
            && HiddenName.isNumber(number[number.index(after: dash)...])
    }
}

extension Dump {
    /// Whether an export has written it.
    var isExport: Bool {
        let place = location.disk.split(separator: "/", omittingEmptySubsequences: true)
        guard let name = place.last, let parent = try? OpenFile.folder("/" + place.dropLast().joined(separator: "/")),
            let folder = try? parent.open(at: name.utf8, isFolder: true)
        else { return false }
        return ExportMark(of: name).isSet(on: folder, in: parent)
    }
}
