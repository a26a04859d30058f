import MigrationEngine
import StoreFormats
import Synchronization

/// The items of a keychain export that a container sees, as stores.
///
/// Which these are ``KeychainOwners`` decides: its own, and those of which nothing says whose they are. These are listed apart,
/// in stores whose names begin with ``unassigned``, which no migration reads; an item of such a name is then unknown, and
/// not absent. So is one in a group that is called after another app, which is not listed: it is the other's too.
///
/// Where items of several groups, or servers, have the same service and account, the container's own comes first; each
/// further one has its group behind the account, as in `ada (ABCDE12345.com.acme.shared)`, and is a warning.
final class KeychainShare: Sendable {
    /// What the names of stores begin with whose items nothing says to be the app's.
    static let unassigned = StoreID.unassigned

    /// Where the items come from.
    let file: KeychainFile
    /// The stores, in the order of their first items.
    let stores: [StoreID]
    /// What is to be known of the items.
    let warnings: [DumpWarning]
    /// The access group of new items.
    let group: String?
    private let keys: [StoreID: [Name]]
    private let positions: [Address: Int]
    private let addresses: [Int: Address]
    /// What an access group is to the container.
    private let use: @Sendable (String) -> GroupUse
    /// The further items of the service, the account and the group of one that has the plain name.
    private let rivals: [Address: [Int]]
    /// Why an item that is not found may be there all the same, by class: the export has some that are locked as a whole.
    private let unknown: [KeychainExport.Item.Kind: Unreadable]
    /// Items that are another app's and may be the container's too.
    private let elsewhere: (index: KeychainIndex, items: Set<Int>)?
    /// Why nothing is known of any item; `nil` where the export may be taken for the app's.
    private let foreign: Unreadable?

    /// What an access group is to a container.
    enum GroupUse {
        /// It reads its items.
        case own
        /// Nothing says whether it reads them.
        case unknown
        /// It does not.
        case foreign
    }

    /// Makes the share of a container.
    ///
    /// - Parameters:
    ///   - indices: Which items it sees, its own first.
    ///   - apart: Items that nothing says to be its own.
    ///   - elsewhere: Items that are another app's and may be its own too, and where to look them up.
    ///   - group: The access group of new items.
    ///   - use: What an access group is to it, also one that no item is in yet.
    ///   - guessed: The access groups of the items that are its own by the beginning of the group alone.
    ///   - isForeign: Whether the export says nothing of the container: it has only items of others.
    init(
        of file: KeychainFile, items indices: [Int], apart: [Int] = [],
        elsewhere: (index: KeychainIndex, items: Set<Int>)? = nil, group: String?,
        use: @escaping @Sendable (String) -> GroupUse = { _ in .foreign }, guessed: [String] = [],
        isForeign: Bool = false
    ) {
        self.use = use
        self.elsewhere = elsewhere
        var stores: [StoreID] = [], same: [Address] = []
        var keys: [StoreID: [Name]] = [:], positions: [Address: Int] = [:]
        // How many items have a name and a group already, so that the next one need not look for its number.
        var numbers: [Address: Int] = [:], rivals: [Address: [Int]] = [:]
        func add(_ index: Int, to store: String) {
            let item = file.export.items[index], store = StoreID.keychain(Name(store)), account = Name(item.account)
            var key = account
            let plain = Address(store: store, key: account)
            if let first = positions[plain], Name(file.export.items[first].group) == Name(item.group) {
                rivals[plain, default: []].append(index)
            }
            while positions[Address(store: store, key: key)] != nil {
                let place = Address(store: store, key: Self.name(of: item.account, in: item.group))
                let number = numbers[place, default: 0] + 1
                numbers[place] = number
                key = Self.name(of: item.account, in: item.group, number)
            }
            let address = Address(store: store, key: key)
            if key != account { same.append(address) }
            positions[address] = index
            if keys[store] == nil { stores.append(store) }
            keys[store, default: []].append(key)
        }
        for index in indices { add(index, to: file.export.items[index].storeName) }
        for index in apart { add(index, to: Self.unassigned + file.export.items[index].storeName) }
        let shown = 20, rest = same.count - shown
        self.file = file
        self.stores = stores
        self.group = group
        self.keys = keys
        self.positions = positions
        addresses = Dictionary(uniqueKeysWithValues: positions.map { ($0.value, $0.key) })
        self.rivals = rivals
        foreign =
            isForeign
            ? Unreadable(
                .missing,
                "no item in \(file.path) is this app's, and none is the system's: it is the export of another app's keychain"
            )
            : nil
        // One whose group is known can only be what its group's owner looks for.
        let own = Set(indices + apart)
        let nameless = file.nameless.filter { file.export.items[$0].group.isEmpty || own.contains($0) }.map {
            file.export.items[$0]
        }
        unknown = Dictionary(grouping: nameless, by: \.kind).mapValues(Self.unknown)
        warnings =
            same.prefix(shown).map { DumpWarning(file.path, .sameKeychainAccount($0)) }
            + (rest > 0 ? [DumpWarning(file.path, .moreSameKeychainAccounts(rest))] : [])
            + Dictionary(grouping: guessed, by: Name.init).sorted { $0.key < $1.key }.map { group, items in
                DumpWarning(file.path, .guessedKeychainItems(group: group.text, count: items.count))
            }
            + (apart.isEmpty ? [] : [DumpWarning(file.path, .unassignedKeychainItems(apart.count))])
    }

