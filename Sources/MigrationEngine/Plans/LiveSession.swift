import StoreFormats

/// A ledger that knows how far its entries are in the stores, so that it is the journal of a ``LiveSession``.
public protocol LiveLedger: Ledger {
    /// The number of the last entry whose changes, and those of all before it, are in the stores; 0 where none is.
    func settled() throws -> Int
    /// Notes that the changes of every entry up to a number are in the stores.
    mutating func settle(_ number: Int) throws
}

/// Live stores and the ledger that is their journal: plan, apply, roll back.
///
/// It does what ``MigrationSession`` does on a dump, and in one place: it plans, appends an entry for each step, commits
/// the changes of all of them at once, and notes that this is done. Opening it again finishes what was interrupted in
/// between. What the app has changed since is seen as it is, and never overwritten.
public struct LiveSession<Stores: StoreWriter, Log: LiveLedger>: Sendable {
    /// The stores, with what has been done.
    public private(set) var stores: Stores
    /// The ledger.
    public private(set) var ledger: Log
    /// What the ledger amounts to.
    public private(set) var history: History

    /// What becomes of interrupted entries of which nothing tells any more whether their changes were made, as the app has
    /// written over all of them.
    public enum Overwritten: Sendable {
        /// They count as made, and stand.
        case made
        /// They count as never made, and the ledger says that they are taken back.
        case neverMade
    }

    /// Opens stores with their ledger, and finishes what was interrupted; where the app has written there since, and the
    /// rest shows that it was never made, it is given up, and the ledger says so.
    ///
    /// - Parameter overwritten: What becomes of entries where nothing shows whether they were made; without it that is an
    ///   error. The stores stay as they are with either.
    /// - Throws: what the ledger or the stores throw, or ``LiveSessionError``, such as where an entry cannot be read now.
    public init(stores: Stores, ledger: Log, taking overwritten: Overwritten? = nil) throws {
        self.stores = stores
        self.ledger = ledger
        history = History(try ledger.entries())
        try finish(overwritten)
    }

    // MARK: Looking

    /// What each step of a migration does now, or each of the chosen ones.
    ///
    /// - Parameter assuming: Whether steps may rest on facts that nobody has said; else they are blocked.
    /// - Throws: ``Unreadable`` where there may be stores that are not listed: a step that finds nothing could not tell.
    public func plan(
        _ migration: any Migration, profile: Profile, facts: Facts, selecting selection: StepSelection = .all,
        assuming: Bool = true
    ) throws(Unreadable) -> Plan {
        if let problem = stores.problem { throw problem }
        let origin = origin(of: migration)
        let planner = Planner(
            migration, profile: profile, facts: facts, stores: origin, origin: origin, history: history)
        let previews = planner.choose(selection, on: stores, assuming: assuming, check: {})
        return Plan(migration, profile, planner, previews, stores: origin, history: history)
    }

    /// The stores without what the standing steps of a migration have done.
    private func origin(of migration: any Migration) -> Overlay {
        var origin = Overlay(stores)
        for entry in history.standing.reversed() where entry.migration == migration.id {
            for change in entry.changes.reversed() { origin.apply(change.inverse) }
        }
        return origin
    }

    // MARK: Changing

    /// Takes the steps of a plan that have something to do: each becomes an entry of the ledger, and the very changes that
    /// the plan shows are made as one.
    ///
    /// - Returns: The new entries in order.
    /// - Throws: ``LiveSessionError``, or what the stores throw: then nothing has changed. What the ledger throws: then
    ///   the steps before that stand.
    @discardableResult
    public mutating func apply(_ plan: Plan, stamp: LedgerEntry.Stamp) throws -> [LedgerEntry] {
        try finish()
        let entries = plan.pending.enumerated().map { index, planned in
            LedgerEntry(
                number: history.nextNumber + index, event: .applied, stamp: stamp, migration: plan.migration,
                profile: plan.profile.id, step: planned.id, changes: planned.changes,
                found: planned.found, facts: plan.facts.recorded(for: planned.step))
        }
        try perform(entries)
        return entries
    }

