/// Texts by how they begin and how they end: which of them another one begins or ends with, and which of them begin or end
/// with it, without comparing each with each.
struct AffixIndex {
    /// The texts that are looked at, in bytes: of shorter ones it is chance.
    private static let lengths = 4...200
    /// How many of each kind are given.
    private static let limit = 16

    private typealias Entry = (bytes: [UInt8], source: Int)

    /// By the bytes from the first on, and from the last on.
    private let forward: [Entry], backward: [Entry]
    private let exact: [[UInt8]: [Int]]

    init(_ texts: [(text: String, source: Int)]) {
        let entries = texts.filter { Self.lengths.contains($0.text.utf8.count) }.map {
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
        exact = Dictionary(entries.map { ($0.0, [$0.1]) }, uniquingKeysWith: { $0.count < Self.limit ? $0 + $1 : $0 })
    }

    /// The sources of texts that another one begins or ends with, or that begin or end with it and are longer, in ascending
    /// order.
    func sources(around text: String) -> [Int] {
        let bytes = Array(text.utf8)
        guard Self.lengths.contains(bytes.count) else { return [] }
        var found = Self.longer(than: bytes, in: forward) + Self.longer(than: Array(bytes.reversed()), in: backward)
        for length in stride(from: bytes.count - 1, through: Self.lengths.lowerBound, by: -1) {
            guard found.count < 4 * Self.limit else { break }
            found += exact[Array(bytes.prefix(length))] ?? []
            found += exact[Array(bytes.suffix(length))] ?? []
        }
        return found.uniqued.sorted()
    }

    /// The first of the entries that begin with these bytes and go on.
    private static func longer(than bytes: [UInt8], in entries: [Entry]) -> [Int] {
        var low = 0, high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].bytes.lexicographicallyPrecedes(bytes) { low = middle + 1 } else { high = middle }
        }
        // The same text may stand there many times.
        return entries[low...].lazy.prefix(256).filter { $0.bytes.count > bytes.count && $0.bytes.starts(with: bytes) }
            .prefix(limit).map(\.source)
    }
}
