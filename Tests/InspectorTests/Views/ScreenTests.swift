import Foundation
import MigrationEngine
import Reports
import StoreFormats
import TestSupport
import Testing
import Workspace

@testable import Inspector

@Suite("What a person must see")
struct ScreenTests {
    private func lines(_ inspected: Inspected) -> [String] { inspected.model.render().rows }

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
        #expect(frame.text.contains("─ Anonymous ID ─"))
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

    @Test("what waits only for a name is counted by what will become of it, and is no more secret than with the name")
    func waitingForName() throws {
        let size = Size(width: 120, height: 40)
        let known = try Inspected(RudderStack.stores(), size: size)
        let waiting = try Inspected(RudderStack.stores(), facts: .notes.without(.writeKey), size: size)
        #expect(lines(waiting)[0] == lines(known)[0] && lines(known)[0].contains("1 dropped"))
        #expect(lines(waiting)[1].contains("blocked"))
        #expect(waiting.screen.contains("session_id  \"17"), "\(waiting.screen)")
    }

    @Test("40×10 is enough for a row, its detail and the keys")
    func smallest() throws {
        let rows = lines(try Inspected(RudderStack.stores(), size: Size(width: 40, height: 10)))
        #expect(rows.contains { $0.contains("→ Anonymous ID") })
        #expect(rows.contains { $0.contains("─ Anonymous ID ─") })
        #expect(rows.last?.hasSuffix("? help") == true)
    }

