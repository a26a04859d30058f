import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats
import Workspace

/// `vestige.status/1`: what has been applied, and what could be.
///
/// `access` of the ledger is read-write or read-only, `reason` null or why; `effects` are as in `vestige.plan/1`, and of a step how
/// many values it takes on or loses, or has, also with what it finds there; `entries` and `standing` are how many;
/// `unknown` is as in `vestige.plans/1`; `others` are the migrations and profiles that are not among `migrations`, and of
/// which steps stand all the same; `elsewhere` are the other containers of which steps stand in the same ledger.
package struct StatusReport: DumpReport {
    package static let name = "status"
    let dump: DumpPart
    let ledger: LedgerPart
    let drift: [DriftPart]
    let migrations: [Part]
    let unknown: [UnknownPart]
    let others: [Other]
    let elsewhere: [ElsewherePart]
    private let plans: [Plan]
    private let changed: [Drift]
    private let masking: Masking
    package let status: ExitStatus

    private enum CodingKeys: String, CodingKey { case dump, ledger, drift, migrations, unknown, others, elsewhere }

    /// How many steps of a migration stand in a profile.
    struct Other: Encodable {
        let migration, profile: String
        let applied: Int

        /// Those of a history that are not among plans.
        static func all(_ history: History, without plans: [Plan]) -> [Other] {
            var standing: [Other] = []
            for entry in history.standing {
                if plans.contains(where: { $0.migration == entry.migration && $0.profile.id == entry.profile }) {
                    continue
                }
                let known = standing.firstIndex { $0.migration == entry.migration && $0.profile == entry.profile }
                let count = (known.map { standing.remove(at: $0).applied } ?? 0) + 1
                standing.append(Other(migration: entry.migration, profile: entry.profile, applied: count))
            }
            return standing
        }

        func write(to document: inout Document) {
            document.heading("\(migration):\(profile)  \(applied.counted("step")) applied")
        }
    }

    struct LedgerPart: Encodable {
        let path, access: String
        @OrNull var reason: String?
        let entries, standing: Int
    }

    struct Part: Encodable {
        let migration, profile: String
        let applied, pending: Int
        let steps: [Step]
        let summary: SummaryPart
        let effects: EffectsPart
    }

    struct Step: Encodable {
        let id, status: String
        let standing: StandingPart?
        let outcome: String
        @OrNull var reason: ReasonPart?
        let effects: Named<Int>
    }

    package init(
        _ snapshot: WorkspaceSnapshot, plans: [Plan], unknown: UnknownPart.Reasons,
        elsewhere: [StandingElsewhere] = [], _ showing: Showing
    ) {
        let showing = showing.following(plans, in: snapshot.container)
        self.elsewhere = elsewhere.map(ElsewherePart.init)
        self.plans = plans
        (changed, masking) = (snapshot.drift, showing.masking)
        dump = DumpPart(snapshot)
        let reason: String? = if case .readOnly(let reason) = snapshot.access { "\(reason)" } else { nil }
        ledger = LedgerPart(
            path: snapshot.ledgerPath, access: reason == nil ? "read-write" : "read-only", reason: reason,
            entries: snapshot.history.entries.count, standing: snapshot.history.standing.count)
        drift = DriftPart.all(snapshot.drift)
        migrations = plans.map { plan in
            Part(
                migration: plan.migration, profile: plan.profile.id,
                applied: plan.ownSteps.count { $0.status == .applied }, pending: plan.pending.count,
                steps: plan.steps.map {
                    Step(
                        id: $0.id, status: $0.status.rawValue, standing: StandingPart($0),
                        outcome: $0.outcome.kind.rawValue,
                        reason: $0.outcome.reason.map { [places = $0.quoted] in
                            ReasonPart($0, of: places, showing)
                        }, effects: Named(EffectCounts($0.shownChanges)))
                }, summary: SummaryPart(plan), effects: EffectsPart(ValueCounts(plan, in: snapshot.overlay)))
        }
        self.unknown = UnknownPart.all(unknown, showing)
        status = UnknownPart.status(snapshot.status(of: plans), unknown)
        others = Other.all(snapshot.history, without: plans)
    }

    package func write(to document: inout Document) {
        document.heading("\(dump.bundleIdentifier) (\(dump.kind))")
        let entries = ledger.entries.counted("entry", "entries")
        let none = elsewhere.isEmpty ? "nothing applied yet" : "nothing applied here yet"
        document.line("ledger  \(ledger.path)  \(ledger.entries == 0 ? none : entries)", indent: 2)
        elsewhere.forEach { $0.write(to: &document) }
        if let reason = ledger.reason { document.line("open for reading only: \(reason)", indent: 2) }
        document.drift(changed)
        for (plan, part) in zip(plans, migrations) {
            document.blank()
            document.heading("\(plan.migration):\(plan.profile.id)  \(plan.counts)")
            if let sentence = part.effects.sentence { document.line(sentence, indent: 2) }
            for departure in plan.departures {
                document.line("steps were applied \(departure.phrase(masking))", indent: 2)
            }
            for planned in plan.steps {
                let status = planned.status == .rolledBack ? "rolled back; now " : ""
                document.row(
                    [(planned.toldSign.text, 1), (planned.id, 20)], status + planned.toldWord, indent: 2)
                guard planned.status == .applied, planned.outcome.isPartial, let reason = planned.outcome.reason else {
                    continue
                }
                document.field("why", masking.sentence(reason.sentence, of: planned.quoted, isOfFacts: false))
            }
        }
        for other in others {
            document.blank()
            other.write(to: &document)
        }
        if plans.isEmpty, unknown.isEmpty { document.line("No built-in migration finds anything here.", indent: 2) }
        if !unknown.isEmpty { document.blank() }
        unknown.forEach { $0.write(to: &document) }
    }
}

