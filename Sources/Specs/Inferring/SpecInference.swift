import Foundation
import MigrationEngine
import StoreFormats

/// A draft of a spec that turns the stores before into those after, as far as both tell.
///
/// What it writes as a step was tried: it makes exactly what is there now, and nothing more the second time. What may be
/// chance stands in a remark, and so does what nothing explains. A value stands in the draft only where an operation needs it,
/// and it is no secret.
package struct SpecInference {
    /// The draft, which reads as a spec.
    package private(set) var text = ""
    /// How many values are explained by a step, by a remark only, and not at all.
    package private(set) var explained = 0, doubtful = 0, unexplained = 0

    private let before: any StoreReader, after: any StoreReader
    private let facts: Facts
    private let draft: InferredDraft
    private var rows: [InferredRow] = []
    /// How many rows have the name that is made of a key.
    private var ids: [String: Int] = [:]

    /// - Parameters:
    ///   - facts: What is known that stands in no store.
    ///   - isSecret: Whether an entry is likely to be a secret; nothing of it is written into the draft.
    package init(
        from before: any StoreReader, to after: any StoreReader, bundleIdentifier: String, facts: Facts,
        isSecret: @escaping (Address, Value) -> Bool
    ) {
        self.init(
            from: before, to: after, bundleIdentifier: bundleIdentifier, facts: facts, limits: .standard,
            isSecret: isSecret)
    }

    init(
        from before: any StoreReader, to after: any StoreReader, bundleIdentifier: String, facts: Facts,
        limits: InferenceLimits, isSecret: @escaping (Address, Value) -> Bool
    ) {
        (self.before, self.after, self.facts) = (before, after, facts)
        let comparison = StoreComparison(before, after)
        draft = InferredDraft(of: before.stores + after.stores, bundleIdentifier: bundleIdentifier)
        let known = SpecFacts(
            definitions: Dictionary(SpecFact.builtIn.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }),
            facts: facts)
        let old = Entries(of: before, limits)
        let index = InferenceIndex(old.readable, facts: known, limits: limits, name: draft.name)
        let solving = InferenceSolving(index, facts: known, limits: limits, isSecret: isSecret)
        // What may be another app's is no source and no target.
        let compared = comparison.entries.filter { $0.address.store.kind != .sqlite && !$0.address.store.isUnassigned }
        let tables = comparison.entries.count { $0.address.store.kind == .sqlite && $0.mark != .same }
        let rowsOfTables =
            tables == 0 ? [] : ["\(tables) rows of databases differ, and are not explained: no step writes a row"]
        var remarks: [String] = [], unread: [String] = [], progress = InferenceSolving.Progress(room: limits.parts)
        for entry in compared {
            switch entry.mark {
            case .unknown: unread.append(SpecWriting.remark("\(entry.address)"))
            case .added, .changed:
                guard let value = entry.after.value?.held(in: entry.addressAfter) else { continue }
                explain(entry, value, solving, &progress, &remarks)
            case .same, .removed: continue
            }
        }
        let ungrouped = group(old.keys, upTo: limits.groups)
        let gone = compared.filter { $0.mark == .removed }.map(\.address)
        let removal = removeSources(gone)
        let taken = rows.filter(\.removesSource).reduce(into: Set(removal)) { $0.formUnion($1.sources) }
        text = draft.text(
            rows, removing: removal, remarks: remarks, unread: unread, left: gone.filter { !taken.contains($0) },
            cuts: old.cuts + index.cuts + rowsOfTables + solving.cuts(progress)
                + (ungrouped > 0
                    ? [
                        "\(ungrouped) more groups of steps may each be one with a star: the first \(limits.groups) were tried"
                    ] : [])
                + comparison.unreadableStores.map { "\($0.store) cannot be read on both sides, and is not looked into" }
        )
    }

    /// What lies in stores.
    private struct Entries {
        /// What can be read, as the language holds it.
        private(set) var readable: [(address: Address, value: Value)] = []
        /// The keys of each store, in the order of their bytes.
        private(set) var keys: [StoreID: [String]] = [:]
        /// What was left out because of the limits, in words.
        private(set) var cuts: [String] = []

        init(of stores: any StoreReader, _ limits: InferenceLimits) {
            var kept = limits.parts, read = limits.reading, left = 0
            for store in stores.stores where !store.isUnassigned && stores.problem(with: store) == nil {
                let keys = stores.keys(in: store)
                for position in 0..<keys.count {
                    let key = keys.key(at: position), address = Address(store: store, key: key)
                    self.keys[store, default: []].append(key.text)
                    guard readable.count < limits.sources, read > 0 else {
                        left += 1
                        continue
                    }
                    guard let value = stores.state(at: address).value?.held(in: address) else { continue }
                    // Of a large file its content is no source of a value.
                    if case .data(let data) = value, data.count > 1 << 20 { continue }
                    let size = value.parts(upTo: read)
                    read -= size
                    guard size <= kept else {
                        left += 1
                        continue
                    }
                    kept -= size
                    readable.append((address, value))
                }
            }
            keys = keys.mapValues { $0.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
            if left > 0 {
                cuts.append("\(left) of the entries that were there were not looked at, as all hold too much together")
            }
        }
    }

    // MARK: One value

    private mutating func explain(
        _ entry: StoreComparison.Entry, _ value: Value, _ solving: InferenceSolving,
        _ progress: inout InferenceSolving.Progress, _ remarks: inout [String]
    ) {
        let place = entry.addressAfter, target = draft.name(place), key = place.key?.text ?? ""
        let words = NameWords(key.split(separator: "/").last.map(String.init) ?? key)
        // An entry that is there already is no source for itself, unless it is edited in place.
        let ways = solving.ways(to: value, at: place, words: words, &progress).filter { way in
            way.sources.allSatisfy { $0.source.entry != place } || isEdit(way, of: entry)
        }
        let leads = solving.proofs(of: value, at: place)
        guard let best = ways.first(where: { !$0.isWeak && leads($0) }) ?? ways.first(where: leads) else {
            unexplained += 1
            remarks.append("#   \(SpecWriting.remark(target))  (\(SpecDraft.kind(of: value)))")
            return
        }
        let others = Self.distinct(ways.filter { $0.cost <= best.cost + 1 && !$0.isWeak && leads($0) }, from: best)
        let told =
            ["# \(SpecWriting.remark(key)): \(best.evidence)"]
            + others.prefix(3).map { "#   or from \(SpecWriting.remark(Self.phrase($0)))" }
            + (others.count > 3 ? ["#   or from \(others.count - 3) more"] : [])
        let row = InferredRow(
            id: id(for: key), way: best, target: place,
            isInPlace: best.only?.entry == place && best.only?.isWhole ?? false,
            replaces: entry.mark == .changed && entry.address == place, remarks: told,
            sources: Set(best.sources.compactMap(\.source.entry)))
        if !best.isWeak, proves([row], removing: []) {
            explained += 1
            rows.append(row)
            ids[row.id] = 1
        } else {
            doubtful += 1
            remarks.append("#   \(SpecWriting.remark(target))  (\(best.evidence))")
            remarks.append("#     perhaps " + SpecWriting.remark(draft.line(row)))
        }
    }

    /// Whether a way edits an entry as a whole where it is; that it does nothing the second time is tried with the row.
    private func isEdit(_ way: InferredWay, of entry: StoreComparison.Entry) -> Bool {
        guard let only = way.only, only.entry == entry.addressAfter, only.isWhole, !way.chain.operations.isEmpty else {
            return false
        }
        return true
    }

    private static func distinct(_ ways: [InferredWay], from best: InferredWay) -> [InferredWay] {
        var seen: Set<String> = [phrase(best)]
        return ways.filter { seen.insert(phrase($0)).inserted }
    }

    /// A way in words: where from, through what.
    private static func phrase(_ way: InferredWay) -> String {
        let sources = way.sources.map(\.source.text).joined(separator: " and ")
        return sources + (way.chain.operations.isEmpty ? "" : ": \(way.chain.told)")
    }

    /// A name for a row that no other has, made of a key.
    private mutating func id(for key: String) -> String {
        let made = key.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "-").lowercased()
        let word = made.isEmpty ? "row" : String(made.prefix(60))
        guard var number = ids[word] else { return word }
        repeat { number += 1 } while ids["\(word)-\(number)"] != nil
        ids[word] = number
        return "\(word)-\(number)"
    }

    // MARK: Proof

    /// Whether steps make exactly what is there now, and have nothing to do the second time.
    private func proves(_ rows: [InferredRow], removing gone: [Address]) -> Bool {
        guard let spec = try? Spec(Data(draft.spec(rows, removing: gone).utf8)) else { return false }
        let migration = SpecMigration(spec), profile = migration.profiles[0]
        let plan = Plan(of: migration, profile: profile, facts: facts, stores: before, history: History(), check: {})
        guard plan.steps.allSatisfy({ $0.outcome.kind == .migrates }) else { return false }
        var seen = Overlay(before)
        for step in plan.steps { step.changes.forEach { seen.apply($0) } }
        for change in plan.steps.flatMap(\.changes) {
            guard let key = change.address.key else { return false }
            let made = seen.state(of: key, in: change.address.store),
                wanted = after.state(of: key, in: change.address.store)
            switch (made, wanted) {
            case (.absent, .absent): continue
            case (.present(let made), .present(let wanted)):
                let (held, other) = (made.held(in: change.address), wanted.held(in: change.address))
                guard held.likeness(to: other) == .same else { return false }
            default: return false
            }
        }
        let again = Plan(of: migration, profile: profile, facts: facts, stores: seen, history: History(), check: {})
        return again.steps.allSatisfy { [.unchanged, .skipped].contains($0.outcome.kind) }
    }

    // MARK: Several rows as one

    /// Joins three or more rows that differ in a part of their keys alone, which is the same on both sides.
    ///
    /// - Parameter keys: All keys that were there, in the order of their bytes.
    /// - Returns: How many groups were not tried.
    private mutating func group(_ keys: [StoreID: [String]], upTo limit: Int) -> Int {
        var groups: [String: [(row: Int, part: String)]] = [:], order: [String] = []
        for (number, row) in rows.enumerated() {
            guard let source = row.way.only, let from = source.entry, source.isWhole, !row.isInPlace, !row.replaces,
                let old = from.key?.text, let new = row.target.key?.text, let parts = Self.shared(old, new)
            else { continue }
            let operations = SpecWriting.flow(.list(row.way.chain.operations))
            let key = [
                "\(from.store)", "\(row.target.store)", source.type ?? "", operations, parts.old,
                parts.new,
            ].joined(separator: "\u{1F}")
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append((number, parts.part))
        }
        var dropped: Set<Int> = []
        // Each is tried on the whole store.
        let large = order.filter { groups[$0, default: []].count >= 3 }
        for key in large.prefix(limit) {
            guard let members = groups[key], let first = members.first,
                let source = rows[first.row].way.only?.entry, let old = source.key?.text,
                let new = rows[first.row].target.key?.text, let parts = Self.shared(old, new)
            else { continue }
            // Nothing else may fit: a star takes all that does.
            guard Self.count(of: keys[source.store] ?? [], longerThan: parts.old) == members.count else { continue }
            var row = rows[first.row]
            row.star = (starred(parts.old, in: source.store), starred(parts.new, in: row.target.store))
            row.remarks = ["# \(members.count) entries, each \(row.way.evidence)"]
            row.sources = Set(members.flatMap { rows[$0.row].sources })
            guard proves([row], removing: []) else { continue }
            rows[first.row] = row
            dropped.formUnion(members.dropFirst().map(\.row))
        }
        rows = rows.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
        return max(0, large.count - limit)
    }

    /// What two keys share at their ends, from what joins words on, and what stands before it in each.
    private static func shared(_ old: String, _ new: String) -> (
        part: String, old: String, new: String
    )? {
        let left = Array(old), right = Array(new)
        var best = 0
        // A part at the end of both, or the whole of one.
        while best < min(left.count, right.count), left[left.count - 1 - best] == right[right.count - 1 - best] {
            best += 1
        }
        var part = Array(left.suffix(best))
        // It begins behind what joins it to what is before.
        if best < left.count || best < right.count {
            guard let mark = part.firstIndex(where: { !$0.isLetter && !$0.isNumber }) else { return nil }
            part = Array(part[(mark + 1)...])
        } else if let mark = part.firstIndex(where: { "._-:".contains($0) }), mark + 1 < part.count {
            part = Array(part[(mark + 1)...])
        } else {
            return nil
        }
        guard !part.isEmpty, !part.contains("/") else { return nil }
        return (String(part), String(left.dropLast(part.count)), String(right.dropLast(part.count)))
    }

    /// How many keys begin with a text and go on.
    private static func count(of keys: [String], longerThan prefix: String) -> Int {
        var low = 0, high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle].utf8.lexicographicallyPrecedes(prefix.utf8) { low = middle + 1 } else { high = middle }
        }
        let fitting = keys[low...].prefix { $0.utf8.starts(with: prefix.utf8) }
        return fitting.count { $0.utf8.count > prefix.utf8.count }
    }

    private func starred(_ before: String, in store: StoreID) -> String {
        draft.name(Address(store: store, key: Name(before + "x"))).dropLast() + "*"
    }

    // MARK: Sources

    /// Lets rows take away what is gone and what they alone read; gives what several of them read.
    private mutating func removeSources(_ gone: [Address]) -> [Address] {
        var readers: [Address: [Int]] = [:]
        for (number, row) in rows.enumerated() {
            for entry in row.sources { readers[entry, default: []].append(number) }
        }
        var shared: [Address] = []
        for entry in gone {
            guard let reading = readers[entry] else { continue }
            let row = rows[reading[0]]
            if reading.count == 1, row.star == nil, row.way.only?.isWhole ?? false, !row.isInPlace {
                rows[reading[0]].removesSource = true
            } else if row.star == nil {
                shared.append(entry)
            }
        }
        for number in rows.indices where rows[number].star != nil {
            // All that a star takes must be gone, or nothing is taken away.
            rows[number].removesSource = true
            if !proves([rows[number]], removing: []) { rows[number].removesSource = false }
        }
        if !proves(rows, removing: shared) {
            // Together they do something else than each by itself: what is taken away is left to the person.
            for number in rows.indices { rows[number].removesSource = false }
            return []
        }
        return shared
    }
}
