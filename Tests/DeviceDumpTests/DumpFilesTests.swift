import Files
import Foundation
import MigrationEngine
import StoreFormats
import Synchronization
import SystemPackage
import Testing
import TestSupport

@testable import DeviceDump

/// Files in memory: what an archive or a backup is to whoever reads it.
private struct MemoryFiles: DumpFiles {
    var content: [DumpPath: Data]
    /// The files that only another user may read.
    var denied: Set<DumpPath> = []

    private var folders: Set<DumpPath> { Set(content.keys.flatMap(\.folders)).union([.root]) }

    func item(at path: DumpPath) throws(DumpError) -> DumpItem? {
        if let data = content[path] { return DumpItem(path: path, kind: .file, size: data.count) }
        return folders.contains(path) ? DumpItem(path: path, kind: .folder) : nil
    }

    func children(of folder: DumpPath, limit: Int) throws(DumpError) -> [DumpItem] {
        guard folders.contains(folder) else { throw DumpError(folder, .notFound) }
        let all = (Array(content.keys) + folders).filter { $0.parent == folder }.sorted().prefix(limit)
        return all.compactMap { (try? item(at: $0)) ?? nil }
    }

    func bytes(at path: DumpPath, limit: Int?) throws(DumpError) -> Data {
        guard let data = content[path] else { throw DumpError(path, .notFound) }
        guard !denied.contains(path) else { throw DumpError(path, .inaccessible(.permissionDenied)) }
        return data
    }

    func stream(of path: DumpPath) throws(DumpError) -> any DumpStream { Once(data: try bytes(at: path, limit: nil)) }

    private final class Once: DumpStream {
        private var data: Data
        init(data: Data) { self.data = data }
        func next() throws(DumpError) -> Data {
            defer { data = Data() }
            return data
        }
    }

    func reopened() throws(DumpError) -> any DumpFiles { self }
}

@Suite("The files of a dump, whatever holds them")
struct DumpFilesTests {
    private func memory(of folder: String, below prefix: String = "") throws -> MemoryFiles {
        var files = MemoryFiles(content: [:])
        for item in try FolderFiles(opening: folder).items().items where item.kind == .file {
            let path = try #require(DumpPath(prefix + item.path.text))
            files.content[path] = try FolderFiles(opening: folder).bytes(at: item.path)
        }
        return files
    }

    private func open(_ files: any DumpFiles, _ options: OpeningOptions = .init()) throws -> Dump {
        let source = DumpSource(files, at: DumpLocation(disk: "/mail/dump.archive"))
        guard case .opened(let dump) = try Dump.opening(source, options, OpeningControl()) else {
            throw DumpError("", .locked)
        }
        return dump
    }

    /// Everything that containers show.
    private func contents(_ dump: Dump) -> [String] {
        dump.containers.flatMap { container in
            container.stores.flatMap { store in
                let keys = container.keys(in: store)
                return (0..<keys.count).map { position in
                    "\(container.identifier) \(store) \(container.state(of: keys.key(at: position), in: store))"
                }
            }
        }
    }

