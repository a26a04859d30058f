import Crypto
import Foundation
import MigrationEngine
import StoreFormats

extension DumpSource {
    /// How many bytes of what its files hold tell a dump from another, of each at least a page.
    fileprivate static let identityLimit = 1 << 24

    /// The extended attribute of a folder that an export of this dump has written, so that it is told from an export of another,
    /// also of one that has had this one's path before.
    ///
    /// It has a digest of where the dump is, of what it lists with sizes and times, and of what its smallest files hold.
    ///
    /// - Throws: where the person stops it.
    func exportAttribute(_ control: OpeningControl) throws(DumpError) -> String {
        var parts = DigestOfParts()
        parts.add(location.path.utf8)
        // What Finder leaves where somebody looks is no part of it.
        let items = files.items().items.filter { !Archive.isAddition($0.path) }
        for item in items {
            parts.add(item.path.bytes)
            // The time of a folder changes with what is left in it.
            let time = item.kind == .folder ? nil : item.modified.map { "\($0.seconds) \($0.nanoseconds)" }
            parts.add("\(item.kind) \(item.size) \(time ?? "")".utf8)
        }
        var left = Self.identityLimit
        for item in items.filter({ $0.kind == .file }).sorted(by: { ($0.size, $0.path) < ($1.size, $1.path) }) {
            if control.isStopped() { throw DumpError(location.path, .cancelled) }
            // To open one costs as much as a page of it.
            left -= max(item.size, 4096)
            if left < 0 { break }
            parts.add(((try? files.digest(of: item.path).text) ?? "unread").utf8)
        }
        return "user.vestige.export-of-" + parts.text
    }
}

extension Dump {
    /// The extended attribute of a folder that an export of this very dump has written; `nil` where that is not known.
    package var exportAttribute: String? { try? source.exportAttribute(.current) }
}

extension Dump {
    /// How large a file may be that is read as a whole to tell a dump from another.
    private static let wholeLimit = 1 << 20

    /// What tells a container of this dump from any other by what it is, wherever and since when it lies there: a copy has the same, and
    /// what is put in its place with other contents has not.
    ///
    /// It is a digest of whose it is and when it was taken, of its files' paths and sizes, and of the digests that a ledger keeps of
    /// them: of the preferences always, of others as far as that is cheap, and of large ones that of the first page, where a database
    /// counts its changes. What other containers have, and the keychain, may come and go with what is said at the opening, and is no
    /// part of it.
    package func identity(of container: Container) -> String {
        var parts = DigestOfParts()
        parts.add(container.kind.rawValue.utf8)
        // A lone file is called as somebody has called it.
        let told = loneFile == nil ? [FactName.bundleIdentifier, .groupIdentifier, .downloadDate] : []
        for name in told { parts.add((container.facts[name]?.value ?? "").utf8) }
        let items = files.items(below: container.path).items.filter {
            $0.kind != .folder && !Archive.isAddition($0.path)
        }
        for item in items.sorted(by: { $0.path < $1.path }) {
            let path = loneFile ?? container.path, isBeside = item.path.bytes.starts(with: path.bytes)
            parts.add(isBeside ? item.path.bytes.dropFirst(path.bytes.count) : item.path.bytes[...])
            parts.add("\(item.kind) \(item.kind == .file ? item.size : 0)".utf8)
        }
        let preferences = container.path / ContainerPlaces.preferencesFolder
        var left = DumpSource.identityLimit
        for item in items.filter({ $0.kind == .file }).sorted(by: { ($0.size, $0.path) < ($1.size, $1.path) }) {
            let version: FileVersion?
            if loneFile != nil || item.path.relative(to: preferences) != nil {
                let known = container.contents.bytesRead(of: item.path)
                version = known.map(FileVersion.init(ofContent:)) ?? (try? files.digest(of: item.path))
            } else {
                left -= max(min(item.size, Self.wholeLimit), 4096)
                if left < 0 { continue }
                version = item.size <= Self.wholeLimit ? try? files.digest(of: item.path) : firstPage(of: item.path)
            }
            parts.add((version?.text ?? "unread").utf8)
        }
        return parts.text
    }

    private func firstPage(of file: DumpPath) -> FileVersion? {
        guard let stream = try? files.stream(of: file) else { return nil }
        var page = Data()
        while page.count < 4096 {
            guard let part = try? stream.next() else { return nil }
            if part.isEmpty { break }
            page += part
        }
        return FileVersion(ofContent: page.prefix(4096))
    }
}

/// A digest of texts, each with its length before it: no two lists of them have the same bytes.
private struct DigestOfParts {
    private var hash = SHA256()

    mutating func add(_ bytes: some Collection<UInt8>) {
        hash.update(data: Data("\(bytes.count):".utf8))
        hash.update(data: Data(bytes))
    }

    /// The digest so far, as 32 hexadecimal digits.
    var text: String { Hexadecimal.text(Data(hash.finalize().prefix(16))) }
}
