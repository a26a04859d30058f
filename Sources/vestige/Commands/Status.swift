import ArgumentParser
import Reports
import Workspace

/// Where a workspace stands.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say what has been applied, what could be, and whether the dump has changed since.",
        usage: "vestige status <dump> [<options>]",
        discussion: """
            Exit code 2: a step has something to do, or waits for a fact. 3: a step is in conflict. 4: the dump has changed. \
            6: what is left cannot be used. 0: nothing to do.
            """)

    @OptionGroup var options: DumpOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let snapshot = try options.openStores().snapshot
            let plans = snapshot.applyingPlans().map(\.plan)
            output.print(Report.status(snapshot, plans: plans)) { $0.status(snapshot, plans: plans) }
            if !snapshot.drift.isEmpty { throw ExitCode(4) }
            try endWithCode(of: plans)
        }
    }
}
