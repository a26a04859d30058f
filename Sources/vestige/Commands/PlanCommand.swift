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
            guard let name = choice.migration else {
                return try output.answer(PlansReport(snapshot.applyingPlans(), in: snapshot))
            }
            let (migration, profile) = try name.resolved(snapshot.history)
            let plan = snapshot.plan(migration, profile: profile)
            try output.answer(PlanReport(plan, of: migration, in: snapshot, options.showing(in: snapshot)))
        }
    }
}

extension WorkspaceSnapshot {
    /// The plans of every built-in migration that applies, each in the profile last applied, else in its default.
    func applyingPlans() -> [(migration: any Migration, plan: Plan)] {
        BuiltIn.migrations.filter { $0.applies(to: container, facts: facts) }.compactMap { migration in
            guard let profile = try? migration.profile(named: nil, history: history) else { return nil }
            return (migration, plan(migration, profile: profile))
        }
    }
}
