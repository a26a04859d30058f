import DeviceDump
import Files
import Foundation
import MigrationEngine
import Synchronization
import SystemPackage

/// The facts that a person has given of an app of a dump while looking at it, in a file beside the ledger: they are there again
/// whenever that dump is opened, by what it is and not by where it lies; see ``DeviceDump/Dump/identity(of:)``.
///
/// What steps were applied with, the ledger itself has.
final class RememberedFacts: Sendable {
    /// The largest file, in bytes.
    private static let limit = 1 << 24

    /// The file.
    let path: String
    /// Where the files of other ledgers lie, so that the dump's is found when it lay elsewhere; `nil` beside one that was named.
    private let folder: String?
    private let dump: Dump
    private let container: Container
    private let asked: [FactDefinition]?
    /// What tells the dump, once that was asked; it is of what was opened, whatever is there later.
    private let identity = Mutex<String?>(nil)

    /// - Parameters:
    ///   - ledger: The dump's ledger.
    ///   - asked: What is asked of facts, of which those of another form, or that nobody asks for, are left out; `nil` where that is
    ///     not known.
    init(beside ledger: LedgerFile, of container: Container, in dump: Dump, asked: [FactDefinition]?) {
        path = ledger.path + ".facts"
        folder = ledger.isStandard ? (path as NSString).deletingLastPathComponent : nil
        (self.dump, self.container, self.asked) = (dump, container, asked)
    }

    /// What is remembered.
    struct Memory: Sendable {
        /// The facts of this dump.
        fileprivate(set) var facts = Facts()
        /// Whether there is anything of this dump.
        fileprivate(set) var isFound = false
        fileprivate var problems: [FactProblem] = []
        fileprivate var others: [FactsFile.Share] = []
        fileprivate let path: String
        fileprivate let dump: String

        /// Why facts that were given at another time are not known, or are as an earlier version has kept them.
        ///
        /// - Parameter known: Those that nobody need give again.
        func forgotten(knowing known: Facts) -> [WorkspaceError] {
            let others = others.compactMap { share -> FactsFile.Share? in
                var share = share
                share.facts = share.facts.filter { known[FactName(rawValue: $0.key)] == nil }
                return share.facts.isEmpty ? nil : share
            }
            let older = others.filter { $0.identity == nil }, marked = others.filter { $0.identity != nil }
            var problems = problems
            if !older.isEmpty {
                let facts = older.map(\.facts).reduce([:]) { $0.merging($1) { $1 } }
                let whose = older.count == 1 ? older[0].whose.map { RememberedFacts.quoted($0) } : nil
                problems.append(.olderMemory(RememberedFacts.given(facts), of: whose, file: path, isTaken: false))
            }
            func isHere(_ share: FactsFile.Share) -> Bool { share.path?.utf8.elementsEqual(dump.utf8) ?? false }
            if let last = marked.last(where: isHere) ?? marked.last {
                problems.append(
                    .otherMemory(
                        RememberedFacts.given(last.facts), of: RememberedFacts.quoted(last.whose ?? last.container),
                        at: isHere(last) ? nil : last.path.map { RememberedFacts.quoted($0, limit: 4096) },
                        furtherDumps: marked.count - 1, file: path))
            }
            return problems.map(WorkspaceError.fact)
        }
    }

    /// What there is now, which is nothing where there is no file.
    ///
    /// Nothing else of the dump rests on it.
    func load() -> Memory {
        var memory = Memory(path: path, dump: dump.path)
        let file: FactsFile
        do throws(WorkspaceError) { file = try contents(of: path) } catch {
            if case .fact(let problem) = error { memory.problems = [problem] }
            return memory
        }
        let own = position(in: file)
        if let share = own.map({ file.shares[$0] }) ?? shareElsewhere() {
            memory.isFound = true
            (memory.facts, memory.problems) = facts(of: share)
        }
        // What the dump's other apps have is no other dump's.
        let mine = FactsFile.key(of: container), theirs = Set(dump.containers.map(FactsFile.key))
        memory.others = file.shares.indices.filter { $0 != own }.map { file.shares[$0] }.compactMap { share in
            guard share.container == mine || !theirs.contains(share.container) else { return nil }
            var share = share
            share.facts = share.facts.filter { isAsked(FactName(rawValue: $0.key)) }
            return share
        }
        return memory
    }

