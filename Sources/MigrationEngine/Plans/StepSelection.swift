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
    /// What it would write where just that stands already, or where its rules leave what stands.
    package let found: [Change]
    /// What it leaves where it is, though it may take others.
    package let left: [LeftPart]

    /// What the reason of its outcome may quote.
    package var quoted: [Address] { step.quoted(by: outcome, leaving: left) }
}

/// How far to roll back.
public enum RollbackTarget: Hashable, Sendable {
    /// The last standing step.
    case last
    /// Until this step is the last standing one; its migration is named where several have a step of the name. `STEP#3` is the
    /// step of the ledger's entry 3.
    case step(String, migration: String? = nil)
    /// Until the step of the ledger's entry of this number is the last standing one.
    case entry(Int)
    /// Every standing step.
    case all
}

extension RollbackTarget {
    /// The target that a text names: `STEP`, or `MIGRATION:STEP`; `STEP#3` is that of the ledger's entry 3.
    public init(parsing text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        self = parts.count == 2 ? .step(parts[1], migration: parts[0]) : .step(text)
    }

    /// How many of the standing entries stay, from the first.
    func kept(of standing: [LedgerEntry]) throws(RollbackError) -> Int {
        switch self {
        case .last: return max(standing.count - 1, 0)
        case .all: return 0
        case .entry(let number):
            guard let index = standing.lastIndex(where: { $0.number == number }) else {
                throw .notApplied("#\(number)")
            }
            return index + 1
        case .step(let name, let migration):
            func isNamed(_ entry: LedgerEntry) -> Bool {
                entry.step == name && migration.map { $0 == entry.migration } ?? true
            }
            guard let index = standing.lastIndex(where: isNamed) else {
                // As the plan calls one of several entries of a step.
                guard let mark = name.lastIndex(of: "#"), let number = Int(name[name.index(after: mark)...]),
                    let index = standing.lastIndex(where: { $0.number == number }),
                    standing[index].step == name[..<mark],
                    migration.map({ $0 == standing[index].migration }) ?? true
                else { throw .notApplied(name) }
                return index + 1
            }
            var migrations: [String] = []
            for entry in standing where isNamed(entry) && !migrations.contains(entry.migration) {
                migrations.append(entry.migration)
            }
            guard migrations.count == 1 else { throw .ambiguous(name, migrations: migrations) }
            return index + 1
        }
    }
}
