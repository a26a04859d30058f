import Crypto
import Files
import Foundation
import StoreFormats
import SystemPackage

/// What tells a folder that an export has written from any other, so that no other is ever replaced.
///
/// It is an extended attribute of the folder, and a small file beside it, which names the folder by its number and lists
/// what the export has written there. Where the file system has no attributes that number is the mark: another folder that
/// comes to have the name is not taken for it.
///
/// The list is written under a name of its own before the folder takes its place, and takes its own behind it: whenever an
/// export is killed, one of the two is that of the folder that is there.
package struct ExportMark {
    /// The extended attribute.
    package static let attribute = "user.vestige.export"
    /// The name of the file.
    package let fileName: String
    /// Its name until the folder is in its place.
    private var nextName: String { fileName + "-next" }
    private let usesAttributes: Bool
    /// The attribute that says of which dump it is an export.
    private let origin: String?

    /// Makes the mark of a folder, into which a dump is exported.
    package init(of name: Substring, from dump: Dump? = nil, usingAttributes: Bool = true) {
        origin = dump?.exportAttribute
        // Of names that begin alike for longer than a name may be, the last export counts.
        fileName = HiddenName.exportList(for: name)
        usesAttributes = usingAttributes
    }

    /// Marks a folder that is being written, where the file system has attributes.
    package func begin(on folder: OpenFile) {
        guard usesAttributes else { return }
        try? folder.setAttribute(Self.attribute, to: "1")
        if let origin { try? folder.setAttribute(origin, to: "1") }
    }

    /// Writes the list of a folder that is whole and about to take its place.
    ///
    /// - Parameters:
    ///   - place: The folder that has the place now.
    ///   - parentPath: The path of the folder that both are in, with a slash behind it.
    package func prepare(
        for folder: OpenFile, insteadOf place: OpenFile?, in parent: OpenFile, _ parentPath: String, _ list: ExportList
    ) throws(Errno) {
        let record = try Self.record(of: folder)
        if taken(in: parent) != nil { throw .fileExists }
        // That of the folder that is there, whose export was killed, takes its name first.
        if let place, isList(nextName, of: place, in: parent) { try finish(in: parentPath) }
        try? parent.removeFile(at: nextName.utf8)
        let file = try parent.create(at: nextName.utf8, mode: 0o600)
        do throws(Errno) {
            try file.write(Data(record.utf8) + list.data)
            try file.flush()
        } catch {
            // Nothing may stand in it yet that says whose it is.
            try? parent.removeFile(at: nextName.utf8)
            throw error
        }
    }

    /// Gives the list its name, as its folder has its own.
    ///
    /// - Parameter parentPath: The path of the folder that both are in, with a slash behind it.
    package func finish(in parentPath: String) throws(Errno) {
        try OpenFile.rename(parentPath + nextName, replacing: parentPath + fileName)
    }

    /// Takes the list of a folder away that has not come to its place; that of another export stays.
    package func discard(of folder: OpenFile, in parent: OpenFile) {
        if isList(nextName, of: folder, in: parent) { try? parent.removeFile(at: nextName.utf8) }
    }

    /// Whether a folder is marked.
    package func isSet(on folder: OpenFile, in parent: OpenFile) -> Bool {
        folder.hasAttribute(Self.attribute)
            || [fileName, nextName].contains { isList($0, of: folder, in: parent) }
    }

    /// What was written to the folder; `nil` where nothing says so, as also where the list is that of another folder.
    package func list(of folder: OpenFile, in parent: OpenFile) -> ExportList? {
        for name in [fileName, nextName] {
            guard let data = try? parent.open(at: name.utf8).contents(limit: 1 << 30), let number = Self.number(data),
                let end = data.firstIndex(of: 0x0A), let status = try? folder.status(),
                // Devices are numbered anew at times.
                number == String(status.inode.rawValue)
            else { continue }
            return ExportList(data[data.index(after: end)...])
        }
        return nil
    }

    /// The first of the two names under which there is something that no export has written: it is somebody's.
    package func taken(in parent: OpenFile) -> String? {
        [fileName, nextName].first { name in
            guard let status = try? parent.status(of: name.utf8) else { return false }
            guard status.type == .regular else { return true }
            // One that cannot be read is not known to be ours.
            return head(of: name, in: parent).flatMap(Self.number) == nil
        }
    }

    /// Whether a file is the list of a folder, by the record that it begins with.
    private func isList(_ name: String, of folder: OpenFile, in parent: OpenFile) -> Bool {
        guard let record = try? Self.record(of: folder), let head = head(of: name, in: parent) else { return false }
        return head.starts(with: record.utf8)
    }

    /// The beginning of a file, as far as a record reaches; `nil` where it cannot be read.
    private func head(of name: String, in parent: OpenFile) -> Data? {
        (try? parent.open(at: name.utf8).read(upTo: 100)).map { Data($0) }
    }

    private static func record(of folder: OpenFile) throws(Errno) -> String {
        let status = try folder.status()
        return "device \(status.deviceID.rawValue) folder \(status.inode.rawValue)\n"
    }

    /// The number of the folder that a record names; `nil` where it is none.
    private static func number(_ data: Data) -> String? {
        let words = data.prefix { $0 != 0x0A }.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
        guard data.contains(0x0A), words.count == 4, words[0] == "device", Int(words[1]) != nil, words[2] == "folder",
            UInt64(words[3]) != nil
        else { return nil }
        return words[3]
    }
}

