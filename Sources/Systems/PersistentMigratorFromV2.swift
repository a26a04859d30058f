import Foundation
import MigrationEngine
import Migrations
import StoreFormats

/// Migrates what RudderStack's iOS SDK v2 persisted, over stores that the caller brings.
///
/// It takes the same steps as ``RudderStackV2``, all at once, so that what it does can be looked at beforehand.
///
/// ```swift
/// var migrator = PersistentMigratorFromV2(writeKey: "wk", bundleIdentifier: "com.acme.notes", stores: stores)
/// try migrator.readPersistence()  // what the old SDK left
/// try migrator.restorePersistence()
/// ```
public struct PersistentMigratorFromV2<Stores: StoreWriter>: Sendable {
    /// The stores, with what has been restored.
    public private(set) var stores: Stores
    private let facts: Facts
    private let rules: RudderStackRules
    private let migration = RudderStackV2()

    /// Makes a migrator.
    ///
    /// - Parameters:
    ///   - writeKey: The write key that the new SDK is started with.
    ///   - bundleIdentifier: The app's bundle identifier.
    ///   - stores: Where both SDKs keep their values.
    ///   - facts: `identifierForVendor`, `now` and `uptime`, as far as they are known.
    ///   - profile: Whose rules to follow.
    public init(
        writeKey: String, bundleIdentifier: String, stores: Stores, facts: Facts = Facts(),
        profile: RudderStackRules = .documented
    ) {
        self.stores = stores
        var facts = facts
        facts[.writeKey] = Fact(writeKey, from: "the caller")
        facts[.bundleIdentifier] = Fact(bundleIdentifier, from: "the caller")
        self.facts = facts
        rules = profile
    }

    /// What the old SDK left, as the new SDK would take it, without changing anything.
    ///
    /// The keys are `anonymousId`, `userId`, `traits` (with the identities), `sessionId`, `isManualSession`,
    /// `lastActivityTime`, `applicationVersion` and `applicationBuild` (a string, as stored). A value that cannot be
    /// migrated is left out.
    ///
    /// - Throws: ``Unreadable`` where what the old SDK left cannot be read, which is not the same as nothing being there.
    public func readPersistence() throws(Unreadable) -> Members {
        try migration.persistence(in: stores, facts: facts, rules: rules)
    }

    /// Migrates every value that can be, and returns what became of each.
    ///
    /// A ledger of one's own, and taking it back, is what ``LiveSession`` offers with ``RudderStackV2``.
    ///
    /// - Throws: ``Unreadable`` where there may be stores that are not listed, or what the stores throw where they cannot
    ///   be written; then nothing has changed.
    @discardableResult
    public mutating func restorePersistence() throws -> Plan {
        var session = try LiveSession(stores: stores, ledger: MemoryLedger())
        let plan = try session.plan(migration, profile: rules.profile, facts: facts)
        defer { stores = session.stores }
        try session.apply(plan, stamp: .app)
        return plan
    }
}

extension LedgerEntry.Stamp {
    /// An app that migrates by itself, now.
    static var app: LedgerEntry.Stamp { LedgerEntry.Stamp(date: Date(), author: "the app", toolVersion: "") }
}
