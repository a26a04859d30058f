import Dispatch
import Foundation
import Testing

/// The built `vestige`, run as a person or a script runs it.
enum Program {
    /// What a run left.
    struct Run {
        /// The exit code; of a program that a signal ended, the negative number of the signal.
        let code: Int32
        /// Standard output.
        let output: Data
        /// Standard error.
        let errors: String

        /// Standard output as text.
        var text: String { String(decoding: output, as: UTF8.self) }

        /// Whether it said what its code calls for: an answer, or why there is none.
        var isAnswered: Bool {
            switch code {
            case 64, 75: !errors.isEmpty
            // A dump that cannot be read has no answer; one that is read in part has.
            case 6: !(text + errors).isEmpty
            default: !output.isEmpty
            }
        }
    }

    /// The path of the program.
    static let path = Places.product("vestige")

    /// Runs the program to its end, in an environment that holds nothing of the host's.
    static func run(
        _ arguments: [String], in scratch: Scratch, input: String = "", environment: [String: String] = [:],
        meanwhile: (Process) -> Void = { _ in }
    ) throws -> Run {
        let path = try #require(path, "vestige was not built beside the tests")
        return try execute(
            path, arguments, in: scratch, input: input, environment: environment, meanwhile: meanwhile)
    }

    /// Runs any program to its end.
    ///
    /// Its outputs go to files, so that a long one is no pipe that is full.
    static func execute(
        _ path: String, _ arguments: [String], in scratch: Scratch, input: String = "",
        environment: [String: String] = [:], meanwhile: (Process) -> Void = { _ in }
    ) throws -> Run {
        let name = UUID().uuidString
        try scratch.write("runs/\(name).in", Data(input.utf8))
        for stream in ["out", "err"] { try scratch.write("runs/\(name).\(stream)", Data()) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: Places.package)
        process.environment = ["XDG_STATE_HOME": scratch("state"), "COLUMNS": "80", "PATH": "/usr/bin:/bin"]
            .merging(environment) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: scratch("runs/\(name).in")))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch("runs/\(name).out")))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch("runs/\(name).err")))
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        meanwhile(process)
        if ended.wait(timeout: .now() + 60) == .timedOut { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        return Run(
            code: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
            output: try Data(contentsOf: URL(fileURLWithPath: scratch("runs/\(name).out"))),
            errors: String(
                decoding: try Data(contentsOf: URL(fileURLWithPath: scratch("runs/\(name).err"))), as: UTF8.self))
    }
}
