/// The keys of a store, listed without decoding their values.
public protocol KeyList: Sendable {
    /// How many keys there are.
    var count: Int { get }
    /// The key at a position from 0 up to ``count``.
    func key(at position: Int) -> String
    /// The first position of a key.
    func position(of key: String) -> Int?
}

/// Keys in memory.
public struct Keys: KeyList {
    /// The keys.
    public var all: [String]

    /// Makes a list of keys.
    public init(_ all: [String] = []) { self.all = all }

    /// How many keys there are.
    public var count: Int { all.count }
    /// The key at a position.
    public func key(at position: Int) -> String { all[position] }
    /// The first position of a key.
    public func position(of key: String) -> Int? { all.firstIndex(of: key) }
}

/// The keys of a list without some of its positions.
public struct RemainingKeys: KeyList {
    private let all: any KeyList
    /// The positions left out, in ascending order.
    private let hidden: [Int]

    /// Leaves out the positions of some keys.
    public init(of all: any KeyList, without keys: some Sequence<String>) {
        self.all = all
        hidden = Set(keys.compactMap(all.position(of:))).sorted()
    }

    /// How many keys remain.
    public var count: Int { all.count - hidden.count }

    /// The key at a position among those that remain.
    public func key(at position: Int) -> String {
        all.key(at: hidden.reduce(position) { $1 <= $0 ? $0 + 1 : $0 })
    }

    /// The first position of a key among those that remain.
    public func position(of key: String) -> Int? {
        guard let position = all.position(of: key), !hidden.contains(position) else { return nil }
        return position - hidden.count { $0 < position }
    }
}
