import MigrationEngine
import StoreFormats

/// An address of a spec: in a store that it names, or in one that an alias stands for.
///
/// An alias may have several places; the first that is there counts, for all addresses of the alias alike.
struct SpecAddress: Hashable, Sendable {
    /// The alias, where there is one.
    let alias: String?
    /// The address in each place of the alias; one where there is no alias.
    let templates: [AddressTemplate]
    /// As the spec writes it.
    let text: String
    /// How many `*` it has.
    let stars: Int

    init(alias: String?, templates: [AddressTemplate], text: String) {
        (self.alias, self.templates, self.text) = (alias, templates, text)
        stars = templates.map(\.stars).max() ?? 0
    }

    var facts: [FactName] { templates.flatMap(\.facts).uniqued }

    /// Whether it may be in the keychain.
    var isInKeychain: Bool {
        templates.contains { template in
            if case .text(let text)? = template.pieces.first { text.hasPrefix("keychain://") } else { false }
        }
    }
}

/// Which place of each alias counts for a step: the first that was there before the migration's first step.
///
/// One that cannot be read counts too: it may be there. Only the aliases that are asked for are looked at, so that a step rests
/// on no other.
struct ChosenPlaces {
    private let stores: [String: [AddressTemplate]]
    private let origin: any StoreReader
    private let facts: SpecFacts
    private var chosen: [String: Int] = [:]

    init(_ stores: [String: [AddressTemplate]], in origin: any StoreReader, facts: SpecFacts) {
        (self.stores, self.origin, self.facts) = (stores, origin, facts)
    }

    mutating func template(of address: SpecAddress) -> AddressTemplate {
        guard let alias = address.alias, address.templates.count > 1 else { return address.templates[0] }
        if let known = chosen[alias] { return address.templates[known] }
        let first = stores[alias]?.firstIndex(where: isThere) ?? 0
        chosen[alias] = first
        return address.templates[first]
    }

    private func isThere(_ place: AddressTemplate) -> Bool {
        guard let address = try? place.pattern(facts).address else { return false }
        if address.key != nil { return origin.state(at: address.entry) != .absent }
        return origin.contains(address.store) || origin.problem(with: address.store) != nil
    }
}
