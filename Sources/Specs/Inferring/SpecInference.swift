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
    private let bundleIdentifier: String
    private let facts: Facts
    private let names: [StoreID: String]
    private var lines: [String] = []
    private var rows: [Row] = []

    /// A step that was tried.
    private struct Row {
        var id: String
        let way: InferredWay
        let target: Address
        let isInPlace: Bool
        let replaces: Bool
        /// What is told with it.
        let remarks: [String]
        var removesSource = false
        /// The prefixes and suffixes of a row that stands for several; the keys differ between them.
        var star: (source: String, target: String)?
    }

    /// - Parameters:
    ///   - facts: What is known that stands in no store.
    ///   - isSecret: Whether an entry is likely to be a secret; nothing of it is written into the draft.
    package init(
        from before: any StoreReader, to after: any StoreReader, bundleIdentifier: String, facts: Facts,
        isSecret: @escaping (Address, Value) -> Bool
    ) {
        (self.before, self.after, self.bundleIdentifier, self.facts) = (before, after, bundleIdentifier, facts)
        let comparison = StoreComparison(before, after)
        names = SpecDraft.aliases(of: before.stores + after.stores, bundleIdentifier: bundleIdentifier)
        let known = SpecFacts(
            definitions: Dictionary(SpecFact.builtIn.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }),
            facts: facts)
        var index = InferenceIndex([], facts: known) { _ in "" }
        let old = Self.entries(of: before)
        index = InferenceIndex(old, facts: known, name: name)
        let solving = InferenceSolving(index, facts: known, isSecret: isSecret)
        var tries = index.tries, remarks: [String] = [], unread: [String] = []
        for entry in comparison.entries {
            guard entry.address.store.kind != .sqlite else { continue }
            switch entry.mark {
            case .unknown: unread.append(SpecWriting.remark("\(entry.address)"))
            case .added, .changed:
                guard let value = entry.after.value?.held(in: entry.address) else { continue }
                explain(entry, value, solving, &tries, &remarks)
            case .same, .removed: continue
            }
        }
        rows = rows.filter { proves([$0], removing: []) }.reduce(into: []) { $0.append($1) }
        group(old.map(\.address))
        let gone = comparison.entries.filter { $0.mark == .removed && $0.address.store.kind != .sqlite }.map(\.address)
        let removal = removeSources(gone)
        write(
            removal, remarks, unread, gone,
            index.cuts
                + comparison.unreadableStores.map { "\($0.store) cannot be read on both sides, and is not looked into" }
        )
    }

    /// What can be read of the stores, as the language holds it.
    private static func entries(of stores: any StoreReader) -> [(address: Address, value: Value)] {
        var entries: [(Address, Value)] = []
        for store in stores.stores where stores.problem(with: store) == nil {
            let keys = stores.keys(in: store)
            for position in 0..<min(keys.count, InferenceLimit.sources) where entries.count < InferenceLimit.sources {
                let address = Address(store: store, key: keys.key(at: position))
                guard let value = stores.state(at: address).value?.held(in: address) else { continue }
                // Of a large file its content is no source of a value.
                if case .data(let data) = value, data.count > 1 << 20 { continue }
                entries.append((address, value))
            }
        }
        return entries
    }

    /// An address as a row names it.
    private func name(_ address: Address) -> String {
        let alias = names[address.store] ?? ""
        return alias + "/" + "\(address)".dropFirst("\(address.store)/".count)
    }

    // MARK: One value

    private mutating func explain(
        _ entry: StoreComparison.Entry, _ value: Value, _ solving: InferenceSolving, _ tries: inout Int,
        _ remarks: inout [String]
    ) {
        let target = name(entry.address), key = entry.address.key?.text ?? ""
        let words = NameWords(key.split(separator: "/").last.map(String.init) ?? key)
        // An entry that is there already is no source for itself, unless it is edited in place.
        let ways = solving.ways(to: value, at: entry.address, words: words, tries: &tries).filter { way in
            way.sources.allSatisfy { $0.source.entry != entry.address } || isEdit(way, of: entry)
        }
        guard let best = ways.first(where: { !$0.isWeak }) ?? ways.first else {
            unexplained += 1
            remarks.append("#   \(SpecWriting.remark(target))  (\(SpecDraft.kind(of: value)))")
            return
        }
        let others = Self.distinct(ways.filter { $0.cost <= best.cost + 1 && !$0.isWeak }, from: best)
        let told =
            ["# \(SpecWriting.remark(key)): \(best.evidence)"]
            + others.prefix(3).map { "#   or from \(SpecWriting.remark(Self.phrase($0)))" }
            + (others.count > 3 ? ["#   or from \(others.count - 3) more"] : [])
        let row = Row(
            id: uniqueID(for: key), way: best, target: entry.address,
            isInPlace: best.only?.entry == entry.address && best.only?.isWhole ?? false,
            replaces: entry.mark == .changed, remarks: told)
        if !best.isWeak, proves([row], removing: []) {
            explained += 1
            rows.append(row)
        } else {
            doubtful += 1
            remarks.append("#   \(SpecWriting.remark(target))  (\(best.evidence))")
            remarks.append("#     perhaps " + SpecWriting.remark(line(row)))
        }
    }

    /// Whether a way edits an entry where it is, and says by a condition when it has done so.
    private func isEdit(_ way: InferredWay, of entry: StoreComparison.Entry) -> Bool {
        guard let only = way.only, only.entry == entry.address, only.isWhole, !way.chain.operations.isEmpty else {
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

    private func uniqueID(for key: String) -> String {
        let made = key.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "-").lowercased()
        let word = made.isEmpty ? "row" : String(made.prefix(60)), taken = Set(rows.map(\.id))
        var id = word, number = 2
        while taken.contains(id) { (id, number) = ("\(word)-\(number)", number + 1) }
        return id
    }

    // MARK: Proof

    /// Whether steps make exactly what is there now, and have nothing to do the second time.
    private func proves(_ rows: [Row], removing gone: [Address]) -> Bool {
        let text = (head(rows) + rows.map { "- " + line($0) } + removal(gone)).joined(separator: "\n") + "\n"
        guard let spec = try? Spec(Data(text.utf8)) else { return false }
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
    private mutating func group(_ entries: [Address]) {
        var groups: [String: [(row: Int, part: String)]] = [:], order: [String] = []
        for (number, row) in rows.enumerated() {
            guard let source = row.way.only, let from = source.entry, source.isWhole, !row.isInPlace, !row.replaces,
                let old = from.key?.text, let new = row.target.key?.text, let parts = Self.shared(old, new)
            else { continue }
            let operations = SpecWriting.flow(.list(row.way.chain.operations))
            let key = [
                "\(from.store)", "\(row.target.store)", source.type ?? "", operations, parts.old.0, parts.old.1,
                parts.new.0, parts.new.1,
            ].joined(separator: "\u{1F}")
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append((number, parts.part))
        }
        var dropped: Set<Int> = []
        for key in order {
            guard let members = groups[key], members.count >= 3, let first = members.first,
                let source = rows[first.row].way.only?.entry, let old = source.key?.text,
                let new = rows[first.row].target.key?.text, let parts = Self.shared(old, new)
            else { continue }
            func pattern(_ side: (String, String)) -> String { side.0 + "\u{1}" + side.1 }
            // Nothing else may fit: a star takes all that does.
            let fitting = entries.filter { entry in
                guard entry.store == source.store, let text = entry.key?.text else { return false }
                return text.hasPrefix(parts.old.0) && text.hasSuffix(parts.old.1)
                    && text.utf8.count > parts.old.0.utf8.count + parts.old.1.utf8.count
            }
            guard fitting.count == members.count else { continue }
            var row = rows[first.row]
            row.star = (
                starred(parts.old, in: source.store), starred(parts.new, in: row.target.store)
            )
            let plain = Row(
                id: row.id, way: row.way, target: row.target, isInPlace: false, replaces: false,
                remarks: ["# \(members.count) entries, each \(row.way.evidence)"], star: row.star)
            guard proves([plain], removing: []) else { continue }
            rows[first.row] = plain
            dropped.formUnion(members.dropFirst().map(\.row))
        }
        rows = rows.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
    }

    /// What two keys share in their middles, up to what joins words, and what stands around it in each.
    private static func shared(_ old: String, _ new: String) -> (
        part: String, old: (String, String), new: (String, String)
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
        return (
            String(part), (String(left.dropLast(part.count)), ""), (String(right.dropLast(part.count)), "")
        )
    }

    private func starred(_ parts: (String, String), in store: StoreID) -> String {
        let before = name(Address(store: store, key: Name(parts.0 + "x"))).dropLast()
        return before + "*"
    }

    // MARK: Sources

    /// Lets rows take away what is gone and what they alone read; gives what several of them read.
    private mutating func removeSources(_ gone: [Address]) -> [Address] {
        var readers: [Address: [Int]] = [:]
        for (number, row) in rows.enumerated() {
            for entry in Set(row.way.sources.compactMap(\.source.entry)) { readers[entry, default: []].append(number) }
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

    private func removal(_ gone: [Address]) -> [String] {
        gone.isEmpty
            ? []
            : ["- {id: remove-sources, remove: [\(gone.map { SpecWriting.quoted(name($0)) }.joined(separator: ", "))]}"]
    }

    // MARK: Text

    private func head(_ rows: [Row]) -> [String] {
        let used = rows.flatMap { row in
            (row.isInPlace ? [] : [row.target.store]) + row.way.sources.compactMap(\.source.entry?.store)
        }
        let listed = (before.stores + after.stores).uniqued.filter(Set(used).contains)
        var lines = [
            "vestige: migration/1",
            "id: \(SpecDraft.word(bundleIdentifier.replacing(".", with: "-"), else: "app"))-inferred",
            "title: \(SpecWriting.quoted("What an update of \(bundleIdentifier) did, as two dumps tell"))",
            "apps: [\(SpecWriting.quoted(bundleIdentifier))]",
        ]
        if !listed.isEmpty { lines.append("stores:") }
        for store in listed { lines.append("  \(names[store] ?? ""): \(SpecWriting.quoted("\(store)"))") }
        return lines + ["steps:"]
    }

    private func line(_ row: Row) -> String {
        var members: [(String, SpecNode)] = [("id", .text(row.id))]
        if let only = row.way.only {
            members.append(("from", .text(row.star?.source ?? only.text)))
            if let type = only.type, !row.isInPlace || type.contains(" ") || row.way.conditions.isEmpty {
                members.append(("type", .text(type)))
            }
        } else {
            members.append(("from", .mapping(row.way.sources.map { ($0.name, .text($0.source.text)) })))
            if let type = row.way.sources.first?.source.type { members.append(("type", .text(type))) }
        }
        if row.isInPlace {
            let conditions =
                row.way.conditions.isEmpty ? row.way.only?.type.map { ["value is \($0)"] } ?? [] : row.way.conditions
            if !conditions.isEmpty, row.way.only?.type?.contains(" ") == false || !row.way.conditions.isEmpty {
                members.append(("if", .list(conditions.map(SpecNode.text))))
            }
        }
        if !row.way.chain.operations.isEmpty { members.append(("do", .list(row.way.chain.operations))) }
        if !row.isInPlace { members.append(("to", .text(row.star?.target ?? name(row.target)))) }
        if row.replaces, !row.isInPlace { members.append(("exists", .text("overwrite"))) }
        if row.removesSource { members.append(("source", .text("remove"))) }
        return SpecWriting.flow(.mapping(members))
    }

    private mutating func write(
        _ removal: [Address], _ remarks: [String], _ unread: [String], _ gone: [Address], _ cuts: [String]
    ) {
        lines = head(rows)
        for row in rows { lines += row.remarks + ["- " + line(row)] }
        lines += self.removal(removal)
        if rows.isEmpty { lines.append("- {id: nothing, leave: [], because: no new value is explained by an old one}") }
        if !remarks.isEmpty { lines += ["# not explained, or only perhaps:"] + remarks }
        let taken = Set(removal + rows.filter(\.removesSource).flatMap { $0.way.sources.compactMap(\.source.entry) })
        let read = Set(rows.flatMap { $0.way.sources.compactMap(\.source.entry) })
        let left = gone.filter { !taken.contains($0) }
        if !left.isEmpty,
            !rows.contains(where: { $0.star != nil && $0.removesSource })
                || left.contains(where: { !read.contains($0) })
        {
            lines.append("# gone, and no step takes it away:")
            lines += left.prefix(200).map { "#   \(SpecWriting.remark(name($0)))" }
            if left.count > 200 { lines.append("#   and \(left.count - 200) more") }
        }
        if !unread.isEmpty {
            lines += ["# cannot be read on both sides:"] + unread.prefix(200).map { "#   " + $0 }
        }
        lines += cuts.map { "# " + SpecWriting.remark($0) }
        text = lines.joined(separator: "\n") + "\n"
        // A draft that reads, as it was tried, is in the one form; one that does not is shown all the same.
        if let formatted = try? Spec.formatted(Data(text.utf8)) { text = formatted }
    }
}
