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
        func octal(_ start: Int) -> UInt8? {
            guard start + 3 <= text.count, text[start..<start + 3].allSatisfy({ (0x30...0x37).contains($0) }) else {
                return nil
            }
            return UInt8(String(decoding: text[start..<start + 3], as: UTF8.self), radix: 8)
        }
        while index < text.count {
            var length = 1, plain = [text[index]]
            func undo(_ count: Int, _ bytes: [UInt8]) { (length, plain, isOther) = (count, bytes, true) }
            func undo(_ count: Int, _ scalar: UInt32) -> Bool {
                guard let scalar = Unicode.Scalar(scalar) else { return false }
                undo(count, Array(String(Character(scalar)).utf8))
                return true
            }
            let next = index + 1 < text.count ? text[index + 1] : 0
            switch text[index] {
            case UInt8(ascii: "%"):
                if let byte = code(index + 1, 2) {
                    undo(3, [UInt8(truncatingIfNeeded: byte)])
                } else if next == UInt8(ascii: "u"), let scalar = code(index + 2, 4) {
                    _ = undo(6, scalar)
                }
            case UInt8(ascii: "="):
                // Quoted-printable, in capitals (RFC 2045, 6.7).
                if let byte = code(index + 1, 2), !text[index + 1...index + 2].contains(where: { $0 > 0x60 }) {
                    undo(3, [UInt8(truncatingIfNeeded: byte)])
                }
            case UInt8(ascii: "\\"):
                if next == UInt8(ascii: "u"), let scalar = code(index + 2, 4), undo(6, scalar) {
                } else if next == UInt8(ascii: "x"), let byte = code(index + 2, 2) {
                    undo(4, [UInt8(truncatingIfNeeded: byte)])
                } else if let byte = octal(index + 1) {
                    undo(4, [byte])
                } else if let byte = Self.letters[next] {
                    // As JSON and logs write the end of a line: its letter is none of the word behind it.
                    undo(2, [byte])
                }
            case UInt8(ascii: "^") where next == UInt8(ascii: "["): undo(2, [0x1B])
            case 0x1B, 0xC2:
                // A colour, or another order to a terminal.
                if let end = Self.endOfOrder(text, index) { undo(end - index, [UInt8(ascii: " ")]) }
            case UInt8(ascii: "&"):
                if let (count, scalar) = Self.entity(text, index) { _ = undo(count, scalar) }
            default: break
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

    private static func isEscape(_ byte: UInt8) -> Bool { isEscape[Int(byte)] }

    private static let isEscape: [Bool] = (0...255).map { [0x25, 0x3D, 0x5C, 0x5E, 0x26, 0x1B, 0xC2].contains($0) }

    /// Where an order to a terminal ends that may begin at a place (ECMA-48, 5.3 and 5.4; ECMA-35, 13): `ESC [ 3 1 m`,
    /// the same with U+009B, or `ESC ( B`.
    private static func endOfOrder(_ text: [UInt8], _ start: Int) -> Int? {
        guard start + 2 < text.count else { return nil }
        let (first, second) = (text[start], text[start + 1])
        let isLong = first == 0x1B ? second == UInt8(ascii: "[") : second == 0x9B
        guard isLong || first == 0x1B && (0x20...0x2F).contains(second) else { return nil }
        let (middle, final): (ClosedRange<UInt8>, ClosedRange<UInt8>) =
            isLong ? (0x20...0x3F, 0x40...0x7E) : (0x20...0x2F, 0x30...0x7E)
        guard let end = text[(start + 2)...].firstIndex(where: { !middle.contains($0) }), final.contains(text[end])
        else { return nil }
        return end + 1
    }

    /// What HTML writes for a character, and how long that is.
    private static func entity(_ text: [UInt8], _ start: Int) -> (count: Int, scalar: UInt32)? {
        let rest = text[start...].prefix(10)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: text[start + 1..<end], as: UTF8.self), count = end + 1 - start
        if let known = entities[name] { return (count, known.value) }
        guard name.hasPrefix("#") else { return nil }
        let isHexadecimal = name.dropFirst().first?.lowercased() == "x", digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.first?.isHexDigit ?? false, let scalar = UInt32(digits, radix: isHexadecimal ? 16 : 10) else {
            return nil
        }
        return (count, scalar)
    }

    private static let letters: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "v"): 0x0B, UInt8(ascii: "e"): 0x1B,
    ]

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        SecretShapes.isDigit(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    /// The names that HTML has for what it needs itself, and for what stands between a word and its value.
    private static let entities: [String: Unicode.Scalar] = [
        "quot": "\"", "apos": "'", "amp": "&", "lt": "<", "gt": ">", "colon": ":", "equals": "=", "comma": ",",
        "nbsp": " ", "Tab": "\t", "NewLine": "\n",
    ]
}
