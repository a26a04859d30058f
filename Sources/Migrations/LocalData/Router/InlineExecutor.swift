import Synchronization

/// Runs asynchronous code to its end on the calling thread, as long as it waits for nothing but itself and actors.
///
/// A step is a function, and a migration of one's own is asynchronous. What it awaits of the router needs no other
/// thread; where it waits for anything else, such as a timer, nobody is left to go on and ``run(_:)`` gives up.
final class InlineExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isGivenUp = false
    }

    private let state = Mutex(State())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isLate = state.withLock { state in
            if !state.isGivenUp { state.jobs.append(job) }
            return state.isGivenUp
        }
        // Nobody waits for it any more; it only has to end.
        if isLate { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next() -> UnownedJob? {
        state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
    }

    /// What the code returns, or `nil` where it waits for something else.
    static func run<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result? {
        let executor = InlineExecutor(), answer = Answer<Result>()
        let task = Task(executorPreference: executor) {
            let result = await body()
            answer.value.withLock { $0 = result }
        }
        while true {
            while let job = executor.next() { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
            if let result = answer.value.withLock({ $0 }) { return result }
            let isEmpty = executor.state.withLock { state in
                state.isGivenUp = state.jobs.isEmpty
                return state.isGivenUp
            }
            if isEmpty { break }
        }
        task.cancel()
        return nil
    }

    private final class Answer<Result: Sendable>: Sendable {
        let value = Mutex<Result?>(nil)
    }
}
