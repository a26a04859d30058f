import DeviceDump
import Files
import Foundation
import MigrationEngine
import StoreFormats
import Synchronization
import TestSupport
import Testing

@testable import Workspace

/// Writes one entry into a domain that may have no place.
private struct PlacelessMigration: Migration {
    let id = "placeless"
    let title = "Test"
    let summary = "For tests."
    let profiles = [Profile(id: "plain", summary: "The only one.")]
    let facts: [FactDefinition] = []
    let domain: String

    func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
    func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([], [.defaults(Name(domain))]) }

    func steps(profile: Profile, facts: Facts) -> [Step] {
        let target = Address.defaults(Name(domain), "k")
        return [
            Step(id: "one", title: "One", sources: [], target: target, rule: "written") {
                (transaction, _) throws(StepStop) in
                try transaction.write(.bool(true), to: target, rule: "written")
            }
        ]
    }
}

@Suite("An export")
struct ExportTests {
    static let migration = TestMigration()

    /// A dump with its workspace, and everything applied where asked.
    static func setUp(applied: Bool = true) throws -> (folder: TemporaryFolder, workspace: Workspace) {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try folder.workspace(facts: WorkspaceTests.now)
        if applied { try workspace.apply(.all, of: migration, profile: migration.plain, stamp: .test) }
        return (folder, workspace)
    }

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

    @Test(
        "A place that is taken, in the dump, or around it is refused, and nothing is written",
        arguments: [
            ("taken", .targetExists), ("dump", .insideDump), ("dump/out", .insideDump), ("way/out", .insideDump),
            ("missing/out", .noParentFolder), (".", .notAName),
        ] as [(String, ExportProblem)])
    func refusals(target: String, problem: ExportProblem) throws {
        let (folder, workspace) = try Self.setUp()
        try folder.write("taken/file", Data())
        try FileManager.default.createSymbolicLink(atPath: folder("way"), withDestinationPath: folder("dump/Documents"))
        let before = try folder.tree("")
        let error = #expect(throws: WorkspaceError.self) { try workspace.export(to: folder(target)) }
        #expect(error == .export(folder(target), problem))
        #expect(error?.exitCode == 64)
        #expect(try folder.tree("") == before)
    }

    @Test(
        "Replacing refuses a file, a link, and a folder that holds the dump or the ledger",
        arguments: [
            ("file", .targetNotAFolder), ("way", .targetNotAFolder), ("state", .holdsLedger), ("dump", .insideDump),
            ("", .holdsDump),
        ] as [(String, ExportProblem)])
    func replacingRefusals(target: String, problem: ExportProblem) throws {
        let (folder, workspace) = try Self.setUp()
        try folder.write("file", Data())
        try FileManager.default.createSymbolicLink(atPath: folder("way"), withDestinationPath: folder.path)
        let before = try folder.tree("")
        let path = target.isEmpty ? folder.path : folder(target)
        #expect(throws: WorkspaceError.export(path, problem)) { try workspace.export(to: path, replacing: true) }
        #expect(try folder.tree("") == before)
    }

