import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import TestSupport
import Testing

@testable import DeviceDump
@testable import Workspace

/// Takes a row of a table to a domain, as a spec file does.
private struct RowMigration: Migration {
    let id = "row"
    let title = "Row"
    let summary = "For tests."
    let profiles = [Profile(id: "plain", summary: "The only one.")]
    let facts: [FactDefinition] = []
    let row: Address

    func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
    func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], []) }

    func steps(profile: Profile, facts: Facts) -> [Step] {
        let target = Address(store: .files("Files"), key: "device.txt")
        return [
            Step(id: "row", title: "Row", sources: [row], rule: "as it is") { (transaction, _) throws(StepStop) in
                guard case .present(let value) = transaction.read(row) else {
                    throw .skipped("absent", "there is none")
                }
                try transaction.write(
                    .data(Data("\(value)".utf8)), to: target, from: [row], rule: "as it is")
            }
        ]
    }
}

/// The README's table of the forms: each of its cells is what the program does.
@Suite("The README's table of forms")
struct FormTableTests {
    /// What a form has; its words stand in the table.
    private struct Row: Sendable {
        enum Apps: String, Sendable {
            case one
            case all = "all, with their groups and extensions"
            case held = "those of what it holds"
        }
        enum Keychain: String, Sendable {
            case export = "an export in or beside it"
            case own = "its own where it is encrypted, or an export"
            case beside = "an export beside it"
        }
        enum Migrations: String, Sendable {
            case all = "yes"
            case tables = "those of spec files that read tables"
        }
        enum Export: String, Sendable {
            case same = "as itself"
            case backup = "as itself, but for new files; `--unpacked` as folders"
        }
        let form: String
        let apps: Apps
        let keychain: Keychain
        var migrations = Migrations.all
        let export: Export
        /// Makes the dump in a folder, and says where it is.
        let make: @Sendable (TemporaryFolder) throws -> String

        var line: String {
            "| \(form) | \(apps.rawValue) | yes | \(keychain.rawValue) | \(migrations.rawValue) | \(export.rawValue) |"
        }
    }

    private static let fixtures = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures").path
    private static let readme = fixtures + "/../README.md"

