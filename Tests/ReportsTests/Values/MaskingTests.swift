import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Reports

@Suite("Secrets in values")
struct MaskingTests {
    private let masking = Masking()
    private let revealing = Masking(isRevealing: true)

    @Test(
        "a secret is shown as its type and length, whatever says that it is one",
        arguments: [
            (Address.defaults("d", "accessToken"), Value.string("hunter2"), "‹masked string, 7 characters›"),
            (.defaults("d", "password"), .data(Data([1, 2])), "‹masked data, 2 bytes›"),
            (.defaults("d", "contact"), .string("jane@example.com"), "‹masked string, 16 characters›"),
            (Address(store: .keychain("s"), key: "any"), .string("x"), "‹masked string, 1 character›"),
        ])
    func placeholders(address: Address, value: Value, text: String) {
        #expect(masking.summary(of: value, at: address) == text)
        #expect(revealing.summary(of: value, at: address) == value.summary)
    }

    @Test("a name that spells what stands in place of a secret is told from one in which a secret is masked")
    func spelledMark() {
        let secret = masking.name("jane@example.com"), spelled = masking.name("‹masked string, 16 characters›")
        #expect(secret == "‹masked string, 16 characters›" && spelled == "‹2039›masked string, 16 characters›")
        #expect(!Masking.isMasked(masking.summary(of: .string(secret), at: .defaults("d", "note"))))
        for masking in [masking, revealing] {
            #expect(masking.key("‹200B›") == "‹2039›200B›" && masking.place(JSONPointer(["‹200B›"])) == "/‹2039›200B›")
            // An address, JSON and what is taken along have it as it is.
            let address = Address(store: .defaults("d"), key: "‹200B›", pointer: JSONPointer(["␛"]))
            #expect(masking.place(address) == "\(address)" && masking.written("‹200B›") == "‹200B›")
            #expect(masking.label(address) == "‹2039›200B›#/‹241B›")
        }
    }

