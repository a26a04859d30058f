import DeviceDump
import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Workspace

/// Makes of entries what it is told to.
struct EditsMigration: Migration {
    let id = "edits"
    let title = "Test"
    let summary = "For tests."
    let profiles = [Profile(id: "plain", summary: "The only one.")]
    let facts: [FactDefinition] = []
    let edits: [(Address, Value?)]

    func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
    func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], []) }

    func steps(profile: Profile, facts: Facts) -> [Step] {
        [
            Step(id: "all", title: "All", sources: [], rule: "as told") { (transaction, _) throws(StepStop) in
                for (address, value) in edits {
                    guard let value else {
                        transaction.remove(address, rule: "as told")
                        continue
                    }
                    try transaction.write(value, to: address, rule: "as told", policy: .replaceExisting)
                }
            }
        ]
    }
}

/// Takes entries of an app group to the app's own domain.
private struct FromGroupMigration: Migration {
    let id = "from-group"
    let title = "Test"
    let summary = "For tests."
    let profiles = [Profile(id: "plain", summary: "The only one.")]
    let facts: [FactDefinition] = []
    /// Whose defaults it moves them to.
    var app = "com.acme.notes"
    static let sources = [
        Address.defaults("group.com.acme.notes", "widget.note"),
        Address(store: .files("group.com.acme.notes"), key: "shared.json"),
    ]

    func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
    func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], []) }

    func steps(profile: Profile, facts: Facts) -> [Step] {
        Self.sources.map { source in
            let target = Address(store: .defaults(Name(app)), key: source.key)
            return Step(id: "\(source.key ?? "")", title: "Group", sources: [source], target: target, rule: "as it is")
            {
                (transaction, _) throws(StepStop) in
                switch transaction.read(source) {
                case .absent: throw .skipped("absent", "there is none")
                case .unreadable(let reason): throw .unreadable(source, reason)
                case .present(let value):
                    try transaction.write(value, to: target, from: [source], rule: "as it is")
                    transaction.remove(source, rule: "as it is")
                }
            }
        }
    }
}

@Suite("An export of a backup is a backup")
struct BackupExportTests {
    private static let domain = "AppDomain-com.acme.notes"
    private static let list = domain + "/Library/Preferences/com.acme.notes.plist"
    private static let zoom = Address.defaults("com.acme.notes.editor", "zoom")

    private static func file(_ name: Name, in folder: Name = "Documents") -> Address {
        Address(store: .files(folder), key: name)
    }

    /// A workspace of a fixture, opened with the password where it has one, with edits applied.
    private func workspace(
        _ fixture: String, in folder: TemporaryFolder, app: String = "com.acme.notes", _ edits: [(Address, Value?)],
        keychain: String? = nil
    ) throws -> Workspace {
        let dump: Dump, path = fixture.hasPrefix("/") ? fixture : Places.fixture(fixture)
        switch try Dump.opening(path, OpeningOptions(keychain: keychain)) {
        case .opened(let opened): dump = opened
        case .locked(let locked): dump = try locked.opened(with: .password("test"))
        }
        let workspace = try Workspace.open(dump: dump, container: app, ledger: .file(folder("ledger")))
        let migration = EditsMigration(edits: edits)
        try workspace.apply(.all, of: migration, profile: migration.profiles[0], stamp: .test)
        return workspace
    }

    /// What the reader of its own, in Python, finds in a backup.
    private func python(_ path: String, password: String) throws -> [String: [String: Any]] {
        let python = try #require(Places.tool("python3"))
        let process = Process(), output = Pipe(), errors = Pipe()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = [Places.fixture("read_backup.py"), path] + (password.isEmpty ? [] : [password])
        process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(complaint)")
        return try #require(try JSONSerialization.jsonObject(with: answer) as? [String: [String: Any]])
    }

