import DeviceDump
import Foundation
import MigrationEngine
import Reports
import StoreFormats
import Synchronization
import Workspace

/// A workspace as effects use it; tests have one in memory.
package protocol InspectedWorkspace: Sendable {
    /// What is known of the container now.
    var snapshot: ContainerSnapshot { get }
    /// Looks for files that have changed since steps were applied; reads each of them.
    func findDrift(isCancelled: @escaping @Sendable () -> Bool) throws(WorkspaceError) -> [Drift]
    /// Every store that cannot be read and whatever else is missing; looks through every store.
    func warnings() -> [Warning]
    /// The store or the entry that a file or a folder of the dump is; `nil` where it is none of this container's.
    func address(ofFile path: Name) -> Address?
    /// Takes in what another program has added to the ledger, and what the dump is now.
    func reload() throws(WorkspaceError)
    /// Whether another program has made something of the ledger that is not taken in.
    var isBehind: Bool { get }
    /// That the dump is not there any more: what is in memory of it is no ground for another plan.
    var loss: DumpError? { get }
    /// Where the ledger is, or would be.
    var ledgerPath: String { get }
    /// Lets go of what other programs wait for.
    func letGo()
    /// The facts as they would be without some of those that were given.
    func facts(without names: [FactName]) -> Facts
    func setFact(_ definition: FactDefinition, to text: String?, source: String) throws(WorkspaceError)
        -> WorkspaceError?
    func apply(
        _ selection: StepSelection, of migration: any Migration, profile: Profile, stamp: LedgerEntry.Stamp,
        accepting drift: [Drift], assuming: Bool, isCancelled: @escaping @Sendable () -> Bool
    ) throws(WorkspaceError) -> [AppliedStep]
    /// Takes steps back, and names them, the last one applied first.
    func rollback(_ target: RollbackTarget, stamp: LedgerEntry.Stamp) throws(WorkspaceError) -> [String]
    /// Compares the dump as it is, without what was applied, with another one.
    func compared(
        with other: Dump, named name: String, _ migration: (migration: any Migration, profile: Profile)?,
        among migrations: [any Migration], _ masking: Masking, _ control: EffectControl
    ) throws(WorkspaceError) -> CompareReport
    /// Writes the dump with what is applied, with the report beside it, and says where it is and what a person should know.
    func export(
        to path: String, replacing: Bool, unpacked: Bool, accepting drift: [Drift], reporting: ReportRequest,
        _ control: EffectControl
    ) throws(WorkspaceError) -> (target: String, notes: [String])
    /// What a ticket says of the app, as the command line's report.
    func report(_ request: ReportRequest, _ control: EffectControl) throws(WorkspaceError) -> Document
    /// Compares the dump and the ledger with what the applied steps would do once more.
    func verify(
        _ migrations: [any Migration], isRevealing: Bool, _ control: EffectControl
    ) throws(WorkspaceError) -> Document
}

extension InspectedWorkspace {
    package var loss: DumpError? { nil }
    package func letGo() {}
}

/// What a report is made of.
package struct ReportRequest: Sendable {
    /// The migrations that there are, and the one that was chosen; without one, all that apply are told of.
    let migrations: [any Migration]
    let chosen: (migration: any Migration, profile: Profile)?
    /// The specs that cannot be used.
    let leftOut: [Inspection.UnusableSpec]
    let toolVersion: String
    let words: AdviceWords
    /// Whether secrets are shown in it.
    var isRevealing = false
}

/// The workspace of a dump.
final class DumpWorkspace: InspectedWorkspace {
    private let newest: Mutex<Workspace>
    private var workspace: Workspace { newest.withLock { $0 } }

    init(_ workspace: Workspace) { newest = Mutex(workspace) }

