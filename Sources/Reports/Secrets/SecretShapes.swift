/// Which texts are secret by their shape: e-mail addresses, JSON web tokens, long hexadecimal or base64 tokens.
///
/// A UUID is an identifier and not one of these. Works on bytes, in time proportional to the text.
enum SecretShapes {
    /// How many hexadecimal digits in a row are a token: those of 128 bits.
    private static let hexadecimalLength = 32
    /// How many characters of base64 in a row are a token.
    private static let base64Length = 40

    /// The parts of a text that are secret, in order, as ranges of its UTF-8.
    static func ranges(in text: String) -> [Range<Int>] {
        let bytes = Array(text.utf8)
        var ranges: [Range<Int>] = [], start = 0
        while start < bytes.count {
            guard isPart(bytes[start]) else {
                start += 1
                continue
            }
            let end = bytes[start...].firstIndex { !isPart($0) } ?? bytes.count
            if isSecret(bytes[start..<end]) { ranges.append(start..<end) }
            start = end
        }
        return ranges
    }

    /// Whether a byte is of a word that may be secret: letters and digits, what e-mail addresses and base64 may have,
    /// and everything beyond ASCII.
    private static func isPart(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte >= 0x80 || "@._%+-/=".utf8.contains(byte)
    }

    private static func isSecret(_ word: ArraySlice<UInt8>) -> Bool {
        hasEmail(word) || isWebToken(word) || hasHexadecimal(word) || isBase64(word)
    }

    /// Something, `@`, and a domain with a dot whose last label has two letters or more; not `icon@2x.png`.
    private static func hasEmail(_ word: ArraySlice<UInt8>) -> Bool {
        word.indices.contains { index in
            guard word[index] == UInt8(ascii: "@"), index > word.startIndex, word[index - 1] != UInt8(ascii: "/")
            else { return false }
            let domain = word[(index + 1)...].prefix { isAlphanumeric($0) || $0 >= 0x80 || ".-".utf8.contains($0) }
            let labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: true)
            guard labels.count > 1, let first = labels.first, let last = labels.last, last.count > 1,
                last.allSatisfy({ isLetter($0) || $0 >= 0x80 })
            else { return false }
            let isScale = first.count == 2 && isDigit(first[first.startIndex]) && first.last == UInt8(ascii: "x")
            let isPicture = ["png", "jpg", "jpeg", "gif", "pdf", "heic", "webp"].contains {
                last.elementsEqual($0.utf8)
            }
            return !(isScale && isPicture)
        }
    }

    /// Three parts of base64 with dots between, the first of which is JSON that begins with `{"`.
    private static func isWebToken(_ word: ArraySlice<UInt8>) -> Bool {
        let parts = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count >= 3 && parts[0].starts(with: "eyJ".utf8) && parts[0].count > 8 && parts[1].count > 4
    }

    private static func hasHexadecimal(_ word: ArraySlice<UInt8>) -> Bool {
        var length = 0
        for byte in word {
            length = isDigit(byte) || (0x61...0x66).contains(byte | 0x20) ? length + 1 : 0
            if length >= hexadecimalLength { return true }
        }
        return false
    }

    /// A long word of base64 with digits and letters of both cases; few slashes, as a path has many.
    private static func isBase64(_ word: ArraySlice<UInt8>) -> Bool {
        let body = word.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: true).max { $0.count < $1.count }
        guard let body, body.count >= base64Length, body.allSatisfy({ isAlphanumeric($0) || "+/-_".utf8.contains($0) })
        else { return false }
        let digits = body.count(where: isDigit), slashes = body.count { $0 == UInt8(ascii: "/") }
        let upper = body.count { (0x41...0x5A).contains($0) }, lower = body.count { (0x61...0x7A).contains($0) }
        // A UUID in a path, or several identifiers with hyphens, have them at regular places and in one case.
        let separators = body.count { "-_".utf8.contains($0) }
        return digits > 1 && upper > 2 && lower > 2 && slashes * 16 <= body.count && separators * 10 <= body.count
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
