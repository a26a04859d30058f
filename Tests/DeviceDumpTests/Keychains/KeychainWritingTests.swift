import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import DeviceDump

@Suite("Exports of a keychain are written in the form they have")
struct KeychainWritingTests {
    typealias Entry = KeychainForms.Entry
    private static let entries = [
        Entry(account: "a", label: "A"), Entry(account: "b", secret: Data([0xFF, 0])), Entry(account: "c"),
        Entry(service: "api.acme.com", account: "d", kind: "inet"),
    ]

    @Test("Items are replaced, removed and added, and what is read back is that; the rest stays")
    func edits() throws {
        for (name, data) in try KeychainForms.all(Self.entries) {
            // Keychain-Dumper's text shows bytes that are no text in another way.
            if name.hasSuffix("txt") { continue }
            try check(data, name)
        }
        var entries = Self.entries
        entries[1].secret = Data("b".utf8)
        try check(KeychainForms.keychainDumper(entries), "keychain.txt")
    }

    @Test(
        "Text that a shell has stored in an encoding of its own is read, and written in that",
        arguments: [[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]])
    func storedByShell(mark: [UInt8]) throws {
        var entries = Self.entries
        entries[0].label = "é 🔑"
        entries[1].secret = Data("b".utf8)
        let printed = KeychainForms.keychainDumper(entries)
        func stored(_ text: Data) throws -> Data {
            let encoding: String.Encoding =
                mark.count == 3 ? .utf8 : mark[0] == 0xFF ? .utf16LittleEndian : .utf16BigEndian
            return Data(mark) + (try #require(String(decoding: text, as: UTF8.self).data(using: encoding)))
        }
        let data = try stored(printed), export = try KeychainExport(data)
        #expect(try export.items == KeychainExport(printed).items)
        #expect(try export.rewriting([]) == data)
        #expect(KeychainExport.mayBe(data))
        try check(data, "\(mark)")
        let edit = KeychainExport.Edit(.item(2), to: KeychainItem(text: "ü"))
        #expect(try export.rewriting([edit]) == stored(KeychainExport(printed).rewriting([edit])))
    }

    private func check(_ data: Data, _ name: String) throws {
        let export = try KeychainExport(data)
        let edits: [KeychainExport.Edit] = [
            .init(.item(0), to: KeychainItem(text: "new", attributes: ["labl": .string("Z"), "pdmn": .string("aku")])),
            .init(.item(1), to: nil), .init(.item(3), to: KeychainItem(data: Data([0, 0xFE]))),
            .init(
                .new(kind: .generic, service: "t", account: "e"),
                to: KeychainItem(text: "first\nsecond", attributes: ["agrp": .string("ABCDE12345.com.acme.notes")])),
        ]
        #expect(export.attributesWithoutPlace(in: edits).isEmpty, "\(name)")
        let written = try export.rewriting(edits)
        #expect(export.difference(after: edits, and: written) == nil, "\(name)")
        let found = try KeychainExport(written)
        #expect(found.form == export.form && found.problems.isEmpty, "\(name)")
        let byAccount = Dictionary(uniqueKeysWithValues: found.items.map { ($0.account, $0) })
        #expect(Set(byAccount.keys) == ["a", "c", "d", "e"], "\(name)")
        #expect(try byAccount["a"]?.secret.get() == Data("new".utf8), "\(name)")
        #expect(byAccount["a"]?.attributes["labl"] == .string("Z"), "\(name)")
        #expect(byAccount["a"]?.attributes["pdmn"] == .string("aku"), "\(name)")
        #expect(byAccount["c"] == export.items[2], "\(name)")
        #expect(try byAccount["d"]?.secret.get() == Data([0, 0xFE]), "\(name)")
        #expect(try byAccount["e"]?.secret.get() == Data("first\nsecond".utf8), "\(name)")
        #expect(byAccount["e"]?.service == "t" && byAccount["e"]?.group == "ABCDE12345.com.acme.notes", "\(name)")
        #expect(byAccount["a"]?.attributes["unknown"] == export.items[0].attributes["unknown"], "\(name)")
    }

    @Test("No edits, and edits to what is there already, leave JSON and text as they are, byte for byte")
    func nothing() throws {
        for data in [
            KeychainForms.objection(Self.entries), KeychainForms.keychainDumper([Entry(), Entry(account: "b")]),
        ] {
            let export = try KeychainExport(data)
            #expect(try export.rewriting([]) == data)
            let same = KeychainItem(data: try export.items[0].secret.get(), attributes: export.items[0].attributes)
            #expect(try export.rewriting([.init(.item(0), to: same)]) == data)
        }
    }

    @Test("JSON changes in one item only, with both forms of its data")
    func json() throws {
        let data = KeychainForms.objection(Self.entries)
        let written = try KeychainExport(data).rewriting([.init(.item(0), to: KeychainItem(text: "é"))])
        let lines = String(decoding: written, as: UTF8.self).split(separator: "\n")
        let before = String(decoding: data, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == before.count)
        #expect(zip(lines, before).count { $0 != $1 } == 2)
        #expect(lines.contains { $0.contains("c3a9") } && lines.contains { $0.contains("\"é\"") })
    }

    @Test("Blocks of text that are not changed stay byte for byte, with what is unknown between them")
    func blocks() throws {
        let first = KeychainForms.keychainDumper([Entry(account: "a")])
        let odd = Data("Key\n---\nEntitlement Group: g\n\n".utf8),
            last = KeychainForms.keychainDumper([Entry(account: "z")])
        let export = try KeychainExport(first + odd + last)
        #expect(try export.rewriting([.init(.item(0), to: nil)]) == odd + last)
        let edit = KeychainExport.Edit(.item(1), to: KeychainItem(data: Data([0xFF])))
        let expected = String(decoding: last, as: UTF8.self)
            .replacingOccurrences(of: "Keychain Data: x", with: "Keychain Data (Hex): 0xff")
        #expect(try export.rewriting([edit]) == first + odd + Data(expected.utf8))
    }

    @Test(
        "A secret that would read back as something else is written in hexadecimal",
        arguments: ["(null)", "", "a\nb", "a\r", "\u{7F}", "\u{0}"])
    func hexadecimal(secret: String) throws {
        let export = try KeychainExport(KeychainForms.keychainDumper([Entry()]))
        let edits = [KeychainExport.Edit(.item(0), to: KeychainItem(text: secret))]
        let written = try export.rewriting(edits)
        #expect(String(decoding: written, as: UTF8.self).contains("Keychain Data (Hex): 0x"))
        #expect(try KeychainExport(written).items[0].secret.get() == Data(secret.utf8))
    }

    @Test("A field that a block of text does not have is put in its place")
    func addedField() throws {
        let export = try KeychainExport(KeychainForms.keychainDumper([Entry()]))
        let item = KeychainItem(
            text: "y", attributes: ["icmt": .string("c"), "desc": .string("d"), "sync": .integer(1)])
        let edits = [KeychainExport.Edit(.item(0), to: item)]
        let written = try export.rewriting(edits)
        #expect(export.difference(after: edits, and: written) == nil)
        #expect(
            String(decoding: written, as: UTF8.self)
                .contains("level 1\nDescription: d\nComment: c\nSynchronizable: 1\nKeychain Data: y\n\n"))
    }

