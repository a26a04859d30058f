import MigrationEngine
import StoreFormats

extension SpecDocument {
    /// The document at an address, with the steps between its versions.
    ///
    /// - Parameters:
    ///   - name: What the name of its entry says, where that is what says the version.
    ///   - others: Entries with other versions of it.
    ///   - assumed: The version that it is taken for where its own is in doubt, instead of what somebody says.
    func document(
        at address: Address, _ definitions: [FactName: SpecFact], name: NameVersion? = nil, others: [Address] = [],
        assumed: Int? = nil
    ) -> VersionedDocument {
        let shapes = editions.map(\.shape)
        let steps = editions.dropFirst().map { edition in
            let operations = edition.operations
            return DocumentStep(
                from: edition.number - 1, rule: operations.isEmpty ? "changes nothing" : operations.rule,
                facts: operations.facts.flatMap { SpecFacts.base(of: $0, definitions) }.uniqued,
                reversibility: operations.inverse == .exact ? .exact : .complement
            ) { draft in
                var edited: any Draft = draft
                try operations.apply(to: &edited, SpecFacts(definitions: definitions, facts: draft.facts))
                if let edited = edited as? DocumentDraft { draft = edited }
            }
        }
        let detector: any VersionDetector =
            switch version {
            case .shape: ShapeVersion(shapes)
            case .field(let pointer, let missing): VersionField(pointer, missing: missing)
            case .beside(let suffix, let missing): SideKeyVersion(suffix: suffix, missing: missing)
            case .inName(let text): name ?? NameVersion(nil, in: nil, text: text, removesOlder: removesOlder)
            }
        return VersionedDocument(
            name: self.name, at: address, detector: detector, steps: steps, shapes: shapes, others: others
        ) {
            [self] answer, document, facts throws(StepStop) in
            try confirm(answer, document.value, facts, assumed)
        }
    }

    /// The version to go on with, where the document is what that version says.
    private func confirm(
        _ answer: StoredVersion, _ document: Value, _ facts: Facts, _ assumed: Int?
    ) throws(StepStop) -> StoredVersion {
        if case .shape = version { return answer }
        guard let claimed = answer.number else { return answer }
        var stored: Int?
        if case .stored = answer { stored = claimed }
        guard claimed >= editions.first?.number ?? 0 else {
            return .unknown("the stored version is \(claimed), and versions begin with \(editions.first?.number ?? 0)")
        }
        var chosen = claimed
        if asks {
            // A document that looks newer than its version says was most likely migrated already by something that was
            // interrupted before it could say so: migrating it again would overwrite it.
            let looks = looks(document)
            if stored == nil || looks ?? 0 > claimed {
                if let text = assumed.map(String.init) ?? facts[versionFact]?.value {
                    guard let given = Int(text), editions.contains(where: { $0.number == given }) else {
                        throw .blocked(
                            "malformed-fact", "\(versionFact) is “\(text)”, which is no version of the \(name)")
                    }
                    chosen = max(given, claimed)
                } else if let looks, looks > claimed {
                    let says =
                        stored.map { "version \($0) is stored for it" }
                        ?? "no version is stored, which counts as \(claimed)"
                    throw .blocked(
                        Self.unclear,
                        """
                        the stored \(name) looks like version \(looks), but \(says); migrating it from there would replace \
                        what it holds: give the fact \(versionFact)
                        """, missingFacts: [versionFact])
                }
            }
        }
        if let mismatch = editions.first(where: { $0.number == chosen })?.shape.firstMismatch(in: document) {
            throw .failed("document-invalid", "the \(name) is not of version \(chosen): \(mismatch)")
        }
        if chosen == claimed { return answer }
        return .given(chosen, stored: stored)
    }

    /// The newest version that brought a field which the document has.
    private func looks(_ document: Value) -> Int? {
        Array(zip(editions, editions.dropFirst())).last { older, newer in
            Set(newer.shape.fields.map(\.pointer)).subtracting(older.shape.fields.map(\.pointer)).contains {
                document[$0] != nil
            }
        }?.1.number
    }

    /// A step for each version.
    func steps(of step: SpecStep, in context: SpecContext) -> [Step] {
        let fixed = context.entries(self.places)
        let described = document(at: fixed.first ?? Address(store: .defaults("")), context.spec.facts)
        let needed = context.base(self.places.flatMap(\.facts) + context.profile.requires.flatMap(\.facts))
        return described.steps.map { version in
            let sources = entries(of: version.from, in: context) ?? fixed
            let targets = entries(of: version.to, in: context) ?? fixed
            var made = Step(
                id: id(from: version.from), title: version.title,
                sources: sources, targetKey: targets.first?.key, target: targets.count == 1 ? targets.first : nil,
                rule: step.rule ?? version.rule, disagreement: step.differs,
                facts: (needed + version.facts + (asks ? [versionFact] : [])).uniqued,
                reversibility: version.reversibility
            ) { transaction, _ throws(StepStop) in
                var run = SpecRun(transaction, context)
                defer { transaction = run.transaction }
                try run.checkRequirements()
                let document = try found(&run)
                do throws(StepStop) {
                    if version.to == document.newest, try record(document, &run) { return }
                    try document.take(version, in: &run.transaction, facts: context.facts.facts)
                } catch {
                    if error.outcome.reason?.code == Self.unclear { showConsequence(of: version, document, &run) }
                    throw error
                }
            }
            made.beside = sides(of: sources)
            return made
        }
    }

