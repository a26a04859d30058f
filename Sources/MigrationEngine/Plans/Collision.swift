/// An entry that two migrations would each make something else of.
public struct Collision: Hashable, Sendable {
    /// The entry.
    public let address: Address
    /// The names of the migrations, in the order of their plans.
    public let migrations: [String]
}

extension Plan {
    /// The entries that several plans of one dump would leave in different states, in the order of the first plan's steps.
    public static func collisions(among plans: [Plan]) -> [Collision] {
        let results = plans.map { plan in
            // Of several changes of an entry the last one counts.
            Dictionary(plan.pending.flatMap(\.changes).map { ($0.address, $0.after) }, uniquingKeysWith: { $1 })
        }
        var seen: Set<Address> = []
        return plans.flatMap { $0.pending.flatMap(\.changes) }.compactMap { change in
            let touching = plans.indices.filter { results[$0].keys.contains(change.address) }
            guard touching.count > 1, Set(touching.map { results[$0][change.address] }).count > 1,
                seen.insert(change.address).inserted
            else { return nil }
            return Collision(address: change.address, migrations: touching.map { plans[$0].migration })
        }
    }
}
