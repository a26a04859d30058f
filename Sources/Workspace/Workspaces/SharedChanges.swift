import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats

/// What standing steps of other containers of the ledger have made of entries that a container has too: those of an app group,
/// or keychain items of an access group that both are in.
///
/// On the device both apps run, and the second finds what the first has left. So a step sees these entries as they were left,
/// and is blocked where it would change one again: an entry is changed by one container, so that the order of the steps of
/// two does not matter, and an export has the same in it whichever app it is asked of.
struct SharedChanges {
    /// The container's stores with these changes.
    let stores: any StoreReader
    /// The changes with when they were made, the first one first.
    let changes: [(date: Date, change: Change)]
    private let container: Container
    private let others: [(container: Container, standing: [LedgerEntry])]

    init(on container: Container, of dump: Dump, in file: LedgerFile) throws(WorkspaceError) {
        let own = container.ledgerName, byName = dump.byLedgerName
        var others: [(container: Container, standing: [LedgerEntry])] = []
        for (name, addresses) in try file.touchedAddresses() where name != own {
            // Most have nothing in common, and their entries are not read.
            guard let found = byName[name], addresses.contains(where: { container.mayShare($0, with: found) }) else {
                continue
            }
            let history = History(try file.ledger(of: name).entries())
            if !history.standing.isEmpty { others.append((dump.claiming(history, for: found), history.standing)) }
        }
        self.container = container
        self.others = others
        var overlay = Overlay(container), changes: [(date: Date, change: Change)] = []
        for other in others {
            for entry in other.standing {
                for change in entry.changes where container.shares(change.address, with: other.container) {
                    changes.append((entry.date, change))
                    overlay.apply(
                        change,
                        holding: """
                            the step \(entry.step) of \(other.container.identifier) has changed \(change.address), which both \
                            apps have: roll that step back first
                            """)
                }
            }
        }
        stores = changes.isEmpty ? container : overlay
        self.changes = changes.sorted { $0.date < $1.date }
    }

    /// The numbers of the entries that may have read what another container has changed since.
    func outdated(in history: History) -> Set<Int> {
        guard let last = changes.last?.date else { return [] }
        return Set(history.entries.filter { $0.date < last }.map(\.number))
    }

    /// Refuses to take back a step on whose results a later one of another container rests.
    func checkNothingRests(on entry: LedgerEntry) throws(WorkspaceError) {
        for other in others {
            let shared = Set(entry.changes.map(\.address).filter { container.shares($0, with: other.container) })
            if shared.isEmpty { continue }
            let resting = other.standing.last { later in
                later.date >= entry.date
                    && later.changes.contains { $0.from.contains { shared.contains($0.entry) } }
            }
            if let resting { throw .restsOn(entry.step, container: other.container.identifier, step: resting.step) }
        }
    }
}
