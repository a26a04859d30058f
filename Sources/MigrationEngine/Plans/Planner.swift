import StoreFormats

/// Runs the steps of a migration one after the other, each on what the ones before it leave.
struct Planner {
    let steps: [Step]
    /// Where each stands among them, by their names, which nobody asks for before one stands.
    private let positions: [String: Int]
    let facts: Facts
    private let migration: String
    private let profile: Profile
    private let history: History
    /// What the steps that stand have made of each entry, one on top of the other.
    private let results: [Address: Value?]
    /// The same of those that stand in any profile.
    private let allResults: [Address: Value?]
    /// The entries that standing steps of the migration have taken on.
    private let takenOn: Set<Address>
    private let stores: any StoreReader
    /// What steps that stand do where they are run again, by the names of those.
    private var again: [String: StepPreview] = [:]
    /// The entries of steps that stand in other profiles, by the names of those.
    let others: [String: LedgerEntry]
    /// All that stands of the migration, in the order of the ledger.
    let standing: [LedgerEntry]
    /// Which step of those that stand has taken an entry away.
    private let removals: [Address: String]
    /// Which step of those that stand has changed an entry last, and whether by taking it away.
    private let changers: [Address: (step: String, isGone: Bool)]
    /// Where the last of those that stand is among all.
    private let lastStanding: Int?
    /// What they find, where the ledger does not say it.
    private(set) var found: [String: [Change]] = [:]
    /// What became of what the steps that stand have read.
    private var account = StepAccount()
    /// What was there before the migration's first step.
    let origin: any StoreReader

    /// Makes ready to plan on stores with a history.
    ///
    /// - Parameters:
    ///   - stores: The stores as they were before any step.
    ///   - origin: What was there before the migration's first step; told from the history where it is `nil`.
    init(
        _ migration: any Migration, profile: Profile, facts given: Facts, stores: any StoreReader,
        origin: (any StoreReader)? = nil, history: History
    ) {
        facts = migration.factsKnown(in: stores, given: given)
        steps = migration.steps(profile: profile, facts: facts)
        self.migration = migration.id
        self.profile = profile
        (self.stores, self.history) = (stores, history)
        let standing = history.standing.filter { $0.migration == migration.id }
        let named = standing.isEmpty ? [] : steps.enumerated().map { ($1.id, $0) }
        let positions = Dictionary(named, uniquingKeysWith: { first, _ in first })
        self.positions = positions
        func last(of entries: [LedgerEntry]) -> [Address: Value?] {
            Dictionary(entries.lazy.flatMap(\.changes).map { ($0.address, $0.after) }, uniquingKeysWith: { $1 })
        }
        (results, allResults) = (last(of: standing.filter { $0.profile == profile.id }), last(of: standing))
        others = history.standingEntries(of: migration.id, besides: profile)
        changers = standing.reduce(into: [:]) { changers, entry in
            for change in entry.changes { changers[change.address] = (entry.step, change.after == nil) }
        }
        removals = changers.compactMapValues { $0.isGone ? $0.step : nil }
        lastStanding = standing.compactMap { positions[$0.step] }.max()
        self.standing = standing
        takenOn = Set(standing.lazy.flatMap(\.changes).flatMap(\.takenOn))
        if !standing.isEmpty { account.noteUnknown() }
        self.origin = origin ?? history.origin(of: migration.id, on: stores)
    }

    /// The step of a name, where steps of the migration stand.
    func step(named name: String) -> Step? { positions[name].map { steps[$0] } }

    /// The same with other facts given.
    func naming(_ migration: any Migration, _ facts: Facts) -> Planner {
        Planner(migration, profile: profile, facts: facts, stores: stores, origin: origin, history: history)
    }

    /// Runs the steps that stand again, so that one of which a part was left is not taken for done.
    ///
    /// - Throws: what `check` throws.
    mutating func rerun<Stop: Error>(
        _ migration: any Migration, outdated: Set<Int>?, check: () throws(Stop) -> Void
    ) throws(Stop) -> Rerun {
        var rerun = Rerun(migration, profile: profile, stores: stores, origin: origin, outdated: outdated)
        try rerun.run(history, check: check)
        (again, found, account) = (rerun.previews, rerun.found, rerun.account)
        return rerun
    }

    /// The outcome and the changes of each step that is selected; for `next` the first that migrates, or what keeps any from that.
    func choose<Stop: Error>(
        _ selection: StepSelection, on stores: any StoreReader, assuming: Bool, check: () throws(Stop) -> Void
    ) throws(Stop) -> [Preview] {
        switch selection {
        case .all: return try preview(on: stores, assuming: assuming, check: check)
        case .steps(let chosen): return try preview(chosen, on: stores, assuming: assuming, check: check)
        case .next:
            let all = try preview(on: stores, assuming: assuming, check: check)
            // Where nothing can be done without agreeing to a guess, that is the answer.
            let next =
                all.first { $0.result.outcome.kind == .migrates } ?? all.first { $0.result.outcome.isUnconfirmed }
            // Where nothing can be done at all, the answer is what keeps it from being done.
            return next.map { [$0] } ?? all.filter { [.blocked, .conflict, .failed].contains($0.result.outcome.kind) }
        }
    }

