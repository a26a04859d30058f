import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import DeviceDump

@Suite("An archive that attacks its reader")
struct HostileArchiveTests: PackedDumps {
    @Test("names that lead out of it are left out, what is there twice is named, links are not followed")
    func hostile() throws {
        let tree = try TemporaryTree()
        try tree.folder("in")
        let path = try archive("hostile", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "in/mail.zip")
        let dump = try Dump.open(path), app = try dump.container(nil), documents = StoreID.files("Documents")
        let root = "notes-legacy.xcappdata/AppData/Documents/"
        #expect(
            dump.warnings.map(\.problem) == [
                .strayEntries(3, first: "../../outside.txt"), .absoluteEntries(1, first: "/tmp/absolute.txt"),
                .sameEntries(1, first: root + "twice.txt"), .twinEntries(2, first: root + "caf\u{E9}.txt"),
                .foundElsewhere(named: path, root: path + "/notes-legacy.xcappdata"),
            ])
        // What is said of the archive is said once.
        let link = DumpWarning("AppData/Documents/link", .symbolicLink(target: "/etc"))
        #expect(app.storeWarnings() == [link])
        #expect(try dump.reopened().warnings == dump.warnings)
        #expect(app.state(of: "twice.txt", in: documents).value?.data == Data("second".utf8))
        #expect(app.state(of: "Twice.txt", in: documents).value?.data == Data("third".utf8))
        #expect(app.state(of: "caf\u{E9}.txt", in: documents).value?.data == Data("one".utf8))
        #expect(app.state(of: "cafe\u{301}.txt", in: documents).value?.data == Data("two".utf8))
        #expect(app.state(of: "zeros", in: documents).value?.data == Data(count: 3 << 20))
        guard case .unreadable = app.state(of: "link/passwd", in: documents) else {
            Issue.record("a link is followed")
            return
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: tree.path).sorted() == ["in", "in/mail.zip"])
    }

    @Test("a tar's members that lead out of it are left out, its links are not followed, its pipes not opened")
    func outward() throws {
        let tree = try TemporaryTree(), root = "notes-legacy.xcappdata/AppData/Documents/"
        let path = try archive("outward", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.tar")
        let dump = try Dump.open(path), app = try dump.container(nil), documents = StoreID.files("Documents")
        #expect(
            dump.warnings.map(\.problem) == [
                .strayEntries(2, first: "../../outside"), .absoluteEntries(1, first: "/tmp/absolute"),
                .sameEntries(1, first: root + "twice"), .twinEntries(1, first: root + "caf\u{E9}"),
                .foundElsewhere(named: path, root: path + "/notes-legacy.xcappdata"),
            ])
        for key in ["link/passwd", "hard", "pipe"] as [Name] {
            guard case .unreadable = app.state(of: key, in: documents) else {
                Issue.record("\(key) is read, or absent")
                continue
            }
        }
        for (key, text) in [("twice", "second"), ("caf\u{E9}", "one"), ("cafe\u{301}", "two")] as [(Name, String)] {
            #expect(app.state(of: key, in: documents).value?.data == Data(text.utf8))
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: tree.path) == ["mail.tar"])
    }

    @Test("more entries, longer names or more bytes than a dump has are refused")
    func limits() throws {
        let tree = try TemporaryTree()
        try tree.file("many/zeros", Data(count: 20 << 20))
        try tree.file("many/more", Data(count: 20 << 20))
        for kind in ["zip", "tar.gz"] {
            let path = try archive(kind, of: tree.at("many"), in: tree)
            let (_, files, file) = try DumpSource.file(at: path)
            let format = try #require(ArchiveFormat(try files.stream(of: file).next()))
            func problem(_ limits: ArchiveLimits) -> DumpError.Problem? {
                do {
                    _ = try ArchiveFiles(file, in: files, format, limits: limits, OpeningControl())
                    return nil
                } catch { return error.problem }
            }
            guard case .bomb(let unpacked, _)? = problem(.init(.init([.ratio: 10]), free: 30 << 20)) else {
                Issue.record("\(kind) is unpacked")
                continue
            }
            #expect(unpacked > 30 << 20 && unpacked < 50 << 20)
            #expect(problem(.init(.init([.entries: 0]))) == .tooManyEntries(limit: 0))
            #expect(problem(.init(.init([.names: 10]))) == .tooLongNames(limit: 10))
            #expect(problem(.init()) == nil)
        }
    }

    @Test(
        "a bomb is refused before it fills anything: a gzip, bzip2 or zstd of zeros, and names that make folders without end"
    )
    func bombs() throws {
        let tree = try TemporaryTree()
        for kind in ["bombs", "bz2bomb", "zstdbomb"] {
            let path = try archive(kind, of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.tar")
            do {
                _ = try Dump.open(path)
                Issue.record("it is unpacked")
            } catch {
                guard case .bomb(let unpacked, let packed) = error.problem else { throw error }
                #expect(unpacked <= (1 << 28) + (1 << 20) && packed < 1 << 20)
            }
        }
        _ = try archive("deep", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        let files = try FolderFiles(opening: tree.path)
        #expect(throws: DumpError("mail.zip", .tooManyEntries(limit: 2000))) {
            try ArchiveFiles("mail.zip", in: files, .zip, limits: .init(.init([.entries: 2000])), OpeningControl())
        }
    }

    @Test(
        "what is packed in layers that are each sound is measured by all of them, and more layers than anybody makes are none"
    )
    func layeredBombs() throws {
        let tree = try TemporaryTree(), folder = Places.fixture("notes-empty.xcappdata")
        let path = try archive("layeredbomb", of: folder, in: tree, name: "mail.zip")
        let options = OpeningOptions(limits: OpeningLimits([.ratio: 2_000]))
        guard case .opened(let dump) = try Dump.opening(path, options),
            case .unreadable(let reason) = try dump.container(nil).state(of: "zeros", in: .files("Documents"))
        else {
            Issue.record("it is unpacked")
            return
        }
        let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
        #expect(reason.cause == .overLimit && reason.explanation.contains("packed in \(size) bytes"), "\(reason)")
        // Nothing comes of members without content, however many there are: what is between the layers is measured.
        _ = try archive("empties", of: folder, in: tree, name: "notes.plist.gz.xz.xz")
        let files = try FolderFiles(opening: tree.path), empties: DumpPath = "notes.plist.gz.xz.xz"
        let endless = #expect(throws: DumpError.self) {
            try ArchiveFiles(empties, in: files, .xz, limits: ArchiveLimits(free: 1 << 22), OpeningControl())
        }
        if case .bomb? = endless?.problem {} else { Issue.record("\(endless as Any)") }
        let layers = try archive("layers", of: folder, in: tree, name: "mail.tar.gz")
        let many = #expect(throws: DumpError.self) { try Dump.open(layers) }
        #expect(many?.problem == .manyLayers(limit: 4), "\(many as Any)")
    }

    @Test(
        "names that make folders in folders are refused after a few of them, unasked; deep ones that others share are not"
    )
    func endlessFolders() throws {
        let tree = try TemporaryTree()
        for (kind, isRead) in [("deep", false), ("shared", true)] {
            _ = try archive(kind, of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: kind + ".zip")
            let files = try FolderFiles(opening: tree.path), path = try #require(DumpPath(kind + ".zip"))
            do throws(DumpError) {
                let found = try ArchiveFiles(path, in: files, .zip, limits: .init(), OpeningControl())
                #expect(isRead && found.items().items.count > 3000, "\(kind)")
            } catch {
                #expect(!isRead && error.problem == .endlessFolders(levels: 1501), "\(kind): \(error)")
            }
        }
    }
}
