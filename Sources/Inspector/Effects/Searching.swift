import MigrationEngine
import Reports
import StoreFormats
import Workspace

/// A search through the rows of a container, and through the entries of the stores that are folded, up to the first match;
/// the others are counted from there on (``MatchCounting``).
struct RowSearch: Effect {
    let purpose: Matches.Purpose
    /// Whether to look downwards.
    let isForward: Bool
    /// Whether it is still being typed.
    let isTyped: Bool
    let container: OpenContainer
    /// What is not shown, and so is not found either.
    let masking: Masking
    var text: String { purpose.text }
    var lane: Lane { isTyped ? .search : .main }
    var label: String { "looking for “\(text)”" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> Matches {
        let matches = run(isCancelled: control.isCancelled) { matches in
            let progress = "\(label), \(matches.percent) %"
            if !isTyped { control.say(progress) }
            control.show { [self] model in
                // What comes in its place, for more letters or with Enter, need not look there again.
                if let opened = model.opened, matches.isOf(opened) { model.opened?.matches = matches }
                if isTyped, model.isStillTyped(text, true) { model.message = .done(progress) }
            }
        }
        try control.goOn()
        return matches
    }

    func finish(_ matches: Matches, in model: inout Model) -> [any Effect] {
        guard model.isStillTyped(text, isTyped) else { return [] }
        return matches.show(from: container.cursor, isForward: isForward, isTyped: isTyped, in: &model)
    }

    /// Looks through the rows from the one under the cursor on, as a ring, until one has the text in its key, its title or its
    /// value, at any depth; that one comes last.
    ///
    /// Where none has, until there is one of which that is said: in its detail, or behind its value.
    ///
    /// - Parameters:
    ///   - isCancelled: Asked now and then; the search ends where it says so.
    ///   - show: Called now and then with what was found so far.
    func run(isCancelled: @escaping @Sendable () -> Bool = { false }, show: (Matches) -> Void = { _ in }) -> Matches {
        var matches = Matches(purpose, of: container)
        while true {
            matches.look(
                from: container.cursor, isForward: isForward, in: container, masking, isCancelled, show: show
            ) { $0.count > 0 }
            guard let deeper = matches.deeper(in: container) else { return matches }
            matches = deeper
        }
    }
}

extension Matches {
    /// Goes to the next match, where there is one and it is known.
    func show(from row: Int, isForward: Bool, isTyped: Bool, in model: inout Model) -> [any Effect] {
        guard let opened = model.opened, isOf(opened) else { return [] }
        model.opened?.matches = self
        let next = next(from: row, isForward: isForward)
        switch next.map(space.at) {
        case .row(let row)?: show(row, in: &model)
        case .folded(let folded, let position)?:
            let store = folded.store, key = folded.keys.key(at: position)
            if isTyped {
                // Unfolded it is once it was meant.
                if let row = opened.position(inFrontOf: key, in: store) { show(row, in: &model) }
                return []
            }
            return [
                Planning(opened.showing(key, in: store), label: "unfolding") { _, model in
                    if let row = model.opened?.sheet.position(of: .entry(store, key: key)) { show(row, in: &model) }
                }
            ]
        case nil:
            if isTyped { model.comeBack() }
            model.message = .refused(
                "“\(purpose.text)” is nowhere in keys, titles or values"
                    + (opened.filtering == nil ? "" : " of the rows that the filter shows")
                    + (isComplete ? "" : " that could be looked into; not all can be read"))
        }
        return []
    }

    private func show(_ row: Int, in model: inout Model) {
        model.opened?.moveCursor(to: row)
        model.opened?.soughtInDetail = purpose.text
        model.message = .done("“\(purpose.text)”")
        model.message?.search = purpose.text
    }
}

extension OpenContainer {
    /// Whether a row holds the text in its key, its title or its value, at any depth.
    func finds(_ row: SheetRow, _ look: inout Look) -> Bool {
        if look.depth == .said { return said(of: row, look.masking).contains(where: look.matcher.matches) }
        switch row {
        case .step(let index):
            guard let planned = plan?.steps[index] else { return false }
            let step = planned.step
            let keys = step.sources.compactMap(\.key) + [step.targetKey].compactMap(\.self)
            // What the row says of facts: which one stands for a legacy entry, and which are missing.
            let facts =
                (keys.isEmpty || step.sources.isEmpty ? step.factsOfValue : [])
                + (planned.outcome.reason?.missingFacts ?? [])
            let names = keys.map(look.masking.name) + facts.map(\.rawValue)
            let texts = [step.title, planned.outcome.kind.rawValue] + names
            return texts.contains(where: look.matcher.matches) || planned.claims.contains(where: look.names)
                || planned.changes.contains { look.finds(in: EntryState($0.after), at: $0.address, from: $0.from) }
                || step.sources.contains { look.finds(in: stores.state(at: $0), at: $0) }
        case .unmapped(let store, _), .store(let store): return look.matcher.matches(look.masking.name(store))
        case .noise: return false
        case .entry(let store, let key):
            let address = Address(store: store, key: key)
            return look.finds(in: key) || look.names(address)
                || look.finds(in: stores.state(of: key, in: store), at: address)
        }
    }

    /// Goes through those of some entries of a store that hold the text, as long as it is asked to go on.
    func find(
        in store: StoreID, _ keys: any KeyList, upwards: Bool = false, _ look: inout Look, goesOn: (Name) -> Bool
    ) {
        if keys.unlisted != nil || stores.problem(with: store) != nil { look.hasGaps = true }
        for index in 0..<keys.count {
            if look.isStopped() { return }
            let key = keys.key(at: upwards ? keys.count - 1 - index : index)
            if finds(.entry(store, key: key), &look), !goesOn(key) { return }
        }
    }

    /// What is said of a row besides its keys and values: in the list, by the header's words for it, and in its detail.
    private func said(of row: SheetRow, _ masking: Masking) -> [String] {
        let counted = RowFilter.names.filter { matches(row, $0.filter) }.flatMap { $0.words }
        switch row {
        case .step(let index):
            guard let plan else { return [] }
            let planned = plan.steps[index]
            let answer = StepAnswer(
                planned, facts: plan.facts, definitions: migration?.facts ?? [], now: stores, found: snapshot.stores,
                assumption: assumption(of: planned), masking)
            let detail = answer.document.lines(width: Size.limit, .unicode, .keys(.standard)).map(\.text)
            return counted + [planned.listWord.text] + StepCells(planned, masking, .unicode, view).texts + detail
        case .entry(let store, let key):
            return counted + [annotation(of: Address(store: store, key: key)).map(masking.sentence)].compactMap(\.self)
        case .store(let store):
            return [masking.place(store), line(of: row, masking, .unicode)].compactMap(\.self)
        case .unmapped(let store, _):
            let annotation = annotation(of: Address(store: store)).map(masking.sentence)
            return [masking.place(store), annotation, line(of: row, masking, .unicode)].compactMap(\.self)
        case .noise(_, let count): return [SheetView.noise(count)]
        }
    }
}