    var snapshot: ContainerSnapshot {
        let snapshot = workspace.snapshot
        var readOnlyReason: String?
        if case .readOnly(let reason) = snapshot.access { readOnlyReason = "open for reading only: \(reason)" }
        let facts = snapshot.facts
        let twins = snapshot.dump.twins(of: snapshot.container)
        let version = facts[.appVersion]?.value, name = twins > 1 ? nil : facts[.appName]?.value
        let details = [
            name == nil ? version.map { "version \($0)" } : nil,
            snapshot.dump.kindAndPlace,
            facts.downloadWordsWithZone.map { "taken \($0)" },
        ]
        var told = ContainerSnapshot(
            title: twins > 1 ? snapshot.container.path.text : snapshot.container.identifier,
            path: snapshot.container.path.text,
            details: details.compactMap(\.self), stores: snapshot.stores, history: snapshot.history, facts: facts,
            readOnlyReason: readOnlyReason, drift: snapshot.driftIsKnown ? snapshot.drift : nil,
            outdated: snapshot.outdated,
            warnings: Self.told(snapshot.dump.warnings + snapshot.container.warnings))
        told.name = name.map { [$0, version].compactMap(\.self).joined(separator: " ") }
        told.lack = snapshot.container.lack
        told.changedFacts = snapshot.changedFacts
        told.assumption = { [container = snapshot.container] in container.assumption(reading: $0) }
        return told
    }

    func letGo() { workspace.letGoOfLedger() }

    var loss: DumpError? {
        let path = workspace.dump.location.disk
        return FileManager.default.fileExists(atPath: path) ? nil : DumpError(path, .notFound)
    }

    func findDrift(isCancelled: @escaping @Sendable () -> Bool) throws(WorkspaceError) -> [Drift] {
        try workspace.findDrift(isCancelled: isCancelled)
    }

    func warnings() -> [Warning] {
        workspace.snapshot.forgotten.map { Warning(text: "\($0)", error: $0) }
            + Self.told(
                workspace.dump.warnings + workspace.dump.surveyWarnings() + workspace.container.warnings
                    + workspace.container.storeWarnings())
    }

    /// Warnings in sentences, each once: one damage may hide several things.
    private static func told(_ warnings: [DumpWarning]) -> [Warning] {
        var seen: Set<Name> = []
        return warnings.compactMap { warning in
            let text = warning.told
            return seen.insert(Name(text)).inserted ? Warning(text: text, subject: warning.subject) : nil
        }
    }

    func address(ofFile path: Name) -> Address? { DumpPath(path.text).flatMap(workspace.container.address) }

    /// The dump is read again too: what another program has applied may be made of what it is now.
    func reload() throws(WorkspaceError) {
        let reopened = try workspace.reopened()
        newest.withLock { $0 = reopened }
    }

    var isBehind: Bool { workspace.isBehind }

    var ledgerPath: String { workspace.snapshot.ledgerPath }

    func facts(without names: [FactName]) -> Facts { workspace.facts(without: names) }

    func setFact(
        _ definition: FactDefinition, to text: String?, source: String
    ) throws(WorkspaceError) -> WorkspaceError? {
        try workspace.setFact(definition, to: text, source: source)
    }

    func apply(
        _ selection: StepSelection, of migration: any Migration, profile: Profile, stamp: LedgerEntry.Stamp,
        accepting drift: [Drift], assuming: Bool, isCancelled: @escaping @Sendable () -> Bool
    ) throws(WorkspaceError) -> [AppliedStep] {
        try workspace.apply(
            selection, of: migration, profile: profile, stamp: stamp, accepting: drift, assuming: assuming,
            isCancelled: isCancelled)
    }

    func rollback(_ target: RollbackTarget, stamp: LedgerEntry.Stamp) throws(WorkspaceError) -> [String] {
        try workspace.rollback(target, stamp: stamp).map(\.step)
    }

