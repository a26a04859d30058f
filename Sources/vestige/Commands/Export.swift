import ArgumentParser
import Reports
import Workspace

/// A migrated copy.
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract:
            "Write the dump with what was applied as a new folder, read back and compared before it is put in place.",
        usage: "vestige export <dump> --to <folder> [--replace] [--unpacked] [<options>]",
        discussion: """
            Files without changes are the same byte for byte, with their mode and time. What a ticket says of the app, as \
            vestige report has it, is written beside the folder, to FOLDER-report.md, with its secrets masked. To put an exported container on a \
            device, reinstall it with the app stopped: preferences are cached while it runs.
            """)

    @OptionGroup var options: DumpOptions
    @Option(
        help: ArgumentHelp("The folder to write, which must not exist yet.", valueName: "folder"),
        completion: .directory)
    var to: String
    @Flag(help: "Replace the folder if it exists.")
    var replace = false
    @Flag(
        help: """
            Write what a backup or an archive holds as files by their own names, decrypted, and not as a backup or an archive.
            """)
    var unpacked = false
    @Flag(help: "Go on although files of the dump have changed since steps were applied.")
    var acceptDrift = false
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let workspace = try options.openLedger()
            let summary: ExportSummary
            do {
                summary = try export(workspace)
            } catch WorkspaceError.drift(let drift) where acceptDrift {
                summary = try export(workspace, accepting: drift)
            }
            let snapshot = workspace.snapshot
            let masking = Masking(of: snapshot, among: options.specs.migrations)
            let ticket = TicketReport(
                among: options.specs.migrations, leftOut: options.specs.leftOut, in: snapshot,
                toolVersion: "vestige \(Version.current)",
                Showing(masking))
            let beside = ReportFile.Beside(summary.target, ticket.document, .options)
            try output.answer(
                ExportReport(summary, in: snapshot, beside: beside, masking), done: "exported to \(summary.target)")
        }
    }

    private func export(_ workspace: Workspace, accepting drift: [Drift] = []) throws -> ExportSummary {
        try workspace.export(to: to, replacing: replace, unpacked: unpacked, accepting: drift)
    }
}
