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
    /// What was found of large texts and data: many keys may share one.
    private final class Verdicts: Sendable {
        let known = Mutex<[Value: Bool]>([:])
    }

    let decoding: DecodingBudget
    private let verdicts: Verdicts
    /// The smallest text that is kept, in bytes, and how many are.
    private static let size = 1024, count = 64

    init(_ decoding: DecodingBudget) { self.init(decoding, Verdicts()) }

    private init(_ decoding: DecodingBudget, _ verdicts: Verdicts) {
        (self.decoding, self.verdicts) = (decoding, verdicts)
    }

    var inner: SearchBudget { SearchBudget(decoding.inner, verdicts) }
    var refusals: Int { decoding.refusals }

    /// Whether a text or data that is in no format holds a secret; what is over the budget is taken for one.
    func verdict(on value: Value, _ search: () -> Bool) -> Bool {
        let size =
            switch value {
            case .string(let text): text.utf8.count
            case .data(let data): data.count
            default: 0
            }
        guard size >= Self.size else { return search() }
        if let known = verdicts.known.withLock({ $0[value] }) { return known }
        guard decoding.allows(bytes: size) else { return true }
        let found = search()
        verdicts.known.withLock { known in
            if known.count >= Self.count { known = [:] }
            known[value] = found
        }
        return found
    }
}
