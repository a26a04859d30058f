import ArgumentParser
import MigrationEngine
import Reports
import Workspace

/// Applies steps.
struct Apply: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Apply steps of a migration: what they change is kept in the ledger, the dump stays as it is.",
        usage: """
            vestige apply <dump> -m <name[:profile]> --next [<options>]
            vestige apply <dump> -m <name[:profile]> --step <step> ... [<options>]
            vestige apply <dump> -m <name[:profile]> --all [<options>]
            """,
        discussion: """
            Steps that cannot be applied are left, with the reason; the others go on. Exit code 3: a chosen step is in \
            conflict or has failed. 2: a step waits for a fact; 64 where it was named.
            """)

    @OptionGroup var options: DumpOptions
    @OptionGroup var choice: MigrationOption

    /// Which steps.
    enum Extent: String, EnumerableFlag {
        case next, all

        static func help(for extent: Extent) -> ArgumentHelp? {
            extent == .next ? "The first step that has something to do." : "Every step that has something to do."
        }
    }

    @Flag(exclusivity: .exclusive)
    var extent: Extent?
    @Option(help: "A step by its name, which plan lists; may be repeated.")
    var step: [String] = []
    @Flag(help: "Go on although files of the dump have changed since steps were applied.")
    var acceptDrift = false
    @Flag(help: "Go on also where a step rests on a fact that is inferred or assumed.")
    var assume = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard choice.migration != nil else { throw ValidationError("Name the migration with -m NAME[:PROFILE].") }
        guard (extent == nil) == !step.isEmpty else {
            throw ValidationError("Name what to apply with one of --next, --all and --step.")
        }
    }

    func run() throws {
        try reportingFailures {
            guard let name = choice.migration else { throw CleanExit.helpRequest(self) }
            let workspace = try options.openStores()
            let (migration, profile) = try name.resolved(workspace.snapshot.history)
            let selection: StepSelection = extent == .all ? .all : extent == .next ? .next : .steps(Set(step))
            let applied = try workspace.apply(
                selection, of: migration, profile: profile, stamp: stampNow(), acceptingDrift: acceptDrift,
                assuming: assume)
            let snapshot = workspace.snapshot
            try output.answer(
                ApplyReport(
                    applied, of: migration, profile: profile, areNamed: !step.isEmpty, in: snapshot,
                    options.showing(in: snapshot)))
        }
    }
}
