import ArgumentParser
import MigrationEngine
import Migrations
import Reports
import Workspace

/// What migrations will do.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract:
            "Say what a migration will do, step by step; without -m, which migrations apply and how many steps each has.",
        usage: "vestige plan <dump> [-m <name[:profile]>] [<options>]",
        discussion: """
            Exit code 2: a step has something to do, or waits for a fact. 3: a step is in conflict or has failed. 4: the dump \
            has changed since steps were applied. 0: nothing to do.
            """)

    @OptionGroup var options: DumpOptions
    @OptionGroup var choice: MigrationOption
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let snapshot = try options.openStores().snapshot
            guard let name = choice.migration ?? options.specs.only else {
                let found = snapshot.applicableMigrations(among: options.specs.migrations)
                return try output.answer(
                    PlansReport(
                        snapshot.plans(of: found), unknown: found.unknownReasons,
                        among: options.specs.migrations.map(\.id), in: snapshot,
                        options.showing(in: snapshot, found)))
            }
            let (migration, profile) = try name.resolved(among: options.specs.migrations, snapshot.history)
            let plan = snapshot.plan(migration, profile: profile)
            try output.answer(PlanReport(plan, of: migration, in: snapshot, options.showing(in: snapshot)))
        }
    }
}
