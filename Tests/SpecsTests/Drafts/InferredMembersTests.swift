import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Specs

@Suite("What a draft says of the members of one value")
struct InferredMembersTests: ProvenDrafts {
    @Test("A flag that got a like name within a dictionary is renamed, and no value of one customer is added")
    func renamedFlag() throws {
        let old: AppKeys = ["settings": ["sync": .bool(true), "name": "Ada Lovelace"]]
        let new: AppKeys = ["settings": ["synchronize": .bool(true), "name": "Ada Lovelace"]]
        let draft = try Self.infer(old, new)
        #expect(draft.text.contains("rename: {sync: synchronize}") && !draft.text.contains("add:"), "\(draft.text)")
    }

    @Test(
        "What a new member holds in this dump alone is no rule for other customers: it is told, with what is known",
        arguments: [.integer(3), .bool(true), "user-4711", .date(Timestamp(secondsSinceEpoch: 0)), ["a", "b"]]
            as [Value])
    func undecided(value: Value) throws {
        let old: AppKeys = ["settings": ["name": "Ada Lovelace"]]
        let draft = try Self.infer(old, ["settings": ["alias": "Ada Lovelace", "level": value]])
        #expect(draft.explained == 0 && draft.doubtful == 1 && !draft.text.contains("4711"), "\(draft.text)")
        #expect(draft.text.contains("what #/level holds is in this dump alone"), "\(draft.text)")
        #expect(draft.text.contains("#     perhaps") && draft.text.contains("rename: {name: alias}"), "\(draft.text)")
        let alone = try Self.infer(old, ["settings": ["name": "Ada Lovelace", "level": value]])
        #expect(alone.doubtful == 1 && !alone.text.contains("perhaps {"), "\(alone.text)")
    }

    @Test("What is empty, zero or off, a text without letters, and the number of a version may be everybody's")
    func everybodys() throws {
        let draft = try Self.infer(
            ["settings": ["name": "Ada Lovelace", "mail": "ada@acme.com", "phone": "+44 20 7946 0958"]],
            [
                "settings": [
                    "name": "Ada Lovelace", "mail": "ada@acme.com", "phone": "+44 20 7946 0958", "title": "---",
                    "count": 0, "schemaVersion": 2,
                ]
            ])
        #expect(draft.explained == 1 && draft.text.contains("add: {title:"), "\(draft.text)")
    }

