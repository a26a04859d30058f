import Foundation
import MigrationEngine
import StoreFormats

/// Values that are made up to try a row on: of the types that it reads, with what its operations and its conditions name.
struct RowSamples {
    /// How many there are at most.
    static let most = 24
    /// How many names of an operation are looked at, and how many values one value may hold.
    private static let names = 64, parts = 400

    /// The values as they would be stored, those first that the row is the likeliest to be for.
    let stored: [Value]

    init(of row: SpecRow) {
        var values = Self.inputs(row.operations[...])
        for condition in row.conditions { values = values.flatMap { [condition.met(by: $0), $0].compactMap(\.self) } }
        let forms = row.types.map(\.form).uniqued
        var stored: [Value] = []
        for value in values.uniqued.prefix(Self.most) {
            for form in forms.isEmpty ? [nil] : forms {
                guard let form else {
                    stored.append(value)
                    continue
                }
                if let written = try? form.encode(value) { stored.append(written) }
            }
        }
        self.stored = Array(stored.prefix(Self.most))
    }

    // MARK: Operations

    private static let plain: [Value] = [
        .string("Ab 1"), .string("12"), .integer(3), .integer(1), .real(1.5), .bool(true), .data(Data("ab".utf8)),
        .date(Timestamp(secondsSinceEpoch: 1_724_990_100)), .array([.string("a"), .string("b")]), .array([.integer(3)]),
        dictionary(["a": .integer(1)]), dictionary(["other": .string("Ab 1")]),
        .string("9B574574-74A7-4EDF-969D-164CB151B6C3"),
    ]

    /// Values that a chain of operations may be given; none is large, as a text in a text in a text would be.
    private static func inputs(_ operations: ArraySlice<SpecOperation>) -> [Value] {
        guard let first = operations.first else { return plain }
        let others = operations.dropFirst(), all = inputs(of: first, before: inputs(others), isLast: others.isEmpty)
        return Array(all.lazy.filter { $0.parts(upTo: parts) < parts }.prefix(most))
    }

    private static func inputs(of first: SpecOperation, before rest: [Value], isLast: Bool) -> [Value] {
        let names = Array((first.argument?.names ?? []).prefix(names))
        switch first.name {
        case "decode":
            guard let form = names.first.flatMap(Form.init(rawValue:)) else { return rest }
            // A text in a text is no more than that.
            let held = isLast && ValueType.forms.contains(form) ? plain.filter { $0.string == nil } : rest + plain
            return held.compactMap { try? form.encode($0) }
        case "pick" where names.count == 1:
            return rest.map { dictionary([names[0]: $0, "other": .integer(1)]) }
        case "each":
            let items = inputs(first.argument.operations[...]).prefix(most / 2)
            return items.map { .array([$0]) } + items.map { dictionary(["a": $0]) }
        case "in":
            guard case .mapping(let members)? = first.argument?.content else { return rest }
            let all = members.prefix(Self.names).map { ($0.key, inputs(Optional($0.value).operations[...])) }
            return (0..<most).compactMap { number in
                var made: [String: Value] = [:]
                for (name, values) in all where !values.isEmpty { made[name] = values[number % values.count] }
                return dictionary(made)
            }.uniqued
        default: break
        }
        var own = first.ownInputs(names)
        if let members = own.first?.members {
            // What the operations behind it name lies beside what this one does.
            own =
                rest.lazy.compactMap(\.members).prefix(most / 3).map { fields in
                    var all = members
                    for member in fields where all[member.key] == nil { all[member.key] = member.value }
                    return .dictionary(all)
                } + own
        }
        return (own + rest + plain).uniqued
    }

    /// A dictionary of members, where `/` leads into what a member holds.
    fileprivate static func dictionary(_ members: [String: Value]) -> Value {
        members.sorted { $0.key < $1.key }.reduce(.dictionary(Members())) { made, member in
            made.setting(JSONPointer(member.key.split(separator: "/").map { Name($0) }), to: member.value)
        }
    }
}

