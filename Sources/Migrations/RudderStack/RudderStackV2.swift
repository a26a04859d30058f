import MigrationEngine
import StoreFormats

/// The migration of what RudderStack's iOS SDK v2 persisted to the store of its Swift SDK.
///
/// The rules are those of RudderStack's migration guide (seed 000) in the profile `documented`, and those of the
/// software itself in the profiles `sdk-1.1` and `sdk-1.2`.
public struct RudderStackV2: Migration {
    /// Makes the migration.
    public init() {}

    /// The name.
    public let id = "rudderstack-v2"
    /// The name for people.
    public let title = "RudderStack iOS SDK v2 → Swift SDK"
    /// What it does.
    public let summary = """
        Takes the identity, traits, session and app version that the old SDK left in the app's own UserDefaults to the \
        suite that the Swift SDK reads.
        """

    /// The guide's rules, and those of two versions of the SDK.
    public let profiles = RudderStackRules.allCases.map(\.profile)

    /// The facts that its steps may ask for.
    public let facts = [
        FactDefinition(
            .bundleIdentifier, "the app's bundle identifier, which names both stores", form: .name,
            example: "com.acme.notes"),
        FactDefinition(
            .writeKey,
            "the write key that the new SDK is started with, which names its suite; the app's code or RudderStack's "
                + "dashboard has it",
            form: .name, example: "2Fk8pQx"),
        FactDefinition(
            .identifierForVendor,
            "the device's identifierForVendor, the anonymous ID of the old SDK; the app's own logs or server may have it",
            form: .uuid,
            example: "9B574574-74A7-4EDF-969D-164CB151B6C3"),
        FactDefinition(
            .now, "the moment the new version first starts", form: .moment,
            example: "1725000000"),
        FactDefinition(
            .uptime, "how long the device has been up at that moment", form: .seconds, example: "10000"),
    ]

    /// The app, by the UserDefaults that the old SDK wrote to; the write key, by the suites of the new SDK and by what the
    /// server told the old one.
    public let clues = [
        FactClue(.bundleIdentifier, in: "the name of the UserDefaults that the old SDK wrote to") { stores, _ in
            // A file that was given another name has seldom one like an app's.
            RudderStackLeftovers.domains(in: stores).filter { $0.name.text.contains(".") }.map {
                Fact($0.name.text, inferredFrom: Address(store: $0))
            }
        },
        FactClue(.writeKey, in: "the name of the new SDK's suite") { stores, known in
            // Where stores are there that cannot be listed, there may be another suite.
            guard let bundle = known[.bundleIdentifier]?.value, stores.problem == nil else { return [] }
            return Self.suites(of: bundle, in: stores).map { Fact($0.writeKey, inferredFrom: Address(store: $0.store)) }
        },
        FactClue(.writeKey, in: "the server's configuration that the old SDK kept") { known in
            known[.bundleIdentifier].map {
                Address(
                    store: .defaults(Name($0.value)), key: RudderStackKeys.serverConfig,
                    pointer: JSONPointer(["source", "_writeKey"]))
            }
        },
    ]

    /// Whether version 2 of the old SDK left anything, also in a domain that the facts do not name, or the new one did.
    ///
    /// What version 1 left alone is for the spec `rudderstack-v1`.
    public func applies(to stores: any StoreReader, facts: Facts) -> Bool {
        guard let bundle = factsKnown(in: stores, given: facts)[.bundleIdentifier]?.value else {
            // Whose they are, somebody must say.
            return !RudderStackLeftovers.domains(in: stores).isEmpty
        }
        let legacy = stores.keys(in: .defaults(Name(bundle)))
        let left = RudderStackLeftovers(in: .defaults(Name(bundle)), stores)
        if left.elsewhere != nil || !Self.suites(of: bundle, in: stores).isEmpty { return true }
        return !left.areOnlyFirstVersion && RudderStackKeys.everyLegacy.contains { legacy.position(of: $0) != nil }
    }

