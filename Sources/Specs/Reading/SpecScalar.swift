import StoreFormats

/// What a scalar of a spec file is.
///
/// Plain ones are `true`, `false`, `null`, decimal integers, decimals such as `1.5`, else text. Those that readers of YAML
/// take for different things are refused, as `08989` that became 1122 and `no` that became false.
enum SpecScalar {
    case value(Value)
    /// Why it is refused, and what to write.
    case doubtful(String, fix: String)

    init(_ text: String, isPlain: Bool) {
        guard isPlain else {
            self = .value(.string(text))
            return
        }
        switch text {
        case "true": self = .value(.bool(true))
        case "false": self = .value(.bool(false))
        case "null": self = .value(.null)
        case "": self = .doubtful("nothing stands here", fix: #"Write null, or "" for an empty text."#)
        case "~": self = .doubtful("~ is null to some readers", fix: #"Write null, or "~" for the text."#)
        // Nothing else is taken for a number, a date or a time.
        case _ where text.utf8.first.map(Self.mayBeginNumber) != true:
            if text.utf8.count <= 5, text.utf8.first.map(Self.mayBeginWord) ?? false,
                let meaning = Self.words[text.lowercased()]
            {
                self = .doubtful(
                    "\(text) is \(meaning) to some readers", fix: "Write \(meaning), or \"\(text)\" for the text.")
            } else {
                self = .value(.string(text))
            }
        default:
            if let doubt = Self.doubt(about: text) {
                self = .doubtful(
                    "\(text) is \(doubt) to some readers",
                    fix: doubt == "a date"
                        ? "Write \"\(text)\" for the text, or {type: date, value: \"\(text)\"} where a date is given."
                        : "Write the number in digits, or \"\(text)\" for the text.")
            } else {
                self = Self.number(text)
            }
        }
    }

    private static let words = [
        "yes": "true", "no": "false", "on": "true", "off": "false", "y": "true", "n": "false", "true": "true",
        "false": "false", "null": "null",
    ]

    private static func mayBeginNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    /// Whether one of ``words`` may begin so.
    private static func mayBeginWord(_ byte: UInt8) -> Bool {
        switch byte | 0x20 {
        case UInt8(ascii: "y"), UInt8(ascii: "n"), UInt8(ascii: "o"), UInt8(ascii: "t"), UInt8(ascii: "f"): true
        default: false
        }
    }

    /// What some readers take a text for that looks like a number.
    private static func doubt(about text: String) -> String? {
        let body = text.drop { "+-".contains($0) }.lowercased()
        guard let first = body.first, first.isASCII, first.isNumber || first == "." else { return nil }
        func isOf(_ characters: String, _ text: some StringProtocol) -> Bool {
            !text.isEmpty && text.allSatisfy(characters.contains)
        }
        let digits = "0123456789"
        if [".inf", ".nan"].contains(body) { return "no number" }
        if body.hasPrefix("0x"), isOf(digits + "abcdef_", body.dropFirst(2)) { return "a hexadecimal number" }
        if body.hasPrefix("0o") || body.hasPrefix("0b"), isOf(digits + "_", body.dropFirst(2)) { return "a number" }
        if body.count > 1, body.hasPrefix("0"), isOf(digits, body) { return "an octal number" }
        if body.contains("_"), isOf(digits + "_.", body) { return "a number" }
        if body.contains(":"), isOf(digits + ":.", body) { return "a number of base 60" }
        let dashes = body.split(separator: "-", omittingEmptySubsequences: false)
        if dashes.count == 3, dashes[0].count == 4, isOf(digits, dashes[0]), isOf(digits, dashes[1]),
            dashes[2].first.map(digits.contains) ?? false
        {
            return "a date"
        }
        let exponent = body.split(separator: "e", omittingEmptySubsequences: false)
        if exponent.count == 2, isOf(digits + ".", exponent[0]), isOf(digits + "+-", exponent[1]) { return "a number" }
        if text.hasPrefix("+") || body.hasPrefix(".") || body.hasSuffix("."), isOf(digits + ".", body),
            body.count(where: { $0 == "." }) < 2
        {
            return "a number"
        }
        return nil
    }

    private static func number(_ text: String) -> SpecScalar {
        let body = text.utf8.first == UInt8(ascii: "-") ? Substring(text.dropFirst()) : text[...]
        let parts = body.split(separator: ".", omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard areDigits, parts.count <= 2 else { return .value(.string(text)) }
        if parts.count == 1 {
            guard let integer = Int128(text) else {
                return .doubtful("\(text) has more than 128 bits", fix: "Put it in quotes, if it is text.")
            }
            return .value(.integer(integer))
        }
        guard parts[0] == "0" || !parts[0].hasPrefix("0"), let real = Double(text) else {
            return .doubtful("\(text) begins with a zero", fix: "Write it without, or in quotes.")
        }
        guard real.isFinite else {
            return .doubtful(
                "\(text.prefix(20))… is more than a real number holds", fix: "Put it in quotes, if it is text.")
        }
        return .value(.real(Real(real)))
    }
}