extension SpecOperation {
    /// What an operation by itself is likely to be given.
    fileprivate func ownInputs(_ names: [String]) -> [Value] {
        func text(_ name: String) -> String? {
            guard case .mapping(let members)? = argument?.content else { return nil }
            return members.first { $0.key == name }?.value.names.first
        }
        switch name {
        case "rename", "move", "copy", "remove", "pick":
            return [RowSamples.dictionary(Dictionary(names.map { ($0, .string("Ab 1")) }) { first, _ in first })]
        case "add": return [RowSamples.dictionary(["other": .integer(1)])]
        case "strip":
            // Also what begins with it twice.
            if let prefix = text("prefix") { return [.string(prefix + prefix + "x"), .string(prefix + "x")] }
            return text("suffix").map { [.string("x" + $0 + $0), .string("x" + $0)] } ?? []
        case "split":
            guard let at = text("at") ?? names.first else { return [] }
            return [.string("a\(at)b\(at)c"), .string("a\(at)b")]
        case "table":
            guard case .mapping(let members)? = argument?.content else { return [] }
            return members.prefix(RowSamples.most / 2).map { member in
                if member.isPlainKey, case .value(let value) = SpecScalar(member.key, isPlain: true) { return value }
                return .string(member.key)
            }
        case "fill":
            let fields = names.first.flatMap { AddressTemplate($0) }?.facts.filter { $0 != "value" } ?? []
            guard !fields.isEmpty else { return [] }
            return [
                RowSamples.dictionary(
                    Dictionary(fields.map { ($0.rawValue, .string("Ab 1")) }) { first, _ in first })
            ]
        case "text", "scale": return [.integer(3)]
        case "round": return [.real(1.5)]
        case "not": return [.bool(true)]
        case "case": return [.string("Ab 1")]
        case "trim": return [.string(" Ab 1 ")]
        case "number": return [.string("12"), .string("7.5")]
        case "time": return Self.times[text("from") ?? ""].map { [$0] } ?? []
        default: return []
        }
    }

    /// A moment in each unit.
    private static let times: [String: Value] = [
        "seconds": .integer(1_724_990_100), "milliseconds": .integer(1_724_990_100_000),
        "microseconds": .integer(1_724_990_100_000_000), "apple-seconds": .integer(700_000_000),
        "uptime-seconds": .integer(5000), "uptime-milliseconds": .integer(5_000_000),
        "iso8601": .string("2024-08-30T06:40:00Z"), "date": .date(Timestamp(secondsSinceEpoch: 1_724_990_100)),
    ]
}

extension SpecNode {
    /// The texts of a list, the keys of a mapping, or what it is itself.
    fileprivate var names: [String] {
        switch content {
        case .scalar(.string(let text)): [text]
        case .scalar(let value): [value.numberText]
        case .list(let items): items.flatMap(\.names)
        case .mapping(let members): members.map(\.key)
        }
    }
}

extension SpecNode? {
    /// The operations that stand there.
    fileprivate var operations: [SpecOperation] {
        var reader = SpecReader()
        return reader.operations(self, of: "do")
    }
}

extension Value {
    fileprivate func setting(_ pointer: JSONPointer, to value: Value?) -> Value {
        guard let token = pointer.tokens.first else { return value ?? self }
        let rest = JSONPointer(Array(pointer.tokens.dropFirst()))
        guard var members, !rest.isRoot || value != nil || members[token] != nil else { return self }
        members[token] = rest.isRoot ? value : (members[token] ?? .dictionary(Members())).setting(rest, to: value)
        return .dictionary(members)
    }
}

extension Condition {
    /// A value that is like another one, and of which it holds, as far as that can be told; `nil` where nothing is.
    fileprivate func met(by value: Value) -> Value? {
        switch self {
        case .any(let all, _): return all.first?.met(by: value)
        case .test(.value(let pointer), let test, _, _):
            switch test {
            case .exists: return value[pointer] == nil ? value.setting(pointer, to: .string("Ab 1")) : nil
            case .isAbsent: return pointer.isRoot ? nil : value.setting(pointer, to: nil)
            case .isLiteral(let literal, true): return value.setting(pointer, to: literal)
            case .isType(let kind, true):
                guard !pointer.isRoot else { return nil }
                let fitting = RowSamples.typed(kind)
                return fitting.flatMap { value.setting(pointer, to: $0) }
            case .compares(let comparison, .number(let number)):
                guard let bound = number.double, let whole = Int128(exactly: bound.rounded()) else { return nil }
                let near: Int128 =
                    switch comparison {
                    case .above, .atLeast: whole + 1
                    case .below, .atMost: whole - 1
                    }
                return value.setting(pointer, to: .integer(near))
            default: return nil
            }
        case .test: return nil
        }
    }
}

extension RowSamples {
    /// A value of a type.
    fileprivate static func typed(_ kind: ValueType.Kind) -> Value? {
        plain.first { ValueType.read($0, as: kind) != nil }
    }
}
