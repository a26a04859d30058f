import StoreFormats

/// Which keys say that their values are secret: token, password, secret, key, e-mail, and their usual spellings.
enum SecretKeys {
    /// Words that say so wherever they stand in a key, also run together with others, as in `accesstoken`.
    private static let anywhere = [
        "token", "password", "passwd", "passphrase", "passcode", "secret", "email", "apikey",
    ]
    /// Words that say so only by themselves, as other words contain them: `pwdless`.
    private static let whole: Set<String> = ["pwd", "jwt", "credential", "credentials"]
    /// Words that may mean the key of a lock or the key of an entry: `write_key`, `application_version_key`.
    private static let ambiguous: Set<String> = ["key", "keys"]

    /// What a key says of its value.
    enum Meaning: Int, Comparable {
        /// Nothing.
        case plain
        /// It is secret if it is long enough to be a key.
        case ambiguous
        /// It is secret.
        case secret

        static func < (left: Meaning, right: Meaning) -> Bool { left.rawValue < right.rawValue }
    }

    /// What a key says of its value.
    static func meaning(of key: String) -> Meaning {
        // A long key is text of the app rather than a name; its beginning is enough.
        let words = words(of: key.prefix(512))
        if words.contains(where: whole.contains) { return .secret }
        if zip(words, words.dropFirst()).contains(where: { $0 == "e" && $1.hasPrefix("mail") }) { return .secret }
        let joined = words.joined()
        if anywhere.contains(where: joined.contains) { return .secret }
        return words.contains(where: ambiguous.contains) ? .ambiguous : .plain
    }

    /// The words of a key in lower case: `rs_userID` is `rs`, `user`, `id`, and `APIKey` is `api`, `key`.
    private static func words(of key: Substring) -> [String] {
        var words: [String] = [], word = ""
        let scalars = Array(key.unicodeScalars)
        func isUpper(_ index: Int) -> Bool { scalars.indices.contains(index) && scalars[index].properties.isUppercase }
        func isLower(_ index: Int) -> Bool { scalars.indices.contains(index) && scalars[index].properties.isLowercase }
        for (index, scalar) in scalars.enumerated() {
            let startsWord = isUpper(index) && (!isUpper(index - 1) || isLower(index + 1))
            if !scalar.properties.isAlphabetic || startsWord {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if scalar.properties.isAlphabetic { word += scalar.properties.lowercaseMapping }
        }
        return word.isEmpty ? words : words + [word]
    }
}
