import Files
import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A way for any thread to interrupt the one that waits for the terminal's next event.
///
/// It carries no message: put that in a queue first, then wake. Several wake-ups may arrive as one event.
package final class Wakeup: Sendable {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws(TerminalError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system(reason: Errno.last.words) }
        for end in ends {
            // A full pipe has woken the reader already, and a program that is started must not hold it open.
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Makes the terminal's next or current wait end with `woken`.
    ///
    /// Returns at once; from any thread, at any time.
    package func wake() {
        var byte = UInt8(ascii: "w")
        _ = write(writeEnd, &byte, 1)
    }

    /// Why the wait has ended.
    struct Reasons: OptionSet {
        let rawValue: Int
        /// Somebody has woken it.
        static let wakeUp = Reasons(rawValue: 1)
        /// The program was told to stop, as a shell's job.
        static let stop = Reasons(rawValue: 2)
        /// It was stopped, and goes on.
        static let goOn = Reasons(rawValue: 4)
        /// It was asked to end, and the terminal is given back already.
        static let end = Reasons(rawValue: 8)
    }

    /// Takes what has arrived; that the size has changed is none of the reasons, as curses tells it.
    func drain() -> Reasons {
        var bytes = [UInt8](repeating: 0, count: 256), reasons: Reasons = []
        while true {
            let count = read(readEnd, &bytes, bytes.count)
            guard count > 0 else { return reasons }
            for byte in bytes[..<count] {
                switch byte {
                case UInt8(ascii: "w"): reasons.insert(.wakeUp)
                case UInt8(ascii: "z"): reasons.insert(.stop)
                case UInt8(ascii: "c"): reasons.insert(.goOn)
                case UInt8(ascii: "e"): reasons.insert(.end)
                default: break
                }
            }
        }
    }
}
