import MigrationEngine
import StoreFormats
import Testing

@Suite("The laws of a session")
struct SessionLawTests {
    private let stores = MemoryStores([(SampleMigration.old, ["name": .string("Peter"), "other": .integer(1)])])
    private let facts = Facts(["greeting": Fact("hello", from: "test")])
    private let migration = SampleMigration()

    private func session() throws -> MigrationSession<MemoryLedger> {
        try MigrationSession(stores: stores, ledger: MemoryLedger())
    }

    private func contents(_ stores: any StoreReader) -> [String: EntryState] {
        var contents: [String: EntryState] = [:]
        for store in stores.stores {
            let keys = stores.keys(in: store)
            for position in 0..<keys.count {
                let key = keys.key(at: position)
                contents["\(Address(store: store, key: key))"] = stores.state(of: key, in: store)
            }
        }
        return contents
    }

    @Test("what is applied is what the plan shows")
    func previewIsApplied() throws {
        var session = try session()
        let planned = session.plan(migration, profile: migration.profiles[0], facts: facts).steps.flatMap(\.changes)
        let applied = try session.apply(
            .all, of: migration, profile: migration.profiles[0], facts: facts, stamp: .test)
        #expect(applied.compactMap(\.entry).flatMap(\.changes) == planned)
        #expect(planned.count == 3)
    }

    @Test("applying all and rolling all back leaves what was there")
    func rollbackIsExact() throws {
        var session = try session()
        let before = contents(session.overlay)
        try session.apply(.all, of: migration, profile: migration.profiles[0], facts: facts, stamp: .test)
        #expect(contents(session.overlay) != before)
        try session.rollback(.all, stamp: .test)
        #expect(contents(session.overlay) == before)
        #expect(session.overlay.editedStores.isEmpty, "no edit is left either")
        #expect(session.overlay.stores == stores.stores)
    }

    @Test("applying again changes nothing")
    func idempotent() throws {
        var session = try session()
        try session.apply(.all, of: migration, profile: migration.profiles[0], facts: facts, stamp: .test)
        let plan = session.plan(migration, profile: migration.profiles[0], facts: facts)
        #expect(plan.summary == [.unchanged: 3])
        #expect(plan.steps.allSatisfy { $0.status == .applied })
        let again = try session.apply(
            .all, of: migration, profile: migration.profiles[0], facts: facts, stamp: .test)
        #expect(again.allSatisfy { $0.entry == nil })
    }

