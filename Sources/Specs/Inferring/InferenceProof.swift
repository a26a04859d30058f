import Foundation
import MigrationEngine
import StoreFormats

/// Rows run one after the other as the migration that they are, on what was there before, beside what is there now.
struct InferenceProof {
    /// The rows, which take away what they alone read.
    private(set) var rows: [InferredRow]
    /// What a step behind them takes away, as it is named there, and all that the steps take away.
    private(set) var removal: [String] = []
    private(set) var removed: Set<Address> = []
    /// The names of the rows that do not make what is there now, or something else besides.
    private(set) var failed: Set<String> = []
    /// How many entries the steps change, each into what it is now.
    private var made = 0

    /// - Parameter gone: What was there before and is not there now.
    init(_ rows: [InferredRow], removing gone: [Address], of inference: SpecInference) {
        self.rows = rows
        for number in rows.indices { self.rows[number].removesSource = false }
        let plain = self.rows
        removeSources(Set(gone), gone, inference.draft)
        guard !rows.isEmpty else { return }
        var failures = tryAll(inference)
        if failures == [InferredDraft.removalID] {
            removal = []
            failures = tryAll(inference)
        }
        guard !failures.isEmpty else {
            count(gone)
            return
        }
        // Where something is taken away too early, that is left to the person.
        (self.rows, removal) = (plain, [])
        failed = tryAll(inference)
        count(gone)
    }

    /// What was proven, in a sentence; `nil` where there are no steps.
    ///
    /// - Parameter differing: How many entries differ.
    func told(of differing: Int) -> String? {
        guard !rows.isEmpty else { return nil }
        let told = "run as a whole on the old dump, the steps turn "
        if made == differing {
            return told
                + (made == 1
                    ? "the one entry that differs into what it is in the new one"
                    : "all \(made) entries that differ into what they are in the new one")
        }
        return told
            + "\(made) of the \(differing) entries that differ into what they are in the new one, and change no other"
    }

    private mutating func count(_ gone: [Address]) {
        let gone = Set(gone)
        let patterns = Set(removal)
        removed = rows.filter { $0.removesSource || $0.star.map { patterns.contains($0.source) } ?? false }
            .reduce(into: removed.filter { _ in !removal.isEmpty }) { $0.formUnion($1.sources) }.intersection(gone)
    }

    private mutating func tryAll(_ inference: SpecInference) -> Set<String> {
        guard let result = Self.run(rows, removing: removal, in: inference) else { return Set(rows.map(\.id)) }
        made = result.made
        return result.failed
    }

    /// The rows, or the removal, that fail by name; `nil` where they are no spec.
    static func failures(
        of rows: [InferredRow], removing removal: [String], in inference: SpecInference
    ) -> Set<String>? {
        run(rows, removing: removal, in: inference)?.failed
    }

    /// Runs rows: a step fails that does nothing, that changes an entry into something else than what is there now, or that has
    /// anything to do the second time.
    private static func run(
        _ rows: [InferredRow], removing removal: [String], in inference: SpecInference
    ) -> (failed: Set<String>, made: Int)? {
        guard let spec = try? Spec(Data(inference.draft.spec(rows, removing: removal).utf8)) else { return nil }
        let migration = SpecMigration(spec), profile = migration.profiles[0]
        func plan(_ stores: any StoreReader) -> Plan {
            Plan(of: migration, profile: profile, facts: inference.facts, stores: stores, history: History(), check: {})
        }
        var failed: Set<String> = [], makers: [Address: [String]] = [:], order: [Address] = []
        var seen = Overlay(inference.before)
        for step in plan(inference.before).steps {
            if step.outcome.kind != .migrates { failed.insert(step.id) }
            for change in step.changes {
                seen.apply(change)
                if makers[change.address] == nil { order.append(change.address) }
                makers[change.address, default: []].append(step.id)
            }
        }
        var made = 0
        for address in order {
            let isWanted: Bool
            switch (seen.state(at: address), inference.after.state(at: address)) {
            case (.absent, .absent): isWanted = true
            case (.present(let found), .present(let wanted)):
                let accessible = KeychainItem(wanted)?.attributes["pdmn"]
                isWanted =
                    found.held(in: address).likeness(to: wanted.held(in: address)) == .same
                    && (accessible == nil || KeychainItem(found)?.attributes["pdmn"] == accessible)
            default: isWanted = false
            }
            if isWanted { made += 1 } else { failed.formUnion(makers[address] ?? []) }
        }
        for step in plan(seen).steps where ![.unchanged, .skipped].contains(step.outcome.kind) {
            failed.insert(step.id)
        }
        return (failed, made)
    }

