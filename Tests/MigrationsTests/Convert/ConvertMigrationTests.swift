import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Testing

@Suite("Convert as a migration: the visitor's id")
struct ConvertVisitorStepsTests {
    typealias Fixture = ConvertFixture

    @Test(
        "what each state of keychain and mirror becomes",
        arguments: [
            (Fixture.kept, Fixture.kept, "unchanged", "unchanged"),
            (Fixture.kept, nil, "unchanged", "migrates"),
            (Fixture.kept, "", "unchanged", "migrates"),
            (nil, Fixture.mirrored, "migrates", "unchanged"),
            ("", Fixture.mirrored, "migrates", "unchanged"),
            (nil, nil, "migrates", "migrates"),
            (Fixture.kept, Fixture.mirrored, "unchanged", "conflict target-differs"),
        ] as [(String?, String?, String, String)])
    func states(keychain: String?, mirror: String?, first: String, second: String) {
        let fixture = Fixture(keychain: keychain.map(Fixture.item), mirror: mirror.map(Value.string))
        let plan = fixture.plan()
        #expect(plan.outcome("visitor-keychain") == first)
        #expect(plan.outcome("visitor-mirror") == second)
    }

    @Test("a mirror that is a number is the same id as its text in the keychain")
    func numericMirror() {
        let plan = ConvertFixture(keychain: Fixture.item("42"), mirror: .integer(42)).plan()
        #expect(plan.outcome("visitor-mirror") == "unchanged")
    }

    @Test("backfill: the mirror's id becomes a keychain item with the SDK's accessibility, and says where it is from")
    func backfill() throws {
        let change = try #require(
            Fixture(mirror: .string(Fixture.mirrored)).plan().step("visitor-keychain")?.changes.first)
        #expect(change.after == Fixture.item(Fixture.mirrored))
        #expect(change.action == .add)
        #expect(change.from == [Fixture.mirror])
    }

    @Test("a missing mirror is filled from the keychain, and the step says that the SDK itself never does so")
    func mirror() throws {
        let step = try #require(Fixture(keychain: Fixture.item(Fixture.kept)).plan().step("visitor-mirror"))
        #expect(step.changes.map(\.after) == [.string(Fixture.kept)])
        #expect(step.step.disagreement?.contains("never repairs") ?? false)
    }

    @Test("differing ids: the conflict names the winner and shows both; the profile repair-mirror replaces the mirror")
    func differing() throws {
        let fixture = Fixture(keychain: Fixture.item(Fixture.kept), mirror: .string(Fixture.mirrored))
        let step = try #require(fixture.plan().step("visitor-mirror"))
        #expect(step.outcome.reason?.sentence.contains("keychain's wins") ?? false)
        #expect(step.conflict?.before == .present(.string(Fixture.mirrored)))
        #expect(step.conflict?.after == .string(Fixture.kept))
        #expect(step.changes.isEmpty)
        let repaired = try #require(fixture.plan("repair-mirror").step("visitor-mirror"))
        #expect(repaired.outcome.kind == .migrates)
        #expect(repaired.changes.map(\.action) == [.replace])
        #expect(repaired.changes.first?.after == .string(Fixture.kept))
    }

    @Test("no id anywhere: the fresh one is a fact; without it both steps are blocked, with it preview and apply agree")
    func fresh() throws {
        var fixture = Fixture.file(Fixture.decisionFile, #"{"store":{},"order":[]}"#)
        let ids = fixture.plan().steps.prefix(2).compactMap { $0.changes.first?.after }
        #expect(ids == [Fixture.item(Fixture.fresh), .string(Fixture.fresh)])
        fixture.facts[.freshVisitorID] = Fact(Fixture.fresh.lowercased(), from: "test")
        #expect(
            fixture.plan().step("visitor-mirror")?.changes.first?.after == .string(Fixture.fresh),
            "as the SDK writes it")
        fixture.facts[.freshVisitorID] = nil
        #expect(fixture.plan().outcome("visitor-keychain") == "blocked missing-fact")
        #expect(fixture.plan().outcome("visitor-mirror") == "blocked missing-fact")
        #expect(fixture.plan().step("visitor-mirror")?.outcome.reason?.missingFacts == [.freshVisitorID])
        fixture.mirror = .string(Fixture.mirrored)
        #expect(fixture.plan().outcome("visitor-keychain") == "migrates", "nobody needs a fresh id here")
    }

    @Test(
        "a keychain that cannot be read is not an empty one: both steps wait and say why",
        arguments: [Unreadable.Cause.locked, .unsupported, .corrupt])
    func unreadable(cause: Unreadable.Cause) {
        let plan = Fixture(mirror: .string(Fixture.mirrored), obstacle: Unreadable(cause, "no keychain here")).plan()
        for id in ["visitor-keychain", "visitor-mirror"] {
            let kind = [.locked, .missing].contains(cause) ? "blocked" : "failed"
            #expect(plan.outcome(id) == "\(kind) unreadable-\(cause.rawValue)")
            #expect(plan.step(id)?.outcome.reason?.sentence.contains(": no keychain here: ") ?? false)
        }
    }

    @Test("C5: an empty item and one that is no text are misses, and the note says so")
    func misses() throws {
        let notes = try [Data(), Data([0xFF])].map { data in
            let fixture = Fixture(keychain: KeychainItem(data: data).value, mirror: .string(Fixture.mirrored))
            return try #require(fixture.plan().step("visitor-keychain")?.changes.first?.notes.first)
        }
        #expect(notes[0].contains("empty"))
        #expect(notes[1].contains("not a text"))
    }

    @Test("without the bundle identifier only the visitor's steps are blocked")
    func noBundle() {
        var fixture = Fixture.file(Fixture.decisionFile, #"{"store":{},"order":[]}"#)
        fixture.facts[.bundleIdentifier] = nil
        #expect(fixture.plan().summary[.blocked] == 2)
        #expect(fixture.plan().outcome("decisions-flat") == "unchanged")
    }
}

