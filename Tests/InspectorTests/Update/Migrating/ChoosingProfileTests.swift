import MigrationEngine
import StoreFormats
import Synchronization
import Testing

@testable import Inspector

@Suite("Choosing a profile")
struct ChoosingProfileTests {
    @Test("another profile asks the other migrations nothing anew, and comes to what a plan from the start comes to")
    func examinedOnce() throws {
        let asked = Mutex(0)
        let stores = RudderStack.stores()
        var inspected = try Inspected(
            stores, migrations: [RudderStack.migration, CountedMigration { asked.withLock { $0 += 1 } }])
        let first = asked.withLock { $0 }
        #expect(first > 0)
        inspected.command("profile sdk-1.2")
        inspected.command("migration counted")
        inspected.command("migration rudderstack-v2:sdk-1.2")
        #expect(asked.withLock { $0 } == first)
        let screen = inspected.screen
        inspected.press("r")
        #expect(asked.withLock { $0 } > first, "what is read again is asked again")
        #expect(inspected.screen.split(separator: "\n").dropLast(2) == screen.split(separator: "\n").dropLast(2))
    }

    /// A migration that tells when it is asked whether it applies.
    private struct CountedMigration: Migration {
        let id = "counted", title = "Counted", summary = ""
        let profiles = [Profile(id: "one", summary: "")]
        let facts: [FactDefinition] = []
        let note: @Sendable () -> Void
        func applies(to stores: any StoreReader, facts: Facts) -> Bool {
            note()
            return true
        }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], []) }
        func steps(profile: Profile, facts: Facts) -> [Step] { [] }
    }

    @Test("another variant says which steps it does otherwise")
    func profile() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("p")
        #expect(inspected.opened?.profile?.id == "sdk-1.1")
        // The traits are a JSON string, which the SDK does not read.
        #expect(inspected.message == "sdk-1.1: differs in User ID, Traits, Session mode, Remove legacy keys")
        inspected.press("p")
        #expect(inspected.message == "sdk-1.2: differs in Last activity time")
        inspected.press("p")
        #expect(inspected.opened?.profile?.id == "documented")
        #expect(
            inspected.message
                == "documented: differs in User ID, Traits, Session mode, Last activity time, Remove legacy keys")
        inspected.command("profile documented")
        #expect(inspected.message == "documented: every step does the same")
    }

    @Test("another variant says also which steps find otherwise what is there, and what would change tells of it")
    func profileFinding() throws {
        var inspected = try Inspected(
            RudderStack.stores(migrated: [
                "session_id": .string("1724990100"), "last_activity_time": .string("1724995000000"),
            ]), chosen: ("rudderstack-v2", "sdk-1.1"), size: Size(width: 140, height: 40))
        inspected.press("P")
        #expect(inspected.model.proposal?.profile == "sdk-1.2")
        let row = "skipped (has changed what 1 value means) as it is, skipped (there already) with it"
        #expect(inspected.screen.contains("Last activity time: \(row)"), "\(inspected.screen)")
        #expect(!inspected.screen.contains("Session ID"))
        inspected.press("<Esc> p")
        #expect(inspected.message == "sdk-1.2: differs in Last activity time")
    }

    @Test("a variant with fewer steps leaves no selection of steps that it has not")
    func profileSelection() throws {
        var inspected = try Inspected(RudderStack.stores(), chosen: ("rudderstack-v2", "sdk-1.1"))
        inspected.go(to: "remove-legacy")
        inspected.press("<Space> p p")
        #expect(inspected.opened?.profile?.id == "documented")
        #expect(inspected.opened?.selected == [])
    }

    @Test("a profile that the migration has not is told, and no other is taken in its place")
    func unknownProfile() throws {
        let inspected = try Inspected(RudderStack.stores(), chosen: ("rudderstack-v2", "sdk-9"))
        #expect(inspected.model.message?.kind == .refused)
        #expect(inspected.message?.contains("The migration rudderstack-v2 has no profile “sdk-9”") == true)
        #expect(inspected.plan == nil)
    }

    @Test("it opens on the migration and the profile whose steps were applied last, which the counts are of")
    func reopened() throws {
        var first = try Inspected(RudderStack.stores(), chosen: ("rudderstack-v2", "sdk-1.2"))
        first.press("A")
        let count = first.applied.count
        let entries = try #require(first.opened?.snapshot.history.entries)
        let again = try Inspected(RudderStack.stores(), history: entries)
        #expect(again.opened?.profile?.id == "sdk-1.2")
        #expect(again.screen.contains("rudderstack-v2:sdk-1.2  \(count) of 10 steps applied"))
        #expect(!again.screen.contains("the app was removed before the update"))
        let chosen = try Inspected(RudderStack.stores(), chosen: ("rudderstack-v2", "sdk-1.1"), history: entries)
        #expect(chosen.opened?.profile?.id == "sdk-1.1", "who names one gets it")
    }
}
