/// How a piece of JSON is laid out: spacing, and lines where it has a line for each member.
struct JSONLayout: Hashable, Sendable {
    /// What stands between a key and its value.
    var colon = ":"
    /// What stands between members on one line.
    var comma = ","
    /// The lines, or `nil` where all stands on one.
    var lines: Lines?

    /// No white space at all.
    static let compact = JSONLayout()

    /// Members on lines of their own.
    struct Lines: Hashable, Sendable {
        /// What ends a line.
        var newline: String
        /// The white space that begins the line of the outermost container.
        var base: String
        /// The white space that each level adds.
        var unit: String

        /// The end of a line and the beginning of the next, at a depth below the outermost container.
        func start(_ depth: Int) -> String {
            newline + base + String(repeating: unit, count: depth)
        }
    }
}

extension JSONLayout {
    /// The layout of a text that has been read before, as its root and its first members show it.
    init(of bytes: [UInt8]) {
        self.init()
        let root = JSONText.skippingSpace(in: bytes, from: bytes.holds("\u{FEFF}", at: 0) ? 3 : 0)
        guard root < bytes.count, bytes[root] == UInt8(ascii: "{") || bytes[root] == UInt8(ascii: "[") else { return }
        let space = String(decoding: bytes[root + 1..<JSONText.skippingSpace(in: bytes, from: root + 1)], as: UTF8.self)
        if let newline = space.newline, !Self.isClosing(bytes, root + 1 + space.utf8.count) {
            lines = Lines(newline: newline, base: "", unit: space.afterLastNewline)
        }
        var position = root, foundComma = false, foundColon = false
        while position < bytes.count, !(foundComma && foundColon) {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position = JSONText.stringEnd(in: bytes, at: position)
                continue
            case UInt8(ascii: ":") where !foundColon:
                colon = Self.spaced(":", in: bytes, at: position) ?? colon
                foundColon = true
            case UInt8(ascii: ",") where !foundComma:
                if let spaced = Self.spaced(",", in: bytes, at: position) { (comma, foundComma) = (spaced, true) }
            default: break
            }
            position += 1
        }
        if !foundComma, colon.last == " " { comma = ", " }
    }

    /// A separator with the white space on both sides of it; `nil` where a line ends there.
    static func spaced(_ separator: String, in bytes: [UInt8], at position: Int) -> String? {
        var start = position
        while start > 0, JSONText.isSpace(bytes[start - 1]) { start -= 1 }
        let end = JSONText.skippingSpace(in: bytes, from: position + 1)
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        return text.newline == nil ? text : nil
    }

    private static func isClosing(_ bytes: [UInt8], _ position: Int) -> Bool {
        position < bytes.count && (bytes[position] == UInt8(ascii: "}") || bytes[position] == UInt8(ascii: "]"))
    }
}

extension String {
    /// The first end of a line in this white space, as it is written.
    var newline: String? {
        unicodeScalars.contains("\n") ? (unicodeScalars.contains("\r") ? "\r\n" : "\n") : nil
    }

    /// What follows the last end of a line.
    var afterLastNewline: String {
        String(decoding: utf8.suffix(while: { $0 != 0x0A && $0 != 0x0D }), as: UTF8.self)
    }
}

extension BidirectionalCollection {
    /// The longest suffix whose elements all fulfil a condition.
    package func suffix(while condition: (Element) -> Bool) -> SubSequence {
        var start = endIndex
        while start > startIndex, condition(self[index(before: start)]) { start = index(before: start) }
        return self[start...]
    }
}
