import Foundation
import GRDB
import MigrationEngine
import TestSupport
import Testing

@testable import DeviceDump

@Suite("Recognising a dump by its content")
struct RecognitionTests {
    @Test("an .xcappdata is a folder with AppData, and AppDataInfo.plist or the name")
    func xcappdata() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata("download")
        try tree.container("unnamed.xcappdata/AppData")
        #expect(try Dump.open(tree.at("download")).kind == .xcappdata)
        #expect(try Dump.open(tree.at("unnamed.xcappdata")).kind == .xcappdata)
    }

    @Test("a container is known by its metadata, or by Library with a sibling or preferences")
    func container() throws {
        let tree = try TemporaryTree()
        try tree.list("a/.com.apple.mobile_container_manager.metadata.plist", ["MCMMetadataIdentifier": "com.acme.a"])
        try tree.list("b/Library/Preferences/com.acme.b.plist")
        try tree.folder("c/Library")
        try tree.folder("c/Documents")
        for name in ["a", "b", "c"] { #expect(try Dump.open(tree.at(name)).kind == .container, "\(name)") }
    }

    @Test("a simulator's device is known with and without device.plist, and in the layout of iOS 7")
    func simulator() throws {
        let tree = try TemporaryTree()
        try tree.simulator("new", apps: ["com.acme.notes"])
        try tree.container("bare/data/Containers/Data/Application/U", app: "com.acme.bare")
        try tree.list("old/data/Applications/U/Library/Preferences/com.acme.old.plist")
        // A device has preferences of its own, which must not make it a container.
        try tree.list("new/data/Library/Preferences/com.apple.springboard.plist")
        for (name, app) in [("new", "com.acme.notes"), ("bare", "com.acme.bare"), ("old", "com.acme.old")] {
            let dump = try Dump.open(tree.at(name))
            #expect(dump.kind == .simulator, "\(name)")
            #expect(dump.containers.map(\.identifier) == [app])
        }
    }

    @Test(
        "a property list is known by its first bytes, whatever its name is",
        arguments: [
            "bplist00 and more", "<?xml version=\"1.0\"?>", "\u{FEFF}<?xml", "  \n<plist>", "<!DOCTYPE plist",
            "{\"a\": 1}",
        ])
    func propertyList(content: String) throws {
        let tree = try TemporaryTree()
        try tree.file("export", content)
        let dump = try Dump.open(tree.at("export"))
        #expect(dump.kind == .propertyList)
        #expect(dump.path == tree.at("export"))
    }

    @Test(
        "a folder one or more levels too low leads to the dump, with a warning",
        arguments: [
            ("notes.xcappdata/AppData", "notes.xcappdata"), ("notes.xcappdata/AppData/Library", "notes.xcappdata"),
            ("notes.xcappdata/AppData/Library/Preferences", "notes.xcappdata"),
            ("device/data", "device"), ("device/data/Containers/Data/Application", "device"),
            ("container/Library", "container"), ("container/Library/Preferences", "container"),
        ])
    func tooLow(named: String, root: String) throws {
        let tree = try TemporaryTree()
        try tree.xcappdata()
        try tree.simulator("device", apps: ["com.acme.notes", "com.acme.timer"])
        try tree.list("device/data/Library/Preferences/com.apple.springboard.plist")
        try tree.container("container")
        let dump = try Dump.open(tree.at(named))
        #expect(dump.path == tree.at(root))
        #expect(dump.warnings.first?.problem == .foundElsewhere(named: tree.at(named), root: tree.at(root)))
        #expect(dump.warnings.first?.description.contains("inside of") == true)
    }

    @Test("a container inside of a simulator's device is a dump of its own")
    func containerOfSimulator() throws {
        let tree = try TemporaryTree()
        try tree.simulator("device", apps: ["com.acme.notes", "com.acme.timer"])
        let dump = try Dump.open(tree.at("device/data/Containers/Data/Application/UUID-1"))
        #expect(dump.kind == .container)
        #expect(dump.containers.map(\.identifier) == ["com.acme.timer"])
        #expect(dump.warnings.isEmpty)
    }

    @Test("a folder that holds exactly one dump leads to it, with a warning")
    func tooHigh() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata("mail/notes.xcappdata")
        try tree.file("mail/readme.txt", "see attachment")
        try tree.folder("mail/empty")
        let dump = try Dump.open(tree.at("mail"))
        #expect(dump.path == tree.at("mail/notes.xcappdata"))
        #expect(dump.warnings.map(\.description).contains { $0.contains("above it") })
    }

    @Test("several devices further down are an error that lists them, and none of them is chosen")
    func severalBelow() throws {
        let tree = try TemporaryTree()
        for device in ["a/1", "b/2"] { try tree.simulator("devices/\(device)", apps: ["com.acme.notes"]) }
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("devices")) }
        let paths = ["a/1", "b/2"].map { tree.at("devices/\($0)") }
        #expect(error?.problem == .severalDumps(paths))
        #expect(try Dump.open(tree.at("devices/a")).kind == .simulator)
    }

    @Test("a folder of several dumps is an error that lists them")
    func several() throws {
        let tree = try TemporaryTree()
        try tree.simulator("Devices/B", apps: ["com.acme.b"])
        try tree.simulator("Devices/A", apps: ["com.acme.a"])
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("Devices")) }
        #expect(error?.problem == .severalDumps([tree.at("Devices/A"), tree.at("Devices/B")]))
        #expect(error?.description.contains(tree.at("Devices/B")) == true)
    }

    @Test(
        "what has no data of apps is refused by its name, with what to ask for",
        arguments: [
            ("logs/SystemVersion/SystemVersion.plist", "sysdiagnose"), ("Payload/Notes.app/Info.plist", "an .ipa"),
            ("database/Photos.sqlite", "photo library"),
        ])
    func refusedFolder(file: String, words: String) throws {
        let tree = try TemporaryTree()
        try tree.file("it/" + file, "x")
        for named in ["it", ""] {
            let error = #expect(throws: DumpError.self) { try Dump.open(tree.at(named)) }
            guard case .refused = error?.problem else {
                Issue.record("\(named): \(String(describing: error))")
                continue
            }
            #expect(error?.description.contains(words) == true)
            #expect(error?.description.contains("Ask for") == true)
        }
    }

    @Test("an app with its container beside it is the dump of that container")
    func appWithContainer() throws {
        let tree = try TemporaryTree()
        try tree.file("it/Payload/Notes.app/Info.plist", "x")
        try tree.container("it/Container")
        #expect(try Dump.open(tree.at("it")).path == tree.at("it/Container"))
        try Archives.write("zip", to: tree.at("notes.imazingapp"), of: tree.at("it"))
        #expect(try Dump.open(tree.at("notes.imazingapp")).kind == .container)
    }

    @Test(
        "an export of a keychain named as a dump is refused, saying what it goes with; a list with such a key is none")
    func keychain() throws {
        let tree = try TemporaryTree()
        for form in ["shop-healthy.xcappdata/keychain.json", "keychain-ufed/backup_keychain_v2.plist"] {
            let error = #expect(throws: DumpError.self) { try Dump.open(Places.fixture(form)) }
            #expect(error?.problem == .keychainAlone, "\(form)")
        }
        try tree.list("com.acme.notes.plist", ["keys": [["acct": "a"]], "genp": [1]])
        #expect(try Dump.open(tree.at("com.acme.notes.plist")).kind == .propertyList)
    }

    @Test("an unpacked backup has the containers of its domains", arguments: ["it", ""])
    func unpacked(named: String) throws {
        let tree = try TemporaryTree()
        try tree.list("it/AppDomain-com.acme.notes/Library/Preferences/com.acme.notes.plist")
        try tree.list("it/AppDomainGroup-group.com.acme.notes/Library/Preferences/group.com.acme.notes.plist")
        try tree.list("it/AppDomainPlugin-com.acme.notes.widget/Library/Preferences/com.acme.notes.widget.plist")
        try tree.list("it/HomeDomain/Library/Preferences/.GlobalPreferences.plist")
        try tree.list("it/KeychainDomain/keychain-backup.plist", ["genp": []])
        try tree.folder("it/_BackupExplorer")
        let dump = try Dump.open(tree.at(named)), app = try dump.container(nil)
        #expect(dump.kind == .unpackedBackup && dump.path == tree.at("it"))
        #expect(dump.containers.map(\.kind) == [.system, .system, .app, .plugin, .group])
        #expect(app.identifier == "com.acme.notes")
        #expect(app.state(of: "key", in: .defaults("com.acme.notes.widget")).value == .string("value"))
        #expect(app.state(of: "key", in: .defaults("group.com.acme.notes")).value == .string("value"))
        #expect(app.keychain.problem?.cause == .locked)
        #expect(!dump.warnings.contains { $0.problem == .missing })
    }

    @Test("of an unpacked backup that was interrupted what is not there is unknown, and what is there is read")
    func unfinishedFolders() throws {
        let tree = try TemporaryTree(), domain = "it/AppDomain-com.acme.notes/"
        try tree.list(domain + "Library/Preferences/com.acme.notes.plist")
        try tree.file(domain + "Documents/a.json", "{}")
        for (state, isWhole) in [("uploading", false), ("finished", true)] {
            try tree.list("it/Status.plist", ["SnapshotState": state])
            let dump = try Dump.open(tree.at("it")), app = try dump.container(nil)
            let reason = Unreadable(
                .missing,
                "Status.plist says that the backup was not finished (\(state)): what had not been sent is not in it")
            let absent: EntryState = isWhole ? .absent : .unreadable(reason)
            #expect(app.state(of: "b.json", in: .files("Documents")) == absent)
            #expect(app.state(of: "x", in: .files("AppSupport")) == absent)
            #expect(app.state(of: "x", in: .defaults("com.acme.notes.suite")) == absent)
            #expect(app.state(of: "1", in: SQLiteTable("t", of: "a.db", in: "Documents").store) == absent)
            #expect(app.keys(in: .files("Documents")).problem(under: "b") == (isWhole ? nil : reason))
            // A list that is there is whole.
            #expect(app.state(of: "x", in: .defaults("com.acme.notes")) == .absent)
            #expect(app.state(of: "key", in: .defaults("com.acme.notes")).value == .string("value"))
            #expect(app.state(of: "a.json", in: .files("Documents")).value != nil)
            #expect(app.keys(in: .files("Documents")).names == ["a.json"])
        }
    }

    @Test(
        "a full file system is known by the end of the path to its containers, whatever the tool has left of the rest",
        arguments: [
            "private/var/mobile/", "filesystem1/private/var/mobile/", "filesystem2/mobile/", "a/b/c/", "mobile/", "",
        ])
    func fileSystem(start: String) throws {
        let tree = try TemporaryTree(), containers = "it/\(start)Containers/"
        try tree.container(containers + "Data/Application/U1", app: "com.acme.notes")
        try tree.container(containers + "Shared/AppGroup/U2", app: "group.com.acme.notes")
        try tree.container(containers + "Data/PluginKitPlugin/U3", app: "com.acme.notes.widget")
        try tree.file("it/\(start)Library/other", "x")
        let dump = try Dump.open(tree.at("it")), app = try dump.container(nil)
        #expect(dump.kind == .fileSystem)
        #expect(dump.containers.map(\.kind) == [.app, .plugin, .group])
        #expect(app.state(of: "key", in: .defaults("group.com.acme.notes")).value == .string("value"))
        #expect(app.keychain == .none)
    }

    @Test("both file systems of a device are read, and one under another name is told")
    func twoFileSystems() throws {
        let tree = try TemporaryTree(), applications = "private/var/mobile/Containers/Data/Application/"
        try tree.container("it/filesystem1/" + applications + "U1", app: "com.acme.notes")
        try tree.container("it/filesystem2/" + applications + "U2", app: "com.acme.timer")
        let both = try Dump.open(tree.at("it"))
        #expect(both.containers.map(\.identifier) == ["com.acme.notes", "com.acme.timer"] && both.warnings.isEmpty)
        try tree.container("it/bob/" + applications + "U3", app: "com.acme.bob")
        let three = try Dump.open(tree.at("it"))
        #expect(three.containers.map(\.identifier) == ["com.acme.notes", "com.acme.timer"])
        #expect(three.warnings == [DumpWarning("", .passedOver([tree.at("it/bob")]))])
    }

    @Test(
        "an app's name and version stand in its bundle on the device, also where iOS 8 and a simulator have it",
        arguments: ["private/var/containers/", "private/var/mobile/Containers/", "data/Containers/"])
    func bundles(place: String) throws {
        let tree = try TemporaryTree(), home = place == "data/Containers/" ? "it/data/" : "it/private/var/mobile/"
        let apps = ["com.acme.notes", "com.acme.old", "com.acme.bare", "com.acme.broken"]
        for app in apps { try tree.container(home + "Containers/Data/Application/\(app)", app: app) }
        try tree.container(home + "Containers/Shared/AppGroup/G", app: "group.com.acme.notes")
        let bundle = "it/\(place)Bundle/Application/"
        try tree.list(
            bundle + "1/Notes.app/Info.plist",
            [
                "CFBundleIdentifier": "com.acme.notes", "CFBundleName": "notes", "CFBundleDisplayName": "Acme Notes",
                "CFBundleShortVersionString": "3.2", "CFBundleVersion": "417",
            ])
        try tree.list(bundle + "1/iTunesMetadata.plist", ["itemName": "Other", "bundleShortVersionString": "9"])
        try tree.list(bundle + "2/Old.app/Info.plist", ["CFBundleIdentifier": "com.acme.old"])
        try tree.list(bundle + "2/iTunesMetadata.plist", ["itemName": "Old", "bundleShortVersionString": "1.0"])
        try tree.file(bundle + "3/Broken.app/Info.plist", "bplist00")
        let dump = try Dump.open(tree.at("it"))
        func said(_ app: String) throws -> [String?] {
            let facts = try dump.container(app).facts
            return [facts[.appName]?.value, facts[.appVersion]?.value]
        }
        #expect(try said("com.acme.notes") == ["Acme Notes", "3.2"])
        #expect(try said("com.acme.old") == ["Old", "1.0"])
        #expect(try said("com.acme.bare") == [nil, nil])
        let source = "\(place)Bundle/Application/1/Notes.app/Info.plist"
        #expect(try dump.container("com.acme.notes").facts[.appName]?.source == .metadata(source))
        #expect(dump.warnings.contains { $0.path.hasSuffix("3/Broken.app/Info.plist") })
        #expect(dump.containers.allSatisfy { $0.warnings.isEmpty })
    }

    @Test("the rows of a device's keychain are listed as locked, to the app of their group, and never missing")
    func deviceKeychain() throws {
        let tree = try TemporaryTree(), file = "it/private/var/Keychains/keychain-2.db"
        try tree.container("it/private/var/mobile/Containers/Data/Application/U1")
        try tree.folder("it/private/var/Keychains")
        let database = try DatabaseQueue(path: tree.at(file))
        try database.write { db in
            for table in ["genp", "inet", "cert", "keys"] {
                try db.execute(
                    sql: "CREATE TABLE \(table) (rowid INTEGER PRIMARY KEY, agrp TEXT, pdmn TEXT, data BLOB)")
            }
            try db.execute(
                sql: """
                    INSERT INTO genp VALUES (7, 'ABCDE12345.com.acme.notes', 'ck', x'08'), (9, 'com.apple.x', 'ak', x'08');
                    INSERT INTO keys VALUES (1, 'ZYXWV98765.com.other', 'dk', x'08')
                    """)
        }
        try database.close()
        let dump = try Dump.open(tree.at("it")), app = try dump.container(nil)
        #expect(dump.keychain?.path == "private/var/Keychains/keychain-2.db")
        guard case .unreadable(let reason) = app.state(of: "row 7, locked", in: .keychain("genp:")) else {
            Issue.record("\(app.stores)")
            return
        }
        #expect(reason.cause == .locked)
        // What is looked for by its name may be that one; of internet passwords there are none.
        guard case .unreadable(let other) = app.state(of: "ada", in: .keychain("token")) else {
            Issue.record("it is absent")
            return
        }
        #expect(other.cause == .locked && other.explanation.contains("1 is locked"))
        #expect(app.state(of: "ada", in: .keychain("inet:example.com")) == .absent)
        // An export of it tells more, and is taken instead.
        try tree.file(
            "it-keychain.plist",
            PropertyListSerialization.data(
                fromPropertyList: [
                    "genp": [
                        ["acct": "ada", "svce": "token", "agrp": "ABCDE12345.com.acme.notes", "v_Data": Data([1])]
                    ]
                ], format: .binary, options: 0))
        let known = try Dump.open(tree.at("it")).container(nil)
        #expect(known.state(of: "ada", in: .keychain("token")).value != nil)
    }

    @Test("a device's keychain that cannot be listed is locked all the same")
    func fileSystemKeychain() throws {
        let tree = try TemporaryTree()
        try tree.container("it/private/var/mobile/Containers/Data/Application/U1")
        try tree.folder("it/private/var/Keychains")
        let database = try DatabaseQueue(path: tree.at("it/private/var/Keychains/keychain-2.db"))
        try database.write { db in
            try db.execute(sql: "CREATE TABLE genp (data); CREATE TABLE inet (data); INSERT INTO genp VALUES (1), (2)")
        }
        try database.close()
        let app = try Dump.open(tree.at("it")).container(nil)
        #expect(app.keychain.problem?.cause == .locked)
        #expect(app.keychain.problem?.explanation.contains("only the device opens") == true)
        // What is no database is damaged, and nothing of the device's.
        try tree.file(
            "it/private/var/Keychains/keychain-2.db", Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 97) }))
        let broken = try Dump.open(tree.at("it")).container(nil).keychain.problem
        #expect(
            broken?.cause == .corrupt && broken?.explanation.contains("only the device") == false, "\(broken as Any)")
    }

    @Test(
        "files that are no property lists are refused by name",
        arguments: [
            (Data([0x50, 0x4B, 3, 4, 0]), "cut after 5 bytes"),
            (Data([0x1F, 0x8B, 8, 0]), "it ends too early, after 4 bytes"),
            (Data(count: 257) + Data("ustar\0".utf8), "ends after 263 bytes"),
            (Data("ANDROID BACKUP\n5\n1\nnone\n".utf8), "Android"),
        ])
    func unsupportedFile(content: Data, words: String) throws {
        let tree = try TemporaryTree()
        try tree.file("it", content)
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("it")) }
        #expect(error?.description.contains(words) == true)
    }

    @Test("what is no dump says so and what can be done")
    func nothing() throws {
        let tree = try TemporaryTree()
        try tree.file("text", "hello")
        try tree.folder("empty")
        try tree.pipe("pipe")
        let cases: [(String, DumpError.Problem)] = [
            ("absent", .notFound), ("text", .notRecognised), ("empty", .somethingElse(holds: "no file")),
            ("pipe", .notAFile("a pipe")), ("text/below", .notFound),
        ]
        for (name, problem) in cases {
            let error = #expect(throws: DumpError.self) { try Dump.open(tree.at(name)) }
            #expect(error?.problem == problem, "\(name)")
            #expect(error?.path == tree.at(name))
        }
        #expect(throws: DumpError("", .badPath)) { try Dump.open("") }
        #expect(throws: DumpError("a\0b", .badPath)) { try Dump.open("a\0b") }
    }

    @Test(
        "an inner folder of a dump names that dump, whatever lies in it, in an archive too",
        arguments: [
            "notes.xcappdata/AppData/Library/Application Support/Store",
            "notes.xcappdata/AppData/Library/Application Support/Store/deep", "device/data/Library",
        ])
    func insideDump(named: String) throws {
        let tree = try TemporaryTree()
        try tree.xcappdata("it/notes.xcappdata")
        try tree.simulator("it/device", apps: ["com.acme.notes"])
        try tree.file("it/\(named)/.gitkeep", "")
        try tree.file("it/\(named)/photo.jpg", Data([0xFF, 0xD8, 0xFF, 0xE0]))
        try tree.list("it/\(named)/cache.plist", ["a": "b"])
        let dump = named.split(separator: "/")[0]
        #expect(throws: DumpError(tree.at("it/\(named)"), .insideDump(tree.at("it/\(dump)")))) {
            try Dump.open(tree.at("it/" + named))
        }
        try Archives.write("zip", to: tree.at("mail.zip"), of: tree.at("it/\(dump)"))
        #expect(throws: DumpError(tree.at("mail.zip/\(named)"), .insideDump(tree.at("mail.zip/\(dump)")))) {
            try Dump.open(tree.at("mail.zip/" + named))
        }
    }

    @Test("a folder or an archive of something else says what it holds, and what to ask for")
    func somethingElse() throws {
        let tree = try TemporaryTree()
        try tree.file("a/.gitkeep", "")
        for name in ["1.jpg", "2.JPG", "b/3.jpg"] { try tree.file("a/" + name, Data([0xFF, 0xD8, 0xFF, 0xE0])) }
        try tree.file("a/notes.txt", "x")
        try tree.file("a/\u{1B}[31m.\u{1B}[31m", "x")
        try tree.folder("b/empty")
        try Archives.write("zip", to: tree.at("a.zip"), of: tree.at("a"))
        try tree.file("empty.zip", Data("PK\u{5}\u{6}".utf8) + Data(count: 18))
        let pictures = DumpError.Problem.somethingElse(
            holds: "3 .jpg files, 1 .gitkeep file, 1 .txt file and 1 other file")
        for (name, problem) in [
            ("a", pictures), ("a.zip", pictures), ("b", .somethingElse(holds: "no file")),
            ("empty.zip", .somethingElse(holds: "no file")),
        ] {
            let error = #expect(throws: DumpError.self) { try Dump.open(tree.at(name)) }
            #expect(error?.problem == problem, "\(name)")
            #expect(error?.description.contains("Ask for the app's container") == true, "\(name)")
        }
        // Named, they are what they are.
        for (name, words) in [("a/.gitkeep", "an empty file"), ("a/1.jpg", "a picture")] {
            let error = #expect(throws: DumpError.self) { try Dump.open(tree.at(name)) }
            #expect(error?.description.contains(words) == true, "\(name): \(error as Any)")
        }
    }

    @Test("a link that the person names is followed; its target is the dump")
    func linkToDump() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata("real.xcappdata")
        try tree.link("link", to: "real.xcappdata")
        #expect(try Dump.open(tree.at("link")).path == tree.at("real.xcappdata"))
    }

    @Test("a device without containers is an error, not an empty dump")
    func noContainers() throws {
        let tree = try TemporaryTree()
        try tree.simulator("device", apps: [])
        try tree.folder("device/data")
        #expect(throws: DumpError(tree.at("device"), .noContainers)) { try Dump.open(tree.at("device")) }
    }
}
