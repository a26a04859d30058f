import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Reports

@Suite("A value in its forms")
struct ValuePagesTests {
    private static let store = StoreID.defaults("com.acme")

    private func pages(
        _ value: Value, _ form: ValueForm, key: Name = "k", width: Int = 80, depth: Int? = nil,
        _ masking: Masking = Masking(), _ glyphs: Glyphs = .unicode
    ) -> (ValuePages, ValuePages.Options) {
        let stores = MemoryStores([(Self.store, [key: value])])
        let options = ValuePages.Options(form, width: width, tree: TreeFolds(depth: depth))
        let address = Address(store: Self.store, key: key)
        return (
            ValuePages(of: address, in: stores, options, masking, glyphs) { [.runs([Run("details")])] }, options
        )
    }

    private func lines(
        _ value: Value, _ form: ValueForm, key: Name = "k", width: Int = 80, depth: Int? = nil,
        _ masking: Masking = Masking(), _ glyphs: Glyphs = .unicode
    ) -> [String] {
        let (pages, options) = pages(value, form, key: key, width: width, depth: depth, masking, glyphs)
        return pages.lines(0..<pages.count, options, glyphs).lines.map(\.text)
    }

    @Test("has those forms that it can be looked at in; any other is its details")
    func forms() {
        #expect(pages(.string("x"), .details).0.forms == [.details, .text, .hex])
        #expect(pages(.data(Data([0xFF, 0])), .text).0.forms == [.details, .hex])
        #expect(pages(.data(Data(#"{"a":1}"#.utf8)), .tree).0.forms == [.details, .tree, .text, .hex])
        #expect(pages(.array([.null]), .details).0.forms == [.details, .tree])
        #expect(pages(.integer(1), .details).0.forms == [.details])
        let (other, options) = pages(.integer(1), .hex)
        #expect(other.form == .details && other.lines(0..<9, options, .unicode).lines == [.runs([Run("details")])])
    }

