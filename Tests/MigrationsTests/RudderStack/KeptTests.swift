import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Testing

@Suite("What the SDK's migrator leaves as it stands")
struct KeptTests {
    /// A suite from after the update, of which a value is the same, others differ, and others are not there.
    private static func migrated() throws -> LegacyFixture {
        var fixture = try LegacyFixture.complete()
        fixture.migrated = [
            "user_id": .string("x"), "traits": .string(#"{"age":30,"vip":true,"email":"a@b.c"}"#),
            "session_id": .string("1724990100"), "is_manual_session": .bool(true),
            "last_activity_time": .string("5000000"), "rudder.app_version": .string("2.3.1"),
        ]
        return fixture
    }

    @Test(
        "What stands in place of a value is told as the same, as another meaning, or as a loss where nothing does",
        arguments: [
            ("user-id", "found changed", []), ("traits", "found converted", ["/anonymousId", "/id"]),
            ("session-id", "found converted", []), ("manual-session", "found changed", []),
            ("last-activity-time", "found changed", []), ("app-version", "found carried", []),
            ("app-build", "missing dropped", []), ("anonymous-id", "missing dropped", []),
        ])
    func told(id: String, what: String, lost: [String]) throws {
        let step = try #require(try Self.migrated().plan("sdk-1.2").step(id)), change = try #require(step.found.first)
        #expect(step.outcome.kind == .skipped && step.changes.isEmpty && step.found.count == 1)
        #expect("\(change.action.rawValue) \(change.effect.rawValue)" == what)
        #expect(change.dropped.map { "\($0.pointer)" }.sorted() == lost)
        #expect(step.foundLosses.isEmpty == (!change.drops && change.effect != .changed))
        #expect(change.address == step.step.target)
    }

    @Test("What has failed has failed still when a later step has taken away what it read")
    func failedStill() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rs_traits"] = .string(#"{"plan":"pro"}"#)
        let migration = RudderStackV2(), profile = try LegacyFixture.profile("sdk-1.1")
        var session = try MigrationSession(stores: fixture.stores, ledger: MemoryLedger())
        let before = try fixture.plan("sdk-1.1")
        #expect(before.outcome("traits") == "failed not-keyed-archive")
        try session.apply(
            .all, of: migration, profile: profile, facts: fixture.facts,
            stamp: LedgerEntry.Stamp(date: .init(timeIntervalSince1970: 0), author: "a", toolVersion: "1"),
            assuming: true)
        #expect(session.history.standing.contains { $0.step == "remove-legacy" })
        let after = Plan(
            of: migration, profile: profile, facts: fixture.facts, stores: fixture.stores, history: session.history,
            check: {})
        #expect(after.outcome("traits") == "failed not-keyed-archive")
        #expect(after.step("traits")?.outcome.reason?.sentence.contains("remove-legacy has taken it away") == true)
        #expect(after.summary[.failed] == before.summary[.failed])
        // Of what was skipped before, nothing else is said.
        for (step, old) in zip(after.steps, before.steps) where old.outcome.kind == .skipped {
            #expect(step.outcome.kind == .skipped, "\(step.id)")
        }
    }

    @Test("An identity among the traits that is the very one that the new SDK has is not lost with them")
    func sameIdentity() throws {
        var fixture = try LegacyFixture.complete()
        let ids = fixture.facts[.identifierForVendor]?.value.lowercased() ?? ""
        fixture.legacy["rs_traits"] = .data(
            try LegacyFixture.archive([
                "email": .string("a@b.c"), "id": .string("u-42"), "anonymousId": .string(ids),
            ]))
        for profile in ["documented", "sdk-1.2"] {
            #expect(try fixture.plan(profile).step("traits")?.changes.first?.dropped == [])
        }
        fixture.legacy["rs_user_id"] = .string("u-43")
        #expect(try fixture.plan().step("traits")?.changes.first?.dropped.map { "\($0.pointer)" } == ["/id"])
    }

    @Test("Where nothing tells what a value would be, or nothing is left of the old SDK, nothing is said of it")
    func untold() throws {
        var fixture = try Self.migrated()
        (fixture.facts[.uptime], fixture.facts[.identifierForVendor]) = (nil, nil)
        let plan = try fixture.plan("sdk-1.1")
        #expect(plan.step("anonymous-id")?.found.isEmpty == true)
        #expect(plan.step("last-activity-time")?.found.isEmpty == true)
        #expect(plan.step("remove-legacy")?.found.isEmpty == true)
        fixture.legacy = ["theme": .string("dark")]
        #expect(try fixture.plan("sdk-1.1").steps.allSatisfy(\.found.isEmpty))
    }

