import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import DeviceDump

@Suite("Whose a keychain item is, and whose a group")
struct KeychainOwnersTests {
    typealias Entry = KeychainForms.Entry
    private static let team = "ABCDE12345"

    /// A device with containers, and an export with an item of each of these groups, in a service of its name.
    private func dump(
        apps: [String], extensions: [String] = [], groups: [String] = [], noted: [String: [String]] = [:],
        items: [String]
    ) throws -> (tree: TemporaryTree, dump: Dump) {
        let tree = try TemporaryTree(), data = "device/data/Containers/"
        try tree.simulator("device", apps: [])
        for (place, names) in [
            ("Data/Application", apps), ("Data/PluginKitPlugin", extensions), ("Shared/AppGroup", groups),
        ] {
            for (number, name) in names.enumerated() {
                let folder = data + place + "/\(number)"
                try tree.container(folder, app: name)
                try tree.list(folder + "/Library/Preferences/\(name).plist", ["who": name])
                guard let list = noted[name] else { continue }
                try tree.list(
                    folder + "/.com.apple.mobile_container_manager.metadata.plist",
                    [
                        "MCMMetadataIdentifier": name,
                        "MCMMetadataInfo": ["com.apple.MobileInstallation.GroupContainerIDs": list],
                    ])
            }
        }
        try tree.file("keychain.json", KeychainForms.objection(items.map { Entry(service: $0, group: $0) }))
        return (tree, try Dump.open(tree.at("device")))
    }

    /// What an app is told of the item of a group.
    private func told(_ group: String, _ app: String, in dump: Dump) throws -> String {
        switch try dump.container(app).state(of: "a", in: .keychain(Name(group))) {
        case .present: return "own"
        case .absent: return "absent"
        case .unreadable(let reason): return reason.accessGroup == nil ? "unknown" : "apart"
        }
    }

    @Test(
        "Only what is of iOS or of another team is absent; what could be shared is unknown, also where it is called after another app"
    )
    func belonging() throws {
        let app = "com.acme.notes", team = Self.team
        // The item of iOS makes it the export of a whole device.
        let expected: [(group: String, notes: String, acme: String, timer: String)] = [
            ("apple", "absent", "absent", "absent"), ("group.com.apple.notes", "absent", "absent", "absent"),
            ("\(team).\(app)", "own", "apart", "apart"), (app, "own", "apart", "apart"),
            // What Xcode fills in where apps share a keychain.
            ("\(team).com.acme", "apart", "own", "apart"),
            // Of an extension that is there, and of one that is not.
            ("\(team).\(app).share", "apart", "apart", "apart"), ("\(team).\(app).widget", "own", "apart", "apart"),
            ("\(team).com.acme.today", "apart", "apart", "apart"),
            ("\(team).org.other.today", "apart", "apart", "apart"),
            ("ZZZZZ99999.org.other", "absent", "absent", "absent"),
            ("\(team).com.acme.notes2", "apart", "apart", "apart"),
            ("\(team).com.acme.shared", "apart", "apart", "apart"),
            ("\(team).COM.ACME.NOTES", "apart", "apart", "apart"), (team, "apart", "apart", "apart"),
            ("ZZZZZ99999.com.acme.shared", "absent", "absent", "absent"),
            // App groups match as wholes.
            ("group.com.acme", "own", "own", "own"), ("\(team).group.com.acme", "own", "own", "own"),
            ("group.com.acme.zz", "apart", "apart", "apart"), ("group.com.acme.notes", "own", "apart", "apart"),
            ("group.com.acme.notes.x", "apart", "apart", "apart"), ("group.com", "apart", "apart", "apart"),
            ("group.org.other", "apart", "apart", "apart"), ("group.com.acme.timer", "apart", "apart", "own"),
            ("com.acme.notes.group.com.acme", "own", "apart", "apart"),
            ("x.com.acme.notes", "apart", "apart", "apart"), ("com.acme.", "apart", "apart", "apart"),
        ]
        let (tree, dump) = try dump(
            apps: ["com.acme", app, "com.acme.timer", "org.other"],
            extensions: [app + ".share", "com.acme.today", "org.other.today"],
            groups: ["group.com.acme", "group.com.acme.notes"],
            items: expected.map(\.group) + ["\(team).com.acme.timer"])
        defer { withExtendedLifetime(tree) {} }
        for (group, notes, acme, timer) in expected {
            #expect(try told(group, app, in: dump) == notes, "\(group) to \(app)")
            #expect(try told(group, "com.acme", in: dump) == acme, "\(group) to com.acme")
            #expect(try told(group, "com.acme.timer", in: dump) == timer, "\(group) to com.acme.timer")
        }
        #expect(dump.warnings.map(\.problem) == [.foreignKeychainItems(2)])
        // Each extension has its own, and what its app shares with it perhaps.
        #expect(try told("\(team).\(app).share", app + ".share", in: dump) == "own")
        #expect(try told("\(team).com.acme.shared", app + ".share", in: dump) == "apart")
        #expect(try told("\(team).\(app)", app + ".share", in: dump) == "apart")
        #expect(try told("ZZZZZ99999.org.other", app + ".share", in: dump) == "absent")
    }

