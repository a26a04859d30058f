import Foundation

extension StoreFormat {
    /// How many bytes show whether a look at all of them is worth it.
    private static let glance = 64

    /// The text that bytes are, or `nil` where they are none.
    ///
    /// Text is UTF-8 without control characters but white space, and not empty. NULs at its end, which C and old exports
    /// of keychains write, are no part of it, and another format.
    static func text(in data: Data, within budget: DecodingBudget) throws(FormatError) -> DecodedValue? {
        let beginning = data.prefix(glance).prefix { $0 != 0 }
        guard !beginning.isEmpty, beginning.allSatisfy(isText) else { return nil }
        try budget.pay(for: data.count, of: .text)
        let content = data[...(data.lastIndex { $0 != 0 } ?? data.startIndex)]
        guard content.allSatisfy(isText), let text = String(validating: content, as: UTF8.self), !text.utf8.hasC1
        else { return nil }
        return DecodedValue(formats: [content.count < data.count ? .terminatedText : .text], value: .string(text))
    }

    /// The scalar of JSON that text is, or `nil` where it is none; a word that is not JSON is no error.
    static func jsonScalar(in text: String) -> Value? {
        guard let first = text.utf8.first(where: { !JSONText.isSpace($0) }) else { return nil }
        switch first {
        case UInt8(ascii: "\""), UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            break
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            guard text.utf8.count < glance else { return nil }
        default: return nil
        }
        return try? JSONDocument(Data(text.utf8)).value
    }

    private static func isText(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || JSONText.isSpace(byte)
    }
}

extension String.UTF8View {
    /// Whether a control character of C1 (U+0080 to U+009F) is in this text: C2 and a byte below A0.
    fileprivate var hasC1: Bool {
        var isSecond = false
        for byte in self {
            if isSecond, byte < 0xA0 { return true }
            isSecond = byte == 0xC2
        }
        return false
    }
}

/// Base64 (RFC 4648, section 4) with white space anywhere.
enum Base64 {
    /// The six bits that a character stands for; `nil` where it stands for none.
    static func sextet(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x41...0x5A: byte - 0x41
        case 0x61...0x7A: byte - 0x61 + 26
        case 0x30...0x39: byte - 0x30 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

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
