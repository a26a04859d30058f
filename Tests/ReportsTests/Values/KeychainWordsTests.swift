import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Reports

@Suite("Keychain items in words")
struct KeychainWordsTests {
    private let place = Address(store: .keychain("com.acme.sync"), key: "refresh")
    /// As an export has it: sorted by key, the secret among the attributes.
    private let item = Value.dictionary([
        ("agrp", .string("ABCDE12345.com.acme")), ("cdat", .string("2024-08-30")), ("odd", .integer(7)),
        ("pdmn", .string("cku")), ("sync", .integer(0)), ("v_Data", .data(Data("hunter2".utf8))),
    ])

    @Test("What an item holds stands first, masked unless it is revealed, then its attributes in words")
    func tree() {
        func lines(_ masking: Masking) -> [String] {
            Showing(masking)(item, at: place).treeLines.dropFirst().map { "\($0.key ?? ""): \($0.text)" }
        }
        let attributes = [
            "access group: \"ABCDE12345.com.acme\"",
            "accessible: after the first unlock, on this device only (cku)", "synchronizable: no",
            "created: \"2024-08-30\"",
        ]
        #expect(lines(Masking()) == ["secret: ‹masked data, 7 bytes›"] + attributes + ["odd: ‹masked integer›"])
        #expect(lines(Masking(isRevealing: true)) == ["secret: text \"hunter2\""] + attributes + ["odd: 7"])
        #expect(Showing()(item, at: place).treeLines.first?.text == "com.acme.sync, account refresh")
    }

    @Test("In a few words an item is what it holds, and in JSON that comes first")
    func summary() throws {
        #expect(Masking().summary(of: item, at: place) == "‹masked data, 7 bytes›")
        #expect(Masking(isRevealing: true).summary(of: item, at: place) == "text \"hunter2\"")
        #expect(Run(item, at: place, Masking()).role == .masked)
        let json = try JSONSink.collected { sink in
            let sink = JSONSink(sink)
            try ReportEncoder.write(Showing()(item, at: place), to: sink, depth: 0)
            try sink.flush()
        }
        let keys = try JSONDocument(Data(json.utf8)).value[try #require(JSONPointer(parsing: "/value"))]?.members
        #expect(keys?.map(\.key) == ["v_Data", "agrp", "pdmn", "sync", "cdat", "odd"])
    }

    @Test("Before and after, an item's attributes that stay are not repeated, and a default is nobody's secret")
    func comparison() {
        func item(_ json: String) -> Value {
            KeychainItem(text: json, attributes: ["pdmn": .string("ck")]).value
        }
        let rows = Masking().comparison(
            (item(#"{"a":"private"}"#), place), (item(#"{"a":"private","theme":{"name":"system"}}"#), place),
            placeholders: [JSONPointer(["v_Data", "theme"])]
        ).rows.map { [$0.key ?? "", $0.left ?? "", $0.right ?? ""] }
        #expect(
            rows == [
                ["", "keychain item", "keychain item"], ["secret", "JSON {a}", "JSON {a, theme}"],
                ["a", "‹masked string, 7 characters›", "‹masked string, 7 characters›"], ["theme", "", "{name}"],
                ["name", "", "\"system\""],
            ])
    }
}
