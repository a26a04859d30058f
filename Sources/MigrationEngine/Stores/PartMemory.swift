import StoreFormats
import Synchronization

/// What was found on the ways to parts of the entries that were asked for last, by what they held then: of a document that many
/// steps read, each a part, the whole is decoded once.
final class PartMemory: Sendable {
    private let entries = Mutex(RecentEntries<(value: Value, memo: PartMemo)>())

    /// Where what is found in an entry is kept; `nil` for one that is too large to be kept.
    func memo(of address: Address, holding value: Value) -> PartMemo? {
        entries.withLock { entries in
            if let known = entries[address], known.value == value { return known.memo }
            let size = value.size, memo = PartMemo()
            entries.keep((value, memo), of: address, size: size)
            return size <= RecentEntries<PartMemo>.size ? memo : nil
        }
    }

    /// Keeps what is found in an entry with what it will hold.
    func keep(_ memo: PartMemo, of address: Address, holding value: Value) {
        entries.withLock { $0.keep((value, memo), of: address, size: value.size) }
    }
}
