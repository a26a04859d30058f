import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import Testing

@Suite("Klivvr: the fixture dumps")
struct KlivvrFixtureTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures").path

    @Test(
        "the migration finds each profile by itself, and answers as its state asks",
        arguments: [
            ("klivvr-v1", ["migrates", "migrates"]),
            ("klivvr-v2", ["skipped already-newer", "migrates"]),
            ("klivvr-v3", ["skipped already-newer", "skipped already-newer"]),
            ("klivvr-skipped", ["migrates", "migrates"]),
            ("klivvr-half-migrated", ["blocked version-unclear", "blocked version-unclear"]),
            ("klivvr-no-version", ["blocked version-unclear", "blocked version-unclear"]),
            ("klivvr-broken", ["failed document-invalid", "failed document-invalid"]),
            ("notes-legacy", []),
        ])
    func outcomes(name: String, expected: [String]) throws {
        let container = try #require(try Dump.open("\(Self.folder)/\(name).xcappdata").containers.first)
        let migration = KlivvrUserProfile()
        #expect(migration.applies(to: container, facts: Facts()) == !expected.isEmpty)
        guard !expected.isEmpty else { return }
        let plan = try MigrationSession(stores: container, ledger: MemoryLedger()).plan(
            migration, profile: migration.profiles[0], facts: Facts([.locale: Fact("ar_EG", from: "a test")]))
        let found = plan.steps.map {
            [$0.outcome.kind.rawValue, $0.outcome.reason?.code].compactMap(\.self).joined(separator: " ")
        }
        #expect(found == expected)
        #expect(plan.facts[.keychainService]?.value == "com.klivvr.storage")
    }

    @Test(
        "whether a step waits, fails, is skipped or is applied, the same entries are its own: only the session's token is no step's",
        arguments: ["klivvr-v1", "klivvr-v3", "klivvr-broken", "klivvr-half-migrated", "klivvr-no-version"])
    func untouched(name: String) throws {
        let container = try #require(try Dump.open("\(Self.folder)/\(name).xcappdata").containers.first)
        let migration = KlivvrUserProfile(), session = try MigrationSession(stores: container, ledger: MemoryLedger())
        for facts in [[:], [.locale: "ar_EG"], [.locale: "ar_EG", .assumedVersion: "3"]] as [[FactName: String]] {
            let given = Facts(facts.mapValues { Fact($0, from: "a test") })
            let plan = session.plan(migration, profile: migration.profiles[0], facts: given)
            #expect(plan.untouched == 1, "\(plan.steps.map(\.outcome))")
        }
    }

    @Test("the backup that an interruption left is shown with its owner")
    func backup() throws {
        let path = "\(Self.folder)/klivvr-half-migrated.xcappdata"
        let container = try #require(try Dump.open(path).containers.first)
        let address = Address(
            store: .files("AppSupport"), key: "KlivvrStorageKit/user_profile_backup_v1.sealed")
        #expect(container.state(at: address) != .absent)
        #expect(
            KlivvrUserProfile().annotation(of: address, in: container)?
                .contains("keychain://com.klivvr.storage/user_profile, version 1") ?? false)
    }
}
