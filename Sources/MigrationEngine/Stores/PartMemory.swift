import StoreFormats
import Synchronization

/// What was found on the ways to parts of the entries that were asked for last, by what they held then: of a document that many
/// steps read, each a part, the whole is decoded once.
final class PartMemory: Sendable {
    private struct Entry {
        let address: Address, value: Value, memo: PartMemo, size: Int
    }

    private let entries = Mutex<[Entry]>([])
    /// How many entries are kept, and how many bytes they may have together.
    private static let count = 16, size = 4 << 20

    /// Where what is found in an entry is kept; `nil` for one that is too large to be kept.
    func memo(of address: Address, holding value: Value) -> PartMemo? {
        let size = value.size
        guard size <= Self.size else { return nil }
        return entries.withLock { entries in
            if let index = entries.firstIndex(where: { $0.address == address }) {
                if entries[index].value == value { return entries[index].memo }
                entries.remove(at: index)
            }
            var total = entries.reduce(size) { $0 + $1.size }
            while entries.count >= Self.count || total > Self.size, let first = entries.first {
                total -= first.size
                entries.removeFirst()
            }
            let entry = Entry(address: address, value: value, memo: PartMemo(), size: size)
            entries.append(entry)
            return entry.memo
        }
    }
}
