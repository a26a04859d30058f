import Foundation
import MigrationEngine
import StoreFormats

/// A way to a value: where from, through which operations.
struct InferredWay: Sendable {
    /// The sources; several are the members of a mapping, by these names.
    var sources: [(name: String, source: InferenceSource)]
    var chain: InferredChain
    /// Why it is thought so, in words without values.
    var evidence: String
    /// Conditions without which the row would change its own result again.
    var conditions: [String] = []
    /// How likely it is; the least is the likeliest.
    var cost: Double
    /// Whether it may be chance: it is only told.
    var isWeak: Bool

    var only: InferenceSource? { sources.count == 1 ? sources.first?.source : nil }
}

/// Solves the arguments of operations from what both sides hold.
struct InferenceSolving {
    let index: InferenceIndex
    let facts: SpecFacts
    private let limits: InferenceLimits
    /// Whether what an entry holds is likely to be a secret, so that nothing of it may stand in a file.
    let isSecret: (Address, Value) -> Bool
    /// The dictionaries that have a member, by its key and its value.
    private let holders: [Member: [Int]]
    private let texts: AffixIndex

    init(
        _ index: InferenceIndex, facts: SpecFacts, limits: InferenceLimits,
        isSecret: @escaping (Address, Value) -> Bool
    ) {
        (self.index, self.facts, self.limits, self.isSecret) = (index, facts, limits, isSecret)
        var holders: [Member: [Int]] = [:], texts: [(text: String, source: Int)] = []
        for (number, source) in index.sources.enumerated() {
            if case .dictionary(let members) = source.value, !members.isEmpty {
                for member in members {
                    holders[Member(key: member.key, value: member.value.canonical), default: []].append(number)
                }
            }
            if case .string(let text) = source.value { texts.append((text, number)) }
        }
        (self.holders, self.texts) = (holders, AffixIndex(texts, limits: limits))
    }

    /// What is left of the limits while one value after the other is explained, and what was cut.
    struct Progress {
        /// Values within values that may still be looked at.
        var room: Int
        /// Values of which not all texts were looked at that begin or end as they do.
        var cutAffixes = 0
        /// What was found of the last large value: many entries may share one.
        fileprivate var goals: (value: Value, isBytes: Bool, goals: [InferenceGoal])?

        init(room: Int) { self.room = room }
    }

    /// What was left out because of the limits, in words.
    func cuts(_ progress: Progress) -> [String] {
        var cuts: [String] = []
        if progress.room <= 0 {
            cuts.append("what is new holds more than \(limits.parts) values, and was explained so far only")
        }
        if texts.tooLong > 0 {
            cuts.append(
                "\(texts.tooLong) of the texts that were there are longer than \(limits.affixLength) bytes, and were not looked "
                    + "at for how they begin and end")
        }
        if progress.cutAffixes > 0 {
            cuts.append(
                "of \(progress.cutAffixes) new texts not every one was looked at that begins or ends as they do: "
                    + "\(limits.affixes) of each kind, and none longer than \(limits.affixLength) bytes")
        }
        return cuts
    }

