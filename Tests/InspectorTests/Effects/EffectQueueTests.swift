import Foundation
import MigrationEngine
import Reports
import Testing

@testable import Inspector

@Suite("Effects beside the screen")
struct EffectQueueTests {
    private let journal = Waiting.Journal()

    private func queue() throws -> EffectQueue {
        EffectQueue(try Inspected(RudderStack.stores()).inspection, notify: {})
    }

    @Test("closing stops what runs and waits until it has cleaned up; nothing begins afterwards")
    func closed() throws {
        let queue = try queue()
        queue.start(Waiting(name: "export", journal: journal))
        journal.wait(for: 1)
        queue.close()
        #expect(journal.all.last == "export cleaned up")
        queue.start(Waiting(name: "late", journal: journal))
        #expect(journal.all.count == 2)
    }

    @Test("closing does not wait for what only reads, which may never look")
    func closedWhileReading() throws {
        let queue = try queue(), goesOn = Waiting(name: "rows", lane: .rows, journal: journal, ignoresStopping: true)
        queue.start(goesOn)
        journal.wait(for: 1)
        queue.close()
        #expect(journal.all == ["rows began"])
        goesOn.release()
        journal.wait(for: 2)
    }

    @Test("what stops one effect does not stop another")
    func oneFlagEach() throws {
        let queue = try queue()
        queue.start(Waiting(name: "main", journal: journal))
        queue.start(Waiting(name: "rows", lane: .rows, journal: journal))
        journal.wait(for: 2)
        queue.start(Cancelling())
        journal.wait(for: 3)
        #expect(journal.all.last == "main cleaned up")
        queue.start(Waiting(name: "next", journal: journal))
        journal.wait(for: 4)
        #expect(journal.all.last == "next began", "the flag of the one before is not its flag")
        queue.close()
    }

    @Test("in a lane that is asked again and again, one runs and only the last one follows")
    func newestFollows() throws {
        let queue = try queue()
        queue.start(Waiting(name: "1", lane: .detail, journal: journal))
        journal.wait(for: 1)
        for name in ["2", "3", "4"] { queue.start(Waiting(name: name, lane: .detail, journal: journal)) }
        journal.wait(for: 3)
        #expect(journal.all == ["1 began", "1 cleaned up", "4 began"])
        queue.close()
    }

    @Test("each effect that was started reports its end once, also one that never began")
    func ends() throws {
        let queue = try queue()
        queue.start(Waiting(name: "1", journal: journal))
        journal.wait(for: 1)
        for name in ["2", "3"] { queue.start(Waiting(name: name, journal: journal)) }
        queue.start(Cancelling())
        journal.wait(for: 2)
        #expect(journal.all == ["1 began", "1 cleaned up"], "what was to follow is stopped too")
        var ended = 0
        while ended < 3 {
            _ = queue.waitForEvents()
            for event in queue.take() { if case .finished(.main, _) = event { ended += 1 } }
        }
        queue.close()
        #expect(queue.take().isEmpty && ended == 3)
    }

    @Test("what is quick is in the next frame")
    func grace() throws {
        let inspected = try Inspected(RudderStack.stores())
        let queue = EffectQueue(inspected.inspection, notify: {})
        var model = try inspected.inspection.start(
            container: nil, size: Size(width: 80, height: 24), glyphs: .unicode, masking: Masking())
        for effect in model.update(.started) { queue.start(effect) }
        // However busy the machine is, what was asked for comes in the end.
        while !model.render().text.contains("9b574574") {
            _ = queue.waitForEvents()
            for event in queue.take() { for effect in model.update(event) { queue.start(effect) } }
        }
        queue.close()
    }
}
