import MigrationEngine
import StoreFormats

extension SpecProfile {
    /// Rows that may write what another row has written: a part and the whole, names that two stars both fit, or in place and
    /// with `to`.
    ///
    /// Which of them comes to what is known only on a dump, so that it is no error, as two rows with one target are. A row
    /// that says by `exists` or by conditions what of a target that is there is meant for it.
    func overlappingWriters() -> [SpecProblem] {
        // Most specs have none of it.
        let isPossible = steps.contains { step in
            guard case .row(let row) = step.work else { return false }
            if case .inPlace = row.to { return true }
            return row.to.targets.contains { $0.address.templates.contains { $0.stars > 0 || $0.isPart } }
        }
        guard isPossible else { return [] }
        let writers = steps.enumerated().flatMap { index, step -> [Writer] in
            guard case .row(let row) = step.work else { return [] }
            return row.to.targets.map { Writer(index: index, row: row, target: $0.address) }
        }
        var found: [Int: SpecProblem] = [:]
        func say(_ later: Int, _ earlier: Int, _ what: String) {
            guard found[later] == nil else { return }
            found[later] = SpecProblem(
                .overlappingWriters, at: steps[later].place,
                "\(steps[earlier].id) and this row may both write \(what), and this one finds what that one wrote",
                fix: "Say with exists or if what is meant then, or leave it out of the one that has a * with except:.")
        }
        partsAndWholes(writers, say)
        overlappingStars(writers, say)
        inPlaceAndElsewhere(writers, say)
        return found.sorted { $0.key < $1.key }.map(\.value)
    }

    /// A row with one of its targets.
    private struct Writer {
        let index: Int
        let row: SpecRow
        let target: SpecAddress

        /// Whether nobody has said what of something else that is there.
        var isUnaware: Bool { row.exists == .conflict && row.conditions.isEmpty }
    }

    private func partsAndWholes(_ writers: [Writer], _ say: (Int, Int, String) -> Void) {
        guard writers.contains(where: { $0.target.templates.contains(where: \.isPart) }) else { return }
        let places = writers.map { writer in (writer: writer, paths: writer.target.templates.map(\.path)) }
        var byPath: [[Name]: Writer] = [:]
        for (writer, paths) in places {
            for path in paths where byPath[path] == nil { byPath[path] = writer }
        }
        for (part, paths) in places {
            for path in paths {
                for count in 1..<max(1, path.count) {
                    guard let whole = byPath[Array(path.prefix(count))], whole.index != part.index else { continue }
                    if whole.index < part.index {
                        if part.isUnaware { say(part.index, whole.index, "\(part.target.text), a part and the whole") }
                    } else if whole.row.exists != .keep, whole.row.conditions.isEmpty {
                        // Also one that overwrites: the part that was written is lost with what it lies in.
                        say(whole.index, part.index, "\(part.target.text), a part and the whole")
                    }
                }
            }
        }
    }

    private func overlappingStars(_ writers: [Writer], _ say: (Int, Int, String) -> Void) {
        let all = writers.flatMap { writer in
            writer.target.templates.filter { $0.stars > 0 }.map { (writer: writer, signs: $0.signs) }
        }.sorted { one, other in
            one.signs.prefix { $0 != nil }.lexicographicallyPrecedes(other.signs.prefix { $0 != nil }) {
                ($0 ?? 0) < ($1 ?? 0)
            }
        }
        var compared = 0
        for (position, one) in all.enumerated() {
            let beginning = one.signs.prefix { $0 != nil }
            for other in all[(position + 1)...] {
                compared += 1
                guard other.signs.starts(with: beginning), compared < SpecText.Limit.comparisons / 25 else { break }
                let (earlier, later) = one.writer.index < other.writer.index ? (one, other) : (other, one)
                guard earlier.writer.index != later.writer.index, later.writer.isUnaware, one.signs != other.signs,
                    earlier.writer.row.conditions.isEmpty, !earlier.writer.row.leavesOut(later.writer.row),
                    !later.writer.row.leavesOut(earlier.writer.row), one.signs.overlaps(other.signs)
                else { continue }
                say(later.writer.index, earlier.writer.index, "what \(later.writer.target.text) stands for")
            }
        }
    }

