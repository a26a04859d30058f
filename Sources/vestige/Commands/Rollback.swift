import ArgumentParser
import MigrationEngine
import Reports
import Workspace

/// Takes steps back.
struct Rollback: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Take applied steps back, the last one first, exactly to what was there before.",
        usage: "vestige rollback <dump> (--last | --to <step> | --all) [<options>]")

    @OptionGroup var options: DumpOptions
    /// How far to go back.
    enum Extent: String, EnumerableFlag {
        case last, all

        static func help(for extent: Extent) -> ArgumentHelp? {
            extent == .last ? "The last applied step." : "Every applied step."
        }
    }

    @Flag
    var extents: [Extent] = []
    private var extent: Extent? { extents.first }
    @Option(
        help: ArgumentHelp(
            "The steps after this one, which stays applied; where several migrations have one of its name, "
                + "MIGRATION:STEP.", valueName: "step"))
    var to: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard Set(extents).count < 2, extents.isEmpty == (to != nil) else {
            throw ValidationError("Name how far to go back with one of --last, --all and --to STEP.")
        }
    }

    func run() throws {
        try reportingFailures {
            let workspace = try options.openLedger(), drift = workspace.snapshot.drift
            let target: RollbackTarget = to.map(RollbackTarget.init(parsing:)) ?? (extent == .all ? .all : .last)
            let entries = try workspace.rollback(target, stamp: stampNow()), snapshot = workspace.snapshot
            try output.answer(
                RollbackReport(entries, to: to, drift: drift, in: snapshot, options.showing(in: snapshot)),
                done: "\(entries.count.counted("step")) rolled back")
        }
    }
}
