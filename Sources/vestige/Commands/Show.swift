import ArgumentParser
import MigrationEngine
import Workspace

/// One value.
struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show one value, decoded as deep as it goes, or the entries of a store.",
        discussion: """
            An address is a URL with a JSON Pointer: defaults://com.acme.notes/rs_traits#/email. Without an address a dump \
            that is a single file is shown as a whole. What was applied is shown too.
            """)

    @OptionGroup var options: DumpOptions
    @Argument(help: "What to show, such as defaults://com.acme.notes/rs_traits.")
    var address: String?
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let snapshot = try options.openWorkspace().snapshot
            let address: Address
            if let text = self.address {
                address = try Address(parsing: text)
            } else if let only = snapshot.container.stores.first, snapshot.dump.kind == .propertyList {
                address = Address(store: only)
            } else {
                throw ValidationError("Name what to show; vestige inspect lists the addresses.")
            }
            if let problem = snapshot.overlay.problem(with: address.store) {
                throw fail("\(address) cannot be read: \(problem.explanation)", 6)
            }
            output.print(Report.show(address, in: snapshot, reveal: options.reveal), masking: options.masking) {
                $0.show(address, in: snapshot.overlay)
            }
            if case .unreadable = snapshot.overlay.state(at: address) { throw ExitCode(6) }
            let isThere =
                address.key == nil
                ? snapshot.overlay.contains(address.store) : snapshot.overlay.state(at: address) != .absent
            if !isThere { throw fail("there is nothing at \(address); vestige inspect lists what there is", 64) }
        }
    }
}
