/// What became of what the steps before have read, for the steps that ask for it: those that remove what has arrived.
package struct StepAccount: Sendable {
    /// What a step is told.
    package struct Told: Sendable {
        /// What became of it.
        package let parts: PartAccount
        /// The entries of which nobody knows that, so that a step looks itself: what is none of the migration's steps as they are
        /// now has read or changed them, or what was made of them.
        package let unknown: Set<Address>
    }

    private var parts = PartAccount()
    /// What is not in the account yet: most migrations never ask.
    private var events: [[PartEvent]] = [], changes: [[Change]] = [], changesOfOthers: [[Change]] = []
    private var isComplete = true
    private var unknown: Set<Address> = []
    /// What the steps have made entries of, until one of these is unknown.
    private var sources: [Address: [Address]] = [:]

    /// Nothing has been done.
    package init() {}

    /// Notes what a step did.
    package mutating func note(_ preview: StepPreview) {
        events.append(preview.events)
        changes += [preview.changes, preview.found]
    }

    /// Notes that something was done of which nobody knows what became of what it read.
    package mutating func noteUnknown(_ entry: LedgerEntry) { changesOfOthers.append(entry.changes) }

    /// Notes that nothing is known.
    mutating func noteUnknown() { isComplete = false }

    /// What a step is told; `nil` where it does not ask, or nothing is known.
    mutating func told(_ step: Step) -> Told? {
        guard step.asksAccount, isComplete else { return nil }
        parts.note(events)
        events = []
        followUnknown()
        return Told(parts: parts, unknown: unknown)
    }

    /// Follows what is unknown back to what it was made of.
    private mutating func followUnknown() {
        if changesOfOthers.isEmpty, unknown.isEmpty { return }
        var open: [Address] = []
        for change in changesOfOthers.joined() {
            for place in [change.address] + change.from.map(\.entry) where unknown.insert(place).inserted {
                open.append(place)
            }
        }
        for change in changes.joined() {
            for source in change.takenOn where source != change.address {
                guard unknown.contains(change.address) else {
                    sources[change.address, default: []].append(source)
                    continue
                }
                if unknown.insert(source).inserted { open.append(source) }
            }
        }
        (changes, changesOfOthers) = ([], [])
        while let place = open.popLast() {
            for source in sources.removeValue(forKey: place) ?? [] where unknown.insert(source).inserted {
                open.append(source)
            }
        }
    }
}
