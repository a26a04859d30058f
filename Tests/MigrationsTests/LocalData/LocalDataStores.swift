import MigrationEngine
import Synchronization
import StoreFormats

/// Stores that count how often something is committed.
struct CountingStores: StoreWriter {
    static let commits = Mutex(0)
    private var base: MemoryStores

    init(_ base: MemoryStores) {
        self.base = base
        Self.commits.withLock { $0 = 0 }
    }

    var stores: [StoreID] { base.stores }
    func problem(with store: StoreID) -> Unreadable? { nil }
    func keys(in store: StoreID) -> any KeyList { base.keys(in: store) }
    func state(of key: Name, in store: StoreID) -> EntryState { base.state(of: key, in: store) }

    mutating func commit(_ changes: [Change]) {
        Self.commits.withLock { $0 += 1 }
        base.commit(changes)
    }
}

/// Stores whose keychain is locked.
struct LockedStores: StoreWriter {
    static let reason = Unreadable(.locked, "the device is locked")

    var stores: [StoreID] { [] }
    func problem(with store: StoreID) -> Unreadable? { store.kind == .keychain ? Self.reason : nil }
    func keys(in store: StoreID) -> any KeyList { Keys() }
    func state(of key: Name, in store: StoreID) -> EntryState {
        store.kind == .keychain ? .unreadable(Self.reason) : .absent
    }
    mutating func commit(_ changes: [Change]) {}
}