    /// Takes one step that is plain code, and of no ``Migration``.
    ///
    /// - Returns: What it did; its changes are made where that is `migrates`.
    /// - Throws: as ``apply(_:stamp:)`` does.
    @discardableResult
    public mutating func take(
        _ step: Step, of migration: String, facts: Facts = Facts(), stamp: LedgerEntry.Stamp
    ) throws -> Outcome {
        try finish()
        let preview = step.preview(on: stores, origin: stores, facts: facts)
        guard preview.outcome.kind == .migrates else { return preview.outcome }
        let entry = LedgerEntry(
            number: history.nextNumber, event: .applied, stamp: stamp, migration: migration, profile: "", step: step.id,
            changes: preview.changes, facts: facts.recorded(for: step))
        try perform([entry])
        return preview.outcome
    }

    /// Takes standing steps back, the last one first: each becomes an entry with the inverse changes, and all of them are
    /// made as one.
    ///
    /// - Returns: The new entries in order.
    /// - Throws: ``RollbackError``; ``LiveSessionError/changedMeanwhile(_:)`` where an entry does not hold what the step
    ///   left there: what the app wrote since is not thrown away.
    @discardableResult
    public mutating func rollback(_ target: RollbackTarget, stamp: LedgerEntry.Stamp) throws -> [LedgerEntry] {
        try finish()
        let keep = try target.kept(of: history.standing)
        let entries = undoing(history.standing.dropFirst(keep), stamp)
        try perform(entries)
        return entries
    }

    /// The entries that undo others, the last one first: a step is taken back, and one that was taken back stands again.
    private func undoing(
        _ entries: some BidirectionalCollection<LedgerEntry>, _ stamp: LedgerEntry.Stamp
    ) -> [LedgerEntry] {
        entries.reversed().enumerated().map { index, entry in
            var event = LedgerEntry.Event.rolledBack(entry.number)
            var changes = entry.changes.reversed().map(\.inverse)
            if case .rolledBack(let number) = entry.event {
                event = .applied
                changes = history.entries.first { $0.number == number }?.changes ?? changes
            }
            return LedgerEntry(
                number: history.nextNumber + index, event: event, stamp: stamp, migration: entry.migration,
                profile: entry.profile, step: entry.step, changes: changes, facts: entry.facts)
        }
    }

    // MARK: The one way to run

    /// Appends entries, makes their changes as one, and notes that this is done.
    private mutating func perform(_ entries: [LedgerEntry]) throws {
        let changes = Self.merged(entries)
        let lost = changes.filter { if case .unreadable = $0.before { true } else { false } }.map(\.address)
        guard lost.isEmpty else { throw LiveSessionError.irreversible(lost) }
        try stores.check(changes)
        do {
            for entry in entries { try append(entry) }
        } catch {
            // What the ledger holds counts.
            try finish()
            throw error
        }
        do {
            try stores.commitChecked(changes)
        } catch {
            // Where it cannot be known what the stores hold, it stays for the next opening.
            if changes.allSatisfy({ stores.state(at: $0.address) == $0.before }) { try abandon(entries) }
            throw error
        }
        if let last = entries.last { try ledger.settle(last.number) }
    }

    private mutating func append(_ entry: LedgerEntry) throws {
        try ledger.append(entry)
        history.append(entry)
    }

    /// Undoes entries of which the stores have nothing.
    private mutating func abandon(_ entries: [LedgerEntry]) throws {
        guard let stamp = entries.first?.stamp else { return }
        for entry in undoing(entries, stamp) { try append(entry) }
        try ledger.settle(history.entries.last?.number ?? 0)
    }

    /// Makes the changes of entries that are not certainly in the stores, as far as they are not there.
    ///
    /// Changes are made as one. So where an entry is neither what it was nor what it should become, because the app has
    /// written there since, the others tell whether they were made before that; where they were not, they never are.
    ///
    /// - Throws: ``LiveSessionError/unreadable(_:_:)`` or ``LiveSessionError/undecided(_:)`` where it cannot be told.
    private mutating func finish(_ overwritten: Overwritten? = nil) throws {
        let settled = try ledger.settled()
        guard let last = history.entries.last?.number, last > settled else { return }
        let unsettled = history.entries.filter { $0.number > settled }
        var pending: [Change] = [], made: [Change] = [], rewritten: [Address] = []
        for change in Self.merged(unsettled) {
            switch stores.state(at: change.address) {
            case change.result: made.append(change)
            case change.before: pending.append(change)
            case .unreadable(let reason): throw LiveSessionError.unreadable(change.address, reason)
            default: rewritten.append(change.address)
            }
        }
        if !rewritten.isEmpty, made.isEmpty, pending.isEmpty {
            guard let overwritten else { throw LiveSessionError.undecided(rewritten) }
            if overwritten == .made { return try ledger.settle(last) }
        } else if rewritten.isEmpty || pending.isEmpty {
            if rewritten.isEmpty { try stores.commitChecked(pending) }
            return try ledger.settle(last)
        }
        // Stores that broke their promise have made some of them.
        try stores.commitChecked(made.reversed().map(\.inverse))
        let undone = Set(unsettled.compactMap { if case .rolledBack(let number) = $0.event { number } else { nil } })
        let numbers = Set(unsettled.map(\.number))
        try abandon(
            unsettled.filter { entry in
                if case .rolledBack(let number) = entry.event { return !numbers.contains(number) }
                return !undone.contains(entry.number)
            })
    }

