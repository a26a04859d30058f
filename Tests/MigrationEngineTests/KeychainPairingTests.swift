import Foundation
import StoreFormats
import Synchronization
import Testing

@testable import MigrationEngine

@Suite("Keychain items before and after")
struct KeychainPairingTests {
    /// A keychain as a dump shows it: the first item of a service and an account has the account as its key, each further one
    /// a key of its own; those of one group are ambiguous where the first stands.
    private struct Keychain: KeychainNaming {
        /// What says which item it is, and its secret; `nil` is locked.
        struct Item {
            var account: Name = "ada"
            var group: String
            var secret: String?
            var generic: String?
            var store: StoreID = bank

            var state: EntryState {
                guard let secret else { return .unreadable(Unreadable(.locked, "it is locked")) }
                var attributes: Members = ["agrp": .string(group)]
                if let generic { attributes["gena"] = .string(generic) }
                return .present(KeychainItem(text: secret, attributes: attributes).value)
            }
        }

        static let bank = StoreID.keychain("bank")
        let stores: [StoreID]
        private let byAddress: [Address: (item: Item, rivals: [Item])]
        private let order: [StoreID: [Name]]
        /// How many states were asked for.
        let asked = Reads()

        final class Reads: Sendable {
            let count = Mutex(0)
        }

        init(_ items: [Item]) {
            var byAddress: [Address: (item: Item, rivals: [Item])] = [:], order: [StoreID: [Name]] = [:]
            for item in items {
                var key = item.account
                let plain = Address(store: item.store, key: key)
                if byAddress[plain] != nil {
                    key = Name("\(item.account) (\(order[item.store, default: []].count))")
                    if byAddress[plain]?.item.group == item.group { byAddress[plain]?.rivals.append(item) }
                }
                byAddress[Address(store: item.store, key: key)] = (item, [])
                order[item.store, default: []].append(key)
            }
            (self.byAddress, self.order) = (byAddress, order)
            stores = order.keys.sorted { $0.name < $1.name }
        }

        func problem(with store: StoreID) -> Unreadable? { nil }
        func keys(in store: StoreID) -> any KeyList { Keys(order[store] ?? []) }
        func identity(of key: Name, in store: StoreID) -> KeychainIdentity? {
            guard store.kind == .keychain else { return nil }
            let item = byAddress[Address(store: store, key: key)]?.item
            return KeychainIdentity(
                itemClass: "genp", service: "bank", account: item?.account ?? key, group: item.map { Name($0.group) })
        }
        func state(of key: Name, in store: StoreID) -> EntryState {
            asked.count.withLock { $0 += 1 }
            guard let (item, rivals) = byAddress[Address(store: store, key: key)] else { return .absent }
            guard !rivals.isEmpty else { return item.state }
            var reason = Unreadable(.ambiguous, "there are several")
            reason.candidates = ([item] + rivals).prefix(Unreadable.candidateLimit).map(\.state)
            return .unreadable(reason)
        }
    }

    private typealias Item = Keychain.Item

    /// What a comparison lists: the mark, the key before, and the key after where it is another.
    private static func told(_ old: [Item], _ new: [Item]) -> [String] {
        let comparison = StoreComparison(Keychain(old), Keychain(new))
        return comparison.entries.map { entry in
            "\(entry.mark) \(entry.address.key ?? "")"
                + (entry.address == entry.addressAfter ? "" : " → \(entry.addressAfter.key ?? "")")
        }
    }