    /// Keeps some facts as they are among others, or that they are not known any more.
    ///
    /// What another program has given, or taken back, of the dump's other facts is so; where there is nothing of the dump any more, all
    /// that are known here are kept. What is there of other dumps stays. The file is the old one or the new one at any moment.
    ///
    /// - Parameter known: All facts that are remembered here.
    /// - Returns: What is remembered now.
    /// - Throws: ``WorkspaceError/fact(_:)`` where it cannot be read or written.
    func keep(_ names: some Sequence<FactName>, of known: Facts) throws(WorkspaceError) -> Facts {
        let lock = try lock(toKeep: known)
        // Whoever waits for it looks whether it is still there.
        defer { withExtendedLifetime(lock) { if lock != nil { try? OpenFile.remove(lockPath) } } }
        var file: FactsFile
        do throws(WorkspaceError) { file = try contents(of: path) } catch { throw Self.unwritten(path, error) }
        let own = position(in: file)
        let found = own.map { file.shares.remove(at: $0) } ?? shareElsewhere()
        var share = share(of: found?.facts ?? [:])
        for name in found == nil ? known.names : Array(names) {
            share.facts[name.rawValue] = known[name].map {
                FactsFile.Entry(value: $0.value, from: $0.source.first.description)
            }
        }
        // That all were taken back is kept: the dump may have lain elsewhere, and a program that knows one still would write it again.
        if !share.facts.isEmpty || found != nil { file.shares.append(share) }
        do {
            if file.shares.isEmpty {
                if (try? OpenFile.status(at: path)) != nil { try OpenFile.remove(path) }
            } else {
                try OpenFile.replace(path, with: file.data(), mode: 0o600)
            }
        } catch {
            throw unwritable((error as? Errno)?.words ?? "\(error)")
        }
        var kept = facts(of: share).facts
        for name in names { kept[name] = known[name] }
        return kept
    }

    private var lockPath: String { path + ".lock" }
    /// How long another program is waited for, which needs a moment.
    private static let patience = Duration.seconds(5)

    /// The right to replace the file, made with the folders above it; `nil` where there is nothing to write and nothing to remove.
    private func lock(toKeep known: Facts) throws(WorkspaceError) -> OpenFile? {
        guard !known.names.isEmpty || (try? OpenFile.status(at: path)) != nil || shareElsewhere() != nil else {
            return nil
        }
        let end = ContinuousClock.now + Self.patience
        do throws(Errno) {
            let folder = (path as NSString).deletingLastPathComponent
            if !folder.isEmpty { try OpenFile.makeFolders(folder, mode: 0o700) }
            return try OpenFile.lockWhenFree(lockPath, mode: 0o600) { ContinuousClock.now > end }
        } catch {
            if error == .canceled { throw .fact(.notRemembered(path, reason: "is being written by another program")) }
            throw unwritable(error.words)
        }
    }

    private func unwritable(_ reason: String) -> WorkspaceError {
        .fact(.notRemembered(path, reason: "cannot be written: \(reason)"))
    }

    private static func unwritten(_ path: String, _ error: WorkspaceError) -> WorkspaceError {
        let reason: String
        switch error {
        case .fact(.unreadableFile(_, let why)): reason = "cannot be read: \(why)"
        case .fact(.newerMemory): reason = "was written by a newer version of Vestige"
        default: reason = "is damaged: move it away, as nothing else is in it"
        }
        return .fact(.notRemembered(path, reason: reason))
    }

    // MARK: What there is of the dump

    private func facts(of share: FactsFile.Share) -> (facts: Facts, problems: [FactProblem]) {
        var facts = Facts(), problems: [FactProblem] = []
        for (text, entry) in share.facts.sorted(by: { $0.key < $1.key }) {
            let name = FactName(rawValue: text), forms = (asked ?? []).filter { $0.name == name }
            let value = forms.lazy.compactMap { $0.value(of: entry.value) }.first
            if !isAsked(name) {
                // One of a spec that is not given now stays for when it is; one that is nearly asked for may be meant.
                let known = Set((asked ?? []).map(\.name.rawValue)).sorted(), quoted = Self.quoted(text)
                if Nearest.word(to: quoted, among: known) != nil {
                    problems.append(.unaskedMemory(quoted, file: path, known: known))
                }
            } else if let form = forms.first, value == nil {
                problems.append(.badMemory(Self.quoted(entry.value), file: path, form))
            } else {
                facts[name] = Fact(value ?? entry.value, from: .given(entry.from))
            }
        }
        if share.identity == nil, !facts.names.isEmpty {
            problems.append(
                .olderMemory(
                    Self.given(share.facts), of: share.whose.map { Self.quoted($0) }, file: path, isTaken: true))
        }
        return (facts, problems)
    }

