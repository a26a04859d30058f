import MigrationEngine

/// What a text of an app says around a word for secrets, in whatever order and language: `Use 482913 to sign in with your code`,
/// `your code is 482 913`, `the password that ann got is ab12cd34`; and the words that restore a wallet.
///
/// Rather too much than too little: a text is masked as a whole.
extension SecretTexts {
    /// How far from a word for secrets a number or a token may stand, in bytes.
    private static let reach = 160

    /// Takes the groups of digits, and the tokens of letters and digits, near a word that says that there is a secret.
    mutating func takeNumbers() {
        guard bytes.contains(where: SecretShapes.isDigit) else { return }
        let words = secretWords()
        guard !words.isEmpty else { return }
        var next = 0, index = 0
        while let start = bytes[index...].firstIndex(where: SecretShapes.isAlphanumeric) {
            let token = bytes[start...].prefix(while: SecretShapes.isAlphanumeric).indices
            index = token.upperBound
            while next + 1 < words.count, words[next].upperBound + Self.reach < start { next += 1 }
            let isNear =
                words[next].lowerBound <= start + Self.reach && words[next].upperBound + Self.reach >= start
                && !words[next].overlaps(token)
            guard isNear, let range = number(at: token) ?? ticket(at: token) else { continue }
            ranges.append(range)
            index = max(index, range.upperBound)
        }
    }

    /// A group of three to nine digits, also in halves with a space or a hyphen between; `nil` of what is a part of a date, a
    /// time, an address, a version or a fraction.
    private func number(at token: Range<Int>) -> Range<Int>? {
        let digits = bytes[token]
        guard digits.allSatisfy(SecretShapes.isDigit) else { return nil }
        var end = token.upperBound
        if end < bytes.count, " -".utf8.contains(bytes[end]) {
            let half = bytes[(end + 1)...].prefix(while: SecretShapes.isDigit)
            if half.count == digits.count, half.count > 2 { end = half.endIndex }
        }
        func isPart(_ index: Int, beyond: Int) -> Bool {
            guard bytes.indices.contains(index) else { return false }
            let isJoining = ".,:/-".utf8.contains(bytes[index])
            return isJoining && bytes.indices.contains(beyond) && SecretShapes.isDigit(bytes[beyond])
        }
        guard (3...9).contains(end - token.lowerBound), !isPart(token.lowerBound - 1, beyond: token.lowerBound - 2),
            !isPart(end, beyond: end + 1)
        else { return nil }
        return token.lowerBound..<end
    }

    /// A token of letters and digits, six or more in all.
    private func ticket(at token: Range<Int>) -> Range<Int>? {
        let word = bytes[token], digits = word.count(where: SecretShapes.isDigit)
        return word.count >= 6 && digits > 0 && digits < word.count ? token : nil
    }

    /// Where words stand that say that there is a secret: alone, two or, as `mot de passe`, three together, or a code that lets
    /// someone in.
    private func secretWords() -> [Range<Int>] {
        var found: [Range<Int>] = [], before: (text: String, range: Range<Int>, pair: String?)?, index = 0
        func isLetter(_ byte: UInt8) -> Bool {
            SecretShapes.isLetter(byte) || byte >= 0x80 || "-_'".utf8.contains(byte)
        }
        while let start = bytes[index...].firstIndex(where: isLetter) {
            let range = bytes[start...].prefix(while: isLetter).indices
            index = range.upperBound
            guard range.count <= 40 else {
                before = nil
                continue
            }
            let text = String(decoding: bytes[range], as: UTF8.self).lowercased()
            // A call takes what lets someone in, as in GraphQL: `login(user: "ann", p: "…")`.
            if Self.doors.contains(text), range.upperBound < bytes.count, bytes[range.upperBound] == UInt8(ascii: "(") {
                found.append(range)
            }
            let near = before.flatMap { range.lowerBound - $0.range.upperBound <= 3 ? $0 : nil }
            if isSecretWord(text, behind: near?.text)
                || near?.pair.map({ SecretWords.meaning(of: $0 + text) == .secret }) ?? false
            {
                found.append((near?.range ?? range).lowerBound..<range.upperBound)
            }
            before = (text, range, near.map { $0.text + text })
        }
        return found
    }

