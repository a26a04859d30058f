import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A terminal device without a window: the tests see what is written to it and type into it.
final class PseudoTerminal {
    /// The path of the device.
    let device: String
    private let controller: Int32
    /// Held open, so that a screen that closes is not the end of the device.
    private let end: Int32

    init(width: UInt16 = 80, height: UInt16 = 24) throws {
        var controller: Int32 = -1, end: Int32 = -1, name = [CChar](repeating: 0, count: 1024)
        var size = winsize(ws_row: height, ws_col: width, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&controller, &end, &name, nil, &size) == 0 else {
            throw TmuxSession.Failure(description: "no pseudo-terminal: \(String(cString: strerror(errno)))")
        }
        (self.controller, self.end) = (controller, end)
        device = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        _ = fcntl(controller, F_SETFL, fcntl(controller, F_GETFL) | O_NONBLOCK)
    }

    deinit {
        close(controller)
        close(end)
    }

    /// What was written since the last call.
    func written() -> [UInt8] {
        var result: [UInt8] = [], bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(controller, &bytes, bytes.count)
            guard count > 0 else { return result }
            result += bytes[..<count]
        }
    }

    /// Types bytes.
    func type(_ bytes: [UInt8]) {
        _ = write(controller, bytes, bytes.count)
    }
}
