import Foundation
import MigrationEngine
import StoreFormats
import Testing
import TestSupport

@testable import DeviceDump

@Suite("Exports of a keychain are read")
struct KeychainReadingTests {
    typealias Entry = KeychainForms.Entry

    @Test("Every form gives the same items, old property lists with text as data included")
    func sameItems() throws {
        let entries = [
            Entry(service: "com.acme.token", account: "ada", label: "Token"),
            Entry(service: "", account: "none"), Entry(service: "locked", secret: nil),
            Entry(service: "api.acme.com", account: "", secret: Data("pa55".utf8), kind: "inet"),
        ]
        for (name, data) in try KeychainForms.all(entries) {
            let items = try KeychainExport(data).items
            #expect(items.map(\.account) == ["ada", "none", "a", ""], "\(name)")
            #expect(items.map(\.storeName) == ["com.acme.token", "genp:", "locked", "inet:api.acme.com"], "\(name)")
            #expect(try items[0].secret.get() == Data("x".utf8), "\(name)")
            #expect(try items[3].secret.get() == Data("pa55".utf8), "\(name)")
            #expect(items[0].attributes["labl"] == .string("Token"), "\(name)")
            #expect(items[0].attributes["pdmn"] == .string("ck"), "\(name)")
            #expect(items.allSatisfy { $0.group == "ABCDE12345.com.acme.notes" }, "\(name)")
            guard case .failure(let reason) = items[2].secret else {
                Issue.record("\(name): a locked item has no data")
                continue
            }
            // Objection does not tell an empty secret from one that was locked.
            #expect(reason.cause == (name == "keychain.json" ? .missing : .locked), "\(name)")
        }
    }

    @Test("Bytes that are no text come from dataHex, v_Data and the hexadecimal form, exactly")
    func binary() throws {
        let bytes = Data([0, 1, 0xFE, 0xFF])
        #expect(try KeychainExport(KeychainForms.objection([Entry(secret: bytes)])).items[0].secret.get() == bytes)
        #expect(try KeychainExport(KeychainForms.propertyList([Entry(secret: bytes)])).items[0].secret.get() == bytes)
        let text = String(decoding: KeychainForms.keychainDumper([Entry()]), as: UTF8.self)
        let hex = text.replacingOccurrences(of: "Keychain Data: x", with: "Keychain Data (Hex): 0x0001feff")
        #expect(try KeychainExport(Data(hex.utf8)).items[0].secret.get() == bytes)
    }

    @Test("A secret keeps the NUL at its end, which only text that is stored as data loses")
    func trailingNUL() throws {
        let data = try KeychainForms.propertyList([Entry(account: "ada", secret: Data([0x41, 0]))], asData: true)
        let item = try KeychainExport(data).items[0]
        #expect(item.account == "ada")
        #expect(try item.secret.get() == Data([0x41, 0]))
    }

