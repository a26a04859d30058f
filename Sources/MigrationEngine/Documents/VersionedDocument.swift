import StoreFormats

/// A JSON document in an entry, whose fields change from one version of an app to the next.
///
/// The entry may be a string or data of UserDefaults, a file, or a keychain item; the document goes back in the form that
/// it was found in. Every version step is a ``Step`` of its own, so a document is taken from any version to any later one,
/// one by one or all at once.
public struct VersionedDocument: Sendable {
    /// Decides over an answer before a step goes on with it: it returns the version to go on with, or stops.
    ///
    /// It is given the answer, the document, and the facts.
    public typealias Confirmation =
        @Sendable (StoredVersion, JSONDocument, Facts) throws(StepStop) -> StoredVersion

    /// What the document is, as a word in a sentence: `person`.
    public let name: String
    /// The entry that holds it.
    public let address: Address
    /// How its version is told.
    public let detector: any VersionDetector
    /// What leads from each version to the next, oldest first.
    public let steps: [DocumentStep]
    /// The shapes of its versions, as far as they are known, oldest first; what a step makes must have its shape.
    public let shapes: [DocumentShape]
    /// Fields that seem to say a version and do not; a document that has one is noted.
    public let strayFields: [JSONPointer]
    /// Other places that may hold a document of its kind, which stays there as it is; one that does is noted.
    public let others: [Address]
    /// What the names of its steps in a migration begin with, before `0-1`.
    public let stepPrefix: String
    /// Whether the app reads the document only from a string; one in data is noted.
    public let readsOnlyText: Bool
    private let confirm: Confirmation

    /// The newest version that is known.
    public var newest: Int { max(steps.last?.to ?? 0, shapes.last?.version ?? 0) }

    /// Makes a document.
    ///
    /// - Parameter confirm: Decides over each answer; without it every version that is one goes on.
    public init(
        name: String, at address: Address, detector: any VersionDetector, steps: [DocumentStep],
        shapes: [DocumentShape] = [], strayFields: [JSONPointer] = [], others: [Address] = [], stepPrefix: String = "",
        readsOnlyText: Bool = false,
        confirm: @escaping Confirmation = { version, _, _ throws(StepStop) in version }
    ) {
        self.name = name
        self.address = address
        self.detector = detector
        self.steps = steps.sorted { $0.from < $1.from }
        self.shapes = shapes.sorted { $0.version < $1.version }
        self.strayFields = strayFields
        self.others = others
        self.stepPrefix = stepPrefix
        self.readsOnlyText = readsOnlyText
        self.confirm = confirm
    }

    /// What is there, and of which version.
    public func read(in transaction: inout StoreTransaction, facts: Facts = Facts()) throws(StepStop) -> DocumentReading
    {
        let value: Value
        switch transaction.read(address) {
        case .absent: return DocumentReading(version: .absent)
        case .unreadable(let reason): return DocumentReading(version: .unreadable(reason))
        case .present(let present): value = present
        }
        guard let (container, bytes) = DocumentContainer.open(value) else {
            return DocumentReading(
                version: .corrupt("\(address) is \(value.typePhrase), where text or data of JSON belongs"))
        }
        let document: JSONDocument
        do throws(FormatError) {
            document = try JSONDocument(bytes)
        } catch {
            if error.isOverLimit { return DocumentReading(version: .unreadable(Unreadable(error))) }
            let isList = [.readable(.binaryPropertyList), .readable(.xmlPropertyList)].contains(
                StoreFormat.sniff(bytes))
            return DocumentReading(
                version: .corrupt(
                    isList
                        ? "\(address) is a property list, where text or data of JSON belongs" : "\(address) is \(error)"
                ))
        }
        let answer = try detector.version(
            of: document.value, at: address, newest: newest, in: &transaction, facts: facts)
        return DocumentReading(
            version: try confirm(answer, document, facts), content: .init(container: container, document: document))
    }

    /// A document of one version as a later one, in memory: every step between them.
    ///
    /// - Throws: ``StepStop`` where a step is missing or fails, or what it makes does not have the shape of its version.
    public func migrate(
        _ document: JSONDocument, from: Int, to: Int, facts: Facts = Facts()
    ) throws(StepStop) -> DocumentDraft {
        var draft = DocumentDraft(document, facts: facts)
        var version = from
        while version < to {
            guard let step = step(from: version) else {
                throw .failed("missing-step", "there is no step from version \(version) to \(version + 1) of \(name)")
            }
            try step.apply(to: &draft)
            try detector.stamp(step.to, on: &draft)
            if let shape = shapes.first(where: { $0.version == step.to }),
                let mismatch = shape.firstMismatch(in: draft.document.value)
            {
                throw .failed("result-invalid", "the result is not of version \(step.to): \(mismatch)")
            }
            version = step.to
        }
        return draft
    }

    /// A document of an older version, from one that was migrated and may have been edited since.
    ///
    /// - Parameters:
    ///   - document: The document as it is now.
    ///   - newer: Its version.
    ///   - older: The version to come back to.
    ///   - before: The document of the older version from which it was made, as a ledger keeps it.
    ///   - facts: The facts that the steps were given.
    public func undo(
        _ document: JSONDocument, from newer: Int, to older: Int, before: JSONDocument, facts: Facts = Facts()
    ) throws(StepStop) -> UndoneDocument {
        var taken: [(step: DocumentStep, before: JSONDocument, complement: DocumentComplement)] = []
        var forward = before
        for step in steps where step.from >= older && step.to <= newer {
            let complement = try step.apply(to: forward, facts: facts).complement
            taken.append((step, forward, complement))
            forward = try migrate(forward, from: step.from, to: step.to, facts: facts).document
        }
        var result = UndoneDocument(document: document, lost: [])
        for (step, before, complement) in taken.reversed() {
            let undone = try step.undo(result.document, complement: complement)
            var draft = DocumentDraft(undone.document)
            try detector.restore(from: before.value, on: &draft)
            result = UndoneDocument(document: draft.document, lost: result.lost + undone.lost)
        }
        return result
    }

    /// The step that starts from a version.
    public func step(from version: Int) -> DocumentStep? { steps.first { $0.from == version } }
}

extension VersionedDocument {
    /// The versions with their fields, and the steps between them, as tables.
    public var tables: [RuleTable] {
        let versions = shapes.map { shape in
            let without = shape.without.map { $0.tokens.map(\.text).joined(separator: ".") }.joined(separator: ", ")
            return [String(shape.version), shape.phrase, without]
        }
        let rows = steps.map { step in
            ["\(step.from) → \(step.to)", step.rule, step.reversibility.phrase]
        }
        return
            (versions.isEmpty
            ? [] : [RuleTable("Versions", columns: ["version", "fields", "and none of"], rows: versions)])
            + [RuleTable("Steps, told \(detector.rule)", columns: ["versions", "rule", "undone from"], rows: rows)]
    }
}

extension Step.Reversibility {
    /// From what a step can be undone, in words.
    public var phrase: String {
        switch self {
        case .exact: "its result alone"
        case .complement: "what it set aside"
        case .beforeImage: "the image of what was there before"
        }
    }
}
