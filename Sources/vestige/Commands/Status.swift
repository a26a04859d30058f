import ArgumentParser
import Reports
import Workspace

/// Where a workspace stands.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say what has been applied, what could be, and whether the dump has changed since.",
        usage: "vestige status <dump> [<options>]",
        discussion: """
            Exit code 2: a step has something to do, or waits for a fact. 3: a step is in conflict or has failed. 4: the dump \
            has changed. 0: nothing to do.
            """)

    @OptionGroup var options: DumpOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let workspace = try options.openStores(), snapshot = workspace.snapshot
            let found = snapshot.applicableMigrations
            try output.answer(
                StatusReport(
                    snapshot, plans: snapshot.plans(of: found).map(\.plan), unknown: found.unknownReasons,
                    elsewhere: try workspace.standingElsewhere(), options.showing(in: snapshot)))
        }
    }
}
