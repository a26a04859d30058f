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
    /// Nobody entered the new value: a default, a draw or an assumption made it up.
    case madeUp = "made-up"
}

/// One entry that a step adds, replaces or removes, or finds as it is where it has nothing to do.
public struct Change: Hashable, Sendable {
    /// What happens to the entry.
    public enum Action: String, Hashable, Sendable {
        /// There was none.
        case add
        /// Its value becomes another.
        case replace
        /// It is taken away.
        case remove
        /// What the step would write, or what stands in its place, is there already.
        case found
        /// What the step would write is not there, and its rules leave it so.
        case missing
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
    /// The parts of the entries in ``from`` that the new value does not take on, and what of the user's stood in its place, unless
    /// other steps take them on.
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
        guard let after else { return before == .absent ? .missing : .remove }
        return before == .absent ? .add : before == .present(after) ? .found : .replace
    }
}

extension Change {
    /// Whether something of the user's is not taken on.
    package var drops: Bool { effect == .dropped || !dropped.isEmpty }

    /// Whether something of the user's is not taken on, or means something else.
    package var losesMeaning: Bool { drops || effect == .changed }

    /// Whether it finds a value that means what it did, whatever is lost beside that.
    package var isThere: Bool { action == .found && effect != .changed }

    /// Whether both do the same to the same entry, and to what it is made from, whatever they say of it.
    package func doesSame(as other: Change) -> Bool {
        address == other.address && after == other.after && effect == other.effect && dropped == other.dropped
    }

    /// Whether both make the same of the same entry, for the same reason and from the same.
    ///
    /// What they say of the effect on the user's value may differ, as ledgers of earlier versions do not have it, and so may the
    /// notes: the program has other words now. Those versions also named all sources of a row for each of its targets.
    public func hasSameResult(as other: Change) -> Bool {
        var other = other
        if Set(from).isSubset(of: other.from) { other.from = from }
        (other.effect, other.dropped, other.notes) = (effect, dropped, notes)
        return self == other
    }
}

/// How many of the user's values meet which fate; each value counts once.
public struct EffectCounts: Hashable, Sendable {
    private var counts: [ValueEffect: Int] = [:]
    /// How many of those that are dropped are parts of values that else go on.
    public let droppedParts: Int
    /// How many of those that are made up are parts of values that are the user's: placeholders.
    public let madeUpParts: Int

    /// Counts the effects of changes, in their order.
    ///
    /// An entry counts once, however many changes write it, with the gravest that they do to it; so does one that is moved
    /// on to another; one that is found as it would be made, and means what it did, does not. A removed entry counts where
    /// nothing takes on its value, and so does what was overwritten. What a change drops counts once too: a part of a value,
    /// unless that is dropped as a whole; and so does each part that a default makes up.
    public init(_ changes: some Sequence<Change> = []) {
        var effects: [Address: ValueEffect] = [:], parts: Set<Address> = [], made: Set<Address> = []
        // What stood where a change puts another value is a value besides that.
        var overwritten: Set<Address> = []
        var heirs: [Address: Address] = [:]
        func note(_ effect: ValueEffect, at entry: Address) {
            if let known = effects[entry], known.gravity >= effect.gravity { return }
            effects[entry] = effect
        }
        for change in changes {
            for lost in change.dropped {
                if lost == change.address {
                    overwritten.insert(lost)
                } else if lost.pointer.isRoot {
                    note(.dropped, at: lost)
                } else {
                    parts.insert(lost)
                }
            }
            for pointer in change.placeholders where !pointer.isRoot && change.effect != .madeUp {
                made.insert(change.address.appending(pointer))
            }
            for source in change.takenOn where source != change.address { heirs[source] = change.address }
            if change.isThere { continue }
            if change.after != nil {
                note(change.effect, at: change.address)
            } else if change.effect == .dropped {
                effects[change.address] = .dropped
            } else if let heir = heirs[change.address], let moved = effects.removeValue(forKey: change.address) {
                note(moved, at: heir)
            }
        }
        let lost = parts.count { effects[$0.entry] != .dropped }
        droppedParts = lost
        counts = Dictionary(effects.values.map { ($0, 1) }, uniquingKeysWith: +)
        if lost + overwritten.count > 0 { counts[.dropped, default: 0] += lost + overwritten.count }
        let placeholders = made.count { effects[$0.entry] != .dropped && effects[$0.entry] != .madeUp }
        madeUpParts = placeholders
        if placeholders > 0 { counts[.madeUp, default: 0] += placeholders }
    }

    /// How many values meet a fate.
    public subscript(effect: ValueEffect) -> Int { counts[effect] ?? 0 }
}

extension ValueEffect {
    /// How much it matters to the user; of several that meet one value the gravest is told.
    var gravity: Int {
        switch self {
        case .carried: 0
        case .converted: 1
        case .madeUp: 2
        case .changed: 3
        case .dropped: 4
        }
    }
}
