import Files
import Foundation
import SystemPackage

/// The files of an archive, listed once; each is unpacked when it is read, and not kept.
///
/// In a compressed tar there is no way to a file but through all before it, so it is unpacked once, into a private file
/// without a name. Nothing is ever written under a name that the archive gives.
final class ArchiveFiles: DumpFiles {
    let format: ArchiveFormat
    let file: DumpPath
    let base: any DumpFiles
    /// The archive as it is on the disk; `nil` where that is none of its own.
    private let original: (file: OpenFile, status: Stat)?
    /// The zip or the tar.
    let bytes: PackedBytes
    let tree: ArchiveTree
    let limits: ArchiveLimits
    let password: String?
    /// What it is compressed by as a whole, from the inside out.
    let layers: [ArchiveFormat]

    /// Lists an archive.
    init(
        _ file: DumpPath, in base: any DumpFiles, _ format: ArchiveFormat, limits: ArchiveLimits = ArchiveLimits(),
        _ control: OpeningControl
    ) throws(DumpError) {
        self.file = file
        self.base = base
        self.format = format
        self.limits = limits
        password = nil
        original = try Self.original(file, in: base)
        let packed: PackedBytes
        if let original {
            packed = PackedBytes(file: original.file, range: 0..<Int(clamping: original.status.size))
        } else {
            packed = try PackedBytes(of: file, in: base, control)
        }
        do throws(DumpError) {
            (bytes, layers, tree) = try Self.listed(packed, format, file, limits, control)
        } catch {
            // What is written just now looks damaged.
            try original.map { (original) throws(DumpError) in try Self.checkIsUnchanged(original, file) }
            throw error
        }
    }

    /// The same archive, with a password or among other files.
    init(
        _ other: ArchiveFiles, password: String?, base: (any DumpFiles)? = nil, original: (OpenFile, Stat)? = nil
    ) {
        (file, format, limits) = (other.file, other.format, other.limits)
        (bytes, tree, layers) = (other.bytes, other.tree, other.layers)
        self.base = base ?? other.base
        self.original = original ?? other.original
        self.password = password
    }

    /// The zip or the tar that was made of another one.
    init(rereading bytes: PackedBytes, as other: ArchiveFiles) throws(DumpError) {
        (file, format, limits, base) = (other.file, other.format, other.limits, other.base)
        (password, original) = (nil, nil)
        (self.bytes, layers, tree) = try Self.listed(bytes, format, file, limits, OpeningControl.current)
    }

    /// The zip or the tar, what it is compressed by, and what is in it.
    private static func listed(
        _ packed: PackedBytes, _ format: ArchiveFormat, _ file: DumpPath, _ limits: ArchiveLimits,
        _ control: OpeningControl
    ) throws(DumpError) -> (PackedBytes, [ArchiveFormat], ArchiveTree) {
        let (bytes, layers, behind) = try unpacked(packed, format, file, limits, control)
        var tree: ArchiveTree
        if format == .zip {
            tree = try ArchiveTree(zip: bytes, file, limits: limits, control)
        } else if format.isCompressed, !ArchiveTree.isNamedTar(file), try !ArchiveTree.isTar(bytes, file) {
            tree = try ArchiveTree(
                alone: bytes, packed: packed.count, layers: layers.count, file, limits: limits)
        } else {
            tree = try ArchiveTree(tar: bytes, packed: packed.count, file, limits: limits, control)
        }
        tree.foundBehind = behind
        return (bytes, layers, tree)
    }

    private static func original(
        _ file: DumpPath, in files: any DumpFiles
    ) throws(DumpError) -> (file: OpenFile, status: Stat)? {
        guard let path = files.diskPath(of: file) else { return nil }
        do throws(Errno) {
            let file = try OpenFile.open(path)
            return (file, try file.status())
        } catch {
            throw DumpError(file, .init(error))
        }
    }

