import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Specs

@Suite("Specs that two dumps tell")
struct InferenceTests {
    static func stores(_ entries: [(String, Value)]) throws -> MemoryStores {
        var stores = MemoryStores()
        for (text, value) in entries {
            let address = try Address(parsing: text), key = try #require(address.key)
            var members = stores[address.store] ?? Members()
            members[key] = value
            stores[address.store] = members
        }
        return stores
    }

    private static func facts(_ more: [FactName: String] = [:]) -> Facts {
        var facts = Facts(more.mapValues { Fact($0, from: "the test") })
        facts[.bundleIdentifier] = Fact("com.acme.notes", from: "the test")
        return facts
    }

    static func infer(
        _ old: [(String, Value)], _ new: [(String, Value)], facts: [FactName: String] = [:],
        limits: InferenceLimits = .standard, isSecret: @escaping (Address, Value) -> Bool = { _, _ in false }
    ) throws -> SpecInference {
        SpecInference(
            from: try stores(old), to: try stores(new), bundleIdentifier: "com.acme.notes", facts: Self.facts(facts),
            limits: limits, isSecret: isSecret)
    }

    /// What the draft makes of the old stores, as a comparison with the new ones.
    static func outcome(
        _ draft: String, _ old: [(String, Value)], _ new: [(String, Value)], facts: [FactName: String] = [:]
    ) throws -> StoreComparison {
        let migration = SpecMigration(try Spec(Data(draft.utf8)))
        return StoreComparison(
            try stores(old), try stores(new), with: (migration, migration.profiles[0]), facts: Self.facts(facts))
    }

    static let app = "defaults://com.acme.notes/", suite = "defaults://com.acme.suite/"

