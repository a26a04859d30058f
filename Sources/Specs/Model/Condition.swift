import MigrationEngine
import StoreFormats

/// A condition as a sentence: `value is above 0`, `new/storage_version is not 2`, `any source exists`.
indirect enum Condition: Sendable {
    case test(Subject, Test, sentence: String, say: String?)
    case any([Condition], say: String?)

    /// What is looked at.
    enum Subject: Sendable {
        /// The value as the row read it, or a part of it.
        case value(JSONPointer)
        /// The entry that the row writes.
        case target
        case address(SpecAddress)
        case fact(FactName)
        /// A store as a whole.
        case store(String)
        /// Whether one of the sources of the profile's rows is there.
        case anySource
    }

    /// What must hold of it.
    enum Test: Sendable {
        case exists, isAbsent
        case isEmpty(Bool)
        case isType(ValueType.Kind, Bool)
        case isLiteral(Value, Bool)
        case compares(Comparison, Operand)
        /// Whether it was the source that the row took.
        case wasUsed

        var isNegative: Bool {
            switch self {
            case .isAbsent, .isEmpty(false), .isType(_, false), .isLiteral(_, false): true
            default: false
            }
        }
    }

    /// The tests that are words alone, with what they ask.
    static let plainTests: [(text: String, test: Test, summary: String)] = [
        ("exists", .exists, "whether it is there"),
        ("is absent", .isAbsent, "whether it is certain that it is not there"),
        ("is empty", .isEmpty(true), "whether it is a text, data, a list or a dictionary with nothing in it"),
        ("is not empty", .isEmpty(false), "whether it is none of that"),
        ("was used", .wasUsed, "whether it was the source that the row took"),
    ]

    enum Comparison: String, CaseIterable, Sendable {
        case above = "above", below = "below", atLeast = "at least", atMost = "at most"

        func holds<Number: Comparable>(_ left: Number, _ right: Number) -> Bool {
            switch self {
            case .above: left > right
            case .below: left < right
            case .atLeast: left >= right
            case .atMost: left <= right
            }
        }
    }

    enum Operand: Sendable {
        case number(Value)
        case address(SpecAddress)
        case fact(FactName)
    }

    var say: String? {
        switch self {
        case .test(_, _, _, let say), .any(_, let say): say
        }
    }

    var sentence: String {
        switch self {
        case .test(_, _, let sentence, _): sentence
        case .any(let all, _): all.map(\.sentence).joined(separator: ", or ")
        }
    }

    /// The facts that it asks for.
    var facts: [FactName] {
        switch self {
        case .any(let all, _): return all.flatMap(\.facts)
        case .test(let subject, let test, _, _):
            var facts: [FactName] = []
            switch subject {
            case .address(let address): facts += address.facts
            case .fact(let name): facts.append(name)
            case .value, .target, .store, .anySource: break
            }
            if case .compares(_, let operand) = test {
                switch operand {
                case .number: break
                case .address(let address): facts += address.facts
                case .fact(let name): facts.append(name)
                }
            }
            return facts
        }
    }

    /// The sources of which it asks whether they were used, as the spec names them.
    var used: [String] {
        switch self {
        case .any(let all, _): all.flatMap(\.used)
        case .test(.address(let address), .wasUsed, _, _): [address.text]
        case .test(.fact(let name), .wasUsed, _, _): ["fact/\(name)"]
        case .test: []
        }
    }

    /// The addresses that it reads.
    var addresses: [SpecAddress] {
        switch self {
        case .any(let all, _): return all.flatMap(\.addresses)
        case .test(let subject, let test, _, _):
            var all: [SpecAddress] = []
            if case .address(let address) = subject { all.append(address) }
            if case .compares(_, .address(let address)) = test { all.append(address) }
            return all
        }
    }
}

/// What a condition is judged on.
protocol ConditionGround {
    /// What stands at an address; `nil` where it is certain that nothing does.
    mutating func value(at address: SpecAddress) throws(StepStop) -> Value?
    mutating func subject(_ subject: Condition.Subject) throws(StepStop) -> Value?
    mutating func storeIsEmpty(_ alias: String) throws(StepStop) -> Bool
    mutating func anySourceExists() throws(StepStop) -> Bool
    mutating func wasUsed(_ subject: Condition.Subject) -> Bool
    var facts: SpecFacts { get }
}

