import Foundation
import MigrationEngine
import Testing

@testable import DeviceDump
import StoreFormats

@Suite("A dump that attacks its reader")
struct HostileTreeTests {
    private let tree: TemporaryTree
    private let outside: TemporaryTree

    init() throws {
        tree = try TemporaryTree()
        outside = try TemporaryTree()
        try tree.container()
        try outside.file("secret.txt", "secret")
        try outside.list("secret.plist")
    }

    private func container() throws -> Container { try Dump.open(tree.path).container(nil) }

    @Test("a link in a folder of files is an entry that says where it points and is not read")
    func linkedFile() throws {
        try tree.link("Documents/secret", to: outside.at("secret.txt"))
        try tree.link("Documents/dangling", to: "../nowhere")
        let container = try container(), documents = StoreID.files("Documents")
        #expect(container.keys(in: documents).count == 2)
        for (key, target) in [("secret", outside.at("secret.txt")), ("dangling", "../nowhere")] {
            guard case .unreadable(let reason) = container.state(of: Name(key), in: documents) else {
                Issue.record("\(key) is readable")
                continue
            }
            #expect(reason.cause == .unsupported)
            #expect(reason.explanation.contains("a symbolic link to \(target), which is not followed"))
        }
        #expect(
            container.storeWarnings() == [
                DumpWarning("Documents/dangling", .symbolicLink(target: "../nowhere")),
                DumpWarning("Documents/secret", .symbolicLink(target: outside.at("secret.txt"))),
            ])
    }

    @Test("nothing is reached through a linked folder, be it out of the dump or within it")
    func linkedFolder() throws {
        try tree.file("Documents/inside/note.txt", "note")
        try tree.link("Documents/out", to: outside.path)
        try tree.link("Documents/in", to: "inside")
        let container = try container(), documents = StoreID.files("Documents")
        for key in ["out/secret.txt", "in/note.txt"] {
            guard case .unreadable(let reason) = container.state(of: Name(key), in: documents) else {
                Issue.record("\(key) is readable")
                continue
            }
            #expect(reason.cause == .unsupported)
        }
        let keys = container.keys(in: documents)
        #expect((0..<keys.count).map(keys.key(at:)) == ["in", "inside/note.txt", "out"])
        // Whoever looks for keys that begin so is told that some may be there.
        #expect(
            keys.problem(under: "out/sec")?.cause == .unsupported && keys.problem(under: "out/")?.cause == .unsupported)
        #expect(keys.problem(under: "inside/note.txt/a")?.explanation == "Documents/inside/note.txt is not a folder")
        #expect(keys.problem(under: "inside/") == nil && keys.problem(under: "ou") == nil)
    }

    @Test("a link in place of a folder of the container hides it, and says so")
    func linkedStore() throws {
        try tree.link("Documents", to: outside.path)
        let container = try container(), documents = StoreID.files("Documents")
        #expect(container.stores.contains(documents))
        #expect(container.problem(with: documents)?.cause == .unsupported)
        #expect(container.keys(in: documents).count == 0)
        #expect(container.state(of: "secret.txt", in: documents).value == nil)
        #expect(container.storeWarnings() == [DumpWarning("Documents", .symbolicLink(target: outside.path))])
    }

    @Test("what stands in place of the container of an .xcappdata is told, and its list is no dump by itself")
    func downloadWithoutContainer() throws {
        for place in ["a link", "a file", "a pipe", "nothing"] {
            let tree = try TemporaryTree()
            try tree.list("n.xcappdata/AppDataInfo.plist", ["CFBundleIdentifier": "com.acme.notes"])
            let data = "n.xcappdata/AppData"
            switch place {
            case "a link": try tree.link(data, to: "/nonexistent")
            case "a file": try tree.file(data, "x")
            case "a pipe": try tree.pipe(data)
            default: break
            }
            let error = #expect(throws: DumpError.self, "\(place)") { try Dump.open(tree.at("n.xcappdata")) }
            let named = place == "nothing" ? "AppDataInfo.plist" : "AppData"
            #expect(error?.path.hasSuffix(named) ?? false, "\(place): \(String(describing: error))")
        }
    }

    @Test("a folder in place of a list of UserDefaults is one that cannot be read")
    func folderForList() throws {
        try tree.folder("Library/Preferences/st.two.plist")
        let container = try container(), store = StoreID.defaults("st.two")
        #expect(container.stores.contains(store) && container.problem(with: store) != nil)
        #expect(container.state(of: "k", in: store).value == nil && container.state(of: "k", in: store) != .absent)
    }

    @Test("a link in place of a domain, of the preferences or of metadata is not followed")
    func linkedPreferences() throws {
        try tree.link("Library/Preferences/linked.plist", to: outside.at("secret.plist"))
        let container = try container(), linked = StoreID.defaults("linked")
        #expect(container.stores.contains(linked))
        #expect(container.problem(with: linked)?.cause == .unsupported)
        #expect(container.state(of: "key", in: linked).value == nil)

        let other = try TemporaryTree()
        try other.folder("Documents")
        try other.folder("Library")
        try other.link("Library/Preferences", to: outside.path)
        try other.link(".com.apple.mobile_container_manager.metadata.plist", to: outside.at("secret.plist"))
        let hidden = try Dump.open(other.path).container(nil)
        #expect(hidden.facts.names.isEmpty)
        #expect(hidden.warnings.contains { $0.path.hasPrefix(".com.apple") })
        #expect(hidden.state(of: "key", in: .defaults("secret")).value == nil)
        #expect(hidden.problem(with: .defaults("secret"))?.cause == .unsupported)
        #expect(hidden.storeWarnings().contains { $0.path == "Library/Preferences" })
    }

    @Test("a file in place of a folder is a store with a problem, and of what was to lie below it nothing is known")
    func fileForFolder() throws {
        try tree.file("Documents", "not a folder")
        let container = try container(), documents = StoreID.files("Documents")
        #expect(container.stores.contains(documents))
        #expect(container.problem(with: documents) == Unreadable(.unsupported, "Documents is not a folder"))
        #expect(
            container.state(of: "x", in: documents)
                == .unreadable(Unreadable(.unsupported, "Documents is not a folder")))
        #expect(container.storeWarnings().map(\.path) == ["Documents"])
        // The same of the folder of UserDefaults, of one further up, and of a database.
        for path in ["Library/Preferences", "Library"] {
            let tree = try TemporaryTree()
            try tree.folder("Documents")
            try tree.file("Library", "no folder")
            if path != "Library" {
                try FileManager.default.removeItem(atPath: tree.at("Library"))
                try tree.pipe(path)
            }
            try tree.list(
                ".com.apple.mobile_container_manager.metadata.plist", ["MCMMetadataIdentifier": "com.acme.notes"])
            let reason = Unreadable(.unsupported, "\(path) is not a folder")
            let container = try Dump.open(tree.path).container(nil)
            #expect(container.state(of: "key", in: .defaults("com.acme.notes")) == .unreadable(reason), "\(path)")
            #expect(container.problem(with: .defaults("com.acme.notes")) == reason)
        }
        let rows = SQLiteTable("t", of: "a.db", in: "Documents").store
        #expect(container.state(of: "1", in: rows).value == nil && container.state(of: "1", in: rows) != .absent)
    }

    @Test("the words of a store's problem do not depend on where the dump is")
    func relativeWords() throws {
        try tree.link("Documents/link", to: "../x")
        try tree.pipe("Library/Preferences/pipe.plist")
        try tree.file("Library/Preferences/broken.plist", "bplist00")
        for warning in try container().storeWarnings() { #expect(!warning.description.contains(tree.path)) }
    }

    @Test("a pipe is listed and never opened", .timeLimit(.minutes(10)))
    func pipes() throws {
        try tree.pipe("Documents/pipe")
        try tree.pipe("Library/Preferences/pipe.plist")
        let container = try container()
        guard case .unreadable(let reason) = container.state(of: "pipe", in: .files("Documents")) else {
            Issue.record("the pipe is readable")
            return
        }
        #expect(reason.cause == .unsupported)
        #expect(reason.explanation.contains("a pipe"))
        #expect(container.problem(with: .defaults("pipe"))?.cause == .unsupported)
        #expect(container.storeWarnings().count == 2)
    }

    @Test(
        "no key and no domain leads out of its folder",
        arguments: [
            "../Library/Preferences/com.acme.notes.plist", "..", ".", "/etc/passwd", "a/../../x", "a//b", "a/", "a\0b",
            "./x",
        ])
    func traversal(name: String) throws {
        try tree.file("Documents/x")
        let container = try container()
        #expect(container.state(of: Name(name), in: .files("Documents")) == .absent)
        #expect(container.state(of: "key", in: .defaults(Name(name))) == .absent)
        #expect(container.file(of: Address(store: .files("Documents"), key: Name(name))) == nil)
        #expect(container.file(of: .defaults(Name(name), "key")) == nil)
        #expect(DumpPath(name) == nil)
    }

    @Test("a name that is too long for a file is absent")
    func longName() throws {
        try tree.file("Documents/x")
        let name = String(repeating: "n", count: 5000)
        #expect(try container().state(of: Name(name), in: .files("Documents")) == .absent)
        #expect(try container().state(of: "key", in: .defaults(Name(name))) == .absent)
        #expect(try container().problem(with: .defaults(Name(name))) == nil)
    }

    @Test("names that are not UTF-8 are listed by their bytes, each with a warning, and not taken for absent")
    func strangeNames() throws {
        try tree.folder("Documents")
        for (name, byte) in [("Documents/caf@", 0xE9), ("Documents/caf@", 0xE8), ("Library/Preferences/@.plist", 0xFF)]
        {
            var bytes = Array(tree.at(name).utf8CString)
            if let at = bytes.lastIndex(of: CChar(UInt8(ascii: "@"))) { bytes[at] = CChar(bitPattern: UInt8(byte)) }
            let file = open(bytes, O_CREAT | O_WRONLY, 0o600)
            guard file >= 0 else { return }  // This file system allows no such names.
            close(file)
        }
        let container = try container(), documents = StoreID.files("Documents")
        #expect(container.keys(in: documents).names.sorted() == ["caf‹e8›", "caf‹e9›"])
        for state in [
            container.state(of: "caf‹e8›", in: documents), container.state(of: "caf‹e9›", in: documents),
            container.state(of: "k", in: .defaults("‹ff›")),
        ] {
            guard case .unreadable(let reason) = state else {
                Issue.record("\(state)")
                continue
            }
            #expect(reason.explanation.contains("not UTF-8"))
        }
        #expect(container.state(of: "caf‹e7›", in: documents) == .absent)
        #expect(container.stores.contains(.defaults("‹ff›")))
        let warnings = container.storeWarnings()
        #expect(
            warnings.map(\.path).sorted()
                == ["Documents/caf‹e8›", "Documents/caf‹e9›", "Library/Preferences/‹ff›.plist"],
            "each is warned of once")
        #expect(warnings.allSatisfy { $0.problem == .nameNotUTF8 })
    }

    @Test("a file beyond the limit is not read")
    func largeFile() throws {
        try tree.file("Documents/large")
        try #require(truncate(tree.at("Documents/large"), off_t(ContainerContents.fileLimit + 1)) == 0)
        let container = try container()
        guard case .unreadable(let reason) = container.state(of: "large", in: .files("Documents")) else {
            Issue.record("the file is readable")
            return
        }
        #expect(reason.cause == .overLimit)
        #expect(container.storeWarnings().count == 1)
    }

    @Test("a file of more than a mebibyte has the same bytes")
    func largeBytes() throws {
        let bytes = Data((0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
        try tree.file("Documents/bytes", bytes)
        #expect(try container().state(of: "bytes", in: .files("Documents")) == .present(.data(bytes)))
    }

    @Test("a listing stops at its limits and says so")
    func limits() throws {
        try tree.file("Documents/1/2/3/4/deep.txt")
        for number in 0..<20 { try tree.file("Documents/many/\(number)") }
        let root = try Dump.open(tree.path).files
        let shallow = root.items(below: "Documents", limits: .init(depth: 3))
        #expect(shallow.items.map(\.path).contains("Documents/1/2/3"))
        #expect(!shallow.items.map(\.path).contains("Documents/1/2/3/4"))
        #expect(shallow.warnings == [DumpWarning("Documents", .listingCut(.depth(limit: 3)))])
        let short = root.items(below: "Documents", limits: .init(count: 10))
        #expect(short.items.count == 10)
        #expect(short.warnings == [DumpWarning("Documents", .listingCut(.count(limit: 10)))])
        #expect(root.items(below: "Documents").warnings.isEmpty)
    }

    @Test("a tree deeper than the limit is listed down to it")
    func deepTree() throws {
        try tree.file("Documents/" + String(repeating: "d/", count: 200) + "end")
        let container = try container(), keys = container.keys(in: .files("Documents"))
        #expect(container.storeWarnings() == [DumpWarning("Documents", .listingCut(.depth(limit: 64)))])
        #expect(keys.problem(under: "d/")?.cause == .overLimit, "there may be more")
        #expect(Overlay(container).keys(in: .files("Documents")).problem(under: "")?.cause == .overLimit)
        #expect(container.keys(in: .files("Library")).problem(under: "") == nil)
    }

    @Test(
        "what cannot be read for want of permission is unreadable, not absent",
        .enabled(if: geteuid() != 0, "the superuser may read everything"))
    func permissions() throws {
        try tree.list("Library/Preferences/closed.plist")
        try tree.file("Documents/closed/note.txt")
        try tree.file("Documents/names/note.txt")
        let closed = ["Library/Preferences/closed.plist", "Documents/closed", "Documents/names"]
        chmod(tree.at(closed[0]), 0)
        chmod(tree.at(closed[1]), 0)
        // Its names may be listed, and what they stand for may not be looked at.
        chmod(tree.at(closed[2]), 0o400)
        defer { for path in closed { chmod(tree.at(path), 0o700) } }
        let container = try container()
        let keys = container.keys(in: .files("Documents"))
        #expect(keys.problem(under: "")?.cause == .inaccessible)
        #expect(keys.problem(under: "closed/")?.cause == .inaccessible)
        #expect(keys.problem(under: "closed/deeper/")?.cause == .inaccessible)
        #expect(keys.problem(under: "close") != nil && keys.problem(under: "closedness/") == nil)
        #expect(container.problem(with: .defaults("closed"))?.cause == .inaccessible)
        guard case .unreadable(let reason) = container.state(of: "closed/note.txt", in: .files("Documents")) else {
            Issue.record("the note is not unreadable")
            return
        }
        #expect(reason.cause == .inaccessible)
        #expect(container.stores.contains(.files("Documents")))
        #expect(container.storeWarnings().map(\.path) == closed)

        chmod(tree.at("Library/Preferences"), 0)
        defer { chmod(tree.at("Library/Preferences"), 0o700) }
        let hidden = try self.container()
        #expect(hidden.problem(with: .defaults("com.acme.notes"))?.cause == .inaccessible)
        #expect(hidden.storeWarnings().map(\.path).contains("Library/Preferences"))
    }
}
