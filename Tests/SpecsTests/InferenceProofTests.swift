import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Specs

/// What an update did to the keys of one app, by their names.
private typealias Keys = [String: Value]

@Suite("Drafts that are proven as a whole")
struct InferenceProofTests {
    private static func infer(_ old: Keys, _ new: Keys) throws -> SpecInference {
        func entries(_ keys: Keys) -> [(String, Value)] {
            keys.sorted { $0.key < $1.key }.map { (InferenceTests.app + $0.key, $0.value) }
        }
        return try InferenceTests.infer(entries(old), entries(new))
    }

    /// How many entries the draft makes what they are in the new stores, and how many it does not.
    private static func outcome(_ draft: SpecInference, _ old: Keys, _ new: Keys) throws -> (planned: Int, other: Int) {
        func entries(_ keys: Keys) -> [(String, Value)] { keys.map { (InferenceTests.app + $0.key, $0.value) } }
        let verdicts = try InferenceTests.outcome(draft.text, entries(old), entries(new)).verdicts
        return (verdicts[.asPlanned] ?? 0, verdicts.filter { $0.key != .asPlanned }.values.reduce(0, +))
    }

    private static func position(of text: String, in draft: SpecInference) -> String.Index? {
        draft.text.range(of: text)?.lowerBound
    }

    @Test("What is read is read before another step overwrites it, whatever the order of the keys")
    func order() throws {
        let old: Keys = ["p": .string("alpha one"), "q": .string("beta two")]
        let new: Keys = ["q": .string("alpha one"), "r": .string("beta two")]
        let draft = try Self.infer(old, new)
        let first = try #require(Self.position(of: "to: app/r", in: draft), "\(draft.text)")
        let second = try #require(Self.position(of: "to: app/q", in: draft), "\(draft.text)")
        #expect(first < second, "\(draft.text)")
        #expect(draft.explained == 2 && draft.text.contains("the steps turn all 3 entries"), "\(draft.text)")
        #expect(try Self.outcome(draft, old, new) == (3, 0), "\(draft.text)")
        #expect(Spec.lint(Data(draft.text.utf8)).allSatisfy { $0.code != .removedEarly }, "\(draft.text)")
    }

    @Test("A longer row of names that each move on by one is put into its order too")
    func chain() throws {
        let names = (0..<80).map { "name\($0)x" }
        var old: Keys = [:], new: Keys = [:]
        for (number, name) in names.enumerated() {
            old[name] = .string("the text number \(number)")
            new[number + 1 < names.count ? names[number + 1] : "last"] = old[name]
        }
        let draft = try Self.infer(old, new)
        #expect(try Self.outcome(draft, old, new) == (81, 0), "\(draft.text)")
        #expect(draft.explained == 80 && draft.unexplained == 0, "\(draft.text)")
    }

    @Test(
        "Keys that take one another's values are told as that and are not claimed, as no order of steps does it",
        arguments: [["a", "b"], ["p", "q", "r"]])
    func cycles(names: [String]) throws {
        var old: Keys = ["other": .string("another text")], new: Keys = ["renamed": .string("another text")]
        for (number, name) in names.enumerated() {
            old[name] = .string("the text number \(number)")
            new[names[(number + 1) % names.count]] = old[name]
        }
        let draft = try Self.infer(old, new)
        #expect(draft.explained == 1 && draft.unexplained == names.count, "\(draft.text)")
        #expect(draft.text.contains("take one another's values, which no order of steps does"), "\(draft.text)")
        #expect(!draft.text.contains("to: app/\(names[0])"), "\(draft.text)")
        #expect(draft.text.contains("the steps turn 2 of the \(names.count + 2) entries"), "\(draft.text)")
    }

    @Test("Groups come in the order that is asked for, and each cycle is one group")
    func groups() {
        #expect(InferenceOrder.groups([[], [], []]) == [[0], [1], [2]])
        #expect(InferenceOrder.groups([[1], [2], []]) == [[2], [1], [0]])
        #expect(InferenceOrder.groups([[1], [0], [1]]) == [[0, 1], [2]])
        #expect(InferenceOrder.groups([[2], [0], [1], []]) == [[0, 1, 2], [3]])
        let many = (0..<20_000).map { $0 + 1 < 20_000 ? [$0 + 1] : [] }
        #expect(InferenceOrder.groups(many).first == [19_999], "however deep they lie")
    }

