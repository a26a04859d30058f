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
    /// source of a fact is in it. Where a fact names a store or a key, its name stands in place of its value, so that the
    /// same app with another write key has the same fingerprint.
    package var fingerprint: String {
        var shape = Shape(facts)
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
    private let names: [(value: String, name: String)]

    /// The shortest value that is taken for a part of an address: a shorter one stands in many by chance.
    private static let shortest = 4

    init(_ facts: Facts) {
        let all = facts.names.compactMap { name in facts[name].map { (value: $0.value, name: name.rawValue) } }
        // The longest first: a bundle identifier may end in the name of another.
        names = all.filter { $0.value.utf8.count >= Self.shortest }.sorted {
            ($1.value.utf8.count, $0.name) < ($0.value.utf8.count, $1.name)
        }
    }

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

    private mutating func add(_ address: Address) {
        var address = address
        address.store.name = named(address.store.name)
        address.key = address.key.map(named)
        add(address.description)
    }

    /// A name with those of facts in place of their values.
    private func named(_ name: Name) -> Name {
        let held = names.filter { name.text.contains($0.value) }
        guard !held.isEmpty else { return name }
        return Name(
            held.reduce(name.text) { $0.replacingOccurrences(of: $1.value, with: "‹\($1.name)›", options: .literal) })
    }

    var digits: String { String(SHA256Digest.hexadecimal(of: bytes).prefix(16)) }
}
