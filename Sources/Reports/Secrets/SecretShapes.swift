import MigrationEngine

/// Which texts are secret by their shape: e-mail addresses, JSON web tokens, the tokens of large services, private keys,
/// what follows `Bearer`, long hexadecimal or base64 tokens; numbers of cards and bank accounts, hashes of passwords, and
/// lines of words that restore a wallet, as ``SecretNumbers`` tells them.
///
/// A UUID is an identifier and not one of these, nor is a public key of SSH. Works on bytes, in time proportional to the text.
enum SecretShapes {
    /// How many hexadecimal digits in a row are a token: those of 128 bits.
    private static let hexadecimalLength = 32
    /// How many characters of base64 in a row are a token.
    private static let base64Length = 40

    /// The parts of a text that are secret, as ranges of its UTF-8.
    static func ranges(in bytes: [UInt8]) -> [Range<Int>] {
        var ranges = SecretNumbers.ranges(in: bytes) + quotedEmails(in: bytes), start = 0, isAfterScheme = false,
            isPublicKey = false
        while start < bytes.count {
            guard isPart(bytes[start]) else {
                if bytes[start] == UInt8(ascii: "-") || bytes[start] > 0x20 { isAfterScheme = false }
                start += 1
                continue
            }
            let end = bytes[start...].firstIndex { !isPart($0) } ?? bytes.count
            let word = bytes[start..<end]
            if word.suffix(10).elementsEqual("-----BEGIN".utf8) {
                let key = privateKey(in: bytes, at: start)
                if let key { ranges.append(key) }
                start = key?.upperBound ?? end
                continue
            }
            let isCredential = isAfterScheme && word.count >= 8
            if isCredential || !isPublicKey && isSecret(word) { ranges.append(start..<end) }
            isPublicKey =
                word.count >= publicKeyLength && end < bytes.count && bytes[end] == 0x20
                && publicKeys.contains { word.elementsEqual($0) }
            isAfterScheme = endsInScheme(word)
            start = end
        }
        return ranges.joined
    }

    /// Whether a word is, or ends in, `bearer` or `basic`, behind which a credential stands.
    private static func endsInScheme(_ word: ArraySlice<UInt8>) -> Bool {
        let scheme: StaticString
        switch word.last {
        case UInt8(ascii: "r"), UInt8(ascii: "R"): scheme = "bearer"
        case UInt8(ascii: "c"), UInt8(ascii: "C"): scheme = "basic"
        default: return false
        }
        let end = word.suffix(scheme.utf8CodeUnitCount), before = word.dropLast(scheme.utf8CodeUnitCount).last
        return scheme.withUTF8Buffer { letters in
            end.count == letters.count && zip(end, letters).allSatisfy { $0 | 0x20 == $1 }
        } && !(before.map(isAlphanumeric) ?? false)
    }

    /// The kinds of public keys of SSH, which stand before the key (RFC 4253, section 6.6).
    private static let publicKeys = [
        "ssh-rsa", "ssh-dss", "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
    ].map { Array($0.utf8) }
    private static let publicKeyLength = publicKeys.map(\.count).min() ?? 0

    /// A private key in PEM (RFC 7468), as far as it goes.
    private static func privateKey(in bytes: [UInt8], at start: Int) -> Range<Int>? {
        let label = bytes[start...].prefix(64)
        let mark = Array("PRIVATE KEY".utf8)
        guard label.indices.contains(where: { label[$0...].starts(with: mark) }) else { return nil }
        let ending = Array("-----END".utf8)
        let end = bytes.indices[start...].first { bytes[$0] == ending[0] && bytes[$0...].starts(with: ending) }
        return start..<(end ?? bytes.count)
    }

    /// Whether a byte is of a word that may be secret: letters and digits, what e-mail addresses and base64 may have,
    /// and everything beyond ASCII.
    private static func isPart(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte >= 0x80 || "@._%+-/=".utf8.contains(byte)
    }

    /// Each is asked only of words that are long enough to be one: most are shorter than all of them.
    private static func isSecret(_ word: ArraySlice<UInt8>) -> Bool {
        hasEmail(word)
            || SecretTokens.isOne(word)
            || word.count >= hexadecimalLength && hasHexadecimal(word)
            || word.count >= base64Length && isBase64(word)
    }

    /// What is secret in the name of a store or an entry, as ranges of its UTF-8: e-mail addresses and the tokens of large
    /// services, each with what else stands in its word.
    ///
    /// What only looks like a token is often a name: of a file by its digest, of a store by a write key.
    static func ranges(inName name: [UInt8]) -> [Range<Int>] { unescaped(name, ownRanges(inName:)) }

    /// What is secret in a key of a dictionary, as ranges of its UTF-8.
    static func ranges(inKey key: [UInt8]) -> [Range<Int>] { unescaped(key, ranges(in:)) }

    /// What is found in a text, and in what it says with its escapes undone.
    private static func unescaped(_ text: [UInt8], _ find: ([UInt8]) -> [Range<Int>]) -> [Range<Int>] {
        (find(text) + EscapedText.levels(of: text).flatMap { plain in find(plain.bytes).map(plain.place) }).joined
    }

    private static func ownRanges(inName name: [UInt8]) -> [Range<Int>] {
        func isPart(_ byte: UInt8) -> Bool {
            byte != UInt8(ascii: "/") && byte != UInt8(ascii: "=") && (self.isPart(byte) || byte == UInt8(ascii: ":"))
        }
        return quotedEmails(in: name)
            + name.indices.split { !isPart(name[$0]) }.flatMap { range -> [Range<Int>] in
                // The token of a bot has a colon, which parts other words.
                if SecretTokens.isOne(name[range]) { return [range] }
                return range.split { name[$0] == UInt8(ascii: ":") }.filter { word in
                    hasEmail(name[word]) || SecretTokens.isOne(name[word])
                }
            }
    }

