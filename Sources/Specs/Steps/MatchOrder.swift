import MigrationEngine
import StoreFormats

/// In what order a row takes what its stars fit: where one is written over what another is read from, that other first.
struct MatchOrder {
    /// The numbers of the matches in this order: as they were found, but for those that wait for others.
    private(set) var indices: [Int]
    /// Those that must be taken before each, where there are any.
    private var waitsFor: [Int: [Int]] = [:]
    /// Those from which something may still be read: not taken yet, or left for a person to decide.
    private var open: Set<Int> = []

    /// The order in which they were found.
    init(of count: Int) { indices = Array(0..<count) }

    /// - Parameters:
    ///   - count: How many matches there are.
    ///   - places: Where one is read from, and where its values go.
    init(of count: Int, _ places: (Int) -> (sources: [Address], targets: [Address])) {
        self.init(of: count)
        var readers: [Address: [(part: JSONPointer, index: Int)]] = [:], targets: [[Address]] = []
        for index in indices {
            let own = places(index)
            for source in own.sources { readers[source.entry, default: []].append((source.pointer, index)) }
            targets.append(own.targets)
        }
        var behind: [Int: [Int]] = [:]
        for index in indices {
            for target in targets[index] {
                for (part, other) in readers[target.entry] ?? []
                where other != index && (part.isWithin(target.pointer) || target.pointer.isWithin(part)) {
                    waitsFor[index, default: []].append(other)
                    behind[other, default: []].append(index)
                }
            }
        }
        guard !waitsFor.isEmpty else { return }
        open = Set(behind.keys)
        var waiting = waitsFor.mapValues(\.count), order = indices.filter { waiting[$0] == nil }, next = 0
        while next < order.count {
            for index in behind[order[next]] ?? [] {
                waiting[index, default: 0] -= 1
                if waiting[index] == 0 { order.append(index) }
            }
            next += 1
        }
        // Of those that wait for one another in a circle none can be first.
        let ordered = Set(order)
        indices = order + indices.filter { !ordered.contains($0) }
    }

    /// Notes that nothing is to be read any more from what one stands for.
    mutating func close(_ index: Int) { open.remove(index) }

    /// Whether one would be written over what another is still to be read from.
    func isTooEarly(_ index: Int) -> Bool { waitsFor[index]?.contains(where: open.contains) ?? false }
}
