import DeviceDump
import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import Workspace

@Suite("An export of an archive is an archive")
struct ArchiveExportTests {
    private static let own = StoreID.defaults("com.acme.notes")
    private static let edits: [(Address, Value?)] = [
        (.defaults("com.acme.notes", "rs_user_id"), .string("somebody else")),
        (Address(store: .files("Documents"), key: "new/caf\u{E9}.txt"), .data(Data("new".utf8))),
        (Address(store: .files("Documents"), key: "inbox/2024-08-30.txt"), nil),
    ]

    private func python(_ arguments: [String]) throws -> String {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: try #require(Places.tool("python3")))
        process.arguments = ["-W", "ignore"] + arguments
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return text
    }

    /// An archive of a fixture, made by Python.
    private func archive(_ kind: String, _ fixture: String, in folder: TemporaryFolder, _ name: String) throws -> String
    {
        try Archives.write(kind, to: folder(name), of: Places.fixture(fixture))
        return folder(name)
    }

    /// What Python finds in an archive: for each member a line of its name, type, size, mode, time and checksum.
    private func members(_ path: String) throws -> [String] {
        try python([
            "-c",
            """
            import sys, tarfile, zipfile, zlib
            if zipfile.is_zipfile(sys.argv[1]):
                archive = zipfile.ZipFile(sys.argv[1])
                assert archive.testzip() is None
                print("comment", archive.comment)
                for info in archive.infolist():
                    print(info.filename, info.compress_type, info.flag_bits & 0x800, oct(info.external_attr >> 16),
                          info.date_time, info.file_size, info.CRC)
            else:
                import bz2, gzip, io, lzma
                data, layers = open(sys.argv[1], "rb").read(), {b"\\x1f\\x8b": gzip, b"\\xfd7": lzma, b"BZ": bz2}
                while data[:2] in layers:
                    print(layers[data[:2]].__name__)
                    data = layers[data[:2]].decompress(data)
                archive = tarfile.open(fileobj=io.BytesIO(data))
                for info in archive.getmembers():
                    data = archive.extractfile(info).read() if info.isfile() else b""
                    print(info.name, info.type, oct(info.mode), info.mtime, info.uname, info.linkname, zlib.crc32(data))
            """, path,
        ]).split(separator: "\n").map(String.init)
    }

    private func opened(_ path: String, _ secrets: [DumpSecret] = []) throws -> Dump {
        guard case .opened(let dump) = try Dump.opening(path, OpeningOptions(secrets: secrets)) else {
            throw DumpError(path, .locked)
        }
        return dump
    }

    private func workspace(_ dump: Dump, in folder: TemporaryFolder, app: String? = nil, _ edits: [(Address, Value?)])
        throws
        -> Workspace
    {
        let workspace = try Workspace.open(dump: dump, container: app, ledger: .file(folder("ledger")))
        let migration = EditsMigration(edits: edits)
        try workspace.apply(.all, of: migration, profile: migration.profiles[0], stamp: .test)
        return workspace
    }

