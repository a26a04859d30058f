import OrderedCollections
import StoreFormats
import Synchronization

/// Stores that note what is asked of them: what was found there is what an answer rests on.
struct NotedStores: StoreReader {
    /// What was asked for, shared by the copies of the reader.
    private final class Notes: Sendable {
        let asked = Mutex<(entries: OrderedSet<Address>, searched: Set<StoreID>)>(([], []))
    }

    private let base: any StoreReader
    private let notes = Notes()

    init(_ base: any StoreReader) { self.base = base }

    /// The entries that were asked for, each once, in that order; without a key a store of which it was asked whether it is
    /// there.
    var entries: OrderedSet<Address> { notes.asked.withLock(\.entries) }
    /// The stores whose keys were asked for.
    var searched: Set<StoreID> { notes.asked.withLock(\.searched) }

    private func note(_ address: Address) { notes.asked.withLock { _ = $0.entries.append(address) } }

    var stores: [StoreID] { base.stores }
    var problem: Unreadable? { base.problem }
    func problem(with store: StoreID) -> Unreadable? { base.problem(with: store) }
    func memo(of key: Name, in store: StoreID, holding value: Value) -> PartMemo? {
        base.memo(of: key, in: store, holding: value)
    }
    func annotation(of address: Address) -> String? { base.annotation(of: address) }
    func hold(on entry: Address) -> String? { base.hold(on: entry) }
    func doubt(about store: StoreID) -> String? { base.doubt(about: store) }
    func loss(of value: Value, at entry: Address) -> String? { base.loss(of: value, at: entry) }
    func unread(_ part: Name, of key: Name, in store: StoreID) -> Unreadable? {
        base.unread(part, of: key, in: store)
    }

    func contains(_ store: StoreID) -> Bool {
        note(Address(store: store))
        return base.contains(store)
    }

    func keys(in store: StoreID) -> any KeyList {
        notes.asked.withLock { _ = $0.searched.insert(store) }
        return base.keys(in: store)
    }

    func state(of key: Name, in store: StoreID) -> EntryState {
        note(Address(store: store, key: key))
        return base.state(of: key, in: store)
    }

    func state(at address: Address) -> EntryState {
        note(address)
        return base.state(at: address)
    }
}
