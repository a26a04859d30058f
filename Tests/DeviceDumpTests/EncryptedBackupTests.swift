import Crypto
import CryptoExtras
import Foundation
import GRDB
import MigrationEngine
import StoreFormats
import Synchronization
import SystemPackage
import Testing
import TestSupport

@testable import DeviceDump

@Suite("An encrypted backup")
struct EncryptedBackupTests {
    private let own = StoreID.defaults("com.acme.notes")

    private func locked(_ path: String, roundsLimit: Int = OpeningLimits.Name.rounds.standard) throws -> LockedDump {
        guard case .locked(let locked) = try Dump.opening(path, OpeningOptions(limits: .init([.rounds: roundsLimit])))
        else {
            throw DumpError(path, .notRecognised)
        }
        return locked
    }

    private func opened(_ name: String = "backup-encrypted") throws -> Dump {
        try locked(Places.fixture(name)).opened(with: .password("test"))
    }

    private func problem(_ path: String, _ secret: DumpSecret = .password("test"), roundsLimit: Int = 50_000_000)
        -> DumpError.Problem?
    {
        do {
            _ = try locked(path, roundsLimit: roundsLimit).opened(with: secret)
            return nil
        } catch {
            return (error as? DumpError)?.problem
        }
    }

    /// A copy of the fixture whose Manifest.plist has other entries.
    private func copy(_ changes: [String: Any?] = [:]) throws -> TemporaryTree {
        let tree = try BackupTests.copy("backup-encrypted"), path = tree.at("backup/Manifest.plist")
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        var list = try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        for (key, value) in changes { list[key] = value }
        try tree.list("backup/Manifest.plist", list)
        return tree
    }

    private func bag() throws -> Data {
        let data = try Data(contentsOf: URL(fileURLWithPath: Places.fixture("backup-encrypted/Manifest.plist")))
        let list = try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        return try #require(list["BackupKeyBag"] as? Data)
    }

    @Test(
        "it is locked, and with its password holds what the plain one does",
        arguments: ["backup-encrypted", "backup-old-encrypted"])
    func same(name: String) throws {
        #expect(throws: DumpError(Places.fixture(name), .locked)) { try Dump.open(Places.fixture(name)) }
        let encrypted = try opened(name), plain = try Dump.open(Places.fixture("backup"))
        #expect(encrypted.kind == .backup && encrypted.warnings.allSatisfy { $0.path.contains("eychain") })
        let app = try encrypted.container("com.acme.notes"), other = try plain.container("com.acme.notes")
        #expect(app.contents.stores == other.contents.stores)
        for store in other.contents.stores {
            let keys = other.keys(in: store)
            #expect(app.keys(in: store).count == keys.count)
            for position in 0..<keys.count {
                let key = keys.key(at: position)
                #expect(app.state(of: key, in: store) == other.state(of: key, in: store), "\(store) \(key)")
            }
        }
        #expect(app.contents.storeWarnings() == other.contents.storeWarnings())
        #expect(app.contents.files.problems(below: .root).isEmpty)
    }

