import DeviceDump
import Foundation
import MigrationEngine
import Synchronization

/// A dump and its ledger: look, plan, apply, roll back, verify, export.
///
/// The dump is never changed.
///
/// A workspace may be used from several tasks at once. Changes wait for one another; looking never waits: it takes the
/// ``snapshot`` that the last change left.
public final class Workspace: Sendable {
    /// The dump.
    public let dump: Dump
    /// The container that was chosen.
    public let container: Container
    let ledgerFile: LedgerFile

    struct State {
        var session: MigrationSession<SQLiteLedger>
        var facts: Facts
        var drift: [Drift]
    }

    private let state: Mutex<State>
    /// The facts that were given, without those of the dump.
    private let given: Mutex<Facts>
    private let changes = Mutex<Void>(())

    /// Opens the workspace of a dump.
    ///
    /// Nothing is written anywhere until the first step is applied.
    ///
    /// - Parameters:
    ///   - dump: The dump.
    ///   - identifier: The container to look at; `nil` is the only one.
    ///   - facts: The facts that were given; those of the dump's metadata complete them.
    ///   - location: Where the ledger is kept.
    /// - Throws: ``WorkspaceError``, such as for a container that is not there or a file that is not a ledger.
    public static func open(
        dump: Dump, container identifier: String? = nil, facts: Facts = Facts(), ledger location: LedgerLocation
    ) throws(WorkspaceError) -> Workspace {
        let path = try location.path(forDumpAt: dump.path)
        if dump.protects(CanonicalPath.ofPossibleFile(path)) { throw .ledgerInsideDump(path) }
        return try Workspace(dump: dump, container: identifier, facts: facts, ledger: try LedgerFile(path: path))
    }

    /// Opens another container of the same dump with the same ledger and the same given facts.
    ///
    /// Opened by itself it would find the ledger in use by this workspace, and be read-only.
    ///
    /// - Throws: ``WorkspaceError``, such as for a container that is not there.
    public func opening(container identifier: String) throws(WorkspaceError) -> Workspace {
        try Workspace(dump: dump, container: identifier, facts: given.withLock { $0 }, ledger: ledgerFile)
    }

    init(dump: Dump, container identifier: String?, facts: Facts, ledger file: LedgerFile) throws(WorkspaceError) {
        self.dump = dump
        let container = try dump.chosenContainer(identifier)
        self.container = container
        ledgerFile = file
        let ledger = file.ledger(of: container.ledgerName)
        let session = try Self.typed { try MigrationSession(stores: container, ledger: ledger) }
        var digests = FileDigests(of: dump)
        given = Mutex(facts)
        state = Mutex(
            State(
                session: session, facts: facts.completed(by: container.facts),
                drift: digests.drift(since: session.history)))
    }

    /// The workspace as the last change left it.
    public var snapshot: WorkspaceSnapshot {
        let state = current
        return WorkspaceSnapshot(
            dump: dump, container: container, history: state.session.history, overlay: state.session.overlay,
            facts: state.facts, access: ledgerFile.access, drift: state.drift, ledgerPath: ledgerFile.path)
    }

    var current: State { state.withLock { $0 } }

    /// What each step of a migration does now.
    public func plan(_ migration: any Migration, profile: Profile) -> Plan {
        snapshot.plan(migration, profile: profile)
    }

    /// Gives a fact, or takes a given one back with `nil`; where it came from is noted as `source`.
    ///
    /// - Throws: ``WorkspaceError/fact(_:)`` where the text has not the form that the migration asks for.
    public func setFact(
        _ definition: FactDefinition, to text: String?, source: String
    ) throws(WorkspaceError) {
        if let text, !definition.accepts(text) { throw .fact(.badForm(text, source: source, definition)) }
        changes.withLock { _ in
            let facts = given.withLock { given in
                given[definition.name] = text.map { Fact($0, from: .given(source)) }
                return given.completed(by: container.facts)
            }
            state.withLock { $0.facts = facts }
        }
    }

    /// Takes the chosen steps: each that has changes becomes one entry of the ledger.
    ///
    /// - Parameters:
    ///   - selection: Which steps.
    ///   - migration: The migration.
    ///   - profile: Its variant.
    ///   - stamp: Who does it, when, and with what.
    ///   - acceptingDrift: The person has decided to go on although files have changed. The entries then record the new
    ///     digests of every file that has changed, so that the files are no longer named; where no step has changes
    ///     there is no entry, and they still are.
    /// - Returns: What became of each chosen step, in order.
    /// - Throws: ``WorkspaceError``; the steps before the one that failed stand.
    @discardableResult
    public func apply(
        _ selection: StepSelection, of migration: any Migration, profile: Profile, stamp: LedgerEntry.Stamp,
        acceptingDrift: Bool = false
    ) throws(WorkspaceError) -> [AppliedStep] {
        try change { state, digests in
            guard acceptingDrift || state.drift.isEmpty else { throw WorkspaceError.drift(state.drift) }
            if case .steps(let names) = selection {
                let facts = state.session.plan(migration, profile: profile, facts: state.facts).facts
                try Self.check(names, in: migration, profile: profile, facts: facts)
            }
            let drifted = state.drift.map(\.path)
            let reread = Reread(of: dump, container)
            return try state.session.apply(
                selection, of: migration, profile: profile, facts: state.facts, stamp: stamp
            ) { addresses in
                try reread.check(addresses)
                let paths = Set(addresses.compactMap { container.file(of: $0)?.description } + drifted)
                return Dictionary(uniqueKeysWithValues: paths.map { ($0, digests.digest(of: $0)) })
            }
        }
    }

    /// Takes standing steps back, the last one first; each becomes one entry of the ledger.
    ///
    /// Drift does not keep anyone from it: taking steps back needs nothing of the dump.
    ///
    /// - Returns: The new entries in order.
    /// - Throws: ``WorkspaceError``; the steps that were taken back before the one that failed stay so.
    @discardableResult
    public func rollback(_ target: RollbackTarget, stamp: LedgerEntry.Stamp) throws(WorkspaceError) -> [LedgerEntry] {
        try change { state, _ in try state.session.rollback(target, stamp: stamp) }
    }

    private static func check(
        _ names: Set<String>, in migration: any Migration, profile: Profile, facts: Facts
    ) throws(WorkspaceError) {
        let known = migration.steps(profile: profile, facts: facts).map(\.id)
        let unknown = names.subtracting(known).sorted()
        guard unknown.isEmpty else { throw .unknownSteps(unknown, migration: migration.id, known: known) }
    }

    /// Makes one change after the other, each on what the one before it left; what was done before an error stands.
    private func change<Result>(
        _ body: (inout State, inout FileDigests) throws -> Result
    ) throws(WorkspaceError) -> Result {
        try Self.typed {
            try changes.withLock { _ in
                if case .readOnly(let reason) = ledgerFile.access { throw WorkspaceError.readOnly(reason) }
                var new = current
                var digests = FileDigests(of: dump)
                new.drift = digests.drift(since: new.session.history)
                defer {
                    new.drift = digests.drift(since: new.session.history)
                    state.withLock { $0 = new }
                }
                return try body(&new, &digests)
            }
        }
    }

    static func typed<Result>(_ body: () throws -> Result) throws(WorkspaceError) -> Result {
        do {
            return try body()
        } catch let error as WorkspaceError {
            throw error
        } catch RollbackError.notApplied(let step) {
            throw .notApplied(step)
        } catch {
            throw .ledger("", .inaccessible("\(error)"))
        }
    }
}
