import Synchronization

extension BinaryPropertyList {
    /// Where each key of a dictionary is.
    ///
    /// A table of all keys costs more than it saves where few entries of a large list are wanted. So a large list has a
    /// sketch first; and a table, once the searches by the sketch have looked at as many keys as a table costs. A key may
    /// stand more than once, so each of them tells every position.
    final class KeyIndex: Sendable {
        private enum State {
            case unused
            case sketched(KeySketch, looks: Int)
            case table(KeyTable)
        }

        /// Up to this many keys a table takes no time.
        private static let smallCount = 1024

        private let state = Mutex(State.unused)

        /// The positions of a key with these UTF-8 bytes, in ascending order.
        func positions(of key: UnsafeRawBufferPointer, in dictionary: Object, _ source: Source) -> [Int] {
            state.withLock { state in
                sketch(dictionary, source, &state)
                return source.withReader { reader in
                    if case .sketched(let sketch, var looks) = state, looks < 2 * dictionary.count {
                        let positions = sketch.positions(of: key, in: dictionary, reader, &looks)
                        state = .sketched(sketch, looks: looks)
                        return positions
                    }
                    return table(dictionary, reader, &state).positions(of: key, in: dictionary, reader)
                }
            }
        }

        /// The first positions of the keys that stand more than once, in ascending order.
        func repeated(in dictionary: Object, _ source: Source) -> [Int] {
            state.withLock { state in
                sketch(dictionary, source, &state)
                if case .sketched(let sketch, _) = state, sketch.isAscending { return [] }
                return source.withReader { table(dictionary, $0, &state).repeated(in: dictionary, $0) }
            }
        }

        /// Makes a sketch of a large list that has nothing yet.
        private func sketch(_ dictionary: Object, _ source: Source, _ state: inout State) {
            guard case .unused = state, dictionary.count > Self.smallCount else { return }
            if let sketch = KeySketch(of: dictionary, source) { state = .sketched(sketch, looks: 0) }
        }

        private func table(_ dictionary: Object, _ reader: ObjectReader, _ state: inout State) -> KeyTable {
            if case .table(let table) = state { return table }
            let table = KeyTable(of: dictionary, reader)
            state = .table(table)
            return table
        }
    }

    /// The positions of a dictionary's keys by the hashes of their texts.
    private struct KeyTable: Sendable {
        private let hasher = KeyHash()
        private var slots: Slots
        /// The further positions of the keys that stand more than once, by the first.
        private var further: [Int: [Int]] = [:]
        /// Positions from here on are not in the table.
        private var end = 0

        /// Reads every key once.
        ///
        /// The keys go in by groups: first all hashes, then a look at all slots, so that the waits for memory, which
        /// is where the time of a large table goes, run side by side.
        init(of dictionary: Object, _ reader: ObjectReader) {
            let count = min(dictionary.count, Int(UInt32.max) - 1)
            // Keys of equal text take one slot, so there are no more of them than objects; one more is for those that
            // cannot be read. A count in the file thus cannot make the table much larger than the file.
            slots = Slots(entries: min(count, reader.trailer.objectCount + 1), positions: count)
            // Keys of a sound list do not overlap, so reading each of them once reads less than the file. Past a
            // multiple of that the list is hostile, and the rest of its keys is searched one by one.
            var budget = 4 * reader.bytes.count + 1 << 16
            var hashes = [UInt64](repeating: 0, count: 64)
            while end < count, budget > 0 {
                var group = 0
                while group < hashes.count, end + group < count, budget > 0 {
                    let key = reader.keyObject(end + group, of: dictionary)
                    hashes[group] = hasher.hash(key, reader)
                    budget -= key?.length ?? 0
                    group += 1
                }
                for member in 0..<group where slots.isTaken(hashes[member]) { budget -= 1 }
                for member in 0..<group {
                    let position = end + member
                    let first = slots.insert(position, hash: hashes[member]) { other in
                        let key = reader.keyObject(position, of: dictionary)
                        budget -= 1 + (key?.length ?? 0)
                        return reader.sameText(key, reader.keyObject(other, of: dictionary))
                    }
                    if let first { further[first, default: []].append(position) }
                }
                end += group
            }
        }

        func positions(of key: UnsafeRawBufferPointer, in dictionary: Object, _ reader: ObjectReader) -> [Int] {
            let first = slots.first(hash: hasher.hash(key).hash) { position in
                reader.text(of: reader.keyObject(position, of: dictionary), equals: key)
            }
            return (first.map { [$0] + further[$0, default: []] } ?? [])
                + reader.positions(of: key, in: dictionary, within: end..<dictionary.count)
        }

        /// The first positions of keys that stand more than once; what a hostile list keeps out of the table is not
        /// looked through.
        func repeated(in dictionary: Object, _ reader: ObjectReader) -> [Int] { further.keys.sorted() }
    }

    /// An open hash table of positions; a slot is 0, or a position plus 1 in its low bits and a piece of the hash above.
    private struct Slots: Sendable {
        private var slots: [UInt32]
        private let positionMask: UInt32
        private let shift: UInt64

        /// Makes a table that a number of entries fills to two thirds at most, for positions below a number.
        init(entries: Int, positions: Int) {
            var capacity = 4
            while capacity < entries + entries / 2 { capacity *= 2 }
            slots = [UInt32](repeating: 0, count: capacity)
            shift = UInt64(64 - capacity.trailingZeroBitCount)
            let bits = Int.bitWidth - positions.leadingZeroBitCount
            positionMask = bits >= 32 ? .max : (1 << UInt32(bits)) - 1
        }

        /// Whether something is in the slot where a hash would go.
        @inline(__always)
        func isTaken(_ hash: UInt64) -> Bool {
            slots[Int(truncatingIfNeeded: hash >> shift)] != 0
        }

        /// Enters a position, unless one with the same text is there, which is returned.
        @inline(__always)
        mutating func insert(_ position: Int, hash: UInt64, unless isSame: (Int) -> Bool) -> Int? {
            let piece = UInt32(truncatingIfNeeded: hash) & ~positionMask
            var slot = Int(truncatingIfNeeded: hash >> shift)
            while slots[slot] != 0 {
                if slots[slot] & ~positionMask == piece {
                    let other = Int(slots[slot] & positionMask) - 1
                    if isSame(other) { return other }
                }
                slot = (slot + 1) & (slots.count - 1)
            }
            slots[slot] = piece | UInt32(position + 1)
            return nil
        }

        /// The first entered position of a hash that fulfils a condition.
        func first(hash: UInt64, where matches: (Int) -> Bool) -> Int? {
            let piece = UInt32(truncatingIfNeeded: hash) & ~positionMask
            var slot = Int(truncatingIfNeeded: hash >> shift)
            while slots[slot] != 0 {
                let position = Int(slots[slot] & positionMask) - 1
                if slots[slot] & ~positionMask == piece, matches(position) { return position }
                slot = (slot + 1) & (slots.count - 1)
            }
            return nil
        }
    }
}
