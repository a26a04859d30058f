import DeviceDump
import MigrationEngine
import StoreFormats

/// What is not as the ledger says.
package struct VerificationFinding: Hashable, Sendable {
    /// The kinds of finding.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The ledger's file is damaged.
        case damagedLedger = "damaged-ledger"
        /// A file of the dump has changed since a step read it.
        case drift
        /// A file cannot be read, so that it is not known whether it has changed.
        case unreadable
        /// An entry does not show what the last step that wrote it left there.
        case lostResult = "lost-result"
        /// The step, run again on what it was given, makes other changes than it did.
        case differentChanges = "different-changes"
        /// The step, run again on its own result, would change something.
        case notIdempotent = "not-idempotent"
        /// The migration, or the step, is neither built in nor of a spec that was given.
        case unknownStep = "unknown-step"
    }

    /// The kind.
    package var kind: Kind
    /// What it is about: a path, an address, or a migration and its step.
    package var subject: String
    /// What is not as it should be, in a sentence.
    package var sentence: String
}

/// The result of comparing a workspace with its ledger.
package struct Verification: Hashable, Sendable {
    /// How many standing steps were run again.
    package var steps: Int
    /// How many entries of stores were compared.
    package var entries: Int
    /// How many files of the dump were digested.
    package var files: Int
    /// What is not as the ledger says; nothing where all is well.
    package var findings: [VerificationFinding]

    /// Whether the keychain that steps were applied with must be given.
    package var lacksKeychain = false

    /// Whether the dump looks like an export, which holds already what was applied.
    package var isOfExport = false

    /// The steps of other containers of the same ledger, which were not looked at.
    package var elsewhere: [StandingElsewhere] = []

    /// Whether there was nothing to verify, because no step is applied: that is no success.
    package var isOfNothing: Bool { steps == 0 && findings.isEmpty }
}

extension Workspace {
    /// Compares the workspace with its ledger: the file of the ledger, the files of the dump, the result of every standing
    /// step, and each step run again on what it was given and on what it left.
    ///
    /// - Parameters:
    ///   - migrations: The migrations that are built in.
    ///   - isCancelled: Asked before each file and each step whether to stop.
    /// - Throws: ``WorkspaceError`` where the ledger cannot be read, or ``WorkspaceError/cancelled``.
    package func verify(
        _ migrations: [any Migration], isCancelled: () -> Bool = { false }
    ) throws(WorkspaceError) -> Verification {
        let state = current, history = state.session.history, overlay = state.session.overlay
        var findings = try ledgerFile.problems().map { problem in
            VerificationFinding(kind: .damagedLedger, subject: ledgerFile.path, sentence: problem)
        }
        var digests = FileDigests(of: dump)
        let drift = try state.drift(in: &digests, isCancelled: isCancelled)
        let unreadable = drift.filter(\.isUnreadable)
        findings += drift.map {
            VerificationFinding(
                kind: $0.isUnreadable ? .unreadable : .drift, subject: $0.path.text, sentence: "\($0).")
        }
        var last: [Address: Change] = [:]
        for change in history.standing.flatMap(\.changes) { last[change.address] = change }
        let lost = last.values.filter { overlay.state(at: $0.address) != EntryState($0.after) }
        findings += lost.map(\.address.description).sorted().map {
            VerificationFinding(
                kind: .lostResult, subject: $0,
                sentence: "It does not show what the last step that wrote it left there.")
        }
        // One entry after the other is laid over what is seen.
        var seen = Overlay(container), origins: [String: Overlay] = [:]
        var steps = KnownSteps(migrations)
        var others = state.shared.changes[...]
        for entry in history.standing {
            if isCancelled() { throw .cancelled }
            // What another container had changed by then was seen.
            while let other = others.first, other.place < state.shared.place(of: entry) {
                others.removeFirst()
                seen.apply(other.change, holding: other.hold)
            }
            let origin = origins[entry.migration] ?? state.shared.origin(of: entry.migration, in: history)
            origins[entry.migration] = origin
            findings += steps.rerun(entry, on: &seen, origin: origin, unreadable)
        }
        return Verification(
            steps: history.standing.count - findings.count { $0.kind == .unknownStep }, entries: last.count,
            files: Set(history.standing.flatMap(\.digests.keys)).count {
                NameListing(recorded: $0) == nil && $0 != FileDigests.keychain
            },
            findings: findings,
            lacksKeychain: drift.contains { $0.kind == .keychainNotGiven }, isOfExport: dump.isExport,
            elsewhere: try standingElsewhere())
    }
}