extension Condition {
    /// Whether it holds.
    ///
    /// - Throws: ``StepStop`` where something cannot be read, or a fact is missing.
    func holds(on ground: inout some ConditionGround) throws(StepStop) -> Bool {
        switch self {
        case .any(let all, _):
            for condition in all where try condition.holds(on: &ground) { return true }
            return false
        case .test(.anySource, let test, _, _): return try ground.anySourceExists() != test.isNegative
        case .test(.store(let alias), let test, _, _):
            let isEmpty = try ground.storeIsEmpty(alias)
            switch test {
            case .exists, .isEmpty(false): return !isEmpty
            default: return isEmpty
            }
        case .test(let subject, .wasUsed, _, _): return ground.wasUsed(subject)
        case .test(let subject, let test, _, _):
            guard let value = try ground.subject(subject) else { return test.isNegative }
            switch test {
            case .exists: return true
            case .isAbsent: return false
            case .isEmpty(let isMeant): return value.isEmptyValue == isMeant
            case .isType(let kind, let isMeant): return (ValueType.read(value, as: kind) != nil) == isMeant
            case .isLiteral(let literal, let isMeant):
                return value.isEquivalentJSON(to: literal) == isMeant
            case .compares(let comparison, let operand):
                guard let other = try Self.value(of: operand, on: &ground) else { return false }
                return Self.compare(value, comparison, other)
            case .wasUsed: return false
            }
        }
    }

    /// Whether it asks for a type of the value as a whole that a value does not have.
    func excludes(_ value: Value) -> Bool {
        guard case .test(.value(let pointer), .isType(let kind, let isMeant), _, _) = self, pointer.isRoot else {
            return false
        }
        return (ValueType.read(value, as: kind) != nil) != isMeant
    }

    /// Whether it looks at the value that the row reads.
    var asksOfValue: Bool {
        switch self {
        case .any(let all, _): all.contains(where: \.asksOfValue)
        case .test(.value, _, _, _): true
        case .test: false
        }
    }

    private static func value(of operand: Operand, on ground: inout some ConditionGround) throws(StepStop) -> Value? {
        switch operand {
        case .number(let value): value
        case .address(let address): try ground.value(at: address)
        case .fact(let name): try ground.facts.value(name)
        }
    }

    /// Numbers with numbers, exactly; a date as its seconds since 1970, and what never compares does not hold.
    private static func compare(_ left: Value, _ comparison: Comparison, _ right: Value) -> Bool {
        if case .integer(let left) = left, case .integer(let right) = right { return comparison.holds(left, right) }
        guard let left = left.comparable, let right = right.comparable, !left.isNaN, !right.isNaN else { return false }
        return comparison.holds(left, right)
    }
}

extension Value {
    /// Whether there is nothing in it: an empty text, data, list or dictionary.
    var isEmptyValue: Bool {
        switch self {
        case .string(let text): text.isEmpty
        case .data(let data): data.isEmpty
        case .array(let items): items.isEmpty
        case .dictionary(let members): members.isEmpty
        case .set(let set): set.elements.isEmpty
        default: false
        }
    }

    fileprivate var comparable: Double? {
        if case .date(let date) = self { return date.secondsSinceReference + Timestamp.referenceSinceEpoch }
        return double
    }
}

extension SpecReader {
    /// Conditions that must all hold.
    mutating func conditions(_ node: SpecNode?, of what: String) -> [Condition] {
        let all = items(node).compactMap { condition($0, of: what, depth: 0) }
        guard let node, ["requires", "applies"].contains(what) else { return all }
        for address in all.flatMap(\.addresses) where address.stars > 0 {
            report(
                .wildcards, at: node.place,
                "the condition on \(address.text) has a *, and no source that it stands for",
                fix: "Name the entry that is asked for, or write store ALIAS exists.")
        }
        return all
    }

