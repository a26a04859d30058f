import DeviceDump
import MigrationEngine
import StoreFormats

/// What is not as the ledger says.
public struct VerificationFinding: Hashable, Sendable {
    /// The kinds of finding.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The ledger's file is damaged.
        case damagedLedger = "damaged-ledger"
        /// A file of the dump has changed since a step read it.
        case drift
        /// An entry does not show what the last step that wrote it left there.
        case lostResult = "lost-result"
        /// The step, run again on what it was given, makes other changes than it did.
        case differentChanges = "different-changes"
        /// The step, run again on its own result, would change something.
        case notIdempotent = "not-idempotent"
        /// The migration, or the step, is not built in.
        case unknownStep = "unknown-step"
    }

    /// The kind.
    public var kind: Kind
    /// What it is about: a path, an address, or a migration and its step.
    public var subject: String
    /// What is not as it should be, in a sentence.
    public var sentence: String
}

/// The result of comparing a workspace with its ledger.
public struct Verification: Hashable, Sendable {
    /// How many standing steps were run again.
    public var steps: Int
    /// How many entries of stores were compared.
    public var entries: Int
    /// How many files of the dump were digested.
    public var files: Int
    /// What is not as the ledger says; nothing where all is well.
    public var findings: [VerificationFinding]
}

extension Workspace {
    /// Compares the workspace with its ledger: the file of the ledger, the files of the dump, the result of every standing
    /// step, and each step run again on what it was given and on what it left.
    ///
    /// - Parameter migrations: The migrations that are built in.
    /// - Throws: ``WorkspaceError`` where the ledger cannot be read.
    public func verify(_ migrations: [any Migration]) throws(WorkspaceError) -> Verification {
        let history = current.session.history, overlay = current.session.overlay
        var findings = try ledgerFile.problems().map { problem in
            VerificationFinding(kind: .damagedLedger, subject: ledgerFile.path, sentence: problem)
        }
        var digests = FileDigests(of: dump)
        findings += digests.drift(since: history).map {
            VerificationFinding(kind: .drift, subject: $0.path, sentence: "\($0).")
        }
        var last: [Address: Change] = [:]
        for change in history.standing.flatMap(\.changes) { last[change.address] = change }
        let lost = last.values.filter { overlay.state(at: $0.address) != $0.after.map(EntryState.present) ?? .absent }
        findings += lost.map(\.address.description).sorted().map {
            VerificationFinding(
                kind: .lostResult, subject: $0,
                sentence: "It does not show what the last step that wrote it left there.")
        }
        for index in history.standing.indices {
            findings += rerun(history.standing[index], after: Array(history.standing[..<index]), migrations)
        }
        return Verification(
            steps: history.standing.count, entries: last.count,
            files: Set(history.standing.flatMap(\.digests.keys)).count, findings: findings)
    }

    private func rerun(
        _ entry: LedgerEntry, after earlier: [LedgerEntry], _ migrations: [any Migration]
    ) -> [VerificationFinding] {
        let subject = "\(entry.migration):\(entry.profile) \(entry.step)"
        func finding(_ kind: VerificationFinding.Kind, _ sentence: String) -> [VerificationFinding] {
            [VerificationFinding(kind: kind, subject: subject, sentence: sentence)]
        }
        guard let migration = migrations.first(where: { $0.id == entry.migration }),
            let profile = migration.profiles.first(where: { $0.id == entry.profile }),
            let step = migration.steps(profile: profile, facts: entry.facts).first(where: { $0.id == entry.step })
        else { return finding(.unknownStep, "This version of Vestige has no such step, so it cannot be run again.") }
        let before = History(earlier), after = History(earlier + [entry])
        let origin = before.overlay(on: container, without: entry.migration)
        let first = step.preview(on: before.overlay(on: container), origin: origin, facts: entry.facts)
        guard first.changes.elementsEqual(entry.changes, by: { $0.hasSameResult(as: $1) }) else {
            return finding(
                .differentChanges,
                "Run again on what it was given, the step makes other changes than the ledger has: the dump has changed, "
                    + "or the step has, since \(entry.toolVersion).")
        }
        let second = step.preview(on: after.overlay(on: container), origin: origin, facts: entry.facts)
        // A step that removes its own source has nothing to read the second time, and says so in its own way.
        guard second.changes.isEmpty else {
            return finding(.notIdempotent, "Run again on its own result, the step would change something once more.")
        }
        return []
    }
}
