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

    /// Runs the program.
    ///
    /// What the parser says of an argument is made displayable like everything else: a shell puts the names of files
    /// there, and these may come out of a dump.
    static func main() {
        StandardStreams.open()
        let arguments = CommandLine.arguments.dropFirst()
        if let (word, meant) = mistyped(in: arguments) {
            exit(withError: fail("there is no subcommand “\(word)”; did you mean \(meant)?", .usage))
        }
        if let option = CommandTable.optionGivenTwice(in: arguments) {
            exit(withError: fail("\(option) is given twice, and is one value: keep the one that you mean", .usage))
        }
        // What follows the sign of an option is all of its value.
        let isInput = { (word: String) in
            let value = word.hasPrefix("--") ? word.drop { $0 != "=" }.dropFirst() : word[...]
            return ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(value)
        }
        guard arguments.count(where: isInput) < 2 else {
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
    /// The word that stands where a subcommand is named and is none, and the one that it is meant to be.
    private static func mistyped(in arguments: ArraySlice<String>) -> (word: String, meant: String)? {
        var commands = subcommands, words = arguments
        // Behind help only subcommands are named; else the first word may be a dump.
        var mayBeDump = true
        if words.first == "help" { (words, mayBeDump) = (words.dropFirst(), false) }
        while let word = words.popFirst(), !word.hasPrefix("-"), !commands.isEmpty {
            if let named = commands.first(where: { $0.configuration.commandName == word }) {
                (commands, mayBeDump) = (named.configuration.subcommands, false)
                continue
            }
            guard word.count > 2, !mayBeDump || access(word, F_OK) != 0 else { return nil }
            let names = commands.compactMap { $0.configuration.commandName }
            return Nearest.word(to: word, among: names, limit: word.count > 4 ? 2 : 1).map { (word, $0) }
        }
        return nil
    }
}

/// The version of the program, which ledgers record.
enum Version {
    static let current = "0.1.0"
}