    @Test("Replacing puts the new folder in the place of the old one, which is gone")
    func replacing() throws {
        let (folder, workspace) = try Self.setUp()
        try workspace.export(to: folder("out"))
        try FileManager.default.removeItem(atPath: folder("out/Documents"))
        let summary = try workspace.export(to: folder("out"), replacing: true)
        #expect(summary.leftover == nil)
        try workspace.export(to: folder("new"))
        #expect(try folder.tree("out") == folder.tree("new"))
        #expect(
            try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == [
                "dump", "state", "out", ".out.vestige-export", "new", ".new.vestige-export",
            ])
    }

    @Test("Replacing keeps what a person has put into an earlier export or changed there, and names it")
    func keepsOthers() throws {
        let (folder, workspace) = try Self.setUp()
        try workspace.export(to: folder("out"))
        let file = "Documents/copy/note.txt"
        func refused(_ problem: ExportProblem) throws {
            let before = try folder.tree("out")
            let error = #expect(throws: WorkspaceError.export(folder("out"), problem)) {
                try workspace.export(to: folder("out"), replacing: true)
            }
            #expect(error?.exitCode == 64)
            #expect(try folder.tree("out") == before)
        }
        try folder.write("out/mine/file", Data("x".utf8))
        try folder.write("out/" + file, Data("mine".utf8))
        try refused(.changedSince([file, "mine"]))
        try FileManager.default.removeItem(atPath: folder("out/mine"))
        try FileManager.default.createSymbolicLink(atPath: folder("out/mine"), withDestinationPath: "elsewhere")
        try folder.write("out/" + file, Data("copied".utf8))
        try refused(.changedSince(["mine"]))
        try FileManager.default.removeItem(atPath: folder("out/mine"))
        try workspace.export(to: folder("out"), replacing: true)
        try FileManager.default.removeItem(atPath: folder(".out.vestige-export"))
        try refused(.withoutList)
    }

    @Test("A file of a person under the name of the list is left, and the export refused, whatever it is")
    func listTaken() throws {
        let (folder, workspace) = try Self.setUp()
        let list = folder(".out.vestige-export")
        func refused() throws {
            let error = #expect(throws: WorkspaceError.export(folder("out"), .listTaken(list))) {
                try workspace.export(to: folder("out"), replacing: true)
            }
            #expect(error?.exitCode == 64 && folder.status("out") == nil)
        }
        for mine in ["my notes", "device folder", "", "device 1 folder x\n"] {
            try folder.write(".out.vestige-export", Data(mine.utf8))
            try refused()
            #expect(try Data(contentsOf: URL(fileURLWithPath: list)) == Data(mine.utf8))
        }
        try FileManager.default.removeItem(atPath: list)
        try FileManager.default.createSymbolicLink(atPath: list, withDestinationPath: folder("mine"))
        try refused()
        try FileManager.default.removeItem(atPath: list)
        // What an earlier export has left there is no obstacle.
        try workspace.export(to: folder("out"))
        try FileManager.default.removeItem(atPath: folder("out"))
        try workspace.export(to: folder("out"))
    }

    @Test(
        "An export that was killed before its list took its name, or after that of an earlier one, is replaced all the same"
    )
    func killedBeforeList() throws {
        let (folder, workspace) = try Self.setUp()
        let list = folder(".out.vestige-export"), next = list + "-next", earlier = folder("earlier")
        try workspace.export(to: folder("out"))
        try FileManager.default.copyItem(atPath: list, toPath: earlier)
        try FileManager.default.moveItem(atPath: list, toPath: next)
        #expect(try workspace.export(to: folder("out"), replacing: true).leftover == nil)
        // The list of the earlier one is there still.
        try FileManager.default.moveItem(atPath: list, toPath: next)
        try FileManager.default.moveItem(atPath: earlier, toPath: list)
        #expect(try workspace.export(to: folder("out"), replacing: true).leftover == nil)
        #expect(!FileManager.default.fileExists(atPath: next))
        try folder.write(".out.vestige-export-next", Data("mine".utf8))
        #expect(throws: WorkspaceError.export(folder("out"), .listTaken(next))) {
            try workspace.export(to: folder("out"), replacing: true)
        }
    }

    @Test("The list of an export whose name only begins alike is not taken for that of another")
    func listOfAnother() throws {
        let (folder, workspace) = try Self.setUp()
        let name = String(repeating: "x", count: 210)
        try workspace.export(to: folder(name + "1"))
        try workspace.export(to: folder(name + "2"))
        #expect(throws: WorkspaceError.export(folder(name + "1"), .withoutList)) {
            try workspace.export(to: folder(name + "1"), replacing: true)
        }
        try workspace.export(to: folder(name + "2"), replacing: true)
    }

    @Test("Replacing refuses a folder that no export has written, and takes an empty one")
    func replacesExportsOnly() throws {
        let (folder, workspace) = try Self.setUp()
        try folder.write("mine/keep", Data("x".utf8))
        let error = #expect(throws: WorkspaceError.export(folder("mine"), .notAnExport)) {
            try workspace.export(to: folder("mine"), replacing: true)
        }
        #expect(error?.exitCode == 64)
        #expect(try folder.tree("mine") == ["keep": Data("x".utf8)])
        try FileManager.default.createDirectory(atPath: folder("empty"), withIntermediateDirectories: false)
        try workspace.export(to: folder("empty"), replacing: true)
        #expect(try folder.tree("empty").count > 5)
    }

    @Test(
        "Of two exports to one place at once one wins whole, and the other says that the place was taken",
        arguments: [true, false])
    func twoAtOnce(isReplacing: Bool) throws {
        let (folder, workspace) = try Self.setUp()
        if isReplacing { try workspace.export(to: folder("out")) }
        var second: ExportSummary?
        #expect(throws: WorkspaceError.export(folder("out"), .takenMeanwhile)) {
            try workspace.export(to: folder("out"), replacing: isReplacing) { written in
                if written == 1 { second = try? workspace.export(to: folder("out"), replacing: isReplacing) }
                return nil
            }
        }
        #expect(second != nil)
        #expect(try workspace.export(to: folder("out"), replacing: true).leftover == nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder(""))
        #expect(names.filter { $0.hasPrefix(".out") } == [".out.vestige-export"])
    }

    @Test(
        "Of exports to one place that end at the same moment each that wins leaves its own list",
        .timeLimit(.minutes(10)))
    func race() throws {
        let (folder, workspace) = try Self.setUp()
        for _ in 0..<10 {
            let won = Mutex(0)
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                if (try? workspace.export(to: folder("out"), replacing: true)) != nil { won.withLock { $0 += 1 } }
            }
            #expect(won.withLock { $0 } > 0)
            #expect(try workspace.export(to: folder("out"), replacing: true).leftover == nil)
        }
    }

    @Test("What is put into an earlier export while it is being replaced is kept, and said to be where it is")
    func putThereMeanwhile() throws {
        let (folder, workspace) = try Self.setUp()
        try workspace.export(to: folder("out"))
        let summary = try workspace.export(to: folder("out"), replacing: true) { written in
            if written == 1 { try? folder.write("out/notes of mine", Data("x".utf8)) }
            return nil
        }
        let left = try #require(summary.leftover)
        #expect(try Data(contentsOf: URL(fileURLWithPath: left + "/notes of mine")) == Data("x".utf8))
        #expect(try folder.tree("out")["notes of mine"] == nil)
    }

    @Test("Where the file system has no attributes, a file beside an export tells it from a folder of its name")
    func replacesWithoutAttributes() throws {
        let (folder, workspace) = try Self.setUp()
        func export() throws {
            _ = try workspace.export(to: folder("out"), replacing: true, usingAttributes: false, didWrite: { _ in nil })
        }
        for _ in 0..<3 { try export() }
        try FileManager.default.moveItem(atPath: folder("out"), toPath: folder("kept"))
        try folder.write("out/mine", Data("x".utf8))
        #expect(throws: WorkspaceError.export(folder("out"), .notAnExport)) { try export() }
        #expect(try folder.tree("out") == ["mine": Data("x".utf8)])
    }

    @Test("What is no name of a folder is refused as that, also when replacing", arguments: ["/", ".", "", "a/.."])
    func notAName(target: String) throws {
        let (_, workspace) = try Self.setUp(applied: false)
        #expect(throws: WorkspaceError.export(target, .notAName)) {
            try workspace.export(to: target, replacing: true)
        }
    }

    @Test("A target's name may be as long as the file system allows")
    func longTarget() throws {
        let (folder, workspace) = try Self.setUp(applied: false)
        let name = String(repeating: "é", count: 127)
        try workspace.export(to: folder(name))
        #expect(folder.status(name) != nil)
        #expect(throws: WorkspaceError.export(folder(name + "xx"), .nameTooLong(bytes: 256))) {
            try workspace.export(to: folder(name + "xx"))
        }
    }

    @Test("A dump that was removed or replaced while it was open is not exported")
    func removed() throws {
        let (folder, workspace) = try Self.setUp(applied: false)
        try FileManager.default.removeItem(atPath: folder("dump"))
        for isReplaced in [false, true] {
            if isReplaced { _ = try folder.makeDump() }
            let error = #expect(throws: WorkspaceError.self) { try workspace.export(to: folder("out")) }
            #expect(error == .dump(DumpError(folder("dump"), .gone)))
            #expect(folder.status("out") == nil)
        }
        #expect(folder.status("state") == nil, "nothing was written beside the dump either")
    }

    @Test("Where nothing of what was applied has a place, there is no export")
    func noPlace() throws {
        let (folder, workspace) = try Self.setUp(applied: false)
        let migration = PlacelessMigration(domain: "../../etc")
        try workspace.apply(.all, of: migration, profile: migration.profiles[0], stamp: .test)
        let error = #expect(throws: WorkspaceError.self) { try workspace.export(to: folder("out")) }
        #expect(error == .export(folder("out"), .noPlace([.defaults("../../etc", "k")])))
        #expect(error?.exitCode == 6 && folder.status("out") == nil)
    }

    @Test("A file whose name would be too long is named as that, and trying again is not the advice")
    func longName() throws {
        let (folder, workspace) = try Self.setUp(applied: false)
        let domain = String(repeating: "w", count: 300), migration = PlacelessMigration(domain: domain)
        try workspace.apply(.all, of: migration, profile: migration.profiles[0], stamp: .test)
        let error = #expect(throws: WorkspaceError.self) { try workspace.export(to: folder("out")) }
        #expect(
            error == .export(folder("out"), .fileNameTooLong("Library/Preferences/\(domain).plist", bytes: 306)))
        #expect(error?.exitCode == 6 && folder.status("out") == nil)
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

    @Test("An error after any file leaves no target and no other trace", arguments: 1...5)
    func failure(file: Int) throws {
        let (folder, workspace) = try Self.setUp()
        try workspace.export(to: folder("out"))
        let before = try folder.tree("")
        for target in ["new", "out"] {
            let error = #expect(throws: WorkspaceError.self) {
                try workspace.export(
                    to: folder(target), replacing: true,
                    didWrite: { $0 == file ? .noSpace : nil })
            }
            #expect(error?.exitCode == 75)
            #expect("\(try #require(error))".contains("no space left"))
        }
        #expect(try folder.tree("") == before)
    }

    @Test("Stopping it at any item leaves nothing behind", arguments: [0, 3, 9, 12, 14])
    func cancelled(item: Int) throws {
        let (folder, workspace) = try Self.setUp()
        let before = try folder.tree("")
        let asked = Mutex(0)
        #expect(throws: WorkspaceError.cancelled) {
            try workspace.export(
                to: folder("out"),
                isCancelled: {
                    asked.withLock {
                        $0 += 1; return $0 > item
                    }
                })
        }
        #expect(try folder.tree("") == before)
    }

    @Test(
        "What reads back differently is named, and leaves nothing behind",
        arguments: [
            "Documents/note.txt", "Library/Preferences/com.acme.notes.plist", "Documents/copy/note.txt",
        ])
    func mismatch(path: String) throws {
        let (folder, workspace) = try Self.setUp()
        let before = try folder.tree("")
        let error = #expect(throws: WorkspaceError.self) {
            try workspace.export(
                to: folder("out"),
                didWrite: { _ in
                    // The disk changes a byte of what has been written.
                    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
                    where name.contains("vestige-") {
                        let file = folder(name) + "/" + path
                        guard var data = FileManager.default.contents(atPath: file),
                            data.count > 20 || path.hasSuffix("txt")
                        else { continue }
                        if path.hasSuffix("txt") {
                            data[0] = 0x21
                        } else if let range = data.range(of: Data("light".utf8)) {
                            data.replaceSubrange(range, with: Data("night".utf8))
                        }
                        let descriptor = Foundation.open(file, O_WRONLY)
                        _ = data.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
                        close(descriptor)
                    }
                    return nil
                })
        }
        guard case .export(_, .mismatch(path, _)) = error else { Issue.record("\(String(describing: error))"); return }
        #expect(error?.exitCode == 5)
        #expect(try folder.tree("") == before)
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

    @Test("One of several changes with a name that is too long is left out of the copy, which says so")
    func longNameOfSeveral() throws {
        let (folder, workspace) = try Self.setUp(applied: true)
        let domain = String(repeating: "w", count: 300), migration = PlacelessMigration(domain: domain)
        try workspace.apply(.all, of: migration, profile: migration.profiles[0], stamp: .test)
        let summary = try workspace.export(to: folder("out"))
        #expect(summary.skipped.map(\.path) == ["Library/Preferences/\(domain).plist"], "\(summary)")
        #expect(summary.skipped.first?.reason.contains("306 bytes") == true)
    }

    @Test("A changed entry that the dump has no file for is named")
    func withoutFile() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let container = try Dump.open(folder("dump")).container(nil)
        let item = Address(store: .keychain("com.acme"), key: "id"), odd = Address(store: .files("Odd"), key: "f")
        var overlay = Overlay(container), edits = ExportEdits(to: "copy")
        overlay.apply(Change(address: item, before: .absent, after: .string("x"), rule: ""))
        overlay.apply(Change(address: odd, before: .absent, after: .data(Data()), rule: ""))
        overlay.apply(Change(address: .defaults("../../x", "k"), before: .absent, after: .bool(true), rule: ""))
        try edits.add(overlay, of: container)
        #expect(edits.withoutFile == [item, odd, .defaults("../../x", "k")] && edits.withoutKeychain == [item])
        #expect(edits.files.isEmpty)
    }

    @Test("A row of a database is not written, and the export says so")
    func rows() throws {
        let container = try Dump.open(Places.fixture("notes-databases.xcappdata")).container(nil)
        let row = try Address(parsing: "sqlite://Documents/notes.sqlite/store/device_id")
        var overlay = Overlay(container), edits = ExportEdits(to: "copy")
        overlay.apply(Change(address: row, before: .absent, after: nil, rule: ""))
        let place = "sqlite://Documents/notes.sqlite/store"
        #expect(throws: WorkspaceError.export("copy", .refused(place, reason: SQLiteTable.refusal))) {
            try edits.add(overlay, of: container)
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
}
