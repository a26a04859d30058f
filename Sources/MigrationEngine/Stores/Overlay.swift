import StoreFormats

/// Stores with changes laid over them: what is seen where nothing may be written.
///
/// An entry that is set back to what lies below has no edit any more, so that an overlay whose changes were all taken
/// back is the same as none.
public struct Overlay: StoreReader {
    /// What an edit makes of an entry.
    public struct Edit: Hashable, Sendable {
        /// The key of the entry.
        public var key: String
        /// Its new value, or `nil` where it is removed.
        public var value: Value?
    }

    /// The stores below.
    public let base: any StoreReader
    private var editsByStore: [StoreID: [Edit]] = [:]
    private var addedStores: [StoreID] = []

    /// Lays nothing over stores.
    public init(_ base: any StoreReader) {
        self.base = base
    }

    /// The edits of a store, in the order in which their keys were first touched.
    public func edits(in store: StoreID) -> [Edit] { editsByStore[store] ?? [] }

    /// The stores that differ from those below.
    public var editedStores: [StoreID] { stores.filter { editsByStore[$0] != nil } + emptiedStores }

    private var emptiedStores: [StoreID] {
        base.stores.filter { editsByStore[$0] != nil && !stores.contains($0) }
    }

    /// Puts an entry into a state; an unreadable state shows what lies below.
    public mutating func set(_ key: String, in store: StoreID, to state: EntryState) {
        var edits = editsByStore[store] ?? []
        let position = edits.firstIndex { $0.key.isIdentical(to: key) }
        if case .unreadable = state {
            if let position { edits.remove(at: position) }
        } else if state == base.state(of: key, in: store) {
            if let position { edits.remove(at: position) }
        } else if let position {
            edits[position].value = state.value
        } else {
            edits.append(Edit(key: key, value: state.value))
        }
        editsByStore[store] = edits.isEmpty ? nil : edits
        if base.contains(store) { return }
        addedStores.removeAll { $0 == store }
        if edits.contains(where: { $0.value != nil }) { addedStores.append(store) }
    }

    /// Lays a change over what is seen.
    public mutating func apply(_ change: Change) {
        guard let key = change.address.key else { return }
        set(key, in: change.address.store, to: change.after.map(EntryState.present) ?? .absent)
    }

    /// The stores below and those that changes brought.
    public var stores: [StoreID] { base.stores + addedStores }

    /// Why a store cannot be read.
    public func problem(with store: StoreID) -> Unreadable? { base.problem(with: store) }

    /// The keys below without the removed ones, then the added ones.
    public func keys(in store: StoreID) -> any KeyList {
        let below = base.keys(in: store)
        guard let edits = editsByStore[store] else { return below }
        let removed = edits.filter { $0.value == nil }.map(\.key)
        let added = edits.filter { $0.value != nil && below.position(of: $0.key) == nil }.map(\.key)
        return JoinedKeys(first: RemainingKeys(of: below, without: removed), more: added)
    }

    /// The edited entry, or the one below.
    public func state(of key: String, in store: StoreID) -> EntryState {
        if let edit = editsByStore[store]?.first(where: { $0.key.isIdentical(to: key) }) {
            return edit.value.map(EntryState.present) ?? .absent
        }
        return base.state(of: key, in: store)
    }
}

/// Keys followed by further keys.
private struct JoinedKeys: KeyList {
    let first: any KeyList
    let more: [String]

    var count: Int { first.count + more.count }

    func key(at position: Int) -> String {
        position < first.count ? first.key(at: position) : more[position - first.count]
    }

    func position(of key: String) -> Int? {
        first.position(of: key) ?? more.firstIndex { $0.isIdentical(to: key) }.map { first.count + $0 }
    }
}
