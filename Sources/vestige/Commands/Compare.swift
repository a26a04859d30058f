import ArgumentParser
import DeviceDump
import MigrationEngine
import Reports
import Workspace

/// Two dumps of one app, before and after the real update.
struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare two dumps of one app, before and after its update; with -m also with what should have come.",
        usage: "vestige compare <old> <new> [-m <name[:profile]>] [<options>]",
        discussion: """
            Entries are compared by value and not by bytes. What was applied in a ledger is left out, and the facts of \
            the old dump are as plan has them; a password is tried on both dumps.

            Exit code 5: with -m, what should have come differs or is missing. 6: what should have come cannot be read, or is \
            not known, or something in one of the dumps is damaged. 3, 2: only a step fails on the old dump, or waits for a fact. 0: else, \
            also where the dumps differ, and where something is locked or was never in a dump and no step is about it: \
            that is listed as unknown. Of a symbolic link the target is compared.

            Items of a keychain are paired by access group, class, service, account and what else names one, then by what \
            they hold, then by their order.

            vestige <old> --compare <new> shows the same in the inspector.
            """)

    @OptionGroup var pair: PairOptions
    @OptionGroup var choice: MigrationOption
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let options = pair.options, pair = try pair.open()
            let migrations = options.specs.migrations
            let chosen = try (choice.migration ?? options.specs.only)?.resolved(among: migrations)
            let comparison = pair.comparison(with: chosen)
            let masking = options.masking(pair.facts, in: [pair.before.container, pair.after.container])
            try output.answer(
                CompareReport(comparison, of: pair, Showing(masking)))
        }
    }
}

/// Which two dumps are meant.
struct PairOptions: ParsableArguments {
    @OptionGroup var options: DumpOptions
    @Argument(help: "The dump that was made afterwards.", completion: .file())
    var new: String
    @OptionGroup var newDump: NewDumpOptions

    func open() throws -> DumpPair {
        let old = try known(), new = try open(options.ofOther(new, newDump))
        func side(_ dump: Dump, _ path: String) throws -> DumpPair.Side {
            try DumpPair.Side(dump, named: path, container: options.app ?? options.specs.app(in: dump))
        }
        return try DumpPair(before: side(old.dump, options.dump), after: side(new, self.new), facts: old.facts)
    }

    /// The old dump as plan knows it: with the facts that are remembered, and those that steps were applied with.
    private func known() throws -> (dump: Dump, facts: Facts) {
        do {
            let workspace = try options.openStores(findingDrift: false)
            var facts = workspace.snapshot.facts
            facts.draw = nil
            return (workspace.dump, facts)
        } catch WorkspaceError.ledger(let path, _) {
            // Nothing else of it is needed.
            printError("vestige: \(path) cannot be used as a ledger: what may be known of facts there is left out")
            return (try open(options), try options.givenFacts())
        }
    }

    private func open(_ options: DumpOptions) throws -> Dump {
        let dump = try options.openDump()
        if let problem = dump.problem { throw fail(problem.explanation, .unreadable) }
        return dump
    }
}

/// What is said of the keychain of a dump that another one is compared with.
struct NewDumpOptions: ParsableArguments {
    @Option(
        name: .customLong("new-keychain"),
        help: ArgumentHelp(
            "An export of the keychain of the new dump, as --keychain is of the old one.", valueName: "file"),
        completion: .file())
    var keychain: String?

    @Option(
        name: .customLong("new-keychain-group"),
        help: ArgumentHelp(
            "An access group that this app reads in the new dump; those of --keychain-group are read in both. May be repeated.",
            valueName: "group"))
    var keychainGroups: [String] = []

    @Option(
        name: .customLong("new-app-group"),
        help: ArgumentHelp(
            "What --app-group says, of the new dump, whose containers have other paths. May be repeated.",
            valueName: "group"))
    var appGroups: [String] = []

    /// Whether nothing is said.
    var isEmpty: Bool { keychain == nil && keychainGroups.isEmpty && appGroups.isEmpty }
}
