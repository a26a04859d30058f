import MigrationEngine
import StoreFormats

extension Overlay {
    /// The most entries of one store that are unfolded at first, and of all.
    private static let most = (one: 100, all: 300)

    /// The stores whose entries are shown at first where no migration says what matters: the app's own that are small.
    func readable(_ isCancelled: () -> Bool) -> Set<StoreID> {
        var unfolded: Set<StoreID> = [], left = Self.most.all
        for store in stores where !Noise.isSystem(store) {
            if isCancelled() || left <= 0 { break }
            let count = keys(in: store).count(upTo: Self.most.one + 1)
            guard (1...Self.most.one).contains(count), count <= left else { continue }
            unfolded.insert(store)
            left -= count
        }
        return unfolded
    }
}

/// The keys of a store that are the app's own, and those that are the system's or an SDK's.
struct SiftedKeys: Sendable {
    /// The most keys that are sifted: each is looked at, and a store of more is shown as it is.
    private static let most = 20_000

    let own: any KeyList
    let noise: any KeyList

    init(_ keys: any KeyList, in store: StoreID) {
        guard !Noise.isSystem(store), keys.count(upTo: Self.most + 1) <= Self.most else {
            (own, noise) = (keys, Keys())
            return
        }
        var positions: (own: [Int], noise: [Int]) = ([], [])
        for position in 0..<keys.count {
            if Noise.holds(keys.key(at: position), in: store) {
                positions.noise.append(position)
            } else {
                positions.own.append(position)
            }
        }
        own = positions.noise.isEmpty ? keys : SomeKeys(all: keys, chosen: positions.own)
        noise = SomeKeys(all: keys, chosen: positions.noise)
    }
}

/// Some of the keys of a list, in their order.
private struct SomeKeys: KeyList {
    let all: any KeyList
    /// Their positions, in ascending order.
    let chosen: [Int]

    var count: Int { chosen.count }
    func key(at position: Int) -> Name { all.key(at: chosen[position]) }
    func positions(of key: Name) -> [Int] {
        all.positions(of: key).compactMap { position in
            chosen.lastPosition { $0 <= position }.flatMap { chosen[$0] == position ? $0 : nil }
        }
    }
    func problem(under prefix: Name) -> Unreadable? { all.problem(under: prefix) }
    var folders: [Name] { all.folders }
}