    @Test("200×50: the detail stands beside the sheet, with before and after side by side")
    func wide() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 200, height: 50))
        inspected.go(to: "traits")
        let frame = inspected.model.render(), rows = frame.rows
        #expect(rows[2].contains("┌─ Traits ──"))
        #expect(rows[3].contains("→ Anonymous ID") && rows[3].contains("→ migrates"))
        let email = try #require(rows.first { $0.contains("email: ‹masked") })
        #expect(email.components(separatedBy: "email: ‹masked").count == 3)
        // Beside it stands a row of the list, which may have the sign of a skipped step.
        let details = rows.map { String($0.dropFirst(120)) }
        #expect(details.contains { $0.contains("- ") == false && $0.contains("plan: \"pro\"") })
        #expect(frame.shows("userId", styled: "key") && frame.shows("u-77", styled: "removed"))
    }

    @Test("a step that was applied to another store than the column is of, as a fact has changed since, says to which")
    func otherStore() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 160, height: 40))
        func row() throws -> Substring {
            try #require(inspected.screen.split(separator: "\n").first { $0.contains("✓ Session ID") })
        }
        inspected.command("apply session-id")
        #expect(try !row().contains("/session_id"), "\(inspected.screen)")
        inspected.command("fact writeKey=other")
        #expect(try row().contains(" wk/session_id"), "\(inspected.screen)")
        #expect(inspected.screen.contains("Migrated  com.acme.notes.analytics.other"), "\(inspected.screen)")
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

    @Test("the footer shows what can be done now, and nothing else")
    func footer() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.uptime))
        func footer() -> String { lines(inspected).last ?? "" }
        #expect(footer().contains("f fact") && !footer().contains("u roll back") && !footer().contains("s apply"))
        inspected.press("A")
        #expect(footer().contains("u roll back") && !footer().contains("a apply"))
        inspected.command("fact uptime=10000")
        inspected.go(to: "last-activity-time")
        inspected.press("<Space> g")
        #expect(
            !footer().contains("f fact") && footer().contains("a apply next")
                && footer().contains("s apply selected"))
        inspected.press(":")
        #expect(footer() == "Enter runs · Esc cancels · Tab completes")
    }

    @Test("what a person must know of the dump is in the header at 80 columns, however long its details are")
    func header() throws {
        var inspected = try Inspected(RudderStack.stores()) {
            $0.details = ["2.3.1", "xcappdata", "taken 2024-08-30 06:39.58.214 in a long story of its own"]
            $0.drift = [Drift("x", .changed)]
            $0.readOnlyReason = "another program has it"
        }
        inspected.press("v")
        let frame = inspected.model.render()
        #expect(frame.rows[0].contains("dump changed (w) · read-only · secrets shown"))
        #expect(frame.shows("dump changed", styled: "problem") && frame.shows("secrets shown", styled: "warning"))
    }

    @Test("a dump in which no migration finds anything says so, and shows its stores")
    func noMigration() throws {
        let frame = try Start.noMigration.inspected().model.render()
        #expect(frame.rows[1].hasPrefix("no migration applies here: :spec says what to do; m looks at one"))
        #expect(frame.text.contains("▾ defaults://a  1 entry") && frame.text.contains("▾ file://Documents  1 entry"))
    }

    @Test("where no migration applies, w says how one comes by a spec, and the detail of a store has its values")
    func withoutMigration() throws {
        var inspected = try Start.noMigration.inspected()
        inspected.press("g")
        #expect(inspected.screen.contains("b  true"), "\(inspected.screen)")
        inspected.press("w")
        for said in ["vestige specs new", "--spec FILE", ":compare DUMP"] { #expect(inspected.screen.contains(said)) }
    }

    @Test("steps that stand of a migration that nobody has given are told in the header and among the warnings")
    func foreign() throws {
        var given = try Inspected(RudderStack.stores())
        given.press("a a")
        let history = given.workspace.snapshot.history.entries
        var inspected = try Inspected(RudderStack.stores(), migrations: [], history: history)
        #expect(inspected.screen.contains("2 steps applied by a spec that is not given (w)"), "\(inspected.screen)")
        inspected.press("w")
        #expect(inspected.screen.contains("2 steps of the migration rudderstack-v2 are applied"), "\(inspected.screen)")
    }

    @Test("the counts name every kind of step, at 80 columns by its sign", arguments: [80, 120])
    func counts(width: Int) throws {
        let inspected = try Inspected(
            RudderStack.stores(migrated: ["user_id": .string("else"), "session_id": .string("1724990100")]),
            facts: .notes.without(.uptime), size: Size(width: width, height: 24))
        let line = inspected.model.render().rows[1]
        let said =
            width == 80
            ? "0 of 9 steps applied · 1! 1? 5→ 1="
            : "0 of 9 steps applied · 1 in conflict · 1 blocked · 5 to apply · 1 unchanged"
        #expect(line.contains(said), "\(line)")
    }

    @Test("a row shows the value that its step takes, also where it is in conflict or stands there already")
    func taken() throws {
        for user in ["else", "u-77"] {
            let inspected = try Inspected(
                RudderStack.stores(migrated: ["user_id": .string(user)]), size: Size(width: 120, height: 40))
            let row = try #require(inspected.model.render().rows.first { $0.contains("User ID ") })
            #expect(row.contains("rs_traits#/userId  \"u-77\""), "\(row)")
        }
    }

    @Test("rows that wait for a name show what will be written, and the store with the name in braces")
    func sketched() throws {
        var inspected = try Inspected(
            RudderStack.stores(), facts: .notes.without(.writeKey), size: Size(width: 160, height: 40))
        inspected.go(to: "user-id")
        let rows = inspected.model.render().rows, first = try #require(rows.firstIndex { $0.contains("User ID ") })
        let row = rows[first] + rows[first + 1]
        for text in ["rs_traits#/userId  \"u-77\"", "≠", "{writeKey}/user_id  \"u-77\""] {
            #expect(row.contains(text), "\(row)")
        }
        for text in [
            "Migrated  com.acme.notes.analytics.{writeKey}", "defaults://com.acme.notes.analytics.{writeKey}/user_id",
            "8 blocked",
        ] {
            #expect(inspected.screen.contains(text), "\(inspected.screen)")
        }
        // Nothing of it can be applied before somebody gives the name.
        inspected.press("a")
        #expect(inspected.applied == [])
    }

    @Test("a step that is applied says what it has lost, as loud as before")
    func lost() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 120, height: 40))
        inspected.command("apply user-id")
        let frame = inspected.model.render()
        let row = try #require(frame.rows.first { $0.contains("✓ User ID ") }, "\(frame.text)")
        let step = try #require(inspected.opened?.plan?.steps.first { $0.id == "user-id" })
        let words = ["dropped 1", "changed"].filter(row.contains)
        #expect(words == [step.listWord.text] && step.loss?.sign(.unicode).role == step.listWord.role, "\(row)")
    }

    @Test("a name that is missing stands in the head of its column also where there is room for its end alone")
    func sketchedHead() throws {
        let inspected = try Inspected(
            RudderStack.stores(), facts: .notes.without(.writeKey), size: Size(width: 120, height: 40))
        #expect(inspected.screen.contains("ics.{writeKey}"), "\(inspected.screen)")
    }

    @Test("a key of the footer stays in its column as the cursor moves from row to row", arguments: [120, 200])
    func stableFooter(width: Int) throws {
        var inspected = try Inspected(
            RudderStack.stores(), facts: .notes.without(.uptime), size: Size(width: width, height: 40))
        inspected.press("g")
        var columns: [String: Set<Int>] = [:], rows = 0
        while true {
            for x in 0..<width {
                let key = FooterView.key(at: x, inspected.model)
                guard let key, FooterView.key(at: x - 1, inspected.model) != key else { continue }
                columns[key.notation, default: []].insert(x)
            }
            let row = inspected.opened?.cursor
            inspected.press("j")
            rows += 1
            guard inspected.opened?.cursor != row else { break }
        }
        #expect(rows > 10 && columns["a"] != nil && columns["f"] != nil)
        for (key, places) in columns { #expect(places.count == 1, "\(key) stands in \(places.sorted())") }
    }

    @Test("the first row is one that failed, before any that waits")
    func first() throws {
        let facts = Facts.notes.without(.writeKey, .identifierForVendor)
        let stores = RudderStack.stores(["rl_session_id": .string("x")])
        let opened = try Inspected(stores, facts: facts).opened
        #expect(opened?.step?.outcome.kind == .failed && opened?.plan?.steps.first?.outcome.kind == .blocked)
    }

    @Test("at 80 columns an entry that no step touches has its key in full")
    func keys() throws {
        var inspected = try Inspected(
            RudderStack.stores(["rs_opt_out_time": .integer(1_717_230_000), "rs_opt_in_time": .integer(1_717_229_000)]))
        inspected.press("G")
        for text in ["rs_opt_out_time  1717230000", "rs_opt_in_time  1717229000"] {
            #expect(inspected.screen.contains(text), "\(inspected.screen)")
        }
    }

    @Test("an app of which the dump holds nothing says so in the list, and below it what is known and what to do")
    func empty() throws {
        let screen = try Start.nothing.inspected().screen
        #expect(screen.contains("Nothing is here: the dump holds nothing of this app."), "\(screen)")
        #expect(screen.contains("No migration is known to apply to this app. To write one"), "\(screen)")
        #expect(screen.contains("q quit"))
        let unread = try Inspected(MemoryStores(), migrations: []) { $0.warnings = ["a.plist is locked"] }.screen
        #expect(unread.contains("Nothing is here that can be read; w lists what cannot."), "\(unread)")
    }

    @Test(
        "the header begins with what people call the app and its version, and its identifier stands behind the counts")
    func name() throws {
        let inspected = try Inspected(RudderStack.stores()) {
            $0.name = "Acme Notes 2.3.1"
            $0.details = ["xcappdata"]
        }
        let line = lines(inspected)[0]
        #expect(line == "Vestige  Acme Notes 2.3.1 · values: 2→ 3⇢ 3≠ 1⌫ · 2 untouched · com.acme.notes", "\(line)")
    }

    @Test("an entry that no step touches stands on the legacy side, also in a store that is on both")
    func bothSides() throws {
        let folder = try TemporaryFolder()
        let inspection = try Fixtures.inspection(of: "klivvr-v1.xcappdata", withFacts: false, ledger: folder)
        let runner = ScriptRunner(
            try inspection.start(
                container: nil, dump: "klivvr-v1", size: Size(width: 120, height: 40), glyphs: .unicode,
                masking: Masking()), on: inspection)
        let rows = runner.model.render().rows
        let head = try #require(rows.first { $0.contains(" Migrated ") })
        let row = try #require(rows.first { $0.contains("session_token") })
        func column(_ text: String, _ line: String) throws -> Int {
            line.distance(from: line.startIndex, to: try #require(line.range(of: text)).lowerBound)
        }
        #expect(try column("session_token", row) < column("Migrated", head), "\(row)")
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

    @Test("a step that removes tells what would be lost")
    func removal() throws {
        var inspected = try Inspected(
            RudderStack.stores(["rl_session_id": .string("x")]), chosen: ("rudderstack-v2", "sdk-1.1"),
            size: Size(width: 200, height: 60))
        inspected.command("apply all")
        inspected.go(to: "remove-legacy")
        let frame = inspected.model.render()
        #expect(frame.text.contains("it was not migrated and would be lost: rl_session_id is a string"))
        #expect(frame.shows("remove", styled: "heading"))
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

    @Test("the help lists every action with its keys, and why one is off now")
    func help() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 100, height: 260))
        inspected.press("?")
        let frame = inspected.model.render()
        for action in Action.all {
            let row = try #require(
                frame.rows.first { $0.split(separator: " ").contains { $0 == ":\(action.name)" } }, "\(action.name)")
            let words = row.split(separator: " ").map(String.init)
            #expect(action.keys.filter { !words.contains($0.notation) }.isEmpty, "\(action.name)")
        }
        #expect(
            frame.text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(
                "(now: nothing is applied)"))
        #expect(frame.shows(":rollback", styled: "dim") && frame.shows(":apply", styled: "key"))
    }

    @Test(
        "an app that no migration knows has its small stores unfolded, what is the system's last, and is told what to do"
    )
    func unknownApp() throws {
        let many = Members((0..<200).map { Member(key: Name("k\($0)"), value: .integer($0)) })
        var inspected = try Inspected(
            MemoryStores([
                (.defaults("com.apple.x"), ["noise": .bool(true)]), (.defaults("app"), ["theme": .string("dark")]),
                (.defaults("large"), many),
            ]), size: Size(width: 120, height: 24))
        #expect(inspected.screen.contains("theme  \"dark\"") && !inspected.screen.contains("noise"))
        // The first value is looked at, which says more than how many there are.
        #expect(inspected.opened?.row == .entry(.defaults("app"), key: "theme"))
        #expect(inspected.opened?.unfolded == [.defaults("app")])
        #expect(inspected.screen.contains(":spec says how to write one, :compare DUMP sets another beside it"))
        inspected.command("spec")
        #expect(inspected.screen.contains("vestige specs new"))
        inspected.press("<Esc>")
        inspected.command("compare /nowhere")
        #expect(inspected.message == "--compare DUMP names another dump when the inspector is started")
    }

    @Test("what is unfolded at first is folded for good once the person has folded it")
    func foldedForGood() throws {
        var inspected = try Inspected(
            MemoryStores([(.defaults("app"), ["theme": .string("dark")])]), size: Size(width: 120, height: 24))
        inspected.press("g <Enter>")
        #expect(inspected.opened?.unfolded == [])
        inspected.press("r")
        #expect(inspected.opened?.unfolded == [] && inspected.opened?.sheet.count == 1)
    }

    @Test("the help says what can be done beneath it, where its keys are pressed")
    func helpOfTheList() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 120, height: 40))
        inspected.press("?")
        let runs = HelpPage.lines(inspected.model).joined()
        for words in ["next problem", "show only some rows", "copy a value or sentence"] {
            let run = try #require(runs.first { $0.text == words })
            #expect(run.role == .text, "\(words)")
        }
    }

    @Test("what stays as it stands is not shown beside another value that lies elsewhere")
    func stays() throws {
        let folder = try TemporaryFolder()
        let inspection = try Fixtures.inspection(of: "shop-broken.xcappdata", withFacts: false, ledger: folder)
        let runner = ScriptRunner(
            try inspection.start(
                container: nil, dump: "shop-broken", size: Size(width: 120, height: 40), glyphs: .unicode,
                masking: Masking()), on: inspection)
        let rows = runner.model.render().rows
        let row = try #require(rows.first { $0.contains("= Visitor ID ") })
        #expect(row.contains("3F2504E0") && !row.contains("7C9E6679"), "\(row)")
    }

    @Test("the help can be read to its end on the smallest screen")
    func helpScrolls() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 40, height: 10))
        inspected.press("?")
        var seen: [String] = []
        for _ in 0..<HelpPage.lines(inspected.model).count {
            seen += lines(inspected)
            inspected.press("j")
        }
        let text = seen.joined(separator: "\n")
        for action in Action.all { #expect(text.contains(":\(action.name)")) }
        for word in ["migrates", "applied", "unchanged", "skipped", "blocked", "conflict", "failed"] {
            #expect(seen.contains { $0.contains(" \(word)") && $0.count <= 40 && !$0.hasSuffix("…") }, "\(word)")
        }
    }
}

/// A store that cannot be read, and one whose entry cannot.
struct UnreadableStores: StoreReader {
    let reason: Unreadable

    var stores: [StoreID] { [.defaults("locked"), .defaults("open")] }
    func problem(with store: StoreID) -> Unreadable? { store == .defaults("locked") ? reason : nil }
    func keys(in store: StoreID) -> any KeyList { Keys(store == .defaults("open") ? ["entry"] : []) }
    func state(of key: Name, in store: StoreID) -> EntryState {
        store == .defaults("open") && key == "entry" ? .unreadable(reason) : .absent
    }
}
