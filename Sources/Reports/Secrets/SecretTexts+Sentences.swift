/// What sentences, messages, forms and lines of settings say without a sign between a name and its value.
extension SecretTexts {
    /// Whether a name that a space parts from its value stands before an index: the option of a command, as `--password`,
    /// or the password of a login in a `.netrc`.
    func isOption(before index: Int) -> Bool {
        let from = max(0, index - Self.nameLength)
        func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }
        let words = bytes[from..<index].split(whereSeparator: isSpace)
        guard let name = words.last, name.endIndex == index else { return false }
        if name.starts(with: "--".utf8) { return true }
        let isPassword = name.elementsEqual("password".utf8) || name.elementsEqual("passwd".utf8)
        return isPassword && words.count > 2 && words[words.count - 3].elementsEqual("login".utf8)
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

    /// Takes the words that restore a wallet, behind what says so: `recovery phrase: one two …`, with commas or numbers.
    mutating func takePhrases() {
        for mark in ["mnemonic", "phrase", "seed", "words"] {
            var index = 0
            while let start = findWord(mark, in: index..<bytes.count) {
                index = start + mark.utf8.count
                guard
                    mark != "words" && mark != "phrase"
                        || Self.ofWallets.contains(where: { word in
                            name(before: index).dropFirst().contains { $0.lowercased().hasPrefix(word) }
                        })
                else { continue }
                var count = 0, first: Int?, end = index
                while end < bytes.count {
                    let word = bytes[end...].prefix { SecretShapes.isLetter($0) }
                    if !word.isEmpty {
                        let isWord = (3...8).contains(word.count) && word.allSatisfy { (0x61...0x7A).contains($0) }
                        if isWord {
                            count += 1
                            first = first ?? word.startIndex
                        } else if count > 0 {
                            break
                        } else if word.endIndex - index > 24 {
                            break
                        }
                        end = word.endIndex
                    } else if bytes[end] <= 0x20 || ",.:;()-=\"'[]".utf8.contains(bytes[end])
                        || SecretShapes.isDigit(bytes[end])
                    {
                        end += 1
                    } else {
                        break
                    }
                }
                if count >= 12, let first {
                    ranges.append(first..<end)
                    index = end
                }
            }
        }
    }

    private static let ofWallets = ["recovery", "seed", "secret", "backup", "wallet", "mnemonic"]

    /// Where a word of small letters stands, in capitals or not.
    private func findWord(_ word: String, in range: Range<Int>) -> Int? {
        let first = word.utf8.first ?? 0
        return range.first { index in
            bytes[index] | 0x20 == first
                && bytes[index...].prefix(word.utf8.count).lazy.map { $0 | 0x20 }
                    .elementsEqual(word.utf8)
        }
    }

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

    /// Takes the codes of messages that say whose they are, or what to do with them: `Use code 482913 to log in`,
    /// `G-482913 is your code`, `Enter 482913 to sign in`.
    mutating func takeCodes() {
        var index = 0
        while let start = bytes[index...].firstIndex(where: SecretShapes.isDigit) {
            let digits = bytes[start...].prefix(while: SecretShapes.isDigit)
            index = digits.endIndex
            var end = digits.endIndex
            // Its halves may stand apart.
            if digits.count < 5, end < bytes.count, " -".utf8.contains(bytes[end]) {
                let half = bytes[(end + 1)...].prefix(while: SecretShapes.isDigit)
                if half.count == digits.count, half.count > 2 { end = half.endIndex }
            }
            let before = start == 0 ? 0x20 : bytes[start - 1], after = end == bytes.count ? 0x20 : bytes[end]
            let isPart =
                SecretShapes.isAlphanumeric(before) || ".,:/+$%".utf8.contains(before)
                || before == UInt8(ascii: "-") && start > 1 && SecretShapes.isDigit(bytes[start - 2])
                || SecretShapes.isAlphanumeric(after) || "/-%:".utf8.contains(after)
            guard !isPart, (4...9).contains(end - start), isOfMessage(start..<end) else { continue }
            ranges.append(start..<end)
            index = end
        }
    }