    private mutating func condition(_ node: SpecNode, of what: String, depth: Int) -> Condition? {
        guard case .mapping = node.content else {
            return text(node, of: what).flatMap { sentence($0, at: node.place, say: nil) }
        }
        guard let members = members(node, of: what, keys: KeySection.condition.names) else { return nil }
        let say = text(members["say"], of: "say")
        if let any = members["any"] {
            guard depth == 0 else {
                report(.wrongType, at: any.place, "any lies within any", fix: "Write the conditions in one list.")
                return nil
            }
            guard !items(any).isEmpty else {
                report(.key, at: any.place, "any has no condition, and so never holds", fix: "Add one, or remove it.")
                return nil
            }
            return .any(items(any).compactMap { condition($0, of: "any", depth: 1) }, say: say)
        }
        guard let test = members["test"] else {
            report(.key, at: node.place, "\(what) has neither test nor any", fix: "Write it as {test: value exists}.")
            return nil
        }
        return text(test, of: "test").flatMap { sentence($0, at: test.place, say: say) }
    }

    private mutating func sentence(_ text: String, at place: SpecProblem.Place, say: String?) -> Condition? {
        let words = text.split(separator: " ").map(String.init)
        func wrong(_ why: String, _ fix: String) -> SpecProblem { SpecProblem(.comparison, at: place, why, fix: fix) }
        guard words.count >= 2 else {
            add(wrong("“\(text)” is no condition", "Write it as value is above 0."))
            return nil
        }
        let subject: Condition.Subject, rest: [String]
        if words[0] == "any", words[1] == "source" {
            (subject, rest) = (.anySource, Array(words.dropFirst(2)))
        } else if words[0] == "store" {
            guard stores[words[1]] != nil else {
                return unknown(words[1], at: place, of: "store", among: stores.keys.sorted(), .unknownName)
            }
            (subject, rest) = (.store(words[1]), Array(words.dropFirst(2)))
        } else {
            guard let found = self.subject(words[0], at: place) else { return nil }
            (subject, rest) = (found, Array(words.dropFirst()))
        }
        guard let test = test(rest, of: subject, at: place), check(test, rest, of: subject, at: place) else {
            return nil
        }
        var told = text
        if case .isLiteral(.string(let literal), let isMeant) = test {
            told = "\(words[0]) is \(isMeant ? "" : "not ")“\(literal)”"
        }
        return .test(subject, test, sentence: told, say: say)
    }

    private mutating func subject(_ word: String, at place: SpecProblem.Place) -> Condition.Subject? {
        if word == "value" { return .value(JSONPointer()) }
        if word.hasPrefix("value#") {
            guard let pointer = JSONPointer(parsing: String(word.dropFirst(6))) else {
                report(.address, at: place, "\(word) is no part of a value", fix: "Write it as value#/field.")
                return nil
            }
            return .value(pointer)
        }
        if word == "target" { return .target }
        if word.hasPrefix("fact/") { return factName(String(word.dropFirst(5)), at: place).map(Condition.Subject.fact) }
        guard let address = address(word, at: place) else { return nil }
        if address.templates.contains(where: { $0.address.map { $0.key == nil } ?? false }) {
            report(
                .comparison, at: place, "\(word) is a whole store, of which no condition on an entry ever holds",
                fix: "Write store and its alias: store \(address.alias ?? "ALIAS") exists.")
            return nil
        }
        return .address(address)
    }

