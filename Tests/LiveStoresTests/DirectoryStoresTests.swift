import CrashTesting
import Foundation
import LiveStores
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@Suite("Stores in a folder")
struct DirectoryStoresTests {
    private static let domain = StoreID.defaults("com.acme.notes")

    private func change(
        _ store: StoreID, _ key: String, _ before: EntryState, _ after: Value?
    ) -> Change {
        Change(address: Address(store: store, key: Name(key)), before: before, after: after, rule: "a test")
    }

    private func write(_ files: any FileSystem, _ path: String, _ text: String) throws {
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            try files.makeFolder(folder)
        }
        try files.create(path, mode: 0o644).write(Data(text.utf8))
    }

    @Test("every kind of store is written, listed and read back, also under names that are no file names")
    func roundTrip() throws {
        let disk = MemoryFileSystem()
        let item = KeychainItem(text: "secret", attributes: ["pdmn": .string("ck")]).value
        let entries: [(StoreID, String, Value)] = [
            (.defaults("com.acme/nested ü"), "k", .integer(1)), (.defaults(".."), "k", .bool(true)),
            (.keychain("com.acme/keys"), "an account/ü", item),
            (.files("AppSupport"), "a/b/c.json", .data(Data("{}".utf8))), (.files("tmp"), "x", .data(Data())),
        ]
        do {
            var stores = try DirectoryStores(at: "/s", fileSystem: disk)
            #expect(stores.stores.isEmpty)
            try stores.commit(entries.map { change($0.0, $0.1, .absent, $0.2) })
        }
        let stores = try DirectoryStores(at: "/s", fileSystem: disk)
        #expect(Set(stores.stores) == Set(entries.map(\.0)))
        for (store, key, value) in entries {
            #expect(stores.state(of: Name(key), in: store) == .present(value))
            #expect(stores.keys(in: store).count == 1 && stores.keys(in: store).key(at: 0) == Name(key))
        }
        #expect(try disk.status(of: "/s/Keychain/com.acme%2Fkeys.plist")?.mode == 0o600)
    }

    @Test("a folder in place of a file, or of a list, is unreadable and not absent")
    func folderForFile() throws {
        let disk = MemoryFileSystem()
        for path in ["/s/Files/Documents/a.json/b", "/s/Preferences/com.acme.notes.plist/b"] {
            try write(disk, path, "x")
        }
        let stores = try DirectoryStores(at: "/s", fileSystem: disk)
        for (key, store, path) in [
            ("a.json", StoreID.files("Documents"), "Files/Documents/a.json"),
            ("key", Self.domain, "Preferences/com.acme.notes.plist"),
        ] {
            let reason = Unreadable(.unsupported, "\(path) is a folder, and no file")
            #expect(stores.state(of: Name(key), in: store) == .unreadable(reason))
        }
        #expect(stores.state(of: "a.json/b", in: .files("Documents")).value != nil)
    }

    @Test("what the system refuses is said in the words of every room")
    func words() {
        #expect(FileError("read", "/x", number: EMFILE).description == "cannot read /x: too many files are open")
    }

    @Test("a store whose last entry goes is gone, and copies see it")
    func emptied() throws {
        var stores = try DirectoryStores(at: "/s", fileSystem: MemoryFileSystem())
        let copy = stores
        for (store, value) in [(Self.domain, Value.integer(1)), (.files("Documents"), .data(Data([1])))] {
            try stores.commit([change(store, "a", .absent, value)])
            #expect(copy.stores == [store])
            try stores.commit([change(store, "a", .present(value), nil)])
            #expect(copy.stores == [] && copy.state(of: "a", in: store) == .absent)
        }
    }

    @Test("a domain keeps its format, and what no change names stays")
    func keepsFormat() throws {
        let disk = MemoryFileSystem()
        try write(
            disk, "/s/Preferences/com.acme.notes.plist",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>theme</key><string>dark</string></dict></plist>
            """)
        var stores = try DirectoryStores(at: "/s", fileSystem: disk)
        try stores.commit([change(Self.domain, "size", .absent, .real(14.5))])
        let text = try #require(try disk.contents(of: "/s/Preferences/com.acme.notes.plist"))
        #expect(text.starts(with: Data("<?xml".utf8)))
        #expect(stores.state(of: "theme", in: Self.domain) == .present(.string("dark")))
        #expect(try disk.status(of: "/s/Preferences/com.acme.notes.plist")?.mode == 0o644, "the mode is kept")
    }

    @Test("a broken file is unreadable, never absent, and is not written over")
    func broken() throws {
        let disk = MemoryFileSystem()
        try write(disk, "/s/Keychain/com.acme.plist", "bplist00 but no more")
        var stores = try DirectoryStores(at: "/s", fileSystem: disk)
        #expect(stores.problem(with: .keychain("com.acme"))?.cause == .corrupt)
        guard case .unreadable = stores.state(of: "a", in: .keychain("com.acme")) else {
            Issue.record("it must be unreadable")
            return
        }
        #expect(throws: LiveStoreError.self) {
            try stores.commit([change(.keychain("com.acme"), "a", .absent, KeychainItem(text: "x").value)])
        }
        #expect(try disk.contents(of: "/s/Keychain/com.acme.plist") == Data("bplist00 but no more".utf8))
    }

    @Test("a change planned on something else is refused as a whole")
    func changedMeanwhile() throws {
        var stores = try DirectoryStores(at: "/s", fileSystem: MemoryFileSystem())
        try stores.commit([change(Self.domain, "a", .absent, .integer(1))])
        let address = Address(store: Self.domain, key: "a")
        #expect(throws: LiveStoreError.changedMeanwhile(address)) {
            try stores.commit([
                change(.files("Documents"), "x", .absent, .data(Data())),
                change(Self.domain, "a", .absent, .integer(2)),
            ])
        }
        #expect(stores.stores == [Self.domain] && stores.state(at: address) == .present(.integer(1)))
    }

    @Test(
        "what a store cannot hold, and where a file cannot be, is refused before anything changes",
        arguments: [
            (StoreID.files("Documents"), "../escape", Value.data(Data())),
            (.files("Documents"), "/etc/x", .data(Data())),
            (.files("Documents"), "", .data(Data())), (.files("Documents"), "a//b", .data(Data())),
            (.files("Documents"), "nul\0", .data(Data())), (.files("Documents"), ".vestige-x.tmp", .data(Data())),
            (.files(".."), "a", .data(Data())), (.files("Documents"), "text", .string("no data")),
            (.files("Documents"), "file/below", .data(Data())), (.keychain("k"), "a", .string("no item")),
            (.defaults("d"), "a", .reference(1)), (StoreID(.sqlite, "Documents/n.db/t"), "1", .null),
        ])
    func refused(store: StoreID, key: String, value: Value) throws {
        let disk = MemoryFileSystem()
        var stores = try DirectoryStores(at: "/s", fileSystem: disk)
        try stores.commit([change(.files("Documents"), "file", .absent, .data(Data([1])))])
        let error = #expect(throws: LiveStoreError.self) {
            try stores.commit([
                change(Self.domain, "also", .absent, .bool(true)), change(store, key, .absent, value),
            ])
        }
        guard case .unwritable? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(stores.stores == [.files("Documents")])
    }

    @Test("one process has the stores open, until it lets go of them")
    func lock() throws {
        let disk = MemoryFileSystem()
        var first: DirectoryStores? = try DirectoryStores(at: "/s", fileSystem: disk)
        #expect(throws: LiveStoreError.inUse("/s")) { try DirectoryStores(at: "/s", fileSystem: disk) }
        #expect(first?.stores == [])
        first = nil
        #expect(throws: Never.self) { try DirectoryStores(at: "/s", fileSystem: disk) }
    }

    @Test("after an error at or after the decision nothing is read until the change is finished or dropped, by itself")
    func unfinished() throws {
        let disk = MemoryFileSystem()
        var stores = try DirectoryStores(at: "/s", fileSystem: disk)
        let changes = [
            change(Self.domain, "a", .absent, .integer(1)), change(.files("Documents"), "b", .absent, .data(Data([2]))),
        ]
        var unfinished = 0, finished = 0
        for point in 0..<60 {
            disk.set(.error(at: point, number: ENOSPC, lasting: true))
            do {
                try stores.commit(changes)
                disk.set(.none)
            } catch LiveStoreError.unfinished {
                unfinished += 1
                #expect(stores.stores.isEmpty && stores.state(at: changes[0].address).value == nil)
                guard case .unreadable = stores.state(at: changes[0].address) else {
                    Issue.record("what is not finished must not be read")
                    return
                }
                disk.set(.none)
                let isNew = changes.allSatisfy { stores.state(at: $0.address).value == $0.after }
                #expect(isNew || stores.stores.isEmpty, "as a whole or not at all")
                finished += isNew ? 1 : 0
            } catch {
                disk.set(.none)
                #expect(stores.stores.isEmpty, "any other error changes nothing")
            }
            if !stores.stores.isEmpty { try stores.commit(changes.reversed().map(\.inverse)) }
        }
        #expect(finished > 5 && unfinished - finished <= 4, "only the moment of decision itself may be lost")
    }

    @Test("where something else wrote after an interruption, nothing is touched and the files are named")
    func drift() throws {
        let disk = MemoryFileSystem()
        do {
            var stores = try DirectoryStores(at: "/s", fileSystem: disk)
            try stores.commit([change(.files("Documents"), "a", .absent, .data(Data([1])))])
            var point = 0
            interrupt: while true {
                disk.set(.error(at: point, number: EIO, lasting: true))
                do {
                    try stores.commit([change(.files("Documents"), "a", .present(.data(Data([1]))), .data(Data([2])))])
                } catch LiveStoreError.unfinished {
                    disk.set(.none)
                    if try disk.contents(of: "/s/.vestige-journal/intent") != nil { break interrupt }
                } catch {}
                disk.set(.none)
                point += 1
            }
        }
        try disk.create("/s/Files/Documents/a", mode: 0o600).write(Data([3]))
        #expect(throws: LiveStoreError.drift(["Files/Documents/a"])) {
            try DirectoryStores(at: "/s", fileSystem: disk)
        }
        #expect(try disk.contents(of: "/s/Files/Documents/a") == Data([3]))
    }

    @Test("a damaged record of a change is named, and nothing is guessed", arguments: ["", "x\n{}", "\n"])
    func damagedJournal(text: String) throws {
        let disk = MemoryFileSystem()
        try write(disk, "/s/.vestige-journal/intent", text)
        let error = #expect(throws: LiveStoreError.self) { try DirectoryStores(at: "/s", fileSystem: disk) }
        guard case .damagedJournal? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("on the machine's own files: written, locked, and a symbolic link is neither followed nor replaced")
    func posix() throws {
        let folder = try TemporaryFolder(), root = folder("stores")
        var stores = try DirectoryStores(at: root)
        try stores.commit([change(Self.domain, "a", .absent, .integer(1))])
        #expect(throws: LiveStoreError.inUse(root)) { try DirectoryStores(at: root) }
        #expect(stores.state(of: "a", in: Self.domain) == .present(.integer(1)))
        try FileManager.default.createDirectory(atPath: root + "/Files/Documents", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: root + "/Files/Documents/link", withDestinationPath: "/etc/passwd")
        guard case .unreadable = stores.state(of: "link", in: .files("Documents")) else {
            Issue.record("a link must not be followed")
            return
        }
        #expect(throws: LiveStoreError.self) {
            try stores.commit([change(.files("Documents"), "link", .absent, .data(Data()))])
        }
        #expect(stores.keys(in: .files("Documents")).count == 0)
    }

    @Test("a folder that cannot be listed is no empty one: the other stores are listed, and the problem is told")
    func unlisted() throws {
        let disk = MemoryFileSystem(), keychain = StoreID.keychain("com.acme.keys")
        var stores = try DirectoryStores(at: "/s", fileSystem: disk)
        #expect(stores.problem == nil && !stores.contains(keychain))
        try stores.commit([change(Self.domain, "a", .absent, .integer(1))])
        try stores.commit([change(keychain, "b", .absent, KeychainItem(text: "secret").value)])
        let reader = try DirectoryStores(
            at: "/s", fileSystem: Refusing(files: disk.afterPowerLoss(.everything), folder: "/s/Keychain"))
        #expect(reader.stores == [Self.domain])
        #expect(reader.problem?.explanation == "cannot list /s/Keychain: permission is denied")
        #expect(reader.contains(keychain) && reader.problem(with: keychain) != nil)
        #expect(reader.keys(in: keychain).count == 0)
        #expect(Overlay(reader).problem == reader.problem)
    }
}

/// A file system in which one folder may not be read.
private struct Refusing: FileSystem {
    let files: MemoryFileSystem
    let folder: String

    private func check(_ operation: String, _ path: String) throws(FileError) {
        if path == folder || path.hasPrefix(folder + "/") { throw FileError(operation, path, number: EACCES) }
    }

    func status(of path: String) throws(FileError) -> FileStatus? { try files.status(of: path) }

    func contents(of path: String) throws(FileError) -> Data? {
        try check("read", path)
        return try files.contents(of: path)
    }

    func names(in folder: String) throws(FileError) -> [String] {
        try check("list", folder)
        return try files.names(in: folder)
    }

    func makeFolder(_ path: String) throws(FileError) { try files.makeFolder(path) }
    func create(_ path: String, mode: UInt16) throws(FileError) -> any OutputFile {
        try files.create(path, mode: mode)
    }
    func rename(_ path: String, to newPath: String) throws(FileError) { try files.rename(path, to: newPath) }
    func remove(_ path: String) throws(FileError) { try files.remove(path) }
    func synchronizeFolder(_ path: String) throws(FileError) { try files.synchronizeFolder(path) }
    func lock(_ path: String) throws(FileError) -> (any FileLock)? { try files.lock(path) }
}
