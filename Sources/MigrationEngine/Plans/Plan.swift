import OrderedCollections
import StoreFormats

/// The steps of a migration with what each does on given stores with given facts.
public struct Plan: Sendable {
    /// The migration's name.
    public let migration: String
    /// The profile.
    public let profile: Profile
    /// The facts that it was made with.
    public let facts: Facts
    /// The steps in order; after them those that stand and that none of these tells of: the migration, as it is now, does not have
    /// them in the profile, or another profile has applied them differently.
    public let steps: [PlannedStep]
    /// How many of them the migration has, as it is now.
    private let ownCount: Int
    /// In what the steps that are applied were applied otherwise than they, or the next ones, would be now.
    public let departures: [Departure]
    /// Whether steps make something else, and it is not known yet whether that is because of their rules or of the dump.
    package let departuresAreUndecided: Bool
    /// The entries that are a step's: its sources and its target, what stands beside them, and what it changes or takes something
    /// from, or would if it could.
    package let touched: [StoreID: Set<Name>]
    /// How many entries of the migration's stores, with what was applied to them, are none of these.
    public let untouched: Int

    /// Plans a migration: each step on what the ones before it leave.
    ///
    /// - Parameters:
    ///   - migration: The migration.
    ///   - profile: Its profile.
    ///   - given: The facts that were given; those that the stores tell complete them.
    ///   - stores: The stores as they are, without what the history has done.
    ///   - origin: What was there before the migration's first step; told from the history where it is `nil`.
    ///   - history: What has been applied and rolled back.
    ///   - outdated: The numbers of the entries that read what is another now: that such a step makes something else says
    ///     nothing of its rules. `nil` where nobody has looked.
    ///   - check: Called before each step; it throws to stop the planning.
    /// - Throws: what `check` throws, and nothing else.
    public init<Stop: Error>(
        of migration: any Migration, profile: Profile, facts given: Facts, stores: any StoreReader,
        origin: (any StoreReader)? = nil, history: History, outdated: Set<Int>? = [], check: () throws(Stop) -> Void
    ) throws(Stop) {
        var planner = Planner(
            migration, profile: profile, facts: given, stores: stores, origin: origin, history: history)
        let rerun = try planner.rerun(migration, outdated: outdated, check: check)
        let seen = history.overlay(on: stores)
        let previews = try planner.preview(on: seen, check: check)
        let sketches = try planner.sketches(of: previews, migration, given: given, on: seen, check: check)
        self.init(
            migration, profile, planner, previews, sketches: sketches, stores: stores, history: history,
            standing: planner.standing, departed: rerun.departed, isUndecided: rerun.isUndecided)
    }

    /// What a planner has found.
    init(
        _ migration: any Migration, _ profile: Profile, _ planner: Planner, _ previews: [Planner.Preview],
        sketches: [String: [Change]] = [:], stores: any StoreReader, history: History, standing: [LedgerEntry] = [],
        departed: [String] = [], isUndecided: Bool = false
    ) {
        departuresAreUndecided = isUndecided
        self.migration = migration.id
        self.profile = profile
        facts = planner.facts
        let edited = Set(departed), dump = history.standing.isEmpty ? nil : Overlay(stores)
        let past = history.standing.isEmpty ? nil : PastStores.States(history)
        let known = previews.map { preview in
            let id = preview.step.id
            return PlannedStep(
                preview, sketch: sketches[id] ?? [], status: history.status(of: id, in: migration.id, profile: profile),
                entry: history.standingEntry(of: id, in: migration.id, profile: profile),
                isDeparted: edited.contains(id), isFoundAnew: planner.found[id] != nil, otherEntry: planner.others[id],
                in: dump, after: past)
        }
        // One that is to be applied again shows what that does.
        let told = Set(known.lazy.filter { $0.outcome.kind != .migrates }.compactMap(\.entry?.number))
        let former = standing.filter { !told.contains($0.number) }
        let names = former.isEmpty ? [] : Set(known.lazy.map(\.id)), profiles = migration.profiles.map(\.id)
        steps = known + Self.former(former, beside: names, of: migration, in: profile, dump, past)
        ownCount = known.count
        let lost = former.filter { !names.contains($0.step) && !profiles.contains($0.profile) }.map(\.step)
        let gone = Set(former.lazy.filter { $0.profile == profile.id && !names.contains($0.step) }.map(\.step))
        let changed = departed.filter { !gone.contains($0) }, removed = departed.filter(gone.contains) + lost
        departures =
            Departure.all(from: history, migration: migration, profile: profile, planner)
            + (changed.isEmpty ? [] : [.steps(changed)]) + (removed.isEmpty ? [] : [.formerSteps(removed)])
        var touched: [StoreID: Set<Name>] = [:]
        for step in steps {
            for address in step.claims {
                if let key = address.key { touched[address.store, default: []].insert(key) }
            }
        }
        self.touched = touched
        let sides = migration.sides(facts: planner.facts), seen = history.overlay(on: stores)
        untouched = Set(sides.legacy + sides.migrated).filter(seen.contains).reduce(0) { sum, store in
            let keys = seen.keys(in: store)
            return sum + keys.count - (touched[store]?.count(where: keys.contains) ?? 0)
        }
    }

