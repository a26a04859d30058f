import CFiles
import Foundation
import Synchronization

/// A signal that asks the program to end, held back until work that would leave something behind has tidied up.
package enum Interruption {
    /// How many such works are going on, whether one within another or side by side.
    private static let count = Mutex(0)

    /// Whether the program was asked to end while such work is going on.
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
            let number = count.withLock { count in
                count -= 1
                return count == 0 ? cf_release_signals() : 0
            }
            if number != 0 { raise(number) }
        }
        return try work()
    }
}
