import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import DeviceDump

@Suite("A dump has a keychain, or none")
struct KeychainDumpTests {
    typealias Entry = KeychainForms.Entry
    private static let group = "ABCDE12345.com.acme.notes"

    /// A dump with these files in its root folder and beside it.
    private func tree(inside: [String: Data] = [:], beside: [String: Data] = [:]) throws -> TemporaryTree {
        let tree = try TemporaryTree()
        try tree.xcappdata("work/notes.xcappdata")
        for (name, data) in inside { try tree.file("work/notes.xcappdata/" + name, data) }
        for (name, data) in beside { try tree.file("work/" + name, data) }
        return tree
    }

    private func open(_ tree: TemporaryTree, keychain: String? = nil) throws -> (dump: Dump, container: Container) {
        let dump = try Dump.open(tree.at("work/notes.xcappdata"), keychain: keychain.map(tree.at))
        return (dump, try dump.container(nil))
    }

    @Test("Without a keychain an item is neither absent nor empty: it cannot be known")
    func none() throws {
        let (dump, container) = try open(try tree())
        #expect(container.keychain == .none && dump.keychain == nil && dump.warnings.isEmpty)
        let reason = Unreadable(.missing, "no keychain in this dump")
        #expect(container.state(of: "a", in: .keychain("s")) == .unreadable(reason))
        #expect(container.problem(with: .keychain("s")) == reason)
        #expect(container.keys(in: .keychain("s")).count == 0)
        #expect(container.file(of: Address(store: .keychain("s"), key: "a")) == nil)
        #expect(container.keychainEdit(of: "a", in: .keychain("s"), to: nil) == nil)
        var transaction = StoreTransaction(on: container)
        #expect(throws: StepStop.unreadable(Address(store: .keychain("s"), key: "a"), reason)) {
            try transaction.write(.null, to: Address(store: .keychain("s"), key: "a"), rule: "")
        }
    }

    @Test(
        "An export without items is a keychain, whose items are absent, which is told where its form is a whole device's"
    )
    func empty() throws {
        let data = try KeychainForms.propertyList([])
        let (dump, container) = try open(try tree(inside: ["export.plist": data]))
        #expect(dump.warnings == [DumpWarning("export.plist", .emptyKeychain)])
        #expect(container.keychain == .items(from: "export.plist"))
        #expect(container.state(of: "a", in: .keychain("s")) == .absent)
        #expect(container.problem(with: .keychain("s")) == nil)
    }

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

    @Test("One in the dump comes before one beside it, and one that is named before both")
    func order() throws {
        let tree = try tree(
            inside: ["export": KeychainForms.objection([Entry(account: "inside")])],
            beside: [
                "keychain.json": KeychainForms.objection([Entry(account: "beside")]),
                "far/x.txt": KeychainForms.keychainDumper([Entry(account: "given")]),
            ])
        func account(_ container: Container) -> String? {
            let keys = container.keys(in: .keychain("s"))
            return keys.count == 1 ? keys.key(at: 0).text : nil
        }
        #expect(account(try open(tree).container) == "inside")
        let given = try open(tree, keychain: "work/far/x.txt")
        #expect(account(given.container) == "given")
        #expect(given.container.keychain == .items(from: tree.at("work/far/x.txt")))
        #expect(given.dump.keychain?.isGiven == true)
        try FileManager.default.removeItem(atPath: tree.at("work/notes.xcappdata/export"))
        let beside = try open(tree)
        #expect(account(beside.container) == "beside")
        #expect(beside.dump.keychain?.isGiven == false)
        #expect(
            beside.container.file(of: Address(store: .keychain("s"), key: "beside"))
                == .elsewhere(tree.at("work/keychain.json")))
    }

    @Test("Beside the dump only a file with that word in its name is looked at, and one with the dump's name first")
    func beside() throws {
        let export = KeychainForms.objection([Entry()])
        #expect(try open(try tree(beside: ["export.json": export])).container.keychain == .none)
        let several = try tree(beside: ["notes_keychain.json": export, "other-Keychain.json": export])
        #expect(try open(several).container.keychain == .items(from: several.at("work/notes_keychain.json")))
    }

    @Test("An item in the access group of the app's app group is the app's, as well as the group's")
    func appGroup() throws {
        let tree = try TemporaryTree()
        try tree.simulator("device", apps: ["com.acme.notes", "com.acme.timer"])
        try tree.container("device/data/Containers/Shared/AppGroup/G", app: "group.com.acme.notes")
        // On macOS a group goes by the name of the app, behind that of the team.
        try tree.container("device/data/Containers/Shared/AppGroup/H", app: Self.group)
        try tree.file(
            "keychain.json",
            KeychainForms.objection([
                Entry(account: "a", group: "group.com.acme.notes"),
                Entry(account: "b", group: "ABCDE12345.group.com.acme.notes"), Entry(account: "c", group: Self.group),
            ]))
        let dump = try Dump.open(tree.at("device"), keychain: tree.at("keychain.json"))
        func accounts(_ app: String) throws -> [Name] {
            try dump.container(app).keys(in: .keychain("s")).names.sorted()
        }
        #expect(try accounts("com.acme.notes") == ["a", "b", "c"])
        #expect(try accounts("group.com.acme.notes") == ["a", "b"])
        #expect(try accounts("com.acme.timer").isEmpty)
        #expect(dump.warnings.isEmpty)
    }

    @Test("Of several none is chosen, all are named, and nothing is taken for absent")
    func several() throws {
        let export = KeychainForms.objection([Entry()])
        for tree in [
            try tree(beside: ["keychain-1.json": export, "keychain-2.json": export]),
            try tree(inside: ["a.json": export, "b.json": export], beside: ["keychain.json": export]),
        ] {
            let (dump, container) = try open(tree)
            guard case .unreadable = container.keychain,
                case .severalKeychains(let paths)? = dump.warnings.first?.problem
            else {
                Issue.record("\(dump.warnings)")
                continue
            }
            #expect(paths.count == 2)
            // Who is told so can choose one: it is as if none were given.
            let problem = try #require(container.problem(with: .keychain("s")))
            #expect(problem.cause == .missing)
            for path in paths { #expect(problem.explanation.contains("\(path)"), "\(problem.explanation)") }
            #expect(container.state(of: "a", in: .keychain("s")) != .absent)
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

    @Test("A named file that is none, or not there, is an error that says so")
    func namedWrongly() throws {
        let tree = try tree(beside: ["x": Data("hello".utf8)])
        #expect(throws: DumpError(tree.at("work/x"), .notAKeychain(KeychainError(.notAnExport)))) {
            try open(tree, keychain: "work/x")
        }
        #expect(throws: DumpError(tree.at("work/none"), .notFound)) { try open(tree, keychain: "work/none") }
        #expect(throws: DumpError.self) { try open(tree, keychain: "work") }
    }

    @Test("A broken item is a warning of the dump, at most twenty of them and the number of the rest")
    func brokenItems() throws {
        let items = (0..<25).map { _ in "7" } + [#"{"account":"a","service":"s","dataHex":"61"}"#]
        let data = Data("[\(items.joined(separator: ","))]".utf8)
        let dump = try open(try tree(inside: ["keychain.json": data])).dump
        #expect(dump.warnings.count == 21)
        #expect(dump.warnings.last?.problem == .moreKeychainItems(5))
    }

    @Test("An item goes to the container of its group; others of its team are listed apart, and the rest is counted")
    func groups() throws {
        let entries = [
            Entry(account: "own"), Entry(account: "plain", group: "com.acme.notes"), Entry(account: "none", group: ""),
            Entry(account: "shared", group: "ABCDE12345.com.acme.shared"),
            Entry(account: "foreign", group: "ZZZZZ99999.com.other.app"), Entry(account: "system", group: "apple"),
        ]
        let (dump, container) = try open(try tree(inside: ["k": KeychainForms.objection(entries)]))
        let keys = container.keys(in: .keychain("s"))
        #expect((0..<keys.count).map(keys.key) == ["own", "plain"])
        #expect(container.keys(in: .keychain("unassigned:s")).names == ["none", "shared"])
        #expect(dump.warnings.map(\.problem) == [.foreignKeychainItems(2)])
    }

    @Test("Of two items of one name the app's very own group comes first, whatever their order in the export")
    func ownGroupFirst() throws {
        let own = Entry(), other = Entry(group: "ABCDE12345.com.acme.notes.shared")
        for entries in [[own, other], [other, own]] {
            let (_, container) = try open(try tree(inside: ["k": KeychainForms.objection(entries)]))
            #expect(container.keys(in: .keychain("s")).names.contains("a (ABCDE12345.com.acme.notes.shared)"))
        }
    }

    @Test("With several apps each sees its own, and what their team may share apart, from a file that was named too")
    func severalApps() throws {
        let tree = try TemporaryTree()
        try tree.simulator("device", apps: ["com.acme.notes", "com.acme.other"])
        let entries = [
            Entry(account: "notes"), Entry(account: "other", group: "ABCDE12345.com.acme.other"),
            Entry(account: "shared", group: "ABCDE12345.com.acme.shared"),
        ]
        try tree.file("keychain.txt", KeychainForms.keychainDumper(entries))
        func accounts(_ dump: Dump) throws -> [[String]] {
            try ["com.acme.notes", "com.acme.other"].map { identifier in
                let keys = try dump.container(identifier).keys(in: .keychain("s"))
                return keys.names.map(\.text)
            }
        }
        let found = try Dump.open(tree.at("device"))
        #expect(try accounts(found) == [["notes"], ["other"]])
        // What their team shares is perhaps each one's; so is what has the group of the other one, which is listed there alone.
        #expect(found.warnings.isEmpty)
        for (name, other) in [("com.acme.notes", Name("other")), ("com.acme.other", "notes")] {
            let container = try found.container(name)
            #expect(container.keys(in: .keychain("unassigned:s")).names == ["shared"])
            guard case .unreadable(let reason) = container.state(of: other, in: .keychain("s")) else {
                Issue.record("it is absent, or its own")
                continue
            }
            #expect(reason.accessGroup?.hasPrefix("ABCDE12345.com.acme.") == true)
            #expect(container.state(of: "none", in: .keychain("s")) == .absent)
        }
        let given = try Dump.open(tree.at("device"), keychain: tree.at("keychain.txt"))
        #expect(try accounts(given) == [["notes"], ["other"]])
        #expect(try given.container("com.acme.notes").keys(in: .keychain("unassigned:s")).names == ["shared"])
    }

    @Test("What is another app's of the same team is not this app's, alone in its dump, and with a file that was named")
    func otherAppOfTeam() throws {
        let entries = [Entry(), Entry(service: "com.bank.token", group: "ABCDE12345.com.acme.bank")]
        let data = KeychainForms.objection(entries)
        for (tree, named) in [
            (try tree(inside: ["k": data]), nil), (try tree(beside: ["far/k.json": data]), "work/far/k.json"),
        ] {
            let (_, container) = try open(tree, keychain: named)
            #expect(container.state(of: "a", in: .keychain("s")).value != nil)
            guard case .unreadable(let reason) = container.state(of: "a", in: .keychain("com.bank.token")) else {
                Issue.record("it is this app's, or absent")
                continue
            }
            #expect(reason.cause == .missing && reason.explanation.contains("group ABCDE12345.com.acme.bank"))
            #expect(container.state(of: "a", in: .keychain("unassigned:com.bank.token")).value != nil)
            #expect(container.storeWarnings().map(\.problem) == [.unassignedKeychainItems(1)])
            // The store says what its entries say.
            let unlisted = container.keys(in: .keychain("com.bank.token")).problem(under: "")
            #expect(unlisted?.cause == .missing && unlisted?.accessGroup == reason.accessGroup)
            #expect(container.keys(in: .keychain("s")).problem(under: "") == nil)
        }
    }

    @Test("The groups that a person tells are the app's, and no others, and stay so when the dump is read again")
    func told() throws {
        let entries = [
            Entry(), Entry(account: "shared", group: "ABCDE12345.com.acme.shared"),
            Entry(account: "foreign", group: "ZZZZZ99999.com.other"), Entry(account: "none", group: ""),
            Entry(account: "bank", group: "ABCDE12345.com.acme.bank"),
        ]
        let tree = try tree(inside: ["k": KeychainForms.objection(entries)])
        func open(_ groups: String..., app: String? = nil) throws -> Dump {
            let options = OpeningOptions(claims: GroupClaims(keychain: groups), of: app)
            guard case .opened(let dump) = try Dump.opening(tree.at("work/notes.xcappdata"), options) else {
                throw DumpError("", .locked)
            }
            return dump
        }
        let dump = try open("ABCDE12345.com.acme.shared", "ZZZZZ99999.com.other", app: "com.acme.notes")
        for dump in [dump, try dump.reopened()] {
            let container = try dump.container(nil)
            #expect(container.keys(in: .keychain("s")).names == ["a", "shared", "foreign"])
            // All others that have a group are not its.
            #expect(container.keys(in: .keychain("unassigned:s")).names == ["none"])
            #expect(dump.warnings.map(\.problem) == [.foreignKeychainItems(1)])
        }
        let error = #expect(throws: DumpError.self) { try open("ABCDE12345.com.acme.shard") }
        guard case .noSuchGroup(_, let available)? = error?.problem else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(available.contains("none") && available.count == 5 && available.contains("ABCDE12345.com.acme.shared"))
        #expect(throws: DumpError.self) { try open("ABCDE12345.com.acme.shared", app: "com.acme.none") }
    }

    @Test(
        "Of an export of a whole device, what nothing says to be the app's is listed apart, where no migration reads it"
    )
    func wholeDevice() throws {
        let other = Entry(service: "com.convert.sdk", account: "visitor", group: "TEAM999999.com.other.app")
        let (_, container) = try open(try tree(inside: ["k": KeychainForms.objection([other])]))
        // It may be the app's, and is not absent; no migration is told what it holds.
        guard case .unreadable(let reason) = container.state(of: "visitor", in: .keychain("com.convert.sdk")) else {
            Issue.record("it is absent, or the app's")
            return
        }
        #expect(reason.cause == .missing && reason.explanation.contains("unassigned%3Acom.convert.sdk"))
        #expect(container.state(of: "visitor", in: .keychain("unassigned:com.convert.sdk")).value != nil)
        #expect(container.storeWarnings().map(\.problem) == [.unassignedKeychainItems(1)])
        let item = KeychainItem(text: "x").value
        #expect(container.keychainEdit(of: "new", in: .keychain("unassigned:s"), to: item) == nil)
        // An item of the app's own tells its team, and with it that the other is foreign.
        let place = try tree(inside: ["k": KeychainForms.objection([other, Entry()])])
        defer { withExtendedLifetime(place) {} }
        let (dump, known) = try open(place)
        #expect(known.stores == [.defaults("com.acme.notes"), .keychain("s")])
        #expect(dump.warnings.map(\.problem) == [.foreignKeychainItems(1)])
    }

    @Test("An export of nothing but another app's items says nothing of this app's; one of the device does")
    func foreign() throws {
        let other = Entry(account: "visitor", group: "TEAM999999.com.other.app"), system = Entry(group: "apple")
        for (entries, isKnown) in [([other], false), ([other, system], true), ([system], true), ([], true)] {
            let (_, container) = try open(try tree(inside: ["keychain.json": KeychainForms.objection(entries)]))
            let state = container.state(of: "another", in: .keychain("s2"))
            guard !isKnown else {
                #expect(state == .absent, "\(entries)")
                continue
            }
            guard case .unreadable(let reason) = state else {
                Issue.record("it is absent")
                continue
            }
            #expect(reason.cause == .missing && reason.explanation.contains("another app's keychain"))
            #expect(container.problem(with: .keychain("s2")) == reason)
        }
        // Among several apps, too, where it is of none of them.
        let several = try TemporaryTree()
        try several.simulator("device", apps: ["com.acme.notes", "com.acme.other"])
        try several.file("keychain.json", KeychainForms.objection([other]))
        let dump = try Dump.open(several.at("device"))
        #expect(try dump.container("com.acme.notes").state(of: "another", in: .keychain("s2")) != .absent)
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

    @Test("What a team has as a whole is listed apart for each of its apps, and is unknown to them, not absent")
    func teamAlone() throws {
        let tree = try TemporaryTree()
        try tree.simulator("device", apps: ["com.acme.notes", "com.other.app"])
        let entries = [
            Entry(account: "notes", group: "ABCDE12345.com.acme.notes"),
            Entry(account: "team", group: "ABCDE12345"), Entry(account: "app", group: "ZYXWV98765.com.other.app"),
        ]
        try tree.file("keychain.txt", KeychainForms.keychainDumper(entries))
        let dump = try Dump.open(tree.at("device"))
        let acme = try dump.container("com.acme.notes"), other = try dump.container("com.other.app")
        guard case .unreadable = acme.state(of: "team", in: .keychain("s")) else {
            Issue.record("it is absent, or the app's")
            return
        }
        #expect(acme.state(of: "team", in: .keychain("unassigned:s")).value != nil)
        #expect(other.state(of: "team", in: .keychain("s")) == .absent)
        #expect(dump.warnings.isEmpty)
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

    @Test("Items without a group are the only app's where no item of the export is another app's")
    func withoutGroups() throws {
        let entries = [Entry(account: "a", group: ""), Entry(account: "b", group: "apple")]
        let (_, container) = try open(try tree(inside: ["k": KeychainForms.objection(entries)]))
        #expect(container.keys(in: .keychain("s")).position(of: "a") == 0)
        #expect(container.storeWarnings().isEmpty)
    }

    @Test("An item of a group that extends an app's identifier is that app's")
    func extendedGroup() throws {
        let tree = try TemporaryTree()
        try tree.simulator("device", apps: ["com.acme.notes", "com.acme.notes.pro"])
        let entries = [
            Entry(account: "notes", group: "ABCDE12345.com.acme.notes.shared"),
            Entry(account: "pro", group: "ABCDE12345.com.acme.notes.pro.shared"),
        ]
        try tree.file("device/keychain.json", KeychainForms.objection(entries))
        let dump = try Dump.open(tree.at("device"))
        for (app, account) in [("com.acme.notes", "notes"), ("com.acme.notes.pro", "pro")] {
            let keys = try dump.container(app).keys(in: .keychain("s"))
            #expect((0..<keys.count).map(keys.key) == [Name(account)])
        }
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

    @Test("A folder that is called as an export is not read, which is said; one of another name is nobody's business")
    func folder() throws {
        let tree = try tree()
        try tree.folder("work/notes.xcappdata/keychain.json")
        try tree.folder("work/notes.xcappdata/keychains")
        let (dump, container) = try open(tree)
        #expect(dump.warnings.map(\.path) == ["keychain.json"])
        #expect(container.keychain.problem?.explanation == "keychain.json is a folder, and no file")
        guard case .unreadable = container.state(of: "a", in: .keychain("s")) else {
            Issue.record("\(container.state(of: "a", in: .keychain("s")))")
            return
        }
    }

    @Test("A pipe that is called a keychain is not read, which is said", .timeLimit(.minutes(10)))
    func pipe() throws {
        let tree = try tree()
        try tree.pipe("work/notes.xcappdata/keychain.json")
        let (dump, container) = try open(tree)
        #expect(dump.warnings.map(\.path) == ["keychain.json"])
        #expect(container.keychain.problem?.explanation.contains("a pipe") == true)
        let error = #expect(throws: DumpError.self) {
            try open(tree, keychain: "work/notes.xcappdata/keychain.json")
        }
        #expect(error?.problem == .notAFile("a pipe"))
        // As a shell names what it puts in place of `<(…)`.
        var ends: [Int32] = [0, 0]
        try #require(Foundation.pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let substituted = #expect(throws: DumpError.self) {
            try Dump.open(tree.at("work/notes.xcappdata"), keychain: "/dev/fd/\(ends[0])")
        }
        #expect(substituted?.problem == .notAFile("a pipe"))
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

    @Test("A single property list takes a keychain beside it")
    func singleFile() throws {
        let tree = try TemporaryTree()
        try tree.list("com.acme.notes.plist")
        try tree.file("keychain.json", KeychainForms.objection([Entry()]))
        let dump = try Dump.open(tree.at("com.acme.notes.plist"))
        #expect(try dump.container(nil).stores == [.defaults("com.acme.notes"), .keychain("s")])
        // An export by itself is no dump.
        try tree.file("only/keychain.plist", try KeychainForms.propertyList([Entry()]))
        #expect(throws: DumpError.self) { try Dump.open(tree.at("only/keychain.plist")) }
    }

    @Test("A link in a dump that is called a keychain is not followed")
    func link() throws {
        let tree = try tree(beside: ["far/x.json": KeychainForms.objection([Entry()])])
        try tree.link("work/notes.xcappdata/keychain.json", to: tree.at("work/far/x.json"))
        let (dump, container) = try open(tree)
        let target = tree.at("work/far/x.json")
        #expect(dump.warnings == [DumpWarning("keychain.json", .symbolicLink(target: target))])
        #expect(container.keychain.problem?.explanation.contains("a symbolic link to \(target)") == true)
    }
}
