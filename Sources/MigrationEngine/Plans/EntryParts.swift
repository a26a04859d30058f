import StoreFormats

/// Places in many entries, so that one is found among them by its own depth.
package struct EntryParts: Sendable {
    private var sets: [Address: PartSet] = [:]

    /// Holds some places, each with all that lies in it.
    package init(_ places: some Sequence<Address> = []) { for place in places { insert(place) } }

    /// Takes in a place.
    package mutating func insert(_ place: Address) {
        sets[place.entry, default: PartSet()].formUnion(PartSet(true), at: place.pointer)
    }

    /// Takes in all of others.
    package mutating func formUnion(_ others: EntryParts) {
        for (entry, set) in others.sets { sets[entry, default: PartSet()].formUnion(set) }
    }

    /// Whether a place is one of them, or lies in one or around one.
    package func overlaps(_ place: Address) -> Bool { self[place.entry].overlaps(place.pointer) }

    /// Whether a place is one of them, or lies in one.
    package func holds(_ place: Address) -> Bool { self[place.entry].holds(place.pointer) }

    /// Those of an entry.
    package subscript(entry: Address) -> PartSet { sets[entry] ?? PartSet() }
}
