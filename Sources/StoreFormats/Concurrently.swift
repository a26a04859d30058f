import Dispatch
import Foundation
import Synchronization

/// What the parts of a work come to that need nothing of one another, in their order; they are done on all cores.
///
/// On threads of its own, which end with it: libdispatch keeps a thread that wakes every second ever after.
package func concurrently<Result: Sendable>(_ count: Int, _ part: @Sendable (Int) -> Result) -> [Result] {
    let results = Mutex<[Result?]>(Array(repeating: nil, count: count)), next = Atomic(0)
    @Sendable func work() {
        while true {
            let position = next.add(1, ordering: .relaxed).oldValue
            guard position < count else { return }
            let result = part(position)
            results.withLock { $0[position] = result }
        }
    }
    let helpers = max(0, min(count, ProcessInfo.processInfo.activeProcessorCount) - 1)
    withoutActuallyEscaping(work) { work in
        let shared = SharedWork(work), done = DispatchSemaphore(value: 0)
        for _ in 0..<helpers {
            Thread.detach(withStack: threadStack) {
                shared.perform()
                done.signal()
            }
        }
        work()
        for _ in 0..<helpers { done.wait() }
        // A thread may be there a little longer than its work, which belongs to whoever called this.
        shared.end()
    }
    return results.withLock { $0.compactMap(\.self) }
}

/// What stretches of so many things come to that need nothing of one another, in their order: a few long ones, or one where they
/// are no more than `least`.
package func concurrently<Result: Sendable>(
    stretchesOf count: Int, atLeast least: Int, _ part: @Sendable (Range<Int>) -> Result
) -> [Result] {
    let size = max(least, (count + 3) / 4)
    return concurrently((count + size - 1) / size) { part($0 * size..<min(($0 + 1) * size, count)) }
}

/// What several threads do, as long as there is something to do.
private final class SharedWork: Sendable {
    private let work: Mutex<(@Sendable () -> Void)?>

    init(_ work: @escaping @Sendable () -> Void) { self.work = Mutex(work) }

    func end() { work.withLock { $0 = nil } }

    @inline(never)
    func perform() {
        let work = work.withLock { $0 }
        work?()
    }
}

/// Deep values are walked by recursion, up to their limit; threads have little stack of their own.
private let threadStack = 16 << 20

extension Thread {
    /// Begins a work on a thread of its own, with so many bytes of stack.
    fileprivate static func detach(withStack size: Int, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.stackSize = size
        thread.start()
    }
}

/// Does something beside all else, on a thread of its own.
package func beside(_ body: @escaping @Sendable () -> Void) { Thread.detach(withStack: threadStack, body) }
