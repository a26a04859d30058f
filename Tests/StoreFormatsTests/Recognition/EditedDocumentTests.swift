import Foundation
import TestSupport
import Testing

@testable import StoreFormats

@Suite("A document of which one part after the other is replaced")
struct EditedDocumentTests {
    private typealias Edit = (pointer: JSONPointer, part: Value?)

    /// What the bytes are where they are read anew for an edit.
    private func reference(_ data: Data, _ edit: Edit, in format: StoreFormat) throws -> Data {
        if format == .json { return try JSONDocument(data).replacing(edit.pointer, with: edit.part).data }
        let file = try PropertyListFile(data), key = try #require(edit.pointer.tokens.first)
        let rest = JSONPointer(Array(edit.pointer.tokens.dropFirst()))
        if rest.isRoot { return try file.rewriting([(key, edit.part)]) }
        let position = try #require(file.position(of: key))
        return try file.rewriting([(key, file.value(at: position).replacing(rest, with: edit.part))])
    }

    private func edit(of value: Value, _ generator: inout SeededGenerator) -> Edit {
        let places = value.pointers()
        let place = places.randomElement(using: &generator) ?? JSONPointer()
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return (place.isRoot ? JSONPointer(["k"]) : place, nil)
        case 1: return (place.isRoot ? JSONPointer(["k"]) : place, generator.value())
        case 2:
            return (place.appending(["-", "0", "9", "new"].randomElement(using: &generator) ?? "-"), generator.value())
        default: return (place.appending(Name("n\(Int.random(in: 0..<9, using: &generator))")), generator.value())
        }
    }

    /// Makes edits one after the other, and compares each with what reading anew makes; says how many needed no reading.
    private func follow(
        _ first: Data, in format: StoreFormat, edits: Int, _ generator: inout SeededGenerator
    ) throws -> (made: Int, kept: Int) {
        var data = first, document: EditedDocument?, made = 0, kept = 0
        for _ in 0..<edits {
            let stop = PartStop(.data(data), within: DecodingBudget())
            guard stop.formats == [format] else { break }
            let edit = edit(of: stop.value, &generator)
            let expected = Result { try reference(data, edit, in: format) }
            if document == nil { document = EditedDocument(data, holding: stop.value, in: format) }
            guard var current = document else { break }
            document = nil
            do {
                let found = try current.replace(edit.pointer, with: edit.part)
                if let found {
                    made += 1
                    #expect(
                        try found == .data(expected.get()), "\(edit) of \(String(decoding: data, as: UTF8.self))")
                    let read = PartStop(found, within: DecodingBudget())
                    #expect(read.value == current.value && read.formats == [format], "\(edit)")
                    #expect(current.count >= read.value.expandedCount)
                    document = current
                    kept += 1
                }
            } catch {
                #expect(throws: (any Error).self, "\(edit): \(error)") { try expected.get() }
            }
            if let next = try? expected.get() { data = next }
        }
        return (made, kept)
    }

    @Test("The text of JSON is what reading it anew for each edit gives, in any layout")
    func json() throws {
        let texts = [
            #"{"first":"there"}"#, #"{}"#, #"{ "a" : 1, "b" : [1, 2, {"c": {}}] }"#, "[1, [2, {\"x\": 3}], \"é\"]",
            "{\n  \"a\": {\n    \"b\": [\n      1\n    ]\n  },\n  \"c\": [1,2]\n}\n",
            "{\r\n\t\"a\" :\r\n\t\t1,\r\n\t\"b\": {}\r\n}", "\u{FEFF}{\"a\":{\"b\":{\"c\":1.50}},\"a\":2}",
            #"{"\u0061":1,"b":{"x":1e2,"x":3}}"#, "[]", "{\n}",
        ]
        var generator = SeededGenerator(seed: 8), made = 0
        for round in 0..<60 {
            for text in texts {
                made += try follow(Data(text.utf8), in: .json, edits: 4 + round % 12, &generator).made
            }
            let random = try JSONDocument.write(
                .dictionary([(Name("k"), generator.value()), (Name("l"), generator.value())]))
            made += try follow(random, in: .json, edits: 12, &generator).made
        }
        #expect(made > 2000)
    }

    @Test(
        "The bytes of a property list are what reading it anew for each edit gives",
        arguments: [StoreFormat.binaryPropertyList, .xmlPropertyList])
    func propertyLists(format: StoreFormat) throws {
        var generator = SeededGenerator(seed: 9), made = 0
        for _ in 0..<120 {
            let value = Value.dictionary([
                (Name("k"), generator.value()), (Name("l"), generator.value()),
                (Name("d"), .date(Timestamp(secondsSinceReference: 0))),
                (Name("m"), .data(Data([1, 2, 3]))), (Name("s"), .real(Real(0.5, form: .single))),
            ])
            // Not each random text is one of XML.
            guard
                let data = try? format == .xmlPropertyList
                    ? XMLPropertyList.write(value) : BinaryPropertyList.write(value)
            else { continue }
            made += try follow(data, in: format, edits: 12, &generator).made
        }
        #expect(made > 300)
    }

    @Test("A dictionary that is the document itself is what replacing a part of it anew gives")
    func dictionaries() throws {
        var generator = SeededGenerator(seed: 10), made = 0
        for _ in 0..<200 {
            var value = Value.dictionary([(Name("k"), generator.value()), (Name("l"), generator.value())])
            var memo = PartMemo()
            for _ in 0..<12 {
                let edit = edit(of: value, &generator)
                let before = try? value.following(edit.pointer, remembering: memo)
                #expect(before?.part == (try? value.following(edit.pointer))?.part)
                let expected = try? value.replacing(edit.pointer, with: edit.part)
                let edited = try? memo.editing({ Data() }, at: JSONPointer(), edit.pointer, with: edit.part)
                if let edited {
                    #expect(edited.value == expected, "\(edit)")
                    made += 1
                }
                memo = edited?.memo ?? PartMemo()
                value = expected ?? value
            }
        }
        #expect(made > 1000)
    }

    @Test(
        "Of many members each is added as reading anew adds it, also where references and counts become wider",
        arguments: [StoreFormat.binaryPropertyList, .xmlPropertyList, .json])
    func many(format: StoreFormat) throws {
        let first = Value.dictionary([(Name("a"), .string("there")), (Name("b"), .array([.string("é"), .bool(true)]))])
        var data =
            switch format {
            case .json: try JSONDocument.write(first)
            case .xmlPropertyList: try XMLPropertyList.write(first)
            default: try BinaryPropertyList.write(first)
            }
        var document = try #require(EditedDocument(data, holding: first, in: format))
        for number in 0..<300 {
            // Now and then one is replaced, or taken away.
            let key = Name("k\(number % 7 == 6 ? number / 2 : number)")
            let part: Value? =
                number % 29 == 28 ? nil : number % 3 == 0 ? .array([.string("\(number / 9)")]) : .string("é\(number)")
            let expected = try reference(data, (JSONPointer([key]), part), in: format)
            #expect(try document.replace(JSONPointer([key]), with: part) == .data(expected), "\(number)")
            data = expected
        }
    }

    @Test("What lies too deep, stands twice, or may make an archive of it is left to whoever reads it anew")
    func left() throws {
        func made(_ text: String, _ pointer: [Name], _ part: Value?) throws -> Data? {
            let data = Data(text.utf8), value = try JSONDocument(data).value
            var document = try #require(EditedDocument(data, holding: value, in: .json))
            return try document.replace(JSONPointer(pointer), with: part)?.data
        }
        #expect(try made(#"{"a":1,"a":2}"#, ["a"], .null) == nil)
        #expect(try made(#"{"a":1}"#, ["$archiver"], .string("NSKeyedArchiver")) == nil)
        let deep = (0..<256).reduce(Value.array([])) { value, _ in .array([value]) }
        #expect(try made(#"{"a":1}"#, ["a"], deep) == nil)
        #expect(try made(#"{"a":1}"#, ["a"], .string("b")) == Data(#"{"a":"b"}"#.utf8))
    }

    @Test("A document that is edited again and again is asked for once, and its parts are known without")
    func once() throws {
        var data = Data(#"{"first":"there"}"#.utf8), memo = PartMemo(), asked = 0
        for number in 0..<50 {
            let pointer = JSONPointer([Name("m\(number)")])
            let before = try Value.data(data).following(pointer, remembering: memo)
            #expect(before.part == nil)
            let edited = try memo.editing(
                {
                    asked += 1
                    return data
                }, at: JSONPointer(), pointer, with: .integer(Int128(number)))
            data = try #require(edited?.value.data)
            memo = try #require(edited?.memo)
            #expect(try Value.data(data).following(pointer, remembering: memo).part == .integer(Int128(number)))
        }
        #expect(asked == 1)
        #expect(try JSONDocument(data).value.members?.count == 51)
    }

    @Test("what is kept of one document is not taken for another one in the same value")
    func places() throws {
        let texts = [#"{"k":1}"#, #"{"l":2}"#].map { Data($0.utf8) }, places = ["a", "b"].map { JSONPointer([$0]) }
        func look(into memo: PartMemo, _ index: Int) {
            _ = memo.stop(at: places[index]) { PartStop(.data(texts[index]), within: DecodingBudget()) }
        }
        let memo = PartMemo()
        look(into: memo, 0)
        let first = try #require(
            try memo.editing({ texts[0] }, at: places[0], JSONPointer(["k"]), with: .integer(3)))
        look(into: first.memo, 1)
        let second = try first.memo.editing({ texts[1] }, at: places[1], JSONPointer(["l"]), with: .integer(4))
        #expect(second?.value == .data(Data(#"{"l":4}"#.utf8)))
    }
}
