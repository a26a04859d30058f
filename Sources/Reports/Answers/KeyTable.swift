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
    /// The entries that rows tell of, and the places that these name.
    private var told: Set<Address> = [], places: Set<Address> = []
    /// Those whose values steps write elsewhere, and where the values of others stand already.
    private let takenOn: Set<Address>
    private let homes: [Address: Address]
    /// The entries that applied steps have only taken away, as their values stood where they belong.
    private let takenAway: Set<Address>
    private let stores: [any StoreReader]
    /// The same as they were when the step was applied that is told.
    private var past: [any StoreReader]
    private let showing: Showing

    init(_ plan: Plan, in snapshot: WorkspaceSnapshot, _ showing: Showing) {
        stores = [snapshot.overlay, snapshot.container]
        past = stores
        self.showing = showing
        takenOn = Set(plan.shownChanges.lazy.flatMap { $0.after == nil ? [] : $0.takenOn + [$0.address] })
        let found = plan.steps.lazy.flatMap(\.found)
        homes = Dictionary(
            found.flatMap { change in change.takenOn.map { ($0, change.address) } },
            uniquingKeysWith: { first, _ in first })
        takenAway = Set(
            plan.steps.lazy.filter { $0.status == .applied }.flatMap(\.changes)
                .filter { $0.after == nil && $0.effect == .carried }.map(\.address))
        // What a former step has made the others find.
        for step in plan.formerSteps + plan.ownSteps { add(step) }
    }

    private mutating func add(_ step: PlannedStep) {
        past = [step.storesBefore(stores[0]), stores[1]]
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
                add(change.from.first, of: step, change, word)
                for other in otherSources(of: change) { add(other, of: step, change, word) }
            }
            // What only the stores can name stands nowhere else.
            let left = step.step.patterns.isEmpty ? [] : step.left
            for part in left { add(left: part) }
            if !known.isEmpty || !left.isEmpty { return }
            let all = step.step.places
            // Of what a step only takes away others tell.
            let sources = step.step.targetKey == nil ? all.filter { !told.contains($0.entry) } : all
            if sources.isEmpty, !all.isEmpty { return }
            // What it has found before that was taken away stands where it would put it, unless its rules have skipped it.
            let isThere =
                step.outcome.kind == .skipped && !takenAway.isDisjoint(with: sources.map(\.entry))
                && step.target.map { target in sources.contains { isSame($0, as: target) } } ?? true
            let word = isThere ? Outcome.Kind.unchanged.valueWord : nil
            var isTold = false
            for source in sources where rows.count < Self.limit && value(at: source) != nil {
                // What another step takes on that one tells of.
                if isTold, places.contains(source) || !takenOn.isDisjoint(with: [source, source.entry]) { continue }
                add(source, of: step, nil, word)
                isTold = true
            }
            if !isTold { add(sources.first, of: step) }
            return
        }
        for change in changes {
            guard rows.count < Self.limit else {
                count(change)
                continue
            }
            if let after = change.after {
                let thereAlready = Outcome.Kind.unchanged.valueWord, made = label(change.address)
                let word =
                    change.isThere
                    ? thereAlready : change.effect.word + (change.action == .found ? ", \(thereAlready)" : stop)
                let new = showing(after, at: change.address, from: change.from)
                let sources = [change.from.first] + otherSources(of: change).map(Optional.some)
                told.formUnion(change.from.lazy.map(\.entry))
                for source in sources {
                    if let source { places.insert(source) }
                    let old = source.flatMap { shown(at: $0, of: change, beside: [change.address]) }
                    let values = old.map { ShownValue.toldIfMasked($0, new) } ?? (left: "", right: new.summary)
                    add([
                        source.map(label) ?? origin(of: step, at: change.address), values.left, word, made,
                        values.right,
                    ])
                }
            } else if change.action == .missing {
                for source in change.from { add(dropped: source, by: change, stop) }
                if change.from.isEmpty {
                    add([origin(of: step, at: change.address), "", change.effect.word + stop, "", ""])
                }
            } else if change.effect == .dropped {
                add(dropped: change.address, by: change, stop)
            } else if !takenOn.contains(change.address), told.insert(change.address).inserted {
                add(there: change.address, homes[change.address] ?? step.target)
            }
            for lost in change.dropped { add(dropped: lost, by: change) }
        }
        // Of much that only the stores can name some may be there already.
        for change in step.found where change.isThere && !change.losesMeaning {
            for source in [change.from.first].compactMap(\.self) + otherSources(of: change)
            where !places.contains(source) {
                add(source, of: step, change, Outcome.Kind.unchanged.valueWord)
            }
        }
        for part in step.left { add(left: part) }
    }

    /// Counts the rows that a change would have.
    private mutating func count(_ change: Change) {
        if change.after != nil {
            left += 1 + otherSources(of: change).count
            told.formUnion(change.from.lazy.map(\.entry))
            places.formUnion(change.from)
        } else if change.action == .missing {
            left += change.from.isEmpty ? 1 : change.from.count { dropped.insert($0).inserted }
        } else if change.effect == .dropped {
            left += dropped.insert(change.address).inserted ? 1 : 0
        } else if !takenOn.contains(change.address), told.insert(change.address).inserted {
            left += 1
        }
        left += change.dropped.count { dropped.insert($0).inserted }
    }

    /// What a step leaves where it is, while it takes others.
    private mutating func add(left part: LeftPart) {
        let (place, isStopped) = (part.place, [.failed, .conflict, .blocked].contains(part.kind))
        // What another step takes on that one tells of.
        guard !places.contains(place), isStopped || takenOn.isDisjoint(with: [place, place.entry]),
            let value = value(at: place)
        else { return }
        add([label(place), value, part.kind.valueWord, "", ""], leaving: place)
    }

    /// What a change is made of besides its first source, and no row tells yet.
    private func otherSources(of change: Change) -> [Address] {
        change.from.dropFirst().filter { source in
            source.entry != change.address && !places.contains(source)
                && !change.dropped.contains(where: source.isWithin) && value(at: source) != nil
        }
    }

    /// What a step leaves, beside what stands in its place.
    ///
    /// - Parameters:
    ///   - change: What it would write, or finds; `nil` where that is not known.
    ///   - word: What becomes of it; `nil` is what the step does.
    private mutating func add(
        _ source: Address?, of step: PlannedStep, _ change: Change? = nil, _ word: String? = nil
    ) {
        let heldWord =
            step.heldKind == .unchanged && step.status != .applied ? Outcome.Kind.unchanged.valueWord : step.word
        let holds = [.unchanged, .blocked, .skipped].contains(step.outcome.kind)
        // What several steps fail on alike has one row.
        if change == nil, !holds, let source, let row = leaving[source], rows[row][2] == heldWord { return }
        let target = change?.address ?? (holds ? step.target : nil)
        let old = source.flatMap { shown(at: $0, beside: [target].compactMap(\.self)) }
        var told = (left: old?.summary ?? "", right: "")
        if let change, change.action != .found, let after = change.after, let before = change.before.value {
            let new = showing(after, at: change.address, from: change.from)
            let (wanted, standing) = ShownValue.told(new, showing(before, at: change.address, from: change.from))
            let beside = old.map { ShownValue.toldIfMasked($0, new).right } ?? new.summary
            // Of three that are masked nobody would see which is which.
            let isClear = wanted != standing && beside == new.summary
            told.right = isClear ? "\(wanted) (holds \(standing))" : "\(beside) (holds something else)"
        } else if let target, let new = shown(at: target, beside: change?.from ?? [source].compactMap(\.self)) {
            told = old.map { ShownValue.toldIfMasked($0, new) } ?? ("", new.summary)
        }
        add(
            [
                source.map(label) ?? origin(of: step, at: target), told.left, word ?? heldWord,
                told.right.isEmpty ? "" : target.map(label) ?? "", told.right,
            ], leaving: source)
    }

    /// What a step only takes away, as its value stands where it belongs.
    private mutating func add(there source: Address, _ home: Address?) {
        let standing = home.flatMap { value(at: $0, beside: [source]) }
        add([
            label(source), value(at: source, beside: [home].compactMap(\.self)) ?? "", Outcome.Kind.unchanged.valueWord,
            standing == nil ? "" : home.map(label) ?? "", standing ?? "",
        ])
    }

    private mutating func add(dropped address: Address, by change: Change, _ stop: String = "") {
        guard dropped.insert(address).inserted else { return }
        told.insert(address.entry)
        places.insert(address)
        if let row = leaving[address] { return rows[row][2] += ", \(ValueEffect.dropped.word)\(stop)" }
        add([label(address), shown(at: address, of: change)?.summary ?? "", ValueEffect.dropped.word + stop, "", ""])
    }

    /// - Parameter place: What it tells of, where that is left: what another step does with it stands there, too.
    private mutating func add(_ row: [String], leaving place: Address? = nil) {
        if let place {
            told.insert(place.entry)
            places.insert(place)
        }
        guard rows.count < Self.limit else { return left += 1 }
        rows.append(row)
        if let place { leaving[place] = rows.count - 1 }
    }

    /// What a value is made of that stands nowhere.
    private func origin(of step: PlannedStep, at target: Address?) -> String {
        guard step.step.sources.isEmpty else { return step.step.title }
        return step.step.factWords(of: target) ?? step.step.title
    }

    private func label(_ address: Address) -> String { showing.masking.label(address) }

    /// - Parameter others: What it is told beside: what is secret in one of them is masked here too.
    private func value(at address: Address, beside others: [Address] = []) -> String? {
        shown(at: address, beside: others)?.summary
    }

    /// Whether two places hold the same value; what was taken away is as the dump has it.
    private func isSame(_ source: Address, as target: Address) -> Bool {
        func value(_ place: Address) -> Value? { stores.lazy.compactMap { $0.state(at: place.held).value }.first }
        guard let there = value(target), let own = value(source) else { return false }
        return own == there
    }

    /// - Parameter change: What it is told of: in its own entry that counts which it has replaced.
    private func shown(at address: Address, of change: Change? = nil, beside others: [Address] = []) -> ShownValue? {
        let value =
            change.map { $0.formerValue(of: address, in: past) }
            ?? stores.lazy.compactMap { $0.state(at: address).value }.first
        return value.map { showing($0, at: address, from: others) }
    }

    /// Whether every value is in it.
    var isWhole: Bool { left == 0 }

    func write(to document: inout Document) {
        guard !rows.isEmpty else { return }
        document.table(Self.titles, rows)
        if left > 0 { document.line("and \(left) more, which the steps tell", indent: 2) }
    }
}
