import CrashTesting
import TestSupport
import Testing

@Suite("A ledger survives whatever interrupts its making and its growing")
struct LedgerCrashTests {
    // strace needs leave to trace, which some machines do not give; without it this is skipped.
    @Test(
        "SIGKILL, or a full disk, at every changing system call leaves the entry or not, and the ledger opens and goes on",
        .enabled(if: SyscallKills.strace != nil && Places.product("crash-probe") != nil),
        arguments: CrashScenario.ledgers.map(\.name), [SyscallKills.Fault.kill, .noSpace])
    func interrupted(name: String, fault: SyscallKills.Fault) async throws {
        let scenario = try #require(CrashScenario.ledgers.first { $0.name == name })
        let probe = try #require(Places.product("crash-probe"))
        let report = try await withTaskExecutorPreference(OwnQueue()) {
            try await SyscallKills(program: probe, scenario: scenario, fault: fault).sweep()
        }
        print("\(name): \(report)")
        #expect(report.violations.isEmpty, "\(report)")
        #expect(report.count > 8, "the program was really interrupted: \(report)")
    }
}
