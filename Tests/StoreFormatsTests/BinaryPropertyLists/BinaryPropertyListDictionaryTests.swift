import Foundation
import StoreFormats
import TestSupport
import Testing

@Suite("The top dictionary of a binary property list")
struct BinaryPropertyListDictionaryTests {
    private func dictionary(keys: [[UInt8]], value: [UInt8] = [0x09]) throws -> BinaryPropertyListDictionary {
        let count = keys.count
        let values = [UInt8](repeating: UInt8(count + 1), count: count)
        let top = [0xD0 | UInt8(count)] + (1...count).map { UInt8($0) } + values
        return try #require(try BinaryPropertyList(RawList([top] + keys + [value]).data).topDictionary)
    }

    @Test("There is none where the top is another object or does not fit into the file")
    func none() throws {
        #expect(try BinaryPropertyList(RawList([[0xA0]]).data).topDictionary == nil)
        #expect(try BinaryPropertyList(RawList([[0xDE, 0]]).data).topDictionary == nil)
        #expect(try BinaryPropertyList(RawList([[0xD0]]).data).topDictionary?.position(of: "") == nil)
    }

    @Test("A key is found by its exact scalars, in whichever way it is stored")
    func search() throws {
        let keys = [
            RawList.ascii("a"), RawList.utf16([0x62]), RawList.utf16([0xE9]), RawList.utf16([0x65, 0x301]),
            RawList.utf16([0xD83D, 0xDE00]), RawList.ascii(""), RawList.ascii("a key of more than eight bytes"),
        ]
        let list = try dictionary(keys: keys)
        let texts = ["a", "b", "\u{E9}", "e\u{301}", "😀", "", "a key of more than eight bytes"]
        for (position, text) in texts.enumerated() {
            #expect(list.key(at: position) == Name(text))
            #expect(list.position(of: Name(text)) == position)
        }
        #expect(list.position(of: "c") == nil)
        #expect(try list["b"] == .bool(true))
        #expect(try list["c"] == nil)
    }

    @Test(
        "In a large list each key is found at its first position, in whatever order keys are searched for, and no other"
    )
    func largeSearch() throws {
        var generator = SeededGenerator(seed: 23)
        // Many of one class, few of others, some twice, texts in UTF-16, and keys of the same text in both forms.
        var objects = (0..<1500).map { RawList.ascii("cache.item.\($0).state") }
        objects += (0..<200).map { RawList.ascii("k\($0 % 150)") }
        objects += ["é1", "é2", "語", "é1"].map { RawList.utf16(Array($0.utf16)) }
        objects += [RawList.utf16(Array("cache".utf16)), RawList.ascii("cache"), RawList.ascii([0xE9, 0x31]), [0x09]]
        objects.shuffle(using: &generator)
        let count = objects.count
        let references = ((1...count) + Array(repeating: 1, count: count)).flatMap { RawList.number($0, bytes: 2) }
        let top = [0xDF, 0x11] + RawList.number(count, bytes: 2) + references
        let list = RawList([top] + objects, offsetSize: 3, referenceSize: 2).data
        let texts = try #require(BinaryPropertyList(list).topDictionary).keys
        for round in 0..<3 {
            let dictionary = try #require(BinaryPropertyList(list).topDictionary)
            // Few searches stay with the sketch, many end in a table.
            for position in (0..<count).shuffled(using: &generator).prefix(round == 0 ? 8 : count) {
                let first = texts.firstIndex { $0.utf8.elementsEqual(texts[position].utf8) }
                #expect(dictionary.position(of: texts[position]) == first)
                #expect(dictionary.position(of: texts[position] + "x") == nil)
            }
        }
    }

    @Test(
        "A key that is not text has a text all the same, and can be found by it",
        arguments: [
            (RawList.ascii([0x61, 0xE9]), "aé"), (RawList.ascii([0xC3, 0xA9]), "Ã©"),
            (RawList.utf16([0xD800, 0x61]), "\u{FFFD}a"), (RawList.utf16([0x61, 0xDC00]), "a\u{FFFD}"),
            (RawList.utf16([0xDC00, 0xD800]), "\u{FFFD}\u{FFFD}"),
            (RawList.utf16([0xD800, 0xD83D, 0xDE00]), "\u{FFFD}😀"),
            ([0x10, 7], "\u{FFFD}"), ([0xA0], "\u{FFFD}"), ([0x77], "\u{FFFD}"),
        ] as [([UInt8], String)])
    func lossy(_ object: [UInt8], _ text: String) throws {
        let list = try dictionary(keys: [RawList.ascii("other"), object])
        #expect(list.key(at: 1) == Name(text))
        #expect(list.position(of: Name(text)) == 1)
        #expect(list.position(of: "other") == 0)
        #expect(try list.value(at: 1) == .bool(true))
    }

    @Test("Of a key that stands more than once every position is found, and it is named")
    func duplicates() throws {
        let list = try dictionary(keys: ["x", "k", "k", "k"].map(RawList.ascii))
        #expect(list.positions(of: "k") == [1, 2, 3])
        #expect(list.positions(of: "x") == [0])
        #expect(list.positions(of: "k") == [1, 2, 3])
        #expect(list.positions(of: "y") == [])
        #expect(list.position(of: "k") == 1)
        #expect(list.repeatedKeys == ["k"])
        #expect(list.count == 4)
    }

