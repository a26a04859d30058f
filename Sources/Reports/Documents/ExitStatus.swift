import MigrationEngine
import Workspace

/// How the program ends: the one table of exit codes.
package enum ExitStatus: Int32, Hashable, Sendable, CaseIterable {
    /// Done, and nothing is pending.
    case done = 0
    /// Something is pending, or waits for a fact.
    case pending = 2
    /// A step is in conflict, or has failed.
    case problem = 3
    /// The dump has changed since steps were applied.
    case drift = 4
    /// A check failed.
    case checkFailed = 5
    /// The input cannot be read.
    case unreadable = 6
    /// An argument is wrong or missing.
    case usage = 64
    /// The ledger is in use, the file system refused, or the output cannot be written.
    case tryAgain = 75

    /// The status of several things: drift before a problem before what is pending.
    package static func worst(of all: some Sequence<ExitStatus>) -> ExitStatus {
        let order: [ExitStatus] = [.drift, .problem, .pending]
        let all = Set(all)
        return order.first(where: all.contains) ?? .done
    }

    /// The status of what a step does.
    init(_ kind: Outcome.Kind) {
        self =
            switch kind {
            case .conflict, .failed: .problem
            case .migrates, .blocked: .pending
            case .unchanged, .skipped: .done
            }
    }
}