    @Test(
        "a form reads the same dump from a folder, from files that are no folder, and from a part of them",
        arguments: ["simulator", "notes-legacy.xcappdata", "notes-legacy.xcappdata/AppData"])
    func composition(name: String) throws {
        let path = Places.fixture(name)
        let expected = try Dump.open(path.hasSuffix("/AppData") ? String(path.dropLast(8)) : path)
        let direct = try open(try memory(of: expected.path))
        let below = try open(try memory(of: expected.path, below: "in the mail/"))
        for dump in [direct, below] {
            #expect(dump.kind == expected.kind)
            #expect(contents(dump) == contents(expected))
            #expect(try contents(dump.reopened()) == contents(expected))
        }
        #expect(direct.path == "/mail/dump.archive")
        #expect(below.path == "/mail/dump.archive/in the mail")
        #expect(
            below.warnings.first?.problem
                == .foundElsewhere(named: "/mail/dump.archive", root: "/mail/dump.archive/in the mail"))
    }

    @Test("a keychain in files that are no folder is found, and its version too")
    func keychain() throws {
        var files = try memory(of: Places.fixture("notes-legacy.xcappdata"), below: "x/")
        files.content["keychain.json"] = KeychainForms.objection([.init()])
        let dump = try open(files)
        #expect(dump.keychain?.source == .elsewhere("/mail/dump.archive/keychain.json"))
        files.content["x/keychain.json"] = KeychainForms.objection([.init(account: "inside")])
        let inside = try open(files)
        #expect(inside.keychain?.source == .inDump("keychain.json"))
        #expect(try inside.version(of: .inDump("keychain.json")).text.count == 64)
    }

    @Test("a keychain's export that may not be read, in the dump or beside it, is named with the reason")
    func keychainDenied() throws {
        for (path, shown) in [
            ("x/keychain.json", "keychain.json"), ("keychain.json", "/mail/dump.archive/keychain.json"),
        ] as [(DumpPath, String)] {
            var files = try memory(of: Places.fixture("notes-legacy.xcappdata"), below: "x/")
            files.content[path] = Data()
            files.denied = [path]
            let reason = Unreadable(.inaccessible, "\(shown) cannot be read: permission is denied")
            #expect(try open(files).container(nil).keychain == .unreadable(reason))
        }
    }

    @Test("a path is bytes, and none leads out of the dump")
    func paths() throws {
        for bad in ["/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/.", "a\0b"] {
            #expect(DumpPath(bad) == nil, "\(bad.debugDescription)")
        }
        #expect(DumpPath(String()) == .root)
        #expect(("\u{E9}" as DumpPath) != "e\u{301}")
        #expect("a/b" as DumpPath == ("a" as DumpPath) / "b")
        let path: DumpPath = "a/b/c"
        #expect(path.parent == "a/b" && path.name == "c" && path.folders == ["a", "a/b"])
        #expect(path.relative(to: "a") == "b/c" && path.relative(to: path) == .root)
        #expect(path.relative(to: "a/bb") == nil && path.relative(to: "a/b/c/d") == nil)
        #expect(("ab/c" as DumpPath).relative(to: "a") == nil)
        #expect(DumpPath(bytes: [0x61, 0xE9])?.isUTF8 == false)
        #expect(SourceFile(recorded: "/x/k.json") == .elsewhere("/x/k.json"))
        #expect(SourceFile(recorded: "a/b") == .inDump("a/b") && SourceFile(recorded: "a/../b") == nil)
    }

    @Test("a file that shrinks or goes after it was opened is read to the end as it was")
    func shrinking() throws {
        let tree = try TemporaryTree()
        try tree.container()
        let members = Dictionary(
            uniqueKeysWithValues: (0..<60_000).map { ("k\($0)", String(repeating: "v", count: 40)) })
        try tree.list("Library/Preferences/big.plist", members)
        let container = try Dump.open(tree.path).container(nil), big = StoreID.defaults("big")
        let keys = container.keys(in: big)
        #expect(keys.count == members.count)
        try #require(truncate(tree.at("Library/Preferences/big.plist"), 100) == 0)
        for position in stride(from: 0, to: keys.count, by: 997) {
            #expect(container.state(of: keys.key(at: position), in: big).value?.string?.count == 40)
        }
        #expect(try Dump.open(tree.path).container(nil).problem(with: big)?.cause == .corrupt)
    }

    @Test(
        "a large file, which is read in parts at once, comes whole and in order, at its length and about the parts' ends",
        arguments: [(1 << 20) + 1, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, (12 << 20) + 7])
    func largeFile(size: Int) throws {
        let tree = try TemporaryTree()
        // No two places of the file read alike.
        let data = (0..<UInt64(size / 8 + 1)).map { ($0 &* 0x9E37_79B9_7F4A_7C15).bigEndian }
            .withUnsafeBytes { Data($0).prefix(size) }
        try tree.file("large", data)
        #expect(try FolderFiles(opening: tree.path).bytes(at: "large") == data)
        let path = tree.path + "/large"
        #expect(try OpenFile.open(path).contents(limit: size) == data)
        #expect(throws: Errno.fileTooLarge) { try OpenFile.open(path).contents(limit: size - 1) }
        // Whatever was read of it before.
        let file = try OpenFile.open(path)
        #expect(try file.read(upTo: 100) == Array(data.prefix(100)))
        #expect(try file.contents() == data)
    }

    @Test("in a dump that was removed while it was open nothing is absent")
    func removed() throws {
        let tree = try TemporaryTree()
        try tree.container("it")
        let dump = try Dump.open(tree.at("it")), container = try dump.container(nil)
        try dump.checkIsThere()
        try FileManager.default.removeItem(atPath: tree.at("it"))
        for state in [
            container.state(of: "key", in: .defaults("com.acme.notes")), container.state(of: "x", in: .files("tmp")),
        ] {
            guard case .unreadable(let reason) = state else {
                Issue.record("\(state)")
                continue
            }
            #expect(reason.explanation.contains("removed or replaced"))
        }
        #expect(throws: DumpError(tree.at("it"), .gone)) { try dump.checkIsThere() }
        try tree.container("it")
        #expect(throws: DumpError(tree.at("it"), .gone)) { try dump.checkIsThere() }
        #expect(try dump.reopened().containers.map(\.identifier) == ["com.acme.notes"])
    }

    @Test("opening says how far it is, and stops when it is told to")
    func control() throws {
        let phases = Mutex<[OpeningProgress.Phase]>([])
        let path = Places.fixture("simulator")
        let watching = OpeningControl(progress: { step in phases.withLock { $0.append(step.phase) } })
        guard case .opened = try Dump.opening(path, control: watching) else { throw DumpError("", .locked) }
        let seen = phases.withLock { $0 }
        #expect(seen.first == .looking && seen.last == .readingKeychain && seen.contains(.listing))
        for stop in 0..<seen.count {
            let asked = Mutex(0)
            let stopping = OpeningControl(
                isCancelled: {
                    asked.withLock { count in
                        count += 1
                        return count > stop
                    }
                })
            #expect(throws: DumpError("", .cancelled)) { try Dump.opening(path, control: stopping) }
        }
    }

    @Test("a dump that is locked is opened with its password, and not with another")
    func locked() throws {
        let files = try memory(of: Places.fixture("notes-legacy.xcappdata"))
        let location = DumpLocation(disk: "/mail/backup")
        let locked = LockedDump(kind: .xcappdata, location: location, takesKey: true) {
            (secret, control) throws(DumpError) in
            guard case .password("test") = secret else { throw DumpError(location.path, .wrongPassword) }
            let source = DumpSource(files, at: location)
            guard case .open(_, _, let contents)? = try XcodeContainer().recognise(source) else {
                throw DumpError(location.path, .notRecognised)
            }
            return .opened(try Dump(.xcappdata, source, contents, .init(), [], control))
        }
        #expect(throws: DumpError("/mail/backup", .wrongPassword)) { try locked.opened(with: .password("wrong")) }
        #expect(try locked.opened(with: .password("test")).container(nil).identifier == "com.acme.notes")
    }
}

