import Foundation

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