    /// Something, `@`, and a domain; not `icon@2x.png`.
    private static func hasEmail(_ word: ArraySlice<UInt8>) -> Bool {
        word.indices.contains { index in
            word[index] == UInt8(ascii: "@") && index > word.startIndex && word[index - 1] != UInt8(ascii: "/")
                && isDomain(domain(in: word[(index + 1)...]))
        }
    }

    /// E-mail addresses in which what stands before the `@` is quoted (RFC 5321, section 4.1.2): `"ann lee"@example.com`.
    private static func quotedEmails(in bytes: [UInt8]) -> [Range<Int>] {
        let quote = UInt8(ascii: "\""), backslash = UInt8(ascii: "\\")
        return bytes.indices.dropLast().compactMap { end in
            guard bytes[end] == quote, bytes[end + 1] == UInt8(ascii: "@") else { return nil }
            // In a text within a text the quotation marks are escaped.
            let isEscaped = end > 0 && bytes[end - 1] == backslash, before = bytes[..<(isEscaped ? end - 1 : end)]
            guard
                let start = before.suffix(66).lastIndex(where: { $0 == quote || $0 < 0x20 }), bytes[start] == quote,
                isEscaped == (start > 0 && bytes[start - 1] == backslash)
            else { return nil }
            let local = before[(start + 1)...], domain = domain(in: bytes[(end + 2)...].prefix(255))
            // What stands between two texts that are quoted is none.
            guard let first = local.first, let last = local.last, first != 0x20, last != 0x20,
                !":,;=[]{}()".utf8.contains(first), local.contains(where: isAlphanumeric), isDomain(domain)
            else { return nil }
            return start..<domain.endIndex
        }
    }

    private static func domain(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.prefix { isAlphanumeric($0) || $0 >= 0x80 || ".-".utf8.contains($0) }
    }

    /// Whether it has a dot, and two letters or more behind the last; not the name of a file or of an app: `session@v1.db`,
    /// `badges@com.acme.notes`.
    private static func isDomain(_ domain: ArraySlice<UInt8>) -> Bool {
        var labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: true)
        // Behind it may stand what file it is, and which version of that.
        while let last = labels.last, last.contains(where: isDigit) || files.contains(where: last.elementsEqual) {
            labels.removeLast()
        }
        guard labels.count > 1, let first = labels.first, let last = labels.last, last.count > 1,
            last.allSatisfy({ isLetter($0) || $0 >= 0x80 })
        else { return false }
        if labels.count > 2, first.elementsEqual("com".utf8) { return false }
        let isScale = first.count == 2 && isDigit(first[first.startIndex]) && first.last == UInt8(ascii: "x")
        let isPicture = ["png", "jpg", "jpeg", "gif", "pdf", "heic", "webp"].contains { last.elementsEqual($0.utf8) }
        return !(isScale && isPicture)
    }

    /// The endings of files that no domain has.
    private static let files = [
        "db", "log", "cache", "tgz", "gz", "plist", "json", "sqlite", "txt", "xml", "dat", "bin", "tmp", "bak", "realm",
    ].map { Array($0.utf8) }

    private static func hasHexadecimal(_ word: ArraySlice<UInt8>) -> Bool {
        var before: ArraySlice<UInt8> = []
        for part in word.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            // A backup's name for a content, in the folder of its first two digits, is the digest of a path.
            let isPayload = part.count == 40 && before.count == 2 && part.starts(with: before)
            var length = 0
            for byte in part where !isPayload {
                length = isHexadecimal(byte) ? length + 1 : 0
                if length >= hexadecimalLength { return true }
            }
            before = part
        }
        return false
    }

    /// A long word of base64 with digits and letters of both cases; few slashes, as a path has many.
    private static func isBase64(_ word: ArraySlice<UInt8>) -> Bool {
        let body = word.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: true).max { $0.count < $1.count }
        guard let body else { return false }
        let names = body.split(separator: UInt8(ascii: "/"))
        // In a path each name is looked at by itself, and a UUID among them shows that it is one.
        if word.first == UInt8(ascii: "/") || names.contains(where: isUUID) { return names.contains(where: isToken) }
        return isToken(body)
    }

    private static func isUUID(_ word: ArraySlice<UInt8>) -> Bool {
        let parts = word.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && word.allSatisfy { isDigit($0) || (0x61...0x66).contains($0 | 0x20) || $0 == UInt8(ascii: "-") }
    }

    private static func isToken(_ body: ArraySlice<UInt8>) -> Bool {
        guard body.count >= base64Length, body.allSatisfy({ isAlphanumeric($0) || "+/-_".utf8.contains($0) })
        else { return false }
        let digits = body.count(where: isDigit), slashes = body.count { $0 == UInt8(ascii: "/") }
        let upper = body.count { (0x41...0x5A).contains($0) }, lower = body.count { (0x61...0x7A).contains($0) }
        // A UUID in a path, or several identifiers with hyphens, have them at regular places and in one case.
        let separators = body.count { "-_".utf8.contains($0) }
        return digits > 1 && upper > 2 && lower > 2 && slashes * 16 <= body.count && separators * 10 <= body.count
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }
    static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    static func isHexadecimal(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }
}

extension [Range<Int>] {
    /// The same in order, those that overlap as one.
    var joined: [Range<Int>] {
        var joined: [Range<Int>] = []
        for range in sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            if let last = joined.last, range.lowerBound < last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}
