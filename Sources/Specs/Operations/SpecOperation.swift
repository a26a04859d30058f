import MigrationEngine
import StoreFormats

/// One operation of a chain, with the arguments that a spec gives it: a pure function of a value and the facts.
package struct SpecOperation: Sendable {
    /// From what an operation can be undone.
    package enum Inverse: String, Comparable, Sendable, CaseIterable {
        /// From its result alone.
        case exact
        /// From its result and what is set aside beside it.
        case complement

        package static func < (left: Inverse, right: Inverse) -> Bool { left == .exact && right == .complement }
    }

    /// The operation in the table.
    package let name: String
    /// What it does with these arguments, in words.
    package let rule: String
    /// From what it can be undone with these arguments.
    package let inverse: Inverse
    /// The facts that it asks for.
    package var facts: [FactName] = []
    /// The types that it gives for those that it is given; none where it takes none of them.
    let gives: @Sendable (ValueKinds) -> ValueKinds
    let run: @Sendable (inout any Draft, JSONPointer, SpecFacts) throws(StepStop) -> Void
    /// What gives the value back, where the operation is exact.
    let back: (@Sendable (Value) -> Value?)?
    /// Whether the result means something else than the value: a flag that is inverted.
    var changesMeaning = false
    /// The types that it takes with these arguments, where they are fewer than those of the operation.
    var takes: ValueKinds?
    /// Whether it makes up a value that the file writes out.
    var inventsParts = false
    /// Whether a whole number that it is given becomes a real one.
    var narrows = false
    /// Whether it drops something of what it is given, and that is no part of it.
    var drops = false
    /// What a linter says of it with these arguments.
    var warning: (code: SpecProblem.Code, sentence: String, fix: String)?
    /// The operations that it has on parts of a value.
    var inner: [SpecOperation] = []
    /// What stands behind its name in the file.
    var argument: SpecNode?
    /// Where it stands in the file.
    var place: SpecProblem.Place?
}

extension SpecOperation {
    /// In the place of one that could not be read: the spec is never used.
    fileprivate static let unread = SpecOperation(
        name: "", rule: "", inverse: .exact, gives: { _ in .any }, run: { _, _, _ in }, back: nil)
}

extension [SpecOperation] {
    /// Applies the operations, one after the other.
    func apply(to draft: inout any Draft, at pointer: JSONPointer = JSONPointer(), _ facts: SpecFacts) throws(StepStop)
    {
        for operation in self { try operation.run(&draft, pointer, facts) }
    }

    /// From what they can be undone together.
    var inverse: SpecOperation.Inverse { map(\.inverse).max() ?? .exact }
    var rule: String { map(\.rule).joined(separator: "; ") }
    var facts: [FactName] { flatMap(\.facts).uniqued }
}

/// Types of values, as the language tells them apart.
package struct ValueKinds: OptionSet, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    static let string = ValueKinds(rawValue: 1), integer = ValueKinds(rawValue: 2), real = ValueKinds(rawValue: 4)
    static let bool = ValueKinds(rawValue: 8), date = ValueKinds(rawValue: 16), data = ValueKinds(rawValue: 32)
    static let array = ValueKinds(rawValue: 64), dictionary = ValueKinds(rawValue: 128)
    static let other = ValueKinds(rawValue: 256)
    static let number: ValueKinds = [.integer, .real], scalar: ValueKinds = [.string, .integer, .real, .bool]
    static let any = ValueKinds(rawValue: 511)

    private static let names: [(ValueKinds, String)] = [
        (.string, "string"), (.integer, "integer"), (.real, "real"), (.bool, "bool"), (.date, "date"), (.data, "data"),
        (.array, "array"), (.dictionary, "dictionary"),
    ]

    init(of value: Value) {
        self =
            switch value {
            case .string: .string
            case .integer: .integer
            case .real: .real
            case .bool: .bool
            case .date: .date
            case .data: .data
            case .array: .array
            case .dictionary: .dictionary
            default: .other
            }
    }

    /// The types in words: `a string or an integer`.
    package var phrase: String {
        if contains(.any) { return "any value" }
        let words = Self.names.filter { contains($0.0) }.map { kind, name in
            kind == .data ? name : (kind == .integer || kind == .array ? "an " : "a ") + name
        }
        return words.isEmpty
            ? "nothing"
            : words.count == 1
                ? words[0] : words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    }
}