    @Test("An item that was deleted on the device is told, and is no item")
    func deleted() throws {
        func item(_ account: String, _ tomb: Int) -> [String: Any] {
            ["acct": account, "svce": "s", "agrp": "ABCDE12345.com.acme.notes", "v_Data": Data("x".utf8), "tomb": tomb]
        }
        let list = ["genp": [item("old", 1), item("ada", 0), item("ada", 1)]]
        let export = try KeychainExport(
            PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0))
        #expect(export.items.map(\.account) == ["ada"])
        #expect(export.problems.map(\.place) == ["2 items"] && export.incompleteness == nil)
    }

    @Test("A date of objection is a point in time")
    func dates() throws {
        let item = try KeychainExport(KeychainForms.objection([Entry()])).items[0]
        #expect(item.attributes["cdat"] == .date(Timestamp(secondsSinceEpoch: 1_680_674_828)))
        #expect(Timestamp(secondsSinceEpoch: 1_680_674_828).objectionText == "2023-04-05 06:07:08 +0000")
        for bad in [
            "", "2023-04-05", "2023-13-05 06:07:08 +0000", "2023-04-05 06:07:08 +0200", "9-9-9 9:9:99 +0000",
            "2023-02-31 06:07:08 +0000",
        ] {
            #expect(Timestamp(objection: bad) == nil, "\(bad)")
        }
    }

    @Test("A value of Keychain-Dumper may hold line feeds, labels that come out of turn, and colons")
    func multipleLines() throws {
        let secret = "one\nAccount: two\n\nService: three: 3\n"
        let entries = [
            Entry(account: "a", secret: Data(secret.utf8), label: "first\nAccount: second"),
            Entry(account: "b", secret: Data()),
        ]
        let items = try KeychainExport(KeychainForms.keychainDumper(entries)).items
        #expect(items.map(\.account) == ["a", "b"])
        #expect(items[0].attributes["labl"] == .string("first\nAccount: second"))
        #expect(items.map { try? $0.secret.get() } == [Data(secret.utf8), Data()])
    }

    @Test("Lines that end with a carriage return are the same to Keychain-Dumper's text")
    func carriageReturns() throws {
        let text = String(decoding: KeychainForms.keychainDumper([Entry(), Entry(account: "b")]), as: UTF8.self)
        let items = try KeychainExport(Data(text.replacingOccurrences(of: "\n", with: "\r\n").utf8)).items
        #expect(items.map(\.account) == ["a", "b"])
        #expect(items.map { try? $0.secret.get() } == [Data("x".utf8), Data("x".utf8)])
        #expect(items[0].attributes["pdmn"] == .string("ck"))
    }

    @Test("Certificates and keys in Keychain-Dumper's text have no data there, which is said")
    func otherClasses() throws {
        let data = Data("Certificate\n-----------\nSummary: x\n\n".utf8) + KeychainForms.keychainDumper([Entry()])
        let export = try KeychainExport(data)
        #expect(export.items.count == 1)
        #expect(export.problems.map(\.place) == ["1 block"])
    }

    @Test(
        "A broken item is a problem with its place, is not taken for absent, and the rest goes on",
        arguments: [
            (#"[1, {"account":"a","service":"s","dataHex":"61"}]"#, ["item 1"], [true]),
            (#"[{"account":1,"dataHex":"61"}, {"account":"a","service":"s","dataHex":"61"}]"#, ["item 1"], [true]),
            (
                #"[{"account":"b","service":"s","dataHex":"6"}, {"account":"a","dataHex":"61"}]"#, ["item 1"],
                [false, true]
            ),
            (#"[{"account":"b","service":"s","dataHex":"zz"}]"#, ["item 1"], [false]),
            (#"[{"account":"b","service":"s","dataHex":7}]"#, ["item 1"], [false]),
            (#"[{"account":"b","service":"s","dataHex":"","data":"lossy"}]"#, ["item 1"], [false]),
            (#"[{"account":"b","service":"s","data":"old"}]"#, [], [true]),
            (#"[{"account":"b","service":null,"dataHex":"61","item_class":"odd"}]"#, ["item 1"], [true]),
            ("<plist><dict><key>genp</key><array><string>x</string></array></dict></plist>", ["genp item 1"], []),
            (
                "<plist><dict><key>genp</key><array><dict><key>v_Data</key><integer>1</integer></dict></array>"
                    + "<key>inet</key><true/></dict></plist>", ["inet", "genp item 1"], [false]
            ),
            (
                "Generic Password\n----------------\nService: s\nAccount: a\nKeychain Data (Hex): 0x1\n\n"
                    + "Generic Password\n----------------\nService: s\nAccount: b\n", ["line 1", "line 7", "line 7"],
                [false, false]
            ),
        ] as [(String, [String], [Bool])])
    func broken(text: String, places: [String], readable: [Bool]) throws {
        let export = try KeychainExport(Data(text.utf8))
        #expect(export.problems.map(\.place) == places)
        #expect(export.items.map { (try? $0.secret.get()) != nil } == readable)
        for item in export.items {
            if case .failure(let reason) = item.secret { #expect(reason.cause == .corrupt) }
        }
    }

    @Test(
        "What is no export is refused, each with its reason",
        arguments: [
            ("", KeychainError.Problem.notAnExport), ("hello", .notAnExport), ("{}", .notAnExport),
            ("[1, 2]", .notAnExport), (#"[{"a": 1}]"#, .notAnExport), ("<plist><dict/></plist>", .notAnExport),
            ("<plist><dict><key>genp</key><true/></dict></plist>", .notAnExport),
            ("SQLite format 3\0", .unsupported("an SQLite database")),
            (
                "<plist><dict><key>genp</key><array><dict><key>v_Data</key><data>AA==</data>"
                    + "<key>v_PersistentRef</key><data>AA==</data></dict></array></dict></plist>",
                .unsupported("the encrypted keychain of an iOS backup")
            ),
        ])
    func refused(text: String, problem: KeychainError.Problem) {
        #expect(throws: KeychainError(problem)) { try KeychainExport(Data(text.utf8)) }
    }

    @Test(
        "A text that is broken as a whole is refused with where", arguments: ["[{\"account\":\"a\"", "<plist><dict>"])
    func malformed(text: String) {
        do {
            _ = try KeychainExport(Data(text.utf8))
            Issue.record("it is broken")
        } catch {
            guard case .malformed(let inner) = error.problem else { return #expect(Bool(false), "\(error)") }
            if case .line(1, _, _) = inner.position {} else { Issue.record("\(inner)") }
        }
    }

    @Test("An export that is cut off or has a byte changed anywhere is read or refused without a trap")
    func damaged() throws {
        for (name, data) in try KeychainForms.all([Entry(), Entry(account: "b", secret: nil)]) {
            for count in stride(from: 0, to: data.count, by: 3) { _ = try? KeychainExport(data.prefix(count)) }
            for position in stride(from: 0, to: data.count, by: name.hasSuffix("txt") ? 2 : 11) {
                for byte: UInt8 in [0, 0x0A, 0xFF] {
                    var changed = data
                    changed[position] = byte
                    _ = try? KeychainExport(changed)
                }
            }
        }
    }

    @Test(
        "The three samples hold the same items, as far as their forms can say",
        .enabled(if: Places.hasSamples, "\(Places.samplesHint)"))
    func samples() throws {
        let names = ["objection_keychain.json", "graykey_style_keychain.plist", "keychain_dumper.txt"]
        let exports = try names.map { name in
            try KeychainExport(
                Data(contentsOf: URL(fileURLWithPath: Places.sample("synthetic/keychain/\(name)"))))
        }
        #expect(exports.map(\.form) == ["objection JSON", "keychain property list", "Keychain-Dumper text"])
        #expect(exports.allSatisfy { $0.problems.isEmpty && $0.items.count == 4 })
        for index in 0..<4 {
            let items = exports.map { $0.items[index] }
            #expect(Set(items.map(\.kind)).count == 1)
            #expect(Set(items.map(\.account)).count == 1)
            #expect(Set(items.map { try? $0.secret.get() }).count == 1)
            #expect(Set(items.map { item in ["agrp", "pdmn", "labl"].map { item.attributes[$0] } }).count == 1)
            // Objection does not say which server an internet password is for.
            #expect(items[1].service == items[2].service)
            #expect(items[0].service == (items[0].kind == .internet ? "" : items[1].service))
        }
        #expect(try exports[0].items[1].secret.get() == Data([0, 1, 0xFE, 0xFF]))
    }
}
