/// Percent-encoding of RFC 3986, section 2, over UTF-8.
enum PercentEncoding {
    /// The text with all but unreserved characters, and slashes where they are kept, encoded.
    static func encode(_ text: String, keepingSlashes: Bool = false) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "/") where keepingSlashes: encoded += "/"
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }

    /// The text with every `%XX` decoded, or `nil` where one is malformed or the bytes are not UTF-8.
    static func decode(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = [], rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
