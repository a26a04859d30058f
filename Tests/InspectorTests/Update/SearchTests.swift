import Foundation
import MigrationEngine
import StoreFormats
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
            #expect(inspected.message?.hasPrefix("“\(text)”, row \(expected + 1) of 12") == true)
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
        #expect(inspected.message?.contains("row") == true, "what stands beside a secret is found")
        inspected.press("v")
        inspected.command("search unter")
        #expect(inspected.message?.contains("row") == true)
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
            #expect(inspected.message?.hasPrefix("“\(text)”, row ") == true)
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

    @Test("a long search stops where it is told to, and reads no row afterwards")
    func cancelled() throws {
        let keys = CountingKeys(count: 1_000_000)
        let inspected = try Inspected(CountedStores(keys: keys), migrations: [])
        var opened = try #require(inspected.opened)
        opened.show(try inspected.inspection.view(opened.folding(CountedStores.store), EffectControl()))
        let before = keys.accesses
        var asked = 0
        let found = RowSearch("no such text", isForward: true, in: opened).run {
            asked += 1
            return asked == 3
        }
        #expect(found == .nowhere(isComplete: true))
        #expect(asked == 3)
        #expect(keys.accesses - before < 30_000)
    }
}