    @Test(
        "What the profile's own rule makes nothing of stood there all the same: it is lost, or something else stands there",
        arguments: [
            ("rl_session_id", "abc", "session-id", "session_id", nil, "missing dropped"),
            ("rl_session_id", "abc", "session-id", "session_id", "7", "found changed"),
            ("rl_session_id", "abc", "session-id", "session_id", "abc", "found carried"),
            ("rl_session_manual_track_status", "maybe", "manual-session", "is_manual_session", nil, "missing dropped"),
            ("rs_application_build_key", "1.2", "app-build", "rudder.app_build", nil, "missing dropped"),
            ("rs_traits", "[", "traits", "traits", nil, "missing dropped"),
            ("rs_traits", "[", "traits", "traits", "{}", "found changed"),
        ] as [(Name, String, String, Name, String?, String)])
    func unread(key: Name, held: String, id: String, target: Name, standing: String?, what: String) throws {
        for profile in ["sdk-1.1", "sdk-1.2"] {
            var fixture = try Self.migrated()
            fixture.legacy[key] = .string(held)
            fixture.migrated?[target] = standing.map(Value.string)
            let step = try #require(try fixture.plan(profile).step(id)), change = try #require(step.found.first)
            #expect(step.outcome.kind == .skipped && step.found.count == 1)
            #expect("\(change.action.rawValue) \(change.effect.rawValue)" == what, "\(profile)")
            #expect(change.from == [Address(store: LegacyFixture.domain, key: key)])
            #expect(change.notes.contains { $0.hasPrefix("the rule makes nothing of it: ") })
        }
    }

    @Test("Where a fact is missing, what stands nowhere is lost; of what stands it is said why nobody knows")
    func waits() throws {
        var fixture = try Self.migrated()
        fixture.facts[.uptime] = nil
        let waiting = try #require(try fixture.plan("sdk-1.1").step("last-activity-time"))
        #expect(waiting.found.isEmpty && waiting.outcome.reason?.sentence.contains("uptime is not known") == true)
        fixture.migrated?["last_activity_time"] = nil
        let lost = try #require(try fixture.plan("sdk-1.1").step("last-activity-time")?.found.first)
        #expect(lost.action == .missing && lost.effect == .dropped)
    }

    @Test(
        "Of traits that are others now each part is told that the new store lacks, and none that it has",
        arguments: [
            (#"{"email":"new@b.c","age":30}"#, "changed", ["/anonymousId", "/id", "/vip"]),
            (#"{"age":30}"#, "converted", ["/anonymousId", "/email", "/id", "/vip"]),
            (#"{"age":30,"vip":true,"email":"a@b.c","new":1}"#, "converted", ["/anonymousId", "/id"]),
            ("5", "changed", ["/age", "/anonymousId", "/email", "/id", "/vip"]),
        ])
    func parts(standing: String, effect: String, lost: [String]) throws {
        var fixture = try Self.migrated()
        fixture.migrated?["traits"] = .string(standing)
        let change = try #require(try fixture.plan("sdk-1.2").step("traits")?.found.first)
        #expect(change.effect.rawValue == effect)
        #expect(change.dropped.map { "\($0.pointer)" }.sorted() == lost)
    }

    @Test("Traits that the SDK cannot read are compared by what they hold, with the identities among them")
    func unreadTraits() throws {
        var fixture = try Self.migrated()
        fixture.legacy["rs_traits"] = .string(#"{"plan":"pro","email":"a@b.c","id":"9","userId":"x"}"#)
        fixture.migrated?["traits"] = .string(#"{"plan":"pro"}"#)
        func found() throws -> Change? { try fixture.plan("sdk-1.2").step("traits")?.found.first }
        let change = try #require(try found())
        #expect(change.effect == .converted)
        // The userId stands as user_id.
        #expect(change.dropped.map { "\($0.pointer)" }.sorted() == ["/email", "/id"])
        fixture.migrated?["traits"] = nil
        #expect(try found()?.action == .missing)
    }

    @Test("Of traits that are nothing but identities those are lost that stand nowhere, and nothing else")
    func onlyIdentities() throws {
        var fixture = try Self.migrated()
        fixture.migrated?["traits"] = nil
        func found(id: String) throws -> [Change] {
            fixture.legacy["rs_traits"] = .data(
                try LegacyFixture.archive(["id": .string(id), "userId": .string("u-42")]))
            return try #require(try fixture.plan("sdk-1.2").step("traits")).found
        }
        let lost = try found(id: "9")
        #expect(lost.map(\.action) == [.missing] && lost.flatMap(\.from).map { "\($0.pointer)" } == ["/id"])
        #expect(try found(id: "x").isEmpty, "the new SDK has it as user_id")
    }

    @Test("A Boolean that is a number in UserDefaults is the same")
    func numbers() throws {
        var fixture = try Self.migrated()
        fixture.migrated?["is_manual_session"] = .integer(0)
        #expect(try fixture.plan("sdk-1.2").step("manual-session")?.foundLosses.isEmpty == true)
    }

    @Test("What the migrator has made itself is not told as found where it only goes on")
    func goesOn() throws {
        #expect(try LegacyFixture.complete().plan("sdk-1.2").steps.allSatisfy(\.found.isEmpty))
    }
}
