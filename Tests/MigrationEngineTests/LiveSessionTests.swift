import MigrationEngine
import StoreFormats
import Synchronization
import Testing

@Suite("A session on live stores")
struct LiveSessionTests {
    private let facts = Facts(["greeting": Fact("hello", from: "test")])
    private let migration = SampleMigration()
    private var profile: Profile { migration.profiles[0] }

    private static let start = MemoryStores([
        (SampleMigration.old, ["name": .string("Peter"), "other": .integer(1)])
    ])

    private func contents(_ stores: any StoreReader) -> [Address: Value] {
        var contents: [Address: Value] = [:]
        for store in stores.stores {
            let keys = stores.keys(in: store)
            for position in 0..<keys.count {
                let key = keys.key(at: position)
                contents[Address(store: store, key: key)] = stores.state(of: key, in: store).value
            }
        }
        return contents
    }

    private func open(_ disk: Disk) throws -> LiveSession<DiskStores, DiskLedger> {
        try LiveSession(stores: DiskStores(disk: disk), ledger: DiskLedger(disk: disk))
    }

    private func apply(_ session: inout LiveSession<DiskStores, DiskLedger>) throws {
        try session.apply(session.plan(migration, profile: profile, facts: facts), stamp: .test)
    }

    @Test("what is applied is what the plan shows, and what a session on a dump shows; taken back it is what was there")
    func laws() throws {
        let disk = Disk(Self.start)
        var session = try open(disk)
        let plan = try session.plan(migration, profile: profile, facts: facts)
        var dump = try MigrationSession(stores: Self.start, ledger: MemoryLedger())
        try dump.apply(.all, of: migration, profile: profile, facts: facts, stamp: .test)
        let entries = try session.apply(plan, stamp: .test)
        #expect(entries == dump.history.entries)
        #expect(contents(session.stores) == contents(dump.overlay))
        let again = try session.plan(migration, profile: profile, facts: facts)
        #expect(again.summary == [.unchanged: 3] && again.steps.allSatisfy { $0.status == .applied })
        #expect(try session.apply(again, stamp: .test).isEmpty)
        try session.rollback(.step("name"), stamp: .test)
        #expect(session.history.standing.map(\.step) == ["name"])
        try session.rollback(.all, stamp: .test)
        #expect(contents(session.stores) == contents(Self.start))
    }

    @Test("one step can be chosen")
    func chosen() throws {
        var session = try open(Disk(Self.start))
        let next = try session.plan(migration, profile: profile, facts: facts, selecting: .next)
        #expect(try session.apply(next, stamp: .test).map(\.step) == ["name"])
        let named = try session.plan(migration, profile: profile, facts: facts, selecting: .steps(["greeting"]))
        #expect(try session.apply(named, stamp: .test).map(\.step) == ["greeting"])
    }

    @Test("killed at any moment, opening it again leaves what the ledger says: everything, or nothing")
    func kills() throws {
        let disk = Disk(Self.start)
        var session = try open(disk)
        try apply(&session)
        let applied = contents(session.stores)
        try session.rollback(.all, stamp: .test)
        let moments = disk.moments
        #expect(moments.count > 10)
        for (number, moment) in moments.enumerated() {
            let found = Disk(moment.stores, moment.ledger)
            var reopened = try open(found)
            // Each moment between the appending of entries and their settling is finished.
            var expected = Overlay(Self.start)
            for entry in reopened.history.standing { entry.changes.forEach { expected.apply($0) } }
            #expect(contents(reopened.stores) == contents(expected), "moment \(number)")
            #expect(reopened.ledger.settled() == reopened.history.entries.last?.number ?? 0)
            try apply(&reopened)
            #expect(contents(reopened.stores) == applied, "moment \(number)")
        }
    }

    @Test("what the app wrote since is seen, and is not overwritten by taking a step back")
    func changedSince() throws {
        let disk = Disk(Self.start)
        var session = try open(disk)
        try apply(&session)
        let alias = Address(store: SampleMigration.new, key: "alias")
        disk.edit { $0[alias.store]?["alias"] = .string("Paul") }
        #expect(try session.plan(migration, profile: profile, facts: facts).step("name")?.outcome.kind != .unchanged)
        let before = session.history.entries.count
        let error = #expect(throws: LiveSessionError.self) { try session.rollback(.all, stamp: .test) }
        #expect(error?.description.contains("\(alias)") == true)
        #expect(session.history.entries.count == before)
        #expect(session.stores.state(at: alias) == .present(.string("Paul")))
    }

