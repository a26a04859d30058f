import Foundation
import MigrationEngine
import Specs
import StoreFormats
import TestSupport
import Testing

@testable import Reports

@Suite("The sentence for a ticket on one row")
struct RowSentenceTests {
    @Test("tells two masked values that differ as different, also as long as each other")
    func anotherMasked() throws {
        let text = """
            vestige: migration/1
            id: t
            stores: {app: defaults://com.acme.notes}
            steps:
            - {id: move, from: app/authToken, to: app/sessionToken}

            """
        let migration = SpecMigration(try Spec(Data(text.utf8)))
        var stores = MemoryStores()
        stores[.defaults("com.acme.notes")] = Members([
            Member(key: "authToken", value: .string("hunter2horse")),
            Member(key: "sessionToken", value: .string("grey5elephnt")),
        ])
        let plan = Plan(
            of: migration, profile: try migration.profile(named: nil), facts: Facts(), stores: stores,
            history: History(), check: {})
        let step = try #require(plan.steps.first)
        let said = RowSentence(of: "Notes", now: stores, found: stores, Masking()).sentence(of: step, in: plan)
        let masked = "masked string, 12 characters›"
        #expect(said.contains("sessionToken ‹\(masked) would become ‹another \(masked) (carried)"), "\(said)")
    }
}
