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

        /// What a part of the keys, which come one after the other, comes to.
        private struct Part {
            var classes = [Class](repeating: Class(), count: plainCount + 1)
            /// Where the texts of the first key and of the last one of each class are in the file.
            var first = [Range<Int>](repeating: 0..<0, count: plainCount)
            var last = [Range<Int>](repeating: 0..<0, count: plainCount)

            /// Reads each of the keys once; `nil` where they are far longer than a sound list can hold.
            init?(_ positions: Range<Int>, of dictionary: Object, _ reader: ObjectReader) {
                // Keys of a sound list do not overlap, so reading each of them once reads less than the file.
                var budget = reader.bytes.count
                let isWhole = classes.withUnsafeMutableBufferPointer { classes in
                    first.withUnsafeMutableBufferPointer { first in
                        last.withUnsafeMutableBufferPointer { last in
                            for position in positions {
                                let key = reader.keyObject(position, of: dictionary)
                                budget -= key?.length ?? 0
                                guard budget > 0 else { return false }
                                guard let key, key.kind == .ascii, let plain = number(of: reader.content(key)) else {
                                    classes[plainCount].add(UInt32(position))
                                    continue
                                }
                                if classes[plain].count == 0 {
                                    first[plain] = key.place
                                } else if classes[plain].ascends {
                                    classes[plain].ascends = ascends(reader.bytes(in: last[plain]), reader.content(key))
                                }
                                last[plain] = key.place
                                classes[plain].add(UInt32(position))
                            }
                            return true
                        }
                    }
                }
                guard isWhole else { return nil }
            }

            /// Takes in the part that comes after this one.
            mutating func append(_ next: Part, _ reader: ObjectReader) {
                for number in classes.indices where next.classes[number].count > 0 {
                    guard classes[number].count > 0 else {
                        classes[number] = next.classes[number]
                        guard number < plainCount else { continue }
                        (first[number], last[number]) = (next.first[number], next.last[number])
                        continue
                    }
                    classes[number].end = next.classes[number].end
                    classes[number].count += next.classes[number].count
                    guard number < plainCount else { continue }
                    classes[number].ascends =
                        classes[number].ascends && next.classes[number].ascends
                        && ascends(reader.bytes(in: last[number]), reader.bytes(in: next.first[number]))
                    last[number] = next.last[number]
                }
            }
        }

        /// Keys of plain ASCII fall into so many classes by their length and their first eight bytes; one more is for
        /// all others.
        private static let plainCount = 1024
        private let classes: [Class]

        /// Whether no key of the dictionary stands twice, as far as order tells.
        var isAscending: Bool { classes.allSatisfy(\.ascends) }

        /// Reads every key once, on all cores; `nil` where there are none, more than are counted here, or far longer ones
        /// than a sound list can hold.
        init?(of dictionary: Object, _ source: Source) {
            guard dictionary.count < Int(UInt32.max) else { return nil }
            let share = max(512, (dictionary.count + 7) / 8), count = (dictionary.count + share - 1) / share
            let parts = concurrently(count) { number in
                let start = number * share
                return source.withReader { Part(start..<min(start + share, dictionary.count), of: dictionary, $0) }
            }.compactMap(\.self)
            guard var whole = parts.first, parts.count == count else { return nil }
            source.withReader { reader in
                for part in parts.dropFirst() { whole.append(part, reader) }
            }
            whole.classes[Self.plainCount].ascends = whole.classes[Self.plainCount].count == 0
            classes = whole.classes
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
