/// A text whose characters are written in other characters, as in a part of an address (`%22`) or in JSON (`\\u0022`, `\\n`), or
/// that has orders to a terminal, in plain, with the place of each byte in the text.
struct EscapedText {
    private(set) var bytes: [UInt8] = []
    /// Where each byte of the plain text begins in the other, and where that ends.
    private(set) var starts: [Int] = []

    /// `nil` where nothing is written in other characters.
    init?(_ text: [UInt8]) {
        guard text.contains(where: Self.isEscape) else { return nil }
        var index = 0, isOther = false
        func code(_ start: Int, _ digits: Int) -> UInt32? {
            // A number with a sign is no code.
            guard start + digits <= text.count, text[start..<start + digits].allSatisfy(Self.isHexadecimal) else {
                return nil
            }
            return UInt32(String(decoding: text[start..<start + digits], as: UTF8.self), radix: 16)
        }
        while index < text.count {
            var length = 1, plain = [text[index]]
            if text[index] == UInt8(ascii: "%"), let byte = code(index + 1, 2) {
                (length, plain, isOther) = (3, [UInt8(truncatingIfNeeded: byte)], true)
            } else if text[index] == UInt8(ascii: "\\"), index + 1 < text.count, text[index + 1] == UInt8(ascii: "u"),
                let scalar = code(index + 2, 4).flatMap(Unicode.Scalar.init)
            {
                (length, plain, isOther) = (6, Array(String(Character(scalar)).utf8), true)
            } else if text[index] == UInt8(ascii: "\\"), index + 1 < text.count,
                let space = Self.spaces[text[index + 1]]
            {
                // As JSON and logs write the end of a line: its letter is none of the word behind it.
                (length, plain, isOther) = (2, [space], true)
            } else if text[index] == 0x1B, index + 1 < text.count, text[index + 1] == UInt8(ascii: "["),
                let end = text[(index + 2)...].firstIndex(where: { !(0x20...0x3F).contains($0) }),
                (0x40...0x7E).contains(text[end])
            {
                // A colour, or another order to a terminal (ECMA-48, 5.4).
                (length, plain, isOther) = (end - index + 1, [UInt8(ascii: " ")], true)
            } else if text[index] == UInt8(ascii: "&"),
                let entity = Self.entities.first(where: { entity in
                    text[index...].starts(with: entity.name)
                })
            {
                (length, plain, isOther) = (entity.name.count, [entity.byte], true)
            }
            bytes += plain
            starts += plain.map { _ in index }
            index += length
        }
        guard isOther else { return nil }
        starts.append(text.count)
    }

    /// What a text says with its escapes undone: once, and again where that has some, as of an address within an address.
    static func levels(of text: [UInt8]) -> [EscapedText] {
        var levels: [EscapedText] = [], last = text
        while levels.count < 4, var plain = EscapedText(last) {
            last = plain.bytes
            if let outer = levels.last { plain.starts = plain.starts.map { outer.starts[$0] } }
            levels.append(plain)
        }
        return levels
    }

    /// Where a part of the plain text stands in the text.
    func place(of range: Range<Int>) -> Range<Int> { starts[range.lowerBound]..<starts[range.upperBound] }

    private static func isEscape(_ byte: UInt8) -> Bool { byte == 0x25 || byte == 0x5C || byte == 0x26 || byte == 0x1B }

    private static let spaces: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        SecretShapes.isDigit(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    /// What HTML writes for the characters that it needs itself.
    private static let entities: [(name: [UInt8], byte: UInt8)] = [
        ("&quot;", "\""), ("&#34;", "\""), ("&#x22;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&#x27;", "'"),
        ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&#58;", ":"), ("&#61;", "="),
    ].map { (Array($0.0.utf8), UInt8(ascii: $0.1)) }
}
