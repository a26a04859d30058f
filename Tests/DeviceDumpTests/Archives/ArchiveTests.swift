import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import DeviceDump

@Suite("An archive is opened as the dump in it")
struct ArchiveTests: PackedDumps {
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

    @Test("an archive in which nothing is found says what it has and leaves out")
    func astray() throws {
        let tree = try TemporaryTree()
        let path = try archive("astray", of: Places.fixture("person-v0.xcappdata"), in: tree, name: "mail.zip")
        let error = #expect(throws: DumpError.self) { try Dump.open(path) }
        let words = "\(try #require(error))"
        #expect(words.contains("it holds no file") && words.contains("that lead out of it"), "\(words)")
        #expect(words.contains("the first is “../person-v0.xcappdata/"), "\(words)")
    }
}
