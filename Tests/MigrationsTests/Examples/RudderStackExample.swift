import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Systems
import Testing

@Suite("The example of the article on RudderStack")
struct RudderStackExample {
    @Test("the SDK's own migrator is previewed and run, and the plan is what it wrote")
    func restores() throws {
        // example:begin
        let old = StoreID.defaults("com.acme.notes")
        let new = StoreID.defaults("com.acme.notes.analytics.2Fk8pQx")
        let stores = MemoryStores([
            (
                old,
                [
                    "rs_user_id": .string("u-42"),
                    "rl_session_id": .integer(1_724_990_100),
                    "rl_last_event_time_stamp": .integer(1_724_995_000),
                    "rs_application_version_key": .string("2.3.1"),
                ]
            )
        ])
        // What no store says is a fact: the moment of the first start, and how long the device has been up by then.
        let facts = Facts([.now: Fact("1725000000", from: "me"), .uptime: Fact("10000", from: "me")])

        var migrator = PersistentMigratorFromV2(
            writeKey: "2Fk8pQx", bundleIdentifier: "com.acme.notes", stores: stores, facts: facts)
        let found = try migrator.readPersistence()  // changes nothing
        let plan = try migrator.restorePersistence()
        let restored = migrator.stores[new]  // what the Swift SDK reads

        for step in plan.steps {
            print(step.id, step.outcome.kind, step.outcome.reason?.sentence ?? "")
        }
        // example:end
        #expect(found["userId"] == .string("u-42"))
        #expect(found["lastActivityTime"] == .integer(5_000_000), "milliseconds of uptime")
        #expect(plan.steps.first { $0.id == "user-id" }?.outcome == .migrates)
        #expect(plan.steps.first { $0.id == "anonymous-id" }?.outcome.kind == .blocked, "its fact was not given")
        #expect(plan.steps.first { $0.id == "traits" }?.outcome.kind == .skipped)
        let written = plan.pending.flatMap(\.changes)
        #expect(!written.isEmpty && written.allSatisfy { migrator.stores.state(at: $0.address).value == $0.after })
        #expect(restored?["user_id"] == .string("u-42"))
        #expect(migrator.stores[old] == stores[old], "the guide keeps the legacy keys")
    }

    @Test("the article shows this code")
    func article() throws { try expectArticle("RudderStack", showsExampleOf: #filePath) }
}
