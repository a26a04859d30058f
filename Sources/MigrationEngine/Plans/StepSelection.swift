/// Which steps to take.
public enum StepSelection: Hashable, Sendable {
    /// The first one that has something to do.
    case next
    /// These, by name, in the migration's order.
    case steps(Set<String>)
    /// Every one.
    case all
}

/// What became of one chosen step.
public struct AppliedStep: Sendable {
    /// The step.
    public let step: Step
    /// What it did; only `migrates` made an entry.
    public let outcome: Outcome
    /// The entry in the ledger.
    public let entry: LedgerEntry?
}

/// How far to roll back.
public enum RollbackTarget: Hashable, Sendable {
    /// The last standing step.
    case last
    /// Until this step is the last standing one.
    case step(String)
    /// Every standing step.
    case all
}