    @Test(
        "A value of a dictionary that is found under two new names is read for both, and what another entry held from there"
    )
    func copied() throws {
        let old: AppKeys = ["s": ["id": "user-4711-abc", "name": "Ada Lovelace"], "mail": "ada@acme.com"]
        let other: AppKeys = ["s": ["id": "user-9999-zzz", "name": "Bob Stone"]]
        for (new, made) in [
            (
                ["userId": "user-4711-abc", "name": "Ada Lovelace", "uid": "user-4711-abc"],
                ["userId": "user-9999-zzz", "name": "Bob Stone", "uid": "user-9999-zzz"]
            ),
            (
                ["id": "user-4711-abc", "name": "Ada Lovelace", "copyOf": "user-4711-abc"],
                ["id": "user-9999-zzz", "name": "Bob Stone", "copyOf": "user-9999-zzz"]
            ),
        ] as [(Value, Value)] {
            let draft = try Self.infer(old, ["s": new, "mail": "ada@acme.com"])
            #expect(draft.explained == 1 && draft.text.contains("copy: {id: "), "\(draft.text)")
            #expect(!draft.text.contains("4711"), "\(draft.text)")
            #expect(try Self.outcome(draft, other, ["s": made]) == (1, 0), "\(draft.text)")
        }
        let away = try Self.infer(
            old,
            ["s": ["id": "user-4711-abc", "name": "Ada Lovelace", "address": "ada@acme.com"], "mail": "ada@acme.com"])
        #expect(away.explained == 0 && !away.text.contains("ada@acme.com"), "\(away.text)")
        #expect(
            away.text.contains(
                "perhaps {id: s-address, from: defaults://com.acme.notes/mail, type: string, "
                    + "to: defaults://com.acme.notes/s#/address}"), "\(away.text)")
    }

    @Test("A flag that is new in a dictionary where another is gone is no step: it may be that one under another name")
    func unlikeFlag() throws {
        let draft = try Self.infer(
            ["settings": ["sync": .bool(true), "name": "Ada Lovelace"]],
            ["settings": ["cloud": .bool(true), "name": "Ada Lovelace"]])
        #expect(draft.explained == 0, "\(draft.text)")
        #expect(draft.text.contains("#     perhaps") && draft.text.contains("rename: {sync: cloud}"), "\(draft.text)")
    }

    @Test(
        "A short text that a document has under another name is renamed, if anything: nobody's value is a default for all"
    )
    func shortText() throws {
        let file = "file://Documents/a.json"
        let draft = try InferenceTests.infer(
            [(file, .data(Data(#"{"name":"Ada","n":5}"#.utf8)))], [(file, .data(Data(#"{"alias":"Ada","n":5}"#.utf8)))])
        #expect(draft.explained == 0 && draft.text.contains("rename: {name: alias}"), "\(draft.text)")
        #expect(!draft.text.contains("Ada"), "\(draft.text)")
    }

    @Test("Of many members that have got other names each is looked for by its value and its words, and not among all")
    func manyMembers() throws {
        let count = 4000
        func keys(_ prefix: String) -> Value {
            .dictionary(Members((0..<count).map { Member(key: Name("\(prefix)\($0)"), value: .bool($0 % 2 == 0)) }))
        }
        let clock = ContinuousClock(), facts = Self.none
        let time = clock.measure {
            let found = InferredDifference(from: keys("old"), to: keys("new"), facts: facts)
            #expect(found?.isGuess == true && found?.undecided.isEmpty == true)
        }
        // Each with each it was 16,000,000 comparisons of names.
        #expect(time < .seconds(20), "\(time)")
    }

    private static let none = SpecFacts(definitions: [:], facts: Facts())

    @Test("A number that is no time of these years is scaled; one that is goes from seconds to milliseconds")
    func scaledMembers() throws {
        func draft(_ old: Value, _ new: Value) throws -> String {
            try Self.infer(
                ["goals": ["week": old, "name": "a text of some length"]],
                ["goals": ["week": new, "name": "a text of some length"]]
            ).text
        }
        #expect(try draft(20, 20000).contains("scale: {times: 1000}"))
        #expect(try draft(20000, 20).contains("scale: {over: 1000}"))
        #expect(try draft(1_724_990_100, 1_724_990_100_000).contains("time: {from: seconds, to: milliseconds}"))
        // A round factor between two small numbers may be chance.
        #expect(try !draft(5, 50).contains("scale"))
    }

    @Test("JSON in a member of a list is opened: what lies in it is found, alone and without some of its members")
    func insideLists() throws {
        let traits = #"{"email":"ada@example.com","id":"u-4242","plan":"a plan"}"#
        let list = Value.dictionary([("rl_traits", .string(traits)), ("other", 5)])
        let file = Value.data(try BinaryPropertyList.write(list))
        let place = "file://Library/old.plist"
        let draft = try InferenceTests.infer(
            [(place, file)],
            [
                (place, file), (InferenceTests.app + "user_id", .string("u-4242")),
                (InferenceTests.app + "traits", .string(#"{"email":"ada@example.com","plan":"a plan"}"#)),
            ])
        #expect(draft.explained == 2, "\(draft.text)")
        #expect(draft.text.contains("from: library/old.plist#/rl_traits"), "\(draft.text)")
        #expect(draft.text.contains("type: json dictionary") && draft.text.contains("pick: id"), "\(draft.text)")
    }
}
