import ArgumentParser
import MigrationEngine
import Reports
import Workspace

/// Takes steps.
struct Apply: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Apply steps of a migration: what they change is kept in the ledger, the dump stays as it is.",
        usage: """
            vestige apply <dump> -m <name[:profile]> --next [<options>]
            vestige apply <dump> -m <name[:profile]> --step <step> ... [<options>]
            vestige apply <dump> -m <name[:profile]> --all [<options>]
            """,
        discussion: """
            Steps that cannot be taken are left, with the reason; the others go on. Exit code 3: a chosen step is in \
            conflict. 6: its input is corrupt or of the wrong type. 2: a step waits for a fact; 64 where it was named.
            """)

    @OptionGroup var options: DumpOptions
    @OptionGroup var choice: MigrationOption
    @Flag(help: "The first step that has something to do.")
    var next = false
    @Flag(help: "Every step that has something to do.")
    var all = false
    @Option(help: "A step by its name, which plan lists; may be repeated.")
    var step: [String] = []
    @Flag(help: "Go on although files of the dump have changed since steps were applied.")
    var acceptDrift = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [next, all, !step.isEmpty].count(where: \.self) == 1 else {
            throw ValidationError("Name what to apply with one of --next, --all and --step.")
        }
    }

    func run() throws {
        try reportingFailures {
            let workspace = try options.openStores()
            let (migration, profile) = try choice.migration.resolved()
            let applied = try workspace.apply(
                all ? .all : next ? .next : .steps(Set(step)), of: migration, profile: profile, stamp: stampNow(),
                acceptingDrift: acceptDrift)
            let snapshot = workspace.snapshot
            output.print(
                Report.applied(applied, of: migration, profile: profile, in: snapshot, reveal: options.reveal),
                masking: options.masking
            ) { $0.applied(applied) }
            let kinds = Set(applied.map(\.outcome.kind))
            if kinds.contains(.conflict) { throw ExitCode(3) }
            if kinds.contains(.failed) { throw ExitCode(6) }
            if kinds.contains(.blocked) { throw ExitCode(step.isEmpty ? 2 : 64) }
        }
    }
}
