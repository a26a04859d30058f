import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Inspector

@Suite("The rows of the sheet")
struct SheetTests {
    private static let other = StoreID.defaults("com.acme.other")

    private func rows(_ sheet: Sheet) -> [SheetRow] { (0..<sheet.count).compactMap { sheet[$0] } }

    @Test("steps come first, then what no step touches, then the other stores, folded")
    func order() throws {
        let stores = MemoryStores([
            (Self.other, ["a": .bool(true)]), (RudderStack.legacy, RudderStack.members),
            (RudderStack.suite, ["mine": .bool(true), "user_id": .string("u-77")]),
        ])
        let opened = try #require(try Inspected(stores).opened)
        #expect(
            rows(opened.sheet) == (0..<9).map(SheetRow.step) + [
                .unmapped(RudderStack.legacy, count: 2), .entry(RudderStack.legacy, key: "theme"),
                .entry(RudderStack.legacy, key: "launches"), .unmapped(RudderStack.suite, count: 1),
                .entry(RudderStack.suite, key: "mine"), .store(Self.other),
            ])
    }

    @Test("without a migration every store is there, and shows its entries when it is unfolded")
    func withoutMigration() {
        let stores = MemoryStores([(Self.other, ["a": .bool(true), "b": .null]), (RudderStack.suite, ["c": .null])])
        let folded = Sheet(stores: stores, plan: nil, sides: [], unfolded: [])
        #expect(rows(folded) == [.store(Self.other), .store(RudderStack.suite)])
        let unfolded = Sheet(stores: stores, plan: nil, sides: [], unfolded: [Self.other])
        #expect(
            rows(unfolded) == [
                .store(Self.other), .entry(Self.other, key: "a"), .entry(Self.other, key: "b"),
                .store(RudderStack.suite),
            ])
    }

    @Test("a store on both sides is listed once")
    func sameStoreOnBothSides() {
        let stores = MemoryStores([(Self.other, ["a": .bool(true)])])
        let sheet = Sheet(stores: stores, plan: nil, sides: [Self.other, Self.other], unfolded: [])
        #expect(rows(sheet) == [.unmapped(Self.other, count: 1), .entry(Self.other, key: "a")])
    }

    @Test("outside of the sheet there is no row", arguments: [-1, .min, 12, .max])
    func outside(position: Int) throws {
        let sheet = try #require(try Inspected(RudderStack.stores()).opened?.sheet)
        #expect(sheet.count == 12)
        #expect(sheet[position] == nil)
    }

    @Test("a row that is not there has no position")
    func absentRows() throws {
        let sheet = try #require(try Inspected(RudderStack.stores()).opened?.sheet)
        for row: SheetRow in [
            .step(9), .store(Self.other), .entry(RudderStack.legacy, key: "rs_user_id"),
            .entry(Self.other, key: "theme"),
            .unmapped(Self.other, count: 2),
        ] { #expect(sheet.position(of: row) == nil) }
    }

    @Test("positions and rows are each other's inverse, whatever is edited and unfolded")
    func inverse() throws {
        var random = SeededGenerator(seed: 5)
        let names = [RudderStack.legacy, RudderStack.suite, Self.other, .files("Documents"), .defaults("none")]
        let migration = RudderStack.migration
        for _ in 0..<200 {
            var stores = RudderStack.stores(migrated: Bool.random(using: &random) ? ["user_id": .string("u")] : nil)
            stores[Self.other] = ["a": .integer(1), "b": .integer(2), "c": .integer(3)]
            var overlay = Overlay(stores)
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                let store = names.randomElement(using: &random) ?? Self.other
                let key = (["a", "b", "theme", "rs_user_id", "user_id", "new", "rs_traits"] as [Name]).randomElement(
                    using: &random)
                overlay.set(
                    key ?? "a", in: store, to: Bool.random(using: &random) ? .absent : .present(.string("edited")))
            }
            let plan = Plan(
                of: migration, profile: migration.profiles[Int.random(in: 0..<3, using: &random)], facts: .notes,
                stores: overlay, history: History([]), check: {})
            let sides = migration.sides(facts: .notes)
            let sheet = Sheet(
                stores: overlay, plan: Bool.random(using: &random) ? plan : nil, sides: sides.legacy + sides.migrated,
                unfolded: Set(names.filter { _ in Bool.random(using: &random) }))
            let rows = rows(sheet)
            #expect(rows.count == sheet.count)
            #expect(Set(rows).count == sheet.count)
            for (position, row) in rows.enumerated() { #expect(sheet.position(of: row) == position) }
        }
    }

    @Test("of two keys that differ only in normalization, each row and its detail show their own value")
    func twins() throws {
        let stores = MemoryStores([(Self.other, ["caf\u{E9}": .string("first"), "cafe\u{301}": .string("second")])])
        var inspected = try Inspected(stores, migrations: [])
        inspected.press("j")
        #expect(inspected.screen.split(separator: "\n").suffix(12).joined().contains("first"))
        for (key, value, other) in [("caf\u{E9}", "first", "second"), ("cafe\u{301}", "second", "first")] {
            let place = try #require(inspected.opened?.sheet.position(of: .entry(Self.other, key: Name(key))))
            inspected.type("\(place + 1)g")
            #expect(inspected.opened?.row == .entry(Self.other, key: Name(key)))
            inspected.press("<Enter> <Enter>")
            #expect(inspected.screen.contains(value) && !inspected.screen.contains(other), "the detail alone is shown")
            inspected.press("<Esc> <Esc>")
        }
    }

    private static let mixed = MemoryStores([
        (
            other,
            [
                "AppleLanguages": .array([.string("en")]), "INVITES": .integer(3), "NSInterfaceStyle": .string("dark"),
                "theme": .string("dim"), "UIDesign": .bool(true), "FIRSTNAME": .string("Ann"),
            ]
        )
    ])

    @Test("the app's own keys come first; those of the system and of SDKs stand behind a line that unfolds them")
    func noise() throws {
        let noise = SheetRow.noise(Self.other, count: 3)
        func entries(_ keys: [Name]) -> [SheetRow] { keys.map { .entry(Self.other, key: $0) } }
        let own = [.store(Self.other)] + entries(["INVITES", "theme", "FIRSTNAME"])
        var inspected = try Inspected(Self.mixed, migrations: [])
        #expect(rows(try #require(inspected.opened?.sheet)) == own + [noise])
        #expect(inspected.screen.contains("▸ 3 of the system and of SDKs  AppleLanguages, NSInterfaceStyle, UIDesign"))
        inspected.press("G <Enter>")
        let all = own + [noise] + entries(["AppleLanguages", "NSInterfaceStyle", "UIDesign"])
        #expect(rows(try #require(inspected.opened?.sheet)) == all && inspected.opened?.row == noise)
        #expect(!inspected.screen.contains("SDKs  AppleLanguages"), "what stands below is not told twice")
        inspected.press("G <Esc>")
        #expect(rows(try #require(inspected.opened?.sheet)) == own + [noise] && inspected.opened?.row == noise)
        let sided = Sheet(stores: Self.mixed, plan: nil, sides: [Self.other], unfolded: [])
        #expect(rows(sided) == [.unmapped(Self.other, count: 6)] + own.dropFirst() + [noise])
        for (position, row) in rows(sided).enumerated() { #expect(sided.position(of: row) == position) }
    }

    @Test("a search finds what is folded so, counts it and unfolds it; a filter unfolds it while it is there")
    func foldedNoise() throws {
        var inspected = try Inspected(Self.mixed, migrations: [])
        inspected.type("/dark")
        #expect(inspected.opened?.row == .noise(Self.other, count: 3), "while it is typed nothing unfolds")
        inspected.press("<Enter>")
        #expect(inspected.opened?.row == .entry(Self.other, key: "NSInterfaceStyle"))
        #expect(inspected.message == "“dark”, 1 of 1")
        inspected.press("<Esc>")
        inspected.command("filter dark")
        let found: [SheetRow] = [.noise(Self.other, count: 3), .entry(Self.other, key: "NSInterfaceStyle")]
        #expect(rows(try #require(inspected.opened?.sheet)) == found, "\(inspected.screen)")
        inspected.press("g <Esc>")
        #expect(inspected.opened?.filtering == nil && inspected.opened?.view.noisy == [], "\(inspected.screen)")
    }

    @Test("a store of more keys than are sifted is shown as it is, and no key of it is looked at")
    func large() {
        let keys = CountingKeys(count: 20_001)
        let sheet = Sheet(stores: CountedStores(keys: keys), plan: nil, sides: [], unfolded: [CountedStores.store])
        #expect(sheet.count == 20_002 && keys.accesses == 0)
    }

    @Test("a million keys are not walked: not to lay out the rows, to move, nor to draw")
    func million() throws {
        let keys = CountingKeys(count: 1_000_000)
        var inspected = try Inspected(CountedStores(keys: keys), chosen: ("rudderstack-v2", nil))
        #expect(inspected.opened?.sheet.count == 1_000_010)
        inspected.press("G")
        #expect(inspected.opened?.row == .entry(CountedStores.store, key: "key.999999"))
        #expect(inspected.screen.contains("key.999999"))
        let before = keys.accesses
        inspected.press("k")
        _ = inspected.model.render()
        #expect(keys.accesses - before < 300)
        #expect(keys.accesses < 2000)
    }
}
