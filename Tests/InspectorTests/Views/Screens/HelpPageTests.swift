import Testing

@testable import Inspector

@Suite("The page of help")
struct HelpPageTests: DrawnScreens {
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