    /// What is in a file that is compressed, and by what: from the inside out, as some mail programs compress what is
    /// compressed already; and how many bytes behind it are none of it.
    private static func unpacked(
        _ bytes: PackedBytes, _ format: ArchiveFormat, _ file: DumpPath, _ limits: ArchiveLimits,
        _ control: OpeningControl
    ) throws(DumpError) -> (PackedBytes, layers: [ArchiveFormat], behind: Int) {
        var content = bytes, layers: [ArchiveFormat] = [], behind = 0, next: ArchiveFormat? = format
        // Each by itself, so that what passes between two of them is measured, and can be stopped.
        while let format = next, format.isCompressed {
            guard layers.count < ArchiveLimits.layers else {
                throw DumpError(file, .manyLayers(limit: ArchiveLimits.layers))
            }
            let packed = content, reader = try format.reader(of: packed, file, control)
            content = try PackedBytes.spilled(file) { (count) throws(DumpError) in
                try control.reach(.unpacking, reader.consumed, of: packed.count)
                try limits.check(unpacked: count, packed: bytes.count, file)
                let part = try reader.bytes(upTo: 1 << 20)
                try control.spend(part.count)
                return part
            }
            layers.insert(format, at: 0)
            behind += reader.behind
            do throws(Errno) {
                next = ArchiveFormat(Data(try content.read(at: 0, upTo: 512)))
            } catch {
                throw DumpError(file, .inaccessible(error))
            }
        }
        return (content, layers, behind)
    }

    // MARK: Passwords

    /// How many entries a password is tried on.
    private static let tried = 8

    /// What is not as it should be with the archive.
    var warnings: [DumpWarning] {
        guard password == nil, tree.protected.count > 0 else { return tree.warnings }
        let locked = DumpWarning(file, .lockedEntries(tree.protected.count, first: tree.protected.name))
        return tree.warnings + [locked]
    }

    /// Whether a password is needed for anything in it.
    var isProtected: Bool { tree.protected.count > 0 }

    /// Whether nothing of it can be read without a password.
    var isSealed: Bool {
        isProtected
            && !tree.nodes.contains { node in
                guard node.item.kind == .file, node.item.size > 0, let number = node.member else { return false }
                return !tree.members[number].isProtected && !Archive.isAddition(node.item.path)
            }
    }

    /// The same with a password.
    ///
    /// - Throws: where it is another one.
    func opened(with password: String, at place: String) throws(DumpError) -> ArchiveFiles {
        let opened = ArchiveFiles(self, password: password)
        // The smallest, as it is read to its end: what a wrong password gives shows there at the latest.
        let locked = tree.nodes.filter { $0.member.map { tree.members[$0].isProtected } ?? false }
            .filter { $0.item.size > 0 }.sorted { ($0.item.size, $0.item.path) < ($1.item.size, $1.item.path) }
        // One may be damaged by itself, which is not told from a wrong password.
        for entry in locked.prefix(Self.tried) {
            do throws(DumpError) {
                let stream = try opened.stream(of: entry.item.path)
                while try !stream.next().isEmpty {}
                return opened
            } catch {
                switch error.problem {
                case .brokenEntry, .wrongArchivePassword: continue
                default: throw DumpError(place, error.problem)
                }
            }
        }
        guard locked.isEmpty else { throw DumpError(place, .wrongArchivePassword) }
        return opened
    }

    // MARK: Reading

    func item(at path: DumpPath) throws(DumpError) -> DumpItem? {
        if let node = tree.nodes[path] { return node.item }
        // What is in it was not taken in where it is a link or a file.
        for folder in path.folders {
            guard let above = tree.nodes[folder] else { return nil }
            if let refusal = above.item.refusal { throw refusal }
        }
        return nil
    }

    func children(of folder: DumpPath, limit: Int) throws(DumpError) -> [DumpItem] {
        guard let item = try item(at: folder) else { throw DumpError(folder, .notFound) }
        guard item.kind == .folder else { throw item.refusal ?? DumpError(folder, .notAFolder) }
        return (tree.children[folder] ?? []).prefix(limit).compactMap { tree.nodes[$0]?.item }
    }

    func stream(of path: DumpPath) throws(DumpError) -> any DumpStream {
        guard let item = try item(at: path) else { throw DumpError(path, .notFound) }
        switch item.kind {
        case .file: break
        case .folder: throw DumpError(path, .notAFile("a folder"))
        case .symbolicLink: throw item.refusal ?? DumpError(path, .notFound)
        case .other(let what): throw DumpError(path, .notAFile(what))
        }
        guard let number = tree.nodes[path]?.member else {
            throw DumpError(path, .brokenEntry("the entry whose content it shares is not there"))
        }
        try checkIsUnchanged()
        let member = tree.members[number]
        try limits.check(unpacked: member.size, packed: member.packed, path)
        do throws(DumpError) { return CheckedStream(try stream(of: member, path), in: self) } catch {
            throw reason(error)
        }
    }

