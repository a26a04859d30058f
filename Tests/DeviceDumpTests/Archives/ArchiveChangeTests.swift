import Foundation
import MigrationEngine
import TestSupport
import Testing

@testable import DeviceDump

@Suite("An archive that changes while it is open")
struct ArchiveChangeTests: PackedDumps {
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
}
