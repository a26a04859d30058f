/// How alike the names of two entries are: by their words, whatever joins them.
struct NameWords: Hashable, Sendable {
    let words: Set<String>

    /// The words of a name: `lastSyncDate`, `last_sync_date` and `last-sync-date` have the same.
    init(_ text: String) {
        var words: Set<String> = [], word = "", wasLower = false
        for character in text.prefix(200) {
            let isWord = character.isLetter || character.isNumber
            if !isWord || character.isUppercase && wasLower {
                if !word.isEmpty { words.insert(word) }
                word = ""
            }
            if isWord { word += character.lowercased() }
            wasLower = character.isLowercase || character.isNumber
        }
        if !word.isEmpty { words.insert(word) }
        self.words = words
    }

    /// The share of the words that both have, from 0 to 1; `app` is `application` cut short.
    func likeness(to other: NameWords) -> Double {
        let both = words.count { word in other.words.contains { Self.isAlike(word, $0) } }
        let all = words.count + other.words.count - both
        return all == 0 ? 0 : Double(both) / Double(all)
    }

    private static func isAlike(_ left: String, _ right: String) -> Bool {
        left == right || min(left.count, right.count) >= 3 && (left.hasPrefix(right) || right.hasPrefix(left))
    }
}
