import MigrationEngine
import Testing

@testable import Inspector
@testable import Workspace

@Suite("What other programs have changed, or hold")
struct ChangedElsewhereTests {
    @Test("which facts another program has changed is said with whatever has found it", arguments: ["r", "a", "a u"])
    func changedFacts(keys: String) throws {
        var inspected = try Inspected(RudderStack.stores()) {
            $0.changedFacts = .fact(
                .changedMemory([GivenFact(name: "now", value: "12")], gone: ["uptime"], file: "l.facts"))
        }
        inspected.press(keys)
        let said = ". Another program has changed these facts: now=12, uptime not known any more"
        #expect(inspected.message?.hasSuffix(said) == true, "\(inspected.message ?? "")")
    }

    @Test("what is said behind something else follows one full stop, whether that has one or not")
    func oneFullStop() {
        #expect("planned again".followed(by: "More") == "planned again. More")
        #expect("Then try again.".followed(by: "More") == "Then try again. More")
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
        var inspected = try Inspected(RudderStack.stores()) { $0.drift = [Drift("a.plist", .changed)] }
        #expect(inspected.screen.contains("the dump has changed"))
        inspected.press("a")
        #expect(inspected.asked.isEmpty)
        #expect(
            inspected.message
                == "Anonymous ID: the dump has changed since steps were applied: a.plist has changed. y applies all the same"
        )
        inspected.press("j")
        inspected.command("accept")
        #expect(inspected.message == "accept: nothing was asked", "another key drops the question")
        inspected.press("A y")
        let applying = try #require(inspected.asked.first as? Applying)
        #expect(applying.accepted == [Drift("a.plist", .changed)] && applying.selection == .all)
        inspected.command("rollback all")
        inspected.press("a")
        #expect(inspected.applied == ["anonymous-id"], "it is asked once")
    }

    @Test("files that changed just before steps are applied are asked about, and y goes on")
    func driftJustNow() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.performs = false
        inspected.press("a")
        inspected.performs = true
        let drift = [Drift("a.plist", .changed)]
        inspected.fail(.drift(drift))
        #expect(inspected.message?.contains("a.plist has changed") == true)
        inspected.press("y")
        #expect((inspected.asked.first as? Applying)?.accepted == drift)
    }

    @Test("that another program has closed the ledger is told as that, and not as a change of it")
    func letGo() throws {
        var inspected = try Inspected(RudderStack.stores()) { $0.readOnlyReason = "another program has it open" }
        #expect(inspected.screen.contains("read-only"))
        inspected.workspace.isClosedElsewhere()
        inspected.press("j")
        #expect(!inspected.screen.contains("read-only"))
        #expect(inspected.message?.contains("has closed the ledger") == true, "\(inspected.message ?? "")")
        inspected.press("a")
        #expect(inspected.applied.count == 1)
    }

    @Test("what another program applies is seen with the next key")
    func followed() throws {
        var inspected = try Inspected(RudderStack.stores())
        #expect(inspected.screen.contains("0 of 9 steps applied"))
        try inspected.workspace.meanwhile { session, facts in
            try session.apply(
                .next, of: RudderStack.migration, profile: RudderStack.migration.profiles[0], facts: facts,
                stamp: .test,
                assuming: true)
        }
        inspected.press("j")
        #expect(
            inspected.screen.contains("1 of 9 steps applied")
                && inspected.message == "another program has changed the ledger"
        )
        inspected.press("j")
        #expect(inspected.message == nil)
    }
}
