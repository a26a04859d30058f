import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Systems
import Testing

@Suite("The example of the article on Convert")
struct ConvertExample {
    @Test("the mirror's id goes to the keychain, a decision is saved and observed, and a goal counts once")
    func persists() async throws {
        // example:begin
        // The keychain was lost, as after a restore to another device; the mirror in UserDefaults was not.
        let mirror = ConvertLocation.mirror(bundleIdentifier: "com.acme.shop")
        let stores = MemoryStores([
            (mirror.store, ["com.convert.sdk.visitorIdMirror": .string("11111111-2222-3333-4444-555555555555")])
        ])
        let store = ConvertStore(stores: stores, bundleIdentifier: "com.acme.shop") { UUID().uuidString }

        // The mirror's id is taken, and goes to the keychain.
        let visitor = try await store.visitorID()
        let converged = await store.stores.state(at: ConvertLocation.visitorID).value.flatMap { KeychainItem($0) }

        // Sticky decisions, and goals that count once; both can be observed.
        var bucketing = await store.on(.bucketing).makeAsyncIterator()
        let key = ConvertVisitorKey(accountID: "1001", projectID: "2002", visitorID: visitor)
        try await store.saveDecision("variation-b", for: "checkout", of: key)
        let event = await bucketing.next()
        let variation = await store.decision(for: "checkout", of: key)
        let first = try await store.markGoal("purchase", of: key)
        let again = try await store.markGoal("purchase", of: key)

        for line in await store.log { print(line) }
        // example:end
        #expect(visitor == "11111111-2222-3333-4444-555555555555" && converged?.text == visitor)
        #expect(
            event == .bucketing(experienceID: "checkout", variationID: "variation-b", visitorID: visitor))
        #expect(variation == "variation-b")
        #expect(first && !again)
        #expect(await store.log.last == .goalReachedBefore("purchase"))
        #expect(await store.stores.state(at: ConvertLocation.decisions[0]) != .absent)
    }

    @Test("the article shows this code")
    func article() throws { try expectArticle("Convert", showsExampleOf: #filePath) }
}
