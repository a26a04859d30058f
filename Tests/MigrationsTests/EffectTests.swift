import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Testing

@Suite("What each system's steps do to the user's values")
struct EffectTests {
    private func effects(_ plan: Plan) -> [String] {
        plan.steps.flatMap { step in
            step.changes.map { "\(step.id) \($0.action) \($0.effect.rawValue)" }
        }
    }

    private func dropped(_ plan: Plan) -> [String] {
        plan.steps.flatMap(\.changes).flatMap(\.dropped).map(\.description)
    }

    @Test("RudderStack: the inverted flag, the uptime and a user ID that differs are changed in meaning")
    func documented() throws {
        let plan = try LegacyFixture.complete().plan("documented")
        #expect(
            effects(plan) == [
                "anonymous-id add carried", "user-id add changed", "traits add converted", "session-id add converted",
                "manual-session add changed", "last-activity-time add changed", "app-version add carried",
                "app-build add converted",
            ])
        let traits = "defaults://com.acme.notes/rs_traits"
        #expect(dropped(plan) == ["defaults://com.acme.notes/rs_user_id", "\(traits)#/id", "\(traits)#/anonymousId"])
    }

    @Test("RudderStack as the SDK does it: the flag is carried, and a removed key that something took on is no loss")
    func sdk() throws {
        var fixture = try LegacyFixture.complete()
        let plan = try fixture.plan("sdk-1.2")
        let found = effects(plan), traits = "defaults://com.acme.notes/rs_traits"
        // The traits have no userId any more, so what the user ID does not take on of them is gone.
        #expect(dropped(plan) == ["\(traits)#/userId", "\(traits)#/id", "\(traits)#/anonymousId"])
        #expect(found.contains("user-id add carried") && found.contains("manual-session add carried"))
        #expect(found.contains("last-activity-time add converted"))
        #expect(
            found.filter { $0.hasPrefix("remove-legacy") } == Array(repeating: "remove-legacy remove carried", count: 7)
        )
        fixture.legacy["rl_last_event_time_stamp"] = .integer(0)
        let lost = try fixture.plan("sdk-1.2").step("remove-legacy")?.changes.filter { $0.effect == .dropped }
        #expect(lost?.map(\.address.key) == ["rl_last_event_time_stamp"])
    }

    @Test("Person: the age is a part that is dropped; a made-up e-mail is a placeholder")
    func person() throws {
        let plan = try StoredPerson.plan(StoredPerson.stores(StoredPerson.v0))
        #expect(effects(plan) == ["0-1 replace converted", "1-2 replace converted", "2-3 replace converted"])
        #expect(plan.steps[0].changes.first?.placeholders.map(\.description) == ["/email"])
        #expect(dropped(plan) == ["defaults://com.acme.people/person#/age"])
        let original = try StoredPerson.plan(
            StoredPerson.stores(#"{"name":"P","age":"5","x":1}"#), profile: "original")
        let endings = dropped(original).map { text in String(text.suffix(6)) }
        let expected: [String] = ["rson#/x", "on#/age"].map { text in String(text.suffix(6)) }
        #expect(endings == expected)
    }

    @Test(
        "Each value counts once: an entry however many steps write it, what is dropped once, and the sum is of values")
    func counts() throws {
        func fates(_ plan: Plan) -> [Int] { ValueEffect.allCases.map { plan.effects[$0] } }
        // carried, converted, changed, dropped, made up: one document, its age, which is dropped twice over, and the e-mail
        // address that nobody entered.
        let person = try StoredPerson.plan(StoredPerson.stores(StoredPerson.v0))
        #expect(fates(person) == [0, 1, 0, 1, 1] && person.effects.droppedParts == 1)
        let documented = try LegacyFixture.complete().plan("documented")
        #expect(fates(documented) == [2, 3, 3, 3, 0] && documented.effects.droppedParts == 2)
        for plan in [person, documented, try LegacyFixture.complete().plan("sdk-1.2")] {
            let changes = plan.steps.flatMap(\.changes)
            let entries = changes.filter { $0.after != nil || $0.effect == .dropped }.map(\.address)
            let whole = changes.flatMap(\.dropped).filter(\.pointer.isRoot)
            let counted = fates(plan).reduce(0, +) - plan.effects.droppedParts - plan.effects.madeUpParts
            #expect(counted == Set(entries + whole).count)
        }
        let (a, b): (Address, Address) = (.defaults("d", "a"), .defaults("d", "b"))
        let part = Address(store: a.store, key: a.key, pointer: JSONPointer(["x"]))
        let made = Change(address: a, before: .absent, after: .integer(1), rule: "", effect: .madeUp, dropped: [part])
        let moved = Change(address: b, before: .absent, after: .integer(1), from: [a], rule: "", effect: .carried)
        let gone = Change(address: a, before: .present(.integer(1)), after: nil, rule: "", effect: .carried)
        let lost = Change(address: a, before: .present(.integer(1)), after: nil, rule: "", effect: .dropped)
        func counts(_ changes: [Change]) -> [Int] { ValueEffect.allCases.map { EffectCounts(changes)[$0] } }
        #expect(counts([made, moved, gone]) == [0, 0, 0, 1, 1], "one value, moved on, and a part of it")
        #expect(counts([made, lost]) == [0, 0, 0, 1, 0], "the part goes with the whole")
        let part2 = JSONPointer(["y"])
        let filled = Change(
            address: a, before: .present(.integer(1)), after: .integer(2), from: [a], rule: "", placeholders: [part2],
            effect: .converted)
        #expect(counts([filled]) == [0, 1, 0, 0, 1], "a placeholder in a value is made up")
        #expect(EffectCounts([filled]).madeUpParts == 1 && counts([filled, lost]) == [0, 0, 0, 1, 0])
    }

    @Test("Convert: an id that converges is carried, a fresh one made up, and a repaired mirror changed")
    func convert() {
        #expect(
            effects(ConvertFixture(mirror: .string(ConvertFixture.mirrored)).plan()) == [
                "visitor-keychain add carried"
            ])
        #expect(
            effects(ConvertFixture().plan()) == ["visitor-keychain add made-up", "visitor-mirror add carried"])
        let two = ConvertFixture(
            keychain: ConvertFixture.item(ConvertFixture.kept), mirror: .string(ConvertFixture.mirrored))
        #expect(effects(two.plan("repair-mirror")) == ["visitor-mirror replace changed"])
    }

    @Test("Klivvr: preferences that a default replaces are changed and dropped; LocalData's values are the same ones")
    func klivvrAndLocalData() throws {
        let migration = KlivvrUserProfile()
        let facts = Facts([.locale: Fact("en_US", from: "a test"), .assumedVersion: Fact("1", from: "a test")])
        let plan = try MigrationSession(
            stores: StoredProfile.stores(StoredProfile.v2, version: nil), ledger: MemoryLedger()
        )
        .plan(migration, profile: migration.profiles[0], facts: facts)
        #expect(plan.steps[0].changes.first?.effect == .changed)
        #expect(plan.steps[0].changes.first?.dropped.map(\.pointer.description) == ["/v_Data/preferences"])
        let stores = LocalDataFixture.stores([(LocalDataFixture.old, .data(LocalDataFixture.token))])
        let demo = LocalDataFixture.migration
        let moved = try MigrationSession(stores: stores, ledger: MemoryLedger()).plan(
            demo, profile: demo.profiles[0], facts: Facts([.bundleIdentifier: Fact("com.myapp", from: "a test")]))
        #expect(
            effects(moved).filter { $0.hasPrefix("modern-token") } == [
                "modern-token add converted", "modern-token remove carried",
            ])
    }
}
