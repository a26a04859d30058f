import Files
import Foundation
import Synchronization
import SystemPackage

/// The files of an archive, listed once; of a zip or a plain tar each is unpacked when it is read.
///
/// A compressed tar has no way to a file but through all before it, so the contents of its files are unpacked once, one
/// after the other, into one private file without a name. Nothing is ever written under a name that the archive gives.
final class ArchiveFiles: DumpFiles {
    /// How much of an archive is read.
    struct Limits: Sendable {
        /// How many entries it may have.
        var entries = 2_000_000
        /// How many times as large as the archive its contents may be, above ``free``.
        var ratio = 1_100
        /// How many bytes the contents may have whatever the archive has.
        var free = 1 << 30
        /// How many bytes may be unpacked at once.
        var unpacked = 64 << 30
    }

    /// Where the content of a file is.
    private enum Place: Sendable {
        /// It is that of this entry, counted from the first.
        case entry(Int)
        /// It was unpacked to here.
        case unpacked(offset: Int, count: Int)
    }

    private struct Item: Sendable {
        var item: DumpItem
        var place: Place?
    }

    private let file: DumpPath
    private let base: any DumpFiles
    private let format: ArchiveFormat
    private let password: String?
    /// The bytes of the archive; one pass through them at a time.
    private let content: Mutex<OpenFile>
    private let spill: OpenFile?
    private let items: [DumpPath: Item]
    private let children: [DumpPath: [DumpPath]]
    private let listingProblems: [DumpWarning]
    /// A file that needs the password.
    let firstEncrypted: DumpPath?

    /// Lists an archive.
    init(
        _ file: DumpPath, in base: any DumpFiles, _ format: ArchiveFormat, password: String?, limits: Limits = Limits(),
        _ control: OpeningControl
    ) throws(DumpError) {
        self.file = file
        self.base = base
        self.format = format
        self.password = password
        let content = try Self.open(file, in: base, control)
        let packed: Int
        do throws(Errno) { packed = Int(clamping: try content.status().size) } catch {
            throw DumpError(file, .init(error))
        }
        let bound = packed.multipliedReportingOverflow(by: limits.ratio)
        let most = min(limits.unpacked, bound.overflow ? .max : max(bound.partialValue, limits.free))
        spill = format.isDirect ? nil : try Self.spill(file)
        let reader = try ArchiveReader(content, format, password: password, file)
        var items: [DumpPath: Item] = [.root: Item(item: DumpItem(path: .root, kind: .folder))]
        var children: [DumpPath: [DumpPath]] = [:], problems: [DumpWarning] = [], firstEncrypted: DumpPath?
        var number = 0, total = 0, stray = 0, twins = 0, spilled = 0
        func link(_ path: DumpPath) {
            var path = path
            while let parent = path.parent {
                children[parent, default: []].append(path)
                if items[parent] != nil { return }
                items[parent] = Item(item: DumpItem(path: parent, kind: .folder))
                path = parent
            }
        }
        while let entry = try reader.next() {
            defer { number += 1 }
            if number & 0xFF == 0 { try control.reach(.listing, number) }
            guard number < limits.entries else { throw DumpError(file, .tooManyEntries(limit: limits.entries)) }
            total += entry.kind == .file ? max(0, entry.size ?? 0) : 0
            guard total <= most else { throw DumpError(file, .bomb(unpacked: total, packed: packed)) }
            guard let path = Self.path(entry.path) else {
                stray += 1
                continue
            }
            if path.isRoot { continue }
            var place: Place? = entry.kind == .file ? .entry(number) : nil
            if let target = entry.hardLink {
                // Its content is that of an entry before it.
                place = Self.path(target).flatMap { items[$0]?.place }
            } else if let spill, entry.kind == .file {
                let start = spilled
                while true {
                    let part = try reader.bytes(upTo: 1 << 20)
                    if part.isEmpty { break }
                    spilled += part.count
                    guard spilled <= most else { throw DumpError(file, .bomb(unpacked: spilled, packed: packed)) }
                    if (spilled >> 20) & 7 == 0 { try control.reach(.listing, number) }
                    do throws(Errno) { try spill.write(part) } catch { throw DumpError(file, .noCopy(error)) }
                }
                place = .unpacked(offset: start, count: spilled - start)
            }
            var size = entry.size ?? 0
            if case .unpacked(_, let count)? = place { size = count }
            let item = Item(
                item: DumpItem(
                    path: path, kind: entry.kind, size: entry.kind == .file ? size : 0, mode: entry.mode & 0o7777,
                    modified: .init(seconds: entry.modified, nanoseconds: 0)), place: place)
            if let known = items[path] {
                // A folder may be listed after what is in it, and again.
                if known.item.kind == .folder, entry.kind == .folder {
                    items[path]?.item = item.item
                } else {
                    twins += 1
                }
                continue
            }
            if entry.isEncrypted, entry.kind == .file { firstEncrypted = firstEncrypted ?? path }
            items[path] = item
            link(path)
        }
        for folder in children.keys { children[folder]?.sort() }
        if stray > 0 { problems.append(DumpWarning(file, .strayEntries(stray))) }
        if twins > 0 { problems.append(DumpWarning(file, .sameEntries(twins))) }
        self.items = items
        self.children = children
        self.firstEncrypted = firstEncrypted
        listingProblems = problems
        self.content = Mutex(content)
    }

