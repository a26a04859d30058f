import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import DeviceDump

@Suite("An archive is opened as the dump in it")
struct ArchiveTests {
    private let own = StoreID.defaults("com.acme.notes")

    /// An archive of a fixture, or of something in the tree, made by Python.
    private func archive(_ kind: String, of source: String, in tree: TemporaryTree, name: String? = nil) throws
        -> String
    {
        let target = tree.at(name ?? "mail.\(kind)"), process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-W", "ignore",
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Support/archives.py",
            kind, target, source,
        ]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return target
    }

    @Test("of each kind, and holds what the folder does", arguments: ["zip", "tar", "tar.gz", "tar.xz", "tar.zst"])
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
        guard case .locked = try Dump.opening(outer) else {
            Issue.record("the inner archive is not found")
            return
        }
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
        #expect(throws: DumpError(path, .wrongPassword)) { try locked.opened(with: .password("wrong")) }
        #expect(throws: DumpError(path, .wrongKey)) { try locked.opened(with: .key(Data(count: 32))) }
        let app = try locked.opened(with: .password("test")).container(nil)
        #expect(app.state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test("names that lead out of it are left out, what is there twice is named, links are not followed")
    func hostile() throws {
        let tree = try TemporaryTree()
        try tree.folder("in")
        let path = try archive("hostile", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "in/mail.zip")
        let app = try Dump.open(path).container(nil), documents = StoreID.files("Documents")
        #expect(app.storeWarnings().map(\.problem).contains(.strayEntries(3)))
        // libarchive gives every name in its composed form, so that of the normalization twins one is left, which is said.
        #expect(app.storeWarnings().map(\.problem).contains(.sameEntries(2)))
        #expect(app.state(of: "twice.txt", in: documents).value?.data == Data("first".utf8))
        #expect(app.state(of: "Twice.txt", in: documents).value?.data == Data("third".utf8))
        #expect(app.state(of: "caf\u{E9}.txt", in: documents).value?.data == Data("one".utf8))
        #expect(app.state(of: "zeros", in: documents).value?.data == Data(count: 3 << 20))
        guard case .unreadable = app.state(of: "link/passwd", in: documents) else {
            Issue.record("a link is followed")
            return
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: tree.path).sorted() == ["in", "in/mail.zip"])
    }

    @Test("more entries, or more bytes, than a dump has are refused")
    func limits() throws {
        let tree = try TemporaryTree()
        try tree.file("many/zeros", Data(count: 20 << 20))
        for kind in ["zip", "tar.gz"] {
            let path = try archive(kind, of: tree.at("many"), in: tree)
            let (files, file) = try DumpSource.file(at: path)
            let format = try #require(ArchiveFormat(try files.stream(of: file).next()))
            func problem(_ limits: ArchiveFiles.Limits) -> DumpError.Problem? {
                do {
                    _ = try ArchiveFiles(file, in: files, format, password: nil, limits: limits, OpeningControl())
                    return nil
                } catch { return error.problem }
            }
            guard case .bomb? = problem(.init(ratio: 10, free: 1 << 20)) else {
                Issue.record("\(kind) is unpacked")
                continue
            }
            guard case .bomb? = problem(.init(unpacked: 1 << 20)) else {
                Issue.record("\(kind) is unpacked")
                continue
            }
            #expect(problem(.init(entries: 0)) == .tooManyEntries(limit: 0))
            #expect(problem(.init()) == nil)
        }
    }

    @Test("a damaged archive is refused or read, wherever it is damaged", .timeLimit(.minutes(1)))
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
                    guard let dump = try? Dump.open(path) else { continue }
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
