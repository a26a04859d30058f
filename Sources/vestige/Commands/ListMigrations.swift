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
    @Option(.specFiles) var specFiles: [String]
    @OptionGroup var output: OutputOptions

    private var specs: GivenSpecs { GivenSpecs(files: specFiles) }

    func validate() throws { try specs.read() }

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
