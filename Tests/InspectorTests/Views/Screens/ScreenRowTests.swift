import Foundation
import MigrationEngine
import Reports
import StoreFormats
import TestSupport
import Testing

@testable import Inspector

@Suite("What a row shows of its values")
struct ScreenRowTests {
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

    @Test("at 80 columns an entry that no step touches has its key in full")
    func keys() throws {
        var inspected = try Inspected(
            RudderStack.stores(["rs_opt_out_time": .integer(1_717_230_000), "rs_opt_in_time": .integer(1_717_229_000)]))
        inspected.press("G")
        for text in ["rs_opt_out_time  1717230000", "rs_opt_in_time  1717229000"] {
            #expect(inspected.screen.contains(text), "\(inspected.screen)")
        }
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
}
