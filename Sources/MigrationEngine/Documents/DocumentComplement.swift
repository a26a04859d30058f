import StoreFormats

/// What a step took from a document, from which, with its result, the step can be undone.
///
/// It need not be stored: a step is pure, so the image of the document before it, which a ledger keeps, gives it again.
public struct DocumentComplement: Hashable, Sendable {
    /// What one edit took away.
    enum Part: Hashable, Sendable {
        /// The result says it all.
        case nothing
        /// The field was there and was left.
        case kept
        /// What was there before, and what was put in its place; `nil` is nothing.
        case taken(Value?, made: Value?)
    }

    /// A part for each edit, in order.
    var setAside: [Part] = []
}
