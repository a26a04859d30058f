import Foundation
import MigrationEngine
import StoreFormats

/// Bounds of a search, in counts, so that its results repeat.
struct InferenceLimits: Sendable {
    static let standard = InferenceLimits()

    /// Sources: entries and their parts.
    var sources = 200_000
    /// Ways to one value that are looked at, and entries whose names are compared with one.
    var candidates = 64
    /// Values that operations make of sources.
    var tries = 5_000_000
    /// How deep parts lie that are sources by themselves, and how many items of a list are.
    var depth = 3, items = 32
    /// From this many sources on, one operation is tried on each, and no chain of two.
    var manySources = 5_000
    /// Values within values, those of the sources and those of the entries that are explained, each.
    ///
    /// Of texts and data every 256 bytes count as one. Many keys may share a value.
    var parts = 1_000_000
    /// The same of all that is read, whether it is kept or not.
    var reading = 8_000_000
    /// The longest text whose beginning and end are looked at, in bytes.
    var affixLength = 200
    /// How many texts that begin or end with another one are looked at, of each kind.
    var affixes = 16
    /// How many groups of rows that move alike are tried as one row with a star, each on the whole store.
    var groups = 100
}

/// Every value that is there or that operations make of it, by what it is.
struct InferenceIndex {
    private(set) var sources: [InferenceSource] = []
    private var ways: [Value: [Way]] = [:]
    /// Of values that many sources have, the positions of their ways by the words of the sources' names.
    private var likeWays: [Value: NameIndex] = [:]
    /// The sources by the words of their names.
    private var names = NameIndex()
    private(set) var tries = 0
    /// What the sources may still have in them.
    private var room: Int
    private let limits: InferenceLimits
    /// What was left out because of the limits, in words.
    private(set) var cuts: [String] = []
    private let facts: SpecFacts
    /// The operations that were read, by how they are written.
    private var made: [SpecNode: SpecOperation] = [:]

    private struct Way {
        let source: Int
        let chain: InferredChain
    }

    /// - Parameters:
    ///   - entries: The entries that can be read, with what they hold for the language.
    ///   - name: An entry as a row names it.
    init(
        _ entries: [(address: Address, value: Value)], facts: SpecFacts, limits: InferenceLimits = .standard,
        name: (Address) -> String
    ) {
        (self.facts, self.limits, room) = (facts, limits, limits.parts)
        for fact in [FactName.identifierForVendor, .bundleIdentifier, .locale] {
            guard let text = facts.facts[fact]?.value else { continue }
            sources.append(
                InferenceSource(
                    text: "fact/\(fact)", entry: nil, isWhole: false, type: nil, value: .string(text),
                    words: NameWords(fact.rawValue), cost: 0.3))
        }
        for (address, value) in entries {
            guard sources.count < limits.sources else {
                cuts.append("of what was there \(limits.sources) values were looked at, and no more")
                break
            }
            add(address, value, name)
        }
        if room <= 0 {
            cuts.append("what was there holds more than \(limits.parts) values, and was looked into so far only")
        }
        var numbers: [Value: Int] = [:]
        for (number, source) in sources.enumerated() {
            names.add(number, source.words)
            sources[number].valueNumber = numbers.number(of: source.value)
        }
        let isMany = sources.count > limits.manySources
        if isMany { cuts.append("no chain of several operations was tried, as there are \(sources.count) values") }
        for number in sources.indices {
            guard tries < limits.tries else {
                cuts.append("\(limits.tries) results of operations were looked at, and no more")
                break
            }
            let source = sources[number]
            if let picked = source.picked {
                guard let value = source.value.members?[picked] else { continue }
                let pick = InferredChain().adding(.mapping([("pick", .text(picked.text))]), cost: 0.3)
                explore(number, value, pick, depth: isMany ? 0 : 1)
            } else {
                explore(number, source.value, InferredChain(), depth: isMany ? 1 : 2)
            }
        }
        var most = 0
        for (value, all) in ways where all.count > limits.candidates {
            most = max(most, all.count)
            var index = NameIndex()
            for (number, way) in all.enumerated() { index.add(number, sources[way.source].words) }
            likeWays[value] = index
        }
        if most > 0 {
            cuts.append(
                "some values can be explained in up to \(most) ways: for each new one the \(limits.candidates) with the most "
                    + "similar names were tried")
        }
    }

