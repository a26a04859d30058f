import DeviceDump
import MigrationEngine
import StoreFormats
import Synchronization
import Testing
import Workspace

@testable import Inspector
@testable import Reports

extension Warning: ExpressibleByStringLiteral {
    /// A sentence about nothing that could be gone to.
    public init(stringLiteral text: String) { self.init(text: text) }
}

/// A workspace on stores in memory, for the tests.
final class MemoryWorkspace: InspectedWorkspace {
    private struct State {
        var session: MigrationSession<MemoryLedger>
        var snapshot: ContainerSnapshot
        var isOther = false
    }

    private let state: Mutex<State>

    init(
        _ stores: any StoreReader, facts: Facts, history: [LedgerEntry], change: (inout ContainerSnapshot) -> Void
    ) throws {
        let session = try MigrationSession(stores: stores, ledger: MemoryLedger(history))
        var snapshot = ContainerSnapshot(
            title: "com.acme.notes", details: ["2.3.1", "xcappdata"], stores: stores, history: session.history,
            facts: facts)
        change(&snapshot)
        state = Mutex(State(session: session, snapshot: snapshot))
    }

    var snapshot: ContainerSnapshot {
        state.withLock { state in
            state.snapshot.history = state.session.history
            return state.snapshot
        }
    }

    func warnings() -> [Warning] { snapshot.warnings }
    func address(ofFile path: Name) -> Address? { path == "a.plist" ? Address(store: .defaults("a")) : nil }
    func findDrift(isCancelled: @escaping @Sendable () -> Bool) -> [Drift] { snapshot.drift ?? [] }
    func reload() { state.withLock { $0.isOther = false } }

    /// What another program does to the ledger.
    func meanwhile(_ change: (inout MigrationSession<MemoryLedger>, Facts) throws -> Void) rethrows {
        try state.withLock { state in
            try change(&state.session, state.snapshot.facts)
            state.isOther = true
        }
    }

    /// Another program lets go of the ledger.
    func isClosedElsewhere() { state.withLock { ($0.snapshot.readOnlyReason, $0.isOther) = (nil, true) } }

    var isBehind: Bool { state.withLock(\.isOther) }
    var ledgerPath: String { "/nowhere" }

    func facts(without names: [FactName]) -> Facts {
        var facts = snapshot.facts
        for name in names { facts[name] = nil }
        return facts
    }

    func setFact(_ definition: FactDefinition, to text: String?, source: String) -> WorkspaceError? {
        state.withLock {
            $0.snapshot.facts[definition.name] = text.flatMap(definition.value).map { Fact($0, from: .given(source)) }
        }
        return nil
    }

    func apply(
        _ selection: StepSelection, of migration: any Migration, profile: Profile, stamp: LedgerEntry.Stamp,
        accepting drift: [Drift], assuming: Bool, isCancelled: @escaping @Sendable () -> Bool
    ) throws(WorkspaceError) -> [AppliedStep] {
        try changing { state in
            let steps = try state.session.apply(
                selection, of: migration, profile: profile, facts: state.snapshot.facts, stamp: stamp,
                assuming: assuming, isCancelled: isCancelled)
            // An entry records the files as they are now.
            if steps.contains(where: { $0.entry != nil }) { state.snapshot.drift?.removeAll(where: drift.contains) }
            return steps
        }
    }

    func rollback(_ target: RollbackTarget, stamp: LedgerEntry.Stamp) throws(WorkspaceError) -> [String] {
        try changing { try $0.session.rollback(target, stamp: stamp).map(\.step) }
    }

    /// It is of no dump.
    func compared(
        with other: Dump, named name: String, _ migration: (migration: any Migration, profile: Profile)?,
        among migrations: [any Migration], _ masking: Masking, _ control: EffectControl
    ) throws(WorkspaceError) -> CompareReport { throw .cancelled }

    func export(
        to path: String, replacing: Bool, unpacked: Bool, accepting drift: [Drift], reporting: ReportRequest,
        _ control: EffectControl
    ) throws(WorkspaceError) -> (target: String, notes: [String]) { (path, []) }

