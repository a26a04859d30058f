import StoreFormats

/// The keys of a store, listed without decoding their values.
public protocol KeyList: Sendable {
    /// How many keys there are.
    var count: Int { get }
    /// How many keys there are, up to a number; where there are more, no more are counted.
    func count(upTo limit: Int) -> Int
    /// The key at a position from 0 up to ``count``.
    func key(at position: Int) -> Name
    /// The first position of a key.
    func position(of key: Name) -> Int?
    /// Why there may be keys that begin so and are not listed; `nil` where all that are there are listed.
    func problem(under prefix: Name) -> Unreadable?
}

extension KeyList {
    /// How many keys there are, up to a number.
    public func count(upTo limit: Int) -> Int { min(count, limit) }

    /// None: the list is whole.
    public func problem(under prefix: Name) -> Unreadable? { nil }

    /// Whether a key is there.
    public func contains(_ key: Name) -> Bool { position(of: key) != nil }

    /// Every key, in order; decodes the keys of the whole store.
    public var names: [Name] { (0..<count).map(key(at:)) }
}

/// Keys in memory.
public struct Keys: KeyList {
    /// The keys.
    public let all: [Name]
    private let positions: [Name: Int]

    /// Makes a list of keys; a key may stand more than once.
    public init(_ all: [Name] = []) {
        self.all = all
        positions = Dictionary(zip(all, all.indices)) { first, _ in first }
    }

    /// How many keys there are.
    public var count: Int { all.count }
    /// The key at a position.
    public func key(at position: Int) -> Name { all[position] }
    /// The first position of a key.
    public func position(of key: Name) -> Int? { positions[key] }
}

/// The keys of a list without some of its positions, followed by further keys.
public struct EditedKeys: KeyList {
    private let all: any KeyList
    /// The positions left out, in ascending order.
    private let hidden: [Int]
    private let added: Keys

    /// Leaves out some keys of a list, and adds others after it.
    public init(of all: any KeyList, without removed: some Sequence<Name>, adding added: [Name] = []) {
        self.all = all
        hidden = Set(removed.compactMap(all.position(of:))).sorted()
        self.added = Keys(added)
    }

    private var remaining: Int { all.count - hidden.count }

    /// Why keys of the list may be missing.
    public func problem(under prefix: Name) -> Unreadable? { all.problem(under: prefix) }

    /// How many keys there are.
    public var count: Int { remaining + added.count }

    /// How many keys there are, up to a number.
    public func count(upTo limit: Int) -> Int {
        min(limit, max(0, all.count(upTo: limit + hidden.count) - hidden.count) + added.count)
    }

    /// The key at a position.
    public func key(at position: Int) -> Name {
        guard position < remaining else { return added.key(at: position - remaining) }
        // Behind the hidden position of index i, i + 1 positions are left out.
        let before = Self.count(of: hidden.indices) { hidden[$0] - $0 <= position }
        return all.key(at: position + before)
    }

    /// The first position of a key.
    public func position(of key: Name) -> Int? {
        guard let position = all.position(of: key) else { return added.position(of: key).map { remaining + $0 } }
        let before = Self.count(of: hidden.indices) { hidden[$0] < position }
        if before < hidden.count, hidden[before] == position {
            return added.position(of: key).map { remaining + $0 }
        }
        return position - before
    }

    /// How many indices, from the first on, satisfy a condition that holds for none after the first that does not.
    private static func count(of indices: Range<Int>, where holds: (Int) -> Bool) -> Int {
        var low = indices.lowerBound, high = indices.upperBound
        while low < high {
            let middle = low + (high - low) / 2
            if holds(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
