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
        func octal(_ start: Int) -> (count: Int, byte: UInt8)? {
            let digits = text[start...].prefix(3).prefix { (0x30...0x37).contains($0) }
            return UInt8(String(decoding: digits, as: UTF8.self), radix: 8).map { (digits.count, $0) }
        }
        while index < text.count {
            var length = 1, plain = [text[index]]
            func undo(_ count: Int, _ bytes: [UInt8]) { (length, plain, isOther) = (count, bytes, true) }
            func undo(_ count: Int, _ scalar: UInt32) {
                // Half a pair stands for no letter.
                undo(count, Unicode.Scalar(scalar).map { Array(String(Character($0)).utf8) } ?? [UInt8(ascii: " ")])
            }
            /// In braces, of which Swift's and Perl's have up to eight digits.
            func braced(_ start: Int) -> (count: Int, scalar: UInt32)? {
                guard start < text.count, text[start] == UInt8(ascii: "{"),
                    let end = text[start...].prefix(10).firstIndex(of: UInt8(ascii: "}")), end > start + 1
                else { return nil }
                return code(start + 1, end - start - 1).map { (end + 1 - start, $0) }
            }
            let next = index + 1 < text.count ? text[index + 1] : 0
            switch text[index] {
            case UInt8(ascii: "%"):
                if let byte = code(index + 1, 2) {
                    undo(3, [UInt8(truncatingIfNeeded: byte)])
                } else if next == UInt8(ascii: "u"), let scalar = code(index + 2, 4) {
                    undo(6, scalar)
                }
            case UInt8(ascii: "="):
                // Quoted-printable, in capitals, where a line goes on behind its end (RFC 2045, 6.7).
                if let byte = code(index + 1, 2), !text[index + 1...index + 2].contains(where: { $0 > 0x60 }) {
                    undo(3, [UInt8(truncatingIfNeeded: byte)])
                } else if let end = Self.endOfLine(text, index + 1) {
                    undo(end - index, [])
                }
            case UInt8(ascii: "\\"):
                if [UInt8(ascii: "u"), UInt8(ascii: "x")].contains(next), let (count, scalar) = braced(index + 2) {
                    undo(2 + count, scalar)
                } else if next == UInt8(ascii: "U"), let scalar = code(index + 2, 8), scalar <= 0x10FFFF {
                    undo(10, scalar)
                } else if next | 0x20 == UInt8(ascii: "u"), let scalar = code(index + 2, 4) {
                    // In capitals as descriptions of property lists have it.
                    undo(6, scalar)
                } else if next == UInt8(ascii: "x"), let byte = code(index + 2, 2) {
                    undo(4, [UInt8(truncatingIfNeeded: byte)])
                } else if let end = Self.endOfLine(text, index + 1) {
                    undo(end - index, [])
                } else if let (count, byte) = octal(index + 1) {
                    undo(1 + count, [byte])
                } else if let byte = Self.letters[next] {
                    // As JSON and logs write the end of a line: its letter is none of the word behind it.
                    undo(2, [byte])
                }
            case UInt8(ascii: "^") where (0x40...0x5F).contains(next):
                // A control character, as terminals and editors show it.
                undo(2, [next & 0x1F])
            case 0x1B, 0xC2, 0xE2, UInt8(ascii: "["):
                // A colour, or another order to a terminal, unless it is one of which the beginning was undone just now.
                if bytes.last != 0x1B, let end = Self.endOfOrder(text, index) { undo(end - index, [UInt8(ascii: " ")]) }
            case UInt8(ascii: "&"):
                if let (count, scalar) = Self.entity(text, index) { undo(count, scalar) }
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

    private static let isEscape: [Bool] = (0...255).map {
        [0x25, 0x3D, 0x5C, 0x5E, 0x26, 0x1B, 0xC2, 0xE2, 0x5B].contains($0)
    }

    /// Where the line ends that ends at a place.
    private static func endOfLine(_ text: [UInt8], _ start: Int) -> Int? {
        let rest = text[min(start, text.count)...]
        return rest.starts(with: [0x0D, 0x0A]) ? start + 2 : rest.first == 0x0A ? start + 1 : nil
    }

    /// Where an order to a terminal ends that may begin at a place (ECMA-48, 5.3 to 5.5; ECMA-35, 13): `ESC [ 3 1 m`, the
    /// same with U+009B or with the sign for it, `␛`, or of a colour without it, as logs have it; `ESC ( B`, `ESC c`.
    private static func endOfOrder(_ text: [UInt8], _ start: Int) -> Int? {
        let rest = text[start...]
        guard let order = orders.first(where: { rest.starts(with: $0.start) }) else { return nil }
        guard let end = rest.dropFirst(order.start.count).firstIndex(where: { !order.middle.contains($0) }),
            order.final.contains(text[end])
        else { return nil }
        // A list, too, begins with a bracket: a colour alone is told by its numbers.
        return order.start.first != UInt8(ascii: "[") || end > start + 1 ? end + 1 : nil
    }

    /// What orders begin with, what may follow, and what they end with; the longer beginnings first.
    private static let orders: [(start: [UInt8], middle: ClosedRange<UInt8>, final: ClosedRange<UInt8>)] =
        [[0x1B, 0x5B], [0xC2, 0x9B], [0xE2, 0x90, 0x9B, 0x5B]].map { ($0, 0x20...0x3F, 0x40...0x7E) }
        + [([0x5B], 0x30...0x3B, 0x6D...0x6D)] + [[0x1B], [0xE2, 0x90, 0x9B]].map { ($0, 0x20...0x2F, 0x30...0x7E) }

    /// What HTML writes for a character, and how long that is; of some the sign at the end may be left out.
    private static func entity(_ text: [UInt8], _ start: Int) -> (count: Int, scalar: UInt32)? {
        let rest = text[(start + 1)...].prefix(9), isNumber = rest.first == UInt8(ascii: "#")
        let isHexadecimal = isNumber && rest.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
        let name = rest.dropFirst(isHexadecimal ? 2 : isNumber ? 1 : 0).prefix {
            isNumber && !isHexadecimal ? SecretShapes.isDigit($0) : isNumber ? Self.isHexadecimal($0) : isLetter($0)
        }
        guard !name.isEmpty else { return nil }
        let word = String(decoding: name, as: UTF8.self),
            isEnded = rest.dropFirst(name.endIndex - rest.startIndex).first == 0x3B
        let count = name.endIndex + (isEnded ? 1 : 0) - start
        if isNumber { return UInt32(word, radix: isHexadecimal ? 16 : 10).map { (count, $0) } }
        if isEnded, let known = entities[word] ?? entities[word.lowercased()] { return (count, known.value) }
        // What follows it may be letters, too.
        guard let known = ["quot", "nbsp", "amp", "lt", "gt"].first(where: word.lowercased().hasPrefix) else {
            return nil
        }
        return entities[known].map { (1 + known.utf8.count, $0.value) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static let letters: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "v"): 0x0B, UInt8(ascii: "e"): 0x1B, UInt8(ascii: "E"): 0x1B,
        UInt8(ascii: "a"): 0x07,
        UInt8(ascii: "/"): UInt8(ascii: "/"),
    ]

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        SecretShapes.isDigit(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    /// The names that HTML has for what it needs itself, for what stands in tokens and between a word and its value, and for
    /// letters of such words.
    private static let entities: [String: Unicode.Scalar] = [
        "quot": "\"", "apos": "'", "amp": "&", "lt": "<", "gt": ">", "colon": ":", "equals": "=", "comma": ",",
        "nbsp": " ", "Tab": "\t", "NewLine": "\n", "sol": "/", "period": ".", "ntilde": "ñ", "eacute": "é", "uuml": "ü",
        "oacute": "ó",
    ]
}
