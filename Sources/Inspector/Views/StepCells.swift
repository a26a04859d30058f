import MigrationEngine
import Reports
import StoreFormats

/// What a step reads and what it writes, each in a cell of the sheet.
struct StepCells: Sendable {
    let legacy: EntryCell
    let migrated: EntryCell
    /// Whether the step only takes away what its target holds already.
    let isThereAlready: Bool

    init(_ planned: PlannedStep, _ masking: Masking, _ glyphs: Glyphs, _ view: ContainerView) {
        legacy = Self.legacy(planned, masking, glyphs, view)
        let target = view.targetHolding(planned)
        isThereAlready = target != nil
        var migrated = Self.migrated(planned, holding: target, masking, glyphs, view)
        if let place = view.otherPlace(of: planned) { migrated.place = Run(place + "/", .warning) }
        migrated.tellApart(from: legacy)
        self.migrated = migrated
    }

    /// What stands in them.
    var texts: [String] { legacy.texts + migrated.texts }

    private static func legacy(
        _ planned: PlannedStep, _ masking: Masking, _ glyphs: Glyphs, _ view: ContainerView
    ) -> EntryCell {
        let sources = planned.step.sources
        if planned.step.targetKey == nil, sources.count > 2 {
            let present = sources.count { view.stores.state(at: $0) != .absent }
            return EntryCell("\(present) of \(sources.count.counted("key"))", .dim)
        }
        // What the value was made from, or was taken away; else the first source that is there, or was when the step ran.
        let source =
            planned.used.first ?? sources.first { source in planned.changes.contains { $0.address == source } }
            ?? sources.first { view.stores.state(at: $0) != .absent }
            ?? sources.first { view.stateBefore(planned, at: $0) != .absent } ?? sources.first
        // What stays as it stands, and was made from nothing, is not another value that lies elsewhere.
        let stays =
            planned.outcome.kind == .unchanged && planned.changes.isEmpty && planned.used.isEmpty
            && !(sources.isEmpty && !planned.found.isEmpty)
        let shown = stays ? planned.target.flatMap { view.stores.state(at: $0) == .absent ? nil : $0 } : nil
        guard let source = shown ?? source, let key = source.key else {
            return EntryCell(planned.step.factWords ?? "", .dim)
        }
        let others = [planned.target].compactMap(\.self)
        let listed = masking.listed(key, in: source.store, of: view.stores)
        let label = source.pointer.isRoot ? listed : "\(listed)#\(masking.place(source.pointer))"
        var cell = EntryCell(
            label, state: view.stateBefore(planned, at: source), at: source, with: others, masking, glyphs)
        // What the step, or a later one, has taken away is there no more.
        if planned.status == .applied, view.stores.state(at: source) == .absent { cell.key.role = .dim }
        return cell
    }

    private static func migrated(
        _ planned: PlannedStep, holding target: Address?, _ masking: Masking, _ glyphs: Glyphs, _ view: ContainerView
    ) -> EntryCell {
        if let target, let key = target.key {
            return EntryCell(
                masking.name(key), state: view.stores.state(at: target), at: target, masking, glyphs)
        }
        let changes = planned.shownChanges
        if let change = changes.first, changes.count == 1, let key = change.address.key {
            guard let after = change.after else {
                let value = change.action == .missing ? Run("is not there", .problem) : Run("removed", .removed)
                var cell = EntryCell(masking.name(key), value: value)
                cell.say(planned, needsIn: change.address)
                return cell
            }
            let value = Run(after, at: change.address, from: change.from, masking)
            var cell = EntryCell(
                masking.listed(key, in: change.address.store, of: view.stores),
                value: change.placeholders.isEmpty ? value : Run("placeholder in \(value.text)", .warning))
            cell.told = after
            // What is lost of a value, or why it means something else.
            if change.effect == .changed, let note = change.notes.first {
                cell.note = Run(Showing(masking).note(note, on: change), .warning)
            }
            cell.say(planned, needsIn: change.address)
            return cell
        }
        if changes.count > 1, let change = changes.first(where: planned.isMain),
            let key = change.address.key, let after = change.after
        {
            // The value that matters, and how many entries change with it.
            var value = Run(after, at: change.address, from: change.from, masking)
            value.text = "(+\(changes.count - 1)) \(value.text)"
            var cell = EntryCell(masking.name(key), value: value)
            cell.told = after
            cell.say(planned, needsIn: change.address)
            return cell
        }
        if changes.count > 1 {
            let words: [(Change.Action, String, Role)] = [
                (.add, "added", .added), (.replace, "changed", .changed), (.remove, "removed", .removed),
                (.found, "there already", .dim), (.missing, "not there", .problem),
            ]
            // To tell what one does compares its values.
            let numbers = Dictionary(changes.lazy.map { ($0.action, 1) }, uniquingKeysWith: +)
            let counts = words.map { action, word, role in
                (count: numbers[action] ?? 0, word: word, role: role)
            }.filter { $0.count > 0 }
            let parts = counts.enumerated().map { index, part in
                index == 0 ? "\(part.count.counted("entry", "entries")) \(part.word)" : "\(part.count) \(part.word)"
            }
            return EntryCell(parts.joined(separator: ", "), counts.count == 1 ? counts[0].role : .changed)
        }
        guard let key = planned.step.targetKey else { return EntryCell("not migrated", .dim) }
        let state = planned.step.target.map { view.stores.state(at: $0) } ?? .absent
        guard let target = planned.step.target, state != .absent || planned.need == nil else {
            return EntryCell(masking.name(key), planned.need == nil ? .dim : .key, value: planned.need)
        }
        var cell = EntryCell(masking.name(key), state: state, at: target, masking, glyphs)
        cell.note = planned.need
        return cell
    }
}

