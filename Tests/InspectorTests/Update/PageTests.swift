import Foundation
import MigrationEngine
import Reports
import StoreFormats
import TestSupport
import Testing
import Workspace

@testable import Inspector

@Suite("Pages that lead somewhere")
struct PageTests {
    private struct Asking: Migration {
        let facts: [FactDefinition]
        let id = "asking", title = "Asking", summary = "Asks."
        let profiles = [Profile(id: "documented", summary: "as it is")]

        func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], []) }
        func steps(profile: Profile, facts: Facts) -> [Step] { [] }
    }

    private func line(under inspected: Inspected) -> String {
        guard let page = inspected.model.page, let cursor = page.cursor else { return "" }
        return PageView.text(page, inspected.model)[cursor].runs.map(\.text).joined()
    }

    @Test("the facts say where they came from and for what; Enter changes one, with its value in the line")
    func facts() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.uptime))
        inspected.press("F")
        let all = PageView.text(try #require(inspected.model.page), inspected.model)
        let text = (0..<all.count).map { all[$0].runs.map(\.text).joined() }.joined(separator: "\n")
        for definition in try #require(inspected.opened?.migration?.facts) {
            #expect(text.contains(definition.name.rawValue) && text.contains(definition.meaning.prefix(30)))
        }
        #expect(text.contains("for: Anonymous ID") && text.contains("for every step"))
        inspected.command("search uptime")
        #expect(line(under: inspected).hasPrefix("uptime") && line(under: inspected).hasSuffix("not known"))
        inspected.press("<Enter>")
        #expect(inspected.model.prompt?.purpose == .fact(.uptime) && inspected.model.prompt?.text == "")
        inspected.type("10000")
        inspected.press("<Enter>")
        #expect(inspected.model.page?.subject == .facts && line(under: inspected).hasSuffix("2h 46min 40s"))
        #expect(inspected.plan?.facts[.uptime]?.value == "10000")
        inspected.press("<Enter>")
        #expect(inspected.model.prompt?.text == "2h 46min 40s", "the old value is there to be changed")
        inspected.press("<C-u> <Enter>")
        #expect(inspected.plan?.facts[.uptime] == nil, "an emptied line takes a given fact back")
        #expect(line(under: inspected).hasSuffix("not known"))
        inspected.press("<Enter> <Esc>")
        #expect(inspected.model.prompt == nil && inspected.model.page?.subject == .facts)
        inspected.press("<Esc>")
        #expect(inspected.model.page == nil && inspected.applied == [])
    }

    @Test("a secret fact is masked on its page, and an empty line does not take it back")
    func secretFact() throws {
        let name = FactName(rawValue: "apiPassword")
        let definition = FactDefinition(name, "the password of the service", form: .text, example: "x")
        var facts = Facts.notes
        facts[name] = Fact("hunter2horse", from: .given("--fact"))
        var inspected = try Inspected(
            RudderStack.stores(), facts: facts, migrations: [Asking(facts: [definition])])
        inspected.press("F G")
        #expect(line(under: inspected).contains("apiPassword") && line(under: inspected).contains("‹masked"))
        inspected.press("<Enter>")
        #expect(inspected.model.prompt?.text == "")
        inspected.press("<Enter>")
        #expect(inspected.plan?.facts[name]?.value == "hunter2horse")
        #expect(!inspected.screen.contains("hunter2horse"))
    }

    @Test("a warning that names an entry or a file leads there; one that names nothing says so")
    func warnings() throws {
        let stores = MemoryStores([(.defaults("a"), ["one": .bool(true)]), (.defaults("b"), ["other": .bool(false)])])
        let entry = Address(store: .defaults("b"), key: "other")
        var inspected = try Inspected(stores, migrations: []) {
            $0.warnings = [
                "nothing", Warning(text: "a key stands twice", subject: .address(entry)),
                Warning(text: "a file", subject: .file("a.plist")),
                Warning(text: "elsewhere", subject: .file("Info.plist")),
            ]
        }
        inspected.press("w <Enter>")
        #expect(inspected.model.page?.subject == .warnings)
        #expect(inspected.message == "this names nothing that the list could show")
        inspected.press("j")
        #expect(line(under: inspected) == "! a key stands twice")
        inspected.press("<Enter>")
        #expect(inspected.model.page == nil && inspected.opened?.row == .entry(.defaults("b"), key: "other"))
        inspected.press("<Esc> w j <Enter>")
        #expect(inspected.opened?.row == .entry(.defaults("b"), key: "other"), "a store that was folded is unfolded")
        inspected.press("w j j <Enter>")
        #expect(inspected.opened?.row == .store(.defaults("a")))
        inspected.press("w G k <Enter>")
        #expect(inspected.message == "Info.plist is in no store of this app" && inspected.model.page != nil)
        inspected.press("<Esc>")
        inspected.command("filter nothing-has-this")
        inspected.press("w j <Enter>")
        #expect(inspected.message?.hasPrefix("the filter hides ") == true)
    }

    @Test("f shows the facts where none is missing")
    func nothingMissing() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("f")
        #expect(inspected.model.page?.subject == .facts && inspected.model.prompt == nil)
    }

    @Test(
        "the history has each entry, the newest first: what, when, by whom, with which facts; Enter goes to that point")
    func history() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 250, height: 24))
        inspected.press("T")
        #expect(inspected.screen.contains("the dump as it is; nothing has been applied"))
        inspected.press("<Esc> a a u T")
        let screen = inspected.screen
        let order = ["#3", "rolled back #2", "#2", "applied, taken back", "#1", "applied  Anonymous ID"]
        var rest = screen[...]
        for part in order {
            rest = try #require(rest.range(of: part).map { rest[$0.upperBound...] }, "\(part)\n\(screen)")
        }
        let stamp = LedgerEntry.Stamp.test
        #expect(screen.contains("by \(stamp.author)") && screen.contains("Vestige \(stamp.toolVersion)"))
        #expect(screen.contains("writeKey wk"))
        inspected.press("G k <Enter>")
        #expect(inspected.model.page == nil && inspected.opened?.step?.id == "anonymous-id")
        #expect(inspected.opened?.moment == .after(entry: 1))
    }

    @Test("the history has its facts to their end, however narrow the screen", arguments: [40, 80])
    func narrowHistory(width: Int) throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: width, height: 24))
        inspected.press("a a T")
        let words = inspected.screen.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains("writeKey wk") && words.contains("uptime 2h 46min 40s"), "\(inspected.screen)")
        inspected.press("j <Enter>")
        #expect(inspected.model.page == nil && inspected.opened?.step?.id == "anonymous-id")
    }

    @Test("a page that was opened from another comes back to it", arguments: ["F", "T", "w"])
    func below(key: String) throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press(key)
        let subject = inspected.model.page?.subject
        inspected.press("? <Esc>")
        #expect(subject != nil && inspected.model.page?.subject == subject)
        inspected.press("<Esc>")
        #expect(inspected.model.page == nil)
    }

    @Test("the palette finds by a few letters what can be done now, and does it", arguments: [80, 120])
    func palette(width: Int) throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: width, height: 24))
        inspected.press("<C-p>")
        inspected.type("sesid")
        #expect(line(under: inspected).hasPrefix("step Session ID"))
        inspected.press("<Enter>")
        #expect(inspected.opened?.step?.id == "session-id" && inspected.model.page == nil)
        inspected.press("<C-p>")
        inspected.type("sdk12")
        #expect(line(under: inspected).hasPrefix("profile sdk-1.2"))
        inspected.press("<Enter>")
        #expect(inspected.opened?.profile?.id == "sdk-1.2")
        inspected.press("<C-p>")
        inspected.type("fact upt")
        inspected.press("<Enter>")
        #expect(inspected.model.prompt?.purpose == .fact(.uptime) && inspected.model.page == nil)
        inspected.press("<Esc> <C-p>")
        inspected.type("rollback")
        #expect(line(under: inspected).contains("not now: nothing is applied"))
        inspected.press("<Esc>")
        #expect(inspected.model.page == nil && inspected.model.prompt == nil, "Esc closes the list with its line")
        inspected.press("<C-p>")
        inspected.type("zzzz")
        #expect(inspected.screen.contains("Nothing is like that."))
        inspected.press("<Enter>")
        #expect(inspected.applied == [] && inspected.model.page == nil)
        inspected.press("<C-p> <Down> <Down> <Up>")
        #expect(inspected.model.page?.cursor == 1)
        inspected.press("<Backspace>")
        #expect(inspected.model.page == nil, "the line is left, and the list with it")
    }

    @Test("letters side by side and at the beginnings of words are likest")
    func likeness() throws {
        func order(_ typed: String, _ texts: [String]) -> [String] {
            texts.compactMap { text in Likeness.Sought(typed).likeness(in: text).map { ($0, text) } }
                .sorted { $0.0 < $1.0 }.map(\.1)
        }
        #expect(order("app", ["snapple", "application", "alpha", "apply"]) == ["apply", "application", "snapple"])
        #expect(order("sid", ["residue", "session id", "side"]) == ["side", "residue", "session id"])
        #expect(order("SID", ["session-id"]) == ["session-id"] && order("ids", ["session-id"]).isEmpty)
        #expect(order("", ["b", "a"]) == ["b", "a"])
    }

    @Test("what is typed behind a refused key that asks for a text is no keys", arguments: ["&", "/", "f", "e"])
    func refusedKeys(key: String) throws {
        let snapshot = try #require(Start.legacy.inspected().opened).snapshot
        var model = Model(size: Size(width: 80, height: 24), opened: OpenContainer(snapshot))
        model.page = key == "/" ? nil : Page(subject: .warnings)
        for character in key + "aq" { _ = model.update(.terminal(.key(.character(character)))) }
        #expect(!model.hasQuit && model.busy == nil)
        #expect(model.prompt?.text.hasSuffix("aq") == true)
    }

    @Test("the cursor of a page stays in sight, with all that belongs to it")
    func window() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 60, height: 14))
        inspected.press("F")
        for key in ["j", "j", "G", "k", "<PageUp>", "g", "<PageDown>", "<PageDown>", "G"] {
            inspected.press(key)
            let page = try #require(inspected.model.page), cursor = try #require(page.cursor)
            let text = PageView.text(page, inspected.model), shown = try #require(Layout(inspected.model)).bodyRows
            #expect(text.isTarget(cursor) && page.top <= cursor && cursor < page.top + shown)
            #expect(text.item(at: cursor).upperBound <= page.top + shown || page.top == cursor)
        }
        let last = try #require(inspected.opened?.migration?.facts.last)
        #expect(line(under: inspected).hasPrefix(last.name.rawValue))
    }

    @Test(
        "R shows the report of what applies, or of the profile that was chosen; it is looked through and written anew at another width"
    )
    func report() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("R")
        #expect(inspected.model.page?.subject == .report && inspected.screen.contains("report of all"))
        #expect(inspected.message?.hasPrefix(":report FILE writes it") == true)
        inspected.type("/line 59")
        inspected.press("<Enter>")
        #expect(inspected.message == "“line 59”, 1 of 1" && inspected.screen.contains("line 59"))
        inspected.resize(60, 20)
        #expect(inspected.screen.contains("line 59"))
        inspected.press("<Esc> p R")
        #expect(inspected.screen.contains("report of rudderstack-v2:sdk-1.1"))
    }

    @Test("a report is not written under a name that ends as another form does, and no report is made for that")
    func reportForms() throws {
        var inspected = try Inspected(RudderStack.stores())
        for name in ["x.pdf", "\"a b.JSON\"", "/no.where/r.docx"] {
            inspected.command("report \(name)")
            #expect(inspected.message?.contains("Markdown (.md), HTML (.html) or text (.txt)") == true)
            #expect(inspected.asked.isEmpty && inspected.model.reports.isEmpty)
        }
        let forms: [(String, ReportFile.Form?)] = [
            ("r.md", .markdown), ("r.HTM", .html), ("r.txt", .text), ("r", .text), ("pdf", .text), ("v1.2/r", .text),
            ("r.2024-05", .text), (".r", .text), ("r.md.pdf", nil), ("r.htlm", nil),
        ]
        for (name, form) in forms { #expect(ReportFile.Form(of: name) == form, "\(name)") }
    }

    @Test("a path may stand in quotation marks, whichever command takes it")
    func quotedPaths() throws {
        var inspected = try Inspected(RudderStack.stores())
        for (typed, path) in [("a b", "a b"), ("\"a b\"", "a b"), ("--unpacked \"a b\"", "a b"), ("a\"b", "a\"b")] {
            inspected.command("export \(typed)")
            #expect(inspected.message?.hasPrefix("exported to \(path), ") == true, "\(inspected.message ?? "")")
        }
    }

    @Test(
        "a page that becomes shorter while the window is too small to be drawn keeps its cursor on a line",
        arguments: ["d", "x", "<Enter>", "y"])
    func shorter(key: String) throws {
        var inspected = try Inspected(RudderStack.stores(), chosen: ("rudderstack-v2", "sdk-1.1"))
        inspected.press("T g F P")
        inspected.resize(37, 26)
        inspected.press("! <Esc> \(key)")
        inspected.resize(80, 24)
        inspected.press("<Esc> T G")
        inspected.resize(20, 5)
        inspected.command("profile documented")
        inspected.press(key)
        inspected.resize(80, 24)
        let text = PageView.text(Page(subject: .history), inspected.model)
        if let page = inspected.model.page, let cursor = page.cursor, page.subject == .history {
            #expect(text.isTarget(cursor))
        }
        #expect(text[text.count + 5].runs.isEmpty)
    }

    @Test("the palette finds keys, addresses and stores, and does not begin with how one moves")
    func paletteOfKeys() throws {
        var stores = RudderStack.stores()
        stores[.files("Documents")] = ["note.txt": .string("x")]
        var inspected = try Inspected(stores)
        inspected.press("<C-p>")
        #expect(!inspected.screen.contains("\n down") && inspected.screen.contains("next-problem"))
        inspected.type("rs_user")
        inspected.press("<Enter>")
        #expect(inspected.opened?.step?.id == "user-id")
        inspected.press("<C-p>")
        inspected.type("key launches")
        inspected.press("<Enter>")
        #expect(inspected.opened?.row == .entry(RudderStack.legacy, key: "launches"))
        inspected.press("<C-p>")
        inspected.type("store Documents")
        inspected.press("<Enter>")
        #expect(inspected.opened?.row == .store(.files("Documents")))
    }

    @Test("the palette finds a store that stands behind thousands of entries")
    func paletteOfManyEntries() throws {
        let many = Members((0..<3_000).map { Member(key: Name("k\($0)"), value: .integer($0)) })
        var inspected = try Inspected(
            MemoryStores([(.defaults("app"), many), (.files("Documents"), ["note.txt": .string("x")])]))
        inspected.press("g <Enter> <C-p>")
        inspected.type("store Documents")
        inspected.press("<Enter>")
        #expect(inspected.opened?.unfolded.contains(.defaults("app")) == true)
        #expect(inspected.opened?.row == .store(.files("Documents")))
    }

    @Test("the palette finds keys that are folded, with their store or as noise, and unfolds them")
    func paletteOfFoldedKeys() throws {
        var stores = RudderStack.stores()
        stores[.files("Documents")] = ["note.txt": .string("x")]
        stores[.defaults("app")] = ["own": .integer(1), "AppleLocale": .string("de")]
        for (typed, store, key) in [
            ("note.txt", StoreID.files("Documents"), "note.txt"), ("applelocale", .defaults("app"), "AppleLocale"),
        ] as [(String, StoreID, Name)] {
            var inspected = try Inspected(stores)
            #expect(inspected.opened?.sheet.position(of: .entry(store, key: key)) == nil)
            inspected.press("<C-p>")
            inspected.type(typed)
            #expect(line(under: inspected).hasPrefix("key \(key)"), "\(inspected.screen)")
            inspected.press("<Enter>")
            #expect(inspected.opened?.row == .entry(store, key: key), "\(inspected.screen)")
        }
    }

    @Test("typing in the palette reads no key in its time, and what was looked for before is given up")
    func paletteBeside() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("<C-p>")
        inspected.performs = false
        let effects = inspected.model.update(.terminal(.key(.character("a"))))
        #expect(effects.contains { $0 is PaletteSearch && $0.lane == .search })
        #expect(inspected.model.update(.terminal(.key(.character("a")))).contains { $0 is PaletteSearch })
        #expect(
            !inspected.model.update(.terminal(.key(.down))).contains { $0 is PaletteSearch }, "nothing new is typed")
    }

    @Test("V checks what was applied, as the command line does, on a page of its own")
    func verification() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("a V")
        #expect(inspected.model.page?.subject == .verification && inspected.screen.contains("1 verified"))
        inspected.press("<Esc>")
        #expect(inspected.model.page == nil)
    }

    @Test("the pages of a report and of a check follow what is in view: another profile, other entries, secrets shown")
    func following() throws {
        var inspected = try Inspected(RudderStack.stores(), chosen: ("rudderstack-v2", "sdk-1.1"))
        func shows(_ text: String) -> Bool { inspected.screen.contains(text) }
        inspected.press("R")
        #expect(shows("report of rudderstack-v2:sdk-1.1") && shows("0 stand, secrets masked"))
        inspected.command("profile sdk-1.2")
        #expect(shows("report of rudderstack-v2:sdk-1.2"), "\(inspected.screen)")
        #expect(inspected.message?.hasPrefix("sdk-1.2: ") == true, "what was said of it stays")
        inspected.press("v")
        #expect(shows("0 stand, secrets shown"))
        func applyElsewhere() throws {
            try inspected.workspace.meanwhile { session, facts in
                _ = try session.apply(
                    .next, of: RudderStack.migration, profile: RudderStack.migration.profiles[0], facts: facts,
                    stamp: .test)
            }
        }
        try applyElsewhere()
        inspected.press("j")
        #expect(shows("1 stand, secrets shown") && inspected.message == "another program has changed the ledger")
        #expect(inspected.model.page?.top == 1, "the page stays where one was")
        inspected.press("<Esc> V")
        #expect(shows("1 verified"))
        try applyElsewhere()
        inspected.press("<C-r>")
        #expect(shows("2 verified"))
        inspected.performs = false
        inspected.press("v")
        inspected.fail(.cancelled)
        #expect(
            inspected.message == "stopped; the page is as it was; \(inspected.model.key(.reload)) makes it anew"
                && shows("2 verified"))
        #expect(inspected.model.busy == nil, "what was stopped is not begun again")
    }

    @Test("the palette finds an action by what it does, also one that cannot be done now, and says why")
    func paletteByMeaning() throws {
        var inspected = try Inspected(RudderStack.stores())
        func first(_ typed: String) -> String {
            inspected.press("<C-p>")
            inspected.type(typed)
            defer { inspected.press("<Esc>") }
            return line(under: inspected)
        }
        for typed in ["timeline", "history"] { #expect(first(typed).hasPrefix("history "), "\(first(typed))") }
        for typed in ["undo", "roll", "roll back"] {
            #expect(first(typed).hasPrefix("rollback") && first(typed).contains("not now: nothing is applied"))
        }
        inspected.press("a")
        #expect(first("undo").contains("undo: take the last applied step back"))
        #expect(first("there already").hasPrefix("filter there already"))
        inspected.press("<C-p>")
        inspected.type("changed in meaning")
        inspected.press("<Enter>")
        #expect(inspected.opened?.filtering?.filter == .fate(.effect(.changed)))
    }

    @Test("a question that is asked on a page is answered there, and y of nothing on the report says what writes it")
    func answeredOnPage() throws {
        var inspected = try Inspected(RudderStack.stores()) {
            $0.drift = [Drift("a.plist", .changed)]
        }
        inspected.press("R y")
        #expect(inspected.message == "copy: :report FILE writes what is on this page to a file")
        inspected.command("export out")
        #expect(inspected.model.question != nil)
        inspected.press("y")
        #expect(inspected.message?.hasPrefix("exported to out") == true, "\(inspected.message ?? "")")
    }

    @Test("a point of the timeline that is nearly named is proposed, and Tab proposes a folder that is not there")
    func proposed() throws {
        let folder = try TemporaryFolder(), title = folder("app")
        var inspected = try Inspected(RudderStack.stores()) { $0.title = "app" }
        inspected.command("at user-ida")
        #expect(inspected.message == "there is no point “user-ida”; did you mean user-id?")
        inspected.press("e <Tab>")
        #expect(inspected.model.prompt?.text == "export app-migrated ")
        #expect(ProposingFolder(name: title).perform(on: inspected.inspection, EffectControl()) == title)
        try FileManager.default.createDirectory(atPath: title, withIntermediateDirectories: true)
        #expect(ProposingFolder(name: title).perform(on: inspected.inspection, EffectControl()) == title + "-2")
    }
}
