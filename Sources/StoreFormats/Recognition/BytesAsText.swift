import Foundation

/// Base64 (RFC 4648, section 4) with white space anywhere.
enum Base64 {
    /// The bytes, or `nil` where this is not base64 or its padding is wrong.
    ///
    /// Foundation on Linux takes padding in the middle, so that is checked here.
    static func decoded(_ text: some Sequence<UInt8>) -> Data? {
        let compact = Data(text.lazy.filter { !JSONText.isSpace($0) })
        let padding = UInt8(ascii: "=")
        if let first = compact.firstIndex(of: padding) {
            guard compact.count - first <= 2, compact[first...].allSatisfy({ $0 == padding }) else { return nil }
        }
        return Data(base64Encoded: compact)
    }
}

/// Bytes as hexadecimal digits.
package enum Hexadecimal {
    /// Two digits a byte, in lower case, with a separator between bytes.
    package static func text(_ bytes: some Sequence<UInt8>, separator: String = "") -> String {
        let digits = Array("0123456789abcdef".utf8), separator = Array(separator.utf8)
        var text: [UInt8] = []
        for byte in bytes {
            if !text.isEmpty { text += separator }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes; `nil` for an odd number of digits, and for anything that is no digit.
    package static func data(_ digits: some Collection<UInt8>) -> Data? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var data = Data(capacity: digits.count / 2), high: UInt8?
        for byte in digits {
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x61...0x66: digit = byte - 0x61 + 10
            case 0x41...0x46: digit = byte - 0x41 + 10
            default: return nil
            }
            if let first = high {
                data.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return data
    }
}