    @Test("Attributes that a form has no place for are named, and the rest is written")
    func withoutPlace() throws {
        let item = KeychainItem(text: "y", attributes: ["sync": .integer(1), "labl": .string("l"), "odd": .bool(true)])
        let edits = [KeychainExport.Edit(.new(kind: .generic, service: "s", account: "n"), to: item)]
        for (name, data, names) in [
            ("objection", KeychainForms.objection([Entry()]), ["odd", "sync"]),
            ("text", KeychainForms.keychainDumper([Entry()]), ["odd"]),
            ("list", try KeychainForms.propertyList([Entry()]), []),
        ] {
            let export = try KeychainExport(data)
            #expect(export.attributesWithoutPlace(in: edits) == names, "\(name)")
            #expect(export.difference(after: edits, and: try export.rewriting(edits)) == nil, "\(name)")
        }
    }

    @Test(
        "An empty secret is written in every form, and where the form does not tell it from one that was locked, that is said"
    )
    func emptySecrets() throws {
        let edits = [
            KeychainExport.Edit(.new(kind: .generic, service: "s", account: "n"), to: KeychainItem(data: Data())),
            KeychainExport.Edit(.item(0), to: KeychainItem(data: Data())),
        ]
        for (name, data) in try KeychainForms.all([Entry()]) {
            let export = try KeychainExport(data), written = try export.rewriting(edits)
            #expect(export.difference(after: edits, and: written) == nil, "\(name)")
            #expect(export.difference(after: edits, and: data) != nil, "\(name)")
            let found = try KeychainExport(written).items.allSatisfy { (try? $0.secret.get()) == Data() }
            #expect(found == (export.loss(of: KeychainItem(data: Data())) == nil), "\(name)")
            #expect(export.loss(of: KeychainItem(text: "x")) == nil, "\(name)")
        }
    }

    @Test("Two new items whose names are normalization twins are two")
    func twins() throws {
        let edits = ["caf\u{E9}", "cafe\u{301}"].map { account in
            KeychainExport.Edit(
                .new(kind: .generic, service: "s", account: Name(account)), to: KeychainItem(text: account))
        }
        for data in [
            KeychainForms.objection([Entry()]), KeychainForms.keychainDumper([Entry()]),
            try KeychainForms.propertyList([Entry()]),
        ] {
            let export = try KeychainExport(data), written = try export.rewriting(edits)
            #expect(try KeychainExport(written).items.count == export.items.count + 2)
            #expect(export.difference(after: edits, and: written) == nil)
            #expect(export.difference(after: edits, and: try export.rewriting([edits[0]])) != nil)
        }
    }

    @Test("An old property list gets text as data, with the NUL that its other texts have")
    func oldPropertyList() throws {
        let export = try KeychainExport(try KeychainForms.propertyList([Entry()], asData: true))
        let item = KeychainItem(text: "y", attributes: ["agrp": .string("g")])
        let written = try export.rewriting([.init(.new(kind: .generic, service: "s", account: "n"), to: item)])
        let root = try PropertyListSerialization.propertyList(from: written, format: nil) as? [String: [[String: Any]]]
        #expect(root?["genp"]?.last?["acct"] as? Data == Data("n\0".utf8))
        #expect(root?["genp"]?.last?["agrp"] as? Data == Data("g\0".utf8))
        #expect(root?["genp"]?.last?["v_Data"] as? Data == Data("y".utf8))
    }

    @Test("A difference is found: an item more, one less, another secret, another attribute")
    func differences() throws {
        let data = KeychainForms.objection(Self.entries), export = try KeychainExport(data)
        var other = Self.entries
        other[0].label = "B"
        for wrong in [Self.entries + [Entry(account: "z")], Array(Self.entries.dropLast()), other] {
            #expect(export.difference(after: [], and: KeychainForms.objection(wrong)) != nil)
        }
        let edits = [KeychainExport.Edit(.item(0), to: KeychainItem(text: "new"))]
        #expect(export.difference(after: edits, and: data) != nil)
        #expect(export.difference(after: [], and: Data("[".utf8)) != nil)
        #expect(export.difference(after: [], and: data) == nil)
    }
}
