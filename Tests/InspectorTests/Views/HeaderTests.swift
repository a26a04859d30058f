import MigrationEngine
import Migrations
import Reports
import Specs
import StoreFormats
import TestSupport
import Testing

@testable import Inspector

@Suite("The migration that is in view, among those that there are")
struct HeaderTests {
    private static func runner(_ dump: String, in folder: TemporaryFolder, width: Int = 120) throws -> ScriptRunner {
        let inspection = try Fixtures.inspection(
            of: dump, withFacts: false, ledger: folder, migrations: BuiltIn.migrations + SpecCatalog.migrations)
        return ScriptRunner(
            try inspection.start(
                container: nil, size: Size(width: width, height: 40), glyphs: .unicode, masking: Masking()),
            on: inspection)
    }

    @Test(
        "of several that apply the one that needs attention most is in view at first, and its row that does is under the cursor",
        arguments: [
            ("localdata-broken", "localdata-demo", "modern-token"), ("localdata-half-different", "localdata-demo", nil),
            ("localdata-healthy", "localdata-sealed", "account"),
        ] as [(String, String, String?)])
    func mostUrgent(dump: String, migration: String, step: String?) throws {
        let folder = try TemporaryFolder()
        let opened = try #require(try Self.runner(dump + ".xcappdata", in: folder).model.opened)
        #expect(opened.applicable > 1 && opened.plan?.migration == migration)
        if let step { #expect(opened.step?.id == step) }
        #expect(opened.urgentSteps.isEmpty || opened.step.map { $0.isProblem } == true)
    }

    @Test("of several that apply the header says which of them is in view, also of the next one")
    func number() throws {
        let folder = try TemporaryFolder()
        var runner = try Self.runner("localdata-broken.xcappdata", in: folder)
        var seen: Set<String> = []
        for _ in 0..<2 {
            let opened = try #require(runner.model.opened), id = try #require(opened.plan?.migration)
            let place = try #require(opened.migrations.firstIndex { $0.id == id }) + 1
            #expect(runner.model.render().text.contains("(\(place) of 2 migrations, m: next)"))
            seen.insert("\(place)")
            try runner.run(Script(":migration \(opened.migrations[2 - place].id)"))
        }
        #expect(seen == ["1", "2"])
    }

    @Test("one that does not apply says so in the header, and that it is unknown where it is")
    func caution() throws {
        let stores = MemoryStores([(.defaults("a"), ["b": .bool(true)])])
        for isUnknown in [false, true] {
            var inspected = try Inspected(
                isUnknown ? Unread(base: stores) : stores, migrations: [RudderStack.migration],
                size: Size(width: 120, height: 30))
            #expect(inspected.opened?.view.unknown.isEmpty == !isUnknown)
            inspected.press("m")
            let said =
                isUnknown ? "(unknown whether it applies: w says why, m: next)" : "(does not apply here, m: next)"
            #expect(inspected.plan != nil && inspected.screen.contains(said), "\(inspected.screen)")
            inspected.resize(80, 24)
            let short = isUnknown ? "(may not apply: w)" : "(does not apply)"
            #expect(inspected.screen.contains(short), "\(inspected.screen)")
        }
    }

    @Test("where none applies, m comes back to the stores without one after the last, and Esc at once")
    func plain() throws {
        var inspected = try Start.noMigration.inspected()
        let first = inspected.opened?.sheet.count, count = try #require(inspected.opened?.migrations.count)
        for _ in 0..<count {
            inspected.press("m")
            #expect(inspected.plan != nil)
        }
        inspected.press("m")
        #expect(inspected.plan == nil && inspected.message == "the stores, without a migration")
        inspected.press("m <Esc>")
        #expect(inspected.plan == nil && inspected.opened?.sheet.count == first)
        inspected.press("<Esc>")
        #expect(inspected.message?.contains("outermost level") == true)
    }

    @Test("where one applies, or was chosen at the opening, Esc comes back to it from one that does not apply")
    func back() throws {
        let stores = MemoryStores([(.defaults("a"), ["b": .bool(true)])])
        let others: [any Migration] = [Bare(id: "other", isMeant: false), Bare(id: "third", isMeant: false)]
        for (first, chosen) in [(true, nil), (false, "own")] as [(Bool, String?)] {
            var inspected = try Inspected(
                stores, migrations: [Bare(id: "own", isMeant: first)] + others, chosen: chosen.map { ($0, nil) })
            #expect(inspected.plan?.migration == "own")
            for keys in ["m <Esc>", "m m <Esc>"] {
                inspected.press(keys)
                #expect(inspected.plan?.migration == "own" && inspected.message == "own: Own")
            }
            if first {
                inspected.press("<Esc>")
                #expect(inspected.message?.contains("outermost level") == true)
            }
        }
    }

    @Test("from one that does not apply Esc comes back to what was in view last, and in its profile")
    func backToTheLast() throws {
        let stores = MemoryStores([(.defaults("a"), ["b": .bool(true)])])
        var inspected = try Inspected(
            stores,
            migrations: [
                Bare(id: "first", isMeant: true), Bare(id: "second", isMeant: true, names: ["one", "two"]),
                Bare(id: "other", isMeant: false), Bare(id: "third", isMeant: false),
            ])
        #expect(inspected.plan?.migration == "first")
        inspected.command("migration second:two")
        for name in ["other", "third"] { inspected.command("migration \(name)") }
        #expect(inspected.plan?.migration == "third")
        inspected.press("<Esc>")
        #expect(inspected.plan?.migration == "second" && inspected.plan?.profile.id == "two")
        inspected.press("<Esc>")
        #expect(inspected.message?.contains("outermost level") == true)
    }

    /// A migration without steps, which applies or not.
    private struct Bare: Migration {
        let id: String, isMeant: Bool
        var names = ["one"]
        let title = "Own", summary = ""
        var profiles: [Profile] { names.map { Profile(id: $0, summary: "") } }
        let facts: [FactDefinition] = []
        func applies(to stores: any StoreReader, facts: Facts) -> Bool { isMeant }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], []) }
        func steps(profile: Profile, facts: Facts) -> [Step] { [] }
    }

    @Test("one whose steps are applied is not left by Esc, nor by m")
    func applied() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("a <Esc> m")
        #expect(inspected.plan?.migration == RudderStack.migration.id)
    }

    @Test("both lines say what they count, whatever the width", arguments: [60, 72, 80, 100, 120, 160])
    func units(width: Int) throws {
        let rows = try Inspected(
            RudderStack.stores(migrated: ["user_id": .string("else"), "session_id": .string("1724990100")]),
            facts: .notes.without(.uptime), size: Size(width: width, height: 24)
        ).model.render().rows
        #expect(rows[0].contains(" · values: "), "\(rows[0])")
        #expect(rows[1].contains("0 of 9 steps applied · "), "\(rows[1])")
    }
}

/// Stores of which one cannot be read.
private struct Unread: StoreReader {
    let base: any StoreReader
    var stores: [StoreID] { base.stores }
    func problem(with store: StoreID) -> Unreadable? {
        base.stores.contains(store) ? nil : Unreadable(.missing, "it did not come with the dump")
    }
    func keys(in store: StoreID) -> any KeyList { base.keys(in: store) }
    func state(of key: Name, in store: StoreID) -> EntryState {
        problem(with: store).map(EntryState.unreadable) ?? base.state(of: key, in: store)
    }
}
