import MigrationEngine
import StoreFormats

/// The rows of a container, and behind each what is folded there, as places in one order in which they are looked through.
struct SearchSpace: Sendable {
    /// Entries that are folded behind a row.
    struct Folded: Sendable {
        fileprivate let row: Int
        /// How many places come before the first of them.
        fileprivate let start: Int
        let store: StoreID
        let keys: any KeyList
    }

    /// What stands at a place.
    enum Place {
        case row(Int)
        /// An entry of a store that is folded, by its position among the keys.
        case folded(Folded, Int)
    }

    /// What a run of places is, also where it is folded in another way.
    fileprivate struct Run: Hashable {
        enum Kind: Hashable { case steps, head(StoreID), noiseHead(StoreID), entries(StoreID), noise(StoreID) }
        let kind: Kind
        let count: Int
    }

    private var folded: [Folded] = []
    private var runs: [(run: Run, start: Int)] = []
    /// What the stores hold that are seen.
    private let contents: ContainerView.Contents
    /// How many places there are.
    private(set) var count: Int
    /// Whether there is a folded store of which not all is known.
    private(set) var hasGaps = false

    init(of container: OpenContainer) {
        contents = container.view.contents
        count = container.sheet.count
        // A filter shows what is unfolded in part: what it hides is not gone to.
        guard container.filtering == nil else { return }
        count = 0
        for part in container.sheet.parts {
            let head = part.hasHead ? container.sheet[part.rows.lowerBound] : nil
            let kinds: (head: Run.Kind, entries: Run.Kind)? =
                switch head {
                case .store(let store)?, .unmapped(let store, _)?: (.head(store), .entries(store))
                case .noise(let store, _)?: (.noiseHead(store), .noise(store))
                default: nil
                }
            if let kinds { add(kinds.head, 1) }
            add(kinds?.entries ?? .steps, part.rows.count - (kinds == nil ? 0 : 1))
            guard let head, let (store, keys) = container.folded(behind: head) else { continue }
            hasGaps = hasGaps || keys.unlisted != nil || container.stores.problem(with: store) != nil
            folded.append(Folded(row: part.rows.lowerBound, start: count, store: store, keys: keys))
            add(kinds?.entries ?? .entries(store), keys.count)
        }
    }

    private mutating func add(_ kind: Run.Kind, _ count: Int) {
        guard count > 0 else { return }
        runs.append((Run(kind: kind, count: count), self.count))
        self.count += count
    }

    /// The place of a row.
    func place(ofRow row: Int) -> Int {
        guard let above = folded.lastPosition(where: { $0.row < row }).map({ folded[$0] }) else { return row }
        return above.start + above.keys.count + row - above.row - 1
    }

    /// What stands at a place.
    func at(_ place: Int) -> Place {
        guard let above = folded.lastPosition(where: { $0.start <= place }).map({ folded[$0] }) else {
            return .row(place)
        }
        let inside = place - above.start, count = above.keys.count
        return inside < count ? .folded(above, inside) : .row(above.row + 1 + inside - count)
    }

    /// Where places are in another space of the same stores, by how much further.
    func shifts(to other: SearchSpace) -> [(places: Range<Int>, by: Int)] {
        guard contents === other.contents else { return [] }
        let starts = Dictionary(other.runs.map { ($0.run, $0.start) }) { first, _ in first }
        return runs.compactMap { run, start in
            starts[run].map { (start..<start + run.count, $0 - start) }
        }
    }
}
