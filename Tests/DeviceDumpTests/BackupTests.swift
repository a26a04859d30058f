import Crypto
import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Testing
import TestSupport

@testable import DeviceDump

@Suite("A backup opens with all its apps")
struct BackupTests {
    private let own = StoreID.defaults("com.acme.notes")

    /// A copy of a fixture that a test may change.
    static func copy(_ name: String) throws -> TemporaryTree {
        let tree = try TemporaryTree()
        try FileManager.default.copyItem(atPath: Places.fixture(name), toPath: tree.at("backup"))
        return tree
    }

    private func copy(_ name: String = "backup") throws -> TemporaryTree { try Self.copy(name) }

    static func payload(_ domain: String, _ path: String) -> String {
        let tree = BackupTests.name(domain, path)
        return "\(tree.prefix(2))/\(tree)"
    }

    private static func name(_ domain: String, _ path: String) -> String {
        Hexadecimal.text(Data(Insecure.SHA1.hash(data: Data("\(domain)-\(path)".utf8))))
    }

    @Test("apps, groups, extensions and the system's domains are containers, with names and versions")
    func containers() throws {
        let dump = try Dump.open(Places.fixture("backup"))
        #expect(dump.kind == .backup)
        #expect(
            dump.containers.map(\.identifier) == [
                "HomeDomain", "KeychainDomain", "com.acme.notes", "com.acme.notes.widget", "com.acme.timer",
                "group.com.acme.notes",
            ])
        #expect(dump.containers.map(\.kind) == [.system, .system, .app, .plugin, .app, .group])
        let notes = try dump.container("com.acme.notes")
        #expect(notes.facts[.appName] == Fact("Acme Notes", from: .metadata("Info.plist")))
        #expect(notes.facts[.appVersion] == Fact("2.3.1", from: .metadata("Info.plist")))
        #expect(notes.facts[.deviceName]?.value == "Test iPhone")
        #expect(notes.facts[.systemVersion]?.value == "16.5")
        #expect(notes.facts[.downloadDate]?.value == "2024-08-30 06:39:58 UTC")
        #expect(try dump.container("com.acme.timer").facts[.appVersion]?.value == "417")
        // Two apps: one must be chosen.
        #expect(throws: DumpError.self) { try dump.container(nil) }
        for container in dump.containers { #expect(container.warnings.isEmpty) }
    }