    /// The sketch leaves a key alone where the keys of its class ascend; a table is made where they do not.
    @Test(
        "In a large list a key that stands twice is found wherever it stands, and one that does not is found once",
        arguments: [[], ["key-00500"], ["aaa"], ["key-02999"], ["key-00000", "key-00000", "short", "é"]])
    func largeDuplicates(further: [String]) throws {
        let keys = (0..<3000).map { "key-" + String(repeating: "0", count: 5 - "\($0)".count) + "\($0)" }
        let all = ["short", "é"] + keys + further
        let members = Members(all.enumerated().map { Member(key: Name($1), value: .integer(Int128($0))) })
        let data = try BinaryPropertyList.write(.dictionary(members))
        var expected: [Name: [Int]] = [:]
        for (position, key) in all.enumerated() { expected[Name(key), default: []].append(position) }
        for rounds in [1, 3, 200] {
            let list = try #require(try BinaryPropertyList(data).topDictionary)
            for round in 0..<rounds {
                for key in ["key-00500", "é", "key-02999", "aaa", "short", "key-00000", "key-0\(1000 + round)", "none"]
                {
                    #expect(list.positions(of: Name(key)) == expected[Name(key), default: []])
                }
            }
            #expect(list.repeatedKeys == members.duplicateKeys.sorted { expected[$0]![0] < expected[$1]![0] })
            #expect(list.positions(of: "key-00500") == expected["key-00500"])
        }
        #expect(
            try #require(BinaryPropertyList(data).topDictionary).repeatedKeys.count == Set(further).count
                - (further == ["aaa"] ? 1 : 0))
    }

    @Test("One value is decoded alone: what is wrong beside it does not matter")
    func lazy() throws {
        let keys = ["fine", "gone", "cycle", "text", "double"].map(RawList.ascii)
        let values: [[UInt8]] = [[0x10, 7], [0xA1, 99], [0xA1, 8], [0x51, 0xFF], [0xA2, 7, 7]]
        let top = [0xD5] + (1...10).map { UInt8($0) }
        let list = try #require(try BinaryPropertyList(RawList([top] + keys + values).data).topDictionary)
        #expect(try list["fine"] == .integer(7))
        #expect(list.kind(at: 1) == .array(count: 1))
        for key in ["gone", "cycle", "text", "double"] { #expect(throws: FormatError.self) { try list[Name(key)] } }
    }

    @Test("A value that lies outside of the file has the reason as its kind")
    func unreadable() throws {
        let list = try #require(try BinaryPropertyList(RawList([[0xD1, 1, 9], [0x51, 0x61]]).data).topDictionary)
        let error = FormatError(.binaryPropertyList, at: .offset(10), .outOfBounds("object #9"))
        #expect(list.kind(at: 0) == .unreadable(error))
        #expect(throws: error) { try list.value(at: 0) }
    }

    @Test("Every key of a large dictionary is found, also by many threads at once")
    func large() async throws {
        let count = 3000
        let members = (0..<count).map { (Name("key ü\($0 % 2 == 0 ? "" : "é")\($0)"), Value.integer(Int128($0))) }
        let list = try #require(try BinaryPropertyList(BinaryPropertyList.write(.dictionary(members))).topDictionary)
        await withTaskGroup(of: Int.self) { group in
            for part in 0..<4 {
                group.addTask {
                    (0..<count).filter { $0 % 4 == part && list.position(of: members[$0].0) == $0 }.count
                }
            }
            var found = 0
            for await part in group { found += part }
            #expect(found == count)
        }
        #expect(list.position(of: "key") == nil)
    }

    /// Were each compared in full, this would take minutes.
    @Test("Keys that are one long text twenty thousand times over do not make a search or an edit slow")
    func hostile() throws {
        let count = 20_000
        let text = [UInt8](repeating: 0x61, count: 50_000)
        var data = Data("bplist00".utf8) + [0xDF, 0x12] + RawList.number(count, bytes: 4)
        data += [UInt8](repeating: 1, count: count) + [UInt8](repeating: 2, count: count)
        let offsets = [8, data.count, data.count + 7 + text.count]
        data += [0x5F, 0x12] + RawList.number(text.count, bytes: 4) + [0x61] + text.dropFirst() + [0x00, 0x09]
        let table = data.count
        data += offsets.flatMap { RawList.number($0, bytes: 4) } + [0, 0, 0, 0, 0, 0, 4, 1]
        for field in [3, 0, table] { data += RawList.number(field, bytes: 8) }
        let file = try BinaryPropertyList(data)
        let list = try #require(file.topDictionary)
        #expect(list.position(of: "b") == nil)
        #expect(list.positions(of: Name(String(repeating: "a", count: text.count))).count == count)
        #expect(try file.rewriting([("b", .null)]).count > data.count)
    }
}

extension BinaryPropertyListDictionary {
    fileprivate var keys: [Name] { (0..<count).map(key(at:)) }
}
