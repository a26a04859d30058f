/// What is secret by a rule that its makers gave it: numbers of payment cards and bank accounts, whose check digits tell
/// them from other numbers, hashes of passwords, and the words that restore a wallet.
///
/// Works on bytes, in time proportional to the text.
enum SecretNumbers {
    /// The parts of a text that are secret, as ranges of its UTF-8.
    static func ranges(in bytes: [UInt8]) -> [Range<Int>] {
        var ranges = recoveryWords(in: bytes), index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "$"), let hash = hash(in: bytes, at: index) {
                ranges.append(hash)
                index = hash.upperBound
                continue
            }
            guard SecretShapes.isAlphanumeric(byte) else {
                index += 1
                continue
            }
            let group = bytes[index...].prefix(while: SecretShapes.isAlphanumeric)
            // A group of a UUID, or the digits of a fraction, are parts of something else.
            let isPart =
                index > 0
                && (".,_+".utf8.contains(bytes[index - 1])
                    || bytes[index - 1] == UInt8(ascii: "-") && index > 1
                        && SecretShapes.isAlphanumeric(bytes[index - 2]))
            if !isPart, let end = card(in: bytes, at: index) ?? account(in: bytes, at: index) {
                ranges.append(index..<end)
                index = end
            } else {
                index = group.endIndex
            }
        }
        return ranges
    }

    // MARK: Numbers

    /// The letters and digits from a place on, without the single spaces or hyphens between groups, and where they end.
    ///
    /// - Parameter limit: How many at most; where there are more, there is no number.
    private static func joined(
        in bytes: [UInt8], at start: Int, limit: Int, where isPart: (UInt8) -> Bool
    ) -> (text: [UInt8], end: Int)? {
        var text: [UInt8] = [], index = start
        while index < bytes.count, text.count <= limit {
            if isPart(bytes[index]) {
                text.append(bytes[index])
            } else if !(" -".utf8.contains(bytes[index]) && index + 1 < bytes.count && isPart(bytes[index + 1])) {
                break
            }
            index += 1
        }
        guard text.count <= limit, index == bytes.count || !SecretShapes.isAlphanumeric(bytes[index]) else {
            return nil
        }
        let goesOn =
            index + 1 < bytes.count && ".-".utf8.contains(bytes[index])
            && SecretShapes.isAlphanumeric(bytes[index + 1])
        return goesOn ? nil : (text, index)
    }

    /// Where the number of a card ends: 15 or 16 digits that begin as those of the large networks do, with the check digit
    /// of ISO/IEC 7812 (Luhn).
    private static func card(in bytes: [UInt8], at start: Int) -> Int? {
        guard SecretShapes.isDigit(bytes[start]),
            let (digits, end) = joined(in: bytes, at: start, limit: 16, where: SecretShapes.isDigit), digits.count >= 15
        else { return nil }
        let first = digits.prefix(4).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        switch digits.count {
        case 15: guard first / 100 == 34 || first / 100 == 37 else { return nil }
        default:
            guard
                first / 1000 == 4 || (51...55).contains(first / 100) || (2221...2720).contains(first)
                    || first == 6011 || first / 100 == 65 || (3528...3589).contains(first)
            else { return nil }
        }
        let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
            let number = Int(digit.element - 0x30) * (digit.offset.isMultiple(of: 2) ? 1 : 2)
            return sum + number / 10 + number % 10
        }
        return sum.isMultiple(of: 10) ? end : nil
    }

    /// Where the number of a bank account ends: an IBAN (ISO 13616), whose remainder by 97 is 1.
    private static func account(in bytes: [UInt8], at start: Int) -> Int? {
        func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
        guard start + 15 <= bytes.count, isCapital(bytes[start]), isCapital(bytes[start + 1]),
            SecretShapes.isDigit(bytes[start + 2]), SecretShapes.isDigit(bytes[start + 3]),
            let (text, end) = joined(
                in: bytes, at: start, limit: 34, where: { isCapital($0) || SecretShapes.isDigit($0) }),
            text.count >= 15
        else { return nil }
        let remainder = (text[4...] + text[..<4]).reduce(0) { rest, byte in
            SecretShapes.isDigit(byte)
                ? (rest * 10 + Int(byte - 0x30)) % 97 : (rest * 100 + Int(byte - 0x41) + 10) % 97
        }
        return remainder == 1 ? end : nil
    }

    // MARK: Hashes and words

    /// The hash of a password as a directory (`{SSHA}…`) or a system (`$6$…`, `$2b$…`, `$argon2id$…`) keeps it.
    private static func hash(in bytes: [UInt8], at start: Int) -> Range<Int>? {
        let isDirectory = bytes[start] == UInt8(ascii: "{")
        let mark = bytes[(start + 1)...].prefix(16).firstIndex(of: UInt8(ascii: isDirectory ? "}" : "$"))
        guard let mark else { return nil }
        let scheme = String(decoding: bytes[(start + 1)..<mark], as: UTF8.self)
        guard (isDirectory ? directorySchemes : systemSchemes).contains(scheme) else { return nil }
        let rest = bytes[(mark + 1)...].prefix { SecretShapes.isAlphanumeric($0) || "./+=$,-_".utf8.contains($0) }
        return rest.count >= 16 ? start..<rest.endIndex : nil
    }

    private static let directorySchemes: Set<String> = [
        "SSHA", "SHA", "SSHA256", "SHA256", "SSHA512", "SHA512", "SMD5", "MD5", "CRYPT", "BCRYPT", "ARGON2", "PBKDF2",
    ]
    private static let systemSchemes: Set<String> = [
        "1", "2", "2a", "2b", "2x", "2y", "5", "6", "7", "y", "gy", "argon2i", "argon2d", "argon2id", "scrypt",
        "pbkdf2", "pbkdf2-sha256", "pbkdf2-sha512",
    ]

    /// Lines that are 12, 15, 18, 21 or 24 words as those of a recovery phrase are (BIP-39).
    ///
    /// The words are in lower case and have three to eight letters, and between them is nothing but a space. In a sentence
    /// some word is shorter, longer, or has a mark behind it.
    private static func recoveryWords(in bytes: [UInt8]) -> [Range<Int>] {
        // The shortest such line has twelve words of three letters.
        guard bytes.count >= 47 else { return [] }
        let lines = bytes.split { $0 == 0x0A || $0 == 0x0D || "\"'".utf8.contains($0) }
        return lines.filter { line in
            guard line.count >= 47, line.count < 24 * 9 else { return false }
            let words = line.split(separator: 0x20)
            return [12, 15, 18, 21, 24].contains(words.count)
                && words.allSatisfy { (3...8).contains($0.count) && $0.allSatisfy { (0x61...0x7A).contains($0) } }
        }.map(\.indices)
    }
}
