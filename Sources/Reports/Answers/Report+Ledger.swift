import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats
import Workspace

extension Report {
    /// `vestige.status/1`: what has been applied, and what could be.
    ///
    /// Fields: `dump`, `ledger` (`path`, `access`: read-write or read-only; `reason`: null or why it is read-only; `entries`,
    /// `standing`: how many), `drift` (`path`, `kind`: changed, missing, appeared or unreadable), and `migrations`
    /// (`migration`, `profile`, `applied`, `pending`, `steps`: `id`, `status`, `outcome`; `summary`).
    public static func status(_ snapshot: WorkspaceSnapshot, plans: [Plan]) -> Report {
        let writer = ReportWriter(reveals: false)
        let (access, reason): (Name, Value) =
            switch snapshot.access {
            case .readWrite: ("read-write", .null)
            case .readOnly(let reason): ("read-only", .string("\(reason)"))
            }
        let migrations = plans.map { plan in
            let steps = plan.steps.map { step in
                Value.dictionary([
                    ("id", .string(step.id)), ("status", .string(step.status.rawValue)),
                    ("outcome", .string(step.outcome.kind.rawValue)),
                ])
            }
            return Value.dictionary([
                ("migration", .string(plan.migration)), ("profile", .string(plan.profile.id)),
                ("applied", .count(plan.steps.count { $0.status == .applied })),
                ("pending", .count(plan.pending.count)),
                ("steps", .array(steps)), ("summary", writer.summary(plan)),
            ])
        }
        let ledger = Value.dictionary([
            ("path", .string(snapshot.ledgerPath)), ("access", .string(access.text)), ("reason", reason),
            ("entries", .count(snapshot.history.entries.count)),
            ("standing", .count(snapshot.history.standing.count)),
        ])
        return Report(
            "status",
            [
                ("dump", writer.dump(snapshot.dump, snapshot.container)), ("ledger", ledger),
                ("drift", writer.drift(snapshot.drift)), ("migrations", .array(migrations)),
            ])
    }

    /// `vestige.log/1`: every entry of the ledger, in order.
    ///
    /// Fields: `dump`, and `entries` (`number`, `event`: applied or rolled-back; `takesBack`: null or the number of the entry
    /// that is taken back; `date`: ISO 8601; `author`, `toolVersion`, `migration`, `profile`, `step`, `facts`, `changes` as
    /// in a plan, and `digests`: by path the SHA-256 digest in hexadecimal, `absent` or `unreadable`).
    public static func log(_ snapshot: WorkspaceSnapshot, reveal: Bool = false) -> Report {
        let writer = ReportWriter(reveals: reveal)
        let entries = snapshot.history.entries.map { entry in
            let takesBack: Int? = if case .rolledBack(let number) = entry.event { number } else { nil }
            let date = Timestamp(secondsSinceReference: entry.date.timeIntervalSinceReferenceDate)
            let digests = entry.digests.sorted { $0.key < $1.key }.map { (Name($0.key), Value.string($0.value)) }
            return Value.dictionary([
                ("number", .count(entry.number)), ("event", .string(takesBack == nil ? "applied" : "rolled-back")),
                ("takesBack", takesBack.map(Value.count) ?? .null),
                ("date", date.iso8601.map(Value.string) ?? .null), ("author", .string(entry.author)),
                ("toolVersion", .string(entry.toolVersion)), ("migration", .string(entry.migration)),
                ("profile", .string(entry.profile)), ("step", .string(entry.step)),
                ("facts", writer.facts(entry.facts)),
                ("changes", .array(entry.changes.map(writer.change))), ("digests", .dictionary(digests)),
            ])
        }
        return Report("log", [("dump", writer.dump(snapshot.dump, snapshot.container)), ("entries", .array(entries))])
    }

