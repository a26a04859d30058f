import MigrationEngine
import StoreFormats

/// A step of a plan as a person reads it: what it does and why, its values before and after, its rule.
package struct StepAnswer {
    private let planned: PlannedStep
    private let facts: Facts
    private let definitions: [FactDefinition]
    private let now: any StoreReader
    private let found: any StoreReader
    private let showing: Showing
    private let assumption: String?
    /// How many parts that values are made from are named.
    private static let sourceLimit = 8
    /// How many dropped parts stand before the values.
    private static let fewDropped = 3

    /// - Parameters:
    ///   - facts: The facts of the plan.
    ///   - definitions: What the migration's facts are.
    ///   - now: The stores with what has been applied.
    ///   - found: The stores as the dump has them.
    ///   - assumption: What it takes for granted of what did not come with the dump.
    package init(
        _ planned: PlannedStep, facts: Facts, definitions: [FactDefinition], now: any StoreReader,
        found: any StoreReader, assumption: String? = nil, _ masking: Masking
    ) {
        self.assumption = assumption
        self.planned = planned
        self.facts = facts
        self.definitions = definitions
        self.now = now
        self.found = found
        showing = Showing(masking)
    }

    /// The step as blocks.
    package var document: Document {
        var document = Document()
        document.step(planned)
        if let reason = planned.outcome.reason, !planned.outcome.isPartial {
            field("why", showing.sentence(reason, of: planned.quoted), in: &document)
        }
        for advice in planned.advice(definitions) {
            if case .giveFact = advice { document.advice("fact", advice) } else { document.advice("do", advice) }
        }
        // What several changes say is said once.
        var notes = Said(), places = Said()
        if let assumption { notes.write(assumption, in: &document) }
        writeValues(&notes, &places, in: &document)
        document.blank()
        field("rule", showing.rule(of: planned), in: &document)
        if let departure = planned.departure { notes.write(departure, in: &document) }
        if let otherwise = planned.appliedOtherwise { notes.write(otherwise, in: &document) }
        // That documentation and software disagree is worth knowing, and no danger.
        if let disagreement = planned.step.disagreement { notes.write(disagreement, role: .text, in: &document) }
        let target = (planned.target ?? planned.sketch.first?.address).map(place)
        let used = planned.used.filter { !$0.pointer.isRoot }, parts = Set(used.map(\.entry))
        let sources = used.prefix(Self.sourceLimit) + planned.step.sources.filter { !parts.contains($0.entry) }
        for source in sources.map(showing.masking.place) where places.isNew(source) {
            field(source == target ? "in" : "from", source, role: .dim, in: &document)
        }
        if used.count > Self.sourceLimit {
            field("from", "\(used.count - Self.sourceLimit) more", role: .dim, in: &document)
        }
        if let target, places.isNew(target) { field("to", target, role: .dim, in: &document) }
        for name in planned.step.facts {
            guard let fact = planned.fact(name, among: facts) else { continue }
            let words = definitions.first { $0.name == name }?.words(for: fact.value)
            document.facets(
                "fact",
                [
                    Run("\(name) ", .key), Run(showing.masking.fact(name, fact, as: words)),
                    Run("  \(showing.masking.addresses(in: fact.source.phrase))", .dim),
                ])
        }
        return document
    }

    /// What has been said already and is not said again.
    private struct Said {
        private var texts: Set<Name> = []

        mutating func isNew(_ text: String) -> Bool { texts.insert(Name(text)).inserted }

        mutating func write(_ note: String, role: Role = .warning, in document: inout Document) {
            if isNew(note) { document.field("note", note, role: role, indent: 0) }
        }
    }

    private func place(_ address: Address) -> String {
        showing.masking.place(address, isSketch: !planned.sketch.isEmpty)
    }

    private func field(_ label: String, _ text: String, role: Role = .text, in document: inout Document) {
        document.field(label, text, role: role, indent: 0)
    }

    private func write(_ texts: [String], on change: Change, _ notes: inout Said, in document: inout Document) {
        for text in texts { notes.write(showing.note(text, on: change), in: &document) }
        for text in change.ownNotes { notes.write(text, in: &document) }
    }

    /// What the step changes, before and after; where it changes nothing, what it reads and what is in its target.
    private func writeValues(_ notes: inout Said, _ places: inout Said, in document: inout Document) {
        let changes = planned.shownChanges
        if let change = changes.first, changes.count == 1, change.action != .remove {
            write(change.notes, on: change, &notes, in: &document)
            // What is lost is told first, as long as the values then are in view.
            let isShort = change.dropped.count <= Self.fewDropped
            if isShort { writeDropped(change, in: &document) }
            document.blank()
            if case .present(let before) = change.before, change.from == [change.address] {
                // The entry is edited where it is.
                compare(change, (before, change.address), ("before", "after"), in: &document)
            } else {
                compareWithSource(change, in: &document)
                if case .present(let before) = change.before, change.action != .found {
                    document.blank()
                    document.heading("replaces, at \(place(change.address))")
                    document.value(showing(before, at: change.address, from: change.from))
                    _ = places.isNew(place(change.address))
                }
            }
            if !isShort { writeDropped(change, in: &document) }
            return
        }
        if let conflict = planned.conflict, case .present(let existing) = conflict.before {
            write(conflict.notes, on: conflict, &notes, in: &document)
            document.blank()
            compare(
                conflict, (existing, conflict.address),
                ("\(showing.masking.label(conflict.address)) holds", "would become"),
                in: &document)
            return
        }
        for change in changes {
            document.blank()
            document.heading(
                "\(change.action.rawValue), \(change.effect.word)  \(place(change.address))")
            _ = places.isNew(place(change.address))
            write(change.notes, on: change, &notes, in: &document)
            write(change, in: &document)
            writeDropped(change, in: &document)
        }
        // Where it only takes away, the value stands where it belongs already.
        let isThere = changes.allSatisfy { $0.after == nil && $0.effect == .carried }
        guard isThere else { return }
        let sources = changes.isEmpty ? planned.step.sources : []
        for entry in sources + [planned.target].compactMap(\.self) {
            let state = now.state(at: entry)
            guard state != .absent, places.isNew(showing.masking.place(entry)) else { continue }
            document.blank()
            document.entry(showing.masking.place(entry), StatePart(state, at: entry, showing))
        }
    }

    /// The value of a legacy entry as it was when the step ran, also if a later step has removed it.
    private func legacyValue(_ address: Address) -> Value? {
        planned.storesBefore(now).state(at: address).value ?? found.state(at: address).value
    }

    private func write(_ change: Change, in document: inout Document) {
        if [.found, .missing].contains(change.action) { return compareWithSource(change, in: &document) }
        switch (change.before.value, change.after) {
        case (let before?, .some): compare(change, (before, change.address), ("before", "after"), in: &document)
        case (let before?, nil):
            document.value(showing(before, at: change.address, from: change.from), role: .removed)
        case (nil, let after?): document.value(showing(after, at: change.address, from: change.from), role: .added)
        case (nil, nil): break
        }
    }

    private func writeDropped(_ change: Change, in document: inout Document) {
        for lost in change.dropped {
            let isHere = change.from.contains(lost.entry)
            let name =
                isHere && !lost.pointer.isRoot ? showing.masking.place(lost.pointer) : showing.masking.place(lost)
            // What stands beside the new value is seen there.
            let isSeen = lost.entry == change.from.first?.entry
            let former = isSeen ? nil : change.formerValue(of: lost, in: [now, found])
            let value = former.map { "  " + showing.masking.summary(of: $0, at: lost) }
            document.field("drops", name + (value ?? ""), role: .problem, indent: 0)
        }
    }

    private func compareWithSource(_ change: Change, in document: inout Document) {
        let source = change.from.first, title = source.map(showing.masking.label) ?? "no legacy entry"
        compare(
            change, (source.flatMap(legacyValue), source ?? change.address),
            (title, showing.masking.label(change.address)), in: &document)
    }

    private func compare(
        _ change: Change, _ before: (value: Value?, address: Address), _ titles: (String, String),
        in document: inout Document
    ) {
        document.comparison(
            ShownComparison(
                before: before, after: (change.after, change.address), sources: change.from, titles: titles,
                placeholders: change.placeholders, showing: showing))
    }
}