    /// Why an item that is not found may be among those of which nothing but their class is known.
    private static func unknown(_ items: [KeychainExport.Item]) -> Unreadable {
        let locked = items.count { if case .failure(let reason) = $0.secret { reason.cause == .locked } else { false } }
        let others = items.count - locked
        let words = [
            locked > 0 ? "\(locked) \(locked == 1 ? "is" : "are") locked with the device's key" : nil,
            others > 0 ? "\(others) \(others == 1 ? "is" : "are") damaged or not read" : nil,
        ].compactMap(\.self).joined(separator: ", ")
        return Unreadable(
            others > 0 ? .corrupt : .locked,
            "no item that can be read is this one, and \(words), name and all: it may be "
                + (items.count == 1 ? "that one" : "among those")
                + "; an export of the keychain that names it tells")
    }

    func keys(in store: StoreID) -> any KeyList {
        if let known = keys[store] { return Keys(known) }
        let apart = StoreID.keychain(Name(Self.unassigned + store.name.text))
        if !store.name.hasPrefix(Self.unassigned), let others = keys[apart], let first = others.first {
            return KeysApart(keys: others, reason: reason(of: Address(store: apart, key: first), among: others.count))
        }
        let items = elsewhere.map { elsewhere in
            elsewhere.index.items(in: store).filter(elsewhere.items.contains).map { file.export.items[$0] }
        }
        guard let items, let first = items.first else { return Keys() }
        return KeysApart(keys: items.map { Name($0.account) }, reason: Self.reason(elsewhere: first))
    }

    /// Why nothing is known of an item that another app has in a group of its own.
    private static func reason(elsewhere item: KeychainExport.Item) -> Unreadable {
        var reason = Unreadable(
            .missing,
            "nothing says whether this app reads the item of that name in the access group \(item.group), which is called after "
                + "another app, and which apps of one team may share")
        reason.accessGroup = item.group
        return reason
    }

    /// Why nothing is known of an item that is listed apart, or of those of a store.
    private func reason(of place: Address, among count: Int? = nil) -> Unreadable {
        let group = place.key.flatMap { item(of: $0, in: place.store)?.group } ?? ""
        let words =
            count == nil
            ? "nothing says that the item of that name is this app's; it is listed as \(place)"
            : "nothing says that the items of that service are this app's; they are listed as \(place.store)"
        let which = count ?? 1 > 1 ? "the first in" : "in"
        var reason = Unreadable(
            .missing, words + (group.isEmpty ? "" : ", \(which) the access group \(group)"))
        reason.accessGroup = group.isEmpty ? nil : group
        return reason
    }

    /// The position in the export of the item that an entry is.
    func position(of key: Name, in store: StoreID) -> Int? { positions[Address(store: store, key: key)] }

    /// What an item goes by where another one has its account for a name.
    private static func name(of account: String, in group: String, _ number: Int = 1) -> Name {
        Name("\(account) (\(group.isEmpty ? "no group" : group)\(number == 1 ? "" : ", \(number)"))")
    }

    /// The entry that an item of the export is; `nil` where the container does not see it.
    func address(ofItemAt position: Int) -> Address? { addresses[position] }

