import OrderedCollections
import StoreFormats

/// Where what was given to a row stands: all of it in one entry or part of one, or each member of it at a place of its own.
package struct GivenPlaces: Sendable {
    /// The places, in the order in which they were read.
    package let sources: [Address]
    private let members: [Name: Address]

    /// Makes the places of a value.
    ///
    /// - Parameter members: Where its members are from; empty where it stands in the one source.
    package init(_ sources: [Address], members: [Name: Address]) { (self.sources, self.members) = (sources, members) }

    /// The names of members that have places of their own.
    package var names: [Name] { members.keys.sorted() }

    /// Where a member is from that has a place of its own.
    package subscript(name: Name) -> Address? { members[name] }

    /// Where a part stands; `nil` where that cannot be told.
    package func place(of part: JSONPointer) -> Address? {
        guard let (source, inner) = source(of: part) else { return nil }
        return inner.isRoot ? source : source.held.appending(inner)
    }

    /// Whether a part is a member, or within one, that was given from no place.
    package func isNowhere(_ part: JSONPointer) -> Bool {
        !members.isEmpty && part.tokens.first.map { members[$0] == nil } ?? false
    }

    private func source(of part: JSONPointer) -> (source: Address, inner: JSONPointer)? {
        if let name = part.tokens.first, let member = members[name] {
            return (member, JSONPointer(Array(part.tokens.dropFirst())))
        }
        guard members.isEmpty, sources.count == 1, let source = sources.first else { return nil }
        return (source, part)
    }

    /// The parts of the value that have to do with what stands at a place.
    func parts(touching place: Address) -> [JSONPointer] {
        (members.isEmpty ? [JSONPointer()] : names.map { JSONPointer([$0]) }).compactMap { part in
            guard let own = self.place(of: part)?.held else { return nil }
            if own.isWithin(place) { return part }
            guard place.isWithin(own) else { return nil }
            return JSONPointer(part.tokens + place.pointer.tokens.dropFirst(own.pointer.tokens.count))
        }
    }

    /// What of an entry a set of parts of the value has.
    func parts(_ set: PartSet, of entry: Address) -> PartSet {
        var parts = PartSet()
        for part in members.isEmpty ? [JSONPointer()] : names.map({ JSONPointer([$0]) }) {
            guard let place = place(of: part), place.entry == entry else { continue }
            let inner = set.at(part)
            parts.formUnion(inner, at: inner == PartSet(true) ? place.pointer : place.held.pointer)
        }
        return parts
    }
}

/// What a row has made, told by what it was given.
package struct MadeParts: Sendable {
    /// What of the given value stands where in what was made.
    let origins: PartOrigins
    /// Where that was given from.
    let given: GivenPlaces

    /// Makes what was made of something.
    ///
    /// - Parameter part: The part of the result that it is.
    package init(_ part: JSONPointer, of origins: PartOrigins, from given: GivenPlaces) {
        (self.origins, self.given) = (origins.part(at: part), given)
    }

    /// Whether nothing that it was made of stands at a place, or around it, or in it.
    func isElsewhere(than place: Address) -> Bool { !given.sources.contains(where: place.overlaps) }
}

/// Where what was made of entries stands, and what of it is nowhere any more since something else was put there.
struct PartHomes: Sendable {
    private struct Home {
        let place: Address, given: GivenPlaces, made: PartOrigins
        /// What of it stands there still.
        var now: PartOrigins
    }
    private var homes: [Home] = []
    /// Those that lie in an entry, and those that hold something of one.
    private var trees: [Address: PlaceTree] = [:], bySource: [Address: [Int]] = [:]
    /// The entries of which something may be nowhere any more.
    private var doubtful: OrderedSet<Address> = []
    /// How many there were when the step began, and what has changed since: a row reads what was there before it.
    private var start: (count: Int, changed: [Int: PartOrigins]) = (0, [:])

    /// Begins what one step does.
    mutating func beginStep() {
        for index in start.changed.keys where homes[index].now.root.isNothing {
            let place = homes[index].place
            trees[place.entry]?.remove(index, at: place.pointer.tokens[...])
        }
        start = (homes.count, [:])
    }

