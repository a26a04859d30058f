import StoreFormats
import Synchronization

/// Which keys of a list begin with a text, for a list that does not change.
///
/// The order of the keys costs more than it saves where few patterns are looked for; so it is made once several were.
package final class KeyBeginnings: Sendable {
    private enum State {
        /// How often it was asked.
        case asked(Int)
        /// The positions in the order of the keys' bytes.
        case ordered([Int])
    }

    /// How often the keys are looked through before they are put into an order; a short list always is.
    private static let looks = 4, shortList = 256

    private let state = Mutex(State.asked(0))

    package init() {}

    /// The positions of the keys that begin with a text, in ascending order.
    package func positions(beginning prefix: Name, of keys: some KeyList) -> [Int] {
        if prefix.isEmpty { return Array(0..<keys.count) }
        let order: [Int]? = state.withLock { state in
            switch state {
            case .ordered(let order): return order
            case .asked(let times):
                guard times >= Self.looks, keys.count > Self.shortList else {
                    state = .asked(times + 1)
                    return nil
                }
                let names = keys.names
                let order = names.indices.sorted { names[$0] < names[$1] }
                state = .ordered(order)
                return order
            }
        }
        guard let order else { return keys.looked(through: prefix) }
        // Those that begin so stand together, and begin with the first that is not before the text itself.
        let first = order.partition { keys.key(at: $0) < prefix }
        let end = order[first...].partition { keys.key(at: $0).hasPrefix(prefix.text) }
        return order[first..<end].sorted()
    }
}

extension KeyList {
    /// The positions of the keys that begin with a text, by a look at each.
    fileprivate func looked(through prefix: Name) -> [Int] { (0..<count).filter { key(at: $0).hasPrefix(prefix.text) } }

    /// The positions of the keys that begin with a text, in ascending order: every key is looked at.
    public func positions(beginning prefix: Name) -> [Int] { looked(through: prefix) }
}

extension RandomAccessCollection {
    /// The first index whose element does not satisfy a condition that holds for none behind the first that does not.
    fileprivate func partition(where holds: (Element) -> Bool) -> Index {
        var low = startIndex, count = count
        while count > 0 {
            let half = count / 2, middle = index(low, offsetBy: half)
            if holds(self[middle]) { (low, count) = (index(after: middle), count - half - 1) } else { count = half }
        }
        return low
    }
}
