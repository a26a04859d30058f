import Dispatch
import Foundation
import Synchronization
import Workspace

@testable import Inspector

/// An effect that goes on until it is stopped, and then takes its time to clean up.
struct Waiting: Effect {
    /// What is known of the effects of a test.
    final class Journal: Sendable {
        private let lines = Mutex<[String]>([])
        private let news = DispatchSemaphore(value: 0)

        var all: [String] { lines.withLock { $0 } }

        func add(_ line: String) {
            lines.withLock { $0.append(line) }
            news.signal()
        }

        /// Waits until there are so many lines.
        func wait(for count: Int) {
            while all.count < count { news.wait() }
        }
    }

    let name: String
    var lane = Lane.main
    let journal: Journal
    var label: String { name }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) {
        journal.add("\(name) began")
        while !control.isCancelled() { sched_yield() }
        journal.add("\(name) cleaned up")
        throw .cancelled
    }

    func finish(_ answer: Void, in model: inout Model) -> [any Effect] { [] }
}
