import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import DeviceDump

@Suite("What did not come with a dump is unknown, and not absent")
struct PartialDumpTests {
    private func reason(of key: Name, _ store: StoreID, _ container: Container) -> String {
        guard case .unreadable(let reason) = container.state(of: key, in: store) else {
            Issue.record("\(store)/\(key) is known: \(container.state(of: key, in: store))")
            return ""
        }
        return reason.explanation
    }

    private func keys(in store: StoreID, _ container: Container) -> [Name] {
        let keys = container.keys(in: store)
        return (0..<keys.count).map(keys.key(at:))
    }

    @Test(
        "where Library, or Library/Preferences, is not there, the app's UserDefaults are unknown",
        arguments: ["", "/Library"])
    func preferences(folder: String) throws {
        let tree = try TemporaryTree()
        try tree.list(
            "c/.com.apple.mobile_container_manager.metadata.plist", ["MCMMetadataIdentifier": "com.acme.notes"])
        try tree.folder("c/Documents" + folder)
        try tree.folder("c" + folder)
        let app = try Dump.open(tree.at("c")).container(nil)
        let missing = folder.isEmpty ? "Library" : "Library/Preferences"
        for name: Name in ["com.acme.notes", "suite"] {
            #expect(reason(of: "a", .defaults(name), app).contains("the dump lacks \(missing),"))
        }
        #expect(app.state(of: "a", in: .files("Documents")) == .absent)
        try tree.folder("c/Library/Preferences")
        #expect(try Dump.open(tree.at("c")).container(nil).state(of: "a", in: .defaults("suite")) == .absent)
    }

    @Test("a missing Documents is taken to be empty by steps, which is said, and unknown to whoever assumes nothing")
    func documents() throws {
        let tree = try TemporaryTree(), files = StoreID.files("Documents")
        try tree.xcappdata()
        let app = try Dump.open(tree.at("notes.xcappdata")).container(nil), strict = app.assumingNothing
        #expect(app.state(of: "a.json", in: files) == .absent)
        #expect(reason(of: "a.json", files, strict).contains("the dump lacks AppData/Documents,"))
        #expect(strict.keys(in: files).problem(under: "") != nil && strict.problem(with: files) != nil)
        #expect(strict.state(of: "a", in: .defaults("suite")) == .absent)
        for store in [files, StoreID(.sqlite, "Documents/a.sqlite/t")] {
            #expect(app.assumption(reading: [store])?.contains("lacks AppData/Documents: what steps look for") == true)
        }
        #expect(app.assumption(reading: [.files("Caches"), .defaults("suite")]) == nil)
        try tree.folder("notes.xcappdata/AppData/Documents")
        let whole = try Dump.open(tree.at("notes.xcappdata")).container(nil)
        #expect(whole.assumption(reading: [files]) == nil)
        #expect(whole.assumingNothing.state(of: "a.json", in: files) == .absent)
    }

    @Test("a file that has stayed in iCloud is unknown, in its folder and below it")
    func iCloud() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata()
        for stub in [
            "Documents/.notes.json.icloud", "Documents/.more.icloud", "Library/Preferences/.suite.plist.icloud",
        ] {
            try tree.file("notes.xcappdata/AppData/" + stub)
        }
        let app = try Dump.open(tree.at("notes.xcappdata")).container(nil)
        let places: [(StoreID, Name)] = [
            (.files("Documents"), "notes.json"), (.files("Documents"), "more/a.json"), (.defaults("suite"), "a"),
        ]
        for (store, key) in places { #expect(reason(of: key, store, app).contains("has stayed in iCloud")) }
        #expect(app.state(of: "other.json", in: .files("Documents")) == .absent)
    }

