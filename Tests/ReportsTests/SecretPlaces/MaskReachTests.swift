import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Reports

@Suite("How far a mask reaches")
struct MaskReachTests: SaidEntries {
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
