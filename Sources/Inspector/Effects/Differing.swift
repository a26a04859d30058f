import MigrationEngine
import Reports
import Workspace

/// Finds what differs between two points of the timeline, or would with other facts or another profile.
///
/// It runs beside what the person does: while a fact is typed only the last asking counts.
struct Differing: Effect {
    let purpose: ComparedDump.Purpose
    /// What the sides are, in phrases.
    let names: (before: String, after: String)
    let request: ViewRequest
    let masking: Masking
    var lane: Lane { .difference }
    var label: String { "comparing" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> CompareReport {
        try inspection.difference(purpose.sides, names, request, masking, control)
    }

    func finish(_ report: CompareReport, in model: inout Model) -> [any Effect] {
        if model.difference?.purpose == purpose { model.difference?.end(.success(report)) }
        return []
    }

    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] {
        if model.difference?.purpose == purpose {
            model.difference?.end(.failure(ComparedDump.Failure(error: error)))
        }
        return []
    }
}

extension Inspection {
    /// The migration and the profile of a view.
    func chosen(_ request: ViewRequest, _ history: History) -> (migration: any Migration, profile: Profile)? {
        guard let choice = request.choice, let migration = migrations.first(where: { $0.id == choice.migration }),
            let profile = try? migration.profile(named: choice.profile, history: history)
        else { return nil }
        return (migration, profile)
    }

    /// A fact that the person has typed; what time it is now is asked here, and counts only where they write `now`.
    func fact(
        _ definition: FactDefinition, as text: String, beside facts: Facts
    ) throws(WorkspaceError) -> Fact {
        let source = "the inspector"
        let known = facts.completed(by: Facts.assumed(from: facts))
        let anchors = TimeAnchors(of: known, clock: options.stamp().date)
        return Fact(text, from: .given(source))
            .read(as: try definition.told(text, from: anchors, by: source), by: definition)
    }

    /// What differs between two points of an app's timeline, or would with other facts or another profile.
    func difference(
        _ sides: ComparedDump.Sides, _ names: (before: String, after: String), _ request: ViewRequest,
        _ masking: Masking, _ control: EffectControl
    ) throws(WorkspaceError) -> CompareReport {
        let workspace = try workspace(of: request.container), snapshot = workspace.snapshot
        let stores = StoppableStores(snapshot.stores, control.isCancelled)
        let chosen = chosen(request, snapshot.history)
        let situations: [Situation]
        var counts: [ValueCounts] = []
        var facts = snapshot.facts, masking = masking
        switch sides {
        case .dumps: throw .cancelled
        case .moments(let from, let to):
            situations = try [from, to].map { moment throws(WorkspaceError) in
                try snapshot.situation(at: moment, chosen, isCancelled: control.isCancelled)
            }
        case .proposal(let proposal):
            guard let (migration, profile) = chosen else { throw .cancelled }
            if !proposal.takenBack.isEmpty { facts = workspace.facts(without: proposal.takenBack) }
            // Others may count from this one.
            for definition in migration.facts.filter({ $0.name == .now }) + migration.facts.filter({ $0.name != .now })
            {
                guard let text = proposal.facts[definition.name], !text.isEmpty else { continue }
                facts[definition.name] = try fact(definition, as: text, beside: facts)
            }
            let other = migration.profiles.first { $0.id == proposal.profile } ?? profile
            let sketched = migration.sketching(snapshot.facts, beside: facts, in: stores)
            for facts in [sketched.one, sketched.other] {
                let known = migration.factsKnown(in: stores, given: facts)
                masking.secrecy.note(migration, given: known)
            }
            situations = [
                try snapshot.outcome(
                    of: migration, profile, facts: sketched.one, isCancelled: control.isCancelled),
                try snapshot.outcome(of: migration, other, facts: sketched.other, isCancelled: control.isCancelled),
            ]
            counts = [
                try snapshot.values(of: migration, profile, facts: snapshot.facts, control),
                try snapshot.values(of: migration, other, facts: facts, control),
            ]
        }
        let overlays = situations.map { $0.history.overlay(on: stores) }
        let comparison = StoreComparison(of: overlays[0], and: overlays[1])
        // Either side may tell what the other was made of.
        masking.origins = SecretOrigins(
            of: snapshot.history, outdated: snapshot.outdated, among: [chosen?.migration].compactMap(\.self),
            in: stores,
            masking)
        for situation in situations {
            masking.origins.follow(situation.steps, given: facts, in: stores, masking)
        }
        let isOfMoments = if case .moments = sides { true } else { false }
        let remarks =
            isOfMoments
            ? (
                "Steps of which it is not known what they write, or that find something lost, or changed in meaning:",
                situations.flatMap { $0.steps }.unknown(masking)
                    + situations[0].history.losses(
                        upTo: situations[1].history, chosen?.migration,
                        .ofLosses(now: overlays[1], found: stores, masking))
            )
            : ("Steps that end differently:", situations[0].steps.turns(to: situations[1].steps, masking))
        try control.goOn()
        let fates = zip(situations, counts).map { situation, counts in
            CompareReport.Fates(situation.steps.flatMap { $0.entry?.changes ?? [] }, counts)
        }
        let migration = chosen.map { " \($0.migration.id):\($0.profile.id)" } ?? ""
        return CompareReport(
            comparison, of: snapshot.title, names, (overlays[0], overlays[1]),
            as: "\(snapshot.told(masking)):\(migration) \(names.before), and \(names.after)",
            proposed: isOfMoments ? nil : (snapshot.history.overlay(on: stores), (fates[0], fates[1])),
            remarks: remarks, Showing(masking))
    }
}