@Suite("Convert as a migration: decisions, events, configurations")
struct ConvertFileStepsTests {
    typealias Fixture = ConvertFixture
    static let decisions = ConvertLocation.decisions[0]
    static let tooDeep =
        "{\"a\":" + String(repeating: "[", count: 300) + String(repeating: "]", count: 300) + "}"

    @Test(
        "A member that stands twice is not corrupt, and nobody takes one of the two: the steps that read it are blocked",
        arguments: [
            (
                Fixture.decisionFile, #"{"store":{"a-b-c":{},"a-b-c":{"segments":{}}},"order":[]}"#,
                ["decisions-corrupt", "decisions-parts", "decisions-order"]
            ),
            (
                Fixture.folder + "event-queue.json",
                #"[{"accountId":"1","accountId":"2","projectId":"2","visitors":[]}]"#, ["queue-corrupt"]
            ),
        ])
    func repeatedMember(file: String, text: String, steps: [String]) {
        let plan = Fixture.file(file, text).plan()
        for step in steps { #expect(plan.outcome(step) == "blocked unreadable-ambiguous") }
        #expect(plan.steps.filter { steps.contains($0.id) }.flatMap(\.changes).isEmpty)
    }

    @Test(
        "A file over a limit is not corrupt: nothing is moved, and its steps fail",
        arguments: [
            (Fixture.decisionFile, ["decisions-corrupt", "decisions-flat", "decisions-parts", "decisions-order"]),
            (Fixture.folder + "event-queue.json", ["queue-corrupt"]),
            (Fixture.folder + "config-d.json", ["config-corrupt"]),
        ])
    func overLimit(file: String, steps: [String]) throws {
        let fixture = Fixture.file(file, Self.tooDeep), plan = fixture.plan()
        for step in steps {
            #expect(plan.outcome(step) == "failed unreadable-over-limit")
            #expect(plan.step(step)?.outcome.reason?.sentence.contains("over a limit") ?? false)
        }
        let annotation = ConvertMigration().annotation(
            of: Address(store: Fixture.appSupport, key: Name(file)), in: fixture.stores)
        #expect(annotation?.hasPrefix("not looked into, as it is over a limit: ") ?? false)
    }

    @Test("The app neither deletes nor writes over a file that is over a limit")
    func overLimitInApp() async throws {
        let queue = ConvertLocation.eventQueue, config = ConvertLocation.config(sdkKey: "d")
        var fixture = Fixture.file(Fixture.decisionFile, Self.tooDeep)
        fixture.files += [queue, config].map { (Fixture.appSupport, $0.key?.text ?? "", Self.tooDeep) }
        let store = fixture.store
        await #expect(throws: StepStop.self) { try await store.loadQueue() }
        await #expect(throws: StepStop.self) { try await store.config(for: "d") }
        await #expect(throws: StepStop.self) {
            try await store.saveDecision("v", for: "e", of: ConvertDecisionsTests.visitor("a"))
        }
        #expect(await store.loadDecisions().visitors.isEmpty)
        #expect(await store.stores.written.isEmpty)
    }

