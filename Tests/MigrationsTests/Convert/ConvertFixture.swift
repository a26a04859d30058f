import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Systems

/// What Convert's SDK leaves on a device, part by part.
struct ConvertFixture {
    static let bundle = "com.acme.shop"
    static let appSupport = StoreID.files("AppSupport")
    static let mirror = ConvertLocation.mirror(bundleIdentifier: bundle)
    static let fresh = "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE"
    static let kept = "11111111-2222-3333-4444-555555555555"
    static let mirrored = "66666666-7777-8888-9999-AAAAAAAAAAAA"
    static let decisionFile = "convert-decision-store.json"
    static let folder = "com.convertexperiments.sdk/"

    var keychain: Value?
    var mirror: Value?
    var files: [(StoreID, key: String, text: String)] = []
    /// Why the keychain cannot be read.
    var obstacle: Unreadable?
    /// A file that is there and cannot be read.
    var lockedFile: Address?
    var facts = Facts([
        .bundleIdentifier: Fact(bundle, from: "test"), .freshVisitorID: Fact(fresh, from: "test"),
    ])

    var stores: ObservedStores {
        var memory = MemoryStores()
        if let keychain { memory[ConvertLocation.visitorID.store] = [ConvertLocation.visitorID.key ?? "": keychain] }
        if let mirror { memory[Self.mirror.store] = [Self.mirror.key ?? "": mirror] }
        for (store, key, text) in files {
            var members = memory[store] ?? Members()
            members[Name(key)] = .data(Data(text.utf8))
            memory[store] = members
        }
        return ObservedStores(memory: memory, obstacle: obstacle, lockedFile: lockedFile)
    }

    var store: ConvertStore<ObservedStores> {
        ConvertStore(stores: stores, bundleIdentifier: Self.bundle) { Self.fresh }
    }

    /// With this text in a file of Application Support.
    static func file(_ key: String, _ text: String) -> ConvertFixture {
        ConvertFixture(files: [(appSupport, key, text)])
    }

    static func item(_ text: String) -> Value { KeychainItem(text: text, attributes: ["pdmn": .string("cku")]).value }

    func plan(_ profile: String = "documented") -> Plan {
        let migration = ConvertMigration()
        return Plan(
            of: migration, profile: migration.profiles.first { $0.id == profile } ?? migration.profiles[0],
            facts: facts, stores: stores, history: History([]), check: {})
    }
}

/// Stores in memory that count what is written, and whose keychain may refuse.
struct ObservedStores: StoreWriter {
    var memory: MemoryStores
    var obstacle: Unreadable?
    var lockedFile: Address?
    /// A folder, as the beginning of keys, that cannot be listed.
    var unlisted: Name?
    var written: [Address] = []
    static let refusal = Unreadable(.inaccessible, "permission is denied")

    var stores: [StoreID] { memory.stores }
    func problem(with store: StoreID) -> Unreadable? { store.kind == .keychain ? obstacle : nil }
    func keys(in store: StoreID) -> any KeyList { PartialKeys(base: memory.keys(in: store), unlisted: unlisted) }

    func state(of key: Name, in store: StoreID) -> EntryState {
        if store.kind == .keychain, let obstacle { return .unreadable(obstacle) }
        if lockedFile == Address(store: store, key: key) { return .unreadable(Unreadable(.locked, "it is locked")) }
        return memory.state(of: key, in: store)
    }

    mutating func commit(_ changes: [Change]) {
        written += changes.map(\.address)
        memory.commit(changes)
    }

    /// The text of a file or of a key.
    func text(_ address: Address) -> String? {
        switch state(at: address).value {
        case .data(let data): String(decoding: data, as: UTF8.self)
        case .string(let text): text
        case .some(let value): KeychainItem(value)?.text
        case nil: nil
        }
    }
}

/// Keys some of which cannot be listed.
private struct PartialKeys: KeyList {
    let base: any KeyList
    let unlisted: Name?

    var count: Int { base.count }
    func key(at position: Int) -> Name { base.key(at: position) }
    func positions(of key: Name) -> [Int] { base.positions(of: key) }

    func problem(under prefix: Name) -> Unreadable? {
        unlisted.map { $0.hasPrefix(prefix.text) } ?? false ? ObservedStores.refusal : nil
    }
}

extension Plan {
    /// What a step leaves under an address: the text, or `nil` where it removes or does not touch it.
    func text(_ step: String, _ address: Address) -> String? {
        self.step(step)?.changes.last { $0.address == address }?.after?.data.map { String(decoding: $0, as: UTF8.self) }
    }
}
