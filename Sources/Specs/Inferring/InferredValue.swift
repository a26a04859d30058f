import Foundation
import MigrationEngine
import StoreFormats

/// Where a value can be taken from: an entry or a part of one, read as a type, or a fact.
struct InferenceSource: Sendable {
    /// As a row names it: `app/rs_traits#/userId`, `fact/identifierForVendor`.
    let text: String
    /// The entry, unless it is a fact.
    let entry: Address?
    /// Whether it is the whole entry.
    let isWhole: Bool
    /// The type of the row; `nil` of a fact.
    let type: String?
    let value: Value
    /// The member that a row takes of it at once: a pointer leads only to the text that holds it.
    private(set) var picked: Name?
    /// The number of its value among all: two large values need not be compared again.
    var valueNumber = 0
    /// The type of the whole entry as it is stored, whatever form is read; `nil` of a fact, and where the language has no
    /// name for it.
    var storedType: String?
    private(set) var words: NameWords
    /// How far in it is, and through what: nearer sources are likelier.
    let cost: Double

    /// The same source for a row that takes a member of it.
    func picking(_ member: Name) -> InferenceSource {
        var source = self
        (source.picked, source.words) = (member, NameWords(member.text))
        return source
    }

    /// The same source read as a flag, where it is a number that may be one.
    var asFlag: InferenceSource? {
        guard entry != nil, type == "integer", let flag = ValueType.read(value, as: .flag) else { return nil }
        // No other source has the number.
        return InferenceSource(
            text: text, entry: entry, isWhole: isWhole, type: "flag", value: flag, picked: picked,
            valueNumber: flag == .bool(true) ? -1 : -2, storedType: storedType, words: words, cost: cost)
    }

    /// The part of the entry that it is, unless it is a fact: what says that it is secret may be any key on the way to it.
    var place: Address? {
        guard let entry, let mark = text.firstIndex(of: "#"),
            let pointer = JSONPointer(parsing: String(text[mark...].dropFirst()))
        else { return entry }
        return entry.appending(pointer)
    }
}

/// Operations that are thought to make a value of another.
struct InferredChain: Sendable {
    var operations: [SpecNode] = []
    var cost = 0.0

    /// Whether it calculates with a number.
    var isCalculated: Bool { operations.contains { ["round", "scale"].contains($0.name) } }

    /// What it amounts to, in words.
    var told: String {
        let names = operations.map(\.name)
        return names.isEmpty ? "the same value" : "its value through \(names.joined(separator: ", "))"
    }

    func adding(_ operation: SpecNode, cost more: Double = 1) -> InferredChain {
        InferredChain(operations: operations + [operation], cost: cost + more)
    }

    /// What the operations make of a value; `nil` where they refuse it.
    func applied(to value: Value, _ facts: SpecFacts) -> Value? {
        var reader = SpecReader()
        let made = reader.operations(.list(operations), of: "do")
        guard reader.problems.isEmpty, made.count == operations.count else { return nil }
        var draft: any Draft = ValueDraft(value, facts: facts.facts)
        guard (try? made.apply(to: &draft, facts)) != nil else { return nil }
        return draft.value
    }
}

extension Value {
    /// The value in a form in which two that are the same to a reader are equal: members by their keys.
    var canonical: Value {
        switch self {
        case .dictionary(let members):
            .dictionary(
                Members(
                    members.map { Member(key: $0.key, value: $0.value.canonical) }.sorted {
                        $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
                    }))
        case .array(let items): .array(items.map(\.canonical))
        case .real(let real) where real.value.isFinite: .real(real.value)
        default: self
        }
    }

    /// Whether two entries have this value by chance: a flag, a small number, a short text, what is empty.
    var provesNothing: Bool {
        switch self {
        case .null, .bool, .uid, .reference: true
        case .integer(let integer): abs(integer) < 1000
        case .real(let real): real.value.magnitude < 1000 && real.value.rounded() == real.value
        case .string(let text): text.utf8.count < 4 || Int(text).map { abs($0) < 1000 } ?? false
        case .data(let data): data.count < 4
        case .date: false
        case .array(let items): items.allSatisfy(\.provesNothing)
        case .dictionary(let members): members.allSatisfy { $0.value.provesNothing }
        case .set(let set): set.elements.isEmpty
        case .object: false
        }
    }
}

/// A value that a row must make, and the operations at its end that lead there.
struct InferenceGoal: Sendable {
    let value: Value
    let ending: InferredChain

    /// What may stand before the last operations of a row that writes a value: the value itself, what it holds in another
    /// format, the number that it is the text of, what it wraps.
    ///
    /// - Parameter isBytes: Whether the store holds bytes, to which a text goes as it is.
    static func all(for value: Value, isBytes: Bool) -> [InferenceGoal] {
        var goals: [InferenceGoal] = []
        func add(_ value: Value, _ ending: [(SpecNode, Double)], depth: Int) {
            let chain = InferredChain(operations: ending.map(\.0), cost: ending.reduce(0) { $0 + $1.1 })
            goals.append(InferenceGoal(value: value, ending: chain))
            guard depth < 3 else { return }
            switch value {
            case .string(let text):
                if let integer = Int128(text), "\(integer)" == text {
                    add(.integer(integer), [(.text("text"), 0.5)] + ending, depth: depth + 1)
                } else if let real = Double(text), real.isFinite, "\(real)" == text {
                    add(.real(real), [(.text("text"), 0.5)] + ending, depth: depth + 1)
                }
                for form in [Form.json, .base64, .hex] {
                    guard text.utf8.count > 1, form == .json || text.isDigits(of: form),
                        let inner = try? form.decode(value), form != .json || inner.isContainer || inner.string != nil
                    else { continue }
                    add(inner, [(.encoding(form), 0.5)] + ending, depth: depth + 1)
                }
            case .data(let data):
                for form in [Form.propertyList, .keyedArchive] {
                    guard data.count > 8, let inner = try? form.decode(value),
                        form == .keyedArchive || !KeyedArchive.isKeyedArchive(inner)
                    else { continue }
                    add(inner, [(.encoding(form), 0.5)] + ending, depth: depth + 1)
                }
                guard let text = String(validating: data, as: UTF8.self) else { return }
                add(
                    .string(text), (isBytes && ending.isEmpty ? [] : [(.encoding(.utf8), 0.5)]) + ending,
                    depth: depth + 1)
            case .dictionary(let members):
                if members.count == 1, let only = members.first {
                    add(only.value, [(.mapping([("wrap", .text(only.key.text))]), 1)] + ending, depth: depth + 1)
                }
            case .array(let items):
                if items.count == 1 { add(items[0], [(.text("list"), 1)] + ending, depth: depth + 1) }
            default: break
            }
        }
        add(value, [], depth: 0)
        return goals
    }
}

extension Value {
    fileprivate var isContainer: Bool {
        switch self {
        case .dictionary, .array: true
        default: false
        }
    }
}

extension SpecNode {
    fileprivate static func encoding(_ form: Form) -> SpecNode { .mapping([("encode", .text(form.rawValue))]) }

    /// An operation with words as its arguments.
    static func operation(_ name: String, _ arguments: [(String, String)]) -> SpecNode {
        .mapping([(name, .mapping(arguments.map { ($0.0, .text($0.1)) }))])
    }
}

extension SpecNode {
    /// The name of an operation.
    var name: String {
        switch content {
        case .scalar(.string(let name)): name
        case .mapping(let members): members.first?.key ?? ""
        default: ""
        }
    }
}
