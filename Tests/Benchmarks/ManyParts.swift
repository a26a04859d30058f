import Foundation
import MigrationEngine
import Specs
import StoreFormats

/// How long the engine takes to plan a spec of many rows that each write a member of one document.
///
/// Writes `FORMAT COUNT MEDIAN` with the time in microseconds, for each form that a document may have.
enum ManyParts {
    private static let runs = 3

    static func measure(_ count: Int) throws {
        let first: Value = .dictionary(["first": .string("there")])
        let documents: [(name: String, value: Value)] = [
            ("json", .data(try JSONDocument.write(first))),
            ("json-text", .string(String(decoding: try JSONDocument.write(first), as: UTF8.self))),
            ("json-lines", .data(Data("{\n  \"first\": \"there\"\n}\n".utf8))),
            ("binary-plist", .data(try BinaryPropertyList.write(first))),
            ("xml-plist", .data(try XMLPropertyList.write(first))),
            ("dictionary", first),
        ]
        let rows = try Spec(Data(spec((0..<count).map { "- {from: app/k\($0), to: \"docs/d#/m\($0)\"}" }).utf8))
        let star = try Spec(Data(spec(["- {id: all, from: app/k*, to: \"docs/d#/m*\"}"]).utf8))
        let old = Members((0..<count).map { Member(key: "k\($0)", value: .string("value \($0)")) })
        for (name, document) in documents {
            let stores = MemoryStores([
                (StoreID.defaults("app"), old),
                (StoreID.defaults("docs"), Members([Member(key: "d", value: document)])),
            ])
            for (kind, spec) in [("rows", rows), ("star", star)] {
                let migration = SpecMigration(spec)
                var times: [Duration] = []
                for _ in 0..<runs {
                    times.append(
                        ContinuousClock().measure {
                            let plan = Plan(
                                of: migration, profile: migration.profiles[0], facts: Facts(), stores: stores,
                                history: History(), check: {})
                            let written = plan.steps.last?.changes.last?.after?.size ?? 0
                            precondition(written > 10 * count, "every member is written")
                        })
                }
                print(name, kind, count, times.sorted()[runs / 2].microseconds)
            }
        }
    }

    private static func spec(_ rows: [String]) -> String {
        "vestige: migration/1\nid: parts\nstores: {app: defaults://app, docs: defaults://docs}\nsteps:\n"
            + rows.joined(separator: "\n") + "\n"
    }
}
