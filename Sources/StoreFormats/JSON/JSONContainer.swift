/// A container of a JSON text with its parts, by where they stand.
struct JSONContainer {
    /// A member or an element.
    struct Item {
        /// Its key in quotes; `nil` in an array.
        var key: Range<Int>?
        var value: Range<Int>
        /// Where the member begins.
        var start: Int { key?.lowerBound ?? value.lowerBound }
        var end: Int { value.upperBound }
    }

    var isObject: Bool
    var items: [Item]
    /// The offsets of its opening and its closing bracket.
    var opening: Int
    var closing: Int

    /// What goes with one of several items: it and the comma behind it, or before it where it is the last.
    func rangeToRemove(at position: Int) -> Range<Int> {
        position == items.count - 1
            ? items[position - 1].end..<items[position].end : items[position].start..<items[position + 1].start
    }
}

/// A container that is kept from one edit of a text to the next, with where it is in the value and where the keys of its members stand.
struct KnownJSONContainer {
    let path: JSONPointer
    private(set) var container: JSONContainer
    private var keys: KeyPositions

    init(_ container: JSONContainer, at path: JSONPointer, keys: [Name]) {
        (self.container, self.path, self.keys) = (container, path, KeyPositions(keys))
    }

    /// The positions of the items at a step.
    func positions(of token: Name) -> [Int] {
        guard container.isObject else {
            return JSONPointer.arrayIndex(token).flatMap { $0 < container.items.count ? [$0] : nil } ?? []
        }
        return keys.all(of: token)
    }

    mutating func append(_ item: JSONContainer.Item, _ key: Name) {
        container.items.append(item)
        keys.append(key)
    }

    /// Takes away the only item at a step.
    mutating func remove(_ token: Name, at position: Int) {
        container.items.remove(at: position)
        if container.isObject { keys.removeFirst(of: token) }
    }

    /// Keeps in step with a text in which the bytes at a range have become more, or fewer.
    ///
    /// What ends where nothing is put in stays, and what begins there moves.
    mutating func move(behind range: Range<Int>, by change: Int) {
        func start(_ offset: Int) -> Int { offset >= range.upperBound ? offset + change : offset }
        func end(_ offset: Int) -> Int { offset > range.lowerBound ? offset + change : offset }
        container.opening = start(container.opening)
        container.closing = start(container.closing)
        for index in container.items.indices.reversed() {
            let item = container.items[index]
            guard item.end > range.lowerBound else { break }
            container.items[index].value = start(item.value.lowerBound)..<end(item.value.upperBound)
            container.items[index].key = item.key.map { start($0.lowerBound)..<end($0.upperBound) }
        }
    }
}