/// An operation of the language: what `vestige specs help` says of it, and how its arguments are read.
package struct OperationDefinition: Sendable {
    /// An example, which a test runs.
    package struct Example: Sendable {
        /// The operation as it is written, in YAML.
        package let written: String
        /// The value before and after, as JSON.
        package let before: String, after: String
        /// The facts that it needs.
        package var facts: [FactName: String] = [:]
    }

    /// The key in a spec, such as `table`.
    package let name: String
    /// What it does, in a sentence.
    package let summary: String
    /// Its arguments with their types, as they are written.
    package let arguments: String
    /// The types that it takes and gives.
    package let takes: ValueKinds, gives: ValueKinds
    /// From what it can be undone, in words: the class, and what decides over it.
    package let inverse: String
    /// The codes with which it fails, besides `wrong-type`.
    package let errors: [String]
    package let example: Example
    /// The keys beside its own in one item of a list, such as `else` beside `table`.
    let besides: [String]
    let make: @Sendable (inout OperationReader) -> SpecOperation?

    init(
        _ name: String, _ summary: String, arguments: String = "none", takes: ValueKinds, gives: ValueKinds,
        _ inverse: String, errors: [String] = [], example: Example, besides: [String] = [],
        make: @escaping @Sendable (inout OperationReader) -> SpecOperation?
    ) {
        (self.name, self.summary, self.arguments, self.takes, self.gives) = (name, summary, arguments, takes, gives)
        (self.inverse, self.errors, self.example, self.besides, self.make) = (inverse, errors, example, besides, make)
    }
}

/// The arguments of one operation while they are read.
struct OperationReader {
    let definition: OperationDefinition
    /// What stands behind its name; `nil` where the name stands alone.
    let argument: SpecNode?
    /// The keys beside its name.
    let besides: SpecMembers
    let place: SpecProblem.Place
    var reader: SpecReader

    /// An operation that makes one value of another.
    ///
    /// - Parameters:
    ///   - loses: What of the old value is not in the new one, in a sentence; `nil` where all of it is.
    ///   - names: The members of the old value that the new one is made of; `nil` where of all that is there.
    ///   - name: Where in the new value the old one stands as it was.
    func value(
        _ rule: String, _ inverse: SpecOperation.Inverse = .exact, facts: [FactName] = [], gives: ValueKinds? = nil,
        back: (@Sendable (Value) -> Value?)? = nil, changesMeaning: Bool = false,
        loses: (@Sendable (_ old: Value, _ new: Value) -> String?)? = nil,
        of names: (@Sendable (_ old: Value) -> Set<Name>?)? = nil, within name: Name? = nil,
        _ make: @escaping @Sendable (Value, SpecFacts) throws(StepStop) -> Value
    ) -> SpecOperation {
        let definition = definition, result = gives ?? definition.gives
        return SpecOperation(
            name: definition.name, rule: rule, inverse: inverse, facts: facts,
            gives: { $0.isDisjoint(with: definition.takes) ? [] : result },
            run: { draft, pointer, facts throws(StepStop) in
                guard let old = draft.value[pointer] else { throw .missingField(pointer) }
                guard definition.takes.contains(ValueKinds(of: old)) else { throw definition.refuse(old, at: pointer) }
                let new: Value
                do throws(StepStop) { new = try make(old, facts) } catch { throw error.at(pointer) }
                guard new != old else { return }
                if let loses, let lost = loses(old, new) { draft.lose(lost) }
                let kept = draft.placeholders
                if let name {
                    try draft.put(pointer, new, from: PartOrigins.Node([name: draft.origins.root.at(pointer)]))
                } else {
                    try draft.make(new, at: pointer, of: names.flatMap { $0(old) })
                }
                draft.placeholders = kept
            }, back: back, changesMeaning: changesMeaning)
    }

