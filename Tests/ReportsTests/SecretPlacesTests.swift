import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Reports

/// Secrets in every place that we could think of, and values that look a little like them and are none.
@Suite("What a person would call a secret")
struct SecretPlacesTests {
    static let secret = "hunter2horse"

    /// Everything that is said of an entry: in a row, in full, side by side with nothing, and in JSON.
    private func said(_ value: Value, at address: Address, _ masking: Masking = Masking()) -> String {
        let tree = [false, true].flatMap { masking.treeLines(of: value, at: address, inFull: $0) }
            .map { "\($0.key ?? ""): \($0.text)" }
        let sides = masking.comparison((value, address), (nil, address)).rows.map { "\($0.left ?? "")" }
        let json = (try? json(Showing(masking)(value, at: address))) ?? "failed"
        return ([masking.summary(of: value, at: address), json] + tree + sides).joined(separator: "\n")
    }

    /// The text, and how it looks in base64 at each of the three positions.
    private func forms(_ secret: String) -> [String] {
        [secret]
            + (0..<3).map { shift in
                let text = (Data(repeating: 0, count: shift) + Data(secret.utf8)).base64EncodedString()
                return String(text.dropFirst(shift == 0 ? 0 : 4).prefix(secret.utf8.count * 4 / 3 - 5))
            }
    }

    @Test("in a database and in what is compressed, which nothing looks into: its format is told; other data is shown")
    func closed() {
        let place = Address(store: .files("Documents"), key: "a.bin")
        for (beginning, name) in [("SQLite format 3\0", "SQLite database, "), ("PK\u{3}\u{4}", "zip archive, ")] {
            let said = said(.data(Data((beginning + "\0\u{1}pass\0" + Self.secret).utf8) + Data([0xFF])), at: place)
            #expect(forms(Self.secret).allSatisfy { !said.contains($0) } && said.contains(name), "\(said)")
            #expect(said.filter { !$0.isWhitespace }.contains("\"masked\":true"), "\(said)")
        }
        #expect(said(.data(Data([0x1F, 0x8B, 0x08, 0x00, 0xFE])), at: place).contains("gzip, 5 bytes"))
        let key = Address(store: .files("Documents"), key: "api_token"), database = Value.data(SQLiteMagic.database)
        #expect(said(database, at: key).contains("‹masked data"), "a secret by its name is one in any format")
        #expect(Secrets.isLikelySecret(database, at: key) && !Secrets.isLikelySecret(database, at: place))
        #expect(Secrets.toldApart("xz, 9 bytes", "xz, 9 bytes") == ("xz, 9 bytes", "another xz, 9 bytes"))
        #expect(!said(.data(Data([0x1F, 0x8A, 0x08, 0x00, 0xFE])), at: place).contains("‹masked"))
    }

    @Test("in base64 of a format, of which a keychain's data is made: it is shown, and masked, by its parts")
    func encodedInKeychain() throws {
        let account = Address(store: .keychain("svc"), key: "a")
        for format in [
            "{\"v\":\"\(Self.secret)\"}", "<plist><dict><key>v</key><string>\(Self.secret)</string></dict></plist>",
        ] {
            let text = Data(format.utf8).base64EncodedString(), item = KeychainItem(text: text).value
            let said = self.said(item, at: account)
            #expect(forms(Self.secret).allSatisfy { !said.contains($0) }, "\(said)")
            let plain = self.said(.data(Data(text.utf8)), at: .defaults("com.acme", "password"))
            #expect(forms(Self.secret).allSatisfy { !plain.contains($0) }, "\(plain)")
        }
    }