@Suite("App groups in a dump")
struct AppGroupTests {
    private let group = StoreID.defaults("group.com.acme.notes"), files = StoreID.files("group.com.acme.notes")
    private static let shared = "device/data/Containers/Shared/AppGroup/"

    private func device(groups: [String]) throws -> (tree: TemporaryTree, container: Container) {
        let tree = try TemporaryTree()
        try tree.simulator("device", apps: ["com.acme.notes"])
        for (number, name) in groups.enumerated() {
            try tree.container(Self.shared + "G\(number)", app: name)
            try tree.file(Self.shared + "G\(number)/state.json", "[\(number)]")
        }
        return (tree, try Dump.open(tree.at("device")).container("com.acme.notes"))
    }

    @Test("a simulator's group containers are stores of the app: its own are listed, others are reached by their names")
    func reachable() throws {
        let (tree, container) = try device(groups: ["group.com.acme.notes", "group.other"])
        defer { withExtendedLifetime(tree) {} }
        #expect(container.stores == [.defaults("com.acme.notes"), group, files])
        #expect(container.state(of: "key", in: group) == .present(.string("value")))
        #expect(container.state(of: "state.json", in: files) == .present(.data(Data("[0]".utf8))))
        let keys = container.keys(in: files)
        #expect((0..<keys.count).map(keys.key(at:)) == ["state.json"], "the domain and iOS's own file are not entries")
        #expect(container.state(of: "key", in: .defaults("group.other")) == .present(.string("value")))
        #expect(container.state(of: "state.json", in: .files("group.other")) == .present(.data(Data("[1]".utf8))))
        #expect(
            container.file(of: Address(store: files, key: "new/x"))
                == .inDump("data/Containers/Shared/AppGroup/G0/new/x"))
        #expect(
            container.file(of: Address(store: group))?.description.hasSuffix(
                "G0/Library/Preferences/group.com.acme.notes.plist") == true)
        #expect(container.state(of: "key", in: .defaults("group.none")) == .absent, "a simulator has all its groups")
    }

    @Test("which groups are the app's is what iOS has noted, where it has")
    func claimed() throws {
        let (tree, _) = try device(groups: ["group.com.acme.notes", "group.other"])
        try tree.list(
            "device/data/Containers/Data/Application/UUID-0/.com.apple.mobile_container_manager.metadata.plist",
            [
                "MCMMetadataIdentifier": "com.acme.notes",
                "MCMMetadataInfo": ["com.apple.MobileInstallation.GroupContainerIDs": ["group.other"]],
            ])
        let container = try Dump.open(tree.at("device")).container("com.acme.notes")
        #expect(container.stores == [.defaults("com.acme.notes"), .defaults("group.other"), .files("group.other")])
    }

    @Test(
        "an extension and a group are the app's whose identifier is the longest that theirs begins with",
        arguments: [true, false])
    func longest(isBackup: Bool) throws {
        let tree = try TemporaryTree(), apps = ["com.acme", "com.acme.notes", "com.acme.notesplus"]
        let extensions = ["com.acme.notes.share", "com.acme.notesplus.w", "com.acme.widget"]
        let groups = ["group.com.acme", "group.com.acme.notes", "group.com.acme.notes.shared"]
        if isBackup {
            // As long as nothing lists all apps, what has a longer name may be another's.
            try tree.list(
                "dump/Manifest.plist", ["Applications": Dictionary(uniqueKeysWithValues: apps.map { ($0, [:]) })])
        } else {
            try tree.simulator("dump", apps: apps)
        }
        for (prefix, folder, names) in [
            ("AppDomain-", "", isBackup ? apps : []), ("AppDomainPlugin-", "Data/PluginKitPlugin", extensions),
            ("AppDomainGroup-", "Shared/AppGroup", groups),
        ] {
            for name in names {
                try tree.container(
                    isBackup ? "dump/\(prefix)\(name)" : "dump/data/Containers/\(folder)/\(name)", app: name)
            }
        }
        let dump = try Dump.open(tree.at("dump"))
        func domains(_ app: String) throws -> [String] {
            try dump.container(app).stores.filter { $0.kind == .defaults }.map(\.name.text).sorted()
        }
        #expect(try domains("com.acme") == ["com.acme", "com.acme.widget", "group.com.acme"])
        // A group may have the name of what its app's begins with, as its maker's other apps.
        #expect(try domains("com.acme.notes") == ["com.acme.notes", extensions[0]] + groups)
        #expect(try domains("com.acme.notesplus") == ["com.acme.notesplus", extensions[1], "group.com.acme"])
    }

    @Test("in a form that cannot hold groups nothing is known of them, whatever list the app has of its own")
    func unknown() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata()
        try tree.container("bare")
        try tree.list("com.acme.notes.plist")
        for name in ["notes.xcappdata", "bare", "com.acme.notes.plist"] {
            let container = try Dump.open(tree.at(name)).container(nil)
            for store in [group, files] {
                guard case .unreadable(let reason) = container.state(of: "key", in: store) else {
                    Issue.record("\(name) \(store)")
                    continue
                }
                #expect(reason.cause == .missing)
                #expect(container.problem(with: store) == reason)
                #expect(container.file(of: Address(store: store, key: "key")) == nil)
            }
            #expect(container.storeWarnings().isEmpty && !container.stores.contains(group))
        }
        try tree.list("bare/Library/Preferences/group.com.acme.notes.plist")
        #expect(try Dump.open(tree.at("bare")).container(nil).state(of: "key", in: group).value == nil)
    }
}