    /// The path of an entry below the root; `nil` where it leads out of the archive.
    ///
    /// `./` before it and a slash behind it are how tools write folders.
    private static func path(_ bytes: [UInt8]) -> DumpPath? {
        var rest = bytes[...]
        while rest.starts(with: "./".utf8) { rest = rest.dropFirst(2) }
        while rest.last == UInt8(ascii: "/"), rest.count > 1 { rest = rest.dropLast() }
        if rest.elementsEqual(".".utf8) { return .root }
        return rest.isEmpty ? nil : DumpPath(bytes: rest)
    }

    /// The bytes of the archive, in a private file where it is not one on the disk.
    private static func open(
        _ file: DumpPath, in files: any DumpFiles, _ control: OpeningControl
    ) throws(DumpError) -> OpenFile {
        if let path = files.diskPath(of: file) {
            do throws(Errno) { return try OpenFile.open(path) } catch { throw DumpError(file, .init(error)) }
        }
        let copy = try spill(file), stream = try files.stream(of: file)
        while true {
            try control.reach(.listing)
            let part = try stream.next()
            if part.isEmpty { return copy }
            do throws(Errno) { try copy.write(part) } catch { throw DumpError(file, .noCopy(error)) }
        }
    }

    /// A private file without a name.
    private static func spill(_ file: DumpPath) throws(DumpError) -> OpenFile {
        do throws(Errno) {
            let folder = try PrivateFolder()
            // Its name goes with the folder.
            return try withExtendedLifetime(folder) { () throws(Errno) in
                try OpenFile.create(folder.path + "/unpacked", mode: 0o600)
            }
        } catch {
            throw DumpError(file, .noCopy(error))
        }
    }

    /// Refuses where the password does not open a file that needs it.
    func check(_ path: DumpPath, at place: String) throws(DumpError) {
        do throws(DumpError) { _ = try stream(of: path).next() } catch {
            // The library tells a wrong password from damage only at times, and names no file.
            throw DumpError(place, error.problem == .brokenArchive ? .wrongPassword : error.problem)
        }
    }

    // MARK: Reading

    func item(at path: DumpPath) throws(DumpError) -> DumpItem? {
        for folder in path.folders {
            guard let above = items[folder] else { return nil }
            if let refusal = Self.refusal(of: above.item) { throw refusal }
            guard above.item.kind == .folder else { return nil }
        }
        return items[path]?.item
    }

    func children(of folder: DumpPath, limit: Int) throws(DumpError) -> [DumpItem] {
        guard let item = try item(at: folder) else { throw DumpError(folder, .notFound) }
        guard item.kind == .folder else { throw Self.refusal(of: item) ?? DumpError(folder, .notAFolder) }
        return (children[folder] ?? []).prefix(limit).compactMap { items[$0]?.item }
    }

