import Foundation
import MigrationEngine
import Reports
import StoreFormats
import Testing

@testable import Inspector

@Suite("What a person must see")
struct ScreenTests: DrawnScreens {
    @Test("80×24: what is open, what will happen, both sides, the selected row in full, the useful keys")
    func ordinary() throws {
        var inspected = try Inspected(RudderStack.stores())
        let frame = inspected.model.render(), rows = frame.rows
        #expect(rows[0] == "Vestige  com.acme.notes · values: 2→ 3⇢ 3≠ 1⌫ · 2 untouched · 2.3.1 · xcappdata")
        #expect(rows[1] == "rudderstack-v2:documented  0 of 9 steps applied · 8 to apply · 1 skipped")
        #expect(rows[2].contains(" Step ") && rows[2].contains(" Legacy, → Migrated "))
        #expect(frame.shows("Anonymous ID", styled: "selected"))
        #expect(rows[3].hasPrefix(" → Anonymous ID         migrates  fact identifierForVendor"))
        #expect(rows[4].hasPrefix("   → anonymous_id  \"9b574574-") && rows[6].contains("user_id  \"u-77\""))
        #expect(frame.text.contains("rule  the old SDK stored no anonymous ID"))
        #expect(rows[23].hasPrefix("a apply  ] problem") && rows[23].hasSuffix("? help"))
        #expect(frame.shows("a", styled: "footer-key"))
        #expect(frame.cursor == Position(x: 0, y: 3))
        inspected.press("G")
        #expect(lines(inspected).contains("   defaults://com.acme.notes: 2 entries that no step touches"))
    }

    @Test("40×12: one header line, both sides of a row one over the other, the detail below")
    func narrow() throws {
        let inspected = try Inspected(RudderStack.stores(), size: Size(width: 40, height: 12))
        let frame = inspected.model.render(), rows = frame.rows
        #expect(rows[0] == "0 of 9 steps applied · 8→ 1-  com.acme.…")
        #expect(rows[1].contains(" Step ") && rows[1].contains(" Legacy, "))
        #expect(rows[2].hasPrefix(" → Anonymous ID  migrates  "))
        #expect(rows[3].hasPrefix("   → ") && rows[3].contains("\"9b574574-"))
        #expect(frame.shows("Anonymous ID", styled: "selected"))
        #expect(frame.text.contains("── Anonymous ID ─"))
        #expect(rows[11].hasSuffix("? help"))
    }

    @Test("of the row under the cursor all up to its name's end is marked; value and loss look as in any row")
    func selection() throws {
        for size in [Size(width: 80, height: 24), Size(width: 120, height: 40)] {
            var inspected = try Inspected(RudderStack.stores(), size: size)
            inspected.go(to: "manual-session")
            let before = inspected.model.render(), sheet = try #require(Layout(inspected.model)).sheet
            #expect(before.shows("Session mode", styled: "selected") && before.shows("changes", styled: "warning"))
            #expect(!before.shows("is_manual_session  true", styled: "selected"))
            inspected.press("k")
            let after = inspected.model.render()
            let changed = sheet.rows.flatMap { y in sheet.columns.filter { before[$0, y] != after[$0, y] } }
            let end = 3 + "Session mode".count
            #expect(Set(changed) == Set(0..<end), "no other column of the list is drawn anew")
        }
    }

    @Test("40×10 is enough for a row, its detail and the keys")
    func smallest() throws {
        let rows = lines(try Inspected(RudderStack.stores(), size: Size(width: 40, height: 10)))
        #expect(rows.contains { $0.contains("→ Anonymous ID") })
        #expect(rows.contains { $0.contains("── Anonymous ID ─") })
        #expect(rows.last?.hasSuffix("? help") == true)
    }

    @Test("120×40: the list has the lines that it needs, and a long detail six, which Enter shows whole")
    func tall() throws {
        let size = Size(width: 120, height: 40)
        let others = Dictionary(uniqueKeysWithValues: (0..<40).map { (Name("other\($0)"), Value.integer($0)) })
        var many = try Inspected(RudderStack.stores(others), size: size)
        many.go(to: "traits")
        let layout = try #require(Layout(many.model))
        #expect(layout.detailLines.shown == 6 && layout.detailLines.total > 6)
        #expect(layout.sheetLines == 40 - 2 - 1 - 1 - 7 - 1)
        many.press("<Enter> <Enter>")
        let whole = try #require(Layout(many.model))
        #expect(whole.detailLines.shown >= whole.detailLines.total)
        let few = try #require(Layout(try Inspected(RudderStack.stores(), size: Size(width: 120, height: 70)).model))
        #expect(few.detailLines.shown > 6, "what the list does not need is the detail's")
    }