    @Test("in a list of two, behind its name, and in data of two bytes a character without a mark")
    func pairsAndWide() throws {
        let place = Address.defaults("com.acme", "state")
        let pairs = Value.array([
            .array([.string("theme"), .string("dark")]), .array([.string("password"), .string(Self.secret)]),
        ])
        #expect(!said(pairs, at: place).contains(Self.secret))
        #expect(said(pairs, at: place).contains("dark"))
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
            let data = try #require("password: \(Self.secret)".data(using: encoding))
            let said = said(.data(data), at: place)
            #expect(said.contains("masked data"))
            #expect(!said.contains(data.base64EncodedString().dropFirst(8).prefix(20)))
        }
    }

    @Test("in lists beside a list of names, and in rows below their names; a token by what it is called and looks like")
    func tables() {
        let place = Address.defaults("com.acme", "state"), secret = Value.string(Self.secret)
        let header = Value.array([.string("user"), .string("password")])
        let row = Value.array([.string("ann"), secret])
        let values: [Value] = [
            .array([header, row]), .array([header, row, row]),
            .dictionary([(Name("names"), header), (Name("values"), row)]),
            .dictionary([(Name("columns"), header), (Name("rows"), .array([row, row]))]),
            .dictionary([(Name("refresh"), secret)]), .dictionary([(Name("id_rsa"), secret)]),
        ]
        for value in values {
            let said = said(value, at: place)
            for form in forms(Self.secret) { #expect(!said.contains(form), "\(said)") }
        }
    }

    /// The class and the fields of archives, with the numbers of what is in each: 3 is a text that names a secret, 4 the secret.
    static let apart: [(String, [(Name, Value)])] = [
        ("NSDictionary", [("NS.keys", .array([.uid(3), .uid(5)])), ("NS.objects", .array([.uid(4), .uid(5)]))]),
        ("NSDictionary", [("NS.keys", .array([.uid(3)])), ("NS.objects", .array([.uid(4), .uid(5)]))]),
        ("AppCache", [("NS.keys", .array([.uid(3)])), ("NS.objects", .array([.uid(4)])), ("version", .integer(1))]),
        ("NSDictionary", [("NS.key.0", .uid(5)), ("NS.key.1", .uid(3)), ("NS.object.1", .uid(4))]),
    ]

    @Test(
        "an archived dictionary whose keys lie apart: one is no text, keys and values do not pair, its class is the app's",
        arguments: apart)
    func archivedApart(className: String, fields: [(Name, Value)]) throws {
        let archive = Value.dictionary([
            ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
            ("$top", .dictionary([("root", .uid(1))])),
            (
                "$objects",
                .array([
                    .string("$null"), .dictionary(fields + [("$class", .uid(2))]),
                    .dictionary([("$classname", .string(className))]), .string("token"), .string(Self.secret),
                    .integer(1),
                ])
            ),
        ])
        let data = Value.data(try BinaryPropertyList.write(archive))
        try #require(data.decoded()?.value.typeName == "object")
        for value in [archive, data] {
            let said = said(value, at: .defaults("com.acme", "state"))
            for form in forms(Self.secret) { #expect(!said.contains(form), "\(said)") }
        }
    }

    static let keys = [
        "auth", "Auth", "authHeader", "oauth", "pass", "userPass", "passwd", "pwd", "userPwd", "pw", "password",
        "Pass-Word", "pa-ss-wo-rd", "pass\u{200B}word", "passcode", "passphrase", "PIN", "user_pin", "pinCode", "otp",
        "OTPSeed", "totp", "mfa", "cookie", "cookies", "Set-Cookie", "session", "sessionId", "PHPSESSID", "connect.sid",
        "sid", "creds", "credentials", "psk", "wifiPSK", "mnemonic", "seedPhrase", "recoveryPhrase", "recovery_code",
        "backupCodes", "privateKey", "private_key", "encryptionKey", "signing-key", "masterKey", "sharedKey",
        "accessKey", "apiKey", "writeKey", "_writeKey", "licenseKey", "token", "accesstoken", "refresh_token", "csrf",
        "xsrfToken", "secret", "clientSecret", "bearer", "Authorization", "verificationCode", "oneTimeCode", "cvv",
        "cardNumber", "iban", "ssn", "connectionString", "email", "E-Mail", "userEmail",
        "Passwort", "Kennwort", "geheim", "contraseña", "Contrasen\u{303}a", "clave", "mot de passe", "mdp", "senha",
        "parola", "wachtwoord", "lösenord", "salasana", "adgangskode", "passord", "hasło", "heslo", "şifre", "jelszó",
        "mật khẩu", "пароль", "секрет", "токен", "κωδικός", "密码", "密碼", "パスワード", "暗証番号", "비밀번호",
        "كلمة المرور", "סיסמה", "รหัสผ่าน", "पासवर्ड", "sessid", "sess", "sig", "hmac", "puk", "tan", "mypw", "dbpass",
        "userpass", "passwrd", "psw", "pswd", "wepkey", "palavra-passe", "kata_sandi", "slaptažodis", "parole", "šifra",
        "Zugangsdaten", "parool", "lykilorð", "contrasenya", "segredo", "PIN-код: пин-код", "συνθηματικό", "验证码", "秘密鍵",
        "رمز عبور", "doorCode", "lastEnteredCode", "pword", "parol", "гасло", "2faCode", "ｐａｓｓｗｏｒｄ", "раsswоrd",
        "𝐭𝐨𝐤𝐞𝐧", "zaporka", "лозинка", "inviteCode", "resetCode", "bcrypt", "samlResponse", "passportNumber", "cpf",
        "tax_id", "code_verifier", "aesKey",
        "sqlcipherKey", "parentCode", "safeword", "wpaKey", "wifiKey", "wep", "pgpKey", "pukCode", "xprv",
        "keyMaterial",
        "sas",
    ]

    @Test("by the key, at any depth, as text, number or data", arguments: keys)
    func byKey(key: String) {
        let plain = Address.defaults("com.acme", "state")
        #expect(!said(.string(Self.secret), at: .defaults("com.acme", Name(key))).contains(Self.secret))
        for value: Value in [.string(Self.secret), .data(Data(Self.secret.utf8)), .integer(739_215_864)] {
            let nested = Value.dictionary([("a", .array([.dictionary([(Name(key), .array([value]))])]))])
            let text = said(nested, at: plain)
            for form in forms(Self.secret) + ["739215864"] { #expect(!text.contains(form), "\(text)") }
        }
    }

    static let shapes = [
        "Bearer hunter2horse", "basic aHVudGVyMmhvcnNl", "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "github_pat_11ABCDEFG0abcdefghijkl", "glpat-abcdefghij1234567890", "xoxb-1234567890-abcdef",
        "sk_live_4eC39HqLyjWDarjtT1zdp7dc", "rk_test_4eC39HqLyjWDarjt", "whsec_abcdefgh12345678",
        "AKIAIOSFODNN7EXAMPLE", "AIzaSyA1bcDEfGhIjKlMnOpQrStUvWxYz012345", "ya29.a0AfH6SMBx1234567",
        "GOCSPX-abcdEFGH1234", "sk-abcdefghijklmnop1234", "HRKU-01234567-89ab-cdef-0123-456789abcdef",
        "npm_abcdefghijklmnopqrst",
        "pk.eyJ1IjoiYW5uIiwiYSI6ImNrIn0.abc",
        "SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9", "hf_abcdefghijklmnopqr", "shpat_abcdefghijklmnopqr",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4", "eyJhbGciOiJkaXIifQ..iv345.ct456.tag789",
        "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2Vw\n-----END PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow", "https://ann:hunter2horse@acme.com/x", "ann@acme.com",
        "hvs.CAESIJ1234567890abcdef", "dp.pt.abcdefghij1234567890", "pk_live_4eC39HqLyjWDarjt",
        "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
        "https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnopqrstuvwx",
        "https://discord.com/api/webhooks/198622483471925248/abcdefghij-klmnopqrstuvwx",
        "https://api.telegram.org/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
        "https://acme.com/cb#access_token=ghp_16C7e42F292c6912E7710c83", "EAACEdEose0cBAJ1k2l3m4n5o6p7q8r9s0",
        "{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "$2b$12$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW",
        "$6$rounds=5000$saltsalt$9cXW1Q4hU1gkM0ZtP8", "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2g",
        "4111 1111 1111 1111", "4111111111111111", "5500-0000-0000-0004", "378282246310005",
        "DE89370400440532013000", "GB82 WEST 1234 5698 7654 32",
    ]

    @Test("by the shape of the value, alone and within a text", arguments: shapes)
    func byShape(secret: String) {
        for text in [secret, "it is \(secret)", "v=\(secret)"] {
            for value: Value in [.string(text), .data(Data(text.utf8)), .array([.string(text)])] {
                let said = said(value, at: .defaults("com.acme", "state"))
                let tail = secret.split(separator: "\n").dropFirst().first ?? Substring(secret.suffix(10))
                #expect(!said.contains(tail), "\(said)")
            }
        }
    }

    static let texts = [
        #"{"password": "hunter2horse", "a": 1"#, #"{"password": "hunter2horse",}"#,
        "{\"a\":1}\n{\"password\":\"hunter2horse\"}", #"callback({"token":"hunter2horse"})"#,
        #"{"a":"{\"password\":\"hunter2horse\""#, "?user=ann&password=hunter2horse&x=1", "pin=hunter2horse",
        "a=1;session=hunter2horse; b=2", "Authorization: Bearer hunter2horse", "Cookie: a=b; sid=hunter2horse",
        "X-Api-Key: hunter2horse", "password: hunter2horse", "Password = hunter2horse", "mot de passe: hunter2horse",
        "пароль: hunter2horse", "api key: hunter2horse", "the password is “hunter2horse”, which is too short",
        #"the token is "hunter2horse""#, #"name="password" value="hunter2horse""#,
        #"{"name": "password", "value": "hunter2horse""#, "<key>password</key><string>hunter2horse</string",
        "<plist><dict><key>token</key>\n\t<string>hunter2horse</string>", "<password>hunter2horse</password><a>",
        "[auth]\nsecret = hunter2horse\n", "passphrase hunter: correct\npassphrase: hunter2horse battery staple",
        #"{"creds": ["hunter2horse""#, "export API_KEY='hunter2horse'", "\u{FEFF}password: hunter2horse",
        "redis://:hunter2horse@127.0.0.1:6379/0", "ftp://ann:hunter2horse@host:21/x", "Your password is hunter2horse",
        "password\thunter2horse", "password:\n  hunter2horse", "password -> hunter2horse", "password：hunter2horse",
        "curl -u ann:hunter2horse https://acme.com", "curl --user 'ann:hunter2horse' x",
        "a=%22password%22%3A%22hunter2horse%22",
        #"{"pass\u0077ord": "hunter2horse""#, "q=password%3Dhunter2horse",
        "mysql --password hunter2horse -h db", "a --api-token  hunter2horse",
        "machine acme.com login ann password hunter2horse",
        "machine acme.com\n  login ann\n  password hunter2horse", "| user | password |\npassword|hunter2horse|x",
        "password → hunter2horse", "&quot;password&quot;:&quot;hunter2horse&quot;",
        "&#34;password&#34;: &#34;hunter2horse&#34;",
        "<img src='data:text/plain;base64,cGFzc3dvcmQ9aHVudGVyMmhvcnNl'>",
        "a data:;base64,cGFzc3dvcmQ6IGh1bnRlcjJob3JzZQ== b",
        #"("password", "hunter2horse")"#, "name,password\nann,hunter2horse\n", "id;user;PIN\r\n1;ann;hunter2horse",
        "user\temail\tscore\n\"a\"\"b\"\t\"hunter2horse\"\t3\nc\thunter2horse", "\nuser,password\nann,hunter2horse\n",
        "user,password\nann,hunter2horse\n# end", "sep=;\nuser;password\nann;hunter2horse\nx;y;z\nTotal: 1",
        "user's note,price/month,password\na,2,hunter2horse\nb", "key,value\nclient_secret,hunter2horse\n",
        "mysql -uroot -phunter2horse notes",
        "sshpass -p hunter2horse ssh ann@host", "/usr/bin/unzip -P hunter2horse a.zip", "7z x -phunter2horse a.7z",
        "log in as ann with password 'hunter2horse'", "CREATE USER ann IDENTIFIED BY 'hunter2horse';",
        "id=5 password=hunter2horse", "name=ann password=hunter2horse", "label: password: hunter2horse",
        "key=password=hunter2horse", "the token `hunter2horse` was refused",
        "logged in with password hunter2horse today", "Votre mot de passe est hunter2horse",
        #"{"password" /* of ann */: "hunter2horse", }"#, "ｐａｓｓｗｏｒｄ＝hunter2horse",
        "<password><![CDATA[hunter2horse]]></password>", "/a?x=1&sig=hunter2horse",
        "[passwords]\nann = hunter2horse\nbob: hunter2horse\n", "a = 1\r\n[ secrets ]\r\nann=hunter2horse",
        "password = \"\"\"hunter2horse\"\"\"", "insert into logins (name, password) values ('ann', 'hunter2horse')",
        "INSERT INTO \"t\" (id, `token`,x) VALUES\n (1, 'it''s hunter2horse', 3),\n (2,\"hunter2horse\",4);",
        "<tr><td>Password</td><td>hunter2horse</td></tr>", "<dt>PIN</dt>\n<dd class='v'>hunter2horse</dd>",
        "  [passwords]\nann = hunter2horse", "[tokens] ; of ann\nann = hunter2horse\n",
        "INSERT INTO users (id, created, password) VALUES (1, datetime('now'), 'hunter2horse')",
        "INSERT OR REPLACE INTO \"main\".\"users\" (\"name\",\"password\") VALUES (?, 'hunter2horse')",
        "replace into\n passwords VALUES(1,'hunter2horse');", "insert into t(a, token) select 1, 'hunter2horse'",
        "<TH>Token:</TH> <TD><b>hunter2horse</b></TD>", "<name>password</name><value>hunter2horse</value>",
        "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2horse\r\n--x--",
        "Your password is set to hunter2horse", "password changed from hunter2horse to hunter2horse",
        "tried hunter2horse as password", "wifi pw hunter2horse", "パスワードはhunter2horseです", "密码是hunter2horse",
        "db.acme.com:5432:*:ann:hunter2horse", "# hosts\n*:*:*:ann:hunter2horse", "WIFI:T:WPA;S:Acme;P:hunter2horse;;",
        "Users, exported\nuser,password\nann,hunter2horse\n", "Acme 2024\r\n\r\nid;user;PIN\r\n1;ann;hunter2horse",
        "theme,size\ndark,3\n\nuser,password\nann,hunter2horse", "a,b\nkey,value\ntheme,dark\npin,hunter2horse",
        "user,password\na,b\n\nname,pin\nann,hunter2horse", "https://acme.com/magic/hunter2horse",
        "see acme.com/reset-password/ann/hunter2horse.", "acme://login?otl=hunter2horse",
        "https%3A%2F%2Facme.com%2Fmagic-link%2Fhunter2horse", "/verify-email?id=7&x=hunter2horse",
        "https://acme.com/in?a=1&code=hunter2horse", "{\"password\",\n \"hunter2horse\"}",
        "openssl enc -aes-256-cbc -k hunter2horse -in a", "password ........ hunter2horse",
        "ann:hunter2horse@host",
    ]

    static let words = "apple river stone cloud tiger maple ocean flame brick candy dance eagle".split(separator: " ")

    @Test(
        "the words that restore a wallet, behind what says so, in whatever way they are listed",
        arguments: [
            "my recovery phrase is " + words.joined(separator: " "), "mnemonic " + words.joined(separator: " "),
            "seed phrase: " + words.joined(separator: ", "), "Wallet seed words\n" + words.joined(separator: "\n"),
            "Recovery phrase\n" + words.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: " "),
        ])
    func phrases(text: String) {
        let said = said(.string(text), at: .defaults("com.acme", "state"))
        #expect(!said.contains("ocean"), "\(said)")
    }

    @Test("a sentence with such a word is shown, and so is a list of words of something else")
    func otherPhrases() {
        for text in [
            "The phrase was said by a man who went home after a long day in town with his dog", "the seed of an apple",
            "tags: " + Self.words.prefix(11).joined(separator: ", "),
        ] {
            #expect(!said(.string(text), at: .defaults("com.acme", "state")).contains("‹masked"), "\(text)")
        }
        for key in ["seedWords", "words"] {
            let list = Value.dictionary([(Name(key), .array(Self.words.map { .string(String($0)) }))])
            #expect(!said(list, at: .defaults("com.acme", "state")).contains("ocean"))
        }
        let pins = Value.dictionary([
            ("pins", .array([.integer(7943), .integer(5812)])), ("otps", .array([.string("794358")])),
        ])
        let said = said(pins, at: .defaults("com.acme", "state"))
        #expect(!said.contains("7943") && !said.contains("5812"))
    }

    static let tickets = ["7F3C1B52-8A4E-4B8E-9A62-0D7F0C1E55AA", "x7Kq", "48213", "kGhTzQpW"]

    @Test("a ticket in a link that lets someone in, also where it is a UUID or short", arguments: tickets)
    func links(ticket: String) {
        for link in [
            "https://acme.com/magic/@", "https://acme.com/login?otl=@", "acme://reset/@", "https://acme.com/reset?t=@",
            "/magic-link?u=3&q=@", "open https://acme.com/#/magic/@ now", "https://acme.com/a?oobCode=@&lang=de",
        ] {
            let text = link.replacing("@", with: ticket)
            #expect(!said(.string(text), at: .defaults("com.acme", "state")).contains(ticket), "\(text)")
            #expect(!Secrets.masked(text: text).contains(ticket), "\(text)")
        }
    }

    @Test(
        "a link to a page, a file, an app's folder or an entry has none",
        arguments: [
            "https://acme.com/login/google", "https://acme.com/reset/step2", "https://acme.com/magic/link",
            "https://acme.com/reset/index.html", "https://acme.com/item/7F3C1B52-8A4E-4B8E-9A62-0D7F0C1E55AA",
            "/var/mobile/Containers/Data/Application/7F3C1B52-8A4E-4B8E-9A62-0D7F0C1E55AA/tmp/a",
            "file://Documents/reset/a7b3c2d1", "sqlite://Documents/a.db/login/a7b3c2d1",
            "https://acme.com/?id=a7b3c2d1",
            "https://acme.com/auth/callback?lang=de", "what? a=a7b3c2d1", "and/or", "1/2",
        ])
    func otherLinks(text: String) {
        let said = said(.string(text), at: .defaults("com.acme", "state"))
        #expect(!said.contains("‹masked"), "\(said)")
    }

    @Test(
        "a code below a key that says what it opens",
        arguments: [
            ("appLock", "code"), ("pin_settings", "code"), ("verification", "lastCode"), ("security", "code"),
            ("2fa", "codes"), ("screenlock.json", "digits"), ("smsVerification", "code"), ("login", "code"),
        ])
    func codesBelow(parent: String, key: String) {
        let plain = Address.defaults("com.acme", "state")
        for value: Value in [.string("739215"), .integer(739_215), .array([.string("739215")])] {
            let code = Value.dictionary([("on", .bool(true)), (Name(key), value)])
            let below = Value.dictionary([("settings", .array([code]))])
            let said = [
                said(.dictionary([(Name(parent), code)]), at: plain),
                said(below, at: .defaults("com.acme", Name(parent))),
                said(value, at: plain.appending(JSONPointer([Name(parent), Name(key)]))),
            ]
            #expect(said.allSatisfy { !$0.contains("739215") }, "\(said)")
        }
    }

    @Test("a code by itself under a key that says what it opens; what is no code is shown there")
    func lockAlone() {
        for key in ["screenLock", "unlock", "app_lock"] {
            let place = Address.defaults("com.acme", Name(key))
            for value: Value in [.string("7943"), .integer(794_358)] {
                let said =
                    said(value, at: place) + said(.dictionary([(Name(key), value)]), at: .defaults("com.acme", "a"))
                #expect(!said.contains("7943"), "\(said)")
            }
            #expect(
                said(.string("enabled"), at: place).contains("enabled") && said(.integer(5), at: place).contains("5"))
        }
    }

    @Test(
        "a code of something else is shown",
        arguments: [
            ("country", "code"), ("clock", "code"), ("verification", "countryCode"), ("block", "code"),
            ("response", "code"), ("shopping", "code"), ("login", "statusCode"),
        ])
    func otherCodes(parent: String, key: String) {
        let code = Value.dictionary([(Name(parent), .dictionary([(Name(key), .integer(739_215))]))])
        #expect(said(code, at: .defaults("com.acme", "state")).contains("739215"))
    }

    static let codes = [
        "code: 143277", "143277 people have a password", "Ann (143277) has the new passcode",
        "Passwort von Ann ist jetzt 143277", "비밀번호는 143277 입니다",
        "Your verification code is 143277", "143277 is your Acme verification code", "2FA code: 143277", "PIN 143277",
        "My PIN is 143277.", "code de vérification : 143277", "OTP is 143277", "Use 143-277 is your login code",
        "Your code: 143277", "Use code 143277 to log in", "G-143277 is your Google verification code",
        "Your Acme code is 143277. Do not share it.", "Your one-time code is\n\n143277", "Enter 143277 to sign in",
        "Ihr Bestätigungscode lautet 143277", "Acme: 143277 is your code", "Votre code est 143277",
        "<#> 143277 is the code to confirm your number",
        "Use 143277 as your password", "Security code 143277", "authentication code 143277",
        "Confirmation code: 143277", "Do not share this code with anyone: 143277", "code 143277 expires in 5 minutes",
        "Su código es 143277", "Ваш код: 143277", "인증번호 143277", "Your code is 143 277",
    ]

    @Test("a code or a PIN in a message, which is of digits alone", arguments: codes)
    func messages(text: String) {
        for value: Value in [.string(text), .data(Data(text.utf8))] {
            let said = said(value, at: .defaults("com.acme", "state"))
            #expect(!said.contains("143277") && !said.contains("143-277") && !said.contains("143 277"), "\(said)")
        }
    }

    @Test(
        "a number in a sentence that is about something else is shown",
        arguments: [
            "143277 is your number of steps", "version is 143277", "error code is 143277", "Your error code is 143277",
            "Enter 143277 as the amount", "Your postal code is 143277", "The code is from 2024-08-30 at 10:30:15",
        ])
    func numbers(text: String) {
        #expect(said(.string(text), at: .defaults("com.acme", "state")).contains("‹masked") == false)
    }

    @Test("in bytes of another encoding, or of a format of no one's, in which a key can be read")
    func otherBytes() throws {
        let place = Address(store: .files("Documents"), key: "mmkv.default")
        let text = "password=\(Self.secret)\nort=Zürich\n"
        for encoding in [String.Encoding.isoLatin1, .windowsCP1252, .utf32, .utf32LittleEndian, .shiftJIS] {
            let text = encoding == .shiftJIS ? "名=太郎\npassword=\(Self.secret)\n" : text
            let said = said(.data(try #require(text.data(using: encoding))), at: place)
            #expect(forms(Self.secret).allSatisfy { !said.contains($0) } && said.contains("‹masked"), "\(said)")
        }
        func item(_ key: String) -> Data {
            Data([0xFF, 0, UInt8(key.utf8.count)] + Array(key.utf8) + [12] + Array(Self.secret.utf8) + [0xFE])
        }
        #expect(said(.data(item("token")), at: place).contains("‹masked data"))
        #expect(said(.data(item("password")), at: place).contains("‹masked data"))
        #expect(!said(.data(item("theme")), at: place).contains("‹masked"))
        // Lengths that are signs (MMKV, CBOR), or the controls of a text.
        let long = Self.secret + String(repeating: "x", count: 31)
        for data in [
            Data([0xFF, 5]) + Data("token,+\(long)".utf8), Data([0xA1, 0x68]) + Data("passwordx+\(long)".utf8),
            Data([8]) + Data("password\u{B}\n\(Self.secret)".utf8),
        ] {
            #expect(forms(Self.secret).allSatisfy { !said(.data(data), at: place).contains($0) }, "\(data)")
        }
        // Random bytes, as of a picture, say nothing.
        var random = SeededGenerator(seed: 7), masked = 0
        for _ in 0..<20 {
            let bytes = Data((0..<50_000).map { _ in UInt8.random(in: 0...255, using: &random) })
            if Secrets.isSecret(.data(bytes), at: place) { masked += 1 }
        }
        #expect(masked == 0)
    }

    @Test("in a flat list of names, each with its value behind it")
    func flatHeaders() {
        let list = Value.array(["Host", "acme", "X-Api-Key", Self.secret, "Accept", "all"].map(Value.string))
        let said = said(list, at: .defaults("com.acme", "state"))
        #expect(!said.contains(Self.secret) && said.contains("acme") && said.contains("all"), "\(said)")
    }

    @Test("by a word in a text that is in no format, or in one that was cut short", arguments: texts)
    func byWord(text: String) throws {
        for value: Value in [.string(text), .data(Data(text.utf8))] {
            for place in [Address.defaults("com.acme", "state"), .init(store: .files("Documents"), key: "notes.txt")] {
                let said = said(value, at: place)
                for form in forms(Self.secret) { #expect(!said.contains(form), "\(said)") }
            }
        }
        #expect(!Secrets.masked(text: text).contains(Self.secret))
    }

    @Test("in the columns for values of a table whose name says so; its other columns are shown")
    func secretTable() {
        let row = Value.dictionary([
            ("id", .integer(7)), ("site", .string("acme.com")), ("value", .string(Self.secret)),
        ])
        for (table, isSecret) in [("passwords", true), ("auth_tokens", true), ("notes", false)] {
            let place = Address(store: SQLiteTable(Name(table), of: "Documents/a.db", in: "AppData").store, key: "7")
            let said = said(row, at: place), value = place.appending(JSONPointer(["value"]))
            #expect(
                said.contains("acme.com") && said.contains("7") && said.contains(Self.secret) != isSecret, "\(said)")
            #expect(self.said(.string(Self.secret), at: value).contains(Self.secret) != isSecret)
        }
    }

    @Test("in containers that are damaged, and in pairs of a name and a value")
    func containers() throws {
        let place = Address.defaults("com.acme", "state")
        let list = try BinaryPropertyList.write(.dictionary([("password", .string(Self.secret))]))
        let archive = Value.dictionary([
            ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
            ("$top", .dictionary([("root", .uid(9))])),
            ("$objects", .array([.string("$null"), .string("password"), .string(Self.secret)])),
        ])
        let utf16 = try #require("password: \(Self.secret)".data(using: .utf16))
        let values: [Value] = [
            .data(list.dropLast(3)), archive, .data(try BinaryPropertyList.write(archive)), .data(utf16),
            .dictionary([("name", .string("password")), ("value", .string(Self.secret))]),
            .dictionary([("type", .string("password")), ("value", .string(Self.secret))]),
            .dictionary([("isPassword", .string(Self.secret)), ("hasToken", .string(Self.secret))]),
            .dictionary([("field", .string("Authorization")), ("content", .data(Data(Self.secret.utf8)))]),
            .array([.string("login"), .string("-v"), .string("--password"), .string(Self.secret), .string("ann")]),
            .array([.string("curl"), .string("-u"), .string("ann:\(Self.secret)")]),
            .array([.string("sshpass"), .string("-p"), .string(Self.secret), .string("ssh")]),
            .dictionary([("k", .string("password")), ("v", .string(Self.secret))]),
        ]
        for value in values {
            let said = said(value, at: place)
            for form in forms(Self.secret) { #expect(!said.contains(form), "\(said)") }
        }
    }

    @Test(
        "What is none stays readable",
        arguments: [
            ("theme", .string("dark")), ("authorName", .string("Ann Author")), ("passenger", .string("Bob")),
            ("compass", .string("north-east")), ("pinColor", .string("red")), ("keyboard", .string("azerty-layout")),
            ("isPinned", .bool(true)), ("sessionCount", .integer(42)), ("session_duration_limit", .integer(3600)),
            ("tokenExpiry", .integer(1_724_990_100)), ("token_expires_at", .integer(1_724_990_100)),
            ("passwordLength", .integer(8)), ("authState", .string("signed-in")), ("cookiePolicy", .string("strict")),
            ("monkey", .string("bananas-are-good-4-u")), ("secretary", .string("Ann from the office")),
            ("lastURL", .string("https://acme.com/a/b?page=2&sort=name")), ("bundle", .string("com.acme.notes")),
            ("device", .string("9B574574-74A7-4EDF-969D-164CB151B6C3")), ("at", .string("2024-08-30T06:39:58Z")),
            ("time", .string("meet at 10:30, room: 4")), ("hint", .string("scale is 1:25000")),
            ("text", .string("Shopping: milk, eggs = 12")), ("version_key", .string("2.3.1")),
            ("icon", .string("icon@2x.png")), ("path", .string("/var/mobile/Library/Preferences/a.plist")),
            ("hasPassword", .string("false")), ("say", .string("the password is wrong, the token is missing")),
            ("feed", .string("https://acme.com:8080/a@b")), ("css", .string("color: red; width = 100%")),
            ("number", .integer(1_234_567_890)), ("emptyPassword", .string("")), ("nullToken", .string("null")),
            ("emailSignature", .string("Regards, Ann of the office")),
            ("pubKey", .string("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7vbqajDRetzTb5Xa1 ann@office")),
            ("known", .string("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJb3XrlFnbBqsJxQm2V0wPr4Lq0aVYCpTtkq1")),
            ("milliseconds", .integer(1_724_990_100_000)), ("order", .string("4111 1111 1111 1112")),
            ("ratio", .string("0.4111111111111111")), ("share", .string("4111111111111111.5")),
            ("flight", .string("DE89370400440532013001")), ("price", .string("$5 and {SSHA} of it")),
            ("cost", .string("+%2-and 100%+5 of")), ("query", .string("a=%+A%-5")),
            ("options", .string("--theme dark")),
            (
                "note",
                .string("all these words stand here because somebody thought that they were a nice text to read")
            ),
            ("table", .string("name|kind|size")), ("icon2", .string("data:image/png;base64,iVBORw0KGgoAAAANSUhEUg")),
            ("csv", .string("name,kind,size\na,file,3\nb,folder,4")),
            ("list", .string("password, please\nand more of it")),
            ("command", .string("ls -p folder | zip -r a.zip x")),
            ("quoted", .string("the folder 'Documents' is here")),
            ("refresh", .string("every-day")), ("access", .string("kSecAttrAccessibleWhenUnlocked")),
            ("rows", .array([.array([.string("name"), .string("size")]), .array([.string("a"), .string("b")])])),
            ("scopes", .dictionary([("granted", .array([.string("email")])), ("wanted", .array([.string("x")]))])),
            ("слово", .string("привет")), ("id_rsa.pub", .string("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7vbqajDRe a")),
            ("arrow", .string("left → right")), ("ini", .string("[passenger]\nname = Bob\n[token count]\nx = 1")),
            ("sql", .string("INSERT INTO notes (id, title) VALUES (1, 'a'), (2, 'b')")),
            ("sections", .string("[secrets]\n\n[[x]]\na = 1\n")),
            ("cells", .string("<tr><td>Name</td><td>Bob</td></tr><p>Bye</p>")),
            ("words", .array([.string("--theme"), .string("dark"), .string("--verbose")])),
            ("html", .string("&lt;b&gt;bold&lt;/b&gt; &amp; more")),
        ] as [(String, Value)])
    func innocent(key: String, value: Value) {
        let said = said(value, at: .defaults("com.acme", Name(key)))
        #expect(!said.contains("asked"), "\(said)")
    }

    @Test("by twelve or more words in a row, as those that restore a wallet", arguments: [12, 24, 9])
    func recoveryWords(count: Int) {
        let words = "legal winner thank year wave sausage worth useful legal winner thank yellow"
        let phrase = (words + " " + words).split(separator: " ").prefix(count).joined(separator: " ")
        for text in [phrase, "My wallet\n\(phrase)\nkeep it", #"{"w": "\#(phrase)", cut"#] {
            #expect(said(.string(text), at: .defaults("com.acme", "note")).contains("sausage") == (count == 9))
        }
    }

    @Test("in the keys of a dictionary, wherever they are shown, and two of them stay two")
    func dictionaryKeys() throws {
        let store = Value.dictionary([
            ("1-2-ann@acme.example", .dictionary([("theme", .string("dark"))])),
            ("1-2-bob@acme.example", .dictionary([("theme", .string("light"))])),
        ])
        let place = Address.defaults("com.acme", "visitors"), text = Value.data(try JSONDocument.write(store))
        for value in [store, text, .array([store])] {
            let said = said(value, at: place)
            #expect(!said.contains("ann@") && !said.contains("bob@") && said.contains("dark"), "\(said)")
            #expect(self.said(value, at: place, Masking(isRevealing: true)).contains("ann@acme.example"))
        }
        let shown = try JSONDocument(Data(json(Showing()(store, at: place)).utf8)).value
        #expect(shown[JSONPointer(["value"])]?.members?.duplicateKeys == [])
        let part = Address.defaults("com.acme", "visitors").appending(JSONPointer(["1-2-ann@acme.example", "theme"]))
        #expect(Masking().place(part) == "defaults://com.acme/visitors#/‹masked string, 20 characters›/theme")
    }

    @Test(
        "in the text that a dictionary was decoded from, where one of its keys is one",
        arguments: ["bob.smith@example.com", "ghp_A1b2C3d4E5A1b2C3d4E5A1b2C3d4E5A1b2C3"])
    func keysOfText(key: String) {
        let place = Address.defaults("com.acme", "visitors"), inner = #"{"a": [{"\#(key)": {"theme": "dark"}}]}"#
        for value: Value in [.string(inner), .data(Data(inner.utf8)), .array([.string(inner)])] {
            let text = said(value, at: place)
            for form in forms(key) + forms(inner) { #expect(!text.contains(form), "\(text)") }
            #expect(text.contains("dark"), "\(text)")
        }
    }

    @Test(
        "in a name: an address before the ending of a file, a bot's token; names of files and of apps are none",
        arguments: [
            ("bob.smith@example.com.plist", true), ("cache.bob@example.com.v2", true),
            ("bad-bob@example.com.sqlite", true),
            ("110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", true), ("sk-abcdefghijklmnop1234", true),
            ("sk-learn-model-version-12", false), ("pkg@1.0.0.tgz", false), ("session@v1.db", false),
            ("last@2024-08-30.log", false), ("cloudkit-container@v2.cache", false), ("badges@com.acme.notes", false),
            ("icon@2x.png", false),
            ("bob.smith%40example.com", true), ("bob.smith%2540example.com", true),
            ("ghp%5FA1b2C3d4E5A1b2C3d4E5A1b2C3d4E5A1b2C3", true), ("icon%402x.png", false), ("100%25 cotton", false),
            ("\"bob smith\"@example.com", true), ("\\\"bob smith\\\"@example.com", true),
            ("said \"hi\" \"@example.com\"", false), ("{\"a\":1,\"@example.com\":2}", false),
            ("wallet:xprv" + String(repeating: "9s21ZrQH", count: 13), true), ("xprv-version-2", false),
        ])
    func names(name: String, isSecret: Bool) {
        #expect((Secrets.masked(name: name) != name) == isSecret)
    }

    @Test(
        "A quoted value that has quotation marks in it is masked as a whole", arguments: ["a“b", "a”b", "“a” b", "”"])
    func nestedQuotes(value: String) {
        let sentence = "its value is “\(value)”, which is not an integer"
        #expect(
            Masking().sentence(sentence, of: [.defaults("com.acme", "password")])
                == "its value is ‹masked string, \(value.count) character\(value.count == 1 ? "" : "s")›, which is not an integer"
        )
    }

    @Test("What a migration calls public is shown, and what it does not is masked")
    func declared() {
        let address = Address.defaults("com.acme", "rl_session_id"), value = Value.integer(1_724_990_100)
        #expect(!said(value, at: address).contains("1724990100"))
        #expect(said(value, at: address, Masking(secrecy: EntrySecrecy(open: [address]))).contains("1724990100"))
        let inner = Value.dictionary([("password", .string(Self.secret))])
        #expect(!said(inner, at: address, Masking(secrecy: EntrySecrecy(open: [address]))).contains(Self.secret))
        // What one migration calls secret is, in all of its parts, whatever another one says of these.
        var secrecy = EntrySecrecy(open: [address.appending(JSONPointer(["theme"]))])
        secrecy.note([address], isSecret: true)
        let theme = Value.dictionary([("theme", .string("seagreen"))])
        #expect(!said(theme, at: address, Masking(secrecy: secrecy)).contains("seagreen"))
    }

    @Test("A part that is secret on one side is masked on both, and the sign says whether they differ")
    func bothSides() {
        let item = Address(store: .keychain("com.acme"), key: "id"), mirror = Address.defaults("com.acme", "mirror")
        let rows = Masking().comparison((.string("1111"), mirror), (.data(Data("2222".utf8)), item), from: []).rows
        #expect(rows.map(\.left) == ["‹masked string›"])
        #expect(rows.map(\.right) == ["‹masked data›"])
        #expect(rows.map(\.mark) == [.changed])
        let attributes = Value.dictionary([("agrp", .string("com.acme")), ("v_Data", .data(Data("x".utf8)))])
        let legacy = Address(store: .keychain("old"), key: "id")
        let sides = Masking().comparison((attributes, legacy), (attributes, item), from: [legacy]).rows
        #expect(sides.allSatisfy { $0.left == $0.right }, "\(sides)")
    }
}

/// The JSON of one part of a report.
func json(_ value: some Encodable) throws -> String {
    try JSONSink.collected { write in
        let sink = JSONSink(write)
        try ReportEncoder.write(value, to: sink, depth: 0)
        try sink.flush()
    }
}
