import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Systems
import Testing

@Suite("Person: which version is stored")
struct PersonVersionTests {
    // The types of the seed, decoded by Foundation: a second opinion on what the shapes say.
    private struct V0: Decodable { let name, age: String }
    private struct V1: Decodable { let name, age, email: String }
    private struct V2: Decodable { let alias, age, email: String }
    private struct V3: Decodable { let alias, email: String }

    @Test("the decode matrix: the shapes read what Codable reads, newest first", arguments: StoredPerson.all)
    func matrix(row: StoredPerson) throws {
        let data = Data(row.json.utf8)
        func decodes(_ type: (some Decodable).Type) -> Bool { (try? JSONDecoder().decode(type, from: data)) != nil }
        let answers = [(3, decodes(V3.self)), (2, decodes(V2.self)), (1, decodes(V1.self)), (0, decodes(V0.self))]
        let codable = answers.filter(\.1).map(\.0)
        #expect(codable == row.decodesAs)
        let shapes = ShapeVersion(PersonDocument.shapes)
        #expect(shapes.decodable(try JSONDocument(data).value) == row.decodesAs)
    }

    @Test("the version is told by shape, with every match listed", arguments: StoredPerson.all)
    func version(row: StoredPerson) {
        let manager = PersonMigrationManager(
            stores: StoredPerson.stores(row.json), bundleIdentifier: StoredPerson.bundle)
        #expect(manager.storedPersonVersion() == row.version)
    }

    @Test("garbage is corrupt, which is not version 0", arguments: StoredPerson.garbage)
    func garbage(json: String) {
        let manager = PersonMigrationManager(stores: StoredPerson.stores(json), bundleIdentifier: StoredPerson.bundle)
        guard case .corrupt = manager.storedPersonVersion() else {
            Issue.record("\(manager.storedPersonVersion())")
            return
        }
        #expect(!manager.migrationPending)
    }

    @Test("absent, an empty object, an array, garbage, a numeric age and a null e-mail are six answers")
    func answers() throws {
        let texts: [String?] = [nil, "{}", "[]", "garbage", #"{"name":"P","age":55}"#, StoredPerson.all[8].json]
        let sentences = try texts.map { text in
            try #require(StoredPerson.plan(StoredPerson.stores(text)).steps.first?.outcome.reason).sentence
        }
        #expect(Set(sentences).count == texts.count)
        let codes = try texts.map { try StoredPerson.plan(StoredPerson.stores($0)).outcome("0-1") }
        #expect(
            codes == [
                "skipped absent", "failed version-unknown", "failed version-unknown", "failed document-corrupt",
                "failed version-unknown", "failed version-unknown",
            ])
    }

    @Test("the entry is shown with its version, and no other entry is")
    func annotation() {
        let stores = StoredPerson.stores(StoredPerson.v2), migration = PersonMigration()
        #expect(
            migration.annotation(of: StoredPerson.address, in: stores)
                == "version 2, by its shape; its fields are also those of version 3")
        #expect(migration.annotation(of: .defaults(Name(StoredPerson.bundle), "theme"), in: stores) == nil)
        #expect(migration.annotation(of: Address(store: .files("Documents"), key: "a.json"), in: stores) == nil)
    }
}
