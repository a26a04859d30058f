import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Synchronization
import Systems
import Testing

@Suite("Convert: the decision store")
struct ConvertDecisionsTests {
    typealias Fixture = ConvertFixture
    static let address = ConvertLocation.decisions[0]

    static func visitor(_ id: String) -> ConvertVisitorKey {
        ConvertVisitorKey(accountID: "1001", projectID: "2002", visitorID: id)
    }

    static func text(_ store: ConvertStore<ObservedStores>) async -> String? {
        await store.stores.text(address)
    }

    @Test("the key of a visitor is account-project-visitor, with what is missing empty")
    func key() {
        #expect("\(Self.visitor("v"))" == "1001-2002-v")
        #expect("\(ConvertVisitorKey(accountID: nil, projectID: nil, visitorID: "v"))" == "--v")
    }

    @Test("a visitor that is stored in another normalization is the same visitor, as a text is to the SDK")
    func twins() throws {
        let file = #"{"store":{"1-2-cafe\u{301}":{"bucketing":{"e":"old"}}},"order":["1-2-cafe\u{301}"]}"#
        var decisions = try ConvertDecisions(Data(file.replacing(#"\u{301}"#, with: "\u{301}").utf8))
        try decisions.change("1-2-caf\u{E9}") { $0["bucketing"] = .dictionary(["e": .string("new")]) }
        #expect(decisions.visitors.count == 1)
        #expect(decisions.visitors["1-2-caf\u{E9}"]?.bucketing == ["e": "new"])
    }

    @Test("a saved decision is read back, by a later launch too, and the file is {store, order}")
    func roundTrip() async throws {
        let store = Fixture().store
        try await store.saveDecision("var-1", for: "exp-1", of: Self.visitor("a"))
        #expect(await store.decision(for: "exp-1", of: Self.visitor("a")) == "var-1")
        #expect(
            await Self.text(store) == """
                {"store":{"1001-2002-a":{"bucketing":{"exp-1":"var-1"},"goalTriggered":{},"segments":{},\
                "locations":{}}},"order":["1001-2002-a"]}
                """)
        let next = ConvertStore(stores: await store.stores, bundleIdentifier: Fixture.bundle) { Fixture.fresh }
        #expect(await next.decision(for: "exp-1", of: Self.visitor("a")) == "var-1")
        #expect(await next.decision(for: "exp-2", of: Self.visitor("a")) == nil)
    }

    @Test(
        "V9: a missing or corrupt file is a WARN and no decisions, and stays until the next save",
        arguments: [
            nil, "not-valid-json", "", "[]", #"{"store":{}}"#, #"{"order":[]}"#, #"{"store":[],"order":[]}"#,
            #"{"store":{"a-b-c":{"bucketing":{"e":1}}},"order":[]}"#, #"{"store":{},"order":[1]}"#,
            #"{"1001-2002-a":{"bucketing":{"exp-1":"var-1"}}}"#,
        ])
    func corrupt(text: String?) async throws {
        let store = (text.map { Fixture.file(Fixture.decisionFile, $0) } ?? Fixture()).store
        #expect(await store.loadDecisions().visitors.isEmpty)
        let log = await store.log
        #expect(log.count == 1)
        #expect(log.first?.description.hasPrefix("[WARN] decision store missing or corrupt, starting empty: ") ?? false)
        #expect(await Self.text(store) == text, "the file is left as it is")
        try await store.saveDecision("v", for: "e", of: Self.visitor("a"))
        #expect(await store.loadDecisions().order == ["1001-2002-a"])
        #expect(await Self.text(store)?.hasPrefix(#"{"store":{"1001-2002-a""#) ?? false)
    }

    @Test("all four parts of a visitor are optional on read, and null is absent")
    func optionalParts() async throws {
        let store = Fixture.file(
            Fixture.decisionFile,
            #"{"store":{"1001-2002-a":{"bucketing":{"e":"v"},"segments":null},"--b":{}},"order":[]}"#
        ).store
        let decisions = await store.loadDecisions()
        #expect(decisions.visitors["1001-2002-a"]?.bucketing == ["e": "v"])
        #expect(decisions.visitors["1001-2002-a"]?.segments == ConvertSegments())
        #expect(decisions.visitors["--b"]?.locations == [:])
    }

    @Test("the order is rebuilt: known keys stay, missing ones are appended, unknown and repeated ones go")
    func order() async throws {
        let store = Fixture.file(
            Fixture.decisionFile, #"{"store":{"a":{},"b":{},"c":{}},"order":["b","gone","a","b"]}"#
        ).store
        #expect(await store.loadDecisions().order == ["b", "a", "c"])
    }

    @Test("beyond the limit the visitor used longest ago goes; reading a decision is a use")
    func limit() async throws {
        let store = ConvertStore(stores: Fixture().stores, bundleIdentifier: Fixture.bundle, decisionLimit: 2) { "" }
        try await store.saveDecision("v", for: "e", of: Self.visitor("a"))
        try await store.saveDecision("v", for: "e", of: Self.visitor("b"))
        #expect(await store.decision(for: "e", of: Self.visitor("a")) == "v")
        try await store.saveDecision("v", for: "e", of: Self.visitor("c"))
        #expect(await store.loadDecisions().order == ["1001-2002-a", "1001-2002-c"])
        #expect(await store.decision(for: "e", of: Self.visitor("b")) == nil)
        try await store.saveDecision("w", for: "e", of: Self.visitor("a"))
        #expect(
            await store.loadDecisions().order == ["1001-2002-c", "1001-2002-a"], "one that is there pushes nobody out")
        #expect(ConvertDecisions.limit == 10_000)
    }

    @Test("the limit is 10000 visitors: the 10001st pushes the one used longest ago out, and no other")
    func fullLimit() async throws {
        let visitors = (0..<10_000).map { #""--\#($0)":{}"# }.joined(separator: ",")
        let store = Fixture.file(Fixture.decisionFile, #"{"store":{\#(visitors)},"order":["--7"]}"#).store
        #expect(await store.loadDecisions().order.prefix(2) == ["--7", "--0"])
        try await store.saveDecision("v", for: "e", of: Self.visitor("new"))
        let order = await store.loadDecisions().order
        #expect(order.count == 10_000)
        #expect(order.first == "--0")
        #expect(order.last == "1001-2002-new")
    }

    @Test("a goal counts once: the second time nothing changes and a WARN says so")
    func goals() async throws {
        let store = Fixture().store
        #expect(try await store.markGoal("g", of: Self.visitor("a")))
        let before = await store.stores.written.count
        #expect(try await !store.markGoal("g", of: Self.visitor("a")))
        #expect(await store.stores.written.count == before)
        #expect(await store.log.last == .goalReachedBefore("g"))
        #expect(await store.loadDecisions().visitors["1001-2002-a"]?.goalTriggered == ["g": true])
    }

    @Test("known segments are set one by one; the others and everything else of the visitor stay")
    func segments() async throws {
        let store = Fixture().store
        let visitor = Self.visitor("a")
        try await store.saveDecision("v", for: "e", of: visitor)
        try await store.mergeSegments(ConvertSegments([.country: "DE", .browser: "S"]), of: visitor)
        try await store.mergeSegments(ConvertSegments([.country: "AT"], customSegments: ["x"]), of: visitor)
        let data = await store.loadDecisions().visitors["1001-2002-a"]
        #expect(data?.segments == ConvertSegments([.country: "AT", .browser: "S"], customSegments: ["x"]))
        #expect(data?.bucketing == ["e": "v"])
    }

    @Test("what the SDK does not know stays in the file, and numbers keep their text")
    func lossless() async throws {
        let store = Fixture.file(
            Fixture.decisionFile, #"{"v": 1.0, "store": {"--a": {"later": 1e2}}, "order": ["--a"]}"#
        ).store
        try await store.saveDecision(
            "v", for: "e", of: ConvertVisitorKey(accountID: nil, projectID: nil, visitorID: "a"))
        let text = await Self.text(store) ?? ""
        #expect(text.hasPrefix(#"{"v": 1.0, "store": {"--a": {"later": 1e2, "bucketing": {"e": "v"}"#))
    }

    @Test(
        "C1: the file is read in both places, and in the two fallbacks; the SDK's own comes first",
        arguments: ConvertLocation.decisions.indices)
    func places(index: Int) async throws {
        var fixture = Fixture()
        for (number, place) in ConvertLocation.decisions.enumerated() where number >= index {
            fixture.files.append((place.store, place.key?.text ?? "", #"{"store":{"--\#(number)":{}},"order":[]}"#))
        }
        #expect(await fixture.store.loadDecisions().order == ["--\(index)"])
        #expect(
            ConvertLocation.decisions.map(\.description) == [
                "file://AppSupport/convert-decision-store.json",
                "file://AppSupport/com.convertexperiments.sdk/convert-decision-store.json",
                "file://Caches/convert-decision-store.json", "file://tmp/convert-decision-store.json",
            ])
    }

    @Test("bucketing and conversion are told to those who listen, each only to its own, in order")
    func events() async throws {
        let store = Fixture().store
        let bucketing = await store.on(.bucketing), conversion = await store.on(.conversion)
        let visitor = Self.visitor("a")
        try await store.saveDecision("v1", for: "e1", of: visitor)
        try await store.markGoal("g", of: visitor)
        try await store.markGoal("g", of: visitor)
        try await store.saveDecision("v2", for: "e2", of: visitor)
        try await store.markGoal("h", of: visitor)
        var first: [ConvertEvent] = [], second: [ConvertEvent] = []
        for await event in bucketing.prefix(2) { first.append(event) }
        for await event in conversion.prefix(2) { second.append(event) }
        #expect(
            first == [
                .bucketing(experienceID: "e1", variationID: "v1", visitorID: "a"),
                .bucketing(experienceID: "e2", variationID: "v2", visitorID: "a"),
            ])
        #expect(
            second == [.conversion(goalID: "g", visitorID: "a"), .conversion(goalID: "h", visitorID: "a")],
            "the second time a goal is reached is no event")
    }

    @Test("decisions that could not be read are asked for again, and what was locked is not written over")
    func lockedOnce() async throws {
        let stores = LockableStores(
            base: ConvertFixture.file(ConvertFixture.decisionFile, Self.lockedFile).stores.memory)
        let store = ConvertStore(stores: stores, bundleIdentifier: ConvertFixture.bundle) { ConvertFixture.fresh }
        let key = ConvertVisitorKey(accountID: "1", projectID: "2", visitorID: "v")
        #expect(await store.decision(for: "e", of: key) == nil)
        await #expect(throws: StepStop.self) { try await store.saveDecision("other", for: "x", of: key) }
        stores.unlock()
        #expect(await store.decision(for: "e", of: key) == "kept")
        try await store.saveDecision("other", for: "x", of: key)
        #expect(await store.decision(for: "e", of: key) == "kept")
    }

    private static let lockedFile = #"{"store":{"1-2-v":{"bucketing":{"e":"kept"}}},"order":["1-2-v"]}"#
}

/// Stores whose files are locked until they are unlocked.
private struct LockableStores: StoreWriter {
    var base: MemoryStores
    private let isLocked = Lock()

    init(base: MemoryStores) { self.base = base }

    private final class Lock: Sendable {
        let value = Mutex(true)
    }

    func unlock() { isLocked.value.withLock { $0 = false } }

    var stores: [StoreID] { base.stores }
    func problem(with store: StoreID) -> Unreadable? { nil }
    func keys(in store: StoreID) -> any KeyList { base.keys(in: store) }
    func state(of key: Name, in store: StoreID) -> EntryState {
        let state = base.state(of: key, in: store)
        return state != .absent && isLocked.value.withLock(\.self)
            ? .unreadable(Unreadable(.locked, "it is locked")) : state
    }
    mutating func commit(_ changes: [Change]) { base.commit(changes) }
}