    /// The changes of several entries as one for each address, from first to last.
    private static func merged(_ entries: [LedgerEntry]) -> [Change] {
        var merged: [Change] = [], places: [Address: Int] = [:]
        for change in entries.lazy.flatMap(\.changes) {
            if let place = places[change.address] {
                let before = merged[place].before
                merged[place] = change
                merged[place].before = before
            } else {
                places[change.address] = merged.count
                merged.append(change)
            }
        }
        return merged.filter { $0.before != $0.result }
    }
}

/// Why live stores were not changed.
public enum LiveSessionError: Error, Sendable, CustomStringConvertible {
    /// Entries are not what they were when the changes were planned; nothing has changed.
    case changedMeanwhile([Address])
    /// An entry cannot be read, so that it is not known whether it is what it was; nothing has changed.
    case unreadable(Address, Unreadable)
    /// Taking steps was interrupted, and the app has written over all that they would have changed, so that nothing tells
    /// whether they were taken; nothing has changed.
    case undecided([Address])
    /// Entries that cannot be read would be replaced, and could not be put back; nothing has changed.
    case irreversible([Address])
    /// The stores failed in the middle although they promise not to, and what they had changed could not be put back.
    case torn(any Error, puttingBack: any Error)

    /// What happened, why, and what the person can do.
    public var description: String {
        switch self {
        case .changedMeanwhile(let addresses):
            "\(Self.list(addresses)) changed meanwhile; nothing is overwritten: plan it again"
        case .unreadable(let address, let reason): "\(address) cannot be read: \(reason.explanation)"
        case .undecided(let addresses):
            "the app has written to \(Self.list(addresses)) after steps were interrupted, so nothing tells whether they were "
                + "taken; open the session saying whether they count as made or as never made"
        case .irreversible(let addresses):
            "\(Self.list(addresses)) cannot be read, so what is there could not be put back; nothing has changed"
        case .torn(let error, let second): "\(error); putting back the old values failed too: \(second)"
        }
    }

    private static func list(_ addresses: [Address]) -> String { addresses.map(\.description).joined(separator: ", ") }
}

extension StoreWriter {
    /// Makes changes where each entry is still what it was when they were planned.
    ///
    /// Stores that broke their promise and changed some of the entries get the old values back.
    ///
    /// - Throws: ``LiveSessionError``, or what the stores throw; but for ``LiveSessionError/torn(_:puttingBack:)`` nothing
    ///   has changed, as far as the stores can be read.
    public mutating func commitChecked(_ changes: [Change]) throws {
        guard !changes.isEmpty else { return }
        try check(changes)
        do {
            try commit(changes)
        } catch {
            let done = changes.filter { $0.before != $0.result && state(at: $0.address) == $0.result }
            guard !done.isEmpty else { throw error }
            do {
                try commit(done.reversed().map(\.inverse))
            } catch let second {
                throw LiveSessionError.torn(error, puttingBack: second)
            }
            throw error
        }
    }

    /// Refuses changes of entries that are not what they were.
    fileprivate func check(_ changes: [Change]) throws(LiveSessionError) {
        for change in changes {
            let found = state(at: change.address)
            if case .unreadable(let reason) = found, found != change.before {
                throw .unreadable(change.address, reason)
            }
        }
        let others = changes.filter { state(at: $0.address) != $0.before }.map(\.address)
        guard others.isEmpty else { throw .changedMeanwhile(others) }
    }
}

extension Change {
    /// What is known of the entry afterwards.
    fileprivate var result: EntryState { EntryState(after) }
}
