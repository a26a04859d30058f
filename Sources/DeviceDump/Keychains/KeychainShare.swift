import MigrationEngine
import StoreFormats

/// The items of a keychain that one container sees, a store for each service, an entry for each account.
///
/// An item belongs to the container whose identifier its access group is, with or without the team before it:
/// `ABCDE12345.com.acme.notes`. Of the rest, items that no container's group claims, and that are not the system's, go to
/// every app, if the export was named by a person or the dump has one app; but where groups of a team are claimed, only
/// those of the same team, as an export of a whole device has the items of everybody's apps.
///
/// Where items of several groups, or servers, have the same service and account, the container's own comes first; each
/// further one has its group behind the account, as in `ada (ABCDE12345.com.acme.shared)`, and is a warning.
final class KeychainShare: Sendable {
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

    /// Makes the share of a container.
    ///
    /// - Parameters:
    ///   - indices: Which items it sees, its own first.
    ///   - group: The access group of new items.
    init(of file: KeychainFile, items indices: [Int], group: String?) {
        var stores: [StoreID] = [], warnings: [DumpWarning] = []
        var keys: [StoreID: [Name]] = [:], positions: [Address: Int] = [:]
        for index in indices {
            let item = file.export.items[index], store = StoreID.keychain(Name(item.storeName))
            var address = Address(store: store, key: Name(item.account)), number = 1
            if positions[address] != nil {
                let place = item.group.isEmpty ? "no group" : item.group
                repeat {
                    address.key = "\(item.account) (\(place)\(number == 1 ? "" : ", \(number)"))"
                    number += 1
                } while positions[address] != nil
                warnings.append(DumpWarning(file.path, .sameKeychainAccount(address)))
            }
            positions[address] = index
            if keys[store] == nil { stores.append(store) }
            keys[store, default: []] += [address.key].compactMap(\.self)
        }
        self.file = file
        self.stores = stores
        self.warnings = warnings
        self.group = group
        self.keys = keys
        self.positions = positions
    }

    func keys(in store: StoreID) -> any KeyList { Keys(keys[store] ?? []) }

    /// The position in the export of the item that an entry is.
    func position(of key: Name, in store: StoreID) -> Int? { positions[Address(store: store, key: key)] }

    func state(of key: Name, in store: StoreID) -> EntryState {
        position(of: key, in: store).map { file.export.items[$0].state } ?? .absent
    }
}

extension KeychainShare {
    /// Shares the items among containers, and counts those that nobody sees.
    static func shares(
        of file: KeychainFile, among containers: [(identifier: String, kind: Container.Kind)]
    ) -> (shares: [KeychainShare], warnings: [DumpWarning]) {
        let items = file.export.items
        var own = containers.map { _ in [Int]() }, rest: [Int] = [], teams: Set<String> = []
        for (index, item) in items.enumerated() {
            let group = AccessGroup(item.group)
            let owners = containers.indices.filter { group.belongs(to: containers[$0].identifier) }
            for owner in owners { own[owner].append(index) }
            if owners.isEmpty { rest.append(index) } else if let team = group.team { teams.insert(team) }
        }
        let isShared = file.isGiven || containers.count(where: { $0.kind == .app }) == 1
        let shared = rest.filter { index in
            let group = AccessGroup(items[index].group)
            return isShared && !group.isSystem && (group.team.map { teams.isEmpty || teams.contains($0) } ?? true)
        }
        let shares = containers.indices.map { position in
            let indices = own[position] + (containers[position].kind == .app ? shared : [])
            // As the items of the container itself have it, or else as its team would.
            let group =
                own[position].first.map { items[$0].group }
                ?? teams.sorted().first.map { team in
                    "\(team).\(containers[position].identifier)"
                }
            return KeychainShare(of: file, items: indices, group: group)
        }
        let hasApp = containers.contains { $0.kind == .app }
        let hidden = rest.count - (hasApp ? shared.count : 0)
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
            start.count == 10 && start.count < text.utf8.count
            && start.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        team = isTeam ? String(Substring(start)) : nil
    }

    /// Whether it is the group of iOS itself.
    var isSystem: Bool { text == "apple" || text.hasPrefix("com.apple.") }

    /// Whether it names a container.
    func belongs(to identifier: String) -> Bool {
        if Name(text) == Name(identifier) { return true }
        let afterTeam = text.utf8.drop { $0 != UInt8(ascii: ".") }.dropFirst()
        return !afterTeam.isEmpty && afterTeam.elementsEqual(identifier.utf8)
    }
}
