import Crypto
import Foundation
import StoreFormats

extension DumpSource {
    /// How many bytes of what its files hold tell a dump from another, of each at least a page.
    private static let identityLimit = 1 << 24

    /// The extended attribute of a folder that an export of this dump has written, so that it is told from an export of another,
    /// also of one that has had this one's path before.
    ///
    /// It has a digest of where the dump is, of what it lists with sizes and times, and of what its smallest files hold.
    ///
    /// - Throws: where the person stops it.
    func exportAttribute(_ control: OpeningControl) throws(DumpError) -> String {
        var hash = SHA256()
        func add(_ bytes: some Collection<UInt8>) {
            hash.update(data: Data("\(bytes.count):".utf8))
            hash.update(data: Data(bytes))
        }
        add(Array(location.path.utf8))
        // What Finder leaves where somebody looks is no part of it.
        let items = files.items().items.filter { !Archive.isAddition($0.path) }
        for item in items {
            add(item.path.bytes)
            // The time of a folder changes with what is left in it.
            let time = item.kind == .folder ? nil : item.modified.map { "\($0.seconds) \($0.nanoseconds)" }
            add(Array("\(item.kind) \(item.size) \(time ?? "")".utf8))
        }
        var left = Self.identityLimit
        for item in items.filter({ $0.kind == .file }).sorted(by: { ($0.size, $0.path) < ($1.size, $1.path) }) {
            if control.isStopped() { throw DumpError(location.path, .cancelled) }
            // To open one costs as much as a page of it.
            left -= max(item.size, 4096)
            if left < 0 { break }
            add(Array(((try? files.digest(of: item.path).text) ?? "unread").utf8))
        }
        return "user.vestige.export-of-" + Hexadecimal.text(Data(hash.finalize().prefix(16)))
    }
}

extension Dump {
    /// The extended attribute of a folder that an export of this very dump has written; `nil` where that is not known.
    package var exportAttribute: String? { try? source.exportAttribute(.current) }
}
