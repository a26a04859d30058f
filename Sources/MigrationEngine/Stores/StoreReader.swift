import StoreFormats

/// Stores that can be looked at: a container of a dump, a dump with changes laid over it, or stores in memory.
public protocol StoreReader: Sendable {
    /// The stores that are there, in the order to show them; a store that cannot be read is listed too.
    var stores: [StoreID] { get }

    /// Why there may be stores that ``stores`` does not list; `nil` where it lists all that are there.
    var problem: Unreadable? { get }

    /// Whether a store is there and can be read; `nil` where it is not there.
    func problem(with store: StoreID) -> Unreadable?

    /// The keys of a store in stored order; none where it is not there or cannot be read.
    func keys(in store: StoreID) -> any KeyList

    /// What is known of the entry under a key.
    func state(of key: Name, in store: StoreID) -> EntryState

    /// What is known of the entry at an address, or of a part of its value.
    func state(at address: Address) -> EntryState

    /// Why an entry's value, which is a dictionary, has not a part that it may have all the same: it is left out, as it cannot
    /// be read; `nil` where the entry has no such part.
    func unread(_ part: Name, of key: Name, in store: StoreID) -> Unreadable?

    /// Where what lies on the way to parts of an entry's value is kept; `nil` where each part is looked for anew.
    func memo(of key: Name, in store: StoreID, holding value: Value) -> PartMemo?

    /// Whether a store is there.
    func contains(_ store: StoreID) -> Bool

    /// What a store, or an entry of it, is to what made it, in a few words; `nil` where nothing says so.
    func annotation(of address: Address) -> String?

    /// Why an entry, which may be read, is not to be changed; `nil` where it may be.
    func hold(on entry: Address) -> String?

    /// Why what a store has may be older than what its app left, in a clause; `nil` where nothing says so.
    func doubt(about store: StoreID) -> String?

    /// What of an entry's new value a copy of the stores cannot say, in a clause; `nil` where it says all of it.
    func loss(of value: Value, at entry: Address) -> String?
}

extension StoreReader {
    /// What is known of the entry at an address, or of the part of its value that the pointer names.
    ///
    /// The pointer may lead through what other formats hold; where it comes to what has no parts, nothing is known of the
    /// part, as for all that is not read. An address without a key is absent: a store as a whole is not
    /// an entry.
    public func state(at address: Address) -> EntryState { found(at: address) }

    func found(at address: Address) -> EntryState {
        guard let key = address.key else { return .absent }
        let state = state(of: key, in: address.store)
        guard !address.pointer.isRoot, case .present(let value) = state else { return state }
        let found = part(at: address, in: value, remembering: memo(of: key, in: address.store, holding: value))
        if found == .absent, let first = address.pointer.tokens.first, value.members?[first] == nil,
            let reason = unread(first, of: key, in: address.store)
        {
            return .unreadable(reason)
        }
        return found
    }

    /// What stands at an address.
    ///
    /// - Parameter depth: How many steps of its pointer lead to the value.
    func part(
        at address: Address, in value: Value, below depth: Int = 0, remembering memo: PartMemo?
    ) -> EntryState {
        let tokens = address.pointer.tokens
        func place(_ pointer: JSONPointer) -> Address {
            Address(store: address.store, key: address.key, pointer: JSONPointer(tokens[..<depth] + pointer.tokens))
        }
        do throws(FormatError) {
            let followed = try value.following(JSONPointer(Array(tokens[depth...])), remembering: memo)
            if let twice = followed.repeated {
                return .unreadable(
                    Unreadable(
                        .ambiguous,
                        "\(place(twice)) stands more than once, and programs differ on which value counts"))
            }
            // Of what is there in another form nobody knows whether it had the part.
            if let (place, found) = followed.obstacle.map({ (place($0.place), $0.value) }) {
                let phrase = found.isEmptyScalar ? "empty" : found.typePhrase
                return .unreadable(Unreadable(.corrupt, "\(place) is \(phrase), and has no part \(address.pointer)"))
            }
            return EntryState(followed.part)
        } catch {
            return .unreadable(Unreadable(error))
        }
    }

    /// None: a value has all of its parts.
    public func unread(_ part: Name, of key: Name, in store: StoreID) -> Unreadable? { nil }

    /// None: each part is looked for anew.
    public func memo(of key: Name, in store: StoreID, holding value: Value) -> PartMemo? { nil }

    /// Nothing says so.
    public func annotation(of address: Address) -> String? { nil }

    /// Nothing keeps it from being changed.
    public func hold(on entry: Address) -> String? { nil }

    /// Nothing says so.
    public func doubt(about store: StoreID) -> String? { nil }

    /// Nothing: a copy says all of it.
    public func loss(of value: Value, at entry: Address) -> String? { nil }

    /// None: the list of the stores is whole.
    public var problem: Unreadable? { nil }

    /// Whether a store is there.
    public func contains(_ store: StoreID) -> Bool { stores.contains(store) }
}

/// Stores that changes can be made in.
public protocol StoreWriter: StoreReader {
    /// Makes these changes, all of them or none.
    ///
    /// - Throws: what the stores say where the changes cannot be made; then nothing has changed.
    mutating func commit(_ changes: [Change]) throws
}

extension Value {
    /// Whether it is data or text of no length.
    fileprivate var isEmptyScalar: Bool {
        switch self {
        case .data(let data): data.isEmpty
        case .string(let text): text.isEmpty
        default: false
        }
    }
}
