import StoreFormats

/// Two texts laid side by side word by word: what both have, and what stands in its place in only one.
///
/// Words are the same where their bytes are; `==` holds an `é` of one scalar and one of two for equal.
package struct TextDifference: Sendable {
    /// A stretch of both texts.
    package enum Piece: Hashable, Sendable {
        /// What both have.
        case same(String)
        /// What each has where the other has something else; one of them may be empty.
        case changed(left: String, right: String)
    }

    /// How much comparing may cost; what is over it is one change from its first word to its last.
    package struct Budget: Sendable {
        /// Steps, of which two texts of n different words take n² at most.
        fileprivate var steps = 1_000_000
        package init() {}
    }

    /// The stretches from the beginning to the end.
    package private(set) var pieces: [Piece]

    package init(_ left: String, _ right: String, within budget: inout Budget) {
        let (left, right) = (Self.words(of: left), Self.words(of: right))
        let prefix = zip(left, right).prefix { $0 == $1 }.count
        let rest = min(left.count, right.count) - prefix
        let suffix = zip(left.reversed(), right.reversed()).prefix(rest).prefix { $0 == $1 }.count
        let middles = (left.dropFirst(prefix).dropLast(suffix), right.dropFirst(prefix).dropLast(suffix))
        pieces = []
        append(same: left.prefix(prefix))
        appendChanges(of: Array(middles.0), to: Array(middles.1), within: &budget)
        append(same: left.suffix(suffix))
    }

    private mutating func appendChanges(of left: [Name], to right: [Name], within budget: inout Budget) {
        let count = left.count + right.count, (cost, isTooMuch) = count.multipliedReportingOverflow(by: count)
        guard !isTooMuch, cost <= budget.steps else { return append(removed: left, added: right) }
        budget.steps -= cost
        var removed: Set<Int> = [], added: Set<Int> = []
        for change in right.difference(from: left) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var (from, to) = (0, 0)
        while from < left.count || to < right.count {
            let starts = (from, to)
            while removed.contains(from) { from += 1 }
            while added.contains(to) { to += 1 }
            append(removed: left[starts.0..<from], added: right[starts.1..<to])
            let start = from
            while from < left.count, to < right.count, !removed.contains(from), !added.contains(to) {
                (from, to) = (from + 1, to + 1)
            }
            append(same: left[start..<from])
        }
    }

    private mutating func append(same words: some Sequence<Name>) {
        let text = words.map(\.text).joined()
        if !text.isEmpty { pieces.append(.same(text)) }
    }

    private mutating func append(removed: some Sequence<Name>, added: some Sequence<Name>) {
        let (left, right) = (removed.map(\.text).joined(), added.map(\.text).joined())
        if !left.isEmpty || !right.isEmpty { pieces.append(.changed(left: left, right: right)) }
    }

    /// A text as words, and what is between them sign by sign; together they are the text.
    private static func words(of text: String) -> [Name] {
        var words: [Name] = [], word = String.UnicodeScalarView()
        func end() {
            if !word.isEmpty { words.append(Name(String(word))) }
            word.removeAll()
        }
        for scalar in text.unicodeScalars {
            let isMark = scalar.properties.generalCategory == .nonspacingMark
            let isOfWord =
                isMark || scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            if !isOfWord || word.count >= wordLimit { end() }
            word.append(scalar)
            if !isOfWord { end() }
        }
        end()
        return words
    }

    /// A word of a text without blanks ends somewhere: what differs in it is told.
    private static let wordLimit = 24
}

extension TextDifference {
    /// One side as stretches, each with whether the other has something else there.
    package func stretches(of side: Comparison.Side) -> [(text: String, isChanged: Bool)] {
        pieces.compactMap { piece in
            switch piece {
            case .same(let text): return (text, false)
            case .changed(let left, let right):
                let text = side == .left ? left : right
                return text.isEmpty ? nil : (text, true)
            }
        }
    }

    /// One side with only what stands around the differences of what both have, and how much that leaves out.
    ///
    /// - Parameter context: How many characters of it stay at either side.
    package func folded(_ side: Comparison.Side, context: Int) -> String {
        var text = ""
        for (index, piece) in pieces.enumerated() {
            switch piece {
            case .changed(let left, let right): text += side == .left ? left : right
            case .same(let same):
                let before = index == 0 ? 0 : context, after = index == pieces.count - 1 ? 0 : context
                let left = same.count - before - after
                guard left > context else {
                    text += same
                    continue
                }
                text += same.prefix(before) + "… \(left) the same …" + same.suffix(after)
            }
        }
        return text
    }
}