    @Test("a name that is composed in another way is the same on a device: what goes by it is not absent")
    func normalization() throws {
        let tree = try TemporaryTree(), composed = "\u{DC}", decomposed = "U\u{308}"
        try tree.xcappdata()
        try tree.file("notes.xcappdata/AppData/Documents/\(decomposed)/\(composed).json", "{}")
        let app = try Dump.open(tree.at("notes.xcappdata")).container(nil), files = StoreID.files("Documents")
        for key in ["\(composed)/\(composed).json", "\(decomposed)/\(decomposed).json", "\(composed)/none"] {
            #expect(reason(of: Name(key), files, app).contains("AppData/Documents/U%CC%88"))
        }
        #expect(app.state(of: Name("\(decomposed)/\(composed).json"), in: files).value == .data(Data("{}".utf8)))
        #expect(app.state(of: Name("\(decomposed)/none"), in: files) == .absent)
    }

    @Test("of a database in WAL mode that came without its log, by itself, what is not found is unknown")
    func log() throws {
        let tree = try TemporaryTree(), queue = try DatabaseQueue(path: tree.at("made.db"))
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (k INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try FileManager.default.copyItem(atPath: tree.at("made.db"), toPath: tree.at("alone.db"))
        try queue.close()
        let app = try Dump.open(tree.at("alone.db")).container(nil)
        let store = try #require(app.stores.first { $0.kind == .sqlite })
        #expect(reason(of: "2", store, app).contains("alone.db-wal did not come with it"))
        #expect(app.state(of: "1", in: store).value != nil)
        #expect(app.doubt(about: store)?.contains("alone.db-wal") == true)
        try tree.file("alone.db-wal")
        let whole = try Dump.open(tree.at("alone.db")).container(nil)
        #expect(whole.state(of: "2", in: store) == .absent)
        #expect(whole.doubt(about: store) == nil)
        // In a container it may have been closed, which removes the log.
        try tree.container("c")
        try FileManager.default.copyItem(atPath: tree.at("made.db"), toPath: tree.at("c/Library/alone.db"))
        let container = try Dump.open(tree.at("c")).container(nil)
        let table = try #require(container.stores.first { $0.kind == .sqlite })
        #expect(container.state(of: "2", in: table) == .absent)
        #expect(container.annotation(of: Address(store: table))?.contains("without a -wal") == true)
    }

    @Test("an app group's container by itself has its files under the group's name, and of the app nothing is known")
    func groupAlone() throws {
        let tree = try TemporaryTree(), group = "group.com.acme.notes"
        try tree.list(
            "g/.com.apple.mobile_container_manager.metadata.plist",
            ["MCMMetadataIdentifier": group, "MCMMetadataContentClass": 7])
        try tree.list("g/Library/Preferences/\(group).plist", ["key": "value"])
        try tree.file("g/state.json", "{}")
        try tree.file("g/Documents/a.json", "{}")
        let container = try Dump.open(tree.at("g")).container(nil), files = StoreID.files(Name(group))
        #expect(container.kind == .group && container.facts[.bundleIdentifier] == nil)
        #expect(container.stores == [.defaults(Name(group)), files])
        #expect(keys(in: files, container) == ["Documents/a.json", "state.json"])
        #expect(container.state(of: "state.json", in: files).value == .data(Data("{}".utf8)))
        #expect(container.state(of: "other.json", in: files) == .absent)
        for store: StoreID in [.defaults("com.acme.notes"), .files("Documents"), .defaults("group.com.acme.other")] {
            #expect(reason(of: "a", store, container).contains("the container of the app group \(group),"))
        }
    }

    @Test(
        "an app group's container without metadata is one by its folder's name, and nothing is known of apps where the dump has none",
        arguments: ["group.com.acme.notes", "mail/AppDomainGroup-group.com.acme.notes"])
    func groupByName(place: String) throws {
        let tree = try TemporaryTree(), group = "group.com.acme.notes"
        try tree.list("\(place)/Library/Preferences/\(group).plist", ["key": "value"])
        try tree.folder("\(place)/Documents")
        try tree.file("\(place)/state.json", "{}")
        let container = try Dump.open(tree.at(place.split(separator: "/").first.map(String.init) ?? "")).container(nil)
        #expect(container.kind == .group && container.identifier == group)
        #expect(keys(in: .files(Name(group)), container) == ["state.json"])
        for store: StoreID in [.defaults("com.acme.notes"), .files("Documents")] {
            #expect(reason(of: "a", store, container).contains("the dump has none of an app"))
        }
    }

    /// A container `c` with a database of one row in `Documents`, beside which there is a file.
    private func treeOfDatabase(beside name: String) throws -> TemporaryTree {
        let tree = try TemporaryTree()
        try tree.container("c")
        try tree.file("c/Documents/" + name)
        let queue = try DatabaseQueue(path: tree.at("made.db"))
        try queue.write { try $0.execute(sql: "CREATE TABLE t (k INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)") }
        try queue.close()
        try FileManager.default.copyItem(atPath: tree.at("made.db"), toPath: tree.at("c/Documents/made.db"))
        return tree
    }

    @Test("a log that has stayed in iCloud is missing, and told, also in a container")
    func logIniCloud() throws {
        let tree = try treeOfDatabase(beside: ".made.db-wal.icloud"), app = try Dump.open(tree.at("c")).container(nil)
        let table = try #require(app.stores.first { $0.kind == .sqlite })
        #expect(reason(of: "2", table, app).contains("has stayed in iCloud"))
        #expect(app.doubt(about: table) != nil)
        #expect(app.storeWarnings().contains { "\($0)".contains("has stayed in iCloud") })
    }

    @Test("a database beside which there is SQLite's index of a log had that log, which did not come with it")
    func logIndex() throws {
        let tree = try treeOfDatabase(beside: "made.db-shm"), app = try Dump.open(tree.at("c")).container(nil)
        let table = try #require(app.stores.first { $0.kind == .sqlite })
        #expect(reason(of: "2", table, app).contains("made.db-wal did not come with it"))
        #expect(app.state(of: "1", in: table).value != nil)
        try tree.file("c/Documents/made.db-wal")
        let whole = try Dump.open(tree.at("c")).container(nil)
        #expect(whole.state(of: "2", in: table) == .absent)
    }

    @Test(
        "the part of a device's file system that has the containers of groups or extensions alone is one",
        arguments: [
            ("Shared/AppGroup", "group.com.acme.notes"), ("Data/PluginKitPlugin", "com.acme.notes.widget"),
        ])
    func sharedAlone(folder: String, name: String) throws {
        let tree = try TemporaryTree()
        let place = "device/private/var/mobile/Containers/\(folder)/"
        try tree.container(place + "A", app: name)
        try tree.container(place + "B", app: name + ".second")
        let dump = try Dump.open(tree.at("device"))
        #expect(dump.kind == .fileSystem)
        #expect(dump.containers.map(\.identifier).sorted() == [name, name + ".second"])
    }

    @Test("a group's own section lists its files, and so does that of an app that a person says uses it")
    func groupSection() throws {
        let tree = try TemporaryTree(), group = "group.com.vendor.family"
        try tree.simulator("device", apps: ["com.acme.notes"])
        let place = "device/data/Containers/Shared/AppGroup/G"
        try tree.container(place, app: group)
        try tree.file(place + "/state.json", "{}")
        let dump = try Dump.open(tree.at("device")), files = StoreID.files(Name(group))
        let section = try dump.container(group)
        #expect(section.stores.contains(files))
        #expect(keys(in: files, section) == ["state.json"])
        let app = try dump.container("com.acme.notes")
        #expect(!app.stores.contains(files))
        for claim in [group, "data/Containers/Shared/AppGroup/G"] {
            let told = dump.claiming(GroupClaims(app: [claim]), for: app).1
            #expect(told.stores.contains(files) && told.stores.contains(.defaults(Name(group))), "\(claim)")
            #expect(keys(in: files, told) == ["state.json"])
        }
    }

    @Test("the folder of a backup's domain by itself says whose it is, and never had caches")
    func domainFolder() throws {
        let tree = try TemporaryTree()
        try tree.list("AppDomain-com.acme.notes/Library/Preferences/com.acme.notes.analytics.plist")
        try tree.file("AppDomain-com.acme.notes/Documents/a", "a")
        let app = try Dump.open(tree.at("AppDomain-com.acme.notes")).container(nil)
        #expect(app.identifier == "com.acme.notes")
        #expect(reason(of: "a", .files("Caches"), app).contains("a backup never holds caches"))
    }

    @Test("of an unpacked backup that has a part of an app's files the rest is unknown")
    func unpackedPart() throws {
        let tree = try TemporaryTree()
        try tree.file("backup/AppDomain-com.acme.notes/Documents/a.json", "{}")
        try tree.list("backup/AppDomain-com.acme.more/Library/Preferences/com.acme.more.plist")
        let dump = try Dump.open(tree.at("backup")), app = try dump.container("com.acme.notes")
        for store: StoreID in [.defaults("com.acme.notes"), .files("AppSupport")] {
            #expect(reason(of: "a", store, app).contains("Library, which every app's container has"))
        }
        #expect(app.state(of: "b.json", in: .files("Documents")) == .absent)
        let more = try dump.container("com.acme.more"), files = StoreID.files("Documents")
        #expect(more.state(of: "user", in: .defaults("com.acme.more")) == .absent)
        #expect(reason(of: "a.json", files, more.assumingNothing).contains("lacks AppDomain-com.acme.more/Documents,"))
        #expect(more.assumption(reading: [files]) != nil)
    }

    @Test("of an extension's container without Library its UserDefaults are unknown, also to its app")
    func extensionPart() throws {
        let tree = try TemporaryTree(), widget = "com.acme.notes.widget"
        try tree.simulator("device", apps: ["com.acme.notes"])
        try tree.list(
            "device/data/Containers/Data/PluginKitPlugin/W/.com.apple.mobile_container_manager.metadata.plist",
            ["MCMMetadataIdentifier": widget])
        let dump = try Dump.open(tree.at("device"))
        for identifier in [widget, "com.acme.notes"] {
            let container = try dump.container(identifier)
            #expect(
                reason(of: "a", .defaults(Name(widget)), container).contains("which every extension's container has"))
        }
        #expect(try dump.container("com.acme.notes").state(of: "a", in: .defaults("com.acme.notes")) == .absent)
    }

