import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Systems
import Testing

/// What the original of seed 002 gets wrong, as measured (facts §2): it does not happen here.
@Suite("Person: the defects of the original")
struct PersonDefectTests {
    private func manager(_ json: String?) -> PersonMigrationManager<MemoryStores> {
        PersonMigrationManager(stores: StoredPerson.stores(json), bundleIdentifier: StoredPerson.bundle)
    }

    private func text(_ manager: PersonMigrationManager<MemoryStores>) -> String? {
        manager.stores.state(at: StoredPerson.address).value?.string
    }

    @Test("removing the age from version 2 runs, though version 2 decodes as version 3")
    func ageIsRemoved() throws {
        var manager = manager(StoredPerson.v2)
        #expect(manager.migrationPending)
        #expect(try manager.applyMigration() == .migrates)
        #expect(text(manager) == #"{"alias":"Peter","email":"p@e"}"#)
        #expect(!manager.migrationPending)
    }

    @Test("no failure is claimed where every step succeeded, from whichever version", arguments: StoredPerson.all)
    func noFalseFailure(row: StoredPerson) throws {
        var manager = manager(row.json)
        let pending = manager.migrationPending
        #expect(pending == (row.migrated != nil))
        let outcome = try manager.applyMigration()
        #expect(outcome.kind == (row.migrated != nil ? .migrates : row.version.number == 3 ? .skipped : .failed))
        #expect(manager.migrationFailed == (row.version.number == nil))
        #expect(text(manager) == row.migrated ?? row.json)
        #expect(!manager.migrationPending)
    }

    @Test("version 3 is version 3 and not version 0")
    func version3() throws {
        var manager = manager(StoredPerson.v3)
        #expect(manager.storedPersonVersion().number == 3)
        #expect(manager.person() == Person(alias: "Peter", email: "p@e"))
        #expect(try manager.applyMigration().reason?.code == "already-newer")
        #expect(!manager.migrationFailed)
    }

    @Test("what cannot be migrated is reported as failed, with the reason, and left as it is")
    func failureIsReported() throws {
        for json in StoredPerson.garbage + ["{}", "[]", #"{"name":"P","age":55}"#] {
            var manager = manager(json)
            #expect(try manager.applyMigration().kind == .failed)
            #expect(manager.migrationFailed)
            #expect(manager.failure?.sentence.isEmpty == false)
            #expect(text(manager) == json)
        }
    }

    @Test("no person is neither pending nor failed")
    func absent() throws {
        var manager = manager(nil)
        #expect(!manager.migrationPending)
        #expect(try manager.applyMigration().reason?.code == "absent")
        #expect(!manager.migrationFailed)
        #expect(manager.storedPersonVersion() == .absent)
        #expect(manager.person() == nil)
    }

    @Test("a null e-mail of version 1 is not replaced by the placeholder")
    func nullEmail() throws {
        let json = #"{"name":"Peter","age":"55","email":null}"#
        var manager = manager(json)
        #expect(try manager.applyMigration().reason?.code == "version-unknown")
        #expect(manager.failure?.sentence.contains("/email is null") ?? false)
        #expect(text(manager) == json)
    }

    @Test("the computed version is never stored, neither by Codable nor by a step")
    func versionIsNotStored() throws {
        let encoded = try JSONEncoder().encode(Person(alias: "P", email: "e"))
        #expect(try JSONDocument(encoded).value.members?["version"] == nil)
        for json in [StoredPerson.v0, StoredPerson.v1, StoredPerson.v2] {
            var manager = manager(json)
            try manager.applyMigration()
            #expect(text(manager)?.contains("version") == false)
        }
    }

    @Test("a version that somebody stored is ignored, kept and noted")
    func strayVersion() throws {
        let json = #"{"version":3,"name":"P","age":"5","email":"e"}"#
        let plan = try StoredPerson.plan(StoredPerson.stores(json))
        #expect(plan.outcome("0-1") == "skipped already-newer")
        let change = try #require(plan.step("1-2")?.changes.first)
        #expect(change.after == .string(#"{"version":3,"alias":"P","age":"5","email":"e"}"#))
        #expect(change.notes.contains { $0.contains("/version") })
    }

    @Test("a field that a step changes and that stands twice stops the step")
    func duplicates() throws {
        let json = #"{"name":"first","name":"last","age":"5","email":"e"}"#
        let step = try #require(StoredPerson.plan(StoredPerson.stores(json)).step("1-2"))
        #expect(step.changes.isEmpty && step.outcome.kind == .blocked)
        #expect(step.outcome.reason?.code == "repeated-key")
        #expect(step.outcome.reason?.sentence.contains("/name stands more than once") == true)
    }

    @Test("fields that no step names survive byte for byte, with their spelling, order and white space")
    func extraFields() throws {
        let json = "{\n  \"age\" : \"55\",\n  \"name\" : \"J\\u00fcrgen \\/ 1\",\n  \"x\" : [ 1.0, 1e2, 3.10, -0.0 ]\n}"
        var manager = manager(json)
        try manager.applyMigration()
        #expect(
            text(manager)
                == "{\n  \"alias\" : \"J\\u00fcrgen \\/ 1\",\n  \"x\" : [ 1.0, 1e2, 3.10, -0.0 ],\n  \"email\" : \"---\"\n}"
        )
    }

    @Test("the stored type is what counts: a number or data under the key is not turned into text")
    func noCoercion() throws {
        for value in [Value.integer(55), .bool(true), .real(1.5), .dictionary(["name": .string("P")])] {
            let stores = MemoryStores([(StoredPerson.store, ["person": value])])
            let plan = try StoredPerson.plan(stores)
            #expect(plan.outcome("0-1") == "failed document-corrupt")
            #expect(plan.step("0-1")?.outcome.reason?.sentence.contains(value.typePhrase) ?? false)
        }
    }

    @Test("the given store is used for reading and writing")
    func givenStore() throws {
        var manager = PersonMigrationManager(
            stores: MemoryStores([(.files("Documents"), ["person.json": .data(Data(StoredPerson.v0.utf8))])]),
            bundleIdentifier: StoredPerson.bundle, location: .file)
        try manager.applyMigration()
        #expect(manager.person() == Person(alias: "Peter", email: "---"))
        #expect(manager.person()?.hasPlaceholderEmail == true)
    }

    @Test("the original's own results: alias and e-mail from versions 0, 1 and 2")
    func upstream() throws {
        for (json, email) in [(StoredPerson.v0, "---"), (StoredPerson.v1, "p@e"), (StoredPerson.v2, "p@e")] {
            var manager = manager(json)
            try manager.applyMigration()
            #expect(manager.person() == Person(alias: "Peter", email: email))
        }
    }
}
