extension BinaryPropertyList {
    /// The text of a key as UTF-8, byte by byte, from the file and without an allocation.
    ///
    /// A key that is not readable has a text nevertheless, so that its entry can be listed: other bytes than ASCII are
    /// taken as Latin-1, half a surrogate pair is U+FFFD, and so is an object that is not a string at all.
    struct KeyText: Sequence, IteratorProtocol {
        private let content: UnsafeRawBufferPointer
        private let kind: Object.Kind
        private var position = 0
        /// The rest of a character, next byte lowest.
        private var pending: UInt32 = 0

        init(_ object: Object?, _ reader: ObjectReader) {
            if let object, object.isText {
                content = reader.content(object)
                kind = object.kind
            } else {
                content = UnsafeRawBufferPointer(start: nil, count: 0)
                kind = .null
                pending = 0xBD_BFEF
            }
        }

        mutating func next() -> UInt8? {
            if pending != 0 {
                defer { pending >>= 8 }
                return UInt8(truncatingIfNeeded: pending)
            }
            guard position < content.count else { return nil }
            var scalar: UInt32
            if kind == .ascii {
                scalar = UInt32(content[position])
                position += 1
            } else {
                scalar = unit(at: position)
                position += 2
                if scalar & 0xF800 == 0xD800 {
                    let low = position < content.count ? unit(at: position) : 0
                    if scalar & 0x400 == 0, low & 0xFC00 == 0xDC00 {
                        scalar = 0x10000 + (scalar & 0x3FF) << 10 + low & 0x3FF
                        position += 2
                    } else {
                        scalar = 0xFFFD
                    }
                }
            }
            switch scalar {
            case ..<0x80: return UInt8(scalar)
            case ..<0x800:
                pending = 0x80 | scalar & 0x3F
                return UInt8(0xC0 | scalar >> 6)
            case ..<0x10000:
                pending = 0x80 | scalar >> 6 & 0x3F | (0x80 | scalar & 0x3F) << 8
                return UInt8(0xE0 | scalar >> 12)
            default:
                pending = 0x80 | scalar >> 12 & 0x3F | (0x80 | scalar >> 6 & 0x3F) << 8 | (0x80 | scalar & 0x3F) << 16
                return UInt8(0xF0 | scalar >> 18)
            }
        }

        private func unit(at position: Int) -> UInt32 {
            UInt32(content[position]) << 8 | UInt32(content[position + 1])
        }
    }

    /// A hash of key texts that a file cannot know beforehand, as it is seeded anew for every index.
    struct KeyHash: Sendable {
        private let seed = UInt64.random(in: .min ... .max)

        @inline(__always)
        private func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
            let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            return product.high ^ product.low
        }

        /// The hash of bytes, and whether they are all ASCII.
        @inline(__always)
        func hash(_ bytes: UnsafeRawBufferPointer) -> (hash: UInt64, isASCII: Bool) {
            var state = seed
            var all: UInt64 = 0
            var position = 0
            while position + 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                all |= word
                state = mixed(state, word)
                position += 8
            }
            var rest: UInt64 = 0
            var shift: UInt64 = 0
            while position < bytes.count {
                rest |= UInt64(bytes[position]) << shift
                shift += 8
                position += 1
            }
            state = mixed(state, rest)
            return (mixed(state, seed &+ UInt64(bytes.count)), (all | rest) & 0x8080_8080_8080_8080 == 0)
        }

        /// The same hash of bytes that come one by one.
        func hash(_ text: KeyText) -> UInt64 {
            var state = seed
            var word: UInt64 = 0
            var count: UInt64 = 0
            for byte in text {
                word |= UInt64(byte) << (count % 8 * 8)
                count += 1
                if count % 8 == 0 {
                    state = mixed(state, word)
                    word = 0
                }
            }
            state = mixed(state, word)
            return mixed(state, seed &+ count)
        }

        /// The hash of a key's text in the file; `nil` is an object that cannot be read.
        @inline(__always)
        func hash(_ object: Object?, _ reader: ObjectReader) -> UInt64 {
            if let object, object.kind == .ascii {
                let (hash, isASCII) = hash(reader.content(object))
                if isASCII { return hash }
            }
            return hash(KeyText(object, reader))
        }
    }
}

extension BinaryPropertyList.ObjectReader {
    /// The object of a dictionary's key, or `nil` where it is out of bounds or of no known kind.
    @inline(__always)
    func keyObject(_ position: Int, of dictionary: BinaryPropertyList.Object) -> BinaryPropertyList.Object? {
        try? object(reference(position, of: dictionary))
    }

    /// The first position within others of a key with these UTF-8 bytes, by looking at one after the other.
    func position(
        of key: UnsafeRawBufferPointer, in dictionary: BinaryPropertyList.Object, within positions: Range<Int>
    ) -> Int? {
        positions.first { text(of: keyObject($0, of: dictionary), equals: key) }
    }

    /// Every position within others of a key with these UTF-8 bytes, in ascending order.
    func positions(
        of key: UnsafeRawBufferPointer, in dictionary: BinaryPropertyList.Object, within positions: Range<Int>
    ) -> [Int] {
        // A hostile list has one long text as every key: an object is looked at once in a row.
        var found: Int?
        return positions.filter { position in
            let object = keyObject(position, of: dictionary)
            if let object, object.offset == found { return true }
            let isKey = text(of: object, equals: key)
            if isKey { found = object?.offset }
            return isKey
        }
    }

    /// Whether a key's text has exactly these UTF-8 bytes.
    func text(of object: BinaryPropertyList.Object?, equals bytes: UnsafeRawBufferPointer) -> Bool {
        // ASCII text has one byte for a code unit, other text has up to three.
        if let object, object.isText, object.count > bytes.count { return false }
        // Of one byte each: had the text a byte beyond ASCII, it would be longer in UTF-8.
        if let object, object.kind == .ascii, object.count == bytes.count {
            // Keys of one length mostly begin alike, and differ at their ends.
            let text = content(object), last = bytes.count - 8
            if last >= 0,
                text.loadUnaligned(fromByteOffset: last, as: UInt64.self)
                    != bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self)
            {
                return false
            }
            return text.elementsEqual(bytes) && bytes.allSatisfy { $0 < 0x80 }
        }
        return BinaryPropertyList.KeyText(object, self).elementsEqual(bytes)
    }

    /// Whether two keys have the same text.
    func sameText(_ left: BinaryPropertyList.Object?, _ right: BinaryPropertyList.Object?) -> Bool {
        if let left, let right, left.offset == right.offset { return true }
        return BinaryPropertyList.KeyText(left, self).elementsEqual(BinaryPropertyList.KeyText(right, self))
    }
}
