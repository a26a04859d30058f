import Dispatch
import Foundation
import Reports
import Synchronization

/// Performs effects off the thread that draws, and collects what they report as events.
package final class EffectQueue: Sendable {
    /// Deep values are walked by recursion, up to their limit; threads have little stack of their own.
    private static let stackSize = 16 << 20
    /// How long the next frame waits for what was just asked for: what is quick is then in that frame.
    private static let grace = Duration.milliseconds(25)

    private struct State {
        var events: [Event] = []
        var running: [Lane: Running] = [:]
        var isClosed = false

        /// Adds an event; of progress only the newest counts.
        mutating func add(_ event: Event) {
            if case .progress = events.last, case .progress = event { events.removeLast() }
            events.append(event)
        }
    }

    private struct Running {
        let flag = CancelFlag()
        let started = ContinuousClock.now
        /// What was asked for meanwhile; it begins when this has ended.
        var next: (any Effect)?
    }

    private let inspection: Inspection
    private let state = Mutex(State())
    /// Signalled whenever there is an event or an effect has ended.
    private let change = DispatchSemaphore(value: 0)
    private let notify: @Sendable () -> Void

    /// Makes a queue.
    ///
    /// - Parameter notify: Called from another thread whenever there are new events to take.
    package init(_ inspection: Inspection, notify: @escaping @Sendable () -> Void) {
        self.inspection = inspection
        self.notify = notify
    }

    /// Starts an effect; in a lane that is taken, the one that runs is stopped first, as soon as it looks.
    ///
    /// Each that is started reports its end once, also one in whose place another is asked for before it has begun.
    package func start(_ effect: any Effect) {
        state.withLock { state in
            guard !state.isClosed else { return }
            if let running = state.running[effect.lane] {
                running.flag.set()
                if running.next != nil { state.add(.finished(effect.lane) { _ in [] }) }
                state.running[effect.lane]?.next = effect.isCancelling ? nil : effect
            } else if !effect.isCancelling {
                begin(effect, &state)
            }
        }
    }

    /// The events since the last call, in order.
    package func take() -> [Event] {
        state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
    }

    /// Waits until there are events to take, or until no effect is so young that the next frame should wait for it.
    ///
    /// - Returns: Whether there are events.
    package func waitForEvents() -> Bool {
        while true {
            let (hasEvents, deadline) = state.withLock { state in
                let young = state.running.filter { $0.key != .examination && $0.key != .apps }.map {
                    $0.value.started + Self.grace
                }
                return (!state.events.isEmpty, young.max())
            }
            if hasEvents { return true }
            guard let left = deadline.map({ ContinuousClock.now.duration(to: $0) }), left > .zero else { return false }
            let nanoseconds = Int(left.components.attoseconds / 1_000_000_000)
            _ = change.wait(timeout: .now() + .nanoseconds(max(1, nanoseconds)))
        }
    }

    /// Stops every effect, and waits for the end of what the person asked for: it leaves nothing half done.
    ///
    /// The others only read.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            for lane in state.running.keys {
                state.running[lane]?.flag.set()
                state.running[lane]?.next = nil
            }
        }
        while state.withLock({ $0.running[.main] != nil }) { change.wait() }
    }

    private func begin(_ effect: any Effect, _ state: inout State) {
        let running = Running()
        state.running[effect.lane] = running
        let thread = Thread { [self] in
            let control = EffectControl(
                post: { [self] event in post { $0.add(event) } }, isCancelled: { running.flag.isSet })
            let event = effect.run(on: inspection, control)
            post { state in
                state.add(event)
                let next = state.running.removeValue(forKey: effect.lane)?.next
                if let next { begin(next, &state) }
            }
        }
        thread.stackSize = Self.stackSize
        thread.start()
    }

    private func post(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        change.signal()
        notify()
    }
}

/// Whether one effect is to stop.
private final class CancelFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }
    func set() { flag.store(true, ordering: .relaxed) }
}
