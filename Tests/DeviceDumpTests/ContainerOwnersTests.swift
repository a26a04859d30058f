import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import DeviceDump

@Suite("Whose the containers of groups and extensions are")
struct ContainerOwnersTests {
    private static let group = "group.com.acme.notes"
    private static let containers = "private/var/mobile/Containers/"

    /// Whether a store is unknown, and why.
    private func reason(_ store: StoreID, _ app: Container) throws -> String {
        guard case .unreadable(let reason) = app.state(of: "key", in: store) else {
            Issue.record("\(store) is known: \(app.state(of: "key", in: store))")
            return ""
        }
        #expect(reason.cause == .missing)
        return reason.explanation
    }

    @Test("of two containers of one group none is the app's until a person says which, by its path")
    func twoGroups() throws {
        let tree = try TemporaryTree(), group = StoreID.defaults("group.com.acme.notes")
        try tree.simulator("device", apps: ["com.acme.notes"])
        let paths = ["G", "H"].map { "data/Containers/Shared/AppGroup/\($0)" }
        for path in paths { try tree.container("device/" + path, app: "group.com.acme.notes") }
        try tree.list(
            "device/\(paths[1])/Library/Preferences/group.com.acme.notes.plist", ["key": "second"])
        let dump = try Dump.open(tree.at("device")), app = try dump.container(nil)
        let reason = try #require(app.problem(with: group))
        #expect(reason.explanation.contains("has 2 containers (\(paths[0]), \(paths[1]))"))
        #expect(app.state(of: "key", in: group) == .unreadable(reason))
        #expect(!app.stores.contains(group))
        for (path, value) in zip(paths, ["value", "second"]) {
            #expect(dump.refusal(of: GroupClaims(app: [path]), for: [app]) == nil)
            let (_, chosen) = dump.claiming(GroupClaims(app: [path]), for: app)
            #expect(chosen.state(of: "key", in: group).value == .string(value))
            #expect(chosen.stores.contains(group))
        }
        #expect(
            dump.refusal(of: GroupClaims(app: ["other"]), for: [app])?.problem
                == .noSuchAppGroup("other", available: paths))
    }

    @Test("a group's or an extension's container without its metadata goes by its one list, as an app's does")
    func withoutMetadata() throws {
        let tree = try TemporaryTree(), containers = "dump/private/var/mobile/Containers/"
        try tree.container(containers + "Data/Application/A")
        try tree.list(containers + "Shared/AppGroup/G/Library/Preferences/group.com.acme.notes.plist", ["g": 1])
        try tree.list(containers + "Data/PluginKitPlugin/P/Library/Preferences/com.acme.notes.widget.plist", ["w": 1])
        try tree.file(
            containers + "Data/PluginKitPlugin/P/.com.apple.mobile_container_manager.metadata.plist", "damaged")
        let app = try Dump.open(tree.at("dump")).container("com.acme.notes")
        #expect(app.state(of: "g", in: .defaults("group.com.acme.notes")).value == .integer(1))
        #expect(app.state(of: "w", in: .defaults("com.acme.notes.widget")).value == .integer(1))
        #expect(app.state(of: "g", in: .defaults("group.com.acme.other")) == .absent)
    }

    @Test(
        "where a container does not say whose it is, what may be in it is unknown, and a suite of the app's own is not")
    func nameless() throws {
        let tree = try TemporaryTree(), containers = "dump/private/var/mobile/Containers/"
        try tree.container(containers + "Data/Application/A")
        try tree.file(containers + "Shared/AppGroup/G/notes.json", "{}")
        for name in ["com.acme.notes.widget", "org.other"] {
            try tree.list(containers + "Data/PluginKitPlugin/P/Library/Preferences/\(name).plist")
        }
        let app = try Dump.open(tree.at("dump")).container("com.acme.notes")
        for store: StoreID in [
            .defaults("group.com.acme.notes"), .files("group.com.acme.notes"), .defaults("com.acme.notes.widget"),
            .files("com.acme.notes.widget"),
        ] {
            guard case .unreadable(let reason) = app.state(of: "a", in: store) else {
                Issue.record("\(store) is known")
                continue
            }
            #expect(reason.cause == .missing && reason.explanation.contains("does not say whose it is"), "\(reason)")
        }
        #expect(app.state(of: "a", in: .defaults("com.acme.notes.editor")) == .absent)
    }

    @Test(
        "of a part of a file system, or of an unpacked backup, without app groups none is known to be absent",
        arguments: ["private/var/mobile/Containers/Data/Application/A", "AppDomain-com.acme.notes"])
    func part(place: String) throws {
        let tree = try TemporaryTree()
        try tree.container("dump/" + place)
        let app = try Dump.open(tree.at("dump")).container("com.acme.notes")
        for store: StoreID in [
            .defaults("group.com.acme.notes"), .files("group.com.acme.notes"), .files("com.acme.notes.widget"),
        ] {
            guard case .unreadable(let reason) = app.state(of: "a", in: store) else {
                Issue.record("\(store) is known")
                continue
            }
            #expect(reason.cause == .missing && reason.explanation.hasPrefix("the dump"), "\(reason)")
        }
        #expect(app.state(of: "a", in: .defaults("com.acme.notes.editor")) == .absent)
    }

    @Test("a list in the app's own container that is called after its group is a file of it, and told")
    func listOfGroup() throws {
        let tree = try TemporaryTree(), name = "group.com.acme.notes"
        try tree.simulator("dump", apps: ["com.acme.notes"])
        let own = "data/Containers/Data/Application/UUID-0/Library/Preferences/\(name).plist"
        try tree.list("dump/" + own, ["only": "app"])
        try tree.container("dump/data/Containers/Shared/AppGroup/G", app: name)
        let app = try Dump.open(tree.at("dump")).container("com.acme.notes"), key: Name = "Preferences/\(name).plist"
        #expect(app.stores.filter { $0 == .defaults(Name(name)) }.count == 1)
        #expect(app.state(of: "key", in: .defaults(Name(name))).value == .string("value"))
        #expect(app.keys(in: .files("Library")).names == [key])
        #expect(app.state(of: key, in: .files("Library")).value?.data?.isEmpty == false)
        let told = DumpWarning.Problem.domainElsewhere(
            name, entry: "file://Library/Preferences/\(name).plist", container: app.path)
        #expect(app.storeWarnings() == [DumpWarning(own, told)])
    }

    @Test("a list in the app's own container is not taken for that of a group whose container may be another's")
    func listOfUnknownGroup() throws {
        let name = "group.com.acme.notes", groups = "dump/data/Containers/Shared/AppGroup/"
        for isNameless in [false, true] {
            let tree = try TemporaryTree()
            try tree.simulator("dump", apps: ["com.acme.notes"])
            let own = "data/Containers/Data/Application/UUID-0/Library/Preferences/\(name).plist"
            try tree.list("dump/" + own, ["only": "app"])
            if isNameless {
                for list in ["group.a", "group.b"] {
                    try tree.list(groups + "N/Library/Preferences/\(list).plist", ["only": "group"])
                }
            } else {
                for folder in ["G", "H"] { try tree.container(groups + folder, app: name) }
            }
            let app = try Dump.open(tree.at("dump")).container("com.acme.notes"),
                key: Name = "Preferences/\(name).plist"
            guard case .unreadable(let reason) = app.state(of: "only", in: .defaults(Name(name))) else {
                Issue.record("\(isNameless): \(app.state(of: "only", in: .defaults(Name(name))))")
                continue
            }
            #expect(reason.cause == .missing, "\(reason)")
            #expect(!app.stores.contains(.defaults(Name(name))))
            #expect(app.state(of: key, in: .files("Library")).value?.data?.isEmpty == false)
            let told = app.storeWarnings().map { "\($0.path)" }
            #expect(told.contains(own), "\(told)")
        }
    }

    @Test(
        "a list that is called after no app of the dump does not say whose the container is, so that others may be in it",
        arguments: ["Shared/AppGroup", "Data/PluginKitPlugin"])
    func foreignList(place: String) throws {
        let tree = try TemporaryTree(), isGroup = place.hasPrefix("Shared")
        try tree.container("dump/\(Self.containers)Data/Application/A")
        let list = isGroup ? "group.org.other" : "com.google.measurement", path = "\(Self.containers)\(place)/X"
        try tree.list("dump/\(path)/Library/Preferences/\(list).plist")
        try tree.file("dump/\(path)/notes.json", "{}")
        let name = isGroup ? Self.group : "com.acme.notes.widget"
        let dump = try Dump.open(tree.at("dump")), app = try dump.container("com.acme.notes")
        let stores: [StoreID] = isGroup ? [.defaults(Name(name)), .files(Name(name))] : [.files(Name(name))]
        for store in stores {
            #expect(try reason(store, app).contains("the container \(path) does not say whose it is"))
        }
        // The list itself is what it is called.
        #expect(!isGroup || app.state(of: "key", in: .defaults(Name(list))).value != nil)
        // A person says it.
        let claim = "\(name)=\(path)", claims = GroupClaims(app: [claim])
        #expect(dump.refusal(of: claims, for: [app]) == nil)
        let (_, told) = dump.claiming(claims, for: app)
        #expect(told.state(of: "notes.json", in: .files(Name(name))).value?.data?.isEmpty == false)
        #expect(told.stores.contains(.files(Name(name))))
        #expect(told.state(of: "key", in: .defaults(Name(name))) == .absent)
    }

    @Test("an extension's list that is called as an app of the dump is does not make the container that app's")
    func listOfApp() throws {
        let tree = try TemporaryTree()
        try tree.container("dump/\(Self.containers)Data/Application/A")
        try tree.list("dump/\(Self.containers)Data/PluginKitPlugin/X/Library/Preferences/com.acme.notes.plist")
        let dump = try Dump.open(tree.at("dump"))
        #expect(!dump.warnings.contains(DumpWarning("", .duplicateIdentifier("com.acme.notes"))))
        #expect(dump.containers.filter { $0.identifier == "com.acme.notes" }.map(\.kind) == [.app])
    }

    @Test(
        "what is called after an app whose container does not say so, or is not there, is not that of a shorter name's",
        arguments: ["lists", "list of a group", "bundle"])
    func namelessApp(how: String) throws {
        let tree = try TemporaryTree(), containers = "dump/" + Self.containers
        try tree.container(containers + "Data/Application/A", app: "com.acme")
        switch how {
        case "lists":
            for name in ["com.acme.notes", "com.google.measurement"] {
                try tree.list(containers + "Data/Application/B/Library/Preferences/\(name).plist")
            }
        case "list of a group": try tree.list(containers + "Data/Application/B/Library/Preferences/\(Self.group).plist")
        default:
            try tree.list(
                "dump/private/var/containers/Bundle/Application/C/Notes.app/Info.plist",
                ["CFBundleIdentifier": "com.acme.notes"])
        }
        try tree.container(containers + "Shared/AppGroup/G", app: Self.group)
        try tree.container(containers + "Data/PluginKitPlugin/P", app: "com.acme.notes.widget")
        let app = try Dump.open(tree.at("dump")).container("com.acme")
        for store: StoreID in [
            .defaults(Name(Self.group)), .files(Name(Self.group)), .defaults("com.acme.notes.widget"),
        ] {
            #expect(try reason(store, app).contains("is called after com.acme.notes"))
            #expect(!app.stores.contains(store))
        }
        #expect(app.state(of: "key", in: .defaults("com.acme.other")) == .absent)
    }

    @Test(
        "a list in the own container is that of a group only where it is known that the app has no other",
        arguments: ["Containers/Data/Application/A", "AppDomain-com.acme.notes", "AppData", ""])
    func ownList(place: String) throws {
        let tree = try TemporaryTree(), place = place.isEmpty ? "" : place + "/"
        try tree.container("dump.xcappdata/" + place)
        let file = "\(place)Library/Preferences/\(Self.group).plist", store = StoreID.defaults(Name(Self.group))
        try tree.list("dump.xcappdata/" + file, ["key": "own"])
        let dump = try Dump.open(tree.at("dump.xcappdata")), app = try dump.container("com.acme.notes")
        _ = try reason(store, app)
        #expect(!app.stores.contains(store))
        let entry: Name = "Preferences/\(Name(Self.group)).plist"
        #expect(app.state(of: entry, in: .files("Library")).value?.data?.isEmpty == false)
        let claim = "\(Self.group)=" + (place.isEmpty ? "." : String(place.dropLast()))
        #expect(app.storeWarnings().contains { $0.path == file && "\($0)".contains(claim) })
        // A person says that it is.
        let claims = GroupClaims(app: [claim])
        #expect(dump.refusal(of: claims, for: [app]) == nil)
        let (_, told) = dump.claiming(claims, for: app)
        #expect(told.state(of: "key", in: store).value == .string("own"))
        #expect(told.stores.contains(store) && told.storeWarnings().isEmpty)
        #expect(told.state(of: entry, in: .files("Library")) == .absent)
    }

    @Test("where iOS has noted other groups for the app, the list in its own container is that domain")
    func ownListOfNoted() throws {
        let tree = try TemporaryTree()
        try tree.container("dump")
        try tree.list(
            "dump/.com.apple.mobile_container_manager.metadata.plist",
            [
                "MCMMetadataIdentifier": "com.acme.notes",
                "MCMMetadataInfo": ["com.apple.MobileInstallation.GroupContainerIDs": ["group.com.acme.shared"]],
            ])
        try tree.list("dump/Library/Preferences/\(Self.group).plist", ["key": "own"])
        let app = try Dump.open(tree.at("dump")).container(nil)
        #expect(app.state(of: "key", in: .defaults(Name(Self.group))).value == .string("own"))
        #expect(app.storeWarnings().isEmpty)
        _ = try reason(.defaults("group.com.acme.shared"), app)
    }

    @Test("a group is told by a container that there is, and by nothing else")
    func wrongPlace() throws {
        let tree = try TemporaryTree()
        try tree.simulator("device", apps: ["com.acme.notes"])
        try tree.container("device/data/Containers/Shared/AppGroup/G", app: Self.group)
        let dump = try Dump.open(tree.at("device")), app = try dump.container(nil)
        for claim in ["group.x=data/Containers/Shared/AppGroup/H", "group.x=", "=G", "group.x=../G", "a/b=G"] {
            #expect(
                dump.refusal(of: GroupClaims(app: [claim]), for: [app])?.problem
                    == .noSuchAppGroup(claim, available: [Self.group]), "\(claim)")
        }
    }

    @Test("a container whose group a person has said may be no other's, and is not said to be two groups'")
    func told() throws {
        let tree = try TemporaryTree(), path = "\(Self.containers)Shared/AppGroup/X"
        try tree.container("dump/\(Self.containers)Data/Application/A")
        try tree.file("dump/\(path)/notes.json", "{}")
        let dump = try Dump.open(tree.at("dump")), app = try dump.container("com.acme.notes")
        for said in [Self.group, "group.org.other"] {
            let (_, told) = dump.claiming(GroupClaims(app: ["\(said)=\(path)"]), for: app)
            #expect(told.state(of: "key", in: .defaults("group.com.acme.absent")) == .absent)
            #expect(told.state(of: "key", in: .defaults(Name(Self.group))) == .absent)
        }
        let both = GroupClaims(app: ["\(Self.group)=\(path)", "group.b=\(path)"])
        #expect(dump.refusal(of: both, for: [app])?.problem == .groupsOfOneContainer([Self.group, "group.b"]))
        // What is said last counts, also where it had been said before.
        let claims = ["a/X", "b/X", "a/X"].reduce(GroupClaims()) { $0.adding(GroupClaims(app: ["group.x=\($1)"])) }
        #expect(claims.app == ["group.x=a/X"])
    }

    @Test("of the group that the app's own list is taken for the files are where they were")
    func filesOfGroup() throws {
        let tree = try TemporaryTree()
        try tree.simulator("device", apps: ["com.acme.notes"])
        let own = "data/Containers/Data/Application/UUID-0", place = "data/Containers/Shared/AppGroup/G"
        try tree.list("device/\(own)/Library/Preferences/\(Self.group).plist", ["key": "own"])
        try tree.container("device/\(place)", app: Self.group)
        try tree.file("device/\(place)/notes.json", "{}")
        let dump = try Dump.open(tree.at("device")), app = try dump.container(nil)
        let (_, told) = dump.claiming(GroupClaims(app: ["\(Self.group)=\(own)"]), for: app)
        #expect(told.state(of: "key", in: .defaults(Name(Self.group))).value == .string("own"))
        let list = Name("Library/Preferences/\(Self.group).plist")
        for key: Name in ["notes.json", list] {
            #expect(told.state(of: key, in: .files(Name(Self.group))).value?.data?.isEmpty == false, "\(key)")
        }
        #expect(told.stores.count { $0 == .defaults(Name(Self.group)) } == 1)
    }

    @Test(
        "while an app's container says nothing of it, what has a longer name than an app's own is not known to be that app's",
        arguments: ["no list", "an SDK's list"])
    func namelessWithoutList(how: String) throws {
        let tree = try TemporaryTree(), containers = "dump/" + Self.containers
        try tree.container(containers + "Data/Application/A", app: "com.acme")
        if how == "no list" {
            try tree.file(containers + "Data/Application/B/Documents/a.json", "{}")
        } else {
            try tree.list(containers + "Data/Application/B/Library/Preferences/com.sdk.measurement.plist")
        }
        for group in [Self.group, "group.com.acme"] {
            try tree.container(containers + "Shared/AppGroup/\(group)", app: group)
        }
        for name in ["com.acme.notes.widget", "com.acme.widget"] {
            try tree.container(containers + "Data/PluginKitPlugin/\(name)", app: name)
        }
        let dump = try Dump.open(tree.at("dump")), app = try dump.container("com.acme")
        for store: StoreID in [
            .defaults(Name(Self.group)), .files(Name(Self.group)), .defaults("com.acme.notes.widget"),
        ] {
            #expect(try reason(store, app).contains("may be of the app whose container is"))
            #expect(!app.stores.contains(store))
        }
        for name: Name in ["group.com.acme", "com.acme.widget"] {
            #expect(app.state(of: "key", in: .defaults(name)).value == .string("value"), "\(name)")
        }
        let (_, told) = dump.claiming(
            GroupClaims(
                app: [
                    Self.group, "com.acme.notes.widget=\(Self.containers)Data/PluginKitPlugin/com.acme.notes.widget",
                ]), for: app)
        for name: Name in ["group.com.acme.notes", "com.acme.notes.widget"] {
            #expect(told.state(of: "key", in: .defaults(name)).value == .string("value"), "\(name)")
        }
    }

    @Test("the apps on one disk have the groups that a tool has copied from another")
    func twoDisks() throws {
        let tree = try TemporaryTree()
        try tree.container("dump/filesystem1/\(Self.containers)Data/Application/A")
        try tree.container("dump/filesystem2/\(Self.containers)Shared/AppGroup/G", app: Self.group)
        let app = try Dump.open(tree.at("dump")).container("com.acme.notes")
        #expect(app.state(of: "key", in: .defaults(Name(Self.group))).value == .string("value"))
        #expect(app.state(of: "key", in: .defaults("group.com.acme.absent")) == .absent)
    }

    @Test("the apps themselves, on another disk than their containers, say what there is no container of")
    func bundlesOnAnotherDisk() throws {
        let tree = try TemporaryTree(), name = Self.group + ".pro"
        try tree.list(
            "dump/filesystem1/private/var/containers/Bundle/Application/C/Pro.app/Info.plist",
            ["CFBundleIdentifier": "com.acme.notes.pro"])
        try tree.container("dump/filesystem2/\(Self.containers)Data/Application/A")
        try tree.container("dump/filesystem2/\(Self.containers)Shared/AppGroup/G", app: name)
        let app = try Dump.open(tree.at("dump")).container("com.acme.notes")
        #expect(try reason(.defaults(Name(name)), app).contains("is called after com.acme.notes.pro"))
    }

    @Test("in a form that never has an extension's container nothing is known of its files")
    func filesOfExtension() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata("a.xcappdata")
        try tree.container("bare")
        for form in ["a.xcappdata", "bare"] {
            let app = try Dump.open(tree.at(form)).container("com.acme.notes")
            #expect(try reason(.files("com.acme.notes.widget"), app).contains("extensions"))
            #expect(app.state(of: "key", in: .files("com.other.widget")) == .absent)
            #expect(app.state(of: "key", in: .defaults("com.acme.notes.widget")) == .absent)
        }
    }

    @Test(
        "a tool may have left out the folder of containers, or given it another name",
        arguments: ["", "Export/", "a/b/"])
    func withoutContainers(place: String) throws {
        let tree = try TemporaryTree()
        try tree.container("dump/\(place)Data/Application/A")
        try tree.container("dump/\(place)Shared/AppGroup/G", app: Self.group)
        let dump = try Dump.open(tree.at("dump")), app = try dump.container("com.acme.notes")
        #expect(dump.kind == .fileSystem)
        #expect(app.state(of: "key", in: .defaults(Name(Self.group))).value == .string("value"))
    }

    @Test("what is said of one dump by a path is nothing to another that has no such container")
    func otherDump() throws {
        let tree = try TemporaryTree()
        for (name, folder) in [("old", "G"), ("new", "H")] {
            try tree.simulator(name, apps: ["com.acme.notes"])
            try tree.container("\(name)/data/Containers/Shared/AppGroup/\(folder)", app: Self.group)
        }
        let claims = GroupClaims(app: ["\(Self.group)=data/Containers/Shared/AppGroup/G"])
        let new = try Dump.open(tree.at("new")), (_, app) = new.claiming(claims, for: try new.container(nil))
        #expect(app.state(of: "key", in: .defaults(Name(Self.group))).value == .string("value"))
    }

    @Test("a container that says whose it is, is not said to be another group's; nor is one group to be in two")
    func contradiction() throws {
        let tree = try TemporaryTree()
        try tree.simulator("device", apps: ["com.acme.notes"])
        let place = "data/Containers/Shared/AppGroup/"
        for name in ["group.a", "group.b"] { try tree.container("device/\(place)\(name)", app: name) }
        let nameless = "\(place)X", plugin = "data/Containers/Data/PluginKitPlugin/Y"
        for folder in [nameless, plugin] { try tree.file("device/\(folder)/notes.json", "{}") }
        let dump = try Dump.open(tree.at("device")), app = try dump.container(nil)
        func problem(_ claims: String...) -> DumpError.Problem? {
            dump.refusal(of: GroupClaims(app: claims), for: [app])?.problem
        }
        #expect(problem("group.a=\(place)group.a") == nil)
        #expect(
            problem("group.c=\(place)group.a")
                == .noSuchAppGroup("group.c=\(place)group.a", available: ["X", "group.a", "group.b"]))
        #expect(
            problem("group.a=\(nameless)")
                == .noSuchAppGroup("group.a=\(nameless)", available: ["X", "group.a", "group.b"]))
        #expect(problem("group.c=\(nameless)") == nil)
        #expect(problem("group.c=\(plugin)") != nil && problem("com.acme.notes.x=\(plugin)") == nil)
        #expect(
            problem("group.a=\(place)group.a", "group.a=data/Containers/Data/Application/UUID-0")
                == .groupInSeveralContainers("group.a"))
    }

    @Test(
        "of a backup that does not list all that was installed, what has a longer name than an app's own may be another app's",
        arguments: ["no list", "an empty list", "a list without the app"])
    func unlisted(how: String) throws {
        let tree = try TemporaryTree()
        if how != "no list" {
            let apps = how == "an empty list" ? [] : ["com.other"]
            try tree.list(
                "dump/Manifest.plist", ["Applications": Dictionary(uniqueKeysWithValues: apps.map { ($0, [:]) })])
        }
        try tree.container("dump/AppDomain-com.acme", app: "com.acme")
        for name in [Self.group, "group.com.acme"] { try tree.container("dump/AppDomainGroup-\(name)", app: name) }
        for name in ["com.acme.notes.widget", "com.acme.widget"] {
            try tree.container("dump/AppDomainPlugin-\(name)", app: name)
        }
        let app = try Dump.open(tree.at("dump")).container("com.acme")
        #expect(try reason(.defaults(Name(Self.group)), app).contains("an app that is not listed"))
        #expect(try reason(.defaults("com.acme.notes.widget"), app).contains("an app that is not listed"))
        for name: Name in ["group.com.acme", "com.acme.widget"] {
            #expect(app.state(of: "key", in: .defaults(name)).value == .string("value"))
        }
    }
}
