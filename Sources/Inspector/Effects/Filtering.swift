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
        guard !answer.folded.isEmpty, let opened = model.opened else { return [] }
        model.opened?.filtering?.folds = opened.filtering?.folds ?? opened.view.folds
        return [Planning(opened.unfolding(answer.folded), label: "unfolding") { _, _ in }]
    }

    /// - Parameter show: Called now and then with the rows that were found so far.
    func run(isCancelled: @escaping () -> Bool = { false }, show: (RowRanges) -> Void = { _ in }) -> Answer {
        var answer = Answer(), shown = (count: 0, at: ContinuousClock.now)
        let text: String? = if case .text(let text) = purpose.filter { text } else { nil }
        var look = Look(Matcher(text ?? ""), masking, isCancelled)
        for part in container.view.sheet.parts {
            /// The line above the entries, until it is among the rows.
            var head = part.hasHead ? part.rows.first : nil
            if let all = wholesale(part) {
                answer.rows.append(all)
                continue
            }
            for position in part.rows {
                if look.isStopped() { return answer }
                // A row that was found waits for no other.
                if position.isMultiple(of: 256), answer.rows.count > shown.count,
                    shown.at.duration(to: .now) > Self.pause
                {
                    show(answer.rows)
                    shown = (answer.rows.count, .now)
                }
                guard let row = container.view.sheet[position] else { continue }
                let isFolded = holds(row, &look)
                if isFolded { answer.folded.append(row) }
                guard isFolded || matches(row, &look) else { continue }
                if let above = head, above < position { answer.rows.append(above..<above + 1) }
                head = nil
                answer.rows.append(position..<position + 1)
            }
        }
        answer.isComplete = text == nil || look.isComplete(in: container)
        return answer
    }

    /// The rows of a part that need not be looked at one by one: what filters ask of entries is the same for all.
    private func wholesale(_ part: Sheet.Part) -> Range<Int>? {
        if case .text = purpose.filter { return nil }
        guard part.hasHead, let head = container.view.sheet[part.rows.lowerBound] else { return nil }
        switch (purpose.filter, head) {
        // An entry that no step touches is on one side.
        case (.oneSided, .unmapped), (.untouched, .unmapped): return part.rows
        case (.oneSided, .noise(let store, _)), (.untouched, .noise(let store, _)):
            let sides = container.sides
            return (sides.legacy + sides.migrated).contains(store) ? part.rows : part.rows.prefix(0)
        case (.problems, .unmapped(let store, _)), (.problems, .store(let store)):
            let isProblem = container.stores.problem(with: store) != nil
            return isProblem ? part.rows.lowerBound..<part.rows.lowerBound + 1 : part.rows.prefix(0)
        default: return part.rows.prefix(0)
        }
    }

    private func matches(_ row: SheetRow, _ look: inout Look) -> Bool {
        switch (purpose.filter, row) {
        case (.text, _): return container.finds(row, &look)
        case (_, .step(let index)): return container.plan.map { matches($0.steps[index]) } ?? false
        default: return false
        }
    }

    private func matches(_ planned: PlannedStep) -> Bool {
        switch purpose.filter {
        case .problems: planned.isProblem
        case .effect(.dropped): planned.changes.contains { $0.effect == .dropped || !$0.dropped.isEmpty }
        case .effect(.madeUp): planned.changes.contains { $0.effect == .madeUp || !$0.placeholders.isEmpty }
        case .effect(let effect): planned.changes.contains { $0.effect == effect }
        case .oneSided: planned.hasLegacy(in: container.stores) != planned.hasMigrated(in: container.stores)
        case .held(let kind): planned.outcome.kind == kind && planned.changes.isEmpty
        case .text, .untouched: false
        }
    }

    /// Whether an entry that is folded behind a row has the text.
    private func holds(_ row: SheetRow, _ look: inout Look) -> Bool {
        guard case .text = purpose.filter, let (store, keys) = container.folded(behind: row) else { return false }
        var isFound = false
        container.find(in: store, keys, &look) { _ in
            isFound = true
            return false
        }
        return isFound
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