    /// The ways to a value, in the order of the sources; of very many those of the likest names, and the first.
    func ways(to value: Value, named words: NameWords) -> [(source: InferenceSource, chain: InferredChain)] {
        let key = value.canonical
        guard let all = ways[key] else { return [] }
        var chosen = Array(all.indices)
        if let index = likeWays[key] {
            let like = index.positions(like: words, upTo: limits.candidates - 4)
            chosen = (like + all.indices.prefix(limits.candidates - like.count)).uniqued.sorted()
        }
        return chosen.map { (sources[all[$0].source], all[$0].chain) }
    }

    /// The sources whose names share a word with a name, in their order; of very many those that share the rarest.
    func sources(like words: NameWords) -> [Int] { names.positions(like: words, upTo: limits.candidates) }

    private mutating func add(_ address: Address, _ value: Value, _ name: (Address) -> String) {
        guard room > 0 else { return }
        room -= value.parts(upTo: room)
        let root = JSONPointer(), stored = value.languageType
        func source(_ value: Value, _ type: String, _ pointer: JSONPointer, cost: Double) -> InferenceSource {
            // The number of an item is no name: it goes by that of its list.
            let names = [address.key?.text ?? ""] + pointer.tokens.map(\.text)
            let key = names.suffix(Int(names.last ?? "") == nil ? 1 : 2).joined(separator: " ")
            return InferenceSource(
                text: name(address.appending(pointer)), entry: address, isWhole: pointer.isRoot,
                type: type, value: value, storedType: stored, words: NameWords(key), cost: cost)
        }
        var parts: Value? = value.hasParts ? value : nil
        if let stored { sources.append(source(value, stored, root, cost: 0)) }
        if case .data(let data) = value, let string = String(validating: data, as: UTF8.self) {
            sources.append(source(.string(string), "text", root, cost: 0.1))
        }
        for form in ValueType.forms where value.string != nil || value.data != nil {
            guard room > 0, value.mayHold(form), let inner = try? form.decode(value),
                inner.languageType != nil || inner.hasParts,
                form != .propertyList || !KeyedArchive.isKeyedArchive(inner)
            else { continue }
            let size = inner.parts(upTo: room + 1)
            room -= size
            // Of what is too large nothing is kept.
            guard room >= 0 else { continue }
            if let type = inner.languageType {
                sources.append(source(inner, "\(form.rawValue) \(type)", root, cost: 0.1))
            }
            if inner.hasParts { parts = inner }
        }
        guard let parts else { return }
        var stack = [(root, parts)]
        while let (pointer, whole) = stack.popLast() {
            for member in whole.parts(most: limits.items) where sources.count < limits.sources {
                let inner = pointer.appending(member.key)
                if let type = member.value.languageType {
                    sources.append(source(member.value, type, inner, cost: 0.3 * Double(inner.tokens.count)))
                }
                if member.value.hasParts, inner.tokens.count < limits.depth { stack.append((inner, member.value)) }
                for (form, value) in opened(member.value) {
                    let type = "\(form.rawValue) \(value.languageType ?? "dictionary")"
                    let whole = source(value, type, inner, cost: 0.3 * Double(inner.tokens.count) + 0.1)
                    sources.append(whole)
                    // A pointer does not lead into what a text holds: an operation takes its members.
                    for member in (value.members ?? Members()).prefix(100) where sources.count < limits.sources {
                        sources.append(whole.picking(member.key))
                    }
                }
            }
        }
    }

    /// What a part that is text or data holds in a form, as far as there is room.
    private mutating func opened(_ value: Value) -> [(form: Form, value: Value)] {
        guard value.string != nil || value.data != nil else { return [] }
        var found: [(form: Form, value: Value)] = []
        for form in ValueType.forms where room > 0 && value.mayHold(form) {
            guard let inner = try? form.decode(value), inner.members != nil || inner.languageType == "array",
                form != .propertyList || !KeyedArchive.isKeyedArchive(inner)
            else { continue }
            room -= inner.parts(upTo: room + 1)
            if room >= 0 { found.append((form, inner)) }
        }
        return found
    }

    private mutating func result(of operation: SpecNode, on value: Value) -> Value? {
        if made[operation] == nil {
            var reader = SpecReader()
            let operations = reader.operations(.list([operation]), of: "do")
            if reader.problems.isEmpty { made[operation] = operations.first }
        }
        var draft: any Draft = ValueDraft(value, facts: facts.facts)
        guard let run = made[operation], (try? run.run(&draft, JSONPointer(), facts)) != nil else { return nil }
        return draft.value
    }

