import Foundation
import MigrationEngine
import Synchronization
import StoreFormats
import SystemPackage
import TestSupport
import Testing

@testable import DeviceDump

@Suite("An archive is opened as the dump in it")
struct ArchiveTests {
    private let own = StoreID.defaults("com.acme.notes")

    /// An archive of a fixture, or of something in the tree, made by `build.py`.
    private func archive(_ kind: String, of source: String, in tree: TemporaryTree, name: String? = nil) throws
        -> String
    {
        let target = tree.at(name ?? "mail.\(kind)")
        try Archives.write(kind, to: target, of: source)
        return target
    }

    @Test(
        "of each kind, and holds what the folder does",
        arguments: ["zip", "tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst", "tar.gz.gz", "tar.gz.xz"])
    func kinds(kind: String) throws {
        let tree = try TemporaryTree(), folder = Places.fixture("notes-legacy.xcappdata")
        let dump = try Dump.open(try archive(kind, of: folder, in: tree)), app = try dump.container(nil)
        let other = try Dump.open(folder).container(nil)
        #expect(dump.kind == .xcappdata && dump.path == tree.at("mail.\(kind)/notes-legacy.xcappdata"))
        #expect(app.stores == other.stores && app.storeWarnings().isEmpty)
        for store in other.stores {
            let keys = other.keys(in: store)
            for position in 0..<keys.count {
                let key = keys.key(at: position)
                #expect(app.state(of: key, in: store) == other.state(of: key, in: store))
            }
        }
        try dump.checkIsThere()
        #expect(try dump.reopened().container(nil).state(of: "rs_user_id", in: own).value == .string("u-42"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: tree.path) == ["mail.\(kind)"])
    }

    @Test("a database in it has the rows that it has in a folder", arguments: ["zip", "tar", "tar.gz"])
    func databases(kind: String) throws {
        let tree = try TemporaryTree(), folder = Places.fixture("notes-databases.xcappdata")
        let app = try Dump.open(try archive(kind, of: folder, in: tree)).container(nil)
        let other = try Dump.open(folder).container(nil)
        #expect(app.stores == other.stores)
        var count = 0
        for store in other.stores where store.kind == .sqlite {
            let keys = other.keys(in: store)
            #expect(app.keys(in: store).names == keys.names)
            for key in keys.names {
                count += 1
                #expect(app.state(of: key, in: store) == other.state(of: key, in: store))
            }
        }
        #expect(count > 20)
    }

    /// A content of so many parts of 100 bytes each, and then perhaps an error, that counts how many were asked for.
    private final class Parts: DumpStream, Sendable {
        let asked = Mutex(0)
        let count: Int, failure: DumpError?

        init(_ count: Int, failure: DumpError? = nil) { (self.count, self.failure) = (count, failure) }

        func next() throws(DumpError) -> Data {
            let number = asked.withLock { asked in
                defer { asked += 1 }
                return asked
            }
            if number < count { return Data(repeating: UInt8(number), count: 100) }
            if let failure { throw failure }
            return Data()
        }
    }

    @Test(
        "a database is unpacked as far as it is read, and to its end before its bytes are said to be those that were packed"
    )
    func pages() throws {
        let parts = Parts(50), pages = try UnpackedPages("a.db", parts, count: 5000)
        #expect(try pages.read(at: 0, upTo: 100) == Data(repeating: 0, count: 100))
        #expect(parts.asked.withLock { $0 } == 1)
        #expect(try pages.read(at: 1050, upTo: 60) == Data(repeating: 10, count: 50) + Data(repeating: 11, count: 10))
        #expect(parts.asked.withLock { $0 } == 12)
        #expect(try pages.read(at: 4990, upTo: 100).count == 10 && pages.read(at: 5000, upTo: 1).isEmpty)
        try pages.verify()
        #expect(parts.asked.withLock { $0 } == 51)
        // What was cancelled goes on; what is damaged stays so, with its reason.
        let broken = DumpError("a.db", .brokenEntry("it is damaged")), other = Parts(50, failure: broken)
        let damaged = try UnpackedPages("a.db", other, count: 6000)
        OpeningControl.$current.withValue(OpeningControl(isCancelled: { true })) {
            #expect(throws: Errno.ioError) { try damaged.read(at: 0, upTo: 100) }
        }
        #expect(damaged.failure?.problem == .cancelled)
        #expect(try damaged.read(at: 0, upTo: 100).count == 100)
        #expect(damaged.failure == nil)
        #expect(throws: broken) { try damaged.verify() }
        #expect(throws: Errno.ioError) { try damaged.read(at: 0, upTo: 100) }
    }

