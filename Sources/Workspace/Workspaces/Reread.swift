import DeviceDump
import MigrationEngine
import StoreFormats

/// Reads a dump anew, to see whether it still holds what a workspace read when it was opened.
///
/// A container keeps what it has read, so a file that changes while a dump is open would go unseen, and the digest that
/// is recorded with a step would be of bytes that the step has not seen.
struct Reread {
    private let dump: Dump
    private let container: Container
    private let fresh: Result<Container, WorkspaceError>

    init(of dump: Dump, _ container: Container) {
        self.dump = dump
        self.container = container
        fresh = Result { () throws(WorkspaceError) in
            let reopened: Dump
            do throws(DumpError) { reopened = try dump.reopened() } catch { throw .dump(error) }
            let same = reopened.containers.first { $0.ledgerName.utf8.elementsEqual(container.ledgerName.utf8) }
            guard let same else { throw .changedSinceOpening([Drift(Name(container.path.text), .missing)]) }
            return same
        }
    }

    /// Refuses entries that are not what they were when they were first read.
    func check(_ addresses: [Address]) throws(WorkspaceError) {
        let fresh = try fresh.get()
        let changed = addresses.filter { address in
            guard let key = address.key else { return false }
            if let listing = NameListing(recorded: key) {
                let names = [fresh, container].map { ($0.keys(in: address.store)).names.filter(listing.fits) }
                return names[0] != names[1]
            }
            return fresh.state(of: key, in: address.store) != container.state(of: key, in: address.store)
        }
        guard changed.isEmpty else {
            let files = Set(changed.map { Name(container.file(of: $0)?.description ?? "\($0)") })
            throw .changedSinceOpening(files.sorted().map { Drift($0, .changed) })
        }
    }
}

extension Workspace {
    /// The same container with the same given facts, as the dump and the ledger are now.
    ///
    /// Another program may have made the ledger, added to it, or let go of it. Whether files have changed is not looked for.
    ///
    /// - Throws: ``WorkspaceError`` where the dump or its container is not there any more, or the ledger cannot be read.
    package func reopened() throws(WorkspaceError) -> Workspace {
        _ = try ledgerFile.refresh()
        let fresh: Dump
        do throws(DumpError) { fresh = try dump.reopened() } catch { throw .dump(error) }
        let name = container.ledgerName
        guard let same = fresh.containers.first(where: { $0.ledgerName.utf8.elementsEqual(name.utf8) }) else {
            throw .dump(DumpError(dump.path, .gone))
        }
        return try Workspace(dump: fresh, container: same, facts: current.given, ledger: ledgerFile)
    }
}
