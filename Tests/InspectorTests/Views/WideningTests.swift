import DeviceDump
import Foundation
import MigrationEngine
import Reports
import TestSupport
import Testing

@testable import Inspector

/// A wider terminal never shows less of a row.
@Suite("Widening")
struct WideningTests {
    /// How much of each row's text is seen at a width.
    private func shown(_ model: Model) throws -> [SheetRow: Int] {
        let layout = try #require(Layout(model)), opened = try #require(model.opened), frame = model.render()
        var shown: [SheetRow: Int] = [:]
        for line in 0..<layout.sheetRows {
            guard let row = opened.sheet[opened.top + line] else { break }
            let columns = layout.sheet.columns
            shown[row] = layout.lines(of: opened.top + line).reduce(0) { sum, y in
                sum
                    + columns.count { x in
                        guard let cell = frame[x, y], cell.style.role != .border else { return false }
                        return cell.columns > 0 && cell.text != " " && cell.text != "…"
                    }
            }
        }
        return shown
    }

    @Test(
        "no row shows less of its text than on any narrower screen, also where the detail stands beside it",
        arguments: [
            "notes-legacy", "notes-half-migrated", "notes-troubled", "localdata-half-equal", "klivvr-half-migrated",
            "notes-databases", "shop-broken", "person-v0",
        ])
    func rows(fixture: String) throws {
        let folder = try TemporaryFolder()
        for withFacts in [false, true] {
            let inspection = try Fixtures.inspection(
                of: fixture + ".xcappdata", withFacts: withFacts, ledger: folder)
            var runner = ScriptRunner(
                try inspection.start(
                    container: nil, dump: fixture, size: Size(width: 60, height: 100), glyphs: .unicode,
                    masking: Masking()),
                on: inspection)
            var before = try shown(runner.model)
            // Of the widths up to 130 each is looked at with facts or without them.
            let first = withFacts ? 61 : 62
            for width in Array(stride(from: first, through: 130, by: 2)) + Array(stride(from: 133, to: 320, by: 8)) {
                try runner.run(try Script("resize \(width)x100"))
                let now = try shown(runner.model)
                for (row, text) in before where now[row] ?? text < text {
                    Issue.record("\(fixture) at \(width): \(row) shows \(now[row] ?? 0), not \(text)")
                }
                before.merge(now) { max($0, $1) }
            }
            // Where everything is short, the detail does stand beside the list.
            #expect(Layout(runner.model)?.isDetailBeside == true)
        }
    }

    @Test("a row of an applied step needs no more room once the dump is opened anew")
    func openedAnew() throws {
        let folder = try TemporaryFolder()
        func row(after commands: String) throws -> String? {
            let inspection = try Fixtures.inspection(of: "notes-legacy.xcappdata", withFacts: true, ledger: folder)
            var runner = ScriptRunner(
                try inspection.start(
                    container: nil, dump: "notes-legacy", size: Size(width: 120, height: 40), glyphs: .unicode,
                    masking: Masking()),
                on: inspection)
            try runner.run(try Script(commands))
            return runner.model.render().text.split(separator: "\n").first { $0.contains("Session ID") }.map(
                String.init)
        }
        let applied = try row(after: ":apply session-id")
        #expect(applied?.contains("session_id  \"1724990100\"") == true, "\(applied ?? "")")
        #expect(try row(after: "key g") == applied)
    }
}