    /// `vestige.apply/1` or `vestige.rollback/1`: what has just been done.
    ///
    /// Fields: `dump`, `migration`, `profile`, and `steps` (`id`, `outcome`, `reason`, `entry`: null or its number, and
    /// `changes`).
    public static func applied(
        _ steps: [AppliedStep], of migration: any Migration, profile: Profile, in snapshot: WorkspaceSnapshot,
        reveal: Bool = false
    ) -> Report {
        let writer = ReportWriter(reveals: reveal)
        let list = steps.map { step in
            Value.dictionary([
                ("id", .string(step.step.id)), ("outcome", .string(step.outcome.kind.rawValue)),
                ("reason", writer.reason(step.outcome.reason)),
                ("entry", step.entry.map { .count($0.number) } ?? .null),
                ("changes", .array((step.entry?.changes ?? []).map(writer.change))),
            ])
        }
        return Report(
            "apply",
            [
                ("dump", writer.dump(snapshot.dump, snapshot.container)), ("migration", .string(migration.id)),
                ("profile", .string(profile.id)), ("steps", .array(list)),
            ])
    }

    /// `vestige.rollback/1`: the steps that have just been taken back, the last one first.
    ///
    /// Fields: `dump`, and `steps` (`migration`, `profile`, `id`, `entry`, `changes`).
    public static func rolledBack(
        _ entries: [LedgerEntry], in snapshot: WorkspaceSnapshot, reveal: Bool = false
    ) -> Report {
        let writer = ReportWriter(reveals: reveal)
        let list = entries.map { entry in
            Value.dictionary([
                ("migration", .string(entry.migration)), ("profile", .string(entry.profile)),
                ("id", .string(entry.step)), ("entry", .count(entry.number)),
                ("changes", .array(entry.changes.map(writer.change))),
            ])
        }
        return Report("rollback", [("dump", writer.dump(snapshot.dump, snapshot.container)), ("steps", .array(list))])
    }

    /// `vestige.verify/1`: what is not as the ledger says.
    ///
    /// Fields: `dump`, `passed`, `checked` (`steps`, `entries`, `files`: how many), and `findings` (`kind`: damaged-ledger,
    /// drift, lost-result, different-changes, not-idempotent or unknown-step; `subject`, `sentence`).
    public static func verify(_ verification: Verification, in snapshot: WorkspaceSnapshot) -> Report {
        let writer = ReportWriter(reveals: false)
        let findings = verification.findings.map { finding in
            Value.dictionary([
                ("kind", .string(finding.kind.rawValue)), ("subject", .string(finding.subject)),
                ("sentence", .string(finding.sentence)),
            ])
        }
        return Report(
            "verify",
            [
                ("dump", writer.dump(snapshot.dump, snapshot.container)),
                ("passed", .bool(verification.findings.isEmpty)),
                (
                    "checked",
                    .dictionary([
                        ("steps", .count(verification.steps)), ("entries", .count(verification.entries)),
                        ("files", .count(verification.files)),
                    ])
                ), ("findings", .array(findings)),
            ])
    }

    /// `vestige.export/1`: what has been written.
    ///
    /// Fields: `dump`, `target` (the absolute path), `copied` (`files`, `bytes`), `rewritten`, `added` and `removed` (paths),
    /// `skipped` (`path`, `reason`), `withoutFile` (addresses of changed entries that a dump of this form has no file for),
    /// and `leftover`: null, or where the folder is that was replaced and could not be removed.
    public static func export(_ summary: ExportSummary, in snapshot: WorkspaceSnapshot) -> Report {
        let skipped = summary.skipped.map {
            Value.dictionary([("path", .string($0.path)), ("reason", .string($0.reason))])
        }
        return Report(
            "export",
            [
                ("dump", ReportWriter(reveals: false).dump(snapshot.dump, snapshot.container)),
                ("target", .string(summary.target)),
                (
                    "copied",
                    .dictionary([("files", .count(summary.copiedFiles)), ("bytes", .count(summary.copiedBytes))])
                ), ("rewritten", .strings(summary.rewritten)), ("added", .strings(summary.added)),
                ("removed", .strings(summary.removed)), ("skipped", .array(skipped)),
                ("withoutFile", .strings(summary.withoutFile.map(\.description))),
                ("leftover", summary.leftover.map(Value.string) ?? .null),
            ])
    }
}
