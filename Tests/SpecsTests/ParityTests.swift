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
            let conflict = step.conflict.map { ["would be \(String(describing: $0.after)) at \($0.address)"] } ?? []
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
                } + conflict)
        }
    }

    /// How many hundreds of random stores are tried: 100 with VESTIGE_PARITY=100.
    static let rounds = ProcessInfo.processInfo.environment["VESTIGE_PARITY"].flatMap(Int.init) ?? 3

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

    @Test("person: the same on random stores", arguments: 0..<rounds)
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
        "klivvr-user-profile: the same on its fixtures", arguments: Places.fixtures
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
        "klivvr-user-profile: the same on random profiles, with a version, without one, with one that somebody gives, and gone",
        arguments: 0..<rounds)
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
            var members = Members()
            if Int.random(in: 0..<10, using: &generator) > 0 {
                members["user_profile"] = KeychainItem(text: text).value
            }
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

    // MARK: rudderstack-v2

    /// What a step does to which entries, and whether it does; the reasons of the Swift one are of its own.
    private static func rows(_ migration: any Migration, _ profile: String, on stores: any StoreReader, _ facts: Facts)
        throws -> [String]
    {
        let plan = Plan(
            of: migration, profile: try migration.profile(named: profile), facts: facts, stores: stores,
            history: History(), check: {})
        return plan.steps.map { step in
            let changes = step.changes.map { change in
                // That another source says something else makes no other effect by a spec, and the fraction of a number
                // that is rounded away does only there.
                let isRounded = step.id == "session-id" || change.address.key == "rl_session_id"
                let effect = step.id == "user-id" || isRounded ? "" : "\(change.effect)"
                return "\(change.address) \(change.action) \(effect) \(change.after.map { "\($0)" } ?? "nothing")"
            }
            return ([step.id, step.outcome.kind.rawValue] + changes.sorted()).joined(separator: " ")
        }
    }

    /// What a spec asks as a condition after the row's own source, the SDK reads first: such a step is skipped or has failed.
    private static func isSame(_ own: String, _ swift: String, _ profile: String) -> Bool {
        let sides = [own, swift]
        return own == swift
            || profile != "documented"
                && ["manual-session", "last-activity-time"].contains {
                    sides.sorted() == ["\($0) failed", "\($0) skipped"]
                }
    }

    private static let rudderFacts = Facts([
        .bundleIdentifier: Fact("com.acme.notes", from: "test"), .writeKey: Fact("wk", from: "test"),
        .now: Fact("1725000000", from: "test"), .uptime: Fact("10000", from: "test"),
        .identifierForVendor: Fact("9B574574-74A7-4EDF-969D-164CB151B6C3", from: "test"),
    ])

    @Test(
        "rudderstack-v2: the rows come to the same on every fixture of its app", arguments: Places.fixtures,
        ["documented", "sdk-1.1", "sdk-1.2"])
    func rudderStackFixtures(fixture: String, profile: String) throws {
        guard fixture.hasPrefix("notes-"), let container = try? Dump.open(Places.fixture(fixture)).containers.first
        else {
            return
        }
        let spec = SpecMigration(try Specs.example("rudderstack-v2.yaml"))
        let swift = try Self.rows(RudderStackV2(), profile, on: container, Self.rudderFacts)
        let own = try Self.rows(spec, profile, on: container, Self.rudderFacts)
        #expect(own.count == swift.count)
        for (own, swift) in zip(own, swift) { #expect(Self.isSame(own, swift, profile), "\(own)\n\(swift)") }
    }

    @Test("rudderstack-v2: the rows come to the same on random stores", arguments: 0..<(2 * rounds))
    func rudderStackRandom(round: Int) throws {
        let spec = SpecMigration(try Specs.example("rudderstack-v2.yaml"))
        let seed = UInt64(round) &* 49_979_687
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let stores = try Self.rudderStores(&generator)
            for profile in ["documented", "sdk-1.1", "sdk-1.2"] {
                let swift = try Self.rows(RudderStackV2(), profile, on: stores, Self.rudderFacts)
                let own = try Self.rows(spec, profile, on: stores, Self.rudderFacts)
                #expect(own.count == swift.count)
                for (own, swift) in zip(own, swift) where !Self.isSame(own, swift, profile) {
                    Issue.record("seed \(seed), \(profile): \(own)\n\(swift)\n\(stores)")
                    return
                }
            }
        }
    }

    private static func rudderStores(_ generator: inout SeededGenerator) throws -> MemoryStores {
        func one(_ values: [Value?]) -> Value? { values.randomElement(using: &generator) ?? nil }
        var traits = Members()
        for member: Member in [
            Member(key: "email", value: .string("b@c.de")), Member(key: "userId", value: .string("t-7")),
            Member(key: "id", value: .string("i-9")), Member(key: "anonymousId", value: .string("a-1")),
            Member(key: "age", value: .integer(36)), Member(key: "vip", value: .bool(true)),
            Member(key: "tags", value: .array([.string("x"), .real(1.5)])),
        ] where Bool.random(using: &generator) { traits.all.append(member) }
        let archive = try KeyedArchive.write(.dictionary(traits))
        let json = String(decoding: try JSONDocument.write(.dictionary(traits)), as: UTF8.self)
        var old = Members()
        old["rs_user_id"] = one([.string("u-42"), .string("u-42"), .string("t-7"), nil])
        old["rs_traits"] = one([
            .data(archive), .data(archive), .data(archive), .data(archive.dropLast(20)), nil,
        ])
        old["rl_session_id"] = one([
            .integer(1_724_990_100), .integer(1_724_990_100), .real(1_724_990_100.5), .integer(-1), .string("x"), nil,
        ])
        old["rl_session_manual_track_status"] = one([
            .bool(true), .bool(false), .integer(1), .integer(0), .integer(2), .string("true"), nil,
        ])
        old["rl_session_stopped_status"] = one([.bool(true), nil])
        old["rl_last_event_time_stamp"] = one([
            .integer(1_724_995_000), .real(1_724_995_000.25), .integer(0), .integer(-5), .integer(1_724_900_000),
            .integer(1_725_000_001), .string("x"), nil,
        ])
        old["rs_application_version_key"] = one([.string("3.1"), .integer(3), nil])
        old["rs_application_build_key"] = one([.string("417"), .string("b4"), .integer(4), nil])
        old["editor.theme"] = .string("sepia")
        var stores = MemoryStores([(.defaults("com.acme.notes"), old)])
        if Int.random(in: 0..<4, using: &generator) == 0 {
            var new = Members()
            new["user_id"] = one([.string("u-42"), .string("other"), nil])
            new["session_id"] = one([.string("1724990100"), nil])
            new["traits"] = one([.string(json), nil])
            if !new.isEmpty { stores[.defaults("com.acme.notes.analytics.wk")] = new }
        }
        return stores
    }
}