    /// An operation on the members of a dictionary.
    func edits(
        _ rule: String, _ inverse: SpecOperation.Inverse, facts: [FactName] = [],
        back: (@Sendable (Value) -> Value?)? = nil,
        _ make: @escaping @Sendable (inout any Draft, JSONPointer, SpecFacts) throws(StepStop) -> Void
    ) -> SpecOperation {
        let definition = definition
        return SpecOperation(
            name: definition.name, rule: rule, inverse: inverse, facts: facts,
            gives: { $0.isDisjoint(with: definition.takes) ? [] : definition.gives },
            run: { draft, pointer, facts throws(StepStop) in
                guard let old = draft.value[pointer] else { throw .missingField(pointer) }
                guard definition.takes.contains(ValueKinds(of: old)) else { throw definition.refuse(old, at: pointer) }
                try make(&draft, pointer, facts)
            }, back: back)
    }

    /// The text behind its name.
    mutating func text() -> String? { reader.text(required(), of: definition.name) }

    /// What stands behind its name, which must be there.
    mutating func required() -> SpecNode? {
        if argument == nil {
            reader.report(
                .key, at: place, "\(definition.name) takes an argument",
                fix: "Write it as \(definition.example.written).")
        }
        return argument
    }

    /// What stands behind its name as a mapping with these keys.
    mutating func members(_ keys: [String], required names: [String] = []) -> SpecMembers? {
        guard let node = required(), isMapping(node) else { return nil }
        return reader.members(node, of: definition.name, keys: keys, required: names)
    }

    /// What stands behind its name as fields with their values.
    mutating func fields() -> [SpecNode.Member]? {
        guard let node = required(), isMapping(node) else { return nil }
        return reader.mapping(node, of: definition.name)
    }

    private mutating func isMapping(_ node: SpecNode) -> Bool {
        if case .mapping = node.content { return true }
        let none: SpecNode? = reader.refuse(
            node, "\(definition.name) has \(definition.arguments)", "Write it as \(definition.example.written).")
        return none != nil
    }

    /// One of the words that may stand behind its name.
    mutating func word(_ words: [String]) -> String? {
        guard let node = required(), let text = reader.text(node, of: definition.name) else { return nil }
        return words.contains(text) ? text : reader.unknown(text, at: node.place, of: definition.name, among: words)
    }
}

extension OperationDefinition {
    func refuse(_ value: Value, at pointer: JSONPointer) -> StepStop {
        .failed("wrong-type", "\(name) takes \(takes.phrase), and this is \(value.typePhrase)").at(pointer)
    }
}

extension StepStop {
    static func missingField(_ pointer: JSONPointer) -> StepStop {
        .failed("field-missing", pointer.isRoot ? "the value is not there" : "its field \(pointer) is not there")
    }

    /// The same, with the place in the value before what happened.
    func at(_ pointer: JSONPointer) -> StepStop {
        guard !pointer.isRoot, var stop = Optional(self), let reason = outcome.reason,
            !reason.sentence.hasPrefix("\(pointer)")
        else { return self }
        // A place within one is one place.
        let joint = reason.sentence.hasPrefix("/") ? "" : ": "
        stop.outcome.reason?.sentence = "\(pointer)\(joint)\(reason.sentence)"
        return stop
    }
}

extension SpecReader {
    /// A chain of operations.
    mutating func operations(_ node: SpecNode?, of what: String) -> [SpecOperation] {
        guard let node else { return [] }
        guard case .list(let items) = node.content else {
            let none: SpecOperation? = refuse(
                node, "\(what) is a list of operations", "Write it as [trim, {case: lower}].")
            return [none].compactMap(\.self)
        }
        if items.count > SpecText.Limit.operations {
            report(
                .overLimit, at: node.place,
                "\(what) has \(items.count) operations, and may have \(SpecText.Limit.operations)",
                fix: "Make it several rows.")
        }
        // What is wrong in one place tells nothing of what the next is given.
        return items.prefix(SpecText.Limit.operations).map { operation($0) ?? .unread }
    }

