import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats
import Synchronization
import TestSupport
import Testing

@testable import Workspace

@Suite("An export")
struct ExportTests: ExportedDumps {
    @Test("Files without changes are copied byte for byte with their modes and times, links as links")
    func copies() throws {
        let (folder, workspace) = try Self.setUp(applied: false)
        let summary = try workspace.export(to: folder("out"))
        #expect(try folder.tree("out") == folder.tree("dump"))
        #expect(summary.copiedFiles == 4)
        for path in try folder.tree("dump").keys.map({ "/" + $0 }) + [""] {
            let before = try #require(folder.status("dump" + path)), after = try #require(folder.status("out" + path))
            #expect(before.permissions == after.permissions, "\(path)")
            #expect(before.modified == after.modified, "\(path)")
        }
    }

    @Test("Edits are written where they belong, each domain in the format that it has")
    func edits() throws {
        let (folder, workspace) = try Self.setUp()
        let summary = try workspace.export(to: folder("out"))
        #expect(summary.rewritten == ["Library/Preferences/com.acme.notes.plist"])
        #expect(summary.added == ["Documents/copy/note.txt", "Library/Preferences/com.acme.notes.new.plist"])
        #expect(summary.removed == ["Library/Application Support/queue.json"])
        let dump = try Dump.open(folder("out")), container = try dump.container(nil)
        #expect(container.keys(in: .defaults("com.acme.notes")).count == 1)
        #expect(container.state(of: "theme", in: .defaults("com.acme.notes")) == .present(.string("light")))
        #expect(container.state(of: "id", in: .defaults("com.acme.notes.new")) == .present(.string("u-42")))
        let tree = try folder.tree("out")
        #expect(tree["Documents/copy/note.txt"] == Data("copied".utf8))
        #expect(tree["Library/Application Support/queue.json"] == nil)
        #expect(tree["Library/Preferences/com.acme.notes.plist"]?.starts(with: Data("bplist00".utf8)) == true)
        #expect(folder.status("out/Library/Preferences/com.acme.notes.new.plist")?.permissions == 0o600)
    }

