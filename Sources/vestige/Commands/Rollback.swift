import ArgumentParser
import MigrationEngine
import Reports
import Workspace

/// Takes steps back.
struct Rollback: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take applied steps back, the last one first, exactly to what was there before.",
        usage: "vestige rollback <dump> (--last | --to <step> | --all) [<options>]")

    @OptionGroup var options: DumpOptions
    @Flag(help: "The last applied step.")
    var last = false
    @Flag(help: "Every applied step.")
    var all = false
    @Option(help: ArgumentHelp("The steps after this one, which stays applied.", valueName: "step"))
    var to: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [last, all, to != nil].count(where: \.self) == 1 else {
            throw ValidationError("Name how far to go back with one of --last, --all and --to STEP.")
        }
    }

    func run() throws {
        try reportingFailures {
            let workspace = try options.openStores()
            let entries = try workspace.rollback(all ? .all : to.map(RollbackTarget.step) ?? .last, stamp: stampNow())
            let snapshot = workspace.snapshot
            output.print(Report.rolledBack(entries, in: snapshot, reveal: options.reveal), masking: options.masking) {
                $0.rolledBack(entries)
            }
        }
    }
}
