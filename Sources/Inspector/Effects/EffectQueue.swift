import Foundation
import Synchronization

/// Performs effects in the background and collects what they report as events.
///
/// The inspector starts one effect at a time.
public final class EffectQueue: Sendable {
    private let inspection: Inspection
    /// Deep values are walked by recursion, up to their limit; threads have little stack of their own.
    private static let stackSize = 16 << 20

    private let events = Mutex<[Event]>([])
    private let isCancelled = Mutex(false)
    private let notify: @Sendable () -> Void

    /// Makes a queue.
    ///
    /// - Parameter notify: Called from another thread whenever there are new events to take.
    public init(_ inspection: Inspection, notify: @escaping @Sendable () -> Void) {
        self.inspection = inspection
        self.notify = notify
    }

    /// Starts an effect; ``Effect/cancel`` stops the one that runs, as soon as that looks.
    public func start(_ effect: Effect) {
        if case .cancel = effect { return isCancelled.withLock { $0 = true } }
        isCancelled.withLock { $0 = false }
        let thread = Thread { [self] in
            let control = Inspection.Control(
                report: { [self] text in post(.progress(text)) }, isCancelled: { [self] in isCancelled.withLock { $0 } }
            )
            post(.finished(inspection.perform(effect, control)))
        }
        thread.stackSize = Self.stackSize
        thread.start()
    }

    /// The events since the last call, in order; of progress only the newest.
    public func take() -> [Event] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    private func post(_ event: Event) {
        events.withLock { events in
            if case .progress = events.last, case .progress = event { events.removeLast() }
            events.append(event)
        }
        notify()
    }
}
