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
            guard let same = reopened.byLedgerName[container.ledgerName] else {
                throw .changedSinceOpening([Drift(Name(container.path.text), .missing)])
            }
            return same
        }
    }

    /// Refuses entries that are not what they were when they were first read, and names that have come or gone.
    func check(_ addresses: [Address], _ listings: [Address]) throws(WorkspaceError) {
        let fresh = try fresh.get()
        let others = listings.filter { Self.names($0, in: fresh) != Self.names($0, in: container) }
        let changed = addresses.filter { address in
            guard let key = address.key else { return false }
            return fresh.state(of: key, in: address.store) != container.state(of: key, in: address.store)
        }
        guard changed.isEmpty, others.isEmpty else {
            let files = Set(
                changed.map { Name(container.file(of: $0)?.description ?? "\($0)") }
                    + others.compactMap { container.file(of: $0).map(NameListing.recorded) })
            throw .changedSinceOpening(files.sorted().map { Drift($0, .changed) })
        }
    }

    /// The names that are looked for by a pattern: of domains, or of files and of folders in their places.
    private static func names(_ listing: Address, in container: Container) -> [Name] {
        guard listing.store.kind == .file, let key = listing.key else {
            let pattern = NamePattern(listing.store.name)
            return container.stores(of: .defaults).map(\.name).filter { pattern.match($0) != nil }
        }
        let keys = container.keys(in: listing.store), pattern = NameListing(key: key)
        return (keys.names + keys.folders).filter(pattern.fits)
    }
}

extension Workspace {
    /// The same container with the same given facts, as the dump and the ledger are now.
    ///
    /// Another program may have made the ledger, added to it, or let go of it. Whether files have changed is not looked for. What was
    /// given by ``setFact(_:to:source:)`` is of the dump as it was: another one in its place is not taken to have it.
    ///
    /// - Throws: ``WorkspaceError`` where the dump or its container is not there any more, or the ledger cannot be read.
    package func reopened() throws(WorkspaceError) -> Workspace {
        _ = try ledgerFile.refresh()
        let fresh: Dump
        do throws(DumpError) { fresh = try dump.reopened() } catch { throw .dump(error) }
        guard let same = fresh.byLedgerName[container.ledgerName] else {
            throw .dump(DumpError(dump.path, .gone))
        }
        let before = current
        let isSame = before.typed.isEmpty && before.remembered.names.isEmpty || memory.isOf(same, in: fresh)
        return try Workspace(
            dump: fresh, container: same, facts: isSame ? before.given : before.givenAtOpening, ledger: ledgerFile,
            asked: asked, after: isSame ? before : nil)
    }
}
