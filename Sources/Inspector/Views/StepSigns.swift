import MigrationEngine

extension PlannedStep {
    /// One character that says what the step does or did, with the word beside it.
    func sign(_ glyphs: Glyphs) -> Run {
        if status == .applied, outcome.kind == .unchanged { return Run(glyphs.choose("✓", ascii: "*"), .done) }
        return switch outcome.kind {
        case .migrates: Run(glyphs.choose("→", ascii: ">"), .added)
        case .unchanged: Run("=", .dim)
        case .skipped: Run("-", .dim)
        case .blocked: Run("?", .warning)
        case .conflict: Run("!", .problem)
        case .failed: Run(glyphs.choose("✗", ascii: "X"), .problem)
        }
    }

    /// What the step does or did, in a word.
    var word: String { status == .applied && outcome.kind == .unchanged ? "applied" : outcome.kind.rawValue }
}
