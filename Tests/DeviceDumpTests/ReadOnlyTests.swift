import Foundation
import MigrationEngine
import Testing
import TestSupport

@testable import DeviceDump

@Suite("A dump is only read")
struct ReadOnlyTests {
    /// Uses all that can be used.
    private func readEverything(_ path: String) throws {
        let dump = try Dump.open(path)
        for container in dump.containers {
            _ = container.storeWarnings()
            for store in container.stores {
                _ = container.problem(with: store)
                let keys = container.keys(in: store)
                for position in 0..<keys.count { _ = container.state(of: keys.key(at: position), in: store) }
            }
        }
        for item in dump.files.items().items where item.kind == .file {
            _ = try dump.files.bytes(at: item.path)
            _ = try dump.files.version(of: item.path)
        }
    }

    @Test("bytes, modes and times of every item are the same after all has been read")
    func unchanged() throws {
        let tree = try TemporaryTree()
        try tree.xcappdata()
        try tree.file("notes.xcappdata/AppData/Documents/note.txt", "note")
        try tree.file("notes.xcappdata/AppData/Library/Preferences/broken.plist", "bplist00")
        try tree.link("notes.xcappdata/AppData/Documents/link", to: "/etc/passwd")
        try tree.pipe("notes.xcappdata/AppData/tmp/pipe")
        try tree.simulator("device", apps: ["com.acme.a", "com.acme.b"])
        let before = try tree.inventory()
        try readEverything(tree.at("notes.xcappdata"))
        try readEverything(tree.at("device"))
        try readEverything(
            tree.at("device/data/Containers/Data/Application/UUID-0/Library/Preferences/com.acme.a.plist"))
        #expect(try tree.inventory() == before)
    }

    @Test("a dump without write permission opens as any other")
    func readOnlyTree() throws {
        let tree = try TemporaryTree()
        try tree.container("it")
        let folders = ["it/Library/Preferences", "it/Library", "it"]
        for folder in folders { chmod(tree.at(folder), 0o500) }
        defer { for folder in folders { chmod(tree.at(folder), 0o700) } }
        try readEverything(tree.at("it"))
    }

    @Test("every fixture is the same after all of it has been read", arguments: FixturesTests.names)
    func fixtures(name: String) throws {
        let path = Places.fixture(name)
        let before = try TemporaryTree.inventory(of: path)
        try readEverything(path)
        #expect(try TemporaryTree.inventory(of: path) == before)
    }

    @Test("one container may be used from many threads at once")
    func threads() async throws {
        let container = try Dump.open(Places.fixture("notes-legacy.xcappdata")).container(nil)
        let counts = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask { container.stores.reduce(0) { $0 + container.keys(in: $1).count } }
            }
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(counts.count == 1)
        #expect(counts.first ?? 0 > 30)
    }
}