    @Test("one step after the other comes to the same as all at once")
    func stepwise() throws {
        var all = try session(), single = try session()
        try all.apply(.all, of: migration, profile: migration.profiles[0], facts: facts, stamp: .test)
        for _ in 0..<3 {
            let taken = try single.apply(
                .next, of: migration, profile: migration.profiles[0], facts: facts, stamp: .test)
            #expect(taken.count == 1)
        }
        #expect(contents(all.overlay) == contents(single.overlay))
        #expect(
            try single.apply(
                .next, of: migration, profile: migration.profiles[0], facts: facts, stamp: .test
            ).isEmpty)
    }

    @Test("a step that removes what others read waits for them, but only where it is taken alone")
    func followsAll() throws {
        var session = try session()
        let alone = try session.apply(
            .steps(["clean-up"]), of: migration, profile: migration.profiles[0], facts: facts, stamp: .test)
        #expect(alone.map(\.outcome.kind) == [.blocked])
        #expect(alone.first?.outcome.reason?.code == "earlier-steps-first")
        #expect(session.history.entries.isEmpty)
        let plan = session.plan(migration, profile: migration.profiles[0], facts: facts)
        #expect(plan.steps.last?.outcome.kind == .migrates)
    }

    @Test("what a step would take away is its own also while it waits for others")
    func claimsOfWaiting() throws {
        let extra = Address(store: SampleMigration.old, key: "extra")
        let wide = Step(id: "wide", title: "Wide", sources: [], rule: "all goes", followsAll: true) { transaction, _ in
            transaction.remove(extra, rule: "all goes")
        }
        var stores = MemoryStores()
        stores[SampleMigration.old] = ["name": .string("Jane"), "extra": .integer(1), "other": .integer(2)]
        let session = try MigrationSession(stores: stores, ledger: MemoryLedger())
        let migration = WideSample(last: wide)
        for facts in [Facts(), Facts(["greeting": Fact("hello", from: "a test")])] {
            let plan = session.plan(migration, profile: migration.profiles[0], facts: facts)
            #expect(plan.steps.last?.outcome.kind == (facts["greeting"] == nil ? .blocked : .migrates))
            #expect(plan.untouched == 1)
        }
    }

    /// The sample with another last step.
    private struct WideSample: Migration {
        let last: Step
        private let base = SampleMigration()
        var id: String { base.id }
        var title: String { base.title }
        var summary: String { base.summary }
        var profiles: [Profile] { base.profiles }
        var facts: [FactDefinition] { base.facts }

        init(last: Step) { self.last = last }

        func applies(to stores: any StoreReader, facts: Facts) -> Bool { base.applies(to: stores, facts: facts) }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { base.sides(facts: facts) }
        func steps(profile: Profile, facts: Facts) -> [Step] {
            base.steps(profile: profile, facts: facts).dropLast() + [last]
        }
    }

    @Test("rolling back to a step keeps that step and those before it")
    func rollbackTo() throws {
        var session = try session()
        try session.apply(.all, of: migration, profile: migration.profiles[0], facts: facts, stamp: .test)
        let entries = try session.rollback(.step("name"), stamp: .test)
        #expect(entries.map(\.step) == ["clean-up", "greeting"])
        #expect(session.history.standing.map(\.step) == ["name"])
        let plan = session.plan(migration, profile: migration.profiles[0], facts: facts)
        #expect(plan.steps.map(\.status) == [.applied, .rolledBack, .rolledBack])
        #expect(throws: RollbackError.notApplied("greeting")) { try session.rollback(.step("greeting"), stamp: .test) }
    }

    @Test("rolling back nothing does nothing")
    func rollbackNothing() throws {
        var session = try session()
        #expect(try session.rollback(.last, stamp: .test).isEmpty)
        #expect(try session.rollback(.all, stamp: .test).isEmpty)
    }

    @Test("a missing fact blocks its step, and the step that removes what the others read")
    func missingFact() throws {
        let plan = try session().plan(migration, profile: migration.profiles[0], facts: Facts())
        #expect(plan.steps.map(\.outcome.kind) == [.migrates, .blocked, .blocked])
        #expect(plan.steps[1].outcome.reason?.missingFacts == ["greeting"])
    }

    @Test("a ledger that is read again gives the same view")
    func reopened() throws {
        var first = try session()
        try first.apply(.all, of: migration, profile: migration.profiles[0], facts: facts, stamp: .test)
        try first.rollback(.last, stamp: .test)
        let second = try MigrationSession(stores: stores, ledger: MemoryLedger(first.history.entries))
        #expect(contents(second.overlay) == contents(first.overlay))
    }

    @Test("an entry that could not be read cannot be read after a step that removed it was taken back")
    func unreadableBack() throws {
        let reason = Unreadable(.corrupt, "damaged")
        let stores = DamagedStores(
            base: stores, address: Address(store: SampleMigration.old, key: "name"), reason: reason)
        let removal = Removal()
        var session = try MigrationSession(stores: stores, ledger: MemoryLedger())
        func plan() -> [Outcome.Kind] {
            session.plan(removal, profile: removal.profiles[0], facts: facts).steps.map(\.outcome.kind)
        }
        let before = plan()
        try session.apply(.all, of: removal, profile: removal.profiles[0], facts: facts, stamp: .test)
        try session.rollback(.all, stamp: .test)
        #expect(session.overlay.state(at: stores.address) == .unreadable(reason))
        let planned = plan()
        #expect(planned == before)
        let applied = try session.apply(.all, of: removal, profile: removal.profiles[0], facts: facts, stamp: .test)
        #expect(applied.map(\.outcome.kind) == planned)
    }
}

/// Stores of which one entry is damaged.
private struct DamagedStores: StoreReader {
    let base: MemoryStores
    let address: Address
    let reason: Unreadable

    var stores: [StoreID] { base.stores }
    func problem(with store: StoreID) -> Unreadable? { nil }
    func keys(in store: StoreID) -> any KeyList { base.keys(in: store) }
    func state(of key: Name, in store: StoreID) -> EntryState {
        Address(store: store, key: key) == address ? .unreadable(reason) : base.state(of: key, in: store)
    }
}

/// Reads a name, and removes it.
private struct Removal: Migration {
    let id = "removal", title = "Removal", summary = "Removes a name."
    let profiles = [Profile(id: "only", summary: "the only one")]
    let facts: [FactDefinition] = []

    func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
    func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([SampleMigration.old], []) }

    func steps(profile: Profile, facts: Facts) -> [Step] {
        let name = Address(store: SampleMigration.old, key: "name")
        return [
            Step(id: "read", title: "Read", sources: [name], rule: "reads") { transaction, _ throws(StepStop) in
                switch transaction.read(name) {
                case .absent: throw .skipped("absent", "there is none")
                case .unreadable(let reason): throw .unreadable(name, reason)
                case .present: break
                }
            },
            Step(id: "remove", title: "Remove", sources: [name], rule: "removes") { transaction, _ in
                transaction.remove(name, rule: "removes")
            },
        ]
    }
}
