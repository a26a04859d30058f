import Foundation
import TestSupport

/// A command that the tests run to its end.
///
/// Not Foundation's `Process`: on Linux that waits until a socket is closed which a daemon, such as tmux's server,
/// inherits and keeps.
enum Command {
    /// Runs a command and returns its standard output; one that fails is an error.
    @discardableResult
    static func run(_ arguments: [String]) throws -> String {
        let quoted = arguments.map { "'" + $0.replacingOccurrences(of: "'", with: "'\\''") + "'" }
        let line = quoted.joined(separator: " ") + " </dev/null 2>/dev/null"
        guard let stream = popen(line, "r") else {
            throw TmuxSession.Failure(description: "cannot run \(line)")
        }
        var output: [UInt8] = [], bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&bytes, 1, bytes.count, stream)
            guard count > 0 else { break }
            output += bytes[..<count]
        }
        let status = pclose(stream)
        guard status == 0 else { throw TmuxSession.Failure(description: "ended with status \(status): \(line)") }
        return String(decoding: output, as: UTF8.self)
    }
}

/// The path of a program that was built with the tests.
func product(_ name: String) throws -> String {
    guard let path = Places.product(name) else { throw TmuxSession.Failure(description: "\(name) was not built") }
    return path
}