    @Test("wrong password, wrong key, another backup's manifest and a damaged keybag are four messages")
    func messages() throws {
        let path = Places.fixture("backup-encrypted")
        #expect(problem(path, .password("tset")) == .wrongPassword)
        #expect(problem(path, .password("")) == .wrongPassword)
        #expect(problem(path, .key(Data(count: 32))) == .wrongKey)
        #expect(problem(path, .key(Data(count: 3))) == .wrongKey)
        let foreign = try copy()
        try FileManager.default.removeItem(atPath: foreign.at("backup/Manifest.db"))
        let other = (0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 3) }
        try foreign.file("backup/Manifest.db", Data(other))
        #expect(problem(foreign.at("backup")) == .foreignManifest)
        for damage in [Data(), Data("VERS".utf8), try bag().prefix(100), try bag().prefix(300)] {
            let tree = try copy(["BackupKeyBag": damage])
            guard case .damagedKeybag? = problem(tree.at("backup")) else {
                Issue.record("\(damage.count) bytes are taken for a keybag")
                continue
            }
        }
        let none = try copy(["BackupKeyBag": nil])
        guard case .damagedKeybag? = problem(none.at("backup")) else {
            Issue.record("a bag that is missing is not damaged")
            return
        }
    }

    @Test("what has a key for its manifest, and a manifest that is no database, is encrypted, whatever it says")
    func withoutWord() throws {
        let tree = try copy(["IsEncrypted": nil])
        guard case .locked(let locked) = try Dump.opening(tree.at("backup")) else {
            Issue.record("it is not locked")
            return
        }
        #expect(try locked.opened(with: .password("test")).containers.count > 1)
    }

    @Test("a content that is encrypted in a backup that does not say so is locked, and never taken for what it is not")
    func sealedContents() throws {
        let tree = try BackupTests.copy("backup-old-encrypted")
        let list = try PropertyListFile(Data(contentsOf: URL(fileURLWithPath: tree.at("backup/Manifest.plist"))))
        try tree.file("backup/Manifest.plist", try list.rewriting([("IsEncrypted", nil)]))
        let app = try Dump.open(tree.at("backup")).container("com.acme.notes")
        let place = Address(store: .files("Documents"), key: "welcome.json")
        for state in [app.state(at: place), app.state(of: "rs_user_id", in: .defaults("com.acme.notes"))] {
            guard case .unreadable(let reason) = state else {
                Issue.record("it is \(state)")
                continue
            }
            #expect(reason.cause == .locked && reason.explanation.contains("is encrypted with a key"))
        }
        #expect(app.storeWarnings().contains { "\($0)".contains("is encrypted with a key") })
        #expect(app.typeName(of: "welcome.json", in: place.store) == nil)
    }

    @Test("a keybag that is cut anywhere, or has absurd lengths, is an error and nothing worse")
    func hostileBag() throws {
        let bag = try bag()
        for length in 0..<bag.count { _ = try? Keybag(bag.prefix(length)) }
        for position in stride(from: 4, to: bag.count - 4, by: 3) {
            var bytes = bag
            bytes.replaceSubrange(position..<position + 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
            _ = try? Keybag(bytes)
        }
        #expect(throws: Keybag.Damage.self) { try Keybag(Data(count: 2 << 20)) }
    }

    @Test("a keybag that says in part how the key is derived is damaged, and no password is blamed")
    func partOfDerivation() throws {
        for (tag, bytes) in [("DPIC", Data(count: 4)), ("ITER", Data(count: 4)), ("SALT", nil), ("DPSL", nil)] {
            var bag = try bag()
            let place = try #require(bag.range(of: Data(tag.utf8))).upperBound
            let length = Int(bag[place + 3])
            bag.replaceSubrange(place..<place + 4 + length, with: bytes.map { [0, 0, 0, 4] + $0 } ?? Data(count: 4))
            let error = #expect(throws: Keybag.Damage.self) { try Keybag(bag) }
            #expect(try #require(error).words.contains(tag))
        }
    }

    @Test("absurd rounds are refused with the limit, which a person can raise")
    func rounds() throws {
        var bag = try bag()
        let place = try #require(bag.range(of: Data("DPIC".utf8))).upperBound + 4
        bag.replaceSubrange(place..<place + 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
        let tree = try copy(["BackupKeyBag": bag])
        #expect(problem(tree.at("backup")) == .tooManyRounds(4_294_968_295, limit: 50_000_000))
        #expect(problem(Places.fixture("backup-encrypted"), roundsLimit: 2999) == .tooManyRounds(3000, limit: 2999))
        #expect(problem(Places.fixture("backup-encrypted"), roundsLimit: 3000) == nil)
    }

    @Test("deriving says how far it is, and is given up at once when it is stopped", .timeLimit(.minutes(10)))
    func stopped() throws {
        var bag = try bag()
        let place = try #require(bag.range(of: Data("DPIC".utf8))).upperBound + 4
        // A few seconds' worth: the test ends long before.
        bag.replaceSubrange(place..<place + 4, with: [0, 0x98, 0x96, 0x80])
        let keybag = try Keybag(bag), reached = Mutex<[Int]>([])
        let control = OpeningControl(
            progress: { progress in
                #expect(progress.phase == .unlocking && progress.total == 10_001_000)
                reached.withLock { $0.append(progress.done) }
            }, isCancelled: { reached.withLock { ($0.last ?? 0) > 0 } })
        let error = #expect(throws: DumpError.self) {
            try keybag.derivedKey(from: "test", limit: 50_000_000, at: "x", control)
        }
        #expect(error?.problem == .cancelled)
        let seen = reached.withLock { $0 }
        #expect(seen == seen.sorted() && (seen.last ?? 0) < 10_000_000)
    }

    @Test("a key derived on a thread is the one that is derived at once")
    func thread() throws {
        // More rounds than the sample has, so that the thread makes the key.
        let salt = Data("salt".utf8), bag = try bag()
        var changed = bag
        let place = try #require(bag.range(of: Data("DPIC".utf8))).upperBound + 4
        changed.replaceSubrange(place..<place + 4, with: [0, 0, 0x61, 0xA8])
        let keybag = try Keybag(changed)
        #expect(keybag.first?.rounds == 25_000 && !salt.isEmpty)
        let key = try keybag.derivedKey(from: "test", limit: 1_000_000, at: "x", OpeningControl())
        // By Python's hashlib, with the salts of the fixture.
        #expect(Hexadecimal.text(key) == "ae95285c24fd1a974d9cbf83a26c60202df0504b7f14f32a2d0aa7cd20410006")
    }

    @Test("the derived key opens it again without the password, and reopening asks nothing")
    func key() throws {
        let dump = try opened(), key = try #require(dump.derivedKey)
        #expect(key.count == 32)
        let other = try locked(Places.fixture("backup-encrypted")).opened(with: .key(key))
        #expect(other.containers.map(\.identifier) == dump.containers.map(\.identifier))
        let reopened = try dump.reopened()
        #expect(reopened.derivedKey == key)
        #expect(try reopened.container("com.acme.notes").state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test("a file of a class that stays in the device is locked, never missing and never a wrong password")
    func deviceClass() throws {
        let bag = try Keybag(try bag())
        let derived = try #require(try opened().derivedKey), keys = try #require(BackupKeys(bag, with: derived))
        for number in [UInt32(5), 9, 10, 11] {
            #expect(throws: BackupKeys.Failure.lockedToDevice) { try keys.unwrap(Data(count: 40), class: number) }
        }
        #expect(throws: BackupKeys.Failure.noClass) { try keys.unwrap(Data(count: 40), class: 77) }
        #expect(throws: BackupKeys.Failure.damaged) { try keys.unwrap(Data(count: 40), class: 4) }

        guard case .locked(let locked) = try Dump.opening(Places.fixture("backup-device-classes")) else {
            Issue.record("it is not locked")
            return
        }
        let dump = try locked.opened(with: .password("test")), app = try dump.container("com.acme.notes")
        let documents = StoreID.files("Documents"), names = app.keys(in: documents).names.map(\.text)
        for (name, cause, words) in [
            ("device-5.txt", Unreadable.Cause.locked, "is locked (device key)"),
            ("device-11.txt", .locked, "its class, 11"),
            ("unknown-77.txt", .corrupt, "no key of its class, 77"), ("damaged.txt", .corrupt, "its key is damaged"),
        ] {
            #expect(names.contains(name))
            guard case .unreadable(let reason) = app.state(of: Name(name), in: documents) else {
                Issue.record("\(name) is read, or absent")
                continue
            }
            #expect(reason.cause == cause && reason.explanation.contains(words), "\(reason)")
            #expect(!reason.explanation.contains("missing") && !reason.explanation.contains("password."), "\(reason)")
        }
        #expect(app.typeName(of: "device-5.txt", in: documents) == nil)
        #expect(app.state(of: "sixteen.txt", in: documents).value?.data == Data("sixteen bytes ok".utf8))
    }

    @Test("a content that is cut, or not padded, is named; what there is of it is kept")
    func damagedContent() throws {
        let tree = try copy(), payload = BackupTests.payload("AppDomain-com.acme.notes", "Documents/welcome.json")
        let whole = try Data(contentsOf: URL(fileURLWithPath: tree.at("backup/" + payload)))
        try tree.file("backup/" + payload, whole.dropLast(5))
        var app = try locked(tree.at("backup")).opened(with: .password("test")).container("com.acme.notes")
        guard case .unreadable(let reason) = app.state(of: "welcome.json", in: .files("Documents")) else {
            Issue.record("it is read")
            return
        }
        #expect(reason.cause == .corrupt)
        try tree.file("backup/" + payload, whole.dropLast(16))
        app = try locked(tree.at("backup")).opened(with: .password("test")).container("com.acme.notes")
        #expect(
            app.state(of: "welcome.json", in: .files("Documents")).value?.data
                == Data(#"{"title":"Welco"#.utf8 + [UInt8(ascii: "m")]))
        #expect(
            app.storeWarnings().contains(DumpWarning("AppDomain-com.acme.notes/Documents/welcome.json", .noPadding)))
    }

    @Test("nothing decrypted is left on the disk, and nothing is written beside the backup")
    func traces() throws {
        let tree = try copy(), before = try tree.inventory()
        let dump = try locked(tree.at("backup")).opened(with: .password("test"))
        for container in dump.containers { _ = container.storeWarnings() }
        #expect(try tree.inventory() == before)
        // The folder of a copy goes as soon as that is open, which needs no name to be read.
        let path = try PrivateFolder().path
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("any part of an encrypted file is what was encrypted, with a block of padding behind it or none")
    func pages() throws {
        let key = SymmetricKey(data: Data((0..<32).map { UInt8($0) })), tree = try TemporaryTree()
        let plain = Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        let vector = try AES._CBC.IV(ivBytes: [UInt8](repeating: 0, count: 16))
        for isPadded in [true, false] {
            let cipher = try AES._CBC.encrypt(plain, using: key, iv: vector, noPadding: !isPadded)
            #expect(cipher.count == 4096 + (isPadded ? 16 : 0))
            try tree.file("cipher", cipher)
            let pages = EncryptedPages(
                try PackedBytes(of: "cipher", in: FolderFiles(opening: tree.path), OpeningControl()), key: key)
            #expect(pages.count == 4096)
            var generator = SeededGenerator(seed: 7)
            for _ in 0..<300 {
                let start = Int.random(in: 0..<4200, using: &generator)
                let count = Int.random(in: 0..<4200, using: &generator)
                let expected = plain.dropFirst(start).prefix(count)
                #expect(try pages.read(at: start, upTo: count) == expected, "\(start) \(count)")
            }
        }
        // What is cut within a block has what comes before.
        try tree.file("cipher", try AES._CBC.encrypt(plain, using: key, iv: vector, noPadding: true).prefix(1000))
        let cut = EncryptedPages(
            try PackedBytes(of: "cipher", in: FolderFiles(opening: tree.path), OpeningControl()), key: key)
        #expect(try cut.read(at: 100, upTo: 5000) == plain.prefix(992).dropFirst(100))
    }

    @Test("what is read from front to back is made in pieces, what is read here and there is not")
    func readAhead() throws {
        let size = ReadAhead.size, count = 3 * size + 1000, made = Mutex([Range<Int>]())
        let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 10) })
        var pieces: Int { made.withLock { $0.count } }
        func reader(fails: Bool = false) -> ReadAhead {
            made.withLock { $0 = [] }
            return ReadAhead(of: count) { range in
                made.withLock { $0.append(range) }
                return fails ? nil : bytes[range]
            }
        }
        /// How many readings were answered; each answer is what is there.
        func answered(_ places: [Int], of page: Int = 4096, _ ahead: ReadAhead) -> Int {
            places.count { place in
                let range = place..<min(place + page, count)
                guard let part = ahead.part(range) else { return false }
                #expect(part == bytes[range] && part.count == range.count, "\(range)")
                return true
            }
        }
        let pages = Array(stride(from: 0, to: count, by: 4096))
        #expect(answered(pages, reader()) == pages.count - ReadAhead.patience)
        #expect(pieces <= 4)
        // An inner node between them, and a page that is left out, change nothing.
        let between = pages.enumerated().flatMap { $0 % 40 == 39 ? [0, $1] : $0 % 7 == 6 ? [] : [$1] }
        #expect(answered(between, reader()) > pages.count * 3 / 4)
        #expect(pieces <= 4)
        // Parts that do not end where a piece does.
        #expect(answered(Array(stride(from: 0, to: count - 4120, by: 4120)), of: 4120, reader()) > 700)
        #expect(pieces <= 4)
        var generator = SeededGenerator(seed: 3)
        #expect(answered((0..<500).compactMap { _ in pages.randomElement(using: &generator) }, reader()) == 0)
        #expect(answered(Array(pages.reversed()), reader()) == 0)
        #expect(pieces == 0)
        // Where a piece cannot be read, each part is asked for by itself.
        #expect(answered(pages, reader(fails: true)) == 0)
        #expect(pieces > 0)
    }

    @Test("an encrypted manifest that is cut while it is open is an error that names it, wherever it is cut")
    func cutWhileOpen() throws {
        for length in [0, 7, 16, 17, 4000, 4096, 5000] {
            let tree = try copy(), dump = try locked(tree.at("backup")).opened(with: .password("test"))
            #expect(truncate(tree.at("backup/Manifest.db"), off_t(length)) == 0)
            // What SQLite has read already it need not read again.
            do throws(DumpError) { _ = try dump.files.children(of: "AppDomain-com.acme.timer") } catch {
                #expect(error.path == "Manifest.db", "\(length): \(error)")
            }
            #expect(throws: DumpError.self, "\(length)") { try dump.reopened() }
        }
        let tree = try TemporaryTree(), key = SymmetricKey(data: Data(count: 32))
        try tree.file("cipher", Data(count: 8192))
        let pages = EncryptedPages(
            try PackedBytes(of: "cipher", in: FolderFiles(opening: tree.path), OpeningControl()), key: key)
        for length in [4090, 5, 0] {
            #expect(truncate(tree.at("cipher"), off_t(length)) == 0)
            for place in [0, 16, 4096, 4112, 8000] {
                #expect(throws: Errno.self, "\(length) \(place)") { try pages.read(at: place, upTo: 4096) }
            }
        }
    }

    @Test(
        "of an encrypted manifest on the disk SQLite is given the pages that it asks for: it is neither copied nor streamed"
    )
    func manifestInPlace() throws {
        struct Streamless: DumpFiles {
            let base: any DumpFiles
            func item(at path: DumpPath) throws(DumpError) -> DumpItem? { try base.item(at: path) }
            func children(of folder: DumpPath, limit: Int) throws(DumpError) -> [DumpItem] {
                try base.children(of: folder, limit: limit)
            }
            func stream(of path: DumpPath) throws(DumpError) -> any DeviceDump.DumpStream {
                throw DumpError(path, .changing)
            }
            func reopened() throws(DumpError) -> any DumpFiles { self }
            func diskPath(of file: DumpPath) -> String? { base.diskPath(of: file) }
        }
        let folder = try FolderFiles(opening: Places.fixture("backup-encrypted"))
        let derived = try #require(try opened().derivedKey)
        let keys = try #require(BackupKeys(try Keybag(bag()), with: derived))
        let file = ManifestFile(file: Backup.database, info: BackupInfo(folder), keys: keys)
        let manifest = try file.manifest(in: Streamless(base: folder), OpeningControl())
        #expect(manifest.domains.contains("AppDomain-com.acme.notes"))
        #expect(try manifest.tree(of: "AppDomain-com.acme.notes").entries.count > 5)
    }

    @Test("a database in an encrypted backup is decrypted as its pages are asked for, and never copied")
    func databaseInPlace() throws {
        let tree = try copy(), path: DumpPath = "AppDomain-com.acme.notes/Documents/welcome.json"
        let files = try locked(tree.at("backup")).opened(with: .password("test")).files
        for change in try #require(files.packed).packing([FileChange(path, to: try database(tree))], at: 0) {
            try tree.file("backup/\(change.path)", try #require(try change.bytes()))
        }
        let copies = Mutex(0)
        let control = OpeningControl(progress: { progress in
            if progress.phase == .copying { copies.withLock { $0 += 1 } }
        })
        try OpeningControl.$current.withValue(control) {
            let app = try locked(tree.at("backup")).opened(with: .password("test")).container("com.acme.notes")
            let store = SQLiteTable("t", of: "welcome.json", in: "Documents").store
            #expect(app.state(of: "2", in: store) == .present(.dictionary([("a", .string("in a row"))])))
            #expect(app.keys(in: store).count == 1000)
        }
        #expect(copies.withLock(\.self) == 0)
    }

    /// The bytes of a database with a table `t`.
    private func database(_ tree: TemporaryTree) throws -> Data {
        let queue = try DatabaseQueue(path: tree.at("made.db"))
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            for _ in 0..<1000 { try db.execute(sql: "INSERT INTO t VALUES ('in a row')") }
        }
        try queue.close()
        return try Data(contentsOf: URL(fileURLWithPath: tree.at("made.db")))
    }

    @Test("what the log of an encrypted database has is read in place of what it replaces, and what it lies is not")
    func encryptedLog() throws {
        let tree = try TemporaryTree(), key = SymmetricKey(data: Data(repeating: 7, count: 32))
        _ = try database(tree)
        let queue = try DatabaseQueue(path: tree.at("made.db"))
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
            try db.execute(sql: "UPDATE t SET a = 'in the log' WHERE rowid = 2; CREATE TABLE u (b)")
            for _ in 0..<1000 { try db.execute(sql: "INSERT INTO u VALUES ('only in the log')") }
        }
        let files = try FolderFiles(opening: tree.path)
        let vector = try AES._CBC.IV(ivBytes: [UInt8](repeating: 0, count: 16))
        func pages(_ name: String, change: (inout Data) -> Void = { _ in }) throws -> EncryptedPages {
            var plain = try Data(contentsOf: URL(fileURLWithPath: tree.at(name)))
            change(&plain)
            try tree.file(name + "-sealed", try AES._CBC.encrypt(plain, using: key, iv: vector))
            let path = try #require(DumpPath(name + "-sealed"))
            return EncryptedPages(try PackedBytes(of: path, in: files, OpeningControl()), key: key)
        }
        let log = try DatabaseLog(files.stream(of: "made.db-wal"))
        #expect(log.damage == nil && log.pageCount > 5)
        let whole = LoggedPages(try pages("made.db"), log, try pages("made.db-wal"))
        #expect(whole.isSecret)
        func rows(_ pages: some DatabasePages) throws -> [String] {
            try DatabaseFile("made.db", pages).read { db in
                try String.fetchAll(
                    db, sql: "SELECT a FROM t WHERE rowid < 4 UNION ALL SELECT max(b) || count(*) FROM u")
            }
        }
        let expected = ["in a row", "in the log", "in a row", "only in the log1000"]
        #expect(try rows(whole) == expected)
        // A copy has no log, and can be changed.
        let copy = try DatabaseCopy("made.db", of: whole, OpeningControl())
        try copy.change("made.db") { try $0.execute(sql: "DELETE FROM t WHERE rowid = 1") }
        #expect(try rows(copy) == Array(expected.dropFirst()))
        try queue.close()
    }

    @Test("what a killed program left goes with the next private folder, one in use stays")
    func leftovers() throws {
        let folder = FileManager.default.temporaryDirectory.path, left = folder + "/vestige-private-left"
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
        try Data("secret".utf8).write(to: URL(fileURLWithPath: left + "/copy"))
        let inUse = try PrivateFolder(), next = try PrivateFolder()
        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(FileManager.default.fileExists(atPath: inUse.path) && FileManager.default.fileExists(atPath: next.path))
        let mode = try FileManager.default.attributesOfItem(atPath: next.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }
}