extension ContainerSnapshot {
    /// What becomes of how many values.
    fileprivate func values(
        of migration: any Migration, _ profile: Profile, facts: Facts, _ control: EffectControl
    ) throws(WorkspaceError) -> ValueCounts {
        let plan = try? Plan(
            of: migration, profile: profile, facts: facts, stores: StoppableStores(stores, control.isCancelled),
            history: history, outdated: outdated,
            check: { () throws(CancellationError) in if control.isCancelled() { throw CancellationError() } })
        try control.goOn()
        return plan.map { ValueCounts($0, in: history.overlay(on: stores)) } ?? ValueCounts()
    }
}

extension [AppliedStep] {
    /// The steps of which nobody knows what they would write, each once.
    fileprivate func unknown(_ masking: Masking) -> [CompareReport.Remark] {
        var seen: Set<String> = []
        return filter { $0.outcome.isKept && seen.insert($0.step.id).inserted }.map { applied in
            let (kind, why) = (applied.outcome.kind, applied.outcome.told(of: applied.quoted, masking))
            return CompareReport.Remark(applied.step.title, "\(kind.phrase), \(why)", kind)
        }
    }

    /// The steps that end otherwise, or are kept from it for another reason.
    fileprivate func turns(to others: [AppliedStep], _ masking: Masking) -> [CompareReport.Remark] {
        let after = Dictionary(others.map { ($0.step.id, $0) }) { first, _ in first }, known = Set(map(\.step.id))
        let pairs =
            map { (before: Optional($0), after: after[$0.step.id]) }
            + others.filter { !known.contains($0.step.id) }.map { (before: nil, after: Optional($0)) }
        return pairs.compactMap { before, after in
            guard let shown = after ?? before else { return nil }
            // Of what a step wrote that is on one side alone, the rows tell.
            guard before != nil && after != nil || shown.outcome.isKept else { return nil }
            let isOther = before?.outcome.kind != after?.outcome.kind
            guard isOther || before.map(shown.tellsSame) == false else { return nil }
            let why = after.flatMap { $0.why(masking) }.map { ": \($0)" }
            let words = [before, after].map { $0?.word ?? "no step" }
            let sentence =
                words[0] == words[1]
                ? "\(words[0]) either way, with different values"
                : "\(words[0]) as it is, \(words[1]) with it\(why ?? "")"
            return CompareReport.Remark(
                shown.step.title, sentence, shown.outcome.kind, loss: after?.all.loss ?? before?.all.loss)
        }
    }
}

extension AppliedStep {
    /// Why it writes nothing; `nil` where it does, or there is no more to say than that.
    fileprivate func why(_ masking: Masking) -> String? {
        if outcome.isKept { return outcome.told(of: quoted, masking) }
        guard outcome.kind == .skipped, let reason = outcome.reason else { return nil }
        return masking.sentence(reason.sentence, of: quoted)
    }

    /// What it writes and what it finds.
    fileprivate var all: [Change] { (entry?.changes ?? []) + found }

    /// How it ends, and what is lost with what it writes or finds.
    fileprivate var word: String {
        let isThere = outcome.kind == .skipped && found.contains { $0.action == .found }
        let phrase = all.lossPhrase(isDone: entry == nil) ?? (isThere ? Outcome.Kind.unchanged.valueWord : nil)
        return outcome.kind.rawValue + (phrase.map { " (\($0))" } ?? "")
    }

    /// Whether another finds the same and loses the same by it: what it writes otherwise the rows tell.
    fileprivate func tellsSame(as other: AppliedStep) -> Bool {
        guard found.elementsEqual(other.found, by: { $0.doesSame(as: $1) }) else { return false }
        let pairs = zip(entry?.changes ?? [], other.entry?.changes ?? [])
        return pairs.allSatisfy { one, other in
            one.address != other.address || one.after != other.after || one.doesSame(as: other)
        }
    }
}

extension History {
    /// What the steps that stand in a later one, and not in it, have found lost, or changed in meaning.
    func losses(
        upTo later: History, _ chosen: (any Migration)?, _ sentences: RowSentence
    ) -> [CompareReport.Remark] {
        let known = Set(standing.map(\.number))
        var steps = KnownSteps([chosen].compactMap(\.self))
        return later.standing.filter { !known.contains($0.number) }.compactMap { entry in
            guard let lost = sentences.foundLoss(entry.found.filter(\.losesMeaning)) else { return nil }
            return CompareReport.Remark(
                steps.step(of: entry)?.title ?? entry.step, lost.sentence, .unchanged, loss: lost.effect)
        }
    }
}

extension Outcome {
    /// Whether a step has something to do and is kept from it.
    fileprivate var isKept: Bool { [.blocked, .conflict, .failed].contains(kind) }
}
