/// How alike the names of two entries are: by their words, whatever joins them.
struct NameWords: Hashable, Sendable {
    let words: Set<String>

    /// The words of a name: `lastSyncDate`, `last_sync_date` and `last-sync-date` have the same, `slot1` those of `slot_1`, and
    /// `MPPeopleID` is `MP`, `People` and `ID`.
    init(_ text: String) {
        var words: Set<String> = [], word = "", last: Character?
        let characters = Array(text.prefix(200))
        func end() {
            if !word.isEmpty { words.insert(word) }
            word = ""
        }
        for (position, character) in characters.enumerated() {
            guard character.isLetter || character.isNumber else {
                end()
                last = nil
                continue
            }
            if let last {
                let isNext = position + 1 < characters.count && characters[position + 1].isLowercase
                let startsWord = character.isUppercase && (last.isLowercase || last.isUppercase && isNext)
                if startsWord || last.isNumber != character.isNumber { end() }
            }
            word += character.lowercased()
            last = character
        }
        end()
        self.words = words
    }

    private init(_ words: Set<String>) { self.words = words }

    /// The words of both.
    func adding(_ other: NameWords) -> NameWords { NameWords(words.union(other.words)) }

    /// The share of the words that both have, from 0 to 1; `app` is `application` cut short.
    ///
    /// A number alone makes no two names alike: it only tells one of several from another.
    func likeness(to other: NameWords) -> Double {
        let both = words.filter { word in other.words.contains { Self.isAlike(word, $0) } }
        let all = words.count + other.words.count - both.count
        guard all > 0 else { return 0 }
        let share = Double(both.count) / Double(all)
        return both.allSatisfy(\.isNumber) ? min(share, 0.2) : share
    }

    private static func isAlike(_ left: String, _ right: String) -> Bool {
        left == right || min(left.count, right.count) >= 3 && (left.hasPrefix(right) || right.hasPrefix(left))
    }
}

extension String {
    fileprivate var isNumber: Bool { first?.isNumber ?? false }
}

/// Names by the beginnings of their words, so that like ones are found without comparing each with each.
struct NameIndex {
    private var positions: [Substring: [Int]] = [:]

    /// Two words that are alike begin with the same three characters, or are the same.
    private static func stem(_ word: String) -> Substring { word.isNumber ? word[...] : word.prefix(3) }

    /// Enters a name; positions come in ascending order.
    mutating func add(_ position: Int, _ words: NameWords) {
        for stem in Set(words.words.map(Self.stem)) { positions[stem, default: []].append(position) }
    }

    /// The names that share the beginning of a word with one, in ascending order; of more than the limit those that share
    /// one that few others have.
    func positions(like words: NameWords, upTo limit: Int) -> [Int] {
        let lists = Set(words.words.map(Self.stem)).compactMap { stem in positions[stem].map { (stem, $0) } }
            .sorted { ($0.1.count, $0.0) < ($1.1.count, $1.0) }
        var found: Set<Int> = []
        for (_, list) in lists {
            for position in list {
                guard found.count < limit else { return found.sorted() }
                found.insert(position)
            }
        }
        return found.sorted()
    }
}
