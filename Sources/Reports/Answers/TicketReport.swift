import DeviceDump
import MigrationEngine
import StoreFormats
import Workspace

/// `vestige.report/1`: what a ticket about one app says, for a person who has neither the dump nor the program.
///
/// `summary` is in sentences; `migrations` are those that apply, each with its steps as in `vestige.plan/1`; `unknown` and
/// `warnings` what could not be read; `entries` the ledger as in `vestige.log/1`; `digests` are by path the SHA-256 digests of
/// the files that standing steps have read; `stores`, as in `vestige.inspect/1`, are there where no migration applies, as there
/// is nothing else to tell of them; `collisions` are as in `vestige.plans/1`, `departures` as in `vestige.plan/1`. Its status is that of `vestige.plans/1`.
package struct TicketReport: Report {
    package static let name = "report"
    let dump: DumpPart
    let summary: [String]
    let drift: [DriftPart]
    let migrations: [Part]
    let collisions: [PlansReport.CollisionPart]
    let unknown: [UnknownPart]
    let stores: InspectReport.Parts<InspectReport.StorePart>?
    let warnings: [WarningPart]
    let entries: [LogReport.Entry]
    let facts: Named<FactPart>
    let ledger: LedgerPlace
    let digests: Named<String>
    let toolVersion: String
    private let plans: [(migration: any Migration, plan: Plan)]
    private let tables: [KeyTable]
    private let takenAway: [TakenAway]
    private let changed: [Drift]
    /// The migrations of which steps are applied and nobody has given the rules.
    private let foreign: [String]
    /// What is lost, or changed in meaning: as steps find it in the dump, with what applied steps have made, and with what the
    /// others would make.
    private let losses, ownLosses, plannedLosses: [Loss]
    package let status: ExitStatus

    private enum CodingKeys: String, CodingKey {
        case dump, summary, drift, migrations, collisions, unknown, stores, warnings, entries, facts, ledger, digests,
            toolVersion
    }

    /// What a step finds lost, in a sentence with a sign before it.
    private struct Loss {
        let sign: String
        let sentence: String
    }

    /// A migration that applies, with its steps.
    struct Part: Encodable {
        let migration, profile, title: String
        let steps: [PlanReport.Step]
        let summary: SummaryPart
        let effects: EffectsPart
        let departures: [DeparturePart]
    }

    /// - Parameters:
    ///   - known: The names of all migrations that there are, besides those of the plans.
    ///   - leftOut: The specs that cannot be used, by what they are called, and why, in a sentence.
    ///   - toolVersion: The program and its version.
    package init(
        _ plans: [(migration: any Migration, plan: Plan)], unknown: UnknownPart.Reasons, among known: [String] = [],
        leftOut: [LeftOut] = [], in snapshot: WorkspaceSnapshot, toolVersion: String, _ showing: Showing
    ) {
        let showing = showing.following(plans.map(\.plan), in: snapshot.container)
        self.plans = plans
        tables = plans.map { KeyTable($0.plan, in: snapshot, showing) }
        takenAway = plans.map { TakenAway($0.plan, in: snapshot.container) }
        let row = RowSentence(
            of: "", now: snapshot.overlay, found: snapshot.container, showing.masking)
        func losses(isDone: Bool = true, _ lost: (PlannedStep) -> [Change]) -> [Loss] {
            plans.flatMap { _, plan in
                plan.steps.compactMap { step in
                    row.foundLoss(lost(step), isKept: step.outcome.kind == .skipped, isDone: isDone).map {
                        Loss(
                            sign: $0.effect.sign(.unicode).text,
                            sentence: "\(step.step.title) (\(plan.migration), step \(step.id)) \($0.sentence)")
                    }
                }
            }
        }
        self.losses = losses { $0.lostElsewhere }
        ownLosses = losses { ($0.isDone ? $0.changes.filter(\.losesMeaning) : []) + $0.lostHere }
        plannedLosses = losses(isDone: false) { step in
            step.loses ? (step.sketch.isEmpty ? step.changes : step.sketch).filter(\.losesMeaning) : []
        }
        self.toolVersion = toolVersion
        let log = LogReport(snapshot, showing)
        (dump, drift, entries, ledger) = (log.dump, log.drift, log.entries, log.ledger)
        changed = snapshot.drift
        let others = snapshot.history.standing(besides: known + plans.map(\.plan.migration))
        foreign = Set(others.map(\.migration)).sorted()
        self.unknown = UnknownPart.all(unknown, showing)
        stores = plans.isEmpty ? InspectReport.stores(of: snapshot.container, showing) : nil
        migrations = plans.map { migration, plan in
            Part(
                migration: plan.migration, profile: plan.profile.id, title: migration.title,
                steps: plan.steps.map { PlanReport.Step($0, in: snapshot, showing) }, summary: SummaryPart(plan),
                effects: EffectsPart(ValueCounts(plan, in: snapshot.overlay)),
                departures: plan.departures.map { DeparturePart($0, showing) })
        }
        collisions = PlansReport.CollisionPart.all(among: plans.map(\.plan), showing.masking)
        let found = snapshot.dump.warnings + snapshot.container.warnings + snapshot.container.storeWarnings()
        warnings = leftOut.map { WarningPart(leftOut: $0, showing) } + WarningPart.all(found, showing)
        // Those that a migration found in the stores come with its plan.
        let all = plans.reduce(snapshot.facts) { $0.completed(by: $1.plan.facts) }
        facts = FactPart.all(all, showing)
        var newest: [Name: String] = [:]
        for entry in snapshot.history.standing { newest.merge(entry.digests) { $1 } }
        digests = Named(newest.sorted { $0.key < $1.key }.map { ($0.key.asFile, $0.value) })
        status = UnknownPart.status(snapshot.status(of: plans.map(\.plan)), unknown)
        summary =
            Self.summary(plans, migrations.map(\.effects), unknown, in: snapshot)
            + (others.isEmpty ? [] : [Self.sentence(on: others)])
    }

    /// The report on every migration that applies, or on the one that is chosen.
    package init(
        _ chosen: (migration: any Migration, profile: Profile)? = nil, among migrations: [any Migration],
        leftOut: [LeftOut] = [], in snapshot: WorkspaceSnapshot, toolVersion: String, _ showing: Showing
    ) {
        let known = migrations.map(\.id)
        if let chosen {
            let plan = snapshot.plan(chosen.migration, profile: chosen.profile)
            self.init(
                [(chosen.migration, plan)], unknown: [], among: known, leftOut: leftOut, in: snapshot,
                toolVersion: toolVersion, showing)
        } else {
            let found = snapshot.applicableMigrations(among: migrations)
            self.init(
                snapshot.plans(of: found), unknown: found.unknownReasons, among: known, leftOut: leftOut, in: snapshot,
                toolVersion: toolVersion, showing)
        }
    }

    /// A spec that cannot be used: what it is called, and why, in a sentence.
    package typealias LeftOut = (name: String, sentence: String)

    /// That steps stand whose spec nobody has given, which they are, and what to give.
    private static func sentence(on foreign: [LedgerEntry]) -> String {
        var steps: [(migration: String, names: [String])] = []
        for entry in foreign {
            if let index = steps.firstIndex(where: { $0.migration == entry.migration }) {
                steps[index].names.append(entry.step)
            } else {
                steps.append((entry.migration, [entry.step]))
            }
        }
        func few(_ names: [String]) -> String {
            names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
        }
        let names = few(steps.map { "\($0.migration) (\(few($0.names)))" })
        let count = foreign.count.counted("step is", "steps are")
        return
            "\(count) applied whose spec was not given, of \(names): what is told of the stores is as the dump has it, and "
            + "with the spec the report tells what became of each key."
    }

    /// The state of the app in sentences, to be read by itself.
    private static func summary(
        _ plans: [(migration: any Migration, plan: Plan)], _ effects: [EffectsPart], _ unknown: UnknownPart.Reasons,
        in snapshot: WorkspaceSnapshot
    ) -> [String] {
        var sentences = zip(plans, effects).map { planned, effects in
            let (migration, plan) = planned, values = effects.sentence.map { "; \($0)" } ?? ""
            return "\(migration.title) (\(plan.migration):\(plan.profile.id)): \(plan.counts)\(values)."
        }
        let read = plans.flatMap(\.plan.storesRead)
        if !plans.isEmpty, let assumption = snapshot.container.assumption(reading: read) {
            sentences.append(assumption)
        }
        if plans.isEmpty {
            let stores = snapshot.container.stores.count
            sentences.append(
                (unknown.isEmpty ? "No migration applies" : "No migration is known to apply")
                    + (stores == 0
                        ? ", and there is no store." : "; \(stores.counted("store is", "stores are")) listed below."))
        }
        let lacks = unknown.compactMap(\.lack)
        if lacks.count < unknown.count {
            sentences.append("Something that migrations look into cannot be read; see the problems.")
        } else if let lack = lacks.first {
            sentences.append(
                "Whether \(plans.isEmpty ? "any migration applies" : "other migrations apply") is not known \(lack).")
        }
        let standing = snapshot.history.standing.count, entries = snapshot.history.entries.count
        if entries > 0 {
            sentences.append(
                "The ledger has \(entries.counted("entry", "entries")); \(standing.counted("step is", "steps are")) applied. "
                    + "No step writes to the dump itself.")
        }
        if !snapshot.drift.isEmpty { sentences.append("The dump has changed since steps were applied.") }
        return sentences
    }

    package func write(to document: inout Document) {
        document.heading("\(dump.bundleIdentifier) (\(dump.kind))")
        for sentence in summary { document.line(sentence) }
        // Why something does not go on is read first.
        writeProblems(to: &document)
        for (index, part) in migrations.enumerated() {
            write(part, plans[index].plan, tables[index], to: &document)
        }
        writeStores(to: &document)
        writeEntries(to: &document)
        section("Facts", in: &document)
        for fact in facts.all { document.row([(fact.name, 20), (fact.value.words, 20)], fact.value.from, indent: 2) }
        section("Made with", in: &document)
        document.line(toolVersion, indent: 2)
        ledger.write(to: &document)
        for digest in digests.all { document.row([("file", 6), (digest.name, 20)], digest.value, indent: 2) }
    }

    private func section(_ title: String, in document: inout Document) {
        document.blank()
        document.heading(title)
    }

    /// What becomes of each key with its values, and then each step with why it does so, those that do nothing in one line each.
    ///
    /// Why a step has failed stands among the problems.
    private func write(_ part: Part, _ plan: Plan, _ table: KeyTable, to document: inout Document) {
        section("\(part.title) (\(part.migration):\(part.profile))", in: &document)
        for departure in part.departures { document.line("steps were applied \(departure.sentence)", indent: 2) }
        table.write(to: &document)
        document.blank()
        document.heading("Step by step", indent: 2)
        for (planned, step) in zip(plan.steps, part.steps) {
            document.row(
                [(planned.toldSign.text, 1), (step.id, 20), (step.title, 20), (planned.toldWord, 9)],
                planned.isStopped ? "" : step.reason?.sentence ?? "", indent: 2)
            step.writeChanges(to: &document, withValues: !table.isWhole)
        }
    }

    /// What cannot go on or cannot be read, with what to do about it.
    private func writeProblems(to document: inout Document) {
        let waiting = plans.filter { !$0.plan.steps.flatMap { $0.advice([]) }.isEmpty }
        let stopped = plans.indices.map { index in
            let part = migrations[index], steps = zip(plans[index].plan.steps, part.steps).filter(\.0.isStopped)
            return (part, takenAway: takenAway[index], steps: steps)
        }.filter { !$0.steps.isEmpty }
        guard
            !warnings.isEmpty || !unknown.isEmpty || !changed.isEmpty || !collisions.isEmpty || !waiting.isEmpty
                || !stopped.isEmpty || !losses.isEmpty || !ownLosses.isEmpty || !plannedLosses.isEmpty
                || !foreign.isEmpty
        else { return }
        section("Problems, and what to do", in: &document)
        document.drift(changed)
        if !foreign.isEmpty {
            let names = foreign.joined(separator: " and ")
            document.line("Nothing here says what \(names) has done to which key.", indent: 2)
            document.advice("do", .giveSpec, indent: 4)
        }
        for (part, takenAway, steps) in stopped { write(steps, of: part, takenAway, to: &document) }
        func tell(_ losses: [Loss], _ when: String) {
            for loss in losses { document.line([Run(loss.sign), Run(" " + loss.sentence)], indent: 2) }
            if !losses.isEmpty { document.line(when, indent: 2) }
        }
        tell(losses, "That was so when the dump was taken; what the old version left still stands in it.")
        tell(ownLosses, "That is so with what the applied steps have made; the dump itself is as it was.")
        tell(plannedLosses, "That comes with applying the steps; the dump itself stays as it is.")
        for collision in collisions { document.line(collision.sentence, indent: 2) }
        unknown.forEach { $0.write(to: &document) }
        warnings.forEach { $0.write(to: &document) }
        for (migration, plan) in waiting { document.advice(on: plan, of: migration) }
    }

    /// The steps that failed or are in conflict, each with its reason.
    private func write(
        _ steps: [(planned: PlannedStep, step: PlanReport.Step)], of part: Part, _ takenAway: TakenAway,
        to document: inout Document
    ) {
        for (planned, step) in steps {
            let reason = step.reason.map { ": \($0.sentence)" } ?? ""
            let text = "\(step.title) (\(part.migration), step \(step.id)) \(planned.word)\(reason)"
            document.line([Run(planned.sign(.unicode).text), Run(" " + text)], indent: 2)
        }
        let failed = steps.filter { $0.planned.outcome.kind == .failed }
        // What one step cannot take on another one may take away.
        let removers = failed.map { takenAway.removers(of: $0.planned) }
        for ((_, step), removers) in zip(failed, removers) {
            for (remover, takesAll) in removers.steps {
                let verb = remover.status == .applied ? "has taken" : "takes"
                let what = (takesAll ? "" : "a part of ") + "what \(step.title) fails on"
                document.line(
                    "The step \(remover.id) \(verb) away \(what), and nothing takes that on.", indent: 2)
            }
        }
        if removers.contains(where: \.leavesAny) {
            let what = removers.contains { !$0.steps.isEmpty } ? "What else fails" : "What fails"
            document.line("\(what) is not taken on, and stays in the dump as it is.", indent: 2)
        }
        if steps.contains(where: { $0.planned.outcome.kind == .conflict }) {
            document.line("What is in conflict stays as it is on both sides: a person decides which counts.", indent: 2)
        }
    }

    /// The most entries of a store that a ticket lists.
    private static let entryLimit = 100

    /// Where no migration says what matters: all that there is, the app's own first.
    private func writeStores(to document: inout Document) {
        guard let stores else { return }
        section("Stores", in: &document)
        document.advice("do", .writeSpec, indent: 2)
        for position in 0..<stores.count { stores.part(position).write(to: &document, entryLimit: Self.entryLimit) }
    }

    private func writeEntries(to document: inout Document) {
        section("Steps taken", in: &document)
        if entries.isEmpty { document.line("Nothing has been applied.", indent: 2) }
        for entry in entries { document.row(entry.columns, "\(entry.migration):\(entry.profile)", indent: 2) }
        if !entries.isEmpty { document.advice("do", .verify, indent: 2) }
    }
}

extension WorkspaceSnapshot {
    /// The migrations that apply, and those of which that cannot be told.
    package func applicableMigrations(
        among migrations: [any Migration], isCancelled: () -> Bool = { false }
    ) -> ApplicableMigrations {
        ApplicableMigrations(
            among: migrations, in: container, facts: facts, history: history, isCancelled: isCancelled)
    }

    /// The plans of the migrations that apply, each in the profile last applied, else in its default.
    package func plans(of found: ApplicableMigrations) -> [(migration: any Migration, plan: Plan)] {
        found.applying.compactMap { migration in
            guard let profile = try? migration.profile(named: nil, history: history) else { return nil }
            return (migration, plan(migration, profile: profile))
        }
    }
}