    private func inPlaceAndElsewhere(_ writers: [Writer], _ say: (Int, Int, String) -> Void) {
        var inPlace: [AddressTemplate: Int] = [:], patterns: [(pattern: AddressPattern, index: Int)] = []
        for (index, step) in steps.enumerated() {
            guard case .row(let row) = step.work, case .inPlace = row.to else { continue }
            for template in row.addresses.flatMap(\.templates) {
                if inPlace[template] == nil { inPlace[template] = index }
                if let pattern = template.starred { patterns.append((pattern, index)) }
            }
        }
        guard !inPlace.isEmpty else { return }
        var compared = 0
        for writer in writers where writer.isUnaware {
            for template in writer.target.templates {
                var earlier = [inPlace[template]].compactMap(\.self)
                compared += patterns.count
                if compared < SpecText.Limit.comparisons, let address = template.address {
                    earlier += patterns.filter { $0.pattern.match(address) != nil }.map(\.index)
                }
                // Behind it, a row in place works on what was written, as it is meant to.
                guard let first = earlier.filter({ $0 < writer.index }).min() else { continue }
                say(writer.index, first, "\(writer.target.text), that one in place")
            }
        }
    }
}

extension SpecRow {
    /// The form that its value is read in where it is put back without one.
    var formLeft: Form? {
        guard case .inPlace = to, operations.last?.name != "encode" else { return nil }
        return types.lazy.compactMap(\.form).first
    }

    /// Whether it leaves out by `except` what another row reads.
    fileprivate func leavesOut(_ other: SpecRow) -> Bool {
        let read = other.addresses.flatMap(\.templates).map(\.signs)
        return except.flatMap(\.templates).map(\.signs).contains { except in
            read.contains { $0 == except || $0.overlaps(except) }
        }
    }
}

extension AddressTemplate {
    /// The entry, and the fields that lead into it, however they are spelt.
    fileprivate var path: [Name] {
        if let address { return [Name("\(address.entry)")] + address.pointer.tokens }
        let halves = text.parts(at: "#", most: 2)
        guard halves.count > 1 else { return [Name(text)] }
        return [Name(halves[0])] + halves[1].dropFirst().parts(at: "/").map { Name($0) }
    }

    /// The bytes of the text, with `nil` for each `*`.
    var signs: [UInt8?] {
        pieces.flatMap { piece -> [UInt8?] in
            switch piece {
            case .text(let text): text.utf8.map { $0 }
            case .star: [nil]
            case .fact(let name): "{\(name)}".utf8.map { $0 }
            }
        }
    }
}

extension [UInt8?] {
    /// Whether there is a text that both fit, where `nil` stands for one byte or more but no slash.
    func overlaps(_ other: [UInt8?]) -> Bool {
        let slash = UInt8(ascii: "/")
        // The places of the other one at which a text that leads to this place of this one may be.
        var reached = [Bool](repeating: false, count: other.count + 1)
        reached[0] = true
        for sign in self {
            var next = [Bool](repeating: false, count: other.count + 1), isAny = false
            for (place, wanted) in other.enumerated() {
                // A star of this one may take more than it has.
                guard reached[place] || sign == nil && next[place] else { continue }
                switch (sign, wanted) {
                case (let sign?, let wanted?): if sign == wanted { next[place + 1] = true }
                case (let sign?, nil):
                    if sign != slash { (next[place], next[place + 1]) = (true, true) }
                case (nil, let wanted?): if wanted != slash { next[place + 1] = true }
                case (nil, nil): (next[place], next[place + 1]) = (true, true)
                }
                isAny = isAny || next[place] || next[place + 1]
            }
            guard isAny else { return false }
            reached = next
        }
        return reached[other.count]
    }

    /// Whether all that fits these fits others too: a star of these is never more than one of those.
    func isWithin(_ others: [UInt8?]) -> Bool {
        let beginning = others.prefix { $0 != nil }
        guard starts(with: beginning) else { return false }
        let slash = UInt8(ascii: "/")
        // The places of the others that what was taken of these may have led to.
        var reached = [Bool](repeating: false, count: others.count + 1)
        reached[beginning.count] = true
        for sign in self[beginning.count...] {
            var next = [Bool](repeating: false, count: others.count + 1), isAny = false
            for (place, wanted) in others.enumerated() where reached[place] {
                if wanted == nil ? sign == slash : sign != wanted { continue }
                next[place + 1] = true
                isAny = true
            }
            // A star of the others goes on.
            for place in others.indices where reached[place + 1] && others[place] == nil && sign != slash {
                next[place + 1] = true
                isAny = true
            }
            guard isAny else { return false }
            reached = next
        }
        return reached[others.count]
    }
}