    /// The outcome and the changes of each chosen step.
    ///
    /// - Parameters:
    ///   - chosen: The names of the steps to take; `nil` is all of them.
    ///   - stores: What is there now.
    ///   - assuming: Whether steps may rest on facts that nobody has said; else they are blocked.
    ///   - check: Called before each step; it throws to stop the planning.
    /// - Throws: what `check` throws.
    func preview<Stop: Error>(
        _ chosen: Set<String>? = nil, on stores: any StoreReader, assuming: Bool = true, check: () throws(Stop) -> Void
    ) throws(Stop) -> [Preview] {
        var current = Overlay(stores), takenOn = takenOn, allowance = Allowance.migration
        var left: [String] = [], failed: [String] = [], asked = again.mapValues(\.asked), removals = removals
        var previews: [(index: Int, result: StepPreview)] = [], dropped = DroppedParts()
        var account = account
        var past = Past(stores: Overlay(origin))
        for (index, step) in steps.enumerated() {
            try check()
            var result = preview(
                step, on: current, after: &past, takenOn: takenOn, account: account.told(step), &allowance)
            if let remover = step.sources.lazy.compactMap({ removals[$0.entry] }).first {
                result.outcome.reason?.note(remover, isLater: positions[remover] ?? 0 > index)
            }
            let isChosen = chosen?.contains(step.id) ?? true
            let guesses = step.guesses(in: facts)
            if isChosen, !assuming, !guesses.isEmpty, result.outcome.kind == .migrates {
                result = result.stopped(by: .unconfirmed(guesses, in: facts))
            }
            let awaited = step.waitsFor.map { names in left.filter(names.contains) } ?? (step.followsAll ? left : [])
            if isChosen, !awaited.isEmpty, result.outcome.kind == .migrates {
                let why = step.followsAll ? "it removes what other steps read, and waits for them" : "it waits for"
                let reason = "\(why): \(awaited.joined(separator: ", "))"
                result = result.stopped(by: .blocked("earlier-steps-first", reason))
            }
            let undone = step.comesAfter.isEmpty ? [] : (left + failed).filter(step.comesAfter.contains)
            if isChosen, !undone.isEmpty, result.outcome.kind == .migrates {
                let reason = "it comes after what is not done: \(undone.joined(separator: ", "))"
                result = result.stopped(by: .blocked("earlier-steps-first", reason))
            }
            if result.outcome.kind == .migrates {
                let earlier = step.followsAll && step.waitsFor == nil ? steps[..<index].map(\.id) : []
                let names = step.comesAfter.union(step.waitsFor ?? []).union(earlier)
                result.awaited = names.compactMap { asked[$0] }
            }
            asked[step.id] = asked[step.id] ?? result.asked
            if result.outcome.kind == .failed || result.outcome.isPartial { failed.append(step.id) }
            // What still waits, or was left out, must not lose its source to a later step. What failed waits for nothing:
            // a removal says what is lost with it, and the ledger keeps it.
            if result.outcome.kind.leavesSources || (!isChosen && result.outcome.kind == .migrates) {
                left.append(step.id)
            }
            account.note(result)
            // A removal knows by itself what has arrived, and how much of it.
            dropped.note(
                result, of: index, isDone: isChosen && result.outcome.kind.isDone, isAsked: isChosen && !step.followsAll
            )
            guard isChosen else { continue }
            // Nothing runs on what the last step leaves.
            for change in result.changes where index + 1 < steps.count {
                current.apply(change)
                for source in change.from where change.after != nil { takenOn.insert(source.entry) }
                removals[change.address] = change.after == nil ? step.id : nil
            }
            previews.append((index, result))
        }
        let settled = dropped.isEmpty ? [:] : dropped.settled(after: standingEvents(on: stores), on: stores)
        return previews.map { index, result in
            var result = result
            if let changes = settled[index] {
                let count = result.changes.count
                (result.changes, result.found) = (Array(changes[..<count]), Array(changes[count...]))
            }
            return Preview(step: steps[index], result: result)
        }
    }

    /// What became of the sources of the steps that stand, in the order in which they were applied: run again they find what they
    /// have made, or do the same on what was there then.
    private func standingEvents(on stores: any StoreReader) -> [[PartEvent]] {
        var events: [[PartEvent]] = [], allowance = Allowance.migration, known: Set<String> = []
        let applied = steps.compactMap { step in
            history.standingEntry(of: step.id, in: migration, profile: profile).map { (step: step, number: $0.number) }
        }
        for (step, _) in applied.sorted(by: { $0.number < $1.number }) {
            known.insert(step.id)
            if step.followsAll { continue }
            if let again = again[step.id] {
                events.append(again.events)
                continue
            }
            let found = step.preview(on: stores, origin: origin, facts: facts, takenOn: [], &allowance).events
            events.append(found.filter { if case .changed = $0 { false } else { true } })
        }
        // Of what another profile, or a step that is no more, has read, nobody knows what arrived, but where both places hold
        // the same still.
        for entry in standing where entry.profile != profile.id || !known.contains(entry.step) {
            var arrivals: [PartEvent] = []
            for change in entry.changes {
                guard let after = change.after, stores.state(at: change.address).value == after else { continue }
                for source in change.from
                where source.entry != change.address && stores.state(at: source).value == after {
                    arrivals.append(.arrived(source, without: [], isWhole: true))
                }
            }
            events.append(arrivals)
        }
        return events.map { step in
            step.filter { event in
                switch event {
                case .arrived, .copied, .made, .changed: true
                case .left: false
                }
            }
        }
    }

