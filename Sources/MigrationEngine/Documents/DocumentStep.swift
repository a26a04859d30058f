import StoreFormats

/// What takes a document from one version to the next: edits as data, or a closure.
public struct DocumentStep: Sendable {
    /// The version that it starts from; it leads to the next one.
    public let from: Int
    /// What it does, in words.
    public let rule: String
    /// From what it can be undone.
    public let reversibility: Step.Reversibility
    /// The facts that it may ask for.
    public let facts: [FactName]
    /// The edits, where it is made of such.
    public let edits: [DocumentEdit]
    private let run: @Sendable (inout DocumentDraft) throws -> Void

    /// The version that it leads to.
    public var to: Int { from + 1 }
    /// The name of the step in a migration, such as `0-1`.
    public var id: String { "\(from)-\(to)" }
    /// The name for people.
    public var title: String { "Version \(from) → \(to)" }

    /// Makes a step of edits, one after the other; it can be undone from the least that each of them needs.
    public init(from: Int, _ edits: [DocumentEdit]) {
        self.from = from
        self.edits = edits
        rule = edits.map(\.rule).joined(separator: "; ")
        let classes = edits.map(\.reversibility)
        reversibility = classes.contains(.complement) ? .complement : .exact
        facts = edits.flatMap(\.facts)
        run = { draft in for edit in edits { try draft.apply(edit) } }
    }

    /// Makes a step of a closure.
    ///
    /// Nothing can be known of what it does, so it is undone from the image of what was there before. Any error that it
    /// throws is the reason why the step fails.
    public init(
        from: Int, rule: String, facts: [FactName] = [], run: @escaping @Sendable (inout DocumentDraft) throws -> Void
    ) {
        self.from = from
        self.rule = rule
        self.facts = facts
        self.run = run
        edits = []
        reversibility = .beforeImage
    }

    /// What the step makes of a document.
    ///
    /// - Throws: ``StepStop`` where it cannot be taken.
    public func apply(to document: JSONDocument, facts: Facts = Facts()) throws(StepStop) -> DocumentDraft {
        var draft = DocumentDraft(document, facts: facts)
        try apply(to: &draft)
        return draft
    }

    /// Makes a step of a closure of which somebody else knows from what it can be undone.
    package init(
        from: Int, rule: String, facts: [FactName], reversibility: Step.Reversibility,
        run: @escaping @Sendable (inout DocumentDraft) throws -> Void
    ) {
        self.from = from
        self.rule = rule
        self.facts = facts
        self.reversibility = reversibility
        self.run = run
        edits = []
    }

    /// Takes the step on a draft, after others.
    func apply(to draft: inout DocumentDraft) throws(StepStop) {
        do {
            try run(&draft)
        } catch let stop as StepStop {
            throw stop
        } catch {
            throw .failed("step-failed", "the step from version \(from) to \(to) failed: \(error.reasonText)")
        }
    }
}

extension Error {
    /// The error in words, with the coding path where it has one.
    var reasonText: String {
        if let error = self as? EncodingError, case .invalidValue(_, let context) = error {
            let path = JSONPointer(context.codingPath.map { Name($0.stringValue) })
            return "\(path.isRoot ? "the document" : path.description): \(context.debugDescription)"
        }
        guard let error = self as? DecodingError else { return "\(self)" }
        func text(_ context: DecodingError.Context, _ more: [any CodingKey] = []) -> String {
            let path = JSONPointer((context.codingPath + more).map { Name($0.stringValue) })
            return "\(path.isRoot ? "the document" : path.description): \(context.debugDescription)"
        }
        switch error {
        case .keyNotFound(let key, let context): return text(context, [key])
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            return text(context)
        @unknown default: return "\(error)"
        }
    }
}