@Suite("The keychain of an encrypted backup")
struct BackupKeychainTests {
    private func dump() throws -> Dump {
        guard case .locked(let locked) = try Dump.opening(Places.fixture("backup-encrypted")) else {
            throw DumpError("", .notRecognised)
        }
        return try locked.opened(with: .password("test"))
    }

    private func item(_ key: Name, _ store: Name, of container: Container) throws -> KeychainItem {
        let value = try #require(container.state(of: key, in: .keychain(store)).value)
        return try #require(KeychainItem(value))
    }

    @Test("an export in the backup's folder is read in place of its own keychain, which is said")
    func replaced() throws {
        let tree = try BackupTests.copy("backup-encrypted")
        let group = "ABCDE12345.com.acme.notes"
        try tree.file("backup/keychain-new.json", KeychainForms.objection([.init(service: group, group: group)]))
        guard case .locked(let locked) = try Dump.opening(tree.at("backup")) else {
            throw DumpError("", .notRecognised)
        }
        let dump = try locked.opened(with: .password("test")), place = tree.at("backup/keychain-new.json")
        #expect(dump.keychain?.path == place)
        let told = DumpWarning("KeychainDomain/keychain-backup.plist", .keychainReplaced(by: place))
        #expect(dump.warnings.contains(told) && told.description.contains("is read in its place"))
    }

