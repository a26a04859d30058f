import MigrationEngine
import StoreFormats

/// A value that a rule names: what it compares with, takes off, puts into a text, or makes of what by a table.
///
/// Such a value may be what an entry holds, and is as secret as that. What a rule makes up of nothing is told by itself.
struct RuleValue {
    /// Where it stands in the rule, with the marks around it.
    let range: Range<Int>
    let value: Value

    /// Those that a rule names, in order, apart from one another.
    static func all(in bytes: [UInt8]) -> [RuleValue] {
        let mark = "“".utf8.count
        var found = SecretTexts.quotes(in: bytes).map { quote in
            RuleValue(
                range: quote.lowerBound - mark..<min(bytes.count, quote.upperBound + mark),
                value: .string(String(decoding: bytes[quote], as: UTF8.self)))
        }
        for arrow in places(of: " → ", in: bytes) {
            found += [before(arrow.lowerBound, in: bytes), behind(arrow.upperBound, in: bytes)].compactMap(\.self)
        }
        for word in [", else "] + comparisons {
            for place in places(of: word, in: bytes) {
                guard let value = behind(place.upperBound, in: bytes) else { continue }
                // Words behind “is” say what is tested; a text that it is stands in quotes.
                if word == ", else " || value.value.string == nil { found.append(value) }
            }
        }
        found.sort { ($0.range.lowerBound, -$0.range.count) < ($1.range.lowerBound, -$1.range.count) }
        var last = 0
        return found.filter { one in
            guard one.range.lowerBound >= last else { return false }
            last = one.range.upperBound
            return true
        }
    }

    private static let comparisons = [" is ", " is not ", " is above ", " is below ", " is at least ", " is at most "]

    private static func places(of word: String, in bytes: [UInt8]) -> [Range<Int>] {
        let word = Array(word.utf8)
        var found: [Range<Int>] = [], start = 0
        while let range = bytes[start...].firstRange(of: word) {
            found.append(range)
            // The space behind it may stand before the next.
            start = range.upperBound - 1
        }
        return found
    }

    /// What a table has an old value as: a word, or JSON's text.
    private static func before(_ end: Int, in bytes: [UInt8]) -> RuleValue? {
        guard end > 0 else { return nil }
        var start = end - 1
        if bytes[start] == quote {
            while start > 0 {
                start -= 1
                if bytes[start] == quote, bytes[..<start].reversed().prefix(while: { $0 == backslash }).count % 2 == 0 {
                    break
                }
            }
        } else {
            start = bytes[..<end].lastIndex(of: 0x20).map { $0 + 1 } ?? 0
        }
        return RuleValue(start..<end, in: bytes)
    }

    /// What stands behind a sign: JSON's text, or a word up to a sign that ends it.
    private static func behind(_ start: Int, in bytes: [UInt8]) -> RuleValue? {
        var end = start, depth = 0, isText = false
        loop: while end < bytes.count {
            switch bytes[end] {
            case backslash where isText: end += 1
            case quote: isText.toggle()
            case _ where isText: break
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","), UInt8(ascii: ";"), 0x20: if depth <= 0 { break loop }
            default: break
            }
            end += 1
        }
        return RuleValue(start..<min(end, bytes.count), in: bytes)
    }

    private static let quote = UInt8(ascii: "\""), backslash = UInt8(ascii: "\\")

    private init?(_ range: Range<Int>, in bytes: [UInt8]) {
        let text = String(decoding: bytes[range], as: UTF8.self)
        guard !text.isEmpty, !["null", "true", "false"].contains(text) else { return nil }
        self.range = range
        switch text.first {
        case "{": value = .dictionary([("x", .string(text))])
        case "[": value = .array([.string(text)])
        case "\"": value = .string(String(text.dropFirst().dropLast()))
        default: value = Int128(text).map(Value.integer) ?? Double(text).map { .real(Real($0)) } ?? .string(text)
        }
    }

    private init(range: Range<Int>, value: Value) { (self.range, self.value) = (range, value) }
}
