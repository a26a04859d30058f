import DeviceDump
import MigrationEngine
import StoreFormats
import Workspace

/// `vestige.plan/1`: a migration's steps on a dump with their changes.
///
/// `fingerprint` is the plan's shape without values, as `Plan.fingerprint(of:)` tells. `departures` say in what steps that stand
/// were applied otherwise than they, or the next ones, would be now: in another profile, with another `fact`, or by other rules of `steps` that a spec has since. Of a change, `dropped` are the parts of
/// what it is made from that it does not take on, each with its `address` and `effect`.
///
/// `status` of a step is whether it has been applied; `standing` is there where that is told from the ledger alone, with the
/// `profile` that it was applied in, where that is another one, and `former` where the profile in view has nothing for it; `outcome` what it does now; `reversible` is exact, complement or
/// before-image; `conflict` is null, or the change that it would make where its target holds something else. `summary` is
/// how many steps have each outcome. `sketch` is there of a step that waits only for facts that are names: the changes that it
/// would make, with the facts' names in braces in place of their values (`{writeKey}`). `found` is there of a step that finds its
/// target as it would make it, where something is lost with that, or means something else: the changes that were made, with `found`
/// as their `action`. `assumption` is there where steps take something for granted of the form of the dump, and
/// `notFor` where the migration says that it is for other apps.
package struct PlanReport: DumpReport {
    package static let name = "plan"
    let migration: String
    let profile: String
    let fingerprint: String
    let dump: DumpPart
    let facts: Named<FactPart>
    let drift: [DriftPart]
    let departures: [DeparturePart]
    let steps: [Step]
    let summary: SummaryPart
    let effects: EffectsPart
    let assumption: String?
    let notFor: String?
    let plan: Plan
    private let source: any Migration
    private let changed: [Drift]
    package let status: ExitStatus

    private enum CodingKeys: String, CodingKey {
        case migration, profile, fingerprint, dump, facts, drift, departures, steps, summary, effects, assumption
        case notFor
    }

    /// A step of a plan.
    struct Step: Encodable {
        let id: String
        let title: String
        let status: String
        private let standing: StandingPart?
        let outcome: String
        @OrNull var reason: ReasonPart?
        let reversible: String
        let changes: ChangeParts
        let sketch: ChangeParts?
        let found: ChangeParts?
        @OrNull var conflict: ChangePart?
        let rule: String

        private enum CodingKeys: String, CodingKey {
            case id, title, status, standing, outcome, reason, reversible, changes, sketch, found, conflict
        }

        init(_ step: PlannedStep, in snapshot: WorkspaceSnapshot, _ showing: Showing) {
            let stores: [any StoreReader] = [step.storesBefore(snapshot.overlay), snapshot.container]
            id = step.id
            title = step.step.title
            rule = showing.rule(of: step)
            status = step.status.rawValue
            standing = StandingPart(step)
            outcome = step.outcome.kind.rawValue
            _reason = OrNull(wrappedValue: step.outcome.reason.map { ReasonPart($0, of: step.quoted, showing) })
            reversible = step.step.reversibility.rawValue
            // By all that the step is about, as the step itself shows it.
            let rules = [step.rule: showing.rule(of: step)]
            changes = ChangeParts(step.changes, in: stores, rules: rules, showing)
            sketch =
                step.sketch.isEmpty
                ? nil : ChangeParts(step.sketch, isSketch: true, in: stores, rules: rules, showing)
            let lost = step.foundLosses
            found = lost.isEmpty ? nil : ChangeParts(lost, in: stores, rules: rules, showing)
            _conflict = OrNull(
                wrappedValue: step.conflict.map { ChangePart($0, in: stores, rule: rules[$0.rule], showing) })
        }

        /// What it changes, what it would change but for a conflict or a name that nobody has given, and what it finds lost.
        ///
        /// - Parameter withValues: Whether their values are told.
        func writeChanges(to document: inout Document, withValues: Bool = true) {
            changes.write(to: &document, withValues: withValues)
            if let sketch {
                document.line("would", indent: 4)
                sketch.write(to: &document, withValues: withValues)
            }
            found?.write(to: &document, withValues: withValues)
            guard let conflict else { return }
            document.line("would write", indent: 4)
            conflict.write(to: &document, withValues: withValues)
        }
    }

    package init(_ plan: Plan, of source: any Migration, in snapshot: WorkspaceSnapshot, _ showing: Showing) {
        let showing = showing.following([plan], in: snapshot.container)
        migration = plan.migration
        profile = plan.profile.id
        fingerprint = plan.fingerprint(of: source)
        dump = DumpPart(snapshot)
        facts = FactPart.all(plan.facts, showing)
        drift = DriftPart.all(snapshot.drift)
        departures = plan.departures.map { DeparturePart($0, showing) }
        steps = plan.steps.map { Step($0, in: snapshot, showing) }
        summary = SummaryPart(plan)
        effects = EffectsPart(ValueCounts(plan, in: snapshot.overlay))
        assumption = snapshot.container.assumption(reading: plan.storesRead)
        notFor = source.stranger(to: snapshot.container.facts[.bundleIdentifier]?.value)
        status = snapshot.status(of: [plan])
        changed = snapshot.drift
        self.plan = plan
        self.source = source
    }

    package func write(to document: inout Document) {
        document.heading("\(migration):\(profile) on \(dump.bundleIdentifier) (\(dump.kind))")
        document.line(plan.counts)
        if let sentence = effects.sentence { document.line(sentence) }
        document.line("fingerprint: \(fingerprint)")
        if let assumption { document.line(assumption) }
        if let notFor { document.line(notFor, role: .problem) }
        document.drift(changed)
        for departure in departures { document.line("steps were applied \(departure.sentence)", indent: 2) }
        for (planned, step) in zip(plan.steps, steps) {
            document.blank()
            document.row(
                [(planned.toldSign.text, 1), (step.id, 20), (step.title, 20)], planned.toldWord)
            // Why a part is left is a note on the first change.
            if let reason = step.reason, !planned.outcome.isPartial { document.field("why", reason.sentence) }
            // What it does rests on a guess, also where that is nothing.
            if planned.outcome.kind != .migrates, planned.outcome.kind != .unchanged {
                for name in plan.guesses(of: planned) {
                    guard let fact = facts.all.first(where: { $0.name == name.rawValue })?.value else { continue }
                    document.field("fact", "\(name) is \(fact.words), \(fact.from)")
                }
            }
            step.writeChanges(to: &document)
            document.field("rule", step.rule)
            for note in [planned.departure, planned.appliedOtherwise].compactMap(\.self) {
                document.field("note", note)
            }
            if let disagreement = planned.step.disagreement { document.field("note", disagreement) }
        }
        document.guesses(plan, facts)
        document.advice(on: plan, of: source)
    }
}

