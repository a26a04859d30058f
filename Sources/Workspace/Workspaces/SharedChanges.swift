import DeviceDump
import MigrationEngine
import StoreFormats

/// What standing steps of other containers of the ledger have made of entries that a container has too: those of an app group,
/// of an extension, or keychain items of an access group that both are in.
///
/// On the device both apps run, and the second finds what the first has left. So a step sees these entries as they were left,
/// and is blocked where it would change one again: an entry is changed by one container, so that the order of the steps of
/// two does not matter, and an export has the same in it whichever app it is asked of.
struct SharedChanges {
    /// The container's stores with these changes.
    let stores: any StoreReader
    private let container: Container
    private let others: [(container: Container, standing: [LedgerEntry])]

    init(on container: Container, of dump: Dump, in file: LedgerFile) throws(WorkspaceError) {
        let own = container.ledgerName
        let byName = Dictionary(dump.containers.map { ($0.ledgerName, $0) }) { first, _ in first }
        var others: [(container: Container, standing: [LedgerEntry])] = []
        for name in try file.containers() where name != own {
            guard let other = byName[name], container.mayShare(with: other) else { continue }
            let standing = History(try file.ledger(of: name).entries()).standing
            if !standing.isEmpty { others.append((other, standing)) }
        }
        self.container = container
        self.others = others
        var overlay = Overlay(container), hasChanges = false
        for other in others {
            for entry in other.standing {
                for change in entry.changes where container.shares(change.address, with: other.container) {
                    hasChanges = true
                    overlay.apply(
                        change,
                        holding: """
                            the step \(entry.step) of \(other.container.identifier) has changed \(change.address), which both \
                            apps have: roll that step back first
                            """)
                }
            }
        }
        stores = hasChanges ? overlay : container
    }

    /// Refuses to take back a step on whose results a later one of another container rests.
    func checkNothingRests(on entry: LedgerEntry) throws(WorkspaceError) {
        for other in others {
            let shared = Set(entry.changes.map(\.address).filter { container.shares($0, with: other.container) })
            if shared.isEmpty { continue }
            let files = Set(
                shared.compactMap { $0.store.kind == .keychain ? nil : container.file(of: $0) }.map { Name("\($0)") })
            let resting = other.standing.last { later in
                later.date >= entry.date
                    && (later.digests.keys.contains(where: files.contains)
                        || later.changes.contains { $0.from.contains { shared.contains($0.entry) } })
            }
            if let resting { throw .restsOn(entry.step, container: other.container.identifier, step: resting.step) }
        }
    }
}
