import StoreFormats

/// What a step runs on: it reads through to what is there, and records what the step would write.
///
/// Its record *is* the plan of the step. Nothing is written anywhere until somebody commits the changes, so any step can
/// be previewed, also one that is plain Swift code.
public struct StoreTransaction: Sendable {
    /// The changes so far, one for each entry, in the order in which entries were first changed.
    public private(set) var changes: [Change] = []
    /// What would have been written where something else is kept.
    public private(set) var conflict: Change?
    /// The entries that were read, each once, in the order of reading.
    public private(set) var reads: [Address] = []

    private var stores: Overlay
    private let origin: any StoreReader

    /// Makes a transaction on stores.
    ///
    /// - Parameters:
    ///   - stores: What is there now.
    ///   - origin: What was there before the migration's first step; the same as `stores` unless told otherwise.
    public init(on stores: any StoreReader, origin: (any StoreReader)? = nil) {
        self.stores = Overlay(stores)
        self.origin = origin ?? stores
    }

    /// What is known of an entry, with the changes so far.
    public mutating func read(_ address: Address) -> EntryState {
        if !reads.contains(address) { reads.append(address) }
        return stores.state(at: address)
    }

    /// Whether a store held anything before the migration's first step, whatever its own steps have made since.
    ///
    /// A rule such as "do nothing where the target exists" would otherwise stop a migration after its first step.
    public func heldAnythingBefore(_ store: StoreID) -> Bool {
        origin.keys(in: store).count > 0 || origin.problem(with: store) != nil
    }

    /// What was known of an entry before the migration's first step, whatever its own steps have made since.
    public func original(_ address: Address) -> EntryState { origin.state(at: address) }

    /// The stores with the changes so far; what is looked up here is not among ``reads``.
    public var seen: any StoreReader { stores }

    /// The keys of a store, with the changes so far.
    public func keys(in store: StoreID) -> any KeyList { stores.keys(in: store) }

    /// Why a store cannot be read.
    public func problem(with store: StoreID) -> Unreadable? { stores.problem(with: store) }

    /// What to do where an entry that is to be written holds something else.
    public enum WritePolicy: Hashable, Sendable {
        /// Leave it, and stop with a conflict.
        case keepExisting
        /// Replace it.
        case replaceExisting
    }

    /// Gives an entry a value; nothing is recorded where it has exactly that value already.
    ///
    /// - Throws: ``StepStop`` where the entry holds something else and the policy is to keep it, or cannot be read.
    public mutating func write(
        _ value: Value, to address: Address, from: [Address] = [], rule: String, notes: [String] = [],
        placeholders: [JSONPointer] = [], policy: WritePolicy = .keepExisting
    ) throws(StepStop) {
        let before = stores.state(at: address)
        if before == .present(value) { return }
        if case .unreadable(let reason) = before { throw .unreadable(address, reason) }
        let change = Change(
            address: address, before: before, after: value, from: from, rule: rule, notes: notes,
            placeholders: placeholders)
        if policy == .keepExisting, before != .absent {
            conflict = change
            throw .conflict(at: address)
        }
        record(change)
    }

    /// Takes an entry away; nothing is recorded where there is none.
    public mutating func remove(_ address: Address, rule: String, notes: [String] = []) {
        let before = stores.state(at: address)
        if before == .absent { return }
        record(Change(address: address, before: before, after: nil, rule: rule, notes: notes))
    }

    /// Merges a change with an earlier one of the same entry, so that each entry has one change from first to last.
    private mutating func record(_ change: Change) {
        stores.apply(change)
        guard let index = changes.firstIndex(where: { $0.address == change.address }) else {
            return changes.append(change)
        }
        var merged = change
        merged.before = changes[index].before
        if merged.before == merged.after.map(EntryState.present) ?? .absent {
            changes.remove(at: index)
        } else {
            changes[index] = merged
        }
    }
}
