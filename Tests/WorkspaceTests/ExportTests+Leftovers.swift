import DeviceDump
import Files
import Foundation
import StoreFormats
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Workspace

/// What an earlier export has left behind, and what of the dump is gone.
extension ExportTests {
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