    /// Notes that a place holds what was made of others, and of what those were made of.
    mutating func make(_ place: Address, from made: MadeParts) {
        guard !made.given.sources.isEmpty else { return }
        var earlier: OrderedSet<Int> = []
        for source in made.given.sources {
            let overlapping = trees[source.entry]?.overlapping(source.pointer.tokens[...]) ?? []
            for (home, _) in overlapping where home < start.count { earlier.append(home) }
        }
        if made.isElsewhere(than: place) {
            add(Home(place: place, given: made.given, made: made.origins, now: made.origins))
        }
        let renewed = earlier.map { (home: homes[$0], known: start.changed[$0] ?? homes[$0].now) }
        // What was made of what stood there stands in its place.
        if made.given.sources.contains(where: place.isWithin) { change(place.pointer, in: place.entry) }
        if renewed.isEmpty { return }
        let places = PartOrigins.Places(made.origins)
        for (home, known) in renewed {
            let origins = PartOrigins(places, by: known, touching: made.given.parts(touching: home.place)) {
                Self.node(at: $0, of: made.given, in: home.place, known)
            }
            guard !origins.root.isNothing else { continue }
            add(Home(place: place, given: home.given, made: origins, now: origins))
        }
    }

    private mutating func add(_ home: Home) {
        trees[home.place.entry, default: PlaceTree()].insert(homes.count, at: home.place.pointer.tokens[...])
        for source in Set(home.given.sources.map(\.entry)) { bySource[source, default: []].append(homes.count) }
        homes.append(home)
    }

    /// What stood at a part of a given value by a home.
    private static func node(
        at part: JSONPointer, of given: GivenPlaces, in home: Address, _ origins: PartOrigins
    ) -> PartOrigins.Node {
        guard let place = given.place(of: part)?.held else {
            guard part.isRoot else { return .nothing }
            return PartOrigins.Node(
                Dictionary(
                    given.names.map { ($0, node(at: JSONPointer([$0]), of: given, in: home, origins)) },
                    uniquingKeysWith: { first, _ in first }))
        }
        guard place.entry == home.entry else { return .nothing }
        if place.isWithin(home) {
            return origins.root.at(JSONPointer(Array(place.pointer.tokens.dropFirst(home.pointer.tokens.count))))
        }
        guard home.isWithin(place) else { return .nothing }
        return origins.root.placed(
            at: JSONPointer(Array(home.pointer.tokens.dropFirst(place.pointer.tokens.count))))
    }

    /// Whether an entry holds what was made of others.
    func isHome(_ entry: Address) -> Bool { trees[entry] != nil }

    /// Notes that something else stands at a part of an entry.
    mutating func change(_ part: JSONPointer, in entry: Address) {
        for (index, inner) in trees[entry]?.overlapping(part.tokens[...]) ?? [] {
            if index < start.count, start.changed[index] == nil { start.changed[index] = homes[index].now }
            homes[index].now.set(.nothing, at: JSONPointer(Array(inner)))
            doubtful.formUnion(homes[index].given.sources.lazy.map(\.entry))
        }
    }

    /// What of entries stands nowhere else any more that did, and of what only some of it does.
    mutating func takeLosses() -> [(entry: Address, lost: (parts: PartSet, inPart: PartSet))] {
        defer { doubtful = [] }
        return doubtful.map { entry in
            var held = PartSet(), standing = PartSet(), inPart = PartSet()
            for index in bySource[entry] ?? [] {
                let home = homes[index], before = home.made.arrival(), now = home.now.arrival()
                func elsewhere(_ parts: PartSet) -> PartSet {
                    var parts = home.given.parts(parts, of: entry)
                    // What came back to where it was from goes with that.
                    if home.place.entry == entry { parts.subtract(home.place.pointer) }
                    return parts
                }
                held.formUnion(elsewhere(before.parts))
                let parts = elsewhere(now.parts)
                standing.formUnion(parts)
                if now.isPartial, !before.isPartial { inPart.formUnion(parts) }
            }
            held.subtract(standing)
            return (entry, (held, inPart))
        }
    }
}
