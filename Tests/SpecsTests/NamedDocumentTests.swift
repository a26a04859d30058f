import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Specs

/// Documents of which each version has an entry of its own, which says in its name which one it is.
@Suite("Documents whose version stands in their names")
struct NamedDocumentTests {
    private static func spec(
        at place: String = "file://Documents/profiles", name: String = "p-v*.json", more: String = "",
        version: String = "", head: String = ""
    ) throws -> Spec {
        try Specs.spec(
            """
            - document: profile
              at: \(place)
              version: {in-name: "\(name)"\(version)}
              \(more)
              versions:
                1: {has: {name: string}, without: [alias]}
                2: {has: {alias: string}, without: [name], made-by: [{rename: {name: alias}}]}
                3: {has: {alias: string, tags: array}, made-by: [{add: {tags: []}}]}
            """, head)
    }

    private static func json(_ text: String) -> Value { .data(Data(text.utf8)) }
    private static let folder = "file://Documents/profiles/p-v"

    private static func state(_ tried: Tried, _ address: String) throws -> String? {
        let value = tried.session.overlay.state(at: try Address(parsing: address)).value
        return (value?.string ?? value?.data.map { String(decoding: $0, as: UTF8.self) })
            ?? value.flatMap(KeychainItem.init)?.text
    }

