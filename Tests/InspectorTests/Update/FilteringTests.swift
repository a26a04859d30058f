import Foundation
import MigrationEngine
import Reports
import StoreFormats
import Testing

@testable import Inspector

@Suite("Filtering")
struct FilteringTests {
    private func titles(_ inspected: Inspected) -> [String] {
        guard let opened = inspected.opened else { return [] }
        return (0..<opened.sheet.count).compactMap { opened.sheet[$0] }.map { row in
            switch row {
            case .step(let index): opened.plan?.steps[index].id ?? ""
            case .unmapped(let store, _), .store(let store), .noise(let store, _): "[\(store.name.text)]"
            case .entry(_, let key): key.text
            }
        }
    }

    private func filtered(_ filter: String, _ start: Start = .legacy) throws -> Inspected {
        var inspected = try start.inspected()
        inspected.press("&")
        inspected.type(filter)
        inspected.press("<Enter>")
        return inspected
    }

    @Test("& with a word shows the steps that are so, and the header says how many of how many rows")
    func words() throws {
        let all = try Start.legacy.inspected()
        let steps = try #require(all.plan?.steps)
        func ids(_ isSo: (PlannedStep) -> Bool) -> [String] { steps.filter(isSo).map(\.id) }
        let expected: [(String, [String])] = [
            ("changed", ids { $0.changes.contains { $0.effect == .changed } }),
            ("converted", ids { $0.changes.contains { $0.effect == .converted } }),
            ("dropped", ids { $0.changes.contains { $0.effect == .dropped || !$0.dropped.isEmpty } }),
            ("problems", ids(\.isProblem)),
        ]
        for (word, ids) in expected {
            let inspected = try filtered(word)
            #expect(titles(inspected) == ids)
            #expect(inspected.screen.contains("& \(word): \(ids.count) of 12 rows"))
            #expect(inspected.screen.contains("0 of 9 steps applied"), "the counts are of all steps")
        }
        #expect(expected[0].1.contains("manual-session") && expected[2].1.contains("user-id"))
        #expect(try filtered("applied").screen.contains("no row matches; & with nothing shows all rows"))
        // What nobody entered has no legacy side, and what no step touches no migrated one.
        let oneSided = titles(try filtered("one-sided"))
        #expect(oneSided.suffix(3) == ["[com.acme.notes]", "theme", "launches"])
        #expect(oneSided.contains("anonymous-id") && !oneSided.contains("session-id"))
    }

    @Test("problems are the steps that need a person, and the stores that cannot be read")
    func problems() throws {
        let inspected = try filtered("problems", .troubled)
        let steps = try #require(inspected.plan?.steps.filter(\.isProblem).map(\.id))
        #expect(!steps.isEmpty && titles(inspected) == steps)
        for start in [Start.legacy, .troubled] {
            let problems = try filtered("problems", start), all = try start.inspected()
            let urgent = try #require(all.opened).urgentSteps.sorted().compactMap { all.plan?.steps[$0].id }
            #expect(titles(problems) == urgent && !urgent.isEmpty, "] goes to the same steps: \(urgent)")
        }
        var locked = try Inspected(LockedStore(), migrations: [])
        locked.command("filter problems")
        #expect(titles(locked) == ["[locked]"])
    }