    /// It is of no dump: what it was asked for.
    func report(_ request: ReportRequest, _ control: EffectControl) throws(WorkspaceError) -> Document {
        var document = Document()
        document.line("report of \(request.chosen.map { "\($0.migration.id):\($0.profile.id)" } ?? "all")")
        document.line("\(snapshot.history.standing.count) stand, secrets \(request.isRevealing ? "shown" : "masked")")
        for number in 0..<60 { document.line("line \(number)") }
        return document
    }

    func verify(
        _ migrations: [any Migration], isRevealing: Bool, _ control: EffectControl
    ) throws(WorkspaceError) -> Document {
        var document = Document()
        document.line("\(snapshot.history.standing.count) verified")
        return document
    }

    private func changing<Result>(_ body: (inout State) throws -> Result) throws(WorkspaceError) -> Result {
        do {
            return try state.withLock { state in try body(&state) }
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .ledger("", .inaccessible("\(error)"))
        }
    }
}

/// The inspector on stores in memory, with whoever performs its effects: driven by keys, as a person types them.
struct Inspected {
    var model: Model
    let inspection: Inspection
    let workspace: MemoryWorkspace
    /// What the last keys asked for that a person waits for.
    private(set) var asked: [any Effect] = []
    /// Whether what the person asks for is done at once, as a script does it; otherwise the inspector stays busy with it.
    var performs = true

    init(
        _ stores: any StoreReader, facts: Facts = .notes, migrations: [any Migration] = [RudderStack.migration],
        chosen: (migration: String, profile: String?)? = nil, history: [LedgerEntry] = [],
        size: Size = Size(width: 80, height: 24), glyphs: Glyphs = .unicode, apps: AppList? = nil,
        masking: Masking = Masking(), change: (inout ContainerSnapshot) -> Void = { _ in }
    ) throws {
        let workspace = try MemoryWorkspace(stores, facts: facts, history: history, change: change)
        self.workspace = workspace
        inspection = Inspection(
            options: Inspection.Options(
                migrations: migrations, facts: facts, ledger: .file("/nowhere"),
                chosen: chosen.map { Choice($0.migration, profile: $0.profile) }, stamp: { .test })
        ) { _ in workspace }
        model = try inspection.start(container: nil, size: size, glyphs: glyphs, masking: masking)
        model.apps = apps
        send(.terminal(.resize(size)))
        send(.started)
    }

    /// Presses keys, written with blanks between them: `j j <Enter>`.
    mutating func press(_ keys: String) {
        for notation in keys.split(separator: " ") {
            guard let key = Key(notation: String(notation)) else {
                Issue.record("\(notation) is not a key")
                continue
            }
            press(key)
        }
    }

    mutating func press(_ key: Key) {
        asked = []
        send(.terminal(.key(key)))
    }

    mutating func type(_ text: String) {
        for character in text { press(.character(character)) }
    }

    /// Types a command line and does it.
    mutating func command(_ line: String) {
        type(":" + line)
        press(.enter)
    }

    mutating func resize(_ width: Int, _ height: Int) { send(.terminal(.resize(Size(width: width, height: height)))) }

    mutating func send(_ event: Event) {
        var events = [event]
        while !events.isEmpty {
            for effect in model.update(events.removeFirst()) {
                if effect.lane == .main { asked.append(effect) }
                if effect.lane != .main || performs { events += ScriptRunner.events(of: effect, on: inspection) }
            }
        }
    }

    /// Does what the last keys asked for and was left undone.
    mutating func performAsked() {
        for effect in asked { ScriptRunner.events(of: effect, on: inspection).forEach { send($0) } }
    }

    /// Ends what the last keys asked for with an error.
    mutating func fail(_ error: WorkspaceError) {
        guard let effect = asked.first else { return }
        send(.finished(effect.lane) { effect.fail(error, in: &$0) })
    }
}

extension Inspected {
    var opened: OpenContainer? { model.opened }
    var plan: Plan? { model.opened?.plan }
    var message: String? { model.message?.text }
    var screen: String { model.render().text }

    /// The steps that stand, in their order.
    var applied: [String] { (plan?.steps ?? []).filter { $0.status == .applied }.map(\.id) }

    /// Puts the cursor on a step.
    mutating func go(to step: String) {
        guard let index = plan?.steps.firstIndex(where: { $0.id == step }) else {
            Issue.record("there is no step \(step)")
            return
        }
        type("\(index + 1)g")
    }
}
