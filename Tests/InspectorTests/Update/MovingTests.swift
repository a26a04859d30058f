import MigrationEngine
import TestSupport
import Reports
import Testing

@testable import Inspector

@Suite("Moving")
struct MovingTests {
    @Test(
        "keys move the cursor, a number before them repeats it, and both ends hold",
        arguments: [
            ("g j", 1), ("g j j", 2), ("g <Down>", 1), ("g 3 j", 3), ("g 1 0 j", 10), ("g j k", 0), ("g k", 0),
            ("g 5 j 2 k", 3), ("G", 11), ("G j", 11), ("g 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 j", 11),
            ("4 g", 3), ("4 G", 3), ("9 9 G", 11), ("g <PageDown> <PageDown>", 10), ("G <PageUp> <PageUp>", 0),
            ("g 3 <Esc> j", 1), ("g <Home>", 0), ("g <End>", 11), ("g 2 <C-d>", 10),
        ])
    func cursor(keys: String, expected: Int) throws {
        var inspected = try Inspected(RudderStack.stores())
        // Nine steps, the line above the rest, two entries.
        #expect(inspected.opened?.sheet.count == 12)
        inspected.press(keys)
        #expect(inspected.opened?.cursor == expected)
    }

    @Test("a screen down shows the last row of the screen before first")
    func pages() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 80, height: 12))
        let rows = try #require(Layout(inspected.model)).sheetRows
        inspected.press("g <PageDown>")
        #expect(inspected.opened?.cursor == rows - 1)
    }

    @Test("a step that finds its target made says what was lost or changed with that, and ] and the filters find it")
    func foundLost() throws {
        var inspected = try Inspected(
            RudderStack.stores(migrated: [
                "user_id": .string("u-77"), "session_id": .string("1724990100"), "is_manual_session": .bool(true),
            ]))
        let steps = try #require(inspected.opened?.plan?.steps)
        func step(_ id: String) throws -> PlannedStep { try #require(steps.first { $0.id == id }) }
        #expect(try step("user-id").outcome.kind == .unchanged && step("user-id").listWord.text == "dropped 1")
        #expect(try step("manual-session").listWord.text == "changed")
        #expect(try step("session-id").listWord.text == "unchanged")
        #expect(try step("user-id").attention == "has dropped 1 value and has changed what 1 value means")
        var seen: Set<String> = []
        for _ in steps {
            inspected.press("]")
            seen.insert(inspected.opened?.step?.id ?? "")
        }
        #expect(seen.contains("user-id") && seen.contains("manual-session") && !seen.contains("session-id"), "\(seen)")
        #expect(inspected.screen.contains("dropped 1"))
    }

    @Test("a row whose rules leave what stands has the sign of what was lost, and is counted, found and filtered by it")
    func keptLost() throws {
        var inspected = try Inspected(
            RudderStack.stores(migrated: [
                "user_id": .string("u-77"), "session_id": .string("1724990100"), "is_manual_session": .bool(true),
            ]), size: Size(width: 140, height: 40))
        inspected.press("p")
        let steps = try #require(inspected.opened?.plan?.steps)
        #expect(steps.allSatisfy { $0.outcome.kind == .skipped })
        func step(_ id: String) throws -> PlannedStep { try #require(steps.first { $0.id == id }) }
        #expect(try step("user-id").listWord.text == "changed" && step("app-build").listWord.text == "dropped 1")
        #expect(try step("session-id").listWord.text == "unchanged" && step("session-id").heldKind == .unchanged)
        let header = inspected.model.render().rows[0]
        for count in ["2 changed", "5 dropped", "1 there already"] { #expect(header.contains(count), "\(header)") }
        var seen: Set<String> = []
        for _ in steps {
            inspected.press("]")
            seen.insert(inspected.opened?.step?.id ?? "")
        }
        let lost: Set = [
            "user-id", "traits", "manual-session", "last-activity-time", "anonymous-id", "app-version", "app-build",
        ]
        #expect(seen.isSuperset(of: lost) && !seen.contains("session-id"), "\(seen)")
        for (word, ids) in [("changed", ["user-id", "manual-session"]), ("there already", ["session-id"])] {
            inspected.command("filter \(word)")
            let shown = (0..<(inspected.opened?.sheet.count ?? 0)).compactMap { place -> String? in
                guard case .step(let index)? = inspected.opened?.sheet[place] else { return nil }
                return steps[index].id
            }
            #expect(shown == ids, "\(word)")
        }
        inspected.command("filter all")
        inspected.go(to: "app-build")
        #expect(inspected.screen.contains("is not there"), "\(inspected.screen)")
    }

    @Test("a number is shown while it is typed")
    func count() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("4 2")
        #expect(inspected.screen.split(separator: "\n").contains("42"))
        inspected.press("j")
        #expect(inspected.model.count == nil)
    }

    @Test("] and [ go round the steps that need attention, and say so where there is none")
    func problems() throws {
        var inspected = try Inspected(
            RudderStack.stores(["rl_session_id": .string("x"), "rs_application_build_key": .string("beta")]))
        #expect(inspected.opened?.step?.id == "session-id", "it opens on the first problem")
        inspected.press("]")
        #expect(inspected.opened?.step?.id == "app-build")
        #expect(
            inspected.message?.hasPrefix("2 of ") == true && inspected.message?.hasSuffix("App build failed") == true)
        inspected.press("[")
        #expect(inspected.opened?.step?.id == "session-id")
        inspected.press("[ ]")
        #expect(inspected.opened?.step?.id == "session-id", "as a ring")

        var healthy = try Inspected(MemoryStores([(RudderStack.legacy, ["rl_session_id": .integer(1_724_990_100)])]))
        healthy.press("]")
        #expect(healthy.message == "no step needs attention")
    }

    @Test("] finds what is lost or changed: after what failed, before what waits; it has its own sign and word")
    func losses() throws {
        var inspected = try Inspected(
            RudderStack.stores(["rl_session_id": .string("x")]), facts: .notes.without(.identifierForVendor, .uptime))
        var seen: [String] = []
        for _ in 0..<6 {
            seen.append(inspected.opened?.step?.id ?? "")
            inspected.press("]")
        }
        #expect(
            seen == ["session-id", "user-id", "manual-session", "anonymous-id", "last-activity-time", "session-id"])
        inspected.go(to: "user-id")
        inspected.press("[ ]")
        #expect(inspected.message == "2 of 5: User ID drops 1 value and changes what 1 value means")
        for (id, sign, role) in [("user-id", "⌫", Role.problem), ("manual-session", "≠", .warning)] {
            let step = try #require(inspected.plan?.steps.first { $0.id == id })
            #expect(step.listSign(.unicode) == Run(sign, role) && step.listWord.text != "migrates")
        }
        let frame = inspected.model.render()
        #expect(frame.rows.contains { $0.hasPrefix(" ⌫ User ID ") && $0.contains("drops 1") }, "\(frame.text)")
        #expect(frame.rows.contains { $0.hasPrefix(" ≠ Session mode ") && $0.contains("changes") })
    }

    @Test("Tab gives the keys to the detail, which then scrolls within its bounds")
    func detail() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 80, height: 16))
        inspected.press("<Tab> j j")
        #expect(inspected.opened?.cursor == 0)
        #expect(inspected.opened?.detailTop == 2)
        inspected.press("G")
        let lines = try #require(Layout(inspected.model)).detailLines
        #expect(inspected.opened?.detailTop == lines.total - lines.shown)
        inspected.press("k g")
        #expect(inspected.opened?.detailTop == 0)
        inspected.press("j <S-Tab> j")
        #expect(inspected.opened?.cursor == 1)
        #expect(inspected.opened?.detailTop == 0, "another row is shown from its beginning")
    }

    @Test("a store is unfolded and folded by Enter, and Esc in it goes to its line")
    func folding() throws {
        let other = StoreID.defaults("com.acme.other")
        var inspected = try Inspected(
            MemoryStores([(RudderStack.legacy, RudderStack.members), (other, ["a": .bool(true), "b": .bool(false)])]))
        inspected.press("G")
        #expect(inspected.opened?.row == .store(other))
        inspected.press("<Enter> j j")
        #expect(inspected.opened?.row == .entry(other, key: "b"))
        inspected.press("<Esc>")
        #expect(inspected.opened?.row == .store(other))
        #expect(inspected.opened?.unfolded.isEmpty == true)
        inspected.press("<Enter> <Enter>")
        #expect(inspected.opened?.unfolded.isEmpty == true)
    }

    @Test("Esc, pressed often enough, reaches the outermost level from anywhere")
    func escape() throws {
        let keys = ["<Tab>", "<Enter>", "l", "?", "/", ":", "f", "1", "j", "G", "p", "n", "e", "<Space>", "a", "v"]
        var random = SeededGenerator(seed: 11)
        for _ in 0..<150 {
            var inspected = try Inspected(
                MemoryStores([
                    (RudderStack.legacy, RudderStack.members), (.defaults("com.acme.other"), ["a": .bool(true)]),
                ]),
                facts: .notes.without(.writeKey),
                apps: AppList(title: "", apps: [.init(path: "a", identifier: "a", kind: "app")]))
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                inspected.press(keys.randomElement(using: &random) ?? "j")
            }
            inspected.press("<Esc> <Esc> <Esc> <Esc> <Esc> <Esc> <Esc> <Esc>")
            #expect(inspected.opened == nil)
            #expect(inspected.message == "this is the outermost level; q quits")
            #expect(inspected.model.prompt == nil && inspected.model.page == nil)
        }
    }

    @Test("while something runs, Esc stops it and nothing else begins")
    func busy() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.performs = false
        inspected.command("export out")
        let exporting = try #require(inspected.asked.first)
        #expect(inspected.asked.count == 1)
        #expect(inspected.model.busy == Busy(label: "exporting to out", canBeStopped: true, isWriting: true))
        #expect(inspected.screen.contains("exporting to out…  Esc stops it"))
        inspected.press("a")
        #expect(inspected.asked.isEmpty)
        #expect(inspected.message == "still exporting to out; Esc stops it")
        inspected.send(.progress("copying 3 of 9"))
        #expect(inspected.screen.contains("copying 3 of 9…"))
        inspected.press("j")
        #expect(inspected.opened?.cursor == 1, "looking around goes on")
        inspected.press("<Esc>")
        #expect(inspected.asked.first is Cancelling)
        #expect(inspected.screen.contains("stopping: copying 3 of 9…"))
        inspected.performs = true
        inspected.send(.finished(.main) { exporting.fail(.cancelled, in: &$0) })
        #expect(inspected.model.busy == nil)
        #expect(inspected.message == "stopped; nothing was exported")
    }

    @Test("the zoomed detail never leaves the keys to a sheet that is not shown")
    func zoomed() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("<Enter> <Enter>")
        #expect(inspected.opened?.isZoomed == true)
        inspected.press("<Tab>")
        #expect(inspected.opened?.isZoomed == false)
        #expect(inspected.screen.contains("Session mode"))
        inspected.press("<Enter> <Enter> <Esc>")
        #expect(inspected.opened?.isZoomed == false)
        #expect(inspected.opened?.focus == .detail)
    }

    @Test("behind the help nothing is opened")
    func help() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("? <Enter>")
        #expect(inspected.opened?.focus == .sheet)
        inspected.press("G")
        #expect(inspected.screen.contains("failed"))
        #expect(inspected.opened?.cursor == 0)
        inspected.press("<Esc>")
        #expect(!inspected.screen.contains(" Help "))
    }

    @Test("a key that does nothing says so")
    func unknownKey() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("z")
        #expect(inspected.message == "z does nothing here; ? shows what does")
        inspected.press("j")
        #expect(inspected.message == nil, "the next key takes the message away")
    }

    @Test("q leaves what covers the list first, Ctrl-C the program from anywhere")
    func quitLevels() throws {
        for keys in ["?", "w", "<Enter>", "<Enter> <Enter>"] {
            var inspected = try Inspected(RudderStack.stores())
            inspected.press(keys)
            #expect(inspected.screen.split(separator: "\n").last?.contains("<Esc> back") == true, "\(keys)")
            #expect(!inspected.screen.contains("a apply") || keys.contains("<Enter>"))
            for _ in keys.split(separator: " ") {
                inspected.press("q")
                #expect(!inspected.model.hasQuit)
            }
            #expect(!inspected.screen.contains("<Esc> back"))
            inspected.press("q")
            #expect(inspected.model.hasQuit)
            var other = try Inspected(RudderStack.stores())
            other.press(keys + " <C-c>")
            #expect(other.model.hasQuit)
        }
    }

    @Test("who leaves while something runs stops it and waits for its end, or leaves at once with Ctrl-C")
    func quitWhileBusy() throws {
        for second in ["q", "j"] {
            var inspected = try Inspected(RudderStack.stores())
            inspected.performs = false
            inspected.command("export out")
            let exporting = try #require(inspected.asked.first)
            inspected.press("<C-c>")
            #expect(inspected.asked.first is Cancelling && !inspected.model.hasQuit)
            #expect(inspected.screen.contains("stopping: exporting to out…"))
            inspected.press(second)
            #expect(!inspected.model.hasQuit)
            inspected.send(.finished(.main) { exporting.fail(.cancelled, in: &$0) })
            #expect(inspected.model.hasQuit && !inspected.model.leavesAtOnce)
        }
        var leaving = try Inspected(RudderStack.stores())
        leaving.performs = false
        leaving.press("A")
        let applying = try #require(leaving.asked.first)
        leaving.press("q")
        #expect(leaving.asked.first is Cancelling && leaving.model.isLeaving && !leaving.model.hasQuit)
        leaving.send(.finished(.main) { applying.fail(.cancelled, in: &$0) })
        #expect(leaving.model.hasQuit && !leaving.model.leavesAtOnce)
        var impatient = try Inspected(RudderStack.stores())
        impatient.performs = false
        impatient.press("A q <C-c>")
        #expect(impatient.model.hasQuit && impatient.model.leavesAtOnce)
    }

    @Test("q stops an export first, which is said, and leaves then")
    func quitWhileExporting() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.performs = false
        inspected.command("export out")
        let exporting = try #require(inspected.asked.first)
        #expect(inspected.screen.contains("q stop"))
        inspected.press("q")
        #expect(inspected.asked.first is Cancelling && !inspected.model.isLeaving)
        inspected.performs = true
        inspected.send(.finished(.main) { exporting.fail(.cancelled, in: &$0) })
        #expect(inspected.message == "stopped; nothing was exported" && !inspected.model.hasQuit)
        inspected.press("q")
        #expect(inspected.model.hasQuit)
    }

    @Test("what is refused while an export runs is seen, until the next key")
    func refusedWhileExporting() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.performs = false
        inspected.command("export out")
        inspected.command("nonsense")
        inspected.send(.progress("copying 3 of 9"))
        #expect(inspected.screen.contains("there is no command “nonsense”"))
        inspected.press("j")
        #expect(inspected.screen.contains("copying 3 of 9"))
    }

    @Test("while an export runs, the footer names no key that only says so", arguments: [80, 200])
    func footerWhileExporting(width: Int) throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: width, height: 40))
        inspected.command("apply traits")
        inspected.performs = false
        inspected.command("export out")
        let y = inspected.model.size.height - 1
        let keys = Set((0..<width).compactMap { FooterView.key(at: $0, inspected.model) })
        #expect(keys.count > 4, "\(inspected.model.render().rows[y])")
        for key in keys {
            var other = inspected
            other.press(key.notation)
            #expect(other.message?.hasPrefix("still") != true, "\(key.notation): \(other.message ?? "")")
        }
    }

    @Test("q comes from an app back to the list of apps, and from there leaves; the footer says where it leads")
    func out() throws {
        var inspected = try Start.apps.inspected()
        inspected.command("app")
        inspected.model.opened = try Inspected(RudderStack.stores()).opened
        #expect(inspected.screen.contains("q apps"))
        inspected.press("<Enter>")
        #expect(inspected.screen.contains("q list"))
        inspected.press("q")
        #expect(inspected.opened?.focus == .sheet)
        inspected.press("q")
        #expect(inspected.opened == nil && !inspected.model.hasQuit && inspected.screen.contains("q quit"))
        inspected.press("q")
        #expect(inspected.model.hasQuit)
    }

    @Test("what looks for no cancel flag is not said to be stopped by Esc")
    func notStoppable() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("a")
        inspected.performs = false
        inspected.press("u")
        #expect(inspected.screen.contains("rolling back…") && !inspected.screen.contains("Esc stops it"))
        inspected.press("<Esc>")
        #expect(inspected.asked.isEmpty)
        #expect(inspected.message?.contains("cannot be stopped") == true)
    }

    @Test("q and Ctrl-C leave, and so does a terminal that goes away")
    func quit() throws {
        for event: TerminalEvent in [.key(.character("q")), .key(.control("c")), .closed] {
            var inspected = try Inspected(RudderStack.stores())
            inspected.send(.terminal(event))
            #expect(inspected.model.hasQuit)
        }
    }
}
