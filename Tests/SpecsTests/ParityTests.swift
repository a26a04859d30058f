import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import TestSupport
import Testing

@testable import Specs

/// Whether a spec does what the Swift migration of the same name does; sentences may differ.
@Suite("A spec beside the Swift migration of the same name")
struct ParityTests {
    /// What a step does, without its sentences.
    struct Deed: Hashable {
        var step: String
        var outcome: String
        var changes: [String]
    }

    static func deeds(_ migration: any Migration, _ profile: String, on stores: any StoreReader, _ facts: Facts) throws
        -> [Deed]
    {
        var session = try MigrationSession(stores: stores, ledger: MemoryLedger())
        let profile = try migration.profile(named: profile)
        let plan = session.plan(migration, profile: profile, facts: facts)
        try session.apply(.all, of: migration, profile: profile, facts: facts, stamp: Tried.stamp)
        return plan.steps.map { step in
            let code = step.outcome.reason?.code
            return Deed(
                step: step.id, outcome: [step.outcome.kind.rawValue, code].compactMap(\.self).joined(separator: " "),
                changes: step.changes.map { change in
                    let parts = [
                        "\(change.address)", "\(change.action)", "\(change.effect)",
                        "\(String(describing: change.after))",
                        change.from.map(\.description).joined(separator: ","),
                        change.placeholders.map(\.description).joined(separator: ","),
                        change.dropped.map(\.description).joined(separator: ","),
                    ]
                    return parts.joined(separator: " ")
                })
        }
    }

    static let facts = Facts([
        .bundleIdentifier: Fact("com.acme.people", from: "test"), .locale: Fact("ar_EG", from: "test"),
    ])

    @Test(
        "person: the same on every fixture, in every profile that both have",
        arguments: Places.fixtures, ["found", "defaults", "file", "keychain"])
    func personFixtures(fixture: String, profile: String) throws {
        guard let dump = try? Dump.open(Places.fixture(fixture)) else { return }
        let spec = SpecMigration(try Specs.example("person.yaml"))
        for container in dump.containers {
            let facts = Self.facts.completed(by: container.facts)
            let swift = try Self.deeds(PersonMigration(), profile, on: container, facts)
            #expect(try Self.deeds(spec, profile, on: container, facts) == swift, "\(container.identifier)")
        }
    }

    @Test("person: the same on random stores", arguments: 0..<20)
    func personRandom(round: Int) throws {
        let spec = SpecMigration(try Specs.example("person.yaml"))
        let seed = UInt64(round) &* 15_485_863
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            var stores = MemoryStores()
            for location in 0..<3 where Bool.random(using: &generator) {
                let text = Self.person(&generator)
                switch location {
                case 0: stores[.defaults("com.acme.people")] = ["person": .string(text)]
                case 1: stores[.files("Documents")] = ["person.json": .data(Data(text.utf8))]
                default: stores[.keychain("com.acme.people")] = ["person": KeychainItem(text: text).value]
                }
            }
            for profile in ["found", "defaults", "file", "keychain"] {
                // Of several persons the Swift one takes the first that is one for certain; a spec the first that is there.
                if profile == "found", stores.stores.count > 1 { continue }
                let swift = try Self.deeds(PersonMigration(), profile, on: stores, Self.facts)
                let own = try Self.deeds(spec, profile, on: stores, Self.facts)
                #expect(own == swift, "seed \(seed), \(profile): \(stores)")
                if own != swift { return }
            }
        }
    }

    private static func person(_ generator: inout SeededGenerator) -> String {
        let fields = ["name", "age", "email", "alias", "version", "extra"].filter { _ in Bool.random(using: &generator)
        }
        let members = fields.shuffled(using: &generator).map { field in
            let values = [#""Peter""#, #""55""#, "5", "null", "[1 ,2]", #"{"a":1.50}"#, "true"]
            let value =
                Int.random(in: 0..<4, using: &generator) > 0 ? #""x""# : values.randomElement(using: &generator) ?? ""
            return "\"\(field)\" : \(value)"
        }
        let text = "{ " + members.joined(separator: ", ") + "}"
        return Int.random(in: 0..<12, using: &generator) == 0 ? String(text.dropLast(3)) : text
    }

    @Test(
        "klivvr-user-profile: the same on its fixtures, but for a profile that is not there", arguments: Places.fixtures
    )
    func klivvrFixtures(fixture: String) throws {
        guard fixture.hasPrefix("klivvr"), let container = try Dump.open(Places.fixture(fixture)).containers.first
        else { return }
        let spec = SpecMigration(try Specs.example("klivvr-user-profile.yaml"))
        let facts = Self.facts.completed(by: container.facts)
        let swift = try Self.deeds(KlivvrUserProfile(), "default", on: container, facts)
        #expect(try Self.deeds(spec, "default", on: container, facts) == swift)
    }

    @Test(
        "klivvr-user-profile: the same on random profiles, with a version, without one, and with one that somebody gives",
        arguments: 0..<10)
    func klivvrRandom(round: Int) throws {
        let spec = SpecMigration(try Specs.example("klivvr-user-profile.yaml"))
        let seed = UInt64(round) &* 32_452_843
        var generator = SeededGenerator(seed: seed)
        let facts = Self.facts.completed(by: Facts([.keychainService: Fact("com.klivvr", from: "test")]))
        for _ in 0..<100 {
            let parts = [
                #""userId":"u""#, #""displayName":"d""#, #""email": "e""#, #""extra":1.50"#,
                #""preferences":{"theme":"t","language":"l","currency":"c"}"#,
                #""notificationSettings":{"pushEnabled":true,"emailEnabled":true,"#
                    + #""transactionAlerts":true,"marketingOptIn":true}"#,
            ]
            let kept = parts.filter { _ in Int.random(in: 0..<5, using: &generator) > 0 }
            let text = "{" + kept.shuffled(using: &generator).joined(separator: ", ") + "}"
            var members: Members = ["user_profile": KeychainItem(text: text).value]
            let version = ["1", "2", "3", "4", "0", "x", nil].randomElement(using: &generator) ?? nil
            if let version { members["user_profile_schema_version"] = KeychainItem(text: version).value }
            let stores = MemoryStores([(.keychain("com.klivvr"), members)])
            var swiftFacts = facts, ownFacts = facts
            if let given = ["1", "2", "3", nil, nil].randomElement(using: &generator) ?? nil {
                swiftFacts["assumedVersion"] = Fact(given, from: "test")
                ownFacts["profileVersion"] = Fact(given, from: "test")
            }
            let swift = try Self.deeds(KlivvrUserProfile(), "default", on: stores, swiftFacts)
            let own = try Self.deeds(spec, "default", on: stores, ownFacts)
            #expect(own == swift, "seed \(seed): \(version ?? "none") \(text)")
            if own != swift { return }
        }
    }
}
