import MigrationEngine
import StoreFormats

/// Rows that differ in a part of their keys alone, as one row with a star.
struct InferenceGroups {
    /// All keys that were there, in the order of their bytes.
    let keys: [StoreID: [String]]
    /// How many groups are tried, each on the whole store.
    let limit: Int
    /// Whether a row makes exactly what is there now.
    let proves: (InferredRow) -> Bool

    private typealias Member = (row: Int, shared: SharedPart)

    /// The groups of three and more rows, in the order of their first ones.
    private func groups(of rows: [InferredRow]) -> [[Member]] {
        var groups: [String: [Member]] = [:], order: [String] = []
        for (number, row) in rows.enumerated() where row.star == nil {
            guard let source = row.way.only, let from = source.entry, source.isWhole, source.picked == nil,
                !row.isInPlace, !row.replaces, let old = from.key?.text, let new = row.target.key?.text,
                let shared = SharedPart(old, new)
            else { continue }
            let operations = SpecWriting.flow(.list(row.way.chain.operations))
            let key = [
                "\(from.store)", "\(row.target.store)", source.type ?? "", operations, shared.old, shared.new,
                row.accessible ?? "",
            ].joined(separator: "\u{1F}")
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append((number, shared))
        }
        return order.compactMap { groups[$0] }.filter { $0.count >= 3 }
    }

    /// Joins three or more rows of which the part in which they differ is the same on both sides; says how many groups were
    /// not tried.
    func joined(_ rows: [InferredRow], _ draft: InferredDraft) -> (rows: [InferredRow], untried: Int) {
        var rows = rows, dropped: Set<Int> = []
        let groups = groups(of: rows)
        var written: [StoreID: [String]] = [:]
        for target in rows.lazy.flatMap(\.targets) {
            if let key = target.key { written[target.store, default: []].append(key.text) }
        }
        written = written.mapValues(Self.sorted)
        for members in groups.prefix(limit) {
            // What all have in common stands before the star, as what has it not is none of them.
            let common = Self.common(members.map(\.shared.part))
            guard let first = members.first, let source = rows[first.row].way.only?.entry,
                // Nothing else may fit: a star takes all that does, and what it stands for in the target no other row writes.
                Self.count(of: keys[source.store], longerThan: first.shared.old + common) == members.count,
                Self.count(of: written[rows[first.row].target.store], longerThan: first.shared.new + common)
                    == members.count
            else { continue }
            func starred(_ before: String, in store: StoreID) -> String {
                draft.name(Address(store: store, key: Name(before + "x"))).dropLast() + "*"
            }
            var row = rows[first.row]
            row.star = (
                starred(first.shared.old + common, in: source.store),
                starred(first.shared.new + common, in: row.target.store)
            )
            row.remarks = ["# \(members.count) entries, each \(row.way.evidence)"]
            row.sources = Set(members.flatMap { rows[$0.row].sources })
            row.targets = members.flatMap { rows[$0.row].targets }
            row.parts = members.map { rows[$0.row] }
            guard proves(row) else { continue }
            // It is called as what the keys begin with, where no other row is.
            let words = (first.shared.new + common).split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
            let id = words.joined(separator: "-").lowercased()
            if !id.isEmpty, !rows.contains(where: { $0.id == id }) { row.id = id }
            rows[first.row] = row
            dropped.formUnion(members.dropFirst().map(\.row))
        }
        let kept = rows.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
        return (kept, max(0, groups.count - limit))
    }

    /// What texts begin with, all of them, up to the last character that joins words.
    private static func common(_ texts: [String]) -> String {
        guard let first = texts.first else { return "" }
        var common = first[...]
        for text in texts { common = common.prefix(zip(common, text).prefix { $0 == $1 }.count) }
        while let last = common.last, last.isLetter || last.isNumber { common.removeLast() }
        // A star stands for something.
        return texts.contains { $0.count == common.count } ? "" : String(common)
    }

    /// Names in the order of their bytes.
    static func sorted(_ names: [String]) -> [String] {
        names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// How many of sorted names begin with a text and go on.
    private static func count(of names: [String]?, longerThan prefix: String) -> Int {
        let keys = names ?? []
        var low = 0, high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle].utf8.lexicographicallyPrecedes(prefix.utf8) { low = middle + 1 } else { high = middle }
        }
        let fitting = keys[low...].prefix { $0.utf8.starts(with: prefix.utf8) }
        return fitting.count { $0.utf8.count > prefix.utf8.count }
    }
}

/// What two keys share at their ends, from what joins words on or as a number, and what stands before it in each.
struct SharedPart {
    let part: String, old: String, new: String

    /// `nil` where they share nothing that would be a word or a number of its own.
    init?(_ old: String, _ new: String) {
        let left = Array(old), right = Array(new)
        var best = 0
        // A part at the end of both, or the whole of one.
        while best < min(left.count, right.count), left[left.count - 1 - best] == right[right.count - 1 - best] {
            best += 1
        }
        var part = Array(left.suffix(best))
        let isWhole = best == left.count && best == right.count
        func isJoint(_ character: Character) -> Bool { !character.isLetter && !character.isNumber }
        // It begins behind what joins it to what is before, also where that is another sign in each.
        let isJoined =
            best > 0 && best < min(left.count, right.count) && isJoint(left[left.count - 1 - best])
            && isJoint(right[right.count - 1 - best])
        let mark = part.firstIndex { isWhole ? "._-:".contains($0) : isJoint($0) }
        if isJoined {
            part = Array(left.suffix(best))
        } else if let mark, mark + 1 < part.count {
            part = Array(part[(mark + 1)...])
        } else {
            // Or it is the number at both ends.
            let digits = { (key: [Character]) in key.reversed().prefix(while: \.isNumber).count }
            let count = digits(left)
            guard count > 0, count == digits(right), count <= best, count < left.count, count < right.count else {
                return nil
            }
            part = Array(left.suffix(count))
        }
        guard !part.isEmpty, !part.contains("/") else { return nil }
        (self.part, self.old, self.new) = (
            String(part), String(left.dropLast(part.count)), String(right.dropLast(part.count))
        )
    }
}
