import Foundation
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
        /// How many values lie below each folder, by its path; of a store of files.
        private var folders: [Name: Int] = [:]
        private let isOfFiles: Bool

        init(of store: StoreID) { isOfFiles = store.kind == .file }

        /// - Returns: How many of them were values before.
        mutating func set(_ key: Name, to edit: Value??) -> Int {
            let had = values
            let earlier = edit.map { byKey.updateValue($0, forKey: key) } ?? byKey.removeValue(forKey: key)
            if case .some(.some) = earlier { count(key, -1) }
            if case .some(.some) = edit { count(key, 1) }
            return had
        }

        private mutating func count(_ key: Name, _ change: Int) {
            values += change
            guard isOfFiles else { return }
            for folder in key.folders {
                let count = folders[folder, default: 0] + change
                folders[folder] = count == 0 ? nil : count
            }
        }

        /// Why there can be no file at a path, as a value is in the way; `nil` where none is.
        func obstacle(at file: Name, in store: StoreID) -> Unreadable? {
            guard isOfFiles, values > 0 else { return nil }
            func problem(_ path: Name, _ what: String) -> Unreadable {
                Unreadable(.inaccessible, "\(Address(store: store, key: path)) is \(what)")
            }
            if folders[file] != nil { return problem(file, "a folder") }
            let above = file.folders.first { if case .some(.some) = byKey[$0] { true } else { false } }
            return above.map { problem($0, "not a folder") }
        }
    }

    /// The stores below.
    public let base: any StoreReader
    private var edits: [StoreID: Edits] = [:]
    /// The edited entries of which members are written one by one; the edit itself is what was there before the first of them.
    private var opened: [Address: EditedMembers] = [:]
    private var addedStores: OrderedSet<StoreID> = []
    private var holds: [Address: String] = [:]
    private var covers: [StoreID: [Name: Unreadable]] = [:]
    /// What was found on the ways to parts, here, by copies, and by what lies below: it goes by what an entry holds.
    private let memory: PartMemory

    /// Lays nothing over stores.
    public init(_ base: any StoreReader) {
        self.base = base
        memory = (base as? Overlay)?.memory ?? PartMemory()
    }

    /// The edits of a store, in the order in which their keys were first touched.
    public func edits(in store: StoreID) -> [Edit] {
        edits[store]?.byKey.map { key, value in
            Edit(key: key, value: opened(key, in: store)?.value ?? value)
        } ?? []
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
        switch state {
        case .unreadable: set(key, in: store, nil)
        case _ where state == base.state(of: key, in: store): set(key, in: store, nil)
        case .absent: set(key, in: store, .some(nil))
        case .present(let value): set(key, in: store, value)
        }
    }

    /// Gives an entry a value, or takes it away, where whoever does has just looked at what is seen there.
    mutating func set(_ address: Address, seeing before: EntryState, to after: Value?) {
        guard let key = address.key else { return }
        // What is not edited yet is as below, and that is not asked again.
        if edits[address.store]?.byKey[key] == nil, before.isReadable {
            set(key, in: address.store, .some(after))
        } else {
            set(key, in: address.store, to: EntryState(after))
        }
    }

    /// Whether what leads to a part is dictionaries of defaults, so that it is written by itself.
    mutating func takesMember(at address: Address) -> Bool {
        guard address.store.kind == .defaults, !address.pointer.isRoot else { return false }
        let entry = address.entry
        if opened[entry] == nil, case .present(let value) = state(at: entry), KeychainItem(value) == nil {
            opened[entry] = EditedMembers(value)
        }
        return opened[entry]?.takes(address.pointer.tokens[...]) ?? false
    }

    /// Gives a member of an entry a value, or takes it away, where ``takesMember(at:)`` says yes.
    ///
    /// - Returns: What takes that back.
    mutating func set(_ address: Address, toMember value: Value?) -> EditedMembers.Undo? {
        guard let key = address.key, let before = opened[address.entry]?.before else { return nil }
        if edits[address.store]?.byKey[key] == nil { place(key, in: address.store, before) }
        return opened[address.entry]?.set(address.pointer.tokens[...], to: value)
    }

    /// Takes back a write of a member, after those that came later.
    mutating func take(back undo: EditedMembers.Undo, of entry: Address) {
        opened[entry]?.take(back: undo)
        // An entry that is as it was is no edit.
        guard let edited = opened[entry], edited.isUnedited, let key = entry.key else { return }
        let isAsBelow = base.state(of: key, in: entry.store) == .present(edited.before)
        place(key, in: entry.store, isAsBelow ? nil : .some(edited.before))
    }

    /// What is written of an entry member by member.
    func openedEntry(_ entry: Address) -> EditedMembers? { opened[entry] }

    /// Puts an entry back to what was written of it member by member.
    mutating func reopen(_ entry: Address, as edited: EditedMembers) {
        guard let key = entry.key else { return }
        place(key, in: entry.store, edited.before)
        opened[entry] = edited
    }

    private func opened(_ key: Name, in store: StoreID) -> EditedMembers? {
        opened.isEmpty ? nil : opened[Address(store: store, key: key)]
    }

    private mutating func set(_ key: Name, in store: StoreID, _ edit: Value??) {
        if !opened.isEmpty { opened[Address(store: store, key: key)] = nil }
        place(key, in: store, edit)
    }

    private mutating func place(_ key: Name, in store: StoreID, _ edit: Value??) {
        let (had, has, isEmpty) = Self.edit(&edits[store, default: Edits(of: store)], key, edit)
        if isEmpty { edits[store] = nil }
        // Only the first value may bring a store, and the last may take it: what lies below is not asked each time.
        if has == 0 {
            addedStores.remove(store)
        } else if had == 0, !base.contains(store) {
            addedStores.append(store)
        }
    }

    /// In one look for the store: how many values there were and are, and whether there is no edit any more.
    private static func edit(_ edits: inout Edits, _ key: Name, _ edit: Value??) -> (Int, Int, Bool) {
        (edits.set(key, to: edit), edits.values, edits.byKey.isEmpty)
    }

    /// Makes an entry unknown that is not there: what may be there by now, and of which nothing tells.
    public mutating func cover(_ entry: Address, with reason: Unreadable) {
        guard let key = entry.key else { return }
        covers[entry.store, default: [:]][key] = reason
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

    /// Why what a store below has may be older than what its app left.
    public func doubt(about store: StoreID) -> String? { base.doubt(about: store) }

    /// What of an entry's new value a copy of the stores below cannot say.
    public func loss(of value: Value, at entry: Address) -> String? { base.loss(of: value, at: entry) }

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
        var below = base.keys(in: store)
        if let covered = covers[store] { below = UncertainKeys(base: below, uncertain: covered) }
        guard let edits = edits[store] else { return below }
        return EditedKeys(
            of: below, without: edits.byKey.lazy.filter { $0.value == nil }.map(\.key),
            adding: edits.byKey.filter { $0.value != nil && !below.contains($0.key) }.map(\.key))
    }

    /// The edited entry or a part of it, or what the stores below say of theirs.
    public func state(at address: Address) -> EntryState {
        guard let key = address.key else { return base.state(at: address) }
        if let edited = opened(key, in: address.store) { return state(at: address, in: edited) }
        if own(key, in: address.store) != nil { return found(at: address) }
        if address.pointer.isRoot { return base.state(at: address) }
        // What cannot be read the stores below are asked for: they may tell others of it.
        let state = found(at: address)
        if case .unreadable = state { return base.state(at: address) }
        return state
    }

    private func state(at address: Address, in edited: EditedMembers) -> EntryState {
        let tokens = address.pointer.tokens
        guard let (value, depth) = edited.holder(of: tokens[...]) else { return .absent }
        guard depth < tokens.count else { return .present(value) }
        let holder = Address(store: address.store, key: address.key, pointer: JSONPointer(Array(tokens[..<depth])))
        return part(at: address, in: value, below: depth, remembering: memory.memo(of: holder, holding: value))
    }

    /// What the stores below remember of theirs, else what is remembered here.
    public func memo(of key: Name, in store: StoreID, holding value: Value) -> PartMemo? {
        let isBelow = edits[store]?.byKey[key] == nil && own(key, in: store) == nil
        let below = isBelow ? base.memo(of: key, in: store, holding: value) : nil
        return below ?? memory.memo(of: Address(store: store, key: key), holding: value)
    }

    /// The value of an entry with a part of the document in it replaced or, with `nil`, removed; `nil` where it is to be read anew
    /// for that.
    ///
    /// Where steps replace one part after the other, what each finds in the document is kept for the next one.
    ///
    /// - Parameter value: What the entry holds.
    /// - Throws: Where the edit cannot be made, whether it is read anew or not.
    func editing(_ address: Address, holding value: Value, to part: Value?) throws(FormatError) -> Value? {
        guard let key = address.key, let memo = memo(of: key, in: address.store, holding: value) else { return nil }
        let isItem = address.pointer.tokens.first == KeychainItem.dataKey && KeychainItem(value) != nil
        let place = JSONPointer(isItem ? [KeychainItem.dataKey] : [])
        func bytes() -> Data {
            value.string.map { Data($0.utf8) } ?? value.data ?? KeychainItem(value)?.data ?? Data()
        }
        let pointer = JSONPointer(Array(address.pointer.tokens.dropFirst(place.tokens.count)))
        guard let edited = try memo.editing(bytes, at: place, pointer, with: part) else { return nil }
        var after = edited.value
        if let data = after.data {
            if value.string != nil {
                after = .string(String(decoding: data, as: UTF8.self))
            } else if isItem, let item = KeychainItem(value) {
                after = KeychainItem(data: data, attributes: item.attributes).value
            }
        }
        memory.keep(edited.memo, of: address.entry, holding: after)
        return after
    }

    /// The edited entry, or the one below.
    public func state(of key: Name, in store: StoreID) -> EntryState {
        own(key, in: store) ?? base.state(of: key, in: store)
    }

    /// What is laid over an entry; `nil` where it is as below.
    private func own(_ key: Name, in store: StoreID) -> EntryState? {
        if edits.isEmpty, covers.isEmpty { return nil }
        if let edited = opened(key, in: store) { return .present(edited.value) }
        let edits = edits[store]
        if let edit = edits?.byKey[key] { return EntryState(edit) }
        return (covers[store]?[key] ?? edits?.obstacle(at: key, in: store)).map(EntryState.unreadable)
    }
}

extension Name {
    /// The folders that a file is in, by its path; none where no file can have that: iOS has paths of 1,024 bytes at most.
    fileprivate var folders: [Name] {
        guard utf8.count <= 1024 else { return [] }
        return utf8.indices.filter { utf8[$0] == UInt8(ascii: "/") }.map { Name(text[..<$0]) }
    }
}

/// The keys of a store in which there may be others.
private struct UncertainKeys: KeyList {
    let base: any KeyList
    let uncertain: [Name: Unreadable]

    var count: Int { base.count }
    func count(upTo limit: Int) -> Int { base.count(upTo: limit) }
    func key(at position: Int) -> Name { base.key(at: position) }
    func positions(of key: Name) -> [Int] { base.positions(of: key) }
    func positions(beginning prefix: Name) -> [Int] { base.positions(beginning: prefix) }
    func problem(under prefix: Name) -> Unreadable? {
        base.problem(under: prefix) ?? uncertain.first { $0.key.hasPrefix(prefix.text) }?.value
    }
    var folders: [Name] { base.folders }
}
