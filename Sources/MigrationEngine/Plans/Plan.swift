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

    /// Plans a migration: each step on what the ones before it leave.
    ///
    /// - Parameters:
    ///   - migration: The migration.
    ///   - profile: Its variant.
    ///   - given: The facts that were given; those that the stores tell complete them.
    ///   - stores: The stores as they are, without what the history has done.
    ///   - history: What has been applied and rolled back.
    public init(
        of migration: any Migration, profile: Profile, facts given: Facts, stores: any StoreReader, history: History
    ) {
        let planner = Planner(migration, profile: profile, facts: given, stores: stores, history: history)
        self.migration = migration.id
        self.profile = profile
        facts = planner.facts
        steps = planner.preview(on: history.overlay(on: stores)).map { preview in
            let standing = history.standingEntry(of: preview.step.id, in: migration.id)
            return PlannedStep(
                step: preview.step, status: history.status(of: preview.step.id, in: migration.id),
                outcome: preview.result.outcome,
                changes: preview.result.changes.isEmpty ? standing?.changes ?? [] : preview.result.changes,
                conflict: preview.result.conflict)
        }
    }

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
    /// What it would write where something else is kept: the other side of a conflict.
    public let conflict: Change?

    /// The step's name.
    public var id: String { step.id }
}
