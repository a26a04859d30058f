import MigrationEngine
import StoreFormats

extension SpecDocument {
    /// The document at an address, with the steps between its versions.
    func document(at address: Address, _ definitions: [FactName: SpecFact]) -> VersionedDocument {
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
            }
        return VersionedDocument(name: name, at: address, detector: detector, steps: steps, shapes: shapes) {
            [self] answer, document, facts throws(StepStop) in
            try confirm(answer, document.value, facts)
        }
    }

    /// The version to go on with, where the document is what that version says.
    private func confirm(_ answer: StoredVersion, _ document: Value, _ facts: Facts) throws(StepStop) -> StoredVersion {
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
                if let text = facts[versionFact]?.value {
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
                        "version-unclear",
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
        let places = context.entries(self.places)
        let described = document(at: places.first ?? Address(store: .defaults("")), context.spec.facts)
        let needed = context.base(self.places.flatMap(\.facts) + context.profile.requires.flatMap(\.facts))
        return described.steps.map { version in
            Step(
                id: id(from: version.from), title: version.title,
                sources: places, targetKey: places.first?.key, target: places.count == 1 ? places.first : nil,
                rule: step.rule ?? version.rule, disagreement: step.differs,
                facts: (needed + version.facts + (asks ? [versionFact] : [])).uniqued,
                reversibility: version.reversibility
            ) { transaction, _ throws(StepStop) in
                var run = SpecRun(transaction, context)
                defer { transaction = run.transaction }
                try run.checkRequirements()
                let address = try self.place(&run)
                let document = document(at: address, context.spec.facts)
                if version.to == document.newest, try record(document, &run) { return }
                try document.take(version, in: &run.transaction, facts: context.facts.facts)
            }
        }
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
        throw .skipped(
            "absent",
            "there is no \(name) at \(all.map(\.description).joined(separator: ", ")): there is nothing to do")
    }
}
