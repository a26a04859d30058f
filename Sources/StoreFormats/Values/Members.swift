/// One key of a dictionary with its value.
public struct Member: Hashable, Sendable {
    /// The key.
    public var key: Name
    /// The value under it.
    public var value: Value

    /// Makes a member.
    public init(key: Name, value: Value) {
        self.key = key
        self.value = value
    }
}

/// The members of a dictionary in stored order; a key may stand more than once, as JSON allows.
public struct Members: Hashable, Sendable {
    /// The members as stored.
    public var all: [Member]

    /// Makes a dictionary of these members.
    public init(_ all: [Member] = []) {
        self.all = all
    }

    /// The first value under a key; setting it replaces that one, appends a new key, or with `nil` removes every one.
    ///
    /// Takes time in proportion to the number of members.
    public subscript(key: Name) -> Value? {
        get { all.first { $0.key == key }?.value }
        set {
            guard let newValue else { return all.removeAll { $0.key == key } }
            if let index = all.firstIndex(where: { $0.key == key }) {
                all[index].value = newValue
            } else {
                all.append(Member(key: key, value: newValue))
            }
        }
    }

    /// The values by their keys, of one that stands more than once the first: for whoever looks up many.
    package var firstValues: [Name: Value] {
        Dictionary(all.lazy.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// Keys that stand more than once, each named once.
    public var duplicateKeys: [Name] {
        var seen: Set<Name> = [], named: Set<Name> = []
        return all.map(\.key).filter { !seen.insert($0).inserted && named.insert($0).inserted }
    }
}

extension Members: RandomAccessCollection {
    /// The first position.
    public var startIndex: Int { all.startIndex }
    /// The position after the last member.
    public var endIndex: Int { all.endIndex }
    /// The member at a position.
    public subscript(position: Int) -> Member { all[position] }
}

extension Members: ExpressibleByDictionaryLiteral {
    /// Makes a dictionary of these members in this order.
    public init(dictionaryLiteral elements: (Name, Value)...) {
        self.init(elements.map { Member(key: $0.0, value: $0.1) })
    }
}