/// The steps of migrations, by name; those that the last entry was looked up in are kept, as the next one mostly has the
/// same facts.
package struct KnownSteps {
    private let migrations: [any Migration]
    private var migration: String?, profile: String?, facts = Facts()
    private var steps: [String: Step] = [:]
    /// What became of what the steps of each profile of a migration have read, and of how many of the entries it knows.
    private var accounts: [MigrationRun: (account: StepAccount, count: Int)] = [:]
    /// The entries so far, and whose they are.
    private var past: [(run: MigrationRun, entry: LedgerEntry)] = []

    private struct MigrationRun: Hashable { let migration: String, profile: String }

    /// Those of some migrations.
    package init(_ migrations: [any Migration]) { self.migrations = migrations }

    /// The step that made an entry; `nil` where none of the migrations has it.
    package mutating func step(of entry: LedgerEntry) -> Step? {
        if (migration, profile) != (entry.migration, entry.profile) || facts != entry.facts {
            (migration, profile, facts, steps) = (entry.migration, entry.profile, entry.facts, [:])
            guard let known = migrations.first(where: { $0.id == entry.migration }),
                let profile = known.profiles.first(where: { $0.id == entry.profile })
            else { return nil }
            for step in known.steps(profile: profile, facts: facts) where steps[step.id] == nil {
                steps[step.id] = step
            }
        }
        return steps[entry.step]
    }

    /// Runs a step again on what it was given, lays its changes over that, and runs it once more.
    fileprivate mutating func rerun(
        _ entry: LedgerEntry, on seen: inout Overlay, origin: Overlay, _ unreadable: [Drift]
    ) -> [VerificationFinding] {
        let step = step(of: entry)
        let run = MigrationRun(migration: entry.migration, profile: entry.profile)
        // Taken out, or what it holds would be copied for each entry.
        var (account, count) = accounts.removeValue(forKey: run) ?? (StepAccount(), 0)
        // As when it was applied, nobody knows it of others.
        for other in past[count...] where other.run != run { account.noteUnknown(other.entry) }
        past.append((run, entry))
        func makesSame(_ preview: StepPreview) -> Bool {
            preview.changes.elementsEqual(entry.changes, by: { $0.hasSameResult(as: $1) })
        }
        var allowance = Allowance.migration
        let preview = step?.rerun(
            on: seen, origin: origin, facts: entry.facts, after: &account, &allowance, isSame: makesSame)
        let isSame = preview.map(makesSame) ?? false
        if isSame, let preview { account.note(preview) } else { account.noteUnknown(entry) }
        accounts[run] = (account, past.count)
        // In place: a copy for each entry would take time in proportion to all entries before.
        entry.changes.forEach { seen.apply($0) }
        let subject = "\(entry.migration):\(entry.profile) \(entry.step)"
        func finding(_ kind: VerificationFinding.Kind, _ sentence: String) -> [VerificationFinding] {
            [VerificationFinding(kind: kind, subject: subject, sentence: sentence)]
        }
        guard let step else {
            return finding(
                .unknownStep,
                "Neither this version of Vestige nor a spec file that was given has such a step: it cannot be run again."
            )
        }
        guard isSame else {
            if let file = unreadable.first(where: { entry.digests[$0.path] != nil }) {
                let what = file.kind == .keychainNotGiven ? "the keychain export \(file.path)" : file.path.text
                return finding(
                    .unreadable,
                    "It cannot be run again, because \(what) \(file.kind == .keychainNotGiven ? "is not given" : "cannot be read") now."
                )
            }
            return finding(
                .differentChanges,
                "Run again on what it was given, the step makes other changes than the ledger has: the dump has changed, "
                    + "or the step has, since \(entry.toolVersion).")
        }
        // A step that removes its own source has nothing to read the second time, and says so in its own way.
        guard step.preview(on: seen, origin: origin, facts: entry.facts).changes.isEmpty else {
            return finding(.notIdempotent, "Run again on its own result, the step would change something once more.")
        }
        return []
    }
}
