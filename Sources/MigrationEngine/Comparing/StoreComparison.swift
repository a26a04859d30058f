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
        let reading = ComparisonReading(before: before, after: after, pairing: pairing)
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
        let reading = ComparisonReading(before: before, after: after, pairing: KeychainPairing())
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

extension EntryState {
    /// What stands under a key that stands more than once; `nil` where it does not.
    package var repetitions: [EntryState]? {
        guard case .unreadable(let reason) = self, reason.cause == .ambiguous, !reason.candidates.isEmpty else {
            return nil
        }
        return reason.candidates
    }

    /// Where the symbolic link points that stands there.
    var link: Name? { if case .unreadable(let reason) = self { reason.link } else { nil } }
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
