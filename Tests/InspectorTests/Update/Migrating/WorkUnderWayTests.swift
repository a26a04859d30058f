import MigrationEngine
import Synchronization
import Testing

@testable import Inspector
@testable import Workspace

@Suite("Work that is under way")
struct WorkUnderWayTests {
    @Test("what was applied before Esc is told, at whatever moment that comes")
    func stopped() throws {
        var ends: [String] = []
        for moment in 1...60 {
            var inspected = try Inspected(RudderStack.stores())
            inspected.performs = false
            inspected.press("a")
            inspected.performs = true
            let effect = try #require(inspected.asked.first), asked = Mutex(0)
            let control = EffectControl(isCancelled: {
                asked.withLock {
                    $0 += 1
                    return $0 >= moment
                }
            })
            inspected.send(effect.run(on: inspected.inspection, control))
            let message = try #require(inspected.message)
            #expect(message == (inspected.applied.isEmpty ? "stopped" : "applied Anonymous ID"))
            if asked.withLock({ $0 }) >= moment { ends.append(message) }
        }
        #expect(Set(ends) == ["stopped", "applied Anonymous ID"], "it was stopped before and after")
    }

    @Test("what fails says why, and nothing else changes")
    func failed() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.performs = false
        inspected.press("a")
        inspected.performs = true
        inspected.fail(.ledger("/x", .full))
        #expect(inspected.model.message?.kind == .refused && inspected.message?.contains("/x") == true)
        #expect(inspected.model.busy == nil && inspected.applied == [])
    }

    @Test("nothing that the person asks for overtakes what is being done")
    func nothingOvertakes() throws {
        var inspected = try Inspected(RudderStack.stores(), facts: .notes.without(.uptime))
        inspected.performs = false
        inspected.press("a")
        inspected.command("fact uptime=7")
        #expect(inspected.message == "still applying; Esc stops it")
        inspected.press("p")
        #expect(inspected.asked.isEmpty && inspected.opened?.profile?.id == "documented")
    }
}