extension PlannedStep {
    /// A fact as the step has it: where what the ledger holds of it is shown, the one that it was applied with.
    fileprivate func fact(_ name: FactName, among facts: Facts) -> Fact? {
        guard let entry, outcome.kind != .migrates else { return facts[name] }
        return entry.facts[name].map { $0.recorded(in: entry.number) }
    }
}

/// The entries of a store that are not the app's own.
package struct NoiseAnswer {
    /// What they are, and their keys.
    package let document: Document
    /// How many keys are listed.
    private static let keyLimit = 200

    package init(_ keys: any KeyList, _ masking: Masking) {
        var document = Document()
        let isOne = keys.count == 1
        document.line(
            "\(keys.count.counted("entry", "entries")) that by \(isOne ? "its key is" : "their keys are") not the app's own: the "
                + "system's, or an SDK's that many apps use")
        document.blank()
        for position in 0..<min(keys.count, Self.keyLimit) {
            document.line([Run(masking.name(keys.key(at: position)), .key)])
        }
        if keys.count > Self.keyLimit { document.line("and \(keys.count - Self.keyLimit) more", role: .dim) }
        self.document = document
    }
}

/// An entry as a person reads it: what it is, its type, and its value as deep as it goes.
package struct EntryAnswer {
    /// The entry as blocks.
    package let document: Document

    /// - Parameter annotation: What the entry is to a migration.
    package init(_ address: Address, in stores: any StoreReader, is annotation: String?, _ masking: Masking) {
        let showing = Showing(masking)
        var document = Document()
        document.entry(
            masking.place(address), StatePart(stores.state(at: address), at: address, showing),
            is: annotation.map(showing.sentence))
        self.document = document
    }
}

