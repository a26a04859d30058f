import DeviceDump
import Foundation
import MigrationEngine

/// A migration tried on a dump, in ledgers of its own: what must hold of every migration on every dump.
package struct MigrationTrial: Sendable {
    /// One thing that must hold, and why it does not.
    package struct Check: Hashable, Sendable {
        /// What must hold, in a sentence.
        package var name: String
        /// Why it does not; `nil` where it holds.
        package var failure: String?
    }

    /// What was checked, in order.
    package private(set) var checks: [Check] = []
    /// The facts that steps wait for.
    package private(set) var missing: [FactName] = []
    /// How many steps have something to do.
    package private(set) var pending = 0

    /// Plans, applies, verifies, applies again, one by one against all at once, and takes back.
    ///
    /// - Parameters:
    ///   - folder: A folder for the ledgers, which is removed afterwards.
    ///   - others: The other migrations that there are: `verify` knows the steps of all.
    /// - Throws: ``WorkspaceError`` where the dump or a ledger cannot be read or written.
    package init(
        of migration: any Migration, profile: Profile, on dump: Dump, container: String?, facts: Facts,
        in folder: String,
        stamp: LedgerEntry.Stamp
    ) throws(WorkspaceError) {
        func open(_ name: String) throws(WorkspaceError) -> Workspace {
            try Workspace.open(dump: dump, container: container, facts: facts, ledger: .file(folder + "/" + name))
        }
        let all = try open("all.ledger"), one = try open("one.ledger")
        let plan = all.plan(migration, profile: profile)
        pending = plan.pending.count
        var names: [FactName] = []
        for name in plan.steps.flatMap({ $0.outcome.reason?.missingFacts ?? [] }) where !names.contains(name) {
            names.append(name)
        }
        missing = names
        let failed = plan.steps.filter { $0.outcome.kind == .failed || $0.outcome.kind == .conflict }
        check("no step fails or is in conflict") {
            failed.map { "\($0.id) \($0.outcome.kind.rawValue): \($0.outcome.reason?.sentence ?? "")" }
        }
        let applied = try all.apply(.all, of: migration, profile: profile, stamp: stamp, assuming: true)
        check("what is applied is what the plan says") {
            plan.pending.filter { step in
                applied.first { $0.step.id == step.id }?.entry?.changes != step.changes
            }.map { "\($0.id) made other changes" }
        }
        let verification = try all.verify([migration])
        check("what was applied verifies") { verification.findings.map { "\($0.subject): \($0.sentence)" } }
        let again = try all.apply(.all, of: migration, profile: profile, stamp: stamp, assuming: true)
        check("applied again, nothing is left to do") {
            again.filter { $0.entry != nil }.map { "\($0.step.id) has changes again" }
        }
        while try one.apply(.next, of: migration, profile: profile, stamp: stamp, assuming: true).contains(where: {
            $0.entry != nil
        }) {}
        let standing = (all.snapshot.history.standing, one.snapshot.history.standing)
        check("one by one comes to the same as all at once") {
            standing.0.map(\.changes) == standing.1.map(\.changes)
                ? [] : ["the steps \(standing.1.map(\.step).joined(separator: ", ")) came to something else"]
        }
        try all.rollback(.all, stamp: stamp)
        let edited = all.snapshot.overlay.editedStores
        check("rolled back, all is as it was") { edited.map { "\($0) is not as it was" } }
    }

    private mutating func check(_ name: String, _ failures: () -> [String]) {
        let failures = failures()
        checks.append(
            Check(name: name, failure: failures.isEmpty ? nil : failures.prefix(5).joined(separator: "; ")))
    }
}
