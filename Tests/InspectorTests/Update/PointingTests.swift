import Reports
import Testing

@testable import Inspector

@Suite("The mouse")
struct PointingTests {
    private func point(_ inspected: inout Inspected, _ action: MouseAction, _ x: Int, _ y: Int) {
        inspected.send(.terminal(.mouse(action, Position(x: x, y: y))))
    }

    /// The row of the screen that has a text.
    private func line(of text: String, _ inspected: Inspected) throws -> Int {
        let lines = inspected.screen.split(separator: "\n", omittingEmptySubsequences: false)
        return try #require(lines.firstIndex { $0.contains(text) }, "\(text)\n\(inspected.screen)")
    }

    @Test(
        "a press selects the row there, and goes in where it is selected", arguments: [(80, 24), (60, 24), (200, 50)])
    func rows(width: Int, height: Int) throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: width, height: height))
        let y = try line(of: "Session ID", inspected)
        point(&inspected, .press, 5, y)
        #expect(inspected.opened?.step?.id == "session-id" && inspected.opened?.focus == .sheet)
        #expect(inspected.opened?.isZoomed == false)
        point(&inspected, .press, 5, y)
        #expect(inspected.opened?.focus == .detail)
        point(&inspected, .press, 5, y)
        #expect(inspected.opened?.focus == .sheet && inspected.opened?.step?.id == "session-id")
        let detail = try #require(Layout(inspected.model)).detail
        point(&inspected, .press, detail.origin.x + 3, detail.origin.y + 1)
        #expect(inspected.opened?.focus == .detail)
    }

    @Test("a press on a key of the footer does what the key does")
    func footer() throws {
        var inspected = try Inspected(RudderStack.stores())
        let lines = inspected.screen.split(separator: "\n", omittingEmptySubsequences: false)
        let x = try #require(lines[23].firstRange(of: "apply")).lowerBound
        point(&inspected, .press, lines[23].distance(from: lines[23].startIndex, to: x), 23)
        #expect(inspected.applied == ["anonymous-id"])
        let help = try #require(inspected.screen.split(separator: "\n", omittingEmptySubsequences: false).last)
        point(&inspected, .press, help.count - 2, 23)
        #expect(inspected.model.page?.subject == .help)
        for x in 0..<80 where FooterView.key(at: x, inspected.model) == nil {
            point(&inspected, .press, x, 23)
            #expect(inspected.model.page?.subject == .help && !inspected.model.hasQuit)
        }
    }

    @Test("the wheel scrolls what is under it: rows, the detail, a page, the apps")
    func wheel() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("g")
        point(&inspected, .wheelDown, 3, 5)
        #expect(inspected.opened?.cursor == 3)
        point(&inspected, .wheelUp, 3, 5)
        #expect(inspected.opened?.cursor == 0)
        let detail = try #require(Layout(inspected.model)).detail
        point(&inspected, .wheelDown, 3, detail.origin.y + 1)
        #expect(inspected.opened?.focus == .detail && inspected.opened?.cursor == 0)
        inspected.press("?")
        point(&inspected, .wheelDown, 3, 5)
        #expect(inspected.model.page?.top == 3)
        var apps = try Start.apps.inspected()
        point(&apps, .wheelDown, 3, 5)
        #expect(apps.model.apps?.cursor == 3)
        point(&apps, .press, 3, try #require(Layout(apps.model)).sheet.origin.y + 1)
        #expect(apps.model.apps?.cursor == 0)
    }

    @Test("a press on a page goes where the line leads, the second time")
    func page() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("F")
        let y = try line(of: "from", inspected)
        inspected.press("G g")
        point(&inspected, .press, 3, y)
        let cursor = try #require(inspected.model.page?.cursor)
        point(&inspected, .press, 3, y)
        #expect(inspected.model.prompt != nil || inspected.model.page?.cursor == cursor)
        point(&inspected, .press, 3, y)
        #expect(inspected.model.prompt != nil, "while a line is typed the mouse does nothing")
    }

    @Test("no press and no turn of the wheel, wherever it is, does what nobody meant", arguments: Start.allCases)
    func anywhere(start: Start) throws {
        let first = try start.inspected()
        for y in [-1, 0, 1, 3, 12, 22, 24, 5000] {
            for x in [-1, 0, 40, 79, 80, 5000] {
                for action in MouseAction.allCases {
                    var inspected = first
                    for _ in 0..<2 { point(&inspected, action, x, y) }
                    #expect(!inspected.model.hasQuit && inspected.applied == first.applied)
                    #expect(inspected.model.render().size == first.model.size)
                }
            }
        }
    }

    @Test("M leaves the mouse to the terminal, and takes it back")
    func toggle() throws {
        var inspected = try Inspected(RudderStack.stores())
        #expect(inspected.model.takesMouse)
        inspected.press("M")
        #expect(!inspected.model.takesMouse && inspected.message?.contains("the terminal's") == true)
        inspected.press("M")
        #expect(inspected.model.takesMouse)
    }
}