    @Test(
        "A keychain's export that lies beside the dump in the archive is changed there",
        arguments: ["zip", "tar.gz", "lone", "backup"])
    func keychainBeside(kind: String) throws {
        let folder = try TemporaryFolder(), name = kind == "tar.gz" ? "mail.tar" : "mail.zip"
        let fixture = ["lone": "com.acme.notes.plist", "backup": "backup"][kind] ?? "notes-legacy.xcappdata"
        let source =
            kind == "lone"
            ? Places.fixture("notes-legacy.xcappdata/AppData/Library/Preferences/com.acme.notes.plist")
            : Places.fixture(fixture)
        try FileManager.default.createDirectory(atPath: folder("mail"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: source, toPath: folder("mail/" + fixture))
        try folder.write(
            "mail/keychain.json",
            Data(
                """
                [{"account": "old", "service": "s", "dataHex": "6f6c64", "entitlement_group": "ABCDE12345.com.acme.notes"}]
                """.utf8))
        try Archives.write(kind == "tar.gz" ? kind : "zip", to: folder(name), of: folder("mail"))
        let dump = try opened(folder(name)), store = StoreID.keychain("s")
        let before = dump.keychain?.path
        #expect(before?.hasSuffix("/mail/keychain.json") == true, "\(before as Any)")
        let app = dump.kind == .backup ? "com.acme.notes" : nil
        let edits: [(Address, Value?)] = [
            (Address(store: store, key: "old"), nil),
            (Address(store: store, key: "new"), KeychainItem(text: "secret").value),
            (Address(store: Self.own, key: "rs_user_id"), .string("somebody else")),
        ]
        let summary = try workspace(dump, in: folder, app: app, edits).export(to: folder("out"))
        #expect(summary.rewritten.count == 2 && summary.rewritten.contains(before ?? ""), "\(summary)")
        let made = try opened(folder("out/" + name)), container = try made.container(app)
        #expect(
            made.keychain?.path.hasSuffix("/mail/keychain.json") == true && made.warnings.count == dump.warnings.count)
        #expect(container.keys(in: store).names == ["new"])
        #expect(container.state(of: "new", in: store).value.flatMap(KeychainItem.init)?.text == "secret")
        #expect(container.state(of: "rs_user_id", in: Self.own).value == .string("somebody else"))
        #expect(dump.files.items().items.count == made.files.items().items.count)
    }

