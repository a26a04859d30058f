import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import DeviceDump

@Suite("An archive is unpacked as far as it is read, and can be stopped")
struct ArchiveReadingTests: PackedDumps {
    /// A content of so many parts of 100 bytes each, and then perhaps an error, that counts how many were asked for.
    private final class Parts: DumpStream, Sendable {
        let asked = Mutex(0)
        let count: Int, failure: DumpError?

        init(_ count: Int, failure: DumpError? = nil) { (self.count, self.failure) = (count, failure) }

        func next() throws(DumpError) -> Data {
            let number = asked.withLock { asked in
                defer { asked += 1 }
                return asked
            }
            if number < count { return Data(repeating: UInt8(number), count: 100) }
            if let failure { throw failure }
            return Data()
        }
    }

    @Test(
        "a database is unpacked as far as it is read, and to its end before its bytes are said to be those that were packed"
    )
    func pages() throws {
        let parts = Parts(50), pages = try UnpackedPages("a.db", parts, count: 5000)
        #expect(try pages.read(at: 0, upTo: 100) == Data(repeating: 0, count: 100))
        #expect(parts.asked.withLock { $0 } == 1)
        #expect(try pages.read(at: 1050, upTo: 60) == Data(repeating: 10, count: 50) + Data(repeating: 11, count: 10))
        #expect(parts.asked.withLock { $0 } == 12)
        #expect(try pages.read(at: 4990, upTo: 100).count == 10 && pages.read(at: 5000, upTo: 1).isEmpty)
        try pages.verify()
        #expect(parts.asked.withLock { $0 } == 51)
        // What was cancelled goes on; what is damaged stays so, with its reason.
        let broken = DumpError("a.db", .brokenEntry("it is damaged")), other = Parts(50, failure: broken)
        let damaged = try UnpackedPages("a.db", other, count: 6000)
        OpeningControl.$current.withValue(OpeningControl(isCancelled: { true })) {
            #expect(throws: Errno.ioError) { try damaged.read(at: 0, upTo: 100) }
        }
        #expect(damaged.failure?.problem == .cancelled)
        #expect(try damaged.read(at: 0, upTo: 100).count == 100)
        #expect(damaged.failure == nil)
        #expect(throws: broken) { try damaged.verify() }
        #expect(throws: Errno.ioError) { try damaged.read(at: 0, upTo: 100) }
    }

    @Test("nothing is unpacked but what is asked for, and none of the entries is looked at to list them")
    func lazily() throws {
        let tree = try TemporaryTree(), folder = Places.fixture("notes-legacy.xcappdata")
        let path = try archive("zip", of: folder, in: tree), source = try FolderFiles(opening: tree.path)
        let wanted: DumpPath = "notes-legacy.xcappdata/AppData/Library/Preferences/com.acme.notes.plist"
        let expected = try ArchiveFiles("mail.zip", in: source, .zip, OpeningControl()).bytes(at: wanted)
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        // All bytes of all other entries are gone.
        let bytes = Array(data), name = Array(wanted.bytes)
        let list = try #require(bytes.indices.first { bytes[$0...].starts(with: "PK\u{1}\u{2}".utf8) })
        let start = try #require((30..<list).first { bytes[$0...].starts(with: name) }) - 30
        let end = try #require(
            (start + 4..<list + 1).first { bytes[$0...].starts(with: "PK\u{3}\u{4}".utf8) || $0 == list })
        for place in 0..<list where !(start..<end).contains(place) { data[place] = 0 }
        try data.write(to: URL(fileURLWithPath: path))
        let files = try ArchiveFiles("mail.zip", in: source, .zip, OpeningControl())
        #expect(try files.bytes(at: wanted) == expected)
        #expect(files.items().items.count > 5)
        #expect(throws: DumpError.self) { try files.bytes(at: "notes-legacy.xcappdata/AppDataInfo.plist") }
    }

    @Test("reading a zip, a compressed tar and a backup in one anew can be stopped, where they are read again")
    func stoppedAnew() throws {
        let tree = try TemporaryTree(), stopped = OpeningControl(isCancelled: { true })
        for (kind, fixture) in [
            ("zip", "notes-legacy.xcappdata"), ("tar.gz", "notes-legacy.xcappdata"), ("zip", "backup"),
        ] {
            let path = try archive(kind, of: Places.fixture(fixture), in: tree, name: "\(fixture).\(kind)")
            let dump = try Dump.open(path)
            // Another time is another file.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
            let error = #expect(throws: DumpError.self) {
                try OpeningControl.$current.withValue(stopped) { try dump.reopened() }
            }
            #expect(error?.problem == .cancelled, "\(kind) of \(fixture)")
            #expect(try dump.reopened().containers.count == dump.containers.count)
        }
        let backup = try Dump.open(Places.fixture("backup"))
        let error = #expect(throws: DumpError.self) {
            try OpeningControl.$current.withValue(stopped) { try backup.reopened() }
        }
        #expect(error?.problem == .cancelled)
    }

    @Test("a compressed tar says how far it is unpacked, and is left where the person stops it")
    func progress() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata("notes.xcappdata")
        let noise = Data((0..<3 << 20).map { _ in UInt8.random(in: 0...255) })
        try tree.file("notes.xcappdata/AppData/Documents/noise", noise)
        let path = try archive("tar.gz", of: tree.at("notes.xcappdata"), in: tree)
        let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
        let seen = Mutex<[OpeningProgress]>([])
        let watch: @Sendable (OpeningProgress) -> Void = { progress in
            if progress.phase == .unpacking { seen.withLock { $0.append(progress) } }
        }
        _ = try Dump.opening(path, control: OpeningControl(progress: watch))
        let places = seen.withLock { $0 }
        #expect(places.count > 3 && places.allSatisfy { $0.total == size && $0.done <= size })
        #expect(places.map(\.done) == places.map(\.done).sorted() && places.last?.done == size)
        seen.withLock { $0 = [] }
        let stopping = OpeningControl(progress: watch, isCancelled: { seen.withLock(\.count) == 2 })
        #expect(throws: DumpError("", .cancelled)) { try Dump.opening(path, control: stopping) }
        #expect(seen.withLock(\.count) == 2)
    }
}
