import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Testing

/// What an app may have stored of a person: the rows of the known decode matrix, and worse.
struct StoredPerson: CustomTestStringConvertible, Sendable {
    /// What is special about it.
    let what: String
    /// The text under `person`.
    let json: String
    /// The versions whose types decode it, newest first.
    let decodesAs: [Int]
    /// Its version here.
    let version: StoredVersion
    /// The text after every step, or `nil` where none is taken.
    let migrated: String?

    var testDescription: String { what }

    static let bundle = "com.acme.people"
    static let store = StoreID.defaults(Name(bundle))
    static let address = Address(store: store, key: "person")
    static let facts = Facts([.bundleIdentifier: Fact(bundle, from: "test")])

    static let v0 = #"{"age":"55","name":"Peter"}"#
    static let v1 = #"{"age":"55","email":"p@e","name":"Peter"}"#
    static let v2 = #"{"age":"55","alias":"Peter","email":"p@e"}"#
    static let v3 = #"{"alias":"Peter","email":"p@e"}"#

    static let all = [
        StoredPerson(
            what: "version 0", json: v0, decodesAs: [0], version: .inferred(0, decodesAs: [0]),
            migrated: #"{"alias":"Peter","email":"---"}"#),
        StoredPerson(
            what: "version 1", json: v1, decodesAs: [1, 0], version: .inferred(1, decodesAs: [1, 0]),
            migrated: #"{"email":"p@e","alias":"Peter"}"#),
        StoredPerson(
            what: "version 2", json: v2, decodesAs: [3, 2], version: .inferred(2, decodesAs: [3, 2]),
            migrated: #"{"alias":"Peter","email":"p@e"}"#),
        StoredPerson(
            what: "version 3", json: v3, decodesAs: [3], version: .inferred(3, decodesAs: [3]), migrated: nil),
        StoredPerson(
            what: "name and alias, age and email", json: #"{"name":"P","alias":"Q","age":"5","email":"e"}"#,
            decodesAs: [3, 2, 1, 0],
            version: .ambiguous([3, 2, 1, 0], "it has the fields of each, and fields of the others besides"),
            migrated: nil),
        StoredPerson(
            what: "a numeric age", json: #"{"name":"Peter","age":55}"#, decodesAs: [],
            version: .unknown("it is nearest to version 0, but its field /age is an integer, where a string belongs"),
            migrated: nil),
        StoredPerson(
            what: "an empty object", json: "{}", decodesAs: [], version: .unknown("it has the fields of no version"),
            migrated: nil),
        StoredPerson(
            what: "an array", json: "[]", decodesAs: [],
            version: .unknown("it is an array, where an object belongs"), migrated: nil),
        StoredPerson(
            what: "version 1 whose e-mail is null", json: #"{"name":"Peter","age":"55","email":null}"#,
            decodesAs: [0],
            version: .unknown("it is nearest to version 1, but its field /email is null, where a string belongs"),
            migrated: nil),
        StoredPerson(
            what: "version 0 with a version that says nothing and a field of somebody else",
            json: #"{ "version": 1, "name": "P", "age": "5", "x": [1.0, 1e2] }"#, decodesAs: [0],
            version: .inferred(0, decodesAs: [0]),
            migrated: #"{ "version": 1, "alias": "P", "x": [1.0, 1e2], "email": "---" }"#),
    ]

    /// Texts that are no JSON at all.
    static let garbage = ["", "garbage", "{\"name\":", "{'name':'x'}", "{\"name\":\"P\",}", "\u{0}", "{}{}"]

    static func stores(_ json: String?, beside: Members = ["theme": .string("dark")]) -> MemoryStores {
        var members = beside
        members["person"] = json.map(Value.string)
        return MemoryStores([(store, members)])
    }

    static func plan(_ stores: any StoreReader, profile: String = "found") throws -> Plan {
        guard let profile = PersonMigration().profiles.first(where: { $0.id == profile }) else {
            throw LegacyFixture.NoSuchProfile(id: profile)
        }
        return Plan(
            of: PersonMigration(), profile: profile, facts: facts, stores: stores, history: History([]), check: {})
    }
}

extension LedgerEntry.Stamp {
    static let person = LedgerEntry.Stamp(date: .init(timeIntervalSince1970: 0), author: "test", toolVersion: "0")
}