    /// A step that stands, and whose results are all still there or were taken further by a later step that stands, is
    /// not run again: it may have removed its own input.
    ///
    /// - Parameter past: What the steps before it that stand have left.
    private func preview(
        _ step: Step, on stores: Overlay, after past: inout Past, takenOn: Set<Address>,
        account: StepAccount.Told?, _ allowance: inout Allowance
    ) -> StepPreview {
        func stands(_ entry: LedgerEntry?, _ results: [Address: Value?]) -> Bool {
            guard let entry else { return false }
            return entry.changes.allSatisfy { change in
                // What cannot be read any more is not what a removal left.
                let state = stores.state(at: change.address)
                return state == EntryState(change.after) || state == EntryState(results[change.address] ?? change.after)
            }
        }
        if stands(standingEntry(of: step), results) {
            let found = found[step.id] ?? []
            return again[step.id]?.asStanding(finding: found) ?? StepPreview(outcome: Outcome(.unchanged), found: found)
        }
        let preview = step.preview(
            on: stores, origin: origin, facts: facts, takenOn: takenOn, account: account, &allowance)
        // What another profile has made is not in its own way.
        guard preview.outcome.kind != .migrates, stands(others[step.id], allResults) else {
            return obstacle(to: step, finding: preview, after: &past, &allowance) ?? preview
        }
        return StepPreview(outcome: .unchanged, reads: preview.reads)
    }

    private func standingEntry(of step: Step) -> LedgerEntry? {
        history.standingEntry(of: step.id, in: migration, profile: profile)
    }

    /// How a step could not go on before a later one that stands has taken away or overwritten what it reads: it has failed still,
    /// or is in conflict still, and only the ledger keeps that; `nil` where it could.
    private func obstacle(
        to step: Step, finding preview: StepPreview, after past: inout Past, _ allowance: inout Allowance
    ) -> StepPreview? {
        guard let lastStanding, let own = positions[step.id], lastStanding > own else { return nil }
        func laterChanger(of places: [Address]) -> (step: String, isGone: Bool)? {
            places.lazy.compactMap { changers[$0.entry] }.first { positions[$0.step] ?? 0 > own }
        }
        switch preview.outcome.kind {
        case .migrates, .unchanged, .skipped: break
        case .blocked, .conflict, .failed: return nil
        }
        guard !step.patterns.isEmpty || laterChanger(of: step.sources) != nil else { return nil }
        while past.count < own {
            for change in standingEntry(of: steps[past.count])?.changes ?? [] { past.stores.apply(change) }
            past.count += 1
        }
        let before = step.preview(on: past.stores, origin: origin, facts: facts, takenOn: [], &allowance)
        // Of what only the stores can name those are meant that it has left.
        guard [.failed, .conflict].contains(before.outcome.kind),
            let changer = laterChanger(of: step.sources + before.left.map(\.place))
        else { return nil }
        var failed = StepPreview(
            outcome: before.outcome, conflict: before.conflict, reads: preview.reads, found: before.found)
        failed.outcome.reason?.sentence +=
            "; the step \(changer.step) has \(changer.isGone ? "taken it away" : "overwritten it") since"
        return failed
    }

    /// What the steps that stand have left, as far as it was asked for: few steps need it.
    private struct Past {
        var stores: Overlay
        /// How many of all steps are in it.
        var count = 0
    }

    /// A step and what it does.
    struct Preview {
        let step: Step
        let result: StepPreview
    }
}

extension Change {
    /// The entries whose values the new value was made from.
    package var takenOn: [Address] { after == nil ? [] : from.map(\.entry) }
}

extension Reason {
    /// Says which step has taken away what is said not to be there, as the dump has it.
    fileprivate mutating func note(_ remover: String, isLater: Bool) {
        guard code == "absent" else { return }
        sentence += ": the step \(remover) " + (isLater ? "has taken it away since" : "takes it away first")
    }
}

extension Outcome.Kind {
    /// Whether what a step that ends so has found or made is there.
    fileprivate var isDone: Bool {
        switch self {
        case .migrates, .unchanged, .skipped, .failed: true
        case .blocked, .conflict: false
        }
    }

    /// Whether a step that ends so may still take what its sources hold.
    fileprivate var leavesSources: Bool {
        switch self {
        case .blocked, .conflict: true
        case .migrates, .unchanged, .skipped, .failed: false
        }
    }
}