    /// Whether the words around a number say that it is a code that lets someone in.
    private func isOfMessage(_ number: Range<Int>) -> Bool {
        func words(_ range: Range<Int>) -> [String] {
            String(decoding: bytes[range], as: UTF8.self).lowercased()
                .split { !$0.isLetter && $0 != "-" }.map(String.init)
        }
        let before = words(max(0, number.lowerBound - Self.nameLength)..<number.lowerBound)
        let after = words(number.upperBound..<min(bytes.count, number.upperBound + Self.nameLength))
        if let verb = before.last, Self.entering.contains(verb), after.first == "to",
            after.dropFirst().prefix(4).contains(where: Self.doing.contains)
        {
            return true
        }
        if after.first == "as",
            let noun = after.dropFirst().first(where: { !["your", "the", "a", "my"].contains($0) }),
            Self.spoken.contains(noun) || Self.codeWords.contains(noun)
        {
            return true
        }
        let all = before + after
        let isNamed = zip(before, before.dropFirst()).contains { first, second in
            Self.codeWords.contains(second) && SecretWords.meaning(of: first + second) == .secret
        }
        let isSecret = before.suffix(2).contains {
            !$0.utf8.allSatisfy { $0 < 0x80 } && SecretWords.meaning(of: $0) == .secret
        }
        if isNamed || isSecret { return true }
        return all.contains(where: Self.personal.contains)
            && all.indices.contains { place in
                let isCode = Self.codeWords.contains(all[place]) || all[place].hasSuffix("code")
                return isCode && !Self.otherCodes.contains { all[place].hasPrefix($0) }
                    && (place == 0 || !Self.otherCodes.contains(all[place - 1]))
            }
    }

    private static let entering: Set<String> = ["enter", "use", "type"]
    private static let doing: Set<String> = [
        "sign", "log", "login", "verify", "confirm", "continue", "unlock", "access", "proceed", "authenticate",
    ]
    private static let codeWords: Set<String> = [
        "code", "codes", "pin", "otp", "passcode", "kode", "kod", "código", "codigo", "codice", "koodi", "koden",
        "код", "коду", "kodu",
    ]
    /// Codes of something else.
    private static let otherCodes: Set<String> = [
        "error", "status", "postal", "post", "zip", "country", "area", "exit", "product", "promo", "discount", "bar",
        "qr", "source", "dial", "dialing", "dialling", "sort", "tax", "response", "result", "color", "colour",
    ]
    /// Words that say whose a code is, or what to do with it.
    private static let personal: Set<String> = [
        "your", "my", "use", "enter", "share", "expires", "log", "login", "sign", "verify", "verification", "one-time",
        "confirm", "ihr", "ihre", "dein", "votre", "ton", "su", "tu", "tuo", "suo", "seu", "uw", "jouw", "din", "twój",
        "ваш", "твой",
    ]

    /// Takes what a sentence tells of a password some words further on, or before: `password was changed from … to …`,
    /// `tried … as password`.
    mutating func takeTold(before index: Int) -> Bool {
        guard let name = name(before: index).first?.lowercased() else { return false }
        if name == "as", let spoken = String(validating: bytes[word(after: index)], as: UTF8.self)?.lowercased(),
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
            let next = word(after: place)
            guard !next.isEmpty, next.lowerBound <= place + 2 else { break }
            if isLikeSecret(next.lowerBound) {
                ranges.append(next)
            } else if !bytes[next].allSatisfy({ $0 == UInt8(ascii: ".") }),
                !Self.connecting.contains(String(decoding: bytes[next], as: UTF8.self).lowercased())
            {
                break
            }
            place = next.upperBound
        }
        return ranges.count > count
    }

    /// Words between the word for a password and the password.
    private static let connecting: Set<String> = [
        "is", "was", "has", "been", "set", "reset", "changed", "updated", "to", "from", "now", "still", "the", "new",
        "old",
        "be", "will", "and", "or", "as",
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
        if line.starts(with: "WIFI:".utf8), let start = find(";P:", in: line.indices) {
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
}
