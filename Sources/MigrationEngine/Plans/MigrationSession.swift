import StoreFormats

/// Stores that are never changed, and a ledger of what would be done to them: plan, apply, roll back.
///
/// What is seen is the stores with the standing changes of the ledger laid over them. Applying appends to the ledger the
/// very changes that the plan shows, so a preview cannot differ from what is applied.
public struct MigrationSession<Log: Ledger>: Sendable {
    /// The stores as they are.
    public let stores: any StoreReader
    /// The ledger.
    public private(set) var ledger: Log
    /// What the ledger amounts to.
    public private(set) var history: History
    /// What is seen: the stores with every standing change.
    public private(set) var overlay: Overlay

    /// Opens stores with a ledger.
    ///
    /// - Throws: what the ledger throws where it cannot be read.
    public init(stores: any StoreReader, ledger: Log) throws {
        self.stores = stores
        self.ledger = ledger
        history = History(try ledger.entries())
        overlay = history.overlay(on: stores)
    }

    /// What each step of a migration does now.
    public func plan(_ migration: any Migration, profile: Profile, facts: Facts) -> Plan {
        Plan(of: migration, profile: profile, facts: facts, stores: stores, history: history, check: {})
    }

    /// Takes the chosen steps: each that has changes becomes one entry of the ledger.
    ///
    /// - Parameters:
    ///   - origin: What was there before the migration's first step; told from the history where it is `nil`.
    ///   - basis: What an entry says of what its step took in: digests of files by path, and the entries it rests on.
    ///   - isCancelled: Asked before each step is planned and before each is applied.
    /// - Returns: What became of each chosen step, in order; for `next` the one that migrates, or else all
    ///   that are kept from it.
    /// - Throws: what the ledger throws, or `CancellationError`; the steps before that stand.
    @discardableResult
    public mutating func apply(
        _ selection: StepSelection, of migration: any Migration, profile: Profile, facts given: Facts,
        stamp: LedgerEntry.Stamp, assuming: Bool = true, origin: (any StoreReader)? = nil,
        basis: (StepPreview) throws -> (digests: [Name: String], restsOn: Set<Int>) = { _ in ([:], []) },
        isCancelled: () -> Bool = { false }
    ) throws -> [AppliedStep] {
        func check() throws(CancellationError) { if isCancelled() { throw CancellationError() } }
        var planner = Planner(
            migration, profile: profile, facts: given, stores: stores, origin: origin, history: history)
        _ = try planner.rerun(migration, outdated: [], check: check)
        let previews = try planner.choose(selection, on: overlay, assuming: assuming, check: check)
        return try previews.map { preview in
            guard preview.result.outcome.kind == .migrates else {
                return AppliedStep(
                    step: preview.step, outcome: preview.result.outcome, entry: nil, found: preview.result.found,
                    left: preview.result.left)
            }
            try check()
            let (digests, restsOn) = try basis(preview.result)
            let entry = LedgerEntry(
                number: history.nextNumber, event: .applied, stamp: stamp,
                migration: migration.id, profile: profile.id, step: preview.step.id, changes: preview.result.changes,
                found: preview.result.found, facts: planner.facts.recorded(for: preview.step),
                digests: digests, restsOn: restsOn)
            try append(entry)
            return AppliedStep(
                step: preview.step, outcome: preview.result.outcome, entry: entry, found: preview.result.found,
                left: preview.result.left)
        }
    }

    /// Takes standing steps back, the last one first: each becomes one entry with the inverse changes.
    ///
    /// - Parameters:
    ///   - isCancelled: Asked before each step is taken back.
    ///   - check: Looks at each step before it is taken back, and may throw.
    /// - Returns: The new entries in order.
    /// - Throws: ``RollbackError`` where the named step does not stand, what the ledger and `check` throw, or
    ///   `CancellationError`.
    @discardableResult
    public mutating func rollback(
        _ target: RollbackTarget, stamp: LedgerEntry.Stamp, isCancelled: () -> Bool = { false },
        check: (LedgerEntry) throws -> Void = { _ in }
    ) throws -> [LedgerEntry] {
        let keep = try target.kept(of: history.standing)
        return try history.standing.dropFirst(keep).reversed().map { entry in
            if isCancelled() { throw CancellationError() }
            try check(entry)
            let inverse = LedgerEntry(
                number: history.nextNumber, event: .rolledBack(entry.number), stamp: stamp,
                migration: entry.migration, profile: entry.profile, step: entry.step,
                changes: entry.changes.reversed().map(\.inverse), facts: entry.facts)
            try append(inverse)
            return inverse
        }
    }

    private mutating func append(_ entry: LedgerEntry) throws {
        try ledger.append(entry)
        if case .rolledBack(let number) = entry.event,
            let undone = history.standing.last(where: { $0.number == number })
        {
            // Back to what was there before, also where that could not be read: the inverse has no value for it.
            for change in undone.changes.reversed() {
                if let key = change.address.key { overlay.set(key, in: change.address.store, to: change.before) }
            }
        } else {
            entry.changes.forEach { overlay.apply($0) }
        }
        history.append(entry)
    }
}

/// Why a roll-back cannot be done.
public enum RollbackError: Error, Hashable, Sendable {
    /// The named step does not stand.
    case notApplied(String)
    /// The named step stands in several migrations: which, in the order of the ledger.
    case ambiguous(String, migrations: [String])
}

extension Change {
    /// The change that takes this one back.
    public var inverse: Change {
        Change(
            address: address, before: EntryState(after), after: before.value, from: [],
            rule: "takes back: \(rule)")
    }
}