    /// The ways to what an entry holds now, the likeliest first; whether they lead there ``proofs(of:at:)`` says.
    func ways(
        to value: Value, at address: Address, words: NameWords, _ progress: inout Progress
    ) -> [InferredWay] {
        let size = value.parts(upTo: limits.parts)
        // What is over the limit is told; what is small is looked at all the same.
        guard progress.room > 0 || size < 100 else { return [] }
        var found: [InferredWay] = [], goals = [InferenceGoal(value: value, ending: InferredChain())]
        if progress.room > 0 { goals = self.goals(for: value, at: address, &progress) }
        // It is asked only where something of the value would be written: a large text takes long.
        var known: Bool?
        func isSecretValue() -> Bool {
            if let known { return known }
            known = isSecret(address, value)
            return known ?? true
        }
        var isCut = false
        for goal in goals {
            progress.room -= goal.value.parts(upTo: limits.parts)
            for (source, chain) in index.ways(to: goal.value, named: words) {
                let whole = InferredChain(
                    operations: chain.operations + goal.ending.operations, cost: chain.cost + goal.ending.cost)
                let isProof = !goal.value.provesNothing && !source.value.provesNothing
                found.append(way([("value", source)], whole, words, isProof: isProof, told: whole.told))
            }
            found += edits(goal, words, at: address) + combined(goal, words)
            found += affixes(goal, words, isSecretValue, &isCut)
            found += scaled(goal, words) + tabled(goal, words, isSecretValue)
        }
        if isCut { progress.cutAffixes += 1 }
        return found.filter { $0.chain.operations.count <= SpecText.Limit.operations }
            .enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }.map(\.element)
    }

    private func goals(for value: Value, at address: Address, _ progress: inout Progress) -> [InferenceGoal] {
        let isBytes = address.store.kind != .defaults
        if let last = progress.goals, last.isBytes == isBytes, last.value == value { return last.goals }
        let goals = InferenceGoal.all(for: value, isBytes: isBytes)
        // Of what is small it is soon found again.
        if value.parts(upTo: 17) > 16 { progress.goals = (value, isBytes, goals) }
        return goals
    }

    /// Whether ways lead to what an entry holds: nothing is proposed that was not tried.
    ///
    /// Many sources may have one value, which a chain is tried on once.
    func proofs(of value: Value, at address: Address) -> (InferredWay) -> Bool {
        struct Way: Hashable {
            let operations: [SpecNode]
            let values: [Int]
            let names: [String]
        }
        var known: [Way: Bool] = [:]
        return { way in
            let key = Way(
                operations: way.chain.operations, values: way.sources.map(\.source.valueNumber),
                names: way.sources.map(\.name))
            if let leads = known[key] { return leads }
            let start: Value
            if let only = way.only {
                start = only.value
            } else {
                start = .dictionary(Members(way.sources.map { Member(key: Name($0.name), value: $0.source.value) }))
            }
            let leads = way.chain.applied(to: start, facts)?.isSame(as: value, in: address) ?? false
            known[key] = leads
            return leads
        }
    }

    private func way(
        _ sources: [(String, InferenceSource)], _ chain: InferredChain, _ words: NameWords, isProof: Bool, told: String
    ) -> InferredWay {
        let likeness = sources.map { words.likeness(to: $0.1.words) }.max() ?? 0
        let isAlike = likeness >= 0.3
        let name = likeness == 1 ? ", the same name" : isAlike ? ", a like name" : ""
        // What proves nothing needs a like name, and the more so the more operations it takes.
        return InferredWay(
            sources: sources.map { (name: $0.0, source: $0.1) }, chain: chain, evidence: told + name,
            cost: chain.cost + (sources.map(\.1.cost).max() ?? 0) + (1 - likeness) * (isProof ? 1 : 3),
            isWeak: !isProof && !isAlike)
    }

    // MARK: Dictionaries

    /// A dictionary that lost, gained, or renamed members, or whose members have another form.
    private func edits(_ goal: InferenceGoal, _ words: NameWords, at address: Address) -> [InferredWay] {
        guard case .dictionary(let wanted) = goal.value, !wanted.isEmpty, wanted.duplicateKeys.isEmpty else {
            return []
        }
        var votes: [Int: Int] = [:]
        for member in wanted.prefix(200) {
            for holder in (holders[Member(key: member.key, value: member.value.canonical)] ?? []).prefix(50) {
                votes[holder, default: 0] += 1
            }
        }
        for number in index.sources(like: words) where index.sources[number].words.likeness(to: words) >= 0.3 {
            if case .dictionary = index.sources[number].value { votes[number, default: 0] += 1 }
        }
        let best = votes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(8)
        return best.compactMap { edit(index.sources[$0.key], into: wanted, at: address, goal, words) }
    }

    private func edit(
        _ source: InferenceSource, into wanted: Members, at address: Address, _ goal: InferenceGoal, _ words: NameWords
    ) -> InferredWay? {
        guard case .dictionary(let old) = source.value, old.duplicateKeys.isEmpty else { return nil }
        let before = Dictionary(old.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        let after = Set(wanted.map(\.key))
        var gone = old.map(\.key).filter { !after.contains($0) }, operations: [SpecNode] = [], cost = 0.0
        // What is gone, by its value, the first last: it may have got another name.
        var nameless: [Value: [Name]] = [:]
        for key in gone.reversed() {
            if let value = before[key], !value.provesNothing { nameless[value.canonical, default: []].append(key) }
        }
        var taken: Set<Name> = [], conditions: [String] = [], renamed: [(String, SpecNode)] = [],
            added: [(String, SpecNode)] = []
        var inside: [(String, SpecNode)] = [], kept = 0, proofs = 0
        for member in wanted {
            guard let before = before[member.key] else {
                if let match = nameless[member.value.canonical]?.popLast() {
                    taken.insert(match)
                    renamed.append((match.text, .text(member.key.text)))
                    conditions.append("value#/\(match.text) exists")
                    (kept, proofs) = (kept + 1, proofs + 1)
                } else {
                    guard isPublic(member.value, at: address.appending(JSONPointer([member.key]))) else { return nil }
                    added.append((member.key.text, SpecNode(literal: member.value)))
                }
                continue
            }
            if before.canonical == member.value.canonical {
                kept += 1
                if !before.provesNothing { proofs += 1 }
                continue
            }
            guard let operation = InferenceIndex.single(from: before, to: member.value, facts) else { return nil }
            inside.append((member.key.text, .list([operation])))
            conditions.append("value#/\(member.key.text) is \(before.languageType ?? "string")")
        }
        gone.removeAll { taken.contains($0) }
        guard kept > 0, !(gone.isEmpty && renamed.isEmpty && added.isEmpty && inside.isEmpty),
            kept * 2 >= wanted.count
        else { return nil }
        if !renamed.isEmpty { operations.append(.mapping([("rename", .mapping(renamed))])) }
        if !gone.isEmpty { operations.append(.mapping([("remove", .list(gone.map { .text($0.text) }))])) }
        if !inside.isEmpty { operations.append(.mapping([("in", .mapping(inside))])) }
        if !added.isEmpty {
            operations.append(.mapping([("add", .mapping(added)), ("exists", .text("keep"))]))
        }
        cost += Double(operations.count) + 0.2 * Double(gone.count) + 0.5 * Double(added.count)
        let chain = InferredChain(
            operations: operations + goal.ending.operations, cost: cost + goal.ending.cost)
        var way = way(
            [("value", source)], chain, words, isProof: proofs > 0,
            told: "\(kept) of \(wanted.count) members are the same")
        // Of members that are called otherwise and were not there nothing is known but what they are now.
        way.conditions = conditions.allSatisfy(\.isPlainCondition) ? conditions : []
        return way
    }

    /// Whether a value may be written into a file: what no secret is, or has neither a letter nor a digit, as `---`.
    private func isPublic(_ value: Value, at address: Address) -> Bool {
        switch value {
        case .dictionary(let members):
            return members.allSatisfy { isPublic($0.value, at: address.appending(JSONPointer([$0.key]))) }
        case .array(let items): return items.allSatisfy { isPublic($0, at: address) }
        case .string(let text) where !text.contains(where: { $0.isLetter || $0.isNumber || "{}".contains($0) }):
            return true
        default: return value.isPlainScalar && !isSecret(address, value)
        }
    }

    // MARK: Texts and numbers

    /// Two texts with something between them.
    private func combined(_ goal: InferenceGoal, _ words: NameWords) -> [InferredWay] {
        guard case .string(let text) = goal.value, (3...200).contains(text.utf8.count) else { return [] }
        var found: [InferredWay] = []
        for separator in [" ", ", ", ",", "/", ":", "-", "_", "."] {
            let pieces = Texts.split(text, at: [separator], limit: 2)
            guard pieces.count == 2, pieces.allSatisfy({ $0.utf8.count > 1 }) else { continue }
            let sides = pieces.map { piece in
                index.ways(to: .string(piece), named: words)
                    .filter { $0.chain.operations.isEmpty && $0.source.entry != nil }.prefix(4)
            }
            for first in sides[0] {
                for second in sides[1]
                where second.source.text != first.source.text && second.source.type == first.source.type {
                    let fill = SpecNode.mapping([("fill", .text("{a}\(separator){b}"))])
                    let chain = InferredChain(
                        operations: [fill] + goal.ending.operations, cost: 1.5 + goal.ending.cost)
                    found.append(
                        way(
                            [("a", first.source), ("b", second.source)], chain, words, isProof: true,
                            told: "the texts of both"))
                }
            }
        }
        return found
    }

    /// A text with something before or after it, or without that.
    private func affixes(
        _ goal: InferenceGoal, _ words: NameWords, _ isSecretValue: () -> Bool, _ isCut: inout Bool
    ) -> [InferredWay] {
        guard case .string(let text) = goal.value else { return [] }
        let around = texts.sources(around: text)
        isCut = isCut || around.isCut
        guard !around.sources.isEmpty, !isSecretValue() else { return [] }
        var found: [InferredWay] = []
        for number in around.sources {
            let source = index.sources[number]
            guard let old = source.value.string, source.place.map({ !isSecret($0, source.value) }) ?? true else {
                continue
            }
            let operation: SpecNode
            if old.utf8.count > text.utf8.count {
                guard let affix = Self.affix(of: old, without: text) else { continue }
                operation = .mapping([("strip", .mapping([(affix.isBefore ? "prefix" : "suffix", .text(affix.text))]))])
            } else {
                guard let affix = Self.affix(of: text, without: old), !affix.text.contains(where: "{}*".contains)
                else { continue }
                operation = .mapping([
                    ("fill", .text(affix.isBefore ? affix.text + "{value}" : "{value}" + affix.text))
                ])
            }
            let chain = InferredChain(
                operations: [operation] + goal.ending.operations, cost: 1.5 + goal.ending.cost)
            found.append(
                way([("value", source)], chain, words, isProof: true, told: "the same text with or without a part"))
        }
        return found
    }

    /// What stands before or after a text in a longer one.
    private static func affix(of long: String, without short: String) -> (text: String, isBefore: Bool)? {
        let all = Array(long.utf8), part = Array(short.utf8)
        if all.starts(with: part) {
            return String(validating: all.dropFirst(part.count), as: UTF8.self).map { ($0, false) }
        }
        guard all.suffix(part.count).elementsEqual(part) else { return nil }
        return String(validating: all.dropLast(part.count), as: UTF8.self).map { ($0, true) }
    }

    /// A number times a power of ten or a round factor, of a like name.
    private func scaled(_ goal: InferenceGoal, _ words: NameWords) -> [InferredWay] {
        guard case .integer(let wanted) = goal.value, wanted != 0 else { return [] }
        return like(words).compactMap { source in
            guard case .integer(let old) = source.value, old != 0, old != wanted else { return nil }
            let (factor, name) = wanted % old == 0 ? (wanted / old, "times") : (old / wanted, "over")
            guard [60, 3600, 10, 100, 1000, 1_000_000].contains(factor),
                name == "times" || old % wanted == 0
            else { return nil }
            let scale = SpecNode.mapping([("scale", .mapping([(name, .made(.scalar(.integer(factor))))]))])
            let chain = InferredChain(operations: [scale] + goal.ending.operations, cost: 2 + goal.ending.cost)
            return self.way(
                [("value", source)], chain, words, isProof: abs(wanted) > 1000 || abs(old) > 1000,
                told: "a round factor between them")
        }
    }

    /// The sources of which half the name is alike.
    private func like(_ words: NameWords) -> [InferenceSource] {
        index.sources(like: words).map { index.sources[$0] }.filter { words.likeness(to: $0.words) >= 0.5 }
    }

    /// One value for another, of a like name: one pair proves nothing, so it is only told.
    private func tabled(_ goal: InferenceGoal, _ words: NameWords, _ isSecretValue: () -> Bool) -> [InferredWay] {
        guard goal.ending.operations.isEmpty, goal.value.isPlainScalar, !isSecretValue() else { return [] }
        return like(words).prefix(20).compactMap { source in
            guard source.value.isPlainScalar, source.value.canonical != goal.value.canonical, let place = source.place,
                !self.isSecret(place, source.value)
            else { return nil }
            let key: SpecNode.Member = .init(
                key: source.value.string ?? source.value.numberText, keyPlace: .init(line: 1, column: 1),
                value: SpecNode(literal: goal.value), isPlainKey: source.value.string == nil)
            let table = SpecNode.mapping([("table", .made(.mapping([key])))])
            var way = self.way(
                [("value", source)], InferredChain(operations: [table], cost: 4), words, isProof: false,
                told: "one pair of values, which proves nothing")
            way.isWeak = true
            return way
        }
    }
}

