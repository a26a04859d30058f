import Foundation
import MigrationEngine
import StoreFormats

/// A draft of a spec that turns the stores before into those after, as far as both tell.
///
/// What it writes as steps was tried as a whole: run on the stores before, each makes exactly what is there now, and nothing
/// more the second time. What may be chance stands in a remark, and so does what nothing explains. A value stands in the draft
/// only where an operation needs it, and it is no secret.
package struct SpecInference {
    /// The draft, which reads as a spec.
    package private(set) var text = ""
    /// How many values are explained by a step, by a remark only, and not at all.
    package private(set) var explained = 0, doubtful = 0, unexplained = 0

    let before: any StoreReader, after: any StoreReader
    let facts: Facts
    let draft: InferredDraft
    private var rows: [InferredRow] = []
    /// How many rows have the name that is made of a key.
    private var ids = ["nothing": 1, "remove-sources": 1]
    /// What is not explained, or only perhaps.
    private var remarks: [String] = []
    /// What may have become something that no step makes: it is not taken away.
    private var doubted: Set<Address> = []

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
        var unread: [String] = [], progress = InferenceSolving.Progress(room: limits.parts)
        var choice = InferenceChoice()
        // Of very many not all ways are kept.
        let most = compared.count > 20_000 ? 3 : 12
        let kept = Set(comparison.same)
        for entry in compared {
            switch entry.mark {
            case .unknown: unread.append(SpecWriting.remark("\(entry.address)"))
            case .same where entry.forms == nil: continue
            case .added, .changed, .same:
                guard let value = entry.after.value?.held(in: entry.addressAfter) else { continue }
                choice.add(candidates(for: entry, value, solving, kept, &progress, upTo: most))
            case .removed: continue
            }
        }
        choice.decided(solving).forEach { decide($0, solving) }
        let groups = InferenceGroups(keys: old.keys, limit: limits.groups) { [self] in proves([$0]) }
        let joined = groups.joined(rows, draft)
        rows = joined.rows
        let gone = compared.filter { $0.mark == .removed }.map(\.address)
        let tried = proven(gone.filter { [doubted] in !doubted.contains($0) })
        text = draft.text(
            tried.rows, removing: tried.removal, remarks: remarks, unread: unread,
            left: gone.filter { !tried.removed.contains($0) },
            cuts: [tried.told(of: compared.count { $0.mark != .same || $0.forms != nil })].compactMap(\.self) + old.cuts
                + index.cuts
                + rowsOfTables + solving.cuts(progress)
                + (joined.untried > 0
                    ? [
                        "\(joined.untried) more groups of steps may each be one with a star: the first \(limits.groups) were tried"
                    ] : [])
                + comparison.unreadableStores.map {
                    "\($0.store) cannot be read on both sides, so that nothing tells what differs in it"
                }
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
            keys = keys.mapValues(InferenceGroups.sorted)
            if left > 0 {
                cuts.append("\(left) of the entries that were there were not looked at, as all hold too much together")
            }
        }
    }

    // MARK: One value

    /// What a source costs that is there afterwards too: as much as two operations.
    private static let staying = 2.0

    /// The ways to what an entry holds now that lead there, the likeliest first; where none is sure one that may be chance.
    private func candidates(
        for entry: StoreComparison.Entry, _ value: Value, _ solving: InferenceSolving, _ kept: Set<Address>,
        _ progress: inout InferenceSolving.Progress, upTo most: Int
    ) -> InferenceChoice.Case {
        let place = entry.addressAfter, key = place.key?.text ?? ""
        let words = NameWords(key.split(separator: "/").last.map(String.init) ?? key)
        // An entry that is there already is no source for itself, unless it is edited in place.
        var ways = solving.ways(to: value, at: place, words: words, &progress).filter { way in
            way.sources.allSatisfy { $0.source.entry != place } || isEdit(way, of: entry)
        }
        // What stays where it was needs no heir: what is gone goes before it.
        for number in ways.indices
        where ways[number].sources.contains(where: { $0.source.entry.map(kept.contains) ?? false }) {
            ways[number].cost += Self.staying
        }
        ways = ways.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }.map(\.element)
        let leads = solving.proofs(of: value, at: place)
        let shortest = ways.lazy.filter { !$0.undecided.isEmpty || leads($0) && !$0.isLongerThanNeeded(leads) }
        var found = Array(shortest.filter { !$0.isWeak }.prefix(most))
        if found.isEmpty { found = shortest.first { $0.isWeak }.map { [$0] } ?? [] }
        return InferenceChoice.Case(entry: entry, value: value, words: words, ways: found)
    }

    /// Writes a step for a value that is explained and proven by itself, or else a remark.
    private mutating func decide(_ decided: InferenceChoice.Decided, _ solving: InferenceSolving) {
        let entry = decided.entry, place = entry.addressAfter, target = draft.name(place), key = place.key?.text ?? ""
        guard let best = decided.way else {
            unexplained += 1
            let what =
                if case .otherForm(let before, let after)? = entry.forms {
                    "the same value in another form: \(before) before, \(after) after"
                } else { SpecDraft.kind(of: decided.value) }
            remarks.append("#   \(SpecWriting.remark(target))  (\(SpecWriting.remark(what)))")
            return
        }
        let others = Self.distinct(decided.others, from: best)
        let told =
            ["# \(SpecWriting.remark(key)): \(best.evidence)"]
            + others.prefix(3).map { "#   or from \(SpecWriting.remark(Self.phrase($0)))" }
            + (others.count > 3 ? ["#   or from \(others.count - 3) more"] : [])
        func accessible(_ stores: any StoreReader) -> String? {
            stores.state(at: place).value.flatMap { KeychainItem($0) }?.attributes["pdmn"]?.string
        }
        // What is the same but for when it can be read is written where it is.
        let staysAccessible = accessible(after).map { $0 == accessible(before) } ?? true
        let row = InferredRow(
            id: id(for: key), way: best, target: place,
            isInPlace: best.only?.entry == place && best.only?.isWhole ?? false && staysAccessible,
            replaces: entry.mark != .added && entry.address == place,
            accessible: accessible(after),
            newType: decided.value.languageType,
            remarks: told,
            sources: Set(best.sources.compactMap(\.source.entry)),
            targets: [place])
        if !best.isWeak, proves([row]) {
            explained += 1
            rows.append(row)
            ids[row.id] = 1
        } else {
            doubtful += 1
            doubted.formUnion(best.sources.compactMap(\.source.entry))
            remarks.append("#   \(SpecWriting.remark(target))  (\(best.evidence))")
            // Without an alias, so that it reads wherever it is put.
            let lines =
                (best.chain.operations.isEmpty && !best.undecided.isEmpty ? [] : [row]) + parts(of: best, row, solving)
            remarks += lines.map { "#     perhaps " + SpecWriting.remark(draft.line($0, isAlone: true)) }
        }
    }

    /// Rows of their own for what a way does not decide, where another entry held it.
    private func parts(of way: InferredWay, _ whole: InferredRow, _ solving: InferenceSolving) -> [InferredRow] {
        way.undecided.prefix(5).compactMap { place, value in
            let name = place.tokens.last?.text ?? "", target = whole.target.appending(place)
            guard !value.provesNothing,
                let part = solving.same(as: value, named: NameWords(name), besides: way.sources.map(\.source))
            else { return nil }
            return InferredRow(
                id: "\(whole.id)-\(SpecDraft.word(name, else: "part"))", way: part, target: target, isInPlace: false,
                replaces: false, accessible: nil, newType: value.languageType, remarks: [], sources: [],
                targets: [target])
        }
    }

    /// Whether a way edits an entry as a whole where it is; that it does nothing the second time is tried with the row.
    private func isEdit(_ way: InferredWay, of entry: StoreComparison.Entry) -> Bool {
        guard let only = way.only, only.entry == entry.addressAfter, only.isWhole else { return false }
        // What a type decodes is written anew without an operation, and of what is not decided nothing is written.
        return !way.chain.operations.isEmpty || only.type != only.storedType || !way.undecided.isEmpty
    }

    /// Other ways than the best, each once; from where the value is already, no longer one.
    private static func distinct(_ ways: [InferredWay], from best: InferredWay) -> [InferredWay] {
        var seen: Set<String> = [phrase(best)]
        let isSame = best.chain.operations.isEmpty, sources = best.sources.map(\.source.text)
        return ways.filter { way in
            !(isSame && way.sources.map(\.source.text) == sources) && seen.insert(phrase(way)).inserted
        }
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

    // MARK: All together

    /// Puts the rows into an order in which nothing is overwritten before it is read, and takes out what is not as it should
    /// be when all run one after the other.
    private mutating func proven(_ gone: [Address]) -> InferenceProof {
        let planned = rows
        var cycles: [[InferredRow]] = []
        (rows, cycles) = InferenceProof.ordered(rows)
        // What one row with a star does not do together with the others, those that it stands for may.
        let stars = Set(cycles.joined().filter { $0.star != nil }.map(\.id))
        if !stars.isEmpty {
            rows = Self.taken(apart: stars, of: planned)
            return proven(gone)
        }
        for cycle in cycles {
            let names = cycle.flatMap(\.targets).map(draft.name).sorted()
            for row in cycle {
                giveUp(row, "\(Self.listed(names)) take one another's values, which no order of steps does")
            }
        }
        // Each time at least one is taken out; what does not settle is not claimed.
        for _ in 0..<8 {
            let proof = InferenceProof(rows, removing: gone, of: self)
            if proof.failed.isEmpty { return proof }
            if rows.contains(where: { $0.star != nil && proof.failed.contains($0.id) }) {
                rows = Self.taken(apart: proof.failed, of: rows)
                return proven(gone)
            }
            for row in rows where proof.failed.contains(row.id) {
                giveUp(row, "\(row.way.evidence); together with the other steps it makes something else")
            }
            rows.removeAll { proof.failed.contains($0.id) }
        }
        rows.forEach { giveUp($0, "\($0.way.evidence); together with the other steps it makes something else") }
        rows = []
        return InferenceProof(rows, removing: [], of: self)
    }

    /// The rows, with those for which some with a star stand in place of them.
    private static func taken(apart stars: Set<String>, of rows: [InferredRow]) -> [InferredRow] {
        rows.flatMap { $0.star != nil && stars.contains($0.id) ? $0.parts : [$0] }
    }

    private mutating func giveUp(_ row: InferredRow, _ why: String) {
        explained -= row.targets.count
        unexplained += row.targets.count
        remarks += row.targets.map(draft.name).sorted().map {
            "#   \(SpecWriting.remark($0))  (\(SpecWriting.remark(why)))"
        }
    }

    private static func listed(_ names: [String]) -> String {
        names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
    }

    /// Whether a step makes exactly what is there now, and has nothing to do the second time.
    private func proves(_ rows: [InferredRow]) -> Bool {
        InferenceProof.failures(of: rows, removing: [], in: self)?.isEmpty ?? false
    }
}
