import StoreFormats

/// The stores as they were before an entry of the ledger was made: what that and later ones, of those that stand, have changed is
/// as it was.
package struct PastStores: StoreReader {
    /// What each entry was before each change that stands, in the order of the ledger.
    struct States: Sendable {
        private var changes: [Address: [(number: Int, before: EntryState)]] = [:]

        init(_ history: History) {
            for entry in history.standing {
                for change in entry.changes where change.action != .found && change.action != .missing {
                    changes[change.address, default: []].append((entry.number, change.before))
                }
            }
        }

        /// `nil` where nothing has changed it from then on.
        fileprivate func state(at entry: Address, before number: Int) -> EntryState? {
            guard let own = changes[entry] else { return nil }
            var low = 0, high = own.count
            while low < high {
                let middle = (low + high) / 2
                if own[middle].number < number { low = middle + 1 } else { high = middle }
            }
            return low < own.count ? own[low].before : nil
        }
    }

    private let base: any StoreReader
    private let states: States
    private let number: Int

    /// - Parameters:
    ///   - base: The stores with all that stands.
    ///   - number: The number of the entry.
    init(_ base: any StoreReader, _ states: States, before number: Int) {
        (self.base, self.states, self.number) = (base, states, number)
    }

    package func state(of key: Name, in store: StoreID) -> EntryState {
        states.state(at: Address(store: store, key: key), before: number) ?? base.state(of: key, in: store)
    }

    package var stores: [StoreID] { base.stores }
    package var problem: Unreadable? { base.problem }
    package func problem(with store: StoreID) -> Unreadable? { base.problem(with: store) }
    package func keys(in store: StoreID) -> any KeyList { base.keys(in: store) }
    package func contains(_ store: StoreID) -> Bool { base.contains(store) }
    package func annotation(of address: Address) -> String? { base.annotation(of: address) }
    package func hold(on entry: Address) -> String? { base.hold(on: entry) }
    package func doubt(about store: StoreID) -> String? { base.doubt(about: store) }
    package func loss(of value: Value, at entry: Address) -> String? { base.loss(of: value, at: entry) }
    package func unread(_ part: Name, of key: Name, in store: StoreID) -> Unreadable? {
        base.unread(part, of: key, in: store)
    }
}

extension PlannedStep {
    /// The stores as they were when it was applied, where its changes are those of the ledger; else as they are.
    ///
    /// - Parameter stores: The stores with all that stands.
    package func storesBefore(_ stores: any StoreReader) -> any StoreReader {
        guard let entry, let past, outcome.kind != .migrates else { return stores }
        return PastStores(stores, past, before: entry.number)
    }
}