    // MARK: Order

    /// The rows in an order in which each entry is read before another row overwrites it; those of which no order does, apart.
    static func ordered(_ rows: [InferredRow]) -> (rows: [InferredRow], cycles: [[InferredRow]]) {
        var readers: [Address: [Int]] = [:], writers: [Address: Int] = [:]
        for (number, row) in rows.enumerated() {
            for entry in row.sources { readers[entry, default: []].append(number) }
            for entry in row.targets { writers[entry] = number }
        }
        let earlier = rows.enumerated().map { number, row in
            Set(row.targets.flatMap { readers[$0] ?? [] }).subtracting([number]).sorted()
        }
        var ordered: [InferredRow] = [], cycles: [[InferredRow]] = []
        for group in InferenceOrder.groups(earlier) {
            guard group.count == 1 else {
                cycles.append(group.map { rows[$0] })
                continue
            }
            var row = rows[group[0]]
            let isOverwritten = row.sources.contains { source in
                writers[source].map { $0 != group[0] } ?? false
            }
            row.keepsTarget = isOverwritten && !row.replaces && !row.isInPlace
            ordered.append(row)
        }
        return (ordered, cycles)
    }

    // MARK: Sources

    /// Lets rows take away what is gone and what they alone read; gives what several of them read to a step of its own.
    private mutating func removeSources(_ isGone: Set<Address>, _ gone: [Address], _ draft: InferredDraft) {
        var readers: [Address: [Int]] = [:], writers: [Address: Int] = [:]
        for (number, row) in rows.enumerated() {
            for entry in row.sources { readers[entry, default: []].append(number) }
            for entry in row.targets { writers[entry] = number }
        }
        for (number, row) in rows.enumerated() {
            guard row.way.only?.isWhole ?? false, !row.isInPlace, row.sources.isSubset(of: isGone) else { continue }
            let isAlone = row.sources.allSatisfy { readers[$0]?.count == 1 }
            if isAlone {
                rows[number].removesSource = true
            } else if let star = row.star {
                // All that the star takes is gone.
                if !removal.contains(star.source) { removal.append(star.source) }
                removed.formUnion(row.sources)
            }
        }
        for entry in gone where !removed.contains(entry) {
            guard let reading = readers[entry], let first = reading.first, !rows[first].removesSource,
                reading.allSatisfy({ rows[$0].star == nil })
            else { continue }
            removal.append(draft.name(entry))
            removed.insert(entry)
        }
        // At the end of the rows that each overwrite what the next one reads: the one whose source goes.
        var ends: [Int: Int?] = [:]
        for (number, row) in rows.enumerated() where row.replaces && !row.isInPlace {
            guard let source = row.way.only?.entry, var writer = writers[source], writer != number else { continue }
            // What the row reads is overwritten by a row whose source goes, or by one that reads what such a row overwrites.
            var path: [Int] = [], end: Int?
            while true {
                if let known = ends[writer] {
                    end = known
                    break
                }
                path.append(writer)
                if rows[writer].removesSource { end = writer }
                guard end == nil, let next = rows[writer].way.only?.entry.flatMap({ writers[$0] }), next != writer
                else {
                    break
                }
                writer = next
            }
            for step in path { ends[step] = .some(end) }
            guard let end, rows[end].star == nil, let entry = rows[end].way.only?.entry,
                draft.name(entry).isPlainCondition
            else { continue }
            rows[number].condition = "\(draft.name(entry)) exists"
        }
    }
}