    @Test("Items of one account are paired by their group, then by content, then by their order")
    func pairing() {
        let own = Item(group: "T.notes", secret: "a"), shared = Item(group: "T.shared", secret: "b")
        let third = Item(group: "T.x", secret: "c")
        #expect(
            Self.told([own, shared, third], [own, third, shared]) == [
                "same ada (1) → ada (2)", "same ada (2) → ada (1)",
            ])
        // The first one is gone, and not another.
        #expect(Self.told([own, shared], [shared]) == ["removed ada", "same ada (1) → ada"])
        #expect(Self.told([shared], [own, shared]) == ["same ada → ada (1)", "added ada"])
        // The group of one has changed, which its content tells among others.
        let moved = Item(group: "T.y", secret: "b")
        #expect(
            Self.told([own, shared, third], [own, third, moved]) == [
                "changed ada (1) → ada (2)", "same ada (2) → ada (1)",
            ])
        // Nothing tells: in their order.
        let others = [Item(group: "T.p", secret: "p"), Item(group: "T.q", secret: "q")]
        #expect(Self.told([own, shared], others) == ["changed ada", "changed ada (1)"])
    }

    @Test("Items that have all in common that names one are compared each by itself, by content and then by order")
    func rivals() {
        let first = Item(group: "T.notes", secret: "a"), second = Item(group: "T.notes", secret: "b")
        #expect(Self.told([first, second], [first, second]) == [])
        #expect(Self.told([first, second], [second, first]) == ["same ada → ada (1)", "same ada (1) → ada"])
        let other = Item(group: "T.notes", secret: "c")
        #expect(Self.told([first, second], [other, first]) == ["same ada → ada (1)", "changed ada (1) → ada"])
        // What the app itself says of an item tells it from others.
        let named = ["x", "y"].map { Item(group: "T.notes", secret: $0, generic: $0) }
        let renewed = ["y", "x"].map { Item(group: "T.notes", secret: $0 + "2", generic: $0) }
        #expect(Self.told(named, renewed) == ["changed ada → ada (1)", "changed ada (1) → ada"])
        // One that is locked on both sides is one, and unknown.
        let locked = Item(group: "T.notes", secret: nil)
        #expect(Self.told([locked, second], [second, locked]) == ["unknown ada → ada (1)", "same ada (1) → ada"])
    }

    @Test("An item that nothing says to be the app's is one that is only where their groups say so")
    func unassigned() {
        let own = Item(group: "T.notes", secret: "a")
        func apart(_ group: String) -> Item {
            Item(group: group, secret: "a", store: .keychain(Name(StoreID.unassigned + "bank")))
        }
        #expect(Self.told([own], [apart("T.notes")]) == ["same ada → ada"])
        #expect(Self.told([own], [apart("T.bank")]) == ["removed ada", "added ada"])
    }

    /// One step that writes a token.
    private struct Token: Migration {
        let id = "token", title = "", summary = "", value: Value
        let profiles = [Profile(id: "default", summary: "")], facts: [FactDefinition] = []
        static let target = Address(store: Keychain.bank, key: "ada")
        func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], []) }
        func steps(profile: Profile, facts: Facts) -> [Step] {
            [
                Step(id: "token", title: "", sources: [], target: Self.target, rule: "") {
                    transaction, _ throws(StepStop) in
                    try transaction.write(value, to: Self.target, rule: "", policy: .replaceExisting)
                }
            ]
        }
    }

    @Test("What is planned is compared with the same item, wherever it is after, also where there was none before")
    func planned() throws {
        let made = Item(group: "T.notes", secret: "new"), other = Item(group: "T.shared", secret: "b")
        let value = try #require(made.state.value), migration = Token(value: value)
        func told(_ old: [Item], _ new: [Item]) -> [String] {
            StoreComparison(Keychain(old), Keychain(new), with: (migration, migration.profiles[0])).entries.map {
                entry in
                "\(entry.verdict?.rawValue ?? "-") \(entry.address.key ?? "") \(entry.addressAfter.key ?? "")"
            }
        }
        #expect(told([], [other, made]) == ["as-planned ada ada (1)", "not-planned ada ada"])
        let old = Item(group: "T.notes", secret: "old")
        #expect(told([old, other], [other, made]) == ["as-planned ada ada (1)", "- ada (1) ada"])
        #expect(told([old, other], [other, old]) == ["differs ada ada (1)", "- ada (1) ada"])
        // Which of two the app finds is not known.
        #expect(told([], [made, made]).first == "unknown ada ada")
    }

    @Test("The work grows with the items, and not with their square")
    func growth() {
        func reads(_ count: Int) -> Int {
            let items = (0..<count).map { Item(group: "T.notes", secret: "secret \($0)") }
            let sides = [Keychain(items), Keychain(items.reversed())]
            let comparison = StoreComparison(sides[0], sides[1])
            #expect(comparison.marks == [.same: count])
            return sides.reduce(0) { $0 + $1.asked.count.withLock { $0 } }
        }
        #expect(reads(8_000) <= 8 * reads(1_000) + 100)
    }
}