    @Test("A person says all groups that an app reads beside its own, by the own one that there is no other")
    func told() throws {
        let team = Self.team, apps = ["com.acme", "com.acme.notes"]
        let items = ["apple", "\(team).com.acme.notes", "\(team).com.acme", "\(team).com.acme.shared", ""]
        let (tree, asked) = try dump(apps: apps, items: items)
        func states(_ groups: String...) throws -> [String] {
            let options = OpeningOptions(claims: GroupClaims(keychain: groups), of: "com.acme.notes")
            guard case .opened(let dump) = try Dump.opening(tree.at("device"), options) else { return [] }
            // Nothing is said of the other app.
            #expect(try told("\(team).com.acme.shared", "com.acme", in: dump) == "apart")
            return try items.dropLast().map { try told($0, "com.acme.notes", in: dump) }
        }
        #expect(
            try items.dropLast().map { try told($0, "com.acme.notes", in: asked) } == [
                "absent", "own", "apart", "apart",
            ])
        #expect(try states("\(team).com.acme") == ["absent", "own", "own", "absent"])
        #expect(try states("\(team).com.acme", "\(team).com.acme.shared") == ["absent", "own", "own", "own"])
        for own in ["com.acme.notes", "\(team).com.acme.notes"] {
            #expect(try states(own) == ["absent", "own", "absent", "absent"])
        }
        #expect(throws: DumpError.self) { try states("\(team).com.acme.sharde") }
    }

    @Test("An app of which no team is known may share any group but that of iOS")
    func unknownTeam() throws {
        let (tree, dump) = try dump(
            apps: ["com.acme.notes", "com.acme.timer", "org.other.app"], groups: ["group.org.other.app"],
            items: [
                "apple", "ABCDE12345.com.acme.timer", "ABCDE12345.com.acme.shared", "ZZZZZ99999.org.other.app",
                "group.org.other.app", "ZZZZZ99999.org.other.shared",
            ])
        defer { withExtendedLifetime(tree) {} }
        for group in [
            "ABCDE12345.com.acme.timer", "ZZZZZ99999.org.other.app", "ABCDE12345.com.acme.shared",
            "ZZZZZ99999.org.other.shared",
            "group.org.other.app",
        ] {
            #expect(try told(group, "com.acme.notes", in: dump) == "apart", "\(group)")
        }
        // Of another team are the shared ones, and the app groups that go with its apps alone.
        #expect(try told("ZZZZZ99999.org.other.shared", "com.acme.timer", in: dump) == "absent")
        #expect(try told("group.org.other.app", "com.acme.timer", in: dump) == "absent")
        #expect(try told("ABCDE12345.com.acme.shared", "org.other.app", in: dump) == "absent")
    }

    @Test("Where iOS has noted the app groups of an app, these are its own, and no others")
    func noted() throws {
        let items = [
            "apple", "group.com.acme", "group.com.acme.notes", "group.org.other", "ABCDE12345.com.acme.shared",
        ]
        let (tree, dump) = try dump(
            apps: ["com.acme.notes", "com.acme.timer"], groups: ["group.com.acme", "group.com.acme.notes"],
            noted: ["com.acme.notes": ["group.org.other", "group.com.acme"]], items: items)
        defer { withExtendedLifetime(tree) {} }
        let states = try items.map { try told($0, "com.acme.notes", in: dump) }
        #expect(states == ["absent", "own", "absent", "own", "apart"])
        #expect(try dump.container("com.acme.notes").problem(with: .defaults("group.com.acme.notes")) == nil)
        #expect(try dump.container("com.acme.notes").state(of: "who", in: .defaults("group.com.acme.notes")) == .absent)
    }

    @Test("An export without an item of the app's and of iOS's says nothing of it, whichever other app's it is")
    func otherAppsExport() throws {
        for (items, isAbsent) in [
            (["ABCDE12345.com.acme.timer"], false), (["ABCDE12345.com.acme.timer", "apple"], true),
            (["ABCDE12345.com.acme.timer", "ABCDE12345.com.acme.notes"], true), ([], true),
        ] {
            let (tree, dump) = try dump(apps: ["com.acme.notes", "com.acme.timer"], items: items)
            defer { withExtendedLifetime(tree) {} }
            let state = try dump.container("com.acme.notes").state(of: "visitor", in: .keychain("sdk"))
            #expect((state == .absent) == isAbsent, "\(items)")
            #expect(try dump.container("com.acme.timer").state(of: "visitor", in: .keychain("sdk")) == .absent)
        }
    }

    @Test("Of several apps each may have an item without a group, unless it is told to be one's")
    func withoutGroup() throws {
        let (tree, dump) = try dump(apps: ["com.acme.notes", "com.acme.timer"], items: ["apple", ""])
        defer { withExtendedLifetime(tree) {} }
        for app in ["com.acme.notes", "com.acme.timer"] {
            #expect(try dump.container(app).state(of: "a", in: .keychain("genp:")) != .absent)
            #expect(try dump.container(app).keys(in: .keychain("unassigned:genp:")).names == ["a"])
        }
        #expect(dump.warnings.map(\.problem) == [.foreignKeychainItems(1)])
        // That the export was named says of no app that it is its.
        try tree.file("given.json", KeychainForms.objection([Entry(service: "genp:", group: "")]))
        let named = try Dump.open(tree.at("device"), keychain: tree.at("given.json"))
        for app in ["com.acme.notes", "com.acme.timer"] {
            #expect(try named.container(app).keys(in: .keychain("unassigned:genp:")).names == ["a"])
        }
        // A person says whose they are, also of a group that other items have.
        for app in ["com.acme.notes", "com.acme.timer"] {
            let claims = GroupClaims(keychain: [GroupClaims.withoutGroup])
            #expect(named.refusal(of: claims, for: [try named.container(app)]) == nil)
            let told = try named.claiming(claims, for: named.container(app)).1
            #expect(
                told.state(of: "a", in: .keychain("genp:")).value != nil
                    && told.keychainEdit(of: "b", in: .keychain("x"), to: nil) != nil)
            #expect(
                try dump.claiming(claims, for: dump.container(app)).1.state(of: "a", in: .keychain("genp:")).value
                    != nil)
        }
        try tree.file(
            "grouped.json", KeychainForms.objection([Entry(service: "genp:", group: "ABCDE12345.com.acme.notes")]))
        let grouped = try Dump.open(tree.at("device"), keychain: tree.at("grouped.json"))
        #expect(grouped.refusal(of: GroupClaims(keychain: ["none"]), for: grouped.containers) != nil)
        let (other, alone) = try self.dump(apps: ["com.acme.notes"], items: [""])
        defer { withExtendedLifetime(other) {} }
        #expect(try alone.container("com.acme.notes").state(of: "a", in: .keychain("genp:")).value != nil)
        // An app of which the device has nothing but the app itself is another.
        for (app, isAlone) in [("com.apple.Maps", true), ("com.acme.notes", true), ("com.acme.timer", false)] {
            let file = "device/data/Containers/Bundle/Application/\(app)/Any.app/Info.plist"
            try other.list(file, ["CFBundleIdentifier": app])
            let state = try alone.reopened().container("com.acme.notes").state(of: "a", in: .keychain("genp:"))
            #expect((state.value != nil) == isAlone, "\(app)")
        }
    }

    @Test("A person says which app groups an app uses that are called after another: their stores, and items, are its")
    func toldAppGroups() throws {
        let group = "group.com.acme.notes", data = "device/data/Containers/Shared/AppGroup/"
        let (tree, dump) = try dump(
            apps: ["com.acme", "com.acme.notes"], groups: [group, "group.com.acme.notes.x"],
            items: ["apple", group, "ABCDE12345.com.acme.shared"])
        try tree.file(data + "0/note.txt", "x")
        let store = StoreID.defaults(Name(group)), file = Address(store: .files(Name(group)), key: "note.txt")
        let app = try dump.container("com.acme")
        #expect(app.state(of: "who", in: store).value == nil && app.state(of: "who", in: store) != .absent)
        #expect(try told(group, "com.acme", in: dump) == "apart")
        func open(_ group: String) throws -> Dump {
            let options = OpeningOptions(claims: GroupClaims(app: [group]), of: "com.acme")
            guard case .opened(let dump) = try Dump.opening(tree.at("device"), options) else {
                throw DumpError("", .locked)
            }
            return dump
        }
        let opened = try open(group)
        for dump in [opened, try opened.reopened(), dump.claiming(GroupClaims(app: [group]), for: app).0] {
            let app = try dump.container("com.acme")
            #expect(app.state(of: "who", in: store) == .present(.string(group)))
            #expect(app.state(at: file) == .present(.data(Data("x".utf8))))
            #expect(try told(group, "com.acme", in: dump) == "own")
            // It says nothing of other groups, and of no other keychain items.
            #expect(app.state(of: "who", in: .defaults("group.com.acme.notes.x")).value == nil)
            #expect(try told("ABCDE12345.com.acme.shared", "com.acme", in: dump) == "apart")
        }
        #expect(throws: DumpError(tree.at("device"), .noSuchAppGroup("group.x", available: [group, group + ".x"]))) {
            try open("group.x")
        }
    }

    @Test("An extension of a backup has the items of its app's groups, as it has their UserDefaults")
    func groupsOfExtensions() throws {
        let tree = try TemporaryTree(), team = Self.team
        for domain in [
            "AppDomain-com.acme.notes", "AppDomainPlugin-com.acme.notes.widget", "AppDomain-com.acme.timer",
            "AppDomainGroup-group.com.acme.notes", "AppDomainGroup-group.com.acme",
        ] {
            try tree.list("device/\(domain)/Library/Preferences/x.plist", ["key": "value"])
        }
        let expected = [
            ("\(team).group.com.acme.notes", "own", "apart"), ("group.com.acme.notes", "own", "apart"),
            ("\(team).group.com.acme", "own", "own"), ("\(team).group.com.acme.timer", "apart", "own"),
            ("\(team).com.acme.notes", "apart", "apart"),
        ]
        try tree.file("keychain.json", KeychainForms.objection(expected.map { Entry(service: $0.0, group: $0.0) }))
        let dump = try Dump.open(tree.at("device"))
        for (group, widget, timer) in expected {
            #expect(try told(group, "com.acme.notes.widget", in: dump) == widget, "\(group)")
            #expect(try told(group, "com.acme.timer", in: dump) == timer, "\(group)")
        }
    }

    @Test("Of an app whose identifier stands under several teams no item is its own until a person says which it is of")
    func severalTeams() throws {
        let first = "\(Self.team).com.acme.notes", second = "ZZZZZ99999.com.acme.notes"
        let (tree, dump) = try dump(apps: ["com.acme.notes"], items: [first, second, second + ".x", "com.acme.notes"])
        #expect(
            try [first, second, second + ".x", "com.acme.notes"].map { try told($0, "com.acme.notes", in: dump) }
                == ["apart", "apart", "apart", "own"])
        let options = OpeningOptions(claims: GroupClaims(keychain: [second]), of: "com.acme.notes")
        guard case .opened(let opened) = try Dump.opening(tree.at("device"), options) else {
            Issue.record("it is locked")
            return
        }
        #expect(
            try [first, second, second + ".x"].map { try told($0, "com.acme.notes", in: opened) }
                == ["absent", "own", "own"])
    }

    @Test(
        "What has the identifier of an app of which there is no container, or may have, is not that of an app with a shorter one's",
        arguments: ["bundle", "lists", "nameless", "none"])
    func withoutContainer(how: String) throws {
        let items = ["pro", "pro.x", "other"].map { "\(Self.team).com.acme.notes.\($0)" }
        let (tree, _) = try dump(apps: ["com.acme.notes"], items: items), data = "device/data/Containers/"
        switch how {
        case "bundle":
            try tree.list(
                data + "Bundle/Application/C/Pro.app/Info.plist", ["CFBundleIdentifier": "com.acme.notes.pro"])
        case "lists":
            for name in ["com.acme.notes.pro", "com.sdk"] {
                try tree.list(data + "Data/Application/B/Library/Preferences/\(name).plist")
            }
            // That it is in an extension's name tells that it is the app's.
            try tree.container(data + "Data/PluginKitPlugin/P", app: "com.acme.notes.pro.share")
        case "nameless": try tree.file(data + "Data/Application/B/Documents/a.json", "{}")
        default: break
        }
        let dump = try Dump.open(tree.at("device"))
        let expected = ["bundle": "apart apart own", "lists": "apart apart own", "nameless": "apart apart apart"]
        #expect(
            try items.map { try told($0, "com.acme.notes", in: dump) }.joined(separator: " ")
                == expected[how] ?? "own own own")
    }

    @Test("A group without a name is refused, also where an item has none")
    func namelessGroups() throws {
        let (tree, _) = try dump(apps: ["com.acme.notes"], items: ["", "ABCDE12345.com.acme.shared"])
        for claims in [GroupClaims(keychain: [""]), GroupClaims(app: [""])] {
            let error = #expect(throws: DumpError.self) {
                try Dump.opening(tree.at("device"), OpeningOptions(claims: claims, of: "com.acme.notes"))
            }
            #expect("\(try #require(error))".contains("group without a name was given"), "\(claims)")
        }
    }

    @Test("A store that is another app's extension's or group's is not this app's, by whatever name it is asked for")
    func storesOfOthers() throws {
        let (tree, dump) = try dump(
            apps: ["com.acme", "com.acme.notes", "com.acme.timer"],
            extensions: ["com.acme.notes.share", "org.other.ext"],
            groups: ["group.com.acme", "group.com.acme.notes", "group.com.acme.notes.x", "group.org.other"], items: [])
        try tree.list(
            "device/data/Containers/Data/Application/2/Library/Preferences/group.com.acme.notes.plist", ["who": "suite"]
        )
        func state(_ app: String, _ store: StoreID) throws -> String {
            switch try dump.container(app).state(of: "who", in: store) {
            case .present: return "own"
            case .absent: return try dump.container(app).problem(with: store) == nil ? "absent" : "contradiction"
            case .unreadable(let reason):
                #expect(try dump.container(app).problem(with: store) == reason)
                return reason.cause == .missing ? reason.explanation : "damaged"
            }
        }
        func isUnknown(_ app: String, _ store: StoreID) throws -> Bool {
            try state(app, store)
                == "\(store.name) is called after com.acme.notes, and nothing says that \(app) may use it, so nothing is known "
                + "of what \(store.name) holds"
        }
        // As another app's own domain: it would be a suite of this one's, and there is none.
        for name: Name in ["com.acme.notes", "com.acme.notes.share", "org.other.ext"] {
            #expect(try state("com.acme", .defaults(name)) == "absent", "\(name)")
            #expect(try state("com.acme", .files(name)) == "absent", "\(name)")
        }
        for name: Name in ["group.com.acme.notes", "group.com.acme.notes.x"] {
            for store in [StoreID.defaults(name), .files(name)] {
                #expect(try isUnknown("com.acme", store), "\(store)")
            }
        }
        // Also where it has a list of that name among its own.
        #expect(try isUnknown("com.acme.timer", .defaults("group.com.acme.notes")))
        #expect(try isUnknown("com.acme.timer", .files("group.com.acme.notes")))
        let table = StoreID(.sqlite, "group.com.acme.notes/a.sqlite/t")
        #expect(try state("com.acme.timer", table).contains("is called after com.acme.notes"))
        for app in ["com.acme", "com.acme.notes", "com.acme.timer"] {
            for name: Name in ["group.com.acme", "group.org.other"] {
                #expect(try state(app, .defaults(name)) == "own", "\(name) of \(app)")
            }
        }
        for name: Name in ["com.acme.notes.share", "group.com.acme.notes", "group.com.acme.notes.x"] {
            #expect(try state("com.acme.notes", .defaults(name)) == "own", "\(name)")
        }
        let acme = try dump.container("com.acme")
        let holders = dump.names(ofThoseHolding: Address(store: .defaults("com.acme.notes.share")), besides: acme)
        #expect(holders == ["com.acme.notes", "com.acme.notes.share"])
        // What cannot be known is not written either.
        var transaction = StoreTransaction(on: try dump.container("com.acme"))
        #expect(throws: StepStop.self) {
            try transaction.write(
                .string("x"), to: Address(store: .defaults("group.com.acme.notes"), key: "stolen"), rule: "")
        }
    }
}
