import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Systems
import Testing

@Suite("Klivvr: the migration of the user profile")
struct KlivvrUserProfileTests {
    private let migration = KlivvrUserProfile()
    private static let facts = Facts([.locale: Fact("en_US", from: "a test")])
    private static let stamp = LedgerEntry.Stamp(date: Date(timeIntervalSince1970: 0), author: "a", toolVersion: "0")

    private func facts(assumed: String? = nil) -> Facts {
        var facts = Self.facts
        facts[.assumedVersion] = assumed.map { Fact($0, from: "a test") }
        return facts
    }

    private func plan(_ stores: MemoryStores, _ facts: Facts) throws -> Plan {
        try MigrationSession(stores: stores, ledger: MemoryLedger())
            .plan(migration, profile: migration.profiles[0], facts: facts)
    }

    private func outcomes(_ plan: Plan) -> [String] {
        plan.steps.map {
            [$0.outcome.kind.rawValue, $0.outcome.reason?.code].compactMap(\.self).joined(separator: " ")
        }
    }

    @Test(
        "each state of value and version has its own answer",
        arguments: [
            (StoredProfile.v1, "1", nil, ["migrates", "migrates"]),
            (StoredProfile.v2, "2", nil, ["skipped already-newer", "migrates"]),
            (StoredProfile.v3, "3", nil, ["skipped already-newer", "skipped already-newer"]),
            (StoredProfile.v1, nil, nil, ["migrates", "migrates"]),
            (StoredProfile.v3, nil, nil, ["blocked version-unclear", "blocked version-unclear"]),
            (StoredProfile.v3, "1", nil, ["blocked version-unclear", "blocked version-unclear"]),
            (StoredProfile.v3, "2", nil, ["blocked version-unclear", "blocked version-unclear"]),
            (StoredProfile.v3, "2", "3", ["skipped already-newer", "migrates"]),
            (StoredProfile.v3, nil, "1", ["migrates", "migrates"]),
            (StoredProfile.v2, nil, "2", ["skipped already-newer", "migrates"]),
            (StoredProfile.v1, "1", "7", ["blocked malformed-fact", "blocked malformed-fact"]),
            (StoredProfile.v1, "4", nil, ["failed version-newer", "failed version-newer"]),
            (StoredProfile.v1, "0", nil, ["failed version-unknown", "failed version-unknown"]),
            (StoredProfile.v1, "x", nil, ["failed version-unknown", "failed version-unknown"]),
            (StoredProfile.v1, "3", nil, ["failed document-invalid", "failed document-invalid"]),
            (#"{"userId":"u"}"#, "1", nil, ["failed document-invalid", "failed document-invalid"]),
            ("[]", "1", nil, ["failed document-invalid", "failed document-invalid"]),
            ("{", "1", nil, ["failed document-corrupt", "failed document-corrupt"]),
            (nil, "1", nil, ["failed document-missing", "failed document-missing"]),
        ] as [(String?, String?, String?, [String])])
    func answers(json: String?, version: String?, assumed: String?, expected: [String]) throws {
        #expect(try outcomes(plan(StoredProfile.stores(json, version: version), facts(assumed: assumed))) == expected)
    }

    @Test("a fresh install is nothing to do, and the migration does not offer itself")
    func fresh() throws {
        let stores = StoredProfile.stores(nil, version: nil)
        #expect(!migration.applies(to: stores, facts: Facts()))
        let given = Facts([.keychainService: Fact("com.klivvr.storage", from: "a test")]).completed(by: Self.facts)
        #expect(try outcomes(plan(stores, given)) == ["skipped absent", "skipped absent"])
    }

    @Test("a step changes value and version together, and marks what nobody entered")
    func together() throws {
        let step = try plan(StoredProfile.stores(StoredProfile.v1, version: "1"), Self.facts).steps[0]
        #expect(step.changes.map(\.address) == [StoredProfile.address, StoredProfile.versionAddress])
        try #require(step.changes.count == 2)
        #expect(step.changes[0].placeholders.map(\.description) == ["/v_Data/preferences"])
        #expect(step.changes[1].after.flatMap { KeychainItem($0) }?.text == "2")
        #expect(
            step.changes.allSatisfy { $0.after.flatMap { KeychainItem($0) }?.attributes == StoredProfile.attributes })
    }

