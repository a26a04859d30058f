import Foundation
import MigrationEngine
import StoreFormats

/// A spec tried on what one of its expectations gives: planned, applied, compared, and taken back.
package struct SpecTrial: Sendable {
    /// Something that is not as expected.
    package struct Failure: Sendable {
        /// What it is; values are quoted.
        package var sentence: String
        /// Where the values are that it quotes: what these, or what they were made from, say is secret is not for everybody.
        package var places: [Address] = []
    }

    /// What is not as expected; nothing where all is.
    package private(set) var failures: [Failure] = []
    /// What was planned to come of it; `nil` where nothing could be.
    package private(set) var plan: Plan?
    /// What it was tried on: the dump that it names, or what it gives.
    package private(set) var stores: any StoreReader = MemoryStores()

    /// Tries an expectation.
    ///
    /// - Parameters:
    ///   - fixture: The stores of the dump that it names, and the facts of that.
    package init(_ expectation: SpecExpectation, of spec: Spec, on fixture: (any StoreReader, Facts)? = nil) {
        let migration = SpecMigration(spec)
        guard !expectation.gives.isEmpty || !expectation.outcomes.isEmpty else {
            fail("it expects nothing: say with gives or outcomes what comes of what is given")
            return
        }
        guard (expectation.fixture == nil) == (fixture == nil) else {
            fail("its fixture was not opened")
            return
        }
        do {
            try run(expectation, spec, migration, fixture)
        } catch {
            fail("\(error)")
        }
    }

    /// What an expectation gives, in memory.
    private static func given(
        _ expectation: SpecExpectation, _ spec: Spec, _ migration: SpecMigration, _ facts: Facts
    ) throws(StepStop) -> MemoryStores {
        // What is given may name facts that only what is given tells: so twice.
        var stores = MemoryStores()
        for isLast in [false, true] {
            let known = SpecFacts(definitions: spec.facts, facts: migration.factsKnown(in: stores, given: facts))
            stores = MemoryStores()
            for (address, value) in expectation.given {
                let entry: Address
                do throws(StepStop) { entry = try address.templates[0].pattern(known).address } catch {
                    if isLast { throw error }
                    continue
                }
                guard let key = entry.key else { continue }
                stores[entry.store, default: Members()][key] = value.stored(in: entry)
            }
        }
        return stores
    }

    private static let stamp = LedgerEntry.Stamp(date: Date(timeIntervalSince1970: 0), author: "", toolVersion: "")

    private mutating func run(
        _ expectation: SpecExpectation, _ spec: Spec, _ migration: SpecMigration, _ fixture: (any StoreReader, Facts)?
    ) throws {
        var facts = Facts()
        for (name, value) in expectation.facts { facts[name] = Fact(value, from: "the expectation") }
        let unnamed = Facts([.bundleIdentifier: Fact("com.example.app", from: "the trial")])
        facts = facts.completed(by: fixture?.1 ?? unnamed)
        facts.draw = FactDraw(for: Name(spec.id))
        let profile = try migration.profile(named: expectation.profile)
        let stores: any StoreReader
        if let fixture { stores = fixture.0 } else { stores = try Self.given(expectation, spec, migration, facts) }
        self.stores = stores
        let known = SpecFacts(definitions: spec.facts, facts: migration.factsKnown(in: stores, given: facts))
        var session = try MigrationSession(stores: stores, ledger: MemoryLedger())
        let plan = session.plan(migration, profile: profile, facts: facts)
        self.plan = plan
        for (id, outcome, code) in expectation.outcomes {
            guard let step = plan.steps.first(where: { $0.id == id }) else {
                fail("the profile \(profile.id) has no step \(id)")
                continue
            }
            let found = step.outcome.reason?.code
            if step.outcome.kind != outcome || code.map({ $0 != found }) ?? false {
                let why = step.outcome.reason.map { ": \($0.sentence)" } ?? ""
                // Where a reason is asked for, that which is there is told too.
                func phrase(_ kind: Outcome.Kind, _ code: String?) -> String {
                    kind.rawValue + (code.map { " (\($0))" } ?? "")
                }
                fail(
                    "\(phrase(outcome, code)) is expected of \(id), and it is "
                        + phrase(step.outcome.kind, code == nil ? nil : found) + why,
                    step.quoted + [step.step.target].compactMap(\.self))
            }
        }
        try session.apply(.all, of: migration, profile: profile, facts: facts, stamp: Self.stamp)
        for (address, expected) in expectation.gives {
            let address = try address.templates[0].pattern(known).address.readable
            let state = session.overlay.state(at: address)
            // What cannot be read is not absent.
            if case .unreadable(let reason) = state {
                fail("\(address) cannot be read: \(reason.explanation)", [address])
                continue
            }
            let found = state.value?.held(in: address)
            let isAsExpected =
                switch (found, expected) {
                case (nil, nil): true
                case (let found?, let expected?): found.isSame(as: expected, in: address)
                default: false
                }
            if !isAsExpected {
                // Alike in words, they differ in their types.
                let isAlike = expected?.quoted == found?.quoted
                func phrase(_ value: Value?) -> String {
                    guard let value else { return "nothing" }
                    return isAlike ? "\(value.quoted), \(value.typePhrase)," : value.quoted
                }
                // Why it is not there is told by the step that would have put it there.
                let steps = plan.steps.filter { step in
                    step.outcome.reason != nil
                        && (step.claims + step.left.flatMap(\.targets)).contains { $0.entry == address.entry }
                }.prefix(2)
                let why = steps.map { step in
                    "; \(step.id) \(step.outcome.kind.rawValue): \(step.outcome.reason?.sentence ?? "")"
                }
                fail(
                    "\(address): \(phrase(expected)) is expected, and there is \(phrase(found))" + why.joined(),
                    [address] + steps.flatMap(\.quoted))
            }
        }
        let after = session.overlay
        try session.rollback(.all, stamp: Self.stamp)
        for store in Set(after.stores + stores.stores) {
            for key in Set(after.keys(in: store).names + stores.keys(in: store).names)
            where session.overlay.state(of: key, in: store) != stores.state(of: key, in: store) {
                fail("\(Address(store: store, key: key)) is not as before after it was rolled back")
            }
        }
        for id in plan.pending.map(\.id) {
            try session.apply(.steps([id]), of: migration, profile: profile, facts: facts, stamp: Self.stamp)
        }
        for store in after.stores {
            for key in after.keys(in: store).names
            where session.overlay.state(of: key, in: store) != after.state(of: key, in: store) {
                fail("\(Address(store: store, key: key)) differs where the steps are applied one by one")
            }
        }
    }

    private mutating func fail(_ sentence: String, _ places: [Address] = []) {
        failures.append(Failure(sentence: sentence, places: places))
    }
}

extension Value {
    /// The value as a kind of store holds it: bytes in a file, an item in the keychain.
    fileprivate func stored(in address: Address) -> Value {
        let bytes = data ?? string.map { Data($0.utf8) }
        return switch (address.store.kind, bytes) {
        case (.file, let bytes?): .data(bytes)
        case (.keychain, let bytes?): KeychainItem(data: bytes).value
        default: self
        }
    }
}

extension MemoryStores {
    fileprivate subscript(store: StoreID, default members: Members) -> Members {
        get { self[store] ?? members }
        set { self[store] = newValue }
    }
}
