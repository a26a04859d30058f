import DeviceDump
import Foundation
import MigrationEngine
import Reports
import StoreFormats
import TestSupport
import Testing

@testable import Workspace

extension TemporaryFolder {
    /// Makes a dump of one app in the folder `dump`.
    func makeDump(_ name: String = "dump") throws -> String {
        let preferences = name + "/Library/Preferences/"
        try write(
            preferences + "com.acme.notes.plist",
            BinaryPropertyList.write(
                .dictionary([
                    ("old_id", .string("u-42")), ("old_count", .integer(7)), ("theme", .string("dark")),
                    ("drop", .data(Data([1, 2, 3]))),
                ])))
        try write(preferences + "com.acme.notes.suite.plist", XMLPropertyList.write(.dictionary([("x", .real(1.5))])))
        try write(name + "/Documents/note.txt", Data("a note".utf8))
        try write(name + "/Library/Application Support/queue.json", Data("[1]".utf8))
        try FileManager.default.createSymbolicLink(
            atPath: self(name + "/Documents/link"), withDestinationPath: "/etc/hostname")
        chmod(self(name + "/Documents/note.txt"), 0o640)
        for file in ["/Documents/note.txt", "/Documents"] {
            var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 123_456_789)]
            utimensat(AT_FDCWD, self(name + file), &times, 0)
        }
        return self(name)
    }

    func workspace(_ dump: String = "dump", ledger: String = "state/ledger", facts: Facts = Facts()) throws -> Workspace
    {
        try Workspace.open(dump: Dump.open(self(dump)), facts: facts, ledger: .file(self(ledger)))
    }

    /// Everything below a folder: for each path its content, or where a link points.
    func tree(_ relativePath: String) throws -> [String: Data] {
        var tree: [String: Data] = [:]
        for item in try FileManager.default.subpathsOfDirectory(atPath: self(relativePath)) {
            let path = self(relativePath) + "/" + item
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFREG: tree[item] = try Data(contentsOf: URL(fileURLWithPath: path))
            case S_IFLNK:
                tree[item] = Data(try FileManager.default.destinationOfSymbolicLink(atPath: path).utf8)
            default: tree[item] = Data("folder".utf8)
            }
        }
        return tree
    }

    func status(_ relativePath: String) -> stat? {
        var status = stat()
        return lstat(self(relativePath), &status) == 0 ? status : nil
    }
}

extension stat {
    var permissions: UInt32 { UInt32(st_mode) & 0o7777 }
    var modified: [Int] {
        #if canImport(Darwin)
        [st_mtimespec.tv_sec, st_mtimespec.tv_nsec]
        #else
        [st_mtim.tv_sec, st_mtim.tv_nsec]
        #endif
    }
}

extension WorkspaceError {
    /// How the program ends over the error.
    var exitCode: Int32 { ExitStatus(self).rawValue }
}

extension LedgerEntry.Stamp {
    static let test = LedgerEntry.Stamp(
        date: Date(timeIntervalSinceReferenceDate: 800_000_000.125), author: "tester", toolVersion: "1.0")
}

/// Moves, converts, adds, removes: one step of each kind that a store can see.
struct TestMigration: Migration {
    let id = "test"
    let title = "Test"
    let summary = "For tests."
    let profiles = [Profile(id: "plain", summary: "The only one.")]
    let facts = [FactDefinition("now", "the time", form: .moment, example: "1725000000")]
    static let legacy = "com.acme.notes"
    static let migrated = "com.acme.notes.new"
    /// Makes every step write another value, as another version of the program might.
    var suffix = ""

    var plain: Profile { profiles[0] }

    func applies(to stores: any StoreReader, facts: Facts) -> Bool { stores.contains(.defaults(Name(Self.legacy))) }
    func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) {
        ([.defaults(Name(Self.legacy))], [.defaults(Name(Self.migrated))])
    }

    func steps(profile: Profile, facts: Facts) -> [Step] {
        let suffix = suffix
        let old = Address.defaults(Name(Self.legacy), "old_id")
        let new = Address.defaults(Name(Self.migrated), "id")
        let note = Address(store: .files("Documents"), key: "copy/note.txt")
        return [
            Step(id: "id", title: "Identifier", sources: [old], target: new, rule: "copied") {
                (transaction, _) throws(StepStop) in
                guard case .present(.string(let text)) = transaction.read(old) else {
                    throw .skipped("no-id", "there is no id")
                }
                try transaction.write(
                    .string(text + suffix), to: new, from: [old], rule: "copied", notes: ["kept\0whole"])
            },
            Step(id: "time", title: "Time", sources: [], rule: "from a fact", facts: ["now"]) {
                (transaction, facts) throws(StepStop) in
                guard let now = facts["now"].flatMap({ Double($0.value) }) else { throw .missing(["now"]) }
                try transaction.write(.real(now), to: .defaults(Name(Self.migrated), "time"), rule: "from a fact")
            },
            Step(id: "file", title: "File", sources: [], rule: "a new file") { (transaction, _) throws(StepStop) in
                try transaction.write(.data(Data("copied".utf8)), to: note, rule: "a new file")
            },
            Step(id: "theme", title: "Theme", sources: [], rule: "replaced") { (transaction, _) throws(StepStop) in
                try transaction.write(
                    .string("light"), to: .defaults(Name(Self.legacy), "theme"), rule: "replaced",
                    policy: .replaceExisting)
            },
            Step(id: "clean", title: "Clean up", sources: [old], rule: "removed", followsAll: true) {
                (transaction, _) throws(StepStop) in
                for key in ["old_id", "old_count", "drop"] {
                    transaction.remove(.defaults(Name(Self.legacy), Name(key)), rule: "removed")
                }
                transaction.remove(Address(store: .files("AppSupport"), key: "queue.json"), rule: "removed")
            },
        ]
    }
}
