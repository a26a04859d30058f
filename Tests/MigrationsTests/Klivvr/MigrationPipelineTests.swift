import Foundation
import Migrations
import StoreFormats
import Systems
import Testing

@Suite("Klivvr: the pipeline")
struct MigrationPipelineTests {
    private func migrate(_ json: String, from: Int, to: Int = 3, locale: String = "en_US") throws -> String {
        let data = try MigrationPipeline.userProfile(locale: locale)
            .migrate(model: "user_profile", data: Data(json.utf8), fromVersion: from, toVersion: to)
        return String(decoding: data, as: UTF8.self)
    }

    @Test("version 1 becomes the golden version 3, and decodes as the seed's tests ask")
    func golden() throws {
        let result = try migrate(StoredProfile.v1, from: 1)
        #expect(result == StoredProfile.v1AsV3)
        let profile = try JSONDecoder().decode(UserProfile.self, from: Data(result.utf8))
        #expect(profile.userId == "usr_123" && profile.preferences.theme == "system")
        #expect(profile.notificationSettings.transactionAlerts && !profile.notificationSettings.marketingOptIn)
    }

    @Test("version 2 keeps its preferences, and gets the notification settings")
    func preserves() throws {
        let profile = try JSONDecoder().decode(
            UserProfile.self, from: Data(try migrate(StoredProfile.v2, from: 2).utf8))
        #expect(profile.preferences == UserProfile.sara && profile.notificationSettings.pushEnabled)
    }

    @Test(
        "the language is that of the given locale, never that of the machine",
        arguments: [("ar_EG", "ar"), ("en-US", "en"), ("fil", "fil"), ("zh-Hans_CN", "zh"), ("", "en"), ("_US", "en")])
    func locale(locale: String, language: String) throws {
        #expect(try migrate(StoredProfile.v1, from: 1, locale: locale).contains(#""language":"\#(language)""#))
    }

    @Test("what is no locale is an error, not a language")
    func badLocale() {
        #expect(throws: MigrationError.self) { try migrate(StoredProfile.v1, from: 1, locale: "?\"") }
    }

    @Test("what no step names stays byte for byte: key order, numbers, escapes")
    func bytes() throws {
        let odd = #"{ "z" : 1e2, "a":3.10,"u":"\/","n":-0.0, "big":18446744073709551616}"#
        #expect(try migrate(odd, from: 2).hasPrefix(odd.dropLast() + ""))
    }

    @Test("a missing step is named, and nothing comes of the steps before it")
    func missing() throws {
        let pipeline = MigrationPipeline()
        pipeline.register(model: "m", fromVersion: 1) { $0 }
        let error = #expect(throws: MigrationError.self) {
            try pipeline.migrate(model: "m", data: Data(), fromVersion: 1, toVersion: 3)
        }
        guard case .missingMigration("m", 2, 3)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect("\(MigrationError.missingMigration(model: "m", from: 2, to: 3))".contains("2 to 3"))
    }

    @Test("the same or an older version is returned as it is", arguments: [(3, 3), (4, 3)])
    func untouched(from: Int, to: Int) throws {
        #expect(try migrate("no JSON at all", from: from, to: to) == "no JSON at all")
    }

    @Test("a step that is registered again replaces the first, and models do not mix")
    func replaced() throws {
        let pipeline = MigrationPipeline()
        for text in ["first", "second"] { pipeline.register(model: "m", fromVersion: 1) { _ in Data(text.utf8) } }
        pipeline.register(model: "other", fromVersion: 1) { _ in Data() }
        #expect(try pipeline.migrate(model: "m", data: Data(), fromVersion: 1, toVersion: 2) == Data("second".utf8))
    }

    @Test(
        "what is no object is an error with its reason, where the original kills the process",
        arguments: ["[]", "3", "null", "\"text\"", "", "{", #"{"a":1,}"#, "1e400"])
    func noObject(json: String) throws {
        let error = #expect(throws: MigrationError.self) { try migrate(json, from: 1) }
        guard case .migrationFailed("user_profile", 1, let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!reason.description.contains("error 0") && reason.description.count > 10)
    }
}

extension UserProfile {
    /// The preferences of the seed's second fixture.
    static var sara: UserPreferences? {
        try? JSONDecoder().decode(
            UserPreferences.self, from: Data(#"{"theme":"dark","language":"ar","currency":"EGP"}"#.utf8))
    }
}