    /// Steps that stand and that none of a profile tells of: as the profile that they were applied in has them, else as the ledger
    /// does.
    private static func former(
        _ entries: [LedgerEntry], beside names: Set<String>, of migration: any Migration, in profile: Profile,
        _ dump: (any StoreReader)?, _ past: PastStores.States?
    ) -> [PlannedStep] {
        let counts = Dictionary(entries.map { ($0.step, 1) }, uniquingKeysWith: +)
        // By profiles and facts: those of the entries are few.
        var steps: [String: [Facts: [String: Step]]] = [:]
        return entries.map { entry in
            if steps[entry.profile]?[entry.facts] == nil {
                let own = migration.profiles.first { $0.id == entry.profile }
                let all = own.map { migration.steps(profile: $0, facts: entry.facts) } ?? []
                steps[entry.profile, default: [:]][entry.facts] = Dictionary(
                    all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            }
            return PlannedStep(
                former: entry, as: steps[entry.profile]?[entry.facts]?[entry.step], in: profile,
                isTwin: names.contains(entry.step) || counts[entry.step, default: 0] > 1,
                isOwn: names.contains(entry.step), dump: dump, past)
        }
    }

    /// The steps that the migration has, as it is now.
    package var ownSteps: ArraySlice<PlannedStep> { steps.prefix(ownCount) }

    /// Those that it has from the ledger alone.
    package var formerSteps: ArraySlice<PlannedStep> { steps.dropFirst(ownCount) }

    /// What its steps change, or would but for a conflict, in order.
    package var changes: [Change] { steps.flatMap { $0.changes + [$0.conflict].compactMap(\.self) } }

    /// What its steps change, would but for a conflict or for a name that nobody has given, or find changed in meaning or with a
    /// part of the user's lost.
    package var shownChanges: [Change] { steps.flatMap { $0.shownChanges + [$0.conflict].compactMap(\.self) } }

    /// What its steps read.
    package var sources: [Address] { steps.flatMap(\.step.sources) }

    /// How many steps have each outcome; one that is applied, and of which a part was left, has failed.
    public var summary: [Outcome.Kind: Int] {
        Dictionary(steps.map { ($0.countedKind, 1) }, uniquingKeysWith: +)
    }

    /// What becomes of the user's values, by the steps that are applied and those that would be.
    public var effects: EffectCounts { EffectCounts(steps.lazy.flatMap(\.changes)) }

    /// The stores that its steps look into, and those that they write to: what stands there they look at, too.
    package var storesRead: Set<StoreID> {
        steps.reduce(into: []) { $0.formUnion($1.storesRead) }
    }

    /// The steps that have something to do.
    public var pending: [PlannedStep] { steps.filter { $0.outcome.kind == .migrates } }
}

extension PlannedStep {
    /// The stores that it looks into, also those that it only asks something of, or looks for names in by a pattern, and those that
    /// it writes to.
    package var storesRead: Set<StoreID> {
        Set((step.sources + step.beside + claims).map(\.store)).union(storesAsked)
    }

    /// Those that it has asked anything of, also for names.
    package var storesAsked: Set<StoreID> {
        Set(step.patterns.compactMap { try? Address(parsing: $0).store }).union(asked)
    }
}

/// A step and what it does.
public struct PlannedStep: Identifiable, Sendable {
    /// Whether a step has been applied.
    public enum Status: String, Hashable, Sendable, CaseIterable, Codable {
        /// It has never been applied.
        case notApplied = "not-applied"
        /// It has been applied.
        case applied
        /// It has been applied and rolled back.
        case rolledBack = "rolled-back"
    }