    /// What an item that a step of another container has added is to this one.
    ///
    /// One that names no access group is in that of its own container, and what app reads that too is told where it is so.
    func sharing(_ change: Change, withGroup others: String?) -> Container.Sharing {
        let named = change.after.flatMap(KeychainItem.init)?.attributes["agrp"]?.string
        guard let key = change.address.key, let group = named ?? others else { return .none }
        let use = use(group)
        if use == .foreign || use == .unknown && named == nil { return .none }
        var address = change.address
        if let known = item(of: key, in: address.store), Name(known.group) != Name(group) {
            address.key = Self.name(of: key.text, in: group)
        }
        return use == .own ? .same(address) : .unknown(address, group: group)
    }

    /// The item that an entry is.
    func item(of key: Name, in store: StoreID) -> KeychainExport.Item? {
        position(of: key, in: store).map { file.export.items[$0] }
    }

    func state(of key: Name, in store: StoreID) -> EntryState {
        if let position = position(of: key, in: store) {
            let rivals = rivals[Address(store: store, key: key), default: []]
            guard !rivals.isEmpty else { return file.export.items[position].state }
            var reason = KeychainExport.ambiguous(
                "\(rivals.count + 1) items of the export have its service, its account and its group")
            reason.candidates = ([position] + rivals).prefix(Unreadable.candidateLimit).map {
                file.export.items[$0].state
            }
            return .unreadable(reason)
        }
        let name = store.name.text
        guard !name.hasPrefix(Self.unassigned) else { return .absent }
        let apart = StoreID.keychain(Name(Self.unassigned + name))
        if position(of: key, in: apart) != nil {
            return .unreadable(reason(of: Address(store: apart, key: key)))
        }
        if let elsewhere, let item = elsewhere.index.items(at: key, in: store).first(where: elsewhere.items.contains) {
            return .unreadable(Self.reason(elsewhere: file.export.items[item]))
        }
        return incompleteness(of: store).map(EntryState.unreadable) ?? .absent
    }

    /// Why an item of a store that is not found may be there all the same; `nil` where it is not.
    private func incompleteness(of store: StoreID) -> Unreadable? {
        unknown[KeychainExport.Item.parts(ofStore: store.name).kind] ?? file.export.incompleteness ?? foreign
    }

    /// Why nothing can be said of a store that no item is in.
    func problem(with store: StoreID) -> Unreadable? { keys[store] == nil ? incompleteness(of: store) : nil }
}

/// The keys of a store that has none, while items of its name are listed apart.
private struct KeysApart: KeyList {
    let keys: [Name]
    let reason: Unreadable
    let count = 0

    func key(at position: Int) -> Name { "" }
    func positions(of key: Name) -> [Int] { [] }
    func problem(under prefix: Name) -> Unreadable? {
        keys.contains { $0.hasPrefix(prefix.text) } ? reason : nil
    }
}

/// The items of an export by their stores and accounts, looked through once when the first is asked for.
final class KeychainIndex: Sendable {
    private typealias Found = (stores: [StoreID: [Int]], entries: [Address: [Int]])
    private let export: KeychainExport
    private let found = Mutex<Found?>(nil)

    init(of export: KeychainExport) { self.export = export }

    private func look<Result: Sendable>(_ read: (Found) -> Result) -> Result {
        found.withLock { found in
            if let found { return read(found) }
            var new: Found = ([:], [:])
            for (position, item) in export.items.enumerated() {
                let store = StoreID.keychain(Name(item.storeName))
                new.stores[store, default: []].append(position)
                new.entries[Address(store: store, key: Name(item.account)), default: []].append(position)
            }
            found = new
            return read(new)
        }
    }

    /// Those of a store, in stored order.
    func items(in store: StoreID) -> [Int] { look { $0.stores[store] ?? [] } }

    /// Those of a store and an account.
    func items(at key: Name, in store: StoreID) -> [Int] {
        look { $0.entries[Address(store: store, key: key)] ?? [] }
    }
}

/// What a container sees of a keychain, looked up when it is first asked for: a device has apps, and items, by the thousand.
final class LazyShare: Sendable {
    private let made = Mutex<KeychainShare?>(nil)
    private let make: @Sendable () -> KeychainShare

    init(_ make: @escaping @Sendable () -> KeychainShare) { self.make = make }

    var share: KeychainShare {
        made.withLock { made in
            let share = made ?? make()
            made = share
            return share
        }
    }
}
