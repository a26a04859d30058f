extension SpecText {
    /// JSON in the words of YAML: tabs between the parts as blanks, and a character in two halves (`\ud83d\ude00`) as one, so
    /// that every part behind it keeps its place; any other text as it is.
    static func yaml(of text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.first(where: { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }) == UInt8(ascii: "{") else { return text }
        var result: [UInt8] = [], isQuoted = false, saved = 0, index = 0
        result.reserveCapacity(bytes.count)
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch (byte, isQuoted) {
            case (UInt8(ascii: "\\"), true):
                if let scalar = surrogates(in: bytes, at: index) {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    result += "\\U\(String(repeating: "0", count: 8 - digits.count))\(digits)".utf8
                    (index, saved) = (index + 11, saved + 2)
                } else {
                    result.append(byte)
                    if index < bytes.count { result.append(bytes[index]) }
                    index += 1
                }
            case (UInt8(ascii: "\""), _):
                result.append(byte)
                if isQuoted {
                    result += [UInt8](repeating: 0x20, count: saved)
                    saved = 0
                }
                isQuoted.toggle()
            case (0x09, false): result.append(0x20)
            // JSON has neither; here they begin what a tab may be a part of.
            case (UInt8(ascii: "'"), false), (UInt8(ascii: "#"), false): return text
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The character that two escapes of four digits are together, the first of which begins behind a backslash.
    private static func surrogates(in bytes: [UInt8], at index: Int) -> Unicode.Scalar? {
        func unit(at start: Int) -> UInt32? {
            guard start + 5 <= bytes.count, bytes[start] == UInt8(ascii: "u"),
                let digits = String(validating: bytes[(start + 1)..<(start + 5)], as: UTF8.self)
            else { return nil }
            return UInt32(digits, radix: 16)
        }
        guard let high = unit(at: index), (0xD800..<0xDC00).contains(high), index + 5 < bytes.count,
            bytes[index + 5] == UInt8(ascii: "\\"), let low = unit(at: index + 6), (0xDC00..<0xE000).contains(low)
        else { return nil }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }
}
