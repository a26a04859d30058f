import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import TestSupport
import Testing

@testable import Specs

/// Each reason of the article why a migration stays Swift, by stores on which a spec of the same rules does something else.
@Suite("What stays Swift, and why")
struct StaysSwiftTests {
    private static let old = #"{"name":"Peter","age":"55"}"#
    private static let file = MemoryStores([
        (.defaults("com.acme.people"), ["person": .string("a word of the app's own")]),
        (.files("Documents"), ["person.json": .data(Data(old.utf8))]),
    ])

    private func plan(_ migration: any Migration, _ stores: any StoreReader, _ facts: Facts, _ profile: String? = nil)
        throws -> Plan
    {
        Plan(
            of: migration, profile: try migration.profile(named: profile), facts: facts, stores: stores,
            history: History(), check: {})
    }

    private func person() throws -> SpecMigration { SpecMigration(try Specs.example("person.yaml")) }
    private func klivvr() throws -> SpecMigration { SpecMigration(try Specs.example("klivvr-user-profile.yaml")) }

    @Test("person: what lies under its name and is none is passed over in Swift, and is what a spec takes")
    func firstForCertain() throws {
        let swift = try plan(PersonMigration(), Self.file, ParityTests.facts)
        #expect(swift.steps[0].changes.map(\.address.store.kind) == [.file])
        let own = try plan(person(), Self.file, ParityTests.facts, "found")
        #expect(own.steps.map(\.outcome.kind) == [.failed, .failed, .failed])
        #expect(own.steps[0].outcome.reason?.code == "document-corrupt")
    }

    @Test("person: a fact may name the place, and other persons are told")
    func place() throws {
        let stores = MemoryStores([
            (.defaults("com.acme.people"), ["person": .string(Self.old)]),
            (.files("Documents"), ["person.json": .data(Data(Self.old.utf8))]),
        ])
        var facts = ParityTests.facts
        facts[.personLocation] = Fact("file", from: "test")
        let swift = try plan(PersonMigration(), stores, facts).steps[0].changes
        #expect(swift.map(\.address.store.kind) == [.file])
        #expect(swift.flatMap(\.notes).contains { $0.contains("there is another person at defaults://") })
        let own = try plan(person(), stores, facts, "found").steps[0].changes
        #expect(own.map(\.address.store.kind) == [.defaults])
        #expect(!own.flatMap(\.notes).contains { $0.contains("another person") })
    }

    @Test("person: one in data, which the app does not read, is told in Swift alone")
    func data() throws {
        let stores = MemoryStores([(.defaults("com.acme.people"), ["person": .data(Data(Self.old.utf8))])])
        func isTold(_ migration: any Migration) throws -> Bool {
            try plan(migration, stores, ParityTests.facts, "defaults").steps[0].changes.flatMap(\.notes).contains {
                $0.contains("reads only a string")
            }
        }
        #expect(try isTold(PersonMigration()))
        #expect(try !isTold(person()))
    }

    @Test("person: what the article's code does is no chain of versions: its age stays, and other fields are lost")
    func original() throws {
        let stores = MemoryStores([
            (
                .defaults("com.acme.people"),
                ["person": .string(#"{"alias":"P","email":"p@q.r","age":"55","city":"Ghent"}"#)]
            )
        ])
        let original = try plan(PersonMigration(), stores, ParityTests.facts, "original")
        #expect(original.pending.isEmpty, "it decodes as the newest version too: \(original.steps.map(\.outcome))")
        let found = try plan(person(), stores, ParityTests.facts, "found")
        #expect(found.pending.map(\.id) == ["2-3"])
        let older = MemoryStores([
            (.defaults("com.acme.people"), ["person": .string(#"{"name":"P","age":"55","city":"Ghent"}"#)])
        ])
        let lost = try plan(PersonMigration(), older, ParityTests.facts, "original").steps.flatMap(\.changes)
        #expect(lost.last?.after?.string?.contains("city") == false)
        let kept = try plan(person(), older, ParityTests.facts, "found").steps.flatMap(\.changes)
        #expect(kept.last?.after?.string?.contains("city") == true)
    }

    private static let profile = KeychainItem(text: #"{"userId":"u","displayName":"d","email":"e"}"#).value

    @Test("klivvr-user-profile: of two services that one counts in Swift which holds a profile for certain")
    func service() throws {
        let stores = MemoryStores([
            (.keychain("com.other"), ["user_profile": KeychainItem(text: "a nickname").value]),
            (.keychain("com.klivvr"), ["user_profile": Self.profile]),
        ])
        #expect(try plan(KlivvrUserProfile(), stores, ParityTests.facts).pending.map(\.id) == ["v1-2", "v2-3"])
        let own = try plan(klivvr(), stores, ParityTests.facts)
        #expect(own.steps.first?.outcome.kind == .blocked)
        #expect(own.steps.first?.outcome.reason?.missingFacts == ["keychainService"])
    }

    @Test("klivvr-user-profile: no language is en in Swift, and what is none is refused; a spec takes what is there")
    func language() throws {
        let stores = MemoryStores([(.keychain("com.klivvr"), ["user_profile": Self.profile])])
        func language(_ migration: any Migration, _ locale: String) throws -> String? {
            var facts = Facts([.keychainService: Fact("com.klivvr", from: "test")])
            facts[.locale] = Fact(locale, from: "test")
            let change = try plan(migration, stores, facts).steps.first?.changes.first
            return change?.after?.held(in: Address(store: .keychain("com.klivvr"), key: "user_profile")).decoded()?
                .value[JSONPointer(["preferences", "language"])]?.string
        }
        #expect(try [language(KlivvrUserProfile(), "ar_EG"), language(klivvr(), "ar_EG")] == ["ar", "ar"])
        #expect(try [language(KlivvrUserProfile(), "_EG"), language(klivvr(), "_EG")] == ["en", ""])
        #expect(try [language(KlivvrUserProfile(), "a9"), language(klivvr(), "a9")] == [nil, "a9"])
    }

    @Test("klivvr-user-profile: whose backup a file is, Swift says")
    func backup() throws {
        let stores = MemoryStores([
            (.keychain("com.klivvr"), ["user_profile": Self.profile]),
            (.files("AppSupport"), ["user_profile_backup_v1.sealed": .data(Data([1]))]),
        ])
        let file = Address(store: .files("AppSupport"), key: "user_profile_backup_v1.sealed")
        #expect(KlivvrUserProfile().annotation(of: file, in: stores)?.contains("a sealed backup of") == true)
        #expect(try klivvr().annotation(of: file, in: stores) == nil)
    }
}