    @Test(
        "A folder of the SDK that cannot be listed is not one without configurations, and whether it applies is unknown"
    )
    func unlistedFolder() throws {
        var fixture = Fixture.file("other.txt", "x")
        fixture.facts[.sdkKeys] = Fact("a/b", from: "test")
        var stores = fixture.stores
        stores.unlisted = ConvertLocation.folder
        let migration = ConvertMigration()
        let plan = Plan(
            of: migration, profile: migration.profiles[0], facts: fixture.facts, stores: stores, history: History([]),
            check: {})
        #expect(plan.outcome("config-corrupt") == "failed unreadable-inaccessible")
        #expect(plan.outcome("config-names") == "failed unreadable-inaccessible")
        #expect(
            migration.applicability(to: stores, facts: fixture.facts)
                == .unknown([.init(Fixture.appSupport, ObservedStores.refusal)]))
        stores.unlisted = "elsewhere/"
        #expect(migration.applicability(to: stores, facts: fixture.facts) == .findsNothing)
    }

    @Test("a flat map becomes {store, order} in stored order, its values untouched, and then gets its missing parts")
    func flat() throws {
        let plan = Fixture.file(
            Fixture.decisionFile,
            #"{ "1-2-b": {"bucketing": {"e": "v"}, "later": 1.50}, "1-2-a": {"segments":{"country":"DE"}} }"#
        ).plan()
        #expect(plan.outcome("decisions-flat") == "migrates")
        #expect(
            plan.text("decisions-flat", Self.decisions) == """
                {"store":{"1-2-b":{"bucketing":{"e":"v"},"later":1.50},"1-2-a":{"segments":{"country":"DE"}}},\
                "order":["1-2-b","1-2-a"]}
                """)
        #expect(plan.outcome("decisions-corrupt") == "unchanged")
        #expect(
            plan.text("decisions-parts", Self.decisions) == """
                {"store":{"1-2-b":{"bucketing":{"e":"v"},"later":1.50,"goalTriggered":{},"segments":{},"locations":{}},\
                "1-2-a":{"segments":{"country":"DE"},"bucketing":{},"goalTriggered":{},"locations":{}}},\
                "order":["1-2-b","1-2-a"]}
                """)
        #expect(plan.outcome("decisions-order") == "unchanged")
        #expect(plan.step("decisions-parts")?.changes.first?.notes == ["2 of 2 visitors lack parts"])
    }

    @Test("what the SDK reads after the flat map was migrated is what was in it")
    func flatIsRead() throws {
        let plan = Fixture.file(Fixture.decisionFile, #"{"1-2-b":{"bucketing":{"e":"v"}}}"#).plan()
        let text = try #require(plan.text("decisions-parts", Self.decisions))
        #expect(try ConvertDecisions(Data(text.utf8)).visitors["1-2-b"]?.bucketing == ["e": "v"])
    }

    @Test("a flat map is not set aside as corrupt, also where that step is taken alone; the others wait for it")
    func flatAlone() throws {
        let fixture = Fixture.file(Fixture.decisionFile, #"{"1-2-b":{}}"#)
        let steps = ConvertMigration().steps(profile: ConvertMigration().profiles[0], facts: fixture.facts)
        func outcome(_ id: String) -> String? {
            steps.first { $0.id == id }?.preview(on: fixture.stores, origin: fixture.stores, facts: fixture.facts)
                .outcome.reason?.code
        }
        #expect(outcome("decisions-corrupt") == "condition-not-met")
        #expect(outcome("decisions-parts") == "earlier-steps-first")
        #expect(outcome("decisions-order") == "earlier-steps-first")
    }

    @Test("visitors of an older version get what they lack; the layout and every value around it stay")
    func parts() throws {
        let plan = Fixture.file(
            Fixture.decisionFile,
            #"{"store": {"--a": {"bucketing": {"e": "v"}, "goalTriggered": {"g": true}}}, "order": ["--a"], "n": 1e1}"#
        ).plan()
        #expect(
            plan.text("decisions-parts", Self.decisions) == """
                {"store": {"--a": {"bucketing": {"e": "v"}, "goalTriggered": {"g": true}, "segments": {}, \
                "locations": {}}}, "order": ["--a"], "n": 1e1}
                """)
    }

    @Test("the order keeps known keys, appends missing ones, drops unknown and repeated ones")
    func order() {
        let full = #"{"bucketing":{},"goalTriggered":{},"segments":{},"locations":{}}"#
        let plan = Fixture.file(
            Fixture.decisionFile, #"{"store":{"a":\#(full),"b":\#(full)},"order":["b","x","b"]}"#
        ).plan()
        #expect(
            plan.text("decisions-order", Self.decisions)
                == #"{"store":{"a":\#(full),"b":\#(full)},"order":["b","a"]}"#)
    }

    @Test("C1: a file in another place moves to where the SDK reads it", arguments: 1...3)
    func place(index: Int) throws {
        let place = ConvertLocation.decisions[index]
        let text = #"{"store":{},"order":[]}"#
        let plan = Fixture(files: [(place.store, place.key?.text ?? "", text)]).plan()
        let step = try #require(plan.step("decisions-place"))
        #expect(step.changes.map(\.action) == [.add, .remove])
        #expect(step.changes.map(\.address) == [Self.decisions, place])
        #expect(step.step.disagreement?.contains("com.convertexperiments.sdk") ?? false)
    }

    @Test("C1: decisions in two places are told, and a conflict where they differ names the one that is read")
    func twoPlaces() {
        var fixture = Fixture.file(Fixture.decisionFile, #"{"store":{},"order":[]}"#)
        #expect(fixture.plan().outcome("decisions-place") == "unchanged")
        fixture.files.append((.files("Caches"), Fixture.decisionFile, #"{"store":{},"order":[]}"#))
        #expect(fixture.plan().outcome("decisions-place") == "skipped second-file")
        fixture.files.append((Fixture.appSupport, Fixture.folder + Fixture.decisionFile, "{}"))
        #expect(fixture.plan().outcome("decisions-place") == "conflict two-decision-files")
    }

    @Test("C3: corrupt files move aside, byte for byte, and are no longer in the way")
    func aside() throws {
        var fixture = Fixture.file(Fixture.decisionFile, "not-valid-json")
        fixture.files.append((Fixture.appSupport, Fixture.folder + "event-queue.json", "{"))
        fixture.files.append((Fixture.appSupport, Fixture.folder + "config-a.json", "[]"))
        fixture.files.append((Fixture.appSupport, Fixture.folder + "config-b.json", "{}"))
        fixture.files.append((Fixture.appSupport, Fixture.folder + "config-c.json", ""))
        let plan = fixture.plan()
        let expected = [
            "decisions-corrupt": [Fixture.decisionFile], "queue-corrupt": [Fixture.folder + "event-queue.json"],
            "config-corrupt": [Fixture.folder + "config-a.json", Fixture.folder + "config-c.json"],
        ]
        for (id, files) in expected {
            let step = try #require(plan.step(id))
            #expect(step.changes.map(\.address.key?.text) == files.flatMap { [$0 + ".corrupt", $0] })
            #expect(step.changes.map(\.action) == files.flatMap { _ in [.add, .remove] })
            #expect(step.changes.first?.after == step.changes.dropFirst().first?.before.value)
            #expect(step.changes.first?.notes.isEmpty == false, "the note says what is wrong")
            #expect(step.step.disagreement != nil)
        }
        #expect(plan.outcome("decisions-parts") == "skipped absent")
    }

    @Test("what was set aside before is never written over")
    func secondAside() throws {
        var fixture = Fixture.file(Fixture.folder + "event-queue.json", "broken")
        fixture.files.append((Fixture.appSupport, Fixture.folder + "event-queue.json.corrupt", "an earlier one"))
        let step = try #require(fixture.plan().step("queue-corrupt"))
        #expect(step.changes.first?.address.key?.text == Fixture.folder + "event-queue.json.corrupt-2")
        fixture.files[1].text = "broken"
        let again = try #require(fixture.plan().step("queue-corrupt"))
        #expect(again.changes.map(\.action) == [.remove], "the same bytes are aside already")
    }

    @Test("applied and rolled back, every entry is what it was")
    func rollback() throws {
        var fixture = Fixture.file(Fixture.decisionFile, #"{"1-2-b":{"bucketing":{"e":"v"}}}"#)
        fixture.files.append((Fixture.appSupport, Fixture.folder + "event-queue.json", "{"))
        fixture.mirror = .string(Fixture.mirrored)
        let migration = ConvertMigration()
        var session = try MigrationSession(stores: fixture.stores, ledger: MemoryLedger())
        let stamp = LedgerEntry.Stamp(date: Date(timeIntervalSince1970: 0), author: "test", toolVersion: "0")
        try session.apply(.all, of: migration, profile: migration.profiles[0], facts: fixture.facts, stamp: stamp)
        #expect(session.plan(migration, profile: migration.profiles[0], facts: fixture.facts).pending.isEmpty)
        #expect(!session.overlay.editedStores.isEmpty)
        try session.rollback(.all, stamp: stamp)
        #expect(session.overlay.editedStores.isEmpty)
    }

    @Test("C2: the mark of an upload is told, with what it means; it is not touched")
    func mark() throws {
        let fixture = Fixture.file(Fixture.folder + "event-queue.uploading", "\u{1}")
        let step = try #require(fixture.plan().step("queue-upload"))
        #expect(step.outcome.reason?.code == "left")
        #expect(step.changes.isEmpty)
        #expect(step.step.disagreement?.contains("event-queue.uploading") ?? false)
        #expect(Fixture().plan().outcome("queue-upload") == "skipped absent")
    }

    @Test("C4: SDK keys that share a file are a conflict; where the keys are not known, names that may be two are told")
    func collidingNames() {
        var fixture = Fixture.file(Fixture.folder + "config-a_b.json", "{}")
        #expect(fixture.plan().outcome("config-names") == "skipped ambiguous-names")
        let cases = [
            "a/b, a_b": "conflict colliding-names", "a/b": "unchanged", "a/b,a/b, ": "unchanged",
            "c/d, c_d": "unchanged", "a_b , x,a/b": "conflict colliding-names",
        ]
        for (keys, outcome) in cases {
            fixture.facts[.sdkKeys] = Fact(keys, from: "test")
            #expect(fixture.plan().outcome("config-names") == outcome, "\(keys)")
        }
        #expect(Fixture.file(Fixture.folder + "config-ab.json", "{}").plan().outcome("config-names") == "unchanged")
    }

    @Test("a folder of its own below the SDK's, or another file, is no configuration")
    func otherNames() {
        for key in ["config-a/b.json", "config.json", "config-a.json.corrupt", "xconfig-a.json"] {
            let fixture = Fixture.file(Fixture.folder + key, "broken")
            #expect(fixture.plan().outcome("config-corrupt") == "skipped absent")
        }
    }

    @Test("it applies where the SDK left anything, and nowhere else")
    func applies() {
        let migration = ConvertMigration()
        func applies(_ fixture: Fixture) -> Bool { migration.applies(to: fixture.stores, facts: fixture.facts) }
        #expect(!applies(Fixture()))
        #expect(!applies(Fixture(obstacle: Unreadable(.locked, "locked"))))
        #expect(!applies(Fixture.file("library.json", "{}")))
        #expect(applies(Fixture(keychain: Fixture.item("x"))))
        #expect(applies(Fixture(mirror: .string("x"))))
        #expect(applies(Fixture.file(Fixture.decisionFile, "")))
        #expect(applies(Fixture.file(Fixture.folder + "event-queue.uploading", "\u{1}")))
        #expect(applies(Fixture(files: [(.files("tmp"), Fixture.decisionFile, "")])))
    }

    @Test(
        "entries are shown as what they are: decisions by visitor, the queue by event, a configuration by its project")
    func annotations() {
        var fixture = Fixture.file(
            Fixture.decisionFile,
            #"{"store":{"1-2-a":{"bucketing":{"e2":"w","e1":"v"},"goalTriggered":{"g":true,"h":false}},"1-2-b":{}},"#
                + #""order":["1-2-b","1-2-a"]}"#)
        fixture.files.append(
            (
                Fixture.appSupport, Fixture.folder + "event-queue.json",
                ConvertQueueTests.queue(ConvertQueueTests.bucketing)
            ))
        fixture.files.append(
            (
                Fixture.appSupport, Fixture.folder + "config-a_b.json",
                #"{"account_id":"1","project":{"id":"2"},"goals":[{},{}]}"#
            ))
        fixture.files.append((Fixture.appSupport, Fixture.folder + "config-x.json", "["))
        fixture.files.append((Fixture.appSupport, "library.json", "{}"))
        func lines(_ address: Address) -> [String]? {
            ConvertMigration().annotation(of: address, in: fixture.stores)?.split(separator: "\n").map(String.init)
        }
        #expect(
            lines(Self.decisions) == [
                "decisions of 2 visitors, the last used first", "1-2-a: e1 → v, e2 → w, goal g", "1-2-b: nothing",
            ])
        #expect(lines(ConvertLocation.eventQueue) == ["1 event of 1 visitor, not sent", "v: bucketing e → w"])
        #expect(
            lines(ConvertLocation.config(sdkKey: "a/b")) == [
                "configuration of account 1, project 2, cached for the SDK key a_b", "goals: 2",
            ])
        #expect(lines(ConvertLocation.config(sdkKey: "x"))?.first?.hasPrefix("corrupt for the SDK: ") ?? false)
        #expect(lines(Fixture.mirror)?.count == 1)
        #expect(lines(ConvertLocation.visitorID)?.count == 1)
        #expect(lines(ConvertLocation.uploadMarker)?.count == 1)
        #expect(lines(.init(store: Fixture.appSupport, key: "library.json")) == nil)
    }
}
