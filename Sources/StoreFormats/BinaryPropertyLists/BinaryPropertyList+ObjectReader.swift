extension BinaryPropertyList {
    /// Reads single objects of a list from its bytes; every read is checked against the file.
    ///
    /// Valid only within the closure of `Source.withReader`.
    struct ObjectReader {
        let bytes: UnsafeRawBufferPointer
        let trailer: Trailer

        /// The big-endian number of 1 to 8 bytes at a place before the trailer.
        ///
        /// The trailer has 32 bytes, so eight can be read at any place before it.
        @inline(__always)
        func number(at position: Int, size: Int) -> UInt64 {
            precondition(position >= 0 && position <= bytes.count - Trailer.length)
            let eight = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            return eight >> UInt64(64 - 8 * size)
        }

        /// Where the object with a number begins; `source` is where that number stands, for the error.
        @inline(__always)
        func offset(of reference: Int) throws(FormatError) -> Int {
            let entry = trailer.offsetTable + reference * trailer.offsetSize
            let offset = number(at: entry, size: trailer.offsetSize)
            guard offset >= UInt64(Trailer.magicLength), offset < UInt64(trailer.offsetTable) else {
                throw FormatError(binary: entry, .outOfBounds("object #\(reference)"))
            }
            return Int(offset)
        }

        /// A reference of a container, by its position among all of its references.
        @inline(__always)
        func reference(_ position: Int, of container: Object) throws(FormatError) -> Int {
            let place = container.start + position * trailer.referenceSize
            let reference = number(at: place, size: trailer.referenceSize)
            guard reference < UInt64(trailer.objectCount) else {
                throw FormatError(binary: place, .outOfBounds("object #\(reference)"))
            }
            return Int(reference)
        }

        /// The head of the object with a number, which must be below the number of objects.
        @inline(__always)
        func object(_ reference: Int) throws(FormatError) -> Object {
            let offset = try offset(of: reference)
            let marker = bytes[offset]
            // Text of 1 to 14 ASCII characters, by far the most frequent object.
            if marker > 0x50, marker < 0x5F {
                let end = offset + 1 + Int(marker & 0x0F)
                if end <= trailer.offsetTable {
                    return Object(kind: .ascii, offset: offset, start: offset + 1, count: end - offset - 1, end: end)
                }
            }
            // Longer text with a count of one byte, which most keys are. The trailer follows, so these bytes are there.
            if marker == 0x5F, bytes[offset + 1] == 0x10 {
                let start = offset + 3, end = start + Int(bytes[offset + 2])
                if end <= trailer.offsetTable {
                    return Object(kind: .ascii, offset: offset, start: start, count: end - start, end: end)
                }
            }
            return try object(at: offset, marker: marker)
        }

        private func object(at offset: Int, marker: UInt8) throws(FormatError) -> Object {
            let low = Int(marker & 0x0F)
            switch marker >> 4 {
            case 0x0:
                switch low {
                case 0x0: return try fixed(.null, at: offset, bytes: 0)
                case 0x8: return try fixed(.no, at: offset, bytes: 0)
                case 0x9: return try fixed(.yes, at: offset, bytes: 0)
                case 0xF: return try fixed(.fill, at: offset, bytes: 0)
                default: break
                }
            case 0x1 where low <= 4: return try fixed(.integer, at: offset, bytes: 1 << low)
            case 0x2 where low == 2: return try fixed(.single, at: offset, bytes: 4)
            case 0x2 where low == 3: return try fixed(.double, at: offset, bytes: 8)
            case 0x3 where low == 3: return try fixed(.date, at: offset, bytes: 8)
            case 0x4: return try counted(.data, at: offset, width: 1)
            case 0x5: return try counted(.ascii, at: offset, width: 1)
            case 0x6: return try counted(.utf16, at: offset, width: 2)
            case 0x8 where low <= 7: return try fixed(.uid, at: offset, bytes: low + 1)
            case 0xA: return try counted(.array, at: offset, width: trailer.referenceSize)
            case 0xB: return try counted(.orderedSet, at: offset, width: trailer.referenceSize)
            case 0xC: return try counted(.set, at: offset, width: trailer.referenceSize)
            case 0xD: return try counted(.dictionary, at: offset, width: 2 * trailer.referenceSize)
            default: break
            }
            let digits = String(marker, radix: 16, uppercase: true)
            throw FormatError(
                binary: offset, .invalid("an object of the unknown kind \(marker < 16 ? "0" : "")\(digits)"))
        }

        private func fixed(_ kind: Object.Kind, at offset: Int, bytes: Int) throws(FormatError) -> Object {
            let start = offset + 1
            guard bytes <= trailer.offsetTable - start else {
                throw FormatError(binary: offset, .outOfBounds("an object of \(bytes) bytes"))
            }
            return Object(kind: kind, offset: offset, start: start, count: bytes, end: start + bytes)
        }

        /// The head of an object whose count is in the marker or, from 15 on, in an integer after it.
        private func counted(_ kind: Object.Kind, at offset: Int, width: Int) throws(FormatError) -> Object {
            var start = offset + 1
            var count = UInt64(bytes[offset] & 0x0F)
            if count == 0x0F {
                guard start < trailer.offsetTable else {
                    throw FormatError(binary: start, .outOfBounds("a count"))
                }
                let marker = bytes[start]
                guard marker >> 4 == 0x1, marker & 0x0F <= 3 else {
                    throw FormatError(binary: start, .invalid("a count that is not an integer of 1 to 8 bytes"))
                }
                let size = 1 << Int(marker & 0x0F)
                guard size < trailer.offsetTable - start else {
                    throw FormatError(binary: start, .outOfBounds("a count"))
                }
                count = number(at: start + 1, size: size)
                start += 1 + size
            }
            guard count <= UInt64((trailer.offsetTable - start) / width) else {
                throw FormatError(binary: offset, .outOfBounds("an object with a count of \(count)"))
            }
            return Object(
                kind: kind, offset: offset, start: start, count: Int(count), end: start + Int(count) * width)
        }

        /// The bytes of an object's content.
        func content(_ object: Object) -> UnsafeRawBufferPointer { bytes(in: object.place) }

        /// The bytes at a place in the file.
        @inline(__always)
        func bytes(in place: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[place]) }
    }
}

extension BinaryPropertyList {
    /// The head of an object: what it is and where its content lies, which is within the file.
    struct Object {
        enum Kind: UInt8 {
            case null, no, yes, fill, integer, single, double, date, data, ascii, utf16, uid
            case array, orderedSet, set, dictionary
        }

        let kind: Kind
        /// Where the marker is.
        let offset: Int
        /// Where the content begins.
        let start: Int
        /// Bytes of a number or of data, code units of text, elements of an array, members of a dictionary.
        let count: Int
        /// Where the content ends.
        let end: Int

        var isContainer: Bool { kind.rawValue >= Kind.array.rawValue }

        var isText: Bool { kind == .ascii || kind == .utf16 }

        /// Where the content is.
        var place: Range<Int> { start..<end }

        /// Bytes of the content.
        var length: Int { end - start }

        /// References in a container: a dictionary has those of its keys, then those of its values.
        var referenceCount: Int { kind == .dictionary ? 2 * count : count }
    }
}