extension Migration {
    /// That a migration says that it is for other apps; `nil` where it does not.
    fileprivate func stranger(to app: String?) -> String? {
        guard let app, let writing = self as? any WritingMigration, !writing.names(app) else { return nil }
        let apps = writing.apps.prefix(5).joined(separator: ", ") + (writing.apps.count > 5 ? ", …" : "")
        return
            "\(id) says that it is for \(apps), and this is \(app): nothing offers it here, and it is planned as it was named."
    }
}

/// `vestige.plans/1`: every migration that applies to a dump, with counts.
///
/// `pending` is how many steps have something to do; `effects` are as in `vestige.plan/1`; `unknown` are the migrations of which nothing can be told, because
/// what they would look into cannot be read; `collisions` are the entries that several migrations would leave in different
/// states; `others` are as in `vestige.status/1`.
package struct PlansReport: DumpReport {
    package static let name = "plans"
    let dump: DumpPart
    let drift: [DriftPart]
    let migrations: [Part]
    let unknown: [UnknownPart]
    let collisions: [CollisionPart]
    let others: [StatusReport.Other]
    private let unknownIDs: Set<String>
    private let plans: [(migration: any Migration, plan: Plan)]
    private let changed: [Drift]
    package let status: ExitStatus

    private enum CodingKeys: String, CodingKey { case dump, drift, migrations, unknown, collisions, others }

    /// A migration that applies.
    struct Part: Encodable {
        let migration: String
        let title: String
        let profile: String
        let pending: Int
        let summary: SummaryPart
        let effects: EffectsPart
    }

    /// An entry that several migrations want.
    struct CollisionPart: Encodable {
        let address: String
        let migrations: [String]

        static func all(among plans: [Plan], _ masking: Masking) -> [CollisionPart] {
            Plan.collisions(among: plans).map {
                CollisionPart(address: masking.place($0.address), migrations: $0.migrations)
            }
        }

        var sentence: String {
            "\(migrations.joined(separator: " and ")) would each make something else of \(address)"
        }
    }

    /// - Parameter known: The names of all migrations that there are.
    package init(
        _ plans: [(migration: any Migration, plan: Plan)], unknown: UnknownPart.Reasons, among known: [String] = [],
        in snapshot: WorkspaceSnapshot, _ showing: Showing
    ) {
        self.plans = plans
        others = StatusReport.Other.all(snapshot.history, without: plans.map(\.plan))
        unknownIDs = Set(others.map(\.migration)).subtracting(known)
        self.unknown = UnknownPart.all(unknown, showing)
        dump = DumpPart(snapshot)
        drift = DriftPart.all(snapshot.drift)
        changed = snapshot.drift
        migrations = plans.map { migration, plan in
            Part(
                migration: plan.migration, title: migration.title, profile: plan.profile.id,
                pending: plan.pending.count, summary: SummaryPart(plan),
                effects: EffectsPart(ValueCounts(plan, in: snapshot.overlay)))
        }
        collisions = CollisionPart.all(among: plans.map(\.plan), showing.masking)
        status = UnknownPart.status(snapshot.status(of: plans.map(\.plan)), unknown)
    }

    package func write(to document: inout Document) {
        document.drift(changed, indent: 0)
        if plans.isEmpty, unknown.isEmpty {
            document.line("No built-in migration finds anything in \(dump.bundleIdentifier).")
        } else if plans.isEmpty {
            document.heading("\(dump.bundleIdentifier): no migration is known to apply")
        }
        for ((migration, plan), part) in zip(plans, migrations) {
            document.heading("\(plan.migration):\(plan.profile.id)  \(migration.title)")
            document.line(plan.counts, indent: 2)
            if let sentence = part.effects.sentence { document.line(sentence, indent: 2) }
            document.advice(on: plan, of: migration)
            document.advice("do", .showSteps(of: plan.migration), indent: 2)
        }
        for collision in collisions {
            document.blank()
            document.line(collision.sentence)
        }
        for other in others {
            document.blank()
            other.write(to: &document)
            if unknownIDs.contains(other.migration) { document.advice("do", .giveSpec, indent: 2) }
        }
        if !plans.isEmpty, !unknown.isEmpty { document.blank() }
        unknown.forEach { $0.write(to: &document) }
    }
}

