import DeviceDump
import Files
import Foundation
import MigrationEngine
import StoreFormats
import SystemPackage

/// The facts that a person has given of an app of a dump while looking at it, in a file beside the ledger: they are there again
/// when the dump is opened the next time, unless another one lies at its place then.
///
/// What steps were applied with, the ledger itself has.
struct RememberedFacts: Sendable {
    /// The largest file, in bytes.
    private static let limit = 1 << 20

    /// What the file has of each container.
    private typealias Contents = [String: Kept]

    private struct Kept: Codable {
        /// What tells its dump from others at the same place.
        let mark: String
        /// The facts by their names.
        var facts: [String: Entry]
    }

    private struct Entry: Codable {
        let value: String
        let from: String
    }

    /// The file.
    let path: String
    private let container: String
    private let mark: String

    /// - Parameters:
    ///   - ledger: The path of the dump's ledger.
    ///   - container: The name by which that has the container.
    init(beside ledger: String, of container: Container, in dump: Dump) {
        path = ledger + ".facts"
        mark = Self.mark(of: container, in: dump)
        let container = container.ledgerName
        // Two names that only look the same are two keys.
        self.container = container.utf8.reduce(into: "") { key, byte in
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
            key += isPlain ? String(UnicodeScalar(byte)) : String(format: "%%%02X", byte)
        }
    }

    /// The facts, none where there is no file, and why some are left out: nothing else of the dump rests on what was remembered.
    ///
    /// - Parameter definitions: What is asked of facts; of what nobody asks for the form is not known.
    func load(_ definitions: [FactDefinition]) -> (facts: Facts, problems: [WorkspaceError]) {
        var facts = Facts(), problems: [WorkspaceError] = []
        let entries: [String: Entry]
        do throws(WorkspaceError) { entries = own(in: try contents()).facts } catch { return (facts, [error]) }
        for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
            let name = FactName(rawValue: name), asked = definitions.filter { $0.name == name }
            let value = asked.lazy.compactMap { $0.value(of: entry.value) }.first
            if let definition = asked.first, value == nil {
                problems.append(.fact(.badMemory(entry.value, file: path, definition)))
            } else {
                facts[name] = Fact(value ?? entry.value, from: .given(entry.from))
            }
        }
        return (facts, problems)
    }

    /// Keeps some facts as they are among others, or that they are not known any more; what others have kept meanwhile stays.
    ///
    /// The file is the old one or the new one at any moment.
    ///
    /// - Throws: ``WorkspaceError/fact(_:)`` where it cannot be read or written.
    func keep(_ names: [FactName], of facts: Facts) throws(WorkspaceError) {
        var all: Contents
        do throws(WorkspaceError) { all = try contents() } catch {
            if case .fact(.unreadableFile(_, let reason)) = error {
                throw .fact(.notRemembered(path, reason: "cannot be read: \(reason)"))
            }
            throw .fact(.notRemembered(path, reason: "is damaged: move it away, as nothing else is in it"))
        }
        var own = own(in: all)
        for name in names {
            own.facts[name.rawValue] = facts[name].map {
                Entry(value: $0.value, from: $0.source.first.description)
            }
        }
        all[container] = own.facts.isEmpty ? nil : own
        do {
            if all.isEmpty {
                if (try? OpenFile.status(at: path)) != nil { try OpenFile.remove(path) }
                return
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            let folder = (path as NSString).deletingLastPathComponent
            if !folder.isEmpty { try OpenFile.makeFolders(folder, mode: 0o700) }
            try OpenFile.replace(path, with: encoder.encode(all), mode: 0o600)
        } catch {
            let reason = (error as? Errno)?.words ?? "\(error)"
            throw .fact(.notRemembered(path, reason: "cannot be written: \(reason)"))
        }
    }

    private func own(in all: Contents) -> Kept {
        if let own = all[container], own.mark == mark { return own }
        return Kept(mark: mark, facts: [:])
    }

    /// What another dump that comes to lie at the same place has otherwise: the file or folder itself, the app, the time.
    private static func mark(of container: Container, in dump: Dump) -> String {
        let file = try? FileManager.default.attributesOfItem(atPath: dump.location.disk)
        let number = file?[.systemFileNumber].map { "\($0)" }
        let made = (file?[.creationDate] as? Date).map { "\($0.timeIntervalSinceReferenceDate)" }
        let told = [FactName.bundleIdentifier, .downloadDate].map { container.facts[$0]?.value }
        return ([number, made] + told).map { $0 ?? "" }.joined(separator: " ")
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