    /// Random renames among few names: whatever is claimed comes out.
    @Test("What a draft of random renames claims comes out as it is in the new stores", arguments: 0..<60)
    func law(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let names = ["a", "b", "c", "d", "e", "f", "g"]
        var old: Keys = [:], new: Keys = [:]
        for name in names where Int.random(in: 0..<3, using: &random) > 0 { old[name] = .string("value of \(name)") }
        for name in names where Bool.random(using: &random) {
            if let value = old.sorted(by: { $0.key < $1.key }).randomElement(using: &random)?.value {
                new[name] = value
            }
        }
        let draft = try Self.infer(old, new)
        let comparison = try InferenceTests.outcome(
            draft.text, old.map { (InferenceTests.app + $0.key, $0.value) },
            new.map { (InferenceTests.app + $0.key, $0.value) })
        let planned = comparison.entries.filter { $0.planned != nil }
        #expect(planned.allSatisfy { $0.verdict == .asPlanned }, "seed \(seed)\n\(draft.text)")
        #expect(planned.count >= draft.explained, "seed \(seed)\n\(draft.text)")
    }

    @Test("What works for every value goes before what has a text of this dump, and like keys become one row")
    func general() throws {
        let places = ["A": "Rome, Italy", "B": "Paris, France", "C": "Berlin, Germany", "D": "Cairo, Egypt"]
        for separator in [".", ""] {
            var old: Keys = [:], new: Keys = [:]
            for (number, place) in places.sorted(by: { $0.key < $1.key }).enumerated() {
                let name = separator.isEmpty ? "\(number)" : separator + place.key
                let parts = place.value.split(separator: ", ").map(String.init)
                old["place\(name)"] = .string(place.value)
                (new["city\(name)"], new["country\(name)"]) = (.string(parts[0]), .string(parts[1]))
            }
            let draft = try Self.infer(old, new)
            #expect(!draft.text.contains("strip") && !draft.text.contains("Italy"), "\(draft.text)")
            #expect(draft.text.contains("from: app/place\(separator)*"), "\(draft.text)")
            #expect(draft.text.contains("to: app/city\(separator)*"), "\(draft.text)")
            #expect(draft.text.contains("remove: [app/place\(separator)*]"), "\(draft.text)")
            #expect(try Self.outcome(draft, old, new) == (12, 0), "\(draft.text)")
        }
        let name = try Self.infer(
            ["fullName": .string("Ada King")], ["firstName": .string("Ada"), "lastName": .string("King")])
        #expect(!name.text.contains("strip:") && name.explained == 2, "\(name.text)")
    }

    @Test("A part that many values have is no text of one customer; one that a single value shows is told as such")
    func literals() throws {
        var old: Keys = [:], new: Keys = [:]
        for name in ["anna", "berta", "clara", "doris"] {
            old["user.\(name)"] = .string("\(name)son")
            new["ref.\(name)"] = .string("user#\(name)son")
        }
        let many = try Self.infer(old, new)
        #expect(many.text.contains(##"fill: "user#{value}""##), "\(many.text)")
        #expect(many.text.contains("to: app/ref.*"), "\(many.text)")
        #expect(!many.text.contains("other dumps may not have"), "\(many.text)")
        let one = try Self.infer(["user": .string("annason")], ["ref": .string("user#annason")])
        #expect(one.explained == 0, "\(one.text)")
        #expect(one.text.contains("with a text that may be this customer's alone"), "\(one.text)")
    }

    @Test(
        "What is gone is the source before what stays where it was, though that has the value without an operation",
        arguments: [
            (
                ["languageCode": "EN-gb", "fallback": "en-gb"], ["language_code": "en-gb", "fallback": "en-gb"],
                "from: app/languageCode"
            ),
            (
                ["fullName": "Ada King", "crownTitle": "King"],
                ["firstName": "Ada", "lastName": "King", "crownTitle": "King"], "from: app/fullName"
            ),
        ])
    func gone(old: [String: String], new: [String: String], row: String) throws {
        let draft = try Self.infer(old.mapValues { .string($0) }, new.mapValues { .string($0) })
        #expect(draft.text.contains(row), "\(draft.text)")
        for kept in old.keys where new[kept] != nil {
            #expect(!draft.text.contains("from: app/\(kept)"), "\(draft.text)")
        }
    }

