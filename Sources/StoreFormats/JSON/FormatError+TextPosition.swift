import Foundation

extension FormatError {
    /// An error in UTF-8 text, at the line and column of an offset.
    ///
    /// Counts lines only here, so that reading pays nothing for it.
    init(_ format: StoreFormat, in bytes: [UInt8], at offset: Int, _ problem: Problem) {
        let end = min(max(offset, 0), bytes.count)
        let feed = UInt8(ascii: "\n"), carriageReturn = UInt8(ascii: "\r")
        var line = 1, lineStart = 0
        for index in 0..<end {
            let endsLine =
                bytes[index] == feed
                || (bytes[index] == carriageReturn && (index + 1 == bytes.count || bytes[index + 1] != feed))
            if endsLine { (line, lineStart) = (line + 1, index + 1) }
        }
        // A byte of the form 10xxxxxx continues a character.
        let column = bytes[lineStart..<end].reduce(1) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
        self.init(format, at: .line(line, column: column, offset: end), problem)
    }
}

extension [UInt8] {
    /// Where the first byte lies that is not part of valid UTF-8, or `nil`.
    var firstInvalidUTF8: Int? { withUnsafeBufferPointer(\.firstInvalidUTF8) }

    /// Whether these bytes stand at an offset.
    func holds(_ text: StaticString, at offset: Int) -> Bool {
        withUnsafeBufferPointer { $0.holds(text, at: offset) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Where the first byte lies that is not part of valid UTF-8, or `nil`; looks at a piece after the other, as the look
    /// makes a copy.
    var firstInvalidUTF8: Int? {
        var start = 0
        while start < count {
            var end = Swift.min(start + 1 << 16, count)
            // A piece ends where a character begins; none has more than three bytes after its first.
            for _ in 0..<3 where end < count && self[end] & 0xC0 == 0x80 { end += 1 }
            let piece = UnsafeBufferPointer(rebasing: self[start..<end])
            if String(validating: piece, as: UTF8.self) == nil {
                var decoder = UTF8(), iterator = piece.makeIterator(), offset = start
                while case .scalarValue(let scalar) = decoder.decode(&iterator) {
                    offset += UTF8.width(scalar)
                }
                return offset
            }
            start = end
        }
        return nil
    }

    /// Whether these bytes stand at an offset.
    func holds(_ text: StaticString, at offset: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard offset >= 0, count - offset >= length, let base = baseAddress else { return false }
        return memcmp(base + offset, text.utf8Start, length) == 0
    }
}