@Suite("A property list under another name")
struct RenamedPropertyListTests {
    @Test("the name of its domain is what a person says, and a hint where nobody does")
    func renamed() throws {
        let tree = try TemporaryTree()
        try tree.list("support mail.plist")
        let path = tree.at("support mail.plist"), dump = try Dump.open(path)
        let hint = DumpWarning("support mail.plist", .unknownDomain)
        #expect(try dump.container(nil).warnings == [hint])
        #expect(hint.description.contains("not a bundle identifier"))
        let named = try Dump.open(path, bundleIdentifier: "com.acme.notes"), container = try named.container(nil)
        #expect(container.identifier == "com.acme.notes" && container.warnings.isEmpty)
        #expect(container.stores == [.defaults("com.acme.notes")])
        #expect(container.state(of: "key", in: .defaults("com.acme.notes")) == .present(.string("value")))
        #expect(container.state(of: "key", in: .defaults("support mail")) == .absent)
        #expect(container.file(of: .defaults("com.acme.notes", "key")) == .inDump("support mail.plist"))
        #expect(container.file(of: .defaults("support mail", "key")) == nil)
        #expect(try named.reopened().container(nil).identifier == "com.acme.notes")
        // Of several apps it says nothing.
        try tree.simulator("device", apps: ["com.acme.a", "com.acme.b"])
        #expect(try Dump.open(tree.at("device"), bundleIdentifier: "x.y").containers.count == 2)
    }
}