    private func isAsked(_ name: FactName) -> Bool { asked?.contains { $0.name == name } ?? true }

    private var app: String? { (container.facts[.bundleIdentifier] ?? container.facts[.groupIdentifier])?.value }

    private func share(of facts: [String: FactsFile.Entry]) -> FactsFile.Share {
        FactsFile.Share(
            identity: ownIdentity, container: FactsFile.key(of: container), app: app,
            taken: container.facts.downloadWords, path: dump.path, facts: facts)
    }

    private var ownIdentity: String {
        identity.withLock { known in
            let identity = known ?? dump.identity(of: container)
            known = identity
            return identity
        }
    }

    /// Whether what is there now is still what was opened.
    func isOf(_ container: Container, in dump: Dump) -> Bool { dump.identity(of: container) == ownIdentity }

    private func position(in file: FactsFile) -> Int? {
        file.shares.lastIndex(where: isOwn)
            ?? file.shares.lastIndex { share in
                share.identity == nil && share.mark == markBefore && share.container == FactsFile.key(of: container)
            }
    }

    private func isOwn(_ share: FactsFile.Share) -> Bool {
        // To look at the dump takes longer. What a lone file is called says nothing.
        guard let identity = share.identity, dump.loneFile != nil || share.app == app else { return false }
        return identity == ownIdentity
    }

    /// What the version before would call the dump; it took one that was moved or touched for another.
    private var markBefore: String {
        let file = try? FileManager.default.attributesOfItem(atPath: dump.location.disk)
        let number = file?[.systemFileNumber].map { "\($0)" }
        let made = (file?[.creationDate] as? Date).map { "\($0.timeIntervalSinceReferenceDate)" }
        let told = [FactName.bundleIdentifier, .downloadDate].map { container.facts[$0]?.value }
        return ([number, made] + told).map { $0 ?? "" }.joined(separator: " ")
    }

    /// What was given last where the same dump lay elsewhere.
    private func shareElsewhere() -> FactsFile.Share? {
        guard let folder, let names = try? OpenFile.folder(folder).names() else { return nil }
        let paths = names.compactMap { String(validating: $0, as: UTF8.self) }
            .filter { $0.hasSuffix(".ledger.facts") }.map { "\(folder)/\($0)" }
        let found = paths.filter { $0 != path }.compactMap { path -> (share: FactsFile.Share, seconds: Int)? in
            guard let status = try? OpenFile.status(at: path), let file = try? contents(of: path),
                let share = file.shares.last(where: isOwn)
            else { return nil }
            return (share, Int(status.st_mtim.tv_sec))
        }
        return found.max { $0.seconds < $1.seconds }?.share
    }

    private func contents(of path: String) throws(WorkspaceError) -> FactsFile {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try OpenFile.open(path).read(upTo: Self.limit + 1)
        } catch {
            if error == .noSuchFileOrDirectory { return FactsFile() }
            throw .fact(.unreadableFile(path, reason: error.words))
        }
        guard bytes.count <= Self.limit else { throw .fact(.damagedMemory(path)) }
        do throws(FactsFile.Flaw) { return try FactsFile(Data(bytes)) } catch {
            throw .fact(error == .newer ? .newerMemory(path) : .damagedMemory(path))
        }
    }

    // MARK: Words

    private static func given(_ facts: [String: FactsFile.Entry]) -> [GivenFact] {
        facts.sorted { $0.key < $1.key }.map {
            GivenFact(name: FactName(rawValue: quoted($0.key)), value: quoted($0.value.value))
        }
    }

    /// A text of the file on one line.
    private static func quoted(_ text: String, limit: Int = 80) -> String {
        let scalars = text.unicodeScalars
        let visible = scalars.prefix(limit).reduce(into: "") { text, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: text += scalar.escaped(asASCII: true)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return visible + (scalars.count > limit ? "…" : "")
    }
}
