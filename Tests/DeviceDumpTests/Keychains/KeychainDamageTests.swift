import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import DeviceDump

@Suite("What an export has lost is unknown, and not absent")
struct KeychainDamageTests: DumpsWithKeychains {
    @Test(
        "A keychain.json of which nothing is left is an export that cannot be read, not none",
        arguments: ["", "Error: device locked", "[{", "{}", "[{}]", #"{"a": 1}"#])
    func unreadable(text: String) throws {
        for tree in [
            try tree(inside: ["keychain.json": Data(text.utf8)]), try tree(beside: ["keychain.json": Data(text.utf8)]),
        ] {
            let (_, container) = try open(tree)
            guard case .unreadable = container.keychain else {
                Issue.record("\(container.keychain)")
                continue
            }
        }
    }

    @Test("A part of an export that cannot be read leaves what is not found unknown, and not absent")
    func unreadableParts() throws {
        let item = Value.dictionary([
            ("acct", .string("a")), ("svce", .string("s")), ("v_Data", .data(Data([1]))),
        ])
        let data = try BinaryPropertyList.write(.dictionary([("genp", .array([.string("x"), item]))]))
        let (_, container) = try open(try tree(inside: ["export.plist": data]))
        #expect(container.state(of: "a", in: .keychain("s")).value != nil)
        #expect(container.problem(with: .keychain("s")) == nil)
        let reason = try #require(container.problem(with: .keychain("other")))
        #expect(reason.cause == .corrupt && reason.explanation.contains("1 part of the export"))
        for store in [StoreID.keychain("s"), .keychain("other")] {
            #expect(container.state(of: "b", in: store) == .unreadable(reason))
        }
    }

    @Test("A file that is called a keychain and is broken or of another form is a warning, and no empty keychain")
    func broken() throws {
        for (name, text) in [("keychain.json", "[{\"account\": "), ("keychain-2.db", "SQLite format 3\0")] {
            let (dump, container) = try open(try tree(inside: [name: Data(text.utf8)]))
            guard case .unreadable(let reason) = container.keychain else {
                Issue.record("\(name)")
                continue
            }
            #expect(dump.warnings.map(\.path) == [name])
            #expect(reason.explanation.hasPrefix(name + ": "))
            #expect(container.state(of: "a", in: .keychain("s")) == .unreadable(reason))
        }
        // Some other file that has the word in its name.
        let other = try open(try tree(inside: ["keychain-notes.txt": Data("buy milk".utf8)]))
        #expect(other.container.keychain == .none)
        #expect(other.dump.warnings.map(\.path) == ["keychain-notes.txt"])
    }

    @Test("A broken item is a warning of the dump, at most twenty of them and the number of the rest")
    func brokenItems() throws {
        let items = (0..<25).map { _ in "7" } + [#"{"account":"a","service":"s","dataHex":"61"}"#]
        let data = Data("[\(items.joined(separator: ","))]".utf8)
        let dump = try open(try tree(inside: ["keychain.json": data])).dump
        #expect(dump.warnings.count == 21)
        #expect(dump.warnings.last?.problem == .moreKeychainItems(5))
    }

    @Test("Keychain-Dumper's text that ends in the middle of an item leaves what is not found unknown")
    func cutText() throws {
        let text = String(
            decoding: KeychainForms.keychainDumper([Entry(), Entry(account: "second")]), as: UTF8.self)
        let end = try #require(text.range(of: "Keychain Data", options: .backwards)).lowerBound
        let (dump, container) = try open(try tree(inside: ["keychain.txt": Data(text[..<end].utf8)]))
        guard case .unreadable = container.state(of: "third", in: .keychain("s")) else {
            Issue.record("it is absent")
            return
        }
        #expect(
            dump.warnings.contains { warning in
                if case .keychainItem(_, "the text ends in the middle of this item") = warning.problem {
                    true
                } else {
                    false
                }
            })
    }

    @Test("Keychain-Dumper's text that ends in the middle of a secret leaves what is not found unknown, and says why")
    func cutSecret() throws {
        let text = KeychainForms.keychainDumper([Entry(), Entry(account: "second")])
        for (dropped, isCut) in [(0, false), (1, false), (3, true)] {
            let (dump, container) = try open(try tree(inside: ["keychain.txt": text.dropLast(dropped)]))
            let isAbsent = container.state(of: "third", in: .keychain("s")) == .absent
            #expect(isAbsent == !isCut, "\(dropped)")
            #expect(dump.warnings.contains { "\($0)".contains("ends without a line end") } == isCut, "\(dump.warnings)")
        }
    }
}
