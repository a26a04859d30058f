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
            let same = reopened.containers.first { $0.ledgerName == container.ledgerName }
            guard let same else { throw .changedSinceOpening([Drift(Name(container.path), .missing)]) }
            return same
        }
    }

    /// Refuses entries that are not what they were when they were first read.
    func check(_ addresses: [Address]) throws(WorkspaceError) {
        let fresh = try fresh.get()
        let changed = addresses.filter { address in
            guard let key = address.key else { return false }
            return fresh.state(of: key, in: address.store) != container.state(of: key, in: address.store)
        }
        guard changed.isEmpty else {
            let files = Set(changed.map { Name(container.file(of: $0)?.description ?? "\($0)") })
            throw .changedSinceOpening(files.sorted().map { Drift($0, .changed) })
        }
    }
}