/// A store as a person reads it: how much it holds or why it cannot be read, what was changed, its keys.
package struct StoreAnswer {
    /// The store as blocks.
    package let document: Document
    /// How many keys are listed.
    private static let keyLimit = 100

    /// - Parameter found: The stores as the dump has them.
    package init(_ store: StoreID, in stores: Overlay, found: any StoreReader, _ masking: Masking) {
        let showing = Showing(masking), keys = stores.keys(in: store)
        var document = Document()
        if stores.isUnreadable(store) {
            document.line("cannot be read", role: .problem)
        } else {
            document.line(keys.countWords)
        }
        if let annotation = stores.annotation(of: Address(store: store)) {
            document.field("is", showing.sentence(annotation), indent: 0)
        }
        if let problem = stores.problem(with: store) {
            document.field("why", showing.sentence(problem.explanation), role: .problem, indent: 0)
            if store.kind == .keychain, problem.isHelpedByExport { document.advice("do", .giveKeychain) }
        } else if let rest = keys.unlisted {
            document.field("why", showing.sentence(rest), role: .problem, indent: 0)
        }
        for edit in stores.edits(in: store) {
            let isNew = found.state(of: edit.key, in: store) == .absent
            let mark: Comparison.Mark = edit.value == nil ? .removed : isNew ? .added : .changed
            document.line([Run(mark.sign + " ", mark.role), Run(masking.name(edit.key), .key)])
        }
        for position in 0..<keys.count(upTo: Self.keyLimit) {
            let key = keys.key(at: position), listed = Run(masking.listed(key, in: store, of: stores), .key)
            // Of files the names say enough, and their contents are large.
            guard [.defaults, .keychain].contains(store.kind) else {
                document.line([listed], indent: 2)
                continue
            }
            let address = Address(store: store, key: key)
            let value: Run =
                switch stores.state(at: address) {
                case .absent: Run("")
                case .present(let value): Run(value, at: address, showing.masking)
                case .unreadable(let reason): Run(reason.cause.word, .problem)
                }
            document.line([listed, Run("  "), value], indent: 2)
        }
        self.document = document
    }
}

extension Document {
    /// What is known of an entry: its type and its value, or why there is none.
    ///
    /// - Parameter format: What a file as a whole is, in place of the type of its value.
    mutating func entry(
        _ title: String, _ state: StatePart, is annotation: String? = nil, format: String? = nil, indent: Int = 0
    ) {
        switch state {
        case .absent: line("\(title) is absent", role: .dim)
        case .unreadable(let reason):
            line("\(title) cannot be read: \(reason.explanation)", role: .problem)
            advice(on: reason, indent: indent)
            for (index, candidate) in (reason.candidates ?? []).enumerated() {
                entry("value \(index + 1)", candidate, indent: indent + 2)
            }
        case .present(let value):
            let recognition = value.value.recognition(within: value.showing.budget.show)
            let holding = recognition?.decoded.map { ", holding \($0.formatName)" } ?? ""
            heading("\(title)  \(format ?? value.typeName + holding)")
            for part in annotation?.split(separator: "\n") ?? [] { field("is", String(part), width: 6, indent: indent) }
            if let problem = recognition?.problem { line(value.showing.sentence("\(problem)"), indent: indent) }
            self.value(value, indent: indent)
        }
    }
}

extension StoreReader {
    /// Whether nothing of a store can be read, so that nobody knows how much it holds.
    func isUnreadable(_ store: StoreID) -> Bool { keys(in: store).count(upTo: 1) == 0 && problem(with: store) != nil }
}

extension KeyList {
    /// How many keys are counted where nobody needs to know the number.
    private static var glance: Int { 10_000 }

    /// How many entries there are; of very many, that there are more than can be counted at a glance.
    package var countWords: String {
        let count = count(upTo: Self.glance + 1)
        return count > Self.glance ? "more than \(Self.glance) entries" : count.counted("entry", "entries")
    }

    /// Why not all of them can be listed; of very many, nobody waits for that to be found out.
    package var unlisted: String? {
        guard count(upTo: Self.glance + 1) <= Self.glance else { return nil }
        return problem(under: "").map { "not all of it can be listed: \($0.explanation)" }
    }
}