    func stream(of path: DumpPath) throws(DumpError) -> any DumpStream {
        guard let item = try item(at: path) else { throw DumpError(path, .notFound) }
        switch item.kind {
        case .file: break
        case .folder: throw DumpError(path, .notAFile("a folder"))
        case .symbolicLink: throw Self.refusal(of: item) ?? DumpError(path, .notFound)
        case .other(let what): throw DumpError(path, .notAFile(what))
        }
        switch items[path]?.place {
        case .unpacked(let offset, let count)?:
            guard let spill else { throw DumpError(path, .brokenArchive) }
            return SpilledStream(spill, offset, count, path)
        case .entry(let number)?: return try unpacked(number, path)
        case nil: throw DumpError(path, .brokenArchive)
        }
    }

    /// Unpacks one entry into a private file, from which it is read; a small one is kept in memory.
    private func unpacked(_ number: Int, _ path: DumpPath) throws(DumpError) -> any DumpStream {
        let result: Result<any DumpStream, DumpError> = content.withLock { content in
            Result { () throws(DumpError) in
                let reader = try ArchiveReader(content, format, password: password, path)
                for _ in 0..<number { guard try reader.next() != nil else { throw DumpError(file, .changing) } }
                guard let entry = try reader.next(), Self.path(entry.path) == path else {
                    throw DumpError(file, .changing)
                }
                // What an entry says of its size need not be so.
                let most = max(1 << 20, (items[path]?.item.size ?? 0)) + 1 << 20
                var memory = Data(), spill: OpenFile?, count = 0
                while true {
                    let part = try reader.bytes(upTo: 1 << 20)
                    if part.isEmpty { break }
                    count += part.count
                    guard count <= most || entry.size == nil else { throw DumpError(path, .brokenArchive) }
                    if spill == nil, memory.count + part.count <= 16 << 20 {
                        memory.append(part)
                        continue
                    }
                    do throws(Errno) {
                        if spill == nil {
                            spill = try Self.unnamed()
                            try spill?.write(memory)
                            memory = Data()
                        }
                        try spill?.write(part)
                    } catch {
                        throw DumpError(path, .noCopy(error))
                    }
                }
                return spill.map { SpilledStream($0, 0, count, path) } ?? MemoryStream(memory)
            }
        }
        return try result.get()
    }

    private static func unnamed() throws(Errno) -> OpenFile {
        let folder = try PrivateFolder()
        return try withExtendedLifetime(folder) { () throws(Errno) in
            try OpenFile.create(folder.path + "/unpacked", mode: 0o600)
        }
    }

    func version(of path: DumpPath) throws(DumpError) -> FileVersion {
        guard try item(at: path)?.kind == .folder else { return try digest(of: path) }
        // The archive itself, where it is: neither its size nor its time stands for its content.
        guard let item = try base.item(at: file) else { throw DumpError(file, .gone) }
        let time = item.modified.map { "\($0.seconds).\($0.nanoseconds)" } ?? ""
        return FileVersion(text: "\(try base.version(of: .root).text):\(item.size):\(time)")
    }

    func reopened() throws(DumpError) -> any DumpFiles {
        try ArchiveFiles(file, in: try base.reopened(), format, password: password, OpeningControl())
    }

    func problems(below folder: DumpPath) -> [DumpWarning] { listingProblems }

    private static func refusal(of item: DumpItem) -> DumpError? {
        guard case .symbolicLink(let target) = item.kind else { return nil }
        return DumpError(item.path, .symbolicLink(target: String(decoding: target, as: UTF8.self)))
    }
}

/// A part of a private file.
private final class SpilledStream: DumpStream {
    private let file: OpenFile
    private var offset: Int
    private var left: Int
    private let path: DumpPath

    init(_ file: OpenFile, _ offset: Int, _ count: Int, _ path: DumpPath) {
        self.file = file
        self.offset = offset
        left = count
        self.path = path
    }

    func next() throws(DumpError) -> Data {
        guard left > 0 else { return Data() }
        var data = Data(count: min(left, 1 << 20))
        let wanted = data.count, place = offset
        let got = data.withUnsafeMutableBytes { pread(file.descriptor.rawValue, $0.baseAddress, wanted, off_t(place)) }
        guard got > 0 else { throw DumpError(path, got < 0 ? .inaccessible(.last) : .changing) }
        offset += got
        left -= got
        return data.prefix(got)
    }
}

/// Bytes in memory.
private final class MemoryStream: DumpStream {
    private var data: Data

    init(_ data: Data) { self.data = data }

    func next() -> Data {
        defer { data = Data() }
        return data
    }
}
