import Foundation
import Synchronization

/// A signal that asks the program to end, held back until work that would leave something behind has tidied up.
enum Interruption {
    private static let received = Atomic<Int32>(0)

    /// Whether the program was asked to end.
    static var isRequested: Bool { received.load(ordering: .relaxed) != 0 }

    /// Runs work that stops when ``isRequested`` says so; after it the program ends by the signal, as it would have.
    static func holding<Result>(_ work: () throws -> Result) rethrows -> Result {
        // Looked at first, so that a handler never is the one to make it.
        _ = isRequested
        let held = [SIGINT, SIGTERM, SIGHUP].filter { number in
            let before = signal(number) { Interruption.received.store($0, ordering: .relaxed) }
            guard unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) else { return true }
            // Whoever started the program has it ignored, as `nohup` does.
            signal(number, SIG_IGN)
            return false
        }
        // They may come blocked from a thread of whoever started the program.
        var mask = sigset_t()
        sigemptyset(&mask)
        for number in held { sigaddset(&mask, number) }
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        defer {
            for number in held { signal(number, SIG_DFL) }
            let number = received.load(ordering: .relaxed)
            if number != 0 { raise(number) }
        }
        return try work()
    }
}
