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
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            guard let name = migration else { return try output.answer(MigrationsReport(BuiltIn.migrations)) }
            let (migration, profile) = try name.resolved()
            try output.answer(
                MigrationsReport([migration], withSteps: true, only: name.profile == nil ? nil : profile))
        }
    }
}
