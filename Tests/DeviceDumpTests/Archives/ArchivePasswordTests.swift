import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import DeviceDump

@Suite("An archive with passwords")
struct ArchivePasswordTests: PackedDumps {
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
}