    /// The code of a version that somebody has to decide over.
    private static let unclear = "version-unclear"

    /// What would become of a document if its version were taken at its word; shown as the other side, and not done.
    private func showConsequence(of step: DocumentStep, _ document: VersionedDocument, _ run: inout SpecRun) {
        var trial = run.transaction
        let trusting = self.document(at: document.address, run.context.spec.facts, assumed: step.from)
        guard (try? trusting.take(step, in: &trial, facts: run.facts.facts)) != nil,
            let change = trial.change(of: document.address), let value = change.after
        else { return }
        // The policy is to keep what is there: this records the other side and changes nothing.
        try? run.transaction.write(
            value, to: document.address, from: change.from, rule: change.rule,
            notes: ["this is what would happen if the version were taken at its word"] + change.notes,
            placeholders: change.placeholders, policy: .keepExisting)
    }

    /// Writes the version of a document that somebody says is the newest, and that does not say so; says whether it did.
    private func record(_ document: VersionedDocument, _ run: inout SpecRun) throws(StepStop) -> Bool {
        guard asks, case .beside = version else { return false }
        let reading = try document.read(in: &run.transaction, facts: run.facts.facts)
        guard let content = reading.content, case .given(document.newest, _) = reading.version else { return false }
        try document.detector.record(
            document.newest, of: document.address, like: content.container, in: &run.transaction)
        return true
    }

    /// The document that is there.
    private func found(_ run: inout SpecRun) throws(StepStop) -> VersionedDocument {
        let definitions = run.context.spec.facts
        guard case .inName(let text) = version else { return document(at: try place(&run), definitions) }
        for place in places {
            let pattern = try run.pattern(place)
            let found = try run.matches(of: pattern).compactMap { match in
                match.first.flatMap { part in NameVersion.number(part.text).map { (number: $0, part: part) } }
            }.sorted { $0.number < $1.number }
            guard let newest = found.last else { continue }
            // Those that own steps have made are no others.
            let others = found.dropLast().map { pattern.filled([$0.part]) }.filter {
                run.transaction.original($0) != .absent
            }
            let name = NameVersion(newest.number, in: pattern, text: text, removesOlder: removesOlder)
            return document(at: pattern.filled([newest.part]), definitions, name: name, others: others)
        }
        let all = places.map(\.text).joined(separator: ", ")
        throw .skipped("absent", "there is no \(self.name) at \(all): there is nothing to do")
    }

    /// The entries that a version has, where each has its own.
    private func entries(of version: Int, in context: SpecContext) -> [Address]? {
        guard case .inName = self.version else { return nil }
        return places.flatMap(\.templates).compactMap { try? $0.pattern(context.facts).filled(["\(version)"]) }.uniqued
    }

    /// What is known of the version of a document in an entry, in words; `nil` where the entry is none of it.
    func annotation(of address: Address, in stores: any StoreReader, _ definitions: [FactName: SpecFact]) -> String? {
        let templates = places.flatMap(\.templates)
        if case .beside(let suffix, _) = version, let key = address.key, key.hasSuffix(suffix) {
            let owner = Address(store: address.store, key: Name(key.text.dropLast(suffix.count)))
            if owner.key?.isEmpty == false, templates.contains(where: { $0.match(owner) != nil }) {
                let isThere = stores.state(at: owner) != .absent
                return "the version of \(owner)" + (isThere ? "" : ", which is not there")
            }
        }
        let matches = templates.compactMap { $0.match(address) }
        guard let match = matches.first else { return nil }
        var name: NameVersion?
        if case .inName(let text) = version {
            let numbers = match.lazy.reversed().compactMap { NameVersion.number($0.text) }
            guard let number = numbers.first else { return nil }
            name = NameVersion(number, in: nil, text: text, removesOlder: removesOlder)
        }
        var transaction = StoreTransaction(on: stores)
        return try? document(at: address, definitions, name: name).read(in: &transaction).version.phrase
    }

    /// The first place that holds something; one that cannot be read is never passed over.
    private func place(_ run: inout SpecRun) throws(StepStop) -> Address {
        var all: [Address] = []
        for place in places {
            let address = try run.resolved(place)
            switch run.transaction.read(address) {
            case .absent: all.append(address)
            case .present: return address
            case .unreadable(let reason):
                let others =
                    all.isEmpty ? nil : "there is no \(name) at \(all.map(\.description).joined(separator: ", "))"
                throw .unreadable(address, reason, others)
            }
        }
        if case .beside(let suffix, _) = version {
            for side in all.map(SideKeyVersion(suffix: suffix).address) {
                switch run.transaction.read(side) {
                case .absent: break
                case .unreadable(let reason): throw .unreadable(side, reason)
                case .present:
                    throw .failed("document-missing", "\(side) is there, and the \(name) that it belongs to is not")
                }
            }
        }
        throw .skipped(
            "absent",
            "there is no \(name) at \(all.map(\.description).joined(separator: ", ")): there is nothing to do")
    }

    /// Where the versions stand of what is at these addresses, where they stand beside it.
    func sides(of addresses: [Address]) -> [Address] {
        guard case .beside(let suffix, _) = version else { return [] }
        return addresses.map(SideKeyVersion(suffix: suffix).address)
    }
}
