import MigrationEngine
import StoreFormats
import Synchronization

/// Many keys that are made on demand and count how often they are asked for.
final class CountingKeys: KeyList {
    let count: Int
    private let counter = Mutex(0)

    init(count: Int) { self.count = count }

    /// How many keys were asked for.
    var accesses: Int { counter.withLock { $0 } }

    func key(at position: Int) -> Name {
        counter.withLock { $0 += 1 }
        return "key.\(position)"
    }

    func positions(of key: Name) -> [Int] {
        counter.withLock { $0 += 1 }
        guard key.hasPrefix("key."), let position = Int(key.text.dropFirst(4)), (0..<count).contains(position) else {
            return []
        }
        return [position]
    }
}

/// One store with those keys.
struct CountedStores: StoreReader {
    static let store = StoreID.defaults("com.acme.notes")
    let keys: CountingKeys

    var stores: [StoreID] { [Self.store] }
    func problem(with store: StoreID) -> Unreadable? { nil }
    func keys(in store: StoreID) -> any KeyList { keys }
    func state(of key: Name, in store: StoreID) -> EntryState {
        keys.position(of: key).map { .present(.integer(Int128($0))) } ?? .absent
    }
}