/// Another container of which steps stand in the same ledger.
struct ElsewherePart: Encodable {
    let container: String
    let applied: Int

    init(_ standing: StandingElsewhere) { (container, applied) = (standing.container, standing.steps) }

    func write(to document: inout Document) {
        document.line("\(applied.counted("step")) applied in another container, \(container)", indent: 2)
    }
}

/// The ledger that an answer is from.
struct LedgerPlace: Encodable {
    let path: String

    func write(to document: inout Document) { document.line("ledger  \(path)", indent: 2) }
}

/// `vestige.log/1`: every entry of the ledger, in order, and `drift` as in `vestige.status/1`.
///
/// `path` of the `ledger` is where it is, or would be.
///
/// `event` is applied or rolled-back; `takesBack` is null, or the number of the entry that is rolled back; `date` is ISO
/// 8601; `digests` are by path the SHA-256 digest in hexadecimal, `absent` or `unreadable`; of a pattern with a `*` that
/// of the names that fit it.
package struct LogReport: DumpReport {
    package static let name = "log"
    let dump: DumpPart
    let ledger: LedgerPlace
    let drift: [DriftPart]
    let entries: [Entry]
    private let changed: [Drift]
    package var status: ExitStatus { .done }

    struct Entry: Encodable {
        let number: Int
        let event: String
        @OrNull var takesBack: Int?
        @OrNull var date: String?
        let author, toolVersion, migration, profile, step: String
        let facts: Named<FactPart>
        let changes: ChangeParts
        let digests: Named<String>

        /// What was done, when, by whom, and which step it was.
        var columns: [(String, Int)] {
            let event = takesBack.map { "rolled back #\($0)" } ?? "applied"
            return [("#\(number)", 4), (LogReport.toTheSecond(date ?? ""), 20), (author, 10), (event, 14), (step, 20)]
        }
    }

    private enum CodingKeys: String, CodingKey { case dump, ledger, drift, entries }

    package init(_ snapshot: WorkspaceSnapshot, _ showing: Showing) {
        let showing = showing.telling(of: snapshot.history.entries)
        dump = DumpPart(snapshot)
        ledger = LedgerPlace(path: snapshot.ledgerPath)
        (drift, changed) = (DriftPart.all(snapshot.drift), snapshot.drift)
        entries = snapshot.history.entries.map { entry in
            let takesBack: Int? = if case .rolledBack(let number) = entry.event { number } else { nil }
            return Entry(
                number: entry.number, event: takesBack == nil ? "applied" : "rolled-back", takesBack: takesBack,
                date: Timestamp(secondsSinceReference: entry.date.timeIntervalSinceReferenceDate).iso8601,
                author: entry.author, toolVersion: entry.toolVersion, migration: entry.migration,
                profile: entry.profile, step: entry.step, facts: FactPart.all(entry.facts, of: entry.number, showing),
                changes: ChangeParts(entry.changes, isRollback: takesBack != nil, showing),
                digests: Named(entry.digests.sorted { $0.key < $1.key }.map { ($0.key.asFile, $0.value) }))
        }
    }

    package func write(to document: inout Document) {
        document.drift(changed)
        if entries.isEmpty {
            document.line("Nothing has been applied.")
            ledger.write(to: &document)
        }
        for entry in entries {
            document.row(entry.columns, "\(entry.migration):\(entry.profile)")
            entry.changes.write(to: &document)
        }
    }

    /// A time without the fraction of its second, so that times stand in a column.
    package static func toTheSecond(_ date: String) -> String {
        date.firstIndex(of: ".").map { date[..<$0] + "Z" } ?? date
    }
}

