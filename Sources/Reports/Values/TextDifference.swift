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
        /// Steps: as many as there are words, and for each word that differs as many as differ.
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
        var numbers: [Name: Int] = [:]
        func numbered(_ words: [Name]) -> [Int] {
            words.map { word in
                let number = numbers[word] ?? numbers.count
                numbers[word] = number
                return number
            }
        }
        guard let (removed, added) = Self.edits(from: numbered(left), to: numbered(right), within: &budget) else {
            return append(removed: left, added: right)
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

    /// The fewest words to take away and to add, by their places (Myers, "An O(ND) Difference Algorithm", 1986); `nil` where they
    /// are too many to be found with half of what is left.
    private static func edits(
        from left: [Int], to right: [Int], within budget: inout Budget
    ) -> (removed: Set<Int>, added: Set<Int>)? {
        let reserve = budget.steps / 2
        // On each diagonal, by how many more words of the left it is past, how many of the left one gets past with as many edits
        // as the number of the row; every second diagonal is reached.
        var reached: [[Int]] = []
        func furthest(_ edits: Int, _ diagonal: Int) -> Int {
            let row = reached[edits], index = (diagonal + edits) / 2
            return row.indices.contains(index) ? row[index] : -1
        }
        func isByAdding(_ edits: Int, _ diagonal: Int) -> Bool {
            diagonal == -edits
                || diagonal != edits && furthest(edits - 1, diagonal - 1) < furthest(edits - 1, diagonal + 1)
        }
        for edits in 0...left.count + right.count {
            var row: [Int] = []
            for diagonal in stride(from: -edits, through: edits, by: 2) {
                var x = 0
                if edits > 0 {
                    x =
                        isByAdding(edits, diagonal)
                        ? furthest(edits - 1, diagonal + 1) : furthest(edits - 1, diagonal - 1) + 1
                }
                let start = x
                while x < left.count, x - diagonal < right.count, left[x] == right[x - diagonal] { x += 1 }
                budget.steps -= 1 + x - start
                guard budget.steps >= reserve else { return nil }
                row.append(x)
                if x >= left.count, x - diagonal >= right.count {
                    return path(to: diagonal, after: edits, furthest, isByAdding)
                }
            }
            reached.append(row)
        }
        return nil
    }

    /// What was taken away and added on the way to where both texts end.
    private static func path(
        to end: Int, after count: Int, _ furthest: (Int, Int) -> Int, _ isByAdding: (Int, Int) -> Bool
    ) -> (removed: Set<Int>, added: Set<Int>) {
        var removed: Set<Int> = [], added: Set<Int> = [], diagonal = end
        for edits in stride(from: count, to: 0, by: -1) {
            if isByAdding(edits, diagonal) {
                diagonal += 1
                added.insert(furthest(edits - 1, diagonal) - diagonal)
            } else {
                diagonal -= 1
                removed.insert(furthest(edits - 1, diagonal))
            }
        }
        return (removed, added)
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

    /// Both sides with only what stands around the differences of what they have in common, and how much that leaves out.
    ///
    /// - Parameters:
    ///   - context: How many characters of it stay at either side.
    ///   - limit: How many characters of a side are shown; behind them both say that there is more.
    package func folded(
        context: Int, limit: Int = .max, within budget: inout Budget
    ) -> (left: String, right: String) {
        var sides = (left: "", right: "")
        for (index, piece) in pieces.enumerated() {
            let rooms = (left: limit - sides.left.count, right: limit - sides.right.count)
            switch piece {
            case .changed(let left, let right):
                guard left.count > rooms.left || right.count > rooms.right else {
                    sides = (sides.left + left, sides.right + right)
                    continue
                }
                // Words at the end that only one side still has room for are not what differs.
                let parts = (left: String(left.prefix(rooms.left)), right: String(right.prefix(rooms.right)))
                var cut = TextDifference(parts.left, parts.right, within: &budget).pieces
                if cut.count > 1, case .changed? = cut.last { cut.removeLast() }
                for piece in cut {
                    switch piece {
                    case .same(let same): sides = (sides.left + same, sides.right + same)
                    case .changed(let left, let right): sides = (sides.left + left, sides.right + right)
                    }
                }
                return (sides.left + Self.more, sides.right + Self.more)
            case .same(let same):
                let before = index == 0 ? 0 : context, after = index == pieces.count - 1 ? 0 : context
                let left = same.count - before - after
                let shown =
                    left > context ? same.prefix(before) + "… \(left) the same …" + same.suffix(after) : same
                let room = min(rooms.left, rooms.right), isCut = shown.count > room
                let part = (isCut ? shown.prefix(room) : shown[...]) + (isCut ? Self.more : "")
                sides = (sides.left + part, sides.right + part)
                if isCut { return sides }
            }
        }
        return sides
    }

    /// What stands where a text is cut beside another one.
    private static let more = "… and more, which is not compared here"
}
