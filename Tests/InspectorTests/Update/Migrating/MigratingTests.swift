import MigrationEngine
import StoreFormats
import Testing

@testable import Inspector

@Suite("Applying and rolling back")
struct MigratingTests {
    /// The selection that the last keys asked to apply.
    private func selection(_ inspected: Inspected) -> StepSelection? {
        (inspected.asked.first as? Applying)?.selection
    }

    private func target(_ inspected: Inspected) -> RollbackTarget? {
        (inspected.asked.first as? RollingBack)?.target
    }

    @Test(
        "each way to apply asks for those steps",
        arguments: [
            ("a", StepSelection.steps(["anonymous-id"])), (": a p p l y <Enter>", .steps(["anonymous-id"])),
            (": a p p l y <Space> n e x t <Enter>", .next),
            ("A", .all), (": a p p l y <Space> a l l <Enter>", .all),
            ("g <Space> <Space> s", .steps(["anonymous-id", "user-id"])),
            ("3 g <Space> : a p p l y <Space> s e l e c t e d <Enter>", .steps(["traits"])),
            (": a p p l y <Space> t r a i t s <Space> u s e r - i d <Enter>", .steps(["traits", "user-id"])),
        ])
    func apply(keys: String, expected: StepSelection) throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press(keys)
        #expect(selection(inspected) == expected)
        #expect(inspected.model.message?.kind == .done)
    }

    @Test("applying takes the migration, the variant and the facts that are in view")
    func effect() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.uptime))
        inspected.command("profile sdk-1.2")
        inspected.command("fact uptime=55")
        inspected.press("a")
        let applying = try #require(inspected.asked.first as? Applying)
        #expect(applying.migration.id == "rudderstack-v2" && applying.profile.id == "sdk-1.2")
        #expect(applying.accepted.isEmpty)
        let entry = try #require(inspected.opened?.snapshot.history.standing.first)
        #expect(entry.facts[.uptime] == Fact("55", from: "the inspector") && entry.profile == "sdk-1.2")
    }

    @Test("one after the other, each step says what it did, and the cursor goes with it")
    func next() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("g a")
        #expect(inspected.message == "applied Anonymous ID")
        #expect(inspected.opened?.step?.id == "anonymous-id")
        inspected.press("a")
        #expect(inspected.message == "applied User ID")
        #expect(inspected.opened?.step?.id == "user-id")
        #expect(inspected.applied == ["anonymous-id", "user-id"])
        #expect(inspected.screen.contains("2 of 9 steps applied · 6 to apply · 1 skipped"))
    }

    @Test("a applies the step under the cursor, and says why where that has nothing to apply")
    func underCursor() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.uptime))
        inspected.go(to: "app-version")
        #expect(inspected.screen.contains("a apply  "))
        inspected.press("a")
        #expect(inspected.applied == ["app-version"] && inspected.message == "applied App version")
        #expect(inspected.screen.contains("a apply next"))
        inspected.press("a")
        #expect(inspected.applied == ["app-version", "app-build"], "what is done goes on to the next")
        inspected.go(to: "last-activity-time")
        inspected.press("a")
        #expect(inspected.applied.count == 2 && inspected.asked.isEmpty)
        #expect(
            inspected.message?.hasPrefix("Last activity time has nothing to apply: ") == true
                && inspected.message?.hasSuffix("; f gives it; A applies the 5 others") == true,
            "\(inspected.message ?? "")")
    }

    @Test("a on a row of no step applies none that is out of sight, and says what does")
    func onNoStep() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("G")
        #expect(!inspected.screen.contains("a apply"))
        inspected.press("a")
        #expect(inspected.applied == [] && inspected.opened?.step == nil)
        #expect(inspected.message == "this row is of no step; :apply next applies the next one")
        inspected.command("apply next")
        #expect(inspected.applied == ["anonymous-id"])
    }

    @Test("a step that builds on another asks whether that is to be applied with it")
    func earlier() throws {
        var inspected = try Inspected(RudderStack.stores(), chosen: ("rudderstack-v2", "sdk-1.1"))
        inspected.go(to: "remove-legacy")
        inspected.press("a")
        #expect(inspected.applied == [] && inspected.asked.isEmpty)
        let question = try #require(inspected.model.question)
        #expect(inspected.message?.contains("which come first") == true, "\(inspected.message ?? "")")
        #expect(question.steps.count > 1 && question.steps.last == "Remove legacy keys")
        inspected.press("y")
        #expect(inspected.applied.contains("remove-legacy") && inspected.applied.count == question.steps.count)
    }

    @Test("what could not be applied is named beside what was")
    func held() throws {
        var inspected = try Inspected(
            RudderStack.stores(["rl_session_id": .string("x")], migrated: ["user_id": .string("z")]))
        inspected.press("A")
        #expect(inspected.message == "applied 6 steps; not: User ID (conflict), Session ID (failed)")
        inspected.press("a")
        #expect(inspected.message == "apply: no step has anything to do")
    }

    @Test(
        "a step that cannot be applied is not selected, and the footer does not offer it; one that is can be left out")
    func notSelectable() throws {
        var inspected = try Inspected(RudderStack.stores(["rl_session_id": .string("x")]))
        inspected.go(to: "session-id")
        #expect(!inspected.screen.contains("select"), "\(inspected.screen)")
        inspected.press("<Space>")
        #expect(inspected.message == "select: the step failed, so that it cannot be applied; its detail says why")
        #expect(inspected.opened?.selected == [] && inspected.opened?.step?.id == "session-id")
        inspected.press("g a k <Space>")
        #expect(inspected.message == "select: the step is applied", "\(inspected.screen)")
        inspected.go(to: "user-id")
        inspected.press("<Space>")
        inspected.command("apply user-id")
        inspected.command("rollback")
        inspected.model.opened?.selected = ["session-id"]
        inspected.go(to: "session-id")
        inspected.press("<Space>")
        #expect(inspected.opened?.selected == [])
    }

    @Test("Space selects and deselects a step and goes on; what was applied is no longer selected")
    func select() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("g <Space> <Space> <Space> k <Space>")
        #expect(inspected.opened?.selected == ["anonymous-id", "user-id"])
        #expect(inspected.opened?.cursor == 3)
        #expect(inspected.model.render().shows("●", styled: "badge"))
        inspected.press("s")
        #expect(inspected.opened?.selected == [])
        #expect(inspected.applied == ["anonymous-id", "user-id"])
        inspected.press("G <Space>")
        #expect(inspected.message == "select: there is no step in this row")
    }

    @Test("roll back takes the last step, those after the one under the cursor, or all")
    func rollback() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("a a a a u")
        #expect(target(inspected) == .last)
        #expect(inspected.message == "rolled back Session ID")
        #expect(inspected.opened?.step?.id == "session-id")
        #expect(inspected.applied == ["anonymous-id", "user-id", "traits"])
        inspected.go(to: "anonymous-id")
        inspected.press("U")
        #expect(target(inspected) == .entry(1))
        #expect(inspected.message == "rolled back Traits, User ID")
        #expect(inspected.applied == ["anonymous-id"])
        inspected.press("A")
        inspected.command("rollback to traits")
        #expect(target(inspected) == .step("traits"))
        #expect(inspected.applied == ["anonymous-id", "user-id", "traits"])
        inspected.command("rollback to rudderstack-v2:user-id")
        #expect(target(inspected) == .step("user-id", migration: "rudderstack-v2"))
        #expect(inspected.applied == ["anonymous-id", "user-id"])
        inspected.command("rollback all")
        #expect(target(inspected) == .all)
        #expect(inspected.applied == [])
        #expect(inspected.plan?.steps.first?.status == .rolledBack)
        inspected.press("u")
        #expect(inspected.message == "rollback: nothing is applied")
    }

    @Test("rolling back to the last applied step says that nothing came after it")
    func rollbackToLast() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("a U")
        #expect(inspected.message == "nothing was applied after it")
        #expect(inspected.applied == ["anonymous-id"])
        inspected.press("j U")
        #expect(inspected.message == "rollback-to-here: the step under the cursor is not applied")
    }

    @Test("the cursor stays on its row when applying removes rows above it")
    func cursorStays() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("G")
        #expect(inspected.opened?.row == .entry(RudderStack.legacy, key: "launches"))
        inspected.command("profile sdk-1.1")
        #expect(inspected.opened?.row == .entry(RudderStack.legacy, key: "launches"))
    }
}
