import MigrationEngine
import StoreFormats

/// Which of the ways to many values are taken: what holds for many keys before what only one shows, the likest name first,
/// and each old value for one new one, where there are others.
struct InferenceChoice {
    /// An entry with the ways that lead to what it holds, the likeliest first.
    struct Case {
        let entry: StoreComparison.Entry
        let value: Value
        let words: NameWords
        var ways: [InferredWay]

        fileprivate var isOpen: Bool { ways.allSatisfy(\.isWeak) }
    }

    /// What was chosen for an entry; others of like cost.
    struct Decided {
        let entry: StoreComparison.Entry
        let value: Value
        let way: InferredWay?
        let others: [InferredWay]
    }

    /// What an argument costs that is a text of these dumps: never so little that it would go before what needs none.
    ///
    /// One that holds for few values may be one customer's, and is no rule.
    private static let sharedLiteral = 0.9
    /// For how many different values something must hold to be no chance.
    private static let enough = 3
    /// What a source costs the more that another entry already took in the same way.
    private static let again = 0.6

    private var cases: [Case] = []

    mutating func add(_ entry: Case) { cases.append(entry) }

    /// What is chosen for each entry, in their order.
    func decided(_ solving: InferenceSolving) -> [Decided] {
        var cases = weighed()
        for (number, way) in tables(cases, solving) { cases[number].ways = [way] }
        let chosen = assigned(cases)
        return cases.enumerated().map { number, entry in
            let best = chosen[number].map { entry.ways[$0] } ?? entry.ways.first
            let others = entry.ways.filter { way in best.map { way.cost <= $0.cost + 1 && !way.isWeak } ?? false }
            return Decided(entry: entry.entry, value: entry.value, way: best, others: others)
        }
    }

    /// The cases with what literals cost.
    private func weighed() -> [Case] {
        var values: [String: Set<Int>] = [:]
        func operations(_ way: InferredWay) -> String { SpecWriting.flow(.list(way.chain.operations)) }
        for way in cases.lazy.flatMap(\.ways) where way.hasLiteral {
            values[operations(way), default: []].formUnion(way.sources.map(\.source.valueNumber))
        }
        // A calculation that only nothing shows is one that another value shows, too.
        let doubtful = Set(cases.lazy.flatMap(\.ways).filter(\.isAmbiguous).map(operations))
        let shown =
            doubtful.isEmpty
            ? []
            : Set(
                cases.lazy.flatMap(\.ways).filter { !$0.isAmbiguous && !$0.isWeak && $0.isCalculated }.map(operations))
        return cases.map { entry in
            var entry = entry
            for (number, way) in entry.ways.enumerated() where way.isAmbiguous && !shown.contains(operations(way)) {
                entry.ways[number].isWeak = true
                entry.ways[number].evidence += ", and nothing shows that it is no other calculation"
            }
            guard entry.ways.contains(where: \.hasLiteral) else { return entry }
            for (number, way) in entry.ways.enumerated() where way.hasLiteral {
                let support = values[operations(way)]?.count ?? 0
                entry.ways[number].cost += Self.sharedLiteral
                entry.ways[number].isWeak = way.isWeak || support < Self.enough
                entry.ways[number].evidence +=
                    support >= Self.enough
                    ? ", for \(support) values" : ", with a text that may be this customer's alone"
            }
            entry.ways = entry.ways.enumerated().sorted {
                ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset)
            }.map(\.element)
            return entry
        }
    }

    /// Which way each case takes: of all the cheapest first, and where its source is taken, whether another costs less than
    /// to take it once more.
    private func assigned(_ cases: [Case]) -> [Int: Int] {
        struct Offer {
            let entry: Int, way: Int, cost: Double
            func precedes(_ other: Offer) -> Bool { (cost, entry, way) < (other.cost, other.entry, other.way) }
        }
        let offers = cases.enumerated().flatMap { number, entry in
            entry.ways.indices.filter { !entry.ways[$0].isWeak }.map {
                Offer(entry: number, way: $0, cost: entry.ways[$0].cost)
            }
        }.sorted { $0.precedes($1) }
        var chosen: [Int: Int] = [:], used: Set<String> = []
        // What is put off costs one amount more, so that it stays in order.
        var later: [Offer] = [], next = 0, nextLater = 0
        while next < offers.count || nextLater < later.count {
            let isLater = next == offers.count || nextLater < later.count && later[nextLater].precedes(offers[next])
            let offer = isLater ? later[nextLater] : offers[next]
            if isLater { nextLater += 1 } else { next += 1 }
            guard chosen[offer.entry] == nil else { continue }
            let way = cases[offer.entry].ways[offer.way]
            let use =
                way.sources.map(\.source.text).joined(separator: "\u{1F}") + "\u{1E}"
                + SpecWriting.flow(.list(way.chain.operations))
            if !isLater, used.contains(use) {
                later.append(Offer(entry: offer.entry, way: offer.way, cost: offer.cost + Self.again))
                continue
            }
            chosen[offer.entry] = offer.way
            used.insert(use)
        }
        return chosen
    }

    /// One table for three and more keys that go by the same rule, where a pair of values stands more than once.
    private func tables(_ cases: [Case], _ solving: InferenceSolving) -> [(number: Int, way: InferredWay)] {
        struct Pair {
            let number: Int, source: InferenceSource
        }
        var groups: [String: [Pair]] = [:], order: [String] = []
        for (number, entry) in cases.enumerated() where entry.isOpen && entry.value.isOfFew {
            guard let new = entry.entry.addressAfter.key?.text else { continue }
            for source in solving.like(entry.words, from: 0.3) {
                guard let from = source.entry, source.isWhole, source.picked == nil, source.value.isOfFew,
                    let old = from.key?.text, let shared = SharedPart(old, new)
                else { continue }
                let key = [
                    "\(from.store)", "\(entry.entry.addressAfter.store)", source.type ?? "", shared.old, shared.new,
                ].joined(separator: "\u{1F}")
                if groups[key] == nil { order.append(key) }
                groups[key, default: []].append(Pair(number: number, source: source))
            }
        }
        var found: [(number: Int, way: InferredWay)] = [], explained: Set<Int> = []
        for pairs in order.compactMap({ groups[$0] }) where pairs.count >= Self.enough {
            var table: [(Value, Value)] = [], known: [Value: Value] = [:]
            let isTable = pairs.allSatisfy { pair in
                let old = pair.source.value, new = cases[pair.number].value
                guard !explained.contains(pair.number),
                    !solving.isSecret(cases[pair.number].entry.addressAfter, new),
                    pair.source.place.map({ !solving.isSecret($0, old) }) ?? true
                else { return false }
                if let earlier = known[old] { return earlier.canonical == new.canonical }
                known[old] = new
                table.append((old, new))
                return true
            }
            // Of pairs that each stand once anything would be a table.
            guard isTable, (2..<pairs.count).contains(table.count) else { continue }
            for pair in pairs {
                explained.insert(pair.number)
                found.append(
                    (
                        pair.number,
                        solving.way(from: pair.source, by: table, for: cases[pair.number].words, keys: pairs.count)
                    ))
            }
        }
        return found
    }
}
