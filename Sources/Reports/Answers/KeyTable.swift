import MigrationEngine
import StoreFormats
import Workspace

/// What becomes of each key in a plan, a row for each value: what lay where, what becomes of it, and what stands where then.
struct KeyTable {
    private static let titles = ["key", "value", "effect", "becomes", "value"]
    /// How many rows are told; a step with a star has as many as entries, and the steps below tell all.
    private static let limit = 200

    private var rows: [[String]] = []
    private var left = 0
    /// What of it is told as dropped already.
    private var dropped: Set<Address> = []
    /// The rows of values that a step leaves; what another one drops of these stands there too.
    private var leaving: [Address: Int] = [:]
    /// The entries that rows tell of.
    private var told: Set<Address> = []
    /// Those whose values steps write elsewhere, and where the values of others stand already.
    private let takenOn: Set<Address>
    private let homes: [Address: Address]
    private let stores: [any StoreReader]
    private let showing: Showing

    init(_ plan: Plan, in snapshot: WorkspaceSnapshot, _ showing: Showing) {
        stores = [snapshot.overlay, snapshot.container]
        self.showing = showing
        takenOn = Set(plan.shownChanges.lazy.flatMap { $0.after == nil ? [] : $0.takenOn + [$0.address] })
        let found = plan.steps.lazy.flatMap(\.found)
        homes = Dictionary(
            found.flatMap { change in change.takenOn.map { ($0, change.address) } },
            uniquingKeysWith: { first, _ in first })
        for step in plan.steps { add(step) }
    }

    private mutating func add(_ step: PlannedStep) {
        let stop =
            switch step.heldKind {
            case .migrates, .unchanged: ""
            default: ", \(step.word)"
            }
        let changes = step.shownChanges
        guard !changes.isEmpty else {
            // What it was made of, or would be but for a conflict, is known.
            let known = step.found + [step.conflict].compactMap(\.self)
            for change in known {
                let word = change.isThere && step.status != .applied ? Outcome.Kind.unchanged.valueWord : nil
                add(change.from.first, of: step, change.address, beside: change.from, word)
            }
            // What only the stores can name stands nowhere else.
            if !step.step.patterns.isEmpty { for (place, kind) in step.left { add(left: place, kind) } }
            if !known.isEmpty { return }
            let all = step.step.sources
            // Of what a step only takes away others tell.
            let sources = step.step.targetKey == nil ? all.filter { !told.contains($0.entry) } : all
            if sources.isEmpty, !all.isEmpty { return }
            // What is done already may have been made of any of them.
            let most = step.outcome.kind == .unchanged ? Self.limit + 1 : 1
            var isTold = false, left = most
            for source in sources where left > 0 && value(at: source) != nil {
                add(source, of: step)
                (isTold, left) = (true, left - 1)
            }
            if !isTold { add(sources.first, of: step) }
            return
        }
        for change in changes {
            guard rows.count < Self.limit else {
                left += 1
                continue
            }
            if let after = change.after {
                let source = change.from.first, thereAlready = Outcome.Kind.unchanged.valueWord
                told.formUnion(change.from.lazy.map(\.entry))
                add([
                    source.map(label) ?? origin(of: step),
                    source.flatMap { value(at: $0, beside: [change.address]) } ?? "",
                    change.isThere
                        ? thereAlready : change.effect.word + (change.action == .found ? ", \(thereAlready)" : stop),
                    label(change.address), showing(after, at: change.address, from: change.from).summary,
                ])
            } else if change.action == .missing {
                for source in change.from { add(dropped: source, stop) }
                if change.from.isEmpty { add([origin(of: step), "", change.effect.word + stop, "", ""]) }
            } else if change.effect == .dropped {
                add(dropped: change.address, stop)
            } else if !takenOn.contains(change.address), told.insert(change.address).inserted {
                add(there: change.address, homes[change.address] ?? step.target)
            }
            for lost in change.dropped { add(dropped: lost) }
        }
        for (place, kind) in step.left { add(left: place, kind) }
    }

    /// What a step leaves where it is, while it takes others.
    private mutating func add(left place: Address, _ kind: Outcome.Kind) {
        guard !told.contains(place.entry), let value = value(at: place) else { return }
        told.insert(place.entry)
        add([label(place), value, kind.valueWord, "", ""])
    }

    /// What a step leaves, beside what stands in its place.
    ///
    /// - Parameters:
    ///   - others: What its value is told beside; `nil` is the source alone.
    ///   - word: What becomes of it; `nil` is what the step does.
    private mutating func add(
        _ source: Address?, of step: PlannedStep, _ target: Address? = nil, beside others: [Address]? = nil,
        _ word: String? = nil
    ) {
        let holds = [.unchanged, .blocked, .skipped].contains(step.outcome.kind)
        if let source { told.insert(source.entry) }
        let target = target ?? (holds ? step.target : nil),
            standing = target.flatMap { value(at: $0, beside: others ?? [source].compactMap(\.self)) }
        add([
            source.map(label) ?? origin(of: step),
            source.flatMap { value(at: $0, beside: [target].compactMap(\.self)) } ?? "",
            word
                ?? (step.heldKind == .unchanged && step.status != .applied
                    ? Outcome.Kind.unchanged.valueWord : step.word),
            standing == nil ? "" : target.map(label) ?? "", standing ?? "",
        ])
        if let source, left == 0 { leaving[source] = rows.count - 1 }
    }

    /// What a step only takes away, as its value stands where it belongs.
    private mutating func add(there source: Address, _ home: Address?) {
        let standing = home.flatMap { value(at: $0, beside: [source]) }
        add([
            label(source), value(at: source, beside: [home].compactMap(\.self)) ?? "", Outcome.Kind.unchanged.valueWord,
            standing == nil ? "" : home.map(label) ?? "", standing ?? "",
        ])
    }

    private mutating func add(dropped address: Address, _ stop: String = "") {
        guard dropped.insert(address).inserted else { return }
        told.insert(address.entry)
        if let row = leaving[address] { return rows[row][2] += ", \(ValueEffect.dropped.word)\(stop)" }
        add([label(address), value(at: address) ?? "", ValueEffect.dropped.word + stop, "", ""])
    }

    private mutating func add(_ row: [String]) {
        if rows.count < Self.limit { rows.append(row) } else { left += 1 }
    }

    /// What a value is made of that stands nowhere.
    private func origin(of step: PlannedStep) -> String {
        guard step.step.sources.isEmpty else { return step.step.title }
        return step.step.factWords ?? step.step.title
    }

    private func label(_ address: Address) -> String { showing.masking.label(address) }

    /// - Parameter others: What it is told beside: what is secret in one of them is masked here too.
    private func value(at address: Address, beside others: [Address] = []) -> String? {
        stores.lazy.compactMap { $0.state(at: address).value }.first.map {
            showing($0, at: address, from: others).summary
        }
    }

    /// Whether every value is in it.
    var isWhole: Bool { left == 0 }

    func write(to document: inout Document) {
        guard !rows.isEmpty else { return }
        document.table(Self.titles, rows)
        if left > 0 { document.line("and \(left) more, which the steps tell", indent: 2) }
    }
}
