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

        /// The change that it is by itself.
        func change(of address: Address, from before: EntryState, to after: Value?) -> Change {
            Change(
                address: address, before: before, after: after, from: from, rule: rule, notes: notes,
                placeholders: placeholders, effect: effect, dropped: dropped)
        }
    }

    /// What stood there before the first write, and what stands there now.
    private let before: EntryState
    private var state: EntryState
    private var writes: [Write] = []
    /// What there is to say of the step as a whole.
    var remarks: [String] = []
    /// Whether something else stands there now than before.
    private(set) var isChanged = false

    init(_ before: EntryState) { (self.before, state) = (before, before) }

    /// Adds a write; returns what was known before it.
    mutating func add(_ write: Write, leaving value: Value?) -> Mark {
        let mark = Mark(state: state, count: writes.count, isChanged: isChanged)
        writes.append(write)
        if !write.isFound {
            state = EntryState(value)
            isChanged = state != before
        }
        return mark
    }

    /// What was known at one time.
    struct Mark: Sendable {
        let state: EntryState
        fileprivate let count: Int, isChanged: Bool
    }

    mutating func takeBack(to mark: Mark) {
        writes.removeLast(writes.count - mark.count)
        (state, isChanged) = (mark.state, mark.isChanged)
    }

    /// The change of the entry; `nil` where it is as it was.
    func change(of address: Address) -> Change? {
        guard isChanged else { return nil }
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
    func found(in address: Address) -> [Change] {
        if isChanged { return [] }
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