    @Test(
        "A step writes the next version under its name; the older one stays, or goes where source: remove says so",
        arguments: [("", true), ("source: keep", true), ("source: remove", false)])
    func steps(more: String, stays: Bool) throws {
        let first = #"{"name":"Ann",  "n":1.0}"#
        var tried = try Tried(try Self.spec(more: more), [(Self.folder + "1.json", Self.json(first))])
        let plan = try tried.plan()
        #expect(plan.steps.map(\.id) == ["profile-1-2", "profile-2-3"])
        #expect(plan.steps.map { $0.step.target?.description } == [Self.folder + "2.json", Self.folder + "3.json"])
        #expect(
            plan.steps.map { $0.step.sources.map(\.description) } == [
                [Self.folder + "1.json"], [Self.folder + "2.json"],
            ])
        #expect(plan.steps.allSatisfy { $0.outcome.kind == .migrates }, "\(plan.steps.map(\.outcome))")
        try tried.applyAll()
        let made = try #require(try Self.state(tried, Self.folder + "3.json"))
        #expect(made.hasPrefix(#"{"alias":"Ann",  "n":1.0,"#) && made.hasSuffix(#""tags":[]}"#), "\(made)")
        #expect(try Self.state(tried, Self.folder + "1.json") == (stays ? first : nil))
        #expect(try (Self.state(tried, Self.folder + "2.json") == nil) != stays)
        #expect(try tried.plan().pending.isEmpty)
        try tried.session.rollback(.all, stamp: Tried.stamp)
        #expect(tried.session.overlay.editedStores.isEmpty)
        // One by one comes to the same.
        let profile = tried.migration.profiles[0]
        try tried.session.apply(
            .steps(["profile-1-2"]), of: tried.migration, profile: profile, facts: tried.facts, stamp: Tried.stamp)
        #expect(try Self.state(tried, Self.folder + "2.json") == #"{"alias":"Ann",  "n":1.0}"#)
        #expect(try tried.plan().steps.map(\.outcome.kind) == [.unchanged, .migrates])
    }

    @Test("What is moved to another name is carried, and what is removed loses nothing")
    func effects() throws {
        let tried = try Tried(
            try Self.spec(more: "source: remove"), [(Self.folder + "2.json", Self.json(#"{"alias":"Ann"}"#))])
        let step = try #require(try tried.plan().steps.last)
        #expect(step.changes.map { "\($0.address)" } == [Self.folder + "3.json", Self.folder + "2.json"])
        #expect(step.changes.last?.after == nil && step.changes.last?.effect == .carried)
        #expect(try tried.outcome("profile-1-2")?.reason?.code == "already-newer")
    }

    @Test("The newest counts by its number; names that say none are passed over, and the others are told")
    func newest() throws {
        let entries = ["9", "10", "02", "x", "1-old", ""].map {
            (Self.folder + $0 + ".json", Self.json(#"{"name":"\#($0)"}"#))
        }
        let versions = (1...11).map { "\($0): {has: {name: string}\($0 > 1 ? ", made-by: []" : "")}" }
        let spec = try Specs.spec(
            "- {document: p, at: file://Documents/profiles, version: {in-name: \"p-v*.json\"}, versions: {"
                + versions.joined(separator: ", ") + "}}")
        let tried = try Tried(spec, entries), plan = try tried.plan()
        let pending = plan.pending.map(\.id)
        #expect(pending == ["p-10-11"], "\(pending)")
        let change = try #require(plan.pending.first?.changes.first)
        #expect(change.after == Self.json(#"{"name":"10"}"#) && change.effect == .carried)
        #expect(
            change.notes.contains("there is another p at \(Self.folder)9.json, which stays as it is"), "\(change.notes)"
        )
    }

    @Test(
        "A version that is newer than known, older than any, or not what it says is told, and nothing is written",
        arguments: [
            ("4", #"{"alias":"a"}"#, "version-newer"), ("99999999999999999999999", "{}", "version-newer"),
            ("0", #"{"name":"a"}"#, "version-unknown"), ("1", #"{"alias":"a"}"#, "document-invalid"),
            ("1", "{", "document-corrupt"),
        ])
    func doubtful(number: String, content: String, code: String) throws {
        let tried = try Tried(try Self.spec(), [(Self.folder + number + ".json", Self.json(content))])
        let plan = try tried.plan()
        #expect(plan.pending.isEmpty)
        #expect(plan.steps.map(\.outcome.reason?.code) == [code, code], "\(plan.steps.map(\.outcome))")
    }

    @Test("With doubt: ask, one that looks newer than its name waits for the fact")
    func doubt() throws {
        let entry = (Self.folder + "1.json", Self.json(#"{"alias":"a"}"#)),
            spec = try Self.spec(version: ", doubt: ask")
        #expect(try Tried(spec, [entry]).outcome("profile-1-2")?.reason?.missingFacts == ["profileVersion"])
        var told = try Tried(spec, [entry], facts: ["profileVersion": "2"])
        try told.applyAll()
        #expect(try Self.state(told, Self.folder + "3.json") == #"{"alias":"a","tags":[]}"#)
    }

    @Test("Where nothing has such a name there is nothing to do, and the migration does not apply")
    func absent() throws {
        let spec = try Self.spec(), other = ("file://Documents/p-v1.json", Self.json("{}"))
        let tried = try Tried(spec, [other])
        let outcome = try #require(try tried.outcome("profile-1-2"))
        #expect(
            outcome.kind == .skipped && outcome.reason?.sentence.contains("file://Documents/profiles/p-v*.json") == true
        )
        #expect(!tried.migration.applies(to: tried.session.overlay, facts: tried.facts))
        let there = try Tried(spec, [(Self.folder + "3.json", Self.json("{}"))])
        #expect(there.migration.applies(to: there.session.overlay, facts: there.facts))
    }

    @Test("It lies in UserDefaults, in the keychain or in a file, under an alias or not, with a fact in its name")
    func places() throws {
        for (place, name, address) in [
            ("app", "profile_v*", "defaults://com.acme.notes/profile_v"),
            ("defaults://{bundleIdentifier}", "{bundleIdentifier}.v*", "defaults://com.acme.notes/com.acme.notes.v"),
            ("keychain://com.acme", "profile_v*", "keychain://com.acme/profile_v"),
            ("file://Documents/", "p*", "file://Documents/p"),
            ("[file://Documents/none, app]", "profile_v*", "defaults://com.acme.notes/profile_v"),
        ] {
            let spec = try Self.spec(at: place, name: name, head: "stores: {app: defaults://com.acme.notes}")
            let text = #"{"name":"a"}"#, isFile = address.hasPrefix("file"), isItem = address.hasPrefix("keychain")
            let value = isItem ? KeychainItem(text: text).value : isFile ? Self.json(text) : .string(text)
            var tried = try Tried(spec, [(address + "1", value)])
            try tried.applyAll()
            #expect(try Self.state(tried, address + "3") == #"{"alias":"a","tags":[]}"#, "\(place)")
            let entry = try Address(parsing: address + "2")
            #expect(
                tried.migration.annotation(of: entry, in: tried.session.overlay) == "version 2, as stored", "\(place)")
        }
    }

    @Test("A store that cannot be listed blocks, and is not taken for one without such names")
    func unreadable() throws {
        let migration = SpecMigration(try Self.spec(at: "defaults://com.acme.notes", name: "p_v*"))
        let plan = Plan(
            of: migration, profile: migration.profiles[0], facts: Facts(), stores: Unlisted(), history: History(),
            check: {})
        #expect(plan.steps.map(\.outcome.kind) == [.blocked, .blocked], "\(plan.steps.map(\.outcome))")
    }

    private struct Unlisted: StoreReader {
        var stores: [StoreID] { [.defaults("com.acme.notes")] }
        func problem(with store: StoreID) -> Unreadable? { Unreadable(.locked, "it is locked") }
        func keys(in store: StoreID) -> any KeyList { MemoryStores().keys(in: store) }
        func state(of key: Name, in store: StoreID) -> EntryState { .unreadable(Unreadable(.locked, "it is locked")) }
    }

    @Test(
        "What says no name is an error with its line",
        arguments: [
            ("{in-name: p.json}", "app", "one * stands for the version"),
            ("{in-name: 'p*-v*'}", "app", "one * stands for the version"),
            ("{in-name: 'a/p-v*'}", "app", "one * stands for the version"),
            ("{in-name: 'p-v*', missing: 1}", "app", "never without one"),
            ("{in-name: 'p-v*', field: v}", "app", "told in two ways"),
            ("{in-name: 'p-v*'}", "'app/a#/b'", "no store and no folder"),
            ("{in-name: 'p-v*'}", "'app/a.*'", "no store and no folder"),
            ("{in-name: 'p-v*'}", "file://Library/Caches", "a store of its own"),
            ("{doubt: ask}", "app", "none of field, beside and in-name"),
            ("{in-nmae: 'p-v*'}", "app", "Did you mean in-name?"),
        ])
    func refused(version: String, place: String, says: String) throws {
        let problems = Specs.problems(
            ofSteps: "- {document: d, at: \(place), version: \(version), versions: {1: {has: {a: string}}}}",
            "stores: {app: defaults://com.acme.notes}")
        #expect(problems.contains { "\($0)".contains(says) && $0.place.line == 5 }, "\(problems)")
    }

    @Test("Only such a document has a source that goes")
    func source() {
        let problems = Specs.problems(
            ofSteps: "- {document: d, at: app/d, version: shape, source: remove, versions: {1: {has: {a: string}}}}",
            "stores: {app: defaults://com.acme.notes}")
        #expect(problems.map(\.code) == [.key] && problems.first?.sentence.contains("edited where it is") == true)
    }

    @Test("The canonical form, the schema, the tables and an expectation know it")
    func around() throws {
        let text = """
            vestige: migration/1
            id: test
            steps:
            - {versions: {1: {has: {a: string}}, 2: {made-by: [{rename: {a: b}}], has: {b: string}}}, source: remove, version: {doubt: ask, in-name: p-v*.json}, at: file://Documents, document: d}
            expect:
            - {name: x, given: {file://Documents/p-v1.json: '{"a":"x"}'}, gives: {file://Documents/p-v2.json: '{"b":"x"}', file://Documents/p-v1.json: absent}}
            """
        let formatted = try Spec.formatted(Data(text.utf8))
        let keys = [
            "document: d", "at: file", "version: {in-name: p-v*.json, doubt: ask}", "versions:", "source: remove",
        ]
        let places = try keys.map { try #require(formatted.range(of: $0), "\(formatted)").lowerBound }
        #expect(places == places.sorted(), "\(formatted)")
        #expect(try SpecSchema.schema().contains("\"in-name\""))
        let spec = try Specs.read(Data(formatted.utf8))
        #expect(SpecTrial(spec.expectations[0], of: spec).failures.map(\.sentence) == [])
        let table = try #require(SpecMigration(spec).tables(profile: SpecMigration(spec).profiles[0]).first)
        #expect(
            table.rows.first?[1...2] == [
                "file://Documents/p-v*.json", "under the name of the version, in place of the older one",
            ])
    }
}
