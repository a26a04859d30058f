import MigrationEngine
import StoreFormats

/// The operations of the language, in the order in which they are listed; there are no others.
package enum OperationTable {
    /// All of them.
    package static let all: [OperationDefinition] = scalars + times + formats + fields + collections

    private static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// The operation of a name.
    package static subscript(name: String) -> OperationDefinition? { byName[name] }
}

// MARK: Numbers and texts

extension OperationTable {
    static let scalars = [text, number, round, scale, not, `case`, trim, strip, fill, table]

    private static let text = OperationDefinition(
        "text", "A number as its text.", takes: [.integer, .real], gives: .string, "exact",
        example: .init(written: "text", before: "417", after: #""417""#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        reader.value(
            "the number as text",
            back: { value in value.string.flatMap(Self.number) }
        ) { value, _ throws(StepStop) in .string(value.numberText) }
    }

    private static let number = OperationDefinition(
        "number", "A text that is a number as that: digits with a sign or without, and with decimals for real.",
        arguments: "integer or real", takes: .string, gives: .number, "complement: 007 is 7 too",
        errors: ["not-a-number"],
        example: .init(written: "number", before: #""417""#, after: "417")
    ) { (reader: inout OperationReader) -> SpecOperation? in
        let isReal = reader.argument != nil && reader.word(["integer", "real"]) == "real"
        var operation = reader.value(
            isReal ? "the text as a real number" : "the text as an integer", .complement,
            gives: isReal ? .real : .integer,
            loses: { old, new in
                if let lost = lostDigits(old, new) { return lost }
                let text = old.string ?? "", isAsWritten = [text, text + ".0"].contains(new.numberText)
                // 007 is 7 too.
                return isAsWritten ? nil : "how the number was written is dropped"
            }
        ) { value, _ throws(StepStop) in
            let text = value.string ?? ""
            let digits = text.drop { $0 == "-" || $0 == "+" }
            let isNumber =
                !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) || isReal && $0 == 0x2E }
            if isNumber, digits.utf8.count + 1 >= text.utf8.count {
                if isReal, digits.first != ".", digits.last != ".", let real = Double(text), real.isFinite {
                    return .real(real)
                }
                if !isReal, let integer = Int128(text) { return .integer(integer) }
            }
            throw .failed("not-a-number", "“\(text.prefix(200))” is not \(isReal ? "a number" : "an integer")")
        }
        operation.narrows = isReal
        return operation
    }

    private static let round = OperationDefinition(
        "round",
        "A number without its fraction: nearest takes a half away from zero, as Swift's rounded() does, nearest-even to the even "
            + "number.", arguments: "down, up, nearest, nearest-even or toward-zero", takes: .number,
        gives: .integer, "complement: the fraction is set aside", errors: ["out-of-range"],
        example: .init(written: "round: down", before: "12.7", after: "12")
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let word = reader.word(["down", "up", "nearest", "nearest-even", "toward-zero"]) else { return nil }
        let rule: FloatingPointRoundingRule =
            switch word {
            case "down": .down
            case "up": .up
            case "nearest": .toNearestOrAwayFromZero
            case "nearest-even": .toNearestOrEven
            default: .towardZero
            }
        return reader.value(
            "rounded \(word)", .complement,
            loses: { old, new in
                if old.losesDigits { return lost53 }
                return old.double == new.double ? nil : "the fraction is dropped"
            }
        ) { value, _ throws(StepStop) in
            guard case .real(let real) = value else { return value }
            guard let integer = Int128(exactly: real.value.rounded(rule)) else {
                throw .failed("out-of-range", "\(value.quoted) is beyond 128 bits, or no number")
            }
            return .integer(integer)
        }
    }

    private static let scale = OperationDefinition(
        "scale", "A number times another, or over another; an integer stays one where that is exact.",
        arguments: "times or over: a number that is not zero", takes: .number, gives: .number,
        "complement: a fraction may be lost", errors: ["overflow"],
        example: .init(written: "scale: {times: 100}", before: "4", after: "400")
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let members = reader.members(["times", "over"]) else { return nil }
        guard members.all.count == 1, let (name, node) = members.all.first, case .scalar(let factor) = node.content,
            let number = factor.double, number != 0
        else {
            return reader.reader.refuse(
                reader.argument ?? SpecNode(content: .list([]), place: reader.place),
                "scale has times or over, a number",
                "Write it as scale: {times: 100}.")
        }
        var operation = reader.value(
            "\(name) \(factor.numberText)", .complement,
            loses: { old, new in
                // A number with a fraction that needs more than 53 bits before the point, too.
                if case .integer(let integer) = old, case .real = new, integer.magnitude > 1 << 53 { return lost53 }
                if old.losesDigits { return lost53 }
                return lostDigits(old, new)
            }
        ) { value, _ throws(StepStop) in
            if case .integer(let integer) = value, case .integer(let factor) = factor {
                if name == "times" {
                    let product = integer.multipliedReportingOverflow(by: factor)
                    guard product.overflow else { return .integer(product.partialValue) }
                    throw .failed("overflow", "\(value.quoted) times \(factor) is beyond 128 bits")
                }
                if integer % factor == 0 { return .integer(integer / factor) }
            }
            let double = value.double ?? .nan, result = name == "times" ? double * number : double / number
            guard result.isFinite else { throw .failed("overflow", "the result is beyond 64 bits") }
            return .real(result)
        }
        if case .integer = factor, name == "times" { return operation }
        operation.narrows = true
        return operation
    }

    private static let not = OperationDefinition(
        "not", "The other truth value.", takes: .bool, gives: .bool, "exact",
        example: .init(written: "not", before: "true", after: "false")
    ) { (reader: inout OperationReader) -> SpecOperation? in
        reader.value(
            "the inverted flag", back: { value in if case .bool(let flag) = value { .bool(!flag) } else { nil } },
            changesMeaning: true
        ) { value, _ throws(StepStop) in .bool(value != .bool(true)) }
    }

    private static let `case` = OperationDefinition(
        "case", "A text in lower or upper case, by the rules of Unicode and of no language.",
        arguments: "lower or upper", takes: .string, gives: .string, "complement: the case is set aside",
        example: .init(written: "case: lower", before: #""Ada""#, after: #""ada""#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let word = reader.word(["lower", "upper"]) else { return nil }
        return reader.value(
            "in \(word) case", .complement,
            loses: { _, _ in "which of its letters were in \(word == "lower" ? "upper" : "lower") case is dropped" }
        ) { value, _ throws(StepStop) in
            .string(word == "lower" ? value.string?.lowercased() ?? "" : value.string?.uppercased() ?? "")
        }
    }

    private static let trim = OperationDefinition(
        "trim", "A text without white space at its ends.", takes: .string, gives: .string,
        "complement: the white space is set aside",
        example: .init(written: "trim", before: #"" Ada ""#, after: #""Ada""#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        reader.value(
            "without white space at the ends", .complement, loses: { _, _ in "the white space at its ends is dropped" }
        ) { value, _ throws(StepStop) in
            var text = (value.string ?? "")[...]
            while text.unicodeScalars.first?.properties.isWhitespace ?? false { text.unicodeScalars.removeFirst() }
            while text.unicodeScalars.last?.properties.isWhitespace ?? false { text.unicodeScalars.removeLast() }
            return .string(String(text))
        }
    }

    private static let strip = OperationDefinition(
        "strip", "A text without what it must begin or end with.", arguments: "prefix or suffix: text",
        takes: .string, gives: .string, "exact", errors: ["no-prefix", "no-suffix"],
        example: .init(written: #"strip: {prefix: "user:"}"#, before: #""user:ada""#, after: #""ada""#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let members = reader.members(["prefix", "suffix"]), let name = members.all.first?.key,
            members.all.count == 1,
            let affix = reader.reader.text(members[name], of: name), !affix.isEmpty
        else { return nil }
        let isPrefix = name == "prefix", bytes = Array(affix.utf8)
        return reader.value(
            "without the \(name) “\(affix)”",
            back: { value in value.string.map { .string(isPrefix ? affix + $0 : $0 + affix) } }
        ) { value, _ throws(StepStop) in
            let all = Array((value.string ?? "").utf8)
            guard isPrefix ? all.starts(with: bytes) : all.reversed().starts(with: bytes.reversed()),
                let rest = String(
                    validating: isPrefix ? all.dropFirst(bytes.count) : all.dropLast(bytes.count), as: UTF8.self)
            else { throw .failed("no-\(name)", "the text does not \(isPrefix ? "begin" : "end") with “\(affix)”") }
            return .string(rest)
        }
    }

    private static let fill = OperationDefinition(
        "fill", "A text with the members of a dictionary, or the value itself, in place of {names}.",
        arguments: "a text with {fields}, or {value} of a single value", takes: [.dictionary, .scalar], gives: .string,
        "complement: where one ends and the next begins is set aside", errors: ["field-missing", "wrong-type"],
        example: .init(
            written: #"fill: "{first} {last}""#, before: #"{"first":"Ada","last":"King"}"#, after: #""Ada King""#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let text = reader.text() else { return nil }
        guard let template = AddressTemplate(text) else {
            return reader.reader.refuse(
                reader.argument ?? SpecNode(content: .list([]), place: reader.place), "a brace is left open",
                "Write it as fill: \"{first} {last}\".")
        }
        let named = Set(template.facts.map { Name($0.rawValue) })
        var operation = reader.value(
            "“\(text)” with its fields", .complement,
            loses: { old, _ in
                let isLost = old.members == nil && !named.contains("value")
                return isLost ? "the value has no place in the text, and is dropped" : nil
            },
            of: { old in old.members == nil ? named.contains("value") ? nil : [] : named }
        ) { value, _ throws(StepStop) in
            var filled = ""
            for piece in template.pieces {
                switch piece {
                case .text(let plain): filled += plain
                case .star: filled += "*"
                case .fact(let name):
                    let pointer = JSONPointer([Name(name.rawValue)])
                    let single = name == "value" ? value : nil
                    guard let part = value.members == nil ? single : value[pointer] else {
                        throw .failed("field-missing", "there is nothing to put in place of {\(name)}")
                    }
                    guard ValueKinds.scalar.contains(ValueKinds(of: part)) else {
                        throw .failed("wrong-type", "\(pointer) is \(part.typePhrase), and fill takes no such value")
                    }
                    filled += part.string ?? part.numberText
                    // Before more is made: a text is as long as its pieces times what stands for them.
                    try Allowance.check(filled.utf8.count)
                }
            }
            return .string(filled)
        }
        // Only a dictionary has fields.
        if template.facts.contains(where: { $0 != "value" }) { operation.takes = .dictionary }
        return operation
    }

    private static let table = OperationDefinition(
        "table", "Each of these values as the one beside it.",
        arguments: "a mapping of values, or a list of pairs [old, new]; else: a value for all others", takes: .scalar,
        gives: .any,
        "exact where it is one to one, without else and without fractions, otherwise complement",
        errors: ["not-in-table"],
        example: .init(written: "table: {title: 0, created: 1}", before: #""created""#, after: "1"), besides: ["else"]
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let pairs = reader.pairs() else { return nil }
        var forward: [Value: SpecLiteral] = [:], backward: [Value: Value] = [:]
        let listed = pairs.map(\.new)
        // A real number is the same in 32 bits and as JSON wrote it.
        for (key, result) in pairs {
            forward[key.canonical] = result
            if let plain = result.plain { backward[plain] = key }
        }
        let other = reader.besides["else"].map { SpecLiteral($0) }
        let results = listed + (other.map { [$0] } ?? [])
        let kinds: ValueKinds = results.reduce(into: []) { kinds, literal in
            kinds.formUnion(literal.plain.map { ValueKinds(of: $0) } ?? .scalar)
        }
        // Of what several values come to nothing tells which of them it was.
        let counts = forward.values.reduce(into: [SpecLiteral: Int]()) { $0[$1, default: 0] += 1 }
        let hasReals = forward.keys.contains { if case .real = $0 { true } else { false } }
        let isExact = forward.count == backward.count && other == nil && !hasReals
        let back: @Sendable (Value) -> Value? = { [backward] value in backward[value] }
        let words = pairs.prefix(4).map { "\($0.old.word) → \($0.new.phrase)" }
            .joined(separator: ", ")
        let rest = pairs.count > 4 ? ", …" : ""
        var operation = reader.value(
            words + rest + (other.map { ", else \($0.phrase)" } ?? ""), isExact ? .exact : .complement,
            facts: results.flatMap(\.facts).uniqued, gives: kinds, back: isExact ? back : nil,
            loses: { [forward] old, _ in
                guard let result = forward[old.canonical] else {
                    return "the value is not in the table: else stands for it, and it is dropped"
                }
                return counts[result, default: 0] > 1
                    ? "the table makes \(result.plain?.quoted ?? result.phrase) of several values: which of them it was is dropped"
                    : nil
            }
        ) { [forward] value, facts throws(StepStop) in
            if let result = forward[value.canonical] { return try result.value(facts) }
            // Whoever writes 1 in a table means 1.0, too: it is none of the others.
            if let twin = value.numberTwin, forward[twin] != nil {
                throw .failed("not-in-table", "\(value.quoted) is not in the table, which has it as \(twin.typePhrase)")
            }
            if let other { return try other.value(facts) }
            throw .failed("not-in-table", "\(value.quoted) is not in the table")
        }
        // What is of no type of its keys it never has.
        if other == nil, !forward.isEmpty {
            operation.takes = forward.keys.reduce(into: []) { $0.formUnion(ValueKinds(of: $1)) }
        }
        // Of a fact nobody knows yet what it says.
        if other == nil, backward.count < forward.values.count(where: { $0.plain != nil }) {
            operation.warning = (
                .openTable, "the table makes one value of several, and says nothing of others",
                "Add else with a value, or error: {not-in-table: skip} to the row."
            )
        }
        return operation
    }

    /// That a whole number has more digits than the real number that is made of it.
    private static let lostDigits: @Sendable (Value, Value) -> String? = { old, new in
        guard case .real = new else { return nil }
        let integer: Int128? =
            switch old {
            case .integer(let integer): integer
            case .string(let text): Int128(text)
            default: nil
            }
        guard let integer, Int128(exactly: Double(integer)) != integer else { return nil }
        return lost53
    }

    static let lost53 = "a real number keeps 53 bits: the last digits of the number are dropped"

    private static func number(_ text: String) -> Value? {
        Int128(text).map(Value.integer) ?? Double(text).map { .real($0) }
    }

}

extension OperationReader {
    /// What a table puts for what: a mapping, whose keys are texts in JSON, or pairs of any scalars.
    fileprivate mutating func pairs() -> [(old: Value, new: SpecLiteral)]? {
        guard case .list(let items)? = argument?.content else {
            return fields()?.map { member in
                // A key in quotes is a text; a plain one is what a plain scalar would be.
                let plain: Value? =
                    if member.isPlainKey, case .value(let value) = SpecScalar(member.key, isPlain: true) {
                        value
                    } else { nil }
                return (plain ?? .string(member.key), SpecLiteral(member.value))
            }
        }
        var pairs: [(old: Value, new: SpecLiteral)] = [], places: [Value: SpecProblem.Place] = [:]
        for item in items {
            guard case .list(let pair) = item.content, pair.count == 2, case .scalar(let old) = pair[0].content,
                ValueKinds.scalar.contains(ValueKinds(of: old))
            else {
                return reader.refuse(
                    item, "an item of a table is a pair of a text, a number or a flag and its new value",
                    "Write it as [1, one].")
            }
            if let first = places.updateValue(pair[0].place, forKey: old) {
                let value = old.string ?? old.numberText
                reader.report(
                    .duplicateKey, at: first, "the table has \(value) twice, also in line \(pair[0].place.line)",
                    fix: "Keep one of them.")
            }
            pairs.append((old, SpecLiteral(pair[1])))
        }
        return pairs
    }
}

extension Value {
    /// The text of a number or a truth value.
    var numberText: String {
        switch self {
        case .integer(let integer): "\(integer)"
        case .real(let real): if case .literal(let text) = real.form { text } else { "\(real.value)" }
        case .bool(let flag): "\(flag)"
        default: ""
        }
    }

    /// The same number as a whole one where it is a real one, or the other way round: a store tells the two apart.
    fileprivate var numberTwin: Value? {
        switch self {
        case .integer(let integer):
            Int128(exactly: Double(integer)) == integer ? .real(Real(Double(integer))) : nil
        case .real(let real): Int128(exactly: real.value).map(Value.integer)
        default: nil
        }
    }
}

extension Value {
    /// What a table has as an old value: without quotes where nothing else may be meant.
    fileprivate var word: String {
        guard let text = string else { return numberText }
        let isWord = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x7F || PercentEncoding.isUnreserved($0) }
        return isWord ? text : jsonText
    }
}