    @Test(
        "A step reads and changes the stores of the app's group, whose files are exported in the group's own domain",
        arguments: [("backup", ""), ("backup-encrypted", "test")])
    func group(fixture: String, password: String) throws {
        let folder = try TemporaryFolder(), app = "com.acme.notes", migration = FromGroupMigration(app: app)
        let profile = migration.profiles[0], workspace = try workspace(fixture, in: folder, app: app, [])
        let plan = workspace.snapshot.plan(migration, profile: profile)
        #expect(plan.steps.map(\.outcome.kind) == [.migrates, .migrates])
        try workspace.apply(.all, of: migration, profile: profile, stamp: .test)
        let summary = try workspace.export(to: folder("out"))
        let list = "AppDomainGroup-group.com.acme.notes/Library/Preferences/group.com.acme.notes.plist"
        let own = "AppDomain-\(app)/Library/Preferences/\(app).plist"
        #expect(summary.rewritten.sorted() == [own, list].sorted())
        let exported: Dump
        switch try Dump.opening(folder("out")) {
        case .opened(let dump): exported = dump
        case .locked(let locked): exported = try locked.opened(with: .password(password))
        }
        let after = try exported.container(app), target = StoreID.defaults(Name(app))
        #expect(after.state(of: "widget.note", in: target) == .present(.integer(1)))
        #expect(after.state(of: "shared.json", in: target).value?.data == Data(#"{"shared":true}"#.utf8))
        for source in FromGroupMigration.sources { #expect(after.state(at: source) == .absent) }
    }

    @Test("A group that is called after another app is not read or written by a step, and nothing is taken for absent")
    func groupOfAnother() throws {
        let folder = try TemporaryFolder(), app = "com.acme.timer", migration = FromGroupMigration(app: app)
        let plan = try workspace("backup", in: folder, app: app, []).snapshot.plan(
            migration, profile: migration.profiles[0])
        for step in plan.steps {
            let reason = step.outcome.reason?.unreadable?.reason
            #expect(reason?.cause == .missing && step.changes.isEmpty, "\(step.outcome)")
            #expect(reason?.explanation.contains("is called after com.acme.notes") == true, "\(step.outcome)")
        }
    }

    @Test("Where the form has no app groups, a step that reads one says so, and nothing is taken for absent")
    func withoutGroups() throws {
        let folder = try TemporaryFolder(), migration = FromGroupMigration()
        let dump = try Dump.open(Places.fixture("notes-legacy.xcappdata"))
        let workspace = try Workspace.open(dump: dump, ledger: .file(folder("ledger")))
        let plan = workspace.snapshot.plan(migration, profile: migration.profiles[0])
        for step in plan.steps {
            #expect(step.outcome.reason?.unreadable?.reason.cause == .missing, "\(step.outcome)")
            #expect(step.changes.isEmpty)
        }
    }

    @Test(
        "Changed contents are where they were, encrypted with their own keys, and every other byte stays",
        arguments: [("backup", ""), ("backup-encrypted", "test")])
    func changed(fixture: String, password: String) throws {
        let folder = try TemporaryFolder()
        let text = Data(String(repeating: "changed ", count: 300).utf8)
        let workspace = try workspace(
            fixture, in: folder,
            [
                (Self.zoom, .real(Real(2.5))), (Self.file("sixteen.txt"), .data(text)),
                (Self.file("welcome.json"), nil),
            ])
        let summary = try workspace.export(to: folder("out"))
        #expect(
            summary.rewritten.sorted() == [
                Self.domain + "/Documents/sixteen.txt",
                Self.domain + "/Library/Preferences/com.acme.notes.editor.plist",
            ])
        #expect(summary.removed == [Self.domain + "/Documents/welcome.json"] && summary.added.isEmpty)

        // All files but four are the same byte for byte.
        let copy = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: Places.fixture(fixture), toPath: copy("dump"))
        let before = try copy.tree("dump"), after = try folder.tree("out")
        let different = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
        #expect(different.count == 4 && different.contains("Manifest.db"), "\(different)")
        if !password.isEmpty { #expect(after["Manifest.db"]?.starts(with: Data("SQLite".utf8)) == false) }

        // Our reader.
        let opened: Dump
        switch try Dump.opening(folder("out")) {
        case .opened(let dump): opened = dump
        case .locked(let locked): opened = try locked.opened(with: .password(password))
        }
        #expect(opened.kind == .backup)
        let app = try opened.container("com.acme.notes")
        #expect(app.state(of: "zoom", in: Self.zoom.store) == .present(.real(Real(2.5))))
        #expect(app.state(of: "sixteen.txt", in: .files("Documents")) == .present(.data(text)))
        #expect(app.state(of: "welcome.json", in: .files("Documents")) == .absent)
        #expect(app.state(of: "rs_user_id", in: .defaults("com.acme.notes")) == .present(.string("u-42")))
        #expect(app.storeWarnings().map(\.path) == [Self.domain + "/Library/link"])
        #expect(opened.surveyWarnings().isEmpty)

        // Another's.
        let found = try python(folder("out"), password: password)
        let original = try python(Places.fixture(fixture), password: password)
        #expect(found[Self.domain + "/Documents/welcome.json"] == nil)
        #expect(found.count == original.count - 1)
        let sixteen = try #require(found[Self.domain + "/Documents/sixteen.txt"])
        #expect(sixteen["content"] as? String == Hexadecimal.text(text))
        #expect(sixteen["size"] as? Int == text.count && sixteen["modified"] as? Int ?? 0 > 1_725_000_000)
        for (path, file) in found where !summary.rewritten.contains(path) {
            #expect(file["content"] as? String == original[path]?["content"] as? String, "\(path)")
            #expect(file["modified"] as? Int == 1_725_000_000, "\(path)")
        }
    }

