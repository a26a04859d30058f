import Reports
import Testing

@testable import Inspector

/// The line between the panes.
@Suite("The line between the panes")
struct DividerTests {
    private func rows(_ inspected: Inspected) throws -> Layout { try #require(Layout(inspected.model)) }

    @Test(
        "it goes where the mouse lets it go, below and beside; let go of elsewhere nothing moves",
        arguments: [Size(width: 80, height: 24), Size(width: 160, height: 45)])
    func dragging(size: Size) throws {
        var inspected = try Inspected(RudderStack.stores(), size: size)
        let before = try rows(inspected)
        let isBeside = before.isDetailBeside
        let line = Position(x: isBeside ? before.detail.origin.x : 10, y: isBeside ? 10 : before.detail.origin.y)
        let there = Position(x: line.x - (isBeside ? 12 : 0), y: line.y - (isBeside ? 0 : 3))
        let cursor = inspected.opened?.cursor
        inspected.send(.terminal(.mouse(.press, line)))
        inspected.send(.terminal(.mouse(.release, there)))
        let after = try rows(inspected)
        #expect(isBeside ? after.detail.origin.x == there.x : after.detail.origin.y == there.y)
        #expect(inspected.opened?.cursor == cursor)
        inspected.send(.terminal(.mouse(.press, Position(x: 5, y: 4))))
        inspected.send(.terminal(.mouse(.release, Position(x: 5, y: 20))))
        #expect(try rows(inspected).detail == after.detail)
    }

    @Test("keys and a command move it, within bounds at every size; auto puts it back")
    func keys() throws {
        for (width, height) in [(40, 10), (80, 24), (160, 45)] {
            var inspected = try Inspected(RudderStack.stores(), size: Size(width: width, height: height))
            let first = try rows(inspected).sheet.size
            inspected.press(")")
            let larger = try rows(inspected).sheet.size
            #expect(larger.width > first.width || larger.height >= first.height)
            for _ in 0..<60 { inspected.press(")") }
            #expect(try rows(inspected).detail.size.width > 0 && rows(inspected).detail.size.height >= 2)
            inspected.type("999(")
            #expect(try rows(inspected).sheetRows >= 1)
            inspected.command("divider 50%")
            inspected.command("divider auto")
            #expect(try rows(inspected).sheet.size == first)
            inspected.press("+")
            #expect(try rows(inspected).sheet.size == larger)
            inspected.press("_ _")
            let smaller = try rows(inspected).sheet.size
            #expect(smaller.width < first.width || smaller.height <= first.height)
            inspected.press("=")
            #expect(try rows(inspected).sheet.size == first)
            inspected.command("divider lots")
            #expect(inspected.message?.contains("from 10 to 90, or auto") == true)
        }
    }
}
