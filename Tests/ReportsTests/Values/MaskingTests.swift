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
}

extension Comparison {
    fileprivate static func texts(_ comparison: Comparison) -> String {
        comparison.rows.flatMap { [$0.left, $0.right].compactMap(\.self) }.joined()
    }
}
