import Foundation
import LiveStores

/// Kills a program at every system call by which it changes something, with strace, and has the rest checked.
public struct SyscallKills: Sendable {
    /// What was tried and what was wrong.
    public struct Report: Sendable, CustomStringConvertible {
        /// The system calls at which the program was killed, by name.
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
            return "SIGKILL at \(count) system calls (\(names)), \(missed) not reached: \(violations.count) wrong"
                + violations.prefix(5).map { "\n  " + $0 }.joined()
        }
    }

    /// The calls that can change something in a folder.
    private static let calls = [
        "openat", "write", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "renameat2", "unlink", "unlinkat",
        "mkdir", "mkdirat", "rmdir", "ftruncate", "fchmod", "chmod", "link", "linkat", "symlink", "flock", "fallocate",
    ]

    /// Where strace is, and whether it may trace here.
    public static let strace: String? = ["/usr/bin/strace", "/usr/local/bin/strace"].first {
        FileManager.default.isExecutableFile(atPath: $0)
            && (try? run($0, ["-qq", "-e", "trace=none", "true"])) == 0
    }

    private let program: String
    private let scenario: CrashScenario

    /// Makes ready to kill a program.
    ///
    /// - Parameters:
    ///   - program: The path of `crash-probe`.
    ///   - scenario: A scenario that it knows by name.
    public init(program: String, scenario: CrashScenario) {
        self.program = program
        self.scenario = scenario
    }

    /// Tries every point.
    public func sweep() async throws -> Report {
        var report = Report()
        guard let strace = Self.strace else { throw CrashScenario.Wrong("strace cannot be used here") }
        let base = FileManager.default.temporaryDirectory.path + "/kills-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: base) }
        let folder = base + "/stores", trace = base + "/trace", files = POSIXFileSystem()
        try await scenario.prepare(files, folder)
        let status = try Self.run(
            strace,
            [
                "-f", "-qq", "-y", "-o", trace, "-e", "trace=" + Self.calls.joined(separator: ","), program,
                scenario.name, folder,
            ])
        guard status == 0 else { throw CrashScenario.Wrong("the program ended with \(status) when nobody killed it") }
        try await scenario.check(files, folder, .completed)
        for (call, number) in Self.changingCalls(in: try String(contentsOfFile: trace, encoding: .utf8), folder) {
            try FileManager.default.removeItem(atPath: folder)
            try await Self.untilFree { try await scenario.prepare(files, folder) }
            let status = try Self.run(
                strace,
                [
                    "-f", "-qq", "-y", "-o", trace, "-e", "trace=\(call)", "-e",
                    "inject=\(call):signal=KILL:when=\(number)", program, scenario.name, folder,
                ])
            let place = "killed at \(call) number \(number)"
            let last = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").last {
                $0.contains(" \(call)(")
            }
            // Calls are counted by thread: another one may have come to that number first.
            guard status != 0, last?.contains(folder) ?? false else {
                report.missed += 1
                continue
            }
            report.points[call, default: 0] += 1
            do {
                try await Self.untilFree { try await scenario.check(files, folder, .interrupted) }
            } catch {
                report.violations.append("\(place): \(error)")
            }
        }
        return report
    }

    /// The calls of a trace that change something in the folder, each with its number among those of its name.
    private static func changingCalls(in trace: String, _ folder: String) -> [(call: String, number: Int)] {
        var counts: [String: Int] = [:], found: [(String, Int)] = []
        for line in trace.split(separator: "\n") {
            // "1234 openat(AT_FDCWD, …", with -y paths beside descriptors.
            guard let start = line.firstIndex(of: " "), let end = line.firstIndex(of: "(") else { continue }
            let call = line[start..<end].drop { $0 == " " }
            guard calls.contains(String(call)) else { continue }
            let counter = line[..<start] + " " + call
            counts[String(counter), default: 0] += 1
            let isChange = call != "openat" || line.contains("O_CREAT") || line.contains("O_TRUNC")
            if isChange, line.contains(folder) { found.append((String(call), counts[String(counter)] ?? 0)) }
        }
        return found
    }

    /// Tries again while the lock is held: a process that another test has just forked holds every lock of this one until
    /// it becomes its own program.
    private static func untilFree(_ body: () async throws -> Void) async throws {
        for _ in 0..<200 {
            do {
                return try await body()
            } catch LiveStoreError.inUse {
                _ = try run("/bin/true", [])
            }
        }
        try await body()
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
