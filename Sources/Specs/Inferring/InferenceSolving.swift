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
    /// Whether other calculations make the same of such values, as of nothing.
    var isAmbiguous = false
    /// Whether an argument is a text of these two dumps, which need not be that of others.
    var hasLiteral = false
    /// The parts of the value that it does not make, as no old value tells what they hold: it is told, and no step.
    var undecided: [(place: JSONPointer, value: Value)] = []

    /// Whether it calculates with a number.
    var isCalculated: Bool { chain.isCalculated }

    var only: InferenceSource? { sources.count == 1 ? sources.first?.source : nil }

    /// Whether fewer of its operations, in their order, lead where it leads.
    func isLongerThanNeeded(_ leads: (InferredWay) -> Bool) -> Bool {
        let operations = chain.operations
        // What is a few operations long has few parts; the others are what both sides differ in.
        guard (1...4).contains(operations.count) else { return false }
        return (0..<(1 << operations.count) - 1).contains { kept in
            var shorter = self
            shorter.chain.operations = operations.indices.filter { kept & 1 << $0 != 0 }.map { operations[$0] }
            return leads(shorter)
        }
    }
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
        for (number, source) in index.sources.enumerated() where source.picked == nil {
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
                "\(texts.tooLong) of the old texts \(texts.tooLong == 1 ? "is" : "are") longer than \(limits.affixLength) bytes: "
                    + "how they begin and end was not looked at")
        }
        if progress.cutAffixes > 0 {
            cuts.append(
                "of \(progress.cutAffixes) new texts not every text was looked at that begins or ends as they do: "
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
            found += edits(goal, words) + items(goal, words)
            found += combined(goal, words) + gathered(goal, words)
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
        let wanted = value.canonical
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
            // The order of members is no part of a value.
            let made = way.chain.applied(to: start, facts)
            let leads = made.map { $0.isSame(as: value, in: address) || $0.canonical == wanted } ?? false
            known[key] = leads
            return leads
        }
    }

    private func way(
        _ sources: [(String, InferenceSource)], _ chain: InferredChain, _ words: NameWords, isProof: Bool, told: String
    ) -> InferredWay {
        let likeness = sources.map { words.likeness(to: $0.1.words) }.max() ?? 0
        let isAlike = likeness >= 0.3
        let name = likeness == 1 ? ", the same name" : isAlike ? ", a similar name" : ""
        // What proves nothing needs a like name, and the more so the more operations it takes.
        return InferredWay(
            sources: sources.map { (name: $0.0, source: $0.1) }, chain: chain, evidence: told + name,
            cost: chain.cost + (sources.map(\.1.cost).max() ?? 0) + (1 - likeness) * (isProof ? 1 : 3),
            isWeak: !isProof && !isAlike,
            isAmbiguous: !isProof && chain.isCalculated && sources.allSatisfy { $0.1.value.double == 0 })
    }

    // MARK: Dictionaries

    /// A dictionary that lost, gained, or renamed members, or whose members have another form.
    private func edits(_ goal: InferenceGoal, _ words: NameWords) -> [InferredWay] {
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
        return best.compactMap { edit(index.sources[$0.key], goal, words) }
    }

    /// An array each of whose items was changed in the same way, of a like name.
    private func items(_ goal: InferenceGoal, _ words: NameWords) -> [InferredWay] {
        guard case .array(let wanted) = goal.value, !wanted.isEmpty else { return [] }
        return like(words, from: 0.3).compactMap { source in
            guard case .array(let old) = source.value, old.count == wanted.count else { return nil }
            return edit(source, goal, words)
        }
    }

    private func edit(_ source: InferenceSource, _ goal: InferenceGoal, _ words: NameWords) -> InferredWay? {
        guard source.picked == nil,
            let difference = InferredDifference(from: source.value, to: goal.value, facts: facts)
        else { return nil }
        let chain = InferredChain(
            operations: difference.operations + (difference.operations.isEmpty ? [] : goal.ending.operations),
            cost: difference.cost + goal.ending.cost)
        let told: String
        if case .dictionary(let wanted) = goal.value {
            told = "\(difference.kept) of \(wanted.count) members are the same"
        } else {
            told = chain.told
        }
        var way = way([("value", source)], chain, words, isProof: difference.proofs > 0, told: told)
        way.undecided = difference.undecided
        if !difference.undecided.isEmpty {
            guard makes(difference, of: source.value, goal.value) else { return nil }
            way.isWeak = true
            let places = difference.undecided.map { "#\($0.place)" }
            way.evidence +=
                "; what \(places.prefix(5).joined(separator: ", "))\(places.count > 5 ? " and \(places.count - 5) more" : "")"
                + " \(places.count == 1 ? "holds" : "hold") is in this dump alone"
        }
        if difference.isGuess {
            way.isWeak = true
            way.evidence += ", and that one is called otherwise only its value tells, which proves nothing"
        }
        // Of members that are called otherwise and were not there nothing is known but what they are now.
        way.conditions = difference.conditions.allSatisfy(\.isPlainCondition) ? difference.conditions : []
        return way
    }

    /// A dictionary whose members were entries of their own.
    private func gathered(_ goal: InferenceGoal, _ words: NameWords) -> [InferredWay] {
        guard case .dictionary(let wanted) = goal.value, (2...32).contains(wanted.count), wanted.duplicateKeys.isEmpty
        else { return [] }
        var sources: [(String, InferenceSource)] = [], likest = 1.0, isProof = false
        for member in wanted {
            guard !member.key.text.contains(where: { "/~#*{}".contains($0) }) else { return [] }
            let name = NameWords(member.key.text), all = words.adding(name)
            let likeness = { (source: InferenceSource) in
                max(all.likeness(to: source.words), name.likeness(to: source.words))
            }
            let found = index.ways(to: member.value, named: all).filter { way in
                way.chain.operations.isEmpty && way.source.entry != nil
                    && !sources.contains { $0.1.text == way.source.text }
            }.map { (source: $0.source, likeness: likeness($0.source) - 0.1 * $0.source.cost) }
            guard let best = found.max(by: { $0.likeness < $1.likeness }),
                !member.value.provesNothing || best.likeness >= 0.3
            else { return [] }
            sources.append((member.key.text, best.source))
            likest = min(likest, best.likeness)
            isProof = isProof || !member.value.provesNothing
        }
        // What lies in one dictionary is taken out of that as a whole.
        guard Set(sources.compactMap { $0.1.isWhole ? $0.1.text : $0.1.entry.map { "\($0)" } }).count > 1 else {
            return []
        }
        let chain = InferredChain(
            operations: goal.ending.operations, cost: 0.5 + 0.2 * Double(sources.count) + goal.ending.cost)
        var way = way(sources, chain, words, isProof: isProof, told: "each of its members is the same value")
        way.isWeak = way.isWeak && likest < 0.3
        return [way]
    }

    /// Whether a difference makes all of a value but what it does not decide.
    private func makes(_ difference: InferredDifference, of old: Value, _ wanted: Value) -> Bool {
        let decided = difference.undecided.reduce(Optional(wanted)) { try? $0?.replacing($1.place, with: nil) }
        let made = InferredChain(operations: difference.operations).applied(to: old, facts)
        return made != nil && made?.canonical == decided?.canonical
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
            let operation: SpecNode, part: String
            if old.utf8.count > text.utf8.count {
                guard let affix = Self.affix(of: old, without: text) else { continue }
                part = affix.text
                operation = .mapping([("strip", .mapping([(affix.isBefore ? "prefix" : "suffix", .text(affix.text))]))])
            } else {
                guard let affix = Self.affix(of: text, without: old), !affix.text.contains(where: "{}*".contains)
                else { continue }
                part = affix.text
                operation = .mapping([
                    ("fill", .text(affix.isBefore ? affix.text + "{value}" : "{value}" + affix.text))
                ])
            }
            let chain = InferredChain(
                operations: [operation] + goal.ending.operations, cost: 1.5 + goal.ending.cost)
            var way = way(
                [("value", source)], chain, words, isProof: true, told: "the same text with or without a part")
            // A sign is nobody's value.
            way.hasLiteral = part.contains { $0.isLetter || $0.isNumber }
            found.append(way)
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
        guard let wanted = goal.value.number, wanted != 0 else { return [] }
        return like(words, from: 0.3).compactMap { source in
            guard source.picked == nil, let (value, reading) = source.value.asNumber, let old = value.double, old != 0,
                old != wanted
            else { return nil }
            guard let scale = SpecNode.scale(from: old, to: wanted) else { return nil }
            // Of a fraction in binary the product is seldom the whole number that is meant.
            let isWhole = if case (.real, .integer) = (value, goal.value) { true } else { false }
            let operations = reading + (isWhole ? [scale, .mapping([("round", .text("nearest"))])] : [scale])
            let chain = InferredChain(
                operations: operations + goal.ending.operations, cost: 1 + Double(operations.count) + goal.ending.cost)
            let isProof = SpecNode.isScaleProven(from: old, to: wanted)
            return self.way(
                [("value", source)], chain, words, isProof: isProof, told: "a round factor between them")
        }
    }

    /// A table for several keys of which it holds.
    func way(from source: InferenceSource, by pairs: [(Value, Value)], for words: NameWords, keys: Int) -> InferredWay {
        way(
            [("value", source)], InferredChain(operations: [.table(pairs)], cost: 3), words, isProof: true,
            told: "one table of \(pairs.count) values holds of \(keys) keys")
    }

    /// The likest way to a value as it is, from another entry than some.
    func same(as value: Value, named words: NameWords, besides others: [InferenceSource]) -> InferredWay? {
        index.ways(to: value, named: words).filter { source, chain in
            chain.operations.isEmpty && source.picked == nil && source.entry != nil
                && !others.contains { $0.entry == source.entry }
        }.map { source, chain in way([("value", source)], chain, words, isProof: true, told: chain.told) }
            .min { $0.cost < $1.cost }
    }

    /// The sources of which a share of the name is alike.
    func like(_ words: NameWords, from least: Double) -> [InferenceSource] {
        index.sources(like: words).map { index.sources[$0] }.filter { words.likeness(to: $0.words) >= least }
    }

    /// One value for another, of a like name: one pair proves nothing, so it is only told.
    ///
    /// Only words, flags and small numbers are looked at: of those there are few, as a table has them.
    private func tabled(_ goal: InferenceGoal, _ words: NameWords, _ isSecretValue: () -> Bool) -> [InferredWay] {
        guard goal.ending.operations.isEmpty, goal.value.isOfFew, !isSecretValue() else { return [] }
        return like(words, from: 0.5).prefix(20).compactMap { source in
            guard source.picked == nil, source.value.isOfFew, source.value.canonical != goal.value.canonical,
                let place = source.place, !self.isSecret(place, source.value)
            else { return nil }
            if let flag = source.asFlag, flag.value == goal.value {
                return self.way(
                    [("value", flag)], InferredChain(cost: 0.5), words, isProof: false, told: "the same flag")
            }
            var way = self.way(
                [("value", source)], InferredChain(operations: [.table([(source.value, goal.value)])], cost: 4), words,
                isProof: false, told: "one pair of values, which proves nothing")
            way.isWeak = true
            return way
        }
    }
}