    @Test("hexadecimal has the place, the bytes and what of them is ASCII, and makes only the lines that are asked for")
    func hexadecimal() {
        let bytes = Data((0..<40).map { UInt8($0) + 0x40 })
        #expect(
            lines(.data(bytes), .hex, width: 80)[1]
                == "00000010  50 51 52 53 54 55 56 57  58 59 5a 5b 5c 5d 5e 5f  PQRSTUVWXYZ[\\]^_")
        #expect(lines(.data(bytes), .hex, width: 80)[2].hasSuffix("  `abcdefg"))
        #expect(lines(.data(bytes), .hex, width: 60).count == 5 && lines(.data(bytes), .hex, width: 40).count == 10)
        #expect(lines(.data(Data([0, 0x7F, 0xFF])), .hex)[0].hasSuffix("  ···"))
        #expect(lines(.string("é\n"), .hex)[0].hasPrefix("00000000  c3 a9 0a "))
        #expect(lines(.data(Data()), .hex).count == 1)
        let (large, options) = pages(.data(Data(count: 16 << 20)), .hex, Masking(isRevealing: true))
        #expect(large.count == 1 << 20 && !large.isWritten)
        #expect(large.lines(1_048_575..<2_000_000, options, .unicode).lines.map(\.text.count) == [76])
    }

    @Test("a text is its lines, a long one goes on behind a sign, and a very long one says how much more there is")
    func text() {
        let text = "one\r\n\ttwo\u{1B}[2J\n\n" + String(repeating: "x", count: 25)
        #expect(
            lines(.string(text), .text, width: 22)
                == ["  one", "  ␉two␛[2J", "  ", "  " + String(repeating: "x", count: 20), "↪ xxxxx"])
        #expect(lines(.string("ab\ncde"), .text, width: 4, Masking(), .ascii) == ["  ab", "  cd", "> e"])
        let long = lines(.string(String(repeating: "y\n", count: 700_000)), .text, Masking(isRevealing: true))
        #expect(long.last == "… 351 kB more; hexadecimal has all of it")
        #expect(lines(.data(Data(#"{"a":1}"#.utf8)), .text) == [#"  {"a":1}"#])
    }

    @Test("a tree has the types, and folds from below")
    func tree() {
        let value = Value.dictionary([
            ("a", .array([.integer(1), .string("x")])), ("b", .data(Data(#"{"c":true}"#.utf8))),
        ])
        let all = lines(value, .tree)
        #expect(all.count == 6 && all[1] == "  ▾ a: [2 items]  array" && all[2] == "      0: 1  integer")
        #expect(all[4].hasPrefix("  ▾ b: JSON") && all[5] == "      c: true  bool")
        #expect(pages(value, .tree).0.depth == 2)
        let folded = lines(value, .tree, depth: 1)
        #expect(folded.count == 3 && folded[1].hasPrefix("  ▸ a: ") && folded[0].hasPrefix("▾ "))
        #expect(lines(value, .tree, depth: 0).count == 1)
    }

    @Test("line breaks are lines in a tree and in the details; what has no break of its own goes on behind a sign")
    func breaks() {
        let value = Value.dictionary([("poem", .string("one\ntwo and three")), ("n", .integer(1))])
        #expect(
            lines(value, .tree, width: 22)
                == [
                    "▾ {poem, n}  dictiona…", "    poem: \"one␊", "          two and thre", "          ↪ e\"  string",
                    "    n: 1  integer",
                ], "\(lines(value, .tree, width: 22))")
        var document = Document()
        document.value(
            ShownValue(value: value, address: Address(store: Self.store, key: "k"), sources: [], showing: Showing()))
        let shown = document.lines(width: 24, .unicode).map { $0.text }
        #expect(shown == ["{poem, n}", "  poem: \"one␊", "        two and three\"", "  n: 1"])
    }

    @Test("what a step makes is looked at where it will be, and is as secret as what it is made from")
    func made() {
        let target = Address(store: .defaults("new"), key: "plain"),
            source = Address(store: .defaults("old"), key: "password")
        for form in [ValueForm.tree, .text, .hex] {
            let options = ValuePages.Options(form, width: 80)
            let made = ValuePages.Made(.string(#"{"a":"hunter2"}"#), from: [source])
            let pages = ValuePages(of: target, made: made, in: MemoryStores(), options, Masking(), .unicode) { [] }
            let text = pages.lines(0..<9, options, .unicode).lines.map(\.text).joined()
            #expect(pages.form == form && !text.contains("hunter2") && !text.contains("68 75"), "\(text)")
            let shown = ValuePages(
                of: target, made: made, in: MemoryStores(), options, Masking(isRevealing: true), .unicode
            ) { [] }
            #expect(
                shown.lines(0..<9, options, .unicode).lines.map(\.text).joined().contains(
                    form == .hex ? "68 75" : "hunter2"))
        }
    }

    @Test("masks what the details mask, in every form", arguments: ValueForm.allCases)
    func masked(form: ValueForm) {
        let secrets: [(Name, Value)] = [
            ("password", .string("hunter2")), ("x", .data(Data("mail jane.roe@example.com".utf8))),
            ("x", .string(#"{"token":"hunter2","a":1}"#)), ("x", .dictionary([("pin", .string("hunter2"))])),
        ]
        for (key, value) in secrets {
            let text = lines(value, form, key: key).joined()
            #expect(!text.contains("hunter2") && !text.contains("jane.roe") && !text.contains("68 75 6e"), "\(text)")
        }
        let shown = lines(.string("hunter2"), .text, key: "password", Masking(isRevealing: true))
        #expect(shown == ["  hunter2"])
        #expect(lines(.string("hunter2"), .hex, key: "password") == ["‹masked string, 7 characters›"])
    }

    @Test("a table that cannot be read is neither drawn as an empty one nor counted as one")
    func unreadableTable() throws {
        let container = try Dump.open(Places.fixture("notes-databases.xcappdata")).container(nil)
        let tables = container.stores(of: .sqlite).filter { container.problem(with: $0) != nil }
        let cut = try #require(tables.first { $0.name.text.contains("cut.sqlite") })
        let options = ValuePages.Options(.table, width: 120)
        let pages = ValuePages(of: Address(store: cut), in: container, options, Masking(), .unicode) { [] }
        #expect(pages.forms == [.details] && pages.form == .details)
        let overlay = History().overlay(on: container)
        let text = StoreAnswer(cut, in: overlay, found: container, Masking()).document.text()
        #expect(text.hasPrefix("cannot be read\n") && !text.contains("0 entries"), "\(text)")
    }

    @Test("a table has its rows in columns, some at a time, and its head with each of them")
    func table() throws {
        let store = StoreID(.sqlite, "Documents/a.db/t")
        let rows = Members(
            (0..<1000).map { row in
                Member(
                    key: Name("\(row)"),
                    value: .dictionary([
                        ("id", .integer(Int128(row))), ("password", .string("hunter2")), ("note", .string("n\(row)\n")),
                        ("none", .null),
                    ]))
            })
        let stores = MemoryStores([(store, rows)]), options = ValuePages.Options(.table, width: 120)
        let pages = ValuePages(of: Address(store: store), in: stores, options, Masking(), .unicode) { [] }
        #expect(pages.forms == [.details, .table] && pages.count == 1000 && !pages.isWritten)
        let (head, lines) = pages.lines(998..<1003, options, .unicode)
        #expect(head?.text.split(separator: " ") == ["row", "id", "password", "note", "none"])
        #expect(lines.count == 2 && lines[0].text.hasPrefix("998  998  ‹masked string, 7 characters›  \"n998␊\""))
        #expect(!lines[0].text.contains("hunter2") && lines[0].text.contains("null"))
        let right = pages.lines(0..<1, options, .unicode, left: 2)
        #expect(right.head?.text.split(separator: " ") == ["row‹", "note", "none"])
        #expect(pages.lines(0..<1, options, .unicode, left: 99).head?.text.split(separator: " ") == ["row‹", "none"])
    }
}
