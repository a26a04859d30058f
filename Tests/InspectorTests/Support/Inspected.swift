import MigrationEngine
import Reports
import Testing

@testable import Inspector

/// The inspector on stores in memory, with whoever performs its effects: driven by keys, as a person types them.
struct Inspected {
    var model: Model
    /// The effects that the last keys asked for.
    private(set) var asked: [Effect] = []
    /// Whether effects are performed at once, as a script does it; otherwise the inspector stays busy with them.
    var performs = true
    private var session: MigrationSession<MemoryLedger>

    init(
        _ stores: any StoreReader, facts: Facts = .notes, migrations: [any Migration] = [RudderStack.migration],
        chosen: (migration: String, profile: String?)? = nil, history: [LedgerEntry] = [],
        size: Size = Size(width: 80, height: 24), glyphs: Glyphs = .unicode, apps: AppList? = nil,
        masking: Masking = Masking(), change: (inout ContainerSnapshot) -> Void = { _ in }
    ) throws {
        session = try MigrationSession(stores: stores, ledger: MemoryLedger(history))
        var snapshot = ContainerSnapshot(
            title: "com.acme.notes", details: ["2.3.1", "xcappdata"], stores: stores, history: session.history,
            facts: facts)
        change(&snapshot)
        let opened = OpenContainer(snapshot, migrations: migrations, chosen: chosen)
        model = Model(size: size, glyphs: glyphs, apps: apps, opened: opened, masking: masking)
        send(.terminal(.resize(size)))
    }

    /// Presses keys, written with blanks between them: `j j <Enter>`.
    mutating func press(_ keys: String) {
        for notation in keys.split(separator: " ") {
            guard let key = Key(notation: String(notation)) else {
                Issue.record("\(notation) is no key")
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
        while let next = events.popLast() {
            let effects = model.update(next)
            asked += effects
            if performs { events = effects.map { .finished(perform($0)) } + events }
        }
    }

    private mutating func perform(_ effect: Effect) -> EffectResult {
        do {
            switch effect {
            case .apply(let selection, let migration, let profile, let facts, _):
                let steps = try session.apply(
                    selection, of: migration, profile: profile, facts: facts, stamp: .test)
                return .applied(steps, snapshot)
            case .rollback(let target):
                return .rolledBack(try session.rollback(target, stamp: .test).map(\.step), snapshot)
            case .search(let search): return .found(search.run(), search)
            case .export(let path, _): return .exported(path, notes: [])
            case .examine: return .examined("", warnings: [])
            case .open, .cancel: return .cancelled
            }
        } catch {
            return .failed("\(error)", nil)
        }
    }

    private var snapshot: ContainerSnapshot {
        var snapshot =
            model.opened?.snapshot
            ?? ContainerSnapshot(
                title: "", details: [], stores: session.stores, history: session.history, facts: .notes)
        snapshot.history = session.history
        return snapshot
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