    private static func copy(_ fixture: String, _ folder: TemporaryFolder, to target: String) throws -> String {
        let path = folder(target)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: fixtures + "/" + fixture, toPath: path)
        return path
    }

    /// Adds an extension of the app to the containers of a device.
    private static func extend(_ folder: TemporaryFolder, _ containers: String) throws {
        let metadata = """
            <plist version="1.0"><dict><key>MCMMetadataIdentifier</key><string>com.acme.notes.widget</string></dict></plist>
            """
        let widget = containers + "/Data/PluginKitPlugin/" + id + "/"
        try folder.write(widget + ".com.apple.mobile_container_manager.metadata.plist", Data(metadata.utf8))
        try folder.write(
            widget + "Library/Preferences/com.acme.notes.widget.plist", Data("<plist><dict/></plist>".utf8))
    }

    private static let data = "notes-legacy.xcappdata/AppData", id = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"

    private static let rows = [
        Row(form: "a single property list file", apps: .one, keychain: .beside, export: .same) { folder in
            try copy(data + "/Library/Preferences/com.acme.notes.plist", folder, to: "in/com.acme.notes.plist")
        },
        Row(form: "an .xcappdata folder", apps: .one, keychain: .export, export: .same) { folder in
            try copy("notes-legacy.xcappdata", folder, to: "in/notes.xcappdata")
        },
        Row(form: "the folder of one simulator device", apps: .all, keychain: .export, export: .same) { folder in
            let path = try copy("simulator", folder, to: "in/device")
            try extend(folder, "in/device/data/Containers")
            return path
        },
        Row(form: "an iOS backup", apps: .all, keychain: .own, export: .backup) { folder in
            try copy("backup", folder, to: "in/backup")
        },
        Row(form: "an unpacked backup", apps: .all, keychain: .export, export: .same) { folder in
            _ = try copy(data, folder, to: "in/backup/AppDomain-com.acme.notes")
            for domain in ["AppDomainPlugin-com.acme.notes.widget", "AppDomainGroup-group.com.acme.notes"] {
                try folder.write("in/backup/\(domain)/Documents/note.txt", Data("a note".utf8))
            }
            return folder("in/backup")
        },
        Row(form: "a zip or tar archive of any of these", apps: .held, keychain: .export, export: .same) { folder in
            _ = try copy("notes-legacy.xcappdata", folder, to: "made/notes.xcappdata")
            try FileManager.default.createDirectory(atPath: folder("in"), withIntermediateDirectories: true)
            try Archives.write("zip", to: folder("in/mail.zip"), of: folder("made/notes.xcappdata"))
            return folder("in/mail.zip")
        },
        Row(form: "a single SQLite file", apps: .one, keychain: .beside, migrations: .tables, export: .same) { folder in
            try copy("notes-databases.xcappdata/AppData/Documents/notes.sqlite", folder, to: "in/notes.sqlite")
        },
        Row(form: "a device's full file system", apps: .all, keychain: .export, export: .same) { folder in
            let home = "in/phone/private/var/mobile/"
            _ = try copy("simulator/data/Containers", folder, to: home + "Containers")
            try extend(folder, home + "Containers")
            return folder("in/phone")
        },
        Row(form: "an app's data container", apps: .one, keychain: .export, export: .same) { folder in
            try copy(data, folder, to: "in/" + id)
        },
    ]

    @Test("has a line for each form that is read, and says of each what it is")
    func readme() throws {
        let table = try String(contentsOfFile: Self.readme, encoding: .utf8).split(separator: "\n").map(String.init)
        let head = "| form | apps | stores | keychain | migrations | export |"
        let start = try #require(table.firstIndex(of: head))
        #expect(table[(start + 2)...].prefix { $0.hasPrefix("|") } == Self.rows.map(\.line)[...])
        #expect(Set(Self.rows.map(\.form)) == Set(Recognition.words))
    }

    @Test("The table of where a keychain's export is looked for has each place, in the order in which they are")
    func keychainPlaces() throws {
        let table = try String(contentsOfFile: Self.readme, encoding: .utf8).split(separator: "\n").map(String.init)
        let start = try #require(table.firstIndex(of: "| where | which file |"))
        let lines = KeychainSearch.Place.allCases.map { "| \($0.words) | \($0.fileWords) |" }
        #expect(table[(start + 2)...].prefix { $0.hasPrefix("|") } == lines[...])
    }

    private static let item = Address(store: .keychain("s"), key: "a")

    /// Applies a migration and an edit of a keychain item to a dump, exports it, and expects all of that in what was written.
    ///
    /// - Parameters:
    ///   - inside: Where in an archive the dump is.
    ///   - name: What it is called in the folder of the test.
    private static func expectApplied(
        _ row: Row, at path: String, inside: String = "", _ folder: TemporaryFolder, _ name: String,
        unpacked: Bool = false
    ) throws {
        let isTable = row.migrations == .tables, dump = try Dump.open(path + inside),
            own = StoreID.defaults("com.acme.notes")
        let notes = try dump.container(isTable ? nil : "com.acme.notes"), old = notes.state(at: Self.item)
        #expect(old.value.flatMap(KeychainItem.init)?.text == "ab", "\(name): \(old)")
        let workspace = try Workspace.open(
            dump: dump, container: notes.path.isRoot ? nil : notes.path.text,
            facts: GivenFacts.file(fixtures + "/facts.json"), ledger: .file(folder(name + "-ledger")))
        let device = Address(store: SQLiteTable("store", of: "notes.sqlite", in: "Files").store, key: "device_id")
        // A backup gets no new rows, so that only what it has is changed in it.
        let edited = (Address(store: own, key: notes.keys(in: own).names.first ?? ""), Optional(Value.string("edited")))
        let item = (Self.item, Optional(KeychainItem(text: "new").value))
        var migrations: [any Migration] = [EditsMigration(edits: [item])]
        switch (isTable, row.export == .backup && !unpacked) {
        case (true, _): migrations.append(RowMigration(row: device))
        case (_, true): migrations = [EditsMigration(edits: [item, edited])]
        default: migrations.append(RudderStackV2())
        }
        for migration in migrations {
            let applied = try workspace.apply(
                .all, of: migration, profile: migration.profiles[0], stamp: .test, assuming: true)
            #expect(applied.contains { $0.entry != nil }, "\(name): \(migration.id)")
        }
        #expect(try workspace.verify(migrations).findings.isEmpty, "\(name)")
        #expect(workspace.snapshot.history.standing.count >= (migrations.last is RudderStackV2 ? 6 : 1), "\(name)")

        let summary = try workspace.export(to: folder("out/" + name), unpacked: unpacked)
        #expect(summary.withoutFile.isEmpty, "\(name): \(summary)")
        // What is one file is written as one, into the folder.
        let isFolder = FileManager.default.isFolder(path) || unpacked
        let made = isFolder ? summary.target : summary.target + "/" + (path as NSString).lastPathComponent
        let again = try Dump.open(made + inside)
        #expect(again.kind == (unpacked ? .unpackedBackup : dump.kind), "\(name)")
        #expect(again.containers.count == dump.containers.count, "\(name)")
        let now = try again.container(isTable ? nil : "com.acme.notes"), seen = workspace.snapshot.overlay
        #expect(now.state(at: item.0).value.flatMap(KeychainItem.init)?.text == "new", "\(name)")
        for address in Set(workspace.snapshot.history.standing.flatMap(\.changes).map(\.address))
        where address != item.0 {
            var container = now
            if dump.kind == .propertyList, address.store != own {
                // Of the list by itself that is another one, which lies beside it.
                let list = (made + inside as NSString).deletingLastPathComponent + "/\(address.store.name.text).plist"
                container = try Dump.open(list).container(nil)
            }
            if isTable {
                // A file by itself has no others: what is new lies beside it.
                let files = inside.isEmpty ? try FolderFiles(opening: summary.target) : again.files.packed?.beside
                let data = try files?.bytes(at: try #require(address.key.flatMap { DumpPath($0.text) }))
                #expect(data == seen.state(at: address).value?.data && data != nil, "\(name): \(address)")
                continue
            }
            #expect(container.state(at: address) == seen.state(at: address), "\(name): \(address)")
        }
        // All else is as it was.
        for store in notes.stores where store.kind != .keychain {
            for key in notes.keys(in: store).names {
                let address = Address(store: store, key: key)
                #expect(now.state(at: address) == seen.state(at: address), "\(name): \(address)")
            }
        }
    }

    @Test("each form has what its line says", arguments: rows.indices)
    func cells(index: Int) throws {
        let row = Self.rows[index], folder = try TemporaryFolder(), path = try row.make(folder)
        let dump = try Dump.open(path), isTable = row.migrations == .tables
        let notes = try dump.container(isTable ? nil : "com.acme.notes")
        switch row.apps {
        case .one: #expect(dump.containers.count == 1, "\(row.form)")
        case .held:
            #expect(dump.containers.count == 1)
            try Archives.write("zip", to: folder("several.zip"), of: Self.fixtures + "/backup")
            let held = try Dump.open(folder("several.zip")), whole = try Dump.open(Self.fixtures + "/backup")
            #expect(
                held.containers.map(\.identifier) == whole.containers.map(\.identifier) && held.containers.count > 1)
        case .all:
            let kinds = notes.companions.compactMap { path in dump.containers.first { $0.path == path }?.kind }
            #expect(Set(kinds) == [.group, .plugin], "\(row.form): \(kinds)")
        }
        let isRead = notes.stores.contains { store in
            notes.problem(with: store) == nil
                && notes.keys(in: store).names.contains { notes.state(of: $0, in: store).value != nil }
        }
        #expect(isRead, "\(row.form)")

        // A keychain that is given, that lies beside it, and in it.
        let group = isTable ? "" : #", "entitlement_group": "ABCDE12345.com.acme.notes""#
        let keychain = Data(#"[{"service": "s", "account": "a", "dataHex": "6162", "class": "genp"\#(group)}]"#.utf8)
        try folder.write("else/keychain.json", keychain)
        #expect(try Dump.open(path, keychain: folder("else/keychain.json")).keychain?.isGiven == true, "\(row.form)")
        try folder.write("in/keychain.json", keychain)
        #expect(try Dump.open(path).keychain?.source == .elsewhere(folder("in/keychain.json")), "\(row.form)")
        if row.keychain != .beside, row.apps != .held {
            try FileManager.default.createDirectory(atPath: folder("inside"), withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: path, toPath: folder("inside/" + notes.identifier))
            try folder.write("inside/\(notes.identifier)/keychain.json", keychain)
            let found = try Dump.open(folder("inside/" + notes.identifier))
            #expect(found.keychain?.path.hasSuffix("keychain.json") == true, "\(row.form)")
        }
        if row.keychain == .own {
            guard case .locked(let locked) = try Dump.opening(Self.fixtures + "/backup-encrypted") else {
                Issue.record("it is encrypted")
                return
            }
            let app = try locked.opened(with: .password("test")).container("com.acme.notes")
            #expect(app.state(at: Address(store: .keychain("com.acme.notes.token"), key: "ada")).value != nil)
        }

        try FileManager.default.createDirectory(atPath: folder("out"), withIntermediateDirectories: true)
        try Self.expectApplied(row, at: path, folder, "plain")
        if row.export == .backup { try Self.expectApplied(row, at: path, folder, "unpacked", unpacked: true) }
        guard row.apps != .held else { return }
        // Every form in an archive with a keychain beside it, and every kind of archive.
        try FileManager.default.createDirectory(atPath: folder("packed"), withIntermediateDirectories: true)
        let kinds = ["zip", "tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst"]
        for kind in Set(["zip", kinds[index % kinds.count]]) {
            let archive = folder("packed/\(kind == "zip" ? "mail.zip" : "mail.tar")")
            try Archives.write(kind, to: archive, of: folder("in"))
            let inside = "/in/" + (path as NSString).lastPathComponent
            try Self.expectApplied(row, at: archive, inside: inside, folder, "packed-" + kind)
        }
    }
}

extension FileManager {
    fileprivate func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
