import ArgumentParser

/// The command line: a subcommand a file, with no logic of its own.
@main
struct Vestige: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vestige",
        abstract: "Shows what an old version of an iOS app left on a device, and what the new one will make of it.",
        discussion: """
            DUMP is what came off the device: an .xcappdata folder, an app's data container, a simulator's device folder, \
            or a single property list. It is never changed: what you apply is kept in a ledger beside it.

            Start with:  vestige DUMP            look at it, step through its migrations
                         vestige plan DUMP       the same as text: which migrations apply, and what they will do
                         vestige export DUMP --to FOLDER   a migrated copy

            Exit codes: 0 done, nothing pending · 2 changes are pending (plan, status) · 3 conflict · 4 the dump has changed \
            · 5 verification failed · 6 corrupt or unsupported input · 64 usage · 75 try again
            """,
        version: "vestige \(Version.current)",
        subcommands: [
            Open.self, Inspect.self, Show.self, ListMigrations.self, PlanCommand.self, Apply.self, Rollback.self,
            Status.self, Log.self, Verify.self, Export.self, RunScript.self,
        ],
        defaultSubcommand: Open.self)
}

/// The version of the program, which ledgers record.
enum Version {
    static let current = "0.1.0"
}