    @Test("The dump itself is never touched")
    func dumpStays() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let before = try folder.tree("dump")
        let times = try folder.tree("dump").keys.sorted().map { folder.status("dump/" + $0)?.modified }
        let workspace = try folder.workspace(facts: WorkspaceTests.now)
        try workspace.apply(.all, of: Self.migration, profile: Self.migration.plain, stamp: .test)
        try workspace.export(to: folder("out"))
        #expect(try folder.tree("dump") == before)
        #expect(try folder.tree("dump").keys.sorted().map { folder.status("dump/" + $0)?.modified } == times)
    }

    @Test("A file and a folder whose names are not UTF-8 are copied")
    func namesOfBytes() throws {
        let (folder, workspace) = try Self.setUp(applied: false)
        func path(_ root: String) -> [CChar] {
            Array((folder(root) + "/Documents/").utf8CString.dropLast()) + [-23, 0]
        }
        guard mkdir(path("dump"), 0o700) == 0 else { return }  // This file system allows no such names.
        let file = open(Array(path("dump").dropLast()) + Array("/x".utf8CString), O_CREAT | O_WRONLY, 0o600)
        try #require(write(file, "bytes", 5) == 5)
        close(file)
        #expect(try workspace.export(to: folder("out")).skipped.isEmpty)
        let copy = open(Array(path("out").dropLast()) + Array("/x".utf8CString), O_RDONLY)
        defer { close(copy) }
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(copy, &bytes, 8) == 5 && bytes.prefix(5).elementsEqual("bytes".utf8))
    }

    @Test("Pipes are skipped and named; a folder that may not be written to is copied with its mode")
    func specialItems() throws {
        let (folder, _) = try Self.setUp(applied: false)
        mkfifo(folder("dump/Documents/pipe"), 0o600)
        try folder.write("dump/tmp/closed/file", Data("x".utf8))
        chmod(folder("dump/tmp/closed"), 0o555)
        chmod(folder("dump/tmp/closed/file"), 0o4755)
        defer { for root in ["dump", "out"] { chmod(folder(root + "/tmp/closed"), 0o755) } }
        let workspace = try folder.workspace()
        let summary = try workspace.export(to: folder("out"))
        #expect(summary.skipped.map(\.path) == ["Documents/pipe"])
        #expect(folder.status("out/Documents/pipe") == nil)
        #expect(folder.status("out/tmp/closed")?.permissions == 0o555)
        #expect(folder.status("out/tmp/closed/file")?.permissions == 0o755, "no right to become another user")
        // Removing what an unfinished export has made of it works too.
        #expect(throws: WorkspaceError.cancelled) {
            let asked = Mutex(0)
            try workspace.export(
                to: folder("again"),
                isCancelled: {
                    asked.withLock {
                        $0 += 1; return $0 > 18
                    }
                })
        }
        let hidden = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("vestige-") }
        #expect(hidden == [".out.vestige-export"])
    }

    @Test("A new file is never written through a link of the dump")
    func linkInTheWay() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        try FileManager.default.createSymbolicLink(
            atPath: folder("dump/Documents/copy"), withDestinationPath: folder.path)
        let workspace = try folder.workspace()
        let attempt = Result {
            try workspace.apply(.steps(["file"]), of: Self.migration, profile: Self.migration.plain, stamp: .test)
            return try workspace.export(to: folder("out"))
        }
        if case .success(let summary) = attempt { #expect(summary.added.isEmpty) }
        #expect(folder.status("note.txt") == nil)
        let hidden = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("vestige-") }
        #expect(hidden == [".out.vestige-export"])
    }

    @Test("A domain whose last entry is removed stays as an empty list; a new one without entries makes no file")
    func emptyDomains() throws {
        let empty = try #require(
            try ExportEdits.Edit.entries([("x", nil)]).applied(
                to: XMLPropertyList.write(.dictionary([("x", .bool(true))]))))
        #expect(try PropertyListFile(empty).count == 0)
        #expect(try PropertyListFile(empty).format == .xmlPropertyList)
        #expect(try ExportEdits.Edit.entries([("x", nil)]).applied(to: nil) == nil)
    }

    @Test("A single property list is exported into a folder, beside nothing of its neighbours")
    func singleFile() throws {
        let folder = try TemporaryFolder()
        try folder.write("in/com.acme.notes.plist", BinaryPropertyList.write(.dictionary([("theme", .string("dark"))])))
        try folder.write("in/other.txt", Data("other".utf8))
        let workspace = try folder.workspace("in/com.acme.notes.plist", ledger: "in/ledger")
        try workspace.apply(.steps(["theme", "id"]), of: Self.migration, profile: Self.migration.plain, stamp: .test)
        try workspace.export(to: folder("in/out"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("in/out")) == ["com.acme.notes.plist"])
        let copy = try Dump.open(folder("in/out/com.acme.notes.plist")).container(nil)
        #expect(copy.state(of: "theme", in: .defaults("com.acme.notes")) == .present(.string("light")))
        let error = #expect(throws: WorkspaceError.self) {
            try workspace.export(to: folder("in/com.acme.notes.plist"), replacing: true)
        }
        #expect(error?.exitCode == 64)
    }

    @Test("All containers of a dump are exported with what was applied to each")
    func containers() throws {
        let folder = try TemporaryFolder()
        for (name, identifier) in [("A", "com.acme.notes"), ("B", "com.acme.other")] {
            let path = "device/data/Containers/Data/Application/\(name)/"
            try folder.write(
                path + ".com.apple.mobile_container_manager.metadata.plist",
                XMLPropertyList.write(.dictionary([("MCMMetadataIdentifier", .string(identifier))])))
            try folder.write(
                path + "Library/Preferences/com.acme.notes.plist",
                BinaryPropertyList.write(.dictionary([("theme", .string(name))])))
        }
        let dump = try Dump.open(folder("device"))
        let ledger = LedgerLocation.file(folder("ledger"))
        for container in dump.containers {
            let workspace = try Workspace.open(dump: dump, container: container.identifier, ledger: ledger)
            try workspace.apply(
                .steps(["theme"]), of: Self.migration, profile: Self.migration.plain, stamp: .test)
            #expect(workspace.snapshot.history.entries.count == 1)
        }
        let workspace = try Workspace.open(dump: dump, container: "com.acme.notes", ledger: ledger)
        let other = try workspace.opening(container: "com.acme.other")
        #expect(other.snapshot.access == .readWrite)
        // What stands in one container is named by every other of the ledger.
        let elsewhere = [StandingElsewhere(container: "com.acme.other", steps: 1)]
        #expect(try workspace.standingElsewhere() == elsewhere)
        #expect(try workspace.verify([Self.migration]).elsewhere == elsewhere)
        try other.rollback(.last, stamp: .test)
        try other.apply(.steps(["theme"]), of: Self.migration, profile: Self.migration.plain, stamp: .test)
        #expect(other.snapshot.history.entries.count == 3)
        #expect(try workspace.export(to: folder("out")).rewritten.count == 2)
        let copy = try Dump.open(folder("out"))
        #expect(copy.containers.count == 2)
        for container in copy.containers {
            #expect(container.state(of: "theme", in: .defaults("com.acme.notes")) == .present(.string("light")))
        }
    }

    @Test("Progress counts every item once, first written and then compared")
    func progress() throws {
        let (folder, workspace) = try Self.setUp()
        let seen = Mutex([ExportProgress]())
        try workspace.export(to: folder("out"), progress: { step in seen.withLock { $0.append(step) } })
        let steps = seen.withLock { $0 }
        let writing = steps.filter { $0.phase == .writing }, comparing = steps.filter { $0.phase == .comparing }
        #expect(writing.map(\.done) == Array(1..<writing.count + 1) && writing.last?.total == writing.count)
        #expect(comparing.map(\.done) == Array(1..<comparing.count + 1) && comparing.last?.total == comparing.count)
    }

    @Test("A container that is gone is drift, and with that accepted is left out and named")
    func goneContainer() throws {
        let folder = try TemporaryFolder()
        for name in ["A", "B"] {
            let path = "device/data/Containers/Data/Application/\(name)/"
            try folder.write(
                path + ".com.apple.mobile_container_manager.metadata.plist",
                XMLPropertyList.write(.dictionary([("MCMMetadataIdentifier", .string("com.acme.\(name)"))])))
            try folder.write(
                path + "Library/Preferences/com.acme.notes.plist",
                BinaryPropertyList.write(.dictionary([("theme", .string(name))])))
        }
        let ledger = LedgerLocation.file(folder("ledger"))
        for name in ["A", "B"] {
            let workspace = try Workspace.open(
                dump: Dump.open(folder("device")), container: "com.acme.\(name)", ledger: ledger)
            try workspace.apply(.steps(["theme"]), of: Self.migration, profile: Self.migration.plain, stamp: .test)
        }
        let gone = "data/Containers/Data/Application/B"
        try FileManager.default.removeItem(atPath: folder("device/" + gone))
        let workspace = try Workspace.open(
            dump: Dump.open(folder("device")), container: "com.acme.A", ledger: ledger)
        #expect(throws: WorkspaceError.drift([Drift(Name(gone), .missing)])) { try workspace.export(to: folder("out")) }
        let summary = try workspace.export(to: folder("out"), accepting: [Drift(Name(gone), .missing)])
        #expect(summary.skipped.map(\.path) == [gone] && summary.rewritten.count == 1)
    }
}