    @Test(
        "one that is written over or cut while it is open has changed, and is not damaged", arguments: ["zip", "tar"],
        [true, false])
    func overwritten(kind: String, isCut: Bool) throws {
        let tree = try TemporaryTree(),
            path = try archive(kind, of: Places.fixture("notes-databases.xcappdata"), in: tree)
        let app = try Dump.open(path).container(nil),
            rows = SQLiteTable("store", of: "notes.sqlite", in: "Documents").store
        let late = try Dump.open(path).container(nil), key = late.keys(in: rows).names[0]
        let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        if isCut {
            try file.truncate(atOffset: UInt64(size / 3))
        } else {
            try file.write(contentsOf: Data(repeating: 0x55, count: size))
        }
        try file.close()
        // The time of the last change may be the same as before, where a clock is coarse.
        try FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: path)
        let reason = Unreadable(.inaccessible, "mail.\(kind) has changed since it was opened; open it again")
        #expect(app.problem(with: own) == reason && app.problem(with: rows) == reason)
        #expect(app.state(of: "a", in: rows) == .unreadable(reason))
        #expect(app.state(of: "notes.sqlite", in: .files("Documents")) == .unreadable(reason))
        let state = late.state(of: key, in: rows)
        #expect(state.value != nil || state == .unreadable(reason), "what was unpacked before may still be told")
    }

    @Test(
        "one of another form under the same name is read as what it is, and what was in the old one is no dump any more"
    )
    func otherForm() throws {
        let tree = try TemporaryTree(),
            path = try archive("tar", of: Places.fixture("notes-legacy.xcappdata"), in: tree)
        func overwrite(_ kind: String, of fixture: String) throws {
            let other = try archive(kind, of: Places.fixture(fixture), in: tree, name: "other")
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(contentsOf: URL(fileURLWithPath: other)))
            try file.close()
            try FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: path)
        }
        let dump = try Dump.open(path)
        try overwrite("zip", of: "notes-migrated.xcappdata")
        let zip = try dump.reopened()
        #expect(zip.path == tree.at("mail.tar/notes-migrated.xcappdata") && zip.warnings.count == 1)
        let migrated = try Dump.open(Places.fixture("notes-migrated.xcappdata")).container(nil)
        #expect(try zip.container(nil).keys(in: own).names == migrated.keys(in: own).names)
        #expect(try dump.container(nil).keys(in: own).names != migrated.keys(in: own).names)
        // Opened by the name of the archive, it is whatever is in that; by that of what was in it, it is gone.
        let inner = try Dump.open(path + "/notes-migrated.xcappdata")
        try overwrite("zip", of: "person-v0.xcappdata")
        #expect(try Dump.open(path).kind == .xcappdata)
        #expect(throws: DumpError(path, .overwritten)) { try inner.reopened() }
        // What is wrong with the new one is told when it is opened.
        try Data("PK\u{3}\u{4}".utf8 + [UInt8](repeating: 0x55, count: 100)).write(to: URL(fileURLWithPath: path))
        #expect(throws: DumpError(path, .overwritten)) { try zip.reopened() }
    }

    @Test("what is written over while it is read has changed, and is not damaged")
    func overwrittenMeanwhile() throws {
        let tree = try TemporaryTree(), path = tree.at("mail.zip")
        try tree.xcappdata()
        try tree.file(
            "notes.xcappdata/AppData/Documents/large",
            Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }))
        try Archives.write("zip", to: path, of: tree.at("notes.xcappdata"))
        let dump = try Dump.open(path), stream = try dump.files.stream(of: "AppData/Documents/large")
        #expect(try !stream.next().isEmpty)
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.write(contentsOf: Data(repeating: 0x55, count: Data(contentsOf: URL(fileURLWithPath: path)).count))
        try file.close()
        try FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: path)
        #expect(throws: DumpError("mail.zip", .overwritten)) { while try !stream.next().isEmpty {} }
    }

    @Test("also a backup, an encrypted one with its password, and an archive in an archive")
    func inside() throws {
        let tree = try TemporaryTree()
        let plain = try Dump.open(try archive("zip", of: Places.fixture("backup"), in: tree, name: "plain.zip"))
        #expect(plain.kind == .backup)
        #expect(try plain.container("com.acme.notes").state(of: "rs_user_id", in: own).value == .string("u-42"))
        #expect(
            try plain.reopened().container("com.acme.notes").state(of: "rs_user_id", in: own).value == .string("u-42"))
        let path = try archive("tar.gz", of: Places.fixture("backup-encrypted"), in: tree)
        guard case .locked(let locked) = try Dump.opening(path) else {
            Issue.record("it is not locked")
            return
        }
        let dump = try locked.opened(with: .password("test"))
        #expect(try dump.container("com.acme.notes").state(of: "rs_user_id", in: own).value == .string("u-42"))
        let outer = try archive("zip", of: path, in: tree, name: "outer.zip")
        guard case .locked(let inner) = try Dump.opening(outer) else {
            Issue.record("the inner archive is not found")
            return
        }
        // What it goes by leads back to it.
        let place = inner.location.path
        #expect(place.hasPrefix(outer + path.dropFirst(tree.path.count) + "/"), "\(place)")
        guard case .locked(let named) = try Dump.opening(place) else {
            Issue.record("nothing is found at its path")
            return
        }
        #expect(named.location.path == place)
        let once = try archive("zip", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "in.zip")
        let twice = try archive("zip", of: once, in: tree, name: "out.zip"), found = try Dump.open(twice)
        #expect(found.warnings.map(\.problem) == [.foundElsewhere(named: twice, root: found.path)])
    }

    @Test("also a property list that was packed by itself")
    func lone() throws {
        let tree = try TemporaryTree()
        try tree.list("com.acme.notes.plist")
        let dump = try Dump.open(try archive("tar", of: tree.at("com.acme.notes.plist"), in: tree))
        #expect(dump.kind == .propertyList)
        #expect(try dump.container(nil).state(of: "key", in: own).value == .string("value"))
        #expect(try dump.reopened().container(nil).state(of: "key", in: own).value == .string("value"))
    }

    @Test("a keychain export beside the dump in an archive is its keychain")
    func keychain() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata("mail/notes.xcappdata")
        let export = try Data(
            contentsOf: URL(fileURLWithPath: Places.fixture("keychain-ufed/backup_keychain_v2.plist")))
        try tree.file("mail/notes_keychain.plist", export)
        let dump = try Dump.open(try archive("zip", of: tree.at("mail"), in: tree))
        let keychain = try #require(dump.keychain)
        #expect(try dump.version(of: keychain.source) == keychain.version())
        let app = try dump.container(nil)
        #expect(app.state(of: "ada", in: .keychain("com.acme.notes.token")).value != nil)
    }

    @Test("one with a password asks for it as a backup does")
    func password() throws {
        let tree = try TemporaryTree(),
            path = try archive("locked", of: Places.fixture("notes-legacy.xcappdata"), in: tree)
        guard case .locked(let locked) = try Dump.opening(path) else {
            Issue.record("it is not locked")
            return
        }
        #expect(throws: DumpError(path, .wrongArchivePassword)) { try locked.opened(with: .password("wrong")) }
        #expect(throws: DumpError(path, .wrongKey)) { try locked.opened(with: .key(Data(count: 32))) }
        let app = try locked.opened(with: .password("test")).container(nil)
        #expect(app.state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test("names that lead out of it are left out, what is there twice is named, links are not followed")
    func hostile() throws {
        let tree = try TemporaryTree()
        try tree.folder("in")
        let path = try archive("hostile", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "in/mail.zip")
        let dump = try Dump.open(path), app = try dump.container(nil), documents = StoreID.files("Documents")
        let root = "notes-legacy.xcappdata/AppData/Documents/"
        #expect(
            dump.warnings.map(\.problem) == [
                .strayEntries(3, first: "../../outside.txt"), .absoluteEntries(1, first: "/tmp/absolute.txt"),
                .sameEntries(1, first: root + "twice.txt"), .twinEntries(2, first: root + "caf\u{E9}.txt"),
                .foundElsewhere(named: path, root: path + "/notes-legacy.xcappdata"),
            ])
        // What is said of the archive is said once.
        let link = DumpWarning("AppData/Documents/link", .symbolicLink(target: "/etc"))
        #expect(app.storeWarnings() == [link])
        #expect(try dump.reopened().warnings == dump.warnings)
        #expect(app.state(of: "twice.txt", in: documents).value?.data == Data("second".utf8))
        #expect(app.state(of: "Twice.txt", in: documents).value?.data == Data("third".utf8))
        #expect(app.state(of: "caf\u{E9}.txt", in: documents).value?.data == Data("one".utf8))
        #expect(app.state(of: "cafe\u{301}.txt", in: documents).value?.data == Data("two".utf8))
        #expect(app.state(of: "zeros", in: documents).value?.data == Data(count: 3 << 20))
        guard case .unreadable = app.state(of: "link/passwd", in: documents) else {
            Issue.record("a link is followed")
            return
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: tree.path).sorted() == ["in", "in/mail.zip"])
    }

    @Test(
        "entries are read however they are packed, and however large their sizes are written",
        arguments: ["methods", "streamed"])
    func methods(kind: String) throws {
        let tree = try TemporaryTree(), folder = Places.fixture("notes-legacy.xcappdata")
        let dump = try Dump.open(try archive(kind, of: folder, in: tree, name: "mail.zip"))
        let other = try Dump.open(folder)
        #expect(dump.warnings.map(\.problem) == [.foundElsewhere(named: tree.at("mail.zip"), root: dump.path)])
        for item in other.files.items().items where item.kind == .file {
            #expect(try dump.files.bytes(at: item.path) == other.files.bytes(at: item.path))
        }
    }

    @Test("a damaged entry is one by itself, with what is wrong with it; the others are read")
    func broken() throws {
        let tree = try TemporaryTree()
        let path = try archive("broken", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        let app = try Dump.open(path).container(nil)
        func reason(_ key: Name) -> String {
            guard case .unreadable(let reason) = app.state(of: key, in: .files("Documents")) else { return "" }
            return reason.explanation
        }
        #expect(reason("outside").contains("nothing of it is at byte 1073741824, where it is listed"))
        #expect(reason("ends-outside").contains("ends outside of the archive"))
        #expect(reason("other-name").contains("is named “notes-legacy.xcappdata/AppData/Documents/some-name!”"))
        #expect(reason("checksum").contains("do not have the checksum that is listed"))
        #expect(reason("longer").contains("list says that it has 1000 bytes, and more come out of it"))
        #expect(reason("shorter").contains("list says that it has 1000 bytes, and 400 come out of it"))
        #expect(reason("garbage").contains("is damaged"))
        #expect(reason("ends-early").contains("ends too early"))
        #expect(reason("bomb").contains("would unpack to 4026531840"))
        #expect(reason("enormous").contains("nothing of it is at byte"))
        #expect(reason("unknown-method").contains("is damaged"))
        #expect(
            app.state(of: "whole", in: .files("Documents")).value?.data
                == Data(String(repeating: "text", count: 100).utf8))
        #expect(app.state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test(
        "an archive of which a part is missing is refused, with where",
        arguments: [
            ("cut", "was cut after"), ("unlisted", "the list of its entries is damaged at byte"),
            ("overlapping", "its entries “one” and “two” share the bytes from"),
        ])
    func refused(kind: String, words: String) throws {
        let tree = try TemporaryTree()
        let path = try archive(kind, of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        do {
            _ = try Dump.open(path)
            Issue.record("\(kind) opens")
        } catch {
            #expect("\(error)".contains(words), "\(error)")
        }
    }

    @Test("a tar that was cut is refused with where, also between two members")
    func cutTar() throws {
        let tree = try TemporaryTree(), folder = Places.fixture("notes-legacy.xcappdata")
        let path = try archive("tar", of: folder, in: tree), data = try Data(contentsOf: URL(fileURLWithPath: path))
        var whole = data
        while whole.suffix(512).allSatisfy({ $0 == 0 }) { whole.removeLast(512) }
        for part in [data.prefix(5000), data.prefix(700), whole] {
            try part.write(to: URL(fileURLWithPath: path))
            do {
                _ = try Dump.open(path)
                Issue.record("a tar of \(part.count) bytes opens")
            } catch { #expect("\(error)".contains("ends after \(part.count) bytes, within"), "\(error)") }
        }
    }

    @Test("a tar that was joined to another is named, and the first is read")
    func joinedTars() throws {
        let tree = try TemporaryTree(), folder = Places.fixture("notes-legacy.xcappdata")
        let path = try archive("tar", of: folder, in: tree), data = try Data(contentsOf: URL(fileURLWithPath: path))
        let joined = DumpWarning.Problem.anotherTar(at: data.count)
        #expect(try !Dump.open(path).warnings.map(\.problem).contains(joined))
        try (data + data).write(to: URL(fileURLWithPath: path))
        let dump = try Dump.open(path)
        #expect(dump.warnings.map(\.problem).contains(joined))
        #expect(try dump.container(nil).state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test("what stands before a zip is named, and the zip is read behind it")
    func before() throws {
        let tree = try TemporaryTree()
        let dump = try Dump.open(
            try archive("before", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail"))
        #expect(dump.warnings.map(\.problem).contains(.bytesBefore(340)))
        #expect(try dump.container(nil).state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test("an entry that is named as a folder and has a content is named")
    func filledFolder() throws {
        let tree = try TemporaryTree()
        let path = try archive("filled", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        #expect(try Dump.open(path).warnings.map(\.problem).contains(.filledFolders(1, first: "notes/")))
    }

    @Test("names are the bytes that the archive has for them, marked as UTF-8 or not; too long ones are left out")
    func names() throws {
        let tree = try TemporaryTree()
        let path = try archive("names", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        let dump = try Dump.open(path), app = try dump.container(nil)
        for (key, text) in [
            ("caf\u{E9}.txt", "extra"), ("stale", "stale"), ("\u{65E5}.txt", "unmarked"), ("dot/slash.txt", "dot"),
        ] as [(Name, String)] {
            #expect(app.state(of: key, in: .files("Documents")).value?.data == Data(text.utf8))
        }
        let long = dump.warnings.map(\.problem).contains { problem in
            if case .longEntries(1, _, limit: 4096) = problem { true } else { false }
        }
        #expect(long)
    }

    @Test("an archive in which nothing is found says what it has and leaves out")
    func astray() throws {
        let tree = try TemporaryTree()
        let path = try archive("astray", of: Places.fixture("person-v0.xcappdata"), in: tree, name: "mail.zip")
        let error = #expect(throws: DumpError.self) { try Dump.open(path) }
        let words = "\(try #require(error))"
        #expect(words.contains("it holds no file") && words.contains("that lead out of it"), "\(words)")
        #expect(words.contains("the first is “../person-v0.xcappdata/"), "\(words)")
    }

    @Test("a tar's members that lead out of it are left out, its links are not followed, its pipes not opened")
    func outward() throws {
        let tree = try TemporaryTree(), root = "notes-legacy.xcappdata/AppData/Documents/"
        let path = try archive("outward", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.tar")
        let dump = try Dump.open(path), app = try dump.container(nil), documents = StoreID.files("Documents")
        #expect(
            dump.warnings.map(\.problem) == [
                .strayEntries(2, first: "../../outside"), .absoluteEntries(1, first: "/tmp/absolute"),
                .sameEntries(1, first: root + "twice"), .twinEntries(1, first: root + "caf\u{E9}"),
                .foundElsewhere(named: path, root: path + "/notes-legacy.xcappdata"),
            ])
        for key in ["link/passwd", "hard", "pipe"] as [Name] {
            guard case .unreadable = app.state(of: key, in: documents) else {
                Issue.record("\(key) is read, or absent")
                continue
            }
        }
        for (key, text) in [("twice", "second"), ("caf\u{E9}", "one"), ("cafe\u{301}", "two")] as [(Name, String)] {
            #expect(app.state(of: key, in: documents).value?.data == Data(text.utf8))
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: tree.path) == ["mail.tar"])
    }

    @Test("the end of a large zip is read, and another number of entries than it says is named")
    func large() throws {
        let tree = try TemporaryTree()
        let path = try archive("large", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        let dump = try Dump.open(path)
        let count = dump.warnings.map(\.problem).contains { problem in
            if case .entryCount(let listed, let found) = problem { listed == found + 1 } else { false }
        }
        #expect(count)
        #expect(try dump.container(nil).state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test("a zip of more than 4 GB as macOS writes it, with places cut to 32 bits, is read")
    func wrapped() throws {
        let tree = try TemporaryTree()
        let path = try archive("wrapped", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        let dump = try Dump.open(path)
        #expect(dump.warnings.map(\.problem) == [.foundElsewhere(named: path, root: dump.path)])
        #expect(try dump.container(nil).state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test("a tar's files with holes, hard links and long names are whole")
    func sparse() throws {
        let tree = try TemporaryTree()
        let path = try archive("sparse", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.tar")
        let app = try Dump.open(path).container(nil), documents = StoreID.files("Documents")
        let old = Data(count: 1024) + Data(repeating: UInt8(ascii: "o"), count: 512)
        #expect(app.state(of: "old-holes", in: documents).value?.data == old)
        #expect(app.state(of: "hard", in: documents).value?.data == old)
        #expect(
            app.state(of: "new-holes", in: documents).value?.data
                == Data(count: 1024) + Data(repeating: UInt8(ascii: "n"), count: 512))
        #expect(
            app.state(of: Name(String(repeating: "l", count: 200)), in: documents).value?.data == Data("long".utf8))
    }

    @Test("nothing is unpacked but what is asked for, and none of the entries is looked at to list them")
    func lazily() throws {
        let tree = try TemporaryTree(), folder = Places.fixture("notes-legacy.xcappdata")
        let path = try archive("zip", of: folder, in: tree), source = try FolderFiles(opening: tree.path)
        let wanted: DumpPath = "notes-legacy.xcappdata/AppData/Library/Preferences/com.acme.notes.plist"
        let expected = try ArchiveFiles("mail.zip", in: source, .zip, OpeningControl()).bytes(at: wanted)
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        // All bytes of all other entries are gone.
        let bytes = Array(data), name = Array(wanted.bytes)
        let list = try #require(bytes.indices.first { bytes[$0...].starts(with: "PK\u{1}\u{2}".utf8) })
        let start = try #require((30..<list).first { bytes[$0...].starts(with: name) }) - 30
        let end = try #require(
            (start + 4..<list + 1).first { bytes[$0...].starts(with: "PK\u{3}\u{4}".utf8) || $0 == list })
        for place in 0..<list where !(start..<end).contains(place) { data[place] = 0 }
        try data.write(to: URL(fileURLWithPath: path))
        let files = try ArchiveFiles("mail.zip", in: source, .zip, OpeningControl())
        #expect(try files.bytes(at: wanted) == expected)
        #expect(files.items().items.count > 5)
        #expect(throws: DumpError.self) { try files.bytes(at: "notes-legacy.xcappdata/AppDataInfo.plist") }
    }

    @Test("only what a password protects is locked where the rest is not, and a password that is given opens it")
    func partly() throws {
        let tree = try TemporaryTree()
        let path = try archive("partly", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        let key: Name = "welcome.json"
        let dump = try Dump.open(path), app = try dump.container(nil)
        guard case .unreadable(let reason) = app.state(of: key, in: .files("Documents")) else {
            Issue.record("a protected file is read")
            return
        }
        #expect(reason.cause == .locked)
        #expect(app.keys(in: own).count > 0 && app.problem(with: own) == nil)
        let isNamed = dump.warnings.map(\.problem).contains { problem in
            if case .lockedEntries(2, _) = problem { true } else { false }
        }
        #expect(isNamed, "\(dump.warnings)")
        guard
            case .opened(let opened) = try Dump.opening(
                path, OpeningOptions(secrets: [.password("x"), .password("test")]))
        else {
            Issue.record("it is locked")
            return
        }
        #expect(try opened.container(nil).state(of: key, in: .files("Documents")).value != nil)
        #expect(!opened.warnings.contains { if case .lockedEntries = $0.problem { true } else { false } })
    }

    @Test("one that AES encrypts asks for its password as well, and a wrong one or a damaged byte is told")
    func aes() throws {
        let tree = try TemporaryTree(), folder = Places.fixture("notes-legacy.xcappdata")
        let path = try archive("aes", of: folder, in: tree, name: "mail.zip")
        guard case .locked(let locked) = try Dump.opening(path) else {
            Issue.record("it is not locked")
            return
        }
        #expect(throws: DumpError(path, .wrongArchivePassword)) { try locked.opened(with: .password("wrong")) }
        let app = try locked.opened(with: .password("test")).container(nil),
            other = try Dump.open(folder).container(nil)
        #expect(app.stores == other.stores)
        for store in other.stores {
            for key in other.keys(in: store).names {
                #expect(app.state(of: key, in: store) == other.state(of: key, in: store), "\(store) \(key)")
            }
        }
        // The last byte before the next entry is one of its seal.
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        let start = try #require(data.range(of: Data("Documents/welcome.json".utf8))).upperBound
        let end = try #require(data.range(of: Data("PK\u{3}\u{4}".utf8), in: start..<data.endIndex)).lowerBound
        data[end - 1] ^= 1
        try data.write(to: URL(fileURLWithPath: path))
        guard case .opened(let damaged) = try Dump.opening(path, OpeningOptions(secrets: [.password("test")])),
            case .unreadable(let reason) = try damaged.container(nil).state(of: "welcome.json", in: .files("Documents"))
        else {
            Issue.record("the damage is not told")
            return
        }
        #expect(reason.cause == .corrupt, "\(reason)")
    }

    @Test("a damaged entry does not make a right password a wrong one, and a wrong one is told where the rest is open")
    func damagedLocked() throws {
        let tree = try TemporaryTree(), folder = Places.fixture("notes-legacy.xcappdata")
        let path = try archive("locked", of: folder, in: tree, name: "mail.zip")
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        // The smallest entry, whose last byte is before the next one.
        let name = Data("tmp/upload.part".utf8), start = try #require(data.range(of: name)).upperBound
        data[start + 13] ^= 0xFF
        try data.write(to: URL(fileURLWithPath: path))
        guard case .opened(let dump) = try Dump.opening(path, OpeningOptions(secrets: [.password("test")])) else {
            Issue.record("it is locked")
            return
        }
        #expect(try dump.container(nil).state(of: "rs_user_id", in: own).value == .string("u-42"))
        let partly = try archive("partly", of: folder, in: tree, name: "partly.zip")
        guard case .opened(let other) = try Dump.opening(partly, OpeningOptions(secrets: [.password("x")])) else {
            Issue.record("it is locked")
            return
        }
        #expect(other.warnings.map(\.problem).contains(.entriesStayLocked))
    }

    @Test(
        "of two entries of one name the last counts, and where that is the one with a password, the password opens it")
    func lockedAgain() throws {
        let tree = try TemporaryTree(), key: Name = "welcome.json"
        let path = try archive("again", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        func opened(_ secrets: [DumpSecret]) throws -> Container {
            guard case .opened(let dump) = try Dump.opening(path, OpeningOptions(secrets: secrets)) else {
                throw DumpError(path, .lockedArchive)
            }
            return try dump.container(nil)
        }
        guard case .unreadable(let reason) = try opened([]).state(of: key, in: .files("Documents")) else {
            Issue.record("it is not locked")
            return
        }
        #expect(reason.cause == .locked)
        #expect(try opened([.password("test")]).state(of: key, in: .files("Documents")).value != nil)
    }

    @Test("reading a zip, a compressed tar and a backup in one anew can be stopped, where they are read again")
    func stoppedAnew() throws {
        let tree = try TemporaryTree(), stopped = OpeningControl(isCancelled: { true })
        for (kind, fixture) in [
            ("zip", "notes-legacy.xcappdata"), ("tar.gz", "notes-legacy.xcappdata"), ("zip", "backup"),
        ] {
            let path = try archive(kind, of: Places.fixture(fixture), in: tree, name: "\(fixture).\(kind)")
            let dump = try Dump.open(path)
            // Another time is another file.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
            let error = #expect(throws: DumpError.self) {
                try OpeningControl.$current.withValue(stopped) { try dump.reopened() }
            }
            #expect(error?.problem == .cancelled, "\(kind) of \(fixture)")
            #expect(try dump.reopened().containers.count == dump.containers.count)
        }
        let backup = try Dump.open(Places.fixture("backup"))
        let error = #expect(throws: DumpError.self) {
            try OpeningControl.$current.withValue(stopped) { try backup.reopened() }
        }
        #expect(error?.problem == .cancelled)
    }

    @Test("each of the locked things in one another takes a password of its own, the outermost first")
    func layers() throws {
        let tree = try TemporaryTree(), name = "layers.zip"
        let other = try archive("elsewhere", of: Places.fixture("backup-encrypted"), in: tree, name: name)
        func opening(_ secrets: [DumpSecret]) throws -> Opening {
            try Dump.opening(other, OpeningOptions(secrets: secrets))
        }
        guard case .locked(let zip) = try opening([]),
            case .locked(let backup) = try zip.opening(with: .password("other"))
        else {
            Issue.record("it is not locked twice")
            return
        }
        #expect(zip.kind.rawValue == "zip" && zip.location.path == other)
        #expect(backup.kind == .backup && backup.location.path == other + "/backup-encrypted")
        #expect(throws: DumpError(other, .wrongArchivePassword)) { try zip.opening(with: .password("test")) }
        #expect(throws: DumpError(backup.location.path, .wrongPassword)) {
            try backup.opening(with: .password("other"))
        }
        guard case .opened(let dump) = try backup.opening(with: .password("test")),
            case .opened(let same) = try opening([.password("other"), .password("test")]),
            case .locked(let inner) = try opening([.password("other")])
        else {
            Issue.record("the two passwords do not open it")
            return
        }
        #expect(inner.kind == .backup)
        let key = try #require(dump.derivedKey)
        guard case .opened(let keyed) = try opening([.key(key), .password("other")]) else {
            Issue.record("the key of the backup and the password of the zip do not open it")
            return
        }
        for dump in [dump, same, keyed, try dump.reopened()] {
            #expect(try dump.container("com.acme.notes").state(of: "rs_user_id", in: own).value == .string("u-42"))
        }
    }

    @Test("more entries, longer names or more bytes than a dump has are refused")
    func limits() throws {
        let tree = try TemporaryTree()
        try tree.file("many/zeros", Data(count: 20 << 20))
        try tree.file("many/more", Data(count: 20 << 20))
        for kind in ["zip", "tar.gz"] {
            let path = try archive(kind, of: tree.at("many"), in: tree)
            let (_, files, file) = try DumpSource.file(at: path)
            let format = try #require(ArchiveFormat(try files.stream(of: file).next()))
            func problem(_ limits: ArchiveLimits) -> DumpError.Problem? {
                do {
                    _ = try ArchiveFiles(file, in: files, format, limits: limits, OpeningControl())
                    return nil
                } catch { return error.problem }
            }
            guard case .bomb(let unpacked, _)? = problem(.init(.init([.ratio: 10]), free: 30 << 20)) else {
                Issue.record("\(kind) is unpacked")
                continue
            }
            #expect(unpacked > 30 << 20 && unpacked < 50 << 20)
            #expect(problem(.init(.init([.entries: 0]))) == .tooManyEntries(limit: 0))
            #expect(problem(.init(.init([.names: 10]))) == .tooLongNames(limit: 10))
            #expect(problem(.init()) == nil)
        }
    }

    @Test(
        "a bomb is refused before it fills anything: a gzip, bzip2 or zstd of zeros, and names that make folders without end"
    )
    func bombs() throws {
        let tree = try TemporaryTree()
        for kind in ["bombs", "bz2bomb", "zstdbomb"] {
            let path = try archive(kind, of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.tar")
            do {
                _ = try Dump.open(path)
                Issue.record("it is unpacked")
            } catch {
                guard case .bomb(let unpacked, let packed) = error.problem else { throw error }
                #expect(unpacked <= (1 << 28) + (1 << 20) && packed < 1 << 20)
            }
        }
        _ = try archive("deep", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        let files = try FolderFiles(opening: tree.path)
        #expect(throws: DumpError("mail.zip", .tooManyEntries(limit: 2000))) {
            try ArchiveFiles("mail.zip", in: files, .zip, limits: .init(.init([.entries: 2000])), OpeningControl())
        }
    }

    @Test(
        "what is packed in layers that are each sound is measured by all of them, and more layers than anybody makes are none"
    )
    func layeredBombs() throws {
        let tree = try TemporaryTree(), folder = Places.fixture("notes-empty.xcappdata")
        let path = try archive("layeredbomb", of: folder, in: tree, name: "mail.zip")
        let options = OpeningOptions(limits: OpeningLimits([.ratio: 2_000]))
        guard case .opened(let dump) = try Dump.opening(path, options),
            case .unreadable(let reason) = try dump.container(nil).state(of: "zeros", in: .files("Documents"))
        else {
            Issue.record("it is unpacked")
            return
        }
        let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
        #expect(reason.cause == .overLimit && reason.explanation.contains("packed in \(size) bytes"), "\(reason)")
        // Nothing comes of members without content, however many there are: what is between the layers is measured.
        _ = try archive("empties", of: folder, in: tree, name: "notes.plist.gz.xz.xz")
        let files = try FolderFiles(opening: tree.path), empties: DumpPath = "notes.plist.gz.xz.xz"
        let endless = #expect(throws: DumpError.self) {
            try ArchiveFiles(empties, in: files, .xz, limits: ArchiveLimits(free: 1 << 22), OpeningControl())
        }
        if case .bomb? = endless?.problem {} else { Issue.record("\(endless as Any)") }
        let layers = try archive("layers", of: folder, in: tree, name: "mail.tar.gz")
        let many = #expect(throws: DumpError.self) { try Dump.open(layers) }
        #expect(many?.problem == .manyLayers(limit: 4), "\(many as Any)")
    }

    @Test(
        "names that make folders in folders are refused after a few of them, unasked; deep ones that others share are not"
    )
    func endlessFolders() throws {
        let tree = try TemporaryTree()
        for (kind, isRead) in [("deep", false), ("shared", true)] {
            _ = try archive(kind, of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: kind + ".zip")
            let files = try FolderFiles(opening: tree.path), path = try #require(DumpPath(kind + ".zip"))
            do throws(DumpError) {
                let found = try ArchiveFiles(path, in: files, .zip, limits: .init(), OpeningControl())
                #expect(isRead && found.items().items.count > 3000, "\(kind)")
            } catch {
                #expect(!isRead && error.problem == .endlessFolders(levels: 1501), "\(kind): \(error)")
            }
        }
    }

    @Test("a compressed tar says how far it is unpacked, and is left where the person stops it")
    func progress() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata("notes.xcappdata")
        let noise = Data((0..<3 << 20).map { _ in UInt8.random(in: 0...255) })
        try tree.file("notes.xcappdata/AppData/Documents/noise", noise)
        let path = try archive("tar.gz", of: tree.at("notes.xcappdata"), in: tree)
        let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
        let seen = Mutex<[OpeningProgress]>([])
        let watch: @Sendable (OpeningProgress) -> Void = { progress in
            if progress.phase == .unpacking { seen.withLock { $0.append(progress) } }
        }
        _ = try Dump.opening(path, control: OpeningControl(progress: watch))
        let places = seen.withLock { $0 }
        #expect(places.count > 3 && places.allSatisfy { $0.total == size && $0.done <= size })
        #expect(places.map(\.done) == places.map(\.done).sorted() && places.last?.done == size)
        seen.withLock { $0 = [] }
        let stopping = OpeningControl(progress: watch, isCancelled: { seen.withLock(\.count) == 2 })
        #expect(throws: DumpError("", .cancelled)) { try Dump.opening(path, control: stopping) }
        #expect(seen.withLock(\.count) == 2)
    }

    @Test("a gzip gives what was packed or is refused, whichever byte is damaged", .timeLimit(.minutes(10)))
    func gzip() throws {
        let tree = try TemporaryTree(), source = Places.fixture("notes-empty.xcappdata")
        let files = try FolderFiles(opening: tree.path), file: DumpPath = "mail.tar.gz"
        let path = try archive("members", of: source, in: tree, name: "mail.tar.gz")
        let packed = try Data(contentsOf: URL(fileURLWithPath: path))
        func unpacked(_ bytes: Data) throws -> [UInt8] {
            try bytes.write(to: URL(fileURLWithPath: path))
            let archive = try ArchiveFiles(file, in: files, .gzip, OpeningControl())
            return try archive.bytes.read(at: 0, upTo: archive.bytes.count)
        }
        let whole = try unpacked(packed)
        #expect(try whole == Array(Data(contentsOf: URL(fileURLWithPath: try archive("tar", of: source, in: tree)))))
        var refused = 0
        let ends = Array(packed.count - 12..<packed.count)
        for place in stride(from: 10, to: packed.count, by: packed.count / 400) + ends {
            var changed = packed
            changed[place] ^= 0x10
            do {
                #expect(try unpacked(changed) == whole, "byte \(place)")
            } catch {
                refused += 1
            }
        }
        #expect(refused > 400)
    }

    @Test("a gzip with another checksum or length is refused with where, in layers too; what is behind it is named")
    func gzipEnd() throws {
        let tree = try TemporaryTree(), source = Places.fixture("notes-legacy.xcappdata")
        let path = try archive("members", of: source, in: tree, name: "mail.tar.gz")
        let packed = try Data(contentsOf: URL(fileURLWithPath: path)), url = URL(fileURLWithPath: path)
        let damages: [(place: Int, words: String)] = [
            (packed.count - 8, "does not have the checksum (CRC-32) or the length that stands behind it"),
            (packed.count - 1, "before byte \(packed.count), so that something in it was damaged"),
            (packed.count - 1, "of its part that begins at byte"),
        ]
        for (place, words) in damages {
            var changed = packed
            changed[place] ^= 1
            try changed.write(to: url)
            let error = #expect(throws: DumpError.self) { try Dump.open(path) }
            let sentence = error.map { "\($0)" } ?? ""
            #expect(sentence.contains(words) && sentence.contains("Copy it again from its source."), "\(sentence)")
            let outer = tree.at("mail.tar.gz.xz")
            try Archives.write("xz", to: outer, of: path)
            #expect(throws: DumpError.self) { try Dump.open(outer) }
        }
        try packed.dropLast(3).write(to: url)
        let cut = #expect(throws: DumpError.self) { try Dump.open(path) }
        #expect(cut.map { "\($0)".contains("it ends too early, after \(packed.count - 3) bytes") } == true)
        try (packed + Data("left".utf8)).write(to: url)
        #expect(try Dump.open(path).warnings.map(\.problem).contains(.bytesBehind(4)))
        try (packed + Data(count: 100_000)).write(to: url)
        let warnings = try Dump.open(path).warnings.map(\.problem)
        #expect(!warnings.contains { if case .bytesBehind = $0 { true } else { false } })
    }

    @Test("a damaged archive is refused or read, wherever it is damaged", .timeLimit(.minutes(10)))
    func damaged() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata("notes.xcappdata")
        for kind in ["zip", "tar.gz"] {
            let path = try archive(kind, of: tree.at("notes.xcappdata"), in: tree)
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            for step in stride(from: 4, to: data.count, by: max(1, data.count / 40)) {
                var changed = data
                changed[step] ^= 0x55
                for bytes in [data.prefix(step), changed] {
                    try bytes.write(to: URL(fileURLWithPath: path))
                    guard case .opened(let dump)? = try? Dump.opening(path) else { continue }
                    for container in dump.containers { _ = container.storeWarnings() }
                }
            }
        }
    }
}

@Suite("UFED's keychain")
struct UFEDKeychainTests {
    @Test("items are opened with the keys in it; what has none is named")
    func items() throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: Places.fixture("keychain-ufed/backup_keychain_v2.plist")))
        let export = try KeychainExport(data)
        #expect(export.form == "UFED keychain backup")
        #expect(export.items.map(\.service) == ["com.acme.notes.token", "api.example.com", "com.acme.timer.token"])
        #expect(export.items.map(\.kind) == [.generic, .internet, .generic])
        #expect(
            try export.items.map { try $0.secret.get() } == [
                Data("refresh-token-1".utf8), Data("pa55".utf8), Data(repeating: 0x74, count: 300),
            ])
        #expect(export.problems.map(\.place) == ["entry 4", "entry 5"])
    }
}
