import Foundation
import MigrationEngine
import StoreFormats

/// A spec tried on what one of its expectations gives: planned, applied, compared, and taken back.
package struct SpecTrial: Sendable {
    /// What is not as expected, a sentence each; none where all is.
    package private(set) var failures: [String] = []

    /// Tries an expectation.
    package init(_ expectation: SpecExpectation, of spec: Spec) {
        let migration = SpecMigration(spec)
        do {
            try run(expectation, spec, migration)
        } catch {
            failures.append("\(error)")
        }
    }

    private static let stamp = LedgerEntry.Stamp(date: Date(timeIntervalSince1970: 0), author: "", toolVersion: "")

    private mutating func run(_ expectation: SpecExpectation, _ spec: Spec, _ migration: SpecMigration) throws {
        var facts = Facts([.bundleIdentifier: Fact("com.example.app", from: "the trial")])
        for (name, value) in expectation.facts { facts[name] = Fact(value, from: "the expectation") }
        let profile = try migration.profile(named: expectation.profile)
        // What is given may name facts that only what is given tells: so twice.
        var stores = MemoryStores()
        for _ in 0..<2 {
            let known = SpecFacts(definitions: spec.facts, facts: migration.factsKnown(in: stores, given: facts))
            stores = MemoryStores()
            for (address, value) in expectation.given {
                guard let entry = try? address.templates[0].pattern(known).address, let key = entry.key else {
                    continue
                }
                stores[entry.store, default: Members()][key] = value.stored(in: entry)
            }
        }
        let known = SpecFacts(definitions: spec.facts, facts: migration.factsKnown(in: stores, given: facts))
        var session = try MigrationSession(stores: stores, ledger: MemoryLedger())
        let plan = session.plan(migration, profile: profile, facts: facts)
        for (id, outcome) in expectation.outcomes {
            guard let step = plan.steps.first(where: { $0.id == id }) else {
                failures.append("the profile \(profile.id) has no step \(id)")
                continue
            }
            if step.outcome.kind != outcome {
                let why = step.outcome.reason.map { ": \($0.sentence)" } ?? ""
                failures.append("\(id): \(outcome.rawValue) is expected, and it is \(step.outcome.kind.rawValue)\(why)")
            }
        }
        try session.apply(.all, of: migration, profile: profile, facts: facts, stamp: Self.stamp)
        for (address, expected) in expectation.gives {
            let address = try address.templates[0].pattern(known).address.readable
            let found = session.overlay.state(at: address).value?.held(in: address)
            let isAsExpected =
                switch (found, expected) {
                case (nil, nil): true
                case (let found?, let expected?): found.isSame(as: expected, in: address)
                default: false
                }
            if !isAsExpected {
                failures.append(
                    "\(address): \(expected?.jsonText ?? "nothing") is expected, and there is \(found?.phrase ?? "nothing")"
                )
            }
        }
        let after = session.overlay
        try session.rollback(.all, stamp: Self.stamp)
        for store in Set(after.stores + stores.stores) {
            for key in Set(after.keys(in: store).names + stores.keys(in: store).names)
            where session.overlay.state(of: key, in: store) != stores.state(of: key, in: store) {
                failures.append("\(Address(store: store, key: key)) is not as before after it was rolled back")
            }
        }
        for id in plan.pending.map(\.id) {
            try session.apply(.steps([id]), of: migration, profile: profile, facts: facts, stamp: Self.stamp)
        }
        for store in after.stores {
            for key in after.keys(in: store).names
            where session.overlay.state(of: key, in: store) != after.state(of: key, in: store) {
                failures.append("\(Address(store: store, key: key)) differs where the steps are applied one by one")
            }
        }
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

    /// The value for a sentence; data as its text where it is one.
    fileprivate var phrase: String {
        data.flatMap { String(validating: $0, as: UTF8.self) }.map { "“\($0)”" } ?? jsonText
    }
}

extension MemoryStores {
    fileprivate subscript(store: StoreID, default members: Members) -> Members {
        get { self[store] ?? members }
        set { self[store] = newValue }
    }
}
