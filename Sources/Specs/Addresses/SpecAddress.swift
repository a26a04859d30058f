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

    var facts: [FactName] { templates.flatMap(\.facts).uniqued }
    var stars: Int { templates.map(\.stars).max() ?? 0 }
}

/// Which place of each alias counts on given stores.
struct ChosenPlaces: Sendable {
    private let chosen: [String: Int]

    /// Chooses the first place of each alias that was there before the migration's first step.
    ///
    /// One that cannot be read is chosen too: it may be there.
    init(_ stores: [String: [AddressTemplate]], in origin: some StoreReader, facts: SpecFacts) {
        chosen = stores.filter { $1.count > 1 }.mapValues { places in
            places.firstIndex { place in
                guard let address = try? place.pattern(facts).address else { return false }
                if address.key != nil { return origin.state(at: address.entry) != .absent }
                return origin.contains(address.store) || origin.problem(with: address.store) != nil
            } ?? 0
        }
    }

    func template(of address: SpecAddress) -> AddressTemplate {
        address.templates[address.alias.flatMap { chosen[$0] } ?? 0]
    }
}
