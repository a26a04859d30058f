import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import DeviceDump

@Suite("Archives are read as other programs write them")
struct ArchiveFormTests: PackedDumps {
    @Test(
        "entries are read however they are packed, and however large their sizes are written",
        arguments: ["methods", "streamed"])
    func methods(kind: String) throws {
        let tree = try TemporaryTree(), folder = Places.fixture("notes-legacy.xcappdata")
        let dump = try Dump.open(try archive(kind, of: folder, in: tree, name: "mail.zip"))
        let other = try Dump.open(folder)
        #expect(dump.warnings.map(\.problem) == [.foundElsewhere(named: tree.at("mail.zip"), root: dump.path)])
        for item in other.files.items().items where item.kind == .file {
            #expect(try dump.files.bytes(at: item.path) == other.files.bytes(at: item.path))
        }
    }

    @Test("a tar that was joined to another is named, and the first is read")
    func joinedTars() throws {
        let tree = try TemporaryTree(), folder = Places.fixture("notes-legacy.xcappdata")
        let path = try archive("tar", of: folder, in: tree), data = try Data(contentsOf: URL(fileURLWithPath: path))
        let joined = DumpWarning.Problem.anotherTar(at: data.count)
        #expect(try !Dump.open(path).warnings.map(\.problem).contains(joined))
        try (data + data).write(to: URL(fileURLWithPath: path))
        let dump = try Dump.open(path)
        #expect(dump.warnings.map(\.problem).contains(joined))
        #expect(try dump.container(nil).state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test("what stands before a zip is named, and the zip is read behind it")
    func before() throws {
        let tree = try TemporaryTree()
        let dump = try Dump.open(
            try archive("before", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail"))
        #expect(dump.warnings.map(\.problem).contains(.bytesBefore(340)))
        #expect(try dump.container(nil).state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test("an entry that is named as a folder and has a content is named")
    func filledFolder() throws {
        let tree = try TemporaryTree()
        let path = try archive("filled", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        #expect(try Dump.open(path).warnings.map(\.problem).contains(.filledFolders(1, first: "notes/")))
    }

    @Test("names are the bytes that the archive has for them, marked as UTF-8 or not; too long ones are left out")
    func names() throws {
        let tree = try TemporaryTree()
        let path = try archive("names", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        let dump = try Dump.open(path), app = try dump.container(nil)
        for (key, text) in [
            ("caf\u{E9}.txt", "extra"), ("stale", "stale"), ("\u{65E5}.txt", "unmarked"), ("dot/slash.txt", "dot"),
        ] as [(Name, String)] {
            #expect(app.state(of: key, in: .files("Documents")).value?.data == Data(text.utf8))
        }
        let long = dump.warnings.map(\.problem).contains { problem in
            if case .longEntries(1, _, limit: 4096) = problem { true } else { false }
        }
        #expect(long)
    }

    @Test("the end of a large zip is read, and another number of entries than it says is named")
    func large() throws {
        let tree = try TemporaryTree()
        let path = try archive("large", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        let dump = try Dump.open(path)
        let count = dump.warnings.map(\.problem).contains { problem in
            if case .entryCount(let listed, let found) = problem { listed == found + 1 } else { false }
        }
        #expect(count)
        #expect(try dump.container(nil).state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test("a zip of more than 4 GB as macOS writes it, with places cut to 32 bits, is read")
    func wrapped() throws {
        let tree = try TemporaryTree()
        let path = try archive("wrapped", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        let dump = try Dump.open(path)
        #expect(dump.warnings.map(\.problem) == [.foundElsewhere(named: path, root: dump.path)])
        #expect(try dump.container(nil).state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test("a tar's files with holes, hard links and long names are whole")
    func sparse() throws {
        let tree = try TemporaryTree()
        let path = try archive("sparse", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.tar")
        let app = try Dump.open(path).container(nil), documents = StoreID.files("Documents")
        let old = Data(count: 1024) + Data(repeating: UInt8(ascii: "o"), count: 512)
        #expect(app.state(of: "old-holes", in: documents).value?.data == old)
        #expect(app.state(of: "hard", in: documents).value?.data == old)
        #expect(
            app.state(of: "new-holes", in: documents).value?.data
                == Data(count: 1024) + Data(repeating: UInt8(ascii: "n"), count: 512))
        #expect(
            app.state(of: Name(String(repeating: "l", count: 200)), in: documents).value?.data == Data("long".utf8))
    }
}
