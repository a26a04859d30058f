/// What was found of the entries that were asked for last, as each of their parts may be asked for by itself: a bounded number
/// of them, and a bounded size together.
package struct RecentEntries<Found: Sendable>: Sendable {
    private var entries: [(address: Address, found: Found, size: Int)] = []
    /// How many entries are kept.
    private static var count: Int { 16 }
    /// How many bytes the values of all of them may take, about.
    package static var size: Int { 4 << 20 }

    package init() {}

    package subscript(address: Address) -> Found? { entries.first { $0.address == address }?.found }

    /// Keeps what was found of an entry in the place of what was kept of it; what was kept first goes where there is no room.
    ///
    /// - Parameter size: How many bytes its value takes, about; what takes more than there is room for is not kept.
    package mutating func keep(_ found: Found, of address: Address, size: Int) {
        entries.removeAll { $0.address == address }
        guard size <= Self.size else { return }
        var total = entries.reduce(size) { $0 + $1.size }
        while entries.count >= Self.count || total > Self.size, let first = entries.first {
            total -= first.size
            entries.removeFirst()
        }
        entries.append((address, found, size))
    }
}
