import Foundation
import LiveStores

/// Tries an operation on live stores with a failure at every one of its file operations, in memory.
public struct CrashModel: Sendable {
    /// What was tried and what was wrong.
    public struct Report: Sendable, CustomStringConvertible {
        /// Points at which the power went off.
        public internal(set) var powerPoints = 0
        /// States of the disk that were checked after that.
        public internal(set) var powerStates = 0
        /// Points at which the power went off again, while what was interrupted was being finished.
        public internal(set) var recoveryPoints = 0
        /// Points at which an operation failed.
        public internal(set) var errorPoints = 0
        /// How many states were wrong.
        public internal(set) var violations = 0
        /// The first few of them in words.
        public internal(set) var examples: [String] = []

        /// All of it in a sentence.
        public var description: String {
            """
            power off at \(powerPoints) operations (\(powerStates) states of the disk) and at \(recoveryPoints) of \
            recoveries, errors at \(errorPoints): \(violations) wrong
            """ + examples.map { "\n  " + $0 }.joined()
        }

        mutating func note(_ place: String, _ error: any Error) {
            violations += 1
            if examples.count < 5 { examples.append("\(place): \(error)") }
        }
    }

    /// What the code under test sees of the disk; a planted bug wraps it.
    public var wrap: @Sendable (MemoryFileSystem) -> any FileSystem = { $0 }
    /// How many random states of the disk are checked after each loss of power, beside all and nothing.
    public var randomStates: UInt64 = 6
    /// Whether to stop at the first state that is wrong.
    public var stopsAtFirst = false
    private let scenario: CrashScenario
    /// Where the stores are in memory.
    private let path = "/stores"

    /// Makes a model of a scenario.
    public init(_ scenario: CrashScenario) { self.scenario = scenario }

    /// Tries every point.
    public func sweep() async throws -> Report {
        var report = Report()
        let disk = MemoryFileSystem()
        try await scenario.prepare(disk, path)
        let start = disk.afterPowerLoss(.everything)
        let rehearsal = start.afterPowerLoss(.everything)
        try await scenario.operation(wrap(rehearsal), path)
        let (changes, operations) = (rehearsal.changes, rehearsal.operations)
        for point in 0...changes where !isDone(report) {
            report.powerPoints += 1
            try await losePower(before: point, of: changes, from: start, &report)
        }
        for point in 0..<operations where !isDone(report) {
            for (number, lasting) in [(EIO, false), (ENOSPC, true)] {
                report.errorPoints += 1
                await fail(at: point, number: number, lasting: lasting, from: start, &report)
            }
        }
        return report
    }

    private func isDone(_ report: Report) -> Bool { stopsAtFirst && report.violations > 0 }

    private func losePower(
        before point: Int, of changes: Int, from start: MemoryFileSystem, _ report: inout Report
    ) async throws {
        let disk = start.afterPowerLoss(.everything)
        disk.set(.powerOff(before: point))
        try? await scenario.operation(wrap(disk), path)
        let moment: CrashScenario.Moment = point == changes ? .completed : .interrupted
        let random = (0..<randomStates).map { MemoryFileSystem.Survival.random(seed: $0 &* 7919 &+ UInt64(point)) }
        for (number, survival) in ([.everything, .nothing] + random).enumerated() {
            let place = "power off before operation \(point), \(survival)"
            let found = disk.afterPowerLoss(survival)
            report.powerStates += 1
            await check(found.afterPowerLoss(.everything), moment, at: place, &report)
            // Twice: once more while it is being finished.
            let whole = found.afterPowerLoss(.everything)
            do {
                _ = try DirectoryStores(at: path, fileSystem: wrap(whole))
            } catch {
                report.note(place, error)
                continue
            }
            guard number < 3 else { continue }
            for second in 0..<whole.changes {
                let again = found.afterPowerLoss(.everything)
                again.set(.powerOff(before: second))
                _ = try? DirectoryStores(at: path, fileSystem: wrap(again))
                report.recoveryPoints += 1
                await check(
                    again.afterPowerLoss(.random(seed: UInt64(second &+ point))), moment,
                    at: place + ", then before operation \(second) of the recovery", &report)
            }
        }
    }

    private func fail(
        at point: Int, number: Int32, lasting: Bool, from start: MemoryFileSystem, _ report: inout Report
    ) async {
        let disk = start.afterPowerLoss(.everything)
        disk.set(.error(at: point, number: number, lasting: lasting))
        var moment = CrashScenario.Moment.completed
        do {
            try await scenario.operation(wrap(disk), path)
        } catch {
            moment = .interrupted
        }
        disk.set(.none)
        let place = "error \(number)\(lasting ? " from" : " at") operation \(point)"
        // What was promised to be done must also survive a loss of power right after.
        await check(disk.afterPowerLoss(.nothing), moment, at: place + ", then power off", &report)
        await check(disk, moment, at: place, &report)
    }

    private func check(
        _ disk: MemoryFileSystem, _ moment: CrashScenario.Moment, at place: String, _ report: inout Report
    ) async {
        do {
            try await scenario.check(wrap(disk), path, moment)
        } catch {
            report.note(place, error)
        }
    }
}
