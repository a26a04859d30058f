/// The word that a mistyped one is likely meant to be.
package enum Nearest {
    /// The one in which the fewest letters differ, whatever their case.
    ///
    /// - Parameter limit: How many letters may differ; half of them, and at most 3, where nothing is said.
    package static func word(to word: String, among words: [String], limit: Int? = nil) -> String? {
        let limit = limit ?? max(1, min(3, word.count / 2))
        let sought = Array(word.lowercased().unicodeScalars)
        let ranked = words.map { (word: $0, distance: distance(sought, Array($0.lowercased().unicodeScalars))) }
        return ranked.filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.word
    }

    /// The name that is like what was typed, as a whole or, where none is, in its beginning: nobody types versions.
    package static func name(to typed: String, among names: [String]) -> String? {
        if let whole = word(to: typed, among: names) { return whole }
        guard typed.count > 3 else { return nil }
        let beginnings = (typed.count - 1...typed.count + 1).flatMap { length in
            names.map { (name: $0, beginning: String($0.prefix(length))) }
        }
        // Of a beginning the rest says nothing, so it must be nearer.
        let near = word(to: typed, among: beginnings.map(\.beginning), limit: max(1, min(2, typed.count / 4)))
        return beginnings.first { $0.beginning == near }?.name
    }

    /// What to say of names that are not known: the one that is meant, or all that there are.
    ///
    /// - Parameter others: How the sentence with all of them begins.
    package static func advice(on typed: [String], among names: [String], _ others: String) -> String {
        let near = typed.count == 1 ? typed.first.flatMap { name(to: $0, among: names) } : nil
        return near.map { "Did you mean \($0)?" } ?? "\(others): \(names.joined(separator: ", "))."
    }

    /// How many letters must be added, removed, replaced or swapped with their neighbours.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        guard left.count < 64, right.count < 64 else { return .max }
        var before: [Int] = [], row = Array(0...right.count)
        for (number, letter) in left.enumerated() {
            var next = [number + 1]
            for (column, other) in right.enumerated() {
                var best = min(next[column] + 1, row[column + 1] + 1, row[column] + (letter == other ? 0 : 1))
                if number > 0, column > 0, letter == right[column - 1], left[number - 1] == other {
                    best = min(best, before[column - 1] + 1)
                }
                next.append(best)
            }
            (before, row) = (row, next)
        }
        return row[right.count]
    }
}
