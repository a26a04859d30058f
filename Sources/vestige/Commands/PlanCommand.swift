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
            Exit code 2: a step has something to do, or waits for a fact. 3: a step is in conflict. 6: what is left cannot be \
            used. 0: nothing to do.
            """)

    @OptionGroup var options: DumpOptions
    @Option(
        name: [.customShort("m"), .customLong("migration")],
        help: ArgumentHelp("The migration, and which variant of it.", valueName: "name[:profile]"))
    var migration: MigrationName?
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let snapshot = try options.openStores().snapshot
            let plans: [(migration: any Migration, plan: Plan)]
            if let name = migration {
                let (migration, profile) = try name.resolved()
                let plan = snapshot.plan(migration, profile: profile)
                output.print(Report.plan(plan, in: snapshot, reveal: options.reveal), masking: options.masking) {
                    $0.plan(plan, of: migration, in: snapshot)
                }
                plans = [(migration, plan)]
            } else {
                plans = snapshot.applyingPlans()
                output.print(Report.plans(plans, in: snapshot)) { $0.plans(plans, in: snapshot) }
            }
            try endWithCode(of: plans.map(\.plan))
        }
    }
}

extension WorkspaceSnapshot {
    /// The plans of every built-in migration that applies, each in the variant last applied, else in its default.
    func applyingPlans() -> [(migration: any Migration, plan: Plan)] {
        BuiltIn.migrations.filter { $0.applies(to: container, facts: facts) }.compactMap { migration in
            let last = history.standing.last { $0.migration == migration.id }?.profile
            let profile = migration.profiles.first { $0.id == last } ?? migration.profiles.first
            return profile.map { (migration, plan(migration, profile: $0)) }
        }
    }
}

/// Ends the program with 3 where a step is in conflict, 2 where a step has something to do or waits for a fact, 6 where
/// all that is left is input that cannot be used.
func endWithCode(of plans: [Plan]) throws {
    let kinds = Set(plans.flatMap(\.summary.keys))
    if kinds.contains(.conflict) { throw ExitCode(3) }
    if !kinds.isDisjoint(with: [.migrates, .blocked]) { throw ExitCode(2) }
    if kinds.contains(.failed) { throw ExitCode(6) }
}
