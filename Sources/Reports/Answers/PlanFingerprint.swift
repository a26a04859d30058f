import Foundation
import MigrationEngine
import StoreFormats
import Workspace

extension Plan {
    /// The shape of the plan without its values, as 16 hexadecimal digits: two dumps whose plans have the same one would
    /// meet the same fate.
    ///
    /// The first 64 bits of a SHA-256 digest over the migration, the profile, and of each step in order: its name, its
    /// outcome, the code of its reason and the facts that it lacks; of each change, and of what is in conflict: the action,
    /// the effect, the address, where it is from, what of that is dropped and what is a placeholder. No value, sentence or
    /// source of a fact is in it. Where a fact names a store of the migration, or a source or target of one of its steps, its
    /// name stands in place of its value, so that the same app with another write key has the same fingerprint.
    package func fingerprint(of source: any Migration) -> String {
        var shape = Shape(FactNames(source, profile, facts))
        shape.add(migration)
        shape.add(profile.id)
        shape.add(all: steps) { shape, step in
            shape.add(step.id)
            shape.add(step.outcome.kind.rawValue)
            shape.add(step.outcome.reason?.code ?? "")
            shape.add(all: step.outcome.reason?.missingFacts ?? []) { $0.add($1.rawValue) }
            shape.add(all: step.changes) { $0.add($1) }
            shape.add(all: [step.conflict].compactMap(\.self)) { $0.add($1) }
        }
        return shape.digits
    }
}

/// What a fingerprint is made of, each text after its length, so that no two shapes are written alike.
private struct Shape {
    private var bytes = Data()
    private let names: FactNames

    init(_ names: FactNames) { self.names = names }

    mutating func add(_ text: String) { bytes += "\(text.utf8.count):\(text)".utf8 }

    mutating func add<Element>(all elements: [Element], _ body: (inout Shape, Element) -> Void) {
        add("\(elements.count)")
        for element in elements { body(&self, element) }
    }

    mutating func add(_ change: Change) {
        add(change.action.rawValue)
        add(change.effect.rawValue)
        add(change.address)
        add(all: change.from) { $0.add($1) }
        add(all: change.dropped) { $0.add($1) }
        add(all: change.placeholders) { $0.add($1.description) }
    }

    private mutating func add(_ address: Address) { add(names.named(address).description) }

    var digits: String { String(SHA256Digest.hexadecimal(of: bytes).prefix(16)) }
}

/// What stores and entries are called in the shape of a plan: where a fact names them, by the name of the fact.
///
/// The migration itself says which: it is asked for its stores and steps with the facts, and with their names in place of
/// their values. A value that stands in another name by chance is no name.
private struct FactNames {
    private var stores: [StoreID: StoreID] = [:]
    private var entries: [Address: Address] = [:]

    init(_ migration: any Migration, _ profile: Profile, _ facts: Facts) {
        var named = facts
        let forms = Dictionary(migration.facts.map { ($0.name, $0.form) }, uniquingKeysWith: { first, _ in first })
        // A number, a time or a UUID must go on being one.
        for name in facts.names where [.text, .name].contains(forms[name] ?? .text) { named[name]?.value = "‹\(name)›" }
        let sides = (migration.sides(facts: facts), migration.sides(facts: named))
        add(sides.0.legacy, sides.1.legacy)
        add(sides.0.migrated, sides.1.migrated)
        let steps = (migration.steps(profile: profile, facts: facts), migration.steps(profile: profile, facts: named))
        guard steps.0.map(\.id) == steps.1.map(\.id) else { return }
        for (step, named) in zip(steps.0, steps.1) {
            let both = [step, named].map { $0.sources + [$0.target].compactMap(\.self) }
            guard both[0].count == both[1].count else { continue }
            add(both[0].map(\.store), both[1].map(\.store))
            for (address, named) in zip(both[0], both[1]) where entries[address.entry] == nil {
                entries[address.entry] = named.entry
            }
        }
    }

    private mutating func add(_ own: [StoreID], _ named: [StoreID]) {
        guard own.count == named.count else { return }
        for (store, named) in zip(own, named) where stores[store] == nil { stores[store] = named }
    }

    func named(_ address: Address) -> Address {
        var result = entries[address.entry] ?? address.entry
        if entries[address.entry] == nil { result.store = stores[address.store] ?? address.store }
        result.pointer = address.pointer
        return result
    }
}
