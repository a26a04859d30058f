import ArgumentParser
import MigrationEngine
import Migrations
import Reports
import Workspace

/// Where a workspace stands.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say what has been applied, what could be, and whether the dump has changed since.",
        usage: "vestige status <dump> [<options>]",
        discussion: """
            Exit code 2: a step has something to do, or waits for a fact. 3: a step is in conflict or has failed. 4: the dump \
            has changed. 0: nothing to do.
            """)

    @OptionGroup var options: DumpOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let workspace = try options.openStores(), snapshot = workspace.snapshot
            let found = snapshot.applicableMigrations(among: options.specs.migrations)
            try output.answer(
                StatusReport(
                    snapshot, plans: snapshot.plans(of: found).map(\.plan), unknown: found.unknownReasons,
                    elsewhere: try workspace.standingElsewhere(), options.showing(in: snapshot, found)))
        }
    }
}

/// What was done, and when.
struct Log: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "List what was applied and rolled back: when, by whom, and every change.",
        usage: "vestige log <dump> [<options>]")

    @OptionGroup var options: DumpOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let snapshot = try options.openLedger().snapshot
            try output.answer(LogReport(snapshot, options.showing(in: snapshot)))
        }
    }
}

/// Everything that a ticket needs.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract:
            "Say all that a ticket needs, to be handed on: what becomes of each key, what is wrong, what was done.",
        usage: "vestige report <dump> [-m <name>] [--markdown | --html] [<options>]",
        discussion: """
            Of every migration that applies, or of the one that -m names. With --markdown it can be pasted into a ticket; with --html it is one file that loads nothing. Secrets are \
            masked.

            Exit codes as those of plan.
            """)

    @OptionGroup var options: DumpOptions
    @OptionGroup var choice: MigrationOption
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let snapshot = try options.openStores().snapshot
            let chosen = try choice.migration?.resolved(among: options.specs.migrations, snapshot.history)
            try output.answer(
                TicketReport(
                    chosen, among: options.specs.migrations, leftOut: options.specs.leftOut, in: snapshot,
                    toolVersion: "vestige \(Version.current)",
                    options.showing(in: snapshot)))
        }
    }
}

/// Whether everything is as the ledger says.
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare the dump and the ledger with what the applied steps would do once more.",
        usage: "vestige verify <dump> [<options>]",
        discussion: """
            Exit code 5: something is not as the ledger says, or nothing is applied, so that nothing was checked. 4: only the \
            dump has changed. 6: only something cannot be read.
            """)

    @OptionGroup var options: DumpOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let workspace = try options.openLedger()
            let verification = try workspace.verify(options.specs.migrations), snapshot = workspace.snapshot
            try output.answer(VerifyReport(verification, in: snapshot, options.showing(in: snapshot)))
        }
    }
}
