import ArgumentParser
import Migrations
import Reports
import Workspace

/// What is built in.
struct ListMigrations: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrations",
        abstract: "List the migrations that are built in, or one migration's steps and rules.",
        usage: "vestige migrations [<name[:profile]>] [--json]")

    @Argument(help: ArgumentHelp("A migration, and which profile of it.", valueName: "name[:profile]"))
    var migration: MigrationName?
    @OptionGroup var specs: SpecOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            guard let name = migration ?? specs.only else {
                return try output.answer(MigrationsReport(specs.migrations))
            }
            let (migration, profile) = try name.resolved(among: specs.migrations)
            try output.answer(
                MigrationsReport([migration], withSteps: true, only: name.profile == nil ? nil : profile))
        }
    }
}
