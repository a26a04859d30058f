import ArgumentParser
import Reports
import Workspace

/// What was done, and when.
struct Log: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List what was applied and rolled back: when, by whom, and every change.",
        usage: "vestige log <dump> [<options>]")

    @OptionGroup var options: DumpOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let snapshot = try options.openLedger().snapshot
            try output.answer(LogReport(snapshot, options.showing(in: snapshot)))
        }
    }
}
