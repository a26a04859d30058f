import MigrationEngine
import StoreFormats
import Testing

@testable import Inspector

@Suite("Applying and rolling back")
struct MigratingTests {
    /// The selection that the last keys asked to apply.
    private func selection(_ inspected: Inspected) -> StepSelection? {
        guard case .apply(let selection, _, _, _, _) = inspected.asked.first else { return nil }
        return selection
    }

    private func target(_ inspected: Inspected) -> RollbackTarget? {
        guard case .rollback(let target) = inspected.asked.first else { return nil }
        return target
    }

    @Test(
        "each way to apply asks for those steps",
        arguments: [
            ("a", StepSelection.next), (": a p p l y <Enter>", .next), (": a p p l y <Space> n e x t <Enter>", .next),
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
        guard case .apply(_, let migration, let profile, let facts, let accepting) = inspected.asked.first else {
            Issue.record("nothing is applied")
            return
        }
        #expect(migration.id == "rudderstack-v2" && profile.id == "sdk-1.2" && !accepting)
        #expect(facts[.uptime] == Fact("55", from: "the inspector"))
    }

    @Test("one after the other, each step says what it did, and the cursor goes with it")
    func next() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("G a")
        #expect(inspected.message == "applied Anonymous ID")
        #expect(inspected.opened?.step?.id == "anonymous-id")
        inspected.press("a")
        #expect(inspected.message == "applied User ID")
        #expect(inspected.opened?.step?.id == "user-id")
        #expect(inspected.applied == ["anonymous-id", "user-id"])
        #expect(inspected.screen.contains("2 of 9 applied · 6 to apply · 1 skipped"))
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

    @Test("selected steps that have nothing to do say why")
    func nothingTaken() throws {
        var inspected = try Inspected(RudderStack.stores(["rl_session_id": .string("x")]))
        inspected.go(to: "session-id")
        inspected.press("<Space> s")
        #expect(inspected.model.message == .refused("rl_session_id is a string, where a number belongs"))
        #expect(inspected.opened?.selected == ["session-id"], "it stays selected")
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
        #expect(target(inspected) == .step("anonymous-id"))
        #expect(inspected.message == "rolled back Traits, User ID")
        #expect(inspected.applied == ["anonymous-id"])
        inspected.press("A")
        inspected.command("rollback to traits")
        #expect(target(inspected) == .step("traits"))
        #expect(inspected.applied == ["anonymous-id", "user-id", "traits"])
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

    @Test("a missing fact is asked for where it is missing, and the preview changes at once")
    func fact() throws {
        var inspected = try Inspected(
            RudderStack.stores(), facts: .notes.without(.identifierForVendor), size: Size(width: 120, height: 24))
        #expect(inspected.opened?.step?.id == "anonymous-id")
        #expect(inspected.screen.contains("needs identifierForVendor"))
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
        #expect(inspected.message == "identifierForVendor is 00000000-AAAA-4000-8000-000000000000")
        #expect(inspected.plan?.steps.first?.outcome.kind == .migrates)
        #expect(inspected.screen.contains("\"00000000-aaaa-"))
        #expect(inspected.asked.isEmpty, "giving a fact applies nothing")
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

    @Test("another variant says which steps it does otherwise")
    func profile() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("p")
        #expect(inspected.opened?.profile?.id == "sdk-1.1")
        // The traits are a JSON string, which the SDK does not read.
        #expect(inspected.message == "sdk-1.1: differs in User ID, Traits, Session mode, Remove legacy keys")
        inspected.press("p")
        #expect(inspected.message == "sdk-1.2: differs in Last activity time")
        inspected.press("p")
        #expect(inspected.opened?.profile?.id == "documented")
        #expect(
            inspected.message
                == "documented: differs in User ID, Traits, Session mode, Last activity time, Remove legacy keys")
        inspected.command("profile documented")
        #expect(inspected.message == "documented: every step does the same")
    }

    @Test("a variant with fewer steps leaves no selection of steps that it has not")
    func profileSelection() throws {
        var inspected = try Inspected(RudderStack.stores(), chosen: ("rudderstack-v2", "sdk-1.1"))
        inspected.go(to: "remove-legacy")
        inspected.press("<Space> p p")
        #expect(inspected.opened?.profile?.id == "documented")
        #expect(inspected.opened?.selected == [])
    }

    @Test("what is open for reading only cannot be changed, and says why")
    func readOnly() throws {
        var inspected = try Inspected(RudderStack.stores()) {
            $0.readOnlyReason = "open for reading only: another program has it"
        }
        for (key, name) in [("a", "apply"), ("A", "apply-all"), ("u", "rollback")] {
            inspected.press(key)
            #expect(inspected.asked.isEmpty)
            #expect(inspected.message == "\(name): open for reading only: another program has it")
        }
        #expect(inspected.screen.contains("read-only"))
    }

    @Test("a dump that has changed is named, and nothing is applied until the person decides")
    func drift() throws {
        var inspected = try Inspected(RudderStack.stores()) { $0.drift = ["a.plist has changed"] }
        #expect(inspected.screen.contains("the dump has changed"))
        inspected.press("a")
        #expect(inspected.asked.isEmpty)
        #expect(
            inspected.message
                == "apply: the dump has changed since steps were applied: a.plist has changed; :accept-drift goes on all the same"
        )
        inspected.command("accept-drift")
        inspected.press("a")
        guard case .apply(_, _, _, _, let accepting) = inspected.asked.first else {
            Issue.record("nothing is applied")
            return
        }
        #expect(accepting)
    }

    @Test("what fails says why, and nothing else changes")
    func failed() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.performs = false
        inspected.press("a")
        inspected.send(.finished(.failed("the disk is full", nil)))
        #expect(inspected.model.message == .refused("the disk is full"))
        #expect(inspected.model.busy == nil && inspected.applied == [])
    }

    @Test("export asks for a folder, and takes the one named")
    func export() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("e")
        #expect(inspected.model.prompt?.text == "export ")
        inspected.type("out here")
        inspected.press("<Enter>")
        guard case .export("out here", replacing: false) = inspected.asked.first else {
            Issue.record("nothing is exported")
            return
        }
        #expect(inspected.message == "exported to out here, read back and compared")
        inspected.command("export! out")
        guard case .export("out", replacing: true) = inspected.asked.first else {
            Issue.record("nothing is replaced")
            return
        }
    }

    @Test("facts that were given while something was applied are kept")
    func factsMeanwhile() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.uptime))
        inspected.performs = false
        inspected.press("a")
        let before = try #require(inspected.opened?.snapshot)
        inspected.command("fact uptime=7")
        inspected.send(.finished(.applied([], before)))
        #expect(inspected.opened?.snapshot.facts[.uptime]?.value == "7")
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
