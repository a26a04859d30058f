import OrderedCollections
import StoreFormats

/// Stores with changes laid over them: what is seen where nothing may be written.
///
/// An entry that is set back to what lies below has no edit any more, so that an overlay whose changes were all rolled
/// back is the same as none. Setting an entry takes constant time, besides reading the entry below.
public struct Overlay: KeychainNaming {
    /// What an edit makes of an entry.
    public struct Edit: Hashable, Sendable {
        /// The key of the entry.
        public var key: Name
        /// Its new value, or `nil` where it is removed.
        public var value: Value?
    }

    /// The edits of one store, in the order in which their keys were first touched.
    private struct Edits: Sendable {
        var byKey: OrderedDictionary<Name, Value?> = [:]
        /// How many of them are values; the others are removals.
        var values = 0

        mutating func set(_ key: Name, to edit: Value??) {
            let earlier = edit.map { byKey.updateValue($0, forKey: key) } ?? byKey.removeValue(forKey: key)
            if case .some(.some) = earlier { values -= 1 }
            if case .some(.some) = edit { values += 1 }
        }
    }

    /// The stores below.
    public let base: any StoreReader
    private var edits: [StoreID: Edits] = [:]
    private var addedStores: OrderedSet<StoreID> = []
    private var holds: [Address: String] = [:]

    /// Lays nothing over stores.
    public init(_ base: any StoreReader) {
        self.base = base
    }

    /// The edits of a store, in the order in which their keys were first touched.
    public func edits(in store: StoreID) -> [Edit] {
        edits[store]?.byKey.map { Edit(key: $0.key, value: $0.value) } ?? []
    }

    /// The stores that differ from those below: those that are listed, in their order, then such as a group's, which is
    /// there and is not.
    public var editedStores: [StoreID] {
        let listed = stores.filter { edits[$0] != nil }
        return listed
            + Set(edits.keys).subtracting(listed).sorted { ($0.kind.rawValue, $0.name) < ($1.kind.rawValue, $1.name) }
    }

    /// Puts an entry into a state; an unreadable state shows what lies below.
    public mutating func set(_ key: Name, in store: StoreID, to state: EntryState) {
        let edit: Value?? =
            switch state {
            case .unreadable: nil
            case _ where state == base.state(of: key, in: store): nil
            case .absent: .some(nil)
            case .present(let value): value
            }
        let had = edits[store]?.values ?? 0
        edits[store, default: Edits()].set(key, to: edit)
        if edits[store]?.byKey.isEmpty == true { edits[store] = nil }
        let has = edits[store]?.values ?? 0
        // Only the first value may bring a store, and the last may take it: what lies below is not asked each time.
        if has == 0 {
            addedStores.remove(store)
        } else if had == 0, !base.contains(store) {
            addedStores.append(store)
        }
    }

    /// Lays a change over what is seen.
    ///
    /// - Parameter reason: Why nothing laid over this may change the entry again; `nil` where it may.
    public mutating func apply(_ change: Change, holding reason: String? = nil) {
        guard let key = change.address.key else { return }
        set(key, in: change.address.store, to: EntryState(change.after))
        if let reason { holds[change.address] = reason }
    }

    /// Why an entry is not to be changed, here or below.
    public func hold(on entry: Address) -> String? { holds[entry] ?? base.hold(on: entry) }

    /// The stores below and those that changes brought.
    public var stores: [StoreID] { base.stores + addedStores }

    /// Why there may be stores below that are not listed.
    public var problem: Unreadable? { base.problem }

    /// Whether a store lies below or was brought by a change.
    public func contains(_ store: StoreID) -> Bool { addedStores.contains(store) || base.contains(store) }

    /// Why a store cannot be read.
    public func problem(with store: StoreID) -> Unreadable? { base.problem(with: store) }

    /// What a store, or an entry that lies below, is to what made it.
    public func annotation(of address: Address) -> String? { base.annotation(of: address) }

    /// Why an entry below has not a part; what a change made has all of its parts.
    public func unread(_ part: Name, of key: Name, in store: StoreID) -> Unreadable? {
        edits[store]?.byKey[key] == nil ? base.unread(part, of: key, in: store) : nil
    }

    /// Which keychain item an entry below is.
    package func identity(of key: Name, in store: StoreID) -> KeychainIdentity? {
        base.keychainIdentity(of: key, in: store)
    }

    /// The keys below without the removed ones, then the added ones.
    public func keys(in store: StoreID) -> any KeyList {
        let below = base.keys(in: store)
        guard let edits = edits[store] else { return below }
        return EditedKeys(
            of: below, without: edits.byKey.lazy.filter { $0.value == nil }.map(\.key),
            adding: edits.byKey.filter { $0.value != nil && !below.contains($0.key) }.map(\.key))
    }

    /// The edited entry or a part of it, or what the stores below say of theirs.
    public func state(at address: Address) -> EntryState {
        let isEdited = address.key.map { edits[address.store]?.byKey[$0] != nil } ?? false
        return isEdited ? found(at: address) : base.state(at: address)
    }

    /// The edited entry, or the one below.
    public func state(of key: Name, in store: StoreID) -> EntryState {
        if let edit = edits[store]?.byKey[key] { return EntryState(edit) }
        return base.state(of: key, in: store)
    }
}