    @Test(
        "a container whose only sign is the list of a group is that group's, unless it has Documents, as an app's has")
    func groupByList() throws {
        let tree = try TemporaryTree(), group = "group.com.acme.notes"
        for place in ["A", "B"] {
            try tree.list("\(place)/Library/Preferences/\(group).plist")
            try tree.file("\(place)/state.json", "{}")
            try tree.folder("\(place)/tmp")
        }
        try tree.folder("B/Documents")
        let container = try Dump.open(tree.at("A")).container(nil)
        #expect(container.kind == .group && container.identifier == group)
        #expect(keys(in: .files(Name(group)), container) == ["state.json"])
        #expect(try Dump.open(tree.at("B")).container(nil).kind == .app)
    }

    @Test(
        "steps in a container of a group, or an extension, that look for what the app keeps take it to be absent, which is said"
    )
    func otherContainers() throws {
        let tree = try TemporaryTree(), group = "group.com.acme.notes", widget = "com.acme.notes.widget"
        try tree.simulator("device", apps: ["com.acme.notes"])
        try tree.container("device/data/Containers/Shared/AppGroup/G", app: group)
        try tree.container("device/data/Containers/Data/PluginKitPlugin/W", app: widget)
        let dump = try Dump.open(tree.at("device")), app = [StoreID.defaults("com.acme.notes")]
        for identifier in [group, widget] {
            let container = try dump.container(identifier)
            #expect(container.assumption(reading: app)?.contains("\(identifier), and ") == true)
            #expect(container.assumption(reading: [.defaults(Name(identifier)), .keychain("s")]) == nil)
        }
        #expect(try dump.container("com.acme.notes").assumption(reading: app + [.defaults(Name(group))]) == nil)
    }