    private func isSecretWord(_ word: String, behind before: String?) -> Bool {
        if Self.codes.contains(word) || word.hasSuffix("code") {
            return !Self.otherCodes.contains { word.hasPrefix($0) || before == $0 }
        }
        if Self.doors.contains(word), before == "to" { return true }
        // An address of a mail is seen by its shape.
        if word.contains("mail") { return false }
        if SecretWords.meaning(of: word) == .secret || Self.names.contains(word) { return true }
        return before.map { !$0.contains("mail") && SecretWords.meaning(of: $0 + word) == .secret } ?? false
    }

    private static let codes: Set<String> = [
        "code", "codes", "pin", "pins", "otp", "otps", "passcode", "kode", "koden", "kod", "kodu", "kodun", "kodunuz",
        "codigo", "código",
        "códigos", "codice", "koodi", "код", "коду", "кода", "κωδικός", "代码", "コード", "코드",
    ]
    /// Codes of something else.
    private static let otherCodes: Set<String> = [
        "error", "status", "postal", "post", "zip", "country", "area", "exit", "product", "bar", "qr", "source", "dial",
        "dialing", "dialling", "sort", "response", "result", "color", "colour", "language", "currency", "http", "morse",
        "unic", "enc", "dec",
    ]
    private static let names: Set<String> = [
        "pw", "pwd", "pass", "cvv", "cvc", "tan", "mtan", "puk", "imap", "smtp", "sudo",
    ]
    /// What one does with a code: `enter 482913 to sign in`.
    private static let doors: Set<String> = ["sign", "log", "login", "verify", "confirm", "unlock", "authenticate"]

    // MARK: Wallets

    /// Takes 12 to 24 short words of small letters in a row, with spaces, commas, numbers or line breaks between.
    mutating func takePhrases() {
        guard bytes.count >= 47 else { return }
        var index = 0, count = 0, first = 0, last = 0
        func take(_ ranges: inout [Range<Int>]) {
            if Self.phrase.contains(count) { ranges.append(first..<last) }
            count = 0
        }
        while index < bytes.count {
            let byte = bytes[index]
            if (0x61...0x7A).contains(byte) {
                let word = bytes[index...].prefix { (0x61...0x7A).contains($0) }.indices
                let isEnd = word.upperBound == bytes.count || !isOfWord(bytes[word.upperBound])
                let isWord = (3...8).contains(word.count) && isEnd && (index == 0 || !isOfWord(bytes[index - 1]))
                if isWord {
                    if count == 0 { first = index }
                    (count, last) = (count + 1, word.upperBound)
                } else {
                    take(&ranges)
                }
                index = word.upperBound
            } else {
                if !(byte <= 0x20 || ",.)".utf8.contains(byte) || SecretShapes.isDigit(byte)) { take(&ranges) }
                index += 1
            }
        }
        take(&ranges)
    }

    private func isOfWord(_ byte: UInt8) -> Bool {
        SecretShapes.isAlphanumeric(byte) || byte >= 0x80 || "_-'".utf8.contains(byte)
    }

    /// How many words such a phrase has, with what says so before it.
    static let phrase = 12...28

    /// Whether a list is of the words of such a phrase, one each.
    static func isPhrase(_ elements: some Sequence<String?>) -> Bool {
        var count = 0
        for element in elements {
            guard let word = element, (3...8).contains(word.utf8.count),
                word.utf8.allSatisfy({ (0x61...0x7A).contains($0) })
            else { return false }
            count += 1
            if count > 24 { return false }
        }
        return count >= 12
    }
}
