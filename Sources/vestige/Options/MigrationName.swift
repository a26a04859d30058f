import ArgumentParser
import MigrationEngine
import Migrations
import Reports
import Specs
import Workspace

/// A migration with or without a profile, as `-m` names it: `rudderstack-v2` or `rudderstack-v2:sdk-1.2`.
struct MigrationName: ExpressibleByArgument {
    let migration: String
    let profile: String?

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let migration = parts.first, !migration.isEmpty else { return nil }
        self.migration = migration
        profile = parts.count > 1 ? parts[1] : nil
    }

    static let allValueStrings: [String] = {
        let builtIn = BuiltIn.migrations.map { (migration: $0.id, profiles: $0.profiles.map(\.id)) }
        return (builtIn + SpecCatalog.names).flatMap { name, profiles in
            [name] + profiles.map { "\(name):\($0)" }
        }
    }()

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    /// The migration and its profile; where none is named, that of the last standing step.
    func resolved(
        among migrations: [any Migration], _ history: History = History()
    ) throws -> (migration: any Migration, profile: Profile) {
        guard let found = migrations.first(where: { $0.id == migration }) else {
            let known = migrations.map(\.id)
            let help = Nearest.advice(on: [migration], among: known, "There are")
            throw fail("there is no migration “\(migration)”. \(help)", .usage)
        }
        do {
            return (found, try found.profile(named: profile, history: history))
        } catch {
            throw WorkspaceError.unknownProfile(profile ?? "", migration: found.id, known: found.profiles.map(\.id))
        }
    }
}

/// The option that names a migration.
struct MigrationOption: ParsableArguments {
    @Option(
        name: [.customShort("m"), .customLong("migration")],
        help: ArgumentHelp("The migration, and which profile of it.", valueName: "name[:profile]"))
    var migration: MigrationName?
}
