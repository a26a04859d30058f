import Foundation
import Testing
import TestSupport

@testable import StoreFormats

@Suite("JSON: editing in place")
struct JSONEditingTests {
    struct Edit: CustomTestStringConvertible, Sendable {
        var before: String
        var pointer: String
        var value: Value?
        var after: String

        init(_ before: String, _ pointer: String, _ value: Value?, _ after: String) {
            (self.before, self.pointer, self.value, self.after) = (before, pointer, value, after)
        }

        var testDescription: String { "\(before) at \(pointer)" }
    }

    @Test(
        "An edit changes the bytes it must and no others",
        arguments: [
            // Replacing.
            Edit(#"{"a":1}"#, "/a", .integer(2), #"{"a":2}"#),
            Edit(#" { "a" : [ 1e2 , {"b":"\u00e9\/"} ] } "#, "/a/1/b", .null, #" { "a" : [ 1e2 , {"b":null} ] } "#),
            Edit(" 1 ", "", .string("x"), " \"x\" "),
            Edit(#"{"a":1,"a":2}"#, "/a", .integer(3), #"{"a":3,"a":2}"#),
            Edit(#"{"a/b":{"~":[1]}}"#, "/a~1b/~0/0", .bool(true), #"{"a/b":{"~":[true]}}"#),
            Edit(#"{"":1}"#, "/", .integer(2), #"{"":2}"#),
            Edit(#"{"\u0061":1}"#, "/a", .integer(2), #"{"\u0061":2}"#),
            Edit("{\n  \"a\": 1\n}", "/a", .array([.integer(1)]), "{\n  \"a\": [\n    1\n  ]\n}"),
            Edit("{\n  \"a\": [1, 2]\n}", "/a", .array([.integer(1), .integer(3)]), "{\n  \"a\": [1, 3]\n}"),
            Edit(#"{"a": 1, "b": 2}"#, "/b", .array([.integer(1), .integer(2)]), #"{"a": 1, "b": [1, 2]}"#),
            // The same value in other words.
            Edit(#"{"a":"\u00e9", "b":[1 ,2]}"#, "/a", .string("é"), #"{"a":"\u00e9", "b":[1 ,2]}"#),
            Edit(#"{"b":[1 ,2]}"#, "/b", .array([.integer(1), .integer(2)]), #"{"b":[1 ,2]}"#),
            Edit(#"{"a":1.0}"#, "/a", .integer(1), #"{"a":1}"#),
            Edit(#"{"a":"\ud800","b":1}"#, "/b", .integer(2), #"{"a":"\ud800","b":2}"#),
            Edit("{\"a\":\"\u{E9}\"}", "/a", .string("e\u{301}"), "{\"a\":\"e\u{301}\"}"),
            // Adding.
            Edit("{}", "/a", .integer(1), #"{"a":1}"#),
            Edit("{ }", "/a", .integer(1), #"{"a":1 }"#),
            Edit(#"{"a":1}"#, "/b", .integer(2), #"{"a":1,"b":2}"#),
            Edit(#"{"a": 1}"#, "/b", .integer(2), #"{"a": 1, "b": 2}"#),
            Edit(#"{ "a" : 1 , "c" : 3 }"#, "/b", .integer(2), #"{ "a" : 1 , "c" : 3, "b" : 2 }"#),
            Edit("{\n  \"a\": 1\n}\n", "/b", .integer(2), "{\n  \"a\": 1,\n  \"b\": 2\n}\n"),
            Edit("{\r\n\t\"a\" : 1\r\n}", "/b", .integer(2), "{\r\n\t\"a\" : 1,\r\n\t\"b\" : 2\r\n}"),
            Edit("{\n  \"a\": {}\n}", "/a/b", .integer(1), "{\n  \"a\": {\n    \"b\": 1\n  }\n}"),
            Edit("{\n  \"a\": {\n  }\n}", "/a/b", .integer(1), "{\n  \"a\": {\n    \"b\": 1\n  }\n}"),
            Edit(
                "{\n  \"a\": 1\n}", "/b", .dictionary([("c", .array([.integer(1), .array([])]))]),
                "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [\n      1,\n      []\n    ]\n  }\n}"),
            Edit(
                "{\n  \"a\": []\n}", "/a/-", .dictionary([("c", .integer(1))]),
                "{\n  \"a\": [\n    {\n      \"c\": 1\n    }\n  ]\n}"),
            Edit("[1]", "/-", .integer(2), "[1,2]"),
            Edit("[1, 3]", "/2", .integer(2), "[1, 3, 2]"),
            Edit("[]", "/0", .integer(2), "[2]"),
            Edit("{\"e\u{301}\":1}", "/\u{E9}", .integer(2), "{\"e\u{301}\":1,\"\u{E9}\":2}"),
            // Removing.
            Edit(#"{"a":1,"b":2,"c":3}"#, "/a", nil, #"{"b":2,"c":3}"#),
            Edit(#"{"a":1, "b":2, "c":3}"#, "/b", nil, #"{"a":1, "c":3}"#),
            Edit(#"{ "a":1, "b":2, "c":3 }"#, "/c", nil, #"{ "a":1, "b":2 }"#),
            Edit("{\n  \"a\": 1\n}", "/a", nil, "{}"),
            Edit("{\n  \"a\": 1,\n  \"b\": 2\n}", "/b", nil, "{\n  \"a\": 1\n}"),
            Edit(#"{"a":1,"b":2,"a":3,"c":4,"a":5,"a":6}"#, "/a", nil, #"{"b":2,"c":4}"#),
            Edit(#"{"a":1,"a":2}"#, "/a", nil, "{}"),
            Edit("[1, 2 ,3]", "/1", nil, "[1, 3]"),
            Edit(#"{"a":1}"#, "/b", nil, #"{"a":1}"#),
        ])
    func edit(_ edit: Edit) throws {
        let pointer = try #require(JSONPointer(parsing: edit.pointer))
        let edited = try JSONDocument(Data(edit.before.utf8)).replacing(pointer, with: edit.value)
        #expect(String(decoding: edited.data, as: UTF8.self).utf8.elementsEqual(edit.after.utf8), "\(edit.after)")
        #expect(edited.value == (try JSONDocument(edited.data).value))
    }

    @Test(
        "An edit that leads nowhere is refused",
        arguments: [
            ("1", "/a", .null), (#"{"a":1}"#, "/a/b", .null), (#"{"a":{}}"#, "/b/c", .null), ("[1]", "/2", .null),
            ("[1]", "/01", .null), ("[1]", "/x", .null), ("[1]", "/-1", .null), ("[1]", "/1", nil), ("[1]", "/-", nil),
            ("[1]", "", nil), ("[[1]]", "/-/0", .null), (#"{"a":1}"#, "/a", .data(Data())),
            ("[1]", "/99999999999999999999", .null),
        ] as [(String, String, Value?)])
    func refusedEdit(text: String, pointer: String, value: Value?) throws {
        let document = try JSONDocument(Data(text.utf8))
        let pointer = try #require(JSONPointer(parsing: pointer))
        #expect(throws: FormatError.self) { try document.replacing(pointer, with: value) }
    }

    @Test("Renaming changes the key and nothing else, at its place, also where it stands twice")
    func renaming() throws {
        let document = try JSONDocument(Data(#"{ "a" : 1e2, "b":{"\u0061":1, "a":2} }"#.utf8))
        #expect(
            try document.renaming(JSONPointer(["a"]), to: "é\"").data
                == Data(#"{ "é\"" : 1e2, "b":{"\u0061":1, "a":2} }"#.utf8))
        #expect(
            try document.renaming(JSONPointer(["b", "a"]), to: "c").data
                == Data(#"{ "a" : 1e2, "b":{"c":1, "c":2} }"#.utf8))
        #expect(try document.renaming(JSONPointer(["b", "a"]), to: "a").data == document.data)
        #expect(throws: FormatError.self) { try document.renaming(JSONPointer(["a"]), to: "b") }
        #expect(throws: FormatError.self) { try document.renaming(JSONPointer(["x"]), to: "y") }
        #expect(throws: FormatError.self) { try document.renaming(JSONPointer(), to: "y") }
    }

    @Test("Several edits are made one after the other")
    func severalEdits() throws {
        let document = try JSONDocument(Data(#"{"a":1,"b":2}"#.utf8))
        let edits: [(pointer: JSONPointer, value: Value?)] = [
            (JSONPointer(["c"]), .array([])), (JSONPointer(["c", "-"]), .integer(1)), (JSONPointer(["a"]), nil),
        ]
        #expect(try document.replacing(edits).data == Data(#"{"b":2,"c":[1]}"#.utf8))
    }

    @Test("Edits of members of one object are made in one pass, as one after the other would make them, in any layout")
    func onePass() throws {
        let layouts = [
            #"{"a":1,"b":{"x":1},"a":2,"c":[1, 2],"é":"é"}"#,
            "{ \"a\" : 1e2,\n \"b\":2,\n \"c\" : {\n  \"x\":[]\n },\n \"d\":4 }\n", "{}", "{ }", "{\n}",
            "{\r\n\t\"c\": {\r\n\t\t\"x\": 1\r\n\t},\r\n\t\"b\": 2\r\n}",
        ]
        let keys: [Name] = ["a", "b", "c", "d", "é", "e\u{301}", "n1", "n2"]
        let values: [Value?] = [nil, .integer(7), .string("x"), .dictionary([("k", .array([.null]))])]
        var generator = SeededGenerator(seed: 17)
        for round in 0..<400 {
            let document = try JSONDocument(Data(layouts[round % layouts.count].utf8))
            let edits = keys.shuffled(using: &generator).prefix(5).map { key in
                (pointer: JSONPointer([key]), value: values.randomElement(using: &generator) ?? nil)
            }
            let together = try document.replacing(edits)
            // One after the other, those first that change what is there: a new member is laid out as the last one is.
            let has = { (pointer: JSONPointer) in document.value[pointer] != nil }
            let replaced = edits.filter { has($0.pointer) && $0.value != nil }
            let removed = edits.filter { $0.value == nil }
            let added = edits.filter { !has($0.pointer) && $0.value != nil }
            var single = document
            for edit in replaced + removed + added { single = try single.replacing(edit.pointer, with: edit.value) }
            #expect(together.value == single.value)
            // Of a text from which much was removed, the layout is that of what was there.
            guard !edits.contains(where: { has($0.pointer) && $0.value == nil }) else { continue }
            #expect(String(decoding: together.data, as: UTF8.self) == String(decoding: single.data, as: UTF8.self))
        }
    }

    @Test("Edits anywhere in a text, made in as few passes as they can be, give what one after the other gives")
    func passes() throws {
        let texts = [
            #"[{"a":1,"b":[1,2,3]},{"a":2},[],[4, 5],{}]"#, "[\n  {\n    \"-\": 1,\n    \"0\": [7]\n  },\n  []\n]\n",
            #"{"0":{"1":1,"2":2,"3":3},"-":[{"a":0},{"a":1}],"a":[[1],[2],[3]]}"#, "[]", "[1]",
        ]
        let tokens: [Name] = ["0", "1", "2", "3", "-", "a", "b", "n", "9223372036854775807"]
        let values: [Value?] = [
            nil, .integer(7), .string("x"), .array([.integer(1), .integer(2)]), .dictionary([("a", .null)]),
        ]
        var generator = SeededGenerator(seed: 29)
        var edited = 0
        for round in 0..<4000 {
            let document = try JSONDocument(Data(texts[round % texts.count].utf8))
            let known = document.value.pointers()
            let edits = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
                var pointer = known.randomElement(using: &generator) ?? JSONPointer()
                if pointer.isRoot || Bool.random(using: &generator) {
                    pointer = pointer.appending(tokens.randomElement(using: &generator) ?? "-")
                }
                return (pointer: pointer, value: values.randomElement(using: &generator) ?? nil)
            }
            var single: JSONDocument? = document
            for edit in edits { single = try? single?.replacing(edit.pointer, with: edit.value) }
            let together = try? document.replacing(edits)
            let words = edits.map { "\($0.pointer) \($0.value.map(String.init(describing:)) ?? "-")" }
            #expect(together?.value == single?.value, "\(document.value) \(words)")
            if together != nil { edited += 1 }
        }
        #expect(edited > 500)
    }

    @Test("A position beyond every array, and a pointer deeper than any text, are errors and not endless work")
    func beyond() throws {
        let document = try JSONDocument(Data("[1]".utf8))
        for token: Name in ["9223372036854775807", "1", "18446744073709551616"] {
            #expect(throws: FormatError.self) { try document.replacing(JSONPointer([token]), with: nil) }
        }
        let deep = JSONPointer(Array(repeating: "0", count: 200_000))
        #expect(throws: FormatError.self) { try document.replacing(deep, with: .null) }
    }

    @Test("An added value cannot make the text deeper than the limit")
    func limit() throws {
        let document = try JSONDocument(Data("[[]]".utf8), limits: Limits(depth: 2))
        #expect(throws: FormatError.self) { try document.replacing(JSONPointer(["0", "-"]), with: .array([])) }
    }

    @Test("Replacing any value and putting it back gives the same bytes, and other bytes never change")
    func replacingLaw() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let document = try JSONDocument(
                JSONDocument.write(.dictionary([(Name("k"), generator.value()), (Name("l"), generator.value())])))
            let pointer = try #require(document.value.pointers().randomElement(using: &generator))
            let old = try #require(document.value[pointer])
            let edited = try document.replacing(pointer, with: .string("✂︎"))
            #expect(edited.value[pointer] == .string("✂︎"))
            #expect(try edited.replacing(pointer, with: old).data == document.data)
            let pieces = [UInt8](try JSONDocument.write(.string("✂︎")))
            let common = zip(document.data, edited.data).prefix { $0 == $1 }.count
            let rest = document.data.count - common - (try JSONDocument.write(old)).count
            if rest > 0 { #expect(document.data.suffix(rest) == edited.data.suffix(rest)) }
            #expect(edited.data.count == document.data.count - (try JSONDocument.write(old)).count + pieces.count)
        }
    }

    @Test("Adding a key and removing it gives the same bytes, whatever the layout")
    func addingLaw() throws {
        let documents = [
            "{\n  \"a\": [1, {\"b\" : {\"c\": 1}}],\n  \"d\": {\"e\":1}\n}\n", #"{"a":{"b":1}}"#,
            #"{ "a": {"b": [] } }"#,
            "{\r\n\t\"a\": {\r\n\t\t\"b\": 1\r\n\t}\r\n}",
        ]
        for text in documents {
            let document = try JSONDocument(Data(text.utf8))
            for pointer in document.value.pointers() {
                guard let members = document.value[pointer]?.members, !members.isEmpty else { continue }
                let added = pointer.appending("new")
                let edited = try document.replacing(added, with: .array([.integer(1), .dictionary([("x", .null)])]))
                #expect(edited.value[added] == .array([.integer(1), .dictionary([("x", .null)])]))
                #expect(try edited.replacing(added, with: nil).data == document.data)
            }
        }
    }

    @Test(
        "Naughty strings stay byte for byte through edits that change nothing",
        .enabled(if: Places.hasSamples, "\(Places.samplesHint)"))
    func naughtyStrings() throws {
        let data = try Samples.data("plists/bpylist2/naughty-strings.json")
        let document = try JSONDocument(data)
        guard case .array(let elements) = document.value else {
            Issue.record("it is not an array")
            return
        }
        #expect(elements.count > 400)
        let edits = elements.indices.map { (pointer: JSONPointer([Name(String($0))]), value: Optional(elements[$0])) }
        #expect(try document.replacing(edits).data == data)
        // Foundation loses a byte order mark that stands alone in a string.
        let foundation = try #require(JSONSerialization.jsonObject(with: data) as? [String])
        let differing = zip(elements, foundation).filter { $0.string?.utf8.elementsEqual($1.utf8) != true }
        #expect(differing.allSatisfy { $0.0 == .string("\u{FEFF}") && $0.1.isEmpty })
        // Each string as a key: added, found again, and removed.
        for text in elements.compactMap(\.string) {
            let one = try JSONDocument(Data(#"{"k": 1}"#.utf8)).replacing(
                JSONPointer([Name(text)]), with: .string(text))
            #expect(one.value.members?.last?.key.utf8.elementsEqual(text.utf8) == true)
            #expect(try one.replacing(JSONPointer([Name(text)]), with: nil).data == Data(#"{"k": 1}"#.utf8))
        }
    }
}
