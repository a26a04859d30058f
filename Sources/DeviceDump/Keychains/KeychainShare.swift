import MigrationEngine
import StoreFormats

/// The items of a keychain export that a container sees, as stores.
///
/// An item belongs to the container that its access group names, with or without the team before it and with whatever
/// behind it: `ABCDE12345.com.acme.notes`, `ABCDE12345.com.acme.notes.shared`; to the apps whose app group that is, as an app
/// group is an access group of its apps (Apple, "Sharing access to keychain items among a collection of apps"); and to the
/// one whose a person says that its group is. Items without a group go to the only app, or to each where the export was named, if no item is of another.
///
/// Of the others nothing says that they are the app's, as an export of a whole device has the items of everybody's apps:
/// `ABCDE12345.com.acme.bank` may be what a team shares, or another app of it. Where the app's team is known those of other
/// teams are known to be foreign, and counted. The rest are listed apart, in stores whose names begin with ``unassigned``,
/// which no migration reads; an item of such a name is then unknown, and not absent. So is every item of an export that has nothing but other apps' items: it is the export of another app, and not
/// of the device, as that would have the system's too.
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
    /// The further items of the service, the account and the group of one that has the plain name.
    private let rivals: [Address: [Int]]
    /// Why an item that is not found may be there all the same, by class: the export has some that are locked as a whole.
    private let unknown: [KeychainExport.Item.Kind: Unreadable]
    /// Why nothing is known of any item; `nil` where the export may be taken for the app's.
    private let foreign: Unreadable?

    /// Makes the share of a container.
    ///
    /// - Parameters:
    ///   - indices: Which items it sees, its own first.
    ///   - apart: Items that nothing says to be its own.
    ///   - group: The access group of new items.
    ///   - isForeign: Whether all items of the export are of other apps.
    init(
        of file: KeychainFile, items indices: [Int], apart: [Int] = [], group: String?, isForeign: Bool = false
    ) {
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
                let name = "\(item.account) (\(item.group.isEmpty ? "no group" : item.group)"
                let place = Address(store: store, key: Name(name)), number = numbers[place, default: 0] + 1
                numbers[place] = number
                key = Name(name + (number == 1 ? ")" : ", \(number))"))
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
        let nameless = file.export.items.enumerated().filter { index, item in
            item.isNameless && (item.group.isEmpty || own.contains(index))
        }.map(\.element)
        unknown = Dictionary(grouping: nameless, by: \.kind).mapValues(Self.unknown)
        warnings =
            same.prefix(shown).map { DumpWarning(file.path, .sameKeychainAccount($0)) }
            + (rest > 0 ? [DumpWarning(file.path, .moreSameKeychainAccounts(rest))] : [])
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
        guard !store.name.hasPrefix(Self.unassigned), let others = keys[apart], let first = others.first else {
            return Keys()
        }
        return KeysApart(keys: others, reason: reason(of: Address(store: apart, key: first), among: others.count))
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
        return incompleteness(of: store).map(EntryState.unreadable) ?? .absent
    }

    /// Why an item of a store that is not found may be there all the same; `nil` where it is not.
    private func incompleteness(of store: StoreID) -> Unreadable? {
        unknown[KeychainExport.Item.parts(ofStore: store.name.text).kind] ?? file.export.incompleteness ?? foreign
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

extension KeychainShare {
    /// Shares the items among containers, and counts those that nobody sees.
    ///
    /// - Parameter told: The access groups that a person says are those of a container, by its folder.
    static func shares(
        of file: KeychainFile, among containers: [Container], told: [DumpPath: [String]] = [:]
    ) -> (shares: [KeychainShare], warnings: [DumpWarning]) {
        let items = file.export.items.map { AccessGroup($0.group) }
        var owners: [[UInt8]: [Int]] = [:]
        for position in containers.indices {
            owners[Array(containers[position].identifier.utf8), default: []].append(position)
        }
        let told = containers.map { container in Set((told[container.path] ?? []).map(Name.init)) }
        // The apps that have the container of an app group, by its folder.
        var sharers: [DumpPath: [Int]] = [:]
        for position in containers.indices where containers[position].kind == .app {
            for group in containers[position].companions { sharers[group, default: []].append(position) }
        }
        var own = containers.map { _ in [Int]() }, rest: [Int] = [], teams: Set<String> = []
        var claimed = own
        var members: [String: Set<Int>] = [:]
        for (index, group) in items.enumerated() {
            let named = group.names.lazy.compactMap { owners[$0] }.first ?? []
            // A group may be called as the app is with its team; the item is the app's all the same.
            let found = named + group.exactNames.flatMap { owners[$0] ?? [] }.filter { !named.contains($0) }
            for owner in found { own[owner].append(index) }
            let sharing = Set(
                found.filter { containers[$0].kind == .group }.flatMap { sharers[containers[$0].path] ?? [] })
            let claimants = told.indices.filter {
                (told[$0].contains(Name(group.text)) || sharing.contains($0)) && !found.contains($0)
            }
            for position in claimants { claimed[position].append(index) }
            guard !found.isEmpty else {
                if claimants.isEmpty { rest.append(index) }
                continue
            }
            guard let team = group.team else { continue }
            teams.insert(team)
            members[team, default: []].formUnion(found)
        }
        // Its very own group comes before those that only begin like it, however the export has them.
        for position in own.indices {
            let exact = Set(own[position].filter { items[$0].isExactly(containers[position].identifier) })
            own[position] = own[position].filter(exact.contains) + own[position].filter { !exact.contains($0) }
        }
        rest.removeAll { items[$0].isSystem }
        let isShared = file.isGiven || containers.count(where: { $0.kind == .app }) == 1
        // Whose an item is that is locked as a whole nobody can say.
        let nameless = Set(rest.filter { file.export.items[$0].isNameless })
        let isOthers = rest.contains { !items[$0].text.isEmpty }
        var shared: [Int] = [], apart: [Int] = []
        for index in rest where isShared {
            let group = items[index]
            if group.text.isEmpty, !isOthers, !nameless.contains(index) {
                shared.append(index)
            } else if nameless.contains(index) || teams.isEmpty || group.team.map(teams.contains) ?? true {
                apart.append(index)
            }
        }
        // Among several apps, what their team may share, or has as a whole, is each one's perhaps.
        var perhaps: [Int: [Int]] = [:]
        for index in rest where !isShared && !nameless.contains(index) {
            for position in items[index].team.flatMap({ members[$0] }) ?? [] {
                perhaps[position, default: []].append(index)
            }
        }
        let isForeign =
            !items.isEmpty && (own + claimed).allSatisfy(\.isEmpty) && shared.isEmpty
            && !items.contains(where: \.isSystem)
        let isAlone = containers.count(where: { $0.kind == .app }) == 1
        let shares = containers.enumerated().map { position, container in
            // As the items of the container itself have it, or else as its team would. Among others' items one without a
            // group would be nobody's.
            let group =
                own[position].first.map { items[$0].text }
                ?? teams.sorted().first.map { "\($0).\(container.identifier)" }
                ?? (isOthers || !isAlone ? container.identifier : nil)
            let isApp = container.kind == .app
            return KeychainShare(
                of: file, items: own[position] + claimed[position] + (isApp ? shared : []),
                apart: isApp ? apart + (perhaps[position] ?? []) : [], group: group,
                isForeign: isForeign)
        }
        let isSeen = containers.contains { $0.kind == .app }
        // Those that are locked are counted as that.
        let seen = Set(own.joined()).union(claimed.joined()).union(perhaps.values.joined()).union(nameless)
            .union(isSeen ? shared + apart : [])
        let hidden = items.count - seen.count
        return (shares, hidden > 0 ? [DumpWarning(file.path, .foreignKeychainItems(hidden))] : [])
    }
}

/// The access group of an item: a team, a dot, and an app's or another identifier.
private struct AccessGroup {
    let text: String
    /// The team, where the group begins with one: ten capital letters and digits.
    let team: String?

    init(_ text: String) {
        self.text = text
        let start = text.utf8.prefix { $0 != UInt8(ascii: ".") }
        let isTeam =
            start.count == 10
            && start.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        team = isTeam ? String(Substring(start)) : nil
    }

    /// Without the team before it.
    private var bare: Substring.UTF8View { team.map { text.utf8.dropFirst($0.utf8.count + 1) } ?? text.utf8[...] }

    /// Whether it is a container's very own, with or without the team before it.
    func isExactly(_ identifier: String) -> Bool { bare.elementsEqual(identifier.utf8) }

    /// The identifiers of containers of which it is the very own group.
    var exactNames: [[UInt8]] { team == nil ? [Array(text.utf8)] : [Array(text.utf8), Array(bare)] }

    /// Whether it is the group of iOS itself.
    var isSystem: Bool { text == "apple" || text.hasPrefix("com.apple.") }

    /// The identifiers of containers that it may name, the most exact one first.
    var names: [[UInt8]] {
        let whole = Array(text.utf8), dot = UInt8(ascii: ".")
        let bare = Array(whole.drop { $0 != dot }.dropFirst())
        var names = bare.isEmpty ? [whole] : [whole, bare]
        // What is behind an app's identifier is the app's; a single part names a whole domain of apps.
        var rest = (team == nil ? whole : bare)[...]
        while let last = rest.lastIndex(of: dot) {
            rest = rest[..<last]
            if rest.contains(dot) { names.append(Array(rest)) }
        }
        return names
    }
}
