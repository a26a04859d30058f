import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Testing

@Suite("RudderStack v2: nothing is said that is not known")
struct RudderStackTruthTests {
    private static let profiles = ["documented", "sdk-1.1", "sdk-1.2"]

    private func fixture(_ edit: (inout Members) throws -> Void) throws -> LegacyFixture {
        var fixture = try LegacyFixture.complete()
        try edit(&fixture.legacy)
        return fixture
    }

    private func sentence(_ plan: Plan, _ step: String) -> String { plan.step(step)?.outcome.reason?.sentence ?? "" }

    // MARK: Unknown is not absent

    @Test("where the traits cannot be read and there is no rs_user_id, nobody says that the user was never identified")
    func corruptIsNotAnonymous() throws {
        let fixture = try fixture {
            $0["rs_user_id"] = nil
            $0["rs_traits"] = .data(Data([9]))
        }
        for profile in Self.profiles {
            let plan = try fixture.plan(profile)
            let code = profile == "documented" ? "wrong-type" : "not-keyed-archive"
            #expect(plan.outcome("user-id") == "failed \(code)")
            #expect(sentence(plan, "user-id").contains("rs_traits is"), "\(sentence(plan, "user-id"))")
        }
    }

    @Test("a userId among the traits that is not a text is told, and null counts as none")
    func misplacedUserID() throws {
        let number = try fixture {
            $0["rs_user_id"] = nil
            $0["rs_traits"] = .string(#"{"userId":42,"a":1}"#)
        }
        #expect(try number.plan().outcome("user-id") == "failed wrong-type")
        let null = try fixture {
            $0["rs_user_id"] = nil
            $0["rs_traits"] = .string(#"{"userId":null,"a":1}"#)
        }
        #expect(try null.plan().outcome("user-id") == "skipped absent")
        let both = try fixture { $0["rs_traits"] = .string(#"{"userId":42,"a":1}"#) }
        #expect(try both.plan().written["user_id"] == .string("u-42"))
        #expect(try both.plan().step("user-id")?.changes.first?.notes.contains { $0.contains("an integer") } ?? false)
    }

    @Test("whether a session had ended is unknown where its mark is of another type, and the plan says so")
    func unknownEnd() throws {
        let fixture = try fixture { $0["rl_session_stopped_status"] = .string("perhaps") }
        let notes = try fixture.plan().step("session-id")?.changes.first?.notes ?? []
        #expect(notes.contains { $0.contains("is not known") && $0.contains("a string") }, "\(notes)")
    }

    @Test("a suite that cannot be read is not one that holds values", arguments: ["sdk-1.1", "sdk-1.2"])
    func unreadableSuite(profile: String) throws {
        let fixture = try LegacyFixture.complete()
        let stores = UnreadableStore(base: fixture.stores, store: LegacyFixture.suite)
        let plan = Plan(
            of: RudderStackV2(), profile: try LegacyFixture.profile(profile), facts: fixture.facts, stores: stores,
            history: History([]), check: {})
        #expect(plan.outcome("user-id") == "failed unreadable-corrupt")
    }

    @Test("old values in a domain of another name are pointed at; nobody says that the app was removed")
    func elsewhere() throws {
        let fixture = try LegacyFixture.complete()
        let stores = MemoryStores([(.defaults("support mail"), fixture.legacy)])
        #expect(RudderStackV2().applies(to: stores, facts: fixture.facts))
        let plan = Plan(
            of: RudderStackV2(), profile: try LegacyFixture.profile("documented"), facts: fixture.facts,
            stores: stores, history: History([]), check: {})
        #expect(plan.outcome("user-id") == "blocked legacy-elsewhere")
        #expect(sentence(plan, "user-id").contains("defaults://support%20mail"))
        #expect(sentence(plan, "user-id").contains("bundleIdentifier"))
    }

    @Test("after its own last step the migration does not say that the app was removed")
    func removedByItself() throws {
        let fixture = try fixture { $0["rs_application_version_key"] = nil }
        let migration = RudderStackV2(), profile = try LegacyFixture.profile("sdk-1.2")
        var session = try MigrationSession(stores: fixture.stores, ledger: MemoryLedger())
        try session.apply(.all, of: migration, profile: profile, facts: fixture.facts, stamp: .person)
        let plan = session.plan(migration, profile: profile, facts: fixture.facts)
        #expect(plan.outcome("app-version") == "skipped absent")
        #expect(plan.outcome("remove-legacy") == "unchanged")
    }

    // MARK: SDK v1

    private static let firstVersion: Members = [
        "rl_anonymous_id": .string("an-1"), "rl_traits": .string(#"{"userId":"u-1"}"#),
        "rl_session_id": .integer(1_724_990_100), "rl_session_auto_track_status": .bool(true),
        "rl_last_event_time_stamp": .integer(1_724_995_000),
    ]

    @Test("what SDK v1 left is recognised, and not migrated by the rules of v2", arguments: profiles)
    func sdkV1(profile: String) throws {
        var fixture = try LegacyFixture.complete()
        fixture.legacy = Self.firstVersion
        #expect(!RudderStackV2().applies(to: fixture.stores, facts: fixture.facts), "it is no dump of v2's")
        let plan = try fixture.plan(profile)
        #expect(plan.steps.allSatisfy { plan.outcome($0.id) == "skipped sdk-v1" }, "\(plan.summary)")
        #expect(sentence(plan, "user-id").contains("rl_anonymous_id, rl_traits"))
    }

    @Test("the file of later releases of SDK v1 is recognised too, by itself and beside the shared keys")
    func sdkV1File() throws {
        for legacy in [Members(), ["rl_session_id": .integer(5)]] {
            var fixture = try LegacyFixture.complete()
            fixture.legacy = legacy
            var stores = fixture.stores
            stores[.files("Library")] = ["rsDefaultsPersistence.plist": .data(Data("<plist>".utf8))]
            #expect(!RudderStackV2().applies(to: stores, facts: fixture.facts))
            let plan = Plan(
                of: RudderStackV2(), profile: try LegacyFixture.profile("documented"), facts: fixture.facts,
                stores: stores, history: History([]), check: {})
            #expect(plan.outcome("session-id") == "skipped sdk-v1")
            #expect(sentence(plan, "session-id").contains("rsDefaultsPersistence.plist"))
        }
    }

    @Test("where both versions left values v2's migrate, and a key that both write is noted")
    func bothVersions() throws {
        let fixture = try fixture { $0["rl_anonymous_id"] = .string("an-1") }
        let plan = try fixture.plan()
        #expect(plan.summary[.migrates] == 8)
        #expect(plan.step("session-id")?.changes.first?.notes.contains { $0.contains("rl_anonymous_id") } ?? false)
        let without = try LegacyFixture.complete().plan()
        #expect(without.step("session-id")?.changes.first?.notes == [])
    }

    // MARK: The SDK's reader

    @Test(
        "the SDK takes a rs_user_id that is a number for its text, as UserDefaults gives it",
        arguments: [
            (Value.integer(42), "42"), (.real(1.5), "1.5"), (.real(7), "7"), (.bool(true), "1"),
        ])
    func numericUserID(value: Value, text: String) throws {
        let fixture = try fixture { $0["rs_user_id"] = value }
        #expect(try fixture.plan("sdk-1.2").written["user_id"] == .string(text))
        #expect(try fixture.plan("sdk-1.1").written["user_id"] == .string(text))
        #expect(try fixture.plan("documented").written["user_id"] == .string("x"), "the guide's table asks the traits")
    }

    @Test(
        "an archive that the SDK's reader refuses gives it nothing; the guide's rules read what is in it",
        arguments: [
            ("NSDate", ["NS.time": Value.real(0)]), ("NSURL", ["NS.relative": .string("https://a.b")]),
            ("NSData", ["NS.data": .data(Data([1]))]),
        ] as [(String, Members)])
    func refusedArchive(className: String, fields: Members) throws {
        let fixture = try fixture {
            $0["rs_user_id"] = nil
            $0["rs_traits"] = .data(
                try LegacyFixture.archive(
                    ["userId": .string("x"), "a": .integer(1)],
                    extra: [("born", .dictionary(fields), className)]))
        }
        for profile in ["sdk-1.1", "sdk-1.2"] {
            let plan = try fixture.plan(profile)
            #expect(plan.outcome("traits") == "failed not-json")
            #expect(plan.outcome("user-id") == "failed not-json")
            #expect(sentence(plan, "traits").contains("rs_traits#/born"))
        }
        #expect(try fixture.plan("documented").written["user_id"] == .string("x"))
    }

    @Test("an archive whose $top has no root gives no traits to anybody", arguments: profiles)
    func withoutRoot(profile: String) throws {
        let fixture = try fixture { $0["rs_traits"] = .data(try archive(under: ["other"])) }
        let plan = try fixture.plan(profile)
        #expect(plan.outcome("traits") == "failed not-keyed-archive")
        #expect(plan.written["user_id"] == .string("u-42"))
    }

    @Test("what stands beside the root of an archive is no trait", arguments: profiles)
    func besideRoot(profile: String) throws {
        let alone = try fixture { $0["rs_traits"] = .data(try archive(under: ["root"])) }.plan(profile).written
        for keys: [Name] in [["root", "traits"], ["traits", "root"]] {
            let fixture = try fixture { $0["rs_traits"] = .data(try archive(under: keys)) }
            #expect(try fixture.plan(profile).written == alone, "\(keys)")
        }
        #expect(alone["traits"] != nil, "\(alone)")
    }

    /// An archive of one member, of which `$top` has so many names.
    private func archive(under names: [Name]) throws -> Data {
        try BinaryPropertyList.write(
            .dictionary([
                "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
                "$top": .dictionary(Members(names.map { Member(key: $0, value: .uid(1)) })),
                "$objects": .array([
                    .string("$null"),
                    .dictionary(["NS.keys": .array([.uid(2)]), "NS.objects": .array([.uid(2)]), "$class": .uid(3)]),
                    .string("a"),
                    .dictionary(["$classname": .string("NSDictionary"), "$classes": .array([.string("NSDictionary")])]),
                ]),
            ]))
    }

    @Test(
        "a decimal number among the traits is its number, and fails nothing",
        arguments: [
            (1999, -2, false, "19.99"), (5, -3, true, "-0.005"), (42, 0, false, "42"), (7, 2, true, "-700"),
            (150, -2, false, "1.50"),
        ])
    func decimal(mantissa: Int, exponent: Int128, isNegative: Bool, text: String) throws {
        let words = [UInt8(mantissa & 0xFF), UInt8(mantissa >> 8)] + Array(repeating: 0, count: 14)
        let fixture = try fixture {
            $0["rs_traits"] = .data(
                try LegacyFixture.archive(
                    ["vip": .bool(true)],
                    extra: [
                        (
                            "price",
                            .dictionary([
                                "NS.exponent": .integer(exponent), "NS.length": .integer(1),
                                "NS.negative": .bool(isNegative), "NS.compact": .bool(true),
                                "NS.mantissa": .data(Data(words)), "NS.mantissa.bo": .integer(1),
                            ]), "NSDecimalNumber"
                        )
                    ]))
        }
        for profile in Self.profiles {
            #expect(try fixture.plan(profile).written["traits"] == .string(#"{"vip":true,"price":\#(text)}"#))
        }
    }

    // MARK: Profiles

    @Test("a profile of another migration has no steps, here and in every migration")
    func foreignProfile() {
        let foreign = Profile(id: "nonsense", summary: "")
        for migration in BuiltIn.migrations {
            #expect(migration.steps(profile: foreign, facts: Facts()).isEmpty, "\(migration.id)")
        }
    }
}

/// Stores one of which is damaged.
struct UnreadableStore: StoreReader {
    var base: any StoreReader
    var store: StoreID
    var reason = Unreadable(.corrupt, "it is damaged")

    var stores: [StoreID] { base.stores + (base.contains(store) ? [] : [store]) }
    func problem(with store: StoreID) -> Unreadable? { store == self.store ? reason : base.problem(with: store) }
    func keys(in store: StoreID) -> any KeyList { store == self.store ? Keys() : base.keys(in: store) }
    func state(of key: Name, in store: StoreID) -> EntryState {
        store == self.store ? .unreadable(reason) : base.state(of: key, in: store)
    }
}