    @Test(
        "One that lies elsewhere in the archive is not changed there, also where another of its name is beside the dump"
    )
    func keychainElsewhere() throws {
        let folder = try TemporaryFolder(), item = Address(store: .keychain("s"), key: "old")
        func export(_ hex: String) -> Data {
            Data(
                """
                [{"account": "old", "service": "s", "dataHex": "\(hex)", "entitlement_group": "ABCDE12345.com.acme.notes"}]
                """.utf8)
        }
        try FileManager.default.createDirectory(atPath: folder("mail"), withIntermediateDirectories: true)
        try Archives.write("zip", to: folder("mail/inner.zip"), of: Places.fixture("notes-legacy.xcappdata"))
        try folder.write("mail/keychain.json", export("6f6c64"))
        try Archives.write("zip", to: folder("mail.zip"), of: folder("mail"))
        let dump = try opened(folder("mail.zip"))
        #expect(dump.keychain?.path.hasSuffix("mail.zip/mail/keychain.json") == true)
        let edits: [(Address, Value?)] = [(item, KeychainItem(text: "new").value)]
        let error = #expect(throws: WorkspaceError.self) {
            try workspace(dump, in: folder, edits).export(to: folder("out"))
        }
        #expect("\(error as Any)".contains("lies elsewhere in the archive"), "\(error as Any)")
        #expect(!FileManager.default.fileExists(atPath: folder("out")))
    }

    @Test(
        "Of each kind: what is not changed is as it was and where it was, and Python reads all of it",
        arguments: [
            "zip", "methods", "streamed", "before", "tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst", "sparse",
            "tar.gz.gz", "tar.gz.xz",
        ])
    func kinds(kind: String) throws {
        let folder = try TemporaryFolder(), name = kind.hasPrefix("tar") || kind == "sparse" ? "mail.tar" : "mail.zip"
        let path = try archive(kind, "notes-legacy.xcappdata", in: folder, name), dump = try opened(path)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let summary = try workspace(dump, in: folder, Self.edits).export(to: folder("out"))
        #expect(summary.rewritten.count == 1 && summary.added.count == 1 && summary.removed.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("out")) == [name])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        let made = try opened(folder("out/" + name)), app = try made.container(nil)
        #expect(app.state(of: "rs_user_id", in: Self.own).value == .string("somebody else"))
        let documents = StoreID.files("Documents")
        #expect(app.state(of: "new/caf\u{E9}.txt", in: documents).value?.data == Data("new".utf8))
        #expect(app.state(of: "inbox/2024-08-30.txt", in: documents) == .absent)
        let touched = summary.rewritten + summary.added + summary.removed
        for item in dump.files.items().items where !touched.contains(item.path.text) {
            // A folder that is not listed goes with what is in it.
            if item.kind != .folder { #expect(try made.files.item(at: item.path) == item) }
            if item.kind == .file {
                #expect(try made.files.bytes(at: item.path) == dump.files.bytes(at: item.path))
            }
        }
        // Python of this age has no zstd.
        guard kind != "tar.zst" else { return }
        func isTouched(_ line: String) -> Bool { touched.contains { line.contains($0) } }
        let old = try members(path), new = try members(folder("out/" + name))
        #expect(new.filter { !isTouched($0) } == old.filter { !isTouched($0) })
        #expect(new.count == old.count)
        // One that is changed stands where it stood: as many of the others before it, but for the one that is gone.
        func place(_ lines: [String]) -> Int? {
            lines.filter { !$0.contains("inbox/2024") }.firstIndex { $0.contains(summary.rewritten[0]) }
        }
        #expect(place(old) != nil && place(new) == place(old))
        #expect(new.last?.contains("new/caf\u{E9}.txt") == true)
    }

    @Test(
        "What a password protects is not written without it: refused with the way out, and what it does not protect is")
    func protected() throws {
        let folder = try TemporaryFolder(), secret = [DumpSecret.password("test")]
        let locked = try opened(try archive("locked", "notes-legacy.xcappdata", in: folder, "locked.zip"), secret)
        let workspace = try workspace(locked, in: folder, [Self.edits[0]])
        do {
            try workspace.export(to: folder("out"))
            Issue.record("it is written")
        } catch {
            #expect(
                "\(error)".contains("protected by a password") && "\(error)".contains("by their own names"), "\(error)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder("out")))
        try workspace.export(to: folder("out"), unpacked: true)
        #expect(
            try opened(folder("out")).container(nil).state(of: "rs_user_id", in: Self.own).value
                == .string("somebody else"))
        let part = try TemporaryFolder(), partly = try archive("partly", "notes-legacy.xcappdata", in: part, "mail.zip")
        try self.workspace(try opened(partly), in: part, [Self.edits[0]]).export(to: part("out"))
        let made = try opened(part("out/mail.zip"), secret).container(nil)
        #expect(made.state(of: "rs_user_id", in: Self.own).value == .string("somebody else"))
        #expect(made.state(of: "welcome.json", in: .files("Documents")).value != nil)
    }

    @Test("Unpacked, what has a name that no file system has is left out, named, and the rest is written")
    func longNames() throws {
        let folder = try TemporaryFolder(), long = String(repeating: "n", count: 300)
        _ = try python([
            "-c",
            """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1], "w") as archive:
                for name in sys.argv[2:]: archive.writestr("a.xcappdata/AppData/" + name, b"x")
                archive.writestr("a.xcappdata/AppData/Library/Preferences/com.acme.notes.plist",
                                 b"<plist><dict><key>k</key><string>v</string></dict></plist>")
            """, folder("mail.zip"), "Documents/\(long)", "Documents/\(long).d/in it",
            "Documents/short",
        ])
        let dump = try opened(folder("mail.zip")),
            added = (Address(store: .files("Documents"), key: "new"), Value.data(Data()))
        let workspace = try workspace(dump, in: folder, [added])
        let summary = try workspace.export(to: folder("out"), unpacked: true)
        let left = summary.skipped.map { "\($0.path.suffix(8)): \($0.reason)" }
        #expect(
            left.sorted() == [
                "nnnnnn.d: its name has 302 bytes, and file systems allow 255, so that neither it nor what is in it is written",
                "nnnnnnnn: its name has 300 bytes, and file systems allow 255",
            ], "\(left)")
        let app = try opened(folder("out")).container(nil)
        #expect(app.state(of: "short", in: .files("Documents")).value != nil)
        #expect(app.state(of: "new", in: .files("Documents")).value != nil)
        // What a step has changed is never left out.
        let other = try TemporaryFolder()
        let changed = try self.workspace(
            dump, in: other, [(Address(store: .files("Documents"), key: Name(long)), .data(Data([1])))])
        #expect(throws: WorkspaceError.self) { try changed.export(to: other("out"), unpacked: true) }
        #expect(!FileManager.default.fileExists(atPath: other("out")))
    }

    @Test(
        "Beside a property list by itself in an archive a step's new file is put in, and never over another's",
        arguments: ["zip", "tar"])
    func loneListInArchive(kind: String) throws {
        let folder = try TemporaryFolder(), name = "com.acme.notes.plist", list = "made/mail/" + name
        let domain = Places.fixture("notes-legacy.xcappdata/AppData/Library/Preferences/" + name)
        try folder.write(list, try Data(contentsOf: URL(fileURLWithPath: domain)))
        try folder.write("made/mail/other.suite.plist", Data("<plist><dict/></plist>".utf8))
        try Archives.write(kind, to: folder("in." + kind), of: folder("made/mail"))
        func export(_ suite: Name, to target: String) throws -> ExportSummary {
            let path = folder("in.\(kind)/mail/\(name)")
            let workspace = try Workspace.open(dump: Dump.open(path), ledger: .file(folder(target + ".ledger")))
            let migration = EditsMigration(edits: [(.defaults(suite, "k"), .string("new")), Self.edits[0]])
            try workspace.apply(.all, of: migration, profile: migration.profiles[0], stamp: .test)
            return try workspace.export(to: folder(target))
        }
        _ = try export("new.suite", to: "out")
        let found = try Dump.open(folder("out/in.\(kind)/mail/new.suite.plist")).container(nil)
        #expect(found.state(of: "k", in: .defaults("new.suite")) == .present(.string("new")))
        let own = try Dump.open(folder("out/in.\(kind)/mail/\(name)")).container(nil)
        #expect(own.state(of: "rs_user_id", in: Self.own) == .present(.string("somebody else")))
        #expect(throws: WorkspaceError.self) { _ = try export("other.suite", to: "refused") }
        #expect(folder.status("refused") == nil)
    }

    @Test("A database by itself is exported with its log")
    func loneDatabase() throws {
        let folder = try TemporaryFolder(), queue = try DatabaseQueue(path: folder("notes.sqlite"))
        try queue.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (7)")
        }
        let dump = try opened(folder("notes.sqlite"))
        try workspace(dump, in: folder, []).export(to: folder("out"))
        try queue.close()
        let app = try opened(folder("out/notes.sqlite")).container(nil)
        #expect(app.state(of: "1", in: SQLiteTable("t", of: "notes.sqlite", in: "Files").store).value != nil)
    }

    @Test("A backup in a zip is put back into the backup, and that into the zip; so is a zip in a tar")
    func nested() throws {
        let folder = try TemporaryFolder(), zip = try archive("zip", "backup-encrypted", in: folder, "mail.zip")
        let edit = (Address.defaults("com.acme.notes.editor", "zoom"), Optional(Value.integer(7)))
        let secrets = [DumpSecret.password("test")]
        try workspace(try opened(zip, secrets), in: folder, app: "com.acme.notes", [edit]).export(to: folder("out"))
        let made = try opened(folder("out/mail.zip"), secrets).container("com.acme.notes")
        #expect(made.state(of: "zoom", in: .defaults("com.acme.notes.editor")).value == .integer(7))
        #expect(made.state(of: "rs_user_id", in: Self.own).value == .string("u-42"))
        #expect(made.storeWarnings() == (try opened(zip, secrets).container("com.acme.notes").storeWarnings()))
        let other = try TemporaryFolder(), inner = try archive("zip", "notes-legacy.xcappdata", in: other, "inner.zip")
        try Archives.write("tar.gz", to: other("outer.tar.gz"), of: inner)
        try workspace(try opened(other("outer.tar.gz")), in: other, Self.edits).export(to: other("out"))
        let app = try opened(other("out/outer.tar.gz")).container(nil)
        #expect(app.state(of: "rs_user_id", in: Self.own).value == .string("somebody else"))
        #expect(app.state(of: "new/caf\u{E9}.txt", in: .files("Documents")).value != nil)
    }
}
