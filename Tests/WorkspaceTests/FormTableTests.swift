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
        let target = Address.defaults("com.acme.notes", "device")
        return [
            Step(id: "row", title: "Row", sources: [row], rule: "as it is") { (transaction, _) throws(StepStop) in
                guard case .present(let value) = transaction.read(row) else {
                    throw .skipped("absent", "there is none")
                }
                try transaction.write(value, to: target, from: [row], rule: "as it is")
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
            let widget = "in/device/data/Containers/Data/PluginKitPlugin/" + id
            _ = try copy(data, folder, to: widget)
            try FileManager.default.removeItem(atPath: folder(widget) + "/Library/Preferences")
            try folder.write(
                widget + "/Library/Preferences/com.acme.notes.widget.plist", Data("<plist><dict/></plist>".utf8))
            return path
        },
        Row(form: "an iOS backup", apps: .all, keychain: .own, export: .backup) { folder in
            try copy("backup", folder, to: "in/backup")
        },
        Row(form: "an unpacked backup", apps: .all, keychain: .export, export: .same) { folder in
            for domain in ["AppDomain-com.acme.notes", "AppDomainPlugin-com.acme.notes.widget"] {
                _ = try copy(data, folder, to: "in/backup/" + domain)
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

    /// Exports a dump with an edit, and expects it in what was written, in the same form, with all else as it was.
    private static func expectEdited(_ path: String, _ folder: TemporaryFolder, _ name: String) throws {
        let dump = try Dump.open(path), isDatabase = dump.kind == .database
        let notes = try dump.container(isDatabase ? nil : "com.acme.notes")
        let own = StoreID.defaults("com.acme.notes")
        let edit: (Address, Value) =
            isDatabase
            ? (Address(store: .files("Files"), key: "made.txt"), .data(Data("made".utf8)))
            : (Address(store: own, key: notes.keys(in: own).key(at: 0)), .string("edited"))
        let workspace = try Workspace.open(
            dump: dump, container: notes.path.isRoot ? nil : notes.path.text, facts: Facts(),
            ledger: .file(folder(name + "-ledger")))
        let migration = EditsMigration(edits: [edit])
        try workspace.apply(.all, of: migration, profile: migration.profiles[0], stamp: .test)
        let summary = try workspace.export(to: folder("out/" + name)), target = summary.target
        #expect(
            summary.added.count + summary.rewritten.count == 1 && summary.withoutFile.isEmpty, "\(name): \(summary)")
        let made = FileManager.default.isFolder(path) ? target : target + "/" + (path as NSString).lastPathComponent
        let again = try Dump.open(isDatabase && path.hasSuffix("sqlite") ? target : made)
        #expect(again.kind == dump.kind && again.containers.count == dump.containers.count, "\(name)")
        let now = try again.container(isDatabase ? nil : "com.acme.notes")
        if isDatabase {
            let row = try Address(parsing: "sqlite://Files/notes.sqlite/store/device_id#/value")
            #expect(now.state(at: row).value == notes.state(at: row).value && now.state(at: row).value != nil)
        } else {
            #expect(now.state(at: edit.0).value == edit.1, "\(name)")
            for key in notes.keys(in: own).names.dropFirst() {
                #expect(now.state(of: key, in: own) == notes.state(of: key, in: own), "\(name): \(key)")
            }
        }
    }

    @Test("each form has what its line says", arguments: rows.indices)
    func cells(index: Int) throws {
        let row = Self.rows[index], folder = try TemporaryFolder(), path = try row.make(folder)
        let dump = try Dump.open(path), apps = dump.containers.filter { $0.kind == .app }
        switch row.apps {
        case .one: #expect(dump.containers.count == 1, "\(row.form)")
        case .held:
            #expect(dump.containers.count == 1)
            try Archives.write("zip", to: folder("several.zip"), of: Self.fixtures + "/backup")
            let held = try Dump.open(folder("several.zip")), whole = try Dump.open(Self.fixtures + "/backup")
            #expect(
                held.containers.map(\.identifier) == whole.containers.map(\.identifier) && held.containers.count > 1)
        case .all: #expect(apps.contains { !$0.companions.isEmpty } || apps.count > 1, "\(row.form)")
        }
        let identifier = row.migrations == .all ? "com.acme.notes" : "notes.sqlite"
        let notes = try #require(apps.first { $0.identifier == identifier }, "\(row.form)")
        #expect(notes.stores.contains { notes.keys(in: $0).count > 0 && notes.problem(with: $0) == nil }, "\(row.form)")
        let workspace = try Workspace.open(
            dump: dump, container: notes.path.isRoot ? nil : notes.path.text, facts: Facts(),
            ledger: .file(folder("ledger")))
        let found = ApplicableMigrations(among: BuiltIn.migrations, in: notes, facts: workspace.snapshot.facts)
        switch row.migrations {
        case .all: #expect(found.applying.contains { $0.id == "rudderstack-v2" }, "\(row.form)")
        case .tables:
            let migration = RowMigration(
                row: Address(store: SQLiteTable("store", of: "notes.sqlite", in: "Files").store, key: "device_id"))
            let plan = workspace.snapshot.plan(migration, profile: migration.profiles[0])
            #expect(plan.steps.map(\.outcome.kind) == [.migrates], "\(plan.steps)")
        }

        try FileManager.default.createDirectory(atPath: folder("out"), withIntermediateDirectories: true)
        try Self.expectEdited(path, folder, "edited")
        if row.apps != .held {
            // Every form in an archive, and every kind of archive.
            let kinds = ["zip", "tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst"]
            for kind in Set(["zip", kinds[index % kinds.count]]) {
                try FileManager.default.createDirectory(atPath: folder("packed"), withIntermediateDirectories: true)
                let archive = folder("packed/\(kind == "zip" ? "mail.zip" : "mail.tar")")
                try Archives.write(kind, to: archive, of: path)
                try Self.expectEdited(archive, folder, "edited-" + kind)
            }
        }
        let target = try workspace.export(to: folder("out/target")).target
        // A dump that is one file is written as one, into the folder.
        let exported = FileManager.default.isFolder(path) ? target : target + "/" + (path as NSString).lastPathComponent
        let kind = try Dump.open(exported).kind
        switch row.export {
        case .same: #expect(kind == dump.kind, "\(row.form)")
        case .backup:
            #expect(kind == .backup)
            let unpacked = try workspace.export(to: folder("out/unpacked"), unpacked: true).target
            #expect(try Dump.open(unpacked).kind == .unpackedBackup)
        }

        let keychain = #"[{"service": "s", "account": "a", "dataHex": "6162", "class": "genp"}]"#
        try folder.write("else/keychain.json", Data(keychain.utf8))
        #expect(try Dump.open(path, keychain: folder("else/keychain.json")).keychain?.isGiven == true, "\(row.form)")
        try folder.write("in/keychain.json", Data(keychain.utf8))
        let export = try Dump.open(path).keychain
        switch row.keychain {
        case .export, .beside: #expect(export?.source == .elsewhere(folder("in/keychain.json")), "\(row.form)")
        case .own:
            guard case .locked(let locked) = try Dump.opening(Self.fixtures + "/backup-encrypted") else {
                Issue.record("it is encrypted")
                return
            }
            guard case .opened(let own) = try locked.opening(with: .password("test")) else {
                Issue.record("that is its password")
                return
            }
            #expect(own.keychain != nil)
        }
    }
}

extension FileManager {
    fileprivate func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
