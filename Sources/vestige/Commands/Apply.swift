import ArgumentParser
import MigrationEngine
import Reports
import Workspace

/// Applies steps.
struct Apply: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Apply steps of a migration: what they change is kept in the ledger, the dump stays as it is.",
        usage: """
            vestige apply <dump> -m <name[:profile]> --next [<options>]
            vestige apply <dump> -m <name[:profile]> --step <step> ... [<options>]
            vestige apply <dump> -m <name[:profile]> --all [<options>]
            """,
        discussion: """
            Steps that cannot be applied are left, with the reason; the others go on. Exit code 3: a chosen step is in \
            conflict or has failed. 2: a step waits for a fact. 64: steps that stand were applied with another profile, \
            other facts or by other rules of a spec, and --accept-departures is not given.
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

    @Flag
    var extents: [Extent] = []
    private var extent: Extent? { extents.first }
    @Option(help: "A step by its name, which plan lists; may be repeated.")
    var step: [String] = []
    @Flag(help: "Go on although files of the dump have changed since steps were applied.")
    var acceptDrift = false
    @Flag(help: "Go on also where a step rests on a fact that is inferred or assumed.")
    var assume = false
    @Flag(
        help: "Go on although steps that stand were applied with another profile, other facts or by other rules.")
    var acceptDepartures = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard choice.migration != nil || options.specs.files.count == 1 else {
            throw ValidationError("Name the migration with -m NAME[:PROFILE].")
        }
        guard Set(extents).count < 2, extents.isEmpty == !step.isEmpty else {
            throw ValidationError("Name what to apply with one of --next, --all and --step.")
        }
    }

    func run() throws {
        try reportingFailures {
            guard let name = choice.migration ?? options.specs.only else { throw CleanExit.helpRequest(self) }
            let workspace = try options.openStores()
            let (migration, profile) = try name.resolved(among: options.specs.migrations, workspace.snapshot.history)
            try refuseDepartures(workspace.snapshot, of: migration, profile)
            let selection: StepSelection = extent == .all ? .all : extent == .next ? .next : .steps(Set(step))
            let applied = try workspace.apply(
                selection, of: migration, profile: profile, stamp: stampNow(),
                accepting: acceptDrift ? workspace.snapshot.drift : [],
                assuming: assume)
            let snapshot = workspace.snapshot
            snapshot.changedFacts.map(options.tell)
            try output.answer(
                ApplyReport(
                    applied, of: migration, profile: profile, in: snapshot, options.showing(in: snapshot)),
                done: "\(applied.count { $0.entry != nil }.counted("step")) applied")
        }
    }

    /// Steps that stand were applied otherwise than they, or the next ones, would be now: that is told before, and not found out
    /// afterwards.
    private func refuseDepartures(
        _ snapshot: WorkspaceSnapshot, of migration: any Migration, _ profile: Profile
    ) throws {
        guard !acceptDepartures, snapshot.history.standing.contains(where: { $0.migration == migration.id }) else {
            return
        }
        let departures = snapshot.plan(migration, profile: profile).departures
        guard !departures.isEmpty else { return }
        let masking = options.showing(in: snapshot).masking
        let phrases = departures.map {
            "\($0.phrase(masking)), and \($0.consequence(with: "the profile \(profile.id)"))"
        }
        let isEdited = departures.contains { if case .steps = $0 { true } else { false } }
        let isShorter = departures.contains { if case .formerSteps = $0 { true } else { false } }
        throw fail(
            "steps were applied \(phrases.joined(separator: "; ")). Nothing was applied; "
                + (isEdited ? "roll them back and apply them anew, or " : isShorter ? "roll them back, or " : "")
                + "go on all the same with --accept-departures.", .usage)
    }
}
