import StoreFormats

/// Places in many entries, so that one is found among them by its own depth.
package struct EntryParts: Sendable {
    /// Most have places in one entry, for which no table is made.
    private var first: (entry: Address, set: PartSet)?
    private var others: [Address: PartSet] = [:]

    /// Holds nothing.
    package init() {}

    /// Holds some places, each with all that lies in it.
    package init(_ places: [Address]) { for place in places { insert(place) } }

    /// Takes in a place.
    package mutating func insert(_ place: Address) { formUnion(PartSet(true), of: place, at: place.pointer) }

    /// Takes in all of others.
    package mutating func formUnion(_ others: EntryParts) {
        if let (entry, set) = others.first { formUnion(set, of: entry) }
        for (entry, set) in others.others { formUnion(set, of: entry) }
    }

    private mutating func formUnion(_ set: PartSet, of place: Address, at part: JSONPointer = JSONPointer()) {
        if first == nil { first = (place.entry, PartSet()) }
        if isFirst(place) {
            first?.set.formUnion(set, at: part)
        } else {
            others[place.entry, default: PartSet()].formUnion(set, at: part)
        }
    }

    private func isFirst(_ place: Address) -> Bool {
        first.map { $0.entry.key == place.key && $0.entry.store == place.store } ?? false
    }

    /// Whether a place is one of them, or lies in one or around one.
    package func overlaps(_ place: Address) -> Bool { self[place].overlaps(place.pointer) }

    /// Whether a place is one of them, or lies in one.
    package func holds(_ place: Address) -> Bool { self[place].holds(place.pointer) }

    /// Those of the entry that a place is in.
    package subscript(place: Address) -> PartSet {
        if isFirst(place), let first { return first.set }
        return others.isEmpty ? PartSet() : others[place.entry] ?? PartSet()
    }
}
