import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Reports

@Suite("Secrets")
struct SecretsTests {
    @Test(
        "A key says that its value is secret by its words",
        arguments: [
            ("token", true), ("authToken", true), ("AUTH_TOKEN", true), ("accesstoken", true),
            ("rl_advertising_token", true),
            ("refresh-tokens", true), ("password", true), ("userPassword", true), ("passwd", true), ("pwd", true),
            ("secret", true), ("clientSecret", true), ("APIKey", true),
            ("apikey", true),
            ("api_keys", true), ("email", true), ("userEmail", true), ("e-mail", true), ("E-Mail-Address", true),
            ("emailAddress", true), ("com.acme.session.token", true), ("credentials", true), ("passcode", true),
            ("rs_user_id", false), ("is_manual_session", false), ("keyboard", false), ("AppleKeyboards", false),
            ("monkey", false), ("AppleLanguages", false), ("rl_session_count", false), ("anonymous_id", false),
            ("name", false), ("WebKitLocalStorageDatabasePathPreferenceKey", false), ("passwordPreferenceKey", true),
            ("Mailbox", false), ("lastSync", false), ("", false), ("NSKeyedArchiver", false), ("hockey", false),
        ])
    func keys(key: String, isSecret: Bool) {
        #expect((SecretWords.meaning(of: key) == .secret) == isSecret)
    }

    @Test("A key says the same however often it, and however many others, were asked for")
    func remembered() {
        for _ in 0..<2 {
            let all = (0..<5000).map { SecretWords.meaning(of: "password.of.\($0)") }
            #expect(all.allSatisfy { $0 == all[0] } && SecretWords.meaning(of: "password") == .secret)
            #expect(SecretWords.meaning(of: "keyboard"[...]) == .plain)
        }
    }

    @Test("The path of the dump is no secret in what is said of it, and all else stays one")
    func path() {
        let path = "/mail/customer 4711"
        let text = "\(path) is not opened by this password. Check how it was typed, bob@acme.com."
        #expect(!Masking().sentence(text).contains("4711"))
        let said = Masking().sentence(text, except: path)
        #expect(said.hasPrefix(path + " is not") && !said.contains("bob@"), "\(said)")
    }

    @Test(
        "A key that may be of a lock or of an entry masks what is long enough to be one",
        arguments: [
            ("rs_application_version_key", "2.3.1", false), ("rs_application_build_key", "417", false),
            ("key", "0123456789a", false), ("key", "0123456789ab", true), ("lookup_key", "2Fk8pQxTr0bW", true),
        ])
    func ambiguousKeys(key: String, value: String, isSecret: Bool) {
        #expect(SecretWords.meaning(of: key) == .ambiguous)
        #expect(Secrets.isSecret(.string(value), at: .defaults("com.acme.notes", Name(key))) == isSecret)
    }

    @Test(
        "What keys are made from may be shorter than a key",
        arguments: [("seed", "abc123def", true), ("randomSeed", "12345678", true), ("seed", "apples", false)])
    func seeds(key: String, value: String, isSecret: Bool) {
        #expect(Secrets.isSecret(.string(value), at: .defaults("com.acme.notes", Name(key))) == isSecret)
    }