extension SpecNode {
    /// The operation that makes one number another, where a power of ten or a round factor does.
    fileprivate static func scale(from old: Double, to new: Double) -> SpecNode? {
        guard old != 0, new != 0, old != new else { return nil }
        let ratio = new / old, name = ratio.magnitude > 1 ? "times" : "over",
            exact = name == "times" ? ratio : 1 / ratio
        guard [10, 60, 100, 1000, 3600, 86_400, 1_000_000].contains(exact.rounded()),
            abs(exact - exact.rounded()) < 1e-6
        else { return nil }
        return .mapping([("scale", .mapping([(name, .made(.scalar(.integer(Int128(exact.rounded())))))]))])
    }

    /// Whether a factor between two numbers is likely no chance.
    fileprivate static func isScaleProven(from old: Double, to new: Double) -> Bool {
        [old, new].contains { $0.magnitude > 1000 || $0.rounded() != $0 }
    }

    /// The operation that puts values for others.
    static func table(_ pairs: [(Value, Value)]) -> SpecNode {
        let members = pairs.map { old, new in
            SpecNode.Member(
                key: old.string ?? old.numberText, keyPlace: .init(line: 1, column: 1),
                value: SpecNode(literal: new), isPlainKey: old.string == nil)
        }
        return .mapping([("table", .made(.mapping(members)))])
    }
}

