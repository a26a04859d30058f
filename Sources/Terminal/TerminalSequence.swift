/// A sequence of bytes that is no text, as curses writes them (ECMA-48, 5.4).
struct TerminalSequence {
    /// What it ends with, which says what it does; of one character that character, and of a character set the parenthesis.
    let final: UInt8
    /// Its numbers, with 0 where none stands; `nil` where it has something else.
    let numbers: [Int]?
    /// How many bytes it has.
    let length: Int

    private static let escape: UInt8 = 0x1B
    /// Those of one byte that are known: two character sets, and the way to the first column.
    static let shiftOut: UInt8 = 0x0E, shiftIn: UInt8 = 0x0F, carriageReturn = UInt8(ascii: "\r")

    static func mayBegin(with byte: UInt8) -> Bool { byte < 0x20 }

    /// The sequence at the beginning of bytes; `nil` where there is none that is known as a whole.
    init?(_ bytes: ArraySlice<UInt8>) {
        if let first = bytes.first, [Self.shiftOut, Self.shiftIn, Self.carriageReturn].contains(first) {
            (final, numbers, length) = (first, nil, 1)
            return
        }
        guard bytes.first == Self.escape, bytes.count > 2 else { return nil }
        let second = bytes[bytes.startIndex + 1]
        if second == UInt8(ascii: "(") {
            (final, numbers, length) = (second, nil, 3)
            return
        }
        let inner = bytes.dropFirst(2)
        guard second == UInt8(ascii: "["), let end = inner.firstIndex(where: { (0x40...0x7E).contains($0) }) else {
            return nil
        }
        final = bytes[end]
        length = end + 1 - bytes.startIndex
        let parameters = inner[..<end]
        let isPlain = parameters.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }
        let parts = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        let known = parts.compactMap { $0.isEmpty ? 0 : Int(String(decoding: $0, as: UTF8.self)) }
        numbers = isPlain && known.count == parts.count ? known : nil
    }
}
