import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import TestSupport
import Testing

@testable import Specs

/// The specs of the package on dumps that are written from what the SDKs' sources say.
@Suite("The specs of the package")
struct CatalogTests {
    private static func migration(_ name: String) throws -> SpecMigration {
        try #require(SpecCatalog.migrations.first { $0.id == name })
    }

    private static func container(_ fixture: String) throws -> Container {
        try #require(try Dump.open(Places.fixture(fixture)).containers.first)
    }

    @Test("Each reads without a problem, and is called as its file", arguments: SpecCatalog.files.map(\.name))
    func reads(name: String) throws {
        let file = try #require(SpecCatalog.files.first { $0.name == name })
        #expect(Spec.lint(Data(file.bytes)).filter { $0.code.severity == .error } == [])
        #expect(try Self.migration(name).spec.id == name)
        #expect(try Self.migration(name).profiles.map(\.id) == file.profiles)
        #expect(!BuiltIn.migrations.contains { $0.id == name })
    }

    @Test("Each applies to dumps of its own SDK, and to no other", arguments: Places.fixtures)
    func evidence(fixture: String) throws {
        guard let dump = try? Dump.open(Places.fixture(fixture)) else { return }
        for container in dump.containers {
            let found = SpecCatalog.migrations.filter { $0.applies(to: container, facts: container.facts) }.map(\.id)
            let isSDK = fixture.hasPrefix("sdk-"), isDemo = fixture.hasPrefix("localdata-")
            let own = isSDK ? [String(fixture.dropFirst(4).prefix { $0 != "." })] : isDemo ? ["localdata-demo"] : []
            #expect(found == own, "\(container.identifier)")
            let other = BuiltIn.migrations.filter { $0.applies(to: container, facts: container.facts) }
            if isSDK { #expect(other.map(\.id) == []) }
        }
    }

    @Test("Each applies to a list of its SDK that came by itself under another name: whose it is, somebody must say")
    func alone() throws {
        let folder = try TemporaryFolder()
        for (name, list) in [("statsig", "com.acme.gates"), ("segment", "com.acme.parts")] {
            let path = Places.fixture("sdk-\(name).xcappdata/AppData/Library/Preferences/\(list).plist")
            try folder.write("mail \(name).plist", Data(contentsOf: URL(fileURLWithPath: path)))
            let container = try #require(try Dump.open(folder("mail \(name).plist")).containers.first)
            #expect(container.facts[.bundleIdentifier] == nil)
            let migration = try Self.migration(name)
            #expect(migration.applies(to: container, facts: container.facts), "\(name)")
            // Of statsig every entry is left where it is.
            guard name == "segment" else { continue }
            let plan = Plan(
                of: migration, profile: migration.profiles[0], facts: container.facts, stores: container,
                history: History([]), check: {})
            #expect(plan.steps.contains { $0.outcome.reason?.missingFacts.contains(.bundleIdentifier) == true })
        }
    }

    /// What each makes of its fixture: the profile, the facts, and what is there afterwards as JSON or `nil` for nothing.
    private static let outcomes:
        [(name: String, profile: String, facts: [FactName: String], gives: [(String, String?)])] = [
            (
                "rudderstack-v1", "sdk-1.2", ["writeKey": "wk", "now": "1725000000", "uptime": "10000"],
                [
                    ("anonymous_id", #""4f8e6a3e-anon""#), ("user_id", #""u-7""#),
                    ("traits", #""{\"email\":\"b@c.d\"}""#),
                    ("session_id", #""1724990100""#), ("is_manual_session", "false"),
                    ("last_activity_time", #""1724995000000""#), ("rudder.app_version", #""3.1""#),
                    ("rudder.app_build", "88"),
                ].map { ("defaults://com.acme.meter.analytics.wk/" + $0.0, $0.1) } + [
                    ("file://Library/rsDefaultsPersistence.plist", nil),
                    ("defaults://com.acme.meter/rl_anonymous_id", #""older-anon""#),
                ]
            ),
            (
                "rudderstack-v1", "sdk-1.1", ["writeKey": "wk", "now": "1725000000", "uptime": "10000"],
                [("defaults://com.acme.meter.analytics.wk/last_activity_time", #""5000000""#)]
            ),
            (
                "rudderstack-v1", "sdk-1.1", ["writeKey": "wk", "now": "1725000000", "uptime": "1000"],
                // Restarted since: the whole session is dropped.
                ["session_id", "is_manual_session", "last_activity_time"].map {
                    ("defaults://com.acme.meter.analytics.wk/" + $0, nil)
                }
            ),
            (
                "amplitude-prefix", "default", ["apiKey": "amp-key-1"],
                [
                    ("device_id", #""d-newer""#), ("user_id", #""u-1""#), ("previous_session_id", "1724990100000"),
                    ("last_event_time", "1724995000000"), ("last_event_id", "41"), ("storage_version", "2"),
                ].map {
                    (
                        "defaults://com.amplitude.storage.amplitude-swift-storage-amp-key-1-default_instance/" + $0.0,
                        $0.1
                    )
                }
                    + [("defaults://com.amplitude.storage.amplitude-swift-amp-key-1/device_id", nil)]
            ),
            (
                "amplitude-sqlite", "default", ["apiKey": "amp-key-1"],
                [
                    ("device_id", #""d-1""#), ("user_id", #""u-1""#), ("previous_session_id", "1724990100000"),
                    ("last_event_time", "1724995000000"),
                ].map {
                    (
                        "defaults://com.amplitude.storage.amplitude-swift-storage-amp-key-1-default_instance/" + $0.0,
                        $0.1
                    )
                }
            ),
            (
                "mixpanel", "default", [:],
                [
                    ("MPDistinctID", #""mix-1""#), ("MPAnonymousId", #""anon-1""#), ("MPUserId", #""u-1""#),
                    ("MPAlias", nil),
                    ("MPHadPersistedDistinctId", "true"), ("superProperties#/seats", "3"), ("OptOutStatus", "true"),
                ].map { ("defaults://Mixpanel/mixpanel-mixtoken1-" + $0.0, $0.1) }
                    + [("file://Library/mixpanel-mixtoken1-properties", nil)]
            ),
            (
                "posthog", "app", ["projectToken": "phc-1"],
                [
                    ("phc-1/posthog.distinctId#/posthog.distinctId", #""hog-1""#),
                    ("phc-1/posthog.anonymousId#/posthog.anonymousId", #""anon-newer""#),
                    ("phc-1/posthog.registerProperties#/plan", #""pro""#), ("posthog.anonymousId", nil),
                    ("posthog.distinctId", nil), ("posthog.queue.plist#/0/event", #""opened""#),
                ].map { ("file://AppSupport/com.acme.hedge/" + $0.0, $0.1) }
            ),
            (
                "segment", "default", ["writeKey": "seg"],
                [
                    ("defaults://com.segment.storage.seg/segment.userId", #""seg-1""#),
                    ("defaults://com.segment.storage.seg/segment.anonymousId", #""anon-1""#),
                    ("defaults://com.segment.storage.seg/segment.traits#/seats", "3"),
                    ("defaults://com.acme.parts/SEGBuildKeyV2", #""417""#),
                    ("defaults://com.acme.parts/SEGBuildKey", nil),
                ]
            ),
            (
                "statsig", "default", [:],
                [("defaults://com.acme.gates/com.Statsig.InternalStore.stickyUserIDKey", #""u-1""#)]
            ),
        ]

    @Test(
        "Each makes what the SDK's own migration makes, nothing the second time, and takes it back", arguments: outcomes
    )
    func outcome(
        name: String, profile: String, facts: [FactName: String], gives: [(String, String?)]
    ) throws {
        let migration = try Self.migration(name), container = try Self.container("sdk-\(name).xcappdata")
        let facts = Facts(facts.mapValues { Fact($0, from: "the test") }).completed(by: container.facts)
        let profile = try migration.profile(named: profile)
        var session = try MigrationSession(stores: container, ledger: MemoryLedger())
        let plan = session.plan(migration, profile: profile, facts: facts)
        #expect(plan.steps.allSatisfy { [.migrates, .skipped].contains($0.outcome.kind) }, "\(plan.summary)")
        try session.apply(.all, of: migration, profile: profile, facts: facts, stamp: Tried.stamp)
        for (text, json) in gives {
            let value = session.overlay.state(at: try Address(parsing: text)).value
            #expect(value?.jsonText == json, "\(text)")
        }
        let again = session.plan(migration, profile: profile, facts: facts)
        #expect(again.pending.map(\.id) == [])
        try session.rollback(.all, stamp: Tried.stamp)
        #expect(session.overlay.editedStores == [])
    }

    @Test(
        "The database of an instance with a name of its own, alone in a dump, is shown with the profile that is meant")
    func namedInstanceAlone() throws {
        let folder = try TemporaryFolder(), dump = try folder.copy("sdk-amplitude-sqlite.xcappdata")
        let library = dump + "/AppData/Library/"
        for name in try FileManager.default.contentsOfDirectory(atPath: library)
        where name.hasPrefix("com.amplitude.database") {
            try FileManager.default.moveItem(
                atPath: library + name,
                toPath: library + name.replacing("com.amplitude.database", with: "com.amplitude.database_myapp"))
        }
        let container = try #require(try Dump.open(dump).containers.first),
            migration = try Self.migration("amplitude-sqlite")
        #expect(migration.applies(to: container, facts: container.facts))
        func plan(_ profile: String, _ facts: [FactName: String]) throws -> Plan {
            Plan(
                of: migration, profile: try migration.profile(named: profile),
                facts: container.facts.completed(by: Facts(facts.mapValues { Fact($0, from: "the test") })),
                stores: container, history: History(), check: {})
        }
        let left = try plan("default", [:]).steps.first { $0.id == "instances" }
        #expect(
            left?.outcome.reason?.sentence.contains("amplitude-sqlite:named") == true,
            "\(String(describing: left?.outcome))")
        let named = try plan("named", ["apiKey": "key", "instance": "MyApp"])
        #expect(named.steps.first { $0.id == "device-id" }?.outcome.kind == .migrates)
    }

    @Test("A NULL of a database is as nothing there")
    func nullUser() throws {
        let spec = try #require(SpecCatalog.migrations.first { $0.id == "amplitude-sqlite" }).spec
        func outcome(_ user: Value) throws -> Outcome? {
            let tried = try Tried(
                spec, [("sqlite://Library/com.amplitude.database/store/user_id", .dictionary(["value": user]))],
                facts: ["apiKey": "key"])
            return try tried.outcome("user-id")
        }
        #expect(try outcome("u-1")?.kind == .migrates)
        #expect(try outcome(.null)?.kind == .skipped)
    }

    @Test("Without the facts that no dump holds, steps wait for them and say which")
    func missingFacts() throws {
        let container = try Self.container("sdk-amplitude-prefix.xcappdata")
        let migration = try Self.migration("amplitude-prefix")
        let plan = Plan(
            of: migration, profile: migration.profiles[0], facts: container.facts, stores: container,
            history: History(), check: {})
        let step = try #require(plan.steps.first { $0.id == "user-id" })
        #expect(step.outcome.kind == .blocked && step.outcome.reason?.missingFacts == ["apiKey"])
    }
}
