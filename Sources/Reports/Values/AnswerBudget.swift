import StoreFormats
import Synchronization

/// What one answer, or one look at a screen, may decode and look through: once to find secrets, and once to be shown.
///
/// It is one for all the entries in the answer: many keys of a property list may share one value.
package struct AnswerBudget: Sendable {
    let search: SearchBudget
    let show: DecodingBudget

    package init(_ limits: Limits = .standard) {
        search = SearchBudget(DecodingBudget(limits))
        show = DecodingBudget(limits)
    }

    /// The same budget for what lies within a value that was decoded from it.
    var inner: AnswerBudget { AnswerBudget(search.inner, show.inner) }

    private init(_ search: SearchBudget, _ show: DecodingBudget) { (self.search, self.show) = (search, show) }
}

/// What a search for secrets may still decode and look through, and what it has found of texts that are in no format.
struct SearchBudget: Sendable {
    /// What was found of texts and data, the latest of them.
    private final class Verdicts: Sendable {
        private let known = Mutex<[Value: Bool]>([:])
        /// How many are kept.
        private static let count = 64

        subscript(value: Value) -> Bool? { known.withLock { $0[value] } }

        func keep(_ found: Bool, of value: Value) {
            known.withLock { known in
                if known.count >= Self.count { known.removeAll(keepingCapacity: true) }
                known[value] = found
            }
        }
    }

    let decoding: DecodingBudget
    /// Of large texts, as many keys may share one, and of shorter ones, as lists repeat them.
    private let large: Verdicts, short: Verdicts
    /// The smallest large text and the smallest short one that is kept, in bytes.
    private static let largeSize = 1024, shortSize = 24

    init(_ decoding: DecodingBudget) { self.init(decoding, Verdicts(), Verdicts()) }

    private init(_ decoding: DecodingBudget, _ large: Verdicts, _ short: Verdicts) {
        (self.decoding, self.large, self.short) = (decoding, large, short)
    }

    var inner: SearchBudget { SearchBudget(decoding.inner, large, short) }
    var refusals: Int { decoding.refusals }

    /// Whether a text or data that is in no format holds a secret; what is over the budget is taken for one.
    func verdict(on value: Value, _ search: () -> Bool) -> Bool {
        let size =
            switch value {
            case .string(let text): text.utf8.count
            case .data(let data): data.count
            default: 0
            }
        guard size >= Self.shortSize else { return search() }
        let isLarge = size >= Self.largeSize, verdicts = isLarge ? large : short
        if let known = verdicts[value] { return known }
        guard !isLarge || decoding.allows(bytes: size) else { return true }
        let found = search()
        verdicts.keep(found, of: value)
        return found
    }
}
