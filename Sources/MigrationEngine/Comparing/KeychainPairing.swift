import Foundation
import StoreFormats

/// Which keychain item an entry is, whatever its key has had to be.
package struct KeychainIdentity: Hashable, Sendable {
    /// The class, by the name of its table (`genp`, `inet`, `cert`, `keys`); empty where nothing says it.
    package var itemClass: Name
    /// The service, or the server.
    package var service: Name
    /// The account.
    package var account: Name
    /// The access group; `nil` where nothing says it.
    package var group: Name?

    /// Makes an identity.
    package init(itemClass: Name = "", service: Name, account: Name, group: Name? = nil) {
        self.itemClass = itemClass
        self.service = service
        self.account = account
        self.group = group
    }
}

/// Stores that know which keychain item an entry is, where its key does not say it.
package protocol KeychainNaming: StoreReader {
    /// Which keychain item an entry is, or would be where there is none yet; `nil` in stores of other kinds.
    func identity(of key: Name, in store: StoreID) -> KeychainIdentity?
}

/// Which items of two keychains are the same one.
///
/// Items of one class, service and account stand under keys that tell them apart, by their groups and their order, which may
/// be others on the other side. So they are paired by what they are: by access group and what else names an item, then by
/// access group, then, as a group may have changed, by nothing more; each time those of equal content first, then in their
/// order. Takes time in proportion to the items.
struct KeychainPairing {
    private var afterward: [Address: Address] = [:]
    private var earlier: [Address: Address] = [:]
    private let listed: (before: Set<Address>, after: Set<Address>)
    /// The first item after of those that have everything in common that names an item, for each further one and itself.
    private var rivals: [Address: Address] = [:]

    /// Pairs nothing: every item is where it was.
    init() { listed = ([], []) }

    /// Pairs the items of two readers.
    ///
    /// - Parameter planned: What would be there of entries before, `nil` being nothing; those that are no items yet are
    ///   paired like the others.
    init(_ before: any StoreReader, _ after: any StoreReader, planned: [(address: Address, value: Value?)]) {
        var values: [Address: Value] = [:], new: [Address] = []
        let old = Self.items(of: before)
        listed = (Set(old), Set(Self.items(of: after)))
        for (address, value) in planned where address.store.kind == .keychain && address.key != nil {
            values[address] = value
            if value != nil, !listed.before.contains(address) { new.append(address) }
        }
        let left = Self.grouped(old + new, in: before), right = Self.grouped(Self.items(of: after), in: after)
        for (name, addresses) in left {
            guard let others = right[name] else { continue }
            // Most have a name of their own, and are not looked at.
            if let one = addresses.first, let other = others.first, addresses.count == 1, others.count == 1,
                one.store.isUnassigned == other.store.isUnassigned
            {
                pair(one, other)
                continue
            }
            pair(
                addresses.map { Item($0, before, planned: values[$0]) }, others.map { Item($0, after, planned: nil) })
        }
    }

    /// Where an item of the stores before is after; `nil` where it is gone, or is none.
    func place(after address: Address) -> Address? { afterward[address] }

    /// Where an item of the stores after was before; `nil` where it is new, or is none.
    func place(before address: Address) -> Address? { earlier[address] }

    /// The first of several items after that have everything in common that names an item; `nil` where there is one only.
    func firstRival(of address: Address) -> Address? { rivals[address] }

    /// Whether another item stands under an address before, so that it says nothing of the one that was added.
    func isTaken(before address: Address) -> Bool { listed.before.contains(address) }

    /// Whether another item stands under an address after, so that it says nothing of the one that is gone.
    func isTaken(after address: Address) -> Bool { listed.after.contains(address) }

    /// Whether an item that a store lists before or after is on the other side too, wherever.
    func holdsItems(of store: StoreID, _ listings: [any KeyList]) -> Bool {
        guard store.kind == .keychain else { return false }
        return zip(listings, [afterward, earlier]).contains { keys, paired in
            (0..<keys.count).contains { paired[Address(store: store, key: keys.key(at: $0))] != nil }
        }
    }

    private static func items(of stores: any StoreReader) -> [Address] {
        stores.stores.filter { $0.kind == .keychain }.flatMap { store in
            stores.keys(in: store).names.map { Address(store: store, key: $0) }
        }
    }