    /// The step.
    public let step: Step
    /// Whether it has been applied.
    public let status: Status
    /// What it does now: a step that has been applied is `unchanged` unless the stores changed since, with the reason why
    /// where a part was left.
    public let outcome: Outcome
    /// What it would change, or, where it has been applied and has nothing more to do, what it did change.
    public let changes: [Change]
    /// What a step that waits only for facts that are names would change, with those names in braces in place of the values:
    /// `{writeKey}`.
    public let sketch: [Change]
    /// What it would write where something else is kept: the other side of a conflict.
    public let conflict: Change?
    /// What it would write where just that stands already, or what its rules leave as it stands; of a step that is applied, what the
    /// ledger holds of that, or where that is of an earlier version what comes of it now.
    package let found: [Change]
    /// What it leaves where it is, though it may take others.
    package let left: [LeftPart]
    /// Of what it finds lost, or changed in meaning, that which the dump has so, and that which is so with the steps that are applied here.
    package let lostElsewhere, lostHere: [Change]
    /// The entries that are the step's own: what it reads and writes, or would if it could.
    package let claims: [Address]
    /// The entries that it has read.
    package let reads: [Address]
    /// What entries were when steps were applied; `nil` where none is.
    let past: PastStores.States?
    /// The stores that it has asked anything of.
    private let asked: OrderedSet<StoreID>
    /// What the ledger holds of it, where it has been applied: its changes and the facts that they were made with.
    public let entry: LedgerEntry?
    /// The profile that it was applied in, where that is not the one of the plan, and it has nothing to do in that.
    package let otherProfile: String?
    /// The profile in which it stands, where that is not the one of the plan, also if it has something to do in that.
    package let standingProfile: String?
    /// Whether it was applied by other rules than it has now, by which it would make something else of the same.
    package let isDeparted: Bool
    /// Whether the plan has it from the ledger alone: the migration, as it is now, does not have it in the profile, or has it
    /// beside this.
    package let isFormer: Bool
    /// Whether the plan has another step of its name, and whether the profile has one.
    private let isTwin, isOwn: Bool

    init(
        _ preview: Planner.Preview, sketch: [Change] = [], status: Status, entry: LedgerEntry?,
        isDeparted: Bool = false, isFoundAnew: Bool = false, otherEntry: LedgerEntry? = nil,
        in dump: (any StoreReader)? = nil, after past: PastStores.States? = nil
    ) {
        self.past = past
        self.isDeparted = isDeparted
        (isFormer, isTwin, isOwn) = (false, false, true)
        self.sketch = sketch
        step = preview.step
        outcome = preview.result.outcome
        left = preview.result.left
        reads = preview.result.reads
        asked = reads.stores.union(preview.result.searched)
        conflict = preview.result.conflict
        let applied = (entry ?? otherEntry)?.changes ?? []
        let named = step.sources + step.beside + [step.target].compactMap(\.self)
        let all = named + preview.result.claims + applied.flatMap { [$0.address] + $0.from }
        var claims = OrderedSet<Address>(minimumCapacity: all.count)
        for address in all { claims.append(address.entry) }
        self.claims = claims.elements
        // One that stands in another profile is applied, as long as it has nothing to do in this one.
        let other = entry == nil && outcome.kind == .unchanged ? otherEntry : nil
        otherProfile = other?.profile
        standingProfile = entry == nil ? otherEntry?.profile : nil
        self.entry = entry ?? other
        self.status = other == nil ? status : .applied
        changes = outcome.kind == .migrates ? preview.result.changes : self.entry?.changes ?? []
        let kept = outcome.kind == .migrates || isFoundAnew ? nil : self.entry?.found
        found = kept ?? preview.result.found
        (lostElsewhere, lostHere) = Self.lost(of: found, in: dump)
    }

    /// What is lost with what it finds, where the dump has that so, and where steps that are applied here have made it so.
    private static func lost(of found: [Change], in dump: (any StoreReader)?) -> (elsewhere: [Change], here: [Change]) {
        var elsewhere: [Change] = [], here: [Change] = []
        for change in found where change.losesMeaning {
            // Where nothing is applied all is as in the dump.
            let isOfDump = dump.map { $0.state(at: change.address) == EntryState(change.after) } ?? true
            if isOfDump { elsewhere.append(change) } else { here.append(change) }
        }
        return (elsewhere, here)
    }

