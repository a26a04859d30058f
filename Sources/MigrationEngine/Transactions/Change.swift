import StoreFormats

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
    /// The entries and facts that the new value was made from.
    public var from: [Address]
    /// Why the value becomes what it becomes, in words.
    public var rule: String
    /// What a reader should know besides, such as a value that would be lost.
    public var notes: [String]
    /// The parts of the new value that nobody entered: a default made them up.
    ///
    /// They are pointers into the value with whatever it holds in another format decoded.
    public var placeholders: [JSONPointer]

    /// Makes a change.
    public init(
        address: Address, before: EntryState, after: Value?, from: [Address] = [], rule: String, notes: [String] = [],
        placeholders: [JSONPointer] = []
    ) {
        self.address = address
        self.before = before
        self.after = after
        self.from = from
        self.rule = rule
        self.notes = notes
        self.placeholders = placeholders
    }

    /// What happens to the entry.
    public var action: Action {
        after == nil ? .remove : before == .absent ? .add : .replace
    }
}
