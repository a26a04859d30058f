import Crypto
import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Testing
import TestSupport

@testable import DeviceDump

@Suite("What a backup's manifest says of its files")
struct BackupManifestTests {
    private let documents = StoreID.files("Documents")

    /// The archives in the rows of a fixture's manifest.
    private func archives() throws -> [Data] {
        let database = try DatabaseFile(
            "Manifest.db", in: try FolderFiles(opening: Places.fixture("backup")), OpeningControl())
        let plain = try database.read { db in try Data.fetchAll(db, sql: "SELECT file FROM Files") }
        let keyed = BackupArchives.described(size: 12, key: Data(1...44))
        return plain + [keyed]
    }

    @Test("single fields of an archive are what the whole of it says, also where it is damaged")
    func fields() throws {
        let limits = Limits(depth: 32, nodes: 10_000, bytes: 1 << 20)
        let names: [StaticString] = ["Size", "Mode", "LastModified", "ProtectionClass", "Target", "EncryptionKey"]
        var generator = SeededGenerator(seed: 71), compared = 0, refused = 0
        for archive in try archives() {
            for round in 0..<200 {
                var bytes = archive
                for _ in 0..<(round == 0 ? 0 : round % 3 + 1) {
                    bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: generator.next())
                }
                if round % 20 == 19 { bytes = bytes.prefix(Int(generator.next() % UInt64(bytes.count))) }
                guard let whole = try? KeyedArchive.decode(BinaryPropertyList(bytes).value(), limits: limits),
                    case .object(let object) = whole
                else {
                    // Broken somewhere; what is read of it may be whole all the same.
                    _ = try? KeyedArchiveRoot(bytes).value(of: "Size")
                    refused += 1
                    continue
                }
                let fields = try KeyedArchiveRoot(bytes)
                for name in names {
                    switch object.fields[Name("\(name)")] {
                    case nil, .null?: #expect(try fields.value(of: name) == nil)
                    case .integer(let number)?: #expect(try fields.value(of: name) == .integer(number))
                    case .string(let text)?: #expect(try fields.value(of: name) == .string(text))
                    case .data(let data)?: #expect(try fields.value(of: name) == .data(data))
                    case _?: continue
                    }
                    compared += 1
                }
            }
        }
        #expect(compared > 1000 && refused > 100)
    }

    @Test("an archive whose objects refer to one another for ever, or out of it, is refused or read at once")
    func hostileArchive() throws {
        func archive(_ objects: [Value], root: Value) throws -> Data {
            try BinaryPropertyList.write(
                .dictionary([
                    "$objects": .array(objects), "$top": .dictionary(["root": root]), "$version": .integer(100_000),
                ]))
        }
        #expect(throws: FormatError.self) { try KeyedArchiveRoot(archive([.string("$null")], root: .uid(7))) }
        #expect(throws: FormatError.self) { try KeyedArchiveRoot(archive([.string("$null")], root: .uid(0))) }
        let cycle = try KeyedArchiveRoot(
            archive(
                [.string("$null"), .dictionary(["Size": .uid(1), "Mode": .uid(2), "Flags": .uid(99)]), .uid(2)],
                root: .uid(1)))
        #expect(try cycle.value(of: "Size") == nil)
        #expect(try cycle.value(of: "Mode") == .uid(2))
        #expect(throws: FormatError.self) { try cycle.value(of: "Flags") }
    }

    @Test("the name of a payload is forty small hexadecimal digits, and nothing else")
    func payloadNames() throws {
        let digits = "0123456789abcdef0123456789abcdef01234567"
        #expect(PayloadName(digits.utf8)?.digits == Array(digits.utf8))
        for bad in ["", String(digits.dropLast()), digits + "0", digits.uppercased(), "../" + digits.dropFirst(3)] {
            #expect(PayloadName(bad.utf8) == nil, "\(bad)")
        }
    }

    @Test("a backup says the same where no more than one domain is kept in memory")
    func kept() throws {
        let files = try FolderFiles(opening: Places.fixture("backup"))
        let database = try DatabaseFile("Manifest.db", in: files, OpeningControl())
        let all = try BackupManifest(database, "Manifest.db", OpeningControl())
        let few = try BackupManifest(database, "Manifest.db", limits: .init(kept: 1), OpeningControl())
        for _ in 0..<2 {
            for domain in all.domains {
                #expect(try all.tree(of: domain).children == few.tree(of: domain).children)
                #expect(Set(try all.tree(of: domain).entries.keys) == Set(try few.tree(of: domain).entries.keys))
            }
        }
    }

    @Test(
        "a file that is said to be readable is one that reading gives, without being read",
        arguments: ["backup", "backup-encrypted", "backup-old", "backup-broken", "backup-hostile"])
    func readable(fixture: String) throws {
        let tree = try BackupTests.copy(fixture)
        // One that its owner alone may read, and one that nobody may.
        let payloads = ["Documents/sixteen.txt", "Documents/welcome.json"].map {
            BackupTests.payload("AppDomain-com.acme.notes", $0)
        }
        if fixture != "backup-old" {
            chmod(tree.at("backup/" + payloads[0]), 0o600)
            chmod(tree.at("backup/" + payloads[1]), 0)
        }
        let dump: Dump
        switch try Dump.opening(tree.at("backup")) {
        case .opened(let opened): dump = opened
        case .locked(let locked): dump = try locked.opened(with: .password("test"))
        }
        var count = 0
        for container in dump.containers {
            for store in container.stores where store.kind == .file {
                let keys = container.keys(in: store)
                for key in (0..<keys.count).map(keys.key) {
                    let type = container.typeName(of: key, in: store)
                    #expect(type == container.state(of: key, in: store).value?.typeName, "\(store) \(key)")
                    count += 1
                }
            }
        }
        #expect(count > 3)
    }

    // MARK: What is damaged

    /// A backup of iOS 9 whose manifest ends after a part of its bytes.
    private func cut(to part: Double) throws -> TemporaryTree {
        let tree = try BackupTests.copy("backup-old")
        let path = tree.at("backup/Manifest.mbdb"), data = try Data(contentsOf: URL(fileURLWithPath: path))
        try tree.file("backup/Manifest.mbdb", data.prefix(Int(part * Double(data.count))))
        return tree
    }

    @Test(
        "what lies behind the cut of a Manifest.mbdb is unknown, never absent", arguments: [0.2, 0.35, 0.5, 0.8, 0.99])
    func cutManifest(part: Double) throws {
        let tree = try cut(to: part), whole = try Dump.open(Places.fixture("backup-old"))
        let dump = try Dump.open(tree.at("backup"))
        guard case .unreadable(let reason)? = dump.warnings.first(where: { $0.path == "Manifest.mbdb" })?.problem else {
            Issue.record("\(dump.warnings)")
            return
        }
        #expect(reason.cause == .corrupt)
        for container in whole.containers where container.kind == .app {
            guard let found = dump.containers.first(where: { $0.identifier == container.identifier }) else { continue }
            for store in container.stores + [.files("Caches"), .defaults("group.com.acme.notes")] {
                let keys = container.keys(in: store)
                for key in (0..<keys.count).map(keys.key) + ["never.txt"] {
                    let expected = container.state(of: key, in: store), state = found.state(of: key, in: store)
                    if state == expected, state != .absent { continue }
                    // A key that is not in a list that is read is not there.
                    if store.kind == .defaults, found.problem(with: store) == nil, state == expected { continue }
                    guard case .unreadable = state else {
                        Issue.record("\(store) \(key): \(state)")
                        continue
                    }
                }
                guard store.kind == .file else { continue }
                #expect((found.problem(with: store) ?? found.keys(in: store).problem(under: "")) != nil, "\(store)")
            }
        }
    }

    @Test("a migration that looks for what may lie behind the cut is unknown, and not without a find")
    func cutApplicability() throws {
        let tree = try cut(to: 0.2), dump = try Dump.open(tree.at("backup"))
        let app = try #require(dump.containers.first { $0.kind == .app })
        #expect(app.problem(with: .defaults("group.com.other")) != nil)
        #expect(app.keys(in: documents).problem(under: "") != nil)
        #expect(throws: DumpError.self) { try dump.files.item(at: "AppDomainGroup-nothing/x") }
    }

    @Test("a Manifest.mbdb of another version is read, with a remark")
    func otherVersion() throws {
        let tree = try BackupTests.copy("backup-old"), path = tree.at("backup/Manifest.mbdb")
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        data[4] = 6
        try tree.file("backup/Manifest.mbdb", data)
        let dump = try Dump.open(tree.at("backup"))
        #expect(dump.warnings.contains(DumpWarning("Manifest.mbdb", .otherVersion("6.0", known: "5.0"))))
        #expect(try dump.container("com.acme.notes").stores.contains(documents))
    }

    @Test("a page of Manifest.db that cannot be read makes nothing absent", .timeLimit(.minutes(10)))
    func damagedPage() throws {
        let tree = try BackupTests.copy("backup"), path = tree.at("backup/Manifest.db")
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let size = Int(data[16]) << 8 | Int(data[17])
        let whole = try Dump.open(Places.fixture("backup")).container("com.acme.notes")
        var opened = 0, unknown = 0
        for page in 1..<data.count / size {
            var bytes = data
            // No page is of this type.
            bytes[page * size] = 0xEE
            try tree.file("backup/Manifest.db", bytes)
            guard let dump = try? Dump.open(tree.at("backup")), let app = try? dump.container("com.acme.notes") else {
                continue
            }
            opened += 1
            for store in whole.stores where store.kind != .keychain {
                let keys = whole.keys(in: store)
                for key in (0..<keys.count).map(keys.key) {
                    let state = app.state(of: key, in: store)
                    if state == whole.state(of: key, in: store) { continue }
                    guard case .unreadable(let reason) = state else {
                        Issue.record("page \(page + 1), \(store) \(key): \(state)")
                        continue
                    }
                    #expect(reason.cause == .corrupt)
                    unknown += 1
                }
            }
        }
        #expect(opened > 0 && unknown > 0)
    }

    // MARK: Rows that are not as a device writes them

    /// The fixture's backup with a manifest that was changed.
    private func changed(_ change: (Database) throws -> Void) throws -> TemporaryTree {
        let tree = try BackupTests.copy("backup"), queue = try DatabaseQueue(path: tree.at("backup/Manifest.db"))
        try queue.writeWithoutTransaction(change)
        try queue.close()
        return tree
    }

    private let own = StoreID.defaults("com.acme.notes")
    private static let list = "Library/Preferences/com.acme.notes.plist"

    @Test("an index that lacks rows of the manifest hides no file and no app, and is told")
    func tornIndex() throws {
        let whole = try Dump.open(Places.fixture("backup"))
        let tree = try changed { db in
            // The index is that of an empty table.
            try db.execute(sql: "CREATE TABLE e (x TEXT); CREATE INDEX ei ON e(x)")
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'ei')
                    WHERE name = 'FilesDomainIdx'
                    """)
        }
        let dump = try Dump.open(tree.at("backup")), app = try dump.container("com.acme.notes")
        #expect(dump.warnings == [DumpWarning("Manifest.db", .tornIndex)] + whole.warnings)
        #expect(dump.containers.map(\.identifier) == whole.containers.map(\.identifier))
        #expect(app.state(of: "rs_user_id", in: own).value == .string("u-42"))
        #expect(app.keys(in: documents).names == (try whole.container("com.acme.notes").keys(in: documents).names))
    }

    @Test("a manifest in UTF-16 says the same", arguments: ["UTF-16le", "UTF-16be"])
    func otherEncoding(encoding: String) throws {
        let tree = try BackupTests.copy("backup"), file = tree.at("backup/Manifest.db")
        let rows = try DatabaseQueue(path: file).read { db in try Row.fetchAll(db, sql: "SELECT * FROM Files") }
        try FileManager.default.removeItem(atPath: file)
        let queue = try DatabaseQueue(path: file)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA encoding = \"\(encoding)\"")
            try db.execute(
                sql:
                    "CREATE TABLE Files (fileID TEXT PRIMARY KEY, domain TEXT, relativePath TEXT, flags INTEGER, file BLOB)"
            )
            for row in rows {
                try db.execute(
                    sql: "INSERT INTO Files VALUES (?, ?, ?, ?, ?)",
                    arguments: StatementArguments(Array(row.databaseValues)))
            }
        }
        try queue.close()
        let whole = try Dump.open(Places.fixture("backup")), dump = try Dump.open(tree.at("backup"))
        #expect(dump.warnings == whole.warnings)
        for (one, other) in zip(dump.containers, whole.containers) {
            #expect(one.identifier == other.identifier && one.stores == other.stores)
            for store in one.stores { #expect(one.keys(in: store).names == other.keys(in: store).names) }
        }
        #expect(try dump.container("com.acme.notes").state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test("a content that is named after another file, or that two rows name, is not taken for a file's, nor changed")
    func contentOfAnother() throws {
        let timer = BackupTests.payload("AppDomain-com.acme.timer", "Library/Preferences/com.acme.timer.plist")
        let name = String(timer.dropFirst(3))
        // Without the primary key both rows may name it.
        for isShared in [true, false] {
            let tree = try changed { db in
                try db.execute(
                    sql: """
                        CREATE TABLE F2 (fileID TEXT, domain TEXT, relativePath TEXT, flags INTEGER, file BLOB);
                        INSERT INTO F2 SELECT * FROM Files; DROP TABLE Files; ALTER TABLE F2 RENAME TO Files
                        """)
                if !isShared {
                    try db.execute(
                        sql: "UPDATE Files SET fileID = ? WHERE fileID = ?",
                        arguments: [String(repeating: "e", count: 40), name])
                }
                try db.execute(
                    sql: "UPDATE Files SET fileID = ? WHERE relativePath = ?", arguments: [name, Self.list])
            }
            let dump = try Dump.open(tree.at("backup")), app = try dump.container("com.acme.notes")
            let path = "AppDomain-com.acme.notes/" + Self.list
            let reason = Unreadable(DumpError(path, .payloadOfAnother(timer)))
            #expect(app.problem(with: own) == reason)
            #expect(app.storeWarnings().contains(DumpWarning(path, .unreadable(reason))))
            #expect(
                (try dump.container("com.acme.timer").problem(with: .defaults("com.acme.timer")) == nil) == isShared)
            let file = try #require(DumpPath(path))
            #expect(throws: DumpError(path, .payloadOfAnother(timer))) {
                try (dump.files as? BackupFiles)?.packing([FileChange(file, to: Data())], at: 0)
            }
        }
    }

    @Test("a content under a name that no device gives is read, and told")
    func otherNames() throws {
        let name = String(repeating: "e", count: 40),
            payload = BackupTests.payload("AppDomain-com.acme.notes", Self.list)
        let tree = try changed { db in
            try db.execute(sql: "UPDATE Files SET fileID = ? WHERE relativePath = ?", arguments: [name, Self.list])
        }
        try tree.file("backup/ee/" + name, try Data(contentsOf: URL(fileURLWithPath: tree.at("backup/" + payload))))
        let app = try Dump.open(tree.at("backup")).container("com.acme.notes")
        #expect(app.state(of: "rs_user_id", in: own).value == .string("u-42"))
        let path = "AppDomain-com.acme.notes/" + Self.list
        #expect(app.storeWarnings().contains(DumpWarning(path, .otherPayloadNames(count: 1))))
    }

    @Test("a content that has another digest than the manifest says is read, and told", arguments: [true, false])
    func digest(isRight: Bool) throws {
        let payload = BackupTests.payload("AppDomain-com.acme.notes", Self.list), whole = try BackupTests.copy("backup")
        let content = try Data(contentsOf: URL(fileURLWithPath: whole.at("backup/" + payload)))
        let objects: [Value] = [
            .string("$null"),
            .dictionary([
                "Size": .integer(Int128(content.count)), "Mode": .integer(0o100644),
                "Digest": .data(isRight ? Data(Insecure.SHA1.hash(data: content)) : Data(count: 20)),
            ]),
        ]
        let archive = try BinaryPropertyList.write(
            .dictionary([
                "$archiver": .string("NSKeyedArchiver"), "$objects": .array(objects),
                "$top": .dictionary(["root": .uid(1)]), "$version": .integer(100_000),
            ]))
        let tree = try changed { db in
            try db.execute(sql: "UPDATE Files SET file = ? WHERE relativePath = ?", arguments: [archive, Self.list])
        }
        let app = try Dump.open(tree.at("backup")).container("com.acme.notes")
        #expect(app.state(of: "rs_user_id", in: own).value == .string("u-42"))
        let told = DumpWarning("AppDomain-com.acme.notes/" + Self.list, .otherDigest)
        #expect(app.fileWarnings(of: .defaults("com.acme.notes", "rs_user_id")).contains(told) == !isRight)
    }

    @Test("a manifest whose rows have a number of another kind is refused")
    func numbers() throws {
        let tree = try changed { db in
            try db.execute(sql: "ALTER TABLE Files ADD COLUMN rowid TEXT; UPDATE Files SET rowid = 30 - _rowid_")
        }
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("backup")) }
        #expect("\(error as Any)".contains("does not number its rows"), "\(error as Any)")
    }

    @Test("a digest is written back in its own length, and another is refused")
    func digestLength() throws {
        func rewritten(_ length: Int) throws -> Value? {
            let objects: [Value] = [
                .string("$null"),
                .dictionary(["Size": .integer(1), "Mode": .integer(0o100644), "Digest": .data(Data(count: length))]),
            ]
            let archive = try BinaryPropertyList.write(
                .dictionary([
                    "$archiver": .string("NSKeyedArchiver"), "$objects": .array(objects),
                    "$top": .dictionary(["root": .uid(1)]), "$version": .integer(100_000),
                ]))
            let written = try BackupRecord.rewritten(archive, size: 1, time: 0, stored: Data("x".utf8))
            return try KeyedArchiveRoot(written).value(of: "Digest")
        }
        #expect(try rewritten(20) == .data(Data(Insecure.SHA1.hash(data: Data("x".utf8)))))
        #expect(try rewritten(32) == .data(Data(SHA256.hash(data: Data("x".utf8)))))
        #expect(throws: FormatError.self) { try rewritten(16) }
    }

    @Test("an export of the keychain in the folder of a backup that has none is read")
    func keychainWithin() throws {
        let tree = try changed { db in try db.execute(sql: "DELETE FROM Files WHERE domain = 'KeychainDomain'") }
        #expect(try Dump.open(tree.at("backup")).keychain == nil)
        try FileManager.default.copyItem(
            atPath: Places.fixture("shop-healthy.xcappdata/keychain.json"), toPath: tree.at("backup/keychain.json"))
        #expect(try Dump.open(tree.at("backup")).keychain?.path == tree.at("backup/keychain.json"))
    }
}

/// Archived descriptions of files, as a backup's manifest has them.
enum BackupArchives {
    /// An `MBFile` with a key.
    static func described(size: Int, key: Data) -> Data {
        let objects: [Value] = [
            .string("$null"),
            .dictionary([
                "$class": .uid(4), "Size": .integer(Int128(size)), "Mode": .integer(0o100644),
                "LastModified": .integer(1_725_000_000), "ProtectionClass": .integer(4), "EncryptionKey": .uid(2),
                "Target": .uid(0),
            ]),
            .dictionary(["$class": .uid(5), "NS.data": .uid(3)]), .data(key),
            .dictionary([
                "$classname": .string("MBFile"), "$classes": .array([.string("MBFile"), .string("NSObject")]),
            ]),
            .dictionary([
                "$classname": .string("NSMutableData"),
                "$classes": .array([.string("NSMutableData"), .string("NSData"), .string("NSObject")]),
            ]),
        ]
        let archive = Value.dictionary([
            "$archiver": .string("NSKeyedArchiver"), "$objects": .array(objects),
            "$top": .dictionary(["root": .uid(1)]), "$version": .integer(100_000),
        ])
        return (try? BinaryPropertyList.write(archive)) ?? Data()
    }
}
