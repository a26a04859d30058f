import MigrationEngine
import StoreFormats
import Testing

@testable import DeviceDump

@Suite("Which items are an app's, by their access groups")
struct KeychainGroupTests: DumpsWithKeychains {
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
}
