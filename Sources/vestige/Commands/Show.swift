import ArgumentParser
import MigrationEngine
import Reports
import Workspace

/// One value.
struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one value, decoded as deep as it goes, or the entries of a store.",
        usage: "vestige show <dump> [<address>] [<options>]",
        discussion: """
            What was applied is shown too. Addresses, which inspect lists with --json, are such as

              defaults://com.acme.notes                    a store
              defaults://com.acme.notes/rs_traits          an entry
              defaults://com.acme.notes/rs_traits#/email   a part of one

            Without an address a dump that is a single property list is shown as a whole.
            """)

    @OptionGroup var options: DumpOptions
    @Argument(help: "What to show, such as defaults://com.acme.notes/rs_traits.")
    var address: String?
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reportingFailures {
            let snapshot = try options.openWorkspace().snapshot
            let showing = options.showing(in: snapshot)
            guard let text = self.address else { return try showFile(snapshot, showing) }
            let address = try self.address(text, in: snapshot, showing.masking), shown = showing.masking.place(address)
            if let problem = snapshot.overlay.problem(with: address.store) {
                let place = elsewhere(address, in: snapshot).map { "; it is not known \($0)" } ?? ""
                throw fail("\(shown) cannot be read: \(problem.explanation)\(place)", .unreadable)
            }
            let report = ShowReport(address, in: snapshot, showing)
            let isAbsent = report.status == .usage
            if !isAbsent || output.form == .json { try output.print(report) }
            if isAbsent {
                let removal = snapshot.history.standing.last { entry in
                    entry.changes.contains { $0.address == address.entry && $0.after == nil }
                }
                let reason =
                    removal.map { "any more: step \($0.step) removed it (entry \($0.number) of the ledger)" }
                    ?? elsewhere(address, in: snapshot) ?? planned(address.entry, in: snapshot)
                let other = nearest(to: address, in: snapshot).map { "; did you mean \(showing.masking.place($0))?" }
                throw fail(
                    "there is nothing at \(shown)\(reason.map { " " + $0 } ?? other ?? "; vestige inspect lists what there is")",
                    .usage)
            }
            if report.status != .done, let place = elsewhere(address, in: snapshot) {
                printError("vestige: \(shown) is not known \(place)")
            }
            if report.status != .done { throw ExitCode(report.status.rawValue) }
        }
    }

    /// The address that a person means: as it is, or as it is shown with what is secret in it masked.
    private func address(_ text: String, in snapshot: WorkspaceSnapshot, _ masking: Masking) throws -> Address {
        var shown = masking.addresses(shownAs: text, in: snapshot.overlay)
        // What a step has removed is named, too.
        if shown.isEmpty { shown = masking.addresses(shownAs: text, in: snapshot.stores) }
        guard let first = shown.first else { return try Address(parsing: text) }
        guard shown.count == 1 else {
            throw fail(
                "\(shown.count) entries are shown as \(text); with --reveal the answer says which is which", .usage)
        }
        return first
    }

    /// The store, or the entry of the same store, that the address of one that is not there is likely meant to be.
    private func nearest(to address: Address, in snapshot: WorkspaceSnapshot) -> Address? {
        let stores = snapshot.overlay.stores, looked = 2_000
        guard stores.contains(address.store), let key = address.key else {
            let names = stores.map { "\($0)" }
            let near = Nearest.word(to: "\(address.store)", among: names)
            return near.flatMap(names.firstIndex).map { Address(store: stores[$0]) }
        }
        let keys = snapshot.overlay.keys(in: address.store)
        let names = (0..<min(keys.count, looked)).map { keys.key(at: $0).text }
        let near = Nearest.word(to: key.text, among: names)
        return near.flatMap(names.firstIndex).map { Address(store: address.store, key: keys.key(at: $0)) }
    }

    /// Says which other containers of the dump hold an entry or a store.
    private func elsewhere(_ address: Address, in snapshot: WorkspaceSnapshot) -> String? {
        let names = snapshot.dump.names(ofThoseHolding: address, besides: snapshot.container), shown = 3
        guard let first = names.first else { return nil }
        let more = names.count > shown ? " and \(names.count - shown) more" : ""
        let all = names.prefix(shown).joined(separator: ", ") + more
        return "of \(snapshot.container.identifier); there is one of \(all): --app \(first)"
    }

    /// Says where a step that is not applied would write an entry.
    private func planned(_ entry: Address, in snapshot: WorkspaceSnapshot) -> String? {
        for (migration, plan) in snapshot.plans(
            of: snapshot.applicableMigrations(among: options.specs.migrations))
        {
            let step = plan.pending.first { $0.changes.contains { $0.address == entry && $0.after != nil } }
            if let step { return "yet: step \(step.id) of \(migration.id) would write it" }
        }
        return nil
    }

    private func showFile(_ snapshot: WorkspaceSnapshot, _ showing: Showing) throws {
        guard let file = try snapshot.wholeFile() else {
            let stores = snapshot.container.stores
            throw fail(
                "name what to show, such as \((stores.first { $0.kind != .file } ?? stores.first).map { "\($0)" } ?? "a store"); "
                    + "vestige inspect lists what there is", .usage)
        }
        try output.answer(ShowReport(file, in: snapshot, showing))
    }
}
