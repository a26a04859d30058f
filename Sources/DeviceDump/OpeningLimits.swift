extension DumpError.Problem {
    /// The limit that lets it through, where there is one, and to how much that is to be raised.
    package var limit: (name: OpeningLimits.Name, value: Int)? {
        switch self {
        case .tooManyRounds(let rounds, _): (.rounds, rounds)
        // Where reading stopped, nobody knows how many more there are.
        case .tooManyEntries(let limit): (.entries, limit.raised)
        case .tooLongNames(let limit): (.names, limit.raised)
        case .bomb(let unpacked, let packed): (.ratio, (unpacked / max(1, packed)).raised)
        default: nil
        }
    }
}

extension Int {
    /// Some more, for a limit that is to let something through.
    fileprivate var raised: Int {
        let more = multipliedReportingOverflow(by: 10)
        return more.overflow ? .max : more.partialValue
    }
}

/// How much is done for a dump without being asked, which a person can raise where the dump is right.
package struct OpeningLimits: Hashable, Sendable {
    /// One of them, by the name that a person raises it by.
    package enum Name: String, Hashable, Sendable, CaseIterable {
        /// How many rounds a key may be derived with: a dump may ask for more than anybody waits for.
        case rounds
        /// How many files and folders an archive may hold.
        case entries
        /// How many bytes the names in an archive may have together.
        case names
        /// How many times as large as what it is packed in a content of an archive may be; 256 MB are always unpacked.
        case ratio

        /// What is done unasked: the rounds are about five times those of a real backup.
        package var standard: Int {
            switch self {
            case .rounds: 50_000_000
            case .entries: 2_000_000
            case .names: 1 << 29
            case .ratio: 200
            }
        }

        /// What it limits.
        package var words: String {
            switch self {
            case .rounds: "rounds of key derivation"
            case .entries: "in an archive"
            case .names: "bytes of names in it"
            case .ratio: "unpacked to packed size"
            }
        }
    }

    private var raised: [Name: Int]

    /// Makes limits: those that a person has said, and the standard ones.
    package init(_ raised: [Name: Int] = [:]) { self.raised = raised }

    /// One of the limits.
    package subscript(name: Name) -> Int {
        get { raised[name] ?? name.standard }
        set { raised[name] = newValue }
    }
}
