import MigrationEngine
import Migrations
import StoreFormats
import Testing

@Suite("What steps would do that wait for a name")
struct SketchTests {
    private func plan(without names: FactName..., profile: String = "documented") throws -> Plan {
        var fixture = try LegacyFixture.complete()
        for name in names { fixture.facts[name] = nil }
        return try fixture.plan(profile)
    }

    @Test("a step that lacks only a name shows the changes that it will make, with the name's own in braces")
    func placeholder() throws {
        let known = try plan(), waiting = try plan(without: .writeKey)
        let suite = StoreID.defaults("com.acme.notes.analytics.{writeKey}")
        for (step, sketched) in zip(known.steps, waiting.steps) where step.outcome.kind == .migrates {
            #expect(sketched.outcome.kind == .blocked && sketched.changes.isEmpty, "\(step.id)")
            #expect(sketched.sketch.map(\.after) == step.changes.map(\.after), "\(step.id)")
            #expect(sketched.sketch.map(\.effect) == step.changes.map(\.effect), "\(step.id)")
            #expect(sketched.sketch.map(\.dropped) == step.changes.map(\.dropped), "\(step.id)")
            let addresses = step.changes.map {
                $0.address.store == LegacyFixture.suite ? Address(store: suite, key: $0.address.key) : $0.address
            }
            #expect(sketched.sketch.map(\.address) == addresses, "\(step.id)")
        }
        #expect(
            waiting.pending.isEmpty && ValueEffect.allCases.allSatisfy { waiting.effects[$0] == 0 },
            "nothing of it is counted as done or to be done")
        #expect(waiting.facts[.writeKey] == nil)
    }

    @Test("what else a step lacks is no name, and nothing is made up for it")
    func values() throws {
        let waiting = try plan(without: .writeKey, .identifierForVendor, .uptime)
        #expect(waiting.step("anonymous-id")?.sketch == [])
        #expect(waiting.step("last-activity-time")?.sketch == [])
        #expect(waiting.step("user-id")?.sketch.count == 1)
    }

    @Test("a step that goes by itself, or is in anybody's way, has no sketch")
    func others() throws {
        #expect(try plan().steps.allSatisfy { $0.sketch.isEmpty })
        var fixture = try LegacyFixture.complete()
        fixture.facts[.writeKey] = nil
        fixture.legacy["rs_application_build_key"] = .string("x")
        let build = try #require(try fixture.plan().step("app-build"))
        #expect(build.outcome.kind == .failed && build.sketch.isEmpty)
    }

    @Test("a removal of the sources is sketched with what it waits for")
    func removal() throws {
        let waiting = try plan(without: .writeKey, profile: "sdk-1.2")
        #expect(waiting.step("remove-legacy")?.outcome.kind == .blocked)
        #expect(waiting.step("remove-legacy")?.sketch.count == 7)
    }
}
