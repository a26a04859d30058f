import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import TestSupport
import Testing

@testable import Specs

/// The spec `localdata-demo` beside the very code of LocalData, which has reasons of its own where the language has none.
@Suite("LocalData's demonstration as a spec, beside the catalog in Swift")
struct DemoParityTests {
    private static let swift = CatalogMigration(
        id: "localdata-guide", title: "LocalData's guide", summary: "Moves its keys.", catalog: LocalDataDemo(),
        configuration: LocalDataDemo.configuration)
    private static let facts = Facts([.bundleIdentifier: Fact("com.myapp", from: "test")])

    /// What a spec says where the catalog's code says otherwise, or less.
    private static let codes: [String: Set<String>] = [
        "absent": ["condition-not-met"], "transformation-failed": ["not-a-number"],
        "wrong-type": ["check-failed", "not-json"], "cannot-decode": ["not-json", "wrong-type"],
    ]

    private static func difference(_ stores: any StoreReader) throws -> String? {
        let migration = try #require(SpecCatalog.migrations.first { $0.id == "localdata-demo" })
        let own = try ParityTests.deeds(migration, "default", on: stores, facts)
        let swift = try ParityTests.deeds(Self.swift, "default", on: stores, facts)
        // The fourth is sealed, which is `localdata-sealed`.
        for (own, swift) in zip(own, swift).prefix(3) {
            let parts = (own.outcome.split(separator: " "), swift.outcome.split(separator: " "))
            let isSame =
                parts.0[0] == parts.1[0]
                && (parts.0.count < 2 || parts.1.count < 2
                    ? parts.0.count == parts.1.count
                    : parts.0[1] == parts.1[1] || codes[String(parts.1[1])]?.contains(String(parts.0[1])) == true)
            // What is damaged at the new place, or a text, fails in Swift, whatever is at the old one; to a spec it is something
            // else there. Both leave all as it is.
            let isFailed = ["failed cannot-decode", "failed wrong-type"].contains(swift.outcome)
            let isLeft = isFailed && !own.outcome.hasPrefix("migrates")
            // A spec tells of 007 that the number keeps no zeros, which a closure cannot.
            let changes = own.changes.map {
                own.step == "age-in-years"
                    ? $0.replacing(" add changed ", with: " add converted ").replacing(
                        " dropped nil", with: " carried nil")
                    : $0
            }
            guard own.step == swift.step, isLeft || isSame && changes == swift.changes else {
                return "\(own)\n\(swift)\n\(stores)"
            }
        }
        return nil
    }

    @Test("They come to the same on every fixture, and both apply to it or neither", arguments: Places.fixtures)
    func fixtures(fixture: String) throws {
        guard fixture.hasPrefix("localdata"), let container = try Dump.open(Places.fixture(fixture)).containers.first
        else { return }
        #expect(try Self.difference(container) == nil)
        #expect(Self.swift.applies(to: container, facts: Self.facts))
    }

    @Test("They come to the same on random stores", arguments: 0..<ParityTests.rounds)
    func random(round: Int) throws {
        var generator = SeededGenerator(seed: UInt64(round) &* 86_028_121)
        func one(_ texts: [String?]) -> Value? {
            let text = texts.randomElement(using: &generator) ?? nil
            let isText = Int.random(in: 0..<12, using: &generator) == 0
            return text.map { isText ? .string($0) : .data(Data($0.utf8)) }
        }
        for _ in 0..<100 {
            var own = Members()
            own["old_key_name"] = one([#""tok""#, #" "t\u006fk \/ é""#, "42", "{}", "broken", nil, #""tok""#])
            own["legacy_age"] = one([
                #""42""#, #""007""#, #""-3""#, #""+5""#, #""forty""#, #"" 42""#, #""4_2""#, #""""#, #""1.5""#, "42",
                nil,
            ])
            own["age_in_years"] = one(["42", "7", "-3", "43", "broken", #""42""#, nil, nil, nil, nil])
            own["first_name"] = one([#""Ada""#, #""Ada""#, #""""#, "5", nil])
            own["last_name"] = one([#""King""#, #""King""#, "[]", nil])
            own["full_name"] = one([#""Ada King""#, #""Ada  King""#, "broken", nil, nil])
            var stores = MemoryStores([(.defaults("com.myapp"), own)])
            if let token = one([#""tok""#, #""other""#, "broken", nil, nil])?.data {
                stores[.keychain("com.myapp")] = ["modern_token": KeychainItem(data: token).value]
            }
            let difference = try Self.difference(stores)
            #expect(difference == nil, "round \(round)")
            if difference != nil { return }
        }
    }
}
