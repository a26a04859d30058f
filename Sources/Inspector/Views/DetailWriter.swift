import MigrationEngine
import Reports
import StoreFormats

/// Writes the lines of the detail, one part after the other.
struct DetailWriter {
    let model: Model
    let opened: OpenContainer
    let width: Int
    private(set) var lines: [DetailLine] = []

    /// From this width on, before and after stand beside each other.
    private static let sideBySide = 60
    /// How many keys of a store are listed.
    private static let keyLimit = 100

    init(model: Model, opened: OpenContainer, width: Int) {
        self.model = model
        self.opened = opened
        self.width = width
    }

    /// A step: what it does, why, and its values before and after.
    mutating func write(_ planned: PlannedStep) {
        let sign = planned.sign(model.glyphs)
        let status = planned.status == .rolledBack ? ", was applied and rolled back" : ""
        prose("\(sign.text) \(planned.word)\(status)", lead: "", role: sign.role)
        if let reason = planned.outcome.reason { prose(reason.sentence, lead: "why   ") }
        writeMissingFacts(planned)
        for note in Set(planned.changes.flatMap(\.notes)).sorted() { prose(note, lead: "note  ", role: .warning) }
        writeValues(planned)
        blank()
        prose(planned.step.rule, lead: "rule  ")
        if let disagreement = planned.step.disagreement { prose(disagreement, lead: "note  ", role: .warning) }
        for source in planned.step.sources { prose(source.description, lead: "from  ", role: .dim) }
        if let target = planned.step.target { prose(target.description, lead: "to    ", role: .dim) }
        writeFacts(planned)
    }

    /// What the step changes, before and after; where it changes nothing, what it reads and what is in its target.
    private mutating func writeValues(_ planned: PlannedStep) {
        if let change = planned.changes.first, planned.changes.count == 1, change.after != nil {
            if case .present(let before) = change.before, change.from == [change.address] {
                // The entry is edited where it is.
                compare(
                    (before, change.address), (change.after, change.address), from: [], titles: ("before", "after"),
                    change.placeholders)
                return
            }
            let source = change.from.first
            compare(
                (source.flatMap(legacyValue), source ?? change.address), (change.after, change.address),
                from: change.from, titles: (source?.label ?? "no legacy entry", change.address.label),
                change.placeholders)
            if case .present(let before) = change.before {
                blank()
                heading("replaces, at \(change.address)")
                tree(before, at: change.address)
            }
            return
        }
        if let conflict = planned.conflict, case .present(let existing) = conflict.before {
            compare(
                (existing, conflict.address), (conflict.after, conflict.address),
                from: conflict.from, titles: ("\(conflict.address.label) holds", "would become"))
            for note in conflict.notes { prose(note, lead: "note  ", role: .warning) }
            return
        }
        for change in planned.changes { write(change) }
        guard planned.changes.isEmpty else { return }
        let entries = planned.step.sources + [planned.step.target].compactMap(\.self)
        for entry in entries where opened.stores.state(at: entry) != .absent { write(entry) }
    }

    /// The value of a legacy entry as it was when the step ran, also if a later step has removed it.
    private func legacyValue(_ address: Address) -> Value? {
        opened.stores.state(at: address).value ?? opened.snapshot.stores.state(at: address).value
    }

    private mutating func writeMissingFacts(_ planned: PlannedStep) {
        for name in planned.outcome.reason?.missingFacts ?? [] {
            let meaning = opened.migration?.facts.first { $0.name == name }?.meaning ?? ""
            prose("\(name): \(meaning); f gives it", lead: "fact  ", role: .warning)
        }
    }

    private mutating func writeFacts(_ planned: PlannedStep) {
        for name in planned.step.facts {
            guard let fact = opened.plan?.facts[name] else { continue }
            line([Run("fact  ", .dim), Run("\(name) ", .key), Run(fact.value), Run("  from \(fact.source)", .dim)])
        }
    }

    /// A store: where it is, how much it holds, why it cannot be read.
    mutating func write(_ store: StoreID) {
        let keys = opened.stores.keys(in: store)
        prose(keys.count.counted("entry", "entries"), lead: "")
        if let problem = opened.stores.problem(with: store) {
            prose(problem.explanation, lead: "why   ", role: .problem)
        }
        let edits = opened.stores.edits(in: store)
        for edit in edits {
            let isNew = opened.snapshot.stores.state(of: edit.key, in: store) == .absent
            let mark: Comparison.Mark = edit.value == nil ? .removed : isNew ? .added : .changed
            line([Run(mark.sign + " ", mark.role), Run(edit.key.text, .key)])
        }
        for position in 0..<min(keys.count, Self.keyLimit) {
            line([Run("  "), Run(keys.key(at: position).text, .dim)])
        }
    }

