import Dispatch

/// Runs what a long test does one after the other on a queue of its own, for `withTaskExecutorPreference`.
///
/// All tests share a queue: who waits in one for something stands behind all others again, and a test that waits a
/// thousand times ends long after them.
package final class OwnQueue: TaskExecutor {
    private let queue = DispatchQueue(label: "a long test")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
