import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import DeviceDump

@Suite("An archive that is damaged")
struct ArchiveDamageTests: PackedDumps {
    @Test("a damaged entry is one by itself, with what is wrong with it; the others are read")
    func broken() throws {
        let tree = try TemporaryTree()
        let path = try archive("broken", of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        let app = try Dump.open(path).container(nil)
        func reason(_ key: Name) -> String {
            guard case .unreadable(let reason) = app.state(of: key, in: .files("Documents")) else { return "" }
            return reason.explanation
        }
        #expect(reason("outside").contains("nothing of it is at byte 1073741824, where it is listed"))
        #expect(reason("ends-outside").contains("ends outside of the archive"))
        #expect(reason("other-name").contains("is named “notes-legacy.xcappdata/AppData/Documents/some-name!”"))
        #expect(reason("checksum").contains("do not have the checksum that is listed"))
        #expect(reason("longer").contains("list says that it has 1000 bytes, and more come out of it"))
        #expect(reason("shorter").contains("list says that it has 1000 bytes, and 400 come out of it"))
        #expect(reason("garbage").contains("is damaged"))
        #expect(reason("ends-early").contains("ends too early"))
        #expect(reason("bomb").contains("would unpack to 4026531840"))
        #expect(reason("enormous").contains("nothing of it is at byte"))
        #expect(reason("unknown-method").contains("is damaged"))
        #expect(
            app.state(of: "whole", in: .files("Documents")).value?.data
                == Data(String(repeating: "text", count: 100).utf8))
        #expect(app.state(of: "rs_user_id", in: own).value == .string("u-42"))
    }

    @Test(
        "an archive of which a part is missing is refused, with where",
        arguments: [
            ("cut", "was cut after"), ("unlisted", "the list of its entries is damaged at byte"),
            ("overlapping", "its entries “one” and “two” share the bytes from"),
        ])
    func refused(kind: String, words: String) throws {
        let tree = try TemporaryTree()
        let path = try archive(kind, of: Places.fixture("notes-legacy.xcappdata"), in: tree, name: "mail.zip")
        do {
            _ = try Dump.open(path)
            Issue.record("\(kind) opens")
        } catch {
            #expect("\(error)".contains(words), "\(error)")
        }
    }

    @Test("a tar that was cut is refused with where, also between two members")
    func cutTar() throws {
        let tree = try TemporaryTree(), folder = Places.fixture("notes-legacy.xcappdata")
        let path = try archive("tar", of: folder, in: tree), data = try Data(contentsOf: URL(fileURLWithPath: path))
        var whole = data
        while whole.suffix(512).allSatisfy({ $0 == 0 }) { whole.removeLast(512) }
        for part in [data.prefix(5000), data.prefix(700), whole] {
            try part.write(to: URL(fileURLWithPath: path))
            do {
                _ = try Dump.open(path)
                Issue.record("a tar of \(part.count) bytes opens")
            } catch { #expect("\(error)".contains("ends after \(part.count) bytes, within"), "\(error)") }
        }
    }

    @Test("a gzip gives what was packed or is refused, whichever byte is damaged", .timeLimit(.minutes(10)))
    func gzip() throws {
        let tree = try TemporaryTree(), source = Places.fixture("notes-empty.xcappdata")
        let files = try FolderFiles(opening: tree.path), file: DumpPath = "mail.tar.gz"
        let path = try archive("members", of: source, in: tree, name: "mail.tar.gz")
        let packed = try Data(contentsOf: URL(fileURLWithPath: path))
        func unpacked(_ bytes: Data) throws -> [UInt8] {
            try bytes.write(to: URL(fileURLWithPath: path))
            let archive = try ArchiveFiles(file, in: files, .gzip, OpeningControl())
            return try archive.bytes.read(at: 0, upTo: archive.bytes.count)
        }
        let whole = try unpacked(packed)
        #expect(try whole == Array(Data(contentsOf: URL(fileURLWithPath: try archive("tar", of: source, in: tree)))))
        var refused = 0
        let ends = Array(packed.count - 12..<packed.count)
        for place in stride(from: 10, to: packed.count, by: packed.count / 400) + ends {
            var changed = packed
            changed[place] ^= 0x10
            do {
                #expect(try unpacked(changed) == whole, "byte \(place)")
            } catch {
                refused += 1
            }
        }
        #expect(refused > 400)
    }

    @Test("a gzip with another checksum or length is refused with where, in layers too; what is behind it is named")
    func gzipEnd() throws {
        let tree = try TemporaryTree(), source = Places.fixture("notes-legacy.xcappdata")
        let path = try archive("members", of: source, in: tree, name: "mail.tar.gz")
        let packed = try Data(contentsOf: URL(fileURLWithPath: path)), url = URL(fileURLWithPath: path)
        let damages: [(place: Int, words: String)] = [
            (packed.count - 8, "does not have the checksum (CRC-32) or the length that stands behind it"),
            (packed.count - 1, "before byte \(packed.count), so that something in it was damaged"),
            (packed.count - 1, "of its part that begins at byte"),
        ]
        for (place, words) in damages {
            var changed = packed
            changed[place] ^= 1
            try changed.write(to: url)
            let error = #expect(throws: DumpError.self) { try Dump.open(path) }
            let sentence = error.map { "\($0)" } ?? ""
            #expect(sentence.contains(words) && sentence.contains("Copy it again from its source."), "\(sentence)")
            let outer = tree.at("mail.tar.gz.xz")
            try Archives.write("xz", to: outer, of: path)
            #expect(throws: DumpError.self) { try Dump.open(outer) }
        }
        try packed.dropLast(3).write(to: url)
        let cut = #expect(throws: DumpError.self) { try Dump.open(path) }
        #expect(cut.map { "\($0)".contains("it ends too early, after \(packed.count - 3) bytes") } == true)
        try (packed + Data("left".utf8)).write(to: url)
        #expect(try Dump.open(path).warnings.map(\.problem).contains(.bytesBehind(4)))
        try (packed + Data(count: 100_000)).write(to: url)
        let warnings = try Dump.open(path).warnings.map(\.problem)
        #expect(!warnings.contains { if case .bytesBehind = $0 { true } else { false } })
    }

    @Test("a damaged archive is refused or read, wherever it is damaged", .timeLimit(.minutes(10)))
    func damaged() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata("notes.xcappdata")
        for kind in ["zip", "tar.gz"] {
            let path = try archive(kind, of: tree.at("notes.xcappdata"), in: tree)
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            for step in stride(from: 4, to: data.count, by: max(1, data.count / 40)) {
                var changed = data
                changed[step] ^= 0x55
                for bytes in [data.prefix(step), changed] {
                    try bytes.write(to: URL(fileURLWithPath: path))
                    guard case .opened(let dump)? = try? Dump.opening(path) else { continue }
                    for container in dump.containers { _ = container.storeWarnings() }
                }
            }
        }
    }
}
