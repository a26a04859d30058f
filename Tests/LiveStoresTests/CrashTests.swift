import CrashTesting
import LiveStores
import TestSupport
import Testing

@Suite("Live stores survive whatever interrupts them")
struct CrashTests {
    @Test(
        "power loss and errors at every file operation leave the old state or the new one, and a retry completes",
        arguments: CrashScenario.all.map(\.name))
    func memory(name: String) async throws {
        let scenario = try #require(CrashScenario.all.first { $0.name == name })
        let report = try await withTaskExecutorPreference(OwnQueue()) { try await CrashModel(scenario).sweep() }
        print("\(name): \(report)")
        #expect(report.violations == 0, "\(report)")
        #expect(report.powerPoints > 30 && report.errorPoints > 60, "the operation was really interrupted: \(report)")
    }

    @Test("the model finds every planted bug", arguments: PlantedBug.Kind.allCases)
    func plantedBug(kind: PlantedBug.Kind) async throws {
        var model = CrashModel(.severalFiles)
        model.wrap = { PlantedBug(kind, in: $0) }
        model.stopsAtFirst = true
        let report = try await withTaskExecutorPreference(OwnQueue()) { [model] in try await model.sweep() }
        print("planted bug \(kind): found at the power-off point \(report.powerPoints)")
        #expect(report.violations > 0, "the model does not see this bug")
    }

    // strace needs leave to trace, which some machines do not give; without it this is skipped.
    @Test(
        "SIGKILL at every changing system call leaves the old state or the new one, and a retry completes",
        .enabled(if: SyscallKills.strace != nil && Places.product("crash-probe") != nil),
        arguments: CrashScenario.all.map(\.name))
    func kills(name: String) async throws {
        let scenario = try #require(CrashScenario.all.first { $0.name == name })
        let probe = try #require(Places.product("crash-probe"))
        let report = try await withTaskExecutorPreference(OwnQueue()) {
            try await SyscallKills(program: probe, scenario: scenario).sweep()
        }
        print("\(name): \(report)")
        #expect(report.violations.isEmpty, "\(report)")
        #expect(report.count > 30, "the program was really killed: \(report)")
    }
}
