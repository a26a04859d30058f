import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats

/// A file of the dump that is not what it was when a standing step read it.
package struct Drift: Hashable, Sendable {
    /// What is different.
    package enum Kind: String, Hashable, Sendable {
        /// It has other bytes.
        case changed
        /// It is not there any more.
        case missing
        /// It was not there and is now.
        case appeared
        /// It can, or could, not be read.
        case unreadable
        /// It is the export of a keychain, which was given beside the dump then and is not now.
        case keychainNotGiven = "keychain-not-given"
    }

    /// The file, relative to the dump's root, or absolute where it lies elsewhere.
    package var path: Name
    /// What is different.
    package var kind: Kind

    /// Makes a finding.
    package init(_ path: Name, _ kind: Kind) {
        self.path = path
        self.kind = kind
    }
}

extension Drift: CustomStringConvertible {
    /// The file and what is different, in a phrase.
    package var description: String {
        let path = NameListing(recorded: path)?.description ?? path.text
        return switch kind {
        case .changed: "\(path) has changed"
        case .missing: "\(path) is missing"
        case .appeared: "\(path) was not there before"
        case .unreadable: "\(path) cannot be compared, because it cannot be read"
        case .keychainNotGiven:
            "steps were applied with the keychain export \(path), which is not given now, so what they read and wrote in it "
                + "cannot be looked at"
        }
    }

    /// The same as a sentence without a full stop, which says of a dump that has changed that it has.
    package var sentence: String {
        kind == .keychainNotGiven ? description : "the dump has changed: \(description)"
    }
}

extension Drift {
    /// Whether nobody can tell whether it has changed.
    package var isUnreadable: Bool { kind == .unreadable || kind == .keychainNotGiven }
}

extension [Drift] {
    /// Whether nothing is known to have changed: there is only a keychain that must be given.
    package var isOfKeychain: Bool { !isEmpty && allSatisfy { $0.kind == .keychainNotGiven } }
}

extension [Drift] {
    /// Refuses what the person has not been asked about.
    func refused(but accepted: [Drift]) throws(WorkspaceError) {
        let new = filter { !accepted.contains($0) }
        guard new.isEmpty else { throw .drift(new) }
    }
}

/// The digests of a dump's files.
struct FileDigests {
    /// The digest of a file that is not there.
    static let absent = "absent"
    /// The digest of a file that cannot be read.
    static let unreadable = "unreadable"
    /// The digest of the export of a keychain that was accepted not to be given.
    static let notGiven = "not-given"

    /// What stands in an entry for the keychain of a dump that had none that is read, where its step has looked for items.
    static let keychain: Name = "keychain:"

    private let dump: Dump
    private var known: [Name: String] = [:]
    /// What is below the folders that patterns of steps are of; `nil` where that cannot be listed.
    private var listed: [DumpPath: [Listed]?] = [:]

    /// A file or a folder that a pattern may fit.
    private struct Listed {
        let path: Name, isFolder: Bool
    }

    init(of dump: Dump) { self.dump = dump }

    /// The keychain's export that is read beside the dump.
    private var keychainPath: Name? {
        guard case .elsewhere(let path)? = dump.keychain?.source else { return nil }
        return Name(path)
    }

    /// What the dump's keychain goes by.
    private var keychainName: Name { dump.keychain.map { Name($0.path) } ?? "the keychain" }

    /// What is recorded where an entry goes on in spite of drift: the files, and that there is a keychain now.
    ///
    /// - Parameter history: The lists of names that its standing steps have looked through are recorded anew.
    func recorded(_ drift: [Drift], since history: History) -> [Name] {
        if drift.isEmpty { return [] }
        let listings = history.standing.flatMap(\.digests.keys).filter { NameListing(recorded: $0) != nil }
        return drift.map(\.path) + listings + (drift.contains { $0.path == keychainName } ? [Self.keychain] : [])
    }

    /// The version of a file, as a ledger records it, or ``absent``, ``unreadable`` or ``notGiven``; each file is read once.
    mutating func digest(of path: Name) -> String {
        if let digest = known[path] { return digest }
        if let listing = NameListing(recorded: path) {
            // A folder that becomes a file of its name is another thing.
            let texts = items(of: listing)?.map { $0.path.text + ($0.isFolder ? "/" : "") }.joined(separator: "\0")
            let digest = texts.map { SHA256Digest.hexadecimal(of: Data($0.utf8)) } ?? Self.unreadable
            known[path] = digest
            return digest
        }
        if path == Self.keychain {
            if dump.keychain != nil { return digest(of: keychainName) }
            return if case .unreadable? = dump.containers.first?.keychain { Self.unreadable } else { Self.absent }
        }
        // Nothing but a keychain lies outside of the dump.
        if case .elsewhere? = SourceFile(recorded: path.text), keychainPath != path { return Self.notGiven }
        let digest: String
        do throws(DumpError) {
            digest =
                try SourceFile(recorded: path.text).map { file throws(DumpError) in try dump.version(of: file).text }
                ?? Self.absent
        } catch {
            digest = error.problem == .notFound ? Self.absent : Self.unreadable
        }
        known[path] = digest
        return digest
    }

