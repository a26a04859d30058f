import ArgumentParser

/// The command line: a subcommand a file, with no logic of its own.
@main
struct Vestige: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vestige",
        abstract: "Shows what an old version of an iOS app left on a device, and what the new one will make of it.",
        usage: """
            vestige <dump>
            vestige <subcommand>
            """,
        discussion: """
            A dump is what came off the device: an .xcappdata folder, an app's data container, a simulator's device \
            folder, or a single property list. It is never changed: what you apply is kept in a ledger, a file of its own.

            Start with:
              vestige DUMP                      look at it, step through its migrations
              vestige plan DUMP                 which migrations apply, as text
              vestige export DUMP --to FOLDER   write a copy with what you applied

            Exit codes:
               0  done, nothing pending
               2  changes are pending (plan, status)
               3  a step is in conflict
               4  the dump has changed since steps were applied
               5  a check failed (verify, run)
               6  the input is corrupt or unsupported
              64  usage: an argument is wrong or missing
              75  try again: the ledger is in use, or the file system refused
            """,
        version: "vestige \(Version.current)",
        subcommands: [
            Open.self, Inspect.self, Show.self, ListMigrations.self, PlanCommand.self, Apply.self, Rollback.self,
            Status.self, Log.self, Verify.self, Export.self, RunScript.self,
        ],
        defaultSubcommand: Open.self)

    /// Runs the program.
    ///
    /// What the parser says of an argument is made displayable like everything else: a shell puts the names of files
    /// there, and these may come out of a dump.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            let code = exitCode(for: error)
            guard !code.isSuccess else { exit(withError: error) }
            let message = fullMessage(for: error)
            if !message.isEmpty { printError(message) }
            exit(withError: code)
        }
    }
}

/// The version of the program, which ledgers record.
enum Version {
    static let current = "0.1.0"
}
