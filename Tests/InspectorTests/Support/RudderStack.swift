import Foundation
import MigrationEngine
import Migrations
import StoreFormats

/// What the old SDK leaves on a device, in memory.
enum RudderStack {
    static let migration = RudderStackV2()
    static let legacy = StoreID.defaults("com.acme.notes")
    static let suite = StoreID.defaults("com.acme.notes.analytics.wk")
    static let members: Members = [
        "rs_user_id": .string("u-42"), "theme": .string("dark"),
        "rs_traits": .string(#"{"email":"jane@example.com","plan":"pro","userId":"u-77"}"#),
        "rl_session_id": .integer(1_724_990_100), "rl_session_manual_track_status": .bool(false),
        "rl_last_event_time_stamp": .integer(1_724_995_000), "rs_application_version_key": .string("2.3.1"),
        "rs_application_build_key": .string("417"), "launches": .integer(3),
    ]

    /// The stores with some legacy entries changed, and what the new SDK has already.
    static func stores(_ changes: [Name: Value?] = [:], migrated: Members? = nil) -> MemoryStores {
        var legacy = members
        for (key, value) in changes.sorted(by: { $0.key < $1.key }) { legacy[key] = value }
        return MemoryStores([(Self.legacy, legacy)] + (migrated.map { [(suite, $0)] } ?? []))
    }
}

extension Facts {
    /// Every fact that the migration asks for.
    static let notes = Facts([
        .bundleIdentifier: Fact("com.acme.notes", from: "AppDataInfo.plist"), .writeKey: Fact("wk", from: "--fact"),
        .identifierForVendor: Fact("9B574574-74A7-4EDF-969D-164CB151B6C3", from: "--fact"),
        .now: Fact("1725000000", from: "--fact"), .uptime: Fact("10000", from: "--fact"),
    ])

    func without(_ names: FactName...) -> Facts {
        var facts = self
        for name in names { facts[name] = nil }
        return facts
    }
}

extension LedgerEntry.Stamp {
    static let test = LedgerEntry.Stamp(
        date: Date(timeIntervalSinceReferenceDate: 750_000_000), author: "tester", toolVersion: "1.0")
}