    @Test(
        "A digest that a row has is that of what is stored now",
        arguments: [("backup", ""), ("backup-encrypted", "test")])
    func digest(fixture: String, password: String) throws {
        let folder = try TemporaryFolder()
        let locale = Address.defaults(".GlobalPreferences", "AppleLocale")
        let workspace = try workspace(fixture, in: folder, app: "HomeDomain", [(locale, .string("en_GB"))])
        try workspace.export(to: folder("out"))
        let found = try python(folder("out"), password: password)
        let file = try #require(found["HomeDomain/Library/Preferences/.GlobalPreferences.plist"])
        #expect(file["digest"] as? Bool == true)
    }

    @Test("An encrypted manifest has a block of padding behind its pages where it had one, and else none")
    func padding() throws {
        let source = try TemporaryFolder(),
            size =
                try FileManager.default.attributesOfItem(
                    atPath: Places.fixture("backup-encrypted/Manifest.db"))[.size] as? Int ?? 0
        #expect(size % 512 == 16)
        try FileManager.default.copyItem(atPath: Places.fixture("backup-encrypted"), toPath: source("backup"))
        // In this mode what comes before the last block does not depend on it.
        truncate(source("backup/Manifest.db"), off_t(size - 16))
        for (path, expected) in [(Places.fixture("backup-encrypted"), 16), (source("backup"), 0)] {
            let folder = try TemporaryFolder(),
                workspace = try workspace(path, in: folder, [(Self.zoom, .real(Real(2.5)))])
            try workspace.export(to: folder("out"))
            #expect(Int(folder.status("out/Manifest.db")?.st_size ?? 0) % 512 == expected)
            #expect(try !python(folder("out"), password: "test").isEmpty)
        }
    }

    @Test("A backup to which nothing is applied is the same byte for byte")
    func unchanged() throws {
        let folder = try TemporaryFolder(), copy = try TemporaryFolder()
        try workspace("backup-encrypted", in: folder, []).export(to: folder("out"))
        try FileManager.default.copyItem(atPath: Places.fixture("backup-encrypted"), toPath: copy("dump"))
        #expect(try folder.tree("out") == copy.tree("dump"))
    }

    @Test("What nobody knows how to write safely is refused with the reason, and unpacked it is written")
    func refused() throws {
        let cases: [(fixture: String, edit: (Address, Value?), words: String)] = [
            ("backup", (.defaults("com.acme.notes.new", "k"), .bool(true)), "no row"),
            ("backup-encrypted", (Self.file("new.txt"), .data(Data([1]))), "no row"),
            ("backup-encrypted", (Self.file("empty.txt"), .data(Data([1]))), "no key"),
            ("backup-old", (Self.zoom, .real(Real(2))), "Manifest.mbdb"),
        ]
        for (fixture, edit, words) in cases {
            let folder = try TemporaryFolder(), workspace = try workspace(fixture, in: folder, [edit])
            let error = #expect(throws: WorkspaceError.self) { try workspace.export(to: folder("out")) }
            let sentence = "\(try #require(error))"
            #expect(sentence.contains(words) && sentence.contains("by their own names"), "\(sentence)")
            #expect(error?.exitCode == 6 && folder.status("out") == nil)
            try workspace.export(to: folder("out"), unpacked: true)
            let unpacked = try Dump.open(folder("out")).container("com.acme.notes")
            #expect(unpacked.state(of: edit.0.key ?? "", in: edit.0.store).value == edit.1, "\(fixture)")
        }
    }

