import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Testing

@Suite("RudderStack v2: the guide's troubleshooting table, its edge case, and the SDK's own rules")
struct RudderStackTroubleTests {
    @Test("legacy data not found: nothing migrates, the anonymous ID neither")
    func nothingFound() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy = ["theme": .string("dark")]
        let plan = try fixture.plan()
        #expect(plan.summary == [.skipped: 9])
        #expect(plan.outcome("anonymous-id") == "skipped legacy-not-found")
        #expect(!RudderStackV2().applies(to: fixture.stores, facts: fixture.facts))
    }

    @Test("R8: an event before the last boot cannot be converted to uptime; the session itself still migrates")
    func reboot() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rl_last_event_time_stamp"] = .integer(1_724_989_999)
        for profile in ["documented", "sdk-1.1"] {
            let plan = try fixture.plan(profile)
            #expect(plan.outcome("last-activity-time") == "skipped rebooted-since")
            #expect(plan.outcome("session-id") == "migrates")
        }
        #expect(try fixture.plan("sdk-1.2").written["last_activity_time"] == .string("1724989999000"))
    }

    @Test("an event at the very moment of the boot is at uptime zero")
    func atBoot() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rl_last_event_time_stamp"] = .integer(1_724_990_000)
        #expect(try fixture.plan().written["last_activity_time"] == .string("0"))
    }

    @Test(
        "R6: corrupt traits fail with where and why, and the others still migrate",
        arguments: [
            Value.data(Data([1, 2, 3])), .data(Data("bplist00".utf8)), .string("{\"email\":"), .string("no JSON"),
            .integer(5), .data(Data()), .string("[1, 2]"),
        ])
    func corruptTraits(traits: Value) throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rs_traits"] = traits
        let plan = try fixture.plan()
        #expect(plan.outcome("traits") == "failed traits-corrupt")
        #expect(plan.written["user_id"] == .string("u-42"))
        #expect(plan.summary[.migrates] == 7)
    }

    @Test("never identified: no user ID anywhere is a skip, not a failure")
    func neverIdentified() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rs_user_id"] = nil
        fixture.legacy["rs_traits"] = nil
        #expect(try fixture.plan().outcome("user-id") == "skipped never-identified")
    }

    @Test("traits as the JSON string that the guide speaks of migrate by the guide; the SDK reads only an archive")
    func jsonTraits() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rs_traits"] = .string(#"{"userId":"j-1","plan":"pro","n":1.50}"#)
        #expect(try fixture.plan().written["traits"] == .string(#"{"plan":"pro","n":1.50}"#))
        #expect(try fixture.plan().written["user_id"] == .string("j-1"))
        #expect(try fixture.plan("sdk-1.1").outcome("traits") == "failed traits-not-archived")
    }

    @Test("a date, a URL or an unknown class inside the traits is a reasoned outcome that names the place")
    func strangeTraits() throws {
        let cases: [(String, Members, String)] = [
            ("NSDate", ["NS.time": .real(0)], "born"), ("NSURL", ["NS.relative": .string("https://a.b")], "home"),
            ("Acme.Thing", ["size": .integer(3)], "thing"),
        ]
        for (className, fields, key) in cases {
            var fixture = try LegacyFixture.complete()
            fixture.legacy["rs_traits"] = .data(
                try LegacyFixture.archive(
                    ["email": .string("a@b.c"), "userId": .string("x")],
                    extra: [(key, .dictionary(fields), className)]))
            let step = try #require(fixture.plan().step("traits"))
            #expect(step.outcome.kind == .failed)
            #expect(step.outcome.reason?.code == "traits-not-json")
            #expect(step.outcome.reason?.sentence.contains("#/\(key)") ?? false)
            #expect(try fixture.plan().written["user_id"] == .string("x"), "the userId beside it is still read")
        }
    }

    @Test("R18: the SDK's migrator does nothing where the suite holds any value; the guide migrates what is missing")
    func targetExists() throws {
        var fixture = try LegacyFixture.complete()
        fixture.migrated = ["source_config": .string("{}")]
        #expect(try fixture.plan("sdk-1.1").summary == [.skipped: 10])
        #expect(try fixture.plan("sdk-1.1").outcome("user-id") == "skipped target-exists")
        #expect(try fixture.plan().summary[.migrates] == 8)
    }

    @Test("an equal target is unchanged, a differing one is a conflict and stays; JSON is equal in any order")
    func existingTargets() throws {
        var fixture = try LegacyFixture.complete()
        fixture.migrated = [
            "session_id": .string("1724990100"), "user_id": .string("somebody else"),
            "traits": .string(#"{"vip": true, "age": 30.0, "email": "a@b.c"}"#), "rudder.app_build": .string("417"),
        ]
        let plan = try fixture.plan()
        #expect(plan.outcome("session-id") == "unchanged")
        #expect(plan.outcome("traits") == "unchanged")
        #expect(plan.outcome("user-id") == "conflict target-differs")
        #expect(plan.outcome("app-build") == "conflict target-differs", "a string is not an integer")
    }

    @Test("removing the legacy keys is the last step, and warns where a value was not migrated and would be lost")
    func removal() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rs_traits"] = .data(Data([9]))
        let step = try #require(fixture.plan("sdk-1.2").steps.last)
        #expect(step.id == "remove-legacy")
        #expect(step.changes.map(\.action) == Array(repeating: .remove, count: 7))
        let warned = step.changes.filter { !$0.notes.isEmpty }.map(\.address.key)
        #expect(warned == ["rs_traits"])
        #expect(try fixture.plan("documented").step("remove-legacy") == nil, "the guide keeps the legacy keys")
    }

    @Test("a missing fact blocks only the steps that need it", arguments: ["documented", "sdk-1.1", "sdk-1.2"])
    func missingFacts(profile: String) throws {
        var fixture = try LegacyFixture.complete()
        fixture.facts[.uptime] = nil
        fixture.facts[.identifierForVendor] = nil
        let plan = try fixture.plan(profile)
        let blocked = plan.steps.filter { $0.outcome.kind == .blocked }.map(\.id)
        let expected = [
            "documented": ["anonymous-id", "last-activity-time"],
            "sdk-1.1": ["anonymous-id", "last-activity-time", "remove-legacy"],
            "sdk-1.2": ["anonymous-id", "remove-legacy"],
        ]
        #expect(blocked == expected[profile], "what removes the sources waits for all that read them")
        #expect(plan.step("anonymous-id")?.outcome.reason?.missingFacts == [.identifierForVendor])
    }

    @Test("without a write key every step with a target is blocked; one suite in the dump tells the key")
    func writeKey() throws {
        var fixture = try LegacyFixture.complete()
        fixture.facts[.writeKey] = nil
        #expect(try fixture.plan().summary == [.blocked: 8, .skipped: 1])
        fixture.migrated = ["session_id": .string("1724990100")]
        let plan = try fixture.plan()
        #expect(plan.facts[.writeKey]?.value == "wk")
        #expect(plan.summary[.migrates] == 7)
    }
}
