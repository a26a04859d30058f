import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import TestSupport
import Testing

@testable import Workspace

@Suite("A migration tried on a dump")
struct MigrationTrialTests {
    @Test("Two trees of files differ in the targets of links too, and in what an item is")
    func links() throws {
        let folder = try TemporaryFolder()
        for (name, target) in [("one", "/etc/hostname"), ("two", "/etc/hosts"), ("three", "/etc/hostname")] {
            try folder.write("\(name)/a/file", Data("x".utf8))
            try FileManager.default.createSymbolicLink(
                atPath: folder("\(name)/a/link"), withDestinationPath: target)
        }
        func differences(_ left: String, _ right: String) throws -> [String] {
            try MigrationTrial.differences(FolderFiles(opening: folder(left)), FolderFiles(opening: folder(right)))
        }
        #expect(try differences("one", "three") == [])
        #expect(try differences("one", "two") == ["a/link is a link to another place"])
        try FileManager.default.removeItem(atPath: folder("three/a/link"))
        try folder.write("three/a/link", Data("/etc/hostname".utf8))
        try folder.write("three/b", Data())
        #expect(
            Set(try differences("one", "three")) == [
                "a/link is something else in it", "b is in it, and not in the dump",
            ])
        #expect(Set(try differences("three", "one")) == ["a/link is something else in it", "b is not in it"])
    }

    @Test("Of many differences five are named, and that there are more is said; of five there are no more")
    func many() throws {
        let folder = try TemporaryFolder()
        for number in 0..<20 {
            try folder.write("old/\(number)", Data("x".utf8))
            // What is only there is found in one folder at once.
            try folder.write("new/other\(number)", Data("x".utf8))
        }
        let old = try FolderFiles(opening: folder("old")), new = try FolderFiles(opening: folder("new"))
        #expect(try MigrationTrial.differences(old, new).count == MigrationTrial.named + 1)
        let dump = try Dump.open(folder.copy("notes-legacy.xcappdata"))
        for (more, isMore) in [(5, false), (6, true)] {
            let other = try folder.copy("notes-legacy.xcappdata", to: "other\(more).xcappdata")
            for number in 0..<more { try folder.write("other\(more).xcappdata/AppData/Documents/\(number)", Data()) }
            let trial = try Self.trial(dump, in: folder("trial\(more)")) { _ throws(DumpError) in try Dump.open(other) }
            let failure = try #require(trial.checks.last?.failure)
            #expect(failure.components(separatedBy: "is in it, and not in the dump").count == 6, "\(failure)")
            #expect(failure.hasSuffix("; and more") == isMore, "\(failure)")
        }
    }

    @Test("Of its exports there is one at a time, and none is left")
    func room() throws {
        let folder = try TemporaryFolder(), dump = try Dump.open(folder.copy("notes-legacy.xcappdata"))
        final class Opened: @unchecked Sendable { var beside: [[String]] = [] }
        let opened = Opened(), place = folder("trial")
        let trial = try Self.trial(dump, in: place) { path throws(DumpError) in
            let folders = [place, place + "/export"].map {
                (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? []
            }
            opened.beside.append(folders.joined().filter { !$0.contains("ledger") }.sorted())
            return try Dump.open(path)
        }
        #expect(trial.checks.count == 8 && trial.checks.allSatisfy { $0.failure == nil }, "\(trial.checks)")
        // What an export has written is listed beside it.
        #expect(
            opened.beside == Array(repeating: [".dump.xcappdata.vestige-export", "dump.xcappdata", "export"], count: 2))
        let left = try FileManager.default.contentsOfDirectory(atPath: place).filter { !$0.contains("ledger") }
        #expect(left == [])
    }

    @Test(
        "Of a file by itself the export has others beside it, each with what was applied", arguments: [nil, "", "in/"])
    func lone(folderInArchive: String?) throws {
        let folder = try TemporaryFolder(), name = "com.acme.notes.plist"
        let legacy = try folder.copy("notes-legacy.xcappdata")
        try folder.write(
            "sent/\(folderInArchive ?? "")\(name)",
            Data(contentsOf: URL(fileURLWithPath: legacy + "/AppData/Library/Preferences/" + name)))
        if let inner = folderInArchive {
            // A folder stands in the archive with its own name.
            try Archives.write("zip", to: folder("mail.zip"), of: folder("sent/" + (inner.isEmpty ? name : "in")))
        }
        let dump = try Dump.open(folder(folderInArchive == nil ? "sent/\(name)" : "mail.zip"))
        let trial = try Self.trial(dump, in: folder("trial")) { path throws(DumpError) in try Dump.open(path) }
        let suites = trial.plan.steps.flatMap(\.changes).map(\.address.store).filter { $0.name != "com.acme.notes" }
        #expect(!suites.isEmpty)
        #expect(trial.checks.count == 8 && trial.checks.allSatisfy { $0.failure == nil }, "\(trial.checks)")
    }

    private static func trial(
        _ dump: Dump, in folder: String, reopen: (String) throws(DumpError) -> Dump
    ) throws -> MigrationTrial {
        let migration = RudderStackV2()
        return try MigrationTrial(
            of: migration, profile: migration.profiles[0], on: dump, container: nil,
            facts: GivenFacts.file(Places.facts), in: folder,
            stamp: LedgerEntry.Stamp(date: Date(timeIntervalSince1970: 0), author: "", toolVersion: ""), reopen: reopen)
    }
}