    /// The suites of the new SDK that are there, with the write key that each is named after.
    private static func suites(of bundle: String, in stores: any StoreReader) -> [(store: StoreID, writeKey: String)] {
        let prefix = RudderStackKeys.suite(bundle: bundle, writeKey: "").utf8
        return stores.stores.compactMap { store in
            guard store.kind == .defaults, store.name.utf8.starts(with: prefix), store.name.utf8.count > prefix.count
            else { return nil }
            return (store, String(decoding: store.name.utf8.dropFirst(prefix.count), as: UTF8.self))
        }
    }

    /// The app's own UserDefaults, and the suite of the new SDK.
    public func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) {
        guard let bundle = facts[.bundleIdentifier]?.value else { return ([], []) }
        let suite = facts[.writeKey].map { StoreID.defaults(RudderStackKeys.suite(bundle: bundle, writeKey: $0.value)) }
        return ([.defaults(Name(bundle))], suite.map { [$0] } ?? [])
    }

    /// The number of the session of both SDKs: a count of seconds, with which nobody can act as anybody.
    public func publicEntries(facts: Facts) -> [Address] {
        let sides = sides(facts: facts)
        return sides.legacy.map { Address(store: $0, key: "rl_session_id") }
            + sides.migrated.map { Address(store: $0, key: "session_id") }
    }

    /// One step for each row of the guide's mapping table; the SDK's own profiles end by removing the legacy keys.
    ///
    /// A profile of another migration has no steps.
    public func steps(profile: Profile, facts: Facts) -> [Step] {
        guard let rules = RudderStackRules(rawValue: profile.id) else { return [] }
        let sides = sides(facts: facts)
        let rows = RudderStackRow.all.map { row in
            row.step(rules: rules, legacy: sides.legacy.first, suite: sides.migrated.first)
        }
        return rules == .documented
            ? rows
            : rows + [RudderStackRow.removal(rules: rules, legacy: sides.legacy.first, suite: sides.migrated.first)]
    }
}

extension FactName {
    /// The write key that RudderStack's Swift SDK is started with.
    public static let writeKey: FactName = "writeKey"
}

/// Whose rules are followed: one for each profile.
public enum RudderStackRules: String, Hashable, Sendable, CaseIterable {
    /// The migration guide.
    case documented
    /// Version 1.1 of the SDK, whose last activity time is in uptime.
    case sdk1_1 = "sdk-1.1"
    /// Version 1.2 of the SDK and later, whose last activity time is in epoch time.
    case sdk1_2 = "sdk-1.2"

    /// The profile, as a person chooses it.
    public var profile: Profile {
        let summary =
            switch self {
            case .documented: "the migration guide: uptime, inverted session flag, legacy keys kept"
            case .sdk1_1: "SDK 1.1: uptime, flag as it is, nothing if the suite exists, legacy keys removed"
            case .sdk1_2:
                "SDK 1.2 and later: epoch time, flag as it is, nothing if the suite exists, legacy keys removed"
            }
        return Profile(id: rawValue, summary: summary)
    }
}

/// The keys of both SDKs.
enum RudderStackKeys {
    static let traits: Name = "rs_traits"
    static let userID: Name = "rs_user_id"
    static let sessionID: Name = "rl_session_id"
    static let manualSession: Name = "rl_session_manual_track_status"
    static let autoSession: Name = "rl_session_auto_track_status"
    static let sessionStopped: Name = "rl_session_stopped_status"
    static let lastEvent: Name = "rl_last_event_time_stamp"
    static let appVersion: Name = "rs_application_version_key"
    static let appBuild: Name = "rs_application_build_key"
    static let externalID: Name = "rl_external_id"
    static let serverConfig: Name = "rs_server_config"

    /// The keys that the SDK's own migrator reads, and removes afterwards.
    static let migrated = [traits, userID, sessionID, manualSession, lastEvent, appVersion, appBuild]

