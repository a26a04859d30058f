/// Which words are tokens by their shape, whatever they stand for: JSON web tokens, and those of large services.
///
/// Works on bytes, in time proportional to the word.
package enum SecretTokens {
    /// The shortest web token: more than eight characters, and four dots.
    private static let webTokenLength = 13
    /// The shortest token of a service.
    private static let serviceLength = services.map(\.length).min() ?? 0

    /// The shortest of any.
    package static let shortest = min(webTokenLength, serviceLength)

    /// Whether a word is one, or ends in one; asked only of words that are long enough to be one.
    package static func isOne(_ word: ArraySlice<UInt8>) -> Bool {
        word.count >= webTokenLength && (isWebToken(word) || endsInWebToken(word))
            || word.count >= serviceLength && isServiceToken(word)
    }

    /// Whether a text has such a word: letters, digits, and what e-mail addresses and base64 may have.
    package static func isOne(in text: some Sequence<UInt8>) -> Bool {
        Array(text).split { !(isAlphanumeric($0) || $0 >= 0x80 || "@._%+-/=".utf8.contains($0)) }.contains(where: isOne)
    }

    /// How tokens of large services begin, and how long they are at least.
    private static let services: [(prefix: [UInt8], length: Int)] = [
        ("ghp_", 20), ("gho_", 20), ("ghu_", 20), ("ghs_", 20), ("ghr_", 20), ("github_pat_", 20), ("glpat-", 16),
        ("xoxb-", 14), ("xoxp-", 14), ("xoxa-", 14), ("xoxr-", 14), ("xoxs-", 14), ("xapp-", 14), ("sk_live_", 14),
        ("sk_test_", 14), ("rk_live_", 14), ("rk_test_", 14), ("whsec_", 14), ("AKIA", 20), ("ASIA", 20),
        ("AIza", 30), ("ya29.", 14), ("GOCSPX-", 14), ("1//0", 20), ("npm_", 20), ("SG.", 24), ("SK", 34),
        ("pk.eyJ", 24), ("sk.eyJ", 24), ("tk.eyJ", 24),
        ("EAA", 30), ("EAAB", 24), ("hf_", 20), ("pypi-", 20), ("shpat_", 20), ("shpss_", 20), ("sq0atp-", 16),
        ("sq0csp-", 16),
        ("dop_v1_", 20), ("hvs.", 20), ("dapi", 36), ("dp.pt.", 20), ("secret_", 20), ("pk_live_", 14), ("key-", 30),
        ("NRAK-", 16), ("HRKU-", 20), ("lin_api_", 16), ("figd_", 16), ("AGE-SECRET-KEY-", 20),
        // Extended private keys of wallets (BIP 32, SLIP 132).
        ("xprv", 100), ("yprv", 100), ("zprv", 100), ("tprv", 100), ("uprv", 100), ("vprv", 100),
        ("hooks.slack.com/services/", 40), ("discord.com/api/webhooks/", 40), ("discordapp.com/api/webhooks/", 40),
    ].map { (Array($0.0.utf8), $0.1) }
    private static let servicesByFirst = Dictionary(grouping: services) { $0.prefix.first }

    /// Whether a token may begin at a place of a word: behind a sign, and not within letters and digits.
    private static func mayBegin(at index: Int, in word: ArraySlice<UInt8>) -> Bool {
        index == word.startIndex || !isAlphanumeric(word[index - 1])
    }

    /// Whether a word is, or ends in, the token of a service: `token=ghp_…` is one word here.
    private static func isServiceToken(_ word: ArraySlice<UInt8>) -> Bool {
        var isFirstKey = true
        return word.indices.contains { index in
            guard mayBegin(at: index, in: word) else { return false }
            let rest = word[index...]
            // What begins so and has short words behind it is the name of something, as of a model. All that stands behind
            // another one stands behind the first.
            if isFirstKey, rest.count >= 20, rest.starts(with: "sk-".utf8) {
                isFirstKey = false
                if rest.split(separator: UInt8(ascii: "-")).contains(where: {
                    $0.count >= 16 && $0.contains(where: isDigit)
                }) {
                    return true
                }
            }
            if isOfBot(rest) { return true }
            return servicesByFirst[rest.first]?.contains { rest.count >= $0.length && rest.starts(with: $0.prefix) }
                ?? false
        }
    }

    /// Whether a web token stands in a word behind a sign, as in `id-eyJ…` or `v2.eyJ…`.
    private static func endsInWebToken(_ word: ArraySlice<UInt8>) -> Bool {
        var start = word.startIndex
        while start < word.endIndex {
            let end = word[start...].firstIndex(of: UInt8(ascii: ".")) ?? word.endIndex
            // Of those that may begin in one part the first has the most behind it.
            let first = (start..<end).first { mayBegin(at: $0, in: word) && word[$0...].starts(with: "eyJ".utf8) }
            if let first, isWebToken(word[first...]) { return true }
            start = end + 1
        }
        return false
    }

    /// Three parts of base64 with dots between, of an encrypted one five, the first of which is JSON: `{"`.
    private static func isWebToken(_ word: ArraySlice<UInt8>) -> Bool {
        let parts = word.split(separator: UInt8(ascii: "."), maxSplits: 5, omittingEmptySubsequences: false)
        // JSON in base64 that nothing has read as such: without its padding, cut, or with the signs of links.
        if parts.count == 1, word.count >= 20, word.starts(with: "eyJ".utf8) { return true }
        // The token of a bot on Discord: an identifier, a time, and a digest.
        if parts.count == 3, parts[0].count >= 18, parts[1].count == 6, parts[2].count >= 27, isMixed(parts[2]) {
            return true
        }
        return parts.count >= 3 && parts[0].count > 8 && (parts.count > 4 || parts[1].count > 4)
            && (parts[0].starts(with: "eyJ".utf8)
                || parts[0].split(separator: UInt8(ascii: "=")).last?.starts(with: "eyJ".utf8) == true)
    }

    /// Whether a word ends in the token of a bot on Telegram: the bot's number, a colon, and some 35 signs.
    ///
    /// The colon is none of a word in a text, so that this is one where a whole name is looked at.
    private static func isOfBot(_ word: ArraySlice<UInt8>) -> Bool {
        let number = word.prefix { (0x30...0x39).contains($0) }, rest = word.dropFirst(number.count)
        guard (8...10).contains(number.count), rest.first == UInt8(ascii: ":"), (35...36).contains(rest.count) else {
            return false
        }
        let token = rest.dropFirst()
        return token.starts(with: "AA".utf8) && token.allSatisfy { isAlphanumeric($0) || "_-".utf8.contains($0) }
    }

    /// Whether a word has digits and letters of both cases.
    private static func isMixed(_ word: ArraySlice<UInt8>) -> Bool {
        word.contains { (0x30...0x39).contains($0) } && word.contains { (0x41...0x5A).contains($0) }
            && word.contains { (0x61...0x7A).contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
    }
}
