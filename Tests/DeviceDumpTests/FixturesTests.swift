import Foundation
import MigrationEngine
import StoreFormats
import Testing
import TestSupport

@testable import DeviceDump

@Suite("The fixtures")
struct FixturesTests {
    static let names = [
        "notes-legacy.xcappdata", "notes-troubled.xcappdata", "notes-traits-json.xcappdata",
        "notes-traits-strange.xcappdata", "notes-migrated.xcappdata", "notes-half-migrated.xcappdata",
        "notes-empty.xcappdata", "hostile.xcappdata", "simulator",
    ]
    private static let notes = names.filter { $0.hasPrefix("notes") }
    private let own = StoreID.defaults("com.acme.notes")
    private let suite = StoreID.defaults("com.acme.notes.analytics.wk-1a2b3c")

    private func container(_ name: String, app: String? = nil) throws -> Container {
        try Dump.open(Places.fixture(name)).container(app)
    }

    private func value(_ key: String, _ name: String) throws -> Value? {
        try container(name).state(of: Name(key), in: own).value
    }

    @Test("every fixture that is here has its tests")
    func complete() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Places.fixture("."))
            .filter { $0.hasSuffix(".xcappdata") || !$0.contains(".") }
        // Those of the other systems are opened by the tests of their migrations, backups by theirs.
        let systems = ["backup", "convert-", "keychain-", "klivvr-", "localdata-", "person-", "sdk-", "shop-"]
        let others = systems + ["notes-databases"]
        let own = folders.filter { name in !others.contains(where: name.hasPrefix) }
        #expect(Set(own.filter { !["__pycache__", "generated"].contains($0) }) == Set(Self.names))
    }

    @Test("every fixture of notes opens without a warning and says its facts", arguments: notes)
    func opens(name: String) throws {
        let dump = try Dump.open(Places.fixture(name)), container = try dump.container(nil)
        #expect(dump.kind == .xcappdata)
        #expect(dump.warnings.isEmpty)
        #expect(container.warnings.isEmpty)
        #expect(container.storeWarnings().isEmpty)
        #expect(container.facts[.bundleIdentifier] == Fact("com.acme.notes", from: .metadata("AppDataInfo.plist")))
        #expect(container.facts[.appVersion]?.value == "2.3.1")
        #expect(container.stores.first == own)
    }

    @Test("the legacy store has every key of SDK v2 with the type that the SDK stores")
    func legacy() throws {
        let container = try container("notes-legacy.xcappdata")
        let expected: [(Name, Value)] = [
            ("rs_user_id", .string("u-42")), ("rl_session_id", .integer(1_724_990_100)),
            ("rl_session_manual_track_status", .bool(false)), ("rl_session_auto_track_status", .bool(true)),
            ("rl_last_event_time_stamp", .integer(1_724_995_000)), ("rs_application_version_key", .string("2.3.1")),
            ("rs_application_build_key", .string("417")),
        ]
        for (key, value) in expected { #expect(container.state(of: key, in: own) == .present(value), "\(key)") }
        let traits = try #require(container.state(of: "rs_traits", in: own).value?.decoded())
        #expect(traits.value.members?.map(\.key) == ["email", "age", "vip", "id", "userId", "anonymousId"])
        #expect(
            container.stores == [
                own, .defaults("com.acme.notes.editor"), .defaults("com.apple.FileProvider/com.acme.notes.files"),
                .files("AppSupport"), .files("Documents"), .files("Caches"), .files("tmp"), .files("Library"),
                SQLiteTable("notes", of: "com.acme.notes/notes.sqlite", in: "AppSupport").store,
                SQLiteTable("events", of: "rl_persistence.sqlite", in: "Library").store,
            ])
        let database = container.state(of: "rl_persistence.sqlite", in: .files("Library")).value?.data
        #expect(database?.starts(with: Data("SQLite format 3\0".utf8)) == true)
    }

    @Test("the troubled store has what the migration guide's troubleshooting speaks of")
    func troubled() throws {
        let name = "notes-troubled.xcappdata"
        #expect(try value("rs_user_id", name) == nil)
        #expect(try value("rs_traits", name)?.data != nil)
        #expect(try value("rs_traits", name)?.decoded()?.value.members == nil)
        #expect(try value("rl_session_id", name) == .string("1724980000"))
        #expect(try value("rl_last_event_time_stamp", name) == .integer(1_724_989_999))
        #expect(try value("rs_application_build_key", name) == .string("417-beta"))
    }

    @Test("traits may be JSON, or hold what JSON cannot")
    func traits() throws {
        let json = try value("rs_traits", "notes-traits-json.xcappdata")
        #expect(json?.decoded()?.value[JSONPointer(["userId"])] == .string("u-77"))
        let strange = try #require(try value("rs_traits", "notes-traits-strange.xcappdata")?.decoded()?.value.members)
        guard case .date? = strange["signedUp"], case .object(let badge)? = strange["badge"] else {
            Issue.record("\(strange)")
            return
        }
        #expect(badge.className == "Acme.Badge")
    }

    @Test("the migrated stores hold the suite of the new SDK, in full and in part")
    func migrated() throws {
        let full = try container("notes-migrated.xcappdata"), half = try container("notes-half-migrated.xcappdata")
        #expect(full.keys(in: suite).count == 8)
        #expect(full.state(of: "traits", in: suite).value == .string(#"{"email":"a@b.c","age":30,"vip":true}"#))
        #expect(full.state(of: "last_activity_time", in: suite).value == .string("5000000"))
        #expect(full.state(of: "rudder.app_build", in: suite).value == .integer(417))
        #expect(half.keys(in: suite).count == 3)
        #expect(half.state(of: "user_id", in: suite).value == .string("someone-else"))
        #expect(half.state(of: "anonymous_id", in: suite) == full.state(of: "anonymous_id", in: suite))
    }

    @Test("the empty store has settings and nothing of the SDK")
    func empty() throws {
        let keys = try container("notes-empty.xcappdata").keys(in: own)
        let names = (0..<keys.count).map(keys.key(at:))
        #expect(!names.isEmpty)
        #expect(!names.contains { $0.hasPrefix("rs_") || $0.hasPrefix("rl_") })
    }

    @Test("the hostile dump opens, names what is wrong, and reads the rest", .timeLimit(.minutes(10)))
    func hostile() throws {
        let container = try container("hostile.xcappdata"), main = StoreID.defaults("com.acme.hostile")
        let broken = container.stores.filter { container.problem(with: $0) != nil }
        #expect(
            broken == ["array", "bomb", "empty", "link", "truncated", "xpc"].map { .defaults("com.acme.\($0)") })
        #expect(container.storeWarnings().count == broken.count + 4)
        #expect(container.state(of: "still", in: .defaults("com.acme.fine")) == .present(.string("readable")))
        #expect(container.state(of: "plain", in: main) == .present(.string("a value like any other")))
        #expect(container.state(of: "integer.largest", in: main) == .present(.integer(.max)))
        let keys = container.keys(in: main)
        var unreadable: [String] = []
        for position in 0..<keys.count {
            let key = keys.key(at: position)
            if case .unreadable = container.state(of: key, in: main) { unreadable.append(key.text) }
        }
        // The last two keys, and the values under them, are no text: bytes beyond ASCII, and half of a surrogate pair.
        #expect(
            Set(unreadable) == [
                "deep.3100", "doubling.in.place", "cycle", "dangling", "high\u{FF}\u{C3}\u{A9}bytes", "\u{FFFD}x",
                "twice",
            ])
    }

    @Test("the simulator has two apps and a group")
    func simulator() throws {
        let dump = try Dump.open(Places.fixture("simulator"))
        #expect(dump.containers.map(\.identifier) == ["com.acme.notes", "com.acme.timer", "group.com.acme.notes"])
        #expect(dump.containers.map(\.kind) == [.app, .app, .group])
        let app = try container("simulator", app: "com.acme.notes")
        #expect(app.state(of: "rs_user_id", in: own) == .present(.string("u-42")))
        #expect(app.facts[.systemVersion]?.value == "iOS-17-5")
    }
}