/// How a step stands that the profile in view has not applied as it is: in which profile, and whether only the ledger knows it.
struct StandingPart: Encodable {
    private let profile: String?
    private let former: Bool

    init?(_ step: PlannedStep) {
        guard step.isFormer || step.otherProfile != nil else { return nil }
        (profile, former) = (step.otherProfile, step.isFormer)
    }
}

/// Migrations of which it is unknown whether there is anything for them, and why.
package struct UnknownPart: Encodable {
    package typealias Reasons = [ApplicableMigrations.UnknownReason]
    let migrations: [String]
    let reason: UnreadablePart
    private let lack: String?

    private enum CodingKeys: String, CodingKey { case migrations, reason }

    static func all(_ reasons: Reasons, _ showing: Showing) -> [UnknownPart] {
        reasons.map { unknown in
            UnknownPart(
                migrations: unknown.migrations.map(\.id), reason: UnreadablePart(unknown.reason, showing),
                lack: unknown.lack)
        }
    }

    /// What is damaged keeps an answer from being whole; what the dump never had, or can never open by itself, does not.
    static func status(_ status: ExitStatus, _ reasons: Reasons) -> ExitStatus {
        let isWhole = reasons.allSatisfy { $0.reason.cause == .missing || $0.isWithoutKeychain }
        return status == .done && !isWhole ? .unreadable : status
    }

    func write(to document: inout Document) {
        let list = migrations.joined(separator: ", ")
        guard let lack else { return document.line("Unknown of \(list): \(reason.explanation)") }
        document.line("Not known \(lack): \(list)", role: .dim)
        let isMissing = reason.cause == Unreadable.Cause.missing.rawValue
        if !isMissing { document.line(reason.explanation, role: .dim, indent: 2) }
        document.advice("do", .giveKeychain, indent: 2)
    }
}

