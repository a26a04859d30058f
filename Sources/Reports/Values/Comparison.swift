import MigrationEngine
import StoreFormats

/// Two values laid side by side, part by part.
package struct Comparison: Sendable {
    /// How the two sides of a row differ.
    package enum Mark: String, Hashable, Sendable {
        case same, changed, removed, added

        /// The sign in the gutter, which says the same as the colour.
        package var sign: String {
            switch self {
            case .same: " "
            case .changed: "~"
            case .removed: "-"
            case .added: "+"
            }
        }
    }

    /// A row: the same part on both sides.
    package struct Row: Hashable, Sendable {
        /// How the sides differ.
        package var mark: Mark
        /// How far in, from 0.
        package var depth: Int
        /// The key or the position, or `nil` for the whole.
        package var key: String?
        /// Where the part is.
        package var pointer: JSONPointer
        /// The same, as it may be shown.
        package var place: String
        /// The part before, in a few words.
        package var left: String?
        /// The part after, in a few words.
        package var right: String?
        /// Whether only one side has parts, so that they do not tell what the other one was.
        package var isReplaced = false

        /// A row that says something of those around it.
        static func words(_ text: String, depth: Int) -> Row {
            Row(mark: .same, depth: depth, key: nil, pointer: JSONPointer(), place: "", left: text, right: nil)
        }
    }

    /// The sides.
    package enum Side: Hashable, Sendable {
        /// What was there before.
        case left
        /// What is there afterwards.
        case right
    }

    /// The rows, depth first; parts of the left side first, in its order, then those of the right side alone.
    package private(set) var rows: [Row]
    /// Whether there are more rows, in which the sides may differ.
    private(set) var isCut = false

    /// Compares two values that hold no secret.
    package init(_ left: Value?, _ right: Value?, limit: Int = 2000) {
        self.init(
            left, right, limit: limit, in: (SecretContext(), SecretContext()), Masking(isRevealing: true)
        ) { _, _, _, _ in nil }
    }

    /// Compares two values; a part that another format holds is compared by what it means.
    ///
    /// - Parameters:
    ///   - limit: How many rows at most; a last row says that there are more.
    ///   - contexts: What the place of each side says of it.
    ///   - masking: How keys are shown, whether secrets are looked for, and what may be decoded.
    ///   - isWhole: Whether the parts that are the same are listed, too.
    ///   - display: What to show in place of a part, by its side, its path and its place; `nil` shows it as it is.
    init(
        _ left: Value?, _ right: Value?, limit: Int = 2000, in contexts: (left: SecretContext, right: SecretContext),
        _ masking: Masking, isWhole: Bool = true,
        display: (Side, JSONPointer, Value, SecretContext) -> String?
    ) {
        let budget = masking.budget ?? AnswerBudget(), isSearched = !masking.isRevealing
        var rows: [Row] = [], unlisted = 0, words = TextDifference.Budget()
        typealias Sides = (depth: Int, key: Name?, pointer: JSONPointer, left: ValuePart?, right: ValuePart?)
        var stack: [Sides] = [
            (
                0, nil, JSONPointer(), left.map { ValuePart(key: nil, value: $0, context: contexts.left) },
                right.map { ValuePart(key: nil, value: $0, context: contexts.right) }
            )
        ]
        while let (depth, key, pointer, left, right) = stack.popLast() {
            guard rows.count < limit else {
                isCut = true
                break
            }
            let mark = Self.mark(left?.value, right?.value)
            // What differs goes before what is the same, wherever in the value it is.
            if mark == .same, !isWhole || rows.count >= limit / 2 {
                unlisted += 1
                continue
            }
            var hiddenLeft = left.flatMap { display(.left, pointer, $0.value, $0.context) }
            var hiddenRight = right.flatMap { display(.right, pointer, $0.value, $0.context) }
            // What is secret on one side is compared as a secret: otherwise one would tell the other.
            if hiddenLeft != nil, hiddenRight == nil, let right, !right.value.hasParts(within: budget.show) {
                hiddenRight = Secrets.placeholder(right.value)
            }
            if hiddenRight != nil, hiddenLeft == nil, let left, !left.value.hasParts(within: budget.show) {
                hiddenLeft = Secrets.placeholder(left.value)
            }
            if mark == .changed, let left = hiddenLeft, let right = hiddenRight {
                (hiddenLeft, hiddenRight) = Secrets.toldApart(left, right)
            }
            var texts = (
                left: hiddenLeft ?? left?.value.summary(key: masking.key, within: budget.show),
                right: hiddenRight ?? right?.value.summary(key: masking.key, within: budget.show)
            )
            if mark == .changed, hiddenLeft == nil, hiddenRight == nil,
                let left = left?.value, let right = right?.value, !left.hasParts(within: budget.show),
                !right.hasParts(within: budget.show)
            {
                texts = Value.toldApart((left, texts.left ?? ""), (right, texts.right ?? ""), context: 40, &words)
            }
            rows.append(
                Row(
                    mark: mark, depth: depth, key: key.map(masking.key), pointer: pointer,
                    place: masking.place(pointer), left: texts.left, right: texts.right))
            func parts(_ side: ValuePart?, _ hidden: String?) -> ValueParts {
                (hidden == nil ? side?.parts(within: budget, isSearched: isSearched) : nil) ?? ValueParts()
            }
            let leftParts = parts(left, hiddenLeft), rightParts = parts(right, hiddenRight)
            rows[rows.count - 1].isReplaced = mark == .changed && leftParts.isEmpty != rightParts.isEmpty
            var (pairs, same) = Self.pairs(leftParts, rightParts, isWhole: isWhole)
            let count = same + pairs.count
            if count > limit - rows.count {
                // Of more than can be shown, those that differ.
                pairs.removeAll { $0.left?.value == $0.right?.value }
                if pairs.count < count {
                    rows.append(.words("… \(count - pairs.count) that are the same", depth: depth + 1))
                }
            } else {
                unlisted += same
            }
            let shown = pairs.prefix(limit - rows.count + 1).reversed()
            isCut = isCut || shown.count < pairs.count
            stack += shown.map { (depth + 1, $0.key, pointer.appending($0.key ?? ""), $0.left, $0.right) }
        }
        if isCut {
            rows.append(.words("… cut after \(limit) rows", depth: 0))
        } else if unlisted > 0 {
            rows.append(.words("… \(unlisted) more that are the same", depth: 0))
        }
        self.rows = rows
    }

    private typealias Pair = (key: Name?, left: ValuePart?, right: ValuePart?)

    /// The parts of two values by their keys: those of the left in its order, then those of the right alone; where a key stands
    /// more than once each goes with the one that stands there as often before.
    ///
    /// - Parameter isWhole: Whether those are among them that are the same; where not, how many were left out.
    private static func pairs(
        _ left: ValueParts, _ right: ValueParts, isWhole: Bool
    ) -> (pairs: [Pair], same: Int) {
        var pairs: [Pair] = [], position = 0, same = 0
        // As long as both have the same keys each goes with the one at its position: of many parts most are mostly the same, and
        // only looked at.
        let shorter = min(left.count, right.count)
        while position < shorter, left.key(at: position) == right.key(at: position) {
            if !isWhole, left.value(at: position) == right.value(at: position) {
                same += 1
            } else {
                pairs.append((left.key(at: position), left[position], right[position]))
            }
            position += 1
        }
        // So of those behind what came or went, where it stands nowhere among them.
        let tail = sharedTail(left, right, from: position)
        var behind: [Pair] = []
        for back in (0..<tail).reversed() {
            let (own, other) = (left.count - 1 - back, right.count - 1 - back)
            if !isWhole, left.value(at: own) == right.value(at: other) {
                same += 1
            } else {
                behind.append((left.key(at: own), left[own], right[other]))
            }
        }
        let (both, alone) = self.pairs(
            left.dropFirst(position).dropLast(tail), right.dropFirst(position).dropLast(tail))
        return (pairs + both + behind + alone, same)
    }

    /// How many at the end have the same keys, none of which stands between them and a position.
    private static func sharedTail(_ left: ValueParts, _ right: ValueParts, from position: Int) -> Int {
        let most = min(left.count, right.count) - position
        var tail = 0
        while tail < most, left.key(at: left.count - 1 - tail) == right.key(at: right.count - 1 - tail) { tail += 1 }
        let between =
            (position..<(left.count - tail)).map(left.key) + (position..<(right.count - tail)).map(right.key)
        // Of many the keys are looked up for all at once.
        guard between.count <= 8 else { return 0 }
        return (left.count - tail..<left.count).contains { between.contains(left.key(at: $0)) } ? 0 : tail
    }

    /// Those of the left with those of the right that go with them, and those of the right alone.
    private static func pairs(
        _ left: Slice<ValueParts>, _ right: Slice<ValueParts>
    ) -> (both: [Pair], alone: [Pair]) {
        let left = numbered(left), right = numbered(right), leftKeys = Set(left.map(\.place))
        let rightByPlace = Dictionary(right.map { ($0.place, $0.part) }) { first, _ in first }
        return (
            left.map { ($0.place.key, $0.part, rightByPlace[$0.place]) },
            right.filter { !leftKeys.contains($0.place) }.map { ($0.place.key, nil, $0.part) }
        )
    }

    /// A key, and how often it stood before.
    private struct Occurrence: Hashable {
        let key: Name?, number: Int
    }

    private static func numbered(_ parts: Slice<ValueParts>) -> [(place: Occurrence, part: ValuePart)] {
        var counts: [Name?: Int] = [:]
        return parts.map { part in
            let number = counts[part.key, default: 0]
            counts[part.key] = number + 1
            return (Occurrence(key: part.key, number: number), part)
        }
    }

    /// Words keychain items: their attributes by what they are called, and not those that stay the same.
    ///
    /// - Parameter items: Whether each side is an item.
    mutating func rename(_ items: [Bool], _ label: (Name) -> String?) {
        let whole = "keychain item"
        rows.removeAll {
            $0.mark == .same && $0.pointer.tokens.count == 1 && $0.pointer.tokens[0] != KeychainItem.dataKey
        }
        for index in rows.indices {
            let row = rows[index]
            if row.depth == 0 {
                (rows[index].left, rows[index].right) = (items[0] ? whole : row.left, items[1] ? whole : row.right)
            } else if row.depth == 1, let token = row.pointer.tokens.first, let name = label(token) {
                rows[index].key = name
            }
        }
    }

    private static func mark(_ left: Value?, _ right: Value?) -> Mark {
        guard let left else { return .added }
        guard let right else { return .removed }
        return left == right ? .same : .changed
    }
}
