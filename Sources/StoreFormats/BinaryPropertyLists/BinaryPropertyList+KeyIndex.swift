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
        func positions(
            of key: UnsafeRawBufferPointer, in dictionary: Object, _ reader: ObjectReader
        ) -> [Int] {
            state.withLock { state in
                sketch(dictionary, reader, &state)
                if case .sketched(let sketch, var looks) = state, looks < 2 * dictionary.count {
                    let positions = sketch.positions(of: key, in: dictionary, reader, &looks)
                    state = .sketched(sketch, looks: looks)
                    return positions
                }
                return table(dictionary, reader, &state).positions(of: key, in: dictionary, reader)
            }
        }

        /// The first positions of the keys that stand more than once, in ascending order.
        func repeated(in dictionary: Object, _ reader: ObjectReader) -> [Int] {
            state.withLock { state in
                sketch(dictionary, reader, &state)
                if case .sketched(let sketch, _) = state, sketch.isAscending { return [] }
                return table(dictionary, reader, &state).repeated(in: dictionary, reader)
            }
        }

        /// Makes a sketch of a large list that has nothing yet.
        private func sketch(_ dictionary: Object, _ reader: ObjectReader, _ state: inout State) {
            guard case .unused = state, dictionary.count > Self.smallCount else { return }
            if let sketch = KeySketch(of: dictionary, reader) { state = .sketched(sketch, looks: 0) }
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

extension BinaryPropertyList {
    /// Between which positions the keys of a dictionary that begin alike lie.
    ///
    /// Made in a fourth of the time of a table. Most keys that are searched for in a large list begin as few others of
    /// their length or are not there, and are found, or known not to be there, without one.
    struct KeySketch: Sendable {
        /// Keys that begin alike.
        private struct Class {
            /// The first of them, and the one after the last.
            var start: UInt32 = .max
            var end: UInt32 = 0
            var count: UInt32 = 0
            /// Whether they ascend, so that none of them stands twice; of keys beyond ASCII that is not looked at.
            var ascends = true

            var range: Range<Int> { count == 0 ? 0..<0 : Int(start)..<Int(end) }

            @inline(__always)
            mutating func add(_ position: UInt32) {
                if count == 0 { start = position }
                end = position + 1
                count += 1
            }
        }

        /// Keys of plain ASCII fall into so many classes by their length and their first eight bytes; one more is for
        /// all others.
        private static let plainCount = 1024
        private var classes = [Class](repeating: Class(), count: plainCount + 1)

        /// Whether no key of the dictionary stands twice, as far as order tells.
        var isAscending: Bool { classes.allSatisfy(\.ascends) }

        /// Reads every key once; `nil` where there are more than are counted here.
        init?(of dictionary: Object, _ reader: ObjectReader) {
            guard dictionary.count < Int(UInt32.max) else { return nil }
            // Keys of a sound list do not overlap, so reading each of them once reads less than the file.
            var budget = 4 * reader.bytes.count
            var last = [UnsafeRawBufferPointer](
                repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: Self.plainCount)
            let isWhole = classes.withUnsafeMutableBufferPointer { classes in
                last.withUnsafeMutableBufferPointer { last in
                    for position in 0..<UInt32(dictionary.count) {
                        let key = reader.keyObject(Int(position), of: dictionary)
                        budget -= key?.length ?? 0
                        guard budget > 0 else { return false }
                        guard let key, key.kind == .ascii else {
                            classes[Self.plainCount].add(position)
                            continue
                        }
                        let text = reader.content(key)
                        guard let plain = Self.number(of: text) else {
                            classes[Self.plainCount].add(position)
                            continue
                        }
                        if classes[plain].ascends {
                            classes[plain].ascends = classes[plain].count == 0 || Self.ascends(last[plain], text)
                            last[plain] = text
                        }
                        classes[plain].add(position)
                    }
                    return true
                }
            }
            guard isWhole else { return nil }
            classes[Self.plainCount].ascends = classes[Self.plainCount].count == 0
        }

        /// The positions of a key, in ascending order; `looks` grows by the number of keys that were looked at.
        func positions(
            of key: UnsafeRawBufferPointer, in dictionary: Object, _ reader: ObjectReader, _ looks: inout Int
        ) -> [Int] {
            var found: Set<Int> = []  // The ranges of two classes may overlap.
            // Plain ASCII may also be stored as UTF-16.
            for number in [Self.number(of: key), Self.plainCount].compactMap(\.self) {
                let range = classes[number].range
                if classes[number].ascends {
                    // Where keys ascend, none stands twice.
                    if let position = position(of: key, in: dictionary, reader, classes[number], &looks) {
                        found.insert(position)
                    }
                } else {
                    looks += range.count
                    found.formUnion(reader.positions(of: key, in: dictionary, within: range))
                }
            }
            return found.sorted()
        }

        /// The position of a key in a class whose keys ascend.
        private func position(
            of key: UnsafeRawBufferPointer, in dictionary: Object, _ reader: ObjectReader, _ keys: Class,
            _ looks: inout Int
        ) -> Int? {
            var range = keys.range
            // With no key of another class between them, half of them are out after each look.
            while Int(keys.count) == keys.range.count, range.count > 1 {
                let middle = range.lowerBound + range.count / 2
                guard let object = reader.keyObject(middle, of: dictionary) else { break }
                looks += 1
                range =
                    Self.ascends(key, reader.content(object))
                    ? range.lowerBound..<middle : middle..<range.upperBound
            }
            let position = reader.position(of: key, in: dictionary, within: range)
            looks += (position ?? range.upperBound) - range.lowerBound
            return position
        }

        /// Whether a text comes before another one of its class, in some order.
        @inline(__always)
        private static func ascends(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
            if left.count != right.count { return left.count < right.count }
            var position = 0
            while position + 8 <= left.count {
                let one = UInt64(bigEndian: left.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                let other = UInt64(bigEndian: right.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                if one != other { return one < other }
                position += 8
            }
            while position < left.count {
                if left[position] != right[position] { return left[position] < right[position] }
                position += 1
            }
            return false
        }

        /// The class of a key with this text; `nil` where it is not plain ASCII.
        @inline(__always)
        private static func number(of text: UnsafeRawBufferPointer) -> Int? {
            guard ObjectReader.isASCII(text) else { return nil }
            var word: UInt64 = 0
            if text.count >= 8 {
                word = text.loadUnaligned(as: UInt64.self)
            } else {
                for byte in text { word = word << 8 | UInt64(byte) }
            }
            let mixed = (word ^ UInt64(text.count)) &* 0x9E37_79B9_7F4A_7C15
            return Int(mixed >> (64 - 10))
        }
    }
}