    private mutating func test(
        _ words: [String], of subject: Condition.Subject, at place: SpecProblem.Place
    ) -> Condition.Test? {
        let text = words.joined(separator: " ")
        if let plain = Condition.plainTests.first(where: { $0.text == text }) { return plain.test }
        guard words.first == "is", words.count > 1 else {
            report(
                .comparison, at: place, "“\(text)” is no test",
                fix: "Write exists, is absent, is empty, is TYPE, is LITERAL, is above NUMBER, or was used.")
            return nil
        }
        for comparison in Condition.Comparison.allCases {
            let prefix = "is \(comparison.rawValue) "
            guard text.hasPrefix(prefix) else { continue }
            guard let operand = operand(String(text.dropFirst(prefix.count)), at: place) else { return nil }
            checkOrder(of: operand, with: subject, at: place)
            return .compares(comparison, operand)
        }
        let isMeant = words[1] != "not", rest = words.dropFirst(isMeant ? 1 : 2).joined(separator: " ")
        if let kind = ValueType.Kind(rawValue: rest) {
            if let known = kinds(of: subject), known.isDisjoint(with: kind.asked) {
                refuse("is \(known.phrase), and never \(ValueType(kind: kind).phrase)", at: place)
            }
            return .isType(kind, isMeant)
        }
        let first = words.count > (isMeant ? 2 : 3) ? words[isMeant ? 1 : 2] : ""
        if Self.comparatives.contains(first), words.contains("than") {
            refuse(
                "“\(first) than” is no comparison", at: place, "Write is above, is below, is at least or is at most.")
            return nil
        }
        if ValueType.Kind(rawValue: first) != nil || ["empty", "absent", "true", "false", "null"].contains(first) {
            refuse("“\(rest)” is more than one test", at: place, "Write a list: [value is \(first), value is above 3].")
            return nil
        }
        // No entry is null; a part of JSON may be.
        let isNull: Bool =
            if case .address(let address) = subject {
                rest == "null" && !address.templates.contains(where: \.isPart)
            } else {
                false
            }
        if let isThere = Self.presences[rest] ?? (isNull ? false : nil) {
            let test = isThere == isMeant ? "exists" : "is absent"
            refuse(
                "“\(text)” would compare with the text “\(rest)”", at: place,
                "Write \(test); a text that is meant stands in quotes.")
            return nil
        }
        if let fix = Self.misread(rest, isMeant, storeNames: stores) {
            refuse("“\(text)” would compare with the text “\(rest)”", at: place, fix)
            return nil
        }
        if rest.count >= 2, let quote = rest.first, quote == "\"" || quote == "'", rest.last == quote {
            let text = Value.string(String(rest.dropFirst().dropLast()))
            checkLiteral(text, with: subject, at: place)
            return .isLiteral(text, isMeant)
        }
        switch SpecScalar(rest, isPlain: true) {
        case .value(let value):
            checkLiteral(value, with: subject, at: place)
            return .isLiteral(value, isMeant)
        case .doubtful(let why, let fix):
            report(.doubtfulScalar, at: place, why, fix: fix)
            return nil
        }
    }

    /// Whether a test can be asked of a subject: of no more than an address whether it was used, and of what is no entry
    /// nothing but whether it is there.
    private mutating func check(
        _ test: Condition.Test, _ words: [String], of subject: Condition.Subject, at place: SpecProblem.Place
    ) -> Bool {
        let tests: String
        switch (subject, test) {
        case (.address, _), (.fact, _), (.anySource, .exists), (.anySource, .isAbsent), (.store, .exists),
            (.store, .isAbsent),
            (.store, .isEmpty):
            return true
        case (.anySource, _): tests = "of any source, ask only exists or is absent"
        case (.store, _): tests = "of a store, ask only exists, is absent, is empty or is not empty"
        case (.value, .wasUsed), (.target, .wasUsed): tests = "a source is asked for by its address: app/KEY was used"
        case (.value, _), (.target, _): return true
        }
        refuse(
            "“\(words.joined(separator: " "))” cannot be asked of this", at: place,
            tests.prefix(1).uppercased() + tests.dropFirst() + ".")
        return false
    }

    // MARK: What never compares

    /// What English compares with, which the language does not.
    private static let comparatives: Set = [
        "larger", "greater", "bigger", "more", "higher", "later", "newer", "less", "smaller", "lower", "fewer",
        "earlier", "older", "longer", "shorter",
    ]

    /// What English says of something that is there, or is not, for which the language has `exists` and `is absent`.
    private static let presences = [
        "missing": false, "nil": false, "none": false, "undefined": false, "unset": false, "gone": false,
        "nothing": false, "nonexistent": false, "defined": true, "present": true, "there": true, "set": true,
        "something": true,
        "existing": true, "here": true,
    ]

    /// The test that a word is likely meant to be: one in other case, or what programming languages call a type.
    private static func meant(by word: String) -> String? {
        let small = word.lowercased()
        if small != word, small == "empty" || ValueType.Kind(rawValue: small) != nil { return small }
        return ["int", "int64", "str", "float", "boolean", "dict", "guid", "datetime"].contains(small)
            ? ValueType.otherNames[small]?.rawValue : nil
    }

