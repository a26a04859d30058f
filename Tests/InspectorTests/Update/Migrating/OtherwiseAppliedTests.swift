import MigrationEngine
import StoreFormats
import Testing

@testable import Inspector

@Suite("Steps that were applied with other facts, or with another profile")
struct OtherwiseAppliedTests {
    @Test("of steps that stand another fact changes nothing, and that they were applied with others is said at once")
    func otherFactAtEnd() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.command("apply all")
        #expect(inspected.plan?.isAtEnd == true && !inspected.applied.isEmpty)
        inspected.command("fact uptime=5")
        #expect(inspected.plan?.badge?.words == "applied with other facts")
        #expect(
            inspected.message?.hasSuffix(": what is applied stays as it is, applied with other facts") == true,
            "\(inspected.message ?? "")")
        inspected.command("fact uptime=10000")
        #expect(inspected.message?.hasSuffix(": every step does the same") == true, "\(inspected.message ?? "")")
    }

    @Test("an applied row shows the facts that it was applied with, and the words about a fact are not masked")
    func factsOfApplied() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 160, height: 50))
        inspected.press("a")
        inspected.command("fact writeKey=other")
        #expect(inspected.screen.contains("writeKey is other: differs in"), "\(inspected.screen)")
        let step = try #require(
            inspected.plan?.steps.first { $0.status == .applied && $0.step.facts.contains(.writeKey) })
        inspected.model.opened?.moveCursor(toStep: step.id)
        inspected.press("<Tab> <Tab>")
        #expect(inspected.screen.contains("fact  writeKey wk  from entry 1 of the ledger"), "\(inspected.screen)")
        #expect(!inspected.screen.contains("writeKey other"))
        inspected.press("a")
        #expect(inspected.screen.contains(":fact writeKey=wk goes back to it"), "\(inspected.screen)")
    }

    @Test(
        "in another profile an applied row shows what the ledger holds, and the header counts it apart; before the next step it is said that that would be another"
    )
    func otherProfile() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 160, height: 45))
        inspected.press("a a a")
        let held = (inspected.plan?.steps ?? []).prefix(3).map(\.changes)
        inspected.command("profile sdk-1.2")
        let shown = (inspected.plan?.steps ?? []).prefix(3)
        #expect(shown.map(\.status) == [.applied, .applied, .applied] && shown.map(\.changes) == held)
        #expect(inspected.screen.contains("0 of 10 steps applied · 3 with documented"), "\(inspected.screen)")
        #expect(inspected.screen.contains(" · applied with another profile (w)"))
        inspected.go(to: "user-id")
        let detail = inspected.screen.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(detail.contains("it stands as the profile documented has made it"), "\(inspected.screen)")
        inspected.press("a")
        #expect(inspected.message?.contains("3 steps applied with the profile documented") == true)
        #expect(inspected.workspace.snapshot.history.entries.count == 3, "nothing before the answer")
        inspected.press("y")
        #expect(inspected.workspace.snapshot.history.entries.last?.profile == "sdk-1.2")
        #expect(inspected.screen.contains("1 of 10 steps applied · 3 with documented"), "\(inspected.screen)")
        inspected.command("profile documented")
        #expect(inspected.screen.contains("3 of 9 steps applied · 1 with sdk-1.2"), "\(inspected.screen)")
        inspected.press("A")
        #expect(
            inspected.message?.contains("1 step applied with the profile sdk-1.2") == true,
            "of the 4 that stand: \(inspected.message ?? "")")
    }

    @Test("where no step is left, nothing is said of where the next one would go")
    func atEnd() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 160, height: 45))
        inspected.press("a a")
        inspected.command("profile sdk-1.1")
        inspected.press("A y")
        let plan = try #require(inspected.plan)
        #expect(plan.isAtEnd && !plan.departures.isEmpty, "\(inspected.screen)")
        #expect(!inspected.screen.contains("elsewhere"), "\(inspected.screen)")
        #expect(inspected.screen.contains("applied with another profile (w)"), "\(inspected.screen)")
        inspected.press("w")
        let page = inspected.screen.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            page.contains("Steps were applied with the profile documented. :profile documented goes back"), "\(page)")
        #expect(!page.contains("elsewhere"))
    }

    @Test(
        "what a step wrote in another profile is no conflict in this one: the list, its filter, the page and the plan count it once"
    )
    func otherwiseIsNoConflict() throws {
        let stores = RudderStack.stores(["rs_user_id": .string("another than the traits have")])
        var inspected = try Inspected(stores, size: Size(width: 160, height: 45))
        inspected.command("apply user-id")
        inspected.command("profile sdk-1.1")
        let plan = try #require(inspected.plan)
        let step = try #require(plan.steps.first { $0.id == "user-id" })
        #expect(step.status == .applied && step.otherProfile == "documented" && plan.summary[.conflict] == nil)
        inspected.command("filter conflict")
        #expect(inspected.opened?.sheet.count == 0)
        inspected.command("filter all")
        #expect(inspected.screen.contains("0 of 10 steps applied · 1 with documented"), "\(inspected.screen)")
    }

    @Test(
        "what another profile has applied elsewhere, with another fact, counts with that profile though it is to be applied here"
    )
    func otherwiseElsewhere() throws {
        var inspected = try Inspected(RudderStack.stores(), size: Size(width: 160, height: 45))
        inspected.command("apply user-id")
        inspected.command("fact writeKey=other")
        inspected.command("apply traits")
        inspected.press("y")
        #expect(inspected.workspace.snapshot.history.standing.count == 2, "\(inspected.message ?? "")")
        inspected.command("profile sdk-1.1")
        #expect(inspected.plan?.steps.first { $0.id == "user-id" }?.outcome.kind == .migrates)
        #expect(inspected.screen.contains("0 of 10 steps applied · 2 with documented"), "\(inspected.screen)")
        inspected.go(to: "user-id")
        let detail = inspected.screen.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(detail.contains("documented has applied it differently"), "\(inspected.screen)")
    }

    @Test("that the next steps would be made with another fact than the applied ones is told before, with the way back")
    func otherWay() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("a a a")
        #expect(!inspected.screen.contains("applied with"))
        inspected.command("fact writeKey=other")
        #expect(inspected.screen.contains(" · applied with other facts (w)"), "\(inspected.screen)")
        inspected.press("w")
        let page = inspected.screen.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            page.contains(
                "applied with writeKey wk, which now is other: the next ones would be made with what it is now"),
            "\(page)")
        inspected.press("<Esc> a")
        #expect(
            inspected.message
                == "Session ID: 3 steps applied with writeKey wk, which now is other (:fact writeKey=wk goes back to it). y applies all the same"
        )
        #expect(inspected.applied.count == 3)
        inspected.command("fact writeKey=wk")
        inspected.press("a")
        #expect(inspected.applied.count == 4)
        inspected.command("profile sdk-1.2")
        inspected.press("a")
        #expect(
            inspected.message?.contains(
                "4 steps applied with the profile documented (:profile documented goes back to it)")
                == true)
        inspected.press("y")
        #expect(inspected.model.message?.kind == .done)
    }
}