    @Test(
        "what the app wrote between a kill and the next opening stays, and what was interrupted is done or given up whole"
    )
    func rewrittenAfterKill() throws {
        let disk = Disk(Self.start)
        var session = try open(disk)
        try apply(&session)
        let applied = contents(session.stores)
        try session.rollback(.all, stamp: .test)
        let alias = Address(store: SampleMigration.new, key: "alias")
        var ends: Set<Int> = []
        // Killed once more while it is given up, it comes to the same.
        func check(_ moment: (stores: MemoryStores, ledger: MemoryLedger), again: Bool) throws {
            let found = Disk(moment.stores, moment.ledger)
            let isSettled = moment.ledger.settled() == moment.ledger.entries().last?.number ?? 0
            found.edit { stores in
                var members = stores[alias.store] ?? [:]
                members["alias"] = .string("Paul")
                stores[alias.store] = members
            }
            // Where it is all that a step would have changed, nothing tells.
            var reopened = try LiveSession(
                stores: DiskStores(disk: found), ledger: DiskLedger(disk: found), taking: .neverMade)
            #expect(reopened.ledger.settled() == reopened.history.entries.last?.number ?? 0)
            #expect(reopened.stores.state(at: alias) == .present(.string("Paul")))
            if !isSettled {
                let standing = reopened.history.standing.count
                ends.insert(standing)
                var expected = Overlay(Self.start)
                for entry in reopened.history.standing { entry.changes.forEach { expected.apply($0) } }
                expected.set("alias", in: alias.store, to: .present(.string("Paul")))
                #expect(contents(reopened.stores) == contents(expected))
            }
            if again { for moment in found.moments { try check(moment, again: false) } }
            // It goes on from there.
            _ = try reopened.apply(reopened.plan(migration, profile: profile, facts: facts), stamp: .test)
        }
        for moment in disk.moments { try check(moment, again: true) }
        #expect(ends.contains(0) && ends.contains(3), "some were given up, and some had been done")
        #expect(applied.count > 2)
    }

    @Test(
        "where the app has written over all of it after a kill, nothing tells whether it was done, and a person decides"
    )
    func undecided() throws {
        let disk = Disk(Self.start), alias = Address(store: SampleMigration.new, key: "alias")
        var session = try open(disk)
        let step = Step(id: "alias", title: "Alias", sources: [], target: alias, rule: "set") {
            (transaction, _) throws(StepStop) in try transaction.write(.string("Peter"), to: alias, rule: "set")
        }
        #expect(try session.take(step, of: "m", stamp: .test).kind == .migrates)
        let unsettled = disk.moments.filter { $0.ledger.settled() < $0.ledger.entries().count }
        // It was committed in the last of them, and not in the first.
        #expect(unsettled.count > 1)
        for moment in unsettled {
            func found() -> Disk {
                let disk = Disk(moment.stores, moment.ledger)
                disk.edit { $0[alias.store] = ["alias": .string("Paul")] }
                return disk
            }
            let error = #expect(throws: LiveSessionError.self) { try open(found()) }
            #expect(error?.description.contains("\(alias)") == true)
            for (decision, standing) in [(LiveSession<DiskStores, DiskLedger>.Overwritten.made, 1), (.neverMade, 0)] {
                let disk = found()
                let stores = DiskStores(disk: disk), ledger = DiskLedger(disk: disk)
                let opened = try LiveSession(stores: stores, ledger: ledger, taking: decision)
                #expect(opened.history.standing.count == standing)
                #expect(opened.stores.state(at: alias) == .present(.string("Paul")))
                #expect(opened.ledger.settled() == opened.history.entries.last?.number)
                _ = try open(disk)
            }
        }
    }

    @Test("a roll-back that the stores refuse leaves the steps standing")
    func refusedRollback() throws {
        let disk = Disk(Self.start)
        var session = try open(disk)
        try apply(&session)
        let applied = contents(session.stores)
        disk.fail(.refuses)
        #expect(throws: Disk.Refusal.self) { try session.rollback(.all, stamp: .test) }
        #expect(contents(session.stores) == applied)
        #expect(session.history.standing.map(\.step).count == 3)
        disk.fail(.none)
        try session.rollback(.all, stamp: .test)
        #expect(contents(session.stores) == contents(Self.start))
    }

    @Test("a plan of stores that have changed since is refused, and the ledger has nothing of it")
    func stalePlan() throws {
        let disk = Disk(Self.start)
        var session = try open(disk)
        let plan = try session.plan(migration, profile: profile, facts: facts)
        disk.edit { $0[SampleMigration.new] = ["alias": .string("Paul")] }
        #expect(throws: LiveSessionError.self) { try session.apply(plan, stamp: .test) }
        #expect(session.history.entries.isEmpty)
        #expect(contents(session.stores).count == 3)
    }

    @Test("where the stores refuse, nothing has changed, the ledger says so, and it can be tried again")
    func refused() throws {
        let disk = Disk(Self.start)
        var session = try open(disk)
        disk.fail(.refuses)
        #expect(throws: Disk.Refusal.self) { try apply(&session) }
        #expect(contents(session.stores) == contents(Self.start))
        #expect(session.history.standing.isEmpty && session.history.entries.count == 6)
        disk.fail(.none)
        try apply(&session)
        #expect(session.history.standing.count == 3)
    }

