import Foundation
import MigrationEngine
import StoreFormats
import TestSupport

@testable import Specs

/// Specs for the tests.
enum Specs {
    private static let folders = ["/Tests/SpecsTests/Examples", "/Sources/Specs/Catalog"].map { Places.package + $0 }
    /// The paths of the examples, and of the specs of the package, by their names.
    private static let files = Dictionary(
        folders.flatMap { folder in
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).map { ($0, folder + "/" + $0) }
        }.filter { $0.0.hasSuffix(".yaml") }, uniquingKeysWith: { first, _ in first })
    static let examples = files.keys.sorted()

    static func text(_ name: String) throws -> String {
        try String(contentsOfFile: files[name] ?? name, encoding: .utf8)
    }

    static func example(_ name: String) throws -> Spec { try read(Data(try text(name).utf8)) }

    static func read(_ data: Data) throws(SpecProblems) -> Spec { try Spec(data) }

    /// A spec with these steps.
    static func spec(_ steps: String, _ head: String = "") throws(SpecProblems) -> Spec {
        try read(Data("vestige: migration/1\nid: test\n\(head)\nsteps:\n\(steps)\n".utf8))
    }

    /// What is wrong with a text.
    static func problems(_ text: String) -> [SpecProblem] {
        do {
            _ = try read(Data(text.utf8))
            return []
        } catch {
            return error.all
        }
    }

    static func problems(ofSteps steps: String, _ head: String = "") -> [SpecProblem] {
        problems("vestige: migration/1\nid: test\n\(head)\nsteps:\n\(steps)\n")
    }
}

/// A spec on stores in memory.
struct Tried {
    var session: MigrationSession<MemoryLedger>
    let migration: SpecMigration
    var facts: Facts
    static let stamp = LedgerEntry.Stamp(date: Date(timeIntervalSince1970: 0), author: "me", toolVersion: "1")

    init(_ spec: Spec, _ entries: [(String, Value)], facts: [FactName: String] = [:]) throws {
        var stores = MemoryStores()
        for (text, value) in entries {
            let address = try Address(parsing: text)
            var members = stores[address.store] ?? Members()
            if let key = address.key { members[key] = value }
            stores[address.store] = members
        }
        session = try MigrationSession(stores: stores, ledger: MemoryLedger())
        migration = SpecMigration(spec)
        self.facts = Facts(facts.mapValues { Fact($0, from: "the test") })
        if self.facts[.bundleIdentifier] == nil {
            self.facts[.bundleIdentifier] = Fact("com.acme.notes", from: "the test")
        }
    }

    func plan(_ profile: String? = nil) throws -> Plan {
        session.plan(migration, profile: try migration.profile(named: profile), facts: facts)
    }

    func outcome(_ step: String, profile: String? = nil) throws -> Outcome? {
        try plan(profile).steps.first { $0.id == step }?.outcome
    }

    @discardableResult
    mutating func applyAll(profile: String? = nil) throws -> [AppliedStep] {
        try session.apply(
            .all, of: migration, profile: try migration.profile(named: profile), facts: facts, stamp: Self.stamp)
    }

    /// Applies steps one after the other.
    mutating func apply(_ steps: [String]) throws {
        for step in steps {
            try session.apply(
                .steps([step]), of: migration, profile: try migration.profile(named: nil), facts: facts,
                stamp: Self.stamp)
        }
    }

    mutating func rollback() throws { try session.rollback(.all, stamp: Self.stamp) }

    subscript(text: String) -> Value? { (try? Address(parsing: text)).flatMap { session.overlay.state(at: $0).value } }
}

/// Rows that are tried on the preferences of one app.
protocol TriedRows {}

extension TriedRows {
    static var head: String {
        "stores: {app: defaults://com.acme.notes, state: \"defaults://com.acme.notes/state#/\"}"
    }
    static func key(_ name: String) -> String { "defaults://com.acme.notes/\(name)" }

    func tried(_ steps: String, _ entries: [(String, Value)], _ head: String = Self.head) throws -> Tried {
        try Tried(Specs.spec(steps, head), entries)
    }
}

/// Rows of which the linter is asked what it finds.
protocol LintedSpecs {}

extension LintedSpecs {
    static func lint(
        _ steps: String, _ head: String = "stores: {app: defaults://com.acme.notes, safe: keychain://com.acme}"
    ) -> [SpecProblem] {
        Spec.lint(Data("vestige: migration/1\nid: test\n\(head)\nsteps:\n\(steps)\nexpect: [{name: x}]\n".utf8))
    }
}

/// What one app has stored, by the names of the keys.
typealias AppKeys = [String: Value]

/// Drafts from what an update did to the keys of one app, and what they come to.
protocol ProvenDrafts {}

extension ProvenDrafts {
    static func infer(_ old: AppKeys, _ new: AppKeys) throws -> SpecInference {
        func entries(_ keys: AppKeys) -> [(String, Value)] {
            keys.sorted { $0.key < $1.key }.map { (InferenceTests.app + $0.key, $0.value) }
        }
        return try InferenceTests.infer(entries(old), entries(new))
    }

    /// How many entries the draft makes what they are in the new stores, and how many it does not.
    static func outcome(_ draft: SpecInference, _ old: AppKeys, _ new: AppKeys) throws -> (planned: Int, other: Int) {
        func entries(_ keys: AppKeys) -> [(String, Value)] { keys.map { (InferenceTests.app + $0.key, $0.value) } }
        let verdicts = try InferenceTests.outcome(draft.text, entries(old), entries(new)).verdicts
        return (verdicts[.asPlanned] ?? 0, verdicts.filter { $0.key != .asPlanned }.values.reduce(0, +))
    }

    /// A dictionary as the bytes of a property list.
    static func propertyList(_ members: [String: String]) -> Data {
        let all = members.sorted { $0.key < $1.key }.map { Member(key: Name($0.key), value: .string($0.value)) }
        return (try? BinaryPropertyList.write(.dictionary(Members(all)))) ?? Data()
    }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// A list.
    public init(arrayLiteral items: Value...) { self = .array(items) }
    /// A dictionary.
    public init(dictionaryLiteral members: (String, Value)...) {
        self = .dictionary(Members(members.map { Member(key: Name($0.0), value: $0.1) }))
    }
    /// An integer.
    public init(integerLiteral value: Int) { self = .integer(Int128(value)) }
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
}