    @Test(
        "what macOS writes beside files on other disks is none of the app's, whereas a file that is only called so is")
    func appleDouble() throws {
        let tree = try TemporaryTree(), mark = Data([0x00, 0x05, 0x16, 0x07, 0x00, 0x02, 0x00, 0x00])
        try tree.xcappdata()
        for name in [
            "Documents/._notes.json", "Documents/._notes.sqlite", "Library/Preferences/._com.acme.notes.plist",
        ] {
            try tree.file("notes.xcappdata/AppData/" + name, mark)
        }
        try tree.file("notes.xcappdata/AppData/Documents/notes.json", "{}")
        try tree.file("notes.xcappdata/AppData/Documents/._own", "own")
        let app = try Dump.open(tree.at("notes.xcappdata")).container(nil), files = StoreID.files("Documents")
        #expect(app.stores == [.defaults("com.acme.notes"), files])
        #expect(keys(in: files, app) == ["._own", "notes.json"])
        #expect(app.storeWarnings().isEmpty)
        #expect(app.state(of: "._notes.json", in: files).value == .data(mark))
    }

    @Test(
        "links to the device's own lists that iOS puts into containers are not theirs; to read through one is refused as ever"
    )
    func linksOfSystem() throws {
        let tree = try TemporaryTree(), lists = "notes.xcappdata/AppData/Library/Preferences/"
        try tree.xcappdata()
        for name in [".GlobalPreferences.plist", "com.apple.PeoplePicker.plist"] {
            try tree.link(lists + name, to: "/private/var/mobile/Library/Preferences/" + name)
        }
        let app = try Dump.open(tree.at("notes.xcappdata")).container(nil)
        #expect(app.stores == [.defaults("com.acme.notes")])
        #expect(app.storeWarnings().isEmpty)
        #expect(reason(of: "a", .defaults("com.apple.PeoplePicker"), app).contains("symbolic link"))
        for (name, target) in [
            ("com.apple.other.plist", "/etc/passwd"), ("own.plist", "/x/Library/Preferences/own.plist"),
        ] {
            try tree.link(lists + name, to: target)
        }
        #expect(try Dump.open(tree.at("notes.xcappdata")).container(nil).storeWarnings().count == 2)
    }

