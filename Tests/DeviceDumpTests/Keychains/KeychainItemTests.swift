import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import DeviceDump

@Suite("Items are entries by service and account")
struct KeychainItemTests: DumpsWithKeychains {
    @Test("Items are entries by service and account, listed after the domains and before the files")
    func entries() throws {
        let entries = [
            Entry(service: "two", account: ""), Entry(service: "one", account: "ä"), Entry(service: "two", secret: nil),
        ]
        let tree = try tree(inside: ["any name": KeychainForms.objection(entries)])
        try tree.file("work/notes.xcappdata/AppData/Documents/a", "x")
        let (_, container) = try open(tree)
        #expect(
            container.stores == [
                .defaults("com.acme.notes"), .keychain("two"), .keychain("one"), .files("Documents"),
            ])
        let keys = container.keys(in: .keychain("two"))
        #expect((0..<keys.count).map(keys.key) == ["", "a"])
        let value = try #require(container.state(of: "ä", in: .keychain("one")).value)
        #expect(KeychainItem(value)?.text == "x")
        #expect(KeychainItem(value)?.attributes["agrp"] == .string(Self.group))
        guard case .unreadable(let reason) = container.state(of: "a", in: .keychain("two")) else {
            Issue.record("a locked item is not absent")
            return
        }
        #expect(reason.cause == .missing, "this form does not tell an empty secret from a locked one")
        #expect(container.file(of: Address(store: .keychain("two"), key: "new")) == .inDump("any name"))
    }

    @Test("An empty account has an address")
    func emptyAccount() throws {
        let address = Address(store: .keychain("two"), key: "")
        #expect(try Address(parsing: "\(address)") == address)
        #expect(try Address(parsing: "keychain://two").key == nil)
    }

    @Test("Of two items of one name the app's very own group comes first, whatever their order in the export")
    func ownGroupFirst() throws {
        let own = Entry(), other = Entry(group: "ABCDE12345.com.acme.notes.shared")
        for entries in [[own, other], [other, own]] {
            let (_, container) = try open(try tree(inside: ["k": KeychainForms.objection(entries)]))
            #expect(container.keys(in: .keychain("s")).names.contains("a (ABCDE12345.com.acme.notes.shared)"))
        }
    }

    @Test("A new item among other apps' is this app's when the export is opened again")
    func newAmongOthers() throws {
        let entries = [Entry(account: "visitor", group: "TEAM999999.com.other.app"), Entry(group: "apple")]
        let data = KeychainForms.objection(entries)
        let (_, container) = try open(try tree(inside: ["keychain.json": data]))
        let item = KeychainItem(text: "x").value
        let edit = try #require(container.keychainEdit(of: "new", in: .keychain("s2"), to: item))
        let written = try #require(container.keychainFile).export.rewriting([edit])
        let (_, again) = try open(try tree(inside: ["keychain.json": written]))
        #expect(again.state(of: "new", in: .keychain("s2")).value.flatMap(KeychainItem.init)?.text == "x")
    }

    @Test("Thirty thousand items of one service and account each have a key of their own", .timeLimit(.minutes(10)))
    func manyDuplicates() throws {
        let count = 30_000
        let objects = (0..<count).map { "{\"account\":\"a\",\"service\":\"s\",\"dataHex\":\"61\",\"label\":\"\($0)\"}" }
        let data = Data("[\(objects.joined(separator: ","))]".utf8)
        let (_, container) = try open(try tree(inside: ["keychain.json": data]))
        let keys = container.keys(in: .keychain("s"))
        #expect(keys.count == count)
        #expect(keys.key(at: 0) == "a" && keys.key(at: count - 1) == "a (no group, \(count - 1))")
        #expect(container.storeWarnings().count == 21)
    }

    @Test("Items of one service and account are all there: the app's own first, the others with their group")
    func duplicates() throws {
        let shared = "ABCDE12345.com.acme.shared"
        let entries = [
            Entry(secret: Data("2".utf8), group: shared), Entry(secret: Data("1".utf8)),
            Entry(secret: Data("3".utf8), group: shared),
        ]
        let tree = try tree(inside: ["k": KeychainForms.objection(entries)])
        let options = OpeningOptions(claims: GroupClaims(keychain: [shared]), of: nil)
        guard case .opened(let dump) = try Dump.opening(tree.at("work/notes.xcappdata"), options) else { return }
        let container = try dump.container(nil), keys = container.keys(in: .keychain("s"))
        let texts = (0..<keys.count).map { position in
            container.state(of: keys.key(at: position), in: .keychain("s")).value.flatMap(KeychainItem.init)?.text
        }
        #expect((0..<keys.count).map(keys.key) == ["a", "a (\(shared))", "a (\(shared), 2)"])
        #expect(texts == ["1", "2", "3"])
        #expect(container.storeWarnings().count == 2)
        #expect(container.keychainEdit(of: "a", in: .keychain("s"), to: nil)?.target == .item(1))
    }

    @Test("Of items with one service, account and group none is chosen: all are shown, and no step takes one")
    func rivals() throws {
        let entries = [Entry(secret: Data("1".utf8)), Entry(account: "b"), Entry(secret: Data("2".utf8))]
        let (_, container) = try open(try tree(inside: ["k": KeychainForms.objection(entries)]))
        let place = Address(store: .keychain("s"), key: "a")
        guard case .unreadable(let reason) = container.state(at: place) else {
            Issue.record("one was chosen")
            return
        }
        let texts = reason.candidates.map { $0.value.flatMap(KeychainItem.init)?.text }
        #expect(reason.cause == .ambiguous && texts == ["1", "2"])
        #expect(
            container.storeWarnings().map(\.problem) == [
                .sameKeychainAccount(Address(store: .keychain("s"), key: "a (\(Self.group))"))
            ])
        #expect(container.state(of: "b", in: .keychain("s")).value != nil)
        var transaction = StoreTransaction(on: container)
        #expect(throws: StepStop.self) { try transaction.write(KeychainItem(text: "x").value, to: place, rule: "") }
    }

    @Test("A new item is in the app's group and of the class that its store says")
    func newItems() throws {
        let (_, container) = try open(try tree(inside: ["k": KeychainForms.objection([Entry()])]))
        let edit = container.keychainEdit(of: "n", in: .keychain("inet:h"), to: KeychainItem(text: "x").value)
        #expect(
            edit?.target
                == .new(kind: .internet, service: "h", account: "n", group: "ABCDE12345.com.acme.notes"))
        #expect(edit?.value?.attributes["agrp"] == .string(Self.group))
        #expect(container.keychainEdit(of: "n", in: .keychain("s"), to: .string("no item")) == nil)
    }
}
