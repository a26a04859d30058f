import Foundation

/// The text of the scalars of an XML property list.
enum XMLScalar {
    /// A whole number: a sign or none, then digits, or `0x` and hexadecimal digits.
    static func integer(_ text: String) -> Int128? {
        var digits = Substring(text)
        let isNegative = digits.hasPrefix("-")
        if isNegative || digits.hasPrefix("+") { digits.removeFirst() }
        let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        if isHexadecimal { digits.removeFirst(2) }
        guard let first = digits.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "+") else { return nil }
        return Int128((isNegative ? "-" : "") + digits, radix: isHexadecimal ? 16 : 10)
    }

    /// A number as C and Python write them in decimal, with `nan`, `inf` and `infinity` in any case.
    static func real(_ text: String) -> Double? {
        var rest = text.lowercased()[...]
        let isNegative = rest.hasPrefix("-")
        if isNegative || rest.hasPrefix("+") { rest.removeFirst() }
        switch rest {
        case "nan": return isNegative ? -Double.nan : .nan
        case "inf", "infinity": return isNegative ? -.infinity : .infinity
        default: break
        }
        var digits = 0, hasPoint = false, exponent: Substring.UTF8View?
        for (index, byte) in zip(rest.utf8.indices, rest.utf8) {
            if (0x30...0x39).contains(byte) {
                digits += 1
            } else if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else if byte == UInt8(ascii: "e") {
                exponent = rest.utf8[rest.utf8.index(after: index)...]
                break
            } else {
                return nil
            }
        }
        guard digits > 0 else { return nil }
        if var exponent {
            if exponent.first == UInt8(ascii: "-") || exponent.first == UInt8(ascii: "+") { exponent.removeFirst() }
            guard !exponent.isEmpty, exponent.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        }
        return Double((isNegative ? "-" : "") + rest)
    }

    /// A point in time `yyyy-MM-ddTHH:mm:ssZ`; the smaller units may be missing.
    static func date(_ text: String) -> Timestamp? {
        let bytes = Array(text.utf8)
        guard bytes.last == UInt8(ascii: "Z"), [5, 8, 11, 14, 17, 20].contains(bytes.count) else { return nil }
        var parts = [0, 1, 1, 0, 0, 0]
        var position = 0
        for (part, separator) in ["", "-", "-", "T", ":", ":"].enumerated() where position < bytes.count - 1 {
            guard bytes[position...].starts(with: separator.utf8) else { return nil }
            position += separator.utf8.count
            let digits = bytes[position..<position + (part == 0 ? 4 : 2)]
            guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            parts[part] = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            position += digits.count
        }
        return Timestamp(
            year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4], second: parts[5])
    }
}
