import MigrationEngine
import StoreFormats

/// A store that cannot be read, and one whose entry cannot.
struct UnreadableStores: StoreReader {
    let reason: Unreadable

    var stores: [StoreID] { [.defaults("locked"), .defaults("open")] }
    func problem(with store: StoreID) -> Unreadable? { store == .defaults("locked") ? reason : nil }
    func keys(in store: StoreID) -> any KeyList { Keys(store == .defaults("open") ? ["entry"] : []) }
    func state(of key: Name, in store: StoreID) -> EntryState {
        store == .defaults("open") && key == "entry" ? .unreadable(reason) : .absent
    }
}