    /// Enters a value and what operations make of it.
    private mutating func explore(_ number: Int, _ value: Value, _ chain: InferredChain, depth: Int) {
        tries += 1
        let key = value.canonical
        ways[key, default: []].append(Way(source: number, chain: chain))
        guard depth >= 0, tries < limits.tries else { return }
        let last = chain.operations.last?.operationName
        let operations =
            depth > 0 ? value.operationsToTry(facts, after: last) : last.map { value.operationsToEnd(after: $0) } ?? []
        for (operation, cost) in operations
        // What one of these has made it only takes back, or loses more of.
        where !(["case", "round", "time", "not"].contains(last) && operation.operationName == last) {
            guard let result = result(of: operation, on: value), result != value else { continue }
            explore(number, result, chain.adding(operation, cost: cost), depth: depth - 1)
        }
        guard depth > 0, last == nil, case .string(let text) = value, text.utf8.count <= 200 else { return }
        for separator in [", ", " ", ",", "/", ":", ";", "-", "_", ".", "|", "@"] {
            let pieces = Texts.split(text, at: [separator], limit: 2)
            guard pieces.count == 2, pieces.allSatisfy({ !$0.isEmpty }) else { continue }
            for (piece, field) in zip(pieces, ["first", "rest"]) {
                tries += 1
                let split = SpecNode.mapping([
                    (
                        "split",
                        .mapping([
                            ("at", .text(separator)), ("into", .list([.text("first"), .text("rest")])),
                        ])
                    )
                ])
                let way = chain.adding(split, cost: 1.2).adding(.mapping([("pick", .text(field))]))
                ways[Value.string(piece), default: []].append(Way(source: number, chain: way))
            }
        }
    }
}

extension Dictionary<StoreFormats.Value, Int> {
    /// The number of a value, which gets the next one where it has none.
    fileprivate mutating func number(of value: Key) -> Int {
        if let known = self[value] { return known }
        self[value] = count
        return count - 1
    }
}

extension Value {
    /// Whether a pointer leads into it.
    fileprivate var hasParts: Bool {
        switch self {
        case .dictionary, .object, .array: true
        default: false
        }
    }

    /// What it has under names, to which a pointer leads: members, the fields of an app's own class in an archive, or the
    /// first items of a list.
    fileprivate func parts(most: Int) -> Members {
        switch self {
        case .object(let object): object.fields
        case .array(let items):
            Members(items.prefix(most).enumerated().map { Member(key: Name("\($0)"), value: $1) })
        default: members ?? Members()
        }
    }