    private mutating func operation(_ node: SpecNode) -> SpecOperation? {
        // Asked for by mistakes alone.
        var names: [String] { OperationTable.all.map(\.name) }
        switch node.content {
        case .scalar(.string(let name)):
            guard let definition = OperationTable[name] else {
                return unknown(name, at: node.place, of: "operation", among: names)
            }
            return make(definition, nil, SpecMembers(), node.place)
        case .mapping(let members):
            guard let first = members.first(where: { OperationTable[$0.key] != nil }) ?? members.first else {
                return refuse(node, "an operation has a name", "Write it as trim, or {case: lower}.")
            }
            guard let definition = OperationTable[first.key] else {
                return unknown(first.key, at: first.keyPlace, of: "operation", among: names)
            }
            var besides = SpecMembers()
            for member in members where member.key != first.key {
                guard definition.besides.contains(member.key) else {
                    let nearest = Nearest.word(to: member.key, among: definition.besides)
                    report(
                        .key, at: member.keyPlace, "\(definition.name) has no key \(member.key) beside it",
                        fix: nearest.map { "Did you mean \($0)?" } ?? "Each operation is an item of the list by itself."
                    )
                    continue
                }
                besides[member.key] = member.value
            }
            return make(definition, first.value, besides, first.keyPlace)
        default:
            return refuse(
                node, "an operation is a name, or a name with arguments", "Write it as trim, or {case: lower}.")
        }
    }

    /// Whether something in a part could not be read, which is told already.
    private func isUnread(_ node: SpecNode) -> Bool {
        if unread.contains(node.place) { return true }
        return switch node.content {
        case .scalar: false
        case .list(let items): items.contains(where: isUnread)
        case .mapping(let members): members.contains { isUnread($0.value) }
        }
    }

    /// An operation in a sentence on its arguments, of which there are none, or which are empty.
    private func name(of definition: OperationDefinition, _ argument: SpecNode?) -> String {
        argument == nil ? definition.name : "\(definition.name) with nothing in its arguments"
    }

    private mutating func make(
        _ definition: OperationDefinition, _ argument: SpecNode?, _ besides: SpecMembers,
        _ place: SpecProblem.Place
    ) -> SpecOperation? {
        let known = problems.count
        var operation = OperationReader(
            definition: definition, argument: argument, besides: besides, place: place, reader: self)
        let isEmpty =
            switch argument?.content {
            case .list([]), .mapping([]): true
            default: false
            }
        var made = isEmpty ? nil : definition.make(&operation)
        made?.place = place
        made?.argument = argument
        self = operation.reader
        if let argument, isUnread(argument) {
            // What could not be read is told already, and not again of what it stands in.
            withdrawProblems(at: argument.place, from: known)
        } else if made == nil, problems.count == known {
            // What cannot be made of its arguments is never passed over in silence: it would leave the value as it is.
            report(
                .operand, at: argument?.place ?? place, "\(name(of: definition, argument)) does nothing",
                fix: "It takes \(definition.arguments): \(definition.example.written).")
        }
        return made
    }

    /// Checks that each operation takes what the one before it gives; gives the types at the end.
    mutating func checkTypes(_ operations: [SpecOperation], from kinds: ValueKinds, at place: SpecProblem.Place)
        -> ValueKinds
    {
        var kinds = kinds
        for operation in operations {
            let given = kinds, isTaken = operation.takes.map { !$0.isDisjoint(with: given) } ?? true
            kinds = isTaken ? operation.gives(given) : []
            guard kinds.isEmpty, !given.isEmpty else { continue }
            let takes = operation.takes ?? OperationTable[operation.name]?.takes ?? .any
            let others = OperationTable.all.filter { $0.takes != .any && !$0.takes.isDisjoint(with: given) }.map(\.name)
            // Written otherwise it would take that.
            let isByWriting = others.contains(operation.name)
            let fix =
                switch operation.name {
                // The keys of JSON are texts.
                case "table" where isByWriting: "A key in quotes is a text: write pairs, such as table: [[1, one]]."
                case "fill" where isByWriting:
                    "{value} is the value itself; any other name in braces is a field of a dictionary."
                default: "These take it: \(others.filter { $0 != operation.name }.joined(separator: ", "))."
                }
            report(
                .operand, at: operation.place ?? place,
                "\(operation.name)\(isByWriting ? ", as it is written," : "") takes \(takes.phrase), and is given \(given.phrase)",
                fix: fix)
            kinds = operation.gives(takes)
            if kinds.isEmpty { return .any }
        }
        return kinds
    }
}