    @Test(
        "an app that is installed and has no file is listed, beside which the only app with files is still the only one"
    )
    func onlyListed() throws {
        let tree = try TemporaryTree(), folder = "backup/AppDomain-com.acme.notes/Library/Preferences"
        try tree.list(folder + "/com.acme.notes.plist", ["a": 1])
        func app(_ name: String, _ kind: String = "Data/Application") -> [String: String] {
            ["ContainerContentClass": kind, "CFBundleVersion": "7", "Path": "/x/\(name).app"]
        }
        try tree.list(
            "backup/Manifest.plist",
            [
                "Applications": [
                    "com.acme.notes": app("Notes"), "com.acme.timer": app("Timer"), "../up": app("Up"), "": app(""),
                    "com.acme.notes.widget": app("Widget", "Data/PluginKitPlugin"), "com.apple.Maps": app("Maps"),
                ]
            ])
        try tree.file("items.json", KeychainForms.objection([KeychainForms.Entry(service: "genp:", group: "")]))
        let dump = try Dump.open(tree.at("backup"), keychain: tree.at("items.json"))
        #expect(dump.containers.map(\.identifier) == ["com.acme.notes", "com.acme.timer"])
        let timer = try dump.container("com.acme.timer"), notes = try dump.container(nil)
        #expect(timer.facts[.appName]?.value == "Timer" && timer.facts[.appVersion]?.value == "7")
        #expect(
            timer.facts[.bundleIdentifier]?.source == .metadata("Manifest.plist; no file of it is in the backup"))
        #expect(timer.stores.allSatisfy { $0.kind == .keychain })
        #expect(timer.storeWarnings() == notes.storeWarnings())
        // Of an unpacked backup a part may have been left out.
        let state = timer.state(of: "a", in: .defaults("com.acme.timer"))
        if case .unreadable(let reason) = state { #expect(reason.cause == .missing) } else { Issue.record("\(state)") }
        #expect(notes.identifier == "com.acme.notes")
        // An item without a group may be that one's.
        for app in [notes, timer] { #expect(app.keys(in: .keychain("unassigned:genp:")).names == ["a"]) }
        // Nor is it known to be the only app's where nothing says which there were.
        let only: [String: Any] = ["com.acme.notes": app("Notes")]
        let lists: [(Any?, isKnown: Bool)] = [
            (only, true), (nil, false), (["com.acme.notes"], false),
            (only.merging(["com.acme.timer": "x"]) { $1 }, false),
            (only.merging(["": app("")]) { $1 }, false),
        ]
        for (list, isKnown) in lists {
            try tree.list("backup/Manifest.plist", list.map { ["Applications": $0] } ?? [:])
            let notes = try Dump.open(tree.at("backup"), keychain: tree.at("items.json")).container(nil)
            #expect((notes.state(of: "a", in: .keychain("genp:")).value != nil) == isKnown, "\(list ?? "")")
        }
        try tree.list("backup/Manifest.plist", ["Applications": only])
        try tree.list("backup/Info.plist", ["Installed Applications": ["com.acme.notes", "com.acme.timer"]])
        #expect(try Dump.open(tree.at("backup")).containers.map(\.identifier) == ["com.acme.notes", "com.acme.timer"])
    }

    @Test("an app sees its stores, its groups' and its extensions'")
    func stores() throws {
        let app = try Dump.open(Places.fixture("backup")).container("com.acme.notes")
        #expect(app.state(of: "rs_user_id", in: own) == .present(.string("u-42")))
        #expect(app.state(of: "zoom", in: .defaults("com.acme.notes.editor")).value == .real(Real(1.25)))
        #expect(
            app.state(of: "welcome.json", in: .files("Documents")).value?.data
                == Data(#"{"title":"Welcome","read":true}"#.utf8))
        #expect(app.state(of: "empty.txt", in: .files("Documents")).value?.data == Data())
        #expect(app.state(of: "widget.note", in: .defaults("group.com.acme.notes")).value == .integer(1))
        #expect(
            app.state(of: "shared.json", in: .files("group.com.acme.notes")).value?.data
                == Data(#"{"shared":true}"#.utf8))
        #expect(app.state(of: "refresh", in: .defaults("com.acme.notes.widget")).value == .integer(15))
        #expect(app.state(of: "nothing", in: .files("Documents")) == .absent)
        #expect(
            app.stores.prefix(4).map(\.name) == [
                "com.acme.notes", "com.acme.notes.editor", "com.acme.notes.widget", "group.com.acme.notes",
            ])
        let timer = try Dump.open(Places.fixture("backup")).container("com.acme.timer")
        #expect(!timer.stores.contains(.defaults("group.com.acme.notes")))
        // An extension has its app's groups, as iOS notes it where the form has that.
        let widget = try Dump.open(Places.fixture("backup")).container("com.acme.notes.widget")
        #expect(widget.stores.contains(.defaults("group.com.acme.notes")))
        #expect(widget.stores.contains(.files("group.com.acme.notes")))
    }

    @Test("an entry of which nothing is known is not said to be another container's")
    func unknownElsewhere() throws {
        let tree = try copy()
        try tree.list("backup/Status.plist", ["SnapshotState": "uploading"])
        let dump = try Dump.open(tree.at("backup")), app = try dump.container("com.acme.notes")
        let missing = Address(store: own, key: "zz")
        #expect(try dump.container("com.acme.timer").state(at: missing) != .absent)
        #expect(dump.names(ofThoseHolding: missing, besides: app).isEmpty)
        let shared = Address(store: .defaults("group.com.acme.notes"), key: "widget.note")
        #expect(dump.names(ofThoseHolding: shared, besides: app).contains("group.com.acme.notes"))
    }

    @Test("a symbolic link is named and not followed")
    func link() throws {
        let app = try Dump.open(Places.fixture("backup")).container("com.acme.notes")
        guard case .unreadable(let reason) = app.state(of: "link", in: .files("Library")) else {
            Issue.record("it is read")
            return
        }
        #expect(reason.explanation.contains("/private/var/mobile/x"))
        #expect(app.storeWarnings().map(\.problem) == [.symbolicLink(target: "/private/var/mobile/x")])
    }

    @Test("the keychain of a backup that is not encrypted is locked, not missing")
    func keychain() throws {
        let app = try Dump.open(Places.fixture("backup")).container("com.acme.notes")
        guard case .unreadable(let reason) = app.state(of: "ada", in: .keychain("com.acme.notes.token")) else {
            Issue.record("\(app.keychain)")
            return
        }
        #expect(reason.cause == .locked && reason.explanation.contains("device key"))
    }

    @Test("an export of the keychain beside a backup is read in place of the locked one")
    func keychainBeside() throws {
        let tree = try copy()
        try FileManager.default.copyItem(
            atPath: Places.fixture("shop-healthy.xcappdata/keychain.json"), toPath: tree.at("keychain.json"))
        let dump = try Dump.open(tree.at("backup"))
        #expect(dump.keychain != nil)
    }

    @Test("a folder one level too high or too low is found, with a warning", arguments: ["", "backup/13"])
    func level(folder: String) throws {
        let tree = try copy()
        try tree.folder("backup/13")
        let dump = try Dump.open(tree.at(folder))
        #expect(dump.kind == .backup && dump.path == tree.at("backup"))
        #expect(
            dump.warnings.first?.problem
                == .foundElsewhere(
                    named: dump.path == tree.path ? "" : (folder.isEmpty ? tree.path : tree.at(folder)),
                    root: tree.at("backup")))
    }

    @Test("what a broken backup lacks is named, and the rest opens")
    func broken() throws {
        let dump = try Dump.open(Places.fixture("backup-broken")), app = try dump.container("com.acme.notes")
        #expect(
            Set(dump.warnings) == [
                DumpWarning("Info.plist", .missing), DumpWarning("Status.plist", .missing),
                DumpWarning(
                    "KeychainDomain/keychain-backup.plist", .unreadable(try #require(app.keychain.problem))),
            ])
        #expect(
            dump.surveyWarnings() == [
                DumpWarning("00/" + String(repeating: "00", count: 20), .orphanPayloads(count: 1))
            ])
        let domain = "AppDomain-com.acme.notes", editor = domain + "/Library/Preferences/com.acme.notes.editor.plist"
        let problems = app.storeWarnings()
        #expect(problems.contains(DumpWarning(editor, .withoutPayload(count: 1))))
        let json = domain + "/Documents/welcome.json"
        #expect(problems.contains(DumpWarning(json, .payloadSize(listed: 31, stored: 12, isEncrypted: false))))
        // A file that is listed is not absent, whatever became of its content.
        guard case .unreadable(let reason) = app.state(of: "zoom", in: .defaults("com.acme.notes.editor")) else {
            Issue.record("it is absent or read")
            return
        }
        #expect(reason.cause == .corrupt)
        #expect(app.state(of: "rs_user_id", in: own) == .present(.string("u-42")))
    }

    @Test("each of the three lists may be missing", arguments: ["Info.plist", "Manifest.plist", "Status.plist"])
    func withoutList(name: String) throws {
        let tree = try copy()
        try FileManager.default.removeItem(atPath: tree.at("backup/" + name))
        let dump = try Dump.open(tree.at("backup"))
        #expect(dump.warnings.contains(DumpWarning(name, .missing)))
        #expect(try dump.container("com.acme.notes").state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test(
        "one that was interrupted says so: what is not in it had perhaps not been sent, and is unknown",
        arguments: ["backup", "backup-old"])
    func unfinished(name: String) throws {
        let tree = try copy(name)
        for (state, isWhole) in [("uploading", false), ("new", false), ("finished", true)] {
            try tree.list("backup/Status.plist", ["SnapshotState": state])
            let dump = try Dump.open(tree.at("backup")), app = try dump.container("com.acme.notes")
            let reason = Unreadable(
                .missing,
                "Status.plist says that the backup was not finished (\(state)): what had not been sent is not in it")
            #expect(dump.warnings.contains(DumpWarning("Status.plist", .unreadable(reason))) == !isWhole)
            #expect(app.state(of: "x", in: .files("Documents")) == (isWhole ? .absent : .unreadable(reason)))
            #expect(app.state(of: "rs_user_id", in: own).value == .string("u-42"))
        }
    }

    @Test(
        "two rows of which one is a file and the other lies in it are told, whichever comes first",
        arguments: [true, false])
    func rowInFile(isFileFirst: Bool) throws {
        let tree = try copy("backup"), queue = try DatabaseQueue(path: tree.at("backup/Manifest.db"))
        try queue.write { db in
            let rows = ["Documents/f", "Documents/f/g.json", "Documents/f/h/i.json"]
            for (number, path) in (isFileFirst ? rows : rows.reversed()).enumerated() {
                let name = String(format: "%040x", number + 1)
                try db.execute(
                    sql: "INSERT INTO Files VALUES (?, 'AppDomain-com.acme.notes', ?, 1, NULL)",
                    arguments: [name, path])
            }
        }
        try queue.close()
        let app = try Dump.open(tree.at("backup")).container("com.acme.notes")
        let place = "AppDomain-com.acme.notes/Documents/f"
        let told = app.storeWarnings().filter { $0.path.hasPrefix(place) && $0.problem != .withoutPayload(count: 3) }
        let expected =
            isFileFirst
            ? DumpWarning(place + "/g.json", .rowsBelowFile(count: 2, file: place))
            : DumpWarning(place, .rowsWithOthersBelow(count: 1))
        #expect(told.contains(expected), "\(told)")
    }

    @Test("what rows without a domain, or without a path, may list is unknown, and never absent")
    func withoutDomain() throws {
        let domains = ["CAST('AppDomain-com.acme.notes' AS BLOB)", "NULL", "X''"]
        let tree = try copyOfBackup(adding: domains.map { "\($0), 'Documents/f', 1, NULL" })
        let dump = try Dump.open(tree.at("backup")), told = dump.warnings
        #expect(told.contains(DumpWarning("Manifest.db", .rowsWithoutDomain(count: 3))), "\(told)")
        try expectUnknown(["AppDomain-com.acme.notes/Documents/none", "AppDomain-com.acme.none/Documents/f"], in: dump)
    }

    @Test("what a row without a path may list is unknown in its domain, and absent in others")
    func withoutPath() throws {
        let tree = try copyOfBackup(adding: ["'AppDomain-com.acme.notes', NULL, 1, NULL"])
        let dump = try Dump.open(tree.at("backup"))
        try expectUnknown(["AppDomain-com.acme.notes/Documents/none"], in: dump)
        #expect(try dump.files.item(at: "AppDomain-com.acme.none/Documents/f") == nil)
    }

    /// A copy of a backup whose manifest has more rows: what each has behind the name of its payload, in SQL.
    private func copyOfBackup(adding rows: [String]) throws -> TemporaryTree {
        let tree = try copy("backup"), queue = try DatabaseQueue(path: tree.at("backup/Manifest.db"))
        try queue.write { db in
            for (number, row) in rows.enumerated() {
                try db.execute(
                    sql: "INSERT INTO Files VALUES (?, \(row))", arguments: [String(format: "%040x", number)])
            }
        }
        try queue.close()
        return tree
    }

    private func expectUnknown(_ paths: [DumpPath], in dump: Dump) throws {
        for path in paths {
            let error = #expect(throws: DumpError.self) { try dump.files.item(at: path) }
            guard case .rowsWithoutPlace = error?.problem else {
                Issue.record("\(path): \(String(describing: error))")
                continue
            }
        }
    }

    @Test("a link of which the manifest does not say where it leads keeps nothing else from being read")
    func brokenLink() throws {
        for content in ["NULL", "X''", "X'62706C6973743030'"] {
            let tree = try copyOfBackup(adding: ["'AppDomain-com.acme.notes', 'Documents/zz', 4, \(content)"])
            let app = try Dump.open(tree.at("backup")).container("com.acme.notes")
            #expect(app.problem(with: .files("Documents")) == nil)
            #expect(app.storeWarnings().contains { $0.path.hasSuffix("Documents/zz") }, "\(content)")
        }
    }

    @Test("a backup of iOS 9 opens from Manifest.mbdb, and holds the same")
    func old() throws {
        let old = try Dump.open(Places.fixture("backup-old")), new = try Dump.open(Places.fixture("backup"))
        #expect(old.containers.map(\.identifier) == new.containers.map(\.identifier).filter { $0 != "KeychainDomain" })
        let app = try old.container("com.acme.notes"), other = try new.container("com.acme.notes")
        #expect(app.stores == other.stores)
        #expect(app.state(of: "rs_traits", in: own) == other.state(of: "rs_traits", in: own))
        #expect(app.storeWarnings() == other.storeWarnings())
    }

    @Test("a Manifest.mbdb that ends too early is read up to there, at every length", .timeLimit(.minutes(10)))
    func oldCut() throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: Places.fixture("backup-old/Manifest.mbdb")))
        var sizes: [Int] = []
        for length in stride(from: 6, to: data.count, by: 7) {
            let manifest = try OldManifest(data.prefix(length), rows: 1000)
            sizes.append(manifest.trees.values.reduce(0) { $0 + $1.entries.count })
        }
        #expect(sizes == sizes.sorted())
        #expect(try OldManifest(data, rows: 1000).damage == nil)
        #expect(try OldManifest(data.prefix(data.count - 1), rows: 1000).damage != nil)
        #expect(throws: OldManifest.Failure.tooManyRows) { try OldManifest(data, rows: 3) }
    }

    @Test("a backup that a tool has decrypted opens without a password, with a warning")
    func decrypted() throws {
        let dump = try Dump.open(Places.fixture("backup-decrypted"))
        #expect(dump.warnings.contains(DumpWarning("Manifest.db", .decryptedBackup)))
        #expect(try dump.container("com.acme.notes").state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test("nothing is written beside a manifest, also with a -wal, whose rows are read")
    func log() throws {
        let tree = try copy(), path = tree.at("backup/Manifest.db")
        try tree.file("source/Manifest.db", Data(contentsOf: URL(fileURLWithPath: path)))
        let database = try DatabaseQueue(path: tree.at("source/Manifest.db"))
        try database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
            try db.execute(
                sql:
                    "UPDATE Files SET relativePath = 'Documents/renamed.txt' WHERE relativePath = 'Documents/sixteen.txt'"
            )
        }
        for ending in ["", "-wal"] {
            try? FileManager.default.removeItem(atPath: path + ending)
            try FileManager.default.copyItem(atPath: tree.at("source/Manifest.db" + ending), toPath: path + ending)
        }
        try database.close()
        let before = try TemporaryTree.inventory(of: tree.at("backup"))
        let app = try Dump.open(tree.at("backup")).container("com.acme.notes")
        #expect(app.state(of: "renamed.txt", in: .files("Documents")).value?.data == Data("sixteen bytes ok".utf8))
        #expect(app.state(of: "sixteen.txt", in: .files("Documents")) == .absent)
        // In WAL mode, and the log is lost: SQLite itself would make one to read it.
        try FileManager.default.removeItem(atPath: path + "-wal")
        _ = try Dump.open(tree.at("backup"))
        try tree.file("backup/Manifest.db-wal", Data(contentsOf: URL(fileURLWithPath: tree.at("source/Manifest.db"))))
        try FileManager.default.removeItem(atPath: path + "-wal")
        let names = try FileManager.default.contentsOfDirectory(atPath: tree.at("backup"))
        #expect(!names.contains { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") })
        #expect(before.contains("Manifest.db-wal"))
    }

    @Test("a journal beside a manifest is never played back, and is named")
    func journal() throws {
        let tree = try copy(), victim = tree.at("victim")
        try tree.file("victim", "to be kept")
        try tree.file(
            "backup/Manifest.db-journal", Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]) + Data(victim.utf8))
        let dump = try Dump.open(tree.at("backup"))
        #expect(dump.warnings.contains(DumpWarning("Manifest.db", .unfinishedDatabase)))
        #expect(FileManager.default.fileExists(atPath: victim))
        #expect(FileManager.default.fileExists(atPath: tree.at("backup/Manifest.db-journal")))
    }

    @Test("reading changes nothing of a backup")
    func readOnly() throws {
        let tree = try copy("backup-broken"), before = try tree.inventory()
        let dump = try Dump.open(tree.at("backup"))
        for container in dump.containers { _ = container.storeWarnings() }
        _ = try dump.reopened()
        #expect(try tree.inventory() == before)
    }

    @Test("a backup is the same dump until it is removed")
    func identity() throws {
        let tree = try copy(), dump = try Dump.open(tree.at("backup"))
        try dump.checkIsThere()
        try FileManager.default.removeItem(atPath: tree.at("backup"))
        #expect(throws: DumpError.self) { try dump.checkIsThere() }
        #expect(throws: DumpError.self) { try dump.files.item(at: "AppDomain-com.acme.notes/nothing") }
    }
}

