import MigrationEngine
import Reports
import StoreFormats
import Workspace

/// Looks which rows a filter lets through, beside what the person does; the screen shows those that were found so far.
struct RowFiltering: Effect {
    let purpose: OpenContainer.Filtering.Purpose
    private let container: OpenContainer
    var lane: Lane { .filter }
    var label: String { "looking for the rows" }
    /// How long it goes on before it shows what it has.
    private static let pause = Duration.milliseconds(20)

    private let masking: Masking

    /// - Parameter masking: What is not shown, and so is not found either; without one, that of the container.
    init(_ purpose: OpenContainer.Filtering.Purpose, in container: OpenContainer, _ masking: Masking? = nil) {
        (self.purpose, self.container, self.masking) = (purpose, container, masking ?? container.view.masking)
    }

    /// The rows, and whether everything could be looked into.
    struct Answer: Sendable {
        var rows = RowRanges()
        var isComplete = true
        /// The rows that entries are folded behind that have the text.
        var folded: [SheetRow] = []
    }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> Answer {
        let answer = run(isCancelled: control.isCancelled) { rows in
            control.show { [purpose] model in _ = model.opened?.take(rows, isComplete: false, for: purpose) }
        }
        try control.goOn()
        return answer
    }

    func finish(_ answer: Answer, in model: inout Model) -> [any Effect] {
        guard model.opened?.take(answer.rows, isComplete: true, for: purpose) == true else { return [] }
        if !answer.isComplete {
            model.message = .done("not all could be looked into: more rows may have what the filter asks for")
        }
        model.opened?.filtering?.found = answer.folded
        return []
    }

    /// - Parameter show: Called now and then with the rows that were found so far.
    func run(isCancelled: @escaping () -> Bool = { false }, show: (RowRanges) -> Void = { _ in }) -> Answer {
        guard case .text(let text) = purpose.filter else { return run(nil, .rows, isCancelled, show).answer }
        var answer = Answer()
        // As a search does: what is said of a row counts where no key or value has the text.
        for depth in Look.Depth.allCases {
            let found = run(text, depth, isCancelled, show), isComplete = answer.isComplete
            answer = found.answer
            answer.isComplete = answer.isComplete && isComplete
            if answer.rows.count > 0 || found.hasStopped { break }
        }
        return answer
    }

    private func run(
        _ text: String?, _ depth: Look.Depth, _ isCancelled: @escaping () -> Bool, _ show: (RowRanges) -> Void
    ) -> (answer: Answer, hasStopped: Bool) {
        var answer = Answer(), shown = (count: 0, at: ContinuousClock.now)
        var look = Look(Matcher(text ?? ""), masking, isCancelled, depth)
        for part in container.view.sheet.parts {
            /// The line above the entries, until it is among the rows.
            var head = part.hasHead ? part.rows.first : nil
            if let all = wholesale(part) {
                answer.rows.append(all)
                continue
            }
            for position in part.rows {
                if look.isStopped() { return (answer, true) }
                // A row that was found waits for no other.
                if position.isMultiple(of: 256), answer.rows.count > shown.count,
                    shown.at.duration(to: .now) > Self.pause
                {
                    show(answer.rows)
                    shown = (answer.rows.count, .now)
                }
                guard let row = container.view.sheet[position] else { continue }
                let isFolded = holds(row, &look)
                if isFolded, !isShut(row) { answer.folded.append(row) }
                guard isFolded || matches(row, &look) else { continue }
                if let above = head, above < position { answer.rows.append(above..<above + 1) }
                head = nil
                answer.rows.append(position..<position + 1)
            }
        }
        answer.isComplete = text == nil || look.isComplete(in: container)
        return (answer, look.hasStopped)
    }

