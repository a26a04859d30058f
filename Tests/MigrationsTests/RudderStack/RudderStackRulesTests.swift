import MigrationEngine
import Migrations
import StoreFormats
import Testing

@Suite("RudderStack v2: each row of the guide's tables (seed 000)")
struct RudderStackRulesTests {
    @Test("R1: every value becomes what its row says, in each profile")
    func everyRow() throws {
        let fixture = try LegacyFixture.complete()
        let common: Members = ["traits": .string(#"{"email":"a@b.c","age":30,"vip":true}"#)]
        #expect(
            try fixture.plan("documented").written == [
                "anonymous_id": .string("9b574574-74a7-4edf-969d-164cb151b6c3"), "user_id": .string("x"),
                "traits": #require(common["traits"]), "session_id": .string("1724990100"),
                "is_manual_session": .bool(true), "last_activity_time": .string("5000000"),
                "rudder.app_version": .string("2.3.1"), "rudder.app_build": .integer(417),
            ])
        #expect(
            try fixture.plan("sdk-1.1").written == [
                "anonymous_id": .string("9b574574-74a7-4edf-969d-164cb151b6c3"), "user_id": .string("u-42"),
                "traits": #require(common["traits"]), "session_id": .string("1724990100"),
                "is_manual_session": .bool(false), "last_activity_time": .string("5000000"),
                "rudder.app_version": .string("2.3.1"), "rudder.app_build": .integer(417),
            ])
        #expect(try fixture.plan("sdk-1.2").written["last_activity_time"] == .string("1724995000000"))
    }

    @Test("the external ID is shown, with the reason why it is not migrated")
    func externalID() throws {
        #expect(try LegacyFixture.complete().plan().outcome("external-id") == "skipped left")
    }

    @Test("R2: a userId among the traits is the user ID, and traits that held only identities are not written")
    func onlyIdentities() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy = ["rs_traits": .data(try LegacyFixture.archive(["userId": .string("from-traits")]))]
        for profile in ["documented", "sdk-1.1", "sdk-1.2"] {
            let plan = try fixture.plan(profile)
            #expect(plan.written["user_id"] == .string("from-traits"))
            #expect(plan.outcome("traits") == "skipped empty")
            #expect(plan.written["anonymous_id"] != nil)
        }
    }

    @Test("where rs_user_id and the traits' userId differ, the plan says so")
    func differingUserIDs() throws {
        let notes = try LegacyFixture.complete().plan().step("user-id")?.changes.first?.notes
        #expect(notes?.contains { $0.contains("u-42") && $0.contains("x") } ?? false)
    }

    @Test("without traits the user ID is rs_user_id")
    func userIDWithoutTraits() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rs_traits"] = nil
        #expect(try fixture.plan().written["user_id"] == .string("u-42"))
        #expect(try fixture.plan().outcome("traits") == "skipped absent")
    }

    @Test(
        "a value of an unexpected type or range is a reasoned outcome of its own step",
        arguments: [
            ("rl_session_id", Value.string("1724990100"), "session-id", "failed wrong-type"),
            ("rl_session_id", .integer(-1), "session-id", "failed out-of-range"),
            ("rl_session_id", .integer(Int128(UInt64.max) + 1), "session-id", "failed out-of-range"),
            ("rl_session_id", .real(.nan), "session-id", "failed out-of-range"),
            ("rl_session_manual_track_status", .string("yes"), "manual-session", "failed wrong-type"),
            ("rl_session_manual_track_status", .integer(2), "manual-session", "failed wrong-type"),
            ("rl_last_event_time_stamp", .string("soon"), "last-activity-time", "failed wrong-type"),
            ("rl_last_event_time_stamp", .integer(0), "last-activity-time", "skipped condition-not-met"),
            ("rl_last_event_time_stamp", .integer(-5), "last-activity-time", "skipped condition-not-met"),
            ("rl_last_event_time_stamp", .real(.nan), "last-activity-time", "skipped condition-not-met"),
            ("rl_last_event_time_stamp", .real(.infinity), "last-activity-time", "skipped condition-not-met"),
            ("rl_last_event_time_stamp", .integer(1_725_000_001), "last-activity-time", "skipped condition-not-met"),
            ("rs_application_version_key", .integer(2), "app-version", "failed wrong-type"),
            ("rs_application_build_key", .integer(417), "app-build", "failed wrong-type"),
            ("rs_application_build_key", .string("417a"), "app-build", "failed not-a-number"),
            ("rs_application_build_key", .string(""), "app-build", "failed not-a-number"),
            ("rs_application_build_key", .string(" 5"), "app-build", "failed not-a-number"),
        ])
    func unexpected(key: Name, value: Value, step: String, outcome: String) throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy[key] = value
        let plan = try fixture.plan()
        #expect(plan.outcome(step) == outcome)
        #expect(plan.summary[.migrates] == 7, "the other values still migrate")
    }

    @Test("of a session number out of range it is said in what way")
    func sessionRange() throws {
        var fixture = try LegacyFixture.complete()
        for (value, words) in [
            (Value.integer(-1), "is negative"), (.integer(Int128(UInt64.max) + 1), "is beyond 64 bits"),
            (.real(.nan), "is not a number"),
        ] {
            fixture.legacy["rl_session_id"] = value
            let reason = try #require(try fixture.plan().step("session-id")?.outcome.reason)
            #expect(reason.sentence == "rl_session_id \(words)")
        }
    }

    @Test("numbers are read as NSNumber reads them", arguments: [("+5", 5), ("007", 7), ("-3", -3)])
    func builds(text: String, number: Int128) throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rs_application_build_key"] = .string(text)
        #expect(try fixture.plan().written["rudder.app_build"] == .integer(number))
    }

    @Test("an event with a fraction of a second keeps its milliseconds")
    func fraction() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rl_last_event_time_stamp"] = .real(1_724_995_000.25)
        #expect(try fixture.plan().written["last_activity_time"] == .string("5000250"))
        #expect(try fixture.plan("sdk-1.2").written["last_activity_time"] == .string("1724995000250"))
    }

    @Test("a flag stored as the number 0 or 1 is a Boolean")
    func numericFlag() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rl_session_manual_track_status"] = .integer(1)
        #expect(try fixture.plan().written["is_manual_session"] == .bool(false))
        #expect(try fixture.plan("sdk-1.1").written["is_manual_session"] == .bool(true))
    }

    @Test("in the SDK's profiles nothing of a session migrates without its ID; in the guide each row stands alone")
    func sessionWithoutID() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rl_session_id"] = nil
        let documented = try fixture.plan()
        #expect(documented.outcome("session-id") == "skipped condition-not-met")
        #expect(documented.outcome("manual-session") == "migrates")
        #expect(documented.outcome("last-activity-time") == "migrates")
        let sdk = try fixture.plan("sdk-1.2")
        for step in ["session-id", "manual-session", "last-activity-time"] {
            #expect(sdk.outcome(step) == "skipped condition-not-met")
        }
    }

    @Test("a session that the old SDK had ended comes back, and the plan says so")
    func endedSession() throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy["rl_session_stopped_status"] = .bool(true)
        #expect(try fixture.plan().step("session-id")?.changes.first?.notes.isEmpty == false)
    }

    @Test("where the guide and the SDK disagree the row says so")
    func disagreements() throws {
        let plan = try LegacyFixture.complete().plan("sdk-1.1")
        let named = plan.steps.filter { $0.step.disagreement != nil }.map(\.id)
        #expect(
            named == ["user-id", "traits", "manual-session", "last-activity-time", "external-id", "remove-legacy"])
    }
}