    @Test("stores that broke their promise and changed a part get the old values back")
    func torn() throws {
        let disk = Disk(Self.start)
        var session = try open(disk)
        disk.fail(.tearsOnce)
        #expect(throws: Disk.Refusal.self) { try apply(&session) }
        #expect(contents(session.stores) == contents(Self.start))
        disk.fail(.tears)
        let error = #expect(throws: LiveSessionError.self) { try apply(&session) }
        guard case .torn? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        // What could not be put back is finished, as the ledger has it.
        disk.fail(.none)
        var reopened = try open(disk)
        #expect(reopened.history.standing.count == 3)
        try reopened.rollback(.all, stamp: .test)
        #expect(contents(reopened.stores) == contents(Self.start))
    }

    @Test("where the ledger refuses, the steps before that stand, in the stores too")
    func ledgerRefuses() throws {
        let disk = Disk(Self.start)
        var session = try open(disk)
        disk.refuseEntries(from: 2)
        #expect(throws: Disk.Refusal.self) { try apply(&session) }
        #expect(session.history.standing.map(\.step) == ["name"])
        #expect(session.stores[SampleMigration.new] == ["alias": .string("Peter")])
    }

    @Test("where stores may be there that are not listed, nothing is planned")
    func unlisted() throws {
        let disk = Disk(Self.start)
        disk.hide(Unreadable(.inaccessible, "cannot list"))
        let session = try open(disk)
        #expect(throws: Unreadable.self) { try session.plan(migration, profile: profile, facts: facts) }
    }
}

extension Plan {
    fileprivate func step(_ id: String) -> PlannedStep? { steps.first { $0.id == id } }
}

/// Stores and a ledger that remember every state in which they could be found after a kill.
private final class Disk: Sendable {
    struct Refusal: Error {}
    enum Failure { case none, refuses, tearsOnce, tears }

    private struct State {
        var stores: MemoryStores
        var ledger: MemoryLedger
        var moments: [(stores: MemoryStores, ledger: MemoryLedger)] = []
        var failure = Failure.none
        var refusedEntry: Int?
        var problem: Unreadable?

        mutating func note() { moments.append((stores, ledger)) }
    }

    private let state: Mutex<State>

    init(_ stores: MemoryStores, _ ledger: MemoryLedger = MemoryLedger()) {
        var start = State(stores: stores, ledger: ledger)
        start.note()
        state = Mutex(start)
    }

    var moments: [(stores: MemoryStores, ledger: MemoryLedger)] { state.withLock { $0.moments } }
    var stores: MemoryStores { state.withLock { $0.stores } }
    var ledger: MemoryLedger { state.withLock { $0.ledger } }
    var problem: Unreadable? { state.withLock { $0.problem } }

    func fail(_ failure: Failure) { state.withLock { $0.failure = failure } }
    func refuseEntries(from number: Int) { state.withLock { $0.refusedEntry = number } }
    func hide(_ problem: Unreadable) { state.withLock { $0.problem = problem } }
    func edit(_ body: @Sendable (inout MemoryStores) -> Void) { state.withLock { body(&$0.stores) } }

    func commit(_ changes: [Change]) throws {
        try state.withLock { state in
            switch state.failure {
            case .none: state.stores.commit(changes)
            case .refuses: throw Refusal()
            case .tearsOnce, .tears:
                if state.failure == .tearsOnce { state.failure = .none }
                // Half of the changes; where these put something back, none.
                let isFirst = changes.contains { !$0.rule.hasPrefix("takes back") }
                if isFirst { state.stores.commit(Array(changes.prefix(1))) }
                throw Refusal()
            }
            state.note()
        }
    }

    func append(_ entry: LedgerEntry) throws {
        try state.withLock { state in
            if let first = state.refusedEntry, entry.number >= first { throw Refusal() }
            state.ledger.append(entry)
            // A kill before the entry is settled.
            state.note()
        }
    }

    func settle(_ number: Int) {
        state.withLock { state in
            state.ledger.settle(number)
            state.note()
        }
    }
}

private struct DiskStores: StoreWriter {
    let disk: Disk

    subscript(store: StoreID) -> Members? { disk.stores[store] }
    var stores: [StoreID] { disk.stores.stores }
    var problem: Unreadable? { disk.problem }
    func problem(with store: StoreID) -> Unreadable? { nil }
    func keys(in store: StoreID) -> any KeyList { disk.stores.keys(in: store) }
    func state(of key: Name, in store: StoreID) -> EntryState { disk.stores.state(of: key, in: store) }
    func commit(_ changes: [Change]) throws { try disk.commit(changes) }
}

private struct DiskLedger: LiveLedger {
    let disk: Disk

    func entries() -> [LedgerEntry] { disk.ledger.entries() }
    func append(_ entry: LedgerEntry) throws { try disk.append(entry) }
    func settled() -> Int { disk.ledger.settled() }
    func settle(_ number: Int) { disk.settle(number) }
}
