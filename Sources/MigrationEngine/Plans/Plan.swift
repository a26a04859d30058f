/// The steps of a migration with what each does on given stores with given facts.
public struct Plan: Sendable {
    /// The migration's name.
    public let migration: String
    /// The variant.
    public let profile: Profile
    /// The facts that it was made with.
    public let facts: Facts
    /// The steps in order.
    public let steps: [PlannedStep]

    /// How many steps have each outcome.
    public var summary: [Outcome.Kind: Int] {
        Dictionary(steps.map { ($0.outcome.kind, 1) }, uniquingKeysWith: +)
    }

    /// The steps that have something to do.
    public var pending: [PlannedStep] { steps.filter { $0.outcome.kind == .migrates } }
}

/// A step and what it does.
public struct PlannedStep: Identifiable, Sendable {
    /// Whether a step has been taken.
    public enum Status: String, Hashable, Sendable {
        /// It has never been taken.
        case pending
        /// It has been taken.
        case applied
        /// It has been taken and taken back.
        case rolledBack = "rolled-back"
    }

    /// The step.
    public let step: Step
    /// Whether it has been taken.
    public let status: Status
    /// What it does now: a step that has been taken is `unchanged` unless the stores changed since.
    public let outcome: Outcome
    /// What it would change, or, where it has been taken, what it did change.
    public let changes: [Change]

    /// The step's name.
    public var id: String { step.id }
}
