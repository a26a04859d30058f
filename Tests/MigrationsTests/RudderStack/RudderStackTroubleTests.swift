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
        #expect(plan.outcome("anonymous-id") == "skipped absent")
        #expect(!RudderStackV2().applies(to: fixture.stores, facts: fixture.facts))
    }

    @Test("R8: an event before the last boot cannot be converted to uptime; the session itself still migrates")
    func reboot() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rl_last_event_time_stamp"] = .integer(1_724_989_999)
        for profile in ["documented", "sdk-1.1"] {
            let plan = try fixture.plan(profile)
            #expect(plan.outcome("last-activity-time") == "skipped before-boot")
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
        #expect(plan.outcome("traits") == "failed wrong-type")
        #expect(plan.written["user_id"] == .string("u-42"))
        #expect(plan.summary[.migrates] == 7)
    }

    @Test("Traits with a key that stands twice are waited for: nobody takes one of two user IDs")
    func repeatedTrait() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rs_traits"] = .string(#"{"userId":"a","userId":"b","email":"e"}"#)
        let plan = try fixture.plan()
        #expect(plan.outcome("traits") == "blocked repeated-key")
        #expect(plan.outcome("user-id") == "blocked repeated-key")
    }

    @Test(
        "Traits over a limit are not damaged, and no user is taken from elsewhere that the guide's rules would not take",
        arguments: [
            Value.string("{\"a\":" + String(repeating: "[", count: 300) + String(repeating: "]", count: 300) + "}")
        ])
    func traitsOverLimit(traits: Value) throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rs_traits"] = traits
        let plan = try fixture.plan()
        #expect(plan.outcome("traits") == "failed unreadable-over-limit")
        #expect(plan.outcome("user-id") == "failed unreadable-over-limit")
        #expect(plan.written["user_id"] == nil)
        #expect(try fixture.plan("sdk-1.2").written["user_id"] == .string("u-42"), "the SDK asks for rs_user_id first")
    }

    @Test("never identified: no user ID anywhere is a skip, not a failure")
    func neverIdentified() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rs_user_id"] = nil
        fixture.legacy["rs_traits"] = nil
        #expect(try fixture.plan().outcome("user-id") == "skipped absent")
    }

    @Test("traits as the JSON string that the guide speaks of migrate by the guide; the SDK reads only an archive")
    func jsonTraits() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rs_traits"] = .string(#"{"userId":"j-1","plan":"pro","n":1.50}"#)
        #expect(try fixture.plan().written["traits"] == .string(#"{"plan":"pro","n":1.50}"#))
        #expect(try fixture.plan().written["user_id"] == .string("j-1"))
        #expect(try fixture.plan("sdk-1.1").outcome("traits") == "failed not-keyed-archive")
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
            #expect(step.outcome.reason?.code == "not-json")
            #expect(step.outcome.reason?.sentence.contains("#/\(key)") ?? false)
            #expect(try fixture.plan().written["user_id"] == .string("x"), "the userId beside it is still read")
        }
    }

    @Test("R18: the SDK's migrator does nothing where the suite holds any value; the guide migrates what is missing")
    func targetExists() throws {
        var fixture = try LegacyFixture.complete()
        fixture.migrated = ["source_config": .string("{}")]
        #expect(try fixture.plan("sdk-1.1").summary == [.skipped: 10])
        #expect(try fixture.plan("sdk-1.1").outcome("user-id") == "skipped requirement-not-met")
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

    @Test(
        "where nothing of the old SDK is, its removal has nothing to do, and asks for no fact",
        arguments: ["sdk-1.1", "sdk-1.2"])
    func nothingToRemove(profile: String) throws {
        var fixture = try LegacyFixture.complete()
        (fixture.legacy, fixture.facts[.writeKey]) = (["theme": .string("dark")], nil)
        #expect(try fixture.plan(profile).outcome("remove-legacy") == "skipped absent")
    }

    @Test("without a write key every step with a target is blocked; one suite in the dump tells the key")
    func writeKey() throws {
        var fixture = try LegacyFixture.complete()
        fixture.facts[.writeKey] = nil
        #expect(try fixture.plan().summary == [.blocked: 8, .skipped: 1])
        fixture.migrated = ["session_id": .string("1724990100")]
        let plan = try fixture.plan()
        #expect(
            plan.facts[.writeKey]
                == Fact("wk", inferredFrom: Address(store: .defaults("com.acme.notes.analytics.wk"))))
        #expect(plan.summary[.migrates] == 7)
    }

    private static func serverConfig(_ writeKey: Value) throws -> Value {
        .data(try BinaryPropertyList.write(.dictionary(["source": .dictionary(["_writeKey": writeKey])])))
    }

    @Test("the write key is inferred from the configuration that the server sent, with the address where it stands")
    func inferredWriteKey() throws {
        var fixture = try LegacyFixture.complete()
        fixture.facts[.writeKey] = nil
        fixture.legacy["rs_server_config"] = try Self.serverConfig(.string("wk"))
        let plan = try fixture.plan(), fact = try #require(plan.facts[.writeKey])
        #expect(fact.value == "wk" && fact.source.isGuess)
        let address = "defaults://com.acme.notes/rs_server_config#/source/_writeKey"
        #expect(fact.source == .inferred(address))
        #expect(fixture.stores.state(at: try Address(parsing: address)) == .present(.string("wk")), "it can be shown")
        #expect(plan.written["user_id"] != nil && plan.guesses == [.writeKey])
        fixture.facts[.writeKey] = Fact("other", from: "--fact")
        #expect(try fixture.plan().facts[.writeKey]?.value == "other", "what is said counts")
        fixture.facts[.writeKey] = nil
        for nothing in [Value.integer(7), .string(""), .null] {
            fixture.legacy["rs_server_config"] = try Self.serverConfig(nothing)
            #expect(try fixture.plan().facts[.writeKey] == nil)
        }
        fixture.legacy["rs_server_config"] = .data(Data("bplist00 cut".utf8))
        #expect(try fixture.plan().facts[.writeKey] == nil)
    }

    @Test("of two write keys in the dump neither is taken, and the steps say which there are")
    func twoWriteKeys() throws {
        var fixture = try LegacyFixture.complete()
        fixture.facts[.writeKey] = nil
        fixture.legacy["rs_server_config"] = try Self.serverConfig(.string("new"))
        fixture.migrated = ["session_id": .string("1724990100")]
        let plan = try fixture.plan()
        #expect(plan.facts[.writeKey] == nil)
        let sentence = try #require(plan.step("user-id")?.outcome.reason?.sentence)
        #expect(
            sentence == """
                writeKey is not known; writeKey may be “wk” (inferred from defaults://com.acme.notes.analytics.wk) or “new” \
                (inferred from defaults://com.acme.notes/rs_server_config#/source/_writeKey): say which
                """)
        fixture.legacy["rs_server_config"] = try Self.serverConfig(.string("wk"))
        #expect(try fixture.plan().facts[.writeKey]?.value == "wk", "twice the same is one")
    }

    @Test("where nothing says whose dump it is, the UserDefaults that the old SDK wrote to say it")
    func inferredApp() throws {
        var fixture = try LegacyFixture.complete()
        fixture.facts[.bundleIdentifier] = nil
        let plan = try fixture.plan()
        #expect(
            plan.facts[.bundleIdentifier] == Fact("com.acme.notes", inferredFrom: Address(store: LegacyFixture.domain)))
        #expect(plan.summary[.migrates] == 8)
        #expect(RudderStackV2().applies(to: fixture.stores, facts: fixture.facts))
        let two = MemoryStores([(LegacyFixture.domain, fixture.legacy), (.defaults("com.acme.copy"), fixture.legacy)])
        let renamed = MemoryStores([(.defaults("support mail"), fixture.legacy)])
        for stores in [two, renamed] {
            // What is there is seen, and whose it is must be said.
            #expect(RudderStackV2().applies(to: stores, facts: fixture.facts))
            let plan = Plan(
                of: RudderStackV2(), profile: RudderStackRules.documented.profile, facts: fixture.facts, stores: stores,
                history: History(), check: {})
            #expect(plan.facts[.bundleIdentifier] == nil && plan.summary == [.blocked: plan.steps.count])
            #expect(plan.steps.allSatisfy { $0.outcome.reason?.missingFacts.contains(.bundleIdentifier) == true })
        }
        #expect(!RudderStackV2().applies(to: MemoryStores([(.defaults("x"), ["a": .null])]), facts: fixture.facts))
    }
}