    @Test("what macOS leaves of a dump that is in iCloud alone is refused, with what to do")
    func dumpIniCloud() throws {
        let tree = try TemporaryTree()
        try tree.list(".dump.zip.icloud")
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at(".dump.zip.icloud")) }
        #expect(error.map { "\($0)".contains("in iCloud alone") } == true)
    }

    @Test(
        "a second copy of a property list has the domain that the first has",
        arguments: ["com.acme.notes (1).plist", "com.acme.notes 2.plist"])
    func secondCopy(name: String) throws {
        let tree = try TemporaryTree()
        try tree.list(name)
        let app = try Dump.open(tree.at(name)).container(nil)
        #expect(app.identifier == "com.acme.notes")
        #expect(app.state(of: "key", in: .defaults("com.acme.notes")).value == .string("value"))
    }

    @Test("an item of a group that only begins with the app's identifier is told, where nothing is said of other apps")
    func accessGroups() throws {
        let tree = try TemporaryTree(), group = "ABCDE12345.com.acme.notes"
        try tree.xcappdata()
        let entries = ["", ".widget"].map { KeychainForms.Entry(account: "a" + $0, group: group + $0) }
        try tree.file("keychain.json", KeychainForms.objection(entries))
        let app = try Dump.open(tree.at("notes.xcappdata"), keychain: tree.at("keychain.json")).container(nil)
        #expect(keys(in: .keychain("s"), app) == ["a", "a.widget"])
        #expect(
            app.storeWarnings().map(\.problem) == [.guessedKeychainItems(group: group + ".widget", count: 1)])
    }

    @Test("a folder of the container whose name has lost its capitals may be that folder")
    func capitals() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata()
        try tree.file("notes.xcappdata/AppData/documents/a.json", "{}")
        let app = try Dump.open(tree.at("notes.xcappdata")).container(nil)
        #expect(reason(of: "a.json", .files("Documents"), app).contains("lost its capitals"))
        #expect(app.state(of: "a.json", in: .files("Caches")) == .absent)
    }
}
