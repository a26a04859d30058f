import ArgumentParser
import Foundation
import MigrationEngine
import Reports

/// The command line: subcommands and options, which say what the other modules do.
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
            folder, a backup, a full file system, a zip or a tar of one of these, or a single property list. It is never \
            changed: what you apply is kept in a ledger, a file of its own.

            Start with:
              vestige DUMP                      look at it, step through its migrations
              vestige plan DUMP                 which migrations apply, as text
              vestige export DUMP --to FOLDER   write a copy with what you applied

            Exit codes:
               0  done, nothing pending
               2  something is pending, or waits for a fact
               3  a step is in conflict or has failed
               4  the dump has changed since steps were applied
               5  a check failed (verify, compare, run, specs test, lint, format --check)
               6  the input cannot be read
              64  usage: an argument is wrong or missing
              75  try again: the ledger is in use, the system refused, or it was stopped
            """,
        version: "vestige \(Version.current)",
        subcommands: subcommands, defaultSubcommand: Open.self)

    private static let subcommands: [any ParsableCommand.Type] = [
        Open.self, Inspect.self, Show.self, ListMigrations.self, PlanCommand.self, Apply.self, Rollback.self,
        Status.self, Log.self, Verify.self, ReportCommand.self, Export.self, Compare.self, RunScript.self,
        RecordScript.self, SpecsCommand.self, ManualCommand.self,
    ]

    private static var names: [String] { subcommands.compactMap { $0.configuration.commandName } }

    /// Runs the program.
    ///
    /// What the parser says of an argument is made displayable like everything else: a shell puts the names of files
    /// there, and these may come out of a dump.
    static func main() {
        StandardStreams.open()
        if let first = CommandLine.arguments.dropFirst().first, let meant = subcommand(like: first) {
            exit(withError: fail("there is no subcommand “\(first)”; did you mean \(meant)?", .usage))
        }
        guard CommandLine.arguments.count(where: { $0 == "-" || $0.hasPrefix("--") && $0.hasSuffix("=-") }) < 2 else {
            exit(withError: fail("standard input can be read once only: one “-” is enough", .usage))
        }
        do {
            var command = try parsed()
            try command.run()
        } catch {
            let code = exitCode(for: error)
            guard !code.isSuccess else { exit(withError: answer(fullMessage(for: error))) }
            var message = fullMessage(for: error)
            // As every other error says who speaks.
            if message.hasPrefix("Error: ") { message = "vestige: " + message.dropFirst("Error: ".count) }
            // Behind it stands how the command is used, which is the program's own and quotes nothing.
            let usage = message.range(of: "\nUsage: ", options: .backwards)?.lowerBound ?? message.endIndex
            if !message.isEmpty { printError(String(message[..<usage]), usage: String(message[usage...])) }
            exit(withError: code)
        }
    }

    /// What the arguments ask for.
    ///
    /// A subcommand that is named is tried by itself: on its way through the whole program the parser looks at all its
    /// options three times more, which takes a debug build longer than reading a dump. What is wrong with it, and its
    /// help, the whole program says.
    private static func parsed() throws -> any ParsableCommand {
        let arguments = CommandLine.arguments.dropFirst()
        if let named = subcommands.first(where: { $0.configuration.commandName == arguments.first }) {
            do {
                let command = try named.parseAsRoot(Array(arguments.dropFirst()))
                let own = [named] + named.configuration.subcommands
                if own.contains(where: { $0 == type(of: command) }) { return command }
            } catch {
                // What was said already, as of a spec that cannot be used, is not said twice.
                if fullMessage(for: error).isEmpty { throw error }
            }
        }
        return try parseAsRoot()
    }

    /// Prints what was asked for in place of a command: the help, the version, a completion script.
    private static func answer(_ text: String) -> ExitCode {
        if text.isEmpty { return .success }
        do {
            try reportingFailures { try StandardStreams.write(Array((text + "\n").utf8)[...]) }
        } catch {
            return exitCode(for: error)
        }
        return .success
    }
}

extension Vestige {
    /// The subcommand that a mistyped one is meant to be; a word that is the name of something is a dump.
    fileprivate static func subcommand(like word: String) -> String? {
        guard !word.hasPrefix("-"), !names.contains(word), word.count > 2, access(word, F_OK) != 0 else { return nil }
        return Nearest.word(to: word, among: names, limit: word.count > 4 ? 2 : 1)
    }
}

/// The version of the program, which ledgers record.
enum Version {
    static let current = "0.1.0"
}