    @Test(
        "A factor of a fraction is found with the rounding that makes it whole",
        arguments: [
            ("volume", 0.29, "volumePercent", 29), ("interval", 1.5, "intervalMs", 1500),
            ("price", 1234.56, "priceCents", 123456),
        ])
    func roundedFactor(old: String, value: Double, new: String, wanted: Int) throws {
        let draft = try Self.infer([old: .real(Real(value))], [new: .integer(Int128(wanted))])
        #expect(draft.text.contains("{round: nearest}]"), "\(draft.text)")
    }

    @Test("A flag that was turned around is the one that is gone, and not another that stays")
    func turned() throws {
        let draft = try Self.infer(
            ["trackingDisabled": .bool(false), "analyticsEnabled": .bool(true)],
            ["trackingEnabled": .bool(true), "analyticsEnabled": .bool(true)])
        #expect(!draft.text.contains("- {id: trackingenabled, from: app/analyticsEnabled"), "\(draft.text)")
    }

    @Test("What may have become more than the steps make is not taken away")
    func doubted() throws {
        let draft = try Self.infer(
            ["email": .string("ada@acme.com")], ["user": .string("ada"), "domain": .string("acme.com")])
        if draft.doubtful > 0 || draft.unexplained > 0 {
            #expect(!draft.text.contains("source: remove"), "\(draft.text)")
        }
    }

    @Test("A star stands behind all that the names have in common")
    func commonNames() throws {
        var old: Keys = [:], new: Keys = [:]
        for name in ["name", "city", "mail"] {
            old["acme.user.\(name)"] = .string("the \(name) of somebody")
            new["app.user.\(name)"] = .string("the \(name) of somebody")
        }
        let draft = try Self.infer(old, new)
        #expect(draft.text.contains("from: app/acme.user.*"), "\(draft.text)")
        #expect(draft.text.contains("to: app/app.user.*"), "\(draft.text)")
    }

    @Test("Of equal values each goes to the likest name, and each is used once where that can be")
    func likest() throws {
        let id = Value.string("mix-12345")
        let people = try Self.infer(
            ["distinctId": id, "peopleDistinctId": id], ["MPDistinctID": id, "MPPeopleDistinctID": id])
        #expect(people.text.contains("from: app/distinctId, type: string, to: app/MPDistinctID"), "\(people.text)")
        #expect(people.text.contains("from: app/peopleDistinctId\n"), "\(people.text)")
        var old: Keys = [:], new: Keys = [:]
        for number in 0..<4 {
            old["slot\(number)x"] = .string("the same long text")
            new["slot_\(number)_y"] = .string("the same long text")
        }
        let slots = try Self.infer(old, new)
        for number in 0..<4 {
            #expect(
                slots.text.contains("from: app/slot\(number)x, type: string, to: app/slot_\(number)_y, source: remove"),
                "\(slots.text)")
        }
        let others = try Self.infer(["x": id, "y": id, "z": id], ["k": id, "l": id, "m": id])
        for name in ["x", "y", "z"] { #expect(others.text.contains("from: app/\(name), "), "\(others.text)") }
    }

