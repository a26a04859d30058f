/// Texts by how they begin and how they end: which of them another one begins or ends with, and which of them begin or end
/// with it, without comparing each with each.
struct AffixIndex {
    /// From how many bytes on texts are looked at: of shorter ones it is chance.
    private static let least = 4

    private typealias Entry = (bytes: [UInt8], source: Int)

    /// By the bytes from the first on, and from the last on.
    private let forward: [Entry], backward: [Entry]
    private let exact: [[UInt8]: [Int]]
    /// How many texts are too long to be looked at.
    let tooLong: Int
    /// How long the texts are that are looked at, and how many of each kind are given.
    private let lengths: ClosedRange<Int>, limit: Int

    /// - Parameter limits: Of these the length of texts and their number count.
    init(_ texts: [(text: String, source: Int)], limits: InferenceLimits = .standard) {
        let lengths = Self.least...max(Self.least, limits.affixLength), limit = limits.affixes
        (self.lengths, self.limit) = (lengths, limit)
        tooLong = texts.count { $0.text.utf8.count > lengths.upperBound }
        let entries = texts.filter { lengths.contains($0.text.utf8.count) }.map {
            (Array($0.text.utf8), $0.source)
        }
        func sorted(_ entries: [Entry]) -> [Entry] {
            entries.sorted { left, right in
                left.bytes == right.bytes
                    ? left.source < right.source : left.bytes.lexicographicallyPrecedes(right.bytes)
            }
        }
        forward = sorted(entries)
        backward = sorted(entries.map { (Array($0.0.reversed()), $0.1) })
        // One more than is given tells that there are more.
        exact = Dictionary(entries.map { ($0.0, [$0.1]) }, uniquingKeysWith: { $0.count <= limit ? $0 + $1 : $0 })
    }

    /// The sources of texts that another one begins or ends with, or that begin or end with it and are longer, in ascending
    /// order; and whether there may be others.
    func sources(around text: String) -> (sources: [Int], isCut: Bool) {
        let bytes = Array(text.utf8)
        guard bytes.count >= lengths.lowerBound else { return ([], false) }
        // No longer text is looked at, and of this one not all beginnings.
        guard bytes.count <= lengths.upperBound else { return ([], true) }
        var found: [Int] = [], isCut = false
        func add(_ more: (sources: [Int], isCut: Bool)) {
            found += more.sources
            isCut = isCut || more.isCut
        }
        add(longer(than: bytes, in: forward))
        add(longer(than: Array(bytes.reversed()), in: backward))
        for length in stride(from: bytes.count - 1, through: lengths.lowerBound, by: -1) {
            for part in [Array(bytes.prefix(length)), Array(bytes.suffix(length))] {
                guard let sources = exact[part] else { continue }
                guard found.count < 4 * limit else { return (found.uniqued.sorted(), true) }
                add((Array(sources.prefix(limit)), sources.count > limit))
            }
        }
        return (found.uniqued.sorted(), isCut)
    }

    /// The first of the entries that begin with these bytes and go on; and whether there are others.
    private func longer(than bytes: [UInt8], in entries: [Entry]) -> (sources: [Int], isCut: Bool) {
        // Those that are the same, which may be many, stand before them.
        var low = 0, high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if bytes.lexicographicallyPrecedes(entries[middle].bytes) { high = middle } else { low = middle + 1 }
        }
        var found: [Int] = []
        for entry in entries[low...] {
            guard entry.bytes.starts(with: bytes) else { break }
            guard found.count < limit else { return (found, true) }
            found.append(entry.source)
        }
        return (found, false)
    }
}