    /// A step that stands and that none of a profile tells of: what the ledger holds of it.
    init(
        former entry: LedgerEntry, as known: Step?, in profile: Profile, isTwin: Bool, isOwn: Bool,
        dump: (any StoreReader)?,
        _ past: PastStores.States?
    ) {
        let written = entry.changes.first { $0.after != nil }?.address
        let sources = entry.changes.lazy.flatMap { $0.from + ($0.after == nil ? [$0.address] : []) }.map(\.entry)
        step =
            known
            ?? Step(
                id: entry.step, title: entry.step, sources: OrderedSet(sources).elements, targetKey: written?.key,
                target: written, rule: entry.changes.first?.rule ?? "", reversibility: .beforeImage, run: { _, _ in })
        claims = OrderedSet(sources + entry.changes.map(\.address.entry)).elements
        (status, outcome, changes, found) = (.applied, Outcome(.unchanged), entry.changes, entry.found)
        (sketch, conflict, left, asked, reads, self.past) = ([], nil, [], [], [], past)
        (lostElsewhere, lostHere) = Self.lost(of: found, in: dump)
        self.entry = entry
        otherProfile = entry.profile == profile.id ? nil : entry.profile
        standingProfile = otherProfile
        (isDeparted, isFormer, self.isTwin, self.isOwn) = (false, true, isTwin, isOwn)
    }

    /// What it finds where something of the user's is lost with that, or means something else: whoever made it has lost it.
    package var foundLosses: [Change] { found.filter(\.losesMeaning) }

    /// What it changes, or would but for a name that nobody has given, and what it finds lost.
    package var shownChanges: [Change] { (changes.isEmpty ? sketch : changes) + foundLosses }

    /// What it counts as: where a part was left when it was applied, it has failed.
    package var countedKind: Outcome.Kind {
        outcome.kind == .unchanged && outcome.isPartial ? .failed : outcome.kind
    }

    /// Whether it does the same as another, lacks the same for it and finds the same, whatever they say of it.
    package func doesSame(as other: PlannedStep) -> Bool {
        let (old, new) = (other.outcome, outcome)
        guard old.kind == new.kind, old.reason?.code == new.reason?.code,
            old.reason?.missingFacts == new.reason?.missingFacts
        else { return false }
        func all(_ step: PlannedStep) -> [[Change]] {
            [step.changes, step.sketch, step.found, [step.conflict].compactMap(\.self)]
        }
        return zip(all(self), all(other)).allSatisfy { $0.elementsEqual($1, by: { $0.doesSame(as: $1) }) }
    }

    /// The step's name; of one that the plan has from the ledger alone, where it has another of that name, with the number of the
    /// entry behind it: `user-id#3`.
    public var id: String { isTwin ? step.id + (entry.map { "#\($0.number)" } ?? "") : step.id }

    /// Whether only the ledger knows a step of its name and profile.
    package var isUnknown: Bool { isFormer && !isOwn && otherProfile == nil }

    /// The profile that it is told of: the one that it was applied in where that is another one, else the plan's.
    package func profile(in plan: Plan) -> String { otherProfile ?? plan.profile.id }

    /// What the reason of its outcome may quote.
    package var quoted: [Address] { step.quoted(by: outcome, leaving: left) }

    /// The entries, or parts of them, that the step's values are made from, or would be but for a conflict, or were to be where
    /// they stand already.
    package var used: [Address] {
        let changes = shownChanges + [conflict].compactMap(\.self)
        return (changes.isEmpty ? found : changes).flatMap(\.from)
    }

    /// Where the step writes; where it has been applied, where it wrote, whatever the facts say now.
    public var target: Address? {
        guard let entry, outcome.kind != .migrates else { return step.target }
        let written = entry.changes.lazy.filter { $0.after != nil }.map(\.address)
        return written.first { $0.key == step.targetKey } ?? written.first ?? step.target
    }

    /// The rule; of a step that was applied by another, or in another profile, that.
    package var rule: String {
        let applied =
            (isDeparted || otherProfile != nil) && outcome.kind == .unchanged ? entry?.changes.first?.rule : nil
        return applied ?? step.rule
    }

    /// That it was applied by another rule, in a sentence.
    package var departure: String? {
        guard isDeparted else { return nil }
        return
            "it was applied by other rules: by those of now (\(step.rule)) it would make something else; roll it back "
            + "to apply it anew"
    }

    /// That it was applied in another profile, or that only the ledger knows it, in a sentence.
    package var appliedOtherwise: String? {
        if isFormer {
            if let otherProfile {
                return "it stands as the profile \(otherProfile) has made it; the profile in view "
                    + (isOwn ? "does something else" : "does not have it")
            }
            return isOwn
                ? "it was applied more than once, and this stands too"
                : "it stands as earlier rules have made it; those of now do not have it"
        }
        return standingProfile.map { profile in
            otherProfile == nil
                ? "the profile \(profile) has applied it differently, and that stands; in the profile in view it is not applied"
                : "it stands as the profile \(profile) has made it; in the profile in view it is not applied"
        }
    }

