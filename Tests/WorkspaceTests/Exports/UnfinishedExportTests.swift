import DeviceDump
import Files
import Foundation
import StoreFormats
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Workspace

@Suite("An export that is not finished leaves nothing behind")
struct UnfinishedExportTests: ExportedDumps {
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

    @Test("What a killed export beside the target has left is removed and named, and nothing else")
    func leftovers() throws {
        let (folder, workspace) = try Self.setUp()
        let left = [".other.vestige-1f", ".out.vestige-1f", ".out.vestige-ab12-replaced"]
        let building = ".out.vestige-2f"
        // Without the mark of an export, as a person may have made it; not of the pattern.
        let marked = [".vestige-1f", ".out.vestige-notes", "out.vestige-1f"]
        let unmarked = [".out.vestige-2024", ".vestige-notes"]
        for name in left + marked + unmarked + [building] { try folder.write(name + "/private.txt", Data("x".utf8)) }
        for name in left + marked + [building] {
            try OpenFile.folder(folder(name)).setAttribute(ExportMark.attribute, to: "1")
        }
        let lock = try #require(try OpenFile.folder(folder(building)).locked())
        let summary = try withExtendedLifetime(lock) { try workspace.export(to: folder("out")) }
        #expect(summary.removedLeftovers == left.map { folder($0) })
        for name in left { #expect(folder.status(name) == nil) }
        for name in marked + unmarked + [building] { #expect(folder.status(name + "/private.txt") != nil, "\(name)") }
    }

    @Test("While another export holds the folder it is waited for, before and at the end, and can be stopped")
    func waiting() throws {
        let (folder, workspace) = try Self.setUp()
        let before = try folder.tree("")
        let held = try #require(try OpenFile.folder(folder.path).locked())
        withExtendedLifetime(held) { () -> Void in
            #expect(throws: WorkspaceError.cancelled) {
                try workspace.export(to: folder("first"), isCancelled: { true })
            }
        }
        #expect(try folder.tree("") == before)
    }

    @Test("It is stopped too while it waits to take its place")
    func waitingForPlace() throws {
        let (folder, workspace) = try Self.setUp()
        // How often it asks without having to wait.
        let asked = Mutex(0)
        try workspace.export(
            to: folder("one"),
            isCancelled: {
                asked.withLock {
                    $0 += 1; return false
                }
            })
        let limit = asked.withLock(\.self), again = Mutex(0), lock = Mutex<OpenFile?>(nil)
        let before = try folder.tree("")
        #expect(throws: WorkspaceError.cancelled) {
            try workspace.export(
                to: folder("two"),
                progress: { _ in lock.withLock { $0 = $0 ?? (try? OpenFile.folder(folder.path).locked()) ?? nil } },
                isCancelled: {
                    again.withLock {
                        $0 += 1; return $0 > limit
                    }
                })
        }
        #expect(lock.withLock { $0 != nil } && again.withLock { $0 } == limit + 1)
        #expect(try folder.tree("") == before)
    }

    @Test("What has more bytes than are free, as a file with holes may, is refused before any is written")
    func room() throws {
        let (folder, _) = try Self.setUp(applied: false)
        try folder.write("dump/tmp/holes", Data())
        #expect(truncate(folder("dump/tmp/holes"), 1 << 43) == 0)
        let workspace = try folder.workspace()
        let error = #expect(throws: WorkspaceError.self) { try workspace.export(to: folder("out")) }
        #expect("\(try #require(error))".contains("are free on the disk"))
        #expect(folder.status("out") == nil)
        #expect(try !FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.contains("vestige-") })
    }

    /// A place with so much room, to which nothing can be written.
    private final class Room: DumpWriter {
        let free: Int
        init(_ free: Int) { self.free = free }
        func freeBytes() -> Int { free }
        func makeFolder(_ path: DumpPath, like item: DumpItem?) throws(Errno) { throw .ioError }
        func makeFile(_ path: DumpPath) throws(Errno) -> any FileSink { throw .ioError }
        func removeFile(_ path: DumpPath) throws(Errno) { throw .ioError }
        func makeLink(_ item: DumpItem, to target: [UInt8]) throws(Errno) { throw .ioError }
        func written() throws(DumpError) -> any DumpFiles { throw DumpError("", .gone) }
        func finish() throws(Errno) { throw .ioError }
        func place(_ list: ExportList, isCancelled: () -> Bool) throws(Errno) -> String? { throw .ioError }
        func discard() {}
    }

    @Test("What steps have made must have room too")
    func roomForEdits() throws {
        let (folder, workspace) = try Self.setUp()
        var edits = ExportEdits(to: "copy")
        try edits.add(workspace.snapshot.overlay, of: workspace.container)
        let size = workspace.dump.files.items().items.reduce(0) { $0 + ($1.kind == .file ? $1.size : 0) }
        for (more, isEnough) in [(0, false), (4096, true)] {
            var exporter = Exporter(
                workspace.dump, edits: edits, to: folder("out"), unpacked: false, writer: Room(size + more),
                progress: { _ in }, isCancelled: { false }, didWrite: { _ in nil })
            let error = #expect(throws: WorkspaceError.self) { try exporter.run() }
            #expect("\(try #require(error))".contains("are free on the disk") != isEnough)
        }
    }

    @Test("A folder in which an export is built is marked from the start, so that one that is killed can be told")
    func marked() throws {
        let (folder, workspace) = try Self.setUp()
        let hidden = Mutex<[Bool]>([])
        try workspace.export(to: folder("out")) { _ in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for name in names where name.hasPrefix(".out.vestige-") {
                hidden.withLock {
                    $0.append((try? OpenFile.folder(folder(name)).hasAttribute(ExportMark.attribute)) ?? false)
                }
            }
        }
        #expect(hidden.withLock { $0.count > 1 && $0.allSatisfy(\.self) })
    }

    @Test("A lone property list that is gone is not exported as an empty folder")
    func loneFileGone() throws {
        let folder = try TemporaryFolder()
        try folder.write("in/com.acme.notes.plist", BinaryPropertyList.write(.dictionary([("theme", .string("dark"))])))
        let workspace = try folder.workspace("in/com.acme.notes.plist", ledger: "in/ledger")
        try FileManager.default.removeItem(atPath: folder("in/com.acme.notes.plist"))
        let error = #expect(throws: WorkspaceError.self) { try workspace.export(to: folder("out")) }
        #expect(error == .dump(DumpError(folder("in/com.acme.notes.plist"), .gone)))
        #expect(folder.status("out") == nil)
    }
}
