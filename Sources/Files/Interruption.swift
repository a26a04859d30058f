import CFiles
import Foundation
import Synchronization

/// A signal that asks the program to end, held back until work that would leave something behind has tidied up.
package enum Interruption {
    /// How much such work there is, one in another or beside it.
    private static let count = Mutex(0)

    /// Whether the program was asked to end.
    package static var isRequested: Bool { cf_held_signal() != 0 }

    /// Runs work that stops when ``isRequested`` says so; after it the program ends by the signal, as it would have: whoever
    /// handles it, as the inspector does to give the terminal back, handles it then.
    package static func holding<Result, Failure: Error>(
        _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        count.withLock { count in
            if count == 0 { cf_hold_signals() }
            count += 1
        }
        defer {
            let isLast = count.withLock { count in
                count -= 1
                if count == 0 { cf_release_signals() }
                return count == 0
            }
            let number = cf_held_signal()
            if isLast, number != 0 { raise(number) }
        }
        return try work()
    }
}
