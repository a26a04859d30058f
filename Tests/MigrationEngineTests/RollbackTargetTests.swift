import Foundation
import MigrationEngine
import Testing

@Suite("How far to roll back")
struct RollbackTargetTests {
    private let stamp = LedgerEntry.Stamp(
        date: Date(timeIntervalSinceReferenceDate: 0), author: "a", toolVersion: "1")

    private func session(_ steps: (String, String)...) throws -> MigrationSession<MemoryLedger> {
        let entries = steps.enumerated().map { index, step in
            LedgerEntry(
                number: index + 1, event: .applied, stamp: stamp, migration: step.0, profile: "p", step: step.1,
                changes: [], facts: Facts())
        }
        return try MigrationSession(stores: MemoryStores(), ledger: MemoryLedger(entries))
    }

    @Test("A step that stands in several migrations is named with its migration, and those are told")
    func ambiguous() throws {
        var session = try session(("a", "1-2"), ("b", "1-2"), ("b", "2-3"))
        #expect(throws: RollbackError.ambiguous("1-2", migrations: ["a", "b"])) {
            try session.rollback(.step("1-2"), stamp: stamp)
        }
        #expect(throws: RollbackError.notApplied("1-2")) {
            try session.rollback(.step("1-2", migration: "c"), stamp: stamp)
        }
        #expect(try session.rollback(RollbackTarget(parsing: "b:1-2"), stamp: stamp).map(\.step) == ["2-3"])
        #expect(try session.rollback(RollbackTarget(parsing: "a:1-2"), stamp: stamp).map(\.migration) == ["b"])
        #expect(try session.rollback(RollbackTarget(parsing: "1-2"), stamp: stamp).isEmpty, "it is the last one")
        #expect(session.history.standing.map(\.migration) == ["a"])
    }

    @Test("An entry of a step is named by both, and the number alone, or another step's, names nothing")
    func numbered() throws {
        var session = try session(("a", "one"), ("a", "two"), ("a", "one"), ("a", "two#1"))
        for name in ["two#1", "one#3"] {
            let undone = try session.rollback(RollbackTarget(parsing: name), stamp: stamp)
            #expect(undone.count == (name == "one#3" ? 1 : 0))
        }
        for name in ["two#1", "one#2", "#2", "b:two#2", "one#"] {
            #expect(throws: RollbackError.notApplied(name.split(separator: ":").last.map(String.init) ?? "")) {
                try session.rollback(RollbackTarget(parsing: name), stamp: stamp)
            }
        }
        #expect(try session.rollback(RollbackTarget(parsing: "a:two#2"), stamp: stamp).map(\.step) == ["one"])
    }
}
