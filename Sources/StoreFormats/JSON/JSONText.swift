/// The tokens of JSON text.
enum JSONText {
    /// What is wrong with a token, and where.
    struct Flaw: Error {
        var what: String
        var offset: Int
    }

    /// The first offset from here on that holds no white space.
    static func skippingSpace(in bytes: [UInt8], from start: Int) -> Int {
        var position = start
        while position < bytes.count, isSpace(bytes[position]) { position += 1 }
        return position
    }

    /// Whether a byte is white space of JSON.
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    // MARK: Numbers

    /// The offset after a number that begins here, or `nil` where none does (RFC 8259, section 6).
    static func numberEnd(in bytes: [UInt8], at start: Int) -> Int? {
        var position = start
        func digits() -> Int {
            var count = 0
            while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
                (position, count) = (position + 1, count + 1)
            }
            return count
        }
        func skip(_ allowed: UInt8...) -> Bool {
            guard position < bytes.count, allowed.contains(bytes[position]) else { return false }
            position += 1
            return true
        }
        _ = skip(UInt8(ascii: "-"))
        let first = position
        let whole = digits()
        guard whole == 1 || (whole > 1 && bytes[first] != UInt8(ascii: "0")) else { return nil }
        if skip(UInt8(ascii: ".")), digits() == 0 { return nil }
        if skip(UInt8(ascii: "e"), UInt8(ascii: "E")) {
            _ = skip(UInt8(ascii: "+"), UInt8(ascii: "-"))
            if digits() == 0 { return nil }
        }
        return position
    }

    /// The value of a number that stands at a place.
    static func number(in bytes: [UInt8], at range: Range<Int>) -> Value {
        // Most numbers are short and whole, and need no text.
        if range.count < 18 {
            var number = 0, position = range.lowerBound
            let isNegative = bytes[position] == UInt8(ascii: "-")
            if isNegative { position += 1 }
            while position < range.upperBound, (0x30...0x39).contains(bytes[position]) {
                number = number * 10 + Int(bytes[position] - 0x30)
                position += 1
            }
            // −0 is not the integer 0.
            if position == range.upperBound, !isNegative || number != 0 {
                return .integer(Int128(isNegative ? -number : number))
            }
        }
        return number(String(decoding: bytes[range], as: UTF8.self))
    }

    /// The value that keeps the text of a number: an integer or a `Double` where that is how they are written, else the text.
    static func number(_ text: String) -> Value {
        // 40 characters are the longest Int128 with its sign, and no shortest Double is longer.
        if text.utf8.count <= 40 {
            if let integer = Int128(text), String(integer) == text { return .integer(integer) }
            if let real = Double(text), real.description == text { return .real(real) }
        }
        return .real(Real(Double(text) ?? .nan, form: .literal(text)))
    }

    // MARK: Strings

    /// The offset after a string that begins here, in text that has been read before.
    static func stringEnd(in bytes: [UInt8], at start: Int) -> Int {
        var position = start + 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(position + 1, bytes.count)
    }

    /// The text of a string that begins here, in bytes that are UTF-8, and the offset after it.
    ///
    /// An escape of half a surrogate pair stands for no character; it reads as U+FFFD.
    static func string(in bytes: [UInt8], at start: Int) throws(Flaw) -> (text: String, end: Int) {
        var position = start + 1
        var segment = position
        var text = ""
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let last = String(decoding: bytes[segment..<position], as: UTF8.self)
                return (text.isEmpty ? last : text + last, position + 1)
            case UInt8(ascii: "\\"):
                text += String(decoding: bytes[segment..<position], as: UTF8.self)
                guard let (scalar, end) = escape(in: bytes, at: position) else {
                    throw Flaw(what: "this escape is unknown", offset: position)
                }
                text.unicodeScalars.append(scalar)
                (position, segment) = (end, end)
            case 0x00..<0x20:
                throw Flaw(what: "a control character in a string must be escaped", offset: position)
            default: position += 1
            }
        }
        throw Flaw(what: "the string does not end", offset: start)
    }

    /// The character of an escape that begins here, and the offset after it.
    private static func escape(in bytes: [UInt8], at start: Int) -> (Unicode.Scalar, Int)? {
        guard start + 1 < bytes.count else { return nil }
        switch bytes[start + 1] {
        case UInt8(ascii: "\""): return ("\"", start + 2)
        case UInt8(ascii: "\\"): return ("\\", start + 2)
        case UInt8(ascii: "/"): return ("/", start + 2)
        case UInt8(ascii: "b"): return ("\u{8}", start + 2)
        case UInt8(ascii: "f"): return ("\u{C}", start + 2)
        case UInt8(ascii: "n"): return ("\n", start + 2)
        case UInt8(ascii: "r"): return ("\r", start + 2)
        case UInt8(ascii: "t"): return ("\t", start + 2)
        case UInt8(ascii: "u"):
            guard let high = unit(in: bytes, at: start) else { return nil }
            if let scalar = Unicode.Scalar(high) { return (scalar, start + 6) }
            guard high < 0xDC00, let low = unit(in: bytes, at: start + 6), (0xDC00...0xDFFF).contains(low),
                let scalar = Unicode.Scalar(0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
            else { return ("\u{FFFD}", start + 6) }
            return (scalar, start + 12)
        default: return nil
        }
    }

    /// The code unit of a `\uXXXX` that begins here.
    private static func unit(in bytes: [UInt8], at start: Int) -> UInt16? {
        guard bytes.holds("\\u", at: start), start + 6 <= bytes.count else { return nil }
        var unit: UInt16 = 0
        for byte in bytes[start + 2..<start + 6] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
