import ArgumentParser
import Migrations
import Workspace

/// What is built in.
struct ListMigrations: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrations",
        abstract: "List the migrations that are built in, or one migration's steps and rules.")

    @Argument(help: "A migration: its name, or NAME:PROFILE.")
    var migration: MigrationName?
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            guard let name = migration else {
                return output.print(Report.migrations(BuiltIn.migrations)) { $0.migrations(BuiltIn.migrations) }
            }
            let (migration, profile) = try name.resolved()
            output.print(Report.migrations([migration], withSteps: true)) {
                $0.migration(migration, profiles: name.profile == nil ? migration.profiles : [profile])
            }
        }
    }
}
