import OrderedCollections
import StoreFormats

/// Stores in memory, for tests and for programs that bring their own values.
public struct MemoryStores: StoreWriter {
    private var contents: OrderedDictionary<StoreID, OrderedDictionary<Name, Value>>

    /// Makes stores with these members; of a key that stands twice the first counts.
    public init(_ contents: [(StoreID, Members)] = []) {
        self.contents = OrderedDictionary(
            contents.map { ($0.0, Self.entries($0.1)) }, uniquingKeysWith: { first, _ in first })
    }

    private static func entries(_ members: Members) -> OrderedDictionary<Name, Value> {
        OrderedDictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// The members of a store, or `nil` where it is not there; setting it puts the store there or takes it away.
    public subscript(store: StoreID) -> Members? {
        get { contents[store].map { Members($0.map { Member(key: $0.key, value: $0.value) }) } }
        set { contents[store] = newValue.map(Self.entries) }
    }

    /// The stores that are there.
    public var stores: [StoreID] { Array(contents.keys) }

    /// Whether a store is there.
    public func contains(_ store: StoreID) -> Bool { contents[store] != nil }

    /// Always `nil`: memory can be read.
    public func problem(with store: StoreID) -> Unreadable? { nil }

    /// The keys of a store.
    public func keys(in store: StoreID) -> any KeyList { Keys(contents[store].map { Array($0.keys) } ?? []) }

    /// The entry under a key.
    public func state(of key: Name, in store: StoreID) -> EntryState {
        EntryState(contents[store]?[key])
    }

    /// Makes these changes.
    public mutating func commit(_ changes: [Change]) {
        for change in changes {
            guard let key = change.address.key else { continue }
            contents[change.address.store, default: [:]][key] = change.after
            if contents[change.address.store]?.isEmpty == true { contents[change.address.store] = nil }
        }
    }
}
