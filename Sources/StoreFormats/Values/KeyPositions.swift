/// Where the keys of a list stand, also while some go to its end and others are taken away.
///
/// To ask, and to add one, takes about the same time however many keys there are; where one was taken away those behind it move up.
package struct KeyPositions: Sendable {
    /// The number of the first item of each key: numbers rise with the positions.
    private var first: [Name: Int] = [:]
    /// Those of the further items of keys that stand more than once.
    private var further: [Name: [Int]] = [:]
    /// The numbers by position, once one was taken away; before that they are the positions.
    private var numbers: [Int]?
    private var next = 0

    /// Looks through keys once.
    package init(_ keys: some Collection<Name>) {
        first.reserveCapacity(keys.count)
        for key in keys { append(key) }
    }

    /// Adds a key at the end.
    package mutating func append(_ key: Name) {
        if Self.enter(next, &first[key]) != next { further[key, default: []].append(next) }
        numbers?.append(next)
        next += 1
    }

    /// What stands in a place of the table, or else the given number, which then does; one search for both.
    private static func enter(_ number: Int, _ place: inout Int?) -> Int {
        if let known = place { return known }
        place = number
        return number
    }

    /// Takes away the first item of a key.
    package mutating func removeFirst(of key: Name) {
        guard let number = first[key] else { return }
        let rest = further[key] ?? []
        first[key] = rest.first
        further[key] = rest.count > 1 ? Array(rest.dropFirst()) : nil
        let position = position(of: number)
        // What is held twice would be copied.
        if numbers == nil { numbers = Array(0..<next) }
        numbers?.remove(at: position)
    }

    private static func position(of number: Int, in numbers: [Int]) -> Int {
        var low = 0, high = numbers.count
        while low < high {
            let middle = low + (high - low) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func position(of number: Int) -> Int { numbers.map { Self.position(of: number, in: $0) } ?? number }

    /// The first position of a key, or `nil`.
    package func first(of key: Name) -> Int? { first[key].map(position) }

    /// The positions of a key in ascending order.
    package func all(of key: Name) -> [Int] {
        first[key].map { [$0] + (further[key] ?? []) }?.map(position) ?? []
    }

    /// Whether a key stands more than once.
    package func isRepeated(_ key: Name) -> Bool { !further.isEmpty && further[key] != nil }

    /// The keys that stand more than once, each named once, in the order of their first positions.
    package var repeatedKeys: [Name] { further.keys.sorted { first[$0, default: 0] < first[$1, default: 0] } }
}
