import Foundation
import MigrationEngine
import StoreFormats

/// The type that a row asks of a value, and the form that holds it: `string`, `json dictionary`, `keyed-archive bool`.
struct ValueType: Hashable, Sendable {
    /// A type; nothing is made one that is not, but that a flag may be 0 or 1, and a text UTF-8 data.
    enum Kind: String, CaseIterable, Hashable, Sendable {
        case string, integer, real, number, bool, flag, date, data, text, uuid, array, dictionary
    }

    /// What holds it; `nil` where it is the value itself.
    var form: Form?
    /// The type; `nil` is any.
    var kind: Kind?

    /// What other languages call the types.
    static let otherNames: [String: Kind] = [
        "float": .real, "double": .real, "decimal": .real, "int": .integer, "int64": .integer, "long": .integer,
        "boolean": .bool, "str": .string, "object": .dictionary, "dict": .dictionary, "map": .dictionary,
        "mapping": .dictionary, "list": .array, "bytes": .data, "blob": .data, "binary": .data, "datetime": .date,
        "timestamp": .date, "time": .date, "guid": .uuid, "url": .string,
    ]

    static let forms: [Form] = [.json, .keyedArchive, .propertyList]

    /// What the type gives.
    var kinds: ValueKinds {
        switch kind {
        case .string, .text, .uuid: .string
        case .integer: .integer
        case .real: .real
        case .number: .number
        case .bool, .flag: .bool
        case .date: .date
        case .data: .data
        case .array: .array
        case .dictionary: .dictionary
        case nil: .any
        }
    }

    var phrase: String {
        let article = kind.map { kind in
            switch kind {
            case .data: "data"
            case .array, .integer: "an \(kind.rawValue)"
            case .uuid: "a UUID"
            default: "a \(kind.rawValue)"
            }
        }
        return (article ?? "a value") + (form.map { " in the form of \($0.rawValue)" } ?? "")
    }

    /// The value as this type, or `nil` where it is not of it.
    ///
    /// - Throws: ``StepStop`` with the code of the form where it cannot be decoded.
    func read(_ value: Value) throws(StepStop) -> Value? {
        guard let form else { return Self.read(value, as: kind) }
        switch value {
        case .string, .data: return Self.read(try form.decode(value), as: kind)
        // A property list may hold an archive as the dictionary that it is.
        case .dictionary where form == .keyedArchive && KeyedArchive.isKeyedArchive(value):
            do throws(FormatError) {
                return Self.read(try KeyedArchive.decode(value), as: kind)
            } catch {
                throw .failed("not-keyed-archive", "\(error)")
            }
        default: return nil
        }
    }

    static func read(_ value: Value, as kind: Kind?) -> Value? {
        switch (kind, value) {
        case (nil, _), (.string, .string), (.integer, .integer), (.real, .real), (.number, .integer), (.number, .real),
            (.bool, .bool), (.flag, .bool), (.date, .date), (.data, .data), (.array, .array),
            (.dictionary, .dictionary),
            (.text, .string):
            value
        case (.flag, .integer(0)): .bool(false)
        case (.flag, .integer(1)): .bool(true)
        case (.text, .data(let data)): String(validating: data, as: UTF8.self).map(Value.string)
        case (.uuid, .string(let text)): FactDefinition.isUUID(text) ? value : nil
        default: nil
        }
    }
}

extension ValueType.Kind {
    /// The types of which a value is asked whether it is this: a flag may be 0 or 1, a text data.
    var asked: ValueKinds {
        switch self {
        case .flag: [.bool, .integer]
        case .text: [.string, .data]
        default: ValueType(kind: self).kinds
        }
    }
}

extension SpecReader {
    /// One type, or several that are tried in their order.
    mutating func types(_ node: SpecNode?) -> [ValueType] {
        items(node).compactMap { item in
            guard let text = text(item, of: "type") else { return nil }
            var words = text.parts(at: " ").filter { !$0.isEmpty }.map(String.init)
            var type = ValueType()
            if words.count == 2 {
                guard let form = ValueType.forms.first(where: { $0.rawValue == words[0] }) else {
                    return unknown(
                        words[0], at: item.place, of: "form of values", among: ValueType.forms.map(\.rawValue),
                        .wrongType)
                }
                type.form = form
                words.removeFirst()
            }
            if words.count == 1, let meant = ValueType.otherNames[words[0].lowercased()] {
                report(
                    .wrongType, at: item.place, "there is no type \(words[0])", fix: "Did you mean \(meant.rawValue)?")
                return nil
            }
            guard words.count == 1, let kind = ValueType.Kind(rawValue: words[0]) else {
                return unknown(
                    words.joined(separator: " "), at: item.place, of: "type",
                    among: ValueType.Kind.allCases.map(\.rawValue),
                    .wrongType)
            }
            type.kind = kind
            return type
        }
    }
}
