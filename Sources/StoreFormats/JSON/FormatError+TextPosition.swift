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
    var firstInvalidUTF8: Int? {
        guard String(validating: self, as: UTF8.self) == nil else { return nil }
        var decoder = UTF8(), iterator = makeIterator(), offset = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            offset += UTF8.width(scalar)
        }
        return offset
    }

    /// Whether these bytes stand at an offset.
    func holds(_ text: StaticString, at offset: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard offset >= 0, count - offset >= length else { return false }
        return text.withUTF8Buffer { buffer in self[offset..<offset + length].elementsEqual(buffer) }
    }
}
