import Foundation
import MigrationEngine
import StoreFormats

/// The attributes of a keychain item as the system encrypts them: a DER set of pairs of a name and a value.
enum KeychainAttributes {
    /// Why bytes are none, in words.
    struct Damage: Error { let words: String }

    /// Reads them; what follows the set is padding.
    static func read(_ data: Data) throws(Damage) -> Members {
        var outer = Reader(rest: data), members = Members()
        guard let set = try outer.next(), set.tag == 0x31 else { throw Damage(words: "its attributes are no set") }
        var pairs = Reader(rest: set.content)
        while let pair = try pairs.next() {
            guard pair.tag == 0x30 else { throw Damage(words: "its attributes have something that is no pair") }
            var parts = Reader(rest: pair.content)
            guard let name = try parts.next(), name.tag == 0x0C, let value = try parts.next(), parts.rest.isEmpty else {
                throw Damage(words: "an attribute is no pair of a name and a value")
            }
            guard let key = String(validating: name.content, as: UTF8.self) else {
                throw Damage(words: "the name of an attribute is not UTF-8")
            }
            members.all.append(Member(key: Name(key), value: try Self.value(value)))
        }
        return members
    }

    private static func value(_ part: (tag: UInt8, content: Data)) throws(Damage) -> Value {
        switch part.tag {
        case 0x01: return .bool(part.content.contains { $0 != 0 })
        case 0x02:
            guard (1...16).contains(part.content.count) else { throw Damage(words: "a number has too many digits") }
            // The first bit is the sign.
            let start: Int128 = part.content.first.map { $0 & 0x80 != 0 } == true ? -1 : 0
            return .integer(part.content.reduce(start) { $0 << 8 | Int128($1) })
        case 0x04: return .data(Data(part.content))
        case 0x05: return .null
        case 0x0C, 0x13, 0x16:
            guard let text = String(validating: part.content, as: UTF8.self) else {
                throw Damage(words: "a text is not UTF-8")
            }
            return .string(text)
        case 0x18:
            let text = String(decoding: part.content, as: UTF8.self)
            return date(text).map(Value.date) ?? .string(text)
        // Whatever else it is, its bytes are shown.
        default: return .data(Data(part.content))
        }
    }

    /// A time such as `20230405060708.123Z`.
    private static func date(_ text: String) -> Timestamp? {
        guard text.hasSuffix("Z"), text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.count <= 2, whole.utf8.count == 14,
            parts.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        let digits = Array(whole)
        func number(_ range: Range<Int>) -> Int { Int(String(digits[range])) ?? -1 }
        let date = Timestamp(
            year: number(0..<4), month: number(4..<6), day: number(6..<8), hour: number(8..<10),
            minute: number(10..<12),
            second: number(12..<14))
        guard let date, parts.count == 2 else { return date }
        return Timestamp(secondsSinceReference: date.secondsSinceReference + (Double("0.\(parts[1])") ?? 0))
    }

    /// Takes one element after the other; a length that leads past the end is an error.
    private struct Reader {
        var rest: Data

        mutating func next() throws(Damage) -> (tag: UInt8, content: Data)? {
            guard let tag = rest.first else { return nil }
            rest = rest.dropFirst()
            guard let start = rest.first else { throw Damage(words: "its attributes end within one") }
            rest = rest.dropFirst()
            var length = Int(start)
            if start >= 0x80 {
                let count = Int(start & 0x7F)
                guard (1...4).contains(count), rest.count >= count else {
                    throw Damage(words: "a length in its attributes is none")
                }
                length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(count)
            }
            guard rest.count >= length else { throw Damage(words: "a length in its attributes leads past their end") }
            defer { rest = rest.dropFirst(length) }
            return (tag, Data(rest.prefix(length)))
        }
    }
}
