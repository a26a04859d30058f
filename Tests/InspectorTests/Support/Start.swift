import Foundation
import MigrationEngine
import Reports
import StoreFormats

@testable import Inspector

/// What the inspector is opened on for a law.
enum Start: String, CaseIterable {
    case legacy, blocked, troubled, halfMigrated, hostile, secrets, noMigration, nothing, apps

    /// Texts that may never be seen while secrets are masked.
    static let needles = ["jane.roe", "hunter2", "s3cr3t", "eyJhbGci", "deadbeef"]

    func inspected(size: Size = Size(width: 80, height: 24), glyphs: Glyphs = .unicode) throws -> Inspected {
        let stores: MemoryStores
        var facts = Facts.notes, apps: AppList?
        switch self {
        case .legacy, .blocked: stores = RudderStack.stores()
        case .troubled: stores = Self.troubledStores
        case .halfMigrated:
            stores = RudderStack.stores(migrated: ["user_id": .string("else"), "session_id": .string("1724990100")])
        case .hostile: stores = Self.hostileStores
        case .secrets: stores = Self.secretsStores
        case .noMigration:
            stores = MemoryStores([
                (.defaults("a"), ["b": .bool(true)]), (.files("Documents"), ["c/d": .data(Data([1]))]),
            ])
        case .nothing: stores = MemoryStores()
        case .apps:
            stores = RudderStack.stores()
            apps = AppList(
                title: "simulator",
                apps: (0..<30).map {
                    AppList.App(
                        path: "\($0)", identifier: "com.acme.\($0)\u{202E}", kind: "app\n\u{1B}[2J \($0)")
                })
        }
        if self == .blocked { facts = facts.without(.writeKey, .now, .uptime, .identifierForVendor) }
        var inspected = try Inspected(
            stores, facts: facts, migrations: self == .nothing ? [] : [RudderStack.migration], size: size,
            glyphs: glyphs,
            apps: apps)
        if self == .apps { inspected.command("app") }
        return inspected
    }

    private static var troubledStores: MemoryStores {
        RudderStack.stores([
            "rs_traits": .data(Data("bplist00 not a list".utf8)), "rl_session_id": .string("x"), "rs_user_id": nil,
            "rl_session_manual_track_status": .string("YES"), "rl_last_event_time_stamp": .integer(1_724_989_999),
            "rs_application_version_key": .real(2.3), "rs_application_build_key": .string("417-beta"),
        ])
    }

    private static var hostileStores: MemoryStores {
        let texts = [
            "\u{1B}[2J\u{1B}]0;owned\u{7}", "line\nbreak\ttab\r", "right\u{202E}ot\u{202C}",
            "\u{2067}\u{200B}\u{FEFF}\u{200D}",
            "c1\u{9B}2J\u{85}", "e\u{301}", "\u{E9}", "", "nul\0", "作作作作作作作作作作作作作作作作作作作作作作作", "👩‍👩‍👧 🏳️‍🌈 🇪🇺 1️⃣",
            String(repeating: "k", count: 5000), "e" + String(repeating: "\u{301}", count: 300),
            "\u{E0001}\u{F8FF}\u{FFFF}",
        ]
        var legacy = Members(texts.map { Member(key: Name($0), value: .string($0)) })
        for text in texts {
            legacy.all.append(
                Member(key: Name(text + "2"), value: .dictionary([(Name(text), .array([.string(text)]))])))
        }
        legacy["rs_user_id"] = .string("u-42\u{1B}[2K\u{202E}")
        legacy["rs_traits"] = .dictionary(texts.map { (Name($0), .string($0)) })
        legacy["rs_application_build_key"] = .string("\u{9B}31m\n\u{202E}")
        legacy["rl_session_id"] = .real(.nan)
        var deep = Value.string("\u{202E}")
        for _ in 0..<200 {
            deep = .array([deep, .object(ArchivedObject(className: "\u{1B}c", fields: ["\n": .null]))])
        }
        legacy["deep"] = deep
        return MemoryStores([
            (RudderStack.legacy, legacy), (.defaults("\u{202E}\u{1B}[2J\n"), ["\u{9B}": .string("\u{9B}")]),
        ])
    }

    private static var secretsStores: MemoryStores {
        let email = Value.string("jane.roe@example.com")
        let token = Value.string("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl")
        let traits =
            #"{"email":"jane.roe@example.com","userId":"jane.roe@example.org","password":"hunter2","n":{"apiKey":"s3cr3t"}}"#
        return MemoryStores([
            (
                RudderStack.legacy,
                [
                    "rs_user_id": email, "rs_traits": .string(traits), "rs_application_build_key": email,
                    "rs_application_version_key": email, "rl_session_id": email, "contact": email,
                    "accessToken": .string("hunter2"),
                    "list": .array([email, token, .dictionary([(Name("to"), email)])]),
                    "credentials": .dictionary([("a", .dictionary([("b", .string("s3cr3t"))])), ("c", .integer(3))]),
                    "bytes": .data(Data("mail jane.roe@example.com".utf8)),
                    "hex": .string(String(repeating: "deadbeef", count: 5)),
                    "session": token, "json": .data(Data(#"[{"secret": "s3cr3t"}]"#.utf8)),
                    "sentence": .string("ask jane.roe@example.com for it"),
                ]
            ),
            (.keychain("com.acme"), ["pin": .string("s3cr3t"), "blob": .data(Data("hunter2".utf8))]),
            (.files("Documents"), ["a/password.txt": .data(Data("hunter2".utf8))]),
        ])
    }
}