    @Test("a version that is in doubt shows what would be replaced, and changes nothing")
    func consequence() throws {
        let stores = StoredProfile.stores(StoredProfile.v3, version: nil)
        let plan = try plan(stores, Self.facts)
        for (step, old) in zip(plan.steps, [#"dark"#, #""marketingOptIn":true"#]) {
            let reason = try #require(step.outcome.reason)
            #expect(reason.missingFacts == [.assumedVersion] && reason.sentence.contains("looks like version 3"))
            #expect(step.changes.isEmpty)
            let conflict = try #require(step.conflict)
            #expect(conflict.before == stores.state(at: StoredProfile.address))
            #expect(conflict.notes.contains { $0.contains("is replaced") && $0.contains(old) }, "\(conflict.notes)")
            // One note says it all: a second one would quote what stands masked beside it.
            #expect(!conflict.notes.contains { $0.contains("nobody entered") }, "\(conflict.notes)")
        }
    }

    @Test("told to go on from version 1, the plan says that it was assumed and names every replaced value")
    func assumed() throws {
        let plan = try plan(StoredProfile.stores(StoredProfile.v3, version: nil), facts(assumed: "1"))
        let notes = try #require(plan.steps[0].changes.first).notes.joined(separator: "\n")
        #expect(
            notes.contains("as the facts have it")
                && notes.contains(#"{"theme":"dark","language":"ar","currency":"EGP"}"#))
        let more = try #require(plan.steps[1].changes.first).notes.joined(separator: "\n")
        #expect(more.contains(#""marketingOptIn":true"#))
    }

    @Test("told that it is current, only the version is written")
    func recorded() throws {
        let plan = try plan(StoredProfile.stores(StoredProfile.v3, version: "1"), facts(assumed: "3"))
        #expect(plan.steps[1].changes.map(\.address) == [StoredProfile.versionAddress])
        #expect(plan.steps[1].changes.first?.after.flatMap { KeychainItem($0) }?.text == "3")
    }

    @Test("any app's account user_profile is not taken for a profile; named explicitly the migration still runs")
    func ordinary() throws {
        for text in ["Peter", "{}", #"{"id":5}"#, #"{"userId":"u"}"#] {
            let stores = StoredProfile.stores(text, version: nil)
            #expect(!migration.applies(to: stores, facts: Facts()), "\(text)")
            #expect(try outcomes(plan(stores, Self.facts))[0].hasPrefix("failed"), "\(text)")
            #expect(migration.applies(to: StoredProfile.stores(text, version: "1"), facts: Facts()))
        }
        #expect(migration.applies(to: StoredProfile.stores(StoredProfile.v1, version: nil), facts: Facts()))
        #expect(migration.applies(to: StoredProfile.stores(#"{"userId":"u","email":"#, version: nil), facts: Facts()))
    }

    @Test("a service with a profile comes before one with an account of that name")
    func certainService() {
        var stores = StoredProfile.stores(StoredProfile.v1, version: nil)
        stores[.keychain("com.other.app")] = ["user_profile": KeychainItem(text: "Peter").value]
        #expect(migration.factsKnown(in: stores, given: Facts())[.keychainService]?.value == "com.klivvr.storage")
    }

    @Test(
        "keychain items of which nobody can tell whose they are belong to no migration, unless it is told to take them")
    func unassigned() {
        var stores = MemoryStores([])
        let foreign = StoreID.keychain("unassigned:com.other.bank")
        stores[foreign] = ["user_profile": KeychainItem(text: StoredProfile.v1).value]
        #expect(!migration.applies(to: stores, facts: Facts()))
        #expect(migration.factsKnown(in: stores, given: Facts())[.keychainService] == nil)
        let own = StoredProfile.stores(StoredProfile.v1, version: nil)
        stores = own
        stores[foreign] = ["user_profile": KeychainItem(text: StoredProfile.v1).value]
        #expect(migration.factsKnown(in: stores, given: Facts())[.keychainService]?.value == "com.klivvr.storage")
    }

    @Test("sentences name steps as they are called, and say of the version what is so")
    func sentences() throws {
        let first = try plan(StoredProfile.stores(StoredProfile.v1, version: "1"), Facts()).steps[1]
        #expect(first.outcome.reason?.sentence.contains("apply first: v1-2") ?? false, "\(first.outcome)")
        let told = try plan(StoredProfile.stores(StoredProfile.v2, version: "1"), facts(assumed: "2")).steps[1]
        let notes = told.changes.first?.notes ?? []
        #expect(
            notes.contains("the profile is version 2, as it is taken to be, though version 1 is stored"), "\(notes)")
        let text = try plan(StoredProfile.stores(StoredProfile.v1, version: "one"), Self.facts).steps[0]
        #expect(
            text.outcome.reason?.sentence.contains("holds a text that is not the number of a version") ?? false,
            "\(text.outcome)")
    }

    @Test("an item that ends in NUL, as old exports write it, is read without it")
    func trailingNUL() throws {
        let stores = StoredProfile.stores(StoredProfile.v1 + "\0", version: "1\0")
        let plan = try plan(stores, Self.facts)
        #expect(outcomes(plan) == ["migrates", "migrates"])
        #expect(plan.steps[1].changes.first?.after.flatMap { KeychainItem($0) }?.text == StoredProfile.v1AsV3)
    }

