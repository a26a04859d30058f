import Foundation
import MigrationEngine
import Reports
import StoreFormats
import TestSupport
import Testing

@testable import Inspector

@Suite("A value is looked at in the forms that it has")
struct ViewTests {
    private static let json = #"{"list":[1,2,{"deep":true}],"text":"x"}"#
    private static let store = StoreID.defaults("com.acme.other")

    private func inspected(_ members: Members, size: Size = Size(width: 80, height: 24)) throws -> Inspected {
        try Inspected(MemoryStores([(Self.store, members)]), migrations: [], size: size)
    }

    @Test("of a step both sides can be looked at, the legacy one first, as tree, text and digits")
    func sides() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 120, height: 40))
        inspected.go(to: "traits")
        inspected.press("S")
        #expect(inspected.message?.contains("the details have both sides; t looks at one value") == true)
        inspected.press("t")
        #expect(inspected.screen.contains("legacy rs_traits · tree") && inspected.screen.contains("S migrated side"))
        inspected.press("S")
        #expect(inspected.screen.contains("migrated traits · tree") && inspected.screen.contains("S legacy side"))
        inspected.press("t")
        #expect(
            inspected.screen.contains("migrated traits · text") && inspected.screen.contains("‹masked string"),
            "\(inspected.screen)")
        inspected.press("S")
        #expect(inspected.screen.contains("legacy rs_traits"))
        inspected.command("side")
        #expect(inspected.screen.contains("migrated traits · text"))
        // What is on one side alone is looked at there.
        inspected.go(to: "session-id")
        inspected.press("S")
        #expect(inspected.screen.contains("legacy ") || inspected.screen.contains("migrated "))
    }

    @Test("t goes through them, and the footer says which is next")
    func cycle() throws {
        var inspected = try inspected(["json": .data(Data(Self.json.utf8))])
        #expect(inspected.screen.contains("t tree"))
        inspected.press("t")
        #expect(inspected.screen.contains("── json · tree ─") && inspected.screen.contains("▾ list: "))
        #expect(inspected.screen.contains("deep: true  bool") && inspected.screen.contains("t text"))
        inspected.press("-")
        #expect(!inspected.screen.contains("deep: true") && inspected.screen.contains("▸ 2: "))
        inspected.press("+")
        #expect(inspected.screen.contains("deep: true  bool"))
        inspected.press("t")
        #expect(inspected.screen.contains("── json · text ─") && inspected.screen.contains(#"  {"list":[1,2,"#))
        inspected.press("t")
        #expect(inspected.screen.contains("00000000  7b 22 6c 69 73 74 22 3a  5b 31 "))
        inspected.press("t")
        #expect(inspected.screen.contains("── json ─") && inspected.screen.contains("t tree"))
    }

    @Test("o folds one part of a tree, the one under the cursor, and what is beside it stays open")
    func foldPart() throws {
        let json = #"{"a":{"x":{"deep":1}},"b":{"y":2},"c":3}"#
        var inspected = try inspected(["json": .data(Data(json.utf8))], size: Size(width: 100, height: 40))
        inspected.press("t <Tab> j o")
        #expect(!inspected.screen.contains("x: ") && inspected.screen.contains("▸ a: "))
        #expect(inspected.screen.contains("▾ b: ") && inspected.screen.contains("y: 2"))
        // The next line is that of the next part that is shown.
        inspected.press("j o")
        #expect(inspected.screen.contains("▸ b: ") && !inspected.screen.contains("y: 2"))
        inspected.press("j o")
        #expect(inspected.message?.contains("has no parts") == true)
        inspected.press("k k o j o")
        #expect(inspected.screen.contains("▾ a: ") && inspected.screen.contains("▸ x: "))
        // One that the depth folds is opened by itself.
        inspected.press("- - - g o")
        #expect(inspected.screen.contains("▸ a: ") && inspected.screen.contains("c: 3"))
        inspected.press("j o")
        #expect(inspected.screen.contains("▸ x: "))
        // The cursor stays within what is shown.
        inspected.press("G k k g o")
        #expect(inspected.screen.contains("▸ ") && !inspected.screen.contains("a: "))
    }

    @Test("the form stays from row to row where a row has it, and is asked for by name")
    func stays() throws {
        var inspected = try inspected(["a": .string("one"), "b": .integer(1), "c": .string("three")])
        inspected.command("view hex")
        #expect(inspected.screen.contains("6f 6e 65"))
        inspected.press("j")
        #expect(inspected.screen.contains("── b ─"))
        inspected.press("t")
        #expect(inspected.message == "there is no other way to look at this")
        inspected.press("j")
        #expect(inspected.screen.contains("74 68 72 65 65"))
        inspected.command("view tree")
        #expect(inspected.message == "view takes details, text, hex here")
    }

    @Test("of a large value only what is seen is written, from any place")
    func paged() throws {
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 16) })
        var inspected = try inspected(["a": .data(bytes)])
        inspected.press("v")
        inspected.command("view hex")
        inspected.press("<Tab>")
        let detail = try #require(inspected.opened?.detail)
        #expect(detail.total == 12_500 && detail.range.count < 100)
        inspected.press("G")
        #expect(inspected.screen.contains("00030d30  ") && inspected.screen.contains("12500/12500"))
        inspected.type("5000g")
        #expect(inspected.screen.contains("00013870  "))
    }

    @Test("no secret is seen in any form of any row")
    func secrets() throws {
        for form in ValueForm.allCases {
            var inspected = try Start.secrets.inspected(size: Size(width: 160, height: 40))
            inspected.press("G <Enter> g")
            for _ in 0..<(inspected.opened?.sheet.count ?? 0) {
                inspected.command("view \(form.rawValue)")
                let screen = inspected.screen
                for needle in Start.needles { #expect(!screen.contains(needle), "\(screen)") }
                inspected.press("j")
            }
        }
    }

    @Test("the rows of a table stand in columns that move")
    func table() throws {
        let store = StoreID(.sqlite, "Documents/a.db/t")
        let rows = Members(
            (0..<300).map { row in
                Member(
                    key: Name("\(row)"),
                    value: .dictionary([("id", .integer(Int128(row))), ("note", .string("n\(row)"))]))
            })
        var inspected = try Inspected(MemoryStores([(store, rows)]), migrations: [])
        inspected.press("t")
        #expect(inspected.screen.contains("· table ") && inspected.screen.contains("row  id  note"))
        #expect(inspected.screen.contains("\n2    2   \"n2\""))
        inspected.press("<Tab> G")
        #expect(inspected.screen.contains("\n299  299  \"n299\"") && inspected.screen.contains("row  id   note"))
        inspected.press("> g")
        #expect(inspected.screen.contains("\n0     \"n0\"") && inspected.screen.contains("row‹  note"))
        inspected.press("<LT>")
        #expect(inspected.screen.contains("row  id  note"))
    }
}
