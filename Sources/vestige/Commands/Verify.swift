import ArgumentParser
import Migrations
import Reports
import Workspace

/// Whether everything is as the ledger says.
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare the dump and the ledger with what the applied steps would do once more.",
        usage: "vestige verify <dump> [<options>]",
        discussion: "Exit code 5: something is not as the ledger says. 4: only the dump has changed.")

    @OptionGroup var options: DumpOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let workspace = try options.openLedger()
            let verification = try workspace.verify(BuiltIn.migrations), snapshot = workspace.snapshot
            try output.answer(VerifyReport(verification, in: snapshot, options.showing(in: snapshot)))
        }
    }
}