extension Value {
    /// A number, but no flag.
    fileprivate var number: Double? {
        switch self {
        case .integer, .real: double
        default: nil
        }
    }

    /// It as a number, and the operation that reads it from a text.
    fileprivate var asNumber: (value: Value, reading: [SpecNode])? {
        switch self {
        case .integer, .real: return (self, [])
        case .string(let text) where text.utf8.count < 40:
            if let integer = Int128(text) { return (.integer(integer), [.text("number")]) }
            guard let real = Double(text), real.isFinite else { return nil }
            return (.real(Real(real)), [.mapping([("number", .text("real"))])])
        default: return nil
        }
    }

    /// Whether it may be one of a few that a table has: a word, a flag, a small number.
    var isOfFew: Bool {
        switch self {
        case .bool: true
        case .integer(let integer): abs(integer) < 1000
        case .string(let text):
            (1...24).contains(text.utf8.count)
                && text.allSatisfy { $0.isLetter || $0.isNumber || "_- .#".contains($0) }
        default: false
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
                .mapping([("encode", .text("json"))]), .mapping([("round", .text("down"))]),
                .mapping([("round", .text("nearest"))]), .mapping([("decode", .text("base64"))]),
                .operation("time", [("from", "date"), ("to", "iso8601")]),
                .operation("time", [("from", "date"), ("to", "milliseconds")]),
                .operation("time", [("from", "date"), ("to", "seconds")]),
            ]
        func leads(_ operation: SpecNode) -> Bool {
            InferredChain(operations: [operation]).applied(to: old, facts)?.canonical == new.canonical
        }
        guard let number = old.number, let wanted = new.number else { return all.first(where: leads) }
        // What is no time of these years is only a number.
        let time = SpecNode.operation("time", [("from", "seconds"), ("to", "milliseconds")])
        if Value.likelySeconds.contains(number), leads(time) { return time }
        let scale = SpecNode.isScaleProven(from: number, to: wanted) ? SpecNode.scale(from: number, to: wanted) : nil
        return (all + [scale].compactMap(\.self)).first(where: leads)
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

extension String {
    /// Whether a condition names its parts by letters, digits and what joins them: others would have to be quoted.
    var isPlainCondition: Bool {
        utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || " #/_-.".utf8.contains(byte)
        }
    }
}
