import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Reports

/// Secrets in every place that we could think of, and values that look a little like them and are none.
@Suite("What a person would call a secret, in whatever it lies")
struct SecretPlacesTests: SaidEntries {
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
}
