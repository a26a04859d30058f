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
