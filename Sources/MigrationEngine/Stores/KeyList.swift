import StoreFormats

/// The keys of a store, listed without decoding their values.
public protocol KeyList: Sendable {
    /// How many keys there are.
    var count: Int { get }
    /// How many keys there are, up to a number; where there are more, no more are counted.
    func count(upTo limit: Int) -> Int
    /// The key at a position from 0 up to ``count``.
    func key(at position: Int) -> Name
    /// The positions of a key in ascending order; more than one where it stands more than once.
    func positions(of key: Name) -> [Int]
    /// The first position of a key; `nil` where it does not stand there.
    func position(of key: Name) -> Int?
    /// The positions of the keys that begin with a text, in ascending order.
    func positions(beginning prefix: Name) -> [Int]
    /// Why there may be keys that begin so and are not listed; `nil` where all that are there are listed.
    func problem(under prefix: Name) -> Unreadable?
    /// The folders beside the files that are the keys, by their names; none in other stores.
    var folders: [Name] { get }
}

extension KeyList {
    /// How many keys there are, up to a number.
    public func count(upTo limit: Int) -> Int { min(count, limit) }

    /// None: the list is whole.
    public func problem(under prefix: Name) -> Unreadable? { nil }

    /// None: the store is none of files.
    public var folders: [Name] { [] }

    /// The first position of a key.
    public func position(of key: Name) -> Int? { positions(of: key).first }

    /// Whether a key is there.
    public func contains(_ key: Name) -> Bool { position(of: key) != nil }

    /// Every key, in order; decodes the keys of the whole store.
    public var names: [Name] { (0..<count).map(key(at:)) }
}

/// Keys in memory.
public struct Keys: KeyList {
    /// The keys.
    public let all: [Name]
    private let positions: KeyPositions

    /// Makes a list of keys; a key may stand more than once.
    public init(_ all: [Name] = []) {
        (self.all, positions) = (all, KeyPositions(all))
    }

    /// How many keys there are.
    public var count: Int { all.count }
    /// The key at a position.
    public func key(at position: Int) -> Name { all[position] }
    /// The positions of a key.
    public func positions(of key: Name) -> [Int] { positions.all(of: key) }
    /// The first position of a key.
    public func position(of key: Name) -> Int? { positions.first(of: key) }
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
        hidden = Set(removed.flatMap(all.positions(of:))).sorted()
        self.added = Keys(added)
    }

    private var remaining: Int { all.count - hidden.count }

    /// Why keys of the list may be missing.
    public func problem(under prefix: Name) -> Unreadable? { all.problem(under: prefix) }

    /// The folders of the list.
    public var folders: [Name] { all.folders }

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

    /// The positions of a key.
    public func positions(of key: Name) -> [Int] {
        let kept = all.positions(of: key).compactMap { position in
            let before = Self.count(of: hidden.indices) { hidden[$0] < position }
            return before < hidden.count && hidden[before] == position ? nil : position - before
        }
        return kept + added.positions(of: key).map { remaining + $0 }
    }

    /// The positions of the keys that begin with a text.
    public func positions(beginning prefix: Name) -> [Int] {
        let kept = all.positions(beginning: prefix).compactMap { position in
            let before = Self.count(of: hidden.indices) { hidden[$0] < position }
            return before < hidden.count && hidden[before] == position ? nil : position - before
        }
        return kept + added.positions(beginning: prefix).map { remaining + $0 }
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