    @Test("without a locale only the step that needs it is blocked")
    func locale() throws {
        let plan = try plan(StoredProfile.stores(StoredProfile.v2, version: "2"), Facts())
        #expect(outcomes(plan) == ["skipped already-newer", "migrates"])
        let first = try self.plan(StoredProfile.stores(StoredProfile.v1, version: "1"), Facts()).steps[0]
        #expect(first.outcome.reason?.missingFacts == [.locale])
    }

    @Test("a keychain that cannot be read is not an empty one")
    func locked() throws {
        var transaction = StoreTransaction(on: LockedKeychain())
        let given = Facts([.keychainService: Fact("com.klivvr.storage", from: "a test")]).completed(by: Self.facts)
        let facts = migration.factsKnown(in: LockedKeychain(), given: given)
        let step = migration.steps(profile: migration.profiles[0], facts: facts)[0]
        let stop = #expect(throws: StepStop.self) { try step.run(&transaction, given) }
        #expect(stop?.outcome.kind == .blocked && stop?.outcome.reason?.code == "unreadable-locked")
        // Which service it is the keychain would say: that it cannot be read comes before the question.
        let unnamed = migration.steps(profile: migration.profiles[0], facts: Self.facts)[0]
        let other = #expect(throws: StepStop.self) { try unnamed.run(&transaction, Self.facts) }
        #expect(other?.outcome.reason?.code == "unreadable-locked")
    }

    @Test("forward and back leaves every byte as it was; twice changes nothing; one by one is as all at once")
    func laws() throws {
        for (json, version) in [(StoredProfile.v1, "1"), (StoredProfile.v1, nil), (StoredProfile.v2, "2")] {
            let stores = StoredProfile.stores(json, version: version)
            var session = try MigrationSession(stores: stores, ledger: MemoryLedger())
            func apply(_ selection: StepSelection, _ session: inout MigrationSession<MemoryLedger>) throws -> Int {
                try session.apply(
                    selection, of: migration, profile: migration.profiles[0], facts: Self.facts, stamp: Self.stamp
                ).compactMap(\.entry).count
            }
            let count = try apply(.all, &session)
            let all = StoredProfile.text(session.overlay)
            #expect(count == (json == StoredProfile.v1 ? 2 : 1))
            if json == StoredProfile.v1 { #expect(all == StoredProfile.v1AsV3) }
            #expect(StoredProfile.text(session.overlay, StoredProfile.versionAddress) == "3")
            #expect(try apply(.all, &session) == 0)
            try session.rollback(.all, stamp: Self.stamp)
            #expect(session.overlay.editedStores.isEmpty)
            while try apply(.next, &session) > 0 {}
            #expect(StoredProfile.text(session.overlay) == all)
        }
    }

    @Test("what the step makes is what the executor makes")
    func sameAsExecutor() throws {
        let plan = try plan(StoredProfile.stores(StoredProfile.v2, version: "2"), Self.facts)
        let step = plan.steps[1].changes.first?.after.flatMap { KeychainItem($0) }?.data
        let pipeline = MigrationPipeline.userProfile()
        #expect(
            try step
                == pipeline.migrate(
                    model: "user_profile", data: Data(StoredProfile.v2.utf8), fromVersion: 2, toVersion: 3))
    }

    @Test("side keys are shown with their owner, and a key that only ends like one is left alone")
    func annotations() throws {
        var stores = StoredProfile.stores(StoredProfile.v1, version: "1")
        stores[StoredProfile.service]?["lonely_schema_version"] = KeychainItem(text: "1").value
        stores[.files("AppSupport")] = ["KlivvrStorageKit/user_profile_backup_v1-2.sealed": .data(Data())]
        func annotation(_ store: StoreID, _ key: Name) -> String? {
            migration.annotation(of: Address(store: store, key: key), in: stores)
        }
        let owner = "keychain://com.klivvr.storage/user_profile"
        #expect(annotation(StoredProfile.service, "user_profile_schema_version") == "the schema version of \(owner)")
        #expect(
            annotation(.files("AppSupport"), "KlivvrStorageKit/user_profile_backup_v1-2.sealed")?
                .contains("backup of \(owner), version 1") ?? false)
        for key in ["user_profile", "lonely_schema_version", "_schema_version", "other"] {
            #expect(annotation(StoredProfile.service, Name(key)) == nil)
        }
        for key in ["x_backup_v.sealed", "x_backup_vA.sealed", "_backup_v1.sealed", "x_backup_v1", "x.sealed"] {
            #expect(annotation(.files("AppSupport"), Name(key)) == nil)
        }
    }
}

/// A keychain that is locked.
private struct LockedKeychain: StoreReader {
    var stores: [StoreID] { [StoredProfile.service] }
    func problem(with store: StoreID) -> Unreadable? { Unreadable(.locked, "it is locked") }
    func keys(in store: StoreID) -> any KeyList { Keys() }
    func state(of key: Name, in store: StoreID) -> EntryState { .unreadable(Unreadable(.locked, "it is locked")) }
}
