import MigrationEngine
import Reports
import StoreFormats

/// What a step reads and what it writes, each in a cell of the sheet.
struct StepCells: Sendable {
    let legacy: EntryCell
    let migrated: EntryCell

    init(_ planned: PlannedStep, _ model: Model, _ opened: OpenContainer) {
        legacy = Self.legacy(planned, model, opened)
        migrated = Self.migrated(planned, model, opened)
    }

    private static func legacy(_ planned: PlannedStep, _ model: Model, _ opened: OpenContainer) -> EntryCell {
        let sources = planned.step.sources
        if planned.step.targetKey == nil, sources.count > 2 {
            let present = sources.count { opened.stores.state(at: $0) != .absent }
            return EntryCell("\(present) of \(sources.count.counted("key"))", .dim)
        }
        // What the value was made from; else the first source that is there.
        let source = planned.used.first ?? sources.first { opened.stores.state(at: $0) != .absent } ?? sources.first
        guard let source, let key = source.key else {
            return EntryCell(planned.step.facts.last.map { "fact \($0)" } ?? "", .dim)
        }
        let others = [planned.target].compactMap(\.self)
        if let change = planned.changes.first, change.address == source {
            // Edited where it is: what was there before the step.
            return EntryCell(
                model.masking.listed(key, in: source.store, of: opened.stores), state: change.before, at: source, model)
        }
        let listed = model.masking.listed(key, in: source.store, of: opened.stores)
        let label = source.pointer.isRoot ? listed : "\(listed)#\(model.masking.place(source.pointer))"
        return EntryCell(label, state: opened.stores.state(at: source), at: source, with: others, model)
    }

    private static func migrated(_ planned: PlannedStep, _ model: Model, _ opened: OpenContainer) -> EntryCell {
        if let change = planned.changes.first, planned.changes.count == 1, let key = change.address.key {
            guard let after = change.after else {
                return EntryCell(model.masking.name(key), value: Run("removed", .removed))
            }
            let value = Run(after, at: change.address, from: change.from, model.masking)
            var cell = EntryCell(
                model.masking.listed(key, in: change.address.store, of: opened.stores),
                value: change.placeholders.isEmpty ? value : Run("placeholder in \(value.text)", .warning))
            // What is lost of a value, or why it means something else.
            if change.effect == .changed, let note = change.notes.first {
                cell.note = Run(Showing(model.masking).note(note, on: change), .warning)
            }
            return cell
        }
        if planned.changes.count > 1, let change = planned.changes.first(where: { $0.address == planned.step.target }),
            let key = change.address.key, let after = change.after
        {
            // The value that matters, and how many entries change with it.
            var value = Run(after, at: change.address, from: change.from, model.masking)
            value.text = "(+\(planned.changes.count - 1)) \(value.text)"
            return EntryCell(model.masking.name(key), value: value)
        }
        if planned.changes.count > 1 {
            let words: [(Change.Action, String, Role)] = [
                (.add, "added", .added), (.replace, "changed", .changed), (.remove, "removed", .removed),
            ]
            let counts = words.map { action, word, role in
                (count: planned.changes.count { $0.action == action }, word: word, role: role)
            }.filter { $0.count > 0 }
            let parts = counts.enumerated().map { index, part in
                index == 0 ? "\(part.count.counted("entry", "entries")) \(part.word)" : "\(part.count) \(part.word)"
            }
            return EntryCell(parts.joined(separator: ", "), counts.count == 1 ? counts[0].role : .changed)
        }
        guard let key = planned.step.targetKey else { return EntryCell("not migrated", .dim) }
        if let missing = planned.outcome.reason?.missingFacts, !missing.isEmpty {
            return EntryCell(
                model.masking.name(key),
                value: Run("needs \(missing.map(\.rawValue).joined(separator: ", "))", .warning))
        }
        guard let target = planned.step.target else { return EntryCell(model.masking.name(key), .dim) }
        return EntryCell(
            model.masking.name(key), state: opened.stores.state(at: target), at: target, with: planned.step.sources,
            model)
    }
}

extension PlannedStep {
    /// What the step does to the value that matters: a change of meaning goes before everything else, and of a step that
    /// only removes, what is lost.
    var mainEffect: ValueEffect? {
        if changes.contains(where: { $0.effect == .changed }) { return .changed }
        if let written = changes.first(where: { $0.after != nil }) { return written.effect }
        return changes.contains { $0.effect == .dropped } ? .dropped : changes.first?.effect
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

    /// The same in one character; loss and change are loud.
    func sign(_ glyphs: Glyphs) -> Run {
        switch self {
        case .carried: Run(glyphs.choose("→", ascii: ">"), .dim)
        case .converted: Run(glyphs.choose("⇢", ascii: "~"))
        case .changed: Run(glyphs.choose("≠", ascii: "%"), .warning)
        case .dropped: Run(glyphs.choose("⌫", ascii: "x"), .problem)
        case .madeUp: Run("+", .warning)
        }
    }
}