/// `vestige.apply/1`: what has just been applied, and what became of the other chosen steps.
///
/// `entry` is null, or the number of the step's entry in the ledger.
package struct ApplyReport: DumpReport {
    package static let name = "apply"
    let dump: DumpPart
    let migration: String
    let profile: String
    let steps: [Step]
    package let status: ExitStatus
    private let source: any Migration
    /// What keeps steps from being applied, where some wait.
    private let waiting: (plan: Plan, facts: Named<FactPart>)?

    private enum CodingKeys: String, CodingKey { case dump, migration, profile, steps }

    /// A chosen step.
    struct Step: Encodable {
        let id: String
        let outcome: String
        @OrNull var reason: ReasonPart?
        @OrNull var entry: Int?
        let changes: ChangeParts
        /// Whether it waits for somebody to agree to a guess, which is told once for all steps.
        let isUnconfirmed: Bool

        private enum CodingKeys: String, CodingKey { case id, outcome, reason, entry, changes }
    }

    package init(
        _ steps: [AppliedStep], of migration: any Migration, profile: Profile, in snapshot: WorkspaceSnapshot,
        _ showing: Showing
    ) {
        let entries = steps.compactMap(\.entry), plan = snapshot.plan(migration, profile: profile)
        // What is masked in the plan is here, too.
        let showing = showing.following([plan], in: snapshot.container).following(
            steps,
            given: entries.map(\.facts) + [migration.factsKnown(in: snapshot.container, given: snapshot.facts)],
            in: snapshot.container)
        dump = DumpPart(snapshot)
        self.migration = migration.id
        self.profile = profile.id
        source = migration
        let isWaiting = steps.contains { $0.entry == nil && $0.outcome.kind == .blocked }
        waiting = isWaiting ? (plan, FactPart.all(plan.facts, showing)) : nil
        self.steps = steps.map { step in
            Step(
                id: step.step.id, outcome: step.outcome.kind.rawValue,
                reason: step.outcome.reason.map { ReasonPart($0, of: step.quoted, showing) },
                entry: step.entry?.number,
                changes: ChangeParts(step.entry?.changes ?? [], showing),
                isUnconfirmed: step.outcome.isUnconfirmed)
        }
        status = .worst(
            of: steps.filter { $0.entry == nil || $0.outcome.isPartial }.map { ExitStatus($0.outcome) })
    }

    package func write(to document: inout Document) {
        for step in steps {
            document.row(
                [(step.entry == nil ? step.outcome : "applied", 9), (step.id, 20)],
                step.isUnconfirmed ? "it rests on what is only assumed: see below" : step.reason?.sentence ?? "")
            step.changes.write(to: &document)
        }
        if steps.isEmpty { document.line("No step has anything to do.") }
        guard let waiting else { return }
        let chosen = Set(steps.lazy.filter { $0.entry == nil }.map(\.id))
        document.guesses(waiting.plan, waiting.facts, of: chosen)
        document.advice(on: waiting.plan, of: source, steps: chosen)
    }
}

/// `vestige.rollback/1`: the steps that have just been rolled back, the last one first, and `drift` as in `vestige.status/1`.
package struct RollbackReport: DumpReport {
    package static let name = "rollback"
    let dump: DumpPart
    let steps: [Step]
    let drift: [DriftPart]
    private let target: String?
    private let changed: [Drift]
    package var status: ExitStatus { .done }

    private enum CodingKeys: String, CodingKey { case dump, drift, steps }

    /// A step that was rolled back.
    struct Step: Encodable {
        let migration: String
        let profile: String
        let id: String
        let entry: Int
        let changes: ChangeParts
    }

    /// - Parameters:
    ///   - target: The step to which was rolled back, where one was named.
    ///   - drift: How the dump had changed before.
    package init(
        _ entries: [LedgerEntry], to target: String? = nil, drift: [Drift], in snapshot: WorkspaceSnapshot,
        _ showing: Showing
    ) {
        let showing = showing.telling(of: entries).following(
            entries.flatMap(\.changes), given: entries.map(\.facts), reading: [], in: snapshot.container)
        dump = DumpPart(snapshot)
        self.target = target
        (changed, self.drift) = (drift, DriftPart.all(drift))
        steps = entries.map { entry in
            Step(
                migration: entry.migration, profile: entry.profile, id: entry.step, entry: entry.number,
                changes: ChangeParts(entry.changes, isRollback: true, showing))
        }
    }

    package func write(to document: inout Document) {
        document.drift(changed)
        for step in steps {
            document.row([("rolled back", 11), (step.id, 20)], "\(step.migration):\(step.profile)")
        }
        guard steps.isEmpty else { return }
        document.line(target.map { "Nothing was applied after “\($0)”." } ?? "Nothing is applied.")
    }
}

extension Plan {
    /// How many steps do what; one that is applied and has nothing more to do is left out, but for one of which a part has
    /// failed.
    package var pendingCounts: [Outcome.Kind: Int] {
        let kinds = steps.filter { $0.status != .applied || $0.countedKind != .unchanged }.map(\.countedKind)
        return Dictionary(kinds.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// How many of them stand in its profile.
    package var appliedCount: Int { ownSteps.count { $0.status == .applied && $0.otherProfile == nil } }

    /// How many stand in each other profile, the first one first, and how many that the migration does not have now.
    package var appliedOtherwise: [String] {
        let ways = steps.compactMap { step in
            step.otherProfile.map { "with \($0)" } ?? (step.isUnknown ? "by former rules" : nil)
        }
        return ways.indices.filter { !ways[..<$0].contains(ways[$0]) }.map { first in
            "\(ways.count { $0 == ways[first] }) \(ways[first])"
        }
    }

    /// How many steps do what, and how many are applied.
    var counts: String {
        let left = pendingCounts
        let kinds = Outcome.Kind.allCases.compactMap { kind in left[kind].map { "\($0) \(kind.phrase)" } }
        let others = appliedOtherwise.map { ", " + $0 }.joined()
        let first = "\(appliedCount) of \(ownSteps.count) applied" + others
        return kinds.isEmpty ? first : first + ": " + kinds.joined(separator: ", ")
    }
}