    /// The files and folders that a step's pattern fits now, by their paths; `nil` where they cannot be listed.
    private mutating func items(of listing: NameListing) -> [Listed]? {
        guard let folder = DumpPath(listing.folder.text) else { return [] }
        let all = listed[folder] ?? items(below: folder)
        listed[folder] = .some(all)
        return all?.filter { listing.fits($0.path) }
    }

    private func items(below folder: DumpPath) -> [Listed]? {
        do throws(DumpError) {
            guard try dump.files.item(at: folder) != nil else { return [] }
        } catch {
            return nil
        }
        let found = dump.files.items(below: folder)
        guard found.warnings.allSatisfy({ $0.problem == .nameNotUTF8 }) else { return nil }
        return found.items.map { Listed(path: Name($0.path.text), isFolder: $0.kind == .folder) }
    }

    /// The version of a recorded file; the same export of a keychain may lie elsewhere now.
    private mutating func current(_ path: Name) -> String {
        let digest = digest(of: path)
        return if digest == Self.notGiven, let keychainPath { self.digest(of: keychainPath) } else { digest }
    }

    /// The numbers of the entries that read a file that is not what it was then.
    ///
    /// - Parameter isCancelled: Asked before each entry whether to stop.
    mutating func outdated(
        in history: History, isCancelled: () -> Bool = { false }
    ) throws(WorkspaceError) -> Set<Int> {
        var numbers: Set<Int> = []
        for entry in history.entries {
            if isCancelled() { throw .cancelled }
            for (path, recorded) in entry.digests where recorded != current(path) {
                numbers.insert(entry.number)
                break
            }
        }
        return numbers
    }

    /// The files behind standing entries that are not what was recorded last.
    ///
    /// Once nothing stands, nothing can have drifted: the next step reads what is there.
    ///
    /// - Parameters:
    ///   - entries: Those to look behind; `nil` is all that stand.
    ///   - progress: Called before each file: how many have been read, of how many.
    ///   - isCancelled: Asked before each file whether to stop.
    mutating func drift(
        since history: History, behind entries: [LedgerEntry]? = nil, progress: (Int, Int) -> Void = { _, _ in },
        isCancelled: () -> Bool = { false }
    ) throws(WorkspaceError) -> [Drift] {
        let paths = Set((entries ?? history.standing).flatMap(\.digests.keys))
        var recorded: [Name: String] = [:]
        for entry in history.entries { recorded.merge(entry.digests) { $1 } }
        // What several patterns fit, or stands for the keychain as well, is told once.
        var drift: [Drift] = [], told: Set<Drift> = []
        var listings: [(path: Name, folder: Name)] = []
        func tell(_ found: Drift) { if told.insert(found).inserted { drift.append(found) } }
        for (index, path) in paths.sorted().enumerated() {
            if isCancelled() { throw .cancelled }
            progress(index, paths.count)
            let now = current(path)
            guard let before = recorded[path], before != now else { continue }
            if let listing = NameListing(recorded: path), ![before, now].contains(Self.unreadable) {
                // A file that has gone was read, and is named itself. Which folders there were nobody has recorded.
                let items = items(of: listing) ?? []
                let new = items.filter { !$0.isFolder && recorded[$0.path] == nil }
                new.forEach { tell(Drift($0.path, .appeared)) }
                if new.isEmpty { listings.append((path, listing.folder)) }
                continue
            }
            if keychainPath != path, case .elsewhere? = SourceFile(recorded: path.text) {
                tell(Drift(path, .keychainNotGiven))
                continue
            }
            let kind: Drift.Kind =
                switch (before, now) {
                case (Self.notGiven, _): .appeared
                case (Self.unreadable, _), (_, Self.unreadable): .unreadable
                case (Self.absent, _): .appeared
                case (_, Self.absent): .missing
                default: .changed
                }
            tell(Drift(path == Self.keychain ? keychainName : path, kind))
        }
        // What has gone from a list, or come to it, is named itself where that is known.
        let named = drift
        for (path, folder) in listings where !named.contains(where: { $0.path.hasPrefix(folder.text + "/") }) {
            drift.append(Drift(path, .changed))
        }
        return drift
    }
}