    /// What to write for words that are likely no text to compare with; `nil` where they may well be one.
    private static func misread(_ rest: String, _ isMeant: Bool, storeNames: [String: [AddressTemplate]]) -> String? {
        let words = rest.split(separator: " ").map(String.init), quoted = "a text that is meant stands in quotes."
        guard let first = words.first else { return "Write a type or a literal." }
        if words.count == 1, let meant = meant(by: rest) {
            return "Write is \(isMeant ? "" : "not ")\(meant); \(quoted)"
        }
        switch first {
        case "absent", "exists": return "Write \((first == "exists") == isMeant ? "exists" : "is absent"); \(quoted)"
        case _ where first.first.map("<>=!≠≤≥".contains) ?? false:
            return "Write is above, is below, is at least, is at most, is or is not; \(quoted)"
        case _
        where first.hasPrefix("fact/") || first.contains("://")
            || first.contains("/")
                && storeNames[String(first.prefix { $0 != "/" })] != nil:
            return "An entry and a fact stand only behind is above, is below, is at least and is at most; \(quoted)"
        case _ where Form(rawValue: first) != nil && words.count == 2:
            return "Give the form to the row: type: \(rest)."
        case _ where words.count == 1 && ValueType.forms.contains { $0.rawValue == first }:
            return "Give the form to the row: type: \(first) dictionary; \(quoted)"
        default: break
        }
        guard words.count > 1 else { return nil }
        // One text in quotes, and nothing behind it.
        let quote = first.first
        let isText = (quote == "\"" || quote == "'") && rest.last == quote && rest.count(where: { $0 == quote }) == 2
        return isText
            ? nil : "A text of several words stands in quotes; a second test is another condition of the list."
    }

    /// The types that a subject may have; `nil` where nobody knows.
    private func kinds(of subject: Condition.Subject) -> ValueKinds? {
        switch subject {
        case .value(let pointer): return pointer.isRoot ? valueKinds : nil
        case .fact(let name):
            switch facts[name]?.kind {
            case .integer?, .seconds?: return .number
            case .flag?: return .bool
            case .string?, .name?, .uuid?: return .string
            case nil: return nil
            }
        case .target, .address, .store, .anySource: return nil
        }
    }

    private mutating func refuse(
        _ why: String, at place: SpecProblem.Place, _ fix: String = "Check the type of the row, or the test."
    ) {
        report(.comparison, at: place, why.hasPrefix("is ") ? "the value \(why)" : why, fix: fix)
    }

    private mutating func checkLiteral(_ literal: Value, with subject: Condition.Subject, at place: SpecProblem.Place) {
        guard let known = kinds(of: subject) else { return }
        let kind = ValueKinds(of: literal), asked = kind.isDisjoint(with: .number) ? kind : .number
        guard known.isDisjoint(with: asked) else { return }
        refuse("is \(known.phrase), and never \(literal.jsonText)", at: place)
    }

    /// Numbers have an order with numbers, and dates with seconds that a fact or an entry holds.
    private mutating func checkOrder(
        of operand: Condition.Operand, with subject: Condition.Subject, at place: SpecProblem.Place
    ) {
        guard let known = kinds(of: subject) else { return }
        guard !known.isDisjoint(with: [.integer, .real, .date]) else {
            return refuse("is \(known.phrase), which has no order", at: place)
        }
        guard known == .date else { return }
        switch operand {
        case .number: refuse("is a date, and a number is none", at: place, "Compare with a fact of the type seconds.")
        case .fact(let name) where facts[name]?.kind != .seconds:
            refuse("is a date, and the fact \(name) is none", at: place, "Compare with a fact of the type seconds.")
        case .fact, .address: break
        }
    }

    private mutating func operand(_ word: String, at place: SpecProblem.Place) -> Condition.Operand? {
        if case .value(let value) = SpecScalar(word, isPlain: true), value.double != nil { return .number(value) }
        if word.hasPrefix("fact/") {
            guard let name = factName(String(word.dropFirst(5)), at: place) else { return nil }
            if let kind = facts[name]?.kind, kind != .seconds, kind != .integer {
                report(
                    .comparison, at: place, "the fact \(name) is \(kind.rawValue), which has no order",
                    fix: "Compare with a number, or with a fact of the type seconds or integer.")
                return nil
            }
            return .fact(name)
        }
        guard word.contains("/") else {
            report(
                .comparison, at: place, "“\(word)” has no order", fix: "Compare with a number, an address or fact/NAME."
            )
            return nil
        }
        return address(word, at: place).map(Condition.Operand.address)
    }
}