/// `vestige.verify/1`: what is not as the ledger says.
///
/// `result` is verified, findings, or nothing-applied, where there was nothing to check; `passed` says whether it is
/// verified. `path` of the `ledger` is where it is, or would be; `isExport` says whether the dump looks like an export.
/// `checked` is how many `steps`, `entries` and `files`; `elsewhere` is as in `vestige.status/1`, and was not checked; `kind`
/// of a finding is damaged-ledger, drift, unreadable, lost-result, different-changes, not-idempotent or unknown-step.
package struct VerifyReport: DumpReport {
    package static let name = "verify"
    let dump: DumpPart
    let result: Result
    let passed: Bool
    let ledger: LedgerPlace
    let isExport: Bool
    let checked: Checked
    let findings: [Finding]
    let elsewhere: [ElsewherePart]
    package let status: ExitStatus
    private let lacksKeychain, isStandard: Bool

    /// What the comparison came to.
    enum Result: String, Encodable { case verified, findings, nothingApplied = "nothing-applied" }
    struct Checked: Encodable { let steps, entries, files: Int }
    struct Finding: Encodable {
        let kind, subject, sentence: String
        /// The kind for a person.
        let words: String

        private enum CodingKeys: String, CodingKey { case kind, subject, sentence }
    }

    private enum CodingKeys: String, CodingKey {
        case dump, result, passed, ledger, isExport, checked, findings, elsewhere
    }

    package init(_ verification: Verification, in snapshot: WorkspaceSnapshot, _ showing: Showing) {
        dump = DumpPart(snapshot)
        result =
            verification.isOfNothing ? .nothingApplied : verification.findings.isEmpty ? .verified : .findings
        passed = result == .verified
        ledger = LedgerPlace(path: snapshot.ledgerPath)
        isExport = verification.isOfExport
        lacksKeychain = verification.lacksKeychain
        isStandard = snapshot.ledgerIsStandard
        elsewhere = verification.elsewhere.map(ElsewherePart.init)
        checked = Checked(steps: verification.steps, entries: verification.entries, files: verification.files)
        findings = verification.findings.map {
            Finding(
                kind: $0.kind.rawValue, subject: $0.subject, sentence: showing.sentence($0.sentence),
                words: $0.kind.words)
        }
        let kinds = Set(verification.findings.map(\.kind))
        // What was not checked has not passed.
        status =
            passed
            ? .done
            : kinds.isEmpty || !kinds.isSubset(of: [.drift, .unreadable])
                ? .checkFailed : kinds.contains(.drift) ? .drift : .unreadable
    }

    package func write(to document: inout Document) {
        for finding in findings {
            document.line("\(finding.words): \(finding.subject)")
            document.line(finding.sentence, indent: 2)
        }
        if lacksKeychain { document.advice("do", .giveKeychain) }
        if findings.contains(where: { $0.kind == VerificationFinding.Kind.unknownStep.rawValue }) {
            document.advice("do", .giveSpec)
        }
        defer {
            ledger.write(to: &document)
            elsewhere.forEach { $0.write(to: &document) }
        }
        if isExport {
            document.line("This looks like an export, which holds what was applied: name the dump that it was made of.")
        }
        if result == .nothingApplied {
            let place = elsewhere.isEmpty ? "" : " in \(dump.bundleIdentifier)"
            document.line("Nothing is applied\(place), so there is nothing to verify.")
            // The ledger may be somebody else's.
            if isStandard {
                document.line(
                    "If steps were applied elsewhere, name the ledger that came with the dump: --workspace FILE")
            }
            return
        }
        let counts =
            "\(checked.steps.counted("step")) run again, \(checked.entries.counted("entry", "entries")) and "
            + "\(checked.files.counted("file")) compared"
        document.line(passed ? "verified: \(counts)" : "\(findings.count.counted("finding")): \(counts)")
    }
}