@Suite("A hostile backup")
struct HostileBackupTests {
    @Test("names that lead out of it are refused or left out, each with what it is", .timeLimit(.minutes(10)))
    func traversal() throws {
        let dump = try Dump.open(Places.fixture("backup-hostile")), app = try dump.container("com.acme.notes")
        #expect(dump.warnings.contains(DumpWarning("Manifest.db", .strayRows(domain: "AppDomain-../../etc", count: 1))))
        let problems = app.storeWarnings()
        #expect(problems.contains(DumpWarning("Manifest.db", .strayRows(domain: "AppDomain-com.acme.notes", count: 2))))
        #expect(
            problems.contains(DumpWarning("Manifest.db", .duplicateRows(domain: "AppDomain-com.acme.notes", count: 1))))
        // What is asked of one file, as an export does of each that it writes, is answered of that one.
        #expect(dump.files.problems(below: "AppDomain-com.acme.notes/Documents/welcome.json").isEmpty)
        for name in ["id.txt", "slash.txt", "capital.txt", "no-archive.txt", "empty-archive.txt", "null.txt"] {
            guard case .unreadable(let reason) = app.state(of: Name(name), in: .files("Documents")) else {
                Issue.record("\(name) is read, or absent")
                continue
            }
            #expect(reason.cause == .corrupt, "\(name)")
        }
        // Nothing is reached through a link, and of two rows the first counts.
        guard case .unreadable = app.state(of: "link/through.txt", in: .files("Library")) else {
            Issue.record("a link is followed")
            return
        }
        #expect(app.state(of: "welcome.json", in: .files("Documents")).value?.data?.count == 31)
        #expect(app.state(of: "caf\u{E9}.txt", in: .files("Documents")).value?.data == Data("011".utf8))
        #expect(app.state(of: "cafe\u{301}.txt", in: .files("Documents")).value?.data == Data("012".utf8))
    }

    @Test(
        "a manifest that is not one is refused with the reason",
        arguments: [
            ("backup-view", "view"), ("backup-other-schema", "no column relativePath"), ("backup-computed", "computed"),
            ("backup-no-database", "not a SQLite database"),
        ])
    func notAManifest(name: String, words: String) throws {
        let error = #expect(throws: DumpError.self) { try Dump.open(Places.fixture(name)) }
        guard case .brokenDatabase(let reason) = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains(words))
        #expect(error?.path == "Manifest.db")
    }

    @Test("a damaged manifest is refused or read, wherever it is damaged", .timeLimit(.minutes(10)))
    func damaged() throws {
        let tree = try BackupTests.copy("backup"), path = tree.at("backup/Manifest.db")
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        var generator = SeededGenerator(seed: 7)
        for round in 0..<60 {
            var bytes = data
            if round % 3 == 0 {
                bytes = bytes.prefix(Int(generator.next() % UInt64(data.count)))
            } else {
                for _ in 0..<20 {
                    bytes[Int(generator.next() % UInt64(data.count))] = UInt8(truncatingIfNeeded: generator.next())
                }
            }
            try bytes.write(to: URL(fileURLWithPath: path))
            do {
                let dump = try Dump.open(tree.at("backup"))
                for container in dump.containers {
                    for store in container.stores { _ = container.keys(in: store).count }
                    _ = container.storeWarnings()
                }
            } catch {
                switch error.problem {
                case .brokenDatabase, .noContainers, .tooManyRows: break
                default: Issue.record("\(error)")
                }
            }
        }
    }

    @Test("of a manifest with noise in place of a page nothing is absent, and one without its schema is refused")
    func malformed() throws {
        #expect(throws: DumpError("Manifest.db", .brokenDatabase(DatabaseFile.isNone))) {
            try Dump.open(Places.fixture("backup-malformed-schema"))
        }
        // The domains are in an index, and no row of them can be read.
        let dump = try Dump.open(Places.fixture("backup-malformed")), app = try dump.container("com.acme.notes")
        let own = StoreID.defaults("com.acme.notes"),
            reason = DumpError("Manifest.db", .brokenDatabase("it is damaged"))
        for (key, store) in [("rs_user_id", own), ("welcome.json", .files("Documents"))] as [(Name, StoreID)] {
            #expect(app.state(of: key, in: store) == .unreadable(Unreadable(reason)), "\(store)")
        }
        #expect(app.storeWarnings().contains(DumpWarning("Manifest.db", .unreadable(Unreadable(reason)))))
    }

    @Test("a hostile Manifest.mbdb leads nowhere, says where it is damaged, and what is before that is read")
    func hostileOld() throws {
        let dump = try Dump.open(Places.fixture("backup-hostile-old")), app = try dump.container("com.acme.notes")
        let damage = dump.warnings.compactMap { warning in
            if case .unreadable(let reason) = warning.problem, warning.path == "Manifest.mbdb" { reason } else { nil }
        }
        #expect(damage.map(\.cause) == [.corrupt] && damage[0].explanation.contains("at byte"), "\(dump.warnings)")
        let problems = app.storeWarnings()
        let stray = DumpWarning("Manifest.mbdb", .strayRows(domain: "AppDomain-com.acme.notes", count: 2))
        let twin = DumpWarning("Manifest.mbdb", .duplicateRows(domain: "AppDomain-com.acme.notes", count: 1))
        #expect(problems.contains(stray) && problems.contains(twin), "\(problems)")
        let documents = StoreID.files("Documents")
        #expect(app.state(of: "welcome.json", in: documents).value?.data?.count == 31)
        // What it says of the size is nothing that is taken for true.
        #expect(app.state(of: "huge.txt", in: documents).value?.data == Data("not huge".utf8))
        guard case .unreadable = app.state(of: "link/through.txt", in: .files("Library")) else {
            Issue.record("a link is followed")
            return
        }
        guard case .unreadable = app.state(of: "other.txt", in: documents) else {
            Issue.record("what is behind the damage is absent")
            return
        }
    }

    @Test("a keybag with absurd lengths or rounds is refused at once, and says which", .timeLimit(.minutes(10)))
    func hostileBags() throws {
        func problem(_ name: String) throws -> DumpError.Problem? {
            guard case .locked(let locked) = try Dump.opening(Places.fixture(name)) else { return nil }
            return #expect(throws: DumpError.self) { try locked.opened(with: .password("test")) }?.problem
        }
        guard case .damagedKeybag(let words) = try problem("backup-bag-lengths") else {
            Issue.record("it is opened, or another problem")
            return
        }
        #expect(words.contains("SALT") && words.contains("4294967280"), "\(words)")
        let rounds = 0xF000_0000 + 2000
        #expect(try problem("backup-bag-rounds") == .tooManyRounds(rounds, limit: OpeningLimits.Name.rounds.standard))
    }

    @Test("items whose lengths lead past their end are named, and the whole one beside them is read")
    func hostileKeychain() throws {
        guard case .locked(let locked) = try Dump.opening(Places.fixture("backup-hostile-keychain")) else {
            Issue.record("it is not locked")
            return
        }
        let dump = try locked.opened(with: .password("test")), app = try dump.container("com.acme.notes")
        let named = dump.warnings.filter { warning in
            if case .keychainItem(_, let reason) = warning.problem { reason.contains("length") } else { false }
        }
        #expect(named.count == 3, "\(dump.warnings)")
        #expect(app.state(of: "ada", in: .keychain("com.acme.notes.token")).value != nil)
        guard case .unreadable(let reason) = app.state(of: "bob", in: .keychain("com.acme.notes.token")) else {
            Issue.record("it is absent")
            return
        }
        #expect(reason.cause == .corrupt && reason.explanation.contains("3 are damaged"))
    }

    @Test("more rows than are read are an error with the limit")
    func manyRows() throws {
        let files = try FolderFiles(opening: Places.fixture("backup"))
        let database = try DatabaseFile("Manifest.db", in: files, OpeningControl())
        let error = #expect(throws: DumpError.self) {
            try BackupManifest(database, "Manifest.db", limits: .init(rows: 10, domains: 100), OpeningControl())
        }
        #expect(error == DumpError("Manifest.db", .tooManyRows(limit: 10)))
        let domains = #expect(throws: DumpError.self) {
            try BackupManifest(database, "Manifest.db", limits: .init(rows: 1000, domains: 2), OpeningControl())
        }
        #expect(domains?.problem == .tooManyRows(limit: 2))
    }

    @Test("a look that does not end is stopped by the person")
    func stopped() throws {
        let files = try FolderFiles(opening: Places.fixture("backup"))
        let database = try DatabaseFile("Manifest.db", in: files, OpeningControl())
        let error = #expect(throws: DumpError.self) {
            try database.read(isCancelled: { true }) { db in
                try Int.fetchOne(
                    db, sql: "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n")
            }
        }
        #expect(error?.problem == .cancelled)
    }

    @Test("a database of a dump can be neither written nor made to run what it brings")
    func distrusted() throws {
        let tree = try BackupTests.copy("backup"), files = try FolderFiles(opening: tree.at("backup"))
        let database = try DatabaseFile("Manifest.db", in: files, OpeningControl())
        for sql in [
            "DELETE FROM Files", "ATTACH '\(tree.at("other"))' AS other", "SELECT load_extension('x')",
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = ''",
        ] {
            #expect(throws: DumpError.self, "\(sql)") { try database.read { db in try db.execute(sql: sql) } }
        }
        #expect(!FileManager.default.fileExists(atPath: tree.at("other")))
    }
}
