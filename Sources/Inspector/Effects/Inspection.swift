import DeviceDump
import Foundation
import MigrationEngine
import Reports
import Synchronization
import Workspace

/// A dump under inspection: performs what the inspector asks for, on the workspace of the container that is open.
public final class Inspection: Sendable {
    /// What an inspection is made with.
    public struct Options: Sendable {
        /// The migrations that there are.
        public var migrations: [any Migration]
        /// The facts that were given.
        public var facts: Facts
        /// Where ledgers are kept.
        public var ledger: LedgerLocation
        /// The migration and the variant to begin with.
        public var chosen: (migration: String, profile: String?)?
        /// Who applies a step now.
        public var stamp: @Sendable () -> LedgerEntry.Stamp

        /// Makes options.
        public init(
            migrations: [any Migration], facts: Facts, ledger: LedgerLocation,
            chosen: (migration: String, profile: String?)? = nil, stamp: @escaping @Sendable () -> LedgerEntry.Stamp
        ) {
            self.migrations = migrations
            self.facts = facts
            self.ledger = ledger
            self.chosen = chosen
            self.stamp = stamp
        }
    }

    /// How a running effect is watched and stopped.
    public struct Control: Sendable {
        let report: @Sendable (String) -> Void
        let isCancelled: @Sendable () -> Bool

        /// Makes a control.
        public init(
            report: @escaping @Sendable (String) -> Void = { _ in },
            isCancelled: @escaping @Sendable () -> Bool = { false }
        ) {
            self.report = report
            self.isCancelled = isCancelled
        }
    }

    private let dump: Dump
    private let options: Options
    private let workspace = Mutex<Workspace?>(nil)

    /// Makes the inspection of a dump.
    public init(of dump: Dump, options: Options) {
        self.dump = dump
        var options = options
        // Drawn once and then a fact like any other, which the ledger records: so a preview and what is applied agree.
        for fact in options.migrations.flatMap(\.facts) where fact.isFresh && options.facts[fact.name] == nil {
            options.facts[fact.name] = Fact(UUID().uuidString, from: "the inspector, drawn for this session")
        }
        self.options = options
    }

    /// The inspector's first screen: the container that was named or is the only one, else the list of apps.
    ///
    /// - Throws: ``WorkspaceError`` where the container is not there or its ledger cannot be used.
    public func start(
        container identifier: String?, size: Size, glyphs: Glyphs, masking: Masking
    ) throws(WorkspaceError) -> Model {
        let apps = dump.containers.count > 1 ? appList : nil
        guard apps == nil || identifier != nil else {
            return Model(size: size, glyphs: glyphs, apps: apps, masking: masking)
        }
        return Model(size: size, glyphs: glyphs, apps: apps, opened: try open(identifier), masking: masking)
    }

    /// Performs an effect to its end.
    public func perform(_ effect: Effect, _ control: Control = Control()) -> EffectResult {
        do throws(WorkspaceError) {
            switch effect {
            case .open(let identifier): return .opened(try open(identifier))
            case .apply(let selection, let migration, let profile, let facts, let acceptingDrift):
                let workspace = try current()
                for definition in migration.facts {
                    guard let fact = facts[definition.name], fact != workspace.snapshot.facts[definition.name]
                    else { continue }
                    try workspace.setFact(definition, to: fact.value, source: fact.source.description)
                }
                let steps = try workspace.apply(
                    selection, of: migration, profile: profile, stamp: options.stamp(), acceptingDrift: acceptingDrift)
                return .applied(steps, snapshot(of: workspace))
            case .rollback(let target):
                let workspace = try current()
                let entries = try workspace.rollback(target, stamp: options.stamp())
                return .rolledBack(entries.map(\.step), snapshot(of: workspace))
            case .export(let path, let replacing): return try export(to: path, replacing: replacing, control)
            case .search(let search):
                let row = search.run(isCancelled: control.isCancelled)
                return control.isCancelled() ? .cancelled : .found(row, search)
            case .examine:
                let container = try current().container
                let warnings = dump.warnings + container.warnings + container.storeWarnings()
                return .examined(container.identifier, warnings: warnings.map(\.description))
            case .cancel: return .cancelled
            }
        } catch {
            if case .cancelled = error { return .cancelled }
            return .failed(error.description, workspace.withLock { $0 }.map(snapshot))
        }
    }

    private func export(
        to path: String, replacing: Bool, _ control: Control
    ) throws(WorkspaceError) -> EffectResult {
        let summary = try current().export(
            to: path, replacing: replacing,
            progress: { control.report("\($0.phase.rawValue) \($0.done) of \($0.total)") },
            isCancelled: control.isCancelled)
        let notes =
            summary.skipped.map { "\($0.path) is left out: \($0.reason)" }
            + summary.withoutFile.map { "\($0) has no file in this form of dump" }
        return .exported(summary.target, notes: notes)
    }

    private func current() throws(WorkspaceError) -> Workspace {
        if let workspace = workspace.withLock({ $0 }) { return workspace }
        let opened = try Workspace.open(dump: dump, facts: options.facts, ledger: options.ledger)
        workspace.withLock { $0 = opened }
        return opened
    }

    /// Opens a container; one after another shares the ledger, which only one workspace may write.
    private func open(_ identifier: String?) throws(WorkspaceError) -> OpenContainer {
        let earlier = workspace.withLock { $0 }
        let opened: Workspace
        if let earlier, let identifier {
            opened = try earlier.opening(container: identifier)
        } else {
            opened = try Workspace.open(
                dump: dump, container: identifier, facts: options.facts, ledger: options.ledger)
        }
        workspace.withLock { $0 = opened }
        return OpenContainer(snapshot(of: opened), migrations: options.migrations, chosen: options.chosen)
    }

    /// The apps, those first in which there is something to do or to see.
    private var appList: AppList {
        let entries = dump.containers.map { container in
            let facts = options.facts.completed(by: container.facts)
            let applying = options.migrations.filter { $0.applies(to: container, facts: facts) }
            let stores = container.stores.count
            let names = applying.isEmpty ? "no migration" : applying.map(\.id).joined(separator: ", ")
            let app = AppList.App(
                identifier: container.identifier,
                summary: "\(container.kind.rawValue) · \(stores.counted("store")) · \(names)")
            return (app: app, rank: (applying.isEmpty ? 2 : 0) + (stores == 0 ? 1 : 0))
        }
        let sorted = (0...3).flatMap { rank in entries.filter { $0.rank == rank }.map(\.app) }
        let count = sorted.count.counted("container")
        return AppList(title: "\(dump.kind.rawValue) with \(count)", apps: sorted)
    }

    private func snapshot(of workspace: Workspace) -> ContainerSnapshot {
        let snapshot = workspace.snapshot
        var readOnlyReason: String?
        if case .readOnly(let reason) = snapshot.access { readOnlyReason = "open for reading only: \(reason)" }
        let facts = snapshot.facts
        let details = [
            facts[.appVersion]?.value, snapshot.dump.kind.rawValue, facts[.downloadDate].map { "taken \($0.value)" },
        ]
        return ContainerSnapshot(
            title: snapshot.container.identifier, details: details.compactMap(\.self), stores: snapshot.container,
            history: snapshot.history, facts: facts, readOnlyReason: readOnlyReason,
            drift: snapshot.drift.map(\.description),
            warnings: (snapshot.dump.warnings + snapshot.container.warnings).map { "\($0)" })
    }
}
