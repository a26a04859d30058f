import Foundation
import StoreFormats
import Testing

@testable import Specs

@Suite("The operations that a draft finds")
struct InferredOperationsTests: ProvenDrafts {
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

    @Test("One table for several keys is found where each keeps its name")
    func tableInPlace() throws {
        let kinds = ["name": 0, "date": 1, "size": 2]
        var old: AppKeys = [:], new: AppKeys = [:]
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
            let before: AppKeys = ["theValue": old], after: AppKeys = [name: new]
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
        let old: AppKeys = ["windowWidth": 1024, "windowHeight": 768]
        let plain: AppKeys = ["window": .dictionary([("width", 1024), ("height", 768)])]
        let json: AppKeys = ["window": .string(#"{"width":1024,"height":768}"#)]
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
        var old: AppKeys = [:], new: AppKeys = [:]
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
        ] as [(AppKeys, AppKeys, String)])
    func longerChains(old: AppKeys, new: AppKeys, written: String) throws {
        let draft = try Self.infer(old, new)
        #expect(draft.text.contains(written) && draft.explained == 1, "\(draft.text)")
        #expect(try Self.outcome(draft, old, new) == (2, 0), "\(draft.text)")
    }

    @Test("A number that becomes a flag of a like name is read as one", arguments: [0, 1])
    func flagOfNumber(number: Int128) throws {
        let draft = try Self.infer(["notifications": .integer(number)], ["notificationsOn": .bool(number == 1)])
        #expect(draft.explained == 1 && draft.text.contains("type: flag"), "\(draft.text)")
        #expect(!draft.text.contains("table"), "\(draft.text)")
        let same = try Self.infer(["notifications": .integer(number)], ["notifications": .bool(number == 1)])
        #expect(same.text.contains("type: flag\n    to: app/notifications\n"), "it writes one: \(same.text)")
    }
}
