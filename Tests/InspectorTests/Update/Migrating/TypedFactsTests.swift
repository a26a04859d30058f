import MigrationEngine
import Testing

@testable import Inspector

@Suite("Facts that a person gives")
struct TypedFactsTests {
    @Test("a missing fact is asked for where it is missing, and the preview changes at once")
    func fact() throws {
        var inspected = try Inspected(
            RudderStack.stores(), facts: .notes.without(.identifierForVendor), size: Size(width: 120, height: 24))
        #expect(inspected.screen.contains("needs identifierForVendor"))
        inspected.go(to: "anonymous-id")
        inspected.press("f")
        #expect(inspected.model.prompt?.purpose == .fact(.identifierForVendor))
        #expect(inspected.screen.contains("a UUID, as 9B574574-74A7-4EDF-969D-164CB151B6C3"))
        inspected.type("nonsense")
        inspected.press("<Enter>")
        #expect(inspected.model.prompt?.text == "nonsense", "the line stays, to be corrected")
        #expect(inspected.screen.contains("identifierForVendor is a UUID, for example"))
        #expect(inspected.plan?.steps.first?.outcome.kind == .blocked)
        inspected.press("<C-u>")
        inspected.type("00000000-AAAA-4000-8000-000000000000")
        inspected.press("<Enter>")
        #expect(inspected.model.prompt == nil)
        #expect(
            inspected.message == "identifierForVendor is 00000000-AAAA-4000-8000-000000000000: differs in Anonymous ID")
        #expect(inspected.plan?.steps.first?.outcome.kind == .migrates)
        #expect(inspected.screen.contains("\"00000000-aaaa-"))
        #expect(inspected.applied == [], "giving a fact applies nothing")
    }

    @Test("a step that lacks several facts asks for one after the other")
    func chained() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.writeKey, .now, .uptime))
        inspected.go(to: "last-activity-time")
        inspected.press("f")
        for (name, value) in [(FactName.writeKey, "wk"), (.now, "1725000000"), (.uptime, "10000")] {
            #expect(inspected.model.prompt?.purpose == .fact(name))
            inspected.type(value)
            inspected.press("<Enter>")
        }
        #expect(inspected.model.prompt == nil)
        #expect(inspected.opened?.step?.id == "last-activity-time")
        #expect(inspected.opened?.step?.outcome.kind == .migrates)
        #expect(inspected.opened?.sides.migrated == [RudderStack.suite])
    }

    @Test("f asks for what any step lacks where the one under the cursor lacks nothing")
    func factOfAnother() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.uptime))
        inspected.go(to: "user-id")
        inspected.press("f")
        #expect(inspected.model.prompt?.purpose == .fact(.uptime))
    }

    @Test("a fact that was given is taken back by giving nothing")
    func unset() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.command("fact uptime=")
        #expect(inspected.message == "uptime is not known: differs in Last activity time")
        #expect(inspected.plan?.summary[.blocked] == 1)
        #expect(inspected.model.prompt == nil)
    }

    @Test("a fact that is typed as a command is no answer to a question, and asks none")
    func factByName() throws {
        var inspected = try Inspected(
            RudderStack.stores(), facts: .notes.without(.uptime).without(.identifierForVendor))
        let waiting = try #require(
            inspected.plan?.steps.firstIndex {
                $0.outcome.reason?.missingFacts == [.identifierForVendor]
            })
        inspected.model.opened?.moveCursor(to: waiting)
        inspected.command("fact uptime=10000")
        #expect(inspected.model.prompt == nil && inspected.plan?.facts[.uptime]?.value == "10000")
        inspected.press("f")
        #expect(inspected.model.prompt != nil)
    }

    @Test("what a fact changes in what a step lacks is a difference, though it waits all the same")
    func lacksLess() throws {
        var inspected = try Inspected(
            RudderStack.stores(), facts: .notes.without(.writeKey, .identifierForVendor))
        inspected.command("fact writeKey=wk")
        #expect(inspected.message?.contains("differs in Anonymous ID") == true, "\(inspected.message ?? "")")
    }

    @Test("times are typed as people write them, and the page of facts says when the device was rebooted")
    func times() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 120, height: 40)) {
            $0.facts[.downloadDate] = Fact("2024-08-30 06:39:58", from: .metadata("AppDataInfo.plist"))
        }
        func fact(_ name: FactName) -> Fact? { inspected.plan?.facts[name] }
        inspected.command("fact now=3h after the dump")
        #expect(fact(.now) == Fact("1725010798", from: .given("the inspector: 3h after the dump")))
        inspected.command("fact uptime=since 2024-08-30 06:39")
        #expect(fact(.uptime)?.value == "10858")
        inspected.press("F")
        #expect(inspected.screen.contains("rebooted at 2024-08-30T06:39:00Z"), "\(inspected.screen)")
        inspected.press("<Esc>")
        inspected.command("what-if now=2 days before the dump uptime=1h")
        #expect(inspected.screen.contains("now 2024-08-28T06:39:58Z, uptime 1h"), "\(inspected.screen)")
        inspected.press("!")
        #expect(fact(.now)?.value == "1724827198" && fact(.uptime)?.value == "3600")
        // What time it is is asked of the clock of whoever applies steps, and only where a person says so.
        inspected.command("fact now=now")
        #expect(
            fact(.now)?.value == "\(Int(LedgerEntry.Stamp.test.date.timeIntervalSince1970))",
            "\(fact(.now)?.value ?? "")")
        for (typed, says) in [
            ("uptime=since 2099-01-01", "later than the fact now"), ("now=3h later", "now is a number of seconds"),
            ("now=20240830", "for example"),
        ] {
            inspected.command("fact " + typed)
            #expect(inspected.message?.contains(says) == true, "\(typed): \(inspected.message ?? "")")
        }
        var undated = try Inspected(RudderStack.stores())
        undated.command("fact now=3h after the dump")
        #expect(undated.message == "now cannot be told from that: the dump does not say when it was made")
    }
}
