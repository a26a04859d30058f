import MigrationEngine
import Reports
import StoreFormats
import Testing

@testable import Inspector

@Suite("Back and forward through where one was")
struct PlacesTests {
    @Test("a jump is gone back and forward again; a way row by row is none")
    func rows() throws {
        var inspected = try Inspected(RudderStack.stores())
        let start = try #require(inspected.opened?.cursor)
        inspected.press("H")
        #expect(inspected.message == "back: this is where you began")
        inspected.press("G k k")
        let near = try #require(inspected.opened?.cursor)
        inspected.press("g")
        #expect(inspected.opened?.cursor == 0)
        inspected.press("H")
        #expect(inspected.opened?.cursor == near, "the row that one left, not the one that one came to")
        inspected.press("H")
        #expect(inspected.opened?.cursor == start)
        inspected.press("L L")
        #expect(inspected.opened?.cursor == 0)
        inspected.press("L")
        #expect(inspected.message == "forward: this is where you were last")
        inspected.press("<C-o> G")
        #expect(inspected.opened?.cursor == (inspected.opened?.sheet.count ?? 0) - 1)
        inspected.press("L")
        #expect(inspected.message == "forward: this is where you were last", "another way begins where one turned")
    }

    @Test("a page that was closed and a detail that filled the screen are gone back to")
    func pages() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("? <Esc>")
        #expect(inspected.model.page == nil)
        inspected.press("H")
        #expect(inspected.model.page?.subject == .help)
        inspected.press("H")
        #expect(inspected.model.page == nil)
        inspected.press("<Enter> <Enter>")
        #expect(inspected.opened?.isZoomed == true)
        inspected.press("<Esc> <Esc> H")
        #expect(inspected.opened?.isZoomed == true)
        inspected.press("H")
        #expect(inspected.opened?.isZoomed == false && inspected.opened?.focus == .sheet)
    }

    @Test("what a search went through while it was typed is one jump, and a folded store unfolds again")
    func search() throws {
        var inspected = try Inspected(
            MemoryStores([(.defaults("a"), ["one": .bool(true)]), (.defaults("b"), ["other": .bool(false)])]),
            migrations: [])
        // What the person has unfolded, Esc folds again.
        inspected.press("G k <Enter> <Enter> g")
        inspected.type("/other")
        inspected.press("<Enter>")
        let found = try #require(inspected.opened?.row)
        #expect(found == .entry(.defaults("b"), key: "other"))
        inspected.press("H")
        #expect(inspected.opened?.cursor == 0)
        inspected.press("L <Esc>")
        #expect(inspected.opened?.row == .store(.defaults("b")), "folded")
        inspected.press("H")
        #expect(inspected.opened?.row == found)
    }

    @Test("another point of time and back; a row that a filter hides says so")
    func points() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("a { H")
        #expect(inspected.opened?.moment == .now && inspected.opened?.showsTimeline == false)
        inspected.press("L")
        #expect(inspected.opened?.moment == .after(entry: 0))
        inspected.press("<Esc> G")
        inspected.command("filter problems")
        for _ in 0..<8 { inspected.press("H") }
        #expect(inspected.model.busy == nil && inspected.message?.isEmpty == false)
    }

    @Test("an app that was left is opened again, at its row; while something runs nobody goes anywhere")
    func apps() throws {
        let apps = AppList(
            title: "a device",
            apps: ["one", "two"].map { AppList.App(path: $0, identifier: "com.acme.\($0)", kind: "app") })
        var inspected = try Inspected(RudderStack.stores(), apps: apps) { $0.path = "one" }
        inspected.press("G <Esc>")
        #expect(inspected.opened == nil)
        inspected.press("H")
        let opened = try #require(inspected.opened)
        #expect(opened.cursor == opened.sheet.count - 1)
        inspected.press("L")
        #expect(inspected.opened == nil && inspected.model.apps?.selected?.path == "one")
        inspected.performs = false
        inspected.press("H")
        let opening = inspected
        inspected.press("H")
        #expect(inspected.message?.hasPrefix("back: still opening") == true)
        inspected = opening
        inspected.fail(.cancelled)
        #expect(inspected.model.busy == nil && inspected.opened == nil, "what could not be opened is not tried again")
    }
}