    @Test(
        "A key that keeps its name and changes its type or its form is a step, which leaves its own result alone",
        arguments: [
            ("12345", 12345, "if: [value is string], do: [number]"),
            ("red,green,blue", .array(["red", "green", "blue"]), #"if: [value is string], do: [{split: ","}]"#),
            ("a@example.com;b@example.com", .array(["a@example.com", "b@example.com"]), #"do: [{split: ";"}]"#),
            (.array(["one", "two", "three"]), #"["one","two","three"]"#, "if: [value is array], do: [{encode: json}]"),
            (
                #"["one","two","three"]"#, .array(["one", "two", "three"]),
                "if: [value is string], do: [{decode: json}]"
            ),
            (
                .data(InferenceProofTests.propertyList(["alpha": "first", "beta": "second"])),
                #"{"alpha":"first","beta":"second"}"#,
                "if: [value is data], do: [{decode: property-list}, {encode: json}]"
            ),
            ("mailto:ada", "ada", "do: [{split: "),
        ] as [(Value, Value, String)])
    func inPlace(old: Value, new: Value, step: String) throws {
        let draft = try Self.infer(["theKey": old], ["theKey": new])
        #expect(draft.explained == 1, "\(draft.text)")
        // A long row is written in lines, without commas.
        let flat = draft.text.split { $0.isWhitespace }.joined(separator: " ").replacing(", do:", with: " do:")
        #expect(flat.contains(step.replacing(", do:", with: " do:")), "\(draft.text)")
        #expect(!draft.text.contains("not explained"), "\(draft.text)")
        // Of another text the second part could be split once more.
        let isSplit = draft.text.contains("too-few-parts")
        #expect(Spec.lint(Data(draft.text.utf8)).contains { $0.code == .endless } == isSplit, "\(draft.text)")
        // In another app of the same history the step does nothing.
        let spec = try Spec(Data(draft.text.utf8))
        let tried = try Tried(spec, [(InferenceTests.app + "theKey", new)])
        #expect(
            try tried.plan().steps.allSatisfy { [.unchanged, .skipped].contains($0.outcome.kind) }, "\(draft.text)")
    }

    /// A dictionary as the bytes of a property list.
    static func propertyList(_ members: [String: String]) -> Data {
        let all = members.sorted { $0.key < $1.key }.map { Member(key: Name($0.key), value: .string($0.value)) }
        return (try? BinaryPropertyList.write(.dictionary(Members(all)))) ?? Data()
    }

    @Test("One table for several keys is found where each keeps its name")
    func tableInPlace() throws {
        let kinds = ["name": 0, "date": 1, "size": 2]
        var old: Keys = [:], new: Keys = [:]
        for (key, kind) in [("home", "name"), ("work", "date"), ("arch", "size"), ("trash", "name")] {
            old["sort.\(key)"] = .string(kind)
            new["sort.\(key)"] = .integer(Int128(kinds[kind] ?? 0))
        }
        let draft = try Self.infer(old, new)
        #expect(draft.explained == 4 && draft.unexplained == 0, "\(draft.text)")
        #expect(try Self.outcome(draft, old, new) == (4, 0), "\(draft.text)")
    }

    @Test(
        "Data of a key that becomes its text is decoded, and nothing more",
        arguments: ["hello", "hello World", "a,b", "12", #"{"alpha":"first","beta":"second"}"#])
    func dataToText(text: String) throws {
        for name in ["theKey", "e2"] {
            let draft = try Self.infer([name: .data(Data(text.utf8))], [name: .string(text)])
            #expect(draft.explained == 1, "\(draft.text)")
            #expect(draft.text.contains("if: [value is data], do: [{decode: utf8}]}"), "\(draft.text)")
        }
    }

    @Test(
        "No chain is proposed of which a part leads there too, and none that takes back what it did",
        arguments: [
            (.string("Hello there"), .string("hello there")), (.data(Data("Ab".utf8)), .string("ab")),
            (.string("straße"), .string("strasse")), (.integer(1_724_990_100), .string("1724990100")),
            (.real(7.5), .integer(7)), (.string(" abcd "), .string("ABCD")),
        ] as [(Value, Value)])
    func shortest(old: Value, new: Value) throws {
        for (from, to) in [("theKey", "theKey"), ("oldName", "newName")] {
            let text = try Self.infer([from: old], [to: new]).text
            for operation in ["case", "round", "not", "time"] {
                #expect(text.components(separatedBy: "{\(operation):").count <= 2, "\(text)")
            }
        }
    }

    @Test(
        "One operation is found, whichever it is",
        arguments: [
            ("aGVsbG8gd29ybGQgYW5kIG1vcmU=", .data(Data("hello world and more".utf8)), "decode: base64"),
            (
                "01020368656c6c6f20776f726c64",
                .data(Data([1, 2, 3]) + Data("hello world".utf8)), "decode: hex"
            ),
            ("red,green,blue", .array(["red", "green", "blue"].map(Value.string)), #"split: ",""#),
            (.array(["x1", "y2", "z3"].map(Value.string)), "x1;y2;z3", #"join: ";""#),
            (.array([100, 200, 333]), .array(["100", "200", "333"].map(Value.string)), "each: [text]"),
            (
                .array(["one", "two"].map { .dictionary([("body", .string($0))]) }),
                .array(["one", "two"].map { .dictionary([("text", .string($0))]) }), "each: [{rename: {body: text}}]"
            ),
            (.real(14.6), 15, "round: nearest"), (.real(14.6), 14, "round: down"),
            (129_950, .real(1299.5), "scale: {over: 100}"), (.real(0.625), .real(62.5), "scale: {times: 100}"),
            (36_000, 360_000_000, nil), (72, 72_000, "scale: {times: 1000}"),
            (
                .dictionary([("title", "a long title"), ("color", "teal")]),
                .dictionary([("title", "a long title"), ("style", .dictionary([("color", "teal")]))]),
                "move: {color: style/color}"
            ),
            (
                .dictionary([("title", "a long title"), ("style", .dictionary([("color", "teal")]))]),
                .dictionary([("title", "a long title"), ("color", "teal")]), "move: {style/color: color}"
            ),
            (
                .dictionary([("meta", .dictionary([("colour", "teal"), ("n", 5)])), ("t", "text")]),
                .dictionary([("meta", .dictionary([("color", "teal"), ("n", 5)])), ("t", "text")]),
                "in: {meta: [{rename: {colour: color}}]}"
            ),
            (
                .dictionary([("name", "Ada"), ("mail", "a@b.c")]),
                .dictionary([("lang", ""), ("name", "Ada"), ("mail", "a@b.c"), ("v", 3)]), #"add: {lang: "", v: 3}"#
            ),
        ] as [(Value, Value, String?)])
    func operations(old: Value, new: Value, says: String?) throws {
        for name in ["the_value", "theValue"] {
            let before: Keys = ["theValue": old], after: Keys = [name: new]
            let draft = try Self.infer(before, after)
            guard let says else {
                #expect(draft.explained == 0, "a factor that is not round: \(draft.text)")
                continue
            }
            // What becomes another type or number in place need not be told from its own result.
            guard name == "the_value" || draft.explained == 1 else { continue }
            #expect(draft.text.contains(says), "\(draft.text)")
            #expect(draft.explained == 1, "\(draft.text)")
            #expect(try Self.outcome(draft, before, after).other == 0, "\(draft.text)")
        }
    }

    @Test("A factor between numbers of like names is found, also where their units are called otherwise")
    func factors() throws {
        let draft = try Self.infer(["timeout_seconds": 3600], ["timeout_ms": 3_600_000])
        #expect(draft.text.contains("scale: {times: 1000}"), "\(draft.text)")
    }

    @Test("Several keys become one dictionary, also as JSON")
    func gathered() throws {
        let old: Keys = ["windowWidth": 1024, "windowHeight": 768]
        let plain: Keys = ["window": .dictionary([("width", 1024), ("height", 768)])]
        let json: Keys = ["window": .string(#"{"width":1024,"height":768}"#)]
        for new in [plain, json] {
            let draft = try Self.infer(old, new)
            #expect(draft.text.contains("width: app/windowWidth"), "\(draft.text)")
            #expect(draft.explained == 1, "\(draft.text)")
            #expect(try Self.outcome(draft, old, new) == (3, 0), "\(draft.text)")
        }
        let mixed = try Self.infer(
            ["windowWidth": 1024, "windowTitle": .string("a title")],
            ["window": .dictionary([("width", 1024), ("title", .string("a title"))])])
        #expect(mixed.text.contains("type: [integer, string]"), "\(mixed.text)")
    }

    @Test("A table is a step where it holds for several keys; of pairs that stand once anything would be one")
    func tables() throws {
        let words = ["title", "created", "changed", "title"], numbers: [Value] = [0, 1, 2, 0]
        var old: Keys = [:], new: Keys = [:]
        for number in words.indices {
            (old["sort\(number)"], new["sort_\(number)"]) = (.string(words[number]), numbers[number])
        }
        let draft = try Self.infer(old, new)
        #expect(draft.text.contains("table: {title: 0, created: 1, changed: 2}"), "\(draft.text)")
        #expect(draft.explained == 4, "\(draft.text)")
        #expect(try Self.outcome(draft, old, new) == (8, 0), "\(draft.text)")
        (old["sort3"], new["sort_3"]) = (.string("size"), 3)
        #expect(try Self.infer(old, new).explained == 0)
        let absurd = try Self.infer(["list": 1], ["list_text": .string("x1;y2;z3")])
        #expect(!absurd.text.contains("table"), "\(absurd.text)")
    }

    @Test(
        "Rows that move alike are steps of their own where another row's target fits the star that would stand for them",
        arguments: ["p.", "p.q."])
    func fittingTarget(prefix: String) throws {
        var old: Keys = ["other": .integer(1_700_000_000_123)], new: Keys = ["\(prefix)other": "1700000000123"]
        for name in ["a", "b", "c"] {
            (old["k.\(name)"], new["p.\(name)"]) = (.string("the text \(name)"), .string("the text \(name)"))
        }
        let draft = try Self.infer(old, new)
        #expect(draft.explained == 4 && draft.unexplained == 0, "\(draft.text)")
        #expect(try Self.outcome(draft, old, new) == (8, 0), "\(draft.text)")
    }

    @Test("What a row with a star would take of what another step writes, the rows that it stands for leave")
    func fittingSource() throws {
        var old: Keys = ["number": "1700000"], new: Keys = ["k.number": 1_700_000]
        for name in ["a", "b", "c"] {
            (old["k.\(name)"], new["p.\(name)"]) = (.string("the text \(name)"), .string("the text \(name)"))
        }
        let draft = try Self.infer(old, new)
        #expect(draft.explained == 4 && draft.unexplained == 0, "\(draft.text)")
        #expect(try Self.outcome(draft, old, new) == (8, 0), "\(draft.text)")
    }

    @Test(
        "A chain is found from an item of a list, from a part of data, and through what a text is decoded to",
        arguments: [
            (["list": ["first text", "second text"]], ["second": "second text"], "from: app/list#/1"),
            (
                ["people": [["name": "Ada King"], ["name": "Grace Hopper"]]], ["owner": "Grace Hopper"],
                "from: app/people#/1/name"
            ),
            (["json": #"{"l":["aaaa one","bbbb two"]}"#], ["item": "bbbb two"], "from: app/json#/l/1"),
            (
                ["lastSync": "1700000000123"], ["last_sync": 1_700_000_000],
                "[number, {time: {from: milliseconds, to: seconds}}, {round: down}]"
            ),
            (["part": ["count": .data(Data("123456".utf8))]], ["count": 123_456], "[{decode: utf8}, number]"),
            (
                ["blob": "eyJhIjoxMjM0NTZ9"], ["a": 123_456],
                "[{decode: base64}, {decode: json}, {pick: a}]"
            ),
            (
                ["price": "12.5"], ["price_cents": 1250],
                "[{number: real}, {scale: {times: 100}}, {round: nearest}]"
            ),
            (["timeout": "90"], ["timeoutMs": 90_000], "[number, {scale: {times: 1000}}]"),
            (["tags": "Red,Green"], ["tags_list": ["red", "green"]], #"[{case: lower}, {split: ","}]"#),
            (["conf": #"{"at":1700000000}"#], ["at_iso": "2023-11-14T22:13:20Z"], "from: app/conf#/at"),
        ] as [(Keys, Keys, String)])
    fileprivate func longerChains(old: Keys, new: Keys, written: String) throws {
        let draft = try Self.infer(old, new)
        #expect(draft.text.contains(written) && draft.explained == 1, "\(draft.text)")
        #expect(try Self.outcome(draft, old, new) == (2, 0), "\(draft.text)")
    }

    @Test("A flag that got a like name within a dictionary is renamed, and no value of one customer is added")
    func renamedFlag() throws {
        let old: Keys = ["settings": ["sync": .bool(true), "name": "Ada Lovelace"]]
        let new: Keys = ["settings": ["synchronize": .bool(true), "name": "Ada Lovelace"]]
        let draft = try Self.infer(old, new)
        #expect(draft.text.contains("rename: {sync: synchronize}") && !draft.text.contains("add:"), "\(draft.text)")
    }

    @Test(
        "What a new member holds in this dump alone is no rule for other customers: it is told, with what is known",
        arguments: [.integer(3), .bool(true), "user-4711", .date(Timestamp(secondsSinceEpoch: 0)), ["a", "b"]]
            as [Value])
    func undecided(value: Value) throws {
        let old: Keys = ["settings": ["name": "Ada Lovelace"]]
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
        let old: Keys = ["s": ["id": "user-4711-abc", "name": "Ada Lovelace"], "mail": "ada@acme.com"]
        let other: Keys = ["s": ["id": "user-9999-zzz", "name": "Bob Stone"]]
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

    @Test("An item of the keychain is drafted with when it can be read")
    func accessible() throws {
        let item = KeychainItem(text: "a token text", attributes: Members([Member(key: "pdmn", value: "cku")])).value
        let draft = try InferenceTests.infer(
            [(InferenceTests.app + "token", "a token text")], [("keychain://com.acme.v3/token", item)])
        #expect(draft.text.contains("accessible: after-first-unlock, device-only: true"), "\(draft.text)")
        #expect(draft.explained == 1, "\(draft.text)")
    }

    @Test("An item of which only that has changed when it can be read is written where it is")
    func accessibleAlone() throws {
        func item(_ code: String) -> Value {
            KeychainItem(text: "a token text", attributes: Members([Member(key: "pdmn", value: .string(code))])).value
        }
        let place = "keychain://com.acme.v3/token"
        let draft = try InferenceTests.infer([(place, item("ck"))], [(place, item("dk"))])
        #expect(draft.text.contains("accessible: always") && draft.text.contains("exists: overwrite"), "\(draft.text)")
        #expect(draft.explained == 1, "\(draft.text)")
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

    @Test(
        "Keys that differ in a part, whatever sign joins it on each side, are one row, called as what they begin with")
    func joints() throws {
        for (old, new, star, id) in [
            ("user.", "user_", "user_*", "user"), ("old_", "new_", "new_*", "new"), ("a.b.", "c-", "c-*", "c"),
        ] {
            let names = ["alpha", "beta", "gamma", "delta"]
            func keys(_ prefix: String) -> Keys {
                Dictionary(uniqueKeysWithValues: names.map { (prefix + $0, Value.string("value of \($0)")) })
            }
            let draft = try Self.infer(keys(old), keys(new))
            let isNamed = ["id: \(id),", "id: \(id)\n"].contains(where: draft.text.contains)
            #expect(draft.explained == 4 && isNamed && draft.text.contains("app/\(star)"), "\(draft.text)")
        }
    }

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

    @Test("A number that becomes a flag of a like name is read as one", arguments: [0, 1])
    func flagOfNumber(number: Int128) throws {
        let draft = try Self.infer(["notifications": .integer(number)], ["notificationsOn": .bool(number == 1)])
        #expect(draft.explained == 1 && draft.text.contains("type: flag"), "\(draft.text)")
        #expect(!draft.text.contains("table"), "\(draft.text)")
        let same = try Self.infer(["notifications": .integer(number)], ["notifications": .bool(number == 1)])
        #expect(same.text.contains("type: flag\n    to: app/notifications\n"), "it writes one: \(same.text)")
    }

    @Test("What is the same at its source is not told to come from there by a longer way too")
    func noLongerWay() throws {
        let place = "keychain://com.acme.v3/pin"
        let old = ("keychain://com.acme.v2/pin", KeychainItem(text: "1234").value)
        let draft = try InferenceTests.infer([old], [(place, KeychainItem(text: "1234").value)])
        #expect(draft.explained == 1 && !draft.text.contains("or from v2/pin"), "\(draft.text)")
    }

    @Test("An alias that only remarks name is told what it stands for")
    func remarkedAliases() throws {
        let draft = try Self.infer(["units": "us"], ["unitSystem": .integer(0)])
        #expect(draft.explained == 0 && draft.text.contains("#   app/unitSystem"), "\(draft.text)")
        #expect(draft.text.contains("# app is defaults://com.acme.notes\n"), "\(draft.text)")
        let both = try Self.infer(
            ["units": "us", "a": "a long text"], ["unitSystem": .integer(0), "b": "a long text"])
        #expect(both.explained == 1 && !both.text.contains("# app is"), "\(both.text)")
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