/// `vestige.export/1`: what has been written.
///
/// `target` is the absolute path; `archive` is null, or the file there that was written anew with the changes in it, where the
/// dump lies in an archive; `rewritten`, `added` and `removed` are paths; `withoutFile` are addresses of changed
/// entries that a dump of this form has no file for; `leftover` is null, or where the folder is that was replaced and could
/// not be removed. `removedLeftovers` and `keptLeftovers` are what exports that were stopped had left beside the target, a
/// copy of the dump's data each: removed now, or still there. `report` is the file beside the target that says what a ticket
/// needs, as `vestige report` does, or null where it could not be written. `path` of the `ledger` is where it is, or would be.
package struct ExportReport: DumpReport {
    package static let name = "export"
    let dump: DumpPart
    let ledger: LedgerPlace
    let target: String
    @OrNull var report: String?
    @OrNull var archive: String?
    let copied: Copied
    let rewritten, added, removed: [String]
    let skipped: [Skipped]
    let withoutFile: [String]
    @OrNull var leftover: String?
    let removedLeftovers, keptLeftovers: [String]
    package var status: ExitStatus { .done }

    struct Copied: Encodable { let files, bytes: Int }
    struct Skipped: Encodable { let path, reason: String }

    private enum CodingKeys: String, CodingKey {
        case dump, ledger, target, report, archive, copied, rewritten, added, removed, skipped, withoutFile, leftover
        case removedLeftovers, keptLeftovers
    }

    private let beside: ReportFile.Beside

    package init(
        _ summary: ExportSummary, in snapshot: WorkspaceSnapshot, beside: ReportFile.Beside, _ masking: Masking
    ) {
        self.beside = beside
        _report = OrNull(wrappedValue: beside.problem == nil ? beside.path : nil)
        dump = DumpPart(snapshot)
        ledger = LedgerPlace(path: snapshot.ledgerPath)
        target = summary.target
        _archive = OrNull(wrappedValue: summary.archive)
        copied = Copied(files: summary.copiedFiles, bytes: summary.copiedBytes)
        (rewritten, added, removed) = (summary.rewritten, summary.added, summary.removed)
        skipped = summary.skipped.map { Skipped(path: $0.path, reason: $0.reason) }
        withoutFile = summary.withoutFile.map(masking.place)
        _leftover = OrNull(wrappedValue: summary.leftover)
        (removedLeftovers, keptLeftovers) = (summary.removedLeftovers, summary.keptLeftovers)
    }

    package func write(to document: inout Document) {
        document.line("exported to \(target), read back and compared")
        ledger.write(to: &document)
        if let archive {
            document.line("in it \(archive), with what has changed; the rest of it is as it was", indent: 2)
        }
        if isPlain {
            document.line("nothing was applied: this is a plain copy", indent: 2)
        }
        // Beside an archive that is written anew there mostly is nothing.
        if copied.files > 0 || rewritten.isEmpty && added.isEmpty {
            document.line("\(copied.files.counted("file")) copied byte for byte", indent: 2)
        }
        for (word, paths) in [("rewritten", rewritten), ("added", added), ("left out", removed)] {
            for path in paths { document.row([(word, 9)], path, indent: 2) }
        }
        for note in notes { document.line(note, indent: 2) }
    }

    /// Whether it is the dump as it was.
    package var isPlain: Bool { [rewritten, added, removed].allSatisfy(\.isEmpty) && withoutFile.isEmpty }

    /// What a person should know besides, in sentences without a full stop.
    package var notes: [String] {
        // Of a file that was written it is only a part that has no place.
        [beside.words] + skipped.map { "\($0.path)\(rewritten.contains($0.path) ? "" : " is left out"): \($0.reason)" }
            + withoutFile.map { "no file in this form of dump holds \($0)" }
            + removedLeftovers.map { "removed what an export that was stopped had left at \($0)" }
            + keptLeftovers.map {
                "an export that was stopped left a copy of the dump's data at \($0), which cannot be removed"
            } + (leftover.map { ["the folder that was replaced is still at \($0)"] } ?? [])
    }
}

extension VerificationFinding.Kind {
    /// What is the matter with the subject, in front of it.
    fileprivate var words: String {
        switch self {
        case .damagedLedger: "the ledger is damaged"
        case .drift: "the dump has changed"
        case .unreadable: "cannot be read"
        case .lostResult: "not what was written there"
        case .differentChanges: "makes other changes now"
        case .notIdempotent: "has something to do once more"
        case .unknownStep: "an unknown step"
        }
    }
}

extension Name {
    /// The path of a file, or of a pattern of files, as a ledger has it, to be read.
    var asFile: String { NameListing(recorded: self)?.description ?? text }
}
