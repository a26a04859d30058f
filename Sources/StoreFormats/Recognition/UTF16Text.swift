/// How text in UTF-16 lies in its bytes: told by its byte order mark, or by a `<` that begins it.
package struct UTF16Text {
    /// Where the text begins.
    package let start: Int
    /// Whether the high byte of a unit comes first.
    package let isBigEndian: Bool

    /// Finds out how bytes are UTF-16; `nil` where they are not.
    package init?(_ bytes: [UInt8]) {
        let less = UInt8(ascii: "<")
        switch (bytes.first, bytes.dropFirst().first) {
        case (0xFE, 0xFF): (start, isBigEndian) = (2, true)
        case (0xFF, 0xFE): (start, isBigEndian) = (2, false)
        case (0, less): (start, isBigEndian) = (0, true)
        case (less, 0): (start, isBigEndian) = (0, false)
        default: return nil
        }
    }

    /// The code units of the bytes; half a unit at the end is left out.
    package func units(of bytes: [UInt8]) -> [UInt16] {
        let (high, low) = isBigEndian ? (0, 1) : (1, 0)
        return stride(from: start, to: bytes.count - 1, by: 2).map {
            UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + low])
        }
    }

    /// The bytes of a text behind its mark; the reverse of ``units(of:)``, but for what is no text.
    package func marked(_ text: String) -> [UInt8] {
        ([0xFEFF] + Array(text.utf16)).flatMap { unit -> [UInt8] in
            let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
            return isBigEndian ? [high, low] : [low, high]
        }
    }
}