    /// The type as a row asks for it; `nil` of what the language has no name for.
    var languageType: String? {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .real: "real"
        case .bool: "bool"
        case .date: "date"
        case .data: "data"
        case .array: "array"
        case .dictionary: "dictionary"
        default: nil
        }
    }

    /// Whether text or data begins as a form.
    fileprivate func mayHold(_ form: Form) -> Bool {
        guard let format = decoded()?.formats.first else { return false }
        switch form {
        case .json: return format == .json
        case .propertyList, .keyedArchive: return format == .binaryPropertyList || format == .xmlPropertyList
        default: return false
        }
    }

    /// Times from 2001 to 2060, in seconds since 1970.
    static let likelySeconds = 978_307_200.0...2_840_140_800

    /// The operations without arguments to solve that may make something of the value, with their costs.
    ///
    /// - Parameter last: The operation that has made it; `nil` of a source itself.
    fileprivate func operationsToTry(_ facts: SpecFacts, after last: String?) -> [(SpecNode, Double)] {
        func time(_ from: String, _ to: [String]) -> [(SpecNode, Double)] {
            to.filter { $0 != from }.map { (.operation("time", [("from", from), ("to", $0)]), 1) }
        }
        var instants = ["seconds", "milliseconds", "date", "iso8601", "apple-seconds"]
        if facts.facts[.now] != nil, facts.facts[.uptime] != nil {
            instants += ["uptime-seconds", "uptime-milliseconds"]
        }
        switch self {
        case .bool: return [(.text("not"), 1)]
        case .integer, .real:
            let number = double ?? 0
            var found: [(SpecNode, Double)] = []
            if case .real(let real) = self { found += Self.roundings(of: real.value) }
            // The same times in each unit.
            if Self.likelySeconds.contains(number) { found += time("seconds", instants) }
            if (978_307_200_000...2_840_140_800_000).contains(number) { found += time("milliseconds", instants) }
            if (300_000_000...978_307_200).contains(number) { found += time("apple-seconds", instants) }
            return found
        case .date: return time("date", instants)
        case .string(let text):
            var found: [(SpecNode, Double)] = []
            if text.utf8.contains(where: { (0x30...0x39).contains($0) }) {
                if text.utf8.count < 40 {
                    found += [(.text("number"), 0.5), (.mapping([("number", .text("real"))]), 0.7)]
                }
                if text.utf8.count >= 20, text.utf8.count < 40 { found += time("iso8601", instants) }
            }
            if text.utf8.count <= 1000 {
                found += [(.mapping([("case", .text("lower"))]), 1), (.mapping([("case", .text("upper"))]), 1)]
                if text.first?.isWhitespace ?? false || text.last?.isWhitespace ?? false {
                    found.append((.text("trim"), 1))
                }
                // Of what is taken apart a letter or the ends may have been changed first.
                if [nil, "case", "trim", "decode", "pick"].contains(last) {
                    found += [", ", ",", ";", "|", " ", "/", "\n"].filter(text.contains).map {
                        (.joining("split", $0), 1)
                    }
                }
            }
            found += [Form.hex, .base64].filter(text.isDigits).map { (.decoding($0), 1) }
            return found
        case .data(let data):
            let forms = last == "decode" ? ValueType.forms.filter(mayHold).map { (SpecNode.decoding($0), 0.5) } : []
            let isText = data.count <= 1000 && String(validating: data, as: UTF8.self) != nil
            return forms + (isText ? [(.decoding(.utf8), 0.5)] : [])
        case .array(let items):
            guard last == nil, (2...200).contains(items.count),
                items.allSatisfy({ $0.string?.utf8.count ?? 1000 < 200 })
            else { return [(.text("first"), 1)] }
            return [(.text("first"), 1)]
                + [",", ", ", ";", " ", "|", "/", "-", "\n"].map { (.joining("join", $0), 1) }
        case .dictionary: return [(.text("keys"), 1.5)] + operationsToEnd(after: last ?? "")
        default: return []
        }
    }

    /// The operations that count as a part of the one before them: the rounding of a fraction that it has made, and a member
    /// of what it has decoded.
    fileprivate func operationsToEnd(after last: String) -> [(SpecNode, Double)] {
        switch (last, self) {
        case ("time", .real(let real)), ("number", .real(let real)): Self.roundings(of: real.value)
        case ("decode", .dictionary(let members)):
            members.prefix(100).filter { !$0.key.text.contains { "/~".contains($0) } }.map {
                (.mapping([("pick", .text($0.key.text))]), 0.3)
            }
        default: []
        }
    }

    private static func roundings(of number: Double) -> [(SpecNode, Double)] {
        // Of a whole number all are the same.
        guard number.rounded() != number else { return [(.round("down"), 1)] }
        // Only of a half the last is not the same as nearest.
        let isHalf = number.magnitude.truncatingRemainder(dividingBy: 1) == 0.5
        return [(.round("down"), 1)] + ["nearest", "up", "toward-zero"].map { (.round($0), 1.1) }
            + (isHalf ? [(.round("nearest-even"), 1.2)] : [])
    }
}

extension SpecNode {
    /// The operation that it names.
    fileprivate var operationName: String? {
        switch content {
        case .scalar(let value): value.string
        case .mapping(let members): members.first?.key
        case .list: nil
        }
    }

    fileprivate static func round(_ way: String) -> SpecNode { .mapping([("round", .text(way))]) }

    fileprivate static func decoding(_ form: Form) -> SpecNode { .mapping([("decode", .text(form.rawValue))]) }

    /// An operation with the text that stands between parts.
    fileprivate static func joining(_ operation: String, _ separator: String) -> SpecNode {
        .mapping([(operation, .text(separator))])
    }
}

extension String {
    /// Whether it may be bytes, as so many digits that it is no chance: an address, a word or a number is none.
    func isDigits(of form: Form) -> Bool {
        let count = utf8.count
        guard (8...100_000).contains(count) else { return false }
        if form == .hex {
            return count % 2 == 0
                && utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
                }
        }
        return count % 4 == 0
            && utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "+/=".utf8.contains(byte)
            }
    }
}

extension Value {
    /// How many values are in it, every 256 bytes of a text or of data as one; no more are counted than the limit.
    func parts(upTo limit: Int) -> Int {
        var count = 0, stack = [self]
        while count < limit, let value = stack.popLast() {
            count += 1
            switch value {
            case .string(let text): count += text.utf8.count / 256
            case .data(let data): count += data.count / 256
            // What is not counted is not laid down either.
            case .array(let items): stack += items.prefix(limit - count)
            case .dictionary(let members): stack += members.prefix(limit - count).lazy.map(\.value)
            case .object(let object): stack += object.fields.prefix(limit - count).lazy.map(\.value)
            case .set(let set): stack += set.elements.prefix(limit - count)
            default: break
            }
        }
        return min(count, limit)
    }
}