    /// What becomes of the user's values in this step.
    public var effects: EffectCounts { EffectCounts(changes) }
}

/// Something in which a plan differs from what steps of its migration were applied with, so that the next ones would go
/// elsewhere.
public enum Departure: Hashable, Sendable {
    /// Steps were applied in another profile.
    case profile(applied: String)
    /// Steps were applied with another value of a fact, or with one that is not known now.
    case fact(FactName, applied: Fact, now: Fact?)
    /// Steps were applied by other rules: as the migration is now, they would make something else of the same.
    case steps([String])
    /// Steps were applied that the migration, as it is now, does not have.
    case formerSteps([String])

    /// Whether both say the same, wherever the facts are from.
    private func isLike(_ other: Departure) -> Bool {
        switch (self, other) {
        case (.profile(let name), .profile(let other)): name == other
        case (.fact(let name, let applied, _), .fact(let other, let otherApplied, _)):
            name == other && applied.hasSameValue(as: otherApplied)
        default: false
        }
    }

    /// How a plan differs from the steps of its migration that stand; each difference once, in the order of the ledger.
    static func all(
        from history: History, migration: any Migration, profile: Profile, _ planner: Planner
    ) -> [Departure] {
        var departures: [Departure] = []
        let facts = planner.facts
        for entry in history.standing where entry.migration == migration.id {
            let isOther = entry.profile != profile.id && migration.profiles.contains { $0.id == entry.profile }
            var found: [Departure] = isOther ? [.profile(applied: entry.profile)] : []
            // Whatever else was known when a step was applied makes nothing of it other, and one that is no more asks for nothing.
            let asked = planner.step(named: entry.step)?.facts ?? []
            for name in migration.facts.map(\.name) {
                guard asked.contains(name), let applied = entry.facts[name],
                    facts[name].map(applied.hasSameValue) != true
                else { continue }
                found.append(.fact(name, applied: applied.recorded(in: entry.number), now: facts[name]))
            }
            departures += found.filter { !departures.contains(where: $0.isLike) }
        }
        return departures
    }
}

/// A profile that a migration does not have.
public struct UnknownProfile: Error, Hashable, Sendable, CustomStringConvertible {
    /// The migration's name.
    public let migration: String
    /// The name that was given.
    public let name: String
    /// The names that there are.
    public let known: [String]

    /// What there is instead.
    public var description: String {
        "\(migration) has no profile “\(name)”; it has \(known.joined(separator: ", "))"
    }
}

extension Migration {
    /// The profile to plan with: the named one, else that of the last step that stands, else the migration's first.
    ///
    /// - Throws: ``UnknownProfile`` where the migration does not have the named one.
    public func profile(named name: String?, history: History = History()) throws(UnknownProfile) -> Profile {
        if let name {
            guard let named = profiles.first(where: { $0.id == name }) else { throw unknown(name) }
            return named
        }
        let last = history.lastStanding(of: id)?.profile
        guard let profile = profiles.first(where: { $0.id == last }) ?? profiles.first else { throw unknown("") }
        return profile
    }

    private func unknown(_ name: String) -> UnknownProfile {
        UnknownProfile(migration: id, name: name, known: profiles.map(\.id))
    }
}

/// An entry that two migrations would each make something else of.
public struct Collision: Hashable, Sendable {
    /// The entry.
    public let address: Address
    /// The names of the migrations, in the order of their plans.
    public let migrations: [String]
}

extension Plan {
    /// The entries that several plans of one dump would leave in different states, in the order of the first plan's steps.
    public static func collisions(among plans: [Plan]) -> [Collision] {
        let results = plans.map { plan in
            // Of several changes of an entry the last one counts.
            Dictionary(plan.pending.flatMap(\.changes).map { ($0.address, $0.after) }, uniquingKeysWith: { $1 })
        }
        var seen: Set<Address> = []
        return plans.flatMap { $0.pending.flatMap(\.changes) }.compactMap { change in
            let touching = plans.indices.filter { results[$0].keys.contains(change.address) }
            guard touching.count > 1, Set(touching.map { results[$0][change.address] }).count > 1,
                seen.insert(change.address).inserted
            else { return nil }
            return Collision(address: change.address, migrations: touching.map { plans[$0].migration })
        }
    }
}
