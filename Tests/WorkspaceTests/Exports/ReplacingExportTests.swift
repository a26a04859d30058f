import Foundation
import Synchronization
import Testing

@testable import Workspace

@Suite("An export in the place of an earlier one")
struct ReplacingExportTests: ExportedDumps {
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
}