    func compared(
        with other: Dump, named name: String, _ migration: (migration: any Migration, profile: Profile)?,
        among migrations: [any Migration], _ masking: Masking, _ control: EffectControl
    ) throws(WorkspaceError) -> CompareReport {
        let own = workspace.container
        // Of several apps it is the same; of two containers of one name the one at the same place.
        let isOne = other.containers.count == 1
        let twins = other.twins(of: own)
        let name1 = isOne ? nil : twins > 1 ? own.path.text : own.identifier
        let pair = try DumpPair(
            before: DumpPair.Side(
                workspace.dump, named: workspace.dump.path, container: own.path.isRoot ? nil : own.path.text),
            after: DumpPair.Side(other, named: name, container: name1), facts: workspace.snapshot.facts)
        let comparison = pair.comparison(with: migration) { StoppableStores($0, control.isCancelled) }
        // What was stopped is not what the stores hold.
        try control.goOn()
        // The view knows what is said of the entries of its own dump.
        var masking = masking
        masking.secrecy.note(
            EntrySecrecy(
                of: migrations, in: [pair.after.container], given: pair.facts, isCancelled: control.isCancelled))
        try control.goOn()
        return CompareReport(comparison, of: pair, Showing(masking))
    }

    func report(_ request: ReportRequest, _ control: EffectControl) throws(WorkspaceError) -> Document {
        // What fails only because the dump is gone is no finding about it.
        if let loss { throw .dump(loss) }
        _ = try workspace.findDrift(isCancelled: control.isCancelled)
        try control.goOn()
        let snapshot = workspace.snapshot
        let masking = Masking(
            of: snapshot, among: request.migrations, isRevealing: request.isRevealing,
            isCancelled: control.isCancelled)
        return TicketReport(
            request.chosen, among: request.migrations, leftOut: request.leftOut.map(\.leftOut),
            in: snapshot, toolVersion: request.toolVersion, Showing(masking)
        ).document
    }

    func verify(
        _ migrations: [any Migration], isRevealing: Bool, _ control: EffectControl
    ) throws(WorkspaceError) -> Document {
        let verification = try workspace.verify(migrations, isCancelled: control.isCancelled)
        let snapshot = workspace.snapshot
        let masking = Masking(
            of: snapshot, among: migrations, isRevealing: isRevealing, isCancelled: control.isCancelled)
        try control.goOn()
        return VerifyReport(verification, in: snapshot, Showing(masking)).document
    }

    func export(
        to path: String, replacing: Bool, unpacked: Bool, accepting drift: [Drift], reporting: ReportRequest,
        _ control: EffectControl
    ) throws(WorkspaceError) -> (target: String, notes: [String]) {
        let summary = try workspace.export(
            to: path, replacing: replacing, unpacked: unpacked, accepting: drift,
            progress: { control.say("\($0.phase.rawValue) \($0.done) of \($0.total)") },
            isCancelled: control.isCancelled)
        let beside: ReportFile.Beside
        do throws(WorkspaceError) {
            beside = ReportFile.Beside(summary.target, try report(reporting, control), reporting.words)
        } catch {
            beside = ReportFile.Beside(
                summary.target, problem: error == .cancelled ? "it was stopped" : "\(error)")
        }
        let report = ExportReport(summary, in: workspace.snapshot, beside: beside, Masking())
        let steps = workspace.snapshot.history.standing.count
        let holds =
            report.isPlain
            ? "nothing was applied: this is a plain copy"
            : "\(steps.counted("step")) of this app \(steps == 1 ? "is" : "are") in it"
        return (summary.target, [holds] + report.notes)
    }
}

extension DumpWarning {
    fileprivate var subject: WarningSubject? {
        switch problem {
        case .repeatedKey(let address), .sameKeychainAccount(let address): .address(address)
        default: path.isEmpty ? nil : .file(Name(path))
        }
    }

    /// What is the matter, and what the person can do about it here.
    var told: String {
        // It is on a dump that is open: no key is part of it.
        description + (advice.map { " To fix it: \(AdviceWords.keys(.standard)($0))." } ?? "")
    }
}

extension Dump {
    /// The kind of dump, and where it was found in what was named.
    var kindAndPlace: String { kind.rawValue + (placeInNamed.map { " at \($0)" } ?? "") }
}

extension Dump {
    /// How many of its containers have the identifier of one.
    fileprivate func twins(of container: Container) -> Int {
        containers.count { Name($0.identifier) == Name(container.identifier) }
    }
}