    @Test(
        "The shortest chain of operations from an old value is found",
        arguments: [
            (.string("u-4242"), .string("u-4242"), "from: app/theValue, type: string, to:"),
            (.integer(1_724_990_100), .string("1724990100"), "do: [text]"),
            (.string("41700"), .integer(41700), "do: [number]"),
            (.bool(false), .bool(true), "do: [not]"),
            (.string("Ada King"), .string("ADA KING"), "case: upper"),
            (.string("  padded text "), .string("padded text"), "do: [trim]"),
            (.integer(1_724_990_100), .integer(1_724_990_100_000), "from: seconds, to: milliseconds"),
            (.string("user:ada-lovelace"), .string("ada-lovelace"), #"split"#),
            (.string("ada-lovelace"), .string("#ada-lovelace"), ##"fill: "#{value}""##),
            (.string("v2token"), .dictionary([("value", .string("v2token"))]), "wrap: value"),
            (.integer(36_000), .integer(36_000_000), "times: 1000"),
            (.string(#"{"a":"alpha","b":"beta"}"#), .string(#"{"b":"beta"}"#), "remove: [a]"),
            (
                .string(#"{"name":"lovelace","b":"beta"}"#), .string(#"{"alias":"lovelace","b":"beta"}"#),
                "rename: {name: alias}"
            ),
        ] as [(Value, Value, String)])
    func chain(old: Value, new: Value, says: String) throws {
        let before = [(Self.app + "theValue", old)], after = before + [(Self.suite + "the_value", new)]
        let draft = try Self.infer(before, after)
        #expect(draft.text.contains(says), "\(draft.text)")
        #expect(draft.explained == 1, "\(draft.text)")
        let outcome = try Self.outcome(draft.text, before, after)
        #expect(outcome.verdicts == [.asPlanned: 1], "\(draft.text)")
    }

    @Test("Two texts become one, a fact is a source, a date is told, JSON is made of a keyed archive without members")
    func sources() throws {
        let traits: Value = .dictionary([("email", .string("ada@example.com")), ("id", .string("u-1"))])
        let before: [(String, Value)] = [
            (Self.app + "first", .string("Ada")), (Self.app + "last", .string("Lovelace")),
            (Self.app + "traits", .data(try KeyedArchive.write(traits))),
            (Self.app + "seen", .date(Timestamp(secondsSinceEpoch: 1_725_000_000))),
        ]
        let after: [(String, Value)] = [
            (Self.suite + "name", .string("Ada Lovelace")),
            (Self.suite + "device", .string("9b574574-74a7-4edf-969d-164cb151b6c3")),
            (Self.suite + "traits", .string(#"{"email":"ada@example.com"}"#)),
            (Self.suite + "last_seen", .integer(1_725_000_000_000)),
        ]
        let facts: [FactName: String] = [.identifierForVendor: "9B574574-74A7-4EDF-969D-164CB151B6C3"]
        let draft = try Self.infer(before, after, facts: facts)
        #expect(draft.explained == 4, "\(draft.text)")
        for part in [
            "fill: \"{a} {b}\"", "from: fact/identifierForVendor, do: [{case: lower}]",
            "type: keyed-archive dictionary", "from: date, to: milliseconds",
        ] {
            #expect(draft.text.contains(part), "\(draft.text)")
        }
        // What is gone is taken away by what read it.
        #expect(try Self.outcome(draft.text, before, after, facts: facts).verdicts == [.asPlanned: 8], "\(draft.text)")
    }

    @Test("A calculation that only zero shows is a remark, unless another value shows the same; colours may be a table")
    func zero() throws {
        let before: [(String, Value)] = [
            (Self.suite + "volume", .real(Real(0))), (Self.suite + "speed", .real(Real(1))),
        ]
        let after: [(String, Value)] = [(Self.suite + "volume", .integer(0)), (Self.suite + "speed", .integer(100))]
        let draft = try Self.infer(before, after)
        #expect(!draft.text.contains("- {id: volume, from"), "\(draft.text)")
        let old = ["red", "green", "blue"], new = ["#ff0000", "#00ff00", "#0000ff"]
        let table = try Self.infer(
            (0..<6).map { (Self.suite + "c\($0)", .string(old[$0 % 3])) },
            (0..<6).map { (Self.suite + "c\($0)", .string(new[$0 % 3])) })
        #expect(table.explained == 6, "\(table.text)")
    }

    @Test("A document that is edited where it is becomes a row that does nothing the second time")
    func inPlace() throws {
        let before = [(Self.app + "person", Value.data(Data(#"{"name":"Lovelace","age":"36"}"#.utf8)))]
        let after = [(Self.app + "person", Value.data(Data(#"{"alias":"Lovelace","email":"---"}"#.utf8)))]
        let draft = try Self.infer(before, after)
        #expect(draft.explained == 1 && draft.text.contains("if: [value#/name exists]"), "\(draft.text)")
        #expect(try Self.outcome(draft.text, before, after).verdicts == [.asPlanned: 1])
    }

    @Test("Three and more that move alike become one row with a star, unless something else fits it")
    func star() throws {
        let names = ["one", "two", "three"]
        let before = names.map { (Self.app + "done.\($0)", Value.string("value \($0)")) }
        let after = names.map { (Self.app + "finished.\($0)", Value.string("value \($0)")) }
        let draft = try Self.infer(before, after)
        #expect(draft.text.contains("from: app/done.*, type: string, to: app/finished.*"), "\(draft.text)")
        #expect(try Self.outcome(draft.text, before, after).verdicts == [.asPlanned: 6], "\(draft.text)")
        let more = before + [(Self.app + "done.four", .string("stays"))]
        let other = try Self.infer(more, after + [(Self.app + "done.four", .string("stays"))])
        #expect(!other.text.contains("done.*"), "\(other.text)")
        #expect(other.explained == 3)
    }

    @Test(
        "A flag, a small number or one pair of values proves nothing: it is told as a remark, with what nothing explains"
    )
    func weak() throws {
        let before: [(String, Value)] = [
            (Self.app + "hasSeenTour", .bool(true)), (Self.app + "theme", .string("sepia")),
            (Self.app + "count", .integer(3)),
        ]
        let after =
            before + [
                (Self.suite + "x", .bool(true)), (Self.suite + "theme", .integer(1)),
                (Self.suite + "cursor", .string("ab9-ff01-77")),
            ]
        let draft = try Self.infer(before, after)
        #expect(draft.explained == 0 && draft.doubtful == 2 && draft.unexplained == 1, "\(draft.text)")
        #expect(
            draft.text.contains(
                "#     perhaps {id: theme, from: defaults://com.acme.notes/theme, type: string, do: [{table: {sepia: 1}}]"
            ))
        #expect(draft.text.contains("#   suite/cursor  (string)"))
        _ = try Spec(Data(draft.text.utf8))
        // What is offered reads where it is pasted, though the draft has no stores.
        let rows = draft.text.split(separator: "\n").compactMap { $0.split(separator: "perhaps ").dropFirst().first }
        #expect(rows.count == 2 && !draft.text.contains("stores:"))
        let pasted = draft.text.replacing("steps:\n", with: "steps:\n" + rows.map { "  - \($0)\n" }.joined())
        let found = Spec.lint(Data(pasted.utf8)).filter { $0.code.severity == .error || $0.code == .unused }
        #expect(found.isEmpty, "\(found)\n\(pasted)")
    }

    @Test("The fields of an app's own class in an archive are looked into, as those of a dictionary")
    func ownClass() throws {
        func archive(_ name: String, _ city: String) throws -> Value {
            let classes: Value = .dictionary([
                "$classname": .string("ACMEUser"), "$classes": .array([.string("ACMEUser"), .string("NSObject")]),
            ])
            let user: Value = .dictionary(["name": .uid(2), "city": .uid(3), "$class": .uid(4)])
            return .data(
                try BinaryPropertyList.write(
                    .dictionary([
                        "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
                        "$top": .dictionary(["root": .uid(1)]),
                        "$objects": .array([.string("$null"), user, .string(name), .string(city), classes]),
                    ])))
        }
        let before = [(Self.app + "user", try archive("Ada Lovelace", "London"))]
        let after = [
            (Self.suite + "user_name", Value.string("ADA LOVELACE")), (Self.suite + "city", .string("London")),
        ]
        let draft = try Self.infer(before, before + after)
        #expect(draft.explained == 2, "\(draft.text)")
        #expect(draft.text.contains("from: app/user#/name") && draft.text.contains("case: upper"), "\(draft.text)")
        let other = [(Self.app + "user", try archive("Grace Hopper", "Arlington"))]
        let made =
            other + [
                (Self.suite + "user_name", Value.string("GRACE HOPPER")), (Self.suite + "city", .string("Arlington")),
            ]
        let marks = try Self.outcome(draft.text, other, made).entries.map(\.mark)
        #expect(marks.allSatisfy { $0 != .unknown }, "\(marks)")
        var tried = try Tried(Spec(Data(draft.text.utf8)), other)
        try tried.applyAll()
        for (key, value) in made { #expect(tried[key] == value) }
    }

    @Test("Other possibilities of like cost stand as remarks, and nothing of a secret stands in the draft")
    func secrets() throws {
        let before: [(String, Value)] = [
            (Self.app + "token", .string("s3cr3t-abcdef")), (Self.app + "oldToken", .string("s3cr3t-abcdef")),
        ]
        let after =
            before + [
                ("keychain://com.acme/token", KeychainItem(text: "s3cr3t-abcdef").value),
                (Self.suite + "prefixed", .string("zzz-s3cr3t-abcdef")),
            ]
        let draft = try Self.infer(before, after) { _, value in value.string?.contains("s3cr3t") ?? true }
        #expect(draft.text.contains("from: app/token, type: string, to: acme/token"), "\(draft.text)")
        #expect(draft.text.contains("#   or from app/oldToken"))
        #expect(!draft.text.contains("s3cr3t") && !draft.text.contains("zzz"))
    }

    @Test("What the keys on the way to a value say is secret is not written, whatever its own key is")
    func secretPlaces() throws {
        let state = { (token: String) in Value.dictionary([("token", .string(token)), ("kept", .integer(4711))]) }
        let before: [(String, Value)] = [
            (Self.app + "state", state("q8Zk2LpX91mm")),
            (Self.app + "credentials", .dictionary([("user", .string("ada-l")), ("host", .string("example.org"))])),
        ]
        let after: [(String, Value)] = [
            (Self.app + "state", state("q8Zk2LpX91mm")), (Self.app + "statetoken", .integer(3)),
            (
                Self.app + "credentials",
                .dictionary([
                    ("user", .string("ada-l")), ("host", .string("example.org")), ("value", .string("correcthorse")),
                ])
            ),
        ]
        let draft = try Self.infer(before, after) { address, _ in
            "\(address)".contains("token") || "\(address)".contains("credentials")
        }
        #expect(!draft.text.contains("q8Zk2LpX91mm") && !draft.text.contains("correcthorse"), "\(draft.text)")
    }

    @Test("What cannot be read on one side is told, and is not explained as if it were gone")
    func unreadable() throws {
        let broken = try Self.stores([(Self.app + "a", .string("a value"))])
        let draft = SpecInference(
            from: broken, to: Closed(), bundleIdentifier: "com.acme.notes", facts: Self.facts(),
            isSecret: { _, _ in false })
        #expect(draft.text.contains("defaults://com.acme.notes cannot be read on both sides"), "\(draft.text)")
        #expect(!draft.text.contains("gone"))
    }

    @Test("What a row with a star takes away is not told as gone; what nothing takes is")
    func goneBesidesStar() throws {
        let names = (0..<5).map { "part\($0)x" }
        let before = names.map { (Self.app + "done.\($0)", Value.string("value \($0)")) }
        let after = names.map { (Self.app + "finished.\($0)", Value.string("value \($0)")) }
        let draft = try Self.infer(before, after)
        #expect(draft.text.contains("to: app/finished.*, source: remove"), "\(draft.text)")
        #expect(!draft.text.contains("gone"), "\(draft.text)")
        let more = try Self.infer(before + [(Self.app + "left", .string("another value"))], after)
        #expect(more.text.contains("# gone, and no step takes it away:\n#   app/left\n"), "\(more.text)")
        #expect(!more.text.contains("#   app/done"), "\(more.text)")
    }

    @Test("Rows of databases that differ are counted, as no step could write them")
    func tables() throws {
        let row: (Int128) -> Value = { .dictionary([("a", .integer($0))]) }
        let place = "sqlite://Documents/notes.sqlite/notes/1"
        let draft = try Self.infer([(place, row(1))], [(place, row(2))])
        #expect(
            draft.text.contains("# 1 rows of databases differ, and are not explained: no step writes a row"),
            "\(draft.text)")
    }

    @Test("Items that may be another app's are no sources, no targets, and not told as gone")
    func unassigned() throws {
        let token = KeychainItem(text: "a long token").value, place = "keychain://unassigned%3Acom.other/token"
        let moved = try Self.infer([(place, token)], [(Self.app + "token", .string("a long token"))])
        #expect(moved.unexplained == 1 && !moved.text.contains("unassigned"), "\(moved.text)")
        let came = try Self.infer([(Self.app + "token", .string("a long token"))], [(place, token)])
        #expect(came.explained + came.unexplained == 0 && !came.text.contains("unassigned"), "\(came.text)")
    }

    @Test(
        "However many sources have one value, few are looked at for each new one: those of the likest names; it is told"
    )
    func likeValues() throws {
        let facts = SpecFacts(definitions: [:], facts: Facts()), value = Value.string("one value of all")
        /// A word of three letters.
        func word(_ number: Int) -> String {
            String(
                String.UnicodeScalarView(
                    [number / 676, number / 26 % 26, number % 26].compactMap { Unicode.Scalar($0 + 97) }))
        }
        for count in [100, 400, 1600] {
            let entries = (0..<count).map { (Address.defaults("com.acme.notes", Name("flag_\(word($0))")), value) }
            let index = InferenceIndex(entries, facts: facts) { "\($0)" }
            let last = NameWords("new.flag.\(word(count - 1))"), ways = index.ways(to: value, named: last)
            #expect(ways.count <= InferenceLimits.standard.candidates)
            #expect(ways.contains { $0.source.entry?.key == Name("flag_\(word(count - 1))") })
            #expect(index.cuts.contains { $0.contains("ways: for each new one the 64") }, "\(index.cuts)")
            #expect(index.sources(like: last).count == InferenceLimits.standard.candidates)
        }
    }

    @Test("Keys that share a value are looked into as far as all of them together may hold; it is told")
    func sharedValues() throws {
        let json = "[" + (0..<400).map { "\($0)" }.joined(separator: ",") + "]"
        let before = (0..<40).map { (Self.app + "k\($0)", Value.string(json)) }
        let after = before + (0..<40).map { (Self.suite + "n\($0)", Value.string(json.replacing("[0,", with: "[9,"))) }
        var limits = InferenceLimits()
        limits.parts = 2_000
        let draft = try Self.infer(before, after, limits: limits)
        #expect(draft.text.contains("# what was there holds more than 2000 values"), "\(draft.text)")
        #expect(draft.text.contains("# what is new holds more than 2000 values"), "\(draft.text)")
        limits.reading = 20
        let little = try Self.infer(before, after, limits: limits)
        #expect(little.text.contains("# 36 of the entries that were there were not looked at"), "\(little.text)")
    }

    @Test("Texts that begin or end with one another are found among many, whatever stands between them in order")
    func affixes() {
        let texts = ["user:ada-lovelace", "ada-lovelace", "ada-lovelace.old", "ada", "x-ada-lovelace-x", "lovelace"]
        let index = AffixIndex(texts.enumerated().map { ($1, $0) })
        #expect(index.sources(around: "ada-lovelace").sources == [0, 2, 5])
        #expect(index.sources(around: "prefix-lovelace").sources == [5])
        #expect(index.sources(around: "user:ada-lovelace!").sources == [0])
        #expect(index.sources(around: "ada").sources == [], "of what is short it is chance")
        let many = AffixIndex((0..<5_000).map { ("prefix\($0)", $0) })
        #expect(many.sources(around: "prefix") == (Array(many.sources(around: "prefix").sources.prefix(16)), true))
    }

    @Test("What is not looked at of texts that begin or end alike is told, and so are groups that are not tried")
    func cutAffixes() throws {
        func cuts(_ before: [(String, Value)], _ after: [(String, Value)], groups: Int = 100) throws -> [String] {
            var limits = InferenceLimits()
            limits.groups = groups
            let lines = try Self.infer(before, after, limits: limits).text.split(separator: "\n").map(String.init)
            return lines.filter { $0.hasPrefix("# ") && ($0.contains("begin") || $0.contains("groups")) }
        }
        func texts(_ count: Int) -> [(String, Value)] {
            (0..<count).map { (Self.app + "old\($0)", Value.string("a-name-\(100 + $0)")) }
        }
        let new = (Self.suite + "plain", Value.string("a-name-"))
        #expect(try cuts(texts(16), [new]) == [])
        #expect(
            try cuts(texts(17), [new]) == [
                "# of 1 new texts not every text was looked at that begins or ends as they do: 16 of each kind, and none longer "
                    + "than 200 bytes"
            ])
        let long = Value.string(String(repeating: "x", count: 201))
        #expect(
            try cuts([(Self.app + "a", long)], [(Self.suite + "b", .string("another"))]) == [
                "# 1 of the old texts is longer than 200 bytes: how they begin and end was not looked at"
            ])
        #expect(try cuts([(Self.app + "a", .string("another"))], [(Self.suite + "b", long)]).count == 1)
        let groups = (0..<3).flatMap { group in (0..<3).map { (group, $0) } }
        func entries(_ word: String) -> [(String, Value)] {
            groups.map { (Self.app + "\(word)\($0).part\($1)", Value.string("value \($0) of \($1)")) }
        }
        #expect(try cuts(entries("old"), entries("new")) == [])
        #expect(
            try cuts(entries("old"), entries("new"), groups: 1) == [
                "# 2 more groups of steps may each be one with a star: the first 1 were tried"
            ])
    }

    @Test("Of a large value that many keys share nobody asks again and again whether it is a secret")
    func largeShared() throws {
        final class Asked: @unchecked Sendable { var bytes = 0 }
        let asked = Asked(), value = Value.string(String(repeating: "lorem ipsum ", count: 25_000))
        let before = (0..<40).map { (Self.app + "flag_x\($0)", value) }
        let after = (0..<40).map { (Self.app + "new.flag.x\($0)", value) }
        let draft = try Self.infer(before, after) { _, value in
            asked.bytes += value.string?.utf8.count ?? 0
            return false
        }
        #expect(draft.explained == 40 && draft.unexplained == 0, "\(draft.text)")
        #expect(asked.bytes == 0, "nothing of it would be written, so nobody need know")
    }

    @Test("The order in which it looks is fixed: two runs write the same draft")
    func repeats() throws {
        let before = (0..<40).map { (Self.app + "key\($0)", Value.string("value number \($0 % 7)")) }
        let after = (0..<40).map { (Self.suite + "new\($0)", Value.string("value number \($0 % 7)")) }
        let drafts = try (0..<3).map { _ in try Self.infer(before, after).text }
        #expect(Set(drafts).count == 1)
    }

    /// Random rows with random chains: what they make is explained by a draft that makes the same.
    @Test("What a random migration made is explained by a draft that makes the same", arguments: 0..<60)
    func law(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var before: [(String, Value)] = [], after: [(String, Value)] = []
        for number in 0..<Int.random(in: 1...6, using: &random) {
            let key = "thing\(number)Name", new = Self.suite + "thing\(number)_name"
            let digits = Int.random(in: 100_000...999_999, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                before.append((Self.app + key, .integer(Int128(digits))))
                after.append((new, .string("\(digits)")))
            case 1:
                before.append((Self.app + key, .string("text-\(digits)")))
                after.append((new, .string("TEXT-\(digits)")))
            case 2:
                before.append((Self.app + key, .data(Data(#"{"a":"text \#(digits)","b":1}"#.utf8))))
                after.append((new, .string(#"{"a":"text \#(digits)"}"#)))
            case 3:
                before.append((Self.app + key, .dictionary([("inner", .string("part \(digits)"))])))
                after.append((new, .string("part \(digits)")))
            case 4:
                before.append((Self.app + key, .string("\(digits)")))
                after.append((new, .integer(Int128(digits))))
            default:
                before.append((Self.app + key, .string("as it is \(digits)")))
                after.append((new, .string("as it is \(digits)")))
            }
            if Bool.random(using: &random) { after.append(before[before.count - 1]) }
        }
        let draft = try Self.infer(before, after), outcome = try Self.outcome(draft.text, before, after)
        #expect(draft.explained == before.count, "seed \(seed)\n\(draft.text)")
        #expect(outcome.entries.allSatisfy { $0.verdict == .asPlanned }, "seed \(seed)\n\(draft.text)")
        #expect(Spec.lint(Data(draft.text.utf8)).allSatisfy { $0.code.severity != .error })
    }
}

/// A store that is there and cannot be read.
private struct Closed: StoreReader {
    let stores = [StoreID.defaults("com.acme.notes")]
    private let reason = Unreadable(.corrupt, "it is damaged")
    func problem(with store: StoreID) -> Unreadable? { reason }
    func keys(in store: StoreID) -> any KeyList { Keys() }
    func state(of key: Name, in store: StoreID) -> EntryState { .unreadable(reason) }
}
