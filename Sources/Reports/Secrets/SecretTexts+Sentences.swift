import MigrationEngine

/// What sentences, messages, forms and lines of settings say without a sign between a name and its value.
extension SecretTexts {
    /// Whether a name that a space parts from its value stands before an index: the option of a command, as `--password`,
    /// or the password of a login in a `.netrc`.
    func isOption(before index: Int) -> Bool {
        let from = max(0, index - Self.nameLength)
        func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }
        let start = bytes[from..<index].lastIndex(where: isSpace).map { $0 + 1 } ?? from
        let name = bytes[start..<index]
        if name.starts(with: "--".utf8) { return true }
        guard name.elementsEqual("password".utf8) || name.elementsEqual("passwd".utf8) else { return false }
        return bytes[from..<start].split(whereSeparator: isSpace).dropLast().last?.elementsEqual("login".utf8) ?? false
    }

    /// Whether a space parts a name from its value in a sentence: `with password 'a b'`, `IDENTIFIED BY 'a b'`, and
    /// `password ab12cd`, where a word for passwords is before what is no word of a language.
    func isSpoken(before index: Int) -> Bool {
        guard index + 1 < bytes.count, bytes[index + 1] > 0x20 else { return false }
        if "\"'`".utf8.contains(bytes[index + 1]) || starts(with: "“", at: index + 1) { return true }
        let word = word(after: index), isCode = isLikeCode(word)
        guard isCode || isLikeSecret(index + 1), !bytes[word].contains(where: "=:\"'<>()[]{}".utf8.contains),
            let name = name(before: index).first?.lowercased()
        else { return false }
        if !isCode, let pair = self.name(before: index).dropFirst().first?.lowercased(), Self.spokenPairs.contains(pair)
        {
            return true
        }
        return (isCode ? Self.spokenCodes : Self.spoken).contains(name)
    }

    private static let spokenPairs: Set<String> = ["apikey", "accesskey", "secretkey", "licensekey", "accesscode"]

    /// Whether a word is a code as a message brings it: four to eight digits, which may have a hyphen among them.
    func isLikeCode(_ word: Range<Int>) -> Bool {
        var word = word
        while let last = bytes[word].last, ".,!;)".utf8.contains(last) { word = word.dropLast() }
        let digits = bytes[word].count(where: SecretShapes.isDigit)
        return (4...8).contains(digits)
            && bytes[word].allSatisfy { SecretShapes.isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    /// Takes the code before an `is` behind which a sentence names it: `482913 is your verification code`.
    mutating func takeNamed(behind index: Int) -> Bool {
        guard index > 1,
            let start = bytes[max(0, index - 12)..<index - 1].lastIndex(where: { $0 <= 0x20 }).map({ $0 + 1 })
                ?? (index <= 12 ? 0 : nil), isLikeCode(start..<index - 1)
        else { return false }
        let sentence = bytes[index...].prefix(Self.nameLength).prefix { !".!?\n\r".utf8.contains($0) }
        let words = String(decoding: sentence, as: UTF8.self).split(separator: " ").map(String.init)
        guard zip(words, words.dropFirst() + [""]).contains(where: { SecretWords.meaning(of: $0 + $1) == .secret })
        else { return false }
        ranges.append(start..<index - 1)
        return true
    }

    /// Takes what a sentence tells of a password some words further on, or before: `password was changed from … to …`,
    /// `tried … as password`.
    mutating func takeTold(before index: Int) -> Bool {
        // Every space comes here: what begins like none of the words is not made into a text.
        let word = nameWord(before: index)
        guard let first = word.first, first >= 0x80 || Self.spokenInitials.contains(first | 0x20) else { return false }
        let name = String(decoding: word, as: UTF8.self).lowercased()
        if name == "as", let spoken = String(validating: bytes[self.word(after: index)], as: UTF8.self)?.lowercased(),
            Self.spoken.contains(spoken)
        {
            let end = index - 3
            let start = bytes[max(0, end - Self.nameLength)..<max(0, end)].lastIndex { $0 <= 0x20 }.map { $0 + 1 } ?? 0
            guard start < end, isLikeSecret(start) else { return false }
            ranges.append(start..<end)
            return true
        }
        guard Self.spoken.contains(name) else { return false }
        let count = ranges.count
        var place = index
        for _ in 0..<6 {
            let next = self.word(after: place)
            guard !next.isEmpty, next.lowerBound <= place + 2 else { break }
            if isLikeSecret(next.lowerBound) {
                ranges.append(withoutMarks(next))
            } else if !bytes[next].allSatisfy({ $0 == UInt8(ascii: ".") }),
                !Self.connecting.contains(String(decoding: bytes[next], as: UTF8.self).lowercased())
            {
                break
            }
            place = next.upperBound
        }
        return ranges.count > count
    }

    /// A word without the marks of a sentence around it, which are none of the value's.
    private func withoutMarks(_ word: Range<Int>) -> Range<Int> {
        guard starts(with: "“", at: word.lowerBound) else { return word }
        let start = word.lowerBound + 3
        // The value itself may have such a mark: the last one closes it, and only marks stand behind that.
        var end = word.upperBound
        while end > start, !starts(with: "”", at: end) { end -= 1 }
        let isClosed = end > start && !bytes[end..<word.upperBound].contains(where: SecretShapes.isAlphanumeric)
        return start..<(isClosed ? end : max(start, word.upperBound))
    }

    /// Words between the word for a password and the password.
    private static let connecting: Set<String> = [
        "is", "was", "has", "been", "set", "reset", "changed", "updated", "to", "from", "now", "still", "the", "new",
        "old",
        "be", "will", "and", "or", "as", "est", "était", "ist", "lautet", "war", "es", "era", "é",
    ]
    private static let spokenCodes: Set<String> = ["pin", "otp", "totp", "passcode", "puk", "tan", "2fa", "mfa"]

    /// Takes the content of a part of a form, behind the empty line after its name (RFC 7578): where it ends.
    mutating func take(partAfter index: Int) -> Int? {
        let head = bytes[index...].prefix(Self.keyLength).indices
        guard let end = find("\r\n\r\n", in: head) ?? find("\n\n", in: head), bytes[index] == UInt8(ascii: "\""),
            !bytes[index..<end].contains(UInt8(ascii: "="))
        else { return nil }
        var start = end
        while start < bytes.count, bytes[start] == 0x0A || bytes[start] == 0x0D { start += 1 }
        let last = find("\n--", in: start..<bytes.count) ?? bytes.count
        guard start < last else { return nil }
        ranges.append(start..<last)
        return last
    }

    /// Takes the password of a line of `.pgpass`, `host:port:database:user:password`, or of a code for a Wi-Fi.
    mutating func takeLine(at index: Int) {
        let line = bytes[index...].prefix(512).prefix { $0 > 0x20 }
        if starts(with: "WIFI:", at: index) || starts(with: "wifi:", at: index),
            let start = find(";P:", in: line.indices)
        {
            let end = bytes[(start + 3)..<line.endIndex].firstIndex(of: UInt8(ascii: ";")) ?? line.endIndex
            return ranges.append(start + 3..<end)
        }
        let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard fields.count == 5, fields.allSatisfy({ !$0.isEmpty }),
            fields[1].elementsEqual("*".utf8) || fields[1].allSatisfy(SecretShapes.isDigit), fields[1].count <= 5,
            fields[3].contains(where: SecretShapes.isLetter)
        else { return }
        ranges.append(fields[4].indices)
    }

    /// Words after which a value may stand in a sentence without any sign.
    private static let spoken: Set<String> = [
        "password", "passwd", "passphrase", "passcode", "pwd", "pw", "pass", "token", "secret", "passwort", "kennwort",
        "contraseña",
        "senha", "passe", "пароль",
    ]
    /// What these and “as” begin with.
    private static let spokenInitials = Array(Set(spoken.union(["as"]).compactMap(\.utf8.first)))
}
