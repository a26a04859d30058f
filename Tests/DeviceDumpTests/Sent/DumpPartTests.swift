import Foundation
import StoreFormats
import Testing
import TestSupport

@testable import DeviceDump

@Suite("A part of a dump by itself says that it is one")
struct DumpPartTests {
    @Test("a content of a backup by itself is read where it is a list or a database, else said to be one")
    func payloadAlone() throws {
        let tree = try TemporaryTree(), name = String(repeating: "0a", count: 20)
        try tree.file("box/" + name, "some bytes")
        for named in ["box", "box/" + name] {
            let error = #expect(throws: DumpError.self) { try Dump.open(tree.at(named)) }
            let text = "\(try #require(error))"
            #expect(
                text.contains("content of a file in a backup") && text.contains("Ask for the whole backup"), "\(text)")
        }
        try tree.list("list/" + name)
        #expect(try Dump.open(tree.at("list/" + name)).kind == .propertyList)
        // Where its backup is at hand, that is what is to be named.
        let backup = Places.fixture("backup-encrypted")
        for content in try FileManager.default.subpathsOfDirectory(atPath: backup).filter({ $0.count == 43 }) {
            let error = #expect(throws: DumpError.self) { try Dump.open(backup + "/" + content) }
            // Of nothing there is nothing to say but that.
            guard let error, error.problem != .refused(form: "an empty file", advice: "Copy it again from its source.")
            else { continue }
            #expect(error.problem == .insideDump(backup))
        }
    }

    @Test("a list of a backup or of a container named by itself is a part of that")
    func part() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata()
        for path in [tree.at("notes.xcappdata/AppDataInfo.plist"), Places.fixture("backup/Manifest.plist")] {
            let error = #expect(throws: DumpError.self) { try Dump.open(path) }
            #expect("\(try #require(error))".contains("a part of the dump that it lies in"))
        }
    }

    @Test("what SQLite keeps beside a database says so by itself, empty or not, and whether that is there")
    func companions() throws {
        let tree = try TemporaryTree()
        try tree.file("box/a.db", "SQLite format 3\0")
        for (name, words) in [
            ("a.db-wal", "which lies there. Name that"), ("a.db-shm", "which lies there. Name that"),
            ("b.db-journal", "without the database. Ask for both"), ("b.db-wal", "an empty file"),
        ] {
            try tree.file(
                "box/" + name, name.hasSuffix("l") && name != "b.db-wal" ? SQLiteMagic.journal : Data())
            let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("box/" + name)) }
            #expect("\(try #require(error))".contains(words))
        }
    }

    @Test(
        "a list that describes a backup is no app's by itself, whatever lies beside it",
        arguments: [
            ("Manifest.plist", "BackupKeyBag"), ("Info.plist", "Target Identifier"), ("Status.plist", "SnapshotState"),
        ])
    func listOfBackup(name: String, key: String) throws {
        let tree = try TemporaryTree()
        try tree.list(name, [key: "x"])
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at(name)) }
        #expect("\(try #require(error))".contains("a list that describes an iOS backup"))
        try tree.list(name, ["theme": "dark"])
        #expect(try Dump.open(tree.at(name)).containers.count == 1, "an app may call its own as it likes")
    }

    @Test("a backup without its list of files is said to be one, and none of its contents is taken for a dump")
    func backupWithoutManifest() throws {
        let tree = try TemporaryTree()
        try tree.list("backup/Manifest.plist")
        try tree.list("backup/0a/0a00000000000000000000000000000000000000")
        let error = #expect(throws: DumpError.self) { try Dump.open(tree.at("backup")) }
        #expect("\(try #require(error))".contains("without its list of files (Manifest.db)"))
    }
}