    @Test("A key with several secrets in it is masked at each, in whatever order they are found")
    func keysOfSeveral() {
        #expect(
            Secrets.masked(key: "bob@acme.com 4111111111111111 x")
                == "‹masked string, 12 characters› ‹masked string, 16 characters› x")
        #expect(Secrets.masked(key: "bob%2540acme.com") == "‹masked string, 16 characters›")
    }

    @Test("What stands in place of a secret in a name is never masked in part")
    func placeholders() {
        let said = Secrets.masked(
            text: "“keychain:/bob@acme.com/ghp_A1b2C3d4E5A1b2C3d4E5A1b2C3d4E5A1b2C3” is not an address")
        #expect(said.hasSuffix("›” is not an address") && said.components(separatedBy: "›").count == 2, "\(said)")
    }

    @Test(
        "A text is secret by its shape",
        arguments: [
            ("bob@acme.com", true), ("Bob <bob.o'neil+x@mail.acme.co.uk>", true), ("call bob@acme.com now", true),
            ("write to \"bob smith\"@acme.com", true), ("https://acme.com/?m=bob%2540acme.com", true),
            ("bücher@straße.example", true), ("mailto:a@b.io", true), ("https://user:pw@host.com/x", true),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N", true),
            ("0123456789abcdef0123456789ABCDEF", true), ("id=0123456789abcdef0123456789abcdef;", true),
            ("dGhpcyBpcyBhIHNlY3JldCB0b2tlbiB3aXRoIDEyMzQ1Njc4OTA5ODc2NTQ", true),
            ("bob", false), ("icon@2x.png", false), ("@acme", false), ("bob@localhost", false), ("a@b", false),
            ("11111111-2222-3333-4444-555555555555", false), ("user @ acme.com", false), ("1725000000", false),
            ("com.acme.notes.analytics", false), ("0123456789abcdef", false),
            (
                "/var/mobile/Containers/Data/Application/11111111-2222-3333-4444-555555555555/Documents/Some2File3.plist",
                false
            ),
            ("Thisisaverylongwordwithoutanydigitsinitwhichisnotatoken", false), ("", false),
            ("1.2.3.4.5", false), ("2024-01-01T00:00:00Z", false),
        ])
    func shapes(text: String, isSecret: Bool) {
        #expect(!SecretTexts.ranges(in: text).isEmpty == isSecret)
    }

    static let place = Address.defaults("com.acme.notes", "state")

    @Test(
        "A value is secret by a key in it, a key around it, or its shape",
        arguments: [
            (.string("u-42"), false), (.string("bob@acme.com"), true), (.null, false),
            (.dictionary([("name", .string("Bob")), ("token", .string("abc"))]), true),
            (.dictionary([("name", .string("Bob")), ("city", .string("Ulm"))]), false),
            (.dictionary([("tokens", .array([.dictionary([("x", .data(Data([1])))])]))]), true),
            (.dictionary([("hasPassword", .bool(true))]), false), (.dictionary([("password", .integer(1234))]), true),
            (.dictionary([("tokenDate", .date(Timestamp(secondsSinceReference: 0)))]), false),
            (.string(#"{"email": "x"}"#), true), (.string(#"{"city": "x"}"#), false),
            (.data(Data("to bob@acme.com".utf8)), true), (.data(Data([0xFF, 0x00])), false),
            (.set(SetElements([.string("a@b.cd")])), true),
        ] as [(Value, Bool)])
    func values(value: Value, isSecret: Bool) {
        #expect(Secrets.isSecret(value, at: Self.place) == isSecret)
    }

    @Test("A keychain is masked whole, with its numbers, truth values and dates")
    func keychain() {
        let address = Address(store: .keychain("com.convert.sdk"), key: "com.convert.sdk.visitorId")
        for value: Value in [
            .string("x"), .data(Data([1])), .integer(1), .bool(true), .null, .date(Timestamp(secondsSinceReference: 1)),
        ] {
            #expect(Masking().summary(of: value, at: address) == Secrets.placeholder(value))
        }
    }

    @Test("Of a keychain item the attributes that say what it is are seen, and its data and all else are masked")
    func keychainItem() throws {
        let address = Address(store: .keychain("com.acme"), key: "ada")
        let seen: [(Name, Value)] = [
            ("agrp", .string("ABCDE12345.com.acme")), ("labl", .string("Token")), ("pdmn", .string("ck")),
            ("cdat", .date(Timestamp(secondsSinceReference: 1))), ("sync", .integer(0)),
        ]
        let hidden: [(Name, Value)] = [
            ("v_Data", .data(Data("x".utf8))), ("gena", .data(Data("x".utf8))), ("icmt", .string("pin 1234")),
            ("odd", .bool(true)), ("nested", .dictionary([("labl", .string("x"))])),
        ]
        let lines = Masking().treeLines(of: .dictionary(seen + hidden), at: address)
        func shown(_ key: Name) -> String? {
            lines.first { $0.key == KeychainWords.label(of: key) ?? key.text }?.text
        }
        for (key, value) in seen {
            let words = KeychainWords.words(for: value, at: JSONPointer([key]))
            #expect(shown(key) == words ?? value.summary, "\(key)")
            let place = Address(store: address.store, key: address.key, pointer: JSONPointer([key]))
            #expect(!Secrets.isSecret(value, at: place), "\(key)")
        }
        for (key, value) in hidden.dropLast() {
            #expect(shown(key) == Secrets.placeholder(value), "\(key)")
            let place = Address(store: address.store, key: address.key, pointer: JSONPointer([key]))
            #expect(Secrets.isSecret(value, at: place), "\(key)")
        }
        #expect(lines.last?.text == "‹masked string, 1 character›", "an attribute within an attribute is none")
        let label = Masking().treeLines(of: .dictionary([("labl", .string("to a@b.cd"))]), at: address).last?.text
        #expect(label == "‹masked string, 9 characters›", "the shape counts here too")
    }

    @Test(
        "The address counts: the key of the entry, its pointer, the name of a file, and never the store's name",
        arguments: [
            ("defaults://com.acme/authToken", true), ("defaults://com.acme/rs_traits#/email", true),
            ("defaults://com.acme.token.key/state", false), ("file://Documents/token.txt", true),
            ("file://Documents/tokens/readme.txt", false),
        ])
    func addresses(address: String, isSecret: Bool) throws {
        #expect(Secrets.isSecret(.string("x"), at: try Address(parsing: address)) == isSecret)
    }

    @Test("The name of a content in a backup is the digest of a path, and is shown; other tokens are not")
    func payloadNames() {
        let name = "ab0123456789abcdef0123456789abcdef012345"
        let sentence = "its content, ab/\(name), is not there"
        #expect(Secrets.masked(text: sentence) == sentence)
        for text in ["token \(name)", "cd/\(name)", "ab/\(name)0", "x/ab0123456789abcdef0123456789abcdef"] {
            #expect(Secrets.masked(text: text).contains("masked"), "\(text)")
        }
    }

    @Test("A value that is secret only inside of another format is masked whole, and the raw form of an archive too")
    func otherFormats() throws {
        let inner = Value.dictionary([("a", .dictionary([("password", .string("hunter2"))]))])
        let list = Value.data(try BinaryPropertyList.write(inner))
        #expect(Secrets.isSecret(list, at: Self.place))
        let archive = Value.dictionary([
            ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
            ("$top", .dictionary([("root", .uid(1))])),
            (
                "$objects",
                .array([
                    .string("$null"),
                    .dictionary([
                        ("NS.keys", .array([.uid(2)])), ("NS.objects", .array([.uid(3)])), ("$class", .uid(4)),
                    ]),
                    .string("password"), .string("hunter2"),
                    .dictionary([
                        ("$classname", .string("NSDictionary")),
                        ("$classes", .array([.string("NSDictionary"), .string("NSObject")])),
                    ]),
                ])
            ),
        ])
        try #require(archive.decoded() != nil)
        let masked = Masking().treeLines(of: archive, at: Self.place).map(\.text).joined()
        #expect(!masked.contains("hunter2"))
    }

    @Test("In a sentence only the secret is replaced")
    func sentences() {
        #expect(
            Secrets.masked(text: "é has bob@acme.com, not 11111111-2222-3333-4444-555555555555.")
                == "é has ‹masked string, 12 characters›, not 11111111-2222-3333-4444-555555555555.")
    }

    /// With time that grows with the square of the text these would take minutes.
    @Test(
        "A text of many signs is looked through in time proportional to it, to the secret at its end",
        .timeLimit(.minutes(10)),
        arguments: ["a=", "name=", "key=", "\"name\":", "x:“", ">", "<a>", "is \"", "id='", "<name>"])
    func manySigns(_ sign: String) {
        let text = String(repeating: sign, count: 4_000) + " password=hunter2222"
        #expect(!Secrets.masked(text: text).contains("hunter2222"))
    }

    @Test("The path of a file is no token, though it has a UUID or a temporary name in it; a token with slashes is one")
    func paths() {
        let path = "/tmp/vestige6A1F/6A1F2B3C-74A7-4EDF-969D-164CB151B6C3/Library/ABcd12345678"
        #expect(Secrets.masked(text: "\(path) is missing") == "\(path) is missing")
        #expect(Secrets.masked(text: "n0Aq/Zx81LkPwUj77TsVbNm2Rt5Yc9Dg3Hf6Ke4Wv8S is it").hasPrefix("‹masked"))
    }

    @Test("What the program says of a path, an address or a file is no secret; what it quotes there is one")
    func ownSentences() {
        for subject in [
            "KeychainDomain/keychain-backup.plist", "passwords.plist", "Library/Preferences/com.acme.token.plist",
            "defaults://com.acme.notes/accessToken", "com.acme.password",
        ] {
            let sentence = "\(subject): nothing says that 2 items are this app's; they are listed."
            #expect(Secrets.masked(text: sentence) == sentence)
            #expect(!Secrets.masked(text: "\(subject): it is “password: hunter2222”").contains("hunter2222"))
            #expect(!Secrets.masked(text: "“\(subject): hunter2222”").contains("hunter2222"))
        }
        // Old devices, and the folders of their backups, are called as long as a digest.
        let device = String(repeating: "aB1", count: 13) + "2", other = device.lowercased()
        let sentence =
            "keychain cannot be read: /tmp/kb/5/\(device)_keychain.plist is named after another device than the dump's, the "
            + "device \(other), so it is not read."
        #expect(Secrets.masked(text: sentence) == sentence)
        let rival = "a b/\(device)_keychain.plist is named after \(other).zip, so it is taken for that one's."
        #expect(Secrets.masked(text: rival) == rival)
        for text in [
            "it is \(device)", "/tmp/\(device)0", "it is “/tmp/\(device)”", "see //a.b/reset/\(device)",
            "the device \(device)\(device)", "token=/x/\(device)",
        ] {
            #expect(!Secrets.masked(text: text).contains(device), "\(text)")
        }
        for text in ["password: hunter2222", "a b, token: hunter2222", "x/y=1&password=hunter2222"] {
            #expect(!Secrets.masked(text: text).contains("hunter2222"), "\(text)")
        }
    }

    @Test("A text that a list repeats is searched once in an answer, also below another format")
    func repeated() {
        let budget = SearchBudget(DecodingBudget())
        var searches = 0
        for search in [budget, budget.inner, budget.inner.inner, budget] {
            let isSecret = search.verdict(on: .string("what stands beside every row")) {
                searches += 1
                return false
            }
            #expect(!isSecret)
        }
        #expect(searches == 1)
    }

    @Test(
        "The shortest tokens of their kind, and what the words for passwords begin with in any script, are found",
        arguments: [
            "see eyJabcdef....", "see sk_live_abcdef", "bob: a@b.cd", "the Passwort was changed to ab12cd34",
            "tried ab12cd34 as password", "the to\u{212A}en is now ab12cd34", "наш пароль ab12cd34",
            "la contrasen\u{303}a es ab12cd34 contrasen\u{303}a ab12cd34", "run --token abcdefgh",
            "machine b.c login ann password abcdefgh",
        ])
    func shortest(_ text: String) { #expect(Secrets.masked(text: text).contains("‹masked"), "\(text)") }
}