extension InferenceIndex {
    /// One operation that makes one value of another.
    static func single(from old: Value, to new: Value, _ facts: SpecFacts) -> SpecNode? {
        let names = ["text", "number", "not", "trim"]
        let all =
            names.map { SpecNode.text($0) }
            + [
                .mapping([("number", .text("real"))]), .mapping([("case", .text("lower"))]),
                .mapping([("case", .text("upper"))]), .mapping([("decode", .text("json"))]),
                .mapping([("encode", .text("json"))]),
                .operation("time", [("from", "seconds"), ("to", "milliseconds")]),
                .operation("time", [("from", "date"), ("to", "iso8601")]),
                .operation("time", [("from", "date"), ("to", "milliseconds")]),
                .operation("time", [("from", "date"), ("to", "seconds")]),
            ]
        return all.first { InferredChain(operations: [$0]).applied(to: old, facts)?.canonical == new.canonical }
    }
}

extension SpecNode {
    /// A value that a spec can write out.
    init(literal value: Value) {
        switch value {
        case .array(let items): self = .list(items.map { SpecNode(literal: $0) })
        case .dictionary(let members): self = .mapping(members.map { ($0.key.text, SpecNode(literal: $0.value)) })
        default: self = .made(.scalar(value))
        }
    }
}

extension Value {
    /// Whether a spec can write it out as a scalar that means the same.
    fileprivate var isPlainScalar: Bool {
        switch self {
        case .null, .bool, .integer: true
        case .real(let real): real.value.isFinite
        case .string(let text): text.utf8.count <= 100 && !text.contains("{")
        default: false
        }
    }
}

extension String {
    /// Whether a condition names its parts by letters, digits and what joins them: others would have to be quoted.
    fileprivate var isPlainCondition: Bool {
        utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || " #/_-".utf8.contains(byte)
        }
    }
}
