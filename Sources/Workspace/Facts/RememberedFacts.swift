import Files
import Foundation
import MigrationEngine
import StoreFormats
import SystemPackage

/// The facts that a person has given of an app of a dump while looking at it, in a file beside the ledger: they are there again
/// when the dump is opened the next time.
///
/// What steps were applied with, the ledger itself has.
struct RememberedFacts: Sendable {
    /// The largest file, in bytes.
    private static let limit = 1 << 20

    /// The facts of each container by their names, as the file has them.
    private typealias Contents = [String: [String: Entry]]

    private struct Entry: Codable {
        let value: String
        let from: String
    }

    /// The file.
    let path: String
    private let container: String

    /// - Parameters:
    ///   - ledger: The path of the dump's ledger.
    ///   - container: The name by which that has the container.
    init(beside ledger: String, of container: Name) {
        path = ledger + ".facts"
        // Two names that only look the same are two keys.
        self.container = container.utf8.reduce(into: "") { key, byte in
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
            key += isPlain ? String(UnicodeScalar(byte)) : String(format: "%%%02X", byte)
        }
    }

    /// The facts; none where there is no file.
    ///
    /// - Throws: ``WorkspaceError/fact(_:)`` where it cannot be read.
    func load() throws(WorkspaceError) -> Facts {
        Facts(
            Dictionary(
                uniqueKeysWithValues: try contents()[container, default: [:]].map { name, entry in
                    (FactName(rawValue: name), Fact(entry.value, from: .given(entry.from)))
                }))
    }

    /// Keeps facts in place of those that were kept; the file is the old one or the new one at any moment.
    ///
    /// - Throws: ``WorkspaceError/fact(_:)`` where it cannot be read or written.
    func save(_ facts: Facts) throws(WorkspaceError) {
        var all = try contents()
        let own = facts.names.compactMap { name in
            facts[name].map { (name.rawValue, Entry(value: $0.value, from: $0.source.first.description)) }
        }
        all[container] = own.isEmpty ? nil : Dictionary(uniqueKeysWithValues: own)
        do {
            if all.isEmpty {
                if (try? OpenFile.status(at: path)) != nil { try OpenFile.remove(path) }
                return
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            let folder = (path as NSString).deletingLastPathComponent, new = "\(path)-\(getpid())"
            if !folder.isEmpty { try OpenFile.makeFolders(folder, mode: 0o700) }
            // What a killed program with the same number has left.
            try? OpenFile.remove(new)
            do {
                let file = try OpenFile.create(new, mode: 0o600)
                try file.write(encoder.encode(all))
                try file.flush()
                try OpenFile.rename(new, replacing: path)
            } catch {
                try? OpenFile.remove(new)
                throw error
            }
        } catch {
            let reason = (error as? Errno)?.words ?? "\(error)"
            throw .fact(.notRemembered(path, reason: reason))
        }
    }

    private func contents() throws(WorkspaceError) -> Contents {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try OpenFile.open(path).read(upTo: Self.limit + 1)
        } catch {
            if error == .noSuchFileOrDirectory { return [:] }
            throw .fact(.unreadableFile(path, reason: error.words))
        }
        guard bytes.count <= Self.limit, let all = try? JSONDecoder().decode(Contents.self, from: Data(bytes)) else {
            throw .fact(.damagedMemory(path))
        }
        return all
    }
}
