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
    private let stores: [any StoreReader]
    private let showing: Showing

    init(_ plan: Plan, in snapshot: WorkspaceSnapshot, _ showing: Showing) {
        stores = [snapshot.overlay, snapshot.container]
        self.showing = showing
        for step in plan.steps { add(step) }
    }

    private mutating func add(_ step: PlannedStep) {
        let stop =
            switch step.outcome.kind {
            case .migrates: ""
            case .unchanged: step.found.isEmpty ? "" : ", \(Outcome.Kind.unchanged.valueWord)"
            default: ", \(step.word)"
            }
        let changes = step.shownChanges
        guard !changes.isEmpty else {
            // What it was made of, or would be but for a conflict, is known.
            let known = step.found.isEmpty ? [step.conflict].compactMap(\.self) : step.found
            for change in known { add(change.from.first, of: step, change.address) }
            if !known.isEmpty { return }
            // What is done already may have been made of any of them.
            let most = step.outcome.kind == .unchanged ? Self.limit + 1 : 1
            var told = 0
            for source in step.step.sources where told < most && value(at: source) != nil {
                add(source, of: step)
                told += 1
            }
            if told == 0 { add(step.step.sources.first, of: step) }
            return
        }
        for change in changes {
            guard rows.count < Self.limit else {
                left += 1
                continue
            }
            if let after = change.after {
                let source = change.from.first
                add([
                    source.map(label) ?? "", source.flatMap { value(at: $0) } ?? "", change.effect.word + stop,
                    label(change.address), showing(after, at: change.address, from: change.from).summary,
                ])
            } else if change.effect == .dropped {
                add(dropped: change.address, stop)
            }
            for lost in change.dropped { add(dropped: lost) }
        }
    }

    /// What a step leaves, beside what stands in its place.
    private mutating func add(_ source: Address?, of step: PlannedStep, _ target: Address? = nil) {
        let holds = [.unchanged, .blocked].contains(step.outcome.kind)
        let target = target ?? (holds ? step.target : nil),
            standing = target.flatMap { value(at: $0, beside: step.step.sources) }
        add([
            source.map(label) ?? step.step.title, source.flatMap { value(at: $0) } ?? "", step.word,
            standing == nil ? "" : target.map(label) ?? "", standing ?? "",
        ])
    }

    private mutating func add(dropped address: Address, _ stop: String = "") {
        guard dropped.insert(address).inserted else { return }
        add([label(address), value(at: address) ?? "", ValueEffect.dropped.word + stop, "", ""])
    }

    private mutating func add(_ row: [String]) {
        if rows.count < Self.limit { rows.append(row) } else { left += 1 }
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
