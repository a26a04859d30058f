import MigrationEngine
import StoreFormats

/// A removal while it runs: what other rows have taken on goes, and what did not arrive stays, unless the spec says so.
struct RemovalRun {
    let step: SpecStep
    let removal: SpecRemoval
    var run: SpecRun

    mutating func take() throws(StepStop) {
        try run.checkRequirements()
        let rule = step.rule ?? "removed, as other steps have taken it on"
        // Before the first removal: a row may read more than one entry.
        let before = run
        var found: [Address] = [], seen: Set<Address> = []
        for address in removal.addresses ?? run.context.rows.flatMap(\.row.addresses) {
            let pattern = try run.pattern(address)
            for match in try pattern.matches(in: run.transaction.seen) {
                // Of what lies in a document only its fields go where that was asked for by an alias.
                let whole = pattern.filled(match)
                let address = removal.addresses == nil && !address.isField ? whole.entry : whole
                if seen.insert(address).inserted { found.append(address) }
            }
        }
        var present: [Address] = []
        for address in found {
            switch run.transaction.read(address) {
            case .absent: break
            case .present: present.append(address)
            case .unreadable(let reason): throw .unreadable(address, reason)
            }
        }
        guard !present.isEmpty else { throw .skipped("absent", "there is nothing left to remove") }
        var arrived: Set<Address> = [], whole: Set<Address> = []
        var left: [Address: [(address: Address, stop: StepStop)]] = [:]
        // What they make is counted anew: nothing of it is kept.
        var allowance = Allowance.migration
        for (step, row) in run.context.rows {
            var row = RowRun(step, row, before)
            row.run.transaction.allowance = allowance
            defer { allowance = row.run.transaction.allowance }
            do throws(StepStop) {
                try row.take()
            } catch {
                for source in row.run.used { left[source.entry, default: []].append((source, error)) }
            }
            arrived.formUnion(row.arrived)
            whole.formUnion(row.arrived.subtracting(row.partial))
            for (source, stop) in row.left { left[source.entry, default: []].append((source, stop)) }
        }
        let entries = Set(arrived.map(\.entry))
        var stays: [String] = []
        for address in present {
            let hasArrived = arrived.contains(address) || address.pointer.isRoot && entries.contains(address)
            let reasons = left[address.entry, default: []].filter { $0.address == address || address.pointer.isRoot }
                .map { $0.stop.outcome.reason?.sentence ?? $0.stop.outcome.kind.rawValue }.uniqued
            guard hasArrived || removal.removesUnmigrated else {
                stays.append("\(address) stays, as nothing has taken it on" + (reasons.first.map { ": \($0)" } ?? ""))
                continue
            }
            try run.transaction.discard(
                address, rule: rule,
                notes: run.notes(of: step) + reasons.map { "it was not migrated and would be lost: \($0)" },
                // What rows have taken only a part of is lost with the rest.
                effect: hasArrived ? arrived.contains(address) && !whole.contains(address) ? .dropped : .carried : nil)
        }
        if stays.count == present.count { throw .skipped("not-migrated", stays.joined(separator: "; ")) }
    }
}

extension SpecAddress {
    /// Whether it is a field of a document by its alias, where fields act as keys.
    fileprivate var isField: Bool {
        guard alias != nil else { return false }
        return !text.contains("#")
            && templates.contains { template in
                template.pieces.contains { if case .text(let text) = $0 { text.contains("#/") } else { false } }
            }
    }
}
