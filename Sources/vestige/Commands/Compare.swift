import ArgumentParser
import DeviceDump
import MigrationEngine
import Reports
import StoreFormats
import Workspace

/// Two dumps of one app, before and after the real update.
struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare two dumps of one app, before and after its update; with -m also with what should have come.",
        usage: "vestige compare <old> <new> [-m <name[:profile]>] [<options>]",
        discussion: """
            Entries are compared by value and not by bytes. What was applied in a ledger is left out; a password is \
            tried on both dumps.

            Exit code 5: with -m, what should have come differs or is missing. 6: only something cannot be read. 3, 2: \
            only a step fails on the old dump, or waits for a fact. 0: else, also where the dumps differ.
            """)

    @OptionGroup var pair: PairOptions
    @OptionGroup var choice: MigrationOption
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let options = pair.options, pair = try pair.open()
            let migrations = options.specs.migrations
            let chosen = try (choice.migration ?? options.specs.only)?.resolved(among: migrations)
            // A plan takes for granted what a comparison need not.
            let sides = [pair.before.container, pair.after.container].map { chosen == nil ? $0.assumingNothing : $0 }
            let comparison = StoreComparison(sides[0], sides[1], with: chosen, facts: pair.facts)
            let masking = options.masking(pair.facts, in: [pair.before.container, pair.after.container])
            try output.answer(
                CompareReport(comparison, before: pair.before, after: pair.after, Showing(masking)))
        }
    }
}

/// Which two dumps are meant.
struct PairOptions: ParsableArguments {
    @OptionGroup var options: DumpOptions
    @Argument(help: "The dump that was made afterwards.", completion: .file())
    var new: String
    @Option(
        name: .customLong("new-keychain"),
        help: ArgumentHelp(
            "An export of the keychain of the new dump, as --keychain is of the old one.", valueName: "file"),
        completion: .file())
    var newKeychain: String?

    func open() throws -> DumpPair { try DumpPair(options, new: new, keychain: newKeychain) }
}

/// Two dumps of one app, opened as they are, without a ledger.
struct DumpPair {
    let before: (dump: Dump, container: Container)
    let after: (dump: Dump, container: Container)
    /// The facts that were given, and those of the dump that was made before.
    let facts: Facts

    init(_ options: DumpOptions, new: String, keychain: String?) throws {
        before = try Self.open(options)
        var later = options
        (later.dump, later.keychainFile, later.password.savedKey) = (new, keychain, nil)
        after = try Self.open(later)
        let names = [before, after].map { $0.container.facts[.bundleIdentifier]?.value }
        if let old = names[0], let new = names[1], Name(old) != Name(new) {
            throw fail("these are dumps of two apps, \(old) and \(new); --app says which one is meant", .usage)
        }
        let identifiers = [before, after].map { Name($0.container.identifier) }
        for (place, app) in zip([options.dump, new], names) where app == nil && identifiers[0] != identifiers[1] {
            let other = names.compactMap(\.self).first ?? "com.example.app"
            throw fail(
                """
                nothing says which app the preferences in \(place) are of, and they are called otherwise than those they are \
                compared with
                  --fact bundleIdentifier=\(other)   where they are of that app
                """, .usage)
        }
        let known = try options.givenFacts().completed(by: before.container.facts)
        facts = known.completed(by: Facts.assumed(from: known))
    }

    private static func open(_ options: DumpOptions) throws -> (dump: Dump, container: Container) {
        let dump = try options.openDump()
        if let problem = dump.problem { throw fail(problem.explanation, .unreadable) }
        return (dump, try dump.container(options.app))
    }
}
