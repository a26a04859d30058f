import MigrationEngine
import StoreFormats

extension SpecProfile {
    /// What comes of the order of its steps: the rows that read what is taken away before, those whose item moves, and what is wrong.
    typealias OrderFindings = (early: [Int: [Int]], moved: [Int: Int], problems: [SpecProblem])

    /// All of it, of many steps on two cores.
    func orderFindings() -> OrderFindings {
        @Sendable func rest() -> OrderFindings { ([:], movedAfterwards(), overwrittenEarly() + overlappingWriters()) }
        guard steps.count >= 512 else {
            let rest = rest()
            return (readAfterwards(), rest.moved, rest.problems)
        }
        let parts = concurrently(2) { part -> OrderFindings in part == 0 ? (readAfterwards(), [:], []) : rest() }
        return (parts[0].early, parts[1].moved, parts[1].problems)
    }

    /// The steps that take away what later rows read, each with those rows, by their positions: of each entry the next one.
    func readAfterwards() -> [Int: [Int]] {
        var found: [Int: [Int]] = [:], compared = 0, anyReader: Int?
        /// The next row that reads an entry; those behind the step that is looked at, from the last one on.
        var readers: [AddressTemplate: Int] = .init(minimumCapacity: steps.count)
        var starred: [[UInt8?]: Int] = [:]
        for index in steps.indices.reversed() {
            var gone: [AddressTemplate] = [], reads: [AddressTemplate] = [], readsValue = false
            var except: [AddressTemplate] = []
            switch steps[index].work {
            case .row(let row):
                let sources = row.addresses.flatMap(\.templates)
                readsValue = !sources.isEmpty
                // The target itself is never taken away.
                if row.source != .keep || row.setsAside {
                    gone = sources.without(row.to.targets.flatMap(\.address.templates))
                    except = row.except.flatMap(\.templates)
                }
                reads = sources + (row.conditions + row.checks).flatMap(\.addresses).flatMap(\.templates)
            case .removal(let removal):
                gone = (removal.addresses ?? []).flatMap(\.templates)
                if removal.addresses == nil { found[index] = anyReader.map { [$0] } }
            case .document, .note: break
            }
            var next = gone.compactMap { readers[$0] }
            let stars = gone.filter { $0.stars > 0 }
            compared += stars.count * (readers.count + starred.count * 25)
            if !stars.isEmpty, compared < SpecText.Limit.comparisons {
                let patterns = stars.compactMap(\.starred), left = ExceptedAddresses(except.compactMap(\.constant))
                next += readers.compactMap { template, reader in
                    template.address.flatMap { address in
                        patterns.contains { $0.match(address) != nil } && !left.contain(address) ? reader : nil
                    }
                }
                // Of names with a star those that all are among them, unless all of these are left out; others may be meant to
                // be what is left.
                let signs = stars.map(\.signs), apart = except.map(\.signs)
                next += starred.compactMap { read, reader in
                    signs.contains(where: read.isWithin) && !apart.contains(where: read.isWithin) ? reader : nil
                }
            }
            if !next.isEmpty { found[index] = Set(next).sorted() }
            if readsValue { anyReader = index }
            for template in reads {
                readers[template] = index
                if template.stars > 0 { starred[template.signs] = index }
                // Who takes the entry away takes the part that is read too.
                if let entry = template.entry { readers[entry] = index }
            }
        }
        return found
    }

    /// The rows and removals that take an item of a list away while a later row reads one behind it, which then has its number;
    /// each with the next of those rows, by their positions.
    ///
    /// Within one step the last item goes first.
    func movedAfterwards() -> [Int: Int] {
        var found: [Int: Int] = [:]
        /// The next row that reads an item of a list, by the number of the item.
        var readers: [AddressTemplate: [Int: Int]] = [:]
        for index in steps.indices.reversed() {
            var gone: [AddressTemplate] = [], reads: [AddressTemplate] = []
            switch steps[index].work {
            case .row(let row):
                reads = row.addresses.flatMap(\.templates)
                if row.source != .keep { gone = reads }
            case .removal(let removal): gone = (removal.addresses ?? []).flatMap(\.templates)
            case .document, .note: break
            }
            if !readers.isEmpty {
                let next = gone.compactMap { $0.items.last }.flatMap { item in
                    (readers[item.list] ?? [:]).filter { $0.key > item.number }.values
                }
                if let next = next.min() { found[index] = next }
            }
            for item in reads.flatMap({ $0.items }) { readers[item.list, default: [:]][item.number] = index }
        }
        return found
    }