extension EntryCell {
    /// Says which facts a step waits for: by a placeholder where the name of the store will have them, in words otherwise.
    fileprivate mutating func say(_ planned: PlannedStep, needsIn address: Address) {
        let placeholders = (planned.outcome.reason?.missingFacts ?? []).map(\.placeholder)
        guard !placeholders.isEmpty, placeholders.allSatisfy("\(address.store.name)".contains) else {
            note = planned.need ?? note
            return
        }
        place = Run(placeholders.joined() + "/", .warning)
    }
}

extension ContainerView {
    /// What an entry held that a step reads: as it is, or where the step is applied, as it was before.
    fileprivate func stateBefore(_ planned: PlannedStep, at source: Address) -> EntryState {
        if let change = planned.changes.first(where: { $0.address == source }) { return change.before }
        return planned.storesBefore(stores).state(at: source)
    }

    /// The end of the name of the store that an applied step has written to, where that is not the column's, as the facts have
    /// changed since; what both names begin with is left out.
    fileprivate func otherPlace(of planned: PlannedStep) -> String? {
        let written = planned.changes.first { $0.after != nil }?.address.store
        guard planned.status == .applied, let written, let column = sides.migrated.first, written.kind == column.kind,
            !sides.migrated.contains(written),
            !sides.legacy.contains(written)
        else { return nil }
        let name = "\(written.name)", parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let others = "\(column.name)".split(separator: ".", omittingEmptySubsequences: false)
        let common = zip(parts, others).prefix { $0 == $1 }.count
        return common < parts.count ? parts[common...].joined(separator: ".") : name
    }

    /// The target of a step that only takes away what stands there already.
    fileprivate func targetHolding(_ planned: PlannedStep) -> Address? {
        guard let target = planned.target, !planned.changes.isEmpty, stores.state(at: target) != .absent,
            planned.changes.allSatisfy({ $0.after == nil && values.alreadyThere.contains($0.address) })
        else { return nil }
        return target
    }
}

/// How many columns both cells of a step need.
struct StepRoom: Sendable {
    /// What stands in them in Unicode's signs, secrets masked.
    let cells: StepCells
    private let masked, revealed: (legacy: Int, migrated: Int)

    init(_ planned: PlannedStep, _ view: ContainerView) {
        func cells(_ isRevealing: Bool, _ glyphs: Glyphs) -> StepCells {
            var masking = view.masking.within(AnswerBudget())
            masking.isRevealing = isRevealing
            return StepCells(planned, masking, glyphs, view)
        }
        func room(_ isRevealing: Bool, _ shown: StepCells) -> (legacy: Int, migrated: Int) {
            // What is ASCII in Unicode's signs is so in the others too.
            let isPlain = shown.texts.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
            let others: [(Glyphs, StepCells)] = isPlain ? [] : [(.ascii, cells(isRevealing, .ascii))]
            let all = [(.unicode, shown)] + others
            return (
                all.map { $1.legacy.columns($0, limit: SheetView.most) }.max() ?? 0,
                all.map { $1.migrated.columns($0, limit: SheetView.most) }.max() ?? 0
            )
        }
        let shown = cells(false, .unicode)
        masked = room(false, shown)
        revealed = shown.texts.contains(where: Masking.isMasked) ? room(true, cells(true, .unicode)) : masked
        self.cells = shown
    }

    /// How many columns the step needs on a wide screen, its sides one over the other, secrets masked.
    var stacked: Int { SheetView.room(for: masked) }

    /// Whether both fit beside each other.
    func fits(_ sides: (legacy: Int, migrated: Int), isRevealing: Bool) -> Bool {
        let needed = isRevealing ? revealed : masked
        return needed.legacy <= sides.legacy && needed.migrated <= sides.migrated
    }
}

extension PlannedStep {
    /// Whether a change is of its target, which no address names as long as a fact is missing.
    fileprivate func isMain(_ change: Change) -> Bool {
        guard let target = step.target else { return step.targetKey != nil && change.address.key == step.targetKey }
        return change.address == target
    }

    /// That it waits for facts.
    fileprivate var need: Run? {
        let missing = outcome.reason?.missingFacts ?? []
        return missing.isEmpty ? nil : Run("needs \(missing.map(\.rawValue).joined(separator: ", "))", .warning)
    }

    /// What the step does to the value that matters, in a sign: a change of meaning goes before everything else, and of a step
    /// that only removes, what is lost; what stands there already nobody writes.
    func mainSign(_ glyphs: Glyphs) -> Run? {
        let changes = shownChanges
        if changes.contains(where: { $0.effect == .changed }) { return ValueEffect.changed.sign(glyphs) }
        if let written = changes.first(where: { $0.after != nil }) {
            return written.isThere ? Outcome.Kind.unchanged.sign(glyphs) : written.effect.sign(glyphs)
        }
        return (changes.contains { $0.effect == .dropped } ? .dropped : changes.first?.effect)?.sign(glyphs)
    }
}

extension ValueEffect {
    /// What the word means, for the help.
    var meaning: String {
        switch self {
        case .carried: "the value stays the same"
        case .converted: "same, in another form"
        case .changed: "it means something else"
        case .dropped: "nothing takes it on"
        case .madeUp: "nobody entered it"
        }
    }
}
