import StoreFormats

/// The stores of an app before and after something happened to them, entry by entry, by value and not by bytes; with a
/// migration also beside what it would have made of them.
package struct StoreComparison: Sendable {
    /// How an entry differs.
    package enum Mark: String, Hashable, Sendable, CaseIterable {
        case same, changed, added, removed
        /// It cannot be read on one side or on both, or is over the limits of one answer. Of a link, which is never
        /// followed, all is known that there is: its target.
        case unknown
    }

    /// What became of what a migration would have made.
    package enum Verdict: String, Hashable, Sendable, CaseIterable {
        /// Exactly that came, also where it is that an entry is gone.
        case asPlanned = "as-planned"
        /// Something else came, or what should be gone is there.
        case differs
        /// Nothing came.
        case missing
        /// No step changes the entry, and it differs all the same.
        case notPlanned = "not-planned"
        /// What came cannot be read, or not be compared; or it is not what was planned, and the plan takes for granted that nothing
        /// was where nobody knows.
        case unknown
    }

    /// An entry that differs, or that a step changes.
    package struct Entry: Sendable {
        /// Where it is: before, or where it was not there, after.
        package let address: Address
        /// Where it is after; another place than before only for a keychain item.
        package let addressAfter: Address
        package let before: EntryState
        package let after: EntryState
        /// How the sides differ.
        package let mark: Mark
        /// How both hold the same value in different forms; `nil` where they do not.
        package let forms: Likeness?
        /// What the migration would have made of the entry, by its last change; `nil` where no step changes it.
        package var planned: Planned?
        /// What came of that; `nil` where there is no migration, or nothing to say of this entry: no step changes it, and
        /// it is the same, or can be read on neither side.
        package var verdict: Verdict?
        /// How what was planned and what came are alike; `nil` where one of them is not there.
        package var likeness: Likeness?
        /// A step that would write here and does not: it waits, or has failed.
        package var idle: PlannedStep?
        /// Whether what the migration makes of it, or that it makes nothing, rests on what is taken for granted of the stores before.
        package var isPresumed = false
    }

    /// What a migration would have made of an entry.
    package struct Planned: Sendable {
        /// The names of the steps that change it, in order.
        package var steps: [String]
        /// What would be there; `nil` is nothing.
        package var value: Value?
        /// The entries that it would be made from, with what was there before.
        package var sources: [(address: Address, state: EntryState)]
        /// The parts that a default would make up.
        package var placeholders: [JSONPointer]
        /// The facts that it rests on, and that nobody has said.
        package var guesses: [FactName]
    }

    /// A store of which nothing, or not all, is known on one side.
    package struct UnreadableStore: Sendable {
        package let store: StoreID
        package let before: Unreadable?
        package let after: Unreadable?
        /// Whether its entries are compared as far as they can be listed.
        package let isInPart: Bool
    }

    /// The plan on the stores before; `nil` without a migration.
    package private(set) var plan: Plan?
    /// The entries that differ, or that a step changes: these first, in the order of the steps.
    package private(set) var entries: [Entry] = []
    /// The entries that are the same on both sides, and that no step changes.
    package private(set) var same: [Address] = []
    /// The stores that cannot be read on one side, whose entries are not compared one by one, and those of which not all
    /// entries can be listed, which are compared as far as they go.
    package private(set) var unreadableStores: [UnreadableStore] = []

    /// Compares stores.
    ///
    /// Of a SQLite file whose tables are stores the rows are compared and not the bytes. Keychain items are paired by what
    /// they are, as ``KeychainPairing`` says.
    ///
    /// - Parameters:
    ///   - migration: The migration, with its profile, that was to make the one of the other.
    ///   - ground: What it is planned on, which may take for granted that nothing was where `before` says that nobody knows.
    ///   - facts: The facts that were given; the stores before complete them, and those after tell what these do not.
    package init(
        _ before: any StoreReader, _ after: any StoreReader,
        with migration: (migration: any Migration, profile: Profile)? = nil, on ground: (any StoreReader)? = nil,
        facts: Facts = Facts()
    ) {
        var order: [Address] = [], planned: [Address: Planned] = [:], presumed: [PlannedStep] = []
        if let (migration, profile) = migration {
            let ground = ground ?? before
            let plan = Plan(
                of: migration, profile: profile, facts: Self.facts(of: migration, profile, ground, after, given: facts),
                stores: ground, history: History(), check: {})
            (order, planned) = Self.planned(plan, ground)
            presumed = Self.presumed(plan, of: migration, ground, before)
            self.plan = plan
        }
        let pairing = KeychainPairing(before, after, planned: order.map { ($0, planned[$0]?.value) })
        let reading = Reading(before: before, after: after, pairing: pairing)
        let presumedNames = Set(presumed.map(\.id)), presumedPlaces = Set(presumed.flatMap(\.claims))
        let made = Set(order)
        for address in order {
            guard let planned = planned[address], var entry = reading.entry(address, planned) else { continue }
            if !presumedNames.isDisjoint(with: planned.steps), [.differs, .missing].contains(entry.verdict) {
                (entry.verdict, entry.isPresumed) = (.unknown, true)
            }
            entries.append(entry)
        }
        let idle = plan.map(Self.idleTargets) ?? [:]
        let stores = before.stores + after.stores
        let tables = Self.files(behind: stores, before, after)
        var seenStores: Set<StoreID> = []
        for store in stores where seenStores.insert(store).inserted {
            let listings = [before.keys(in: store), after.keys(in: store)]
            if let unreadable = UnreadableStore(store, before, after) {
                // Of a link there is no more to know than its target.
                if let link = unreadable.before?.link, link == unreadable.after?.link {
                    same.append(Address(store: store))
                    continue
                }
                // An item may be known by what it is where its store is not.
                guard pairing.holdsItems(of: store, listings) else {
                    unreadableStores.append(unreadable)
                    continue
                }
            }
            // What is missing from both lists is not the same on both sides.
            if let cut = UnreadableStore(
                store, listings[0].problem(under: ""), listings[1].problem(under: ""), isInPart: true)
            {
                unreadableStores.append(cut)
            }
            var seen: Set<Address> = []
            for (side, keys) in listings.enumerated() {
                for position in 0..<keys.count {
                    let key = keys.key(at: position), address = Address(store: store, key: key)
                    if side == 1, store.kind == .keychain {
                        // What is paired is told where it was before; another item may have stood at its place then.
                        guard pairing.place(before: address) == nil else { continue }
                    } else {
                        guard seen.insert(address).inserted, !made.contains(address) else { continue }
                    }
                    if tables.contains(address), listings.allSatisfy({ $0.contains(key) }) { continue }
                    guard var entry = reading.entry(address, nil, isAdded: side == 1) else { continue }
                    if entry.mark == .same, entry.forms == nil, entry.address == entry.addressAfter {
                        same.append(address)
                        continue
                    }
                    if plan != nil {
                        entry.verdict = entry.unplannedVerdict
                        entry.idle = idle[address]
                        if entry.verdict == .notPlanned,
                            presumedPlaces.contains(address)
                                || presumed.contains(where: { $0.step.mayWrite(address, in: before, made: made) })
                        {
                            (entry.verdict, entry.isPresumed) = (.unknown, true)
                        }
                    }
                    entries.append(entry)
                }
            }
        }
    }

    /// Compares two layers of changes over the same stores: only what one of them changes can differ, and only that is read.
    package init(of before: Overlay, and after: Overlay) {
        let reading = Reading(before: before, after: after, pairing: KeychainPairing())
        var seen: Set<Address> = []
        for overlay in [after, before] {
            for store in overlay.editedStores {
                for edit in overlay.edits(in: store) {
                    let address = Address(store: store, key: edit.key)
                    guard seen.insert(address).inserted, let entry = reading.entry(address, nil),
                        entry.mark != .same || entry.forms != nil
                    else { continue }
                    entries.append(entry)
                }
            }
        }
    }

    /// How many entries differ in which way; those that are the same in another form count as the same.
    package var marks: [Mark: Int] {
        // What was planned and is on neither side is not the same on both.
        let there = entries.filter { $0.before != .absent || $0.after != .absent }
        var counts = Dictionary(there.map { ($0.mark, 1) }, uniquingKeysWith: +)
        counts[.same, default: 0] += same.count
        return counts
    }

    /// What came of how many entries.
    package var verdicts: [Verdict: Int] {
        Dictionary(entries.compactMap { entry in entry.verdict.map { ($0, 1) } }, uniquingKeysWith: +)
    }

    // MARK: What was planned

    /// What stands behind the place of a fact that only the stores after tell.
    package static let afterUpdate = ", after the update"

    /// The facts: what the stores before tell, and where they tell nothing, those after; of those for which any new value will
    /// do what the update has drawn.
    private static func facts(
        of migration: any Migration, _ profile: Profile, _ before: any StoreReader, _ after: any StoreReader,
        given: Facts
    ) -> Facts {
        var given = given
        given.draw = nil
        var known = migration.factsKnown(in: before, given: given)
        let told = migration.factsKnown(in: after, given: given)
        for name in told.names {
            guard let fact = told[name], case .inferred(let place) = fact.source else { continue }
            switch known[name]?.source {
            case nil where known.rivals[name] == nil, .assumed:
                known[name] = Fact(fact.value, from: .inferred(place + Self.afterUpdate))
            default: break
            }
        }
        let draw = FactDraw(for: Name(known[.bundleIdentifier]?.value ?? migration.id))
        var drawn: [FactName: String] = [:]
        for fact in migration.facts where fact.isFresh && known[fact.name] == nil && known.rivals[fact.name] == nil {
            known[fact.name] = draw.fact(fact.name)
            drawn[fact.name] = known[fact.name]?.value
        }
        guard !drawn.isEmpty else { return known }
        // Another draw than that of the update would only differ from it: where what came has one, that is it.
        let plan = Plan(
            of: migration, profile: profile, facts: known, stores: before, history: History(), check: {})
        let changes = plan.steps.filter { $0.outcome.kind == .migrates }.flatMap(\.changes)
        for (name, value) in drawn {
            guard let found = DrawnText(value).found(in: changes, before, after) else { continue }
            known[name] = Fact(found.text, from: .inferred("\(found.address)" + Self.afterUpdate))
        }
        return known
    }

    /// What the steps make of entries, by the last change of each, in the order of the first ones.
    private static func planned(
        _ plan: Plan, _ before: any StoreReader
    ) -> (order: [Address], planned: [Address: Planned]) {
        var order: [Address] = [], planned: [Address: Planned] = [:]
        for step in plan.steps where step.outcome.kind == .migrates {
            for change in step.changes {
                let sources = change.from.filter { $0 != change.address }.map { ($0, before.state(at: $0)) }
                let earlier = planned[change.address]
                if earlier == nil { order.append(change.address) }
                planned[change.address] = Planned(
                    steps: (earlier?.steps ?? []) + [step.id], value: change.after,
                    sources: sources.isEmpty ? earlier?.sources ?? [] : sources, placeholders: change.placeholders,
                    guesses: plan.guesses(of: step))
            }
        }
        return (order, planned)
    }

    /// The steps that have looked into stores of which the ground takes for granted that nothing is there, and do something else
    /// without that, and those that have read what these write, or would.
    private static func presumed(
        _ plan: Plan, of migration: any Migration, _ ground: any StoreReader, _ before: any StoreReader
    ) -> [PlannedStep] {
        let asked = plan.steps.map(\.storesAsked)
        let stores = asked.reduce(into: Set<StoreID>()) { $0.formUnion($1) }
            .filter { before.problem(with: $0) != nil && ground.problem(with: $0) == nil }
        if stores.isEmpty { return [] }
        // One that has only looked around there does the same.
        let without = Plan(
            of: migration, profile: plan.profile, facts: plan.facts, stores: before, history: History(), check: {})
        let unassumed = Dictionary(without.steps.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let made = Set(plan.steps.flatMap(\.changes).map(\.address))
        var written: Set<Address> = [], open: [Step] = []
        func isDoubtful(_ entry: Address) -> Bool {
            written.contains(entry) || open.contains { $0.mayWrite(entry, in: before, made: made) }
        }
        return zip(plan.steps, asked).filter { step, asked in
            let rests = !asked.isDisjoint(with: stores) && !(unassumed[step.id].map(step.doesSame) ?? false)
            guard rests || step.reads.contains(where: { isDoubtful($0.entry) }) else { return false }
            if step.step.others != nil { open.append(step.step) }
            written.formUnion(step.shownChanges.map(\.address.entry))
            written.formUnion([step.conflict?.address, step.step.target].compactMap { $0?.entry })
            return true
        }.map(\.0)
    }

    /// The entries that steps would write which do nothing.
    private static func idleTargets(_ plan: Plan) -> [Address: PlannedStep] {
        var targets: [Address: PlannedStep] = [:]
        for step in plan.steps where step.outcome.kind != .migrates && step.outcome.kind != .unchanged {
            guard let target = step.conflict?.address ?? step.step.target, targets[target.entry] == nil else {
                continue
            }
            targets[target.entry] = step
        }
        return targets
    }

    /// The files whose rows are compared, and what SQLite keeps beside them.
    private static func files(
        behind stores: [StoreID], _ before: any StoreReader, _ after: any StoreReader
    ) -> Set<Address> {
        var files: Set<Address> = []
        for store in stores where store.kind == .sqlite {
            guard let table = SQLiteTable(store), table.table != nil, before.problem(with: store) == nil,
                after.problem(with: store) == nil
            else { continue }
            for suffix in ["", "-wal", "-shm", "-journal"] {
                files.insert(Address(store: .files(table.folder), key: table.file + suffix))
            }
        }
        return files
    }
}

extension StoreComparison.Entry {
    /// What is to be said of it beside a plan that does not change it.
    fileprivate var unplannedVerdict: StoreComparison.Verdict? {
        switch mark {
        case .same where forms == nil: nil
        case .unknown where before.value == nil && before != .absent && after.value == nil && after != .absent: nil
        case .unknown: .unknown
        default: .notPlanned
        }
    }
}

extension Step {
    /// Whether it may write an entry that its plan does not say it writes, as it finds other things than the plan takes for
    /// granted.
    ///
    /// - Parameters:
    ///   - stores: The stores before the first step.
    ///   - made: What the steps of the plan change: the rest stands as it is there when this one comes to it.
    fileprivate func mayWrite(_ entry: Address, in stores: any StoreReader, made: Set<Address>) -> Bool {
        guard let others, others(entry) else { return false }
        return !leavesOthers || made.contains(entry) || stores.state(at: entry) == .absent
    }
}

extension EntryState {
    /// What stands under a key that stands more than once; `nil` where it does not.
    package var repetitions: [EntryState]? {
        guard case .unreadable(let reason) = self, reason.cause == .ambiguous, !reason.candidates.isEmpty else {
            return nil
        }
        return reason.candidates
    }

    /// Where the symbolic link points that stands there.
    fileprivate var link: Name? { if case .unreadable(let reason) = self { reason.link } else { nil } }
}

extension StoreComparison.UnreadableStore {
    fileprivate init?(_ store: StoreID, _ before: any StoreReader, _ after: any StoreReader) {
        self.init(store, before.problem(with: store), after.problem(with: store), isInPart: false)
    }

    /// `nil` where there is nothing wrong on either side.
    fileprivate init?(_ store: StoreID, _ before: Unreadable?, _ after: Unreadable?, isInPart: Bool) {
        if before == nil, after == nil { return nil }
        (self.store, self.before, self.after, self.isInPart) = (store, before, after, isInPart)
    }
}

/// Whether an export of a keychain tells when its items can be read, as not every form of one does.
///
/// Items are read for it only once two differ in nothing else.
private final class AccessTelling {
    private let stores: any StoreReader
    /// How many items of each service are looked at.
    private static let most = 100

    init(_ stores: any StoreReader) { self.stores = stores }

    private(set) lazy var isTold = stores.stores.lazy.filter { $0.kind == .keychain }.contains { store in
        let keys = stores.keys(in: store)
        return (0..<keys.count(upTo: Self.most)).contains { position in
            let state = stores.state(of: keys.key(at: position), in: store)
            return state.value.flatMap { KeychainItem($0) }?.attributes["pdmn"] != nil
        }
    }
}

/// Both sides while they are read, with one budget for all that is decoded.
private struct Reading {
    let before: any StoreReader
    let after: any StoreReader
    let pairing: KeychainPairing
    let budget = DecodingBudget()
    /// Whether each side tells when its items can be read.
    private let tellsAccess: (before: AccessTelling, after: AccessTelling)

    init(before: any StoreReader, after: any StoreReader, pairing: KeychainPairing) {
        (self.before, self.after, self.pairing) = (before, after, pairing)
        tellsAccess = (AccessTelling(before), AccessTelling(after))
    }

    /// An entry on both sides; `nil` where it is on neither and nothing was planned.
    ///
    /// - Parameter isAdded: Whether it is the address of an entry that only the stores after have.
    func entry(
        _ address: Address, _ planned: StoreComparison.Planned?, isAdded: Bool = false
    ) -> StoreComparison.Entry? {
        let (old, new, place) = sides(of: address, isPlanned: planned != nil, isAdded: isAdded)
        guard planned != nil || old != .absent || new != .absent else { return nil }
        let likeness = self.likeness(old, new)
        var entry = StoreComparison.Entry(
            address: address, addressAfter: place, before: old, after: new,
            mark: markOfRepetitions(old, new, in: address.store) ?? mark(old, new, likeness),
            forms: forms(old, new, likeness))
        guard let planned else { return entry }
        entry.planned = planned
        entry.likeness = self.likeness(EntryState(planned.value), new, isPlanned: true)
        entry.verdict =
            switch (planned.value, new) {
            case (_, .unreadable): .unknown
            case (nil, .absent): .asPlanned
            case (nil, .present): .differs
            case (.some, .absent): .missing
            case (.some, .present):
                switch entry.likeness {
                case .same: .asPlanned
                case .unknown: .unknown
                default: .differs
                }
            }
        return entry
    }

    /// How two states hold the same value in different forms; `nil` where they do not.
    private func forms(_ old: EntryState, _ new: EntryState, _ likeness: Likeness?) -> Likeness? {
        switch likeness {
        case .otherForm: return likeness
        case .same:
            let held = [old, new].map { state in
                state.value.flatMap { KeychainItem($0).map { .data($0.data) } ?? $0 } ?? .null
            }
            return held[0].numberForms(beside: held[1], within: budget)
        case .different, .unknown, nil: return nil
        }
    }

    /// What is known of an entry before and after, and where it is after.
    private func sides(
        of address: Address, isPlanned: Bool, isAdded: Bool
    ) -> (before: EntryState, after: EntryState, place: Address) {
        guard let key = address.key, address.store.kind == .keychain else {
            return (before.state(at: address), after.state(at: address), address)
        }
        func unlisted(_ stores: any StoreReader, isTaken: Bool) -> EntryState {
            isTaken ? stores.stateOfUnlisted(beside: key, in: address.store) : stores.state(at: address)
        }
        if isAdded {
            let old = unlisted(before, isTaken: pairing.isTaken(before: address))
            return (old, after.state(at: address).ofItemAlone, address)
        }
        // What a step reads, and what an app finds, is one of several items of one name, and not known which.
        let old = isPlanned ? before.state(at: address) : before.state(at: address).ofItemAlone
        guard let place = pairing.place(after: address) else {
            return (old, unlisted(after, isTaken: pairing.isTaken(after: address)), address)
        }
        if isPlanned { return (old, after.state(at: pairing.firstRival(of: place) ?? place), place) }
        return (old, after.state(at: place).ofItemAlone, place)
    }

    /// How the values differ that stand under one key of a property list on both sides, one by one in their order; `nil`
    /// where not both sides have several.
    private func markOfRepetitions(_ old: EntryState, _ new: EntryState, in store: StoreID) -> StoreComparison.Mark? {
        guard store.kind == .defaults, let left = old.repetitions, let right = new.repetitions else { return nil }
        guard left.count == right.count else { return .changed }
        let marks = zip(left, right).map { mark($0, $1, likeness($0, $1)) }
        if let changed = marks.first(where: { $0 != .same && $0 != .unknown }) { return changed }
        return marks.contains(.unknown) || left.count == Unreadable.candidateLimit ? .unknown : .same
    }

    private func mark(_ old: EntryState, _ new: EntryState, _ likeness: Likeness?) -> StoreComparison.Mark {
        // Of a link its target is all that there is.
        if let left = old.link, let right = new.link { return left == right ? .same : .changed }
        switch (old, new) {
        case (.absent, .absent): return .same
        case (.absent, .present): return .added
        case (.present, .absent): return .removed
        case (.absent, _) where new.link != nil: return .added
        case (_, .absent) where old.link != nil: return .removed
        case (.present, _) where new.link != nil: return .changed
        case (_, .present) where old.link != nil: return .changed
        case (.unreadable, _), (_, .unreadable): return .unknown
        case (.present, .present):
            return switch likeness {
            case .same, .otherForm, nil: .same
            case .different: .changed
            case .unknown: .unknown
            }
        }
    }

    /// How alike two states are; `nil` where one has no value.
    ///
    /// - Parameter isPlanned: Whether the first is what a step makes: when its item can be read is left open where it does not say.
    private func likeness(_ left: EntryState, _ right: EntryState, isPlanned: Bool = false) -> Likeness? {
        guard let left = left.value, let right = right.value else { return nil }
        guard let old = KeychainItem(left), let new = KeychainItem(right) else {
            return left.likeness(to: right, within: budget)
        }
        // Exports differ in which attributes they have; these say who may read an item, and when.
        for name: Name in ["pdmn", "agrp"] {
            switch (old.attributes[name], new.attributes[name]) {
            case (let one?, let other?): if one != other { return .different }
            case (nil, _?): if name == "pdmn", !isPlanned, tellsAccess.before.isTold { return .different }
            case (_?, nil): if name == "pdmn", tellsAccess.after.isTold { return .different }
            case (nil, nil): break
            }
        }
        return Value.data(old.data).likeness(to: .data(new.data), within: budget)
    }
}