    @Test("a text shows what a search would find, with the lines above it, also what is folded")
    func text() throws {
        let other = StoreID.defaults("com.acme.other"), third = StoreID.defaults("com.acme.third")
        var stores = RudderStack.stores()
        stores[other] = ["first": .string("x"), "deep": .data(Data(#"{"a":["seagreen dark"]}"#.utf8))]
        stores[third] = ["nothing": .integer(1)]
        var inspected = try Inspected(stores)
        inspected.command("filter dark")
        #expect(titles(inspected) == ["[com.acme.notes]", "theme", "[com.acme.other]", "deep"])
        #expect(inspected.screen.contains("& “dark”: 4 of 16 rows"))
        inspected.command("filter \"problems\"")
        #expect(inspected.screen.contains("& “problems”: "), "a text, which is found in what is said of rows")
        inspected.command("filter deep")
        inspected.press("G <Esc>")
        #expect(inspected.opened?.sheet.count == 16, "the filter goes before the store is folded")
        #expect(inspected.opened?.row == .entry(other, key: "deep"))
    }

    @Test("the cursor stays on its row, or goes to the next that is shown; & with nothing and Esc show all again")
    func cursor() throws {
        var inspected = try Start.legacy.inspected()
        for leave in ["& <Enter>", "<Esc>", "& a l l <Enter>"] {
            inspected.go(to: "manual-session")
            inspected.command("filter changed")
            #expect(inspected.opened?.step?.id == "manual-session")
            inspected.press(leave)
            #expect(inspected.opened?.filtering == nil && inspected.opened?.step?.id == "manual-session")
            #expect(inspected.opened?.sheet.count == 12 && inspected.message == "all rows are shown")
        }
        inspected.go(to: "session-id")
        inspected.command("filter changed")
        #expect(inspected.opened?.step?.id == "manual-session")
        inspected.press("& <Esc>")
        #expect(inspected.opened?.filtering != nil, "a line that is left changes nothing")
        inspected.press("<Esc> & <Enter>")
        #expect(inspected.message == "all rows are shown; & with a word or a text filters them")
    }

    @Test("what the header counts, a filter shows: waiting, failed, skipped, and the entries that no step touches")
    func counted() throws {
        var inspected = try Inspected(
            RudderStack.stores(["rl_session_id": .string("x")]), facts: .notes.without(.identifierForVendor, .uptime),
            size: Size(width: 140, height: 40))
        let header = inspected.model.render().rows[0]
        for counts in ["1 failed", "2 waiting", "2 untouched"] { #expect(header.contains(counts), "\(header)") }
        for (word, count) in [("waiting", 2), ("failed", 1), ("untouched", 3), ("skipped", 1), ("conflict", 0)] {
            inspected.command("filter \(word)")
            #expect(inspected.opened?.sheet.count == count, "\(word)")
        }
        inspected.command("filter all")
        inspected.resize(80, 24)
        let narrow = inspected.model.render().rows[0]
        #expect(narrow.contains(" · values: 1✗ 2? ") && narrow.contains("2 untouched"), "\(narrow)")
    }

    @Test("a search and ] go through the rows that are shown, and say so where others have it")
    func moving() throws {
        var inspected = try filtered("problems", .troubled)
        let shown = titles(inspected)
        inspected.press("g")
        var seen = [inspected.opened?.step?.id]
        for _ in 1..<shown.count {
            inspected.press("]")
            seen.append(inspected.opened?.step?.id)
        }
        #expect(seen == shown)
        inspected.command("search theme")
        #expect(
            inspected.message == "“theme” is nowhere in keys, titles or values of the rows that the filter shows")
        inspected.command("filter theme")
        inspected.press("]")
        #expect(
            inspected.message
                == "no step that the filter shows needs attention; \(shown.count) that it hides do, & shows them")
        inspected.command("search theme")
        #expect(inspected.message == "“theme”, 1 of 1")
    }

    @Test(
        "what is applied does not depend on the filter, which is true of what stands afterwards; selected steps that it hides are told"
    )
    func applying() throws {
        var inspected = try Start.legacy.inspected()
        inspected.go(to: "user-id")
        inspected.press("<Space>")
        inspected.command("filter converted")
        let converted = titles(inspected)
        #expect(inspected.screen.contains("& converted: \(converted.count) of 12 rows, 1 selected hidden"))
        inspected.press("s")
        #expect(inspected.applied == ["user-id"] && titles(inspected) == converted)
        #expect(!inspected.screen.contains("selected hidden"))
        inspected.command("filter applied")
        #expect(titles(inspected) == ["user-id"])
        inspected.command("filter one-sided")
        let before = titles(inspected)
        inspected.command("rollback all")
        inspected.command("fact identifierForVendor=")
        #expect(titles(inspected) != before && !titles(inspected).contains("anonymous-id"), "planned anew, found anew")
    }

    @Test("of a million keys a word reads none, and a text shows what was found before it has looked at all")
    func million() throws {
        let keys = CountingKeys(count: 1_000_000)
        var inspected = try Inspected(CountedStores(keys: keys), migrations: [])
        inspected.press("<Enter>")
        let before = keys.accesses
        inspected.command("filter one-sided")
        inspected.command("filter problems")
        _ = inspected.screen
        #expect(keys.accesses - before < 10_000)
        inspected.press("<Esc>")
        var opened = try #require(inspected.opened)
        opened.filter(by: .text("key.77"))
        let begun = opened.beginFiltering(), purpose = try #require(begun)
        var asked = 0, shown: [RowRanges] = []
        _ = RowFiltering(purpose, in: opened).run(isCancelled: {
            asked += 1
            return !shown.isEmpty || asked == 500
        }) { shown.append($0) }
        let first = try #require(shown.first)
        #expect(first.count > 0 && first[0] == 0, "with the line above them")
        let start = keys.accesses
        let isTaken = opened.take(first, isComplete: false, for: purpose)
        #expect(isTaken)
        inspected.model.opened = opened
        inspected.resize(80, 24)
        #expect(inspected.screen.contains("rows so far") && inspected.screen.contains("key.77"))
        #expect(keys.accesses - start < 1_000, "drawing looks at a window")
        // Those of an earlier filter are not taken for this one's.
        opened.filter(by: .text("other"))
        let isLateTaken = opened.take(first, isComplete: true, for: purpose)
        #expect(!isLateTaken)
    }

    @Test("Tab completes the words, and the line says them")
    func prompt() throws {
        var inspected = try Start.legacy.inspected()
        inspected.press("& o n <Tab>")
        #expect(inspected.model.prompt?.text == "one-sided")
        #expect(inspected.screen.contains("problems, dropped, changed, untouched, or a text"))
        inspected.press("<Enter>")
        #expect(inspected.opened?.filtering?.filter == .oneSided)
    }

    @Test(
        "a text that stands behind folds is shown in its rows while the filter is there; where the cursor is stays unfolded"
    )
    func folded() throws {
        var stores = RudderStack.stores()
        stores[.files("Documents")] = ["a.txt": .string("needle"), "b.txt": .string("hay")]
        stores[.defaults("app")] = ["own": .string("needle"), "other": .string("hay")]
        var inspected = try Inspected(stores)
        let before = titles(inspected)
        inspected.command("filter needle")
        #expect(titles(inspected) == ["[Documents]", "a.txt", "[app]", "own"], "\(inspected.screen)")
        #expect(inspected.opened?.sheet.count == 4)
        inspected.command("filter hay")
        #expect(titles(inspected) == ["[Documents]", "b.txt", "[app]", "other"], "\(inspected.screen)")
        inspected.press("g <Esc>")
        #expect(titles(inspected) == before, "what was folded is so again")
        inspected.command("filter needle")
        inspected.press("g j <Esc>")
        #expect(inspected.opened?.row == .entry(.files("Documents"), key: "a.txt"), "\(inspected.screen)")
        #expect(inspected.opened?.unfolded == [.files("Documents")])
    }

    @Test("the words of the header, the plan and the list are filters, whatever their case, and as commands")
    func headerWords() throws {
        var inspected = try Inspected(
            RudderStack.stores(
                ["rl_session_id": .string("x")],
                migrated: ["user_id": .string("else"), "rudder.app_build": .integer(417)]
            ), facts: .notes.without(.identifierForVendor), size: Size(width: 160, height: 50))
        let header = inspected.model.render().rows.prefix(2).joined(separator: "\n")
        let steps = try #require(inspected.plan?.steps)
        func ids(_ kind: Outcome.Kind) -> [String] { steps.filter { $0.outcome.kind == kind }.map(\.id) }
        for (word, expected) in [
            ("in conflict", ids(.conflict)), ("there already", ids(.unchanged)), ("to apply", ids(.migrates)),
            ("waiting", ids(.blocked)), ("failed", ids(.failed)), ("skipped", ids(.skipped)),
        ] {
            #expect(!expected.isEmpty && header.contains(word), "\(word)\n\(header)")
            inspected.press("&")
            inspected.type(word)
            inspected.press("<Enter>")
            #expect(titles(inspected) == expected, "\(word)")
            #expect(inspected.screen.contains("& \(word): "))
            inspected.command("filter \(word.uppercased())")
            #expect(titles(inspected) == expected, "\(word)")
        }
        for (word, other) in [
            ("changed in meaning", "changed"), ("made up", "made-up"), ("conflict", "in conflict"),
            ("blocked", "waiting"),
        ] {
            inspected.command("filter \(word)")
            let rows = titles(inspected)
            inspected.command("filter \(other)")
            #expect(titles(inspected) == rows, "\(word)")
        }
        inspected.press("& <Enter> A")
        inspected.command("filter applied")
        #expect(titles(inspected) == inspected.applied && !inspected.applied.isEmpty)
        inspected.type(":filter in c")
        inspected.press("<Tab>")
        #expect(inspected.model.prompt?.text == "filter in conflict ")
    }

    @Test("A search where no row is shown finds nothing, up and down")
    func nothingShown() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.command("filter no such text")
        #expect(inspected.opened?.sheet.count == 0)
        inspected.command("search traits")
        #expect(inspected.message?.contains("nowhere") == true, "\(inspected.message ?? "")")
        inspected.press("n N")
        inspected.type("/x")
        #expect(inspected.message?.contains("nowhere") == true)
    }

    @Test("a text shows the rows that a search would find, also where it is only said of them")
    func asSearched() throws {
        for text in ["drops", "guide", "no step touches", "session", "needs ident", "to appl"] {
            var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.identifierForVendor))
            inspected.press("g")
            inspected.command("search \(text)")
            let count = try #require(inspected.opened?.matches?.count)
            inspected.command("filter \(text)")
            let heads = titles(inspected).filter { $0.hasPrefix("[") }
            #expect(
                count > 0 && titles(inspected).count == count + (text == "no step touches" ? 0 : heads.count), "\(text)"
            )
        }
    }

    @Test("a store that is folded under a filter for a text stays so; what was folded comes back once nothing runs")
    func foldedByThePerson() throws {
        var stores = RudderStack.stores()
        stores[.files("Documents")] = ["a.txt": .string("needle"), "b.txt": .string("hay")]
        var inspected = try Inspected(stores)
        inspected.command("filter needle")
        inspected.press("g <Enter>")
        #expect(titles(inspected) == ["[Documents]"], "\(inspected.screen)")
        inspected.press("<Enter>")
        #expect(titles(inspected) == ["[Documents]", "a.txt"], "\(inspected.screen)")
        inspected.press("<Enter> & <Enter>")
        #expect(inspected.opened?.unfolded == [])
        inspected.command("filter needle")
        inspected.press("g")
        inspected.performs = false
        inspected.press("<C-r>")
        let reload = inspected.asked
        inspected.command("filter all")
        #expect(inspected.opened?.filtering != nil && inspected.message?.hasPrefix("still planning") == true)
        inspected.performs = true
        for effect in reload {
            ScriptRunner.events(of: effect, on: inspected.inspection).forEach { inspected.send($0) }
        }
        inspected.command("filter all")
        #expect(inspected.opened?.filtering == nil && inspected.opened?.unfolded == [])
    }

    @Test("what a filter finds folded while something runs is unfolded once that has ended")
    func foundWhileBusy() throws {
        var stores = RudderStack.stores()
        stores[.files("Documents")] = ["a.txt": .string("needle")]
        var inspected = try Inspected(stores)
        inspected.performs = false
        inspected.press("<C-r>")
        let reload = inspected.asked
        inspected.command("filter needle")
        #expect(titles(inspected) == ["[Documents]"])
        inspected.performs = true
        for effect in reload {
            ScriptRunner.events(of: effect, on: inspected.inspection).forEach { inspected.send($0) }
        }
        #expect(titles(inspected) == ["[Documents]", "a.txt"], "\(inspected.screen)")
    }
}

/// A store that cannot be read, beside one that can.
private struct LockedStore: StoreReader {
    var stores: [StoreID] { [.defaults("a"), .defaults("locked")] }
    func problem(with store: StoreID) -> Unreadable? {
        store == .defaults("locked") ? Unreadable(.inaccessible, "the device was locked") : nil
    }
    func keys(in store: StoreID) -> any KeyList { Keys(store == .defaults("a") ? ["x"] : []) }
    func state(of key: Name, in store: StoreID) -> EntryState { .present(.integer(1)) }
}
