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

    private final class Release: Sendable {
        private let flag = Mutex(false)
        var isSet: Bool { flag.withLock { $0 } }
        func set() { flag.withLock { $0 = true } }
    }

    /// Lets one go that ignores being stopped.
    func release() { released.set() }

    init(name: String, lane: Lane = .main, journal: Journal, ignoresStopping: Bool = false) {
        self.name = name
        self.lane = lane
        self.journal = journal
        self.ignoresStopping = ignoresStopping
    }

    let name: String
    var lane = Lane.main
    let journal: Journal
    /// Goes on although it was stopped, until it is released.
    var ignoresStopping = false
    private let released = Release()
    var label: String { name }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) {
        journal.add("\(name) began")
        while ignoresStopping ? !released.isSet : !control.isCancelled() { sched_yield() }
        journal.add("\(name) cleaned up")
        throw .cancelled
    }

    func finish(_ answer: Void, in model: inout Model) -> [any Effect] { [] }
}