    private func stream(of member: ArchiveMember, _ path: DumpPath) throws(DumpError) -> any DumpStream {
        switch member.content {
        case .none, .link: return PackedStream(bytes[0..<0], path)
        case .plain(let range): return PackedStream(bytes[range], path)
        case .sparse(let range):
            var part = bytes[range]
            // The end of a tar.
            part.tail = [UInt8](repeating: 0, count: 2 * TarHeader.block)
            return LibraryStream(try ArchiveReader(part, .tar, path), size: member.size, path)
        case .zip(let entry):
            if entry.isProtected, password == nil { throw DumpError(path, .lockedArchive) }
            if !entry.isProtected, ZipStream.methods.contains(entry.method) {
                return try ZipStream(entry, in: bytes, path)
            }
            return try LibraryStream(entry, in: bytes, password: password, path)
        }
    }

    /// The pages of a database where they stand, or unpacked as they are asked for.
    func pages(of path: DumpPath, _ control: OpeningControl) throws(DumpError) -> (any DatabasePages)? {
        guard let node = tree.nodes[path], node.item.kind == .file, let number = node.member else { return nil }
        let member = tree.members[number]
        switch member.content {
        case .none, .link, .sparse: return nil
        case .plain(let range): return StoredPages(bytes[range], in: self)
        case .zip: return try UnpackedPages(path, try stream(of: path), count: member.size)
        }
    }

    /// Refuses where the archive was written to since it was listed: places in it mean nothing any more.
    func checkIsUnchanged() throws(DumpError) {
        if let original { try Self.checkIsUnchanged(original, file) }
    }

    private static func checkIsUnchanged(_ original: (file: OpenFile, status: Stat), _ file: DumpPath) throws(DumpError)
    {
        let now: Stat
        do throws(Errno) { now = try original.file.status() } catch { throw DumpError(file, .inaccessible(error)) }
        guard FolderFiles.isUnchanged(original.status, now) else { throw DumpError(file, .overwritten) }
    }

    /// Why something in it is not read: what looks damaged is not, where the archive was written to meanwhile.
    private func reason(_ error: DumpError) -> DumpError {
        guard error.problem != .cancelled else { return error }
        do throws(DumpError) { try checkIsUnchanged() } catch { return error }
        return error
    }

    /// A content that is found damaged only where the archive is as it was when it was listed.
    private final class CheckedStream: DumpStream {
        private let content: any DumpStream
        private let archive: ArchiveFiles

        init(_ content: any DumpStream, in archive: ArchiveFiles) { (self.content, self.archive) = (content, archive) }

        func next() throws(DumpError) -> Data {
            do throws(DumpError) { return try content.next() } catch { throw archive.reason(error) }
        }
    }

    func version(of path: DumpPath) throws(DumpError) -> FileVersion {
        guard try item(at: path)?.kind == .folder else { return try digest(of: path) }
        // The archive itself, where it is: neither its size nor its time stands for its content.
        guard let item = try base.item(at: file) else { throw DumpError(file, .gone) }
        let time = item.modified.map { "\($0.seconds).\($0.nanoseconds)" } ?? ""
        return FileVersion(text: "\(try base.version(of: .root).text):\(item.size):\(time)")
    }

    /// Lists it anew only where it is another file, or was written to.
    func reopened() throws(DumpError) -> any DumpFiles {
        let base = try base.reopened()
        if let original, let now = try Self.original(file, in: base), now.status.inode == original.status.inode,
            now.status.deviceID == original.status.deviceID, FolderFiles.isUnchanged(original.status, now.status)
        {
            return ArchiveFiles(self, password: password, base: base, original: now)
        }
        // It may be another form that goes by the same name now.
        let head = try base.stream(of: file).next().prefix(512)
        let files = try ArchiveFiles(
            file, in: base, ArchiveFormat(head) ?? format, limits: limits, OpeningControl.current)
        return password.map { ArchiveFiles(files, password: $0) } ?? files
    }
}
