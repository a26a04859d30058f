import DeviceDump
import MigrationEngine
import StoreFormats

/// What standing steps of other containers of the ledger have made of entries that a container has too: those of an app group,
/// or of an extension, whatever each calls them, or keychain items of an access group that both are in.
///
/// On the device both apps run, and the second finds what the first has left. So a step sees these entries as they were left,
/// and is blocked where it would change one again: an entry is changed by one container, so that the order of the steps of
/// two does not matter, and an export has the same in it whichever app it is asked of.
struct SharedChanges {
    /// The container's stores with these changes.
    let stores: any StoreReader
    /// The changes by the places of their entries in the file, the first one first.
    let changes: [(place: Int, change: Change, hold: String)]
    private let container: Container
    private let others: [(container: Container, history: History, standing: [(place: Int, entry: LedgerEntry)])]
    /// The places of the container's own entries, in order.
    private let own: [Int]
    /// The places of the entries that have changed something, by what they have.
    private let makers: [Address: Set<Int>]

    init(on container: Container, of dump: Dump, in file: LedgerFile) throws(WorkspaceError) {
        let name = container.ledgerName, byName = dump.byLedgerName
        let resting = try file.containersResting(on: name)
        var found: [(container: Container, history: History)] = []
        for (other, addresses) in try file.touchedAddresses() where other != name {
            // Most have nothing in common, and their entries are not read.
            guard let known = byName[other],
                resting.contains(other) || addresses.contains(where: { container.mayShare($0, with: known) })
            else { continue }
            let history = History(try file.ledger(of: other).entries())
            if !history.standing.isEmpty { found.append((dump.claiming(history, for: known), history)) }
        }
        let places = found.isEmpty ? [:] : try file.places(of: Set(found.map(\.container.ledgerName) + [name]))
        let others = found.map { other, history in
            let standing = history.standing.map { (place: Self.place(of: $0, places[other.ledgerName]), entry: $0) }
            return (container: other, history: history, standing: standing)
        }
        self.others = others
        own = places[name] ?? []
        var overlay = Overlay(container), makers: [Address: Set<Int>] = [:]
        var changes: [(place: Int, change: Change, hold: String)] = []
        for (other, _, standing) in others {
            for (place, entry) in standing {
                for var change in entry.changes {
                    let what = "the step \(entry.step) of \(other.identifier)"
                    switch container.sharing(change, with: other) {
                    case .none: continue
                    case .unknown(let address, let group):
                        var reason = Unreadable(
                            .missing,
                            "\(what) has made an item of that name in the access group \(group), and nothing says "
                                + "whether this app reads it")
                        reason.accessGroup = group
                        overlay.cover(address, with: reason)
                        change.address = address
                    case .same(let address):
                        change.address = address
                        let hold = "\(what) has changed \(address), which both apps have: roll that step back first"
                        changes.append((place, change, hold))
                        overlay.apply(change, holding: hold)
                    }
                    makers[change.address, default: []].insert(place)
                }
            }
        }
        self.container = container
        stores = makers.isEmpty ? container : overlay
        self.makers = makers
        self.changes = changes.sorted { $0.place < $1.place }
    }

    /// Whether these are the same changes, of entries at the same places.
    func holdsSame(as other: SharedChanges) -> Bool {
        own == other.own && makers == other.makers
            && changes.elementsEqual(other.changes) { $0.place == $1.place && $0.change == $1.change }
    }

    /// The place of an entry of the container's own among all of the file; one that is new comes last.
    func place(of entry: LedgerEntry) -> Int { Self.place(of: entry, own) }

    private static func place(of entry: LedgerEntry, _ places: [Int]?) -> Int {
        guard let places, places.indices.contains(entry.number - 1) else { return .max }
        return places[entry.number - 1]
    }

    /// What was there before the first standing step of a migration, whatever another container has changed since.
    func origin(of migration: String, in history: History) -> Overlay {
        guard let first = history.firstStanding(of: migration).map(place), let last = changes.last, last.place > first
        else { return history.origin(of: migration, on: stores) }
        var overlay = Overlay(container)
        for (place, change, _) in changes where place < first { overlay.apply(change) }
        return history.origin(of: migration, on: overlay)
    }

    /// The files, behind the steps whose changes these are, that are not what they were then: what they have left is not what
    /// they would leave now.
    ///
    /// - Parameter history: The container's own: what it has gone on in spite of is told no more.
    func drift(
        in digests: inout FileDigests, since history: History, isCancelled: () -> Bool
    ) throws(WorkspaceError) -> [Drift] {
        let shown = Set(changes.map(\.place))
        var found: [Drift] = []
        for other in others {
            let relevant = other.standing.filter { shown.contains($0.place) }
            guard let last = relevant.last?.place else { continue }
            let accepted = history.standing.filter { place(of: $0) > last }
            for drift in try digests.drift(
                since: other.history, behind: relevant.map(\.entry), isCancelled: isCancelled)
            where !accepted.contains(where: { $0.digests[drift.path] == digests.digest(of: drift.path) }) {
                found.append(drift)
            }
        }
        return found
    }

    /// The numbers of the entries that may have read what another container has changed since.
    func outdated(in history: History) -> Set<Int> {
        guard let last = changes.last?.place else { return [] }
        return Set(history.entries.filter { place(of: $0) < last }.map(\.number))
    }

    /// The places of the entries on whose results a step rests: it has read, or looked for, what they have changed; or a step
    /// that must come before it has.
    func foundations(of preview: StepPreview) -> Set<Int> {
        if makers.isEmpty { return [] }
        let asked = [preview.asked] + preview.awaited
        let read = Set(asked.lazy.flatMap(\.reads).map(\.entry)), searched = Set(asked.lazy.flatMap(\.searched))
        return makers.reduce(into: []) { places, made in
            let store = made.key.store
            // Whether a store is there is of them only where the dump has none.
            let isFound = read.contains(Address(store: store)) && !container.contains(store)
            if isFound || read.contains(made.key) || searched.contains(store) { places.formUnion(made.value) }
        }
    }

    /// What refuses to take back a step on whose results a later one of another container rests.
    ///
    /// The others' entries are gone through once, however many steps are taken back.
    func restingCheck() -> (LedgerEntry) throws(WorkspaceError) -> Void {
        typealias Later = (place: Int, step: String)
        let all = others.map { other in
            var ofEntries: [Int: Later] = [:], ofSources: [Address: Later] = [:]
            for (place, entry) in other.standing {
                for own in entry.restsOn { ofEntries[own] = (place, entry.step) }
                // Entries of earlier schemas did not say it: what they were made from tells as much as it can.
                for source in Set(entry.changes.flatMap(\.from).map(\.entry)) {
                    guard let own = container.address(of: source, in: other.container) else { continue }
                    ofSources[own] = (place, entry.step)
                }
            }
            return (name: other.container.identifier, ofEntries: ofEntries, ofSources: ofSources)
        }
        return { entry throws(WorkspaceError) in
            let place = place(of: entry)
            for other in all {
                let later = [other.ofEntries[place]] + entry.changes.map { other.ofSources[$0.address] }
                let resting = later.compactMap(\.self).filter { $0.place > place }.max { $0.place < $1.place }
                if let resting { throw .restsOn(entry.step, container: other.name, step: resting.step) }
            }
        }
    }
}
