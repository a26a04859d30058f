import Foundation
import StoreFormats
import Synchronization

/// Which keys say that their values are secret: words of several languages for passwords, tokens, keys and the like.
package enum SecretWords {
    /// What a key says of its value.
    package enum Meaning: Int, Comparable, Sendable {
        /// Nothing.
        case plain
        /// The key asks whether there is a secret: an answer is none, but a text that is longer than one.
        case asking
        /// It is secret if it is long enough to be a key, and no word of a language.
        case token
        /// It is secret if it is long enough to be a key.
        case ambiguous
        /// It is secret if it is long enough to be what keys are made from.
        case seed
        /// It is secret.
        case secret

        package static func < (left: Meaning, right: Meaning) -> Bool { left.rawValue < right.rawValue }
    }

    /// Words that say so wherever they stand in a key, also run together with others, as in `accesstoken`.
    private static let anywhere = [
        "token", "password", "passwd", "passphrase", "passcode", "secret", "email", "credential", "authorization",
        "mnemonic", "bearer", "apikey", "privatekey", "accesskey", "encryptionkey", "cryptokey", "signingkey",
        "masterkey", "sharedkey", "authkey", "writekey", "sessionkey", "sessionid", "licensekey", "recoverykey",
        "recoverycode", "recoveryphrase", "seedphrase", "backupcode", "onetimecode", "verificationcode",
        "securitycode", "accesscode", "unlockcode", "logincode", "smscode", "pincode", "cardnumber", "creditcard",
        "connectionstring", "jsessionid", "phpsessid", "passwrd", "dbpass", "userpass", "wepkey", "wpakey", "wifikey",
        "pgpkey", "gpgkey",
        "pukcode", "keymaterial", "invitecode",
        "resetcode", "taxid", "enckey", "securityanswer", "activationcode", "doorcode", "gatecode", "alarmcode",
        "entrycode", "enteredcode", "lockcode", "facode", "authenticationcode", "confirmationcode", "parentcode",
        "parentalcode", "codeword", "safeword", "maidenname", "seedwords", "recoverywords", "secretwords",
        "backupwords",
        "backupphrase", "secretphrase", "walletphrase",
        "codedeverification", "codedeconfirmation", "codigodeverificacion", "codigodeverificacao", "codicediverifica",
        "bestatigungscode", "verifizierungscode", "zugangscode", "freischaltcode", "tanliste", "pword", "twofactor",
        "walletseed", "pinnumber", "magiclink",
        "codeverifier", "aeskey", "rsakey", "sshkey", "privkey", "symmetrickey", "vaultkey", "cipherkey", "databasekey",
        "dbkey", "keychainbackup", "pwhash",
        "samlresponse", "samlassertion", "passportnumber", "socialsecuritynumber", "rootpw", "pinhash", "accesstok",
        "refreshtok", "loginlink", "signinlink", "resetlink",
        "recoverylink", "onetimelink", "onetimelogin",
        // German, Spanish, French, Portuguese, Italian, Dutch, the north and the east of Europe, Turkish, Vietnamese.
        "passwort", "kennwort", "geheim", "contrasena", "motdepasse", "senha", "parol", "parola", "wachtwoord",
        "losenord",
        "salasana", "adgangskode", "kodeord", "passord", "haslo", "heslo", "geslo", "lozinka", "jelszo", "sifre",
        "matkhau", "palavrapasse", "katasandi", "slaptazodis", "zaporka", "zugangsdaten", "anmeldedaten", "parool",
        "salasona", "lykilord", "pasahitza", "contrasenya", "contrasinal", "cyfrinair", "nenosiri", "katalaluan",
        "fjalekalim", "segreto", "segredo", "jetondacces", "schlusselwort", "codesecret",
        "пароль", "лозинка", "парола", "гасло", "секрет", "токен", "пинкод", "κωδικος", "συνθηματικο", "პაროლი",
        "գաղտնաբառ",
        // Chinese, Japanese, Korean, Arabic, Persian, Hebrew, Thai, Hindi, Bengali, Tamil.
        "密码", "密碼", "口令", "令牌", "密钥", "密鑰", "验证码", "驗證碼", "私钥", "私鑰", "パスワード", "暗証番号", "トークン",
        "秘密鍵", "合言葉", "認証コード", "비밀번호", "암호", "토큰", "비밀키", "인증번호", "كلمةالمرور", "كلمةالسر", "رمزعبور",
        "گذرواژه", "סיסמה", "סיסמא", "รหัสผ่าน", "पासवर्ड", "कूटशब्द", "পাসওয়ার্ড", "கடவுச்சொல்",
    ].map { word in word.utf8.allSatisfy { $0 < 0x80 } ? word : SecretWords.words(of: word[...]).joined() }

    /// Words that say so only by themselves, as other words contain them: `authority`, `pwdless`.
    private static let whole: Set<String> = [
        "pwd", "jwt", "jwe", "cred", "creds", "auth", "oauth", "cookie", "cookies", "otp", "totp", "hotp", "mfa", "psk",
        "cvv", "cvc", "ssn", "iban", "csrf", "xsrf", "mdp", "clave", "sess", "sessid", "hmac", "mypw", "psw", "pswd",
        "cpf", "parole", "sifra", "kek", "dek", "dsn", "webhook", "sas", "otl", "ott", "upw", "pwort",
        "otps", "pwhash", "wep", "xprv", "xpriv",
    ]
    /// Words that say so only at the end of a key: `user_pin`, but not `pinColor`.
    private static let last: Set<String> = [
        "pass", "pin", "pins", "pw", "sid", "session", "sig", "puk", "tan", "mtan", "bcrypt", "scrypt",
    ]
    /// Words that may mean the key of a lock or the key of an entry: `write_key`, `application_version_key`.
    private static let ambiguous: Set<String> = [
        "key", "keys", "salt", "signature", "nonce", "pass", "phrase", "vault",
    ]
    /// What the tokens of a login are called beside one another, and the files of private keys.
    private static let tokens: Set<String> = [
        "refresh", "access", "ticket", "ssoticket", "mapboxaccess", "verifier", "idrsa", "ided", "idecdsa", "iddsa",
    ]
    /// Words that contain one of ``anywhere`` by chance.
    private static let innocent = ["keyboard", "secretary", "tokenizer", "tokenization", "monkey"]
    /// Words at the end of a key that tell something about a secret, and not the secret.
    private static let describing: Set<String> = [
        "type", "kind", "state", "status", "mode", "policy", "version", "scheme", "algorithm", "provider", "method",
        "count", "length", "limit", "size", "max", "min", "index", "attempts", "expiry", "expires", "expiration",
        "date",
        "time", "timestamp", "enabled", "required", "verified", "changed", "updated", "created", "screen", "title",
        "label", "placeholder", "timeout", "change", "consent", "file", "path",
    ]
    /// Words that make a key in a name that of an entry.
    private static let naming: Set<String> = ["preference", "preferences", "setting", "settings"]
    /// Words at the beginning of a key that make a number of it.
    private static let limiting: Set<String> = ["max", "min"]

    /// Words at the beginning of a key whose answer is yes or no.
    private static let asking: Set<String> = ["is", "has", "can", "should", "did", "was", "needs"]

    /// Whether a key says that a code below it is one that lets someone in: `appLock`, `pin_settings`, `verification`.
    package static func isOfCodes(_ key: String) -> Bool {
        guard key.utf8.count <= 64 else { return false }
        if key.utf8.contains(UInt8(ascii: "2")), key.lowercased().contains("2fa") { return true }
        guard mayHold(key.utf8, codeBeginnings) else { return false }
        let words = words(of: key[...])
        return (words + [words.joined()]).contains { word in
            codeHolders.contains(word)
                || longCodeHolders.contains(where: word.hasSuffix)
                    && !["clock", "block"].contains(where: word.hasSuffix)
        }
    }

    /// Whether a key by itself says that its value is a code, of whatever kind: `code`, `lastCode`.
    package static func isCode(_ key: String) -> Bool {
        guard key.utf8.count <= 32 else { return false }
        let words = words(of: key[...])
        guard let last = words.last, ["code", "codes", "digits", "combination", "value"].contains(last) else {
            return false
        }
        return words.count == 1 || words.count == 2 && codeKinds.contains(words[0])
    }

    /// What stands before `code` in the words for codes that let someone in.
    private static let codeHolders: Set<String> = {
        let all = anywhere.filter { $0.utf8.count > 4 && $0.hasSuffix("code") }.map { String($0.dropLast(4)) }
        // What is entered may be a postal code.
        return Set(all).subtracting(["entry", "entered", "pas", "fa"]).union(["pin", "otp", "mfa", "tfa", "verify"])
    }()
    private static let codeBeginnings = beginnings(of: codeHolders)
    /// Those that are told from a part of another word.
    private static let longCodeHolders = codeHolders.filter { $0.utf8.count > 3 && $0 != "door" && $0 != "gate" }
    /// Words that may stand before such a `code`.
    private static let codeKinds: Set<String> = [
        "current", "last", "new", "old", "entered", "user", "my", "saved", "stored", "expected", "pending", "sent",
        "received", "secret", "hash", "hashed", "plain", "raw",
    ]

    private static let values: Set<String> = [
        "value", "val", "content", "data", "text", "setting_value", "string", "zvalue", "zstringvalue", "hash",
        "v",
    ]

    /// Whether a column of a table, or a member, has values, by what it is called.
    package static func isOfValues(_ key: String) -> Bool { values.contains(key.lowercased()) }

    /// The same of a table whose name says that its values are secret.
    package static func isOfSecretTable(_ column: String) -> Bool {
        isOfValues(column) || ["body", "payload"].contains(column.lowercased())
    }

    /// Whether a column of a table is secret: its name says so, or it has the values of a table whose name does.
    package static func isSecret(column: String, ofTable table: String) -> Bool {
        meaning(of: column) == .secret || isOfSecretTable(column) && meaning(of: table) == .secret
    }

    /// Whether a name that says that its value is secret stands in a key before that: `token:ab12cd`, `user=7&pin=4815`.
    ///
    /// What only tells something about a secret, as `token:expiry`, is none; `session:` and the like stand before many an
    /// identifier, and count where that has a digit.
    package static func isNamed(in key: String) -> Bool {
        let bytes = key.utf8
        func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ":") || byte == UInt8(ascii: "=") }
        var start = bytes.startIndex
        while let sign = bytes[start...].firstIndex(where: isSign) {
            let next = bytes.index(after: sign),
                end = bytes[next...].firstIndex { isSign($0) || $0 == UInt8(ascii: "&") }
            let value = bytes[next..<(end ?? bytes.endIndex)]
            let name = String(Substring(bytes[start..<sign].suffix(64)))
            if !value.isEmpty, meaning(of: name) == .secret {
                let isWhole = meaning(of: name + ":" + String(Substring(value.prefix(64)))) == .secret
                let digits = value.count { (0x30...0x39).contains($0) }
                if isWhole || value.count >= 4 && digits > 0 { return true }
            }
            start = next
        }
        return false
    }

    /// What a key says of its value.
    package static func meaning(of key: String) -> Meaning { meaning(ofKey: key) }

    /// What a key says of its value.
    package static func meaning(of key: Substring) -> Meaning { meaning(ofKey: key) }

    // Not generic to those outside, for whom it is not specialized.
    private static func meaning(ofKey key: some StringProtocol) -> Meaning {
        guard mayMean(key.utf8) else { return .plain }
        // The keys of a screen are asked for again and again.
        let name = key.utf8.count <= rememberedLength ? Name(key) : nil
        if let name, let known = remembered.withLock({ $0[name] }) { return known }
        let meaning = meaning(ofUnknown: key)
        if let name {
            remembered.withLock { remembered in
                if remembered.count >= rememberedCount { remembered.removeAll() }
                remembered[name] = meaning
            }
        }
        return meaning
    }

    /// What keys say that were asked for, as many as are kept and no longer ones.
    private static let remembered = Mutex<[Name: Meaning]>([:])
    private static let rememberedCount = 4096, rememberedLength = 128

    private static func meaning(ofUnknown key: some StringProtocol) -> Meaning {
        // A long key is text of the app rather than a name; its ends are enough.
        guard key.utf8.count > 1024 else { return meaning(words: words(of: Substring(key))) }
        return max(
            meaning(words: words(of: Substring(key.prefix(512)))), meaning(words: words(of: Substring(key.suffix(512))))
        )
    }

    private static func meaning(words: [String]) -> Meaning {
        guard let end = words.last(where: { !["at", "in", "on"].contains($0) }) else { return .plain }
        if words.count > 1, describing.contains(end) { return .plain }
        // The name of an entry, as programs call them: `DatabasePathPreferenceKey`.
        if words.count > 2, end == "key", naming.contains(words[words.count - 2]) {
            return meaning(words: words.dropLast(2))
        }
        if words.count > 1, limiting.contains(words[0]) { return .plain }
        if words.count > 1, asking.contains(words[0]) {
            return meaning(words: Array(words.dropFirst())) == .secret ? .asking : .plain
        }
        if words.contains(where: whole.contains) || last.contains(end) { return .secret }
        if zip(words, words.dropFirst()).contains(where: { $0 == "e" && $1.hasPrefix("mail") }) { return .secret }
        let joined = words.joined()
        if tokens.contains(joined) { return .token }
        // What stands below a letter, and a key that is there to be known.
        if joined.hasSuffix("mailsignature") || words.count == 2 && ["public", "pub"].contains(words[0]) {
            return .plain
        }
        if WordTable.anywhere.isIn(joined, except: .innocent) { return .secret }
        if words.contains("seed") { return .seed }
        return words.contains(where: ambiguous.contains) ? .ambiguous : .plain
    }

    /// Words by their first byte, to be looked for in all of a text at once.
    private struct WordTable {
        private var words = [[[UInt8]]](repeating: [], count: 256)

        static let anywhere = WordTable(SecretWords.anywhere), innocent = WordTable(SecretWords.innocent)

        init(_ texts: [String]) {
            for text in texts { if let first = text.utf8.first { words[Int(first)].append(Array(text.utf8)) } }
        }

        /// Whether one of the words is in a text, and not only as a part of one of others.
        func isIn(_ text: String, except others: WordTable) -> Bool {
            let bytes = Array(text.utf8)
            var index = 0
            while index < bytes.count {
                if let length = others.length(at: index, in: bytes) {
                    index += length
                } else if length(at: index, in: bytes) != nil {
                    return true
                } else {
                    index += 1
                }
            }
            return false
        }

        /// The length of the word that stands at a place.
        private func length(at index: Int, in bytes: [UInt8]) -> Int? {
            words[Int(bytes[index])].first { bytes[index...].starts(with: $0) }?.count
        }
    }

    /// The beginnings, three letters each, of words, five bits a letter.
    private static func beginnings(of words: some Sequence<String>) -> [Bool] {
        var table = Array(repeating: false, count: 1 << 15)
        for word in words where word.utf8.allSatisfy({ $0 < 0x80 }) {
            table[word.utf8.prefix(3).reduce(0) { $0 << 5 | Int($1 & 31) }] = true
        }
        return table
    }

    private static let beginnings = beginnings(of: anywhere + whole + last + ambiguous + tokens + ["email", "seed"])

    /// Whether a key may hold one of the words at all; most do not, and a store may have millions.
    private static func mayMean(_ key: some Sequence<UInt8>) -> Bool { mayHold(key, beginnings) }

    private static func mayHold(_ key: some Sequence<UInt8>, _ beginnings: [Bool]) -> Bool {
        var letters = 0, count = 0
        for byte in key {
            if byte >= 0x80 { return true }
            guard (0x61...0x7A).contains(byte | 0x20) else { continue }
            letters = (letters << 5 | Int(byte & 31)) & 0x7FFF
            count += 1
            if count > 2, beginnings[letters] { return true }
            // The only word of two letters: `pw`.
            if letters & 0x3FF == 16 << 5 | 23 { return true }
        }
        return false
    }

    /// The words of a key in lower case without accents: `rs_userID` is `rs`, `user`, `id`; `APIKey` is `api`, `key`.
    private static func words(of key: Substring) -> [String] {
        var words: [String] = [], word = ""
        // Letters of full width, of mathematics and the like are the plain ones in another form.
        let isASCII = key.utf8.allSatisfy { $0 < 0x80 }
        let scalars = Array((isASCII ? String(key) : key.decomposedStringWithCompatibilityMapping).unicodeScalars)
        func isUpper(_ index: Int) -> Bool { scalars.indices.contains(index) && scalars[index].properties.isUppercase }
        func isLower(_ index: Int) -> Bool { scalars.indices.contains(index) && scalars[index].properties.isLowercase }
        for (index, scalar) in scalars.enumerated() {
            // An accent or a vowel sign belongs to its letter; a zero-width space is not seen, and parts nothing.
            if !scalar.isASCII,
                scalar.properties.canonicalCombiningClass != .notReordered
                    || [.nonspacingMark, .spacingMark, .format].contains(scalar.properties.generalCategory)
            {
                continue
            }
            let startsWord = isUpper(index) && (!isUpper(index - 1) || isLower(index + 1))
            if !scalar.properties.isAlphabetic || startsWord {
                if !word.isEmpty { words.append(unmixed(word)) }
                word = ""
            }
            if scalar.properties.isAlphabetic { word += unaccented[scalar] ?? scalar.properties.lowercaseMapping }
        }
        return word.isEmpty ? words : words + [unmixed(word)]
    }

    /// A word in which letters of Latin stand among those of Cyrillic or Greek that look like them, in Latin.
    private static func unmixed(_ word: String) -> String {
        let scalars = word.unicodeScalars
        guard scalars.contains(where: { !$0.isASCII }), scalars.contains(where: \.isASCII) else { return word }
        return scalars.map { lookalikes[$0] ?? String($0) }.joined()
    }

    /// Letters that look like those of Latin (Unicode Technical Standard #39).
    private static let lookalikes: [Unicode.Scalar: String] = [
        "а": "a", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "і": "i", "ј": "j", "к": "k", "ӏ": "l", "м": "m", "о": "o",
        "р": "p", "ԛ": "q", "ѕ": "s", "т": "t", "ѵ": "v", "ԝ": "w", "х": "x", "у": "y", "α": "a", "ε": "e", "ι": "i",
        "κ": "k", "ν": "v", "ο": "o", "ρ": "p", "τ": "t", "υ": "u", "χ": "x", "ѡ": "w", "ɡ": "g", "ɩ": "i", "ո": "n",
        "օ": "o", "ս": "u",
    ]

    /// Letters that do not decompose into a plain one and an accent.
    private static let unaccented: [Unicode.Scalar: String] = [
        "ł": "l", "Ł": "l", "ø": "o", "Ø": "o", "đ": "d", "Đ": "d", "ß": "ss", "ı": "i", "ð": "d",
        "Ð": "d",
    ]
}
