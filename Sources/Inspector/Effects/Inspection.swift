import DeviceDump
import Foundation
import MigrationEngine
import Reports
import Synchronization
import Workspace

/// What effects work on: the dump, and the workspace of the container that is open.
package final class Inspection: Sendable {
    /// What an inspection is made with.
    package struct Options: Sendable {
        /// The migrations that there are.
        package var migrations: [any Migration]
        /// The facts that were given.
        package var facts: Facts
        /// Where ledgers are kept.
        package var ledger: LedgerLocation
        /// The migration and the profile to begin with.
        package var chosen: Choice?
        /// Who applies a step now.
        package var stamp: @Sendable () -> LedgerEntry.Stamp

        /// Makes options.
        package init(
            migrations: [any Migration], facts: Facts, ledger: LedgerLocation, chosen: Choice? = nil,
            stamp: @escaping @Sendable () -> LedgerEntry.Stamp
        ) {
            self.migrations = migrations
            self.facts = facts
            self.ledger = ledger
            self.chosen = chosen
            self.stamp = stamp
        }
    }

    package let options: Options
    /// The kind of dump.
    private let kind: String
    /// The containers to choose from.
    let containers: [Container]
    private let opener: @Sendable (_ container: String?) throws(WorkspaceError) -> any InspectedWorkspace
    private let workspace = Mutex<(any InspectedWorkspace)?>(nil)

    /// Makes the inspection of a dump.
    package convenience init(of dump: Dump, options: Options) {
        var options = options
        // Drawn once, so that a preview and what is applied agree; what the ledger holds goes before it.
        for fact in options.migrations.flatMap(\.facts) where fact.isFresh && options.facts[fact.name] == nil {
            options.facts[fact.name] = Fact(
                UUID().uuidString, from: .assumed("drawn for this session, as any new one will do"))
        }
        let facts = options.facts, ledger = options.ledger
        let first = Mutex<Workspace?>(nil)
        self.init(options: options, kind: dump.kind.rawValue, containers: dump.containers) {
            container throws(WorkspaceError) in
            // One container after another shares the ledger, which only one workspace may write.
            if let earlier = first.withLock({ $0 }), let container {
                return DumpWorkspace(try earlier.opening(container: container))
            }
            let opened = try Workspace.open(dump: dump, container: container, facts: facts, ledger: ledger)
            first.withLock { $0 = opened }
            return DumpWorkspace(opened)
        }
    }

    /// Makes an inspection of workspaces that are opened in a way of their own.
    package init(
        options: Options, kind: String = "", containers: [Container] = [],
        opener: @escaping @Sendable (_ container: String?) throws(WorkspaceError) -> any InspectedWorkspace
    ) {
        self.options = options
        self.kind = kind
        self.containers = containers
        self.opener = opener
    }

    /// The inspector's first screen: the container that was named or is the only one, else the list of apps.
    ///
    /// Nothing is planned yet: `Event.started` asks for that.
    ///
    /// - Throws: ``WorkspaceError`` where the container is not there or its ledger cannot be used.
    package func start(
        container name: String?, size: Size, glyphs: Glyphs, masking: Masking
    ) throws(WorkspaceError) -> Model {
        let apps = containers.count > 1 ? AppList(of: containers, in: kind) : nil
        let opened = apps == nil || name != nil ? try open(name) : nil
        return Model(size: size, glyphs: glyphs, apps: apps, opened: opened, masking: masking)
    }

    /// Opens a container, by its path or its identifier; nothing is planned yet.
    func open(_ container: String?) throws(WorkspaceError) -> OpenContainer {
        let opened = try opener(container)
        workspace.withLock { $0 = opened }
        return OpenContainer(opened.snapshot, choice: options.chosen)
    }

    /// The workspace that is open.
    func current() throws(WorkspaceError) -> any InspectedWorkspace {
        if let workspace = workspace.withLock({ $0 }) { return workspace }
        let opened = try opener(nil)
        workspace.withLock { $0 = opened }
        return opened
    }

    /// What is seen of the open container now.
    func view(_ request: ViewRequest, _ control: EffectControl) throws(WorkspaceError) -> ContainerView {
        let view = ContainerView(
            of: try current().snapshot, migrations: options.migrations, request, isCancelled: control.isCancelled)
        try control.goOn()
        return view
    }
}