    /// Rows that overwrite what a later row reads, so that this takes the new value and the old one is gone.
    ///
    /// A row in place is meant to work on what those before it made; so is one that reads what a row without
    /// `exists: overwrite` wrote, as that loses nothing.
    func overwrittenEarly() -> [SpecProblem] {
        let overwrites = steps.contains { if case .row(let row) = $0.work { row.exists == .overwrite } else { false } }
        guard overwrites else { return [] }
        var found: [SpecProblem] = [], writers: [AddressTemplate: Int] = [:]
        for (index, step) in steps.enumerated() {
            guard case .row(let row) = step.work else { continue }
            let targets = row.to.targets.flatMap(\.address.templates)
            // Once for each row that reads, of the first that overwrote.
            if let early = Set(row.addresses.flatMap(\.templates)).compactMap({ writers[$0] }).min(), !targets.isEmpty {
                found.append(
                    SpecProblem(
                        .removedEarly, at: steps[early].place,
                        "\(step.id) reads what this row overwrites: it gets the new value, and the old one is gone",
                        fix: "Put \(step.id) before it."))
            }
            guard row.exists == .overwrite else { continue }
            for target in targets where writers[target] == nil { writers[target] = index }
        }
        return found
    }

    /// Rows each of which overwrites what the next one reads, and the last what the first does, each cycle once; the first of
    /// each is that of the file.
    ///
    /// A row with conditions may be meant for another case than the others.
    func cyclesOfWrites() -> [[SpecStep]] {
        var readers: [AddressTemplate: [Int]] = [:], written: [Int: [AddressTemplate]] = [:]
        for (index, step) in steps.enumerated() {
            guard case .row(let row) = step.work, row.exists == .overwrite, row.conditions.isEmpty else { continue }
            let targets = row.to.targets.flatMap(\.address.templates)
            guard !targets.isEmpty else { continue }
            written[index] = targets
            for template in Set(row.addresses.flatMap(\.templates)) { readers[template, default: []].append(index) }
        }
        /// The rows that read what a row overwrites.
        func next(_ index: Int) -> [Int] {
            (written[index] ?? []).flatMap { readers[$0] ?? [] }.filter { $0 != index }
        }
        var cycles: [[SpecStep]] = [], done: Set<Int> = [], told: Set<Int> = []
        for start in written.keys.sorted() where !done.contains(start) {
            // The way from the start, each row with those behind it that are still to be looked at.
            var way = [(row: start, rest: next(start))], position = [start: 0]
            while let last = way.last {
                guard let following = last.rest.last else {
                    done.insert(last.row)
                    position[last.row] = nil
                    way.removeLast()
                    continue
                }
                way[way.count - 1].rest.removeLast()
                if let first = position[following] {
                    let cycle = way[first...].map(\.row)
                    guard told.isDisjoint(with: cycle), let least = cycle.min(), let turn = cycle.firstIndex(of: least)
                    else { continue }
                    told.formUnion(cycle)
                    cycles.append((cycle[turn...] + cycle[..<turn]).map { steps[$0] })
                } else if !done.contains(following) {
                    position[following] = way.count
                    way.append((following, next(following)))
                }
            }
        }
        return cycles
    }
}

extension [AddressTemplate] {
    /// Those that are none of others; most rows have one of each.
    fileprivate func without(_ others: [AddressTemplate]) -> [AddressTemplate] {
        if others.count < 4 { return filter { !others.contains($0) } }
        let others = Set(others)
        return filter { !others.contains($0) }
    }
}

extension AddressTemplate {
    /// The items of lists that it leads through, the last one the innermost; a field whose name is a number may be one.
    fileprivate var items: [(list: AddressTemplate, number: Int)] {
        guard !isWholeEntry, case .text(let text)? = pieces.last, let mark = text.utf8.firstIndex(of: UInt8(ascii: "#"))
        else {
            return []
        }
        let tokens = text[mark...].split(separator: "/", omittingEmptySubsequences: false)
        return tokens.indices.dropFirst().compactMap { index in
            guard let number = Int(tokens[index]), number >= 0 else { return nil }
            let list = text[..<mark] + tokens[..<index].joined(separator: "/")
            return (AddressTemplate(pieces: pieces.dropLast() + [.text(String(list))]), number)
        }
    }

    /// The entry of a part; `nil` where it is no part.
    var entry: AddressTemplate? {
        if isWholeEntry { return nil }
        for (number, piece) in pieces.enumerated() {
            guard case .text(let text) = piece, let mark = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { continue }
            let name = text[..<mark]
            return AddressTemplate(pieces: pieces[..<number] + (name.isEmpty ? [] : [.text(String(name))]))
        }
        return nil
    }
}