    /// An entry: its type, and its value as deep as it goes.
    mutating func write(_ address: Address) {
        blank()
        heading(address.description)
        for part in (opened.annotation(of: address) ?? "").split(separator: "\n") {
            prose(String(part), lead: "is    ")
        }
        switch opened.stores.state(at: address) {
        case .absent: line([Run("absent", .dim)])
        case .unreadable(let reason): prose("\(reason.cause.word): \(reason.explanation)", lead: "", role: .problem)
        case .present(let value):
            let recognition = value.recognition()
            let holding = recognition?.decoded.map { ", holding \($0.formatName)" } ?? ""
            line([Run("type  ", .dim), Run(value.typeName + holding)])
            if let problem = recognition?.problem { prose("\(problem)", lead: "why   ", role: .problem) }
            tree(value, at: address)
        }
    }

    private mutating func write(_ change: Change) {
        blank()
        heading("\(change.action.rawValue)  \(change.address)")
        for note in change.notes { prose(note, lead: "note  ", role: .warning) }
        switch (change.before.value, change.after) {
        case (let before?, let after?):
            compare(
                (before, change.address), (after, change.address), from: change.from, titles: ("before", "after"),
                change.placeholders)
        case (let before?, nil): tree(before, at: change.address, role: .removed)
        case (nil, let after?): tree(after, at: change.address, role: .added)
        case (nil, nil): break
        }
    }

    private mutating func tree(_ value: Value, at address: Address, role: Role = .text) {
        for treeLine in model.masking.treeLines(of: value, at: address) {
            let indent = String(repeating: "  ", count: treeLine.depth)
            let key = treeLine.key.map { [Run("\($0): ", .key)] } ?? []
            line([Run(indent)] + key + [Run(treeLine.text, role)])
        }
    }

    private mutating func compare(
        _ before: (value: Value?, address: Address), _ after: (value: Value?, address: Address),
        from sources: [Address], titles: (String, String), _ placeholders: [JSONPointer] = []
    ) {
        blank()
        let comparison = model.masking.comparison(before, after, from: sources)
        if width >= Self.sideBySide {
            lines.append(.pair(left: [Run(titles.0, .heading)], mark: .same, right: [Run(titles.1, .heading)]))
            for row in comparison.rows {
                lines.append(.pair(left: row.leftRuns, mark: row.mark, right: row.rightRuns(placeholders)))
            }
        } else {
            heading(titles.0.isEmpty ? titles.1 : "\(titles.0) \(model.glyphs.choose("→", ascii: "->")) \(titles.1)")
            for row in comparison.rows {
                switch row.mark {
                case .same: line([Run("  ")] + row.leftRuns)
                case .changed:
                    line([Run("- ", .removed)] + row.leftRuns)
                    line([Run("+ ", .added)] + row.rightRuns(placeholders))
                case .removed: line([Run("- ", .removed)] + row.leftRuns)
                case .added: line([Run("+ ", .added)] + row.rightRuns(placeholders))
                }
            }
        }
    }

    private mutating func heading(_ text: String) { line([Run(text, .heading)]) }
    private mutating func blank() { if !lines.isEmpty { line([]) } }
    private mutating func line(_ runs: [Run]) { lines.append(.runs(runs)) }

    /// A sentence, broken between words, with its later lines under its first.
    private mutating func prose(_ text: String, lead: String, role: Role = .text) {
        for (index, part) in model.glyphs.proseLines(model.masking.sentence(text), width: width - lead.count)
            .enumerated()
        {
            let start = index == 0 ? lead : String(repeating: " ", count: lead.count)
            line([Run(start, .dim), Run(part, role)])
        }
    }
}

extension Comparison.Row {
    /// The left side with what differs in it marked.
    fileprivate var leftRuns: [Run] { runs(left, other: right, role: .removed) }

    /// The right side with what differs in it marked, and what a default made up.
    fileprivate func rightRuns(_ placeholders: [JSONPointer]) -> [Run] {
        let isPlaceholder = placeholders.contains(pointer)
        return runs(right, other: left, role: .added, sign: isPlaceholder ? [Run("placeholder ", .warning)] : [])
    }

    private func runs(_ text: String?, other: String?, role: Role, sign: [Run] = []) -> [Run] {
        guard let text else { return [] }
        let lead = [Run(String(repeating: "  ", count: depth))] + (key.map { [Run("\($0): ", .key)] } ?? []) + sign
        guard mark != .same else { return lead + [Run(text)] }
        guard let other else { return lead + [Run(text, role)] }
        let (prefix, suffix) = Comparison.changedSpan(text, other)
        let middle = text.dropFirst(prefix).dropLast(suffix)
        let parts = [
            Run(String(text.prefix(prefix))), Run(String(middle), role), Run(String(text.suffix(suffix))),
        ]
        return lead + parts.filter { !$0.text.isEmpty }
    }
}

extension Address {
    /// The key and the part of its value; the store is named elsewhere on the screen.
    fileprivate var label: String { (key?.text ?? "") + (pointer.isRoot ? "" : "#\(pointer)") }
}
