import StoreFormats

/// Things by their places in a value, so that those at a place are found among many.
struct PlaceTree: Sendable {
    private var places: [Int] = [], inner: [Name: PlaceTree] = [:]

    /// Notes that one is at a place.
    mutating func insert(_ place: Int, at tokens: ArraySlice<Name>) {
        guard let token = tokens.first else { return places.append(place) }
        inner[token, default: PlaceTree()].insert(place, at: tokens.dropFirst())
    }

    /// Notes that one is not there any more.
    mutating func remove(_ place: Int, at tokens: ArraySlice<Name>) {
        guard let token = tokens.first else { return places.removeAll { $0 == place } }
        inner[token]?.remove(place, at: tokens.dropFirst())
    }

    /// Those that hold a part.
    func holding(_ tokens: ArraySlice<Name>) -> [Int] {
        places + (tokens.first.flatMap { inner[$0]?.holding(tokens.dropFirst()) } ?? [])
    }

    /// Those that hold a part, or lie in it, with where in them it is.
    func overlapping(_ tokens: ArraySlice<Name>) -> [(place: Int, part: ArraySlice<Name>)] {
        let inner = tokens.first.map { [self.inner[$0]].compactMap(\.self) } ?? Array(self.inner.values)
        return places.map { ($0, tokens) } + inner.flatMap { $0.overlapping(tokens.dropFirst()) }
    }
}
