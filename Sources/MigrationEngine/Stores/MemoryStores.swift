import StoreFormats

/// Stores in memory, for tests and for programs that bring their own values.
public struct MemoryStores: StoreWriter {
    private var contents: [(store: StoreID, members: Members)] = []

    /// Makes stores with these members.
    public init(_ contents: [(StoreID, Members)] = []) {
        self.contents = contents.map { (store: $0.0, members: $0.1) }
    }

    /// The members of a store, or `nil` where it is not there; setting it puts the store there or takes it away.
    public subscript(store: StoreID) -> Members? {
        get { contents.first { $0.store == store }?.members }
        set {
            let index = contents.firstIndex { $0.store == store }
            switch (index, newValue) {
            case (let index?, let members?): contents[index].members = members
            case (let index?, nil): contents.remove(at: index)
            case (nil, let members?): contents.append((store, members))
            case (nil, nil): break
            }
        }
    }

    /// The stores that are there.
    public var stores: [StoreID] { contents.map(\.store) }

    /// Always `nil`: memory can be read.
    public func problem(with store: StoreID) -> Unreadable? { nil }

    /// The keys of a store.
    public func keys(in store: StoreID) -> any KeyList { Keys(self[store]?.map(\.key) ?? []) }

    /// The entry under a key.
    public func state(of key: String, in store: StoreID) -> EntryState {
        self[store]?[key].map(EntryState.present) ?? .absent
    }

    /// Makes these changes.
    public mutating func commit(_ changes: [Change]) {
        for change in changes {
            guard let key = change.address.key else { continue }
            var members = self[change.address.store] ?? Members()
            members[key] = change.after
            self[change.address.store] = members.isEmpty ? nil : members
        }
    }
}
