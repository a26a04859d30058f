import StoreFormats
import Synchronization

/// Stores of which the entries that were asked for last are kept, for one who asks for many parts of a few entries and
/// changes nothing.
struct RememberedStores: KeychainNaming {
    private let base: any StoreReader
    private let memory = Memory()

    /// The entries, shared by the copies of the reader.
    private final class Memory: Sendable {
        let entries = Mutex<[(address: Address, state: EntryState, memo: PartMemo)]>([])
        /// How many are kept: each may be large.
        static let limit = 16
    }

    init(_ base: any StoreReader) { self.base = base }

    var stores: [StoreID] { base.stores }
    var problem: Unreadable? { base.problem }
    func contains(_ store: StoreID) -> Bool { base.contains(store) }
    func problem(with store: StoreID) -> Unreadable? { base.problem(with: store) }
    func keys(in store: StoreID) -> any KeyList { base.keys(in: store) }
    func annotation(of address: Address) -> String? { base.annotation(of: address) }
    func hold(on entry: Address) -> String? { base.hold(on: entry) }
    func doubt(about store: StoreID) -> String? { base.doubt(about: store) }
    func loss(of value: Value, at entry: Address) -> String? { base.loss(of: value, at: entry) }
    func identity(of key: Name, in store: StoreID) -> KeychainIdentity? { base.keychainIdentity(of: key, in: store) }
    func unread(_ part: Name, of key: Name, in store: StoreID) -> Unreadable? {
        base.unread(part, of: key, in: store)
    }

    func state(of key: Name, in store: StoreID) -> EntryState {
        let address = Address(store: store, key: key)
        if let known = memory.entries.withLock({ $0.first { $0.address == address } }) { return known.state }
        let state = base.state(of: key, in: store)
        memory.entries.withLock { entries in
            if entries.count == Memory.limit { entries.removeFirst() }
            entries.append((address, state, PartMemo()))
        }
        return state
    }

    /// What cannot be read the stores themselves are asked for: they may tell others of it.
    func state(at address: Address) -> EntryState {
        let state = found(at: address)
        if case .unreadable = state { return base.state(at: address) }
        return state
    }

    func memo(of key: Name, in store: StoreID, holding value: Value) -> PartMemo? {
        let address = Address(store: store, key: key)
        return memory.entries.withLock { $0.first { $0.address == address }?.memo }
    }
}