/// What an export has written: each file, link and folder below its target, with what it holds.
package struct ExportList {
    private var items: [DumpPath: String] = [:]

    /// Makes an empty list.
    package init() {}

    /// Whether something was written to a path.
    func has(_ path: DumpPath) -> Bool { items[path] != nil }

    /// Adds a folder.
    package mutating func add(folder path: DumpPath) { if !path.isRoot { items[path] = "folder" } }
    /// Adds a file.
    package mutating func add(file path: DumpPath, digest: String) { items[path] = "file " + digest }
    /// Adds a symbolic link.
    package mutating func add(link path: DumpPath, to target: [UInt8]) { items[path] = Self.link(target) }

    private static func link(_ target: [UInt8]) -> String {
        "link " + Hexadecimal.text(Data(SHA256.hash(data: target)))
    }

    /// The list as bytes: what it is, a tab, the path and a NUL for each item.
    var data: Data {
        items.sorted { $0.key < $1.key }.reduce(into: Data()) { data, item in
            data += Data(item.value.utf8) + [0x09] + Data(item.key.bytes) + [0]
        }
    }

    /// Reads such bytes; `nil` where they are not those of a list.
    init?(_ data: Data) {
        guard data.isEmpty || data.last == 0 else { return nil }
        for item in data.split(separator: 0) {
            guard let tab = item.firstIndex(of: 0x09),
                let path = DumpPath(bytes: Array(item[item.index(after: tab)...]))
            else { return nil }
            items[path] = String(decoding: item[..<tab], as: UTF8.self)
        }
    }

    /// What is in a folder that is not as it was written; of a folder that was not, nothing that is in it.
    package func others(in folder: OpenFile, isCancelled: () -> Bool) throws(Errno) -> [DumpPath] {
        var others: [DumpPath] = []
        var rest = [(folder, DumpPath.root)]
        while let (folder, path) = rest.popLast() {
            for name in try folder.names() {
                if isCancelled() { return others }
                guard let place = DumpPath(bytes: path.bytes + (path.isRoot ? [] : [0x2F]) + name) else { continue }
                let type = try folder.status(of: name).type
                let found: String?
                switch type {
                case .directory: found = "folder"
                case .regular: found = "file " + (try Self.digest(of: folder.open(at: name)))
                case .symbolicLink: found = Self.link(folder.target(of: name))
                default: found = nil
                }
                guard let found, items[place] == found else {
                    others.append(place)
                    continue
                }
                if type == .directory { rest.append((try folder.open(at: name, isFolder: true), place)) }
            }
        }
        return others.sorted()
    }

    private static func digest(of file: OpenFile) throws(Errno) -> String {
        var hash = SHA256()
        while true {
            let part = try file.read(upTo: 1 << 20)
            if part.isEmpty { return Hexadecimal.text(Data(hash.finalize())) }
            hash.update(data: part)
        }
    }
}