    @Test("200×50: the detail stands beside the sheet, with before and after side by side")
    func wide() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 200, height: 50))
        inspected.go(to: "traits")
        let frame = inspected.model.render(), rows = frame.rows
        #expect(rows[2].contains("┌─ Traits ─"))
        #expect(rows[3].contains("→ Anonymous ID") && rows[3].contains("→ migrates"))
        let email = try #require(rows.first { $0.contains("email: ‹masked") })
        #expect(email.components(separatedBy: "email: ‹masked").count == 3)
        // Beside it stands a row of the list, which may have the sign of a skipped step.
        let details = rows.map { String($0.dropFirst(120)) }
        #expect(details.contains { $0.contains("- ") == false && $0.contains("plan: \"pro\"") })
        #expect(frame.shows("userId", styled: "key") && frame.shows("u-77", styled: "removed"))
    }

    @Test("smaller than 40×10, the screen says what it needs", arguments: [(10, 4), (39, 24), (80, 9), (6, 1)])
    func tooSmall(width: Int, height: Int) throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: width, height: height))
        #expect(inspected.screen.contains("40x10"))
        inspected.press("j A <Enter> ?")
        #expect(inspected.screen.contains("40x10"))
        inspected.press("<Esc>")
        inspected.resize(80, 24)
        #expect(inspected.screen.contains("Vestige"))
    }

    @Test(
        "an outcome is a sign and a word, never a colour alone",
        arguments: [
            ("migrates", "→", ">", "added"), ("unchanged", "=", "=", "dim"), ("skipped", "-", "-", "dim"),
            ("blocked", "?", "?", "warning"), ("conflict", "!", "!", "problem"), ("failed", "✗", "X", "problem"),
            ("applied", "✓", "*", "done"),
        ])
    func signs(word: String, sign: String, ascii: String, role: String) throws {
        for glyphs in Glyphs.allCases {
            var inspected = try Inspected(
                RudderStack.stores(
                    ["rl_session_id": .string("x")],
                    migrated: ["user_id": .string("z"), "rudder.app_build": .integer(417)]),
                facts: .notes.without(.uptime), size: Size(width: 120, height: 40), glyphs: glyphs)
            inspected.command("apply next")
            let frame = inspected.model.render()
            let mark = glyphs == .ascii ? ascii : sign
            let row = frame.rows.first { $0.contains(" \(word) ") && $0.dropFirst().hasPrefix(mark) }
            #expect(row != nil, "\(frame.text)")
            #expect(frame.shows(word, styled: role) && frame.shows(mark, styled: role))
            // The help says what the sign means.
            inspected.resize(80, 60)
            inspected.press("? G")
            #expect(
                inspected.model.render().rows.contains { $0.trimmingPrefix { $0 == " " }.hasPrefix("\(mark) \(word)") })
        }
    }

    @Test("the first row is one that failed, before any that waits")
    func first() throws {
        let facts = Facts.notes.without(.writeKey, .identifierForVendor)
        let stores = RudderStack.stores(["rl_session_id": .string("x")])
        let opened = try Inspected(stores, facts: facts).opened
        #expect(opened?.step?.outcome.kind == .failed && opened?.plan?.steps.first?.outcome.kind == .blocked)
    }

    @Test("a store or an entry that cannot be read says why, and is not taken for empty")
    func unreadable() throws {
        let locked = Unreadable(.locked, "the device was locked")
        let stores = UnreadableStores(reason: locked)
        var inspected = try Inspected(stores, migrations: [])
        #expect(inspected.screen.contains("defaults://locked  cannot be read: the device was locked"))
        #expect(inspected.screen.contains("why   the device was locked"))
        inspected.press("j <Enter> j")
        #expect(inspected.screen.contains("entry  locked"))
        #expect(inspected.screen.contains("cannot be read: the device was locked"))
    }

    @Test("a secret is shown as masked, and revealed by one deliberate key")
    func masked() throws {
        var inspected = try Inspected(
            RudderStack.stores(["accessToken": .string("hunter2")]), size: Size(width: 140, height: 24))
        inspected.press("G")
        #expect(inspected.model.render().shows("‹masked string, 7 characters›", styled: "masked"))
        #expect(!inspected.screen.contains("hunter2"))
        inspected.press("v")
        #expect(inspected.message == "secrets are shown")
        #expect(inspected.screen.contains("accessToken  \"hunter2\""))
        inspected.press("v")
        #expect(!inspected.screen.contains("hunter2"))
    }

    @Test("the selection is seen without colour, in ASCII too")
    func selectionMark() throws {
        for (glyphs, mark) in [(Glyphs.unicode, "●"), (.ascii, "#")] {
            var inspected = try Inspected(RudderStack.stores(), glyphs: glyphs)
            inspected.press("g <Space>")
            #expect(lines(inspected)[3].hasPrefix(mark))
        }
    }
}
