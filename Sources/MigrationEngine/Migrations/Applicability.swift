import OrderedCollections
import StoreFormats
import Synchronization

/// Whether there is anything in stores for a migration.
public enum Applicability: Hashable, Sendable {
    /// There is something that it reads or writes.
    case applies
    /// There is nothing for it.
    case findsNothing
    /// It found nothing, but could not look into these stores: that is not the same as nothing.
    case unknown([UnreadableStore])

    /// A store that could not be looked into.
    public struct UnreadableStore: Hashable, Sendable {
        /// The store; its name may be one that only the migration knows.
        public let store: StoreID
        /// Why it cannot be read.
        public let reason: Unreadable

        /// Notes a store.
        public init(_ store: StoreID, _ reason: Unreadable) {
            self.store = store
            self.reason = reason
        }
    }
}

/// Which of several migrations apply to stores, and of which that cannot be told.
public struct ApplicableMigrations: Sendable {
    /// Those that apply, in their order.
    public private(set) var applying: [any Migration] = []
    /// Those of which it is unknown, with the stores that they could not look into.
    public private(set) var unknown: [(migration: any Migration, stores: [Applicability.UnreadableStore])] = []
    /// Those for which there is nothing.
    public private(set) var others: [any Migration] = []

    /// Asks each migration; one of which steps stand applies, whatever these have left for it.
    ///
    /// - Parameters:
    ///   - history: What has been applied.
    ///   - isCancelled: Asked before each; where it says so, the others are left out.
    public init(
        among migrations: [any Migration], in stores: any StoreReader, facts: Facts, history: History = History(),
        isCancelled: () -> Bool = { false }
    ) {
        let standing = Set(history.standing.lazy.map(\.migration))
        for migration in migrations where !isCancelled() {
            if standing.contains(migration.id) {
                applying.append(migration)
                continue
            }
            switch migration.applicability(to: stores, facts: facts) {
            case .applies: applying.append(migration)
            case .findsNothing: others.append(migration)
            case .unknown(let stores): unknown.append((migration, stores))
            }
        }
    }

    /// Why something is unknown.
    public struct UnknownReason: Sendable {
        /// The reason.
        public let reason: Unreadable
        /// The migrations that it keeps from being told.
        public let migrations: [any Migration]
        /// Whether it is that of a keychain.
        public let isOfKeychain: Bool
    }

    /// The reasons for which something is unknown, each once.
    public var unknownReasons: [UnknownReason] {
        var reasons: OrderedDictionary<Unreadable, [any Migration]> = [:]
        for (migration, stores) in unknown {
            for reason in OrderedSet(stores.map(\.reason)) { reasons[reason, default: []].append(migration) }
        }
        let keychains = unknown.flatMap(\.stores).filter { $0.store.kind == .keychain }.map(\.reason)
        return reasons.map { UnknownReason(reason: $0, migrations: $1, isOfKeychain: keychains.contains($0)) }
    }
}

extension Migration {
    /// Whether there is anything for it in stores, told from those that can be read.
    public func applicability(to stores: any StoreReader, facts: Facts) -> Applicability {
        let asked = AskedStores(stores)
        if applies(to: asked, facts: facts) { return .applies }
        let unreadable = asked.unreadable
        return unreadable.isEmpty ? .findsNothing : .unknown(unreadable)
    }
}

extension StoreReader {
    /// The stores of a kind that are there, but for keychain items of which nobody can tell whose they are.
    ///
    /// Where there may be others of the kind that cannot be read, whoever asks whether a migration applies is told that
    /// they were looked for.
    public func stores(of kind: StoreID.Kind) -> [StoreID] {
        _ = problem(with: StoreID(kind, ""))
        return stores.filter { $0.kind == kind && !$0.isUnassigned }
    }
}

/// Stores that note which of those that are asked for cannot be read, and show nothing in them.
private struct AskedStores: StoreReader {
    /// What was noted, shared by the copies of the reader.
    private final class Notes: Sendable {
        /// What was asked about, in that order; `nil` where it can be read.
        let problems = Mutex<OrderedDictionary<StoreID, Unreadable?>>([:])
        /// Why keys that were asked for may be there unlisted.
        let unlisted = Mutex<OrderedDictionary<StoreID, Unreadable>>([:])
    }

    /// Keys that note where those that are asked for may be there unlisted.
    private struct AskedKeys: KeyList {
        let base: any KeyList
        let store: StoreID
        let notes: Notes

        var count: Int { base.count }
        func count(upTo limit: Int) -> Int { base.count(upTo: limit) }
        func key(at position: Int) -> Name { base.key(at: position) }
        func positions(of key: Name) -> [Int] { base.positions(of: key) }
        func positions(beginning prefix: Name) -> [Int] { base.positions(beginning: prefix) }
        var folders: [Name] { base.folders }

        func problem(under prefix: Name) -> Unreadable? {
            let problem = base.problem(under: prefix)
            if let problem { notes.unlisted.withLock { $0[store] = problem } }
            return problem
        }
    }

    private let base: any StoreReader
    private let notes = Notes()

    init(_ base: any StoreReader) { self.base = base }

    var unreadable: [Applicability.UnreadableStore] {
        notes.problems.withLock { problems in
            problems.compactMap { store, reason in
                reason.map { Applicability.UnreadableStore(store, $0) }
            }
        } + notes.unlisted.withLock { $0.map { Applicability.UnreadableStore($0.key, $0.value) } }
    }

    var stores: [StoreID] { base.stores }
    var problem: Unreadable? { base.problem }
    func contains(_ store: StoreID) -> Bool { base.contains(store) }
    func unread(_ part: Name, of key: Name, in store: StoreID) -> Unreadable? {
        base.unread(part, of: key, in: store)
    }

    func problem(with store: StoreID) -> Unreadable? {
        if let known = notes.problems.withLock({ $0[store] }) { return known }
        let problem = base.problem(with: store)
        notes.problems.withLock { _ = $0.updateValue(problem, forKey: store) }
        return problem
    }

    func keys(in store: StoreID) -> any KeyList {
        problem(with: store) == nil ? AskedKeys(base: base.keys(in: store), store: store, notes: notes) : Keys()
    }

    func state(of key: Name, in store: StoreID) -> EntryState {
        guard problem(with: store) == nil else { return .absent }
        let state = base.state(of: key, in: store)
        // Of what no dump of the form has in it, the store can be read, and nothing is known of the entry.
        guard case .unreadable(let reason) = state, reason.cause == .missing, !base.keys(in: store).contains(key) else {
            return state
        }
        notes.unlisted.withLock { $0[store] = reason }
        return .absent
    }

    /// Of an entry that is there and damaged nobody knows whether it has the part.
    func state(at address: Address) -> EntryState {
        let state = found(at: address)
        if !address.pointer.isRoot, case .unreadable(let reason) = state {
            notes.unlisted.withLock { $0[address.store] = reason }
        }
        return state
    }
}
