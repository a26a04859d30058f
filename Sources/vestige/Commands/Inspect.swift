import ArgumentParser
import DeviceDump
import Migrations
import Reports
import Workspace

/// What a dump holds.
struct Inspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "List the containers, stores, entries and warnings of a dump, as it is, without what was applied.",
        usage: "vestige inspect <dump> [<options>]")

    @OptionGroup var options: DumpOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let facts = try options.givenFacts(), dump = try options.openDump()
            let containers = try options.app.map { [try dump.container($0)] } ?? dump.containers
            // Of a single file that cannot be read, there is no rest that can.
            try output.answer(
                InspectReport(
                    dump, containers: containers, migrations: options.specs.migrations, facts: facts,
                    isUnreadable: dump.problem != nil, changed: options.drift(of: dump),
                    Showing(Masking(isRevealing: options.reveal))))
        }
    }
}
