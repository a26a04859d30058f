import StoreFormats

/// What a change does to the user's value.
public enum ValueEffect: String, Hashable, Sendable, CaseIterable, Codable {
    /// The value stays the same, under another name, in another place, or where it is.
    case carried
    /// The value means the same in another form or type.
    case converted
    /// The new value means something else than the old one.
    case changed
    /// The value is not taken on by anything.
    case dropped
    /// Nobody entered the new value: a default, a fact or a draw made it up.
    case madeUp = "made-up"
}

/// One entry that a step adds, replaces or removes.
public struct Change: Hashable, Sendable {
    /// What happens to the entry.
    public enum Action: String, Hashable, Sendable {
        /// There was none.
        case add
        /// Its value becomes another.
        case replace
        /// It is taken away.
        case remove
    }

    /// The entry.
    public var address: Address
    /// What was there before.
    public var before: EntryState
    /// What is there afterwards, or `nil` where it is removed.
    public var after: Value?
    /// The entries that the new value was made from.
    public var from: [Address]
    /// Why the value becomes what it becomes, in words.
    public var rule: String
    /// What a reader should know besides, such as a value that would be lost.
    public var notes: [String]
    /// The parts of the new value that nobody entered: a default made them up.
    ///
    /// They are pointers into the value with whatever it holds in another format decoded.
    public var placeholders: [JSONPointer]
    /// What the change does to the user's value.
    ///
    /// A removal of an entry whose value another change of the migration takes on is `carried`.
    public var effect: ValueEffect
    /// The parts of the entries in ``from`` that the new value does not take on.
    public var dropped: [Address]

    /// Makes a change.
    ///
    /// - Parameter effect: What it does to the user's value; `nil` says what can be told without the stores: a value
    ///   without a source is made up, one with a source converted, and a removed one dropped.
    public init(
        address: Address, before: EntryState, after: Value?, from: [Address] = [], rule: String, notes: [String] = [],
        placeholders: [JSONPointer] = [], effect: ValueEffect? = nil, dropped: [Address] = []
    ) {
        self.address = address
        self.before = before
        self.after = after
        self.from = from
        self.rule = rule
        self.notes = notes
        self.placeholders = placeholders
        self.effect = effect ?? (after == nil ? .dropped : from.isEmpty ? .madeUp : .converted)
        self.dropped = dropped
    }

    /// What happens to the entry.
    public var action: Action {
        after == nil ? .remove : before == .absent ? .add : .replace
    }
}

extension Change {
    /// Whether both make the same of the same entry, for the same reason and from the same.
    ///
    /// What they say of the effect on the user's value may differ: ledgers of earlier versions do not have it.
    public func hasSameResult(as other: Change) -> Bool {
        var other = other
        (other.effect, other.dropped) = (effect, dropped)
        return self == other
    }
}

/// How many of the user's values meet which fate.
public struct EffectCounts: Hashable, Sendable {
    private var counts: [ValueEffect: Int] = [:]

    /// Counts the effects of changes: each new value once, each value or part of one that nothing takes on once.
    ///
    /// The removal of an entry whose value another change takes on does not count a second time.
    public init(_ changes: some Sequence<Change> = []) {
        for change in changes {
            if change.action != .remove || change.effect != .carried { counts[change.effect, default: 0] += 1 }
            if !change.dropped.isEmpty { counts[.dropped, default: 0] += change.dropped.count }
        }
    }

    /// How many values meet a fate.
    public subscript(effect: ValueEffect) -> Int { counts[effect] ?? 0 }
}