    @Test(
        "Unpacked, a content that shows only at its end that it is damaged is left out and named, and the rest is written"
    )
    func damagedAtEnd() throws {
        let folder = try TemporaryFolder(), path = try folder.copy("backup-encrypted", to: "dump")
        // Named after AppDomain-com.acme.notes-Documents/welcome.json.
        let payload = "dump/a6/a6867e2e27592ce98b87cba32109ff808220424c"
        let content = try Data(contentsOf: URL(fileURLWithPath: folder(payload)))
        try folder.write(payload, content.dropLast(3))
        let summary = try workspace(path, in: folder, []).export(to: folder("out"), unpacked: true)
        let left = try #require(summary.skipped.first { $0.path == Self.domain + "/Documents/welcome.json" })
        #expect(left.reason.contains("16 bytes"), "\(left)")
        #expect(folder.status("out/\(Self.domain)/Documents/welcome.json") == nil)
        let app = try Dump.open(folder("out")).container("com.acme.notes")
        #expect(app.state(of: "sixteen.txt", in: .files("Documents")).value?.data == Data("sixteen bytes ok".utf8))
        #expect(app.state(of: "zoom", in: .defaults("com.acme.notes.editor")).value == .real(Real(1.25)))
    }

    @Test("A row that goes takes no other row with it, whatever the list says of its rows")
    func cascade() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: Places.fixture("backup"), toPath: folder("backup"))
        let list = try DatabaseQueue(path: folder("backup/Manifest.db"))
        try list.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE Others (fileID TEXT PRIMARY KEY, domain TEXT, relativePath TEXT, flags INTEGER, file BLOB,
                    parent TEXT REFERENCES Others(fileID) ON DELETE CASCADE);
                    INSERT INTO Others SELECT *, NULL FROM Files; DROP TABLE Files; ALTER TABLE Others RENAME TO Files;
                    UPDATE Files SET parent = (SELECT fileID FROM Files WHERE relativePath = 'Documents/welcome.json')
                    WHERE relativePath <> 'Documents/welcome.json';
                    """)
        }
        func count(_ path: String) throws -> Int? {
            try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM Files") }
        }
        let before = try #require(try count(folder("backup/Manifest.db")))
        let removed = Address(store: .files("Documents"), key: "welcome.json")
        try workspace(folder("backup"), in: folder, [(removed, nil)]).export(to: folder("out"))
        #expect(try count(folder("out/Manifest.db")) == before - 1)
    }

    @Test("A changed item of an encrypted backup's own keychain is refused; one of an export is put beside the backup")
    func keychain() throws {
        let item = Address(store: .keychain("com.acme.notes.token"), key: "ada")
        let value = KeychainItem(data: Data("new".utf8), attributes: [:]).value
        let folder = try TemporaryFolder(), own = try workspace("backup-encrypted", in: folder, [(item, value)])
        let error = #expect(throws: WorkspaceError.self) { try own.export(to: folder("out")) }
        let sentence = "\(try #require(error))"
        #expect(sentence.contains("are not encrypted anew; roll back the steps that change them"), "\(sentence)")
        #expect(!sentence.contains("offset") && !sentence.contains("property list"), "\(sentence)")
        #expect(error?.exitCode == 6 && sentence.contains("not exported to \(folder("out"))"), "\(sentence)")

        let other = try TemporaryFolder()
        try other.write(
            "keychain.json",
            Data(
                #"[{"account":"ada","service":"com.acme.notes.token","dataHex":"00","entitlement_group":"ABCDE12345.com.acme.notes"}]"#
                    .utf8))
        let given = try workspace("backup", in: other, [(item, value)], keychain: other("keychain.json"))
        let summary = try given.export(to: other("out"))
        #expect(summary.added == ["keychain.json"])
        let opened = try Dump.open(other("out"))
        let state = try opened.container("com.acme.notes").state(of: "ada", in: item.store)
        #expect(state.value.flatMap(KeychainItem.init)?.data == Data("new".utf8), "\(state)")
    }

    @Test(
        "An export of the keychain in the backup's own folder is changed there, in a zip too; among its contents it is refused",
        arguments: ["folder", "zip"])
    func keychainInside(kind: String) throws {
        let item = Address(store: .keychain("com.acme.notes.token"), key: "ada"), folder = try TemporaryFolder()
        let value = KeychainItem(data: Data("new".utf8), attributes: [:]).value
        let note = Address(store: .files("Documents"), key: "welcome.json")
        let export = Data(
            #"[{"account":"ada","service":"com.acme.notes.token","dataHex":"00","entitlement_group":"ABCDE12345.com.acme.notes"}]"#
                .utf8)
        var path = try folder.copy("backup")
        try folder.write("backup/keychain.json", export)
        if kind == "zip" {
            try Archives.write("zip", to: folder("mail.zip"), of: path)
            path = folder("mail.zip")
        }
        let workspace = try workspace(path, in: folder, [(item, value), (note, .data(Data("changed".utf8)))])
        let summary = try workspace.export(to: folder("out"))
        #expect(summary.rewritten.count == 2 && summary.added.isEmpty && summary.withoutFile.isEmpty, "\(summary)")
        let opened = try Dump.open(folder(kind == "zip" ? "out/mail.zip" : "out"))
        #expect(opened.keychain?.path.hasSuffix("/keychain.json") == true)
        let app = try opened.container("com.acme.notes"), state = app.state(at: item)
        #expect(state.value.flatMap(KeychainItem.init)?.data == Data("new".utf8), "\(state)")
        #expect(app.state(at: note).value?.data == Data("changed".utf8))
        if kind == "folder" {
            let entry = try #require(
                try python(folder("out"), password: "")["AppDomain-com.acme.notes/Documents/welcome.json"])
            #expect(entry["size"] as? Int == 7, "\(entry)")
            // One that is a content of the backup is a part of it.
            let other = try TemporaryFolder(), name = String(repeating: "ab", count: 20)
            _ = try other.copy("backup")
            try other.write("backup/" + name, export)
            let within = try self.workspace(
                other("backup"), in: other, [(item, value)], keychain: other("backup/" + name))
            let error = #expect(throws: WorkspaceError.self) { try within.export(to: other("out")) }
            #expect("\(try #require(error))".contains("move it out of there"), "\(error as Any)")
        }
    }

    @Test("Unpacked, an encrypted backup leaves its sealed keychain behind, named: nothing would open it there")
    func sealedKeychain() throws {
        let folder = try TemporaryFolder(), workspace = try workspace("backup-encrypted", in: folder, [])
        let summary = try workspace.export(to: folder("out"), unpacked: true)
        let left = try #require(summary.skipped.first { $0.path == "KeychainDomain/keychain-backup.plist" })
        #expect(left.reason.contains("only the backup itself has"), "\(left)")
        #expect(folder.status("out/KeychainDomain/keychain-backup.plist") == nil)
        let dump = try Dump.open(folder("out"))
        #expect(!dump.warnings.contains { "\($0)".contains("eychain") }, "\(dump.warnings)")
        // As itself it has it.
        try workspace.export(to: folder("same"))
        guard case .locked(let locked) = try Dump.opening(folder("same")) else {
            Issue.record("it is not encrypted")
            return
        }
        #expect(try locked.opened(with: .password("test")).keychain?.export.items.isEmpty == false)
    }

    @Test("A manifest with a trigger that spoils every change is changed all the same, and nothing else in it")
    func trigger() throws {
        let folder = try TemporaryFolder()
        let workspace = try workspace("backup-hostile", in: folder, [(Self.zoom, .real(Real(2.5)))])
        try workspace.export(to: folder("out"))
        let app = try Dump.open(folder("out")).container("com.acme.notes")
        #expect(app.state(of: "zoom", in: Self.zoom.store) == .present(.real(Real(2.5))))
        #expect(app.state(of: "sixteen.txt", in: .files("Documents")).value?.data == Data("sixteen bytes ok".utf8))
    }
}
