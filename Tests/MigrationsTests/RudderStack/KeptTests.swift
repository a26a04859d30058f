import MigrationEngine
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

    @Test("What the migrator has made itself is not told as found where it only goes on")
    func goesOn() throws {
        #expect(try LegacyFixture.complete().plan("sdk-1.2").steps.allSatisfy(\.found.isEmpty))
    }
}