    /// The keys that only SDK v2 writes.
    static let secondVersion: [Name] =
        [traits, userID, manualSession, appVersion, appBuild] + [
            "rs_external_id", "rs_anonymous_id", serverConfig, "rs_server_last_updated", "rs_opt_status",
            "rs_opt_in_time", "rs_opt_out_time",
        ]

    /// The keys that only SDK v1 (Objective-C) writes; the guide for v2 names the external ID too.
    static let firstVersion: [Name] = [
        "rl_anonymous_id", "rl_traits", "rl_application_version_key", "rl_application_build_key",
        "rl_application_info_key", "rl_prefs", "rl_server_config", "rl_server_last_updated", "rl_auth_token",
        "rl_opt_status", "rl_opt_in_time", "rl_opt_out_time", "rl_advertising_id", "rl_event_deletion_status",
    ]

    /// The file in `Library` in which later releases of SDK v1 keep the same keys.
    static let firstVersionFile: Name = "rsDefaultsPersistence.plist"

    /// Every key that tells that an old SDK ran.
    static let everyLegacy =
        secondVersion + firstVersion + [sessionID, lastEvent, externalID, sessionStopped, autoSession]

    /// The name of the new SDK's suite.
    static func suite(bundle: String, writeKey: String) -> Name { "\(bundle).analytics.\(writeKey)" }
}

extension RudderStackV2 {
    /// What the old SDK left, under the names and in the types that the SDK's own helper shows; what cannot be migrated is
    /// left out.
    ///
    /// - Throws: why the old SDK's store, or a value of it, cannot be read: that is not the same as nothing being there.
    package func persistence(
        in stores: any StoreReader, facts: Facts, rules: RudderStackRules
    ) throws(Unreadable) -> Members {
        guard let domain = sides(facts: facts).legacy.first else { return Members() }
        let legacy = RudderStackLegacy(domain: domain)
        var transaction = StoreTransaction(on: stores)
        if let problem = transaction.problem(with: domain) { throw problem }
        for key in RudderStackKeys.migrated {
            if case .unreadable(let reason) = transaction.read(legacy.address(key)) { throw reason }
        }
        guard (try? legacy.checkPresence(in: &transaction, rules: .documented, suite: nil)) != nil else {
            return Members()
        }
        var found = Members()
        // What cannot be migrated is left out; what is over a limit of the reader may well be migrated by the SDK.
        func attempt<Read>(_ read: () throws(StepStop) -> Read?) throws(Unreadable) -> Read? {
            do throws(StepStop) { return try read() } catch {
                guard error.isOfUnknown else { return nil }
                throw Unreadable(error.outcome.reason?.unreadable?.reason.cause ?? .ambiguous, error.description)
            }
        }
        func convert(_ row: RudderStackRow) throws(Unreadable) -> Value? {
            try attempt { () throws(StepStop) in try row.convert(legacy, &transaction, facts, rules).value }
        }
        func integer(_ value: Value) -> Value? { value.string.flatMap { Int128($0) }.map(Value.integer) }
        found["anonymousId"] = try convert(.anonymousID)
        found["userId"] = try convert(.userID)
        let traits = try attempt { () throws(StepStop) in
            try RudderStackTraits.read(from: legacy, in: &transaction, rules: rules)
        }
        found["traits"] = traits.map { .dictionary($0.members) }
        found["sessionId"] = try convert(.sessionID).flatMap(integer)
        found["isManualSession"] = try convert(.manualSession)
        found["lastActivityTime"] = try convert(.lastActivityTime).flatMap(integer)
        found["applicationVersion"] = try convert(.appVersion)
        let build = try attempt { () throws(StepStop) in
            try legacy.string(RudderStackKeys.appBuild, in: &transaction)
        }
        found["applicationBuild"] = build.map(Value.string)
        return found
    }
}