    /// Addresses by what the items are called, their access groups aside.
    private static func grouped(_ items: [Address], in stores: any StoreReader) -> [KeychainIdentity: [Address]] {
        Dictionary(grouping: items) { address in
            var identity = address.key.flatMap { stores.keychainIdentity(of: $0, in: address.store) }
            identity?.group = nil
            return identity ?? KeychainIdentity(service: address.store.name, account: address.key ?? "")
        }
    }

    /// An item of several that are called the same.
    private struct Item {
        let address: Address
        /// Its access group, and what else of it names an item.
        let group: [UInt8], names: [Value?]
        /// The bytes of its secret: `Data` hashes no more than its beginning.
        let content: [UInt8]?

        /// What names an item besides its class, service, account and access group.
        private static let naming: [Name] = ["gena", "sync", "sdmn", "ptcl", "port", "path", "atyp"]

        init(_ address: Address, _ stores: any StoreReader, planned: Value?) {
            self.address = address
            let item = (planned ?? stores.state(at: address).ofItemAlone.value).flatMap(KeychainItem.init)
            let identity = address.key.flatMap { stores.keychainIdentity(of: $0, in: address.store) }
            group = Array((identity?.group?.text ?? item?.attributes["agrp"]?.string ?? "").utf8)
            names = Self.naming.map { item?.attributes[$0] }
            content = item.map { [UInt8]($0.data) }
        }

        /// What two items have in common that are taken for one.
        struct Mark: Hashable {
            var group: [UInt8] = [], names: [Value?] = [], content: [UInt8]?
            /// Where nothing says that an item is the app's, one that is may be another.
            var isUnassigned = false
        }

        func mark(_ level: Level, withContent isContent: Bool) -> Mark? {
            if isContent, content == nil { return nil }
            var mark = Mark(content: isContent ? content : nil)
            if level != .any { mark.group = group }
            if level == .names { mark.names = names }
            mark.isUnassigned = mark.group.isEmpty && address.store.isUnassigned
            return mark
        }
    }

    /// How much two items must have in common, from most to least.
    private enum Level: CaseIterable { case names, group, any }

    private mutating func pair(_ old: [Item], _ new: [Item]) {
        for (_, same) in Dictionary(grouping: new, by: { $0.mark(.names, withContent: false) }) where same.count > 1 {
            for item in same { rivals[item.address] = same[0].address }
        }
        var old = old, new = new
        for level in Level.allCases {
            for isContent in [true, false] {
                var waiting = Dictionary(grouping: new.reversed()) { $0.mark(level, withContent: isContent) }
                waiting[nil] = nil
                old.removeAll { item in
                    guard let mark = item.mark(level, withContent: isContent), let other = waiting[mark]?.popLast()
                    else { return false }
                    pair(item.address, other.address)
                    return true
                }
                new.removeAll { earlier[$0.address] != nil }
            }
        }
    }

    private mutating func pair(_ old: Address, _ new: Address) { (afterward[old], earlier[new]) = (new, old) }
}

extension EntryState {
    /// What is known of the one keychain item that stands under a key, where others have its name too.
    var ofItemAlone: EntryState {
        guard case .unreadable(let reason) = self, reason.cause == .ambiguous else { return self }
        return reason.candidates.first ?? self
    }
}

extension StoreReader {
    /// Which keychain item an entry is, or would be where there is none yet; `nil` in stores of other kinds.
    ///
    /// Where the stores do not know it, that is what the address and the value say.
    package func keychainIdentity(of key: Name, in store: StoreID) -> KeychainIdentity? {
        guard store.kind == .keychain else { return nil }
        if let naming = self as? any KeychainNaming { return naming.identity(of: key, in: store) }
        let group = state(of: key, in: store).value.flatMap(KeychainItem.init)?.attributes["agrp"]?.string
        return KeychainIdentity(service: store.name, account: key, group: group.map { Name($0) })
    }

    /// What is known of an item of a store that no listed key is of.
    ///
    /// - Parameter key: A key of the store that stands for another item.
    func stateOfUnlisted(beside key: Name, in store: StoreID) -> EntryState {
        var other = key
        repeat { other = other + "\u{1}" } while state(of: other, in: store).value != nil
        return state(of: other, in: store)
    }
}
