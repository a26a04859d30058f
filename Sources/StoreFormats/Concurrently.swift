import Dispatch
import Synchronization

/// What the parts of a work come to that need nothing of one another, in their order; they are done on all cores.
package func concurrently<Result: Sendable>(_ count: Int, _ part: @Sendable (Int) -> Result) -> [Result] {
    let results = Mutex<[Result?]>(Array(repeating: nil, count: count))
    DispatchQueue.concurrentPerform(iterations: count) { position in
        let result = part(position)
        results.withLock { $0[position] = result }
    }
    return results.withLock { $0.compactMap(\.self) }
}