    @Test("items are decrypted and go to the app of their access group")
    func items() throws {
        let dump = try dump(), app = try dump.container("com.acme.notes"), timer = try dump.container("com.acme.timer")
        let item = try self.item("ada", "com.acme.notes.token", of: app)
        #expect(item.data == Data("refresh-token-1".utf8))
        #expect(item.attributes["agrp"] == .string("ABCDE12345.com.acme.notes"))
        #expect(item.attributes["labl"] == .string("Token"))
        #expect(item.attributes["sync"] == .integer(0))
        let made = try #require(Timestamp(year: 2024, month: 8, day: 30, hour: 6, minute: 39, second: 58))
        #expect(item.attributes["cdat"] == .date(made))
        #expect(try self.item("ada", "inet:api.example.com", of: app).attributes["port"] == .integer(443))
        // An account that is data.
        #expect(app.state(of: "\u{0}\u{1}", in: .keychain("com.acme.notes.pin")).value != nil)
        #expect(try self.item("timer", "com.acme.timer.token", of: timer).data.count == 300)
        #expect(!app.stores.contains(.keychain("com.acme.timer.token")))
    }

    @Test("an item that the device keeps is locked, so that what is not found may be that one")
    func locked() throws {
        let dump = try dump(), app = try dump.container("com.acme.notes")
        #expect(
            dump.warnings.contains {
                if case .keychainItem("1 item of class 10", let reason) = $0.problem {
                    reason.contains("device key")
                } else {
                    false
                }
            })
        guard case .unreadable(let reason) = app.state(of: "device", in: .keychain("com.acme.notes.key")) else {
            Issue.record("it is absent")
            return
        }
        #expect(reason.cause == .locked && reason.explanation.contains("an export of the keychain"))
        // It is told once, and not counted among other apps' too.
        #expect(
            !dump.warnings.contains { warning in
                if case .foreignKeychainItems = warning.problem { true } else { false }
            })
        // There are no locked internet passwords.
        #expect(app.state(of: "nobody", in: .keychain("inet:api.example.com")) == .absent)
    }

    @Test("versions that are not read are named, and broken items are problems")
    func versions() throws {
        let derived = try #require(try dump().derivedKey),
            keys = try #require(BackupKeys(try Keybag(bag()), with: derived))
        func export(_ data: Data) throws -> BackupKeychain {
            try BackupKeychain(
                PropertyListSerialization.data(
                    fromPropertyList: ["genp": [["v_Data": data]]], format: .binary, options: 0), keys)
        }
        for (bytes, words) in [
            (Data([0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]), "version 0"),
            (Data([4, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]), "access control"),
            (Data([3, 0, 0, 0x80, 6, 0, 0, 0, 0, 0, 0, 0]), "fixed vector"), (Data([3, 0, 0]), "too short"),
            (Data([3, 0, 0, 0, 6, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]), "longer than the item"),
            (Data([3, 0, 0, 0, 6, 0, 0, 0, 40, 0, 0, 0] + [UInt8](repeating: 1, count: 80)), "damaged"),
        ] {
            let keychain = try export(bytes)
            #expect(keychain.problems.first?.reason.contains(words) == true, "\(words): \(keychain.problems)")
            #expect(keychain.items.count == 1 && keychain.items[0].isNameless)
            // It is not the device that keeps it.
            #expect(!keychain.items[0].account.contains("locked"), "\(keychain.items[0].account)")
        }
    }

    @Test("beside a damaged item, what is not found is said to be perhaps that one, and not to be locked")
    func damagedItem() throws {
        let items = [
            BackupKeychainItems.nameless(.locked), BackupKeychainItems.nameless(.corrupt),
        ]
        for (list, cause, words) in [
            ([items[0]], Unreadable.Cause.locked, "1 is locked"), ([items[1]], .corrupt, "1 is damaged"),
            (items, .corrupt, "1 is locked with the device's key, 1 is damaged"),
        ] {
            let files = try FolderFiles(opening: Places.fixture("backup"))
            let file = KeychainFile(
                .inDump("k"), isGiven: false, export: KeychainExport(BackupKeychainItems(items: list)), file: "k",
                of: files)
            let share = KeychainShare(of: file, items: [], group: nil)
            guard case .unreadable(let reason) = share.state(of: "a", in: .keychain("s")) else {
                Issue.record("it is absent")
                continue
            }
            #expect(reason.cause == cause && reason.explanation.contains(words), "\(reason)")
        }
    }

    private func bag() throws -> Data {
        let data = try Data(contentsOf: URL(fileURLWithPath: Places.fixture("backup-encrypted/Manifest.plist")))
        let list = try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        return try #require(list["BackupKeyBag"] as? Data)
    }

    @Test("attributes whose lengths lead past their end are refused", .timeLimit(.minutes(10)))
    func attributes() throws {
        let text = Data([0x31, 0x09, 0x30, 0x07, 0x0C, 0x01, 0x61, 0x02, 0x02, 0xFF, 0x7F])
        #expect(try KeychainAttributes.read(text) == ["a": .integer(-129)])
        #expect(try KeychainAttributes.read(text + Data(count: 5)) == ["a": .integer(-129)])
        for length in 0..<text.count {
            #expect(throws: KeychainAttributes.Damage.self) { try KeychainAttributes.read(text.prefix(length)) }
        }
        #expect(throws: KeychainAttributes.Damage.self) {
            try KeychainAttributes.read(Data([0x31, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]))
        }
        #expect(throws: KeychainAttributes.Damage.self) {
            try KeychainAttributes.read(Data([0x31, 0x89] + [UInt8](repeating: 0xFF, count: 20)))
        }
    }

    @Test("GCM opens what swift-crypto seals, and nothing that was changed", arguments: [0, 1, 15, 16, 17, 100])
    func gcm(length: Int) throws {
        let key = SymmetricKey(data: Data((0..<32).map { UInt8($0) })),
            plain = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 * 7) })
        let vector = Data(repeating: 3, count: 12), header = Data("header".utf8)
        let box = try AES.GCM.seal(plain, using: key, nonce: AES.GCM.Nonce(data: vector), authenticating: header)
        #expect(GCM.open(box.ciphertext, tag: box.tag, key: key, vector: vector, authenticating: header) == plain)
        #expect(GCM.open(box.ciphertext, tag: box.tag, key: key, vector: vector) == nil)
        var tag = box.tag
        tag[tag.startIndex] ^= 1
        #expect(GCM.open(box.ciphertext, tag: tag, key: key, vector: vector, authenticating: header) == nil)
    }
}

/// Items of a keychain as a reader may have found them.
struct BackupKeychainItems: KeychainContent {
    static let name = "items"
    static let attributes: Set<Name>? = nil
    var items: [KeychainExport.Item]
    let problems: [KeychainExport.Problem] = []

    func rewriting(_ edits: [KeychainExport.Edit]) throws(FormatError) -> Data { Data() }

    static func nameless(_ cause: Unreadable.Cause) -> KeychainExport.Item {
        var item = KeychainExport.Item(
            kind: .generic, service: "", account: "item", secret: .failure(Unreadable(cause, "it is so")))
        item.isNameless = true
        return item
    }
}
