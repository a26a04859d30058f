import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Reports

@Suite("What tells that a value is a secret")
struct SecretSignsTests: SaidEntries {
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

    @Test(
        "by the shape of the value, behind a sign, a written end of a line, and an order to a terminal",
        arguments: [
            "acme://open/", "user_", "v2.", "id-", "«", "body:\\n", "a\\t", "\\r", "\u{1B}[32m", "\u{1B}[3\n",
            "\u{1B}[é", "x=3D", "\\x22", "\\f", "\\b", "\\x1b[32m", "\\033[32m", "^[[32m", "\u{1B}(B", "\u{9B}32m",
            "%u0022", "\\e[1m", "log \u{1B}[0;31m", "\\u{1B}[32m", "\\x{1b}[1m", "\\E[1m", "\\33[32m", "\\U001b[32m",
            "\\U0000001b[32m", "\\Ud83d\\Udd11", "\\ud83d\\udd11", "\\0", "\\a", "^M", "\u{1B}c", "\u{1B}7", "␛[32m",
            "[32m",
            "&#34", "&quot", "&QUOT;", "\\U00e9", "x&#61", "&equals;",
        ])
    func behind(beginning: String) {
        for secret in ["sk_live_4eC39HqLyjWDarjtT1zdp7dc", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4"] {
            let said = said(.string(beginning + secret), at: .defaults("com.acme", "state"))
            #expect(!said.contains(secret.suffix(10)), "\(said)")
        }
    }

    @Test(
        "by the word before it, also where an order or another writing parts them",
        arguments: [
            "password\u{1B}(B: ", "\\x1b[1mpassword\\x1b[0m: ", "password&#x3a; ", "password&#58; ", "password&colon; ",
            "password=3D", "contrase\\U00f1a: ", "contrase&ntilde;a: ", "pass=\r\nword: ", "mot de passe\\U00a0: ",
            "user[password]=", "user%5Bpassword%5D=", "defaults[\"password\"] = \"", "user['password']='",
            "password?: ",
            "password (old): ",
        ])
    func word(beginning: String) {
        let said = said(.string("login \(beginning)bluebird"), at: .defaults("com.acme", "state"))
        #expect(!said.contains("bluebird"), "\(said)")
    }

    @Test(
        "a text of many beginnings of tokens is looked through in time that grows with it", .timeLimit(.minutes(1)),
        arguments: ["eyJ.", "eyJ-a.", "sk-"])
    func manyBeginnings(beginning: String) {
        let text = String(repeating: beginning, count: 20_000)
        #expect(said(.string(text), at: .defaults("com.acme", "state")).contains(beginning))
    }

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
}
