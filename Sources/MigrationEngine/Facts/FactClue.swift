import OrderedCollections

/// Where stores may tell a fact that nobody has said: in which entry, or by which name.
///
/// A migration declares its clues; ``Migration/factsKnown(in:given:)`` weighs what they find.
public struct FactClue: Sendable {
    /// The fact.
    public let name: FactName
    /// What is looked at, in a phrase.
    public let place: String
    /// Every value that the stores tell, each with where it stands; the facts known so far may say where to look.
    let find: @Sendable (_ stores: any StoreReader, _ known: Facts) -> [Fact]

    /// Makes a clue.
    public init(
        _ name: FactName, in place: String,
        find: @escaping @Sendable (_ stores: any StoreReader, _ known: Facts) -> [Fact]
    ) {
        self.name = name
        self.place = place
        self.find = find
    }

    /// A clue in a text, or in a part of an entry that is a text; what is no text tells nothing.
    ///
    /// - Parameter address: Where it is, as far as the facts known so far tell.
    public init(
        _ name: FactName, in place: String, at address: @escaping @Sendable (_ known: Facts) -> Address?
    ) {
        self.init(name, in: place) { stores, known in
            guard let address = address(known), let text = stores.state(at: address).value?.string else { return [] }
            return [Fact(text, inferredFrom: address)]
        }
    }
}

extension Fact {
    /// A fact that is concluded from what stands at an address, or from the name of the store there.
    public init(_ value: String, inferredFrom address: Address) {
        self.init(value, from: .inferred("\(address)"))
    }
}

extension Migration {
    /// The facts, completed by what the stores tell of those that nobody has said, and by a draw of those for which any new
    /// value will do.
    ///
    /// Values that have not the form of the fact tell nothing. Where the stores tell two values of one fact, neither is
    /// taken, and a step that needs the fact says which there are.
    public func factsKnown(in stores: any StoreReader, given: Facts) -> Facts {
        var known = given
        // A migration may take long to say what they are, and each app of a dump asks.
        let clues = OrderedDictionary(grouping: clues, by: \.name)
        lazy var definitions = Dictionary(facts.map { ($0.name, $0) }) { first, _ in first }
        // Many may be parts of one entry.
        let stores = RememberedStores(stores)
        for (name, clues) in clues where known.lacks(name) {
            let definition = definitions[name]
            var findings: [Fact] = []
            for found in clues {
                for fact in found.find(stores, known) {
                    guard let value = definition.map({ $0.value(of: fact.value) }) ?? fact.value,
                        !findings.contains(where: { $0.value.utf8.elementsEqual(value.utf8) })
                    else { continue }
                    findings.append(Fact(value, from: fact.source))
                }
            }
            if let only = findings.first, findings.count == 1 {
                known[name] = only
            } else if findings.count > 1 {
                known.rivals[name] = findings
            }
        }
        if let draw = given.draw {
            for fact in facts where fact.isFresh && known[fact.name] == nil && known.rivals[fact.name] == nil {
                known[fact.name] = draw.fact(fact.name)
            }
        }
        return known
    }
}

extension Facts {
    /// Whether what the stores tell would count: nothing better is known.
    fileprivate func lacks(_ name: FactName) -> Bool {
        switch self[name]?.source {
        case nil, .assumed: true
        case .given, .ledger, .metadata, .drawn, .inferred: false
        }
    }
}
