import StoreFormats

extension VersionedDocument {
    /// A step of a migration for each version step.
    ///
    /// - Parameter facts: What the place of the document was chosen by, which every step then rests on.
    public func migrationSteps(facts: [FactName] = []) -> [Step] {
        steps.map { step in
            var made = Step(
                id: stepPrefix + step.id, title: step.title, sources: [address], targetKey: address.key,
                target: address, rule: step.rule, facts: facts + step.facts, reversibility: step.reversibility
            ) { transaction, facts throws(StepStop) in
                try take(step, in: &transaction, facts: facts)
            }
            made.beside = detector.entries(beside: address)
            return made
        }
    }

    /// Takes one version step, where the document is of the version that it starts from.
    public func take(_ step: DocumentStep, in transaction: inout StoreTransaction, facts: Facts) throws(StepStop) {
        let reading = try read(in: &transaction, facts: facts)
        let (version, content) = try migratable(reading)
        if version >= step.to {
            throw alreadyNewer(reading.version)
        }
        guard version == step.from else {
            let earlier = steps.filter { $0.from >= version && $0.to <= step.from }.map { stepPrefix + $0.id }
            throw .blocked(
                "earlier-steps-first",
                "the \(name) is \(reading.version.phrase); apply first: \(earlier.joined(separator: ", "))")
        }
        try write(step.to, of: content, as: reading.version, rule: step.rule, in: &transaction, facts: facts)
    }

    /// Takes every step that leads from the document's version to the newest one, as one change.
    public func takeAll(in transaction: inout StoreTransaction, facts: Facts) throws(StepStop) {
        let reading = try read(in: &transaction, facts: facts)
        let (version, content) = try migratable(reading)
        guard version < newest else {
            throw alreadyNewer(reading.version)
        }
        let rules = steps.filter { $0.from >= version }.map(\.rule)
        try write(
            newest, of: content, as: reading.version, rule: rules.joined(separator: "; "), in: &transaction,
            facts: facts)
    }

    private func alreadyNewer(_ version: StoredVersion) -> StepStop {
        .skipped("already-newer", "the \(name) is already \(version.phrase)")
    }

    /// The version to start from and the document, or the reason why there is none.
    private func migratable(
        _ reading: DocumentReading
    ) throws(StepStop) -> (version: Int, content: DocumentReading.Content) {
        switch reading.version {
        case .absent: throw .skipped("absent", "there is no \(name) at \(address): there is nothing to do")
        case .unreadable(let reason): throw .unreadable(address, reason)
        case .corrupt(let why):
            throw .failed("document-corrupt", "the \(name) is corrupt, so its version cannot be told: \(why)")
        case .unknown: throw .failed("version-unknown", "the \(name) at \(address) is \(reading.version.phrase)")
        case .ambiguous: throw .failed("version-ambiguous", "the \(name) at \(address) is \(reading.version.phrase)")
        case .newer: throw .failed("version-newer", "the \(name) at \(address) is \(reading.version.phrase)")
        case .stored(let version), .assumed(let version), .given(let version, _), .inferred(let version, _):
            guard let content = reading.content else {
                throw .skipped("absent", "there is no \(name) at \(address): there is nothing to do")
            }
            return (version, content)
        }
    }

    private func write(
        _ target: Int, of content: DocumentReading.Content, as version: StoredVersion, rule: String,
        in transaction: inout StoreTransaction, facts: Facts
    ) throws(StepStop) {
        guard let from = version.number else { return }
        var draft = try migrate(content.document, from: from, to: target, facts: facts)
        guard let value = content.container.value(holding: draft.document.data) else {
            throw .failed("result-corrupt", "the result is not UTF-8, which a string must be")
        }
        if draft.origins.arrival().isPartial { draft.lose("a part of the value is dropped") }
        let prefix = content.container.prefix.tokens, place = detector.address(of: target, from: address)
        try transaction.write(
            value, to: place, from: [address], rule: rule,
            notes: notes(on: content, version) + notesOnOthers(in: &transaction) + draft.notes,
            placeholders: draft.placeholders.map { JSONPointer(prefix + $0.tokens) },
            effect: draft.replacesValues || draft.losesPart ? .changed : nil,
            dropped: draft.dropped.map { pointer in
                Address(store: address.store, key: address.key, pointer: JSONPointer(prefix + pointer.tokens))
            }, policy: .replaceExisting)
        if place != address, detector.removesOlder { transaction.remove(address, rule: "the older version") }
        try detector.record(target, of: place, like: content.container, in: &transaction)
    }

    /// The places with another document, which no step takes along.
    ///
    /// They are read, also where nothing is there: one that comes later may be the one that counts.
    private func notesOnOthers(in transaction: inout StoreTransaction) -> [String] {
        others.filter { place in
            transaction.read(place).value.flatMap(DocumentContainer.open)
                .flatMap { try? JSONDocument($0.bytes).value.members } != nil
        }.map { "there is another \(name) at \($0), which stays as it is" }
    }

    /// What a reader should know of a document as it was found.
    private func notes(on content: DocumentReading.Content, _ version: StoredVersion) -> [String] {
        let document = content.document
        var notes = version.isDoubtful ? ["the \(name) is \(version.phrase)"] : []
        if readsOnlyText, content.container == .data {
            notes.append("the \(name) is stored as data, and the app reads only a string there: it does not find it")
        }
        for pointer in strayFields {
            guard let value = document.value[pointer] else { continue }
            notes.append(
                "\(pointer) is \(value.quoted) and says nothing: the app stores no version")
        }
        for key in document.value.duplicateKeyPointers() {
            notes.append("\(key) stands more than once: JSONDecoder reads the first, JSONSerialization the last")
        }
        return notes
    }
}

extension StoredVersion {
    /// Whether a reader should be told how the version is known.
    fileprivate var isDoubtful: Bool {
        switch self {
        case .assumed, .given: true
        case .inferred(_, let all): all.count > 1
        default: false
        }
    }
}

extension Value {
    /// Where keys stand more than once in one object, at most a hundred of them.
    fileprivate func duplicateKeyPointers() -> [JSONPointer] {
        var found: [JSONPointer] = []
        var stack: [(JSONPointer, Value)] = [(JSONPointer(), self)]
        while let (pointer, value) = stack.popLast(), found.count < 100 {
            switch value {
            case .dictionary(let members):
                found += members.duplicateKeys.map(pointer.appending)
                stack += members.reversed().map { (pointer.appending($0.key), $0.value) }
            case .array(let elements):
                stack += elements.enumerated().reversed().map { (pointer.appending("\($0)"), $1) }
            default: break
            }
        }
        return found
    }
}