    @Test("a secret that a sentence quotes is masked with the marks around it, however many follow one another")
    func marksOfSecrets() {
        let rule = "if app/password is “SekritKKKK22” or app/token is not “SekritLLLLL33”; else it stays"
        let masks = ["‹masked string, 12 characters›", "‹masked string, 13 characters›"]
        var secrecy = EntrySecrecy()
        secrecy.note(
            written: ["SekritKKKK22", "SekritLLLLL33"].map { WrittenValue(.string($0), at: .defaults("d", "password")) }
        )
        #expect(
            Masking(secrecy: secrecy).sentence(rule)
                == "if app/password is \(masks[0]) or app/token is not \(masks[1]); else it stays")
        // By its words alone, too, no mark is taken for a part of the value.
        #expect(masking.sentence("if app/password is “SekritKKKK22”") == "if app/password is “\(masks[0])”")
        let inner = masking.sentence("if app/password is “Sekrit”MMMM333KKKK” or not")
        #expect(!inner.contains("MMMM") && !inner.contains("Sekrit"), "\(inner)")
    }

    @Test("a value that a sentence quotes is spelt, but for what stands there in place of a secret")
    func spelledQuotes() {
        for masking in [masking, revealing] {
            let reasons = ["‹200B›", "\u{200B}"].map { masking.sentence("“\($0)” is not an integer", of: []) }
            #expect(reasons[0] == "“‹2039›200B›” is not an integer")
            #expect(Glyphs.unicode.displayText(reasons[1]) == "“‹200B›” is not an integer")
            #expect(masking.sentence("“‹200B›”, or “␛”", of: [], isOfFacts: true) == "“‹2039›200B›”, or “‹241B›”")
            #expect(masking.sentence("its rule is ‹200B›", of: []) == "its rule is ‹200B›", "what is no quote is not")
        }
        let secret = masking.sentence("“jane@example.com ‹200B›” is not an integer", of: [])
        #expect(secret.contains("‹masked ") && !secret.contains("jane"), "\(secret)")
        let whole = masking.sentence("“‹200B›” is not an integer", of: [.defaults("d", "password")])
        #expect(whole == "‹masked string, 6 characters› is not an integer")
    }

    @Test("a large text is looked through to its end where it is shown to its end, and JSON in it part by part")
    func large() {
        let log = String(repeating: "2024-05-01 nothing of note\n", count: 4_000) + "login with password=hunter22222\n"
        let place = Address.defaults("d", "log")
        #expect(!masking.treeLines(of: .string(log), at: place, inFull: true).map(\.text).joined().contains("hunter"))
        #expect(!Comparison.texts(masking.comparison((.string(log), place), (.string(log), place))).contains("hunter"))
        let filler = String(repeating: "x", count: 80_000)
        let json = Value.string(
            #"{"filler":"\#(filler)","city":"Ulm","pairs":[{"name":"password","value":"hunter2"}],"pin":"1234"}"#)
        let lines = masking.treeLines(of: json, at: place, inFull: true).map { "\($0.key ?? ""): \($0.text)" }
        #expect(lines.contains("city: \"Ulm\""))
        #expect(!lines.joined().contains("hunter") && !lines.joined().contains("1234"))
    }

    @Test("Of more pairs than a tree has lines, the tree, a comparison and JSON mask the same ones: all")
    func manyPairs() throws {
        let pair = Value.dictionary([("name", .string("password")), ("value", .string("hunter2"))])
        let value = Value.array(Array(repeating: pair, count: 900)), place = Address.defaults("d", "pairs")
        let lines = masking.treeLines(of: value, at: place, inFull: true).map(\.text)
        #expect(lines.count > 2000 && lines.count { $0.hasPrefix("‹masked string, 7") } > 600)
        #expect(!lines.joined().contains("hunter"))
        #expect(!Comparison.texts(masking.comparison((value, place), (nil, place))).contains("hunter"))
        #expect(!Comparison.texts(masking.comparison((.null, place), (value, place))).contains("hunter"))
        let json = try JSONSink.collected { write in
            let sink = JSONSink(write)
            try Showing(masking)(value, at: place).write(to: sink, depth: 0)
            try sink.flush()
        }
        #expect(!json.contains("hunter") && json.components(separatedBy: "\"masked\"").count == 901)
    }

    @Test("Two secrets that look alike and differ are told apart, and two that are the same are not")
    func another() {
        let place = Address.defaults("d", "password")
        let texts = { (left: String, right: String) in
            masking.comparison((.string(left), place), (.string(right), place)).rows.map { [$0.left, $0.right] }
        }
        #expect(
            texts("hunter2", "hunter3") == [["‹masked string, 7 characters›", "‹another masked string, 7 characters›"]])
        #expect(texts("hunter2", "hunter2345") == [["‹masked string›", "‹another masked string›"]])
        #expect(texts("hunter2", "hunter2") == [["‹masked string, 7 characters›", "‹masked string, 7 characters›"]])
    }

    @Test("What a keychain item holds is shown where a migration says that it is no secret; its comment is not")
    func publicItem() {
        let place = Address(store: .keychain("s"), key: "version")
        let item = Value.dictionary([("v_Data", .data(Data("2".utf8))), ("icmt", .string("my own"))])
        let shown = Masking(secrecy: EntrySecrecy(open: [place]))
        #expect(shown.summary(of: item, at: place) != masking.summary(of: item, at: place))
        let lines = shown.treeLines(of: item, at: place).map(\.text).joined()
        #expect(!lines.contains("masked data") && !lines.contains("my own"))
        #expect(masking.treeLines(of: item, at: place).map(\.text).joined().contains("masked data"))
    }

    @Test("A sentence shows nothing of a quoted value that is masked in its place")
    func quoted() {
        let value = "build Zq8secretH", place = Address.defaults("d", "build_key")
        #expect(masking.summary(of: .string(value), at: place).contains("masked"))
        let text = "build_key is “\(value)”, which is not an integer, and name is “Ann”"
        let sentence = masking.sentence(text, of: [place])
        #expect(masking.sentence(text, of: [.defaults("d", "build")]) == text)
        #expect(!sentence.contains("Zq8secretH") && sentence.contains("which is not an integer, and name is “Ann”"))
    }

    @Test(
        "Keys of secrets, and keys that tell something about a secret",
        arguments: [
            ("encKey", true), ("securityAnswer", true), ("activationCode", true), ("twoFactor", true),
            ("walletSeed", true), ("pinNumber", true), ("kek", true), ("dsn", true), ("slackWebhook", true),
            ("maxTokens", false), ("passcodeTimeout", false), ("lastPasswordChange", false), ("cookieConsent", false),
            ("lastPassword", true),
        ])
    func keys(key: String, isSecret: Bool) { #expect((SecretWords.meaning(of: key) == .secret) == isSecret) }

    @Test("what is not secret is shown as it is")
    func plain() {
        #expect(masking.summary(of: .string("dark"), at: .defaults("d", "theme")) == "\"dark\"")
        #expect(masking.sentence("the build is “417-beta”") == "the build is “417-beta”")
    }

    @Test("in a tree only the secret parts are masked, those of another format too")
    func tree() {
        let value = Value.dictionary([
            ("plan", .string("pro")), ("password", .string("hunter2")),
            ("inner", .string(#"{"email":"jane@example.com","age":3}"#)),
        ])
        let text = masking.treeLines(of: value, at: .defaults("d", "traits")).map(\.text).joined(separator: "\n")
        #expect(text.contains("\"pro\"") && text.contains("3"))
        #expect(!text.contains("hunter2") && !text.contains("jane"))
        let revealed = revealing.treeLines(of: value, at: .defaults("d", "traits")).map(\.text).joined()
        #expect(revealed.contains("hunter2") && revealed.contains("jane"))
    }

    @Test("a row is told by its columns: what one holds hides no other, and where all hold nothing that is told")
    func rows() {
        let store = StoreID(.sqlite, "Documents/a.db/t")
        func line(_ row: [(Name, Value)], _ key: Name) -> String {
            Masking().summary(of: .dictionary(row), at: Address(store: store, key: key))
        }
        let large = "{" + (0..<200).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
        let row = line([("id", .integer(1)), ("json", .string(large)), ("last", .string("x"))], "1")
        #expect(row.hasSuffix(#", last: "x"}"#), "\(row)")
        // Which of them the key is nothing says here.
        #expect(
            line([("id", .string("x")), ("parent", .string("x")), ("n", .integer(1))], "x")
                == "{id: \"x\", parent: \"x\", n: 1}")
        #expect(line([("id", .integer(1)), ("label", .string("1"))], "1") == "{id: 1, label: \"1\"}")
        #expect(line([("key", .string("a/b")), ("value", .null)], "a/b") == "{value: null}")
        #expect(line([("id", .null)], "1") == "{id: null}")
        #expect(line([("key", .string("a"))], "a") == #"{key: "a"}"#)
        let wide = line((0..<100).map { (Name("c\($0)"), .integer(1)) }, "1")
        #expect(wide.hasSuffix("c63: 1, …}"), "\(wide)")
    }
}

extension Comparison {
    fileprivate static func texts(_ comparison: Comparison) -> String {
        comparison.rows.flatMap { [$0.left, $0.right].compactMap(\.self) }.joined()
    }
}
