import OrderedCollections
import StoreFormats

/// What a step has written to one entry, which becomes one change from first to last.
///
/// A row may write many fields of one entry: each write adds what it has to say, and nothing is joined before all are known.
struct EntryRecord: Sendable {
    /// What one write says of the entry.
    struct Write: Sendable {
        /// What of the entry is another then; the whole makes what was said before void.
        var part = JSONPointer()
        var from: [Address] = []
        var rule: String
        var notes: [String]
        var placeholders: [JSONPointer] = []
        var effect: ValueEffect
        var dropped: [Address]
        /// Whether just that stood there already.
        var isFound = false

        /// Notes that just that stands in the entry already: what is made of nothing but itself is as it was.
        mutating func find(in entry: Address) {
            isFound = true
            if !from.isEmpty, from.allSatisfy({ $0.entry == entry }) { (effect, dropped) = (.carried, []) }
        }

        /// The change that it is by itself.
        func change(of address: Address, from before: EntryState, to after: Value?) -> Change {
            Change(
                address: address, before: before, after: after, from: from, rule: rule, notes: notes,
                placeholders: placeholders, effect: effect, dropped: dropped)
        }
    }

    /// What stood there before the first write.
    private let before: EntryState
    /// What stands there now; `nil` where members were written one by one, and the stores have what that makes.
    private var state: EntryState?
    private var writes: [Write] = []
    /// What there is to say of the step as a whole.
    var remarks: [String] = []

    init(_ before: EntryState) { (self.before, state) = (before, before) }

    /// Adds a write of the whole; returns what takes it back.
    ///
    /// - Parameter opened: What was written member by member before.
    mutating func add(_ write: Write, leaving value: Value?, after opened: EditedMembers?) -> Mark {
        defer { state = EntryState(value) }
        return add(write, undoneBy: state == nil ? opened.map(Mark.Undo.reopen) ?? .nothing : .set)
    }

    /// Adds a write of one member.
    mutating func add(_ write: Write, _ undo: EditedMembers.Undo) -> Mark {
        defer { state = nil }
        return add(write, undoneBy: .member(undo))
    }

    /// Adds what was found as it would be written.
    mutating func add(found write: Write) -> Mark { add(write, undoneBy: .nothing) }

    private mutating func add(_ write: Write, undoneBy undo: Mark.Undo) -> Mark {
        writes.append(write)
        return Mark(count: writes.count - 1, state: state, undo: undo)
    }

    /// What was known at one time, and how it is reached again.
    struct Mark: Sendable {
        fileprivate let count: Int, state: EntryState?, undo: Undo

        fileprivate enum Undo: Sendable {
            case nothing
            case set
            case member(EditedMembers.Undo)
            case reopen(EditedMembers)
        }
    }

    /// Takes back a write, after those that came later.
    mutating func takeBack(to mark: Mark, of address: Address, in stores: inout Overlay) {
        writes.removeLast(writes.count - mark.count)
        state = mark.state
        switch mark.undo {
        case .nothing: break
        case .set: if let state, let key = address.key { stores.set(key, in: address.store, to: state) }
        case .member(let undo): stores.take(back: undo, of: address)
        case .reopen(let edited): stores.reopen(address, as: edited)
        }
    }

    private func state(of address: Address, in stores: Overlay) -> EntryState { state ?? stores.state(at: address) }

    /// Whether something else stands there now than before.
    func isChanged(_ address: Address, in stores: Overlay) -> Bool { state(of: address, in: stores) != before }

    /// The change of the entry; `nil` where it is as it was.
    func change(of address: Address, in stores: Overlay) -> Change? {
        let state = state(of: address, in: stores)
        guard state != before else { return nil }
        let start = writes.lastIndex { !$0.isFound && $0.part.isRoot } ?? 0, writes = writes[start...]
        guard let first = writes.first, let last = writes.last else { return nil }
        var change = last.change(of: address, from: before, to: state.value)
        if writes.count > 1 {
            change.from = Self.joined(writes, \.from)
            change.notes = Self.joined(writes, \.notes)
            change.dropped = Self.joined(writes, \.dropped)
            change.placeholders = Self.placeholders(of: writes)
            // Where only a part is made up, that is told by the placeholder.
            let effects = Set(writes.lazy.map(\.effect)).subtracting(first.part.isRoot ? [] : [.madeUp])
            change.effect = effects.max { $0.gravity < $1.gravity } ?? .madeUp
        }
        change.notes += remarks
        return change
    }

    /// What was found as it would be written, each by itself; nothing where the change of the entry says it.
    func found(in address: Address, _ stores: Overlay) -> [Change] {
        if isChanged(address, in: stores) { return [] }
        return writes.lazy.filter(\.isFound).map { $0.change(of: address, from: before, to: before.value) }
    }

    private static func joined<Element: Hashable>(
        _ writes: ArraySlice<Write>, _ elements: (Write) -> [Element]
    ) -> [Element] {
        OrderedSet(writes.lazy.flatMap(elements)).elements
    }

    /// Those that no later write has put something else upon.
    private static func placeholders(of writes: ArraySlice<Write>) -> [JSONPointer] {
        var kept: [[JSONPointer]] = [], written = PartSet()
        for write in writes.reversed() {
            kept.append(write.placeholders.filter { written.rest(of: $0, holding: nil) == [$0] })
            if !write.isFound { written.formUnion(PartSet(write.part)) }
        }
        return OrderedSet(kept.reversed().joined()).elements
    }
}
