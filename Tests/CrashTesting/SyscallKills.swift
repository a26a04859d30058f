import Foundation
import LiveStores

/// Kills a program at every system call by which it changes something, or lets the call find no space, with strace, and
/// has the rest checked.
public struct SyscallKills: Sendable {
    /// What happens at a call.
    public enum Fault: String, Sendable {
        /// The program is killed before it.
        case kill = "signal=KILL"
        /// It fails, because the disk is full.
        case noSpace = "error=ENOSPC"
    }

    /// What was tried and what was wrong.
    public struct Report: Sendable, CustomStringConvertible {
        /// What happened at the system calls.
        public internal(set) var fault = Fault.kill
        /// The system calls at which it happened, by name.
        public internal(set) var points: [String: Int] = [:]
        /// Points that could not be reached: another thread came to a call of that name and number before.
        public internal(set) var missed = 0
        /// What was wrong, in words.
        public internal(set) var violations: [String] = []

        /// How many points there were.
        public var count: Int { points.values.reduce(0, +) }

        /// All of it in a sentence.
        public var description: String {
            let names = points.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
            return
                "\(fault.rawValue) at \(count) system calls (\(names)), \(missed) not reached: \(violations.count) wrong"
                + violations.prefix(5).map { "\n  " + $0 }.joined()
        }
    }

    /// The calls that can change something in a folder.
    private static let calls = [
        "openat", "write", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "renameat2", "unlink", "unlinkat",
        "mkdir", "mkdirat", "rmdir", "ftruncate", "fchmod", "chmod", "link", "linkat", "symlink", "flock", "fallocate",
    ]

    /// Those of them that may need space.
    private static let growingCalls = [
        "openat", "write", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "renameat2", "mkdir", "mkdirat",
        "ftruncate", "link", "linkat", "symlink", "fallocate",
    ]

    /// Where strace is, and whether it may trace here.
    public static let strace: String? = ["/usr/bin/strace", "/usr/local/bin/strace"].first {
        FileManager.default.isExecutableFile(atPath: $0)
            && (try? run($0, ["-qq", "-e", "trace=none", "true"])) == 0
    }

    private let program: String
    private let scenario: CrashScenario
    private let fault: Fault

    /// Makes ready to interrupt a program.
    ///
    /// - Parameters:
    ///   - program: The path of `crash-probe`.
    ///   - scenario: A scenario that it knows by name.
    ///   - fault: What happens at each call.
    public init(program: String, scenario: CrashScenario, fault: Fault = .kill) {
        self.program = program
        self.scenario = scenario
        self.fault = fault
    }

    /// Tries every point.
    public func sweep() async throws -> Report {
        var report = Report()
        report.fault = fault
        let calls = fault == .kill ? Self.calls : Self.growingCalls
        guard let strace = Self.strace else { throw CrashScenario.Wrong("strace cannot be used here") }
        let base = FileManager.default.temporaryDirectory.path + "/kills-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: base) }
        let folder = base + "/stores", trace = base + "/trace", files = POSIXFileSystem()
        try await scenario.prepare(files, folder)
        let status = try Self.run(
            strace,
            [
                "-f", "-qq", "-y", "-o", trace, "-e", "trace=" + calls.joined(separator: ","), program,
                scenario.name, folder,
            ])
        guard status == 0 else { throw CrashScenario.Wrong("the program ended with \(status) when nobody killed it") }
        try await scenario.check(files, folder, .completed)
        for point in Self.changingCalls(in: try String(contentsOfFile: trace, encoding: .utf8), folder, calls) {
            let call = point.call
            // Calls are counted by thread, and the loader opens files on the first one: then only those of the path count.
            var isReached = false
            for (number, only) in [(point.number, []), (point.numberOfPath, ["-P", point.path])] where !isReached {
                try FileManager.default.removeItem(atPath: folder)
                try await scenario.prepare(files, folder)
                let status = try Self.run(
                    strace,
                    [
                        "-f", "-qq", "-y", "-o", trace, "-e", "trace=\(call)", "-e",
                        "inject=\(call):\(fault.rawValue):when=\(number)",
                    ] + only + [program, scenario.name, folder])
                // strace marks the call that it lets fail; the one at which it kills is the last.
                let hit = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").last {
                    $0.contains(" \(call)(") && (fault == .kill || $0.contains("(INJECTED)"))
                }
                isReached = (status != 0 || fault != .kill) && hit?.contains(folder) ?? false
            }
            guard isReached else {
                report.missed += 1
                continue
            }
            report.points[call, default: 0] += 1
            do {
                try await scenario.check(files, folder, .interrupted)
            } catch {
                report.violations.append("\(fault.rawValue) at \(call) number \(point.number): \(error)")
            }
        }
        return report
    }

    /// A call that changes something: its number among those of its name, and among those of its path too, by thread.
    private struct Point {
        let call: String
        let number: Int
        let path: String
        let numberOfPath: Int
    }

    /// The calls of a trace that change something in the folder.
    private static func changingCalls(in trace: String, _ folder: String, _ calls: [String]) -> [Point] {
        var counts: [String: Int] = [:], found: [Point] = []
        func next(_ counter: String) -> Int {
            counts[counter, default: 0] += 1
            return counts[counter] ?? 0
        }
        for line in trace.split(separator: "\n") {
            // "1234 openat(AT_FDCWD, …", with -y paths beside descriptors.
            guard let start = line.firstIndex(of: " "), let end = line.firstIndex(of: "(") else { continue }
            let call = String(line[start..<end].drop { $0 == " " }), thread = line[..<start]
            guard calls.contains(call) else { continue }
            let quoted = line.split(separator: "\"", omittingEmptySubsequences: false)
            let path = quoted.count > 1 ? String(quoted[1]) : ""
            let number = next("\(thread) \(call)"), numberOfPath = next("\(thread) \(call) \(path)")
            let isChange = call != "openat" || line.contains("O_CREAT") || line.contains("O_TRUNC")
            if isChange, line.contains(folder) {
                found.append(Point(call: call, number: number, path: path, numberOfPath: numberOfPath))
            }
        }
        return found
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }
}
