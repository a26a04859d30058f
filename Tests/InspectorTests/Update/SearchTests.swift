import Foundation
import MigrationEngine
import StoreFormats
import Synchronization
import Testing

@testable import Inspector

@Suite("Searching")
struct SearchTests {
    @Test(
        "a search goes down and round, through keys, titles, outcomes and values",
        arguments: [
            ("traits", "g", 1), ("session", "g", 3), ("SESSION", "g", nil), ("Session", "g", 3), ("u-77", "g", 1),
            ("1724995000", "g", 5), ("launches", "g", 11), ("dark", "g", 10), ("anonymous", "G", 0),
            ("skipped", "g", 6),
            ("theme", "G", 10), ("nowhere to be found", "g", nil), ("launches", "G", 11),
        ] as [(String, String, Int?)])
    func search(text: String, from: String, expected: Int?) throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press(from)
        let start = inspected.opened?.cursor
        inspected.type("/" + text)
        inspected.press("<Enter>")
        #expect(inspected.opened?.cursor == expected ?? start)
        if let expected {
            let matches = try #require(inspected.opened?.matches)
            #expect(inspected.message == "“\(text)”, \(matches.number(at: expected)) of \(matches.count)")
        } else {
            #expect(inspected.message == "“\(text)” is nowhere in keys, titles or values")
        }
    }

    @Test("what a row says of facts is found: the one that stands for a legacy entry, and the one that is missing")
    func facts() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.uptime))
        inspected.command("search uptime")
        #expect(inspected.opened?.step?.id == "last-activity-time", "\(inspected.message ?? "")")
        inspected.command("search identifierForVendor")
        #expect(inspected.opened?.step?.id == "anonymous-id")
    }

    @Test("What is masked is found neither by a search nor by a filter, until it is shown")
    func masked() throws {
        var inspected = try Start.secrets.inspected()
        for text in ["hunter2", "unter", "s3cr3t", "jane.roe"] {
            inspected.command("search \(text)")
            #expect(inspected.message?.hasPrefix("“\(text)” is nowhere") == true, "\(inspected.message ?? "")")
            inspected.command("filter \(text)")
            #expect(inspected.opened?.sheet.count == 0)
            inspected.command("filter all")
        }
        inspected.command("search ask")
        #expect(inspected.message?.contains(" of ") == true, "what stands beside a secret is found")
        inspected.press("v")
        inspected.command("search unter")
        #expect(inspected.message?.contains(" of ") == true)
    }

    @Test("where a folded store cannot be read there may be more than was counted")
    func gaps() throws {
        let stores = UnreadableStores(reason: Unreadable(.corrupt, "cut short"))
        var inspected = try Inspected(stores)
        inspected.command("search open")
        #expect(inspected.message == "“open”, 1 of at least 1")
        inspected.command("filter open")
        #expect(inspected.message?.hasPrefix("not all could be looked into") == true)
    }

    @Test("n goes on, N goes back, both round; Esc forgets what was looked for")
    func again() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("n")
        #expect(inspected.message == "next-match: nothing has been searched for; / searches")
        inspected.press("g")
        inspected.command("search rl_")
        var rows = [inspected.opened?.cursor]
        for key in ["n", "n", "N", "N", "N"] {
            inspected.press(key)
            rows.append(inspected.opened?.cursor)
        }
        #expect(rows == [3, 4, 5, 4, 3, 6])
        inspected.press("<Esc> n")
        #expect(inspected.message == "next-match: nothing has been searched for; / searches")
    }

    @Test("/ looks through the page that is open, and n goes on there")
    func page() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("? / r o l l b a c k <Enter>")
        let first = try #require(inspected.model.page?.top)
        #expect(inspected.screen.contains(":rollback") && first > 0)
        inspected.press("n")
        #expect(try #require(inspected.model.page?.top) > first)
        inspected.press("/ z z z <Enter>")
        #expect(inspected.message == "“zzz” is nowhere on this page")
        inspected.press("<Esc> n")
        #expect(inspected.message == "next-match: nothing has been searched for; / searches")
    }

    @Test("what lies deep in a value is found, in whatever format, and an entry of a folded store, which is unfolded")
    func deep() throws {
        let other = StoreID.defaults("com.acme.other"), deep = #"{"a":[{"b":"{\"c\":\"seagreen\"}"},{"d":4711}]}"#
        var stores = RudderStack.stores()
        stores[other] = [
            "first": .string("x"), "state": .data(Data(deep.utf8)), "finale": .dictionary([("e", .string("x"))]),
        ]
        for (text, key) in [("seagreen", "state"), ("4711", "state"), ("finale", "finale")] {
            var inspected = try Inspected(stores)
            let folded = try #require(inspected.opened?.sheet.count)
            inspected.press("g")
            inspected.command("search \(text)")
            #expect(inspected.opened?.row == .entry(other, key: Name(key)))
            #expect(inspected.opened?.sheet.count == folded + 3)
            #expect(inspected.message == "“\(text)”, 1 of 1")
            // The only one is found again, also upwards.
            let row = inspected.opened?.cursor
            inspected.press("n")
            #expect(inspected.opened?.cursor == row)
            inspected.press("N")
            #expect(inspected.opened?.cursor == row)
        }
        var inspected = try Inspected(stores)
        inspected.press("G")
        #expect(inspected.opened?.row == .store(other))
        inspected.command("search state")
        #expect(inspected.opened?.row == .entry(other, key: "state"), "right below the cursor")
        inspected.command("search seaGreen")
        #expect(inspected.message == "“seaGreen” is nowhere in keys, titles or values")
    }

    @Test("while it is typed, the screen goes to the first match; Esc puts back where one was, Enter stays, n goes on")
    func incremental() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("j")
        let before = inspected.model.render()
        inspected.type("/rl_s")
        #expect(inspected.opened?.step?.id == "session-id" && inspected.model.prompt != nil)
        #expect(inspected.message == "“rl_s”, 1 of 2")
        inspected.type("ession_m")
        #expect(inspected.opened?.step?.id == "manual-session", "from where one was, not from the match before")
        inspected.press("<BS> <BS>")
        #expect(inspected.opened?.step?.id == "session-id")
        inspected.type("zzz")
        #expect(inspected.opened?.step?.id == "user-id", "nowhere: one is where one was")
        inspected.press("<Esc>")
        #expect(inspected.model.render() == before)
        inspected.type("/rl_s")
        inspected.press("<Enter>")
        #expect(inspected.opened?.step?.id == "session-id" && inspected.message == "“rl_s”, 1 of 2")
        inspected.press("n")
        #expect(inspected.opened?.step?.id == "manual-session" && inspected.message == "“rl_s”, 2 of 2")
        inspected.press("? / r o l l b a c k")
        let line = try #require(inspected.model.page?.match)
        #expect(line > 0 && inspected.message?.hasPrefix("“rollback”, 1 of ") == true)
        inspected.press("<Esc>")
        #expect(inspected.model.page?.match == nil && inspected.model.page?.top == 0)
    }

    @Test(
        "matches are marked in the list, the detail and on pages, also in the row under the cursor and without colours")
    func marks() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 120, height: 40))
        inspected.type("/session")
        #expect(inspected.model.render().shows("session", styled: "match"), "while it is typed")
        inspected.press("<Enter>")
        let frame = inspected.model.render()
        let layout = try #require(Layout(inspected.model))
        let marked = (0..<frame.size.height).flatMap { frame.spans($0) }.filter { $0.style.role == .match }
        #expect(marked.contains { $0.style.selection == .selected && $0.text == "Session" })
        #expect(marked.contains { $0.position.y > layout.detail.origin.y }, "in the detail")
        let selected = Theme.look(of: Style(.text, selection: .selected)).monochrome
        #expect(Theme.look(of: Style(.match, selection: .selected)).monochrome != selected)
        #expect(Theme.look(of: Style(.match)).monochrome != Theme.look(of: Style(.text)).monochrome)
        inspected.press("? / s e s s i o n <Enter>")
        inspected.type("/screen")
        inspected.press("<Enter>")
        #expect(inspected.model.render().shows("screen", styled: "match"))
        inspected.press("<Esc> <Esc>")
        #expect(!inspected.model.render().shows("", styled: "match"), "Esc takes the marks away")
    }

    @Test("a match further down in a value comes into view with its row, also where the cursor was on it already")
    func landing() throws {
        let items = Value.array((0..<60).map { .string("item \($0)") })
        var inspected = try Inspected(RudderStack.stores(["many": items]), size: Size(width: 120, height: 40))
        for _ in 0..<2 {
            inspected.type("/item 30")
            inspected.press("<Enter>")
            #expect(inspected.screen.contains("item 30\""))
            #expect(inspected.model.render().shows("item 30", styled: "match"))
            inspected.press("g")
        }
        inspected.type("/item 30")
        inspected.press("<Enter> n n")
        #expect(inspected.screen.contains("item 30\"") && inspected.opened?.focus == .sheet)
    }

    @Test("the detail that has the keys is looked through; what is said of a row is found where no key or value has it")
    func detail() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 80, height: 16))
        inspected.go(to: "user-id")
        inspected.press("<Enter>")
        inspected.type("/guide")
        inspected.press("<Enter>")
        let line = try #require(inspected.opened?.detailMatch)
        #expect(inspected.opened?.detail?.line(at: line)?.text.contains("guide") == true)
        #expect(inspected.message?.hasPrefix("“guide”, 1 of ") == true && inspected.opened?.step?.id == "user-id")
        #expect(inspected.model.render().shows("guide", styled: "match"))
        inspected.command("search rl_session")
        let nowhere = "nowhere in this view; t shows others; Esc, then n, looks through the rows"
        #expect(inspected.message?.contains(nowhere) == true, "\(inspected.message ?? "")")
        inspected.press("<Esc> g")
        inspected.command("search guide")
        #expect(inspected.opened?.focus == .sheet && inspected.message?.hasPrefix("“guide”, ") == true)
        #expect(inspected.opened?.step?.rule.contains("guide") == true, "\(inspected.opened?.step?.rule ?? "")")
    }

    @Test("matches are counted with those in folded stores, in which a search that is typed goes to the store's row")
    func counting() throws {
        let other = StoreID.defaults("com.acme.other")
        var stores = RudderStack.stores()
        stores[other] = ["rl_a": .string("x"), "b": .string("rl_b"), "c": .string("y")]
        var inspected = try Inspected(stores)
        inspected.press("g")
        inspected.command("search rl_")
        let all = 6
        #expect(inspected.message == "“rl_”, 1 of \(all)", "\(inspected.message ?? "")")
        inspected.press("G N")
        inspected.type("/rl_b")
        #expect(inspected.opened?.row == .store(other))
        inspected.press("<Enter>")
        #expect(inspected.opened?.row == .entry(other, key: "b") && inspected.message == "“rl_b”, 1 of 1")
    }

    @Test("of two searches the later one counts, also where the earlier one still runs")
    func later() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.performs = false
        inspected.command("search traits")
        let first = inspected.asked
        inspected.command("search app_version")
        let second = inspected.asked
        #expect(first.count == 1 && second.count == 1)
        #expect(inspected.model.busy?.label == "looking for “app_version”")
        inspected.send(.finished(.main) { first[0].fail(.cancelled, in: &$0) })
        #expect(inspected.message == nil && inspected.model.busy != nil, "the one that was replaced says nothing")
        inspected.performAsked()
        #expect(inspected.opened?.step?.id == "app-version" && inspected.model.busy == nil)
    }

    @Test("a long search stops where it is told to, and reads no row afterwards")
    func cancelled() throws {
        let keys = CountingKeys(count: 1_000_000)
        let inspected = try Inspected(CountedStores(keys: keys), migrations: [])
        var opened = try #require(inspected.opened)
        opened.show(try inspected.inspection.view(opened.folding(CountedStores.store), EffectControl()))
        let before = keys.accesses
        let asked = Atomic(0)
        let purpose = Matches.Purpose(text: "no such text", revision: opened.revision, filter: 0, isRevealing: false)
        let search = RowSearch(
            purpose: purpose, isForward: true, isTyped: false, container: opened, masking: opened.view.masking)
        let found = search.run { asked.add(1, ordering: .relaxed).newValue >= 3 }
        #expect(found.count == 0 && !found.isDone)
        #expect(asked.load(ordering: .relaxed) <= 3 + ProcessInfo.processInfo.activeProcessorCount)
        #expect(keys.accesses - before < 30_000)
    }

    @Test(
        "a longer text is looked for only where the shorter one was, and what was found stays so where it is unfolded")
    func narrowed() throws {
        let keys = CountingKeys(count: 20_000)
        var inspected = try Inspected(CountedStores(keys: keys), migrations: [])
        inspected.type("/key.1999")
        #expect(inspected.message == "“key.1999”, 1 of 11", "\(inspected.message ?? "")")
        var before = keys.accesses
        inspected.type("7")
        #expect(inspected.message == "“key.19997”, 1 of 1")
        #expect(keys.accesses - before < 1000)
        inspected.type("x")
        #expect(inspected.message?.contains("nowhere") == true)
        before = keys.accesses
        inspected.type("y")
        #expect(inspected.message?.contains("“key.19997xy” is nowhere") == true && keys.accesses - before < 1000)
        inspected.press("<BS> <BS>")
        inspected.press("<Enter>")
        #expect(inspected.opened?.row == .entry(CountedStores.store, key: "key.19997"))
        #expect(inspected.message == "“key.19997”, 1 of 1")
        before = keys.accesses
        inspected.press("n N n")
        #expect(inspected.message == "“key.19997”, 1 of 1" && keys.accesses - before < 3000)
    }

    @Test("what stands on the line is never the answer to another text, and a search says how far it is")
    func answers() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.type("/rl_s")
        #expect(inspected.message == "“rl_s”, 1 of 2")
        var model = inspected.model
        let effects = model.update(.terminal(.key(.character("e"))))
        #expect(model.message?.text == "looking for “rl_se”…" && effects.contains { $0 is RowSearch })
        let opened = try #require(model.opened)
        let purpose = Matches.Purpose(
            text: "rl_", revision: opened.revision, filter: opened.filterNumber, isRevealing: false)
        var matches = Matches(purpose, of: opened)
        #expect(matches.percent == 0 && matches.next(from: 0, isForward: true) == nil)
        let message = Message.found("rl_", at: 0, matches)
        #expect(message.text == "“rl_”, 0 so far, 0 % looked through" && message.search == "rl_")
        for isForward in [true, false] {
            for start in 0..<opened.sheet.count {
                matches = Matches(purpose, of: opened)
                matches.look(
                    from: start, isForward: isForward, in: opened, opened.view.masking, { false }, show: { _ in },
                    until: { $0.count > 0 })
                let next = matches.next(from: start, isForward: isForward)
                matches.look(
                    from: 5, isForward: !isForward, in: opened, opened.view.masking, { false }, show: { _ in },
                    until: { _ in false })
                #expect(matches.isDone && matches.count == 4 && next != nil)
                #expect(next == matches.next(from: start, isForward: isForward), "from \(start), \(isForward)")
            }
        }
    }

    @Test("an entry is found by its address as it is shown and copied, or a part of it, also where it is folded")
    func addresses() throws {
        var stores = RudderStack.stores()
        stores[.defaults("app")] = ["own": .integer(1), "a b": .integer(2)]
        stores[.keychain("svc")] = ["carol@example.org": .string("x")]
        for (text, row) in [
            ("defaults://com.acme.notes/launches", .entry(RudderStack.legacy, key: "launches")),
            ("acme.notes/LAUNCHES".lowercased(), .entry(RudderStack.legacy, key: "launches")),
            ("defaults://app/a%20b", .entry(.defaults("app"), key: "a b")),
        ] as [(String, SheetRow)] {
            var inspected = try Inspected(stores)
            inspected.command("search \(text)")
            #expect(inspected.opened?.row == row, "\(inspected.message ?? "")")
            inspected.press("g")
            inspected.command("filter \(text)")
            #expect(inspected.opened?.sheet.position(of: row) != nil, "\(text)")
            inspected.command("filter all")
            inspected.press("g <C-p>")
            inspected.type(text)
            inspected.press("<Enter>")
            #expect(inspected.opened?.row == row, "\(inspected.message ?? "")")
        }
        var inspected = try Inspected(stores)
        inspected.command("search defaults://com.acme.notes/rs_user_id")
        #expect(inspected.opened?.step?.id == "user-id", "\(inspected.message ?? "")")
        // What is masked in an address is not found; the address as it is shown is.
        for text in ["carol", "svc/carol", "keychain://svc/carol%40"] {
            inspected.command("search \(text)")
            #expect(inspected.message?.contains("nowhere") == true, "\(inspected.message ?? "")")
        }
        inspected.command("search keychain://svc/‹masked")
        #expect(inspected.opened?.row == .entry(.keychain("svc"), key: "carol@example.org"))
    }

    @Test("the words that stand in the list are found: what a step does, what is counted, and what is folded")
    func wordsOnScreen() throws {
        var stores = RudderStack.stores()
        stores[.defaults("app")] = ["own": .integer(1), "AppleLocale": .string("de")]
        var inspected = try Inspected(
            stores, facts: .notes.without(.identifierForVendor), size: Size(width: 160, height: 50))
        let list = inspected.screen
        for text in ["changes", "needs ident", "no step touches", "to apply", "changed in meaning", "untouched"] {
            inspected.press("g")
            inspected.command("search \(text)")
            #expect(inspected.message?.hasPrefix("“\(text)”, ") == true, "\(inspected.message ?? "")")
            #expect(list.contains(text) || text == "changed in meaning", "\(text)\n\(list)")
        }
        inspected.command("search of the system and of SDKs")
        #expect(
            inspected.opened?.row == .noise(.defaults("app"), count: 1)
                || inspected.message?.contains("nowhere") == true)
    }

    @Test("a text is found in whatever Swift finds it, by its bytes or by its characters")
    func matcher() {
        let pieces = ["a", "B", "ab", "K", "\u{212A}", "\u{E9}", "e\u{301}", "e", "\r\n", "/", "-", "É", "i", "İ", " "]
        var random = SystemRandomNumberGenerator()
        func text(_ length: ClosedRange<Int>) -> String {
            (0..<Int.random(in: length, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                .joined()
        }
        for _ in 0..<3000 {
            let sought = text(1...3), other = text(0...8)
            let isCased = sought.contains(where: \.isUppercase)
            let expected =
                isCased ? other.contains(sought) : other.lowercased().contains(sought.lowercased())
            #expect(Matcher(sought).matches(other) == expected, "\(sought) in \(other)")
        }
    }
}
