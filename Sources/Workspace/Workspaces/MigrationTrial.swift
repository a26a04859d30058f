import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats

/// A migration tried on a dump, in ledgers of its own: what must hold of every migration on every dump.
package struct MigrationTrial: Sendable {
    /// One thing that must hold, and why it does not.
    package struct Check: Hashable, Sendable {
        /// What must hold, in a sentence.
        package var name: String
        /// Why it does not; `nil` where it holds.
        package var failure: String?
        /// Why it could not be tried; `nil` where it was.
        package var skipped: String?
        /// Where the values are that it may quote.
        package var places: [Address] = []
    }

    /// What was checked, in order.
    package private(set) var checks: [Check] = []
    /// The facts that steps wait for.
    package private(set) var missing: [FactName] = []
    /// The access groups of keychain items that steps wait for, as nothing says that these are the app's.
    package private(set) var groups: [String] = []
    /// What was planned, which says what of that is secret.
    package let plan: Plan
    /// How many steps find something in the dump; where none does, nothing was checked.
    package private(set) var concerned = 0

    /// Plans, applies, verifies, exports, applies again, one by one against all at once, and takes back.
    ///
    /// - Parameters:
    ///   - folder: A folder for the ledgers and the exports, which whoever calls removes. Of the exports there is one at a
    ///     time, as large as the dump.
    ///   - exportsRolledBack: Whether what was rolled back is exported, which is the same for every profile.
    ///   - isCancelled: Asked on the way whether to stop.
    ///   - reopen: Opens an export with what the dump was opened with.
    /// - Throws: ``WorkspaceError`` where the dump or a ledger cannot be read or written.
    package init(
        of migration: any Migration, profile: Profile, on dump: Dump, container: String?, facts: Facts,
        in folder: String, stamp: LedgerEntry.Stamp, exportsRolledBack: Bool = true,
        isCancelled: @escaping () -> Bool = { false },
        reopen: (String) throws(DumpError) -> Dump
    ) throws(WorkspaceError) {
        func open(_ name: String) throws(WorkspaceError) -> Workspace {
            try Workspace.open(dump: dump, container: container, facts: facts, ledger: .file(folder + "/" + name))
        }
        let all = try open("all.ledger")
        let plan = all.plan(migration, profile: profile)
        self.plan = plan
        concerned = plan.steps.count { ![.skipped, .blocked].contains($0.outcome.kind) }
        var names: [FactName] = []
        for name in plan.steps.flatMap({ $0.outcome.reason?.missingFacts ?? [] }) where !names.contains(name) {
            names.append(name)
        }
        missing = names
        groups = Set(plan.steps.compactMap { $0.outcome.reason?.unreadable?.reason.accessGroup }).sorted()
        guard concerned > 0 else { return }
        let failed = plan.steps.filter {
            $0.outcome.kind == .failed || $0.outcome.kind == .conflict || $0.outcome.isPartial
        }
        let places = failed.flatMap { $0.quoted + [$0.step.target].compactMap(\.self) }
        check("no step fails or is in conflict", places) {
            // A colon behind a name such as `token` would make a secret of the reason.
            failed.map { step in
                "\(step.id) \(step.outcome.kind.rawValue)" + (step.outcome.reason.map { ", as \($0.sentence)" } ?? "")
            }
        }
        let applied = try all.apply(.all, of: migration, profile: profile, stamp: stamp, assuming: true)
        check("what is applied is what the plan says") {
            plan.pending.filter { step in
                applied.first { $0.step.id == step.id }?.entry?.changes != step.changes
            }.map { "\($0.id) made other changes" }
        }
        let verification = try all.verify([migration])
        check("what was applied verifies") { verification.findings.map { "\($0.subject): \($0.sentence)" } }
        let seen = all.snapshot.overlay
        checkExport("exported, the copy holds what was applied") {
            Self.findings(in: all, exportedBelow: folder, isCancelled, reopen) { copy throws(DumpError) in
                // Two containers may share an identifier, and none a path.
                let own = all.snapshot.container
                let isOnly = own.path.isRoot && copy.containers.count == 1
                let found = try copy.container(isOnly ? nil : own.path.isRoot ? own.identifier : own.path.text)
                let changes = plan.steps.flatMap(\.changes)
                // An app reads the groups into which its items are put, also those in which the dump has none.
                let groups = Set(
                    changes.compactMap { $0.after.flatMap { KeychainItem($0) }?.attributes["agrp"]?.string })
                let claims = all.dump.claims(of: own).adding(
                    GroupClaims(keychain: groups.filter { !all.dump.accessGroups.contains(Name($0)) }.sorted()))
                let container = copy.claiming(claims, for: found).1
                var others = FilesBeside(copy, as: own)
                return Set(changes.map(\.address)).filter { address in
                    !Self.isSame(others.state(at: address) ?? container.state(at: address), seen.state(at: address))
                }.map { "\($0) is not in it as it was applied" }.sorted()
            }
        }
        if isCancelled() { throw .cancelled }
        let again = try all.apply(.all, of: migration, profile: profile, stamp: stamp, assuming: true)
        check("applied again, nothing is left to do") {
            again.filter { $0.entry != nil }.map { "\($0.step.id) has changes again" }
        }
        let one = try open("one.ledger")
        while try one.apply(.next, of: migration, profile: profile, stamp: stamp, assuming: true).contains(where: {
            $0.entry != nil
        }) {}
        let standing = (all.snapshot.history.standing, one.snapshot.history.standing)
        check("one by one comes to the same as all at once") {
            standing.0.map(\.changes) == standing.1.map(\.changes)
                ? [] : ["the steps \(standing.1.map(\.step).joined(separator: ", ")) came to something else"]
        }
        try all.rollback(.all, stamp: stamp)
        let edited = all.snapshot.overlay.editedStores
        check("rolled back, all is as it was") { edited.map { "\($0) is not as it was" } }
        if isCancelled() { throw .cancelled }
        guard exportsRolledBack else { return }
        checkExport("rolled back, an export is the dump byte for byte") {
            Self.findings(in: all, exportedBelow: folder, isCancelled, reopen) { copy throws(DumpError) in
                try Self.differences(dump.files, copy.files)
            }
        }
    }

    /// What came of an export.
    private enum Export {
        case findings([String])
        /// What was applied has no place in a dump of this form, which says nothing of the migration.
        case noPlace(String)
    }

    /// What is wrong with an export, which is removed once it was looked at: nothing of it is kept beside the next one.
    private static func findings(
        in workspace: Workspace, exportedBelow folder: String, _ isCancelled: @escaping () -> Bool,
        _ reopen: (String) throws(DumpError) -> Dump, _ look: (Dump) throws(DumpError) -> [String]
    ) -> Export {
        let place = folder + "/export"
        defer { try? FileManager.default.removeItem(atPath: place) }
        do {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            // One without its AppDataInfo.plist is told by its name alone.
            let name = workspace.dump.kind == .xcappdata ? "dump.xcappdata" : "dump"
            let summary = try workspace.export(to: place + "/" + name, isCancelled: isCancelled)
            guard summary.withoutFile.isEmpty else {
                let places = summary.withoutFile.prefix(named).map(\.description).joined(separator: ", ")
                return .noPlace("a dump of this form has no file for \(places)")
            }
            return .findings(try look(try reopen(Self.path(of: workspace.dump, in: summary))))
        } catch let error as WorkspaceError {
            switch error {
            case .export(_, .refused): return .noPlace(error.description)
            case .dump(let inner):
                if case .notPackable = inner.problem { return .noPlace(error.description) }
            default: break
            }
            return .findings([error.description])
        } catch let error as DumpError {
            return .findings([error.description])
        } catch {
            return .findings(["no folder can be made for it"])
        }
    }

    /// Where an export can be opened: that of a file by itself by its name, as others may have come beside it.
    private static func path(of dump: Dump, in summary: ExportSummary) -> String {
        guard let file = dump.loneFile else { return summary.target }
        // It stands in the export by its name, or in the archive on the disk that it is from.
        let name = (dump.location.disk as NSString).lastPathComponent, place = "\(summary.target)/\(name)"
        guard access(place, F_OK) == 0 else { return summary.target }
        let inside = dump.location.inside
        if inside.isRoot { return Name(name) == Name(file.text) ? place : "\(place)/\(file)" }
        return inside.lastPart.elementsEqual(file.lastPart) ? "\(place)/\(inside)" : "\(place)/\(inside)/\(file)"
    }

    private static func isSame(_ left: EntryState, _ right: EntryState) -> Bool {
        if left == right { return true }
        // The form of the export may not tell an empty secret from one that was locked, which the plan says.
        if case .unreadable(let reason) = left, reason.cause == .missing,
            right.value.flatMap({ KeychainItem($0) })?.data.isEmpty ?? false
        {
            return true
        }
        guard let one = left.value, let other = right.value else { return false }
        // The form of an export of the keychain may have no place for some attributes.
        if let one = KeychainItem(one), let other = KeychainItem(other) { return one.data == other.data }
        return one.likeness(to: other) == .same
    }

    /// How many findings of one check are named.
    static let named = 5

    /// What differs between two trees of files, in sentences: those that are named, and one more where there are more.
    static func differences(_ old: any DumpFiles, _ new: any DumpFiles) throws(DumpError) -> [String] {
        var folders = [DumpPath.root], found: [String] = []
        while let folder = folders.popLast() {
            let before = try old.children(of: folder, limit: .max), after = try new.children(of: folder, limit: .max)
            let known = Dictionary(after.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
            let names = Set(before.map(\.path))
            for item in before + after.filter({ !names.contains($0.path) }) {
                guard found.count <= named else { return found }
                guard names.contains(item.path) else {
                    found.append("\(item.path) is in it, and not in the dump")
                    continue
                }
                switch (item.kind, known[item.path]?.kind) {
                case (.folder, .folder): folders.append(item.path)
                case (.file, .file):
                    if try old.digest(of: item.path) != new.digest(of: item.path) {
                        found.append("\(item.path) differs")
                    }
                case (.symbolicLink(let target), .symbolicLink(let other)):
                    if target != other { found.append("\(item.path) is a link to another place") }
                case (.other(let words), .other(let other)) where words == other: break
                case (_, nil): found.append("\(item.path) is not in it")
                case (_, .some): found.append("\(item.path) is something else in it")
                }
            }
        }
        return found
    }

    private mutating func checkExport(_ name: String, _ export: () -> Export) {
        switch export() {
        case .findings(let findings): check(name) { findings }
        case .noPlace(let why): checks.append(Check(name: name, skipped: why))
        }
    }

    private mutating func check(_ name: String, _ places: [Address] = [], _ failures: () -> [String]) {
        let failures = failures(), more = failures.count > Self.named ? ["and more"] : []
        checks.append(
            Check(
                name: name,
                failure: failures.isEmpty ? nil : (failures.prefix(Self.named) + more).joined(separator: "; "),
                places: places))
    }
}

/// The files that an export of a file by itself has beside that one, which is opened without them.
private struct FilesBeside {
    /// The folder, or the archive, that they are in; `nil` of any other dump.
    private let folder: String?
    private let file: DumpPath?
    /// The container of the dump, which knows where an export puts what.
    private let own: Container
    private var known: [StoreID: Container] = [:]

    init(_ copy: Dump, as own: Container) {
        file = copy.loneFile
        folder = file == nil ? nil : (copy.path as NSString).deletingLastPathComponent
        self.own = own
    }

    /// What is known of an entry of one of them; `nil` of any other.
    mutating func state(at address: Address) -> EntryState? {
        guard let folder, case .inDump(let path)? = own.file(of: address), path != file else { return nil }
        switch address.store.kind {
        case .file:
            return EntryState((try? Dump.bytes(ofFileAt: "\(folder)/\(path)")).map(Value.data))
        case .defaults:
            if known[address.store] == nil {
                known[address.store] = try? Dump.open("\(folder)/\(path)").container(nil)
            }
            // By itself it is called as its file is, whatever folders that is in.
            guard let list = known[address.store], let store = list.stores.first(where: { $0.kind == .defaults })
            else { return .absent }
            return list.state(at: Address(store: store, key: address.key, pointer: address.pointer))
        case .keychain, .sqlite: return nil
        }
    }
}