/// A workspace as effects use it; tests have one in memory.
package protocol InspectedWorkspace: Sendable {
    /// What is known of the container now.
    var snapshot: ContainerSnapshot { get }
    /// Every store that cannot be read and whatever else is missing, in sentences; looks through every store.
    func warnings() -> [String]
    /// Takes in what another program has added to the ledger.
    func reload() throws(WorkspaceError)
    func setFact(_ definition: FactDefinition, to text: String?, source: String) throws(WorkspaceError)
    func apply(
        _ selection: StepSelection, of migration: any Migration, profile: Profile, stamp: LedgerEntry.Stamp,
        acceptingDrift: Bool, assuming: Bool, isCancelled: @escaping @Sendable () -> Bool
    ) throws(WorkspaceError) -> [AppliedStep]
    /// Takes steps back, and names them, the last one applied first.
    func rollback(_ target: RollbackTarget, stamp: LedgerEntry.Stamp) throws(WorkspaceError) -> [String]
    /// Writes the dump with what is applied, and says where it is and what a person should know.
    func export(
        to path: String, replacing: Bool, _ control: EffectControl
    ) throws(WorkspaceError) -> (target: String, notes: [String])
}

/// The workspace of a dump.
private final class DumpWorkspace: InspectedWorkspace {
    private let newest: Mutex<Workspace>
    private var workspace: Workspace { newest.withLock { $0 } }

    init(_ workspace: Workspace) { newest = Mutex(workspace) }

    var snapshot: ContainerSnapshot {
        let snapshot = workspace.snapshot
        var readOnlyReason: String?
        if case .readOnly(let reason) = snapshot.access { readOnlyReason = "open for reading only: \(reason)" }
        let facts = snapshot.facts
        let details = [
            facts[.appVersion]?.value, snapshot.dump.kind.rawValue, facts[.downloadDate].map { "taken \($0.value)" },
        ]
        return ContainerSnapshot(
            title: snapshot.container.identifier, path: snapshot.container.path,
            details: details.compactMap(\.self), stores: snapshot.container, history: snapshot.history, facts: facts,
            readOnlyReason: readOnlyReason, drift: snapshot.drift.map(\.description),
            warnings: (snapshot.dump.warnings + snapshot.container.warnings).map(\.told))
    }

    func warnings() -> [String] {
        (workspace.dump.warnings + workspace.container.warnings + workspace.container.storeWarnings())
            .map(\.told)
    }

    func reload() throws(WorkspaceError) {
        let reopened = try workspace.reopened()
        newest.withLock { $0 = reopened }
    }

    func setFact(_ definition: FactDefinition, to text: String?, source: String) throws(WorkspaceError) {
        try workspace.setFact(definition, to: text, source: source)
    }

    func apply(
        _ selection: StepSelection, of migration: any Migration, profile: Profile, stamp: LedgerEntry.Stamp,
        acceptingDrift: Bool, assuming: Bool, isCancelled: @escaping @Sendable () -> Bool
    ) throws(WorkspaceError) -> [AppliedStep] {
        try workspace.apply(
            selection, of: migration, profile: profile, stamp: stamp, acceptingDrift: acceptingDrift,
            assuming: assuming, isCancelled: isCancelled)
    }

    func rollback(_ target: RollbackTarget, stamp: LedgerEntry.Stamp) throws(WorkspaceError) -> [String] {
        try workspace.rollback(target, stamp: stamp).map(\.step)
    }

    func export(
        to path: String, replacing: Bool, _ control: EffectControl
    ) throws(WorkspaceError) -> (target: String, notes: [String]) {
        let summary = try workspace.export(
            to: path, replacing: replacing,
            progress: { control.say("\($0.phase.rawValue) \($0.done) of \($0.total)") },
            isCancelled: control.isCancelled)
        let notes = ExportReport(summary, in: workspace.snapshot).notes
        return (summary.target, notes)
    }
}

extension DumpWarning {
    /// What is the matter, and what the person can do about it here.
    fileprivate var told: String { description + (advice.map { " To mend it: \(AdviceWords.keys($0))." } ?? "") }
}