    /// The rows of a part that need not be looked at one by one: what filters ask of entries is the same for all.
    private func wholesale(_ part: Sheet.Part) -> Range<Int>? {
        if case .text = purpose.filter { return nil }
        guard part.hasHead, let head = container.view.sheet[part.rows.lowerBound] else { return nil }
        switch (purpose.filter, head) {
        // An entry that no step touches is on one side.
        case (.oneSided, .unmapped), (.fate(.untouched), .unmapped): return part.rows
        case (.oneSided, .noise(let store, _)), (.fate(.untouched), .noise(let store, _)):
            let sides = container.sides
            return (sides.legacy + sides.migrated).contains(store) ? part.rows : part.rows.prefix(0)
        case (.problems, .unmapped(let store, _)), (.problems, .store(let store)):
            let isProblem = container.stores.problem(with: store) != nil
            return isProblem ? part.rows.lowerBound..<part.rows.lowerBound + 1 : part.rows.prefix(0)
        default: return part.rows.prefix(0)
        }
    }

    private func matches(_ row: SheetRow, _ look: inout Look) -> Bool {
        if case .text = purpose.filter { return container.finds(row, &look) }
        return container.matches(row, purpose.filter)
    }

    /// Whether the person has folded what is behind a row.
    private func isShut(_ row: SheetRow) -> Bool {
        guard let shut = container.filtering?.shut else { return false }
        return switch row {
        case .store(let store), .noise(let store, _): shut.contains(store)
        default: false
        }
    }

    /// Whether an entry that is folded behind a row has the text.
    private func holds(_ row: SheetRow, _ look: inout Look) -> Bool {
        guard case .text = purpose.filter, look.depth == .rows, let (store, keys) = container.folded(behind: row) else {
            return false
        }
        var isFound = false
        container.find(in: store, keys, &look) { _ in
            isFound = true
            return false
        }
        return isFound
    }
}

extension Model {
    /// Unfolds what a filter has found folded, as soon as nothing runs.
    mutating func unfoldFound() -> [any Effect] {
        guard busy == nil, let opened, let filtering = opened.filtering, !filtering.found.isEmpty else { return [] }
        self.opened?.filtering?.found = []
        self.opened?.filtering?.folds = filtering.folds ?? opened.view.folds
        return [Planning(opened.unfolding(filtering.found), label: "unfolding")]
    }
}

extension OpenContainer {
    /// Whether a row is as a filter by a word asks.
    func matches(_ row: SheetRow, _ filter: RowFilter) -> Bool {
        switch (row, filter) {
        case (.step(let index), _): plan.map { matches($0.steps[index], filter) } ?? false
        case (.entry(let store, _), .fate(.untouched)): (sides.legacy + sides.migrated).contains(store)
        default: false
        }
    }

    private func matches(_ planned: PlannedStep, _ filter: RowFilter) -> Bool {
        func contains(_ isSo: (Change) -> Bool) -> Bool { planned.shownChanges.contains(where: isSo) }
        return switch filter {
        case .problems: planned.isProblem
        case .pending: planned.outcome.kind == .migrates
        case .applied: planned.status == .applied
        case .oneSided: planned.hasLegacy(in: stores) != planned.hasMigrated(in: stores)
        case .fate(.effect(.dropped)): contains(\.drops)
        case .fate(.effect(.madeUp)): contains { $0.effect == .madeUp || !$0.placeholders.isEmpty }
        // A value that goes on counts where it goes to.
        case .fate(.effect(let effect)): contains { $0.effect == effect && $0.after != nil && !$0.isThere }
        case .fate(.held(.unchanged)):
            planned.heldKind == .unchanged && planned.shownChanges.isEmpty
                || view.values.isHeld(.unchanged, by: planned.id)
                || contains { $0.isThere || $0.after == nil && view.values.alreadyThere.contains($0.address) }
        case .fate(.held(let kind)): planned.outcome.kind == kind || view.values.isHeld(kind, by: planned.id)
        case .fate(.untouched), .text: false
        }
    }
}

extension PlannedStep {
    /// Whether something stands on the legacy side; what cannot be read is something.
    fileprivate func hasLegacy(in stores: any StoreReader) -> Bool {
        changes.contains { !$0.from.isEmpty || $0.after == nil }
            || step.sources.contains { stores.state(at: $0) != .absent }
    }

    /// Whether something stands on the migrated side, or will.
    fileprivate func hasMigrated(in stores: any StoreReader) -> Bool {
        changes.contains { $0.after != nil } || target.map { stores.state(at: $0) != .absent } ?? false
    }
}
